// SPDX-License-Identifier: Apache-2.0
// WFP, the order of Cobalt on Argonne's machines: (wait / requested time)^3 x size, so that jobs which ask for little
// time or much of the machine come up soon. Tang, Lan, Desai, Yu, "Fault-aware, utility-based job scheduling on Blue
// Gene/P systems", Cluster 2009. The first in this order that does not fit is reserved at its shadow time, and the
// others are backfilled as EASY does.
#include "sim/sources/queue/policies/machine_pools.hpp"
#include "sim/sources/queue/policies/planned_length.hpp"

#include <algorithm>
#include <cmath>
#include <set>
#include <vector>

namespace trainyard {
namespace {

class Wfp final : public QueuePolicy
{
public:
  PoolOfMachines pool;

  explicit Wfp(const Settings& settings) : exponent_{settings.number("exponent", 3)} {}

  static std::vector<Parameter> parameters()
  {
    return {{.name = "exponent",
             .default_value = "3",
             .meaning = "of wait / requested time; 0: the largest first",
             .minimum = 0,
             .maximum = 10,
             .source = "Tang et al. 2009"}};
  }

  void arrived(const ClusterView&, JobId id) override { waiting_.insert(id); }
  void started(const ClusterView&, JobId id) override { waiting_.erase(id); }
  void withdrawn(const ClusterView&, JobId id) override { waiting_.erase(id); }

  void decide(const ClusterView& cluster, Decisions& decisions) override
  {
    struct Waiting {
      double score = 0;
      JobId id;
      std::int64_t needed = 0;
    };
    std::vector<Waiting> order;
    for (const JobId id : waiting_) {
      const TraceJob& job = cluster.job(id);
      const double wait = (cluster.now() - job.submit).value();
      const double limit = std::max(1.0, cluster.estimated_remaining(id).value());
      const std::int64_t needed = request_of(job).milli();
      order.push_back({std::pow(wait / limit, exponent_) * static_cast<double>(needed), id, needed});
    }
    std::ranges::stable_sort(order, std::ranges::greater{}, &Waiting::score);
    auto next = order.begin();
    while (next != order.end() && decisions.start(next->id))
      ++next;
    if (next == order.end())
      return;
    const Waiting head = *next++;
    const std::int64_t free = pool.free_milli(cluster);
    const WaitReason reason = head.needed > free ? WaitReason::gpus : WaitReason::fragmented;
    if (next == order.end()) {
      decisions.hold(head.id, reason);
      return;
    }
    std::vector<std::pair<Instant, std::int64_t>> ends;
    for (const JobId id : cluster.running())
      if (pool.holds(cluster, id))
        ends.emplace_back(cluster.estimated_end(id), cluster.state(id).held.milli());
    std::ranges::sort(ends);
    std::int64_t free_then = free;
    Instant shadow = cluster.now();
    for (const auto& [end, milli] : ends) {
      if (free_then >= head.needed && end > shadow)
        break; // all that end at the shadow time count
      free_then += milli;
      shadow = end;
    }
    std::int64_t left_over = free_then - head.needed;
    if (left_over < 0) // machines are down, nobody knows for how long: no reservation
      shadow = end_of_time;
    decisions.hold(head.id, reason, {}, left_over < 0 ? Instant{-1} : shadow);
    for (; next != order.end(); ++next) {
      const bool ends_before = planned_length(cluster, next->id) <= shadow - cluster.now();
      if (next->needed > pool.free_milli(cluster) || (!ends_before && next->needed > left_over) ||
          !decisions.start(next->id))
        continue;
      if (!ends_before)
        left_over -= next->needed;
    }
  }

  /// A job that fits and does not start would delay the head.
  WaitReason usual_reason() const override { return WaitReason::reservation; }

private:
  double exponent_;
  std::set<JobId> waiting_; // in order of submission
};

using WfpByPool = ByPool<Wfp>;
TY_REGISTER(QueuePolicy, WfpByPool, "wfp",
            "(wait / requested time)^3 x GPUs, highest first, with EASY backfill (Cobalt at Argonne)");

} // namespace
} // namespace trainyard
