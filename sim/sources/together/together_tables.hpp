// SPDX-License-Identifier: Apache-2.0
// The figures and CSV files of a run with several parts. Private to this folder.
#pragma once
#include "models/results/column.hpp"
#include "sim/sources/together/together.hpp"

#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace trainyard::together {

/// The columns of the CSV files that a run with several parts has beside those of the parts.
std::vector<FileColumns> together_file_columns();

/// A figure by which parts are compared; absent where the run has no such part.
struct Figure {
  const char* title; // in the printed table
  ResultColumn<TogetherRun> column;
  std::string (*text)(double);

  std::optional<double> value(const TogetherRun& run) const
  {
    return std::get<std::optional<double> (*)(const TogetherRun&)>(column.field)(run);
  }
};

/// In the order of the printed table.
const std::vector<Figure>& figures();

/// "12.3" GPU-hours.
std::string hours_text(double hours);
/// GPU-hours of all services.
double held_hours(const orchestration::PointRun& run);

/// When services and retraining were slowed on links.
std::string links_csv(const std::vector<TogetherRun>& runs);
/// Who held what, from when to when.
std::string timeline_csv(const std::vector<TogetherRun>& runs, Instant until);
/// figures() of each run.
std::string parts_csv(const std::vector<TogetherRun>& runs);

} // namespace trainyard::together
