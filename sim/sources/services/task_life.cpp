// SPDX-License-Identifier: Apache-2.0
// The life of a task: from the service that wants it over its node, its start and its run to its end.
#include "sim/sources/services/engine.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <limits>

namespace trainyard::orchestration {

int Engine::request_of_group(int service, int group)
{
  const ServiceSpec& spec = input_.services[static_cast<std::size_t>(service)];
  const TaskGroupSpec& tasks = spec.groups[static_cast<std::size_t>(group)];
  NodeRequest request;
  request.resources = {.gpus = tasks.gpus,
                       .gpu_milli = tasks.gpu_milli,
                       .cpu_milli = tasks.cpu_milli,
                       .memory_mib = tasks.memory_mib,
                       .gpu_type = -1};
  if (!tasks.gpu_type.empty()) {
    const auto type = gpu_types_.find(tasks.gpu_type);
    request.resources.gpu_type = type == gpu_types_.end() ? 1'000'000 : type->second;
  }
  request.host_ports = tasks.host_ports;
  request.constraints = tasks.constraints;
  request.most_per_node = tasks.most_per_node;
  request.uses_gpu = tasks.gpus == 0 && tasks.gpu_use > 0;
  // Services of one task need no memory of where its other tasks are: they share a request.
  if (tasks.most_per_node > 0 || spec.replicas() > 1 || !spec.scaling.empty() || spec.serving.scales)
    request.service = service;
  const auto [found, fresh] = request_numbers_.try_emplace(request, static_cast<int>(requests_.size()));
  if (fresh) {
    requests_.push_back(request);
    waiting_.emplace_back();
  }
  return found->second;
}

int Engine::add_task(int service, int group, int index)
{
  const ServiceSpec& spec = input_.services[static_cast<std::size_t>(service)];
  const int number = static_cast<int>(tasks_.size());
  Task task;
  task.service = service;
  task.group = group;
  task.index = index;
  task.request = request_of_group(service, group);
  result_.task_names.push_back(task_name(spec, spec.groups[static_cast<std::size_t>(group)], index));
  task_numbers_.emplace(result_.task_names.back(), number);
  auto& slots = slots_[static_cast<std::size_t>(service)];
  const auto existing = std::ranges::find_if(slots, [](const auto& list) { return !list.empty(); });
  if (spec.coupling == Coupling::independent || existing == slots.end()) {
    Unit unit;
    unit.service = service;
    const CheckpointTimes times{to_micros(spec.checkpoint.interval), to_micros(spec.checkpoint.save),
                                to_micros(spec.checkpoint.load)};
    unit.progress = spec.ends() ? TrainingProgress{spec.work, times}
                                : TrainingProgress{Seconds{std::numeric_limits<double>::infinity()}, times};
    unit.since = now_;
    task.unit = static_cast<int>(units_.size());
    units_.push_back(std::move(unit));
  } else {
    task.unit = task_at(existing->front()).unit;
  }
  units_[static_cast<std::size_t>(task.unit)].tasks.push_back(number);
  slots[static_cast<std::size_t>(group)].push_back(number);
  tasks_.push_back(std::move(task));
  return number;
}

void Engine::arrive(int service)
{
  const ServiceSpec& spec = input_.services[static_cast<std::size_t>(service)];
  std::vector<int> fresh;
  for (std::size_t group = 0; group < spec.groups.size(); ++group)
    for (int i = 0; i < spec.groups[group].replicas; ++i)
      fresh.push_back(add_task(service, static_cast<int>(group), i));
  for (const int task : fresh) {
    task_at(task).wanted = true;
    ++desired_[static_cast<std::size_t>(service)];
  }
  note_series(service);
  for (const int task : fresh)
    enqueue(task);
  for (std::size_t i = 0; i < spec.scaling.size(); ++i)
    plan(std::max(now_, to_micros(spec.scaling[i].at)), EventKind::scale, service, 0, static_cast<int>(i));
  for (std::size_t i = 0; i < spec.updates.size(); ++i)
    plan(std::max(now_, to_micros(spec.updates[i].at)), EventKind::update, service, 0, static_cast<int>(i));
  for (const ClientSpec& client : spec.clients)
    plan(std::max(now_, to_micros(client.at)), EventKind::client, service);
  if (spec.serving.scales)
    for (const auto& [from, rate] : spec.serving.rate)
      plan(std::max(now_, to_micros(from + spec.serving.scale_delay)), EventKind::rate, service);
  result_.services[static_cast<std::size_t>(service)].clients.assign(spec.clients.size(), {Micros{-1}, Micros{-1}});
}

/// Ends the present phase in the records and begins the next one.
void Engine::set_phase(int number, TaskPhase phase, int why)
{
  Task& task = task_at(number);
  if (input_.record && task.phase != TaskPhase::absent && (now_ > task.since || task.phase == TaskPhase::running))
    result_.phases.push_back(
        {number, task.since, now_, task.phase, task.holds ? task.share.node : -1, blocked_reason(number)});
  const bool ran = task.phase == TaskPhase::running, runs = phase == TaskPhase::running;
  task.phase = phase;
  task.since = now_;
  task.why = why;
  ++task.stamp;
  if (ran != runs) {
    note_series(task.service);
    if (!task.cut)
      running_[static_cast<std::size_t>(task.service)] += runs ? 1 : -1;
    note_series(task.service);
    if (ran && !task.cut)
      task.lost_at = now_;
    task.cut = false;
  }
}

/// Availability up to now, and a point of the series.
void Engine::note_series(int service)
{
  const auto s = static_cast<std::size_t>(service);
  ServiceOutcome& outcome = result_.services[s];
  if (outcome.first_running < Micros{0} && desired_[s] > 0 && running_[s] >= desired_[s]) {
    outcome.first_running = now_;
    series_since_[s] = now_;
  }
  if (outcome.first_running >= Micros{0} && now_ > series_since_[s] && desired_[s] > 0) {
    const Micros span = now_ - series_since_[s];
    // The counts of the last stretch are those before this change; callers note before and after.
    outcome.since += span;
    if (running_[s] >= desired_[s])
      outcome.full += span;
    outcome.replica_time += static_cast<Wide>(std::min(running_[s], desired_[s])) * span.count();
    outcome.desired_time += static_cast<Wide>(desired_[s]) * span.count();
  }
  series_since_[s] = now_;
  if (!input_.record)
    return;
  SeriesPoint point{now_, service, desired_[s], running_[s]};
  if (!result_.series.empty() && result_.series.back().time == now_ && result_.series.back().service == service)
    result_.series.back() = point;
  else
    result_.series.push_back(point);
}

void Engine::enqueue(int number)
{
  Task& task = task_at(number);
  set_phase(number, TaskPhase::waiting);
  task.order = waiting_order_++;
  waiting_[static_cast<std::size_t>(task.request)].tasks.emplace(-service_of(task).priority, task.order, number);
  active_.insert(task.request);
  gang_seen_.erase(task.unit);
}

void Engine::unqueue(int number)
{
  Task& task = task_at(number);
  auto& waiting = waiting_[static_cast<std::size_t>(task.request)].tasks;
  waiting.erase({-service_of(task).priority, task.order, number});
  if (waiting.empty())
    active_.erase(task.request);
}

/// Takes a node for a waiting task and begins its start.
void Engine::occupy(int number, int node)
{
  Task& task = task_at(number);
  unqueue(number);
  task.share = machines_.take(node, number, requests_[static_cast<std::size_t>(task.request)], task.service);
  task.holds = true;
  const auto s = static_cast<std::size_t>(task.service);
  result_.services[s].held.add(held_[s], now_ - held_since_[s]);
  held_[s] += amount_of(task.share);
  held_since_[s] = now_;
  task.placed = now_;
  ++result_.placements;
  if (task.last_node >= 0 && task.last_node != node)
    ++outcome_of(task).moves;
  if (!task.faults.empty())
    result_.faults[static_cast<std::size_t>(task.faults.back())].moved_to.push_back(node);
  task.last_node = node;
  if (input_.record) {
    task.instance = static_cast<int>(result_.instances.size());
    result_.instances.push_back({.task = number,
                                 .node = node,
                                 .gpu_mask = task.share.gpu_mask,
                                 .gpu_milli = task.share.gpu_milli,
                                 .placed = now_,
                                 .pulled = now_});
    log(fmt::format("{} placed on {}", name(number), machines_.name(node)));
  }
  const ServiceSpec& service = service_of(task);
  if (!service.image.name.empty() && service.image.size > Bytes{0}) {
    const int image = images_.try_emplace(service.image.name, static_cast<int>(images_.size())).first->second;
    if (!std::ranges::binary_search(machines_.at(node).images, image)) {
      set_phase(number, TaskPhase::pulling);
      pull(number, image);
      return;
    }
  }
  started(number);
}

/// The image is there: the container starts.
void Engine::started(int number)
{
  Task& task = task_at(number);
  if (task.instance >= 0)
    result_.instances[static_cast<std::size_t>(task.instance)].pulled = now_;
  set_phase(number, TaskPhase::starting);
  const ServiceSpec& service = service_of(task);
  Micros start = to_micros(rules_.container_start + service.runtime_start);
  if (service.runtime == "bare" && !service.framework.empty() &&
      machines_.at(task.share.node).framework != service.framework) {
    // Without containers a machine has one framework; another one means to deploy the machine again.
    start += to_micros(rules_.redeploy);
    outcome_of(task).redeploying += to_micros(rules_.redeploy);
    machines_.change(task.share.node, [&](Machines::Machine& machine) { machine.framework = service.framework; });
    log(fmt::format("{} is redeployed for {}", machines_.name(task.share.node), service.framework));
  }
  if (start == Micros{0})
    running(number);
  else
    plan(now_ + start, EventKind::running, number, task.stamp);
}

void Engine::running(int number)
{
  Task& task = task_at(number);
  outcome_of(task).starting.add(amount_of(task.share), now_ - task.placed);
  carry(task.unit);
  set_phase(number, TaskPhase::running);
  if (task.instance >= 0)
    result_.instances[static_cast<std::size_t>(task.instance)].running = now_;
  const ServiceSpec& service = service_of(task);
  burden(task, 1);
  back(number);
  if (schedule_.process_mtbf() > Seconds{0})
    plan(now_ + Micros{1} +
             to_micros(Seconds{std::min(1e11, process_draw_.exponential(schedule_.process_mtbf().value()))}),
         EventKind::crash, number, task.stamp);
  if (task.update >= 0)
    updated(number);
  refresh(task.unit);
  const std::int64_t memory = input_.traits[static_cast<std::size_t>(task.share.node)].gpu_memory_mib;
  if (service.groups[static_cast<std::size_t>(task.group)].gpu_memory_mib > 0 && memory > 0 &&
      machines_.at(task.share.node).gpu_memory_mib > memory) {
    log(fmt::format("{} finds {} MiB of {}'s GPU in use and too little free memory for itself", name(number),
                    machines_.at(task.share.node).gpu_memory_mib -
                        service.groups[static_cast<std::size_t>(task.group)].gpu_memory_mib,
                    machines_.name(task.share.node)));
    crash(number, EndReason::out_of_gpu_memory, -1);
  }
}

/// The instance gives its node back; accounts up to now.
void Engine::end_instance(int number, EndReason reason)
{
  Task& task = task_at(number);
  if (!task.holds)
    return;
  const ServiceSpec& service = service_of(task);
  if (task.phase == TaskPhase::running) {
    carry(task.unit);
    burden(task, -1);
  } else {
    outcome_of(task).starting.add(amount_of(task.share), now_ - task.placed);
  }
  if (task.instance >= 0) {
    result_.instances[static_cast<std::size_t>(task.instance)].ended = now_;
    result_.instances[static_cast<std::size_t>(task.instance)].reason = reason;
  }
  task.instance = -1;
  const auto s = static_cast<std::size_t>(task.service);
  result_.services[s].held.add(held_[s], now_ - held_since_[s]);
  held_[s] -= amount_of(task.share);
  held_since_[s] = now_;
  machines_.give(task.share, number, requests_[static_cast<std::size_t>(task.request)], task.service);
  if (service.keeps_containers)
    result_.disk_left[static_cast<std::size_t>(task.share.node)] += service.disk.value();
  set_phase(number, TaskPhase::unnoticed); // the caller says what comes next
  task.holds = false;
}

/// What a running task takes from others on its node begins (+1) or ends (-1).
void Engine::burden(const Task& task, int sign)
{
  const ServiceSpec& service = service_of(task);
  const TaskGroupSpec& group = service.groups[static_cast<std::size_t>(task.group)];
  const double use = group.gpus == 0 ? group.gpu_use : 0;
  if (!(service.nic_load > 0 || service.cpu_slowdown > 0 || use > 0))
    return;
  const int node = task.share.node;
  for (const int other : machines_.at(node).task_list)
    carry(task_at(other).unit);
  machines_.change(node, [&](Machines::Machine& machine) {
    const auto add = [sign](double& sum, double part) { sum = std::max(0.0, sum + sign * part); };
    add(machine.nic_load, service.nic_load);
    add(machine.cpu_slowdown, service.cpu_slowdown);
    add(machine.gpu_use, use);
    if (use > 0)
      machine.gpu_memory_mib += sign * group.gpu_memory_mib;
  });
  burdened_.insert(node); // speeds follow when all of this instant is done
}

/// An orderly end by the orchestrator's order.
void Engine::stop(int number, EndReason reason, TaskPhase next)
{
  Task& task = task_at(number);
  if (task.phase == TaskPhase::waiting)
    unqueue(number);
  const bool ran = task.phase == TaskPhase::running;
  end_instance(number, reason);
  if (ran)
    lose(number, reason);
  if (next == TaskPhase::waiting)
    enqueue(number);
  else
    set_phase(number, next);
  refresh(task.unit);
}

/// A running task is gone: what that does to its job's state.
void Engine::lose(int number, EndReason reason)
{
  Task& task = task_at(number);
  Unit& unit = units_[static_cast<std::size_t>(task.unit)];
  const ServiceSpec& service = service_of(task);
  if (unit.over || reason == EndReason::finished)
    return;
  const bool state = service.groups[static_cast<std::size_t>(task.group)].holds_state;
  bool lost = state;
  if (service.coupling == Coupling::elastic && state) // every worker has a whole copy
    lost = std::ranges::none_of(unit.tasks, [&](int other) {
      return other != number && task_at(other).phase == TaskPhase::running &&
             service.groups[static_cast<std::size_t>(task_at(other).group)].holds_state;
    });
  if (service.coupling == Coupling::async && state) {
    // Without parameter servers each worker has a copy; with them theirs is the only one.
    const bool servers =
        std::ranges::any_of(service.groups, [](const TaskGroupSpec& group) { return !group.holds_state; });
    lost = servers || std::ranges::none_of(unit.tasks, [&](int other) {
             return other != number && task_at(other).phase == TaskPhase::running;
           });
  }
  if (!lost || !(service.ends() || !service.clients.empty() || service.checkpoint.interval > Seconds{0}))
    return; // what never ends has nothing to do again
  const Amount held = unit.held;
  const Micros redone = unit.progress.roll_back();
  unit.state_lost = true;
  if (service.ends() || !service.clients.empty())
    if (!task.faults.empty()) {
      FaultOutcome& outcome = result_.faults[static_cast<std::size_t>(task.faults.back())];
      outcome.redone += redone;
      outcome.redone_gpu.add(held, redone);
    }
}

void Engine::finished(int number)
{
  Unit& unit = units_[static_cast<std::size_t>(number)];
  const ServiceSpec& service = input_.services[static_cast<std::size_t>(unit.service)];
  ServiceOutcome& outcome = result_.services[static_cast<std::size_t>(unit.service)];
  carry(number);
  unit.progress.finish();
  if (!service.clients.empty()) {
    outcome.clients[unit.client].second = now_;
    log(fmt::format("client {} of {} is done", unit.client, service.name));
    unit.has_client = false;
    ++unit.client;
    if (unit.client == service.clients.size()) {
      outcome.finished = now_;
      --unfinished_;
    }
    next_client(number);
    refresh(number);
    return;
  }
  const bool again = restart_rule(service) == "always";
  log(fmt::format("{} is done{}",
                  service.coupling == Coupling::independent && unit.tasks.size() == 1 ? name(unit.tasks.front())
                                                                                      : service.name,
                  again ? "; its restart policy starts it again" : ""));
  if (!again) {
    unit.over = true;
    leave_links(unit);
  }
  for (const int task : std::vector<int>{unit.tasks}) {
    if (task_at(task).phase == TaskPhase::waiting)
      unqueue(task);
    if (again && task_at(task).phase == TaskPhase::running && rules_.restarts_locally) {
      restart_in_place(task, EndReason::finished);
      continue;
    }
    const bool held = task_at(task).holds;
    end_instance(task, EndReason::finished);
    if (again && held) {
      ++outcome.restarts;
      enqueue(task);
    } else {
      set_phase(task, TaskPhase::finished);
      back(task);
    }
  }
  if (again) {
    unit.progress.start_over(service.work);
    if (outcome.finished < Micros{0})
      outcome.finished = now_;
    refresh(number);
    if (service.ends() && outcome.restarts <= static_cast<int>(unit.tasks.size()) && !endless_) {
      // Restarted without end: the run needs another end than that of this service.
      endless_ = true;
    }
    return;
  }
  refresh(number);
  if (service_over(unit.service)) {
    outcome.finished = now_;
    desired_[static_cast<std::size_t>(unit.service)] = 0;
    note_series(unit.service);
    --unfinished_;
  }
}

/// All units of a service are over, and no more come.
bool Engine::service_over(int service) const
{
  for (const auto& group : slots_[static_cast<std::size_t>(service)])
    for (const int task : group)
      if (!units_[static_cast<std::size_t>(tasks_[static_cast<std::size_t>(task)].unit)].over)
        return false;
  return true;
}

void Engine::give_up(int number, const std::string& why)
{
  Task& task = task_at(number);
  set_phase(number, TaskPhase::gone, reason(why));
  for (const int fault : task.faults)
    ++result_.faults[static_cast<std::size_t>(fault)].never_back;
  task.faults.clear();
  log(fmt::format("{} will not come back: {}", name(number), why));
  Unit& unit = units_[static_cast<std::size_t>(task.unit)];
  const ServiceSpec& service = service_of(task);
  if (unit.over || !(service.ends() || !service.clients.empty()))
    return;
  // A job that can never continue is over; its other processes hold their machines until they are ended.
  const bool independent = service.coupling == Coupling::independent;
  const bool stands =
      service.coupling == Coupling::async || service.coupling == Coupling::elastic
          ? service.groups[static_cast<std::size_t>(task.group)].role == "ps" ||
                std::ranges::none_of(unit.tasks, [&](int other) { return task_at(other).phase != TaskPhase::gone; })
          : true;
  if (!stands)
    return;
  carry(task.unit);
  unit.over = true;
  unit.speed = 0;
  leave_links(unit);
  ++unit.stamp;
  result_.services[static_cast<std::size_t>(task.service)].failed = true;
  if (service_over(task.service))
    --unfinished_;
  log(fmt::format("{} can never continue", independent ? name(number) : service.name));
}

} // namespace trainyard::orchestration
