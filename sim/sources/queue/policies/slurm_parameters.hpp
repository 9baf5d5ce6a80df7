// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "models/core/instant.hpp"
#include "models/core/registry.hpp"

#include <string>
#include <vector>

namespace trainyard {

/// The settings of the queue policy `slurm`.
std::vector<Parameter> slurm_parameters();

/// When the schedulers of a recorded slurmctld ran, rising.
struct SlurmRuns {
  std::vector<Instant> main, backfill;
};

/// Reads the setting `runs`: "m0.5 m1.5 b2.25", in seconds, m: main scheduler, b: backfill. Throws
/// std::invalid_argument for what cannot be read, and where a time is before the one of the same scheduler before it.
SlurmRuns slurm_runs(const std::string& text);

} // namespace trainyard
