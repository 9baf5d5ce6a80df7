// SPDX-License-Identifier: Apache-2.0
// The two ways into a queue: alone to its end, and as one source of work among others.
#include "sim/sources/queue/scheduling.hpp"

#include "sim/sources/queue/queue_input.hpp"
#include "sim/sources/queue/queue_replay.hpp"

#include <algorithm>
#include <cmath>

namespace trainyard {

SchedulingResult simulate_queue(const Workload& workload, const ClusterShape& shape, QueuePolicy& policy,
                                PlacementPolicy* placement, const SchedulingOptions& options)
{
  QueueAlone queue{workload, shape, policy, placement, options};
  while (queue.step())
    ;
  return queue.result();
}

struct QueueAlone::Parts {
  Parts(const Workload& workload, const ClusterShape& shape, QueuePolicy& policy, PlacementPolicy* placement,
        const SchedulingOptions& options)
      : cluster{shape, placement}, replay{workload, shape, cluster, policy, options}
  {
  }

  ClusterState cluster;
  QueueReplay replay;
};

QueueAlone::QueueAlone(const Workload& workload, const ClusterShape& shape, QueuePolicy& policy,
                       PlacementPolicy* placement, const SchedulingOptions& options)
{
  check_queue_input(workload, options);
  parts_ = std::make_unique<Parts>(workload, shape, policy, placement, options);
  if (placement != nullptr && !parts_->cluster.counted())
    placement->begin(parts_->cluster.nodes(), workload, Random{options.seed});
  parts_->cluster.set_demands(workload.demands);
  parts_->replay.begin();
}

QueueAlone::~QueueAlone() = default;

std::optional<Seconds> QueueAlone::step()
{
  return parts_->replay.step();
}

SchedulingResult QueueAlone::result()
{
  return parts_->replay.result();
}

struct QueueSource::Parts {
  Parts(const Workload& workload, const ClusterShape& shape, QueuePolicy& policy, PlacementPolicy& placement,
        const SchedulingOptions& options, NodePool& machines)
      : knows_links{options.speed != nullptr}, cluster{shape, &placement, &machines}, replay{workload, shape, cluster,
                                                                                             policy, options}
  {
  }

  bool knows_links;
  ClusterState cluster;
  QueueReplay replay;
};

QueueSource::QueueSource(const Workload& workload, const ClusterShape& shape, QueuePolicy& policy,
                         PlacementPolicy& placement, const SchedulingOptions& options, NodePool& machines,
                         Workload* growing)
{
  if (!workload.jobs.empty())
    check_queue_input(workload, options);
  placement.begin(machines, workload, Random{options.seed});
  machines.set_demands(workload.demands);
  parts_ = std::make_unique<Parts>(workload, shape, policy, placement, options, machines);
  parts_->replay.share(growing);
  parts_->replay.begin();
}

QueueSource::~QueueSource() = default;

namespace {

/// The first whole nanosecond at or after a time of the queue.
Instant at_or_after(Seconds time)
{
  const double nanoseconds = std::ceil(time.value() * 1e9);
  return nanoseconds >= static_cast<double>(end_of_time.count()) ? end_of_time
                                                                 : Instant{static_cast<Instant::rep>(nanoseconds)};
}

/// The nearest double: whole seconds stay whole, so that times that go forth and back do not creep up.
Seconds in_seconds(Instant time)
{
  return Seconds{static_cast<double>(time.count()) / 1e9};
}

} // namespace

std::optional<Instant> QueueSource::next() const
{
  if (parts_->replay.may_start())
    return Instant{0};
  const std::optional<Seconds> time = parts_->replay.next_time();
  return time ? std::optional{at_or_after(*time)} : std::nullopt;
}

void QueueSource::act(Instant now)
{
  const bool gained = parts_->replay.may_start();
  const std::optional<Seconds> due = parts_->replay.next_time();
  parts_->replay.notice_gains();
  // Its own events keep their exact times, which no whole nanosecond may be.
  if (due && at_or_after(*due) <= now && !gained)
    parts_->replay.act(*due);
  else
    parts_->replay.act(in_seconds(now));
}

JobId QueueSource::send(Instant now, const SentJob& job)
{
  return parts_->replay.lives_at(in_seconds(now)).send(job);
}

void QueueSource::withdraw(Instant now, JobId id)
{
  parts_->replay.lives_at(in_seconds(now)).withdraw(id);
}

void QueueSource::complete(Instant now, JobId id)
{
  parts_->replay.lives_at(in_seconds(now)).complete(id);
}

void QueueSource::feed(Instant now, JobId id, Seconds withheld)
{
  parts_->replay.book_at(in_seconds(now)).feed(id, withheld);
}

Seconds QueueSource::done(Instant now, JobId id)
{
  return parts_->replay.book_at(in_seconds(now)).progress(id);
}

Instant QueueSource::expected_end(Instant now, JobId id)
{
  const ClusterView& jobs = parts_->replay.book_at(in_seconds(now));
  const JobState& job = jobs.state(id);
  return at_or_after(std::max(jobs.now(), job.work_from) + jobs.work_left(id) / std::max(job.speed, 1e-300));
}

bool QueueSource::has_news() const
{
  return parts_->replay.sent().has_news();
}

std::vector<JobNews> QueueSource::take_news()
{
  return parts_->replay.sent().take_news();
}

SharedLinks* QueueSource::links()
{
  return parts_->knows_links ? this : nullptr;
}

int QueueSource::enter(Instant now, const std::string& name, const std::string& job, const Allocation& held)
{
  return parts_->replay.book_at(in_seconds(now)).enter(name, job, held);
}

void QueueSource::leave(Instant now, int visitor)
{
  parts_->replay.book_at(in_seconds(now)).leave(visitor);
}

double QueueSource::share(int visitor) const
{
  return parts_->replay.visitors().share(visitor);
}

std::uint64_t QueueSource::changes() const
{
  return parts_->replay.visitors().changes();
}

SchedulingResult QueueSource::finish(Instant ended)
{
  parts_->replay.stop(in_seconds(ended));
  return parts_->replay.result();
}

} // namespace trainyard
