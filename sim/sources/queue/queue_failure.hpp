// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "models/core/units.hpp"
#include "models/job/workload.hpp"

#include <optional>
#include <string>
#include <vector>

namespace trainyard {

/// A failure that happened under a queue, and whom it hit.
struct QueueFailure {
  std::string name; // in words: "rack 3"
  Instant at;
  std::optional<Instant> repaired;
  std::vector<int> nodes; // machines that were down meanwhile; none where a process failed
  std::vector<JobId> hit; // jobs that ran there
};

} // namespace trainyard
