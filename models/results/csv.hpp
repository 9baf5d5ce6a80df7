// SPDX-License-Identifier: Apache-2.0
// The one writer of tables as CSV.
#pragma once
#include "models/results/column.hpp"

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace trainyard {

/// Takes the next piece of a text that may be long.
using TextSink = std::function<void(std::string_view)>;
inline constexpr std::size_t long_piece = 1U << 15U; // B: memory that is used again is quicker than more of it

/// Writes a number; nothing for one that is none.
using NumberText = std::function<std::string(double)>;

/// The shortest text that reads back to the same double; empty where there is no number. Keeps some: the same figures
/// come again and again in a table.
class NumberTexts
{
public:
  const std::string& operator()(double value);

private:
  struct Entry {
    double value = 0;
    std::string text;
  };
  std::vector<Entry> entries_;
};

/// How the numbers of a table are written. Whole numbers and exact times are written in full.
struct CsvNumbers {
  NumberText number = {}; // none: the shortest text that reads back to the same
  NumberText time = {};   // of columns in seconds; none: as all numbers
};

/// The heading of a table of these columns, separated by commas.
template <class Row>
std::string csv_heading(const std::vector<ResultColumn<Row>>& columns)
{
  std::string text;
  for (const ResultColumn<Row>& column : columns)
    if ((column.places & in_csv) != 0)
      for (const std::string& name : names_of(column))
        text += (text.empty() ? "" : ",") + name;
  return text;
}

/// Writes rows, one cell after the other.
class CsvText
{
public:
  explicit CsvText(CsvNumbers numbers = {}) : numbers_{std::move(numbers)} {}

  /// @p parts: cells of this column; all are blank where the value is absent.
  void add(const Value& value, std::size_t parts, bool in_seconds);
  void end_row() { text += '\n', first_ = true; }

  std::string text;

private:
  void begin_cell();
  void add(double value, bool in_seconds);

  CsvNumbers numbers_;
  NumberTexts shortest_;
  bool first_ = true;
};

/// Appends a row. @p part: what belongs to the whole is left blank.
template <class Row>
void append_cells(CsvText& csv, const std::vector<ResultColumn<Row>>& columns, const Row& row, bool part = false)
{
  for (const ResultColumn<Row>& column : columns)
    if ((column.places & in_csv) != 0)
      csv.add(part && column.of_cluster ? Value{} : value_of(column, row),
              std::holds_alternative<Estimate Row::*>(column.field) ? 3
              : has_percentiles(column)                             ? 5
                                                                    : 1,
              column.unit == "s");
}

/// The row alone.
template <class Row>
std::string csv_row(const std::vector<ResultColumn<Row>>& columns, const Row& row, const NumberText& number,
                    bool part = false, const NumberText& time = {})
{
  CsvText csv{{number, time}};
  append_cells(csv, columns, row, part);
  return std::move(csv.text);
}

/// A table, row by row, with its heading; a long one leaves in pieces.
template <class Row>
class TableCsv
{
public:
  explicit TableCsv(std::vector<ResultColumn<Row>> columns, TextSink sink = {}, CsvNumbers numbers = {})
      : columns_{std::move(columns)}, csv_{std::move(numbers)}, sink_{std::move(sink)}
  {
    csv_.text = csv_heading(columns_) + "\n";
  }
  void add(const Row& row)
  {
    append_cells(csv_, columns_, row);
    csv_.end_row();
    if (sink_ && csv_.text.size() >= long_piece) {
      sink_(csv_.text);
      csv_.text.clear();
    }
  }
  std::string take() { return std::move(csv_.text); }

private:
  std::vector<ResultColumn<Row>> columns_;
  CsvText csv_;
  TextSink sink_;
};

template <class Row>
std::string csv_of(const std::vector<ResultColumn<Row>>& columns, const std::vector<Row>& rows, CsvNumbers numbers = {})
{
  TableCsv<Row> table{columns, {}, std::move(numbers)};
  for (const Row& row : rows)
    table.add(row);
  return table.take();
}

} // namespace trainyard
