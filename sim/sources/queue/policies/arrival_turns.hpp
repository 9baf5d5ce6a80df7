// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "models/job/workload.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace trainyard {

/// The order in which jobs first arrived. A job that comes back after a failure has its old turn.
class ArrivalTurns
{
public:
  /// Turn of a job that arrives now: 0, 1, … at first arrivals.
  std::int64_t of(JobId id)
  {
    const auto index = static_cast<std::size_t>(id.index);
    if (index >= turns_.size())
      turns_.resize(index + 1, -1);
    if (turns_[index] < 0)
      turns_[index] = next_++;
    return turns_[index];
  }
  /// The next new turn: above all that were given.
  std::int64_t next() const { return next_; }

private:
  std::vector<std::int64_t> turns_; // by job; -1: it has not come yet
  std::int64_t next_ = 0;
};

} // namespace trainyard
