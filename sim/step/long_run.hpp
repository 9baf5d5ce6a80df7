// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "sim/step/engine/executor.hpp"
#include "sim/step/training/training_mode.hpp"

#include <optional>
#include <vector>

namespace trainyard {

/// Workers without a barrier, once it does not matter any more where they began.
struct LongRun {
  double rate = 0;                  // steps/s, mean of the workers
  double half_width = 0;            // of its 95 % interval, as a share of it
  std::vector<double> worker_rates; // steps/s, by number of the worker
  double mean_staleness = 0;        // steps that others ended between a worker's last pull and its step's end
  double largest_staleness = 0;
  int steps = 0;       // simulated, of a worker on average
  StepProgram program; // some of them
  StepTrace trace;
};

/// Lets the workers step until the mean of their rates is known to @p relative_half_width, or as long as can be had.
/// Nothing where the executor or the steps do not allow it. @p warm_up: steps that do not count, at least.
std::optional<LongRun> long_run(const Cluster& cluster, const TrainingMode& mode, const TrainingContext& context,
                                const Executor& executor, int warm_up, double relative_half_width);

/// The mean of a series whose beginning does not count, and the half width of its 95 % interval.
struct SettledMean {
  std::size_t first = 0; // value that counts; a third does not
  double mean = 0;
  double half_width = 0; // infinite where too few values are left
};

/// @p first: so many values do not count at least.
SettledMean settled_mean(const std::vector<double>& values, std::size_t first);

} // namespace trainyard
