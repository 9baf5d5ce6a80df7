// SPDX-License-Identifier: Apache-2.0
// Pack: nodes in use first, the fullest of them; whole machines stay free for large jobs. Docker's stand-alone Swarm
// calls it binpack.
#include "models/core/registry.hpp"
#include "sim/sources/services/task_placement.hpp"

namespace trainyard {
namespace {

class Pack final : public TaskPlacement
{
public:
  std::int64_t rank(const NodePool& nodes, int node, int tasks) const override
  {
    const std::int64_t unused = tasks == 0 ? std::int64_t{1} << 40 : 0;
    return unused + nodes.state(node).free_milli;
  }
};

TY_REGISTER(TaskPlacement, Pack, "pack", "the fullest node in use that fits");

} // namespace
} // namespace trainyard
