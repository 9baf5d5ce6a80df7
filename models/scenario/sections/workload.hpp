// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "models/job/generator.hpp"
#include "models/job/traces/trace_importer.hpp"
#include "models/job/workload.hpp"

#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace trainyard {

/// `workload:` of a scenario: jobs for the queue: from a trace, generated, or listed.
struct WorkloadSection {
  std::optional<std::filesystem::path> trace; // absolute, or relative to the working folder
  TraceOptions options;
  std::optional<GeneratorSpec> generate;
  std::optional<Workload> listed;                // the jobs are listed in the scenario itself
  std::optional<std::filesystem::path> machines; // a file of machines that takes the place of `cluster`
  int like_trace = 0; // > 0: number of jobs generated with the statistics of the trace, instead of its own
  std::vector<std::pair<std::string, double>> models; // given to jobs without one, by share
  double estimate_badness = -1;                       // below 0: the trace's own estimates; else the f-model's badness
};

} // namespace trainyard
