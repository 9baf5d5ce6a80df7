// SPDX-License-Identifier: Apache-2.0
// NVLink-aware: a piece gets GPUs of one NVLink island of a machine if one has enough; the machine whose fitting island
// is fullest goes first.
#include "sim/cluster/placement_policy.hpp"

#include <algorithm>

namespace trainyard {
namespace {

struct Island {
  int free = 0;           // whole GPUs
  std::uint32_t gpus = 0; // the first that fit
};

/// The fullest island of a machine that holds so many whole GPUs; islands are stretches of `nvlink_group` GPUs.
std::optional<Island> fullest_island(const NodePool& pool, int node, int wanted)
{
  const NodeShape& shape = pool.shape(node);
  const int size = shape.nvlink_group > 0 ? shape.nvlink_group : shape.gpus;
  const auto free = pool.gpu_free(node);
  std::optional<Island> best;
  for (int first = 0; first < shape.gpus; first += size) {
    Island island;
    for (int gpu = first; gpu < std::min(first + size, shape.gpus); ++gpu)
      if (free[static_cast<std::size_t>(gpu)] == 1000) {
        if (island.free < wanted)
          island.gpus |= 1U << static_cast<unsigned>(gpu);
        ++island.free;
      }
    if (island.free >= wanted && (!best || island.free < best->free))
      best = island;
  }
  return best;
}

class NvlinkAware final : public PlacementPolicy
{
public:
  std::optional<Allocation> place(NodePool& nodes, const ResourceRequest& request) override
  {
    return place_by_score(nodes, request, Split::largest, [](const NodePool& pool, int node, const TaskRequest& task) {
      if (task.shares_gpu() || task.gpus == 0)
        return NodeScore{-static_cast<double>(pool.state(node).free_milli), pool.lowest_gpus(node, task, true)};
      if (const auto island = fullest_island(pool, node, task.gpus))
        return NodeScore{1000.0 - island->free, island->gpus};
      return NodeScore{-static_cast<double>(pool.state(node).whole_free),
                       0}; // over islands only where no machine has one
    });
  }
};

TY_REGISTER(PlacementPolicy, NvlinkAware, "nvlink_aware", "GPUs of one NVLink island; the fullest island that fits");

} // namespace
} // namespace trainyard
