// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "models/core/registry.hpp"
#include "sim/step/training/training_mode.hpp"

#include <vector>

namespace trainyard {

/// The setting `spread`: how much the steps of equal workers differ, as a class of systems whose spread is published.
Parameter spread_parameter();

/// Standard deviation of a worker's step as a share of its computing, by that setting; 0 without it. @p barrier: the
/// workers wait for the slowest.
double spread_of(const Settings& settings, const TrainingContext& context, bool barrier = true);

/// By which factor each worker computes longer than the mean of all, where they have no barrier. Which worker is how
/// fast is chance; how fast the fastest and all others are is what is expected of as many normal draws.
std::vector<double> spread_factors(double spread, const TrainingContext& context);

/// How long the workers wait for the slowest of them, if each computes for @p computing on average: the expected
/// maximum of as many normal draws.
Seconds wait_for_slowest(Seconds deviation, int workers);

} // namespace trainyard
