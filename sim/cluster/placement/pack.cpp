// SPDX-License-Identifier: Apache-2.0
// Pack: the machine with the fewest free GPUs that holds the piece, so that whole machines stay free for large gangs.
// Tasks of services go to nodes in use first; Docker's stand-alone Swarm calls it binpack.
#include "sim/cluster/placement_policy.hpp"

namespace trainyard {
namespace {

class Pack final : public PlacementPolicy, public TaskOrder
{
public:
  std::optional<Allocation> place(NodePool& nodes, const ResourceRequest& request) override
  {
    return place_by_score(nodes, request, Split::largest, [](const NodePool& pool, int node, const TaskRequest& task) {
      return NodeScore{-static_cast<double>(pool.state(node).free_milli), pool.lowest_gpus(node, task, true)};
    });
  }
  const TaskOrder* task_order() const override { return this; }
  std::int64_t rank(const NodePool& nodes, int node, int tasks) const override
  {
    const std::int64_t unused = tasks == 0 ? std::int64_t{1} << 40 : 0;
    return unused + nodes.state(node).free_milli;
  }
};

TY_REGISTER(PlacementPolicy, Pack, "pack",
            "the machine with the fewest free GPUs that fits; for tasks of services, of those in use first");

} // namespace
} // namespace trainyard
