#include "sim/engine/program_runner.hpp"

#include "sim/engine/collective_run.hpp"

#include <algorithm>
#include <stdexcept>

namespace trainyard {

ProgramRunner::ProgramRunner(const Cluster& cluster, std::span<const ProgramRun> programs, CollectiveStyle style)
    : cluster_{cluster}, style_{style}, routes_{cluster, programs}, uses_(programs.size())
{
  for (const ProgramRun& run : programs) {
    const StepProgram& program = *run.program;
    ProgramState state;
    state.program = &program;
    state.start = run.start.value();
    state.waiting_for.resize(program.operations.size());
    state.followers.resize(program.operations.size());
    for (std::size_t i = 0; i < program.operations.size(); ++i)
      for (const OperationId before : program.operations[i].after) {
        if (before.index < 0 || static_cast<std::size_t>(before.index) >= i)
          throw std::invalid_argument{"operation '" + program.operations[i].name + "' waits for a later one: the program is cyclic"};
        ++state.waiting_for[i];
        state.followers[static_cast<std::size_t>(before.index)].push_back(static_cast<int>(i));
      }
    for (const Lane& lane : program.lanes)
      state.lanes.push_back({lane.slots, {}});
    state.begin.assign(program.operations.size(), 0);
    state.end.assign(program.operations.size(), 0);
    states_.push_back(std::move(state));
  }
  plan_routes();
  routes_.find_narrow_links();
}

ProgramRunner::~ProgramRunner() = default;

void ProgramRunner::plan_routes()
{
  for (std::size_t p = 0; p < states_.size(); ++p)
    for (const Operation& operation : states_[p].program->operations) {
      if (const auto* transfer = std::get_if<Transfer>(&operation.work)) {
        routes_.make_connection(message_route(p, transfer->from, transfer->to, transfer->cost, transfer->resources));
        for (const ResourceId resource : transfer->resources)
          routes_.scale_resource(p, resource, transfer->cost.efficiency);
      } else if (const auto* copy = std::get_if<Copy>(&operation.work)) {
        routes_.make_connection(message_route(p, copy->from, copy->to, copy->cost));
      } else if (const auto* call = std::get_if<CollectiveCall>(&operation.work)) {
        for (const ChannelPlan& plan : channel_plans(cluster_, *call))
          for (const Round& round : plan.rounds)
            for (const Message& message : round.messages)
              message_route(p, plan.ranks[static_cast<std::size_t>(message.from)], plan.ranks[static_cast<std::size_t>(message.to)],
                            call->cost, {}, plan.ranks);
      }
    }
}

bool ProgramRunner::shares_links(int route) const
{
  return std::ranges::any_of(routes_.route(route).links, [this](int link) { return routes_on_[static_cast<std::size_t>(link)] > 1; });
}

std::vector<StepTrace> ProgramRunner::run(Network& network)
{
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
    for (std::size_t i = 0; i < state.begin.size(); ++i) {
      trace.spans.push_back({OperationId{static_cast<int>(i)}, Seconds{state.begin[i]}, Seconds{state.end[i]}});
      trace.end = std::max(trace.end, Seconds{state.end[i]});
    }
    const int links = static_cast<int>(cluster_.links().size());
    for (const auto& [index, use] : uses_[p]) {
      if (index < links)
        trace.links.push_back({LinkId{index}, Bytes{use.bytes}, Seconds{use.busy}});
      else
        trace.resources.push_back({ResourceId{index - routes_.resource_base(p)}, Bytes{use.bytes}, Seconds{use.busy}});
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
  network_->belongs_to(static_cast<int>(program), operation);
  const auto done = [this, program, operation] {
    finish(program, operation);
    drain();
  };
  const auto timed = [&](Seconds duration) {
    if (duration.value() <= 0)
      finish(program, operation);
    else
      network_->timer(duration.value(), done);
  };
  const Work& work = state.program->operations[index].work;
  if (const auto* compute = std::get_if<Compute>(&work))
    timed(compute->duration);
  else if (const auto* host = std::get_if<HostWork>(&work))
    timed(host->duration);
  else if (const auto* copy = std::get_if<Copy>(&work))
    start_message(program, message_route(program, copy->from, copy->to, copy->cost), copy->bytes.value(), copy->cost, done);
  else if (const auto* transfer = std::get_if<Transfer>(&work))
    start_message(program, message_route(program, transfer->from, transfer->to, transfer->cost, transfer->resources),
                  transfer->bytes.value(), transfer->cost, done);
  else if (const auto* call = std::get_if<CollectiveCall>(&work)) {
    collectives_.push_back(std::make_unique<CollectiveRun>(*this, program, *call, style_, done));
    CollectiveRun* run = collectives_.back().get();
    network_->timer(call->start_up.value(), [run] { run->start(); });
  } else {
    finish(program, operation);
  }
}

void ProgramRunner::start_message(std::size_t program, int route, double payload, const MessageCost& cost, Network::Callback done)
{
  const double latency = cost.latency.value() + (cost.whole_latency ? 0 : routes_.route(route).latency);
  const double bytes = payload / cost.efficiency;
  account(program, route, bytes);
  network_->timer(latency, [this, program, route, bytes, done = std::move(done)]() mutable {
    start_flow(program, route, bytes, -1, 0, std::move(done), static_cast<int>(program) * routes_.routes() + route);
  });
}

int ProgramRunner::message_route(std::size_t program, VertexId from, VertexId to, const MessageCost& cost,
                                 const std::vector<ResourceId>& resources, std::span<const VertexId> forwarders)
{
  return routes_.find(program, from, to, resources, cost.limit.value() / cost.efficiency, forwarders);
}

int ProgramRunner::start_flow(std::size_t program, int route, double bytes, int follows, double lead, Network::Callback done,
                              int connection)
{
  const std::vector<int>& links = routes_.route(route).narrow;
  const double limit = routes_.route(route).limit;
  if (bytes <= 0 || (links.empty() && limit == std::numeric_limits<double>::infinity())) {
    network_->timer(0, std::move(done));
    return -1;
  }
  if (links.empty()) {
    network_->timer(bytes / limit, std::move(done));
    return -1;
  }
  open(program, route);
  return network_->flow({&links, bytes, limit, follows, lead, connection}, [this, program, route, done = std::move(done)] {
    close(program, route);
    done();
  });
}

void ProgramRunner::account(std::size_t program, int route, double bytes)
{
  for (const int link : routes_.route(route).links)
    uses_[program][link].bytes += bytes;
}

void ProgramRunner::open(std::size_t program, int route)
{
  for (const int link : routes_.route(route).links) {
    Use& use = uses_[program][link];
    if (use.flows++ == 0)
      use.since = network_->now();
  }
}

void ProgramRunner::close(std::size_t program, int route)
{
  for (const int link : routes_.route(route).links) {
    Use& use = uses_[program][link];
    if (--use.flows == 0)
      use.busy += network_->now() - use.since;
  }
}

void ProgramRunner::finish(std::size_t program, int operation)
{
  ProgramState& state = states_[program];
  state.end[static_cast<std::size_t>(operation)] = network_->now();
  ++state.ended;
  finished_.emplace_back(program, operation);
}

void ProgramRunner::drain()
{
  if (draining_)
    return;
  draining_ = true;
  while (!finished_.empty()) {
    // Frees all lanes first, so that what becomes ready now competes fairly for them.
    const std::vector<std::pair<std::size_t, int>> batch = std::move(finished_);
    finished_.clear();
    for (const auto& [program, operation] : batch)
      for (const LaneId lane : states_[program].program->operations[static_cast<std::size_t>(operation)].lanes)
        ++states_[program].lanes[static_cast<std::size_t>(lane.index)].free;
    for (const auto& [program, operation] : batch)
      for (const int follower : states_[program].followers[static_cast<std::size_t>(operation)])
        if (--states_[program].waiting_for[static_cast<std::size_t>(follower)] == 0)
          become_ready(program, follower);
    for (const auto& [program, operation] : batch)
      for (const LaneId lane : states_[program].program->operations[static_cast<std::size_t>(operation)].lanes)
        serve(program, lane.index);
  }
  draining_ = false;
}

} // namespace trainyard
