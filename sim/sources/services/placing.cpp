// SPDX-License-Identifier: Apache-2.0
// Placement: waiting tasks in order of priority and age, gangs as a whole or not at all, lower priorities are
// preempted.
#include "sim/sources/services/engine.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace trainyard::orchestration {

bool Engine::is_gang(int number) const
{
  const Task& task = tasks_[static_cast<std::size_t>(number)];
  const ServiceSpec& service = service_of(task);
  return service.coupling == Coupling::mpi || (rules_.gang && service.coupling != Coupling::independent);
}

/// Places waiting tasks until nothing more fits, in order of priority, then of waiting.
///
/// Equal requests share what is known: one that fitted nowhere is tried again only on nodes that have gained free
/// resources since.
void Engine::decide()
{
  if (!quorum_ || active_.empty())
    return;
  using Head = std::tuple<double, std::uint64_t, int, int>; // -priority, order, task, request
  std::set<Head> heads;
  const auto add_head = [&](int request) {
    const Waiting& waiting = waiting_[static_cast<std::size_t>(request)];
    if (waiting.tasks.empty() || (waiting.seen != SIZE_MAX && waiting.seen == machines_.gains().size()))
      return;
    const auto& [priority, order, task] = *waiting.tasks.begin();
    heads.emplace(priority, order, task, request);
  };
  for (const int request : active_)
    add_head(request);
  std::set<int> tried_gangs;
  while (!heads.empty()) {
    if (rules_.placements_per_second > 0 && control_free_ > now_) {
      if (!tick_planned_) {
        tick_planned_ = true;
        plan(control_free_, EventKind::tick, 0);
      }
      return;
    }
    const auto [priority, order, task, request] = *heads.begin();
    heads.erase(heads.begin());
    Waiting& waiting = waiting_[static_cast<std::size_t>(request)];
    if (is_gang(task)) {
      const int unit = task_at(task).unit;
      const auto seen = gang_seen_.find(unit);
      const bool known = seen != gang_seen_.end() && seen->second == machines_.gains().size();
      if (!known && tried_gangs.insert(unit).second && place_gang(unit)) {
        for (const int other : active_)
          add_head(other);
        continue;
      }
      if (!known)
        gang_seen_[unit] = machines_.gains().size();
      // The gang waits; the next task with the same request may fit.
      auto next = waiting.tasks.upper_bound({priority, order, task});
      while (next != waiting.tasks.end() && tried_gangs.contains(task_at(std::get<2>(*next)).unit))
        ++next;
      if (next != waiting.tasks.end())
        heads.emplace(std::get<0>(*next), std::get<1>(*next), std::get<2>(*next), request);
      continue;
    }
    if (place_one(task)) {
      waiting.seen = waiting.seen == SIZE_MAX ? SIZE_MAX : waiting.seen;
      add_head(request);
      continue;
    }
    if (rules_.preempts && push_away(task)) {
      for (const int other : active_)
        add_head(other);
      continue;
    }
    waiting.seen = machines_.gains().size();
    if (input_.record)
      told(request, reason(machines_.why_not(requests_[static_cast<std::size_t>(request)])));
  }
}

bool Engine::place_one(int number)
{
  const Task& task = task_at(number);
  const NodeRequest& request = requests_[static_cast<std::size_t>(task.request)];
  const Waiting& waiting = waiting_[static_cast<std::size_t>(task.request)];
  int node = -1;
  if (waiting.seen == SIZE_MAX) {
    node = machines_.find(request);
  } else {
    const auto& gains = machines_.gains();
    std::vector<int> fresh(gains.begin() + static_cast<std::ptrdiff_t>(waiting.seen), gains.end());
    std::ranges::sort(fresh);
    fresh.erase(std::unique(fresh.begin(), fresh.end()), fresh.end());
    node = machines_.find(request, &fresh);
  }
  if (node < 0)
    return false;
  if (rules_.placements_per_second > 0)
    control_free_ = std::max(control_free_, now_) + to_micros(Seconds{1 / rules_.placements_per_second});
  occupy(number, node);
  return true;
}

/// All waiting tasks of a unit at once, or none.
bool Engine::place_gang(int number)
{
  const std::vector<int> members = units_[static_cast<std::size_t>(number)].tasks;
  // Some of a job that ends as a whole may still be in their restart delay: all start together.
  std::vector<int> tasks;
  for (const int task : members) {
    const Task& one = task_at(task);
    if (!one.wanted)
      continue;
    if (one.phase == TaskPhase::backoff || one.phase == TaskPhase::stopping)
      return false;
    if (one.phase == TaskPhase::waiting)
      tasks.push_back(task);
  }
  const std::size_t gains = machines_.gains().size();
  machines_.quiet(true); // until all is given back
  std::vector<TaskShare> shares;
  bool fits = true;
  int blocked = -1;
  for (const int task : tasks) {
    const NodeRequest& request = requests_[static_cast<std::size_t>(task_at(task).request)];
    const int node = machines_.find(request);
    if (node < 0) {
      fits = false;
      blocked = task;
      break;
    }
    shares.push_back(machines_.take(node, task, request, task_at(task).service));
  }
  std::string why;
  if (!fits && input_.record)
    why = machines_.why_not(requests_[static_cast<std::size_t>(task_at(blocked).request)]);
  for (std::size_t i = shares.size(); i-- > 0;)
    machines_.give(shares[i], tasks[i], requests_[static_cast<std::size_t>(task_at(tasks[i]).request)],
                   task_at(tasks[i]).service);
  machines_.quiet(false);
  machines_.forget_gains(gains);
  if (!fits) {
    if (input_.record) {
      const int text = reason(
          fmt::format("all {} tasks must start together; after {} of them: {}", tasks.size(), shares.size(), why));
      for (const int task : tasks)
        task_at(task).why = text;
    }
    return false;
  }
  for (std::size_t i = 0; i < tasks.size(); ++i) {
    if (rules_.placements_per_second > 0)
      control_free_ = std::max(control_free_, now_) + to_micros(Seconds{1 / rules_.placements_per_second});
    occupy(tasks[i], shares[i].node);
  }
  return true;
}

/// Frees resources for a task by stopping tasks of lower priority on the node where the fewest must go; the lowest
/// priorities first.
bool Engine::push_away(int number)
{
  const Task& task = task_at(number);
  const NodeRequest& request = requests_[static_cast<std::size_t>(task.request)];
  const double priority = service_of(task).priority;
  std::vector<int> best;
  for (int node = 0; node < machines_.size(); ++node) {
    std::vector<int> below;
    for (const int other : machines_.at(node).task_list)
      if (task_at(other).holds && task_at(other).share.node == node && service_of(task_at(other)).priority < priority &&
          task_at(other).phase != TaskPhase::stopping)
        below.push_back(other);
    if (below.empty() || !machines_.at(node).usable())
      continue;
    std::ranges::sort(below, {}, [&](int other) { return std::pair{service_of(task_at(other)).priority, -other}; });
    std::vector<int> victims;
    std::vector<TaskShare> given;
    for (const int other : below) {
      victims.push_back(other);
      given.push_back(task_at(other).share);
      if (machines_.fits_with(node, request, given))
        break;
    }
    if (machines_.fits_with(node, request, given) && (best.empty() || victims.size() < best.size()))
      best = victims;
  }
  if (best.empty())
    return false;
  for (const int victim : best) {
    log(fmt::format("{} is preempted by {}", name(victim), name(number)));
    stop(victim, EndReason::preempted, TaskPhase::waiting);
  }
  return true;
}

/// A period of waiting ends with its reason; another one begins.
void Engine::split_phase(int number, int why)
{
  Task& task = task_at(number);
  if (input_.record && now_ > task.since)
    result_.phases.push_back({number, task.since, now_, task.phase, -1, why});
  task.since = std::max(task.since, now_);
}

/// The reason for which a request fits nowhere now.
void Engine::told(int request, int why)
{
  Waiting& waiting = waiting_[static_cast<std::size_t>(request)];
  if (why == waiting.why)
    return;
  if (waiting.why >= 0)
    for (const auto& [priority, order, task] : waiting.tasks)
      if (task_at(task).why < 0)
        split_phase(task, waiting.why);
  waiting.why = why;
}

/// Machines that left change why tasks wait, although the tasks are not tried again.
void Engine::update_reasons()
{
  reasons_stale_ = false;
  if (!input_.record || !quorum_)
    return;
  for (const int request : active_)
    if (waiting_[static_cast<std::size_t>(request)].seen != SIZE_MAX)
      told(request, reason(machines_.why_not(requests_[static_cast<std::size_t>(request)])));
}

/// Why a task does not run, for the records: index of reasons, -1 = nothing to say.
int Engine::blocked_reason(int number)
{
  const Task& task = task_at(number);
  if (task.phase != TaskPhase::waiting)
    return task.why;
  if (!quorum_)
    return reason("most of the managers are lost: no quorum");
  if (task.why >= 0)
    return task.why;
  const Waiting& waiting = waiting_[static_cast<std::size_t>(task.request)];
  if (waiting.why >= 0 && waiting.seen != SIZE_MAX)
    return waiting.why;
  return rules_.placements_per_second > 0 ? reason("the control plane is busy placing other tasks") : waiting.why;
}

} // namespace trainyard::orchestration
