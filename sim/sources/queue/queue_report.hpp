// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "sim/sources/queue/measured_window.hpp"
#include "sim/sources/queue/queue_failure.hpp"
#include "sim/sources/queue/queue_metrics.hpp"
#include "sim/sources/queue/recorded_history.hpp"
#include "sim/sources/scenario_runner.hpp"

#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace trainyard {

/// Rows of jobs.csv, waits.csv and runs.csv are kept for workloads up to this size; larger ones keep the metrics only.
inline constexpr int most_listed_jobs = 200'000;

/// One policy on one workload.
/// Tokens per second of transformers that are divided among GPUs, alone, by model and GPUs of the job.
using DividedSpeeds = std::map<std::pair<int, int>, double>;

struct QueueRun {
  std::string point;
  std::string label; // "easy_backfill", "easy_backfill on pack"
  std::shared_ptr<const Workload> workload;
  SchedulingResult result;
  QueueMetrics metrics;
  std::optional<RecordedHistory> history; // where the trace recorded waits
  std::optional<MeasuredWindow> measured; // where only some jobs count in `metrics` and groups
  QueueCosts costs;
  int gpus = 0;
  std::vector<int> node_gpus;                   // of each machine; empty: counted only
  std::vector<std::string> node_names;          // of each machine
  std::vector<QueueFailure> failures;           // of machines and processes, in order of time
  std::vector<QueueSample> series;              // over the makespan; empty for long workloads
  std::shared_ptr<const DividedSpeeds> divided; // null: no job is divided among GPUs
  std::optional<double> optimal_makespan;       // by trying every order, where that is small enough, s
};

/// Which run is best for which measure, and why: mean completion, longest waits, by size and team, makespan.
std::string advice_of(const std::vector<QueueRun>& runs);

/// summary.json of a queue run.
std::string queue_summary(const Scenario& scenario, const std::vector<QueueRun>& runs, const std::string& notes,
                          const std::string& advice);

/// The columns of each CSV file; those of queue_columns(), which metrics.csv and groups.csv have too, left out.
std::vector<FileColumns> queue_file_columns();

/// All files beside summary.json: tables and plots.
std::vector<RunFile> queue_files(const std::shared_ptr<std::vector<QueueRun>>& runs);

/// Why a job waited, from the files of a results folder; empty @p what: the run as a whole. Throws InputError where
/// there is no such thing.
std::string explain_queue(const std::filesystem::path& folder, const std::string& what, const std::string& name);

} // namespace trainyard
