// SPDX-License-Identifier: Apache-2.0
// Locality that is given up after a while, the scheduler of Philly (Jeon et al., ATC 2019, section 2.3): a gang first
// waits for GPUs on as few machines as can hold it, below one leaf switch; after some tries it takes any machines below
// one leaf switch, after as many again any machines at all. First in, first out; later jobs may start before a gang
// that does not get its GPUs yet (section 3.1.1: out-of-order scheduling). Where a gang would go is the placement
// policy's choice: rack_aware looks for the narrowest place.
#include "sim/sources/queue/policies/waiting_classes.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <stdexcept>
#include <unordered_map>

namespace trainyard {
namespace {

class LocalityRelaxation final : public QueuePolicy
{
public:
  explicit LocalityRelaxation(const Settings& settings) : relax_after_{settings.duration("relax_after", 360_s)}
  {
    if (relax_after_ < Instant{0})
      throw std::invalid_argument{"locality_relaxation: relax_after must be at least 0 s"};
  }

  static std::vector<Parameter> parameters()
  {
    return {
        duration("relax_after", "6 min",
                 "time that a gang waits for the closest placement, and again for a placement below one leaf switch", 0,
                 "Philly, section 2.3: tries of 2 to 3 minutes; three of them assumed")};
  }

  void begin(const ClusterView& cluster) override
  {
    const NodePool& nodes = cluster.cluster().nodes();
    std::map<int, int> racks;
    for (int node = 0; node < nodes.size(); ++node) {
      largest_machine_ = std::max(largest_machine_, nodes.shape(node).gpus);
      racks[nodes.shape(node).rack] += nodes.shape(node).gpus;
    }
    for (const auto& [rack, gpus] : racks)
      largest_rack_ = std::max(largest_rack_, gpus);
  }

  void arrived(const ClusterView& cluster, JobId id) override
  {
    since_[id.index] = cluster.now();
    queue_.insert(cluster, id, next_++);
  }

  void withdrawn(const ClusterView&, JobId id) override
  {
    queue_.erase(id);
    since_.erase(id.index);
  }

  void decide(const ClusterView& cluster, Decisions& decisions) override
  {
    queue_.walk([&](JobId id) {
      const Instant waited = cluster.now() - since_.at(id.index);
      if (waited < 2 * relax_after_) { // later jobs have waited less: where this one is refused, so are they
        const std::optional<Allocation> place = decisions.preview(id);
        const bool wide = waited >= relax_after_;
        if (place && !near(cluster, id, *place, wide)) {
          decisions.hold(id, WaitReason::locality);
          decisions.wake_at(since_.at(id.index) + relax_after_ * (wide ? 2 : 1));
          return Walk::skip_class;
        }
      }
      if (!decisions.start(id))
        return Walk::skip_class;
      queue_.erase(id);
      since_.erase(id.index);
      return Walk::on;
    });
  }

private:
  /// Below as few leaf switches as such a gang can be, mostly one; and, unless @p wide, on as few machines.
  bool near(const ClusterView& cluster, JobId id, const Allocation& place, bool wide) const
  {
    std::set<int> machines, racks;
    for (const TaskShare& share : place.shares) {
      machines.insert(share.node);
      racks.insert(cluster.cluster().nodes().shape(share.node).rack);
    }
    const TraceJob& job = cluster.job(id);
    const int fewest = job.distinct_nodes ? job.tasks : fewest_of(place.gpus, largest_machine_);
    return static_cast<int>(racks.size()) <= fewest_of(place.gpus, largest_rack_) &&
           (wide || static_cast<int>(machines.size()) <= fewest);
  }

  static int fewest_of(int gpus, int each) { return each > 0 ? std::max(1, (gpus + each - 1) / each) : 1; }

  Instant relax_after_;
  int largest_machine_ = 0; // GPUs
  int largest_rack_ = 0;
  std::int64_t next_ = 0;
  WaitingClasses<std::int64_t> queue_;     // by order of arrival
  std::unordered_map<int, Instant> since_; // when each began to wait; looked up only
};

TY_REGISTER(QueuePolicy, LocalityRelaxation, "locality_relaxation",
            "first in, first out, with skipping; gangs wait some time for GPUs close to each other (Philly)");

} // namespace
} // namespace trainyard
