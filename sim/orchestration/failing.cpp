// Failures: what they hit, when they are noticed, and how what they hit comes back.
#include "sim/orchestration/engine.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <fmt/format.h>

namespace trainyard::orchestration {

std::vector<int> Engine::nodes_of(const FaultEvent& event) const
{
  switch (event.kind) {
  case FaultKind::node:
  case FaultKind::link:
  case FaultKind::daemon_config:
  case FaultKind::daemon_restart:
    return {event.index};
  case FaultKind::rack: {
    std::vector<int> nodes;
    for (int node = 0; node < machines_.size(); ++node)
      if (machines_.pool().shape(node).rack == event.index)
        nodes.push_back(node);
    return nodes;
  }
  case FaultKind::network_switch:
    return schedule_.domains().switch_nodes[static_cast<std::size_t>(event.index)];
  default:
    return {};
  }
}

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
    for (const int node : nodes_of(event))
      node_down(node, number, EndReason::node_lost);
    break;
  case FaultKind::daemon_config:
  case FaultKind::daemon_restart:
    node_down(event.index, number, EndReason::daemon);
    break;
  case FaultKind::network_switch:
    for (const int node : nodes_of(event))
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
      if (task_at(task).holds && task_at(task).share.node == event.index && (task_at(task).share.gpu_mask >> event.gpu & 1u) != 0) {
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
    for (const int node : nodes_of(event)) {
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

/// A task of a lost node goes elsewhere, waits for its node, or is given up.
void Engine::replace(int number, const std::string& node)
{
  Task& task = task_at(number);
  const ServiceSpec& service = service_of(task);
  if (!task.wanted) {
    set_phase(number, TaskPhase::absent);
    return;
  }
  if (service.coupling == Coupling::mpi) {
    job_lost_rank(task.unit, number);
    return;
  }
  if (may_move(service)) {
    ++outcome_of(task).restarts;
    ordered(task);
    enqueue(number);
    return;
  }
  const bool returns = rules_.restarts_locally && restart_rule(service) != "never";
  const int fault = task.faults.empty() ? -1 : task.faults.back();
  if (returns && fault >= 0 && result_.faults[static_cast<std::size_t>(fault)].event.until != never) {
    set_phase(number, TaskPhase::evicting, reason(fmt::format("waits for {} to come back: it has no reschedule policy", node)));
    machines_.change(task.last_node, [&](Machines::Machine& machine) { machine.dead.push_back(number); });
    return;
  }
  if (service.standalone)
    give_up(number, fmt::format("{} is lost, and a stand-alone container belongs to no service that would replace it", node));
  else if (!rules_.heals)
    give_up(number, fmt::format("{} is lost, and nobody brings its processes back", node));
  else
    give_up(number, fmt::format("{} is lost, and it has no reschedule policy", node));
}

/// A process ends with an error; its node goes on.
void Engine::crash(int number, EndReason reason, int fault)
{
  Task& task = task_at(number);
  if (!task.holds || task.phase == TaskPhase::stopping)
    return;
  hit(number, fault);
  ++task.restarts;
  if (task.phase == TaskPhase::running && rules_.longest_restart_delay > Seconds{0} &&
      now_ - task.since > 2 * to_micros(rules_.longest_restart_delay))
    task.restarts = 1;
  if (reason == EndReason::crashed && rules_.restarts_locally && may_restart(task) && service_of(task).coupling != Coupling::mpi) {
    restart_in_place(number, reason);
    return;
  }
  end_instance(number, reason);
  lose(number, reason);
  const int unit = task_at(number).unit;
  refresh(unit);
  plan(now_ + to_micros(rules_.process_detection), EventKind::notice, number, task_at(number).stamp);
}

/// The node's own agent restarts the container: it keeps its resources, the process starts anew.
void Engine::restart_in_place(int number, EndReason reason)
{
  Task& task = task_at(number);
  const bool ran = task.phase == TaskPhase::running;
  if (ran)
    carry(task.unit);
  else
    outcome_of(task).starting.add(amount_of(task.share), now_ - task.placed);
  if (ran)
    burden(task, -1);
  set_phase(number, TaskPhase::backoff);
  if (ran)
    lose(number, reason);
  ++outcome_of(task).restarts;
  task.placed = now_;
  if (task.instance >= 0) {
    InstanceRecord& old = result_.instances[static_cast<std::size_t>(task.instance)];
    old.ended = now_;
    old.reason = reason;
    task.instance = static_cast<int>(result_.instances.size());
    result_.instances.push_back({.task = number, .node = task.share.node, .gpu_mask = task.share.gpu_mask, .placed = now_, .pulled = now_});
    log(fmt::format("{} restarts in place on {}", name(number), machines_.name(task.share.node)));
  }
  const int fault = task.faults.empty() ? -1 : task.faults.back();
  if (fault >= 0 && result_.faults[static_cast<std::size_t>(fault)].detected < Micros{0})
    result_.faults[static_cast<std::size_t>(fault)].detected = now_ + to_micros(rules_.process_detection);
  if (fault >= 0)
    result_.faults[static_cast<std::size_t>(fault)].moved_to.push_back(task.share.node);
  plan(now_ + to_micros(rules_.process_detection) + restart_delay(task), EventKind::ready, number, task.stamp);
  refresh(task.unit);
}

/// The orchestrator learns of a process's end.
///
/// @p boots: its node is back, whose agent starts what stood there without the delay of crashed containers.
void Engine::notice(int number, bool boots)
{
  Task& task = task_at(number);
  const ServiceSpec& service = service_of(task);
  if (!task.wanted) {
    set_phase(number, TaskPhase::absent);
    return;
  }
  if (!quorum_ && !rules_.restarts_locally) {
    unnoticed_.push_back(number);
    return;
  }
  if (!task.faults.empty() && rules_.heals && result_.faults[static_cast<std::size_t>(task.faults.back())].detected < Micros{0})
    result_.faults[static_cast<std::size_t>(task.faults.back())].detected = now_;
  if (service.coupling == Coupling::mpi) {
    job_lost_rank(task.unit, number);
    return;
  }
  if (!may_restart(task)) {
    give_up(number, restart_rule(service) == "never" ? std::string{"its restart policy is never"}
                                                     : fmt::format("{} restarts are all its policy allows", service.restart_attempts));
    return;
  }
  ++outcome_of(task).restarts;
  ordered(task);
  const Micros delay = boots && rules_.restarts_locally ? Micros{0} : restart_delay(task);
  if (delay == Micros{0}) {
    enqueue(number);
    return;
  }
  set_phase(number, TaskPhase::backoff);
  plan(now_ + delay, EventKind::ready, number, task_at(number).stamp);
}

/// One rank of an MPI job has ended: so does the job. Where nobody tracks its processes, the others stay behind.
void Engine::job_lost_rank(int number, int first)
{
  const ServiceSpec& service = input_.services[static_cast<std::size_t>(units_[static_cast<std::size_t>(number)].service)];
  const bool again = restart_rule(service) != "never" && rules_.heals && may_restart(task_at(first));
  log(fmt::format("{} has lost {} and ends{}", service.name, name(first),
                  !rules_.tracks_processes ? "; nobody knows its other processes, which stay" : ""));
  const std::vector<int> tasks = units_[static_cast<std::size_t>(number)].tasks;
  const int fault = task_at(first).faults.empty() ? -1 : task_at(first).faults.back();
  for (const int other : tasks) {
    Task& task = task_at(other);
    if (task.phase == TaskPhase::waiting)
      unqueue(other);
    if (task.holds && fault >= 0 && other != first)
      hit(other, fault);
    if (task.holds && !rules_.tracks_processes && task.phase == TaskPhase::running) {
      carry(task.unit);
      burden(task, -1);
      orphans_.push_back({.task = other, .instance = task.instance, .share = task.share, .since = now_});
      task.instance = -1;
      set_phase(other, TaskPhase::unnoticed);
      task_at(other).holds = false;
      lose(other, EndReason::job_ended);
      if (rules_.orphan_cleanup > Seconds{0})
        plan(now_ + to_micros(rules_.orphan_cleanup), EventKind::cleanup, static_cast<int>(orphans_.size()) - 1);
    } else if (task.holds) {
      const bool ran = task.phase == TaskPhase::running;
      end_instance(other, EndReason::job_ended);
      if (ran)
        lose(other, EndReason::job_ended);
    } else if (task.phase != TaskPhase::gone) {
      set_phase(other, TaskPhase::unnoticed);
    }
  }
  refresh(number);
  for (const int other : tasks)
    machines_.change(std::max(0, task_at(other).last_node), [&](Machines::Machine& machine) { std::erase(machine.dead, other); });
  if (!again) {
    for (const int other : tasks)
      if (task_at(other).phase != TaskPhase::gone)
        give_up(other, fmt::format("{} has ended: an MPI job does not survive a rank", service.name));
    return;
  }
  ++result_.services[static_cast<std::size_t>(units_[static_cast<std::size_t>(number)].service)].restarts;
  const Micros delay = restart_delay(task_at(first));
  for (const int other : tasks) {
    if (!task_at(other).wanted)
      continue;
    task_at(other).why = -1;
    if (delay == Micros{0}) {
      enqueue(other);
    } else {
      set_phase(other, TaskPhase::backoff);
      plan(now_ + delay, EventKind::ready, other, task_at(other).stamp);
    }
  }
}

/// The replacement of a task that failures hit is ordered.
void Engine::ordered(const Task& task)
{
  if (task.faults.empty())
    return;
  FaultOutcome& outcome = result_.faults[static_cast<std::size_t>(task.faults.back())];
  if (outcome.evicted < Micros{0})
    outcome.evicted = now_;
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

/// A task that failures hit runs again, or has no more to do.
void Engine::back(int number)
{
  Task& task = task_at(number);
  for (const int fault : task.faults) {
    FaultOutcome& outcome = result_.faults[static_cast<std::size_t>(fault)];
    outcome.worst_outage = std::max(outcome.worst_outage, now_ - std::max(task.lost_at, outcome.event.at));
    if (--outcome.open == 0)
      outcome.recovered = now_;
  }
  task.faults.clear();
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
  log(quorum ? fmt::format("{} of {} managers: decisions are made again", up, all)
             : fmt::format("{} of {} managers are left: no quorum, nothing is placed or replaced", up, all));
  const int why = reason("most of the managers are lost: nobody decides");
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

bool Engine::may_move(const ServiceSpec& service) const
{
  return rules_.heals && !service.standalone && service.reschedule.value_or(rules_.reschedules);
}

bool Engine::may_restart(const Task& task) const
{
  const ServiceSpec& service = service_of(task);
  return restart_rule(service) != "never" && (service.restart_attempts == 0 || task.restarts <= service.restart_attempts) &&
         (rules_.heals || rules_.restarts_locally);
}

Micros Engine::restart_delay(const Task& task) const
{
  const Seconds first = service_of(task).restart_delay.value_or(rules_.restart_delay);
  if (rules_.longest_restart_delay == Seconds{0} || rules_.restart_backoff <= 1)
    return to_micros(first);
  const double grown = first.value() * std::pow(rules_.restart_backoff, std::min(60, std::max(0, task.restarts - 1)));
  return to_micros(Seconds{std::min(grown, std::max(first.value(), rules_.longest_restart_delay.value()))});
}

void Engine::drop_orphans(int node)
{
  for (Orphan& orphan : orphans_)
    if (!orphan.over && orphan.share.node == node)
      release_orphan(orphan, EndReason::job_ended);
}

void Engine::release_orphan(Orphan& orphan, EndReason reason)
{
  orphan.over = true;
  const Task& task = task_at(orphan.task);
  const auto s = static_cast<std::size_t>(task.service);
  result_.services[s].orphaned.add(amount_of(orphan.share), now_ - orphan.since);
  result_.services[s].held.add(held_[s], now_ - held_since_[s]);
  held_[s] -= amount_of(orphan.share);
  held_since_[s] = now_;
  machines_.give(orphan.share, orphan.task, requests_[static_cast<std::size_t>(task.request)], task.service);
  if (orphan.instance >= 0) {
    result_.instances[static_cast<std::size_t>(orphan.instance)].ended = now_;
    result_.instances[static_cast<std::size_t>(orphan.instance)].reason = reason;
  }
}

/// One line of the log per failure, with all that came of it: "node-7 lost; 2 tasks to node-3, node-5; 412 s of work redone".
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
    text += " is wrong: its container daemon does not start, and the node leaves the cluster";
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
