// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "models/hardware/catalogue.hpp"
#include "sim/results/results.hpp"
#include "sim/sources/scenario_runner.hpp"

#include <cstddef>

namespace trainyard {

/// Runs a point with the other seeds of run.replicas (run.seed, run.seed + 1 …), and turns its rows into means over
/// all: times, rates and shares; what names one thing (bottleneck, critical path, links) stays that of the first seed.
/// Fills Results::seeds with mean, interval and range.
///
/// @p first: the outcome with the scenario's own seed. Without replicas nothing happens. @p threads: seeds that run at
/// once.
void repeat_with_seeds(const CheckedPoint& point, const Catalogue& catalogue, std::size_t threads, Results& first);

/// Without replicas: fills Results::seeds of jobs on hashed paths with the range of some seeds, where simulating them
/// takes at most about a second for all @p points together. By an estimate of the work, not by the clock: the same
/// scenario prints the same everywhere.
void look_at_other_seeds(const CheckedPoint& point, const Catalogue& catalogue, std::size_t points, std::size_t threads,
                         Results& first);

} // namespace trainyard
