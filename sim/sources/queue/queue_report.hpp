// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "models/job/workload.hpp"
#include "models/results/model_error.hpp"
#include "models/results/telling.hpp"
#include "models/scenario/sections/workload.hpp"
#include "sim/report/picture.hpp"
#include "sim/sources/queue/queue_faults.hpp"
#include "sim/sources/queue/queue_metrics.hpp"
#include "sim/sources/scenario_runner.hpp"

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace trainyard {

// What errors of predicted steps make of a queue: jobs that say their steps run longer or shorter than predicted.

/// Figures of a queue as they are where all steps are as long as at one place of their errors: "low_95" … "high_95".
using QueueEnds = std::vector<std::pair<std::string, QueueMetrics>>;

/// One replay for each place. @p errors: by job; exact where the run time is as given. Jobs are off alike: most of an
/// error is of the system. @p replay: runs the queue on other jobs.
QueueEnds queue_ends(const Workload& workload, std::span<const ModelError> errors,
                     const std::function<QueueMetrics(std::shared_ptr<const Workload>)>& replay);

/// "jct_s_mean_low_80" and so on of times and money, in ascending order of their ends. Without those of a figure that
/// is absent at one of them.
std::map<std::string, double> figures_of(const QueueEnds& ends);

/// A row of a run, with what is 80 % sure of its times; the kinds of tables that say so are told below the rows.
std::vector<TableCell> row_of(const std::string& label, const QueueEnds& ends);
const std::vector<Column>& columns_of_ends();

/// The jobs that count, with their outcomes, and the stretch of time whose GPU hours count.
struct MeasuredWindow {
  Instant from;
  Instant until;
  bool detected = false; // `from` is where the warm-up was found to end
  Workload jobs;
  SchedulingResult result;

  /// "jobs submitted from 2 d to 10 d count, 812 of 1500"
  std::string text(int all_jobs) const;
};

/// Where the warm-up of a series ends, by MSER-5: the number of values to leave out that makes the standard error of
/// the mean of the rest smallest, over means of five, at most half of the series. White, "An effective truncation
/// heuristic for bias reduction in simulation output", Simulation 1997.
std::size_t warm_up_length(const std::vector<double>& values);

/// Its time, before the run. Throws InputError where no job is submitted in it.
MeasuredWindow window_of(const MeasuredJobs& asked, const Workload& workload);
/// The window that @p asked means in a run; jobs without an end count as such.
MeasuredWindow window_of(const MeasuredJobs& asked, const Workload& workload, const SchedulingResult& result);

/// The figures of its jobs; utilisation, energy and cost are those of its time, from the records of stays.
QueueMetrics metrics_in(const MeasuredWindow& window, const std::string& name, const Workload& workload,
                        const SchedulingResult& whole, int total_gpus, const QueueCosts& costs);

/// Waits until the first start, of jobs that the trace has a wait of and that started in the replay.
struct RecordedHistory {
  int jobs = 0;
  Distribution recorded;
  Distribution replayed;
  Distribution difference; // |replayed - recorded| of each job
  double within = 0;       // share of the jobs whose waits differ by less than a minute

  /// Two lines for people, a table's worth of figures.
  std::string text(const std::string& policy) const;
};

/// @p waits: by line of the trace's file. Nothing where no job has one.
std::optional<RecordedHistory> history_of(const Workload& workload, const SchedulingResult& result,
                                          const std::unordered_map<std::int64_t, Instant>& waits);

/// Rows of waits.csv, runs.csv and events.csv are kept for workloads up to this size; larger ones have jobs.csv only.
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
  QueueEnds ends;                               // empty: run times are as given
  std::vector<ModelError> step_errors;          // of its jobs, likewise
  std::optional<double> optimal_makespan;       // by trying every order, where that is small enough, s
};

/// Which run is best for which measure, and why: mean completion, longest waits, by size and team, makespan.
Messages advice_of(const std::vector<QueueRun>& runs);

/// summary.json of a queue run.
nlohmann::ordered_json queue_summary(const Scenario& scenario, const std::vector<QueueRun>& runs,
                                     const std::string& notes);

/// The columns of each CSV file; those of queue_columns(), which metrics.csv and groups.csv have too, left out.
std::vector<FileColumns> queue_file_columns();

/// All files beside summary.json: tables and plots.
std::vector<RunFile> queue_files(const std::shared_ptr<std::vector<QueueRun>>& runs);

/// Why a job waited, from the files of a results folder; empty @p what: the run as a whole. Throws InputError where
/// there is no such thing.
Telling explain_queue(const WrittenRun& run, const std::string& what, const std::string& name);

/// GPUs in use, waiting jobs and fragmentation over time, a line per policy.
Picture queue_picture(const std::vector<QueueRun>& runs);

/// Gantt chart of one policy: GPUs from bottom to top, time from left to right, a colour per team; of many jobs the
/// busiest stretch of time.
Picture gantt_picture(const QueueRun& run);

/// A CSV file of the results folder.
struct QueueTable {
  const char* name;
  std::vector<ColumnFacts> columns; // besides queue_columns()
  std::string (*text)(const std::vector<QueueRun>&);
  bool lists_all = true; // a row for each job or event
};

std::vector<QueueTable> queue_tables();

} // namespace trainyard
