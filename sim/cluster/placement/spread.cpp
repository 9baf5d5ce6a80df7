// SPDX-License-Identifier: Apache-2.0
// Spread: every GPU of a gang on the machine with the most free GPUs.
#include "sim/cluster/placement_policy.hpp"

namespace trainyard {
namespace {

class Spread final : public PlacementPolicy
{
public:
  std::optional<Allocation> place(NodePool& nodes, const ResourceRequest& request) override
  {
    return place_by_score(nodes, request, Split::single_gpus, [](const NodePool& pool, int node, const TaskRequest&) {
      return NodeScore{static_cast<double>(pool.state(node).free_milli)};
    });
  }
};

TY_REGISTER(PlacementPolicy, Spread, "spread", "each GPU on the machine with the most free GPUs");

} // namespace
} // namespace trainyard
