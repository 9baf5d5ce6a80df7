// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <QString>
#include <QWidget>

class QListWidget;
class QTabWidget;
class QLabel;
class QComboBox;
class QTreeWidget;
class QTreeWidgetItem;

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

class ScenarioDocument;
class Schema;

/// A choice of the scenario format whose values each have a sentence: where it stands, and the list that compares
/// several, if there is one.
struct PolicyChoice {
  QString path;      // "scheduling.policy"
  QString list_path; // "scheduling.policies"; empty where only one can be chosen
  QString description;
  QStringList names;
  QStringList sentences;
};

/// Every choice of the schema below its top level whose values are described, in the order of the schema; a new policy
/// or a new choice needs no code here.
QVector<PolicyChoice> policy_choices(const Schema& schema);

/// All policies of one kind with their sentence and paper. A double click (or Enter) uses one; the boxes choose several
/// to compare.
class PolicyList : public QWidget
{
  Q_OBJECT
public:
  PolicyList(ScenarioDocument& document, Schema& schema, QWidget* parent = nullptr);
  /// Adds a policy to the comparison, or removes it.
  void setCompared(const QString& name, bool on);
  void use(const QString& name);
  int kinds() const;
  QTreeWidget* list() { return list_; }
  /// The kind of choice at a path, "scheduling.policy".
  void show(const QString& path);

private:
  void fillKinds();
  void fill();
  void refresh();

  ScenarioDocument& document_;
  Schema& schema_;
  QVector<PolicyChoice> choices_;
  QComboBox* kind_;
  QTreeWidget* list_;
  bool filling_ = false;
};

} // namespace trainyard::gui
