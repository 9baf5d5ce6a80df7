// SPDX-License-Identifier: Apache-2.0
#include "gui/editor/yaml_editor.hpp"

#include <QStringList>
#include <QVector>

namespace trainyard::gui {
namespace {

qsizetype spaces(const QString& line)
{
  qsizetype n = 0;
  while (n < line.size() && line[n] == QLatin1Char(' '))
    ++n;
  return n;
}

/// A line of a block: "  - name: train" has its dash at 2 and its key at 4.
struct BlockLine {
  qsizetype dash = -1; // of the last one; -1: none
  qsizetype at = 0;    // begin of what follows
  QString key;         // before a colon; empty: none
  qsizetype value = 0; // behind the colon
};

BlockLine block_line(const QString& line)
{
  BlockLine block;
  block.at = spaces(line);
  while (block.at < line.size() && line[block.at] == QLatin1Char('-') &&
         (block.at + 1 == line.size() || line[block.at + 1] == QLatin1Char(' '))) {
    block.dash = block.at;
    ++block.at;
    while (block.at < line.size() && line[block.at] == QLatin1Char(' '))
      ++block.at;
  }
  for (qsizetype i = block.at; i < line.size(); ++i) {
    if (QStringLiteral("{[,#").contains(line[i]))
      break;
    if (line[i] == QLatin1Char(':') && (i + 1 == line.size() || line[i + 1] == QLatin1Char(' '))) {
      block.key = line.mid(block.at, i - block.at).trimmed();
      block.value = i + 1;
      break;
    }
  }
  return block;
}

/// The way from the file to a key at @p column of line @p row, by the lines above it.
QStringList block_path(const QStringList& lines, qsizetype row, qsizetype column, qsizetype dash)
{
  QStringList path;
  qsizetype need = column;
  bool in_list = false; // keys may then stand at the same column as the dashes of their list
  int index = 0;
  const auto enter_item = [&](qsizetype at) {
    need = at;
    in_list = true;
    index = 0;
  };
  if (dash >= 0)
    enter_item(dash);
  for (qsizetype i = row - 1; i >= 0 && (need > 0 || in_list); --i) {
    const QString& line = lines[i];
    if (line.trimmed().isEmpty() || line.trimmed().startsWith(QLatin1Char('#')))
      continue;
    const qsizetype left = spaces(line);
    const BlockLine block = block_line(line);
    if (in_list && block.dash == need) { // an item before
      ++index;
      continue;
    }
    if (left > need || (left == need && !(in_list && block.dash < 0)))
      if (!(block.dash >= 0 && block.at == need && !in_list))
        continue;
    if (in_list) {
      path.prepend(QString::number(index));
      in_list = false;
    }
    if (block.dash >= 0 && block.at >= need) { // the same map began behind a dash
      enter_item(block.dash);
      continue;
    }
    path.prepend(block.key);
    need = block.at;
    if (block.dash >= 0)
      enter_item(block.dash);
  }
  if (in_list)
    path.prepend(QString::number(index));
  return path;
}

} // namespace

YamlPlace yaml_place(const QString& text, int position)
{
  YamlPlace place;
  const QString before = text.left(position);
  const QStringList lines = before.split(QLatin1Char('\n'));
  const QString& line = lines.back();
  const auto line_begin = before.size() - line.size();
  const BlockLine block = block_line(line);
  QStringList path = block_path(lines, lines.size() - 1, block.at, block.dash);

  // What is open on the line: maps and lists in braces.
  struct Open {
    bool list = false;
    int index = 0;
    QString key;
  };
  QVector<Open> open;
  qsizetype word = block.key.isEmpty() ? block.at : block.value;
  bool value = !block.key.isEmpty();
  QChar quote;
  for (qsizetype i = word; i < line.size(); ++i) {
    const QChar c = line[i];
    if (!quote.isNull()) {
      if (c == quote)
        quote = {};
      continue;
    }
    if ((c == QLatin1Char('"') || c == QLatin1Char('\'')) && line.mid(word, i - word).trimmed().isEmpty()) {
      quote = c;
    } else if (c == QLatin1Char('#') && (i == 0 || line[i - 1].isSpace())) {
      place.in_comment = true;
      break;
    } else if (c == QLatin1Char('{') || c == QLatin1Char('[')) {
      open.push_back({c == QLatin1Char('['), 0, {}});
      word = i + 1;
      value = c == QLatin1Char('[');
    } else if ((c == QLatin1Char('}') || c == QLatin1Char(']')) && !open.isEmpty()) {
      open.pop_back();
      word = i + 1;
      value = true;
    } else if (c == QLatin1Char(',') && !open.isEmpty()) {
      ++open.back().index;
      open.back().key.clear();
      word = i + 1;
      value = open.back().list;
    } else if (c == QLatin1Char(':') && !open.isEmpty() && !open.back().list && open.back().key.isEmpty() &&
               (i + 1 == line.size() || line[i + 1] == QLatin1Char(' '))) {
      open.back().key = line.mid(word, i - word).trimmed();
      word = i + 1;
      value = true;
    }
  }
  while (word < line.size() && line[word] == QLatin1Char(' '))
    ++word;
  place.word = line.mid(word);
  place.begin = static_cast<int>(line_begin + word);
  place.is_value = value;
  // The keys around: of the block, then of the braces; the last one is that of the value.
  if (!block.key.isEmpty())
    path << block.key;
  for (const Open& each : open)
    if (each.list)
      path << QString::number(each.index);
    else if (!each.key.isEmpty())
      path << each.key;
  if (value && !path.isEmpty()) {
    place.key = path.back();
    path.pop_back();
  }
  place.map = path.join(QLatin1Char('.'));
  return place;
}

} // namespace trainyard::gui
