// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "models/hardware/catalogue.hpp"
#include "sim/results/results.hpp"
#include "sim/sources/jobs/point_run.hpp"
#include "sim/sources/scenario_runner.hpp"

#include <cstddef>
#include <vector>

namespace trainyard {

/// Runs a point, and with run.replicas the same with the seeds after its own (run.seed + 1 …): then the rows are means
/// over all of times, rates and shares; what names one thing (bottleneck, critical path, links) stays that of the first
/// seed. Fills Results::seeds with mean, interval and range.
///
/// Returns the samples per second of each row with the scenario's own seed alone. Its threads: seeds that run at once.
std::vector<double> run_with_seeds(const CheckedPoint& point, const Catalogue& catalogue, const PointOptions& options,
                                   Results& first);

/// Without replicas: fills Results::seeds of jobs on hashed paths with the range of some seeds, where simulating them
/// takes at most about a second for all @p points together. By an estimate of the work, not by the clock: the same
/// scenario prints the same everywhere.
void look_at_other_seeds(const CheckedPoint& point, const Catalogue& catalogue, std::size_t points, std::size_t threads,
                         Results& first);

} // namespace trainyard
