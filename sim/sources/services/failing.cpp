// SPDX-License-Identifier: Apache-2.0
// Failures: what they hit, when they are noticed, and when they are over.
#include "sim/sources/services/engine.hpp"

#include <algorithm>
#include <fmt/format.h>

namespace trainyard::orchestration {

void Engine::fault(const FaultEvent& event)
{
  const int number = static_cast<int>(result_.faults.size());
  FaultOutcome fresh;
  fresh.event = event;
  result_.faults.push_back(fresh);
  ++quiet_faults_;
  fault_log_.push_back(result_.log.size());
  log(event.name);
  switch (event.kind) {
  case FaultKind::node:
  case FaultKind::rack:
    for (const int node : machines_of(event, schedule_.domains()))
      node_down(node, number, EndReason::node_lost);
    break;
  case FaultKind::daemon_config:
  case FaultKind::daemon_restart:
    node_down(event.index, number, EndReason::daemon);
    break;
  case FaultKind::network_switch:
    for (const int node : machines_of(event, schedule_.domains()))
      node_down(node, number, EndReason::cut_off);
    break;
  case FaultKind::link:
    if (event.remaining > 0) {
      slow_links_[event.index].emplace_back(number, event.remaining);
      slow_link(event.index);
    } else {
      node_down(event.index, number, EndReason::cut_off);
    }
    break;
  case FaultKind::gpu: {
    if (broken_[{event.index, event.gpu}]++ > 0)
      break;
    for (const int task : std::vector<int>{machines_.at(event.index).task_list})
      if (task_at(task).holds && task_at(task).share.node == event.index &&
          (task_at(task).share.gpu_mask >> event.gpu & 1u) != 0) {
        if (task_at(task).phase == TaskPhase::stopping)
          stop(task, EndReason::gpu_lost, task_at(task).wanted ? TaskPhase::waiting : TaskPhase::absent);
        else
          crash(task, EndReason::gpu_lost, number);
      }
    for (Surge& surge : surges_)
      if (!surge.over && surge.share.node == event.index && (surge.share.gpu_mask >> event.gpu & 1u) != 0)
        cancel_surge(surge);
    for (Orphan& orphan : orphans_)
      if (!orphan.over && orphan.share.node == event.index && (orphan.share.gpu_mask >> event.gpu & 1u) != 0)
        release_orphan(orphan, EndReason::gpu_lost);
    machines_.break_gpu(event.index, event.gpu, true);
    break;
  }
  case FaultKind::process:
    if (const auto task = task_numbers_.find(event.task); task != task_numbers_.end())
      crash(task->second, EndReason::crashed, number);
    break;
  case FaultKind::storage:
  case FaultKind::object_store:
    for (std::size_t unit = 0; unit < units_.size(); ++unit)
      carry(static_cast<int>(unit));
    ++(event.kind == FaultKind::storage ? storage_down_ : object_store_down_);
    refresh_all();
    break;
  case FaultKind::manager:
    ++managers_down_[static_cast<std::size_t>(event.index)];
    quorum_changed();
    break;
  }
  if (event.until != never && event.kind != FaultKind::process)
    plan(std::max(event.until, now_), EventKind::repair, number);
}

void Engine::repair(int number)
{
  const FaultEvent event = result_.faults[static_cast<std::size_t>(number)].event;
  result_.faults[static_cast<std::size_t>(number)].ended = now_;
  switch (event.kind) {
  case FaultKind::node:
  case FaultKind::rack:
  case FaultKind::network_switch:
  case FaultKind::daemon_config:
  case FaultKind::daemon_restart:
  case FaultKind::link: {
    if (event.kind == FaultKind::link && event.remaining > 0) {
      std::erase_if(slow_links_[event.index], [&](const auto& entry) { return entry.first == number; });
      slow_link(event.index);
      break;
    }
    for (const int node : machines_of(event, schedule_.domains())) {
      machines_.change(node, [&](Machines::Machine& machine) {
        switch (event.kind) {
        case FaultKind::node:
        case FaultKind::rack:
          --machine.crashed;
          break;
        case FaultKind::daemon_config:
        case FaultKind::daemon_restart:
          --machine.daemon;
          break;
        default:
          --machine.cut;
        }
      });
      if (machines_.at(node).usable())
        node_up(node);
    }
    break;
  }
  case FaultKind::gpu:
    if (--broken_[{event.index, event.gpu}] == 0)
      machines_.break_gpu(event.index, event.gpu, false);
    break;
  case FaultKind::storage:
  case FaultKind::object_store:
    for (std::size_t unit = 0; unit < units_.size(); ++unit)
      carry(static_cast<int>(unit));
    --(event.kind == FaultKind::storage ? storage_down_ : object_store_down_);
    refresh_all();
    break;
  case FaultKind::manager:
    --managers_down_[static_cast<std::size_t>(event.index)];
    quorum_changed();
    break;
  case FaultKind::process:
    return;
  }
  log(event.name + " works again");
}

/// The worst of the failures that slow a link down decides.
void Engine::slow_link(int node)
{
  double left = 1;
  for (const auto& [fault, remaining] : slow_links_[node])
    left = std::min(left, remaining);
  for (const int task : machines_.at(node).task_list)
    carry(task_at(task).unit);
  machines_.change(node, [&](Machines::Machine& machine) { machine.link_remaining = left; });
  refresh_node(node);
}

void Engine::node_down(int node, int fault, EndReason reason)
{
  const bool was_usable = machines_.at(node).usable();
  reasons_stale_ = true;
  gang_seen_.clear();
  machines_.change(node, [&](Machines::Machine& machine) {
    if (reason == EndReason::cut_off)
      ++machine.cut;
    else if (reason == EndReason::daemon)
      ++machine.daemon;
    else
      ++machine.crashed;
    if (was_usable) {
      ++machine.epoch;
      machine.lost = false;
    }
  });
  if (was_usable)
    fault_of_node_[static_cast<std::size_t>(node)] = fault;
  drop_pulls(node);
  for (Surge& surge : surges_)
    if (!surge.over && surge.share.node == node)
      cancel_surge(surge);
  std::set<int> units;
  for (const int task : std::vector<int>{machines_.at(node).task_list}) {
    if (!task_at(task).holds || task_at(task).share.node != node)
      continue; // a surge's or an orphan's share
    units.insert(task_at(task).unit);
    if (reason != EndReason::cut_off) {
      node_lost_task(task, reason, fault);
    } else if (was_usable) {
      hit(task, fault);
      Task& one = task_at(task);
      if (one.phase == TaskPhase::running && !one.cut) {
        carry(one.unit);
        note_series(one.service);
        --running_[static_cast<std::size_t>(one.service)];
        note_series(one.service);
        one.cut = true;
        one.lost_at = now_;
      } else if (one.phase != TaskPhase::running) {
        // It was to start, but nothing reaches the node any more.
        node_lost_task(task, reason, fault);
      }
    }
  }
  if (reason != EndReason::cut_off)
    drop_orphans(node);
  for (const int unit : units)
    refresh(unit);
  if (was_usable)
    plan(now_ + to_micros(rules_.node_detection), EventKind::detect, node, machines_.at(node).epoch);
  if (!manager_nodes_.empty())
    quorum_changed();
}

/// A task ends with its node.
void Engine::node_lost_task(int number, EndReason reason, int fault)
{
  hit(number, fault);
  end_instance(number, reason);
  lose(number, reason);
  const int node = task_at(number).last_node;
  machines_.change(node, [&](Machines::Machine& machine) { machine.dead.push_back(number); });
  refresh(task_at(number).unit);
}

void Engine::node_up(int node)
{
  reasons_stale_ = true;
  std::vector<int> dead;
  machines_.change(node, [&](Machines::Machine& machine) {
    ++machine.epoch;
    machine.lost = false;
    dead.swap(machine.dead);
  });
  for (const int task : std::vector<int>{machines_.at(node).task_list}) {
    Task& one = task_at(task);
    if (!one.cut || one.share.node != node)
      continue;
    carry(one.unit);
    note_series(one.service);
    one.cut = false;
    ++running_[static_cast<std::size_t>(one.service)];
    note_series(one.service);
    back(task);
    refresh(one.unit);
  }
  drop_orphans(node); // the orchestrator stops what it has replaced
  for (const int task : dead)
    if (task_at(task).phase == TaskPhase::unnoticed || task_at(task).phase == TaskPhase::evicting)
      notice(task, true);
  if (!manager_nodes_.empty())
    quorum_changed();
}

void Engine::detect(int node, std::uint32_t epoch)
{
  if (machines_.at(node).epoch != epoch || machines_.at(node).usable())
    return;
  if (!quorum_)
    return; // found when a quorum is back
  machines_.change(node, [](Machines::Machine& machine) { machine.lost = true; });
  const int fault = fault_of_node_[static_cast<std::size_t>(node)];
  if (fault >= 0 && rules_.heals) {
    FaultOutcome& outcome = result_.faults[static_cast<std::size_t>(fault)];
    if (outcome.detected < Micros{0})
      outcome.detected = now_;
    log(fmt::format("{} counts as lost", machines_.name(node)));
  }
  for (const int task : std::vector<int>{machines_.at(node).dead})
    if (task_at(task).phase == TaskPhase::unnoticed)
      set_phase(task, TaskPhase::evicting);
  if (rules_.eviction_delay == Seconds{0})
    evict(node, epoch);
  else
    plan(now_ + to_micros(rules_.eviction_delay), EventKind::evict, node, epoch);
}

void Engine::evict(int node, std::uint32_t epoch)
{
  if (machines_.at(node).epoch != epoch || machines_.at(node).usable() || !quorum_)
    return;
  std::vector<int> dead;
  machines_.change(node, [&](Machines::Machine& machine) { dead.swap(machine.dead); });
  // Those that still run behind a broken link are replaced as well; the old processes go on until the link is back.
  for (const int number : std::vector<int>{machines_.at(node).task_list}) {
    Task& task = task_at(number);
    if (!task.cut || task.share.node != node || !may_move(service_of(task)))
      continue;
    carry(task.unit);
    if (task.phase == TaskPhase::running)
      burden(task, -1);
    orphans_.push_back({.task = number, .instance = task.instance, .share = task.share, .since = now_});
    task.instance = -1;
    set_phase(number, TaskPhase::evicting);
    task_at(number).holds = false;
    lose(number, EndReason::cut_off);
    refresh(task_at(number).unit);
    dead.push_back(number);
  }
  for (const int task : dead)
    if (task_at(task).phase == TaskPhase::unnoticed || task_at(task).phase == TaskPhase::evicting)
      replace(task, machines_.name(node));
}

void Engine::hit(int number, int fault)
{
  Task& task = task_at(number);
  if (fault < 0 || std::ranges::find(task.faults, fault) != task.faults.end())
    return;
  FaultOutcome& outcome = result_.faults[static_cast<std::size_t>(fault)];
  ++outcome.tasks_hit;
  ++outcome.open;
  task.faults.push_back(fault);
  quiet_faults_ = 0;
}

void Engine::quorum_changed()
{
  std::size_t up = 0, all = 0;
  if (manager_nodes_.empty()) {
    all = managers_down_.size();
    for (const int failures : managers_down_)
      up += failures == 0 ? 1 : 0;
  } else {
    all = manager_nodes_.size();
    for (std::size_t i = 0; i < all; ++i)
      up += machines_.at(manager_nodes_[i]).usable() && managers_down_[i] == 0 ? 1 : 0;
  }
  const bool quorum = all == 0 || 2 * up > all;
  if (quorum == quorum_)
    return;
  log(quorum ? fmt::format("{} of {} managers: the orchestrator makes decisions again", up, all)
             : fmt::format("{} of {} managers remain: no quorum, nothing is placed or replaced", up, all));
  const int why = reason("most of the managers are lost: no quorum");
  for (const int request : active_)
    for (const auto& [priority, order, task] : waiting_[static_cast<std::size_t>(request)].tasks)
      split_phase(task, quorum ? why : blocked_reason(task));
  quorum_ = quorum;
  if (!quorum)
    return;
  for (int node = 0; node < machines_.size(); ++node)
    if (!machines_.at(node).usable() && machines_.at(node).joined)
      plan(now_ + (machines_.at(node).lost ? Micros{0} : to_micros(rules_.node_detection)), EventKind::detect, node,
           machines_.at(node).epoch);
  for (const int task : std::vector<int>{std::move(unnoticed_)})
    if (task_at(task).phase == TaskPhase::unnoticed)
      notice(task);
  unnoticed_.clear();
  for (Waiting& waiting : waiting_)
    waiting.seen = SIZE_MAX;
  gang_seen_.clear();
}

/// One line of the log per failure, with all that came of it: "node-7 lost; 2 tasks to node-3, node-5; 412 s of work
/// redone".
void Engine::fault_words(int number)
{
  const FaultOutcome& outcome = result_.faults[static_cast<std::size_t>(number)];
  if (!input_.record)
    return;
  const FaultEvent& event = outcome.event;
  std::string text = event.name;
  switch (event.kind) {
  case FaultKind::link:
    text += event.remaining > 0 ? fmt::format(" at {:.0f} % of its bandwidth", 100 * event.remaining) : " lost";
    break;
  case FaultKind::process:
    text += " ends with an error";
    break;
  case FaultKind::daemon_config:
    text += " is wrong: the container daemon does not start, and the node leaves the cluster";
    break;
  case FaultKind::daemon_restart:
    text += " restarts";
    break;
  case FaultKind::storage:
  case FaultKind::object_store:
    text += " does not answer";
    break;
  default:
    text += " lost";
  }
  if (outcome.tasks_hit > 0) {
    text += fmt::format("; {} task{}", outcome.tasks_hit, outcome.tasks_hit == 1 ? "" : "s");
    std::vector<std::string> to;
    for (const int node : outcome.moved_to)
      if (to.size() < 6 && std::ranges::find(to, machines_.name(node)) == to.end())
        to.push_back(machines_.name(node));
    if (!to.empty())
      text += fmt::format(" to {}{}", fmt::join(to, ", "), to.size() == 6 ? "…" : "");
    if (outcome.never_back > 0)
      text += fmt::format("; {} never come{} back", outcome.never_back, outcome.never_back == 1 ? "s" : "");
    if (outcome.redone > Micros{0})
      text += fmt::format("; {:.6g} s of work redone", to_seconds(outcome.redone).value());
  }
  result_.log[fault_log_[static_cast<std::size_t>(number)]].text = text;
}

} // namespace trainyard::orchestration
