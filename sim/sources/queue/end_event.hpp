// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "models/core/units.hpp"
#include "models/job/workload.hpp"

#include <cstdint>
#include <tuple>

namespace trainyard {

/// When a running job will end; stale once the job's version has moved on.
struct EndEvent {
  Seconds time;
  std::uint64_t sequence = 0;
  JobId job;
  std::uint32_t version = 0;
};

/// Order of the heap: (time, insertion).
struct Later {
  bool operator()(const EndEvent& a, const EndEvent& b) const
  {
    return std::tie(a.time, a.sequence) > std::tie(b.time, b.sequence);
  }
};

} // namespace trainyard
