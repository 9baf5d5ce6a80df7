// SPDX-License-Identifier: Apache-2.0
// Figures over a part of a run: without the time in which an empty cluster fills, and without its end.
#pragma once
#include "models/scenario/sections/workload.hpp"
#include "sim/sources/queue/queue_metrics.hpp"

#include <optional>
#include <string>
#include <vector>

namespace trainyard {

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

/// The window that @p asked means in a run; jobs without an end count as such.
MeasuredWindow window_of(const MeasuredJobs& asked, const Workload& workload, const SchedulingResult& result);

/// The figures of its jobs; utilisation, energy and cost are those of its time, from the records of stays.
QueueMetrics metrics_in(const MeasuredWindow& window, const std::string& name, const SchedulingResult& whole,
                        int total_gpus, const QueueCosts& costs);

} // namespace trainyard
