// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "sim/sources/queue/scheduling.hpp"

#include <vector>

namespace trainyard::tests {

/// Seconds, by job.
using Times = std::vector<double>;

/// -1: it never starts.
inline Times start_times(const SchedulingResult& result)
{
  Times times;
  for (const JobOutcome& outcome : result.jobs)
    times.push_back(outcome.first_start < Instant{0} ? -1 : outcome.first_start.value());
  return times;
}

inline Times end_times(const SchedulingResult& result)
{
  Times times;
  for (const JobOutcome& outcome : result.jobs)
    times.push_back(outcome.end.value());
  return times;
}

} // namespace trainyard::tests
