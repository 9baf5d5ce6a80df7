// SPDX-License-Identifier: Apache-2.0
#include "sim/sources/services/engine.hpp"

#include <algorithm>
#include <fmt/format.h>

namespace trainyard::orchestration {
namespace {

constexpr Sentence<std::int64_t, std::int64_t, Message> start_together{
    "services.together", "all {tasks} tasks must start together; after {placed} of them: {why}"};

} // namespace

bool Placing::is_gang(int number) const
{
  const ServiceSpec& service = book_.service_of(book_.task(number));
  return service.coupling == Coupling::mpi || (rules_.gang && service.coupling != Coupling::independent);
}

/// Whether the control plane still works on earlier placements; then it is asked again.
bool Placing::busy()
{
  if (rules_.placements_per_second <= 0 || control_free_ <= agenda_.now())
    return false;
  if (!tick_planned_) {
    tick_planned_ = true;
    agenda_.plan(control_free_, EventKind::tick, 0);
  }
  return true;
}

void Placing::decide()
{
  if (!waiting_.quorum() || waiting_.empty())
    return;
  // The first task of each request that may fit, and the request.
  std::set<std::pair<WaitingTasks::Place, int>> heads;
  const auto add_head = [&](int request) {
    if (!waiting_.of(request).empty() && waiting_.seen(request) != machines_.gains().size())
      heads.emplace(*waiting_.of(request).begin(), request);
  };
  const auto add_heads = [&] {
    for (const int request : waiting_.requests())
      add_head(request);
  };
  add_heads();
  std::set<int> tried_gangs;
  while (!heads.empty()) {
    if (busy())
      return;
    const auto [place, request] = *heads.begin();
    const int task = std::get<2>(place);
    heads.erase(heads.begin());
    if (is_gang(task)) {
      const int unit = book_.task(task).unit;
      const bool known = waiting_.gang_tried(unit);
      if (!known && tried_gangs.insert(unit).second && place_gang(unit)) {
        add_heads();
        continue;
      }
      if (!known)
        waiting_.gang_fits_nowhere(unit);
      // The gang waits; the next task with the same request may fit.
      const auto& tasks = waiting_.of(request);
      auto next = tasks.upper_bound(place);
      while (next != tasks.end() && tried_gangs.contains(book_.task(std::get<2>(*next)).unit))
        ++next;
      if (next != tasks.end())
        heads.emplace(*next, request);
    } else if (place_one(task)) {
      add_head(request);
    } else if (rules_.preempts && push_away(task)) {
      add_heads();
    } else {
      waiting_.fits_nowhere(request);
    }
  }
}

void Placing::place(int task, int node)
{
  if (rules_.placements_per_second > 0)
    control_free_ = std::max(control_free_, agenda_.now()) + Instant{Seconds{1 / rules_.placements_per_second}};
  runs_.occupy(task, node);
}

bool Placing::place_one(int number)
{
  const Task& task = book_.task(number);
  const std::size_t seen = waiting_.seen(task.request);
  int node = -1;
  if (seen == SIZE_MAX) {
    node = machines_.find(book_.request_of(task));
  } else {
    const auto& gains = machines_.gains();
    std::vector<int> fresh(gains.begin() + static_cast<std::ptrdiff_t>(seen), gains.end());
    std::ranges::sort(fresh);
    fresh.erase(std::unique(fresh.begin(), fresh.end()), fresh.end());
    node = machines_.find(book_.request_of(task), &fresh);
  }
  if (node < 0)
    return false;
  place(number, node);
  return true;
}

/// All waiting tasks of a unit at once, or none.
bool Placing::place_gang(int number)
{
  // Some of a job that ends as a whole may still be in their restart delay: all start together.
  std::vector<int> tasks;
  for (const int task : book_.unit(number).tasks) {
    const Task& one = book_.task(task);
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
  Message why;
  bool fits = true;
  for (const int task : tasks) {
    const NodeRequest& request = book_.request_of(book_.task(task));
    const int node = machines_.find(request);
    if (node < 0) {
      fits = false;
      if (records_.on())
        why = machines_.why_not(request);
      break;
    }
    shares.push_back(machines_.take(node, task, request, book_.task(task).service));
  }
  for (std::size_t i = shares.size(); i-- > 0;) {
    const Task& task = book_.task(tasks[i]);
    machines_.give(shares[i], tasks[i], book_.request_of(task), task.service);
  }
  machines_.quiet(false);
  machines_.forget_gains(gains);
  if (!fits) {
    if (records_.on()) {
      const int text = records_.reason(
          start_together(static_cast<std::int64_t>(tasks.size()), static_cast<std::int64_t>(shares.size()), why));
      for (const int task : tasks)
        book_.task(task).why = text;
    }
    return false;
  }
  for (std::size_t i = 0; i < tasks.size(); ++i)
    place(tasks[i], shares[i].node);
  return true;
}

/// Frees resources for a task by stopping tasks of lower priority on the node where the fewest must go; the lowest
/// priorities first.
bool Placing::push_away(int number)
{
  const Task& task = book_.task(number);
  const NodeRequest& request = book_.request_of(task);
  const auto priority = [&](int other) { return book_.service_of(book_.task(other)).priority; };
  std::vector<int> best;
  for (int node = 0; node < machines_.size(); ++node) {
    std::vector<int> below;
    for (const int other : machines_.at(node).task_list)
      if (book_.task(other).holds_on(node) && priority(other) < priority(number) &&
          book_.task(other).phase != TaskPhase::stopping)
        below.push_back(other);
    if (below.empty() || !machines_.at(node).usable())
      continue;
    std::ranges::sort(below, {}, [&](int other) { return std::pair{priority(other), -other}; });
    std::vector<int> victims;
    std::vector<TaskShare> given;
    for (const int other : below) {
      victims.push_back(other);
      given.push_back(book_.task(other).share);
      if (machines_.fits_with(node, request, given))
        break;
    }
    if (machines_.fits_with(node, request, given) && (best.empty() || victims.size() < best.size()))
      best = victims;
  }
  for (const int victim : best) {
    records_.log(fmt::format("{} is preempted by {}", book_.name(victim), book_.name(number)));
    life_.stop(victim, EndReason::preempted, TaskPhase::waiting);
  }
  return !best.empty();
}

} // namespace trainyard::orchestration
