// SPDX-License-Identifier: Apache-2.0
#include "sim/sources/queue/periodic_saves.hpp"

namespace trainyard {

Instant PeriodicSaves::Job::pause(Instant now)
{
  settle(now);
  if (written_at > now)
    return written_at;
  writing = next;
  next += costs.interval;
  written_at = now + costs.written;
  return now + costs.stall;
}

Instant PeriodicSaves::Job::ahead(Instant from, Instant done, Instant work, double speed) const
{
  const auto& [interval, whole, stall] = costs;
  const Instant end = done + work;
  if (end <= next || speed <= 0)
    return {};
  // The first waits for the write that is under way, each later one for that of the one before it.
  const Instant first = std::max(Instant{0}, written_at - from - (next - done) / speed) + stall;
  const std::int64_t later = (end - next - Instant{1}).count() / interval.count();
  return first + later * std::max(stall, whole - interval / speed);
}

void PeriodicSaves::Job::settle(Instant now)
{
  if (written_at <= now)
    kept = std::max(kept, writing);
}

void PeriodicSaves::begin(JobId id, const PeriodicSave& costs, Instant done)
{
  if (!is_finite(costs.interval) || costs.interval <= Instant{0} || costs.written <= Instant{0}) {
    if (!jobs_.empty())
      forget(id);
    return;
  }
  Job& job = jobs_[id.index];
  job.costs = costs;
  job.next = done - done % costs.interval + costs.interval;
  job.writing = Instant{};
  job.written_at = Instant{-1};
}

void PeriodicSaves::end(JobId id, Instant now)
{
  Job* job = of(id);
  if (job == nullptr)
    return;
  due.forget(id);
  job->settle(now);
}

} // namespace trainyard
