// SPDX-License-Identifier: Apache-2.0
#include "gui/windows/command_palette.hpp"

#include "gui/core/widgets.hpp"

#include <QAction>
#include <QKeyEvent>
#include <QLineEdit>
#include <QListWidget>
#include <QMenu>
#include <QVBoxLayout>

#include <algorithm>

namespace trainyard::gui {

namespace {

/// "View: Theme: Dark": the menus above a command, so that its name says what it does.
QString name_of(const QAction& action)
{
  QString name = plain_words(action.text());
  if (name.isEmpty())
    return name;
  const QAction* at = &action;
  for (int depth = 0; depth < 3 && at != nullptr; ++depth) {
    const QMenu* menu = nullptr;
    for (QObject* object : at->associatedObjects())
      if (menu = qobject_cast<QMenu*>(object); menu != nullptr)
        break;
    if (menu == nullptr || menu->title().isEmpty())
      break;
    name = plain_words(menu->title()) + QStringLiteral(": ") + name;
    at = menu->menuAction();
  }
  return name;
}

} // namespace

CommandPalette::CommandPalette(const QList<QAction*>& actions, QWidget* parent)
    : QDialog{parent}, actions_{actions}, line_{new QLineEdit}, list_{new QListWidget}
{
  setWindowTitle(tr("Commands"));
  resize(520, 380);
  auto* layout = new QVBoxLayout{this};
  line_->setPlaceholderText(tr("Type part of a command…"));
  line_->setAccessibleName(tr("Command"));
  list_->setAccessibleName(tr("Commands"));
  layout->addWidget(line_);
  layout->addWidget(list_);
  line_->installEventFilter(this);
  connect(line_, &QLineEdit::textChanged, this, &CommandPalette::fill);
  connect(list_, &QListWidget::itemActivated, this, &CommandPalette::run);
  fill({});
  line_->setFocus();
}

void CommandPalette::fill(const QString& words)
{
  list_->clear();
  const QStringList parts = words.split(QLatin1Char(' '), Qt::SkipEmptyParts);
  for (int i = 0; i < actions_.size(); ++i) {
    const QAction* action = actions_[i];
    const QString name = name_of(*action);
    if (name.isEmpty() || action->isSeparator() || !action->isEnabled())
      continue;
    if (!std::all_of(parts.begin(), parts.end(),
                     [&](const QString& part) { return name.contains(part, Qt::CaseInsensitive); }))
      continue;
    auto* item = new QListWidgetItem{
        action->shortcut().isEmpty()
            ? name
            : QStringLiteral("%1    %2").arg(name, action->shortcut().toString(QKeySequence::NativeText)),
        list_};
    item->setData(Qt::UserRole, i);
  }
  if (list_->count() == 0) {
    auto* nothing = new QListWidgetItem{tr("No command has these words"), list_};
    nothing->setFlags(Qt::NoItemFlags);
    return;
  }
  list_->setCurrentRow(0);
}

bool CommandPalette::eventFilter(QObject* watched, QEvent* event)
{
  if (event->type() == QEvent::KeyPress) {
    const auto* key = static_cast<QKeyEvent*>(event);
    if (key->key() == Qt::Key_Down || key->key() == Qt::Key_Up) {
      const int step = key->key() == Qt::Key_Down ? 1 : -1;
      list_->setCurrentRow(std::clamp(list_->currentRow() + step, 0, std::max(0, list_->count() - 1)));
      return true;
    }
    if (key->key() == Qt::Key_Return || key->key() == Qt::Key_Enter) {
      run();
      return true;
    }
  }
  return QDialog::eventFilter(watched, event);
}

void CommandPalette::run()
{
  const QListWidgetItem* item = list_->currentItem();
  if (item == nullptr || (item->flags() & Qt::ItemIsEnabled) == 0)
    return;
  QAction* action = actions_[item->data(Qt::UserRole).toInt()];
  accept();
  action->trigger();
}

QString shortcut_sheet(const QList<QAction*>& actions)
{
  QString html = QStringLiteral("<table cellspacing='6'>");
  for (const QAction* action : actions)
    if (!action->shortcut().isEmpty())
      html += QStringLiteral("<tr><td><b>%1</b></td><td>%2</td></tr>")
                  .arg(action->shortcut().toString(QKeySequence::NativeText).toHtmlEscaped(),
                       plain_words(action->text()).toHtmlEscaped());
  const QVector<QPair<QString, QString>> others{
      {QStringLiteral("W S A D"), QObject::tr("Timeline: zoom in and out, move left and right")},
      {QStringLiteral("P"), QObject::tr("Timeline: keep the clicked lane at the top")},
      {QStringLiteral("G"), QObject::tr("Timeline: fold or unfold all groups")},
      {QStringLiteral("C M"), QObject::tr("Timeline: critical path, arrows of messages")},
      {QStringLiteral("[ ]"), QObject::tr("Timeline: to what the chosen work waited for, to what waited for it")},
      {QStringLiteral("F"), QObject::tr("Timeline: what is chosen fills the view")},
      {QStringLiteral("+ − 0"), QObject::tr("Canvas: zoom in and out, show all")},
      {QStringLiteral("← ↑ → ↓"), QObject::tr("Canvas: select the next item; with Ctrl: move what is selected")}};
  for (const auto& [keys, words] : others)
    html += QStringLiteral("<tr><td><b>%1</b></td><td>%2</td></tr>").arg(keys, words);
  return html + QStringLiteral("</table>");
}

} // namespace trainyard::gui
