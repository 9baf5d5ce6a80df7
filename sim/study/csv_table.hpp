// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace trainyard {

/// A CSV file with a header line: RFC 4180 quoting, LF or CRLF, UTF-8 with or without mark.
struct CsvTable {
  std::string file;
  std::vector<std::string> columns;
  struct Row {
    int line = 0; // where the row begins in the file, from 1 (the header is line 1)
    std::vector<std::string> cells;
  };
  std::vector<Row> rows;

  std::optional<std::size_t> column(std::string_view name) const;
  /// Empty where the table has no such column.
  const std::string& cell(const Row& row, std::string_view column) const;
};

/// Reads a table. Throws InputError with file:line for a row of another width, an open quote or a file without header,
/// naming the column count expected.
CsvTable read_csv(const std::filesystem::path& file);
CsvTable parse_csv(const std::string& text, const std::string& file_name);

/// A condition on the cells of a row: column -> pattern; all must hold. A pattern is a text with `*` wildcards,
/// alternatives separated by
/// `|`, or a comparison `> 1`, `>= 2`, `< 3`, `<= 4`, `!= text`; "" matches an empty cell. Letters compare without
/// case.
struct RowPattern {
  std::map<std::string, std::string> columns;

  bool matches(const CsvTable& table, const CsvTable::Row& row) const;
};

/// Whether a cell matches one pattern of a RowPattern.
bool cell_matches(std::string_view cell, std::string_view pattern);

} // namespace trainyard
