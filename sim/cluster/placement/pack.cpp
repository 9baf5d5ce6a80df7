// SPDX-License-Identifier: Apache-2.0
// Pack: the machine with the fewest free GPUs that holds the piece, so that whole machines stay free for large gangs.
#include "sim/cluster/placement_policy.hpp"

namespace trainyard {
namespace {

class Pack final : public PlacementPolicy
{
public:
  std::optional<Allocation> place(NodePool& nodes, const ResourceRequest& request) override
  {
    return place_by_score(nodes, request, Split::largest, [](const NodePool& pool, int node, const TaskRequest& task) {
      return NodeScore{-static_cast<double>(pool.state(node).free_milli), pool.lowest_gpus(node, task, true)};
    });
  }
};

TY_REGISTER(PlacementPolicy, Pack, "pack", "the machine with the fewest free GPUs that fits");

} // namespace
} // namespace trainyard
