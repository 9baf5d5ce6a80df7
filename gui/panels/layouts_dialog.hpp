// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <QDialog>
#include <QJsonArray>

#include "gui/results/table_model.hpp"
#include "gui/run/run_process.hpp"

class QComboBox;
class QLabel;
class QProgressBar;
class QPushButton;
class QTableView;

namespace trainyard::gui {

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
