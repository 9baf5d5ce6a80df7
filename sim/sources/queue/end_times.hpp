// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "models/core/units.hpp"
#include "models/job/workload.hpp"

#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <queue>
#include <vector>

namespace trainyard {

/// When running jobs will end, in order of (time, when it was said).
class EndTimes
{
public:
  /// In place of what was said of the job before; infinity: it does not end.
  void set(JobId id, Seconds time)
  {
    const std::uint32_t version = forget(id);
    if (is_finite(time))
      events_.push({time, sequence_++, id, version});
  }
  /// What was said of the job counts no more.
  std::uint32_t forget(JobId id)
  {
    const auto index = static_cast<std::size_t>(id.index);
    if (index >= versions_.size())
      versions_.resize(index + 1);
    return ++versions_[index];
  }
  /// The first end; infinity where no job will end.
  Seconds next()
  {
    drop_stale();
    return events_.empty() ? Seconds{std::numeric_limits<double>::infinity()} : events_.top().time;
  }
  /// Takes out the first job that has ended by @p now.
  std::optional<JobId> take(Seconds now)
  {
    drop_stale();
    if (events_.empty() || events_.top().time > now)
      return std::nullopt;
    const JobId id = events_.top().job;
    events_.pop();
    return id;
  }

private:
  struct Event {
    Seconds time;
    std::uint64_t sequence = 0;
    JobId job;
    std::uint32_t version = 0; // stale once that of its job has moved on

    bool operator>(const Event& other) const
    {
      return time > other.time || (time == other.time && sequence > other.sequence);
    }
  };
  void drop_stale()
  {
    while (!events_.empty() && events_.top().version != versions_[static_cast<std::size_t>(events_.top().job.index)])
      events_.pop();
  }

  std::priority_queue<Event, std::vector<Event>, std::greater<>> events_;
  std::vector<std::uint32_t> versions_; // by job
  std::uint64_t sequence_ = 0;
};

} // namespace trainyard
