// SPDX-License-Identifier: Apache-2.0
// The one reader of CSV. Debian 12 has two libraries for C++: fast-cpp-csv-parser (libfccp-dev) needs the number of
// columns when it is compiled, and libcsv (libcsv-dev) hands cells to a callback without their lines, which messages
// need.
#pragma once
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace trainyard {

/// Rows of a text one after the other: RFC 4180 quoting, LF or CRLF, UTF-8 with or without mark. Holds one row.
class CsvReader
{
public:
  /// @p text must outlive the reader. Tab-separated text has no quotes. @p quotes_over_lines: a quoted cell may hold
  /// line breaks; if not, a quote that is not closed ends with its line.
  explicit CsvReader(std::string_view text, char separator = ',', bool quotes_over_lines = true);

  /// Reads the next row that is not blank; false: there is none.
  bool next();
  /// Of this row; valid until the next one is read.
  const std::vector<std::string_view>& cells() const { return cells_; }
  /// Where this row begins, from 1.
  std::int64_t line() const { return line_; }
  /// A quote opens in this row and is never closed.
  bool open_quote() const { return open_quote_; }

private:
  void split(std::string_view row);
  std::size_t unpack(std::size_t limit);

  std::string_view text_;
  char separator_;
  bool quotes_over_lines_;
  std::size_t at_ = 0;
  std::int64_t line_ = 0;
  std::int64_t next_line_ = 1;
  bool open_quote_ = false;
  std::vector<std::string_view> cells_;
  std::string unpacked_; // the cells of a row with quotes
};

/// A whole CSV file with a header line.
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

/// Reads a table. Throws InputError with file:line for a file that cannot be read, a row
/// of another width, an open quote or a file without header, naming the column count expected.
CsvTable read_csv(const std::filesystem::path& file);
CsvTable parse_csv(std::string_view text, const std::string& file_name);

} // namespace trainyard
