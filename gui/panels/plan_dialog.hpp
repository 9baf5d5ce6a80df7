// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "gui/results/table_model.hpp"
#include "gui/run/run_process.hpp"

#include <QDialog>
#include <QJsonArray>
#include <QStringList>
#include <QVector>

class QComboBox;
class QFormLayout;
class QHBoxLayout;
class QLabel;
class QLineEdit;
class QPushButton;
class QTableWidget;
class QProgressBar;
class QTableView;

namespace trainyard::gui {

class ScenarioDocument;

/// Asks for the input of a plan: the goals, the values to choose from, and the measure to minimise. `simrun plan`
/// answers.
class PlanDialog : public QDialog
{
  Q_OBJECT
public:
  explicit PlanDialog(const ScenarioDocument& document, QWidget* parent = nullptr);

  /// What follows `simrun plan SCENARIO`: --goal, --knob, --policies, --minimise.
  QStringList arguments() const;

signals:
  void planRequested(const QStringList& arguments);

private:
  QFormLayout* makeGoals();
  /// The line above the values to choose from, which are set up with it.
  QHBoxLayout* makeKnobs();
  void addKnob(const QString& path, const QString& values);
  void offerKnobs();
  void changed();

  const ScenarioDocument& document_;
  QComboBox* goal_;
  QComboBox* second_;
  QComboBox* objective_;
  QTableWidget* knobs_;
  QLineEdit* policies_;
  QLabel* command_;
  QPushButton* go_;
};

class ScenarioDocument;

/// The ways to divide the transformer of a job among its GPUs, by the time of a step, as `simrun layouts` finds them.
/// One of them is taken into the scenario.
class LayoutsDialog : public QDialog
{
  Q_OBJECT
public:
  explicit LayoutsDialog(ScenarioDocument& document, QWidget* parent = nullptr);

  /// The jobs of a scenario that divide a transformer, by their place in the list.
  static QVector<int> dividedJobs(const ScenarioDocument& document);
  /// What is asked about a job of the scenario, whose text lies in @p file: the arguments of simrun.
  static QStringList argumentsOf(const ScenarioDocument& document, int job, const QString& file);
  bool isBusy() const { return process_.state() == RunProcess::State::running; }
  /// Writes the layout of a row into the scenario, as one step, and closes.
  void take(int row);
  /// Keys that contradicted the layout that was taken, and went out of the scenario.
  const QStringList& dropped() const { return dropped_; }

private:
  void ask();
  void answered();

  ScenarioDocument& document_;
  QComboBox* job_;
  QLabel* words_;
  QTableView* table_;
  TableModel* model_;
  QProgressBar* progress_;
  QPushButton* take_;
  QJsonArray found_;
  QStringList dropped_;
  RunProcess process_;
};

} // namespace trainyard::gui
