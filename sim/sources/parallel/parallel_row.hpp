// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "sim/parallel/step.hpp"
#include "sim/results/columns.hpp"
#include "sim/sources/parallel/job_failures.hpp"

#include <optional>
#include <string>
#include <vector>

namespace trainyard {

/// One divided job in one point of a scenario: a row of parallel.csv.
struct ParallelRow {
  std::string point;
  std::string variant;
  std::string job;
  std::string model;
  std::string gpu;
  std::string layout;
  int gpus = 0;
  Bytes installed;      // memory of a GPU
  std::string fidelity; // of the step
  ParallelStep step;
  std::optional<JobFailures> failures;
  std::optional<Dollars> price_per_million_samples; // absent: a machine of the job has no price
};

/// Its figures, each declared once.
const std::vector<ResultColumn<ParallelRow>>& parallel_columns();

} // namespace trainyard
