// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <QString>
#include <QStringList>
#include <QVector>
#include <QWidget>

class QComboBox;
class QFormLayout;
class QLabel;
class QPushButton;

namespace trainyard {
struct DocumentNode;
} // namespace trainyard

namespace trainyard::gui {

class ScenarioDocument;
class Schema;
struct SchemaField;

/// A form for the map or list at one path of the scenario, made from the schema: a new key or policy needs no code
/// here. A value that is not in the file shows its default as a hint; an emptied field removes the key from the file.
/// Maps and lists inside it open in its place, with a way back up. Settings of a topology, mode or policy that is not
/// chosen have no row; what is seldom set stands below "more".
class SchemaForm : public QWidget
{
  Q_OBJECT
public:
  SchemaForm(ScenarioDocument& document, Schema& schema, QWidget* parent = nullptr);

  /// Shows the map at @p path under a heading; an empty path clears the form.
  void show(const QString& path, const QString& heading);
  /// What is shown: the path of show(), or one inside it.
  QString path() const { return path_; }
  /// Maps and lists open in another form, which stands beside this one.
  void openIn(SchemaForm& other) { target_ = &other; }

signals:
  /// Another map or list is shown: one inside, or the one around it.
  void opened(const QString& path);

private:
  void enter(const QString& path);
  void rebuild();
  void refresh();
  /// Where a key stands: in sight, below "more", or not at all.
  enum class Place { first, more, none };
  Place placeOf(const SchemaField& field, const QVector<SchemaField>& fields) const;
  /// What is chosen, or counts by default, of the keys that other keys depend on.
  QStringList chosenParts(const QVector<SchemaField>& fields) const;
  void addMore(const QVector<SchemaField>& fields);
  void addRow(QFormLayout& rows, const SchemaField& field, const QString& name);
  void addAdder();
  QWidget* editorOf(const SchemaField& field, const QString& hint);
  QComboBox* choiceBox(const SchemaField& field, int letters);
  /// Items of a list, and entries of a map whose keys may have any name: they are in the text alone.
  /// What the text has at the path; nothing where that is not there.
  const DocumentNode* here() const;
  QVector<SchemaField> fieldsHere() const;
  QStringList freeKeys() const;
  void set(const QString& key, const QString& yaml);

  ScenarioDocument& document_;
  Schema& schema_;
  SchemaForm* target_ = nullptr;
  QString base_;
  QString path_;
  QString heading_;
  QPushButton* up_;
  QLabel* title_;
  QLabel* about_;
  QWidget* body_ = nullptr;
  QFormLayout* rows_ = nullptr;
  QWidget* more_ = nullptr;
  bool more_open_ = false;
  QStringList chosen_;   // see chosenParts
  QStringList declared_; // keys of the schema
  QStringList unseen_;   // those of them that have no row in sight
  QStringList free_;     // other keys that have rows
  bool refreshing_ = false;
};

} // namespace trainyard::gui
