// SPDX-License-Identifier: Apache-2.0
// Spread: every GPU of a gang on the machine with the most free GPUs. Tasks of services go where the fewest tasks of
// the service are, then the fewest tasks. Source: moby/swarmkit, manager/scheduler.
#include "sim/cluster/placement_policy.hpp"

namespace trainyard {
namespace {

class Spread final : public PlacementPolicy, public TaskOrder
{
public:
  std::optional<Allocation> place(NodePool& nodes, const ResourceRequest& request) override
  {
    return place_by_score(nodes, request, Split::single_gpus, [](const NodePool& pool, int node, const TaskRequest&) {
      return NodeScore{static_cast<double>(pool.state(node).free_milli)};
    });
  }
  const TaskOrder* task_order() const override { return this; }
  std::int64_t rank(const NodePool&, int, int tasks) const override { return tasks; }
  bool spreads_services() const override { return true; }
};

TY_REGISTER(PlacementPolicy, Spread, "spread",
            "each GPU on the machine with the most free GPUs; tasks of services: fewest tasks of the service, then "
            "fewest tasks "
            "(swarmkit)");

} // namespace
} // namespace trainyard
