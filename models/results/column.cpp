// SPDX-License-Identifier: Apache-2.0
#include "models/results/column.hpp"

namespace trainyard {

std::optional<std::string_view> words_of(const Value& value)
{
  if (const auto* words = std::get_if<std::string_view>(&value))
    return *words;
  if (const auto* words = std::get_if<std::string>(&value))
    return *words;
  return std::nullopt;
}

std::string part_name(const std::string& column, const std::string& part)
{
  if (!column.ends_with("_s"))
    return column + "_" + part;
  return column.substr(0, column.size() - 2) + "_" + part + "_s";
}

std::vector<ColumnValue> parts_of(const Value& value, std::size_t parts)
{
  if (const auto* estimate = std::get_if<Estimate>(&value))
    return {estimate->mean, estimate->low, estimate->high};
  if (const auto* spread = std::get_if<Distribution>(&value))
    return {spread->mean, spread->p50, spread->p95, spread->p99, spread->largest};
  std::vector<ColumnValue> all(parts);
  if (const auto words = words_of(value))
    all.front() = std::string{*words};
  else if (const auto* number = std::get_if<double>(&value))
    all.front() = *number;
  else if (const auto* whole = std::get_if<std::int64_t>(&value))
    all.front() = static_cast<double>(*whole);
  else if (const auto* time = std::get_if<Instant>(&value))
    all.front() = static_cast<double>(time->count()) * 1e-9;
  return all;
}

} // namespace trainyard
