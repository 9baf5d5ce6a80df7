// SPDX-License-Identifier: Apache-2.0
// What simrun explains, in the language of the window: line by line, and its tables laid out anew.
#include "gui/results/explanation.hpp"

#include "gui/core/theme.hpp"
#include "gui/results/result_words.hpp"

#include <QEvent>
#include <QRegularExpression>
#include <QStringList>
#include <QVector>

#include <algorithm>

namespace trainyard::gui {
namespace {

/// Columns of the terminal: letters of Chinese, Japanese and Korean have two.
qsizetype columns_of(const QString& text)
{
  return text.size() + std::count_if(text.cbegin(), text.cend(), [](QChar letter) {
           const ushort code = letter.unicode();
           return (code >= 0x1100 && code <= 0x115f) || (code >= 0x2e80 && code <= 0xd7a3) ||
                  (code >= 0xf900 && code <= 0xfaff) || (code >= 0xfe30 && code <= 0xfe6f) ||
                  (code >= 0xff00 && code <= 0xff60);
         });
}

struct TextColumn {
  qsizetype from = 0, size = 0;
  bool right = false;
  QStringList cells;
};

/// Columns stand where at least two blanks, over each other in all lines, are between them.
QVector<TextColumn> text_columns(const QStringList& lines)
{
  qsizetype width = 0;
  for (const QString& line : lines)
    width = std::max(width, line.size());
  const auto is_blank = [&](qsizetype at) {
    return std::all_of(lines.begin(), lines.end(),
                       [at](const QString& line) { return at >= line.size() || line[at] == QLatin1Char(' '); });
  };
  QVector<TextColumn> columns;
  qsizetype blanks = 2;
  for (qsizetype at = 0; at < width; ++at) {
    if (is_blank(at)) {
      ++blanks;
      continue;
    }
    if (blanks >= 2 || columns.isEmpty())
      columns.push_back({at, 0, true, {}});
    columns.back().size = at + 1 - columns.back().from;
    blanks = 0;
  }
  for (TextColumn& column : columns) {
    bool left = true;
    for (const QString& line : lines) {
      const QString cell = line.mid(column.from, column.size);
      column.cells << cell.trimmed();
      if (column.cells.back().isEmpty())
        continue;
      left = left && !cell.startsWith(QLatin1Char(' '));
      column.right = column.right && cell.size() == column.size && !cell.endsWith(QLatin1Char(' '));
    }
    column.right = column.right && !left;
  }
  return columns;
}

QStringList table_words(const QStringList& lines)
{
  QVector<TextColumn> columns = text_columns(lines);
  bool same = true;
  for (TextColumn& column : columns)
    for (QString& cell : column.cells)
      if (const QString words = explained_cell_words(cell); words != cell) {
        cell = words;
        same = false;
      }
  if (same)
    return lines;
  QStringList laid_out;
  for (qsizetype row = 0; row < lines.size(); ++row) {
    QString line(std::min<qsizetype>(columns[0].from, 4), QLatin1Char(' '));
    for (const TextColumn& column : columns) {
      qsizetype width = 0;
      for (const QString& cell : column.cells)
        width = std::max(width, columns_of(cell));
      const QString padding(width - columns_of(column.cells[row]), QLatin1Char(' '));
      line += column.right ? padding + column.cells[row] : column.cells[row] + padding;
      line += QLatin1String("  ");
    }
    while (line.endsWith(QLatin1Char(' ')))
      line.chop(1);
    laid_out << line;
  }
  return laid_out;
}

bool in_table(const QString& line)
{
  return line.startsWith(QLatin1String("   ")) && !line.trimmed().isEmpty();
}

/// The lines of a table from @p at on; @p at is moved behind them.
QStringList table_at(const QStringList& lines, qsizetype& at)
{
  QStringList table;
  for (; at < lines.size() && in_table(lines[at]); ++at)
    table << lines[at];
  return table;
}

/// "###..." as a bar: the share of #.
QString bar(const QString& cell, const QPalette& palette)
{
  constexpr int width = 180; // px
  const auto filled = static_cast<int>(width * cell.count(QLatin1Char('#')) / cell.size());
  QString parts;
  for (const auto& [part, colour] :
       {std::pair{filled, series_colour(0)}, std::pair{width - filled, palette.color(QPalette::Midlight)}})
    if (part > 0)
      parts += QStringLiteral("<td width='%1' bgcolor='%2'></td>").arg(part).arg(colour.name());
  return QStringLiteral("<table cellspacing='0' cellpadding='0'><tr>%1</tr></table>").arg(parts);
}

/// A first row without figures names the columns of a table that has some.
bool has_header(const QVector<TextColumn>& columns)
{
  const auto has_digit = [](const QString& cell) {
    return std::any_of(cell.begin(), cell.end(), [](QChar letter) { return letter.isDigit(); });
  };
  bool figures = false;
  for (const TextColumn& column : columns) {
    if (has_digit(column.cells[0]) || column.cells[0].endsWith(QLatin1Char(':')) ||
        column.cells[0].contains(QLatin1String("##")) || column.cells[0].contains(QLatin1String("...")))
      return false;
    figures = figures || std::any_of(column.cells.begin(), column.cells.end(), has_digit);
  }
  return figures;
}

QString table_page(const QStringList& lines, const QPalette& palette)
{
  static const QRegularExpression bars{QStringLiteral("^[#.]{10,}$")};
  const QVector<TextColumn> columns = text_columns(lines);
  const bool header = has_header(columns);
  QString page = QStringLiteral("<table cellspacing='0' cellpadding='2' style='margin-left: 20px'>");
  for (qsizetype row = 0; row < lines.size(); ++row) {
    page += QLatin1String("<tr>");
    for (const TextColumn& column : columns) {
      const QString& cell = column.cells[row];
      const QString words =
          bars.match(cell).hasMatch() ? bar(cell, palette) : explained_cell_words(cell).toHtmlEscaped();
      page += QStringLiteral("<td align='%1' valign='middle' style='padding-right: 18px; white-space: %2'>%3</td>")
                  .arg(column.right ? QStringLiteral("right") : QStringLiteral("left"),
                       words.size() > 60 ? QStringLiteral("normal") : QStringLiteral("nowrap"),
                       header && row == 0 ? QStringLiteral("<b>%1</b>").arg(words) : words);
    }
    page += QLatin1String("</tr>");
  }
  return page + QLatin1String("</table>");
}

/// "  day 3 00:31:44   queue → planner   accepted": what happened at a time.
bool is_event(const QString& line)
{
  static const QRegularExpression event{QStringLiteral("^ +(day \\d+ )?\\d\\d:\\d\\d:\\d\\d  ")};
  return event.match(line).hasMatch();
}

/// Events from @p at on, each a row; @p at is moved behind them.
QString event_page(const QStringList& lines, qsizetype& at)
{
  static const QRegularExpression blanks{QStringLiteral(" {2,}")};
  QString page = QStringLiteral("<table cellspacing='0' cellpadding='2' style='margin-left: 8px'>");
  for (; at < lines.size() && is_event(lines[at]); ++at) {
    page += QLatin1String("<tr>");
    for (const QString& cell : explained_line_words(lines[at]).trimmed().split(blanks))
      page += QStringLiteral("<td style='padding-right: 18px'>%1</td>").arg(cell.toHtmlEscaped());
    page += QLatin1String("</tr>");
  }
  return page + QLatin1String("</table>");
}

/// A line that stands over lines further to the right, or over a table, is a heading.
QString line_page(const QString& line, const QString& next)
{
  const bool indented = line.startsWith(QLatin1Char(' '));
  const bool over = indented ? in_table(next) : next.startsWith(QLatin1Char(' '));
  const QString words = explained_line_words(line).trimmed().toHtmlEscaped();
  const char* form = !over      ? "<p style='margin: 2px 0 2px %2px; white-space: pre-wrap'>%1</p>"
                     : indented ? "<h4 style='margin: 10px 0 2px %2px'>%1</h4>"
                                : "<h3 style='margin: 12px 0 4px %2px'>%1</h3>";
  return QString::fromLatin1(form).arg(words).arg(indented ? 10 : 0);
}

/// A line of at least three cells; several of them below each other are a table, also without a margin.
bool has_cells(const QString& line)
{
  static const QRegularExpression cells{QStringLiteral("\\S {2,}\\S.* {2,}\\S")};
  return cells.match(line).hasMatch() && !is_event(line);
}

/// The end of the table without a margin that begins at @p at; @p at where there is none.
qsizetype end_of_table(const QStringList& lines, qsizetype at)
{
  qsizetype end = at;
  while (end < lines.size() && has_cells(lines[end]))
    ++end;
  return end - at < 2 ? at : end;
}

QString explanation_page(const QString& explanation, const QPalette& palette)
{
  const QStringList lines = explanation.split(QLatin1Char('\n'));
  QString page;
  for (qsizetype i = 0; i < lines.size();)
    if (in_table(lines[i])) {
      page += table_page(table_at(lines, i), palette);
    } else if (const qsizetype end = end_of_table(lines, i); end > i) {
      page += table_page(lines.mid(i, end - i), palette);
      i = end;
    } else if (is_event(lines[i])) {
      page += event_page(lines, i);
    } else {
      if (!lines[i].trimmed().isEmpty())
        page += line_page(lines[i], lines.value(i + 1));
      ++i;
    }
  return page;
}

} // namespace

QString explanation_words(const QString& explanation)
{
  const QStringList lines = explanation.split(QLatin1Char('\n'));
  QStringList words;
  for (qsizetype i = 0; i < lines.size();)
    if (in_table(lines[i]))
      words << table_words(table_at(lines, i));
    else
      words << explained_line_words(lines[i++]);
  return words.join(QLatin1Char('\n'));
}

ExplanationPage::ExplanationPage(QWidget* parent) : QTextBrowser{parent}
{
  setOpenLinks(false);
}

void ExplanationPage::setExplanation(const QString& explanation)
{
  explanation_ = explanation;
  layOut();
}

QString ExplanationPage::words() const
{
  return explanation_words(explanation_);
}

void ExplanationPage::changeEvent(QEvent* event)
{
  QTextBrowser::changeEvent(event);
  if (event->type() == QEvent::PaletteChange || event->type() == QEvent::LanguageChange)
    layOut();
}

void ExplanationPage::layOut()
{
  setHtml(explanation_page(explanation_, palette()));
}

} // namespace trainyard::gui
