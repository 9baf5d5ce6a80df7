// SPDX-License-Identifier: Apache-2.0
#include "sim/sources/services/engine.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <iterator>
#include <optional>
#include <tuple>

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
      // Others with the same request may push away others while these stop.
      const auto next = waiting_.of(request).upper_bound(place);
      if (pushed_[task].empty())
        add_heads();
      else if (next != waiting_.of(request).end())
        heads.emplace(*next, request);
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

/// Makes room for a task by stopping tasks of lower priority on the node where the fewest must go; the lowest
/// priorities first. `pushed_` has those that take their time to stop, of which none stops for two. False: there is no
/// such room.
bool Placing::push_away(int number)
{
  const NodeRequest& request = book_.request_of(book_.task(number));
  const auto priority = [&](int other) { return book_.service_of(book_.task(other)).priority; };
  const auto stops = [&](int other) { return book_.task(other).phase == TaskPhase::stopping; };
  std::erase_if(pushed_, [&](const auto& one) { return std::ranges::none_of(one.second, stops); });
  if (pushed_.contains(number))
    return true;
  std::set<int> promised;
  for (const auto& [other, victims] : pushed_)
    promised.insert(victims.begin(), victims.end());
  std::optional<std::vector<int>> best;
  for (int node = 0; node < machines_.size(); ++node) {
    if (!machines_.at(node).usable())
      continue;
    std::vector<int> below; // those that stop for nobody first, then the lowest priorities
    for (const int other : machines_.at(node).task_list)
      if (book_.task(other).holds_on(node) && !promised.contains(other) &&
          (stops(other) || priority(other) < priority(number)))
        below.push_back(other);
    std::ranges::sort(below, {}, [&](int other) { return std::tuple{!stops(other), priority(other), -other}; });
    std::vector<int> victims;
    std::vector<TaskShare> given;
    while (victims.size() < below.size() && (victims.empty() || !machines_.fits_with(node, request, given))) {
      victims.push_back(below[victims.size()]);
      given.push_back(book_.task(victims.back()).share);
    }
    const auto running = [&](const std::vector<int>& tasks) {
      return std::ranges::count_if(tasks, [&](int other) { return !stops(other); });
    };
    if (!victims.empty() && machines_.fits_with(node, request, given) && (!best || running(victims) < running(*best)))
      best = victims;
  }
  for (const int victim : best.value_or(std::vector<int>{}))
    if (!stops(victim)) {
      records_.log(fmt::format("{} is preempted by {}", book_.name(victim), book_.name(number)));
      life_.begin_stop(victim, EndReason::preempted);
    }
  if (best)
    std::ranges::copy_if(*best, std::back_inserter(pushed_[number]), stops);
  return best.has_value();
}

void Changes::arrive(int service)
{
  const ServiceSpec& spec = book_.service(service);
  std::vector<int> fresh;
  for (std::size_t group = 0; group < spec.groups.size(); ++group)
    for (int i = 0; i < spec.groups[group].replicas; ++i)
      fresh.push_back(book_.add(service, static_cast<int>(group), agenda_.now()));
  for (const int task : fresh)
    book_.task(task).wanted = true;
  accounts_.want(service, static_cast<int>(fresh.size()));
  for (const int task : fresh)
    life_.enqueue(task);
  const auto plan = [&](Seconds at, EventKind kind, std::size_t number = 0) {
    agenda_.plan(std::max(agenda_.now(), Instant{at}), kind, service, 0, static_cast<int>(number));
  };
  for (std::size_t i = 0; i < spec.scaling.size(); ++i)
    plan(spec.scaling[i].at, EventKind::scale, i);
  for (std::size_t i = 0; i < spec.updates.size(); ++i)
    plan(spec.updates[i].at, EventKind::update, i);
  for (const ClientSpec& client : spec.clients)
    plan(client.at, EventKind::client);
  if (spec.serving.scales)
    for (const auto& [from, rate] : spec.serving.rate)
      plan(from + spec.serving.scale_delay, EventKind::rate);
  accounts_.of(service).clients.assign(spec.clients.size(), {Instant{-1}, Instant{-1}});
}

void Changes::begin_update(int service, int number)
{
  update_batch(updates_.begin(service, book_.service(service).updates[static_cast<std::size_t>(number)]));
}

void Changes::update_batch(int number)
{
  if (!waiting_.quorum()) { // asked again when the next second has passed
    agenda_.plan(agenda_.now() + std::chrono::seconds{1}, EventKind::update_batch, number);
    return;
  }
  for (const int task : updates_.next_batch(number)) {
    book_.task(task).update = number;
    if (updates_.start_first(number) && book_.task(task).runs() && surges_.start(task))
      continue;
    life_.begin_stop(task, EndReason::updated);
  }
}

void Changes::scale(int service, int number)
{
  const ScaleSpec& spec = book_.service(service).scaling[static_cast<std::size_t>(number)];
  scale_to(service, spec.group, spec.replicas);
}

void Changes::follow_rate(int service)
{
  const ServingSpec& serving = book_.service(service).serving;
  double rate = 0;
  for (const auto& [from, value] : serving.rate)
    if (Instant{from + serving.scale_delay} <= agenda_.now())
      rate = value;
  const double exact = rate / (serving.capacity * serving.target);
  scale_to(service, 0,
           static_cast<int>(std::clamp(std::ceil(exact - 1e-9), static_cast<double>(serving.least),
                                       static_cast<double>(serving.most))));
}

void Changes::scale_to(int service, int group, int replicas)
{
  const ServiceSpec& spec = book_.service(service);
  const auto& slots = book_.slots(service)[static_cast<std::size_t>(group)];
  if (accounts_.of(service).finished >= Instant{} && book_.service_over(service))
    return; // who has done its work wants nobody
  if (spec.coupling != Coupling::independent &&
      std::ranges::any_of(slots, [&](int task) { return book_.unit_of(task).over; }))
    return;
  const auto now = std::ranges::count_if(slots, [&](int task) { return book_.task(task).wanted; });
  if (now == replicas)
    return;
  const std::string& role = spec.groups[static_cast<std::size_t>(group)].role;
  records_.log(fmt::format("{} changes to {} replicas{} (before: {})", spec.name, replicas,
                           role.empty() ? "" : " of " + role, now));
  const bool changed = !slots.empty() || replicas > 0;
  while (static_cast<int>(slots.size()) < replicas)
    book_.add(service, group, agenda_.now());
  std::vector<int> start, end;
  for (std::size_t index = 0; index < slots.size(); ++index) {
    Task& task = book_.task(slots[index]);
    const bool wanted = static_cast<int>(index) < replicas;
    if (wanted != task.wanted)
      (wanted ? start : end).push_back(slots[index]);
  }
  accounts_.note(service);
  for (const int task : start)
    book_.task(task).wanted = true;
  for (const int task : end)
    book_.task(task).wanted = false;
  accounts_.want(service, static_cast<int>(start.size()) - static_cast<int>(end.size()));
  // A ClusterSpec is fixed when a job's processes start: with more or fewer of them, all restart.
  if (changed && (spec.coupling == Coupling::sync || spec.coupling == Coupling::async ||
                  spec.coupling == Coupling::mpi || spec.coupling == Coupling::sync_replicas))
    restart_all(service);
  for (const int task : end)
    if (book_.task(task).phase != TaskPhase::absent)
      life_.begin_stop(task, EndReason::scaled_down);
  for (const int task : start)
    if (book_.task(task).phase == TaskPhase::absent)
      life_.enqueue(task);
  for (const int task : book_.tasks_of(service))
    progress_.refresh(book_.task(task).unit);
}

void Changes::restart_all(int service)
{
  records_.log(fmt::format("{} restarts completely: its members are fixed at the start", book_.service(service).name));
  for (const int task : book_.tasks_of(service))
    if (book_.task(task).wanted && book_.task(task).holds) {
      ++accounts_.of(service).restarts;
      life_.begin_stop(task, EndReason::updated);
    }
}

} // namespace trainyard::orchestration
