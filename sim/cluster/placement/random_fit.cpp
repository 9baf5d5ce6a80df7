// SPDX-License-Identifier: Apache-2.0
// Uniform over the machines where the task fits, then uniform over their GPUs that fit.
#include "sim/cluster/placement_policy.hpp"

#include <bit>

namespace trainyard {
namespace {

class RandomFit final : public PlacementPolicy
{
public:
  void begin(const NodePool&, const Workload&, const Random& random) override { stream_ = random.stream("placement"); }

  std::optional<Allocation> place(NodePool& nodes, const ResourceRequest& request) override
  {
    // The highest of independent uniform draws is a uniform choice.
    return place_by_score(nodes, request, Split::largest, [&](const NodePool& pool, int node, const TaskRequest& task) {
      return NodeScore{stream_.uniform(), gpus(pool, node, task)};
    });
  }

private:
  std::uint32_t gpus(const NodePool& pool, int node, const TaskRequest& task)
  {
    std::uint32_t fitting = 0;
    const auto free = pool.gpu_free(node);
    for (std::size_t i = 0; i < free.size(); ++i)
      fitting |= free[i] >= task.gpu_milli ? 1u << i : 0u;
    std::uint32_t mask = 0;
    for (int i = 0; i < task.gpus; ++i) {
      std::uint32_t rest = fitting & ~mask;
      for (auto skip = stream_.below(static_cast<std::uint64_t>(std::popcount(rest))); skip > 0; --skip)
        rest &= rest - 1;
      mask |= rest & (~rest + 1);
    }
    return mask;
  }

  RandomStream stream_{1};
};

TY_REGISTER(PlacementPolicy, RandomFit, "random",
            "a random machine that fits, then a random GPU, with equal probability");

} // namespace
} // namespace trainyard
