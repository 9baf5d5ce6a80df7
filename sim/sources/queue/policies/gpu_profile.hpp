// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "models/core/instant.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <utility>
#include <vector>

namespace trainyard {

/// Free thousandths of GPUs from each time on, as a step function: what plans with reservations count in.
class GpuProfile
{
public:
  GpuProfile(Instant now, std::int64_t free) : free_{{now, free}} {}

  void add(Instant from, Instant to, std::int64_t change)
  {
    if (from >= to)
      return;
    const std::size_t first = split(from);
    const std::size_t last = to < end_of_time ? split(to) : free_.size();
    for (std::size_t i = first; i < last; ++i)
      free_[i].second += change;
  }

  /// Forgets what was before @p now.
  void advance(Instant now)
  {
    const auto at = free_.begin() + static_cast<std::ptrdiff_t>(step_at(now));
    at->first = now;
    free_.erase(free_.begin(), at);
  }

  std::int64_t at(Instant time) const { return free_[step_at(time)].second; }

  /// Earliest time from @p now on at which @p needed is free for @p length.
  Instant earliest(Instant now, Instant length, std::int64_t needed) const
  {
    auto at = free_.begin() + static_cast<std::ptrdiff_t>(step_at(now));
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
    for (std::size_t i = step_at(from); i < free_.size() && (free_[i].first <= from || free_[i].first < from + length);
         ++i)
      if (free_[i].second < needed)
        return false;
    return true;
  }

private:
  using Step = std::pair<Instant, std::int64_t>;

  /// The step that @p time lies in; the first for what was before it.
  std::size_t step_at(Instant time) const
  {
    const auto after = std::ranges::upper_bound(free_, time, {}, &Step::first);
    return static_cast<std::size_t>(std::max<std::ptrdiff_t>(after - free_.begin(), 1) - 1);
  }

  /// The step that begins at @p time, made where there is none.
  std::size_t split(Instant time)
  {
    const auto at = std::ranges::lower_bound(free_, time, {}, &Step::first);
    const auto place = static_cast<std::size_t>(at - free_.begin());
    if (at == free_.end() || at->first != time)
      free_.emplace(at, time, free_[std::max<std::size_t>(place, 1) - 1].second);
    return place;
  }

  std::vector<Step> free_; // in order; few enough that moving them is cheaper than a tree
};

} // namespace trainyard
