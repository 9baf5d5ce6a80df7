// SPDX-License-Identifier: Apache-2.0
#include "gui/editor/yaml_editor.hpp"

#include "gui/core/theme.hpp"

#include <QApplication>
#include <QFontDatabase>
#include <QHelpEvent>
#include <QPainter>
#include <QRegularExpression>
#include <QTextBlock>
#include <QToolTip>

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

YamlEditor::YamlEditor(QWidget* parent) : QPlainTextEdit{parent}, numbers_{new NumberColumn{*this}}
{
  setFont(QFontDatabase::systemFont(QFontDatabase::FixedFont));
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

bool YamlEditor::event(QEvent* event)
{
  if (event->type() != QEvent::ToolTip)
    return QPlainTextEdit::event(event);
  const auto* help = static_cast<QHelpEvent*>(event);
  const int line = cursorForPosition(viewport()->mapFrom(this, help->pos())).blockNumber() + 1;
  QStringList words;
  for (const Problem& problem : problems_)
    if (problem.line == line)
      words << problem.message;
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
  if (event->matches(QKeySequence::Undo) || event->matches(QKeySequence::Redo)) {
    event->ignore(); // the window's undo stack, which knows all views
    return;
  }
  if (event->key() == Qt::Key_Tab && event->modifiers() == Qt::NoModifier) {
    insertPlainText(QStringLiteral("  "));
    return;
  }
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
