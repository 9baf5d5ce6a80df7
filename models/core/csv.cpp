// SPDX-License-Identifier: Apache-2.0
#include "models/core/csv.hpp"

#include "models/core/diagnostics.hpp"
#include "models/core/regular_file.hpp"

#include <algorithm>
#include <fstream>
#include <sstream>

namespace trainyard {
namespace {

[[noreturn]] void refuse(const std::string& file, std::int64_t line, const std::string& message)
{
  throw InputError{{Diagnostic{Severity::error, {file, static_cast<int>(line), 0}, message, {}}}};
}

} // namespace

CsvReader::CsvReader(std::string_view text, char separator, bool quotes_over_lines)
    : text_{text}, separator_{separator}, quotes_over_lines_{quotes_over_lines}
{
  if (text_.starts_with("\xEF\xBB\xBF"))
    at_ = 3;
}

bool CsvReader::next()
{
  while (at_ < text_.size()) {
    line_ = next_line_++;
    open_quote_ = false;
    cells_.clear();
    const std::size_t end = std::min(text_.find('\n', at_), text_.size());
    std::string_view row = text_.substr(at_, end - at_);
    if (separator_ != '\t' && row.find('"') != std::string_view::npos) {
      at_ = unpack(quotes_over_lines_ ? text_.size() : end);
    } else {
      if (row.ends_with('\r'))
        row.remove_suffix(1);
      split(row);
      at_ = end + 1;
    }
    if (cells_.size() > 1 || !cells_.front().empty())
      return true;
  }
  return false;
}

void CsvReader::split(std::string_view row)
{
  for (std::size_t begin = 0;;) {
    const std::size_t end = row.find(separator_, begin);
    cells_.push_back(row.substr(begin, end == std::string_view::npos ? end : end - begin));
    if (end == std::string_view::npos)
      return;
    begin = end + 1;
  }
}

/// Reads a row with quotes, which ends at @p limit at the latest; gives where the next one begins.
std::size_t CsvReader::unpack(std::size_t limit)
{
  unpacked_.clear();
  std::vector<std::size_t> ends;
  std::size_t at = at_;
  for (bool more = true; more; ++at) {
    if (at < limit && text_[at] == '"') {
      for (++at; at < limit && (text_[at] != '"' || (at + 1 < limit && text_[at + 1] == '"')); ++at) {
        at += text_[at] == '"' ? 1 : 0;
        next_line_ += text_[at] == '\n' ? 1 : 0;
        unpacked_ += text_[at];
      }
      open_quote_ = open_quote_ || at >= limit;
      ++at;
    }
    while (at < limit && text_[at] != separator_ && text_[at] != '\n')
      unpacked_ += text_[at++];
    more = at < limit && text_[at] == separator_;
    if (!more && unpacked_.size() > (ends.empty() ? 0 : ends.back()) && unpacked_.back() == '\r')
      unpacked_.pop_back();
    ends.push_back(unpacked_.size());
  }
  std::size_t begin = 0;
  for (const std::size_t end : ends) {
    cells_.push_back(std::string_view{unpacked_}.substr(begin, end - begin));
    begin = end;
  }
  return std::min(at, limit + 1);
}

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

CsvTable parse_csv(std::string_view text, const std::string& file_name)
{
  CsvTable table;
  table.file = file_name;
  CsvReader reader{text};
  while (reader.next()) {
    if (reader.open_quote())
      refuse(file_name, reader.line(), "a quote opens in this row and is never closed");
    std::vector<std::string> cells{reader.cells().begin(), reader.cells().end()};
    if (table.columns.empty())
      table.columns = std::move(cells);
    else if (cells.size() == table.columns.size())
      table.rows.push_back({static_cast<int>(reader.line()), std::move(cells)});
    else
      refuse(file_name, reader.line(),
             "this row has " + std::to_string(cells.size()) + " cells, the header has " +
                 std::to_string(table.columns.size()) + " columns");
  }
  if (table.columns.empty())
    refuse(file_name, 0, "the table is empty; its first line must name the columns");
  return table;
}

CsvTable read_csv(const std::filesystem::path& file)
{
  check_regular_file(file);
  std::ifstream stream{file, std::ios::binary};
  std::ostringstream text;
  if (stream)
    text << stream.rdbuf();
  if (!stream.good() && !stream.eof())
    throw InputError{"cannot read the table '" + file.string() + "'"};
  return parse_csv(text.str(), file.string());
}

} // namespace trainyard
