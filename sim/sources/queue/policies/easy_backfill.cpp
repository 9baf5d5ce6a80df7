// SPDX-License-Identifier: Apache-2.0
// EASY backfill (Lifka 1995; Mu'alem and Feitelson 2001). Heads start while they fit. The blocked head is reserved at
// its shadow time: the earliest time at which the estimates say that enough GPUs are free. A later job starts now if it
// fits now and either its estimate ends by the shadow time or it uses only GPUs that are left over then. Reservations
// count GPUs; on machines, fragmentation may still delay a head. A job that comes back after a failure has its old
// turn. While so many machines are down that no end of a running job helps the head, it has no reservation: nobody
// knows when they come back, and the others use what is there (as Slurm's backfill).
#include "sim/sources/queue/policies/backfill_queue.hpp"
#include "sim/sources/queue/policies/machine_pools.hpp"
#include "sim/sources/queue/policies/planned_length.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <vector>

namespace trainyard {
namespace {

class EasyBackfill final : public QueuePolicy
{
public:
  PoolOfMachines pool;

  explicit EasyBackfill(const Settings& settings) : depth_{settings.integer("depth", 0)} {}

  static std::vector<Parameter> parameters()
  {
    return {{.name = "depth",
             .kind = "integer",
             .default_value = "0",
             .meaning = "number of jobs behind the head that are considered; 0 = all",
             .minimum = 0,
             .maximum = 1e9}};
  }

  void arrived(const ClusterView& cluster, JobId id) override
  {
    queue_.push(id, pool.turns->of(id), milli(cluster, id), planned_length(cluster, id, planning_speed(cluster, id)));
  }

  void started(const ClusterView& cluster, JobId id) override
  {
    const auto index = static_cast<std::size_t>(id.index);
    if (index >= planned_.size())
      planned_.resize(index + 1);
    planned_[index] = planned_end(cluster, id);
    ends_.emplace(std::pair{planned_[index], id}, cluster.state(id).held.milli());
  }

  void stopped(const ClusterView&, JobId id) override
  {
    ends_.erase({planned_[static_cast<std::size_t>(id.index)], id});
  }

  void speed_changed(const ClusterView& cluster, JobId id) override
  {
    stopped(cluster, id);
    started(cluster, id);
  }

  void withdrawn(const ClusterView& cluster, JobId id) override { queue_.remove(id, milli(cluster, id)); }

  void decide(const ClusterView& cluster, Decisions& decisions) override
  {
    constexpr std::int64_t any = std::numeric_limits<std::int64_t>::max();
    std::optional<BackfillQueue::Entry> first;
    while ((first = queue_.first(-1, any, end_of_time, any)) && decisions.start(first->id))
      queue_.remove(*first);
    if (queue_.size() < 2)
      return;

    const JobId head = first->id;
    const std::int64_t wanted = milli(cluster, head);
    std::int64_t free_then = pool.free_milli(cluster);
    Instant shadow = cluster.now();
    for (const auto& [planned, held] : ends_) {
      const Instant end =
          std::max(planned.first, cluster.now()); // a job that runs longer than estimated may end at any time
      if (free_then >= wanted && end > shadow)
        break; // all that end at the shadow time count
      free_then += held;
      shadow = end;
    }
    std::int64_t left_over = free_then - wanted;
    const WaitReason reason = wanted > pool.free_milli(cluster) ? WaitReason::gpus : WaitReason::fragmented;
    if (free_then < wanted) {
      decisions.hold(head, reason);
      shadow = end_of_time;
    } else {
      decisions.hold(head, reason, {}, shadow);
    }

    // The first behind the head that may start, then the first behind that one: what is free and left over only shrinks
    // on the way.
    std::int64_t at = first->order;
    for (int looked_at = 0; depth_ == 0 || looked_at < depth_; ++looked_at) {
      const std::int64_t free = pool.free_milli(cluster);
      const auto next =
          queue_.first(at, depth_ == 0 ? free : any, shadow - cluster.now(), depth_ == 0 ? left_over : any);
      if (!next)
        break;
      at = next->order;
      if (next->needed > free || (!next->ends_before && next->needed > left_over) || !decisions.start(next->id))
        continue;
      queue_.remove(*next);
      if (!next->ends_before)
        left_over -= next->needed;
    }
  }

  /// A job that fits and does not start would delay the head.
  WaitReason usual_reason() const override { return WaitReason::reservation; }

private:
  static std::int64_t milli(const ClusterView& cluster, JobId id) { return request_of(cluster.job(id)).milli(); }

  static Instant planned_end(const ClusterView& cluster, JobId id)
  {
    const JobState& state = cluster.state(id);
    const Instant left = cluster.job(id).estimate - cluster.progress(id);
    return std::max(cluster.now(), state.work_from) + time_at(state.speed, left) + cluster.saving_ahead(id, left);
  }

  /// Speed at which a waiting job is planned: 1 unless GPU types differ; then the slowest type that it could get.
  static double planning_speed(const ClusterView& cluster, JobId id)
  {
    if (cluster.workload().type_speed.empty())
      return 1;
    double slowest = std::numeric_limits<double>::infinity();
    for (int type = 0; type < cluster.cluster().gpu_types(); ++type)
      if (const double speed = cluster.workload().speed_on(cluster.job(id), type); speed > 0)
        slowest = std::min(slowest, speed);
    return std::isfinite(slowest) ? slowest : 1;
  }

  int depth_;
  BackfillQueue queue_;
  std::map<std::pair<Instant, JobId>, std::int64_t> ends_; // and thousandths of GPUs that are held until then
  std::vector<Instant> planned_;                           // end of each running job, by number
};

using EasyBackfillByPool = ByPool<EasyBackfill>;
TY_REGISTER(QueuePolicy, EasyBackfillByPool, "easy_backfill",
            "first in, first out, with backfill that never delays the head's reservation");

} // namespace
} // namespace trainyard
