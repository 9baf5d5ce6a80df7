// SPDX-License-Identifier: Apache-2.0
// GPU packing, one of the peers that FGD is compared with (Weng et al., USENIX ATC 2023; rule and constants of the
// score: its artefact, gpu_packing_score.go): shared GPUs before whole ones, whole ones of machines in use before idle
// machines.
//
//   every GPU it would get is shared already:  100 - (their free thousandths summed) / 100, at least 50
//   it needs whole free GPUs of a used machine: 50 - how many of them, at least 33
//   an idle machine:                            33 - its GPUs, or its number of GPUs where that is more
// Tasks without GPUs go anywhere.
#include "sim/cluster/placement_policy.hpp"

#include <algorithm>

namespace trainyard {
namespace {

class GpuPacking final : public PlacementPolicy
{
public:
  std::optional<Allocation> place(NodePool& nodes, const ResourceRequest& request) override
  {
    return place_by_score(nodes, request, Split::largest, [](const NodePool& pool, int node, const TaskRequest& task) {
      if (task.gpus == 0)
        return NodeScore{0, 0};
      const int whole = pool.state(node).whole_free;
      if (whole == pool.shape(node).gpus)
        return NodeScore{static_cast<double>(std::max(33 - whole, whole)), pool.lowest_gpus(node, task, true)};
      // Only a task that shares can do without whole GPUs, and it takes the fullest that fits.
      const std::uint32_t mask = pool.lowest_gpus(node, task, true);
      int whole_taken = 0;
      int free_percent = 0;
      const auto free = pool.gpu_free(node);
      for (std::size_t i = 0; i < free.size(); ++i)
        if ((mask >> i & 1U) != 0) {
          whole_taken += free[i] == 1000 ? 1 : 0;
          free_percent += free[i] / 10;
        }
      const int score = whole_taken > 0 ? std::max(50 - whole_taken, 33) : std::max(100 - free_percent / 10, 50);
      return NodeScore{static_cast<double>(score), mask};
    });
  }
};

TY_REGISTER(PlacementPolicy, GpuPacking, "gpu_packing",
            "shared GPUs first, then whole ones of machines in use, then idle machines");

} // namespace
} // namespace trainyard
