// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "models/core/csv.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace trainyard {

/// The finite number that a text begins with: "8 x" is 8; empty where there is none.
std::optional<double> leading_number(const std::string& text);

/// The number in a column of a measured row; @p fallback where the cell has none or there is no such column.
double column(const CsvTable& table, const CsvTable::Row& row, std::string_view name, double fallback);

/// The value of a formula over the columns of a measured row, such as 2*(total_gpus-1)/total_gpus; NaN where it has
/// none.
double formula(const std::string& expression, const CsvTable& table, const CsvTable::Row& row);

/// "[worker-0, worker-0, worker-1]": as often as each digit says for a placement such as 21, or `gpus_per_node` on each
/// machine.
std::string placement_nodes(const CsvTable& table, const CsvTable::Row& row);

/// Step time in s of a measured row: batch x GPUs / throughput, or the time as printed; empty where the value is blank
/// or the metric is none of a step.
std::optional<double> measured_step(const CsvTable& table, const CsvTable::Row& row);

/// A step time in s as the metric of the row has it: throughput, bus bandwidth or time. The way back of
/// measured_step().
double in_metric(const CsvTable& table, const CsvTable::Row& row, double step);

/// The rows of all @p tables, with the columns of all; a cell that a table lacks is empty. Lines go on from file to
/// file: the header of the second is the line after the last of the first.
CsvTable one_below_the_other(const std::vector<CsvTable>& tables);

} // namespace trainyard
