// SPDX-License-Identifier: Apache-2.0
// The two ways into a queue: alone to its end, and as one source of work among others.
#include "sim/sources/queue/scheduling.hpp"

#include "sim/sources/queue/queue_replay.hpp"

namespace trainyard {

Parameter QueuePolicy::duration(std::string name, std::string value, std::string meaning, double least,
                                std::string source)
{
  return {std::move(name), "duration", std::move(value), std::move(meaning), least, 1e9, std::move(source)};
}

Parameter QueuePolicy::flag(std::string name, bool value, std::string meaning, std::string source)
{
  return {.name = std::move(name),
          .kind = "boolean",
          .default_value = value ? "true" : "false",
          .meaning = std::move(meaning),
          .source = std::move(source)};
}

Parameter QueuePolicy::choice(std::string name, std::string value, std::vector<std::string> choices,
                              std::string meaning, std::string source)
{
  return {.name = std::move(name),
          .kind = "name",
          .default_value = std::move(value),
          .meaning = std::move(meaning),
          .source = std::move(source),
          .choices = std::move(choices)};
}

Parameter QueuePolicy::text(std::string name, std::string meaning, std::string source)
{
  return choice(std::move(name), {}, {}, std::move(meaning), std::move(source));
}

KnownCheckpoint checkpoint_of(const Workload& workload, const SchedulingOptions& options, JobId id, int gpus)
{
  const TraceJob& job = workload.job(id);
  if (const auto known = options.known_checkpoints.find({job.model, gpus});
      job.sizes == 0 && known != options.known_checkpoints.end())
    return known->second;
  const JobSize size = workload.size_of(job, gpus);
  return {size.save, size.load};
}

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
  check_unlike_tasks(workload, shape, policy);
  parts_ = std::make_unique<Parts>(workload, shape, policy, placement, options);
  if (placement != nullptr && !parts_->cluster.counted())
    placement->begin(parts_->cluster.nodes(), workload, Random{options.seed});
  parts_->cluster.bind(workload);
  parts_->replay.begin();
}

QueueAlone::~QueueAlone() = default;

std::optional<Instant> QueueAlone::step()
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
  check_unlike_tasks(workload, shape, policy);
  placement.begin(machines, workload, Random{options.seed});
  parts_ = std::make_unique<Parts>(workload, shape, policy, placement, options, machines);
  parts_->cluster.bind(workload);
  parts_->replay.share(growing);
  parts_->replay.begin();
}

QueueSource::~QueueSource() = default;

std::optional<Instant> QueueSource::next() const
{
  return parts_->replay.may_start() ? Instant{0} : parts_->replay.next_of_shared();
}

void QueueSource::act(Instant now)
{
  QueueReplay& replay = parts_->replay;
  const std::optional<Instant> due = replay.next_time();
  replay.book_at(now).free_saving();
  if (replay.may_start() || (due && *due <= now)) {
    replay.notice_gains();
    replay.act(now);
  }
  replay.book_at(now).keep_saving();
}

JobId QueueSource::send(Instant now, const SentJob& job)
{
  return parts_->replay.lives_at(now).send(job);
}

void QueueSource::withdraw(Instant now, JobId id)
{
  parts_->replay.book_at(now).free_saving();
  parts_->replay.lives_at(now).withdraw(id);
  parts_->replay.book_at(now).keep_saving(); // others may have saved on its GPUs
}

void QueueSource::complete(Instant now, JobId id)
{
  parts_->replay.lives_at(now).complete(id);
}

void QueueSource::feed(Instant now, JobId id, Instant withheld)
{
  parts_->replay.book_at(now).feed(id, withheld);
}

Instant QueueSource::done(Instant now, JobId id)
{
  return parts_->replay.book_at(now).progress(id);
}

Instant QueueSource::expected_end(Instant now, JobId id)
{
  const ClusterView& jobs = parts_->replay.book_at(now);
  const JobState& job = jobs.state(id);
  const Instant left = jobs.work_left(id);
  return std::max(jobs.now(), job.work_from) + time_at(job.speed, left) + jobs.saving_ahead(id, left);
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
  return parts_->replay.book_at(now).enter(name, job, held);
}

void QueueSource::leave(Instant now, int visitor)
{
  parts_->replay.book_at(now).leave(visitor);
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
  parts_->replay.stop(ended);
  return parts_->replay.result();
}

} // namespace trainyard
