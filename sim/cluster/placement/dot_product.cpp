// SPDX-License-Identifier: Apache-2.0
// Dot product: the machine whose free resources point least in the direction of the request.
//
// Score = -(free CPU x CPU + free GPU x GPU), CPU in units of 128 cores, GPU in units of 8; as in the openb allocation
// experiment (FGD, 2023).
#include "sim/cluster/placement_policy.hpp"

namespace trainyard {
namespace {

class DotProduct final : public PlacementPolicy
{
public:
  std::optional<Allocation> place(NodePool& nodes, const ResourceRequest& request) override
  {
    return place_by_score(nodes, request, Split::largest, [](const NodePool& pool, int node, const TaskRequest& task) {
      const NodeState& state = pool.state(node);
      const double cpu = static_cast<double>(state.free_cpu) / 128000 * static_cast<double>(task.cpu_milli) / 128000;
      const double gpu = state.free_milli / 8000.0 * task.milli() / 8000.0;
      return NodeScore{-(cpu + gpu), pool.lowest_gpus(node, task, true)};
    });
  }
};

TY_REGISTER(PlacementPolicy, DotProduct, "dot_product",
            "the machine with the smallest dot product of free and requested resources");

} // namespace
} // namespace trainyard
