// SPDX-License-Identifier: Apache-2.0
// Reads printed and written tables back, so that a test can ask for a cell by its heading.
#pragma once
#include "models/core/csv.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <regex>
#include <sstream>
#include <string>
#include <vector>

namespace trainyard::tests {

struct ReadTable {
  std::vector<std::string> headings;
  std::vector<std::vector<std::string>> rows;

  /// The cell of a row below a heading; @p which of several equal headings.
  std::string cell(std::size_t row, const std::string& heading, std::size_t which = 0) const
  {
    for (std::size_t i = 0; i < headings.size(); ++i)
      if (headings[i] == heading && which-- == 0)
        return row < rows.size() && i < rows[row].size() ? rows[row][i] : "(no row " + std::to_string(row) + ")";
    return "(no column '" + heading + "')";
  }
  /// All cells below these headings, joined by '|'. One string compares many columns at once.
  std::string cells(std::size_t row, const std::vector<std::string>& names) const
  {
    std::string text;
    for (std::size_t i = 0; i < names.size(); ++i)
      text += (i == 0 ? "" : "|") + cell(row, names[i]);
    return text;
  }
};

namespace detail {

inline std::vector<std::string> characters(const std::string& line)
{
  std::vector<std::string> list;
  for (const char c : line)
    if ((static_cast<unsigned char>(c) & 0xC0U) == 0x80U)
      list.back() += c;
    else
      list.emplace_back(1, c);
  return list;
}

inline std::string trimmed(const std::string& text)
{
  const std::size_t begin = text.find_first_not_of(' '), end = text.find_last_not_of(' ');
  return begin == std::string::npos ? std::string{} : text.substr(begin, end - begin + 1);
}

} // namespace detail

/// The table whose first line holds the words @p start, up to the next empty line or for @p most rows. Two blank
/// characters in all lines part its columns.
inline ReadTable text_table(const std::string& text, const std::string& start, std::size_t most = 1000)
{
  std::vector<std::vector<std::string>> lines;
  std::istringstream stream{text};
  std::size_t width = 0;
  for (std::string line; std::getline(stream, line);) {
    if (lines.empty() && line.find(start) == std::string::npos)
      continue;
    if (detail::trimmed(line).empty() || lines.size() > most)
      break;
    lines.push_back(detail::characters(line));
    width = std::max(width, lines.back().size());
  }
  ReadTable table;
  EXPECT_FALSE(lines.empty()) << "no table with '" << start << "' in\n" << text;
  if (lines.empty())
    return table;
  std::vector<bool> blank(width, true);
  for (const auto& line : lines)
    for (std::size_t i = 0; i < line.size(); ++i)
      blank[i] = blank[i] && line[i] == " ";
  table.rows.resize(lines.size() - 1);
  for (std::size_t i = 0; i < width;) {
    std::size_t end = i; // of the column: before two blanks, or at the end
    while (end < width && !(blank[end] && (end + 1 >= width || blank[end + 1])))
      ++end;
    if (end > i)
      for (std::size_t l = 0; l < lines.size(); ++l) {
        std::string cell;
        for (std::size_t at = i; at < std::min(end, lines[l].size()); ++at)
          cell += lines[l][at];
        (l == 0 ? table.headings : table.rows[l - 1]).push_back(detail::trimmed(cell));
      }
    i = end + 1;
  }
  return table;
}

/// A CSV file.
inline ReadTable csv_table(const std::string& text)
{
  const CsvTable read = parse_csv(text, "the table");
  ReadTable table{read.columns, {}};
  for (const CsvTable::Row& row : read.rows)
    table.rows.push_back(row.cells);
  std::vector<std::string> names = table.headings;
  std::ranges::sort(names);
  EXPECT_EQ(std::ranges::adjacent_find(names), names.end()) << "two columns have the same name:\n"
                                                            << text.substr(0, text.find('\n'));
  return table;
}

/// All tables of a page, in order.
inline std::vector<ReadTable> html_tables(const std::string& html)
{
  const auto texts = [](const std::string& part, const std::string& tag) {
    std::vector<std::string> found;
    const std::regex cell{"<" + tag + "[^>]*>([^<]*)</" + tag + ">"};
    for (std::sregex_iterator match{part.begin(), part.end(), cell}, end; match != end; ++match)
      found.push_back((*match)[1]);
    return found;
  };
  std::vector<ReadTable> tables;
  for (std::size_t begin = html.find("<table>"); begin != std::string::npos; begin = html.find("<table>", begin + 1)) {
    const std::size_t end = html.find("</table>", begin), body = html.find("<tbody>", begin);
    ReadTable& table = tables.emplace_back();
    table.headings = texts(html.substr(begin, body - begin), "th");
    for (std::size_t row = html.find("<tr>", body); row < end; row = html.find("<tr>", row + 1)) {
      table.rows.push_back(texts(html.substr(row, html.find("</tr>", row) - row), "td"));
      EXPECT_EQ(table.rows.back().size(), table.headings.size()) << html.substr(row, 200);
    }
  }
  return tables;
}

} // namespace trainyard::tests
