// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <QDialog>
#include <QList>

class QAction;
class QLineEdit;
class QListWidget;

namespace trainyard::gui {

/// Every command by name, found by any part of its words (Ctrl+K).
class CommandPalette : public QDialog
{
  Q_OBJECT
public:
  CommandPalette(const QList<QAction*>& actions, QWidget* parent);

protected:
  bool eventFilter(QObject* watched, QEvent* event) override;

private:
  void fill(const QString& words);
  void run();

  QList<QAction*> actions_;
  QLineEdit* line_;
  QListWidget* list_;
};

/// All actions of the program with their keys, as a text for the shortcut sheet.
QString shortcut_sheet(const QList<QAction*>& actions);

} // namespace trainyard::gui
