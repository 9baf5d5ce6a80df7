// SPDX-License-Identifier: Apache-2.0
// Least allocated: the machine whose CPU, memory and GPUs are free to the largest share, as kube-scheduler's
// NodeResourcesFit scores; equal weights, whole hundredths.
#include "sim/cluster/placement_policy.hpp"

namespace trainyard {
namespace {

class LeastAllocated final : public PlacementPolicy, public TaskOrder
{
public:
  std::optional<Allocation> place(NodePool& nodes, const ResourceRequest& request) override
  {
    return place_by_score(nodes, request, Split::single_gpus, [](const NodePool& pool, int node, const TaskRequest&) {
      return NodeScore{static_cast<double>(free_percent(pool, node))};
    });
  }
  const TaskOrder* task_order() const override { return this; }
  std::int64_t rank(const NodePool& nodes, int node, int) const override { return -free_percent(nodes, node); }

private:
  static std::int64_t free_percent(const NodePool& nodes, int node)
  {
    const NodeState& now = nodes.state(node);
    const NodeShape& shape = nodes.shape(node);
    std::int64_t sum = 0, kinds = 0;
    const auto add = [&](std::int64_t free, std::int64_t capacity) {
      if (capacity > 0) {
        sum += 100 * free / capacity;
        ++kinds;
      }
    };
    add(now.free_cpu, shape.cpu_milli);
    add(now.free_memory, shape.memory_mib);
    add(now.free_milli, static_cast<std::int64_t>(shape.gpus) * 1000);
    return kinds > 0 ? sum / kinds : 0;
  }
};

TY_REGISTER(PlacementPolicy, LeastAllocated, "least_allocated",
            "the machine with the largest share of free CPU, memory and GPUs (kube-scheduler)");

} // namespace
} // namespace trainyard
