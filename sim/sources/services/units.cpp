// SPDX-License-Identifier: Apache-2.0
// Progress of jobs: what runs, how fast, and when it is done.
#include "sim/sources/services/engine.hpp"

#include <algorithm>
#include <cmath>

namespace trainyard::orchestration {

/// Whether a unit can write and read its checkpoints now.
bool Engine::storage_of(const Unit& unit) const
{
  const bool remote = input_.services[static_cast<std::size_t>(unit.service)].checkpoint.object_store;
  return (remote ? object_store_down_ : storage_down_) == 0;
}

/// Accounts of a unit up to now, at the speed that held since the last change.
void Engine::carry(int number)
{
  Unit& unit = units_[static_cast<std::size_t>(number)];
  const Micros span = now_ - unit.since;
  unit.since = now_;
  if (span > Micros{0})
    unit.settled = unit.running;
  if (span == Micros{0} || unit.present == 0)
    return;
  if (unit.speed > 0 && unit.input_share > 0)
    result_.services[static_cast<std::size_t>(unit.service)].input_wait +=
        to_micros(to_seconds(span) * unit.input_share);
  const bool idle = !input_.services[static_cast<std::size_t>(unit.service)].clients.empty() && !unit.has_client;
  unit.progress.advance(span, unit.over ? 0 : unit.speed, unit.held, storage_of(unit),
                        idle ? TrainingProgress::Pause::idle : TrainingProgress::Pause::stalled);
}

/// Speed of one task at its place relative to an undisturbed one on a bare machine: computing is slowed by its runtime
/// and by what others on its node take, communication by the link, by others' traffic and by bridges. @p alone: all
/// tasks are on one node, so that nothing crosses the link.
double Engine::task_speed(const Task& task, bool alone) const
{
  const ServiceSpec& service = service_of(task);
  const Machines::Machine& machine = machines_.at(task.share.node);
  double computing = service.compute_factor * (1 + std::max(0.0, machine.cpu_slowdown - service.cpu_slowdown));
  const TaskGroupSpec& group = service.groups[static_cast<std::size_t>(task.group)];
  if (group.gpu_use > 0 && group.gpus == 0) // processes on one GPU take turns
    computing *= std::max(1.0, machine.gpu_use);
  const NodeShape& shape = machines_.pool().shape(task.share.node);
  if (!service.gpu_speed.empty() && shape.gpus > 0)
    if (const auto speed = service.gpu_speed.find(input_.cluster.gpu_types[static_cast<std::size_t>(shape.gpu_type)]);
        speed != service.gpu_speed.end())
      computing /= speed->second;
  double communicating = 1 + service.network_cost;
  if (!alone)
    communicating /= machine.link_remaining * std::max(0.01, 1 - std::max(0.0, machine.nic_load - service.nic_load));
  const double share = service.communication_share;
  double time = (1 - share) * computing + share * communicating;
  return 1 / time;
}

/// Speed of a unit as a share of its speed with all tasks on undisturbed machines; counts who runs and what they hold.
double Engine::speed_of(Unit& unit)
{
  const ServiceSpec& service = input_.services[static_cast<std::size_t>(unit.service)];
  unit.running = unit.present = 0;
  unit.input_share = 0;
  unit.held = {};
  int workers = 0, wanted_workers = 0, planned_workers = 0, first_node = -1;
  double slowest = std::numeric_limits<double>::infinity(), sum = 0;
  bool all = true, servers = true, one_node = true;
  const bool has_servers =
      service.groups.size() > 1 &&
      std::ranges::any_of(service.groups, [](const TaskGroupSpec& group) { return group.role == "ps"; });
  const auto is_server = [&](const Task& task) {
    return has_servers && service.groups[static_cast<std::size_t>(task.group)].role == "ps";
  };
  for (const TaskGroupSpec& group : service.groups)
    planned_workers += has_servers && group.role == "ps" ? 0 : group.replicas;
  for (const int number : unit.tasks) {
    const Task& task = task_at(number);
    if (task.phase == TaskPhase::running) {
      ++unit.present;
      unit.held += amount_of(task.share);
      one_node = one_node && (first_node < 0 || first_node == task.share.node);
      first_node = task.share.node;
    }
  }
  std::vector<RunningTask> places;
  for (const int number : unit.tasks) {
    const Task& task = task_at(number);
    if (!task.wanted)
      continue;
    const bool runs = task.phase == TaskPhase::running && !task.cut;
    wanted_workers += is_server(task) ? 0 : 1;
    all = all && runs;
    if (!runs) {
      servers = servers && !is_server(task);
      continue;
    }
    ++unit.running;
    double speed = task_speed(task, one_node && service.coupling != Coupling::independent);
    if (service.input.value() > 0 && storage_level_ < service.input.value() * speed) {
      // Reading goes on beside the rest; the slower of the two decides.
      const double read = storage_level_ / service.input.value();
      unit.input_share = std::max(unit.input_share, 1 - read / speed);
      speed = read;
    }
    slowest = std::min(slowest, speed);
    if (!is_server(task)) {
      ++workers;
      sum += speed;
    }
    if (input_.speed)
      places.push_back({task.group, task.index, task.share.node, task.share.gpu_mask});
  }
  if (unit.over || workers == 0 || (!service.clients.empty() && !unit.has_client))
    return 0;
  const double planned = std::max(1, planned_workers);
  const bool whole = service.coupling == Coupling::sync || service.coupling == Coupling::mpi ? all
                     : service.coupling == Coupling::elastic ? servers && workers >= service.least_workers
                                                             : servers;
  if (!whole)
    return 0;
  double simulated = 1;
  if (input_.speed && !service.job.empty()) {
    simulated = input_.speed(unit.service, places);
    if (!(simulated > 0))
      return 0;
    simulated *= share_of_links(unit, places);
  }
  switch (service.coupling) {
  case Coupling::independent:
    return simulated * slowest;
  case Coupling::sync:
  case Coupling::mpi:
    return simulated * slowest * std::pow(wanted_workers / planned, service.scaling_exponent);
  case Coupling::async:
    return simulated * sum / planned;
  case Coupling::elastic:
    return simulated * slowest * std::pow(workers / planned, service.scaling_exponent);
  }
  return 0;
}

/// Recomputes a unit's speed after a change, and when it will be done.
void Engine::refresh(int number)
{
  carry(number);
  Unit& unit = units_[static_cast<std::size_t>(number)];
  const ServiceSpec& service = input_.services[static_cast<std::size_t>(unit.service)];
  unit.speed = speed_of(unit);
  ++unit.stamp;
  if (service.input.value() > 0 && !sharing_ && (unit.readers != unit.running || !unit.reads)) {
    unit.reads = true;
    unit.readers = unit.running;
    share_storage();
    unit.speed = speed_of(unit);
  }
  if (service.coupling == Coupling::elastic && unit.settled > 0 && unit.running > 0 && unit.settled != unit.running &&
      !unit.over)
    unit.progress.pause(to_micros(service.reform));
  if (unit.over || !(unit.speed > 0))
    return leave_links(unit);
  if (unit.state_lost) {
    unit.progress.load();
    unit.state_lost = false;
  }
  if (unit.has_client) {
    auto& client = result_.services[static_cast<std::size_t>(unit.service)].clients[unit.client];
    if (client.first < Micros{0})
      client.first = now_;
  }
  if (const auto left = unit.progress.time_to_finish(unit.speed, storage_of(unit)))
    plan(now_ + *left, EventKind::finished, number, unit.stamp);
}

void Engine::refresh_node(int node)
{
  std::set<int> units;
  for (const int task : machines_.at(node).task_list)
    units.insert(task_at(task).unit);
  for (const int unit : units)
    refresh(unit);
}

void Engine::refresh_all()
{
  for (std::size_t unit = 0; unit < units_.size(); ++unit)
    refresh(static_cast<int>(unit));
}

/// Readers of the shared storage get equal shares, but no more than they need (max-min fairness).
void Engine::share_storage()
{
  if (!(input_.storage.value() > 0))
    return;
  std::vector<std::pair<double, int>> needs; // of one reader, readers
  for (const Unit& unit : units_)
    if (unit.reads && unit.readers > 0 && !unit.over)
      needs.emplace_back(input_.services[static_cast<std::size_t>(unit.service)].input.value(), unit.readers);
  std::ranges::sort(needs);
  double left = input_.storage.value(), level = std::numeric_limits<double>::infinity();
  int readers = 0;
  for (const auto& [need, count] : needs)
    readers += count;
  for (const auto& [need, count] : needs) {
    if (need * readers > left) {
      level = left / readers;
      break;
    }
    left -= need * count;
    readers -= count;
  }
  if (level == storage_level_)
    return;
  sharing_ = true;
  std::vector<int> affected;
  for (std::size_t unit = 0; unit < units_.size(); ++unit)
    if (units_[unit].reads)
      affected.push_back(static_cast<int>(unit));
  for (const int unit : affected)
    carry(unit);
  storage_level_ = level;
  for (const int unit : affected)
    refresh(unit);
  sharing_ = false;
}

/// Hands the next client's work to tasks that wait for it.
void Engine::next_client(int number)
{
  Unit& unit = units_[static_cast<std::size_t>(number)];
  const ServiceSpec& service = input_.services[static_cast<std::size_t>(unit.service)];
  if (unit.has_client || unit.over || unit.client >= service.clients.size() ||
      to_micros(service.clients[unit.client].at) > now_)
    return;
  carry(number);
  unit.has_client = true;
  unit.progress.start_over(service.clients[unit.client].work);
  log("client " + std::to_string(unit.client) + " of " + service.name + " hands over its work");
  refresh(number);
}

/// When tasks of a service are started again: what the service says, else what the orchestrator does by default.
///
/// A job that has done its work is not started again unless its owner says so; single containers only by their own
/// policy.
std::string Engine::restart_rule(const ServiceSpec& service) const
{
  if (!service.restart.empty())
    return service.restart;
  if (service.standalone)
    return "never";
  if (rules_.restart == "always" && (service.ends() || !service.clients.empty()))
    return "on_failure";
  return rules_.restart;
}

} // namespace trainyard::orchestration
