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

/// Reads and checks every point of a scenario's sweep, up to "would it run": placement, memory, transports, routes. Runs nothing.
///
/// Every fault and every setting without effect goes to @p diagnostics, once however many points have it.
std::vector<CheckedPoint> check_points(const Document& document, Diagnostics& diagnostics);

struct SimulateOptions {
  /// Called before each point with the number done, the number of all and the label of the next, and once at the end. May throw to stop.
  std::function<void(std::size_t done, std::size_t total, const std::string& label)> progress;
};

/// Simulates the points and gives the rows of all of them in order; `run` of the result is left to the caller except seed and fidelity.
///
/// Throws std::runtime_error when the back end fails, and what `progress` throws.
Results simulate(const std::vector<CheckedPoint>& points, const SimulateOptions& options = {});

} // namespace trainyard
