// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "sim/results/columns.hpp"

#include <cmath>
#include <nlohmann/json.hpp>

namespace trainyard {

inline nlohmann::ordered_json to_json(const Estimate& value)
{
  return {{"mean", value.mean}, {"low", value.low}, {"high", value.high}};
}

inline nlohmann::ordered_json to_json(const Distribution& value)
{
  return {{"mean", value.mean}, {"p50", value.p50}, {"p95", value.p95}, {"p99", value.p99}, {"max", value.largest}};
}

/// Calls @p sink with the name and the value of each column of the row that belongs into JSON, in their order. What is
/// absent is nullptr.
template <class Row, class Sink>
void for_each_json_value(const std::vector<ResultColumn<Row>>& columns, const Row& row, const Sink& sink)
{
  for (const ResultColumn<Row>& column : columns) {
    if ((column.places & in_json) == 0)
      continue;
    const auto optional = [&](const std::optional<double>& value) {
      if (value && std::isfinite(*value))
        sink(column.name, *value);
      else
        sink(column.name, nullptr);
    };
    std::visit(
        [&](const auto& field) {
          using Field = std::decay_t<decltype(field)>;
          if constexpr (std::is_same_v<Field, std::optional<Dollars> Row::*>)
            optional(row.*field ? std::optional{(row.*field)->value()} : std::nullopt);
          else if constexpr (std::is_same_v<Field, Seconds Row::*> || std::is_same_v<Field, Bytes Row::*>)
            sink(column.name, (row.*field).value());
          else if constexpr (is_exact_time<Row, Field>) {
            const std::optional<Instant> time = field(row);
            optional(time ? std::optional{static_cast<double>(time->count()) * 1e-9} : std::nullopt);
          } else if constexpr (std::is_same_v<Field, std::optional<double> (*)(const Row&)>)
            optional(field(row));
          else if constexpr (std::is_pointer_v<Field>)
            sink(column.name, field(row));
          else
            sink(column.name, row.*field);
        },
        column.field);
  }
}

/// A row as an object, its columns in their order. Intervals and distributions are objects, what is absent is null.
template <class Row>
nlohmann::ordered_json row_json(const std::vector<ResultColumn<Row>>& columns, const Row& row)
{
  nlohmann::ordered_json::object_t json; // no two columns have one name
  for_each_json_value(columns, row, [&](const std::string& name, const auto& value) {
    using Value = std::decay_t<decltype(value)>;
    if constexpr (std::is_same_v<Value, Estimate> || std::is_same_v<Value, Distribution>)
      json.emplace_back(name, to_json(value));
    else
      json.emplace_back(name, value);
  });
  return json;
}

/// The other way: every column that is a member; what the object lacks stays as it is. Throws nlohmann::json::exception
/// for a value of another kind.
template <class Row>
void read_row(const std::vector<ResultColumn<Row>>& columns, const nlohmann::ordered_json& json, Row& row)
{
  for (const ResultColumn<Row>& column : columns) {
    const auto found = json.find(column.name);
    if ((column.places & in_json) == 0 || found == json.end() || found->is_null())
      continue;
    std::visit(
        [&](const auto& field) {
          using Field = std::decay_t<decltype(field)>;
          if constexpr (std::is_pointer_v<Field>) {
            // follows from the others
          } else if constexpr (std::is_same_v<Field, Estimate Row::*>) {
            row.*field = {found->value("mean", 0.0), found->value("low", 0.0), found->value("high", 0.0)};
          } else if constexpr (std::is_same_v<Field, Distribution Row::*>) {
            row.*field = {found->value("mean", 0.0), found->value("p50", 0.0), found->value("p95", 0.0),
                          found->value("p99", 0.0), found->value("max", 0.0)};
          } else if constexpr (std::is_same_v<Field, std::optional<Dollars> Row::*>) {
            row.*field = Dollars{found->template get<double>()};
          } else if constexpr (std::is_same_v<Field, Seconds Row::*>) {
            row.*field = Seconds{found->template get<double>()};
          } else if constexpr (std::is_same_v<Field, Bytes Row::*>) {
            row.*field = Bytes{found->template get<double>()};
          } else {
            using Value = std::decay_t<decltype(row.*field)>;
            row.*field = found->template get<Value>();
          }
        },
        column.field);
  }
}

} // namespace trainyard
