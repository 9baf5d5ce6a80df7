// SPDX-License-Identifier: Apache-2.0
// Changes: images that are pulled, rolling updates, more or fewer replicas.
#include "sim/sources/services/engine.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace trainyard::orchestration {

/// The task waits for an image on its node; one pull serves all tasks there.
void Engine::pull(int number, int image)
{
  Task& task = task_at(number);
  carry_pulls();
  for (Pull& known : pulls_)
    if (known.node == task.share.node && known.image == image) {
      known.tasks.emplace_back(number, task.stamp);
      return;
    }
  Pull fresh;
  fresh.node = task.share.node;
  fresh.image = image;
  fresh.left = service_of(task).image.size.value();
  fresh.tasks.emplace_back(number, task.stamp);
  pulls_.push_back(std::move(fresh));
  plan_pulls();
}

void Engine::carry_pulls()
{
  const double seconds = to_seconds(now_ - pulls_since_).value();
  pulls_since_ = now_;
  for (Pull& one : pulls_)
    if (std::isfinite(one.rate))
      one.left = std::max(0.0, one.left - one.rate * seconds);
}

/// Rates by max-min fairness: a node's pulls share its link, all pulls share the registry.
void Engine::plan_pulls()
{
  ++pulls_stamp_;
  if (pulls_.empty())
    return;
  std::map<int, int> on_node;
  for (const Pull& one : pulls_)
    ++on_node[one.node];
  std::vector<std::pair<double, Pull*>> caps;
  for (Pull& one : pulls_)
    caps.emplace_back(input_.node_pull.value() > 0 ? input_.node_pull.value() / on_node[one.node]
                                                   : std::numeric_limits<double>::infinity(),
                      &one);
  std::ranges::stable_sort(caps, {}, &std::pair<double, Pull*>::first);
  double left = input_.registry.value() > 0 ? input_.registry.value() : std::numeric_limits<double>::infinity();
  double first = std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < caps.size(); ++i) {
    Pull& one = *caps[i].second;
    one.rate = std::min(caps[i].first, left / static_cast<double>(caps.size() - i));
    left -= std::isfinite(left) ? one.rate : 0;
    first = std::min(first, std::isfinite(one.rate) ? one.left / one.rate : 0.0);
  }
  plan(now_ + Micros{static_cast<std::int64_t>(std::ceil(first * 1e6 - 1e-3))}, EventKind::pulled, 0, pulls_stamp_);
}

void Engine::pulls_done()
{
  carry_pulls();
  std::vector<Pull> done;
  for (auto one = pulls_.begin(); one != pulls_.end();)
    if (!std::isfinite(one->rate) || one->left <= one->rate * 2e-6) {
      done.push_back(*one);
      one = pulls_.erase(one);
    } else {
      ++one;
    }
  plan_pulls();
  for (const Pull& one : done) {
    machines_.change(one.node, [&](Machines::Machine& machine) {
      machine.images.push_back(one.image);
      std::ranges::sort(machine.images);
    });
    for (const auto& [task, stamp] : one.tasks)
      if (task_at(task).stamp == stamp)
        started(task);
  }
}

/// A lost node pulls no more.
void Engine::drop_pulls(int node)
{
  carry_pulls();
  const std::size_t before = pulls_.size();
  std::erase_if(pulls_, [&](const Pull& one) { return one.node == node; });
  if (pulls_.size() != before)
    plan_pulls();
}

/// Orders a running task to end; its process takes `container_stop`.
void Engine::begin_stop(int number, EndReason reason)
{
  Task& task = task_at(number);
  const TaskPhase next = task.wanted ? TaskPhase::waiting : TaskPhase::absent;
  if (!task.holds || task.phase != TaskPhase::running || rules_.container_stop == Seconds{0}) {
    const bool dead =
        task.phase == TaskPhase::unnoticed || task.phase == TaskPhase::evicting || task.phase == TaskPhase::gone;
    if (dead && next == TaskPhase::waiting)
      return; // nothing to stop: its replacement is under way
    stop(number, reason, next);
    return;
  }
  carry(task.unit);
  burden(task, -1);
  set_phase(number, TaskPhase::stopping);
  task.placed = now_;
  lose(number, reason);
  plan(now_ + to_micros(rules_.container_stop), EventKind::stopped, number, task.stamp, static_cast<int>(reason));
  refresh(task.unit);
}

void Engine::begin_update(int service, int number)
{
  const ServiceSpec& spec = input_.services[static_cast<std::size_t>(service)];
  RollingUpdate update;
  update.service = service;
  update.spec = spec.updates[static_cast<std::size_t>(number)];
  update.began = now_;
  for (const auto& group : slots_[static_cast<std::size_t>(service)])
    for (const int task : group)
      if (task_at(task).wanted && !units_[static_cast<std::size_t>(task_at(task).unit)].over)
        update.tasks.push_back(task);
  log(fmt::format("{} is updated: {} tasks", spec.name, update.tasks.size()));
  updates_.push_back(std::move(update));
  update_batch(static_cast<int>(updates_.size()) - 1);
}

void Engine::update_batch(int number)
{
  const auto u = static_cast<std::size_t>(number);
  if (!quorum_) { // asked again when the next second has passed
    plan(now_ + std::chrono::seconds{1}, EventKind::update_batch, number);
    return;
  }
  const int at_once = updates_[u].spec.parallelism.value_or(rules_.update_parallelism);
  const std::string order = updates_[u].spec.order.empty() ? rules_.update_order : updates_[u].spec.order;
  std::vector<int> batch;
  while (updates_[u].next < updates_[u].tasks.size() && static_cast<int>(batch.size()) < at_once) {
    const int task = updates_[u].tasks[updates_[u].next++];
    if (task_at(task).wanted && !units_[static_cast<std::size_t>(task_at(task).unit)].over &&
        task_at(task).phase != TaskPhase::gone)
      batch.push_back(task);
  }
  updates_[u].under_way = static_cast<int>(batch.size());
  if (batch.empty()) {
    log(fmt::format("update of {} is done after {:.6g} s",
                    input_.services[static_cast<std::size_t>(updates_[u].service)].name,
                    to_seconds(now_ - updates_[u].began).value()));
    return;
  }
  for (const int task : batch) {
    task_at(task).update = number;
    if (order == "start_first" && task_at(task).phase == TaskPhase::running && start_surge(task, number))
      continue;
    begin_stop(task, EndReason::updated);
  }
}

/// A task of an update runs in its new form.
void Engine::updated(int number)
{
  Task& task = task_at(number);
  RollingUpdate& update = updates_[static_cast<std::size_t>(task.update)];
  const int index = task.update;
  task.update = -1;
  if (--update.under_way > 0)
    return;
  if (update.next >= update.tasks.size()) {
    log(fmt::format("update of {} is done after {:.6g} s",
                    input_.services[static_cast<std::size_t>(update.service)].name,
                    to_seconds(now_ - update.began).value()));
    return;
  }
  plan(now_ + to_micros(update.spec.delay.value_or(rules_.update_delay)), EventKind::update_batch, index);
}

/// Starts the new instance of a task beside the old one; false if no node has space.
bool Engine::start_surge(int number, int update)
{
  Task& task = task_at(number);
  const NodeRequest& request = requests_[static_cast<std::size_t>(task.request)];
  const int node = machines_.find(request);
  if (node < 0) {
    log(fmt::format("no node has space for a second {}: the old one stops first", name(number)));
    return false;
  }
  Surge surge;
  surge.task = number;
  surge.update = update;
  surge.placed = now_;
  surge.share = machines_.take(node, number, request, task.service);
  const auto s = static_cast<std::size_t>(task.service);
  result_.services[s].held.add(held_[s], now_ - held_since_[s]);
  held_[s] += amount_of(surge.share);
  held_since_[s] = now_;
  ++result_.placements;
  const ServiceSpec& service = service_of(task);
  Micros start = to_micros(rules_.container_start + service.runtime_start);
  Micros pulled = now_;
  if (!service.image.name.empty() && service.image.size > Bytes{0}) {
    const int image = images_.try_emplace(service.image.name, static_cast<int>(images_.size())).first->second;
    if (!std::ranges::binary_search(machines_.at(node).images, image)) {
      double rate = input_.registry.value() > 0 ? input_.registry.value() : std::numeric_limits<double>::infinity();
      rate = input_.node_pull.value() > 0 ? std::min(rate, input_.node_pull.value()) : rate;
      pulled += to_micros(Seconds{std::isfinite(rate) ? service.image.size.value() / rate : 0});
      machines_.change(node, [&](Machines::Machine& machine) {
        machine.images.push_back(image);
        std::ranges::sort(machine.images);
      });
    }
  }
  if (input_.record) {
    surge.instance = static_cast<int>(result_.instances.size());
    result_.instances.push_back({.task = number,
                                 .node = node,
                                 .gpu_mask = surge.share.gpu_mask,
                                 .gpu_milli = surge.share.gpu_milli,
                                 .placed = now_,
                                 .pulled = pulled});
    log(fmt::format("{} placed on {}; the old one still runs", name(number), machines_.name(node)));
  }
  surges_.push_back(surge);
  plan(pulled + start, EventKind::update_swap, static_cast<int>(surges_.size()) - 1);
  return true;
}

/// The new instance runs: the old one ends.
void Engine::swap_surge(int index)
{
  Surge& surge = surges_[static_cast<std::size_t>(index)];
  if (surge.over)
    return;
  surge.over = true;
  const int number = surge.task;
  Task& task = task_at(number);
  const auto s = static_cast<std::size_t>(task.service);
  if (!task.wanted || units_[static_cast<std::size_t>(task.unit)].over) {
    surge.over = false;
    cancel_surge(surge);
    return;
  }
  result_.services[s].starting.add(amount_of(surge.share), now_ - surge.placed);
  if (task.phase == TaskPhase::waiting)
    unqueue(number);
  const bool ran = task.phase == TaskPhase::running;
  if (task.holds) {
    end_instance(number, EndReason::updated);
    if (ran)
      lose(number, EndReason::updated);
  } else {
    machines_.change(std::max(0, task.last_node),
                     [&](Machines::Machine& machine) { std::erase(machine.dead, number); });
  }
  task.share = surge.share;
  task.holds = true;
  task.instance = surge.instance;
  task.last_node = surge.share.node;
  task.placed = now_;
  // held_ has the share already; running() adds no starting time, since the task was placed now.
  running(number);
}

void Engine::cancel_surge(Surge& surge)
{
  surge.over = true;
  const Task& task = task_at(surge.task);
  const auto s = static_cast<std::size_t>(task.service);
  result_.services[s].starting.add(amount_of(surge.share), now_ - surge.placed);
  give_back(surge.share, surge.task, surge.instance, EndReason::node_lost);
  if (task.update >= 0 && task.wanted)
    updated(surge.task); // the old instance stays; the update goes on with the next tasks
}

void Engine::scale(int service, int group, int replicas)
{
  const auto s = static_cast<std::size_t>(service);
  const ServiceSpec& spec = input_.services[s];
  auto& slots = slots_[s][static_cast<std::size_t>(group)];
  if (std::ranges::any_of(slots, [&](int task) {
        return spec.coupling != Coupling::independent && units_[static_cast<std::size_t>(task_at(task).unit)].over;
      }))
    return;
  int now = 0;
  for (const int task : slots)
    now += task_at(task).wanted ? 1 : 0;
  if (now == replicas)
    return;
  log(fmt::format("{} changes to {} replicas{} (before: {})", spec.name, replicas,
                  spec.groups[static_cast<std::size_t>(group)].role.empty()
                      ? ""
                      : " of " + spec.groups[static_cast<std::size_t>(group)].role,
                  now));
  const bool changed = !slots.empty() || replicas > 0;
  std::vector<int> start, end;
  for (int index = 0; index < std::max(replicas, static_cast<int>(slots.size())); ++index) {
    if (index >= static_cast<int>(slots.size()))
      add_task(service, group, index);
    const int task = slots_[s][static_cast<std::size_t>(group)][static_cast<std::size_t>(index)];
    if (index < replicas && !task_at(task).wanted)
      start.push_back(task);
    else if (index >= replicas && task_at(task).wanted)
      end.push_back(task);
  }
  note_series(service);
  for (const int task : start) {
    task_at(task).wanted = true;
    ++desired_[s];
  }
  for (const int task : end) {
    task_at(task).wanted = false;
    --desired_[s];
  }
  note_series(service);
  // A ClusterSpec is fixed when a job's processes start: with more or fewer of them, all restart.
  if (changed &&
      (spec.coupling == Coupling::sync || spec.coupling == Coupling::async || spec.coupling == Coupling::mpi))
    restart_all(service, EndReason::updated);
  for (const int task : end)
    if (task_at(task).phase != TaskPhase::absent)
      begin_stop(task, EndReason::scaled_down);
  for (const int task : start)
    if (task_at(task).phase == TaskPhase::absent)
      enqueue(task);
  for (const auto& list : slots_[s])
    for (const int task : list)
      refresh(task_at(task).unit);
}

void Engine::restart_all(int service, EndReason reason)
{
  log(fmt::format("{} restarts completely: its members are fixed at the start",
                  input_.services[static_cast<std::size_t>(service)].name));
  for (const auto& group : slots_[static_cast<std::size_t>(service)])
    for (const int task : std::vector<int>{group})
      if (task_at(task).wanted && task_at(task).holds) {
        ++outcome_of(task_at(task)).restarts;
        begin_stop(task, reason);
      }
}

/// Replicas follow the rate of requests.
void Engine::follow_rate(int service)
{
  const ServingSpec& serving = input_.services[static_cast<std::size_t>(service)].serving;
  double rate = 0;
  for (const auto& [from, value] : serving.rate)
    if (to_micros(from + serving.scale_delay) <= now_)
      rate = value;
  const double exact = rate / (serving.capacity * serving.target);
  const int wanted = static_cast<int>(
      std::clamp(std::ceil(exact - 1e-9), static_cast<double>(serving.least), static_cast<double>(serving.most)));
  scale(service, 0, wanted);
}

} // namespace trainyard::orchestration
