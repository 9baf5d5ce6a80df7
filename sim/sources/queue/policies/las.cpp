// SPDX-License-Identifier: Apache-2.0
// Least attained service in discretised queues, Tiresias' 2D-LAS (Gu et al., NSDI 2019): a job's service is GPUs x
// time; it starts in the first queue and moves down when its service passes the queue's limit. Queues in order; inside
// one, first started, first served, then by submission. With `promote` (PROMOTEKNOB), a job that since it last was in
// the first queue has waited that many times as long as it has run goes back there, and its service counts from zero
// again (starvation).
#include "sim/sources/queue/policies/attained_service.hpp"

#include <algorithm>
#include <set>
#include <unordered_map>

namespace trainyard {
namespace {

class Las final : public QueuePolicy
{
public:
  PoolOfMachines pool;

  explicit Las(const Settings& settings)
      : queues_{queue_limits(settings.text("limits", "3250 7200 18000"))}, promote_{settings.number("promote", 0)}
  {
    if (!(promote_ >= 0))
      throw std::invalid_argument{"las: promote must be at least 0"};
  }

  static std::vector<Parameter> parameters()
  {
    return service_parameters("3250 7200 18000", "Tiresias simulator, multi-dlas-gpu", "Tiresias, PROMOTEKNOB");
  }

  void take_over(const Las& before, JobId id)
  {
    queues_.take_over(before.queues_, id);
    if (const auto waited = before.waited_.find(id.index); waited != before.waited_.end())
      waited_[id.index] = waited->second;
    if (const auto since = before.waits_since_.find(id.index); since != before.waits_since_.end())
      waits_since_[id.index] = since->second;
  }

  void arrived(const ClusterView& cluster, JobId id) override { put(cluster, id); }
  void started(const ClusterView& cluster, JobId id) override
  {
    waits_no_more(cluster, id);
    jobs_.started(cluster, id);
  }

  void stopped(const ClusterView&, JobId id) override { jobs_.stopped(queues_, id); }

  void withdrawn(const ClusterView& cluster, JobId id) override
  {
    waits_no_more(cluster, id);
    waited_.erase(id.index);
    queues_.forget(id);
  }

  bool one_type() const override { return true; }
  void decide(const ClusterView& cluster, Decisions& decisions) override
  {
    if (start_all_waiting(cluster, decisions, pool))
      return; // crossings matter only to waiting jobs; they are checked when a job waits
    if (promote_ > 0)
      promote(cluster, decisions);
    jobs_.allocate(cluster, decisions, queues_, pool, [&](JobId id) { return place(cluster, id); });
  }

private:
  /// Its queue, and since when it is served.
  using Place = std::pair<int, Instant>;

  Place place(const ClusterView& cluster, JobId id) const
  {
    const Instant start = cluster.state(id).first_start;
    return {queues_.queue_of(queues_.service(cluster, id)), start >= Instant{0} ? start : end_of_time};
  }

  void waits_no_more(const ClusterView& cluster, JobId id)
  {
    jobs_.waits_no_more(id);
    if (const auto begun = waits_since_.find(id.index); begun != waits_since_.end()) {
      waited_[id.index] += cluster.now() - begun->second;
      waits_since_.erase(begun);
    }
    if (const auto due = due_.find(id.index); due != due_.end()) {
      promotions_.erase({due->second, id});
      due_.erase(due);
    }
  }

  void put(const ClusterView& cluster, JobId id)
  {
    const Place here = place(cluster, id);
    jobs_.waits(cluster, id, here);
    const int gpus = cluster.job(id).gpus;
    if (promote_ <= 0 || gpus == 0)
      return;
    const Instant ran = queues_.service(cluster, id) / gpus; // since it was last promoted
    if (ran <= Instant{0})
      return;
    const Instant since = waits_since_.try_emplace(id.index, cluster.now()).first->second;
    if (here.first == 0)
      return;
    const Instant due = since + std::max(Instant{}, promote_ * ran - waited_[id.index]);
    due_[id.index] = due;
    promotions_.emplace(due, id);
  }

  void promote(const ClusterView& cluster, Decisions& decisions)
  {
    while (!promotions_.empty()) {
      const auto [due, id] = *promotions_.begin();
      if (due > cluster.now()) {
        decisions.wake_at(due);
        return; // in order of time
      }
      promotions_.erase(promotions_.begin());
      due_.erase(id.index);
      waits_since_.erase(id.index);
      waited_.erase(id.index);
      queues_.forgive(cluster, id);
      put(cluster, id);
    }
  }

  ServiceQueues queues_;
  double promote_;
  ServiceOrder<Place> jobs_;
  std::set<std::pair<Instant, JobId>> promotions_; // when each job that moved down goes back to the first queue
  std::unordered_map<int, Instant> due_;           // the same by job
  std::unordered_map<int, Instant> waited_; // by job, since it was last promoted, up to its last start; looked up only
  std::unordered_map<int, Instant> waits_since_; // by job that waits and has run; looked up only
};

using LasByPool = ByPool<Las>;
TY_REGISTER(QueuePolicy, LasByPool, "las", "least attained service in discretised queues, preemptive (Tiresias)");

} // namespace
} // namespace trainyard
