// SPDX-License-Identifier: Apache-2.0
#include "sim/sources/queue/policies/machine_pools.hpp"

#include <algorithm>
#include <numeric>
#include <set>

namespace trainyard {

bool MachinePools::may_go(const ClusterView& cluster, int node, const Wish& wish)
{
  const NodePool& nodes = cluster.cluster().nodes();
  return nodes.admits(node, wish.first) && (wish.second < 0 || nodes.shape(node).gpu_type == wish.second);
}

void MachinePools::find(const ClusterView& cluster)
{
  machines_.clear();
  pool_of_.clear();
  if (cluster.cluster().counted())
    return;
  std::set<Wish> wishes;
  for (const TraceJob& job : cluster.workload().jobs)
    wishes.emplace(job.demands, job.gpu_type);
  const int machines = cluster.cluster().nodes().size();
  // Each machine's pool is named after its first machine.
  std::vector<int> named(static_cast<std::size_t>(machines));
  std::iota(named.begin(), named.end(), 0);
  for (const Wish& wish : wishes) {
    std::set<int> joined;
    for (int node = 0; node < machines; ++node)
      if (may_go(cluster, node, wish))
        joined.insert(named[static_cast<std::size_t>(node)]);
    if (joined.size() > 1)
      for (int& name : named)
        if (joined.contains(name))
          name = *joined.begin();
  }
  std::map<int, int> number;
  for (int node = 0; node < machines; ++node) {
    const auto [at, added] = number.emplace(named[static_cast<std::size_t>(node)], static_cast<int>(number.size()));
    machines_.resize(number.size());
    machines_[static_cast<std::size_t>(at->second)].push_back(node);
  }
  for (const Wish& wish : wishes)
    for (int node = 0; node < machines && !pool_of_.contains(wish); ++node)
      if (may_go(cluster, node, wish))
        pool_of_.emplace(wish, number.at(named[static_cast<std::size_t>(node)]));
}

int MachinePools::of(const ClusterView& cluster, JobId id) const
{
  const TraceJob& job = cluster.job(id);
  const auto found = pool_of_.find({job.demands, job.gpu_type});
  return found != pool_of_.end() ? found->second : count();
}

std::int64_t MachinePools::free_milli(const ClusterView& cluster, int pool) const
{
  if (pool >= count())
    return cluster.cluster().free_milli();
  const NodePool& nodes = cluster.cluster().nodes();
  std::int64_t free = 0;
  for (const int node : machines_[static_cast<std::size_t>(pool)])
    free += nodes.state(node).up ? nodes.state(node).free_milli : 0;
  return free;
}

int MachinePools::free_gpus_of_type(const ClusterView& cluster, int pool, int gpu_type) const
{
  if (pool >= count())
    return cluster.cluster().free_gpus_of_type(gpu_type);
  const NodePool& nodes = cluster.cluster().nodes();
  int free = 0;
  for (const int node : machines_[static_cast<std::size_t>(pool)])
    if (nodes.state(node).up && nodes.shape(node).gpu_type == gpu_type)
      free += nodes.state(node).whole_free;
  return free;
}

} // namespace trainyard
