// SPDX-License-Identifier: Apache-2.0
// First fit: nodes in the order of the cluster.
#include "models/core/registry.hpp"
#include "sim/sources/services/task_placement.hpp"

namespace trainyard {
namespace {

class FirstFit final : public TaskPlacement
{
public:
  std::int64_t rank(const NodePool&, int node, int) const override { return node; }
};

TY_REGISTER(TaskPlacement, FirstFit, "first_fit", "the first node that fits, in the order of the cluster");

} // namespace
} // namespace trainyard
