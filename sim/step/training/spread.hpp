// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "models/core/random.hpp"
#include "models/core/registry.hpp"
#include "models/job/job.hpp"
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

/// Steps of equal work differ.
inline bool is_random(const JitterSpec& jitter)
{
  return jitter.distribution != "none" && jitter.coefficient_of_variation > 0;
}

/// Factor on the compute time of one step of one worker: a draw with mean 1 from the job's named distribution, 1 for
/// `none`.
///
/// Depends on (@p random of the job, worker, step) only, so a program that begins at a later step draws the same
/// numbers. `normal` is cut at 0.01; `exponential_tail` is 1 - c plus an exponential of mean c (c = coefficient of
/// variation, at most 1). Throws std::invalid_argument for an unknown distribution.
double jitter_factor(const JitterSpec& jitter, const Random& random, int worker, int step);

} // namespace trainyard
