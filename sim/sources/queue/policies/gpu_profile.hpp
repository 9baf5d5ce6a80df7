// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "models/core/instant.hpp"

#include <cstdint>
#include <iterator>
#include <map>

namespace trainyard {

/// Free thousandths of GPUs from each time on, as a step function: what plans with reservations count in.
class GpuProfile
{
public:
  GpuProfile(Instant now, std::int64_t free) { free_[now] = free; }

  void add(Instant from, Instant to, std::int64_t change)
  {
    if (from >= to)
      return;
    split(from);
    if (to < end_of_time)
      split(to);
    const auto last = to < end_of_time ? free_.find(to) : free_.end();
    for (auto at = free_.find(from); at != last; ++at)
      at->second += change;
  }

  /// Forgets what was before @p now.
  void advance(Instant now)
  {
    const std::int64_t free = at(now);
    free_.erase(free_.begin(), free_.upper_bound(now));
    free_[now] = free;
  }

  std::int64_t at(Instant time) const { return std::prev(free_.upper_bound(time))->second; }

  /// Earliest time from @p now on at which @p needed is free for @p length.
  Instant earliest(Instant now, Instant length, std::int64_t needed) const
  {
    auto at = std::prev(free_.upper_bound(now));
    Instant begin = now;
    while (at != free_.end()) {
      if (at->second < needed) {
        ++at;
        if (at == free_.end())
          return end_of_time;
        begin = at->first;
        continue;
      }
      const auto following = std::next(at);
      if (following == free_.end() || following->first >= begin + length)
        return begin;
      at = following;
    }
    return end_of_time;
  }

  bool free_for(Instant from, Instant length, std::int64_t needed) const
  {
    return earliest(from, length, needed) == from;
  }

private:
  void split(Instant time)
  {
    const auto after = free_.upper_bound(time);
    if (after == free_.begin())
      free_[time] = free_.begin()->second;
    else
      free_.try_emplace(time, std::prev(after)->second);
  }

  std::map<Instant, std::int64_t> free_;
};

} // namespace trainyard
