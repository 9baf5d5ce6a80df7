// SPDX-License-Identifier: Apache-2.0
// First fit: every task goes to the first machine, in order of the cluster, that holds it; those of services too.
#include "sim/cluster/placement_policy.hpp"

namespace trainyard {
namespace {

class FirstFit final : public PlacementPolicy, public TaskOrder
{
public:
  std::optional<Allocation> place(NodePool& nodes, const ResourceRequest& request) override
  {
    return place_by_score(nodes, request, Split::largest, {});
  }
  const TaskOrder* task_order() const override { return this; }
  std::int64_t rank(const NodePool&, int node, int) const override { return node; }
};

TY_REGISTER(PlacementPolicy, FirstFit, "first_fit", "the first machine that fits, in order of the cluster");

} // namespace
} // namespace trainyard
