// SPDX-License-Identifier: Apache-2.0
// Least attained service as Tiresias' own simulator orders it (SymbioticLab/Tiresias, simulator/run_sim.py at b0ef844,
// dlas_sim_jobs with gputime; three queues and their limits in simulator/jobs.py). The policy `las` follows the paper.
// Each queue is a list. Who arrives, moves down or is promoted goes to the back of one. At each event GPUs are given in
// the order of the lists, whoever fits; then, in each list, those that wait go behind those that run. So a job that was
// stopped, or has moved down beside a waiting one, may find others before it that started later. Times here are exact,
// there whole seconds.
#include "sim/sources/queue/policies/attained_service.hpp"

#include <algorithm>
#include <utility>
#include <vector>

namespace trainyard {
namespace {

class DlasGpu final : public QueuePolicy
{
public:
  PoolOfMachines pool;

  explicit DlasGpu(const Settings& settings)
      : services_{queue_limits(settings.text("limits", "3250 7200"))}, promote_{settings.number("promote", 0)},
        queues_(static_cast<std::size_t>(services_.count()))
  {
    if (!(promote_ >= 0))
      throw std::invalid_argument{"dlas_gpu: promote must be at least 0"};
  }

  static std::vector<Parameter> parameters()
  {
    return service_parameters("3250 7200", "Tiresias simulator, dlas-gpu", "Tiresias simulator, solve_starvation");
  }

  void take_over(const DlasGpu& before, JobId id)
  {
    services_.take_over(before.services_, id);
    const Life& life = life_of(id) = before.lives_[static_cast<std::size_t>(id.index)];
    if (life.queue < 0)
      return;
    std::vector<JobId>& queue = queues_[static_cast<std::size_t>(life.queue)];
    queue.insert(std::ranges::upper_bound(queue, life.place, {}, [&](JobId other) { return life_of(other).place; }),
                 id);
  }

  void arrived(const ClusterView& cluster, JobId id) override
  {
    Life& life = life_of(id);
    if (life.waits_since < Instant{0})
      life.waits_since = cluster.now();
    if (life.queue < 0)
      append(id, 0); // else it has been stopped and keeps its place
  }

  void started(const ClusterView& cluster, JobId id) override
  {
    Life& life = life_of(id);
    if (services_.service(cluster, id) > GpuTime{} && life.waits_since >= Instant{0})
      life.waited += cluster.now() - life.waits_since;
    life.waits_since = Instant{-1};
    services_.runs(cluster, id);
  }

  void stopped(const ClusterView&, JobId id) override { services_.stops(id); }

  void withdrawn(const ClusterView&, JobId id) override
  {
    leave(id);
    services_.forget(id);
  }

  bool one_type() const override { return true; }
  void decide(const ClusterView& cluster, Decisions& decisions) override
  {
    drop_ended(cluster);
    change_queues(cluster, decisions);
    if (!start_all_waiting(cluster, decisions, pool)) {
      GreedyAllocation gpus{cluster, {.pool = pool}};
      gpus.release_all_running();
      for (const std::vector<JobId>& queue : queues_)
        for (const JobId id : queue)
          gpus.offer(id);
      gpus.apply(decisions);
    }
    for (std::vector<JobId>& queue : queues_) {
      std::ranges::stable_partition(queue, [&](JobId id) { return cluster.is_running(id); });
      int place = 0;
      for (const JobId id : queue)
        life_of(id).place = place++;
    }
    services_.wake_at_next_crossing(decisions);
  }

private:
  struct Life {
    int queue = -1; // below 0: in none
    int place = 0;  // in it; ascending
    Instant waits_since{-1};
    Instant waited; // up to its last start, since it last was in the first queue, and only after it has run there
  };

  Life& life_of(JobId id)
  {
    const auto index = static_cast<std::size_t>(id.index);
    if (index >= lives_.size())
      lives_.resize(index + 1);
    return lives_[index];
  }

  void append(JobId id, int queue)
  {
    std::vector<JobId>& jobs = queues_[static_cast<std::size_t>(queue)];
    const int place = jobs.empty() ? 0 : life_of(jobs.back()).place + 1;
    jobs.push_back(id);
    life_of(id).queue = queue;
    life_of(id).place = place;
  }

  void leave(JobId id)
  {
    if (const int queue = std::exchange(life_of(id).queue, -1); queue >= 0)
      std::erase(queues_[static_cast<std::size_t>(queue)], id);
  }

  void drop_ended(const ClusterView& cluster)
  {
    for (std::vector<JobId>& queue : queues_)
      std::erase_if(queue, [&](JobId id) {
        const JobPhase phase = cluster.state(id).phase;
        return phase != JobPhase::running && phase != JobPhase::waiting;
      });
  }

  /// Running jobs move down, and with `promote` waiting ones up, in the order in which they arrived.
  void change_queues(const ClusterView& cluster, Decisions& decisions)
  {
    std::vector<JobId> jobs = services_.due(cluster.now());
    if (promote_ > 0)
      for (std::size_t queue = 1; queue < queues_.size(); ++queue)
        for (const JobId id : queues_[queue])
          if (!cluster.is_running(id) && promotion_is_due(cluster, decisions, id))
            jobs.push_back(id);
    std::ranges::sort(jobs);
    for (const JobId id : jobs) {
      const bool runs = cluster.is_running(id);
      if (!runs) {
        services_.forgive(cluster, id);
        life_of(id).waited = Instant{};
      }
      leave(id);
      append(id, runs ? services_.queue_of(services_.service(cluster, id)) : 0);
      if (runs)
        services_.runs(cluster, id);
    }
  }

  bool promotion_is_due(const ClusterView& cluster, Decisions& decisions, JobId id)
  {
    const Life& life = life_of(id);
    const int gpus = cluster.job(id).gpus;
    const Instant ran = gpus > 0 ? services_.service(cluster, id) / gpus : Instant{};
    if (ran <= Instant{0})
      return false;
    const Instant due = life.waits_since + std::max(Instant{}, promote_ * ran - life.waited);
    if (due > cluster.now())
      decisions.wake_at(due);
    return due <= cluster.now();
  }

  ServiceQueues services_;
  double promote_;
  std::vector<std::vector<JobId>> queues_; // running and waiting jobs, in order
  std::vector<Life> lives_;                // by job
};

using DlasGpuByPool = ByPool<DlasGpu>;
TY_REGISTER(QueuePolicy, DlasGpuByPool, "dlas_gpu",
            "least attained service, in the order of Tiresias' own simulator (dlas-gpu, three queues)");

} // namespace
} // namespace trainyard
