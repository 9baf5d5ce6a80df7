// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "models/core/instant.hpp"
#include "models/core/random.hpp"
#include "models/scenario/sections/task_environment.hpp"

#include <algorithm>
#include <cstdint>

namespace trainyard {

/// A question and its answer, tried several times.
struct Exchange {
  bool answered = false;
  Instant time{}; // until the answer, or until the service gives up
};

/// The first tick at or after @p from of a clock that ticks every @p period; @p phase in [0, 1) of a period after @p
/// zero.
inline Instant next_tick(Instant from, Instant zero, double phase, Instant period)
{
  const Instant first = zero + Instant{seconds(period) * phase};
  const Instant behind = (from - first) % period;
  return behind == Instant{0} ? from : behind > Instant{0} ? from + period - behind : from - behind;
}

/// Carries messages, each of which may get lost.
class MessageChannel
{
public:
  /// Counts into `messages` and `lost_messages` of @p counters.
  template <class Counters>
  MessageChannel(const MessageSpec& spec, Counters& counters)
      : spec_{spec}, sent_{counters.messages}, lost_{counters.lost_messages}
  {
  }

  bool arrives(RandomStream& random)
  {
    ++sent_;
    const bool there = spec_.loss <= 0 || random.uniform() >= spec_.loss;
    lost_ += there ? 0 : 1;
    return there;
  }

  /// Succeeds with probability 1 - f, f = (1 - (1 - p)^2)^k for loss p and k tries.
  Exchange exchange(RandomStream& random)
  {
    const Instant round_trip = 2 * Instant{spec_.latency}, patience = std::max(Instant{spec_.retry_after}, round_trip);
    Instant passed{};
    for (int attempt = 0; attempt < spec_.tries; ++attempt) {
      if (arrives(random) && arrives(random))
        return {true, passed + round_trip};
      passed += patience;
    }
    return {false, passed};
  }

private:
  const MessageSpec& spec_;
  std::int64_t& sent_;
  std::int64_t& lost_;
};

} // namespace trainyard
