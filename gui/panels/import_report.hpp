// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <QJsonObject>
#include <QString>
#include <QVector>
#include <QWidget>

class QLabel;
class QPlainTextEdit;
class QTreeWidget;

namespace trainyard::gui {

/// One line of what an import made of its files.
struct ImportLine {
  enum class Kind { understood, assumed, ignored, fault };
  struct Place {
    QString file;
    int line = 0; // from 1; 0: the file as a whole
  };
  Kind kind = Kind::understood;
  QString what;
  QString why;
  QVector<Place> places;
};

/// From the document that `simrun import --json` prints.
QVector<ImportLine> import_lines(const QJsonObject& report);

/// What an import understood, assumed and ignored, each with its line; a click shows the source there.
class ImportReportView : public QWidget
{
  Q_OBJECT
public:
  explicit ImportReportView(QWidget* parent = nullptr);
  /// @p folder: to which the files' names are relative.
  void show(const QVector<ImportLine>& lines, const QString& folder);
  QTreeWidget* list() { return list_; }
  /// The source line that is marked now, from 1; 0: none.
  int markedLine() const;

private:
  void showSource(const QString& file, int line);

  QLabel* summary_;
  QTreeWidget* list_;
  QPlainTextEdit* source_;
  QString folder_;
  QString shown_;
};

} // namespace trainyard::gui
