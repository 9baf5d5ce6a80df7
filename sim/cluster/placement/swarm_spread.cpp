// SPDX-License-Identifier: Apache-2.0
// Docker Swarm's spread: among the machines that fit, the one with the fewest running tasks.
//
// Source: moby/swarmkit, manager/scheduler: nodes are ordered by the number of tasks (of the service, then in all);
// GPUs count as generic resources, which filter only.
#include "sim/cluster/placement_policy.hpp"

namespace trainyard {
namespace {

class SwarmSpread final : public PlacementPolicy
{
public:
  std::optional<Allocation> place(NodePool& nodes, const ResourceRequest& request) override
  {
    return place_by_score(nodes, request, Split::single_gpus, [](const NodePool& pool, int node, const TaskRequest&) {
      return NodeScore{-static_cast<double>(pool.state(node).tasks)};
    });
  }
};

TY_REGISTER(PlacementPolicy, SwarmSpread, "swarm_spread", "Docker Swarm: the machine with the fewest running tasks");

} // namespace
} // namespace trainyard
