// SPDX-License-Identifier: Apache-2.0
#include "sim/sources/queue/periodic_saves.hpp"

namespace trainyard {

Instant PeriodicSaves::Job::pause(Instant now)
{
  settle(now);
  if (written_at > now) {
    paused_until = written_at;
  } else {
    writing = next;
    next += costs.interval;
    written_at = now + costs.written;
    paused_until = now + costs.stall;
  }
  paid += paused_until - now;
  return paused_until;
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
  job.written_at = job.paused_until = Instant{-1};
}

void PeriodicSaves::end(JobId id, Instant now)
{
  Job* job = of(id);
  if (job == nullptr)
    return;
  due.forget(id);
  job->settle(now);
  job->paid -= std::max(Instant{0}, job->paused_until - now);
  job->paused_until = Instant{-1};
}

} // namespace trainyard
