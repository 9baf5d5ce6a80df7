// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "models/core/diagnostics.hpp"
#include "models/hardware/catalogue.hpp"
#include "models/scenario/document.hpp"
#include "models/scenario/read_scenario.hpp"
#include "sim/results/results.hpp"
#include "sim/sources/jobs/point_run.hpp"
#include "sim/sources/scenario_runner.hpp"

#include <cstddef>
#include <functional>
#include <vector>

namespace trainyard {

/// Everything a scenario can name, from the registries of this program.
Parts registered_parts();

/// Reads and checks one point of a sweep; faults go to @p diagnostics, settings without effect to @p idle where it is
/// given.
CheckedPoint check_point(const SweepPoint& point, const Catalogue& catalogue, const Parts& parts,
                         Diagnostics& diagnostics, std::vector<Diagnostic>* idle = nullptr);

/// Reads and checks every point of a scenario's sweep, up to "would it run": placement, memory, transports, routes.
/// Runs nothing.
///
/// Every fault and every setting without effect goes to @p diagnostics, once however many points have it.
std::vector<CheckedPoint> check_points(const Document& document, Diagnostics& diagnostics);
/// The same with hardware that was read before.
std::vector<CheckedPoint> check_points(const Document& document, const Catalogue& catalogue, Diagnostics& diagnostics);

/// Simulates the points and gives the rows of all of them in order; `run` of the result is left to the caller except
/// seed and fidelity.
///
/// Throws std::runtime_error when the back end fails, and what `progress` throws.
Results simulate(const std::vector<CheckedPoint>& points, const SimulateOptions& options = {});
/// The same with hardware that was read before (or changed).
Results simulate(const std::vector<CheckedPoint>& points, const Catalogue& catalogue,
                 const SimulateOptions& options = {});

/// Calls @p work(0) … @p work(count - 1) on @p threads threads (1: in this one) and gives the answers in order.
///
/// @p progress, where given, is called from the caller's thread with the number done: at the start, as points end, and
/// at least every 0.1 s, so that it can notice an interrupt; what it throws stops the rest;
/// after Interrupted the answers that are there are given (interrupt::keep). Of several errors in the
/// work the one with the lowest number is thrown.
/// @p finished, where given, is called from the same thread with each answer soon after it is there, in the order in
/// which they end.
std::vector<Results> side_by_side(std::size_t count, std::size_t threads,
                                  const std::function<Results(std::size_t)>& work,
                                  const std::function<void(std::size_t done)>& progress,
                                  const std::function<void(std::size_t index, const Results&)>& finished = {});

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
