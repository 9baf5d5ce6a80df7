// SPDX-License-Identifier: Apache-2.0
#include "sim/step/engine/program_runner.hpp"

#include "models/core/conservation.hpp"
#include "models/core/interrupt.hpp"
#include "sim/step/engine/collective_run.hpp"

#include <algorithm>
#include <iterator>
#include <limits>
#include <stdexcept>

namespace trainyard {
namespace {

constexpr double not_yet = -1; // the time of an end

} // namespace

ProgramRunner::ProgramRunner(const Cluster& cluster, std::span<const ProgramRun> programs, CollectiveStyle style,
                             bool by_connection, KnownWays* known)
    : cluster_{cluster}, style_{style}, by_connection_{by_connection}, routes_{std::make_unique<RouteTable>(
                                                                           cluster, programs, by_connection, known)}
{
  for (const ProgramRun& run : programs)
    prepare(run);
  for (std::size_t p = 0; p < states_.size(); ++p)
    plan(p);
  if (programs.empty())
    return;
  routes_->find_narrow_links();
  count_routes();
}

ProgramRunner::~ProgramRunner() = default;

void ProgramRunner::time_anew(std::span<const Seconds> starts)
{
  for (std::size_t p = 0; p < states_.size(); ++p) {
    ProgramState& state = states_[p];
    state.start = starts[p].value();
    for (std::size_t i = 0; i < state.tasks.size(); ++i)
      if (state.tasks[i].host_work)
        set_duration(state.tasks[i], std::get<HostWork>(state.program->operations[i].work).duration);
  }
}

/// To where nothing has run yet.
void ProgramRunner::rewind()
{
  for (ProgramState& state : states_)
    rewind(state);
  occupied_.assign(uses_.size(), {});
  busy_before_.assign(reuses_collectives_ ? uses_.size() : 0, 0);
  finished_.clear();
  arrivals_ = 0;
  ended_programs_.clear();
  to_step_ = states_.size();
  stepped_since_one_ended_ = false;
}

void ProgramRunner::rewind(ProgramState& state)
{
  state.waiting.clear();
  state.waiting.reserve(state.tasks.size());
  for (const Task& task : state.tasks)
    state.waiting.push_back(task.predecessors);
  state.lanes.clear();
  for (const Lane& lane : state.program->lanes)
    state.lanes.push_back({by_connection_ ? std::max(lane.slots, lane.slots_by_connection) : lane.slots, {}});
  state.begin.assign(state.tasks.size(), 0);
  state.end.assign(state.tasks.size(), not_yet);
  state.ended = 0;
  state.stepped_since_one_ended = false;
  state.collectives.clear();
}

bool ProgramRunner::shares_links(int route) const
{
  return std::ranges::any_of(routes_->route(route).links,
                             [this](int link) { return routes_on_[routes_->slot(link)] > 1; });
}

void ProgramRunner::begin_all(Network& network)
{
  rewind();
  network_ = &network;
  for (std::size_t p = 0; p < states_.size(); ++p)
    network_->timer(states_[p].start, [this, p] { begin(p); });
}

void ProgramRunner::throw_never_ready(const ProgramState& state)
{
  throw std::invalid_argument{"job '" + state.program->job + "': " + std::to_string(state.begin.size() - state.ended) +
                              " operations could never run; they hold lanes that wait for each other"};
}

std::vector<StepTrace> ProgramRunner::run(Network& network)
{
  network.run([&] { begin_all(network); });
  std::vector<StepTrace> traces;
  for (std::size_t p = 0; p < states_.size(); ++p) {
    if (states_[p].ended < states_[p].begin.size())
      throw_never_ready(states_[p]);
    traces.push_back(trace_of(p));
  }
  if (std::ranges::any_of(occupied_, [](const Occupancy& use) { return use.flows != 0; }))
    not_conserved("some of the bytes that were sent on the network were not received");
  return traces;
}

std::vector<StepTrace> ProgramRunner::traces_so_far() const
{
  if (!stepped_since_one_ended_)
    throw_never_ready(
        *std::ranges::find_if(states_, [](const ProgramState& state) { return state.ended < state.tasks.size(); }));
  constexpr Seconds never{std::numeric_limits<double>::infinity()};
  std::vector<StepTrace> traces;
  for (std::size_t p = 0; p < states_.size(); ++p) {
    StepTrace& trace = traces.emplace_back(trace_of(p));
    if (states_[p].ended == states_[p].tasks.size())
      continue;
    trace.end = never;
    for (Span& span : trace.spans)
      if (span.end.value() == not_yet)
        span.end = never;
  }
  return traces;
}

void ProgramRunner::note_step_since_one_ended(ProgramState& state)
{
  if (!std::exchange(state.stepped_since_one_ended, true))
    stepped_since_one_ended_ = --to_step_ == 0;
}

/// Operations that wait for nothing start.
void ProgramRunner::begin(std::size_t program)
{
  for (std::size_t i = 0; i < states_[program].tasks.size(); ++i)
    if (states_[program].waiting[i] == 0)
      become_ready(program, static_cast<int>(i));
  drain();
}

StepTrace ProgramRunner::trace_of(std::size_t program) const
{
  const ProgramState& state = states_[program];
  StepTrace trace;
  trace.begin = Seconds{state.start};
  trace.end = trace.begin;
  trace.spans.reserve(state.begin.size());
  for (std::size_t i = 0; i < state.begin.size(); ++i) {
    trace.spans.push_back({OperationId{static_cast<int>(i)}, Seconds{state.begin[i]}, Seconds{state.end[i]}});
    trace.end = std::max(trace.end, Seconds{state.end[i]});
  }
  const int links = static_cast<int>(cluster_.links().size());
  trace.links.reserve(state.last_use - state.first_use);
  for (std::size_t i = state.first_use; i < state.last_use; ++i) {
    const Use& use = uses_[i];
    const Seconds busy{occupied_[i].busy};
    if (use.capacity < links)
      trace.links.push_back({LinkId{use.capacity}, Bytes{use.bytes}, busy});
    else
      trace.resources.push_back({ResourceId{use.capacity - routes_->resource_base(program)}, Bytes{use.bytes}, busy});
  }
  for (const ResourceUse& use : trace.resources) // messages that use a share of a link stand for others there
    if (const Resource& resource = state.program->resources[static_cast<std::size_t>(use.resource.index)];
        resource.sharers > 1)
      if (const auto card = std::ranges::find(trace.links, resource.link, &LinkUse::link); card != trace.links.end())
        card->bytes = (card->bytes - use.bytes) + use.bytes * resource.sharers;
  return trace;
}

int ProgramRunner::add(const StepProgram& program)
{
  const int number = plan_only(program);
  routes_->find_narrow_links(true);
  occupied_.resize(uses_.size());
  return number;
}

std::vector<const std::vector<int>*> ProgramRunner::widened() const
{
  std::vector<const std::vector<int>*> wider;
  for (const int route : routes_->widened())
    wider.push_back(&routes_->route(route).narrow);
  return wider;
}

void ProgramRunner::begin_latest(Network& network)
{
  network_ = &network;
  ProgramState& state = states_.back();
  rewind(state);
  state.start = network.now();
  begin(states_.size() - 1);
  if (state.tasks.empty()) {
    ended_programs_.push_back(static_cast<int>(states_.size()) - 1);
    any_ended_ = true;
  }
}

std::vector<int> ProgramRunner::take_ended()
{
  any_ended_ = false;
  return std::exchange(ended_programs_, {});
}

void ProgramRunner::forget(ProgramState& state)
{
  for (std::size_t plan = state.first_plan; plan < state.last_plan; ++plan)
    plans_[plan].reset();
  state = ProgramState{};
}

StepTrace ProgramRunner::take_trace(int program)
{
  const auto p = static_cast<std::size_t>(program);
  StepTrace trace = trace_of(p);
  forget(states_[p]);
  return trace;
}

std::vector<double> ProgramRunner::take_shares(int program, std::span<const double> sent)
{
  ProgramState& state = states_[static_cast<std::size_t>(program)];
  const double now = network_->now();
  std::vector<double> shares(state.tasks.size(), 0.0);
  std::vector<bool> waits(state.tasks.size());
  for (const LaneState& lane : state.lanes)
    for (const auto& [priority, arrival, operation] : lane.ready)
      waits[static_cast<std::size_t>(operation)] = true;
  for (std::size_t i = 0; i < shares.size(); ++i) {
    const Task& task = state.tasks[i];
    if (state.waiting[i] > 0 || waits[i])
      continue; // has not begun
    if (state.end[i] != not_yet)
      shares[i] = 1;
    else if (task.kind == Task::Kind::timed)
      shares[i] = (now - state.begin[i]) / task.seconds;
    else if (task.kind == Task::Kind::message)
      shares[i] = sent[i] < 0 ? (task.bytes + sent[i]) / task.bytes : 0;
  }
  for (const auto& [operation, run] : state.collectives)
    if (const auto i = static_cast<std::size_t>(operation); state.end[i] == not_yet)
      shares[i] = run->share_done(sent[i]);
  for (double& share : shares)
    share = std::clamp(share, 0.0, 1.0);
  forget(state);
  return shares;
}

void ProgramRunner::restart()
{
  states_.clear();
  ways_.clear();
  way_uses_.clear();
  uses_.clear();
  occupied_.clear();
  plans_.clear();
  ended_programs_.clear();
  any_ended_ = false;
  arrivals_ = 0;
  if (routes_->has_resources())
    routes_ = std::make_unique<RouteTable>(cluster_, std::span<const ProgramRun>{});
  else
    routes_->forget_programs();
}

std::vector<int> ProgramRunner::routes_of(int program) const
{
  const ProgramState& state = states_[static_cast<std::size_t>(program)];
  std::vector<int> routes;
  routes.reserve(state.last_way - state.first_way);
  for (std::size_t way = state.first_way; way < state.last_way; ++way)
    routes.push_back(ways_[way].route);
  return routes;
}

void ProgramRunner::become_ready(std::size_t program, int operation)
{
  ProgramState& state = states_[program];
  const Task& task = state.tasks[static_cast<std::size_t>(operation)];
  const std::span<const int> lanes = lanes_of(state, task);
  const auto idle = [&](int lane) {
    const LaneState& server = state.lanes[static_cast<std::size_t>(lane)];
    return server.free > 0 && server.ready.empty();
  };
  if (std::ranges::all_of(lanes, idle)) { // nobody to compete with
    for (const int lane : lanes)
      --state.lanes[static_cast<std::size_t>(lane)].free;
    start(program, operation);
    return;
  }
  const long arrival = arrivals_++;
  for (const int lane : lanes)
    state.lanes[static_cast<std::size_t>(lane)].ready.insert({task.priority, arrival, operation});
  for (const int lane : lanes)
    serve(program, lane);
}

void ProgramRunner::serve(std::size_t program, int lane)
{
  ProgramState& state = states_[program];
  LaneState& server = state.lanes[static_cast<std::size_t>(lane)];
  for (auto candidate = server.ready.begin(); server.free > 0 && candidate != server.ready.end();) {
    const auto entry = *candidate;
    const std::span<const int> lanes = lanes_of(state, state.tasks[static_cast<std::size_t>(std::get<2>(entry))]);
    if (!std::ranges::all_of(lanes, [&](int held) { return state.lanes[static_cast<std::size_t>(held)].free > 0; })) {
      ++candidate;
      continue;
    }
    for (const int held : lanes) {
      --state.lanes[static_cast<std::size_t>(held)].free;
      state.lanes[static_cast<std::size_t>(held)].ready.erase(entry);
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
  const Task& task = state.tasks[index];
  if (task.kind == Task::Kind::nothing) {
    finish(program, operation);
    return;
  }
  const auto p = static_cast<int>(program);
  network_->belongs_to(p, operation);
  // The callbacks hold no more than two words, so that none of them is allocated.
  if (task.kind == Task::Kind::timed) {
    const double factor = rounds_.factor && !task.host_work ? factor_in_round(state, index) : 1;
    network_->timer(task.seconds * factor,
                    [this, p, operation] { finish_and_drain(static_cast<std::size_t>(p), operation); });
  } else if (task.kind == Task::Kind::message && task.seconds <= 0 && state.goes_round()) {
    begin_message(program, operation);
  } else if (task.kind == Task::Kind::message) {
    network_->timer(task.seconds, [this, p, operation] { begin_message(static_cast<std::size_t>(p), operation); });
  } else if (reuses_collectives_ && plans_[static_cast<std::size_t>(task.plan)]->lasted >= 0) {
    network_->timer(task.seconds, [this, operation] { repeat_collective(operation); });
  } else {
    const auto& call = *call_of(state.program->operations[index].work);
    if (index >= state.goes_round_from) // what it did a round ago is over
      std::erase_if(state.collectives, [&](const auto& before) { return before.first == operation; });
    state.collectives.emplace_back(
        operation, std::make_unique<CollectiveRun>(*this, call, *plans_[static_cast<std::size_t>(task.plan)], style_,
                                                   [this, p, operation] {
                                                     if (reuses_collectives_)
                                                       note_collective(operation);
                                                     finish_and_drain(static_cast<std::size_t>(p), operation);
                                                   }));
    CollectiveRun* run = state.collectives.back().second.get();
    network_->timer(task.seconds, [run] { run->start(); });
  }
}

/// Whether at any time at most one collective, and nothing else, is on the network.
bool ProgramRunner::collectives_are_alone() const
{
  if (states_.size() != 1)
    return false;
  const ProgramState& state = states_.front();
  std::vector<int> common; // lanes for one operation at a time that all collectives hold
  bool any = false;
  for (const Task& task : state.tasks) {
    if (task.kind == Task::Kind::message)
      return false;
    if (task.kind != Task::Kind::collective)
      continue;
    const std::span<const int> lanes = lanes_of(state, task);
    if (!any)
      std::ranges::copy_if(lanes, std::back_inserter(common),
                           [&](int lane) { return state.program->lanes[static_cast<std::size_t>(lane)].slots == 1; });
    else
      std::erase_if(common, [&](int lane) { return std::ranges::find(lanes, lane) == lanes.end(); });
    any = true;
  }
  return !common.empty();
}

void ProgramRunner::reuse_collectives()
{
  reuses_collectives_ = style_ != CollectiveStyle::formula && collectives_are_alone();
}

/// The collective has just ended, for the first time.
void ProgramRunner::note_collective(int operation)
{
  const ProgramState& state = states_.front();
  const auto index = static_cast<std::size_t>(operation);
  const Task& task = state.tasks[index];
  CollectivePlan& plan = *plans_[static_cast<std::size_t>(task.plan)];
  plan.lasted = network_->now() - (state.begin[index] + task.seconds);
  for (std::size_t use = 0; use < occupied_.size(); ++use)
    if (const double busy = occupied_[use].busy - busy_before_[use]; busy > 0) {
      plan.kept_busy.emplace_back(use, busy);
      busy_before_[use] = occupied_[use].busy;
    }
}

/// Its ranks begin; one like it has run.
void ProgramRunner::repeat_collective(int operation)
{
  const CollectivePlan& plan =
      *plans_[static_cast<std::size_t>(states_.front().tasks[static_cast<std::size_t>(operation)].plan)];
  for (const auto& [use, busy] : plan.kept_busy)
    busy_before_[use] = occupied_[use].busy += busy;
  network_->timer(plan.lasted, [this, operation] { finish_and_drain(0, operation); });
}

void ProgramRunner::begin_message(std::size_t program, int operation)
{
  const Task& task = states_[program].tasks[static_cast<std::size_t>(operation)];
  start_flow(
      task.plan, task.bytes, -1, 0, task.plan,
      [this, p = static_cast<int>(program), operation] { end_message(static_cast<std::size_t>(p), operation); },
      Acknowledgements::load, task.is_pull);
}

void ProgramRunner::end_message(std::size_t program, int operation)
{
  const Task& task = states_[program].tasks[static_cast<std::size_t>(operation)];
  end_flow(task.plan, task.bytes);
  finish_and_drain(program, operation);
}

int ProgramRunner::start_flow(int way, double bytes, int follows, double lead, int connection, Network::Callback done,
                              Acknowledgements acknowledgements, bool asked)
{
  const Way& there = ways_[static_cast<std::size_t>(way)];
  const Route& route = route_of(there);
  if (!is_flow(way, bytes)) { // nothing that it shares with others
    network_->timer(bytes > 0 && route.limit < std::numeric_limits<double>::infinity() ? bytes / route.limit : 0,
                    std::move(done));
    return -1;
  }
  occupy(way);
  return network_->flow({.links = &route.narrow,
                         .bytes = bytes,
                         .limit = route.limit,
                         .follows = follows,
                         .lead = lead,
                         .connection = connection,
                         .program = there.program,
                         .from = route.from.index,
                         .to = route.to.index,
                         .back = acknowledgements != Acknowledgements::come_at_once && route.back >= 0
                                     ? &routes_->route(route.back).narrow
                                     : nullptr,
                         .loads_back = acknowledgements == Acknowledgements::load,
                         .asked = asked},
                        std::move(done));
}

/// A flow begins.
void ProgramRunner::occupy(int way)
{
  const Way& there = ways_[static_cast<std::size_t>(way)];
  const std::size_t links = route_of(there).links.size();
  const double now = network_->now();
  for (std::size_t i = 0; i < links; ++i)
    if (Occupancy& use = occupied_[way_uses_[there.uses + i]]; use.flows++ == 0)
      use.since = now;
}

/// Updates the counters of a flow that start_flow() started, at its end.
void ProgramRunner::end_flow(int way, double bytes)
{
  if (!is_flow(way, bytes))
    return;
  const Way& there = ways_[static_cast<std::size_t>(way)];
  const std::size_t links = route_of(there).links.size();
  const double now = network_->now();
  for (std::size_t i = 0; i < links; ++i)
    if (Occupancy& use = occupied_[way_uses_[there.uses + i]]; --use.flows == 0)
      use.busy += now - use.since;
}

void ProgramRunner::finish(std::size_t program, int operation)
{
  check_interrupt(); // many operations may end at one instant
  ProgramState& state = states_[program];
  state.end[static_cast<std::size_t>(operation)] = network_->now();
  finished_.emplace_back(program, operation);
  if (state.goes_round()) {
    note_round(state, static_cast<std::size_t>(operation));
    return;
  }
  if (++state.ended == state.tasks.size()) {
    ended_programs_.push_back(static_cast<int>(program));
    any_ended_ = true;
  }
  if (!ended_programs_.empty() &&
      (state.ended == state.tasks.size() ||
       std::holds_alternative<StepEnd>(state.program->operations[static_cast<std::size_t>(operation)].work)))
    note_step_since_one_ended(state);
}

void ProgramRunner::finish_and_drain(std::size_t program, int operation)
{
  finish(program, operation);
  drain();
}

inline void ProgramRunner::free_lanes(ProgramState& state, const Task& task)
{
  for (const int lane : lanes_of(state, task))
    ++state.lanes[static_cast<std::size_t>(lane)].free;
}

inline void ProgramRunner::wake_followers(std::size_t program, ProgramState& state, const Task& task)
{
  const std::span<const int> followers = followers_of(state, task);
  if (followers.size() > 1) // their tasks lie far apart in memory: all are fetched at once
    for (const int next : followers)
      __builtin_prefetch(&state.tasks[static_cast<std::size_t>(next)]);
  for (const int next : followers) {
    const auto index = static_cast<std::size_t>(next);
    if (--state.waiting[index] > 0)
      continue;
    if (index >= state.goes_round_from) // for the next round
      state.waiting[index] = state.tasks[index].predecessors;
    become_ready(program, next);
  }
}

inline void ProgramRunner::serve_lanes(std::size_t program, ProgramState& state, const Task& task)
{
  for (const int lane : lanes_of(state, task))
    if (!state.lanes[static_cast<std::size_t>(lane)].ready.empty())
      serve(program, lane);
}

void ProgramRunner::drain()
{
  if (draining_)
    return;
  draining_ = true;
  while (!finished_.empty()) {
    // Frees all lanes first, so that what becomes ready now competes fairly for them.
    if (finished_.size() == 1) { // as a rule
      const auto [program, operation] = finished_.back();
      finished_.clear();
      ProgramState& state = states_[program];
      const Task& task = state.tasks[static_cast<std::size_t>(operation)];
      free_lanes(state, task);
      wake_followers(program, state, task);
      serve_lanes(program, state, task);
      continue;
    }
    batch_.swap(finished_);
    finished_.clear();
    const auto of_each = [this](const auto& use) {
      for (const auto& [program, operation] : batch_)
        use(program, states_[program], states_[program].tasks[static_cast<std::size_t>(operation)]);
    };
    of_each([](std::size_t, ProgramState& state, const Task& task) { free_lanes(state, task); });
    of_each([this](std::size_t p, ProgramState& state, const Task& task) { wake_followers(p, state, task); });
    of_each([this](std::size_t p, ProgramState& state, const Task& task) { serve_lanes(p, state, task); });
  }
  draining_ = false;
}

} // namespace trainyard
