// SPDX-License-Identifier: Apache-2.0
#include "sim/study/csv_table.hpp"

#include "models/core/diagnostics.hpp"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <fstream>
#include <sstream>
#include <stdexcept>

namespace trainyard {
namespace {

[[noreturn]] void fail(const std::string& file, int line, const std::string& message)
{
  throw InputError{{Diagnostic{Severity::error, {file, line, 0}, message, {}}}};
}

char lower(char c)
{
  return static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
}

/// `*` stands for any text; recursion is bounded by the number of stars.
bool glob(std::string_view text, std::string_view pattern)
{
  std::size_t t = 0, p = 0, star = std::string_view::npos, mark = 0;
  while (t < text.size()) {
    if (p < pattern.size() && pattern[p] != '*' && lower(pattern[p]) == lower(text[t])) {
      ++t;
      ++p;
    } else if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      mark = t;
    } else if (star != std::string_view::npos) {
      p = star + 1;
      t = ++mark;
    } else {
      return false;
    }
  }
  while (p < pattern.size() && pattern[p] == '*')
    ++p;
  return p == pattern.size();
}

std::string_view cell_text(std::string_view text)
{
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t'))
    text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t'))
    text.remove_suffix(1);
  return text;
}

std::optional<double> number(std::string_view text)
{
  text = cell_text(text);
  double value = 0;
  const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (status != std::errc{} || end != text.data() + text.size())
    return std::nullopt;
  return value;
}

} // namespace

std::optional<std::size_t> CsvTable::column(std::string_view name) const
{
  const auto found = std::ranges::find(columns, name);
  if (found == columns.end())
    return std::nullopt;
  return static_cast<std::size_t>(found - columns.begin());
}

const std::string& CsvTable::cell(const Row& row, std::string_view name) const
{
  static const std::string absent;
  const std::optional<std::size_t> index = column(name);
  return index ? row.cells[*index] : absent;
}

CsvTable parse_csv(const std::string& text, const std::string& file_name)
{
  CsvTable table;
  table.file = file_name;
  std::size_t position = text.starts_with("\xEF\xBB\xBF") ? 3 : 0;
  int line = 1;
  while (position < text.size()) {
    CsvTable::Row row{line, {}};
    std::string cell;
    bool row_ends = false;
    while (!row_ends) {
      if (position < text.size() && text[position] == '"') {
        const int opened = line;
        for (++position;; ++position) {
          if (position >= text.size())
            fail(file_name, opened, "a quote opens here and is never closed");
          if (text[position] == '"') {
            if (position + 1 >= text.size() || text[position + 1] != '"')
              break;
            ++position;
          }
          line += text[position] == '\n' ? 1 : 0;
          cell += text[position];
        }
        ++position;
      }
      while (position < text.size() && text[position] != ',' && text[position] != '\n')
        cell += text[position++];
      if (!cell.empty() && cell.back() == '\r' && (position >= text.size() || text[position] == '\n'))
        cell.pop_back();
      row.cells.push_back(std::move(cell));
      cell.clear();
      row_ends = position >= text.size() || text[position] == '\n';
      ++position;
    }
    ++line;
    if (row.cells.size() == 1 && row.cells.front().empty())
      continue; // empty line
    if (table.columns.empty()) {
      table.columns = std::move(row.cells);
      continue;
    }
    if (row.cells.size() != table.columns.size())
      fail(file_name, row.line,
           "this row has " + std::to_string(row.cells.size()) + " cells, the header has " +
               std::to_string(table.columns.size()) + " columns");
    table.rows.push_back(std::move(row));
  }
  if (table.columns.empty())
    fail(file_name, 0, "the table is empty; its first line must name the columns");
  return table;
}

CsvTable read_csv(const std::filesystem::path& file)
{
  std::ifstream stream{file, std::ios::binary};
  if (!stream)
    throw InputError{"cannot read the table '" + file.string() + "'"};
  std::ostringstream text;
  text << stream.rdbuf();
  if (!stream.good() && !stream.eof())
    throw InputError{"cannot read the table '" + file.string() + "'"};
  return parse_csv(text.str(), file.string());
}

bool cell_matches(std::string_view cell, std::string_view pattern)
{
  const std::string_view wanted = cell_text(pattern);
  for (const std::string_view sign : {">=", "<=", "!=", ">", "<"}) {
    if (!wanted.starts_with(sign))
      continue;
    const std::string_view operand = cell_text(wanted.substr(sign.size()));
    if (sign == "!=")
      return !cell_matches(cell, operand);
    const std::optional<double> left = number(cell);
    const std::optional<double> right = number(operand);
    if (!left || !right)
      return false;
    return sign == ">="   ? *left >= *right
           : sign == "<=" ? *left <= *right
           : sign == ">"  ? *left > *right
                          : *left < *right;
  }
  std::size_t begin = 0;
  for (;;) {
    const std::size_t bar = wanted.find('|', begin);
    if (glob(cell, cell_text(wanted.substr(begin, bar - begin))))
      return true;
    if (bar == std::string_view::npos)
      return false;
    begin = bar + 1;
  }
}

bool RowPattern::matches(const CsvTable& table, const CsvTable::Row& row) const
{
  return std::ranges::all_of(
      columns, [&](const auto& condition) { return cell_matches(table.cell(row, condition.first), condition.second); });
}

} // namespace trainyard
