#include "sim/engine/program_runner.hpp"

#include "sim/engine/collective_run.hpp"

#include <algorithm>
#include <limits>
#include <numeric>
#include <stdexcept>

namespace trainyard {

ProgramRunner::ProgramRunner(const Cluster& cluster, std::span<const ProgramRun> programs, CollectiveStyle style)
    : cluster_{cluster}, style_{style}, routes_{cluster, programs}
{
  for (const ProgramRun& run : programs) {
    const StepProgram& program = *run.program;
    const std::size_t operations = program.operations.size();
    ProgramState state;
    state.program = &program;
    state.start = run.start.value();
    state.predecessors.resize(operations);
    state.follow.assign(operations + 1, 0);
    for (std::size_t i = 0; i < operations; ++i)
      for (const OperationId before : program.operations[i].after) {
        if (before.index < 0 || static_cast<std::size_t>(before.index) >= i)
          throw std::invalid_argument{"operation '" + program.operations[i].name + "' waits for a later one: the program is cyclic"};
        ++state.predecessors[i];
        ++state.follow[static_cast<std::size_t>(before.index) + 1];
      }
    std::partial_sum(state.follow.begin(), state.follow.end(), state.follow.begin());
    state.followers.resize(state.follow.back());
    std::vector<std::size_t> next{state.follow.begin(), state.follow.end() - 1};
    for (std::size_t i = 0; i < operations; ++i)
      for (const OperationId before : program.operations[i].after)
        state.followers[next[static_cast<std::size_t>(before.index)]++] = static_cast<int>(i);
    state.plan.assign(operations, -1);
    states_.push_back(std::move(state));
  }
  for (std::size_t p = 0; p < states_.size(); ++p) {
    const std::size_t first_plan = plans_.size();
    plan_operations(p);
    sort_uses(p);
    for (std::size_t plan = first_plan; plan < plans_.size(); ++plan)
      sum_loads(*plans_[plan]);
  }
  uses_of_program_.push_back(uses_.size());
  routes_.find_narrow_links();
}

ProgramRunner::~ProgramRunner() = default;

void ProgramRunner::plan_operations(std::size_t program)
{
  way_of_route_.clear();
  use_of_capacity_.clear();
  uses_of_program_.push_back(uses_.size());
  ProgramState& state = states_[program];
  const std::size_t first_plan = plans_.size();
  const auto message = [&](VertexId from, VertexId to, const MessageCost& cost, const std::vector<ResourceId>& resources) {
    const int route = routes_.find(program, from, to, resources, cost.limit.value() / cost.efficiency);
    routes_.make_connection(route);
    return make_way(program, route);
  };
  for (std::size_t i = 0; i < state.plan.size(); ++i) {
    const Work& work = state.program->operations[i].work;
    if (const auto* transfer = std::get_if<Transfer>(&work)) {
      state.plan[i] = message(transfer->from, transfer->to, transfer->cost, transfer->resources);
      for (const ResourceId resource : transfer->resources)
        routes_.scale_resource(program, resource, transfer->cost.efficiency);
    } else if (const auto* copy = std::get_if<Copy>(&work)) {
      state.plan[i] = message(copy->from, copy->to, copy->cost, {});
    } else if (const auto* call = std::get_if<CollectiveCall>(&work)) {
      const auto same = std::find_if(plans_.begin() + static_cast<std::ptrdiff_t>(first_plan), plans_.end(),
                                     [&](const std::unique_ptr<CollectivePlan>& plan) { return plan->does(*call); });
      state.plan[i] =
          static_cast<int>(same != plans_.end() ? static_cast<std::size_t>(same - plans_.begin()) : plan_collective(program, *call));
    }
  }
}

int ProgramRunner::make_way(std::size_t program, int route)
{
  const auto [entry, fresh] = way_of_route_.try_emplace(route, static_cast<int>(ways_.size()));
  if (!fresh)
    return entry->second;
  ways_.push_back({static_cast<int>(program), route, way_uses_.size()});
  for (const int capacity : routes_.route(route).links) {
    const auto [use, first] = use_of_capacity_.try_emplace(capacity, uses_.size());
    if (first)
      uses_.push_back({.capacity = capacity});
    way_uses_.push_back(use->second);
  }
  return entry->second;
}

/// By capacity, as traces list them.
void ProgramRunner::sort_uses(std::size_t program)
{
  const std::size_t first = uses_of_program_[program];
  std::vector<std::size_t> order(uses_.size() - first);
  std::iota(order.begin(), order.end(), first);
  std::ranges::sort(order, {}, [this](std::size_t use) { return uses_[use].capacity; });
  std::vector<Use> sorted;
  std::vector<std::size_t> place(order.size());
  for (const std::size_t use : order) {
    place[use - first] = first + sorted.size();
    sorted.push_back(uses_[use]);
  }
  std::ranges::copy(sorted, uses_.begin() + static_cast<std::ptrdiff_t>(first));
  for (std::size_t& use : way_uses_)
    if (use >= first)
      use = place[use - first];
}

/// To where nothing has run yet.
void ProgramRunner::rewind()
{
  for (ProgramState& state : states_) {
    state.waiting_for = state.predecessors;
    state.lanes.clear();
    for (const Lane& lane : state.program->lanes)
      state.lanes.push_back({lane.slots, {}});
    state.begin.assign(state.plan.size(), 0);
    state.end.assign(state.plan.size(), 0);
    state.ended = 0;
  }
  for (Use& use : uses_)
    use = {.capacity = use.capacity};
  collectives_.clear();
  finished_.clear();
  arrivals_ = 0;
}

bool ProgramRunner::shares_links(int route) const
{
  return std::ranges::any_of(routes_.route(route).links, [this](int link) { return routes_on_[static_cast<std::size_t>(link)] > 1; });
}

std::vector<StepTrace> ProgramRunner::run(Network& network)
{
  rewind();
  routes_on_.assign(routes_.capacities().size(), 0);
  for (int route = 0; route < routes_.routes(); ++route)
    for (const int link : routes_.route(route).links)
      ++routes_on_[static_cast<std::size_t>(link)];
  network_ = &network;
  network.run([this] {
    for (std::size_t p = 0; p < states_.size(); ++p)
      network_->timer(states_[p].start, [this, p] {
        for (std::size_t i = 0; i < states_[p].waiting_for.size(); ++i)
          if (states_[p].waiting_for[i] == 0)
            become_ready(p, static_cast<int>(i));
        drain();
      });
  });

  std::vector<StepTrace> traces;
  for (std::size_t p = 0; p < states_.size(); ++p) {
    const ProgramState& state = states_[p];
    if (state.ended < state.begin.size())
      throw std::invalid_argument{"job '" + state.program->job + "': " + std::to_string(state.begin.size() - state.ended) +
                                  " operations could never run; they hold lanes that wait for each other"};
    StepTrace trace;
    trace.begin = Seconds{state.start};
    trace.end = trace.begin;
    trace.spans.reserve(state.begin.size());
    for (std::size_t i = 0; i < state.begin.size(); ++i) {
      trace.spans.push_back({OperationId{static_cast<int>(i)}, Seconds{state.begin[i]}, Seconds{state.end[i]}});
      trace.end = std::max(trace.end, Seconds{state.end[i]});
    }
    const int links = static_cast<int>(cluster_.links().size());
    for (std::size_t i = uses_of_program_[p]; i < uses_of_program_[p + 1]; ++i) {
      const Use& use = uses_[i];
      if (use.capacity < links)
        trace.links.push_back({LinkId{use.capacity}, Bytes{use.bytes}, Seconds{use.busy}});
      else
        trace.resources.push_back({ResourceId{use.capacity - routes_.resource_base(p)}, Bytes{use.bytes}, Seconds{use.busy}});
    }
    traces.push_back(std::move(trace));
  }
  return traces;
}

void ProgramRunner::become_ready(std::size_t program, int operation)
{
  ProgramState& state = states_[program];
  const Operation& work = state.program->operations[static_cast<std::size_t>(operation)];
  if (work.lanes.empty()) {
    start(program, operation);
    return;
  }
  const long arrival = arrivals_++;
  for (const LaneId lane : work.lanes)
    state.lanes[static_cast<std::size_t>(lane.index)].ready.emplace(work.priority, arrival, operation);
  for (const LaneId lane : work.lanes)
    serve(program, lane.index);
}

bool ProgramRunner::lanes_free(const ProgramState& state, const Operation& operation) const
{
  return std::ranges::all_of(operation.lanes, [&](LaneId lane) { return state.lanes[static_cast<std::size_t>(lane.index)].free > 0; });
}

void ProgramRunner::serve(std::size_t program, int lane)
{
  ProgramState& state = states_[program];
  LaneState& server = state.lanes[static_cast<std::size_t>(lane)];
  for (auto candidate = server.ready.begin(); server.free > 0 && candidate != server.ready.end();) {
    const auto entry = *candidate;
    const Operation& operation = state.program->operations[static_cast<std::size_t>(std::get<2>(entry))];
    if (!lanes_free(state, operation)) {
      ++candidate;
      continue;
    }
    for (const LaneId held : operation.lanes) {
      --state.lanes[static_cast<std::size_t>(held.index)].free;
      state.lanes[static_cast<std::size_t>(held.index)].ready.erase(entry);
    }
    start(program, std::get<2>(entry));
    candidate = server.ready.begin();
  }
}

void ProgramRunner::start(std::size_t program, int operation)
{
  ProgramState& state = states_[program];
  const auto index = static_cast<std::size_t>(operation);
  state.begin[index] = network_->now();
  const auto timed = [&](Seconds duration) {
    if (duration.value() <= 0) {
      finish(program, operation);
      return;
    }
    network_->belongs_to(static_cast<int>(program), operation);
    network_->timer(duration.value(),
                    [this, p = static_cast<int>(program), operation] { finish_and_drain(static_cast<std::size_t>(p), operation); });
  };
  const Work& work = state.program->operations[index].work;
  if (const auto* compute = std::get_if<Compute>(&work))
    timed(compute->duration);
  else if (const auto* host = std::get_if<HostWork>(&work))
    timed(host->duration);
  else if (const auto* copy = std::get_if<Copy>(&work))
    start_message(program, operation, copy->bytes.value(), copy->cost);
  else if (const auto* transfer = std::get_if<Transfer>(&work))
    start_message(program, operation, transfer->bytes.value(), transfer->cost);
  else if (const auto* call = std::get_if<CollectiveCall>(&work)) {
    network_->belongs_to(static_cast<int>(program), operation);
    CollectivePlan& plan = *plans_[static_cast<std::size_t>(state.plan[index])];
    collectives_.push_back(std::make_unique<CollectiveRun>(*this, *call, plan, style_, [this, p = static_cast<int>(program), operation] {
      finish_and_drain(static_cast<std::size_t>(p), operation);
    }));
    CollectiveRun* run = collectives_.back().get();
    network_->timer(call->start_up.value(), [run] { run->start(); });
  } else {
    finish(program, operation);
  }
}

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

// The callbacks of messages hold no more than two words, so that none of them is allocated.

void ProgramRunner::start_message(std::size_t program, int operation, double payload, const MessageCost& cost)
{
  const int way = states_[program].plan[static_cast<std::size_t>(operation)];
  const double latency = cost.latency.value() + (cost.whole_latency ? 0 : route_of(ways_[static_cast<std::size_t>(way)]).latency);
  account(way, payload / cost.efficiency);
  network_->belongs_to(static_cast<int>(program), operation);
  network_->timer(latency, [this, p = static_cast<int>(program), operation] { begin_message(static_cast<std::size_t>(p), operation); });
}

void ProgramRunner::begin_message(std::size_t program, int operation)
{
  const auto index = static_cast<std::size_t>(operation);
  const int way = states_[program].plan[index];
  const int connection = static_cast<int>(program) * routes_.routes() + ways_[static_cast<std::size_t>(way)].route;
  start_flow(way, load_of(states_[program].program->operations[index].work), -1, 0, connection,
             [this, p = static_cast<int>(program), operation] { end_message(static_cast<std::size_t>(p), operation); });
}

void ProgramRunner::end_message(std::size_t program, int operation)
{
  const auto index = static_cast<std::size_t>(operation);
  end_flow(states_[program].plan[index], load_of(states_[program].program->operations[index].work));
  finish_and_drain(program, operation);
}

int ProgramRunner::start_flow(int way, double bytes, int follows, double lead, int connection, Network::Callback done)
{
  const Way& there = ways_[static_cast<std::size_t>(way)];
  const Route& route = route_of(there);
  if (!is_flow(way, bytes)) { // nothing that it shares with others
    network_->timer(bytes > 0 && route.limit < std::numeric_limits<double>::infinity() ? bytes / route.limit : 0, std::move(done));
    return -1;
  }
  for (std::size_t i = 0; i < route.links.size(); ++i)
    if (Use& use = uses_[way_uses_[there.uses + i]]; use.flows++ == 0)
      use.since = network_->now();
  return network_->flow({&route.narrow, bytes, route.limit, follows, lead, connection}, std::move(done));
}

/// The books of a flow that start_flow() began, at its end.
void ProgramRunner::end_flow(int way, double bytes)
{
  if (!is_flow(way, bytes))
    return;
  const Way& there = ways_[static_cast<std::size_t>(way)];
  const std::size_t links = route_of(there).links.size();
  for (std::size_t i = 0; i < links; ++i)
    if (Use& use = uses_[way_uses_[there.uses + i]]; --use.flows == 0)
      use.busy += network_->now() - use.since;
}

void ProgramRunner::account(int way, double bytes)
{
  const Way& there = ways_[static_cast<std::size_t>(way)];
  const std::size_t links = route_of(there).links.size();
  for (std::size_t i = 0; i < links; ++i)
    uses_[way_uses_[there.uses + i]].bytes += bytes;
}

void ProgramRunner::finish(std::size_t program, int operation)
{
  ProgramState& state = states_[program];
  state.end[static_cast<std::size_t>(operation)] = network_->now();
  ++state.ended;
  finished_.emplace_back(program, operation);
}

void ProgramRunner::finish_and_drain(std::size_t program, int operation)
{
  finish(program, operation);
  drain();
}

void ProgramRunner::drain()
{
  if (draining_)
    return;
  draining_ = true;
  while (!finished_.empty()) {
    // Frees all lanes first, so that what becomes ready now competes fairly for them.
    batch_.swap(finished_);
    finished_.clear();
    for (const auto& [program, operation] : batch_)
      for (const LaneId lane : states_[program].program->operations[static_cast<std::size_t>(operation)].lanes)
        ++states_[program].lanes[static_cast<std::size_t>(lane.index)].free;
    for (const auto& [program, operation] : batch_) {
      ProgramState& state = states_[program];
      const std::size_t end = state.follow[static_cast<std::size_t>(operation) + 1];
      for (std::size_t i = state.follow[static_cast<std::size_t>(operation)]; i < end; ++i)
        if (--state.waiting_for[static_cast<std::size_t>(state.followers[i])] == 0)
          become_ready(program, state.followers[i]);
    }
    for (const auto& [program, operation] : batch_)
      for (const LaneId lane : states_[program].program->operations[static_cast<std::size_t>(operation)].lanes)
        serve(program, lane.index);
  }
  draining_ = false;
}

} // namespace trainyard
