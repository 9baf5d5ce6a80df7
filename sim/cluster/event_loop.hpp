// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "models/core/instant.hpp"
#include "models/core/interrupt.hpp"

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <tuple>
#include <utility>

namespace trainyard {

/// What is to be done when; equal times in the order in which they were asked for, but decisions after everything else
/// of their instant.
class EventLoop
{
public:
  using Key = std::tuple<Instant, bool, std::uint64_t>;

  Instant now() const { return now_; }

  Key at(Instant when, std::function<void()> action, bool decision = false)
  {
    const Key key{std::max(when, now_), decision, next_++};
    actions_.emplace(key, std::move(action));
    return key;
  }
  Key after(Instant delay, std::function<void()> action)
  {
    return at(delay >= end_of_time - now_ ? end_of_time : now_ + delay, std::move(action));
  }

  void cancel(const Key& key) { actions_.erase(key); }

  /// When the first action is due; nothing where none is left.
  std::optional<Instant> next() const
  {
    return actions_.empty() ? std::nullopt : std::optional{std::get<0>(actions_.begin()->first)};
  }

  /// Everything that is due at @p now, also what that adds; the clock then stands there.
  void step(Instant now) { run(now + Instant{1}, now); }

  /// Everything before @p until; the clock then stands there.
  void run(Instant until) { run(until, until); }

private:
  void run(Instant until, Instant end)
  {
    while (!actions_.empty() && std::get<0>(actions_.begin()->first) < until) {
      check_interrupt();
      const auto first = actions_.begin();
      now_ = std::get<0>(first->first);
      const std::function<void()> action = std::move(first->second);
      actions_.erase(first);
      action();
    }
    now_ = end;
  }

  Instant now_{};
  std::uint64_t next_ = 0;
  std::map<Key, std::function<void()>> actions_;
};

} // namespace trainyard
