// SPDX-License-Identifier: Apache-2.0
// A figure of results is declared once, as a column: heading, unit, meaning, and the member of the row that holds it.
// CSV and JSON (both ways), the figures of studies, measures for goals, and the lists of the documentation come from
// that declaration.
#pragma once
#include "models/core/figure_text.hpp"
#include "models/core/units.hpp"
#include "sim/results/distribution.hpp"
#include "sim/results/results.hpp"

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace trainyard {

/// Where a column stands; several are added up.
enum ColumnPlaces : unsigned {
  in_csv = 1,
  in_json = 2,
  in_studies = 4, // sweeps, plans, comparisons
  everywhere = 7
};

/// A member of the row that a column shows, or a figure that follows from several members and is never read back. What
/// is optional may be absent, and is blank then. Exact times are seconds in files, with as many decimals as there are.
template <class Row>
using ColumnField = std::variant<std::string Row::*, int Row::*, long Row::*, double Row::*, Seconds Row::*,
                                 Bytes Row::*, std::optional<Dollars> Row::*, Estimate Row::*, Distribution Row::*,
                                 double (*)(const Row&), std::optional<double> (*)(const Row&), long (*)(const Row&),
                                 std::string (*)(const Row&), std::optional<Instant> (*)(const Row&)>;

template <class Row, class Field>
inline constexpr bool is_exact_time = std::is_same_v<Field, std::optional<Instant> (*)(const Row&)>;

/// A figure, or a word, of every row.
template <class Row>
struct ResultColumn {
  std::string name; // with its unit, as in files: "step_s"
  ColumnField<Row> field;
  std::string unit; // "s", "B", "$", "/s", or nothing
  std::string meaning;
  unsigned places = everywhere;
  std::string measure = {};    // its name in goals and comparisons; empty: it has none
  bool more_is_better = false; // of the measure
  bool of_cluster = false;     // blank in rows that are about a part of the whole
  /// The meaning in `simrun list measures`, where another one is wanted there.
  std::string measure_meaning = {};
};

/// "step_s", "low" -> "step_low_s": the name of one of a column's values.
std::string part_name(const std::string& column, const std::string& part);

/// Whether a column is a distribution, whose mean and percentiles are figures of their own.
template <class Row>
bool has_percentiles(const ResultColumn<Row>& column)
{
  return std::holds_alternative<Distribution Row::*>(column.field);
}

/// A value for people and files: a number, a word, or nothing.
using ColumnValue = std::variant<std::monostate, double, std::string>;

/// The names of a column's values; several where it has an interval or percentiles.
template <class Row>
std::vector<std::string> names_of(const ResultColumn<Row>& column)
{
  if (std::holds_alternative<Estimate Row::*>(column.field))
    return {column.name, part_name(column.name, "low"), part_name(column.name, "high")};
  if (!has_percentiles(column))
    return {column.name};
  std::vector<std::string> names;
  for (const char* part : {"mean", "p50", "p95", "p99", "max"})
    names.push_back(part_name(column.name, part));
  return names;
}

/// Calls @p take with each value of a column in one row, a double, a text or std::monostate; several where it has an
/// interval or percentiles.
template <class Row, class Take>
void each_value(const ResultColumn<Row>& column, const Row& row, const Take& take)
{
  const auto optional = [&](const std::optional<double>& value) {
    if (value)
      take(*value);
    else
      take(std::monostate{});
  };
  std::visit(
      [&](const auto& field) {
        using Field = std::decay_t<decltype(field)>;
        if constexpr (std::is_same_v<Field, Estimate Row::*>) {
          const Estimate& value = row.*field;
          for (const double figure : {value.mean, value.low, value.high})
            take(figure);
        } else if constexpr (std::is_same_v<Field, Distribution Row::*>) {
          const Distribution& value = row.*field;
          for (const double figure : {value.mean, value.p50, value.p95, value.p99, value.largest})
            take(figure);
        } else if constexpr (std::is_same_v<Field, std::optional<Dollars> Row::*>) {
          optional(row.*field ? std::optional{(row.*field)->value()} : std::nullopt);
        } else if constexpr (std::is_same_v<Field, Seconds Row::*> || std::is_same_v<Field, Bytes Row::*>) {
          take((row.*field).value());
        } else if constexpr (is_exact_time<Row, Field>) {
          const std::optional<Instant> time = field(row);
          optional(time ? std::optional{static_cast<double>(time->count()) * 1e-9} : std::nullopt);
        } else if constexpr (std::is_same_v<Field, std::optional<double> (*)(const Row&)>) {
          optional(field(row));
        } else if constexpr (std::is_same_v<Field, long (*)(const Row&)>) {
          take(static_cast<double>(field(row)));
        } else if constexpr (std::is_pointer_v<Field>) {
          take(field(row));
        } else if constexpr (std::is_same_v<Field, std::string Row::*>) {
          take(row.*field);
        } else {
          take(static_cast<double>(row.*field));
        }
      },
      column.field);
}

/// The values of a column in one row, by name.
template <class Row>
std::vector<std::pair<std::string, ColumnValue>> values_of(const ResultColumn<Row>& column, const Row& row)
{
  std::vector<std::pair<std::string, ColumnValue>> values;
  for (const std::string& name : names_of(column))
    values.emplace_back(name, ColumnValue{});
  std::size_t next = 0;
  each_value(column, row, [&](const auto& value) { values[next++].second = value; });
  return values;
}

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

/// Writes a number; nothing for one that is none.
using NumberText = std::function<std::string(double)>;

/// Appends a row of the table. Whole numbers are written in full, all others by @p number; columns in seconds by @p
/// time, where there is one. @p part: what belongs to the whole is left blank.
template <class Row, class Number>
void append_csv_row(std::string& text, const std::vector<ResultColumn<Row>>& columns, const Row& row,
                    const Number& number, bool part = false, const NumberText& time = {})
{
  bool first = true;
  for (const ResultColumn<Row>& column : columns) {
    if ((column.places & in_csv) == 0)
      continue;
    const bool whole = std::holds_alternative<int Row::*>(column.field) ||
                       std::holds_alternative<long Row::*>(column.field) ||
                       std::holds_alternative<long (*)(const Row&)>(column.field);
    const auto* exact = std::get_if<std::optional<Instant> (*)(const Row&)>(&column.field);
    each_value(column, row, [&](const auto& value) {
      if (!first)
        text += ',';
      first = false;
      using Value = std::decay_t<decltype(value)>;
      if (std::is_same_v<Value, std::monostate> || (part && column.of_cluster))
        return;
      if constexpr (std::is_same_v<Value, std::string>)
        append_csv_text(text, value);
      else if constexpr (std::is_same_v<Value, double>) {
        if (exact != nullptr)
          text += exact_seconds((*exact)(row).value_or(Instant{}));
        else if (whole)
          text += std::to_string(static_cast<long>(value));
        else if (time && column.unit == "s")
          text += time(value);
        else
          text += number(value);
      }
    });
  }
}

/// The row alone.
template <class Row>
std::string csv_row(const std::vector<ResultColumn<Row>>& columns, const Row& row, const NumberText& number,
                    bool part = false, const NumberText& time = {})
{
  std::string text;
  append_csv_row(text, columns, row, number, part, time);
  return text;
}

/// What can be said of a file's columns without its rows.
struct ColumnFacts {
  std::string name, unit, meaning;
};
struct FileColumns {
  std::string file;
  std::vector<ColumnFacts> columns;
};

template <class Row>
std::vector<ColumnFacts> facts_of(const std::vector<ResultColumn<Row>>& columns)
{
  std::vector<ColumnFacts> facts;
  facts.reserve(columns.size());
  for (const ResultColumn<Row>& column : columns)
    if ((column.places & in_csv) != 0)
      facts.push_back({column.name, column.unit, column.meaning});
  return facts;
}

/// The figures of a row that studies keep, by name.
template <class Row>
std::map<std::string, double> figures_of(const std::vector<ResultColumn<Row>>& columns, const Row& row)
{
  std::map<std::string, double> figures;
  for (const ResultColumn<Row>& column : columns)
    if ((column.places & in_studies) != 0)
      for (const auto& [name, value] : values_of(column, row))
        if (const double* figure = std::get_if<double>(&value))
          figures[name] = *figure;
  return figures;
}

/// The columns of jobs.csv and of `jobs` in summary.json, for runs of training jobs.
const std::vector<ResultColumn<JobRow>>& job_columns();

} // namespace trainyard
