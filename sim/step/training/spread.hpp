// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "models/core/registry.hpp"
#include "sim/step/training/training_mode.hpp"

namespace trainyard {

/// The setting `spread`: how much the steps of equal workers differ, as a class of systems whose spread is published.
Parameter spread_parameter();

/// Standard deviation of a worker's step as a share of its computing, by that setting; 0 without it.
double spread_of(const Settings& settings, const TrainingContext& context);

/// How long the workers wait for the slowest of them, if each computes for @p computing on average: the expected
/// maximum of as many normal draws.
Seconds wait_for_slowest(Seconds deviation, int workers);

} // namespace trainyard
