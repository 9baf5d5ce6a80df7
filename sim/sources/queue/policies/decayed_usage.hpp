// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "models/core/instant.hpp"

#include <cmath>
#include <numbers>

namespace trainyard {

/// GPU time held so far, in which each part counts half after a half-life. Source: Slurm, PriorityDecayHalfLife.
struct DecayedUsage {
  double used = 0; // GPU-seconds until `at`, decayed
  double rate = 0; // GPUs held since then
  Instant at;

  void bring_forward(Instant now, Instant half_life)
  {
    const double decay = std::exp2((at - now) / half_life);
    used = used * decay + rate * half_life.value() / std::numbers::ln2 * (1 - decay);
    at = now;
  }
};

} // namespace trainyard
