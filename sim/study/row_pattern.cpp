// SPDX-License-Identifier: Apache-2.0
#include "sim/study/row_pattern.hpp"

#include "models/core/text.hpp"

#include <algorithm>
#include <cctype>
#include <optional>

namespace trainyard {
namespace {

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
  return as_number<double>(cell_text(text));
}

} // namespace

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
