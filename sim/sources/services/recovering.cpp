// SPDX-License-Identifier: Apache-2.0
// How tasks that failures hit recover: restarted in place, moved, with their whole job, or never.
#include "sim/sources/services/engine.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace trainyard::orchestration {

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
    set_phase(number, TaskPhase::evicting,
              reason(fmt::format("waits for {} to come back: it has no reschedule policy", node)));
    machines_.change(task.last_node, [&](Machines::Machine& machine) { machine.dead.push_back(number); });
    return;
  }
  if (service.standalone)
    give_up(number, fmt::format("{} is lost, and no service replaces a stand-alone container", node));
  else if (!rules_.heals)
    give_up(number, fmt::format("{} is lost, and the orchestrator does not replace its processes", node));
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
  if (reason == EndReason::crashed && rules_.restarts_locally && may_restart(task) &&
      service_of(task).coupling != Coupling::mpi) {
    restart_in_place(number, reason);
    return;
  }
  end_instance(number, reason);
  lose(number, reason);
  const int unit = task_at(number).unit;
  refresh(unit);
  plan(now_ + to_micros(rules_.process_detection), EventKind::notice, number, task_at(number).stamp);
}

/// The node's own agent restarts the container: it keeps its resources, the process starts again.
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
    result_.instances.push_back({.task = number,
                                 .node = task.share.node,
                                 .gpu_mask = task.share.gpu_mask,
                                 .gpu_milli = task.share.gpu_milli,
                                 .placed = now_,
                                 .pulled = now_});
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
/// @p boots: its node is back, and its agent starts the containers without the delay of crashed ones.
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
  if (!task.faults.empty() && rules_.heals &&
      result_.faults[static_cast<std::size_t>(task.faults.back())].detected < Micros{0})
    result_.faults[static_cast<std::size_t>(task.faults.back())].detected = now_;
  if (service.coupling == Coupling::mpi) {
    job_lost_rank(task.unit, number);
    return;
  }
  if (!may_restart(task)) {
    give_up(number, restart_rule(service) == "never"
                        ? std::string{"its restart policy is never"}
                        : fmt::format("its policy allows only {} restarts", service.restart_attempts));
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

/// One rank of an MPI job has ended, so the job ends. If its processes are not tracked, the others keep running.
void Engine::job_lost_rank(int number, int first)
{
  const ServiceSpec& service =
      input_.services[static_cast<std::size_t>(units_[static_cast<std::size_t>(number)].service)];
  const bool again = restart_rule(service) != "never" && rules_.heals && may_restart(task_at(first));
  log(fmt::format("{} has lost {} and ends{}", service.name, name(first),
                  !rules_.tracks_processes ? "; its other processes are not tracked and keep running" : ""));
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
    machines_.change(std::max(0, task_at(other).last_node),
                     [&](Machines::Machine& machine) { std::erase(machine.dead, other); });
  if (!again) {
    for (const int other : tasks)
      if (task_at(other).phase != TaskPhase::gone)
        give_up(other, fmt::format("{} has ended: an MPI job does not survive the loss of a rank", service.name));
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

bool Engine::may_move(const ServiceSpec& service) const
{
  return rules_.heals && !service.standalone && service.reschedule.value_or(rules_.reschedules);
}

bool Engine::may_restart(const Task& task) const
{
  const ServiceSpec& service = service_of(task);
  return restart_rule(service) != "never" &&
         (service.restart_attempts == 0 || task.restarts <= service.restart_attempts) &&
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
  const auto s = static_cast<std::size_t>(task_at(orphan.task).service);
  result_.services[s].orphaned.add(amount_of(orphan.share), now_ - orphan.since);
  give_back(orphan.share, orphan.task, orphan.instance, reason);
}

/// What a container held that is none of its task's any more; its instance has ended.
void Engine::give_back(const TaskShare& share, int number, int instance, EndReason reason)
{
  const Task& task = task_at(number);
  const auto s = static_cast<std::size_t>(task.service);
  result_.services[s].held.add(held_[s], now_ - held_since_[s]);
  held_[s] -= amount_of(share);
  held_since_[s] = now_;
  machines_.give(share, number, requests_[static_cast<std::size_t>(task.request)], task.service);
  if (instance < 0)
    return;
  result_.instances[static_cast<std::size_t>(instance)].ended = now_;
  result_.instances[static_cast<std::size_t>(instance)].reason = reason;
}

} // namespace trainyard::orchestration
