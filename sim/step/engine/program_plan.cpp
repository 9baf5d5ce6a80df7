// SPDX-License-Identifier: Apache-2.0
// What is known of programs before they run: who waits for whom, the ways of messages, and what they load.
#include "sim/step/engine/program_runner.hpp"

#include "models/core/interrupt.hpp"
#include "sim/step/engine/collective_run.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>
#include <variant>

namespace trainyard {
namespace {

/// What the message of an operation puts on each of its links, bytes.
double load_of(const Work& work)
{
  if (const auto* copy = std::get_if<Copy>(&work))
    return copy->bytes.value() / copy->cost.efficiency;
  const auto& transfer = std::get<Transfer>(work);
  return transfer.bytes.value() / transfer.cost.efficiency;
}

} // namespace

int ProgramRunner::plan_only(const StepProgram& program)
{
  routes_->add(program);
  prepare({&program, Seconds{}});
  plan(states_.size() - 1);
  return static_cast<int>(states_.size()) - 1;
}

void ProgramRunner::prepare(const ProgramRun& run)
{
  const StepProgram& program = *run.program;
  const std::size_t operations = program.operations.size();
  ProgramState state;
  state.program = &program;
  state.start = run.start.value();
  state.tasks.resize(operations);
  for (std::size_t i = 0; i < operations; ++i)
    for (const OperationId before : program.operations[i].after)
      if (before.index < 0 || static_cast<std::size_t>(before.index) >= i)
        throw std::invalid_argument{"operation '" + program.operations[i].name.text() +
                                    "' waits for a later one: the program is cyclic"};
  make_followers(state, {});
  states_.push_back(std::move(state));
}

/// @p more: operations, and what waits for them in the next round.
void ProgramRunner::make_followers(ProgramState& state, std::span<const std::pair<std::size_t, int>> more)
{
  const std::vector<Operation>& operations = state.program->operations;
  for (Task& task : state.tasks)
    task.followers = 0;
  for (std::size_t i = 0; i < operations.size(); ++i) {
    state.tasks[i].predecessors = static_cast<int>(operations[i].after.size());
    for (const OperationId before : operations[i].after)
      ++state.tasks[static_cast<std::size_t>(before.index)].followers;
  }
  for (const auto& [operation, waits] : more)
    ++state.tasks[operation].followers;
  int all = 0;
  for (Task& task : state.tasks) {
    task.first_follower = all;
    all += std::exchange(task.followers, 0);
  }
  state.followers.resize(static_cast<std::size_t>(all));
  const auto add = [&state](std::size_t operation, int waits) {
    Task& task = state.tasks[operation];
    state.followers[static_cast<std::size_t>(task.first_follower + task.followers++)] = waits;
  };
  for (std::size_t i = 0; i < operations.size(); ++i)
    for (const OperationId before : operations[i].after)
      add(static_cast<std::size_t>(before.index), static_cast<int>(i));
  for (const auto& [operation, waits] : more)
    add(operation, waits);
}

void ProgramRunner::plan(std::size_t program)
{
  ProgramState& state = states_[program];
  state.first_plan = plans_.size();
  state.first_use = uses_.size();
  state.first_way = ways_.size();
  plan_operations(program);
  state.last_plan = plans_.size();
  state.last_use = uses_.size();
  state.last_way = ways_.size();
  sort_uses(program);
  sum_loads(program);
}

void ProgramRunner::plan_operations(std::size_t program)
{
  ProgramState& state = states_[program];
  const auto message = [&](VertexId from, VertexId to, const MessageCost& cost, std::span<const ResourceId> resources) {
    const int route = routes_->find(program, from, to, resources, cost.limit.value() / cost.efficiency);
    routes_->make_connection(route);
    if (cost.rdma)
      routes_->note_rdma(route);
    return make_way(program, route);
  };
  const auto sent = [&](Task& task, const Work& work, const MessageCost& cost) {
    task.kind = Task::Kind::message;
    const Route& route = route_of(ways_[static_cast<std::size_t>(task.plan)]);
    task.seconds = cost.latency.value() + (cost.whole_latency ? 0 : route.latency);
    task.bytes = load_of(work);
  };
  for (std::size_t i = 0; i < state.tasks.size(); ++i) {
    check_interrupt();
    const Operation& operation = state.program->operations[i];
    const Work& work = operation.work;
    Task& task = state.tasks[i];
    task.priority = operation.priority;
    task.is_pull = operation.role == Role::pull;
    task.lanes = static_cast<int>(operation.lanes.size());
    task.lane = task.lanes == 1 ? operation.lanes.front().index : static_cast<int>(state.lanes_of.size());
    if (task.lanes > 1)
      for (const LaneId lane : operation.lanes)
        state.lanes_of.push_back(lane.index);
    if (const auto* compute = std::get_if<Compute>(&work)) {
      set_duration(task, compute->duration);
    } else if (const auto* host = std::get_if<HostWork>(&work)) {
      set_duration(task, host->duration);
      task.host_work = true;
    } else if (const auto* transfer = std::get_if<Transfer>(&work)) {
      task.plan = message(transfer->from, transfer->to, transfer->cost, transfer->resources);
      sent(task, work, transfer->cost);
      for (const ResourceId resource : transfer->resources) // shares of links count what is on the wire
        if (state.program->resources[static_cast<std::size_t>(resource.index)].link.index < 0)
          routes_->scale_resource(program, resource, transfer->cost.efficiency);
    } else if (const auto* copy = std::get_if<Copy>(&work)) {
      task.plan = message(copy->from, copy->to, copy->cost, {});
      sent(task, work, copy->cost);
    } else if (const auto* call = call_of(work)) {
      const auto same = std::find_if(plans_.begin() + static_cast<std::ptrdiff_t>(state.first_plan), plans_.end(),
                                     [&](const std::unique_ptr<CollectivePlan>& plan) { return plan->does(*call); });
      task.plan = static_cast<int>(same != plans_.end() ? static_cast<std::size_t>(same - plans_.begin())
                                                        : plan_collective(program, *call));
      task.kind = Task::Kind::collective;
      task.seconds = call->start_up.value();
    }
  }
}

void ProgramRunner::set_duration(Task& task, Seconds duration)
{
  task.kind = duration > Seconds{} ? Task::Kind::timed : Task::Kind::nothing;
  task.seconds = duration.value();
}

int ProgramRunner::make_way(std::size_t program, int route)
{
  way_of_route_.resize(static_cast<std::size_t>(routes_->routes()), -1);
  int& way = way_of_route_[static_cast<std::size_t>(route)];
  const auto known_way = static_cast<std::size_t>(way);
  if (way >= 0 && known_way >= states_[program].first_way && known_way < ways_.size() &&
      ways_[known_way].route == route)
    return way;
  way = static_cast<int>(ways_.size());
  ways_.push_back({static_cast<int>(program), route, way_uses_.size(), &routes_->route(route)});
  use_of_slot_.resize(routes_->slots());
  for (const int capacity : routes_->route(route).links) {
    std::size_t& use = use_of_slot_[routes_->slot(capacity)];
    const bool known = use >= states_[program].first_use && use < uses_.size() && uses_[use].capacity == capacity;
    if (!known) {
      use = uses_.size();
      uses_.push_back({.capacity = capacity});
    }
    way_uses_.push_back(use);
  }
  return way;
}

/// By capacity, as traces list them.
void ProgramRunner::sort_uses(std::size_t program)
{
  const std::size_t first = states_[program].first_use, count = uses_.size() - first;
  std::vector<std::pair<int, std::size_t>> order; // capacities, and the places of their uses before
  order.reserve(count);
  for (std::size_t use = first; use < uses_.size(); ++use) // nothing is in them yet but the capacity
    order.emplace_back(uses_[use].capacity, use - first);
  std::ranges::sort(order);
  std::vector<std::size_t> place(count);
  for (std::size_t i = 0; i < count; ++i) {
    place[order[i].second] = first + i;
    uses_[first + i] = {.capacity = order[i].first};
  }
  if (states_[program].first_way < ways_.size())
    for (std::size_t i = ways_[states_[program].first_way].uses; i < way_uses_.size(); ++i)
      way_uses_[i] = place[way_uses_[i] - first];
}

/// What the program's operations put on each capacity, all together.
void ProgramRunner::sum_loads(std::size_t program)
{
  const ProgramState& state = states_[program];
  const std::size_t first_plan = state.first_plan;
  std::vector<int> calls(plans_.size() - first_plan, 0);
  for (const Task& task : state.tasks)
    if (task.kind == Task::Kind::collective)
      ++calls[static_cast<std::size_t>(task.plan) - first_plan];
    else if (task.kind == Task::Kind::message)
      load(task.plan, task.bytes);
  for (std::size_t plan = first_plan; plan < plans_.size(); ++plan)
    for (const auto& [way, bytes] : plans_[plan]->loads)
      load(way, bytes * calls[plan - first_plan]);
}

void ProgramRunner::load(int way, double bytes)
{
  const Way& there = ways_[static_cast<std::size_t>(way)];
  const std::size_t links = route_of(there).links.size();
  for (std::size_t i = 0; i < links; ++i)
    uses_[way_uses_[there.uses + i]].bytes += bytes;
}

void ProgramRunner::count_routes()
{
  routes_on_.assign(routes_->slots(), 0);
  for (int route = 0; route < routes_->routes(); ++route)
    for (const int link : routes_->route(route).links)
      ++routes_on_[routes_->slot(link)];
}

} // namespace trainyard
