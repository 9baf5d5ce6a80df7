// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "models/core/diagnostics.hpp"
#include "models/scenario/document.hpp"
#include "models/scenario/read_scenario.hpp"
#include "sim/report/results.hpp"

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

namespace trainyard {

/// Everything a scenario can name, from the registries of this program.
Parts registered_parts();

/// One point of a scenario, read and checked.
struct CheckedPoint {
  std::string label; // "workers=8 variant=ring"; empty where there is one point
  std::string variant;
  Scenario scenario;
};

/// Reads and checks one point of a sweep; faults go to @p diagnostics, settings without effect to @p idle where it is given.
CheckedPoint check_point(const SweepPoint& point, const Catalogue& catalogue, const Parts& parts, Diagnostics& diagnostics,
                         std::vector<Diagnostic>* idle = nullptr);

/// Reads and checks every point of a scenario's sweep, up to "would it run": placement, memory, transports, routes. Runs nothing.
///
/// Every fault and every setting without effect goes to @p diagnostics, once however many points have it.
std::vector<CheckedPoint> check_points(const Document& document, Diagnostics& diagnostics);

/// A number that is known while the rest still runs: a point of a curve.
struct LiveResult {
  std::string point;
  std::string job;    // or policy
  std::string series; // the curve
  std::string x_name; // with unit, as in the columns of the results
  double x = 0;
  std::string y_name;
  double y = 0;
};

struct SimulateOptions {
  /// Called before each point with the number done, the number of all and the label of the next, and once at the end. May throw to stop.
  std::function<void(std::size_t done, std::size_t total, const std::string& label)> progress;
  /// Called from the same thread with what has become known, in no particular order of points.
  std::function<void(const LiveResult&)> result = {};
  /// Hardware that was read before; null: it is read again. (Runners of scenarios that are more than training steps.)
  const Catalogue* catalogue = nullptr;
  /// Only the figures of the summary are wanted: no records of why each job waited and where it ran, and so no fragmented_wait_hours.
  bool figures_only = false;
};

/// Simulates the points and gives the rows of all of them in order; `run` of the result is left to the caller except seed and fidelity.
///
/// Throws std::runtime_error when the back end fails, and what `progress` throws.
Results simulate(const std::vector<CheckedPoint>& points, const SimulateOptions& options = {});
/// The same with hardware that was read before (or changed).
Results simulate(const std::vector<CheckedPoint>& points, const Catalogue& catalogue, const SimulateOptions& options = {});

} // namespace trainyard
