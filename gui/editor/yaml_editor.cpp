// SPDX-License-Identifier: Apache-2.0
#include "gui/editor/yaml_editor.hpp"

#include "gui/core/theme.hpp"
#include "gui/document/schema.hpp"

#include <QAbstractItemView>
#include <QApplication>
#include <QCompleter>
#include <QContextMenuEvent>
#include <QFontDatabase>
#include <QHelpEvent>
#include <QMenu>
#include <QPainter>
#include <QRegularExpression>
#include <QScrollBar>
#include <QStringListModel>
#include <QTextBlock>
#include <QToolTip>

#include <memory>

namespace trainyard::gui {
namespace {

class NumberColumn : public QWidget
{
public:
  explicit NumberColumn(YamlEditor& editor) : QWidget{&editor}, editor_{editor} {}
  QSize sizeHint() const override { return {editor_.numberWidth(), 0}; }

protected:
  void paintEvent(QPaintEvent* event) override { editor_.paintNumbers(event); }

private:
  YamlEditor& editor_;
};

} // namespace

void YamlHighlighter::highlightBlock(const QString& text)
{
  static const QRegularExpression key{
      QStringLiteral("(?:^|[{,]|-\\s)\\s*([A-Za-z_][\\w .-]*?|\"[^\"]*\")\\s*(?=:(\\s|$))")};
  static const QRegularExpression quantity{
      QStringLiteral("(?<=[\\s:\\[,])[-+]?\\d[\\d.]*(e[-+]?\\d+)?(\\s*[A-Za-zµ%$/]+)?(?=\\s*([,}\\]#]|$))")};
  QTextCharFormat keys;
  keys.setForeground(series_colour(0));
  QTextCharFormat numbers;
  numbers.setForeground(series_colour(1));
  QTextCharFormat comments;
  comments.setForeground(QApplication::palette().color(QPalette::PlaceholderText));
  comments.setFontItalic(true);
  for (auto it = quantity.globalMatch(text); it.hasNext();) {
    const auto match = it.next();
    setFormat(static_cast<int>(match.capturedStart()), static_cast<int>(match.capturedLength()), numbers);
  }
  for (auto it = key.globalMatch(text); it.hasNext();) {
    const auto match = it.next();
    setFormat(static_cast<int>(match.capturedStart(1)), static_cast<int>(match.capturedLength(1)), keys);
  }
  bool single = false;
  bool twice = false;
  for (int i = 0; i < text.size(); ++i) {
    const QChar c = text[i];
    if (c == QLatin1Char('"') && !single)
      twice = !twice;
    else if (c == QLatin1Char('\'') && !twice && (i == 0 || !text[i - 1].isLetterOrNumber() || single))
      single = !single;
    else if (c == QLatin1Char('#') && !single && !twice && (i == 0 || text[i - 1].isSpace())) {
      setFormat(i, static_cast<int>(text.size()) - i, comments);
      break;
    }
  }
}

YamlEditor::YamlEditor(QWidget* parent)
    : QPlainTextEdit{parent}, numbers_{new NumberColumn{*this}},
      completer_{new QCompleter{this}}, words_{new QStringListModel{this}}
{
  completer_->setModel(words_);
  completer_->setWidget(this);
  completer_->setCaseSensitivity(Qt::CaseInsensitive);
  completer_->setFilterMode(Qt::MatchContains);
  connect(completer_, qOverload<const QString&>(&QCompleter::activated), this, &YamlEditor::insertCompletion);
  QFont fixed = QFontDatabase::systemFont(QFontDatabase::FixedFont);
  fixed.setPointSizeF(QApplication::font().pointSizeF()); // grows with the text size that was chosen
  setFont(fixed);
  setLineWrapMode(QPlainTextEdit::NoWrap);
  setTabChangesFocus(false);
  setAccessibleName(tr("Scenario text"));
  connect(this, &QPlainTextEdit::blockCountChanged, this, [this] { setViewportMargins(numberWidth(), 0, 0, 0); });
  connect(this, &QPlainTextEdit::updateRequest, this, [this](const QRect& area, int dy) {
    if (dy != 0)
      numbers_->scroll(0, dy);
    else
      numbers_->update(0, area.y(), numbers_->width(), area.height());
  });
  setViewportMargins(numberWidth(), 0, 0, 0);
}

void YamlEditor::showDocument(QTextDocument* document)
{
  document->setDefaultFont(font());
  setDocument(document);
  setTabStopDistance(fontMetrics().horizontalAdvance(QLatin1Char(' ')) * 2);
  delete highlighter_;
  highlighter_ = new YamlHighlighter{static_cast<QObject*>(this)}; // goes with this view, the text stays
  highlighter_->setDocument(document);
}

void YamlEditor::setProblems(const QVector<Problem>& problems)
{
  problems_ = problems;
  underline();
}

void YamlEditor::goTo(int line, int column)
{
  const QTextBlock block = document()->findBlockByNumber(line - 1);
  if (!block.isValid())
    return;
  QTextCursor cursor{block};
  cursor.movePosition(QTextCursor::Right, QTextCursor::MoveAnchor,
                      std::min(column - 1, std::max(0, block.length() - 1)));
  setTextCursor(cursor);
  centerCursor();
  setFocus();
}

void YamlEditor::underline()
{
  QList<QTextEdit::ExtraSelection> marks;
  for (const Problem& problem : problems_) {
    const QTextBlock block = document()->findBlockByNumber(problem.line - 1);
    if (problem.line < 1 || !block.isValid())
      continue;
    QTextEdit::ExtraSelection mark;
    mark.cursor = QTextCursor{block};
    const int from = std::clamp(problem.column - 1, 0, std::max(0, block.length() - 1));
    int to = from;
    const QString text = block.text();
    while (to < text.size() && !QStringLiteral(" ,:}]#").contains(text[to]))
      ++to;
    mark.cursor.setPosition(block.position() + from);
    mark.cursor.setPosition(block.position() + std::max(to, std::min(from + 1, static_cast<int>(text.size()))),
                            QTextCursor::KeepAnchor);
    mark.format.setUnderlineStyle(QTextCharFormat::WaveUnderline);
    mark.format.setUnderlineColor(problem.severity == Problem::Severity::error ? error_colour() : warning_colour());
    marks.push_back(mark);
  }
  setExtraSelections(marks);
  numbers_->update();
}

QStringList YamlEditor::completions() const
{
  QStringList list;
  if (schema_ == nullptr)
    return list;
  const YamlPlace place = yaml_place(toPlainText(), textCursor().position());
  if (place.in_comment)
    return list;
  if (!place.is_value) {
    for (const SchemaField& field : schema_->fields(place.map))
      list << field.key;
  } else if (const std::optional<SchemaField> field = schema_->member(place.map, place.key)) {
    list = field->choices;
    if (field->kind == SchemaField::Kind::boolean)
      list = QStringList{QStringLiteral("true"), QStringLiteral("false")};
    if (list.isEmpty() && !field->example.isEmpty())
      list << field->example;
  }
  list.sort();
  list.removeDuplicates();
  return list;
}

void YamlEditor::complete()
{
  const QStringList list = completions();
  const YamlPlace place = yaml_place(toPlainText(), textCursor().position());
  words_->setStringList(list);
  completer_->setCompletionPrefix(place.word);
  if (completer_->completionCount() == 0)
    return;
  if (completer_->completionCount() == 1 && completer_->currentCompletion() != place.word)
    return insertCompletion(completer_->currentCompletion());
  QRect where = cursorRect();
  where.translate(numberWidth(), 0);
  where.setWidth(completer_->popup()->sizeHintForColumn(0) +
                 completer_->popup()->verticalScrollBar()->sizeHint().width() + 16);
  completer_->popup()->setCurrentIndex(completer_->completionModel()->index(0, 0));
  completer_->complete(where);
}

void YamlEditor::insertCompletion(const QString& word)
{
  const YamlPlace place = yaml_place(toPlainText(), textCursor().position());
  QTextCursor cursor = textCursor();
  cursor.setPosition(place.begin, QTextCursor::KeepAnchor);
  const QString rest = textCursor().block().text().mid(textCursor().positionInBlock());
  const bool has_colon = rest.startsWith(QLatin1Char(':'));
  cursor.insertText(place.is_value || has_colon ? word : word + QStringLiteral(": "));
  setTextCursor(cursor);
}

QString YamlEditor::wordsAbout(int position) const
{
  if (schema_ == nullptr)
    return {};
  const QString text = toPlainText();
  const auto letter = [&](qsizetype at) {
    return at >= 0 && at < text.size() && (text[at].isLetterOrNumber() || text[at] == QLatin1Char('_'));
  };
  qsizetype end = position;
  while (letter(end))
    ++end;
  const YamlPlace place = yaml_place(text, static_cast<int>(end));
  if (place.in_comment || place.word.isEmpty())
    return {};
  const bool value = place.is_value;
  const QString key = value ? place.key : place.word;
  const std::optional<SchemaField> field = schema_->member(place.map, key);
  if (!field)
    return {};
  QStringList words{QStringLiteral("%1: %2").arg(key, field->description)};
  if (const qsizetype at = field->choices.indexOf(place.word); value && at >= 0)
    if (const QString about = field->choice_descriptions.value(at); !about.isEmpty())
      words << QStringLiteral("%1: %2").arg(place.word, about);
  if (!field->default_text.isEmpty())
    words << tr("default: %1").arg(field->default_text);
  if (field->minimum > -1e299 && field->maximum < 1e299)
    words << tr("from %1 to %2").arg(field->minimum).arg(field->maximum);
  else if (field->minimum > -1e299)
    words << tr("at least %1").arg(field->minimum);
  if (!field->example.isEmpty())
    words << tr("for example: %1").arg(field->example);
  return words.join(QLatin1Char('\n'));
}

QPair<QString, QString> YamlEditor::proposalOf(const Problem& problem)
{
  static const QRegularExpression proposal{QStringLiteral("'([^']+)'.*; did you mean '([^']+)'")};
  const auto match = proposal.match(problem.message);
  return match.hasMatch() ? QPair{match.captured(1), match.captured(2)} : QPair<QString, QString>{};
}

bool YamlEditor::takeProposal()
{
  for (const Problem& problem : std::as_const(problems_)) {
    if (problem.line != textCursor().blockNumber() + 1)
      continue;
    const auto [wrong, right] = proposalOf(problem);
    const QTextBlock block = textCursor().block();
    const qsizetype at = wrong.isEmpty() ? -1 : block.text().indexOf(wrong, std::max(0, problem.column - 1));
    if (at < 0)
      continue;
    QTextCursor cursor{block};
    cursor.setPosition(block.position() + static_cast<int>(at));
    cursor.setPosition(block.position() + static_cast<int>(at + wrong.size()), QTextCursor::KeepAnchor);
    cursor.insertText(right);
    return true;
  }
  return false;
}

QTextCursor YamlEditor::chosenLines() const
{
  QTextCursor cursor = textCursor();
  const int begin = document()->findBlock(cursor.selectionStart()).position();
  QTextBlock last = document()->findBlock(cursor.selectionEnd());
  if (last.position() == cursor.selectionEnd() && last.position() > begin)
    last = last.previous(); // a selection up to the begin of a line does not mean that line
  cursor.setPosition(begin);
  cursor.setPosition(last.position() + last.length() - 1, QTextCursor::KeepAnchor);
  return cursor;
}

void YamlEditor::toggleComment()
{
  QTextCursor cursor = chosenLines();
  const int begin = cursor.selectionStart();
  QStringList lines = cursor.selectedText().split(QChar::ParagraphSeparator);
  static const QRegularExpression mark{QStringLiteral("^( *)# ?")};
  const bool text_again = std::all_of(lines.begin(), lines.end(), [](const QString& line) {
    return line.trimmed().isEmpty() || line.trimmed().startsWith(QLatin1Char('#'));
  });
  qsizetype indent = 1000; // the marks stand below each other
  for (const QString& line : std::as_const(lines))
    if (!line.trimmed().isEmpty())
      indent = std::min(indent, line.indexOf(QRegularExpression{QStringLiteral("[^ ]")}));
  for (QString& line : lines)
    if (text_again)
      line.replace(mark, QStringLiteral("\\1"));
    else if (!line.trimmed().isEmpty())
      line.insert(indent, QStringLiteral("# "));
  const QString after = lines.join(QLatin1Char('\n'));
  cursor.insertText(after);
  cursor.setPosition(begin);
  cursor.setPosition(begin + static_cast<int>(after.size()), QTextCursor::KeepAnchor);
  setTextCursor(cursor);
}

void YamlEditor::contextMenuEvent(QContextMenuEvent* event)
{
  const std::unique_ptr<QMenu> menu{createStandardContextMenu(event->pos())};
  QAction* first = menu->actions().value(0);
  const auto add = [&](const QString& words, auto act) {
    auto* action = new QAction{words, menu.get()};
    connect(action, &QAction::triggered, this, act);
    menu->insertAction(first, action);
  };
  const QTextCursor at = cursorForPosition(event->pos());
  for (const Problem& problem : std::as_const(problems_))
    if (problem.line == at.blockNumber() + 1)
      if (const auto [wrong, right] = proposalOf(problem); !right.isEmpty()) {
        add(tr("Change '%1' to '%2'").arg(wrong, right), [this, at] {
          setTextCursor(at);
          takeProposal();
        });
        break;
      }
  add(tr("Complete (Ctrl+Space)"), [this] { complete(); });
  add(tr("Comment (Ctrl+/)"), [this] { toggleComment(); });
  menu->insertSeparator(first);
  menu->exec(event->globalPos());
}

void YamlEditor::shiftLines(bool deeper)
{
  QTextCursor cursor = textCursor();
  const bool selected = cursor.hasSelection();
  const QTextCursor chosen = chosenLines();
  const int begin = chosen.selectionStart();
  const int end = chosen.selectionEnd();
  const int behind = static_cast<int>(document()->characterCount()) - cursor.position();
  const QString before = document()->toPlainText().mid(begin, end - begin);
  QStringList lines = before.split(QLatin1Char('\n'));
  for (QString& line : lines)
    if (!deeper)
      line.remove(0, line.startsWith(QLatin1String("  ")) ? 2 : line.startsWith(QLatin1Char(' ')) ? 1 : 0);
    else if (!line.isEmpty())
      line.prepend(QLatin1String("  "));
  const QString after = lines.join(QLatin1Char('\n'));
  if (after == before)
    return;
  cursor.setPosition(begin);
  cursor.setPosition(end, QTextCursor::KeepAnchor);
  cursor.insertText(after);
  if (selected) { // the same lines stay selected
    cursor.setPosition(begin);
    cursor.setPosition(begin + static_cast<int>(after.size()), QTextCursor::KeepAnchor);
  } else {
    cursor.setPosition(std::max(begin, static_cast<int>(document()->characterCount()) - behind));
  }
  setTextCursor(cursor);
}

bool YamlEditor::event(QEvent* event)
{
  if (event->type() == QEvent::ShortcutOverride) {
    const auto* key = static_cast<QKeyEvent*>(event);
    if (key->matches(QKeySequence::Undo) || key->matches(QKeySequence::Redo)) {
      event->ignore(); // QPlainTextEdit would claim them; they belong to the undo stack, which knows all views
      return true;
    }
  }
  if (event->type() != QEvent::ToolTip)
    return QPlainTextEdit::event(event);
  const auto* help = static_cast<QHelpEvent*>(event);
  const int line = cursorForPosition(viewport()->mapFrom(this, help->pos())).blockNumber() + 1;
  QStringList words;
  for (const Problem& problem : problems_)
    if (problem.line == line)
      words << problem.message + (proposalOf(problem).second.isEmpty() ? QString{} : tr(" (Ctrl+. takes it)"));
  if (words.isEmpty())
    words << wordsAbout(cursorForPosition(viewport()->mapFrom(this, help->pos())).position());
  QToolTip::showText(help->globalPos(), words.join(QLatin1Char('\n')), this);
  return true;
}

void YamlEditor::changeEvent(QEvent* event)
{
  QPlainTextEdit::changeEvent(event);
  if (event->type() == QEvent::PaletteChange && highlighter_ != nullptr) {
    highlighter_->rehighlight();
    underline();
  }
}

void YamlEditor::keyPressEvent(QKeyEvent* event)
{
  if (event->matches(QKeySequence::Undo) || event->matches(QKeySequence::Redo))
    return event->ignore();
  if (completer_->popup()->isVisible() && (event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter ||
                                           event->key() == Qt::Key_Tab || event->key() == Qt::Key_Escape))
    return event->ignore(); // they belong to the list
  const bool control = event->modifiers() == Qt::ControlModifier;
  if (control && event->key() == Qt::Key_Space)
    return complete();
  if (control && event->key() == Qt::Key_Slash)
    return toggleComment();
  if (control && event->key() == Qt::Key_Period) {
    takeProposal();
    return;
  }
  if (event->key() == Qt::Key_Backtab)
    return shiftLines(false);
  if (event->key() == Qt::Key_Tab && event->modifiers() == Qt::NoModifier)
    return textCursor().hasSelection() ? shiftLines(true) : insertPlainText(QStringLiteral("  "));
  if (event->key() == Qt::Key_Return && event->modifiers() == Qt::NoModifier) {
    const QString line = textCursor().block().text();
    qsizetype indent = 0;
    while (indent < line.size() && line[indent] == QLatin1Char(' '))
      ++indent;
    insertPlainText(QLatin1Char('\n') +
                    QString(std::min<qsizetype>(indent, textCursor().positionInBlock()), QLatin1Char(' ')) +
                    (line.trimmed().endsWith(QLatin1Char(':')) ? QStringLiteral("  ") : QString{}));
    return;
  }
  QPlainTextEdit::keyPressEvent(event);
  if (completer_->popup()->isVisible()) { // what is typed narrows the list
    const YamlPlace place = yaml_place(toPlainText(), textCursor().position());
    completer_->setCompletionPrefix(place.word);
    if (completer_->completionCount() == 0)
      completer_->popup()->hide();
    else
      completer_->popup()->setCurrentIndex(completer_->completionModel()->index(0, 0));
  }
}

int YamlEditor::numberWidth() const
{
  const int digits = static_cast<int>(QString::number(std::max(99, blockCount())).size());
  return 12 + fontMetrics().horizontalAdvance(QLatin1Char('9')) * digits;
}

void YamlEditor::paintNumbers(QPaintEvent* event)
{
  QPainter painter{numbers_};
  painter.fillRect(event->rect(), palette().alternateBase());
  painter.setFont(font());
  QTextBlock block = firstVisibleBlock();
  int top = qRound(blockBoundingGeometry(block).translated(contentOffset()).top());
  while (block.isValid() && top <= event->rect().bottom()) {
    const int height = qRound(blockBoundingRect(block).height());
    const int line = block.blockNumber() + 1;
    QColor colour = palette().color(QPalette::PlaceholderText);
    for (const Problem& problem : problems_)
      if (problem.line == line)
        colour = problem.severity == Problem::Severity::error ? error_colour() : warning_colour();
    painter.setPen(colour);
    painter.drawText(0, top, numbers_->width() - 6, height, Qt::AlignRight | Qt::AlignVCenter, QString::number(line));
    block = block.next();
    top += height;
  }
}

void YamlEditor::resizeEvent(QResizeEvent* event)
{
  QPlainTextEdit::resizeEvent(event);
  const QRect area = contentsRect();
  numbers_->setGeometry(area.left(), area.top(), numberWidth(), area.height());
}

} // namespace trainyard::gui
