// SPDX-License-Identifier: Apache-2.0
// Services that train meet jobs of the queue and retraining on links of the network.
#include "sim/sources/services/progress.hpp"

#include <algorithm>
#include <bit>

namespace trainyard::orchestration {

double Progress::share_of_links(Unit& unit, std::span<const RunningTask> places)
{
  const ServiceSpec& service = book_.service(unit.service);
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
    unit.visitor = links_->enter(agenda_.now(), service.name, service.job, held);
    unit.visited = std::move(held);
  }
  return links_->share(*unit.visitor);
}

void Progress::leave_links(Unit& unit)
{
  if (unit.visitor)
    links_->leave(agenda_.now(), *unit.visitor);
  unit.visitor.reset();
}

void Progress::follow_links()
{
  if (!links_changed())
    return;
  links_seen_ = links_->changes();
  for (int unit = 0; unit < static_cast<int>(book_.units().size()); ++unit)
    if (book_.unit(unit).visitor)
      refresh(unit);
}

} // namespace trainyard::orchestration
