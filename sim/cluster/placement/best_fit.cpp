// SPDX-License-Identifier: Apache-2.0
// Best fit: the machine with the least CPU and GPU left over after the task, on the GPU with the least free that fits.
//
// Score = floor(100 (1 - (CPU left / 128 cores + GPU left / 8 GPUs) / 2)), the weights of the openb allocation
// experiment (FGD, 2023).
#include "sim/cluster/placement_policy.hpp"

#include <cmath>

namespace trainyard {
namespace {

class BestFit final : public PlacementPolicy
{
public:
  std::optional<Allocation> place(NodePool& nodes, const ResourceRequest& request) override
  {
    return place_by_score(nodes, request, Split::largest, [](const NodePool& pool, int node, const TaskRequest& task) {
      const NodeState& state = pool.state(node);
      const double cpu = static_cast<double>(state.free_cpu - task.cpu_milli) / 128000;
      const double gpu = static_cast<double>(state.free_milli - task.milli()) / 8000;
      return NodeScore{std::floor(100 * (1 - 0.5 * cpu - 0.5 * gpu)), pool.lowest_gpus(node, task, true)};
    });
  }
};

TY_REGISTER(PlacementPolicy, BestFit, "best_fit",
            "the machine, then the GPU, with the least free resources after placement");

} // namespace
} // namespace trainyard
