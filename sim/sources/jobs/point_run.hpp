// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "models/hardware/catalogue.hpp"
#include "sim/results/results.hpp"
#include "sim/sources/scenario_runner.hpp"

namespace trainyard {

/// Runs one checked point and adds its rows to @p results; @p draw: also the bars of its timeline.
///
/// Throws InputError where a job has no place or cannot train there, std::logic_error where the outcome breaks a law of
/// physics.
void run_point(const CheckedPoint& point, const Catalogue& catalogue, bool draw, Results& results);

} // namespace trainyard
