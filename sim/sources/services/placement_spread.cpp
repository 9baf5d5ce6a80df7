// SPDX-License-Identifier: Apache-2.0
// Spread: fewest tasks of the service, then fewest tasks. Source: moby/swarmkit, manager/scheduler.
#include "models/core/registry.hpp"
#include "sim/sources/services/task_placement.hpp"

namespace trainyard {
namespace {

class Spread final : public TaskPlacement
{
public:
  std::int64_t rank(const NodePool&, int, int tasks) const override { return tasks; }
  bool spreads_services() const override { return true; }
};

TY_REGISTER(TaskPlacement, Spread, "spread", "fewest tasks of the service, then fewest tasks (swarmkit)");

} // namespace
} // namespace trainyard
