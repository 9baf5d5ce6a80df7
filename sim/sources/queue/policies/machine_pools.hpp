// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "sim/sources/queue/scheduling.hpp"

#include <cstdint>
#include <map>
#include <memory>
#include <utility>
#include <vector>

namespace trainyard {

/// Machines that no job shares with those of another pool: partitions of a batch system that name machines of their
/// own, or types of GPU where every job asks for one. A plan that counts free GPUs counts those of one pool.
class MachinePools
{
public:
  /// Two machines belong to one pool where some job of the workload may go to both.
  void find(const ClusterView& cluster);
  int count() const { return static_cast<int>(machines_.size()); }
  /// Of a job; count() where it may go to machines of several: it came later than the others.
  int of(const ClusterView& cluster, JobId id) const;
  /// Thousandths of GPUs that nobody uses in a pool; of the whole cluster for count().
  std::int64_t free_milli(const ClusterView& cluster, int pool) const;
  /// Whole GPUs of a type that nobody uses.
  int free_gpus_of_type(const ClusterView& cluster, int pool, int gpu_type) const;

private:
  using Wish = std::pair<int, int>; // demands and type of GPU
  static bool may_go(const ClusterView& cluster, int node, const Wish& wish);

  std::vector<std::vector<int>> machines_; // by pool; only where there are several
  std::map<Wish, int> pool_of_;
};

/// What a pool has free, for a policy that ByPool runs once for each.
struct PoolOfMachines {
  const MachinePools* pools = nullptr; // null: the whole cluster
  int number = 0;

  std::int64_t free_milli(const ClusterView& cluster) const
  {
    return pools != nullptr ? pools->free_milli(cluster, number) : cluster.cluster().free_milli();
  }
  int free_gpus_of_type(const ClusterView& cluster, int gpu_type) const
  {
    return pools != nullptr ? pools->free_gpus_of_type(cluster, number, gpu_type)
                            : cluster.cluster().free_gpus_of_type(gpu_type);
  }
};

/// Runs a policy for each pool of machines by itself: nobody waits for a job whose machines he could never have.
/// @tparam Policy constructed of settings, with a member `pool` of type PoolOfMachines.
template <class Policy>
class ByPool final : public QueuePolicy
{
public:
  explicit ByPool(const Settings& settings) : settings_{settings}
  {
    lanes_.push_back(std::make_unique<Policy>(settings));
  }

  static std::vector<Parameter> parameters() { return Policy::parameters(); }

  void begin(const ClusterView& cluster) override
  {
    if (Policy::needs_pools(cluster))
      pools_.find(cluster);
    for (int lane = 1; lane <= pools_.count() && pools_.count() > 1; ++lane)
      lanes_.push_back(std::make_unique<Policy>(settings_));
    for (int lane = 0; pools_.count() > 1 && lane <= pools_.count(); ++lane)
      lanes_[static_cast<std::size_t>(lane)]->pool = {&pools_, lane};
    for (const auto& lane : lanes_)
      lane->begin(cluster);
  }
  void arrived(const ClusterView& cluster, JobId id) override { lane(cluster, id).arrived(cluster, id); }
  void started(const ClusterView& cluster, JobId id) override { lane(cluster, id).started(cluster, id); }
  void stopped(const ClusterView& cluster, JobId id) override { lane(cluster, id).stopped(cluster, id); }
  void speed_changed(const ClusterView& cluster, JobId id) override { lane(cluster, id).speed_changed(cluster, id); }
  void withdrawn(const ClusterView& cluster, JobId id) override { lane(cluster, id).withdrawn(cluster, id); }
  void decide(const ClusterView& cluster, Decisions& decisions) override
  {
    for (const auto& lane : lanes_)
      lane->decide(cluster, decisions);
  }
  WaitReason usual_reason() const override { return lanes_.front()->usual_reason(); }

private:
  Policy& lane(const ClusterView& cluster, JobId id)
  {
    return *lanes_[pools_.count() > 1 ? static_cast<std::size_t>(pools_.of(cluster, id)) : 0];
  }

  Settings settings_;
  MachinePools pools_;
  std::vector<std::unique_ptr<Policy>> lanes_; // by pool, and one of those whose jobs may go to several
};

} // namespace trainyard
