// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <QWidget>

class QListWidget;
class QTabWidget;
class QLabel;

namespace trainyard::gui {

class FaultsView;
class PolicyList;
class ScenarioDocument;
class Schema;
class SchemaForm;

/// All sections of a scenario that are rules rather than machines or jobs: how it is run, scheduled, orchestrated, what
/// fails. Both the list and the forms come from the schema.
class RulesView : public QWidget
{
  Q_OBJECT
public:
  RulesView(ScenarioDocument& document, Schema& schema, QWidget* parent = nullptr);
  /// Goes to a section or a map inside one.
  void open(const QString& path);
  FaultsView* faults() { return faults_; }
  PolicyList* policies() { return policies_; }
  QTabWidget* pages() { return pages_; }

private:
  void fill();
  void describe();
  void markGiven();

  ScenarioDocument& document_;
  Schema& schema_;
  QListWidget* sections_;
  QTabWidget* pages_;
  PolicyList* policies_;
  FaultsView* faults_;
  SchemaForm* form_;
  QLabel* choice_;
};

} // namespace trainyard::gui
