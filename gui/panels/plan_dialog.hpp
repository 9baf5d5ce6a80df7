// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <QDialog>
#include <QStringList>
#include <QVector>

class QComboBox;
class QFormLayout;
class QHBoxLayout;
class QLabel;
class QLineEdit;
class QPushButton;
class QTableWidget;

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

} // namespace trainyard::gui
