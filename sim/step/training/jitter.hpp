// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "models/core/random.hpp"
#include "models/job/job.hpp"

namespace trainyard {

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
