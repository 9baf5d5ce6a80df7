// SPDX-License-Identifier: Apache-2.0
#include "sim/sources/services/progress.hpp"

#include "models/cost/sync_tokens.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <utility>

namespace trainyard::orchestration {

/// Whether a unit can write and read its checkpoints now.
bool Progress::storage_of(const Unit& unit) const
{
  const bool remote = book_.service(unit.service).checkpoint.object_store;
  return (remote ? object_store_down_ : storage_down_) == 0;
}

void Progress::carry(int number)
{
  Unit& unit = book_.unit(number);
  const Instant span = agenda_.now() - unit.since;
  unit.since = agenda_.now();
  if (span > Instant{}) {
    unit.settled = unit.running;
    unit.had_tokens = unit.speed > 0;
    if (unit.had_tokens)
      unit.tokens_lost = 0; // the next update has made as many as there are workers
  }
  if (span == Instant{} || unit.present == 0)
    return;
  if (unit.speed > 0 && unit.input_share > 0)
    accounts_.of(unit.service).input_wait += span * unit.input_share;
  const bool idle = !book_.service(unit.service).clients.empty() && !unit.has_client;
  unit.progress.advance(span, unit.over ? 0 : unit.speed, unit.held, storage_of(unit),
                        idle ? TrainingProgress::Pause::idle : TrainingProgress::Pause::stalled);
}

void Progress::carry_all()
{
  for (int unit = 0; unit < static_cast<int>(book_.units().size()); ++unit)
    carry(unit);
}

/// Speed of one task at its place relative to an undisturbed one on a bare machine: computing is slowed by its runtime
/// and by what others on its node take, communication by the link, by others' traffic and by bridges. @p alone: all
/// tasks are on one node, so that nothing crosses the link.
double Progress::task_speed(const Task& task, bool alone) const
{
  const ServiceSpec& service = book_.service_of(task);
  const Machines::Machine& machine = machines_.at(task.share.node);
  double computing = service.compute_factor * (1 + std::max(0.0, machine.cpu_slowdown - service.cpu_slowdown));
  const TaskGroupSpec& group = book_.group_of(task);
  if (group.gpu_use > 0 && group.gpus == 0) // processes on one GPU take turns
    computing *= std::max(1.0, machine.gpu_use);
  const NodeShape& shape = machines_.pool().shape(task.share.node);
  if (!service.gpu_speed.empty() && shape.gpus > 0)
    if (const auto speed = service.gpu_speed.find(input_.cluster.gpu_types[static_cast<std::size_t>(shape.gpu_type)]);
        speed != service.gpu_speed.end())
      computing /= speed->second;
  double communicating = service.job.empty() ? 1 + service.network_cost.value_or(0) : 1; // else in the job's messages
  if (!alone)
    communicating /= machine.link_remaining * std::max(0.01, 1 - std::max(0.0, machine.nic_load - service.nic_load));
  const double share = service.communication_share;
  const double time = (1 - share) * computing + share * communicating;
  return 1 / time;
}

/// The tasks of a unit that work now.
struct Crew {
  int workers = 0;
  int wanted = 0;      // workers
  bool all = true;     // wanted tasks run
  bool servers = true; // wanted parameter servers run
  double slowest = std::numeric_limits<double>::infinity();
  double sum = 0;                             // of the speeds of workers
  std::vector<std::pair<int, double>> speeds; // by task: of workers
  bool chief = false;                         // with tokens: it runs
};

namespace {

/// Whether the job can go on with these.
bool works(const ServiceSpec& service, const Unit& unit, const Crew& crew)
{
  switch (service.coupling) {
  case Coupling::sync:
  case Coupling::mpi:
    return crew.all;
  case Coupling::elastic:
    return crew.servers && crew.workers >= service.least_workers;
  case Coupling::sync_replicas:
    return crew.chief && unit.tokens_lost <= service.backup_workers;
  default:
    return crew.servers;
  }
}

double crew_speed(const ServiceSpec& service, const Crew& crew, double simulated, double planned)
{
  switch (service.coupling) {
  case Coupling::independent:
    return simulated * crew.slowest;
  case Coupling::sync:
  case Coupling::mpi:
    return simulated * crew.slowest * std::pow(crew.wanted / planned, service.scaling_exponent);
  case Coupling::async:
    return simulated * crew.sum / planned;
  case Coupling::elastic:
    return simulated * crew.slowest * std::pow(crew.workers / planned, service.scaling_exponent);
  case Coupling::sync_replicas: {
    std::vector<double> speeds;
    for (const auto& [task, speed] : crew.speeds)
      speeds.push_back(speed);
    const int replicas = static_cast<int>(planned);
    return simulated * token_update_rate({replicas, std::max(1, replicas - service.backup_workers)}, std::move(speeds));
  }
  }
  return 0;
}

} // namespace

/// The first worker is the chief: it makes the variables and applies the gradients. The others look for the variables
/// when they start and every `recovery_wait` from then on (SessionManager.wait_for_session); making them takes time, so
/// who looks in the instant in which the chief starts finds nothing. A worker that dies in a step takes its token
/// along, and brings a gradient without one when it is back; the chief brings tokens for all.
void Progress::count_tokens(Unit& unit, const ServiceSpec& service, Crew& crew)
{
  const auto chief = std::ranges::find_if(
      crew.speeds, [&](const std::pair<int, double>& worker) { return book_.task(worker.first).index == 0; });
  if (!crew.servers) { // the variables are gone
    unit.ready.reset();
    unit.at_work.clear();
    unit.tokens_lost = 0;
  } else if (chief == crew.speeds.end()) {
    unit.chief = false;
  } else {
    if (!unit.ready)
      unit.ready = agenda_.now();
    if (!unit.chief)
      unit.tokens_lost = 0;
    unit.chief = true;
  }
  std::set<int> at_work;
  for (const auto& [number, speed] : crew.speeds) {
    const Task& task = book_.task(number);
    if (!unit.ready)
      break;
    const std::int64_t wait = Instant{service.recovery_wait}.count();
    const std::int64_t missed = (*unit.ready - task.since).count();
    const Instant joins = task.since + Instant{missed < 0 ? 0 : (missed / wait + 1) * wait};
    if (task.index == 0 || unit.at_work.contains(number) || joins <= agenda_.now())
      at_work.insert(number);
    else
      agenda_.plan(joins, EventKind::look, task.unit);
  }
  for (const int number : unit.at_work)
    unit.tokens_lost += !at_work.contains(number) && unit.had_tokens ? 1 : 0;
  for (const int number : at_work)
    unit.tokens_lost -= !unit.at_work.contains(number) && unit.tokens_lost > 0 ? 1 : 0;
  unit.at_work = at_work;
  std::erase_if(crew.speeds, [&](const auto& worker) { return !at_work.contains(worker.first); });
  crew.workers = static_cast<int>(crew.speeds.size());
  crew.chief = unit.chief;
}

/// Speed of a unit as a share of its speed with all tasks on undisturbed machines; counts who runs and what they hold.
double Progress::speed_of(Unit& unit)
{
  const ServiceSpec& service = book_.service(unit.service);
  unit.running = unit.present = 0;
  unit.input_share = unit.pace = 0;
  unit.places.clear();
  unit.held = {};
  int planned_workers = 0, first_node = -1;
  bool one_node = true;
  const bool has_servers =
      service.groups.size() > 1 &&
      std::ranges::any_of(service.groups, [](const TaskGroupSpec& group) { return group.role == "ps"; });
  const auto is_server = [&](const Task& task) { return has_servers && book_.group_of(task).role == "ps"; };
  for (const TaskGroupSpec& group : service.groups)
    planned_workers += has_servers && group.role == "ps" ? 0 : group.replicas;
  for (const int number : unit.tasks) {
    const Task& task = book_.task(number);
    if (task.runs()) {
      ++unit.present;
      unit.held += amount_of(task.share);
      one_node = one_node && (first_node < 0 || first_node == task.share.node);
      first_node = task.share.node;
    }
  }
  Crew crew;
  for (const int number : unit.tasks) {
    const Task& task = book_.task(number);
    if (!task.wanted)
      continue;
    const bool runs = task.runs() && !task.cut;
    crew.wanted += is_server(task) ? 0 : 1;
    crew.all = crew.all && runs;
    if (!runs) {
      crew.servers = crew.servers && !is_server(task);
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
    crew.slowest = std::min(crew.slowest, speed);
    if (!is_server(task)) {
      ++crew.workers;
      crew.sum += speed;
      crew.speeds.emplace_back(number, speed);
    }
    if (input_.speed)
      unit.places.push_back({task.group, task.index, task.share.node, task.share.gpu_mask});
  }
  if (service.coupling == Coupling::sync_replicas)
    count_tokens(unit, service, crew);
  if (unit.over || crew.workers == 0 || (!service.clients.empty() && !unit.has_client) || !works(service, unit, crew))
    return 0;
  double simulated = 1;
  unit.pace = service.coupling == Coupling::async ? crew.sum / crew.workers : crew.slowest;
  if (input_.speed && (!service.job.empty() || service.graph)) {
    simulated = input_.speed(unit.service, unit.places);
    if (simulated > 0) {
      const double share = share_of_links(unit, unit.places);
      simulated *= share;
      unit.pace *= share;
    }
  }
  return simulated > 0 ? crew_speed(service, crew, simulated, std::max(1, planned_workers)) : 0;
}

void Progress::record_work(int number)
{
  const Unit& unit = book_.unit(number);
  if (!records_.on())
    return;
  const Instant wait = unit.speed > 0 ? unit.progress.waits() : Instant{};
  if (wait > Instant{})
    records_.work(number, {.from = agenda_.now()});
  records_.work(number, {agenda_.now() + wait, unit.speed > 0 ? unit.pace : 0, unit.places});
}

void Progress::refresh(int number)
{
  carry(number);
  Unit& unit = book_.unit(number);
  const ServiceSpec& service = book_.service(unit.service);
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
    unit.progress.pause(Instant{service.reform});
  if (unit.speed > 0 && !unit.over && unit.state_lost) {
    unit.progress.load();
    unit.state_lost = false;
  }
  record_work(number);
  if (unit.over || !(unit.speed > 0))
    return leave_links(unit);
  if (unit.has_client) {
    auto& client = accounts_.of(unit.service).clients[unit.client];
    if (client.first < Instant{})
      client.first = agenda_.now();
  }
  if (const auto left = unit.progress.time_to_finish(unit.speed, storage_of(unit)))
    agenda_.plan(agenda_.now() + *left, EventKind::finished, number, unit.stamp);
}

void Progress::refresh_node(int node)
{
  std::set<int> units;
  for (const int task : machines_.at(node).task_list)
    units.insert(book_.task(task).unit);
  for (const int unit : units)
    refresh(unit);
}

void Progress::burden(const Task& task, int sign)
{
  const ServiceSpec& service = book_.service_of(task);
  const TaskGroupSpec& group = book_.group_of(task);
  const double use = group.gpus == 0 ? group.gpu_use : 0;
  if (!(service.nic_load > 0 || service.cpu_slowdown > 0 || use > 0))
    return;
  const int node = task.share.node;
  for (const int other : machines_.at(node).task_list)
    carry(book_.task(other).unit);
  machines_.change(node, [&](Machines::Machine& machine) {
    const auto add = [sign](double& sum, double part) { sum = std::max(0.0, sum + sign * part); };
    add(machine.nic_load, service.nic_load);
    add(machine.cpu_slowdown, service.cpu_slowdown);
    add(machine.gpu_use, use);
    if (use > 0)
      machine.gpu_memory_mib += sign * group.gpu_memory_mib;
  });
  burdened_.insert(node);
}

void Progress::refresh_burdened()
{
  for (const int node : std::exchange(burdened_, {}))
    refresh_node(node);
}

void Progress::set_link(int node, double remaining)
{
  for (const int task : machines_.at(node).task_list)
    carry(book_.task(task).unit);
  machines_.change(node, [&](Machines::Machine& machine) { machine.link_remaining = remaining; });
  refresh_node(node);
}

void Progress::storage_fails(bool remote, int sign)
{
  carry_all();
  (remote ? object_store_down_ : storage_down_) += sign;
  for (int unit = 0; unit < static_cast<int>(book_.units().size()); ++unit)
    refresh(unit);
}

/// Readers of the shared storage get equal shares, but no more than they need (max-min fairness).
void Progress::share_storage()
{
  if (!(input_.storage.value() > 0))
    return;
  std::vector<std::pair<double, int>> needs; // of one reader, readers
  for (const Unit& unit : book_.units())
    if (unit.reads && unit.readers > 0 && !unit.over)
      needs.emplace_back(book_.service(unit.service).input.value(), unit.readers);
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
  for (int unit = 0; unit < static_cast<int>(book_.units().size()); ++unit)
    if (book_.unit(unit).reads)
      affected.push_back(unit);
  for (const int unit : affected)
    carry(unit);
  storage_level_ = level;
  for (const int unit : affected)
    refresh(unit);
  sharing_ = false;
}

void Progress::next_client(int number)
{
  Unit& unit = book_.unit(number);
  const ServiceSpec& service = book_.service(unit.service);
  if (unit.has_client || unit.over || unit.client >= service.clients.size() ||
      Instant{service.clients[unit.client].at} > agenda_.now())
    return;
  carry(number);
  unit.has_client = true;
  unit.progress.start_over(service.clients[unit.client].work);
  records_.log("client " + std::to_string(unit.client) + " of " + service.name + " hands over its work");
  refresh(number);
}

// Services that train meet jobs of the queue and retraining on links of the network.
double Progress::share_of_links(Unit& unit, std::span<const RunningTask> places)
{
  const ServiceSpec& service = book_.service(unit.service);
  const bool counted =
      links_ != nullptr &&
      std::ranges::none_of(service.groups, [](const TaskGroupSpec& group) { return group.role == "ps"; }) &&
      std::ranges::none_of(places, [](const RunningTask& task) { return task.gpu_mask == 0; });
  if (!counted) {
    leave_links(unit);
    return 1;
  }
  Allocation held;
  for (const RunningTask& task : places) {
    held.shares.push_back({.node = task.node, .gpu_mask = task.gpu_mask});
    held.gpus += std::popcount(task.gpu_mask);
    held.gpu_type = machines_.pool().shape(task.node).gpu_type;
  }
  if (!unit.visitor || unit.visited != held) {
    leave_links(unit);
    unit.visitor = links_->enter(agenda_.now(), service.name, service.job, held);
    unit.visited = std::move(held);
  }
  return links_->share(*unit.visitor);
}

void Progress::leave_links(Unit& unit)
{
  if (unit.visitor)
    links_->leave(agenda_.now(), *unit.visitor);
  unit.visitor.reset();
}

void Progress::follow_links()
{
  if (!links_changed())
    return;
  links_seen_ = links_->changes();
  for (int unit = 0; unit < static_cast<int>(book_.units().size()); ++unit)
    if (book_.unit(unit).visitor)
      refresh(unit);
}

} // namespace trainyard::orchestration
