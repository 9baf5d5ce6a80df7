#include "sim/training/worker_groups.hpp"

#include <algorithm>
#include <cmath>
#include <map>

namespace trainyard {

std::vector<WorkerGroup> worker_groups(const Cluster& cluster, const Placement& placement, bool one_per_node)
{
  std::vector<WorkerGroup> groups;
  std::map<NodeId, std::size_t> group_of_node;
  for (std::size_t worker = 0; worker < placement.workers.size(); ++worker) {
    const NodeId node = cluster.vertex(placement.workers[worker]).node;
    if (one_per_node && group_of_node.contains(node)) {
      groups[group_of_node[node]].workers.push_back(static_cast<int>(worker));
      continue;
    }
    group_of_node.try_emplace(node, groups.size());
    groups.push_back({{static_cast<int>(worker)}, node, 1});
  }
  std::map<NodeId, int> mates;
  for (const WorkerGroup& group : groups)
    ++mates[group.node];
  for (WorkerGroup& group : groups)
    group.mates = mates[group.node];
  return groups;
}

int typical_group(const Cluster& cluster, std::span<const WorkerGroup> groups, std::span<const VertexId> servers,
                  std::span<const VariablePart> parts)
{
  std::map<NodeId, Bytes> load;
  for (const VariablePart& part : parts)
    load[cluster.vertex(servers[static_cast<std::size_t>(part.server)]).node] += part.bytes;
  const auto least = std::ranges::min_element(groups, {}, [&](const WorkerGroup& group) { return load[group.node]; });
  return static_cast<int>(least - groups.begin());
}

std::vector<int> steps_in_equal_time(std::span<const Seconds> times, int steps)
{
  const Seconds fastest = *std::ranges::min_element(times);
  std::vector<int> result;
  for (const Seconds time : times)
    result.push_back(time > Seconds{} && fastest > Seconds{} ? std::max(1, static_cast<int>(std::lround(steps * (fastest / time))))
                                                             : steps);
  return result;
}

} // namespace trainyard
