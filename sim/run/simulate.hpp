// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "models/core/diagnostics.hpp"
#include "models/scenario/document.hpp"
#include "models/scenario/read_scenario.hpp"
#include "sim/results/results.hpp"
#include "sim/sources/scenario_runner.hpp"

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

} // namespace trainyard
