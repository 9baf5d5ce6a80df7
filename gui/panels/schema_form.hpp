// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <QString>
#include <QWidget>

class QFormLayout;
class QLabel;

namespace trainyard::gui {

class ScenarioDocument;
class Schema;

/// A form for the map at one path of the scenario, made from the schema: a new key or policy needs no code here. A
/// value that is not in the file shows its default as a hint; an emptied field removes the key from the file.
class SchemaForm : public QWidget
{
  Q_OBJECT
public:
  SchemaForm(ScenarioDocument& document, Schema& schema, QWidget* parent = nullptr);

  /// Shows the map at @p path under a heading; an empty path clears the form.
  void show(const QString& path, const QString& heading);
  QString path() const { return path_; }

signals:
  /// A map or list inside this one was asked for.
  void opened(const QString& path);

private:
  void rebuild();
  void refresh();
  void set(const QString& key, const QString& yaml);

  ScenarioDocument& document_;
  Schema& schema_;
  QString path_;
  QString heading_;
  QLabel* title_;
  QLabel* about_;
  QWidget* body_ = nullptr;
  QFormLayout* rows_ = nullptr;
  QString shape_; // what the rows were built for
  bool refreshing_ = false;
};

} // namespace trainyard::gui
