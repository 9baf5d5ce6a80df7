// SPDX-License-Identifier: Apache-2.0
#include "sim/sources/services/failures.hpp"

#include <algorithm>
#include <fmt/format.h>

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

namespace {

/// How many failures of this kind hold the machine down.
int& failures_of(Machines::Machine& machine, EndReason reason)
{
  return reason == EndReason::cut_off ? machine.cut : reason == EndReason::daemon ? machine.daemon : machine.crashed;
}

} // namespace

void NodeFailures::down(int node, int fault, EndReason reason)
{
  const bool was_usable = machines_.at(node).usable();
  waiting_.machines_changed();
  waiting_.try_gangs_again();
  machines_.change(node, [&](Machines::Machine& machine) {
    ++failures_of(machine, reason);
    if (was_usable) {
      ++machine.epoch;
      machine.lost = false;
    }
  });
  if (was_usable)
    fault_of_node_[static_cast<std::size_t>(node)] = fault;
  images_.drop(node);
  surges_.cancel_on(node);
  std::set<int> units;
  for (const int task : std::vector<int>{machines_.at(node).task_list}) {
    if (!book_.task(task).holds_on(node))
      continue; // a surge's or an orphan's share
    units.insert(book_.task(task).unit);
    if (reason != EndReason::cut_off)
      lost_task(task, reason, fault);
    else if (was_usable)
      cut_off(task, fault);
  }
  if (reason != EndReason::cut_off)
    orphans_.end_on(node);
  for (const int unit : units)
    progress_.refresh(unit);
  if (was_usable)
    agenda_.plan(agenda_.now() + Instant{rules_.node_detection}, EventKind::detect, node, machines_.at(node).epoch);
  managers_.machines_changed();
}

/// A task ends with its node.
void NodeFailures::lost_task(int number, EndReason reason, int fault)
{
  faults_.hit(number, fault);
  life_.end_instance(number, reason);
  life_.lose(number, reason);
  machines_.change(book_.task(number).last_node, [&](Machines::Machine& machine) { machine.dead.push_back(number); });
  progress_.refresh(book_.task(number).unit);
}

/// Nothing reaches the task's node any more.
void NodeFailures::cut_off(int number, int fault)
{
  faults_.hit(number, fault);
  Task& task = book_.task(number);
  if (!task.runs()) { // it was to start
    lost_task(number, EndReason::cut_off, fault);
  } else if (!task.cut) {
    set_cut(number, true);
    task.lost_at = agenda_.now();
  }
}

void NodeFailures::set_cut(int number, bool cut)
{
  Task& task = book_.task(number);
  progress_.carry(task.unit);
  accounts_.run(task.service, cut ? -1 : 1);
  task.cut = cut;
}

void NodeFailures::repaired(int node, EndReason reason)
{
  machines_.change(node, [&](Machines::Machine& machine) { --failures_of(machine, reason); });
  if (machines_.at(node).usable())
    up(node);
}

void NodeFailures::up(int node)
{
  waiting_.machines_changed();
  std::vector<int> dead;
  machines_.change(node, [&](Machines::Machine& machine) {
    ++machine.epoch;
    machine.lost = false;
    dead.swap(machine.dead);
  });
  for (const int task : std::vector<int>{machines_.at(node).task_list})
    if (book_.task(task).cut && book_.task(task).share.node == node) {
      set_cut(task, false);
      faults_.back(task);
      progress_.refresh(book_.task(task).unit);
    }
  orphans_.end_on(node); // the orchestrator stops what it has replaced
  for (const int task : dead)
    if (book_.task(task).phase == TaskPhase::unnoticed || book_.task(task).phase == TaskPhase::evicting)
      recovery_.notice(task, true);
  managers_.machines_changed();
}

void NodeFailures::detect(int node, std::uint32_t epoch)
{
  if (machines_.at(node).epoch != epoch || machines_.at(node).usable())
    return;
  if (!waiting_.quorum())
    return; // found when a quorum is back
  machines_.change(node, [](Machines::Machine& machine) { machine.lost = true; });
  const int fault = fault_of_node_[static_cast<std::size_t>(node)];
  if (fault >= 0 && rules_.heals) {
    faults_.detected(fault, agenda_.now());
    records_.log(fmt::format("{} counts as lost", machines_.name(node)));
  }
  for (const int task : std::vector<int>{machines_.at(node).dead})
    if (book_.task(task).phase == TaskPhase::unnoticed)
      life_.set_phase(task, TaskPhase::evicting);
  if (rules_.eviction_delay == Seconds{0})
    evict(node, epoch);
  else
    agenda_.plan(agenda_.now() + Instant{rules_.eviction_delay}, EventKind::evict, node, epoch);
}

void NodeFailures::evict(int node, std::uint32_t epoch)
{
  if (machines_.at(node).epoch != epoch || machines_.at(node).usable() || !waiting_.quorum())
    return;
  std::vector<int> dead;
  machines_.change(node, [&](Machines::Machine& machine) { dead.swap(machine.dead); });
  // Those that still run behind a broken link are replaced as well; the old processes go on until the link is back.
  for (const int number : std::vector<int>{machines_.at(node).task_list}) {
    const Task& task = book_.task(number);
    if (!task.cut || task.share.node != node || !recovery_.may_move(book_.service_of(task)))
      continue;
    orphans_.leave(number, TaskPhase::evicting, EndReason::cut_off);
    progress_.refresh(task.unit);
    dead.push_back(number);
  }
  for (const int task : dead)
    if (book_.task(task).phase == TaskPhase::unnoticed || book_.task(task).phase == TaskPhase::evicting)
      recovery_.replace(task, machines_.name(node));
}

Managers::Managers(const TaskParts& parts, Recovery& recovery) : TaskParts{parts}, recovery_{recovery}
{
  for (std::size_t node = 0; node < input_.traits.size(); ++node)
    if (input_.traits[node].manages)
      nodes_.push_back(static_cast<int>(node));
  down_.assign(nodes_.empty() ? static_cast<std::size_t>(rules_.managers) : nodes_.size(), 0);
}

void Managers::fails(int manager, int sign)
{
  down_[static_cast<std::size_t>(manager)] += sign;
  count();
}

void Managers::machines_changed()
{
  if (!nodes_.empty())
    count();
}

/// Whether they have a quorum now; what follows where that has changed.
void Managers::count()
{
  const std::size_t all = down_.size();
  std::size_t up = 0;
  for (std::size_t i = 0; i < all; ++i)
    up += down_[i] == 0 && (nodes_.empty() || machines_.at(nodes_[i]).usable()) ? 1 : 0;
  const bool quorum = all == 0 || 2 * up > all;
  if (quorum == waiting_.quorum())
    return;
  records_.log(quorum ? fmt::format("{} of {} managers: the orchestrator makes decisions again", up, all)
                      : fmt::format("{} of {} managers remain: no quorum, nothing is placed or replaced", up, all));
  waiting_.set_quorum(quorum);
  if (!quorum)
    return;
  for (int node = 0; node < machines_.size(); ++node)
    if (const Machines::Machine& machine = machines_.at(node); !machine.usable() && machine.joined)
      agenda_.plan(agenda_.now() + (machine.lost ? Instant{} : Instant{rules_.node_detection}), EventKind::detect, node,
                   machine.epoch);
  recovery_.notice_all();
  waiting_.try_all_again();
}

} // namespace trainyard::orchestration
