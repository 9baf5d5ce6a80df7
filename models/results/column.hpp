// SPDX-License-Identifier: Apache-2.0
// A figure of results is declared once, as a column: heading, unit, meaning, and the member of the row that holds it.
// The writers of tables, the figures of studies, measures for goals, and the lists of the documentation come from that
// declaration.
#pragma once
#include "models/core/instant.hpp"
#include "models/core/message.hpp"
#include "models/core/units.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

namespace trainyard {

/// A mean and the interval that holds it at the run's confidence level; low = mean = high where nothing is random.
struct Estimate {
  double mean = 0;
  double low = 0;
  double high = 0;
};

/// How values are spread; percentiles by nearest rank.
struct Distribution {
  double mean = 0;
  double p50 = 0;
  double p95 = 0;
  double p99 = 0;
  double largest = 0;
  long values = 0; // how many there are; 0: there are no figures
};

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
using ColumnField =
    std::variant<std::string Row::*, Message Row::*, int Row::*, long Row::*, double Row::*, Seconds Row::*,
                 Bytes Row::*, std::optional<Dollars> Row::*, Estimate Row::*, Distribution Row::*,
                 double (*)(const Row&), std::optional<double> (*)(const Row&), long (*)(const Row&),
                 std::string (*)(const Row&), std::optional<Instant> (*)(const Row&)>;

/// How an error of the predicted step goes into a figure: it grows as the step does (times, prices), or as the rate
/// does.
enum class WithStep : std::uint8_t { no, as_step, as_rate };

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
  WithStep with_step = WithStep::no;
};

/// One value of a row, of any column; std::monostate: absent. Words may be those of the row, which then must live as
/// long, or made for this value.
using Value =
    std::variant<std::monostate, double, std::int64_t, Instant, std::string_view, std::string, Estimate, Distribution>;

/// The words of a value that has some.
std::optional<std::string_view> words_of(const Value& value);

/// What a column shows of @p row.
template <class Row>
Value value_of(const ResultColumn<Row>& column, const Row& row)
{
  // NOLINTBEGIN(bugprone-branch-clone): branches that a type does not take are all empty
  return std::visit(
      [&](const auto& field) -> Value {
        using Field = std::decay_t<decltype(field)>;
        if constexpr (std::is_member_object_pointer_v<Field>) {
          const auto& value = row.*field;
          using Member = std::decay_t<decltype(value)>;
          if constexpr (std::is_same_v<Member, Distribution>)
            return value.values > 0 ? Value{value} : Value{};
          else if constexpr (std::is_same_v<Member, std::optional<Dollars>>)
            return value ? Value{value->value()} : Value{};
          else if constexpr (std::is_same_v<Member, Seconds> || std::is_same_v<Member, Bytes>)
            return value.value();
          else if constexpr (std::is_same_v<Member, std::string>)
            return std::string_view{value};
          else if constexpr (std::is_same_v<Member, Message>)
            return std::string_view{value.text};
          else if constexpr (std::is_integral_v<Member>)
            return std::int64_t{value};
          else
            return value;
        } else {
          auto value = field(row);
          using Result = decltype(value);
          if constexpr (std::is_same_v<Result, std::optional<double>> || std::is_same_v<Result, std::optional<Instant>>)
            return value ? Value{*value} : Value{};
          else if constexpr (std::is_integral_v<Result>)
            return std::int64_t{value};
          else
            return value;
        }
      },
      column.field);
  // NOLINTEND(bugprone-branch-clone)
}

/// "step_s", "low" -> "step_low_s": the name of one of a column's values.
std::string part_name(const std::string& column, const std::string& part);

/// Whether a column is a distribution, whose mean and percentiles are figures of their own.
template <class Row>
bool has_percentiles(const ResultColumn<Row>& column)
{
  return std::holds_alternative<Distribution Row::*>(column.field);
}

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

/// A value for people and files: a number, a word, or nothing.
using ColumnValue = std::variant<std::monostate, double, std::string>;

/// Values of intervals and percentiles one by one, in the order of names_of; @p parts of them are wanted.
std::vector<ColumnValue> parts_of(const Value& value, std::size_t parts);

/// The values of a column in one row, by name.
template <class Row>
std::vector<std::pair<std::string, ColumnValue>> values_of(const ResultColumn<Row>& column, const Row& row)
{
  const std::vector<std::string> names = names_of(column);
  std::vector<ColumnValue> parts = parts_of(value_of(column, row), names.size());
  std::vector<std::pair<std::string, ColumnValue>> values;
  for (std::size_t i = 0; i < names.size(); ++i)
    values.emplace_back(names[i], std::move(parts[i]));
  return values;
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

} // namespace trainyard
