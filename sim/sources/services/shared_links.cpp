// SPDX-License-Identifier: Apache-2.0
// Services that train meet jobs of the queue and retraining on links of the network.
#include "sim/sources/services/engine.hpp"

#include <algorithm>
#include <bit>

namespace trainyard::orchestration {

/// The unit's speed beside the others on its links over that alone. Gangs with parameter servers, and tasks without
/// GPUs, count as alone.
double Engine::share_of_links(Unit& unit, std::span<const RunningTask> places)
{
  const ServiceSpec& service = input_.services[static_cast<std::size_t>(unit.service)];
  const bool counted =
      links_ != nullptr &&
      std::ranges::none_of(service.groups, [](const TaskGroupSpec& group) { return group.role == "ps"; }) &&
      std::ranges::none_of(places, [](const RunningTask& task) { return task.gpu_mask == 0; });
  if (!counted) {
    leave_links(unit);
    return 1;
  }
  Allocation held;
  for (const RunningTask& task : places) {
    held.shares.push_back({.node = task.node, .gpu_mask = task.gpu_mask});
    held.gpus += std::popcount(task.gpu_mask);
    held.gpu_type = machines_.pool().shape(task.node).gpu_type;
  }
  if (!unit.visitor || unit.visited != held) {
    leave_links(unit);
    unit.visitor = links_->enter(std::chrono::duration_cast<Instant>(now_), service.name, service.job, held);
    unit.visited = std::move(held);
  }
  return links_->share(*unit.visitor);
}

void Engine::leave_links(Unit& unit)
{
  if (unit.visitor)
    links_->leave(std::chrono::duration_cast<Instant>(now_), *unit.visitor);
  unit.visitor.reset();
}

/// Others on the links came or went.
void Engine::follow_links()
{
  if (!links_changed())
    return;
  links_seen_ = links_->changes();
  for (std::size_t unit = 0; unit < units_.size(); ++unit)
    if (units_[unit].visitor)
      refresh(static_cast<int>(unit));
}

} // namespace trainyard::orchestration
