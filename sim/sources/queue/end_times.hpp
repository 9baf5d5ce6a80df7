// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "models/core/units.hpp"
#include "models/job/workload.hpp"

#include <cstdint>
#include <functional>
#include <optional>
#include <queue>
#include <vector>

namespace trainyard {

/// When running jobs will end, in order of (time, when it was said).
class EndTimes
{
public:
  /// In place of what was said of the job before; `end_of_time`: it does not end.
  void set(JobId id, Instant time)
  {
    forget(id);
    if (!is_finite(time))
      return;
    events_.push({time, ++sequence_, id});
    const auto index = static_cast<std::size_t>(id.index);
    if (index >= valid_.size())
      valid_.resize(index + 1);
    valid_[index] = sequence_;
  }
  /// What was said of the job counts no more.
  void forget(JobId id)
  {
    const auto index = static_cast<std::size_t>(id.index);
    if (index >= valid_.size())
      return;
    stale_ += valid_[index] != 0 ? 1 : 0;
    valid_[index] = 0;
  }
  /// The first end; `end_of_time` where no job will end.
  Instant next()
  {
    drop_stale();
    return events_.empty() ? end_of_time : events_.top().time;
  }
  /// Takes out the first job that has ended by @p now.
  std::optional<JobId> take(Instant now)
  {
    if (next() > now || events_.empty())
      return std::nullopt;
    const JobId id = events_.top().job;
    events_.pop();
    valid_[static_cast<std::size_t>(id.index)] = 0;
    return id;
  }

private:
  struct Event {
    Instant time;
    std::uint64_t sequence = 0;
    JobId job;

    bool operator>(const Event& other) const
    {
      return time > other.time || (time == other.time && sequence > other.sequence);
    }
  };
  void drop_stale()
  {
    for (; stale_ > 0 && events_.top().sequence != valid_[static_cast<std::size_t>(events_.top().job.index)]; --stale_)
      events_.pop();
  }

  std::priority_queue<Event, std::vector<Event>, std::greater<>> events_;
  std::vector<std::uint64_t> valid_; // by job: the sequence number of its event; 0: it has none
  std::uint64_t sequence_ = 0;
  std::size_t stale_ = 0; // events in the queue that count no more
};

} // namespace trainyard
