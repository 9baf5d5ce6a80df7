// SPDX-License-Identifier: Apache-2.0
// Least allocated: the node whose CPU, memory and GPUs are free to the largest share, as kube-scheduler's
// NodeResourcesFit scores; equal weights, whole hundredths.
#include "models/core/registry.hpp"
#include "sim/sources/services/task_placement.hpp"

namespace trainyard {
namespace {

class LeastAllocated final : public TaskPlacement
{
public:
  std::int64_t rank(const NodePool& nodes, int node, int) const override
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
    return kinds > 0 ? -(sum / kinds) : 0;
  }
};

TY_REGISTER(TaskPlacement, LeastAllocated, "least_allocated", "the node with the largest free share (kube-scheduler)");

} // namespace
} // namespace trainyard
