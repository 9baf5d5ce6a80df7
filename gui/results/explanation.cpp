// SPDX-License-Identifier: Apache-2.0
// What simrun explains, in the language of the window: line by line, and its tables laid out anew.
#include "gui/results/result_words.hpp"

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

} // namespace

QString explanation_words(const QString& explanation)
{
  const QStringList lines = explanation.split(QLatin1Char('\n'));
  const auto in_table = [&](qsizetype at) {
    return lines[at].startsWith(QLatin1String("   ")) && !lines[at].trimmed().isEmpty();
  };
  QStringList words;
  for (qsizetype i = 0; i < lines.size();) {
    if (!in_table(i)) {
      words << explained_line_words(lines[i++]);
      continue;
    }
    QStringList table;
    for (; i < lines.size() && in_table(i); ++i)
      table << lines[i];
    words << table_words(table);
  }
  return words.join(QLatin1Char('\n'));
}

} // namespace trainyard::gui
