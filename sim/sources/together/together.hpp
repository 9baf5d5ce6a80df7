// SPDX-License-Identifier: Apache-2.0
// A queue, services and retraining on the same machines, under one clock. Private to this folder.
#pragma once
#include "models/core/instant.hpp"
#include "models/results/column.hpp"
#include "sim/sources/queue/queue_point.hpp"
#include "sim/sources/retraining/environment_report.hpp"
#include "sim/sources/scenario_runner.hpp"
#include "sim/sources/services/orchestration_report.hpp"

#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace trainyard::together {

/// A part of the scenario that a run leaves out, to see what the others pay for it.
enum class LeftOut { nothing, queue, services, retraining, failures };
Message message_of(LeftOut part);
std::string to_text(LeftOut part);

/// One run of one point. Parts that the scenario has not, or that were left out, are absent.
struct TogetherRun {
  std::string point;
  LeftOut left_out = LeftOut::nothing;
  std::string policy; // of the queue; empty where the scenario has none
  std::optional<QueueRun> queue;
  QueueMetrics own_jobs; // of the queue, without those that retraining sent it
  std::optional<orchestration::PointRun> services;
  std::optional<EnvironmentRunSet> retraining;
  std::vector<SlowVisit> slow_visits; // training of services and of retraining's planner, slowed on shared links
  std::vector<std::string> nodes;     // names of the machines
};

/// A stay on a machine: who held what, from when to when.
struct Stay {
  Instant from;
  Instant to;
  std::string source; // queue, services, retraining (also where its trainings are jobs of the queue)
  std::string name;   // of the job, task or request
  std::string node;
  int gpus = 0;
  int gpu_milli = 1000; // of each
  std::uint32_t gpu_mask = 0;
};

/// Everything that was held, in order of time; the queue's part is empty where the workload is too long to list
/// (most_listed_jobs).
std::vector<Stay> stays_of(const TogetherRun& run, Instant until);

/// One point of a scenario, ready to be run with all its parts or without one of them.
class TogetherPoint
{
public:
  /// @p point lives as long as this. Notes of readers go to @p notes.
  TogetherPoint(const CheckedPoint& point, const Catalogue& catalogue, std::string& notes);

  std::vector<LeftOut> parts() const;
  TogetherRun run(const NamedPart& policy, const NamedPart& placement, LeftOut without);
  const QueuePoint& queue() const { return queue_; }

private:
  const CheckedPoint& point_;
  QueuePoint queue_;
  std::optional<orchestration::PointRun> services_;
  std::unique_ptr<TrainingRates> rates_;
};

/// The answer: what each part costs the others, the tables of all parts, their files in folders of their own, and
/// timeline.csv. @p doubts: warnings about values of the scenario.
RunReport together_report(const std::vector<CheckedPoint>& points, const std::vector<TogetherRun>& runs,
                          const std::string& notes, std::vector<Diagnostic> doubts);
/// The answer of an earlier run as a whole: its question, the first table and what stands below it, its warnings.
Telling explain_together(const WrittenRun& folder);

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
