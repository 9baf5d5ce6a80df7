// SPDX-License-Identifier: Apache-2.0
#include "gui/editor/find_bar.hpp"

#include "gui/core/widgets.hpp"

#include <QCheckBox>
#include <QHBoxLayout>
#include <QKeyEvent>
#include <QLabel>
#include <QLineEdit>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QToolButton>
#include <QVBoxLayout>

namespace trainyard::gui {

FindBar::FindBar(QPlainTextEdit& text, QWidget* parent)
    : QWidget{parent}, text_{text}, what_{new QLineEdit}, by_{new QLineEdit}, second_{new QWidget},
      exact_{new QCheckBox{tr("Aa")}}, told_{new QLabel}
{
  auto* rows = column_in(this, 3);
  rows->setSpacing(3);
  auto* first = new QHBoxLayout;
  what_->setPlaceholderText(tr("Find"));
  what_->setAccessibleName(tr("Find"));
  what_->setObjectName(QStringLiteral("find"));
  exact_->setToolTip(tr("Capital and small letters differ"));
  exact_->setAccessibleName(exact_->toolTip());
  first->addWidget(what_, 1);
  first->addWidget(exact_);
  const auto button = [&](const QString& words, const QString& tip, QHBoxLayout* row, auto act) {
    auto* made = new QToolButton;
    made->setText(words);
    made->setToolTip(tip);
    made->setAccessibleName(tip);
    made->setAutoRaise(true);
    connect(made, &QToolButton::clicked, this, act);
    row->addWidget(made);
  };
  button(QStringLiteral("↑"), tr("The one before (Shift+Enter)"), first, [this] { find(true); });
  button(QStringLiteral("↓"), tr("The next one (Enter)"), first, [this] { find(); });
  button(QStringLiteral("×"), tr("Close (Escape)"), first, [this] {
    hide();
    text_.setFocus();
  });
  rows->addLayout(first);
  auto* row = new QHBoxLayout{second_};
  row->setContentsMargins(0, 0, 0, 0);
  by_->setPlaceholderText(tr("Replace by"));
  by_->setAccessibleName(tr("Replace by"));
  by_->setObjectName(QStringLiteral("replace_by"));
  row->addWidget(by_, 1);
  auto* one = new QPushButton{tr("Replace")};
  auto* all = new QPushButton{tr("All")};
  one->setObjectName(QStringLiteral("replace_one"));
  all->setObjectName(QStringLiteral("replace_all"));
  connect(one, &QPushButton::clicked, this, &FindBar::replaceOne);
  connect(all, &QPushButton::clicked, this, [this] { replaceAll(); });
  row->addWidget(one);
  row->addWidget(all);
  rows->addWidget(second_);
  rows->addWidget(told_);
  told_->setForegroundRole(QPalette::PlaceholderText);
  told_->hide();
  connect(what_, &QLineEdit::textEdited, this, [this] {
    QTextCursor cursor = text_.textCursor(); // what is typed grows the place that was found
    cursor.setPosition(cursor.selectionStart());
    text_.setTextCursor(cursor);
    find();
  });
  hide();
}

void FindBar::open(bool replace)
{
  const QString selected = text_.textCursor().selectedText();
  if (!selected.isEmpty() && !selected.contains(QChar::ParagraphSeparator))
    what_->setText(selected);
  second_->setVisible(replace);
  show();
  what_->setFocus();
  what_->selectAll();
}

bool FindBar::find(bool back)
{
  QTextDocument::FindFlags flags;
  flags.setFlag(QTextDocument::FindBackward, back);
  flags.setFlag(QTextDocument::FindCaseSensitively, exact_->isChecked());
  const QString what = what_->text();
  bool found = what.isEmpty() || text_.find(what, flags);
  if (!found) {
    QTextCursor begin = text_.textCursor();
    begin.movePosition(back ? QTextCursor::End : QTextCursor::Start);
    const QTextCursor kept = text_.textCursor();
    text_.setTextCursor(begin);
    found = text_.find(what, flags);
    if (!found)
      text_.setTextCursor(kept);
  }
  told_->setText(tr("Not found"));
  told_->setVisible(!found);
  return found;
}

void FindBar::replaceOne()
{
  const Qt::CaseSensitivity exact = exact_->isChecked() ? Qt::CaseSensitive : Qt::CaseInsensitive;
  if (!what_->text().isEmpty() && text_.textCursor().selectedText().compare(what_->text(), exact) == 0)
    text_.insertPlainText(by_->text());
  find();
}

int FindBar::replaceAll()
{
  QString whole = text_.toPlainText();
  const Qt::CaseSensitivity exact = exact_->isChecked() ? Qt::CaseSensitive : Qt::CaseInsensitive;
  const int count = what_->text().isEmpty() ? 0 : static_cast<int>(whole.count(what_->text(), exact));
  if (count > 0) { // one step to undo
    QTextCursor cursor{text_.document()};
    cursor.select(QTextCursor::Document);
    cursor.insertText(whole.replace(what_->text(), by_->text(), exact));
  }
  told_->setText(tr("%n replaced", nullptr, count));
  told_->show();
  return count;
}

void FindBar::keyPressEvent(QKeyEvent* event)
{
  if (event->key() == Qt::Key_Escape) {
    hide();
    return text_.setFocus();
  }
  if (event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter || event->key() == Qt::Key_F3) {
    find((event->modifiers() & Qt::ShiftModifier) != 0);
    return;
  }
  QWidget::keyPressEvent(event);
}

} // namespace trainyard::gui
