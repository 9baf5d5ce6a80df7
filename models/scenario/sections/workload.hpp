// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "models/job/batch_goodput.hpp"
#include "models/job/generator.hpp"
#include "models/job/traces/trace_importer.hpp"
#include "models/job/workload.hpp"

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace trainyard {

/// `workload: {packing: …}`: the tasks of the workload arrive one by one, are placed once or rejected, and never leave.
struct PackingSection {
  int orders = 10;           // random orders of arrival
  double load = 1.3;         // GPUs asked for in all, as a share of the cluster's
  double measured_at = 1;    // asked for so far, where the allocated share is reported
  bool repeats_tasks = true; // where the tasks ask for less than `load`, copies of them follow
};

/// Which jobs count in the figures of a queue; the others run too.
struct MeasuredJobs {
  Seconds from;                 // submitted then or later, since the first submission
  std::optional<Seconds> until; // submitted then or before; absent: to the last submission
  int from_job = 0;             // so many of the first submitted do not count
  int until_job = 0;            // those after so many do not count; 0: all do
  bool detect_warm_up = false;  // and after the warm-up that the run shows
};

/// `workload:` of a scenario: jobs for the queue: from a trace, generated, or listed.
struct WorkloadSection {
  std::optional<std::filesystem::path> trace; // absolute, or relative to the working folder
  TraceOptions options;
  std::optional<GeneratorSpec> generate;
  std::optional<Workload> listed;                   // the jobs are listed in the scenario itself
  std::map<std::string, double> steps;              // of listed jobs without a duration, by name
  std::optional<std::filesystem::path> machines;    // a file of machines that takes the place of `cluster`
  std::optional<std::filesystem::path> throughputs; // steps per second by GPU type and kind of job (Gavel's JSON)
  std::map<std::string, GoodputSpec> goodput;       // of models, by name
  std::string reference_gpu; // type that run times were measured on; empty: the trace's, or the only type
  int like_trace = 0;        // > 0: number of jobs generated with the statistics of the trace, instead of its own
  Seconds resample;          // > 0: length of the blocks of the trace that are drawn anew for each seed
  std::vector<std::pair<std::string, double>> models; // given to jobs without one, by share
  std::optional<PackingSection> packing;              // the jobs are packed, not replayed
  std::optional<MeasuredJobs> measured;               // absent: all jobs count
  double estimate_badness = -1;                       // below 0: the trace's own estimates; else the f-model's badness
};

} // namespace trainyard
