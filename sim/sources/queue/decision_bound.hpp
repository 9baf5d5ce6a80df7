// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "models/core/instant.hpp"

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>

namespace trainyard {

/// The upper bound of a run's decisions: a policy, or a scheduler outside, that is asked because it wants to be may
/// change nothing so many times in a row, and a hundred times more for each second of the simulated clock. All other
/// decisions follow from an event, of which there is a bounded number.
class DecisionBound
{
public:
  /// Something has happened, or a decision has changed something.
  void restart(Instant now)
  {
    since_ = now;
    in_vain_ = 0;
  }
  /// A decision that the policy has asked for has changed nothing. @p jobs: that wait or run. Throws
  /// std::invalid_argument where there are too many of them.
  void in_vain(Instant now, std::size_t jobs)
  {
    const double most = 10'000 + 10.0 * static_cast<double>(jobs) + 100 * (now - since_).value();
    if (static_cast<double>(++in_vain_) > most)
      throw std::invalid_argument{
          "no progress: it asked for " + std::to_string(in_vain_) + " decisions in a row that changed nothing, from " +
          std::to_string(since_.value()) + " to " + std::to_string(now.value()) +
          " s; the run was given up. A policy asks again when it expects something to change, not at once"};
  }

private:
  Instant since_;
  std::int64_t in_vain_ = 0;
};

} // namespace trainyard
