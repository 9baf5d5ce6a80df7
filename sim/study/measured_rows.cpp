// SPDX-License-Identifier: Apache-2.0
#include "sim/study/score.hpp"

#include "models/core/expression.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <fmt/format.h>
#include <limits>
#include <stdexcept>

namespace trainyard {

std::optional<double> leading_number(const std::string& text)
{
  double value = 0;
  const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (status != std::errc{} || !std::isfinite(value))
    return std::nullopt;
  return value;
}

double column(const CsvTable& table, const CsvTable::Row& row, std::string_view name, double fallback)
{
  return leading_number(table.cell(row, name)).value_or(fallback);
}

std::string placement_nodes(const CsvTable& table, const CsvTable::Row& row)
{
  std::string nodes;
  const auto add = [&](int node, int gpus) {
    for (int i = 0; i < gpus; ++i)
      nodes += fmt::format("{}worker-{}", nodes.empty() ? "" : ", ", node);
  };
  const std::string& digits = table.cell(row, "placement");
  if (!digits.empty() && std::ranges::all_of(digits, [](char c) { return c >= '0' && c <= '9'; })) {
    for (std::size_t i = 0; i < digits.size(); ++i)
      add(static_cast<int>(i), digits[i] - '0');
  } else {
    const int total = static_cast<int>(column(table, row, "total_gpus", 1));
    const int per_node = std::max(1, static_cast<int>(column(table, row, "gpus_per_node", 1)));
    for (int rank = 0; rank < std::min(total, 100'000); ++rank)
      add(rank / per_node, 1);
  }
  return "[" + nodes + "]";
}

std::optional<double> measured_step(const CsvTable& table, const CsvTable::Row& row)
{
  const std::string& metric = table.cell(row, "metric");
  if (const std::optional<double> time = leading_number(table.cell(row, "time_us")); time && metric == "busbw_GBps")
    return *time * 1e-6; // the bandwidth is rounded to 0.01 GB/s
  const std::optional<double> value = leading_number(table.cell(row, "value"));
  if (!value || *value <= 0)
    return std::nullopt;
  if (metric == "step_time_s")
    return *value;
  if (metric == "allreduce_time_ms")
    return *value * 1e-3;
  const std::optional<double> gpus = leading_number(table.cell(row, "total_gpus"));
  if (metric == "busbw_GBps") {
    const std::optional<double> size = leading_number(table.cell(row, "size_bytes"));
    if (!size || !gpus || *gpus < 2)
      return std::nullopt;
    return 2 * (*gpus - 1) / *gpus * *size / (*value * 1e9);
  }
  const std::optional<double> batch = leading_number(table.cell(row, "batch_per_gpu"));
  if (!metric.ends_with("_per_s") || !batch)
    return std::nullopt;
  return *batch * std::max(gpus.value_or(1), 1.0) / *value;
}

double in_metric(const CsvTable& table, const CsvTable::Row& row, double step)
{
  constexpr double nothing = std::numeric_limits<double>::quiet_NaN();
  const std::string& metric = table.cell(row, "metric");
  const double samples =
      column(table, row, "batch_per_gpu", nothing) * std::max(column(table, row, "total_gpus", 1), 1.0);
  if (metric.ends_with("_per_s"))
    return samples / step;
  if (metric == "allreduce_time_ms")
    return step * 1e3;
  if (metric == "busbw_GBps") {
    const double n = column(table, row, "total_gpus", nothing);
    return 2 * (n - 1) / n * column(table, row, "size_bytes", nothing) / step / 1e9;
  }
  return step;
}

double formula(const std::string& expression, const CsvTable& table, const CsvTable::Row& row)
{
  try {
    return evaluate(expression, [&](const std::string& name) { return leading_number(table.cell(row, name)); });
  } catch (const std::invalid_argument&) {
    return std::numeric_limits<double>::quiet_NaN();
  }
}

CsvTable one_below_the_other(const std::vector<CsvTable>& tables)
{
  CsvTable all;
  for (const CsvTable& table : tables)
    for (const std::string& column : table.columns)
      if (std::ranges::find(all.columns, column) == all.columns.end())
        all.columns.push_back(column);
  int lines = 0;
  for (const CsvTable& table : tables) {
    all.file += (all.file.empty() ? "" : ", ") + table.file;
    for (const CsvTable::Row& row : table.rows) {
      CsvTable::Row copy{.line = lines + row.line, .cells = {}};
      for (const std::string& column : all.columns)
        copy.cells.push_back(table.cell(row, column));
      all.rows.push_back(std::move(copy));
    }
    lines += table.rows.empty() ? 1 : table.rows.back().line;
  }
  return all;
}

} // namespace trainyard
