// SPDX-License-Identifier: Apache-2.0
// The clock of the orchestrators. Private to this folder.
#pragma once
#include "sim/cluster/clock.hpp"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <queue>
#include <tuple>
#include <vector>

namespace trainyard::orchestration {

enum class EventKind : std::uint8_t {
  arrival,
  repair,
  detect,
  evict,
  notice,
  ready,
  pulled,
  running,
  stopped,
  finished,
  tick,
  update,
  update_batch,
  scale,
  rate,
  client,
  join,
  cleanup,
  crash,
  update_swap,
  look
};

struct Event {
  Instant time{0};
  std::uint64_t order = 0;
  EventKind kind = EventKind::arrival;
  int subject = 0;
  std::uint32_t stamp = 0; // of the subject when it was planned
  int detail = 0;

  bool operator>(const Event& other) const { return std::tuple{time, order} > std::tuple{other.time, other.order}; }
};

/// What time it is, and what is planned, in order of (time, planned first).
class Agenda
{
public:
  /// What is planned for after @p until never happens.
  explicit Agenda(Instant until) : until_{until} {}

  Instant now() const { return now_; }
  Instant until() const { return until_; }
  void plan(Instant time, EventKind kind, int subject, std::uint32_t stamp = 0, int detail = 0)
  {
    if (time <= until_)
      events_.push({time, order_++, kind, subject, stamp, detail});
  }
  /// When the first of what is planned happens.
  std::optional<Instant> next() const { return events_.empty() ? std::nullopt : std::optional{events_.top().time}; }
  /// Takes out the first of what is planned up to now.
  std::optional<Event> take()
  {
    if (events_.empty() || events_.top().time > now_)
      return std::nullopt;
    const Event event = events_.top();
    events_.pop();
    return event;
  }
  /// Returns how much time has passed.
  Instant forward(Instant time)
  {
    const Instant span = std::max(time - now_, Instant{});
    now_ += span;
    return span;
  }

private:
  Instant now_{0};
  Instant until_;
  std::uint64_t order_ = 0;
  std::priority_queue<Event, std::vector<Event>, std::greater<>> events_;
};

} // namespace trainyard::orchestration
