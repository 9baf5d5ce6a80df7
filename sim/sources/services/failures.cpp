// SPDX-License-Identifier: Apache-2.0
#include "sim/sources/services/failures.hpp"

#include <algorithm>

namespace trainyard::orchestration {
namespace {

/// What a failure that takes machines away does to them: EndReason of their tasks; nothing for other failures.
std::optional<EndReason> takes_machines(const FaultEvent& event)
{
  switch (event.kind) {
  case FaultKind::node:
  case FaultKind::rack:
    return EndReason::node_lost;
  case FaultKind::daemon_config:
  case FaultKind::daemon_restart:
    return EndReason::daemon;
  case FaultKind::network_switch:
    return EndReason::cut_off;
  case FaultKind::link:
    return event.remaining > 0 ? std::nullopt : std::optional{EndReason::cut_off};
  default:
    return std::nullopt;
  }
}

} // namespace

void Failures::begin(const FaultEvent& event)
{
  const int number = faults_.begin(event);
  if (const std::optional<EndReason> reason = takes_machines(event))
    for (const int node : machines_of(event, schedule_.domains()))
      nodes_.down(node, number, *reason);
  else
    switch (event.kind) {
    case FaultKind::link:
      slow_links_[event.index].emplace_back(number, event.remaining);
      slow_link(event.index);
      break;
    case FaultKind::gpu:
      if (broken_[{event.index, event.gpu}]++ == 0)
        gpu_fails(event.index, event.gpu, number);
      break;
    case FaultKind::process:
      if (const std::optional<int> task = book_.find(event.task))
        recovery_.crash(*task, EndReason::crashed, number);
      break;
    case FaultKind::storage:
    case FaultKind::object_store:
      progress_.storage_fails(event.kind == FaultKind::object_store, 1);
      break;
    case FaultKind::manager:
      managers_.fails(event.index, 1);
      break;
    default:
      break;
    }
  if (event.until < end_of_time && event.kind != FaultKind::process)
    agenda_.plan(std::max(event.until, agenda_.now()), EventKind::repair, number);
}

void Failures::repair(int number)
{
  const FaultEvent event = faults_.event(number);
  faults_.repaired(number);
  if (const std::optional<EndReason> reason = takes_machines(event))
    for (const int node : machines_of(event, schedule_.domains()))
      nodes_.repaired(node, *reason);
  else
    switch (event.kind) {
    case FaultKind::link:
      std::erase_if(slow_links_[event.index], [&](const auto& entry) { return entry.first == number; });
      slow_link(event.index);
      break;
    case FaultKind::gpu:
      if (--broken_[{event.index, event.gpu}] == 0)
        machines_.break_gpu(event.index, event.gpu, false);
      break;
    case FaultKind::storage:
    case FaultKind::object_store:
      progress_.storage_fails(event.kind == FaultKind::object_store, -1);
      break;
    case FaultKind::manager:
      managers_.fails(event.index, -1);
      break;
    default:
      return;
    }
  records_.log(event.name + " works again");
}

void Failures::gpu_fails(int node, int gpu, int fault)
{
  for (const int number : std::vector<int>{machines_.at(node).task_list}) {
    const Task& task = book_.task(number);
    if (!task.holds_on(node) || (task.share.gpu_mask >> gpu & 1u) == 0)
      continue;
    if (task.phase == TaskPhase::stopping)
      life_.stop(number, EndReason::gpu_lost);
    else
      recovery_.crash(number, EndReason::gpu_lost, fault);
  }
  surges_.cancel_on_gpu(node, gpu);
  orphans_.end_on_gpu(node, gpu);
  machines_.break_gpu(node, gpu, true);
}

/// The worst of the failures that slow a link down decides.
void Failures::slow_link(int node)
{
  double left = 1;
  for (const auto& [fault, remaining] : slow_links_[node])
    left = std::min(left, remaining);
  progress_.set_link(node, left);
}

} // namespace trainyard::orchestration
