// SPDX-License-Identifier: Apache-2.0
// Which edges of a ring need no flow of their own.
//
// An edge that no other flow can hold back goes as fast as its links let it, until it stands one chunk ahead of the
// edge before it. So a chain of k such edges behind an edge `a`, none of them slower than `a` or than the edge `b`
// behind the chain, does nothing but let `b` come k + 1 chunks ahead of `a`: an edge has then sent the smaller of what
// its own links carry and of what `a` has sent plus its distance in chunks, and neither `a` nor `b` is ever faster than
// the links between. Each edge of the chain ends with `a` at the latest, since it has always sent as much. What is left
// of a ring of hundreds of ranks are the few edges that share a link with others.
#include "sim/step/engine/collective_run.hpp"

#include <algorithm>
#include <functional>
#include <utility>

namespace trainyard {
namespace {

constexpr double rounding_of_sums = 1e-9; // of demands on a link, as a share of it

/// Whether each edge of a round sends as many bytes as the others.
template <class Phase>
bool is_even(const Phase& phase)
{
  return std::ranges::all_of(phase.edges,
                             [&](const auto& edge) { return edge.payload == phase.edges.front().payload; });
}

} // namespace

/// What the links of a way let a flow have at most, bytes/s.
double ProgramRunner::CollectiveRun::most_on(int way) const
{
  const Route& route = runner_.route_of(runner_.ways_[static_cast<std::size_t>(way)]);
  double most = route.limit;
  for (const int link : route.links)
    most = std::min(most, runner_.routes_->capacities()[static_cast<std::size_t>(link)]);
  return most;
}

/// All flows together cannot fill a link of it.
bool ProgramRunner::CollectiveRun::is_alone(int way) const
{
  const std::vector<int>& links = runner_.route_of(runner_.ways_[static_cast<std::size_t>(way)]).links;
  return std::ranges::all_of(links, [this](int link) {
    return runner_.routes_->demand()[runner_.routes_->slot(link)] <=
           runner_.routes_->capacities()[static_cast<std::size_t>(link)] * (1 + rounding_of_sums);
  });
}

/// All collectives of the program hold a lane for one operation at a time.
bool ProgramRunner::CollectiveRun::one_at_a_time(const ProgramState& state)
{
  std::vector<int> common;
  bool any = false;
  for (const Task& task : state.tasks) {
    if (task.kind != Task::Kind::collective)
      continue;
    const std::span<const int> lanes = lanes_of(state, task);
    if (!std::exchange(any, true))
      common.assign(lanes.begin(), lanes.end());
    std::erase_if(common, [&](int lane) {
      const Lane& held = state.program->lanes[static_cast<std::size_t>(lane)];
      return std::max(held.slots, held.slots_by_connection) != 1 || std::ranges::find(lanes, lane) == lanes.end();
    });
  }
  return !any || !common.empty();
}

/// Fills RouteTable::demand: each way of a message carries one flow, each edge of a collective another one, and of the
/// collectives of a program one is under way at a time, or else all.
void ProgramRunner::CollectiveRun::measure_demand() const
{
  std::vector<double>& demand = runner_.routes_->demand();
  demand.assign(runner_.routes_->slots(), 0);
  std::vector<double> of_plan(demand.size(), 0), of_program(demand.size(), 0);
  const auto add = [this](int way, std::vector<double>& to, std::vector<std::size_t>& met) {
    for (const int link : runner_.route_of(runner_.ways_[static_cast<std::size_t>(way)]).links) {
      met.push_back(runner_.routes_->slot(link));
      to[met.back()] += most_on(way);
    }
  };
  for (const ProgramState& state : runner_.states_) {
    std::vector<std::size_t> met, met_by_plan; // slots
    std::vector<int> ways;
    for (const Task& task : state.tasks)
      if (task.kind == Task::Kind::message)
        ways.push_back(task.plan);
    std::ranges::sort(ways);
    const auto repeated = std::ranges::unique(ways);
    ways.erase(repeated.begin(), repeated.end());
    for (const int way : ways)
      add(way, demand, met_by_plan);
    const bool one = one_at_a_time(state);
    for (std::size_t plan = state.first_plan; plan < state.last_plan; ++plan) {
      met_by_plan.clear();
      for (const CollectivePlan::Channel& channel : runner_.plans_[plan]->channels)
        for (const Phase& phase : channel.phases)
          for (const Edge& edge : phase.edges)
            add(edge.way, of_plan, met_by_plan);
      for (const std::size_t slot : met_by_plan)
        of_program[slot] = one ? std::max(of_program[slot], of_plan[slot]) : of_program[slot] + of_plan[slot];
      for (const std::size_t slot : met_by_plan)
        of_plan[slot] = 0;
      met.insert(met.end(), met_by_plan.begin(), met_by_plan.end());
    }
    for (const std::size_t slot : met)
      demand[slot] += std::exchange(of_program[slot], 0.0);
  }
}

/// Whether two even channels differ in nothing but the bytes of their messages.
bool ProgramRunner::CollectivePlan::Channel::has_edges_of(const Channel& other) const
{
  const auto same_phase = [](const Phase& a, const Phase& b) {
    return a.repeat == b.repeat && is_even(a) && is_even(b) &&
           std::ranges::equal(a.edges, b.edges, [](const Edge& x, const Edge& y) {
             return x.from == y.from && x.to == y.to && x.way == y.way && x.latency == y.latency;
           });
  };
  return ranks == other.ranks && std::ranges::equal(phases, other.phases, same_phase);
}

/// Null where the channel is not one ring.
std::shared_ptr<const ProgramRunner::CollectivePlan::Chains>
ProgramRunner::CollectiveRun::chains_of(const CollectivePlan::Channel& channel) const
{
  if (channel.phases.size() != 1 || by_message(channel.phases.front()))
    return nullptr;
  const Phase& phase = channel.phases.front();
  if (!is_even(phase))
    return nullptr;
  std::vector<int> order; // of the edges along the ring
  for (std::size_t rank = 0; order.size() < channel.ranks;) {
    if (phase.sends.of(rank).size() != 1 || phase.receives.of(rank).size() != 1)
      return nullptr;
    order.push_back(phase.sends.of(rank).front());
    rank = static_cast<std::size_t>(phase.edges[static_cast<std::size_t>(order.back())].to);
    if (rank == 0 && order.size() < channel.ranks)
      return nullptr;
  }
  const std::size_t count = order.size();
  const auto edge_at = [&](std::size_t place) -> const Edge& {
    return phase.edges[static_cast<std::size_t>(order[place % count])];
  };
  std::vector<double> most(count); // by place in the order
  std::vector<bool> is_flow(count);
  for (std::size_t place = 0; place < count; ++place) {
    most[place] = most_on(edge_at(place).way);
    is_flow[place] = !is_alone(edge_at(place).way);
  }
  if (std::ranges::none_of(is_flow, std::identity{})) { // the slowest decides
    std::size_t slowest = 0;
    for (std::size_t place = 1; place < count; ++place)
      if (std::pair{most[place], -edge_at(place).latency} < std::pair{most[slowest], -edge_at(slowest).latency})
        slowest = place;
    is_flow[slowest] = true;
  }
  const auto first_flow = [&] { return static_cast<std::size_t>(std::ranges::find(is_flow, true) - is_flow.begin()); };
  for (bool more = true; more;) {
    more = false;
    double fastest = 0;
    for (std::size_t place = 0; place < count; ++place)
      fastest = is_flow[place] ? std::max(fastest, most[place]) : fastest;
    for (std::size_t place = 0; place < count; ++place)
      if (!is_flow[place] && most[place] < fastest)
        more = is_flow[place] = true;
    double latency = 0; // of the flow before: with a longer one an edge could end after it
    const std::size_t first = first_flow();
    for (std::size_t place = first; place < first + count; ++place) {
      const double here = edge_at(place).latency;
      if (!is_flow[place % count] && here > latency)
        more = is_flow[place % count] = true;
      if (is_flow[place % count])
        latency = here;
    }
  }
  CollectivePlan::Chains chains;
  const std::size_t first = first_flow();
  for (std::size_t place = first; place < first + count; ++place) {
    if (is_flow[place % count])
      chains.flows.push_back({.edge = order[place % count], .distance = 0, .first_link = chains.links.size()});
    CollectivePlan::Chains::Flow& flow = chains.flows.back();
    if (const int behind = flow.distance++; behind > 0) {
      const Way& way = runner_.ways_[static_cast<std::size_t>(edge_at(place).way)];
      for (std::size_t i = 0; i < runner_.route_of(way).links.size(); ++i)
        chains.links.push_back({runner_.way_uses_[way.uses + i], std::min(1.0, 1.0 * behind / phase.repeat)});
    }
    flow.last_link = chains.links.size();
  }
  const std::size_t flows = chains.flows.size();
  std::vector<int> lengths; // of a flow with the chain behind it
  for (std::size_t i = 0; i < flows; ++i) {
    lengths.push_back(chains.flows[i].distance);
    chains.flows[i].before = (i + flows - 1) % flows;
    chains.flows[i].after = (i + 1) % flows;
  }
  for (CollectivePlan::Chains::Flow& flow : chains.flows)
    flow.distance = lengths[flow.before];
  return std::make_shared<const CollectivePlan::Chains>(std::move(chains));
}

/// Where several programs run and no more will come. Of one program alone each collective is simulated once anyway.
void ProgramRunner::CollectiveRun::find_chains()
{
  if ((style_ != CollectiveStyle::pipelined && !shared_) || runner_.states_.size() < 2 ||
      !runner_.routes_->is_complete() || std::exchange(plan_.has_chains, true))
    return;
  if (runner_.routes_->demand().empty())
    measure_demand();
  for (std::size_t c = 0; c < plan_.channels.size(); ++c) {
    CollectivePlan::Channel& channel = plan_.channels[c];
    if (style_ == CollectiveStyle::pipelined)
      channel.chains = chains_for(c);
    if (channel.chains == nullptr)
      find_those_alone(channel);
  }
}

/// Those of an earlier collective that takes the same ways, or new ones.
std::shared_ptr<const ProgramRunner::CollectivePlan::Chains>
ProgramRunner::CollectiveRun::chains_for(std::size_t channel) const
{
  const CollectivePlan::Channel& here = plan_.channels[channel];
  if (plan_.like != nullptr && channel < plan_.like->channels.size() && plan_.stands_for == plan_.like->stands_for)
    if (const CollectivePlan::Channel& there = plan_.like->channels[channel];
        there.chains != nullptr && here.has_edges_of(there))
      return there.chains;
  return chains_of(here);
}

/// Of what runs message by message: a message on such an edge is a timer, where a flow costs ten times as much. A rank
/// sends the next message only after the one before it has come, so an edge never has two.
void ProgramRunner::CollectiveRun::find_those_alone(CollectivePlan::Channel& channel) const
{
  for (Phase& phase : channel.phases)
    for (Edge& edge : phase.edges)
      if (by_message(phase) && runner_.is_flow(edge.way, chunk(edge)) && is_alone(edge.way))
        edge.alone = chunk(edge) / most_on(edge.way);
}

void ProgramRunner::CollectiveRun::begin_chains(std::size_t channel)
{
  const CollectivePlan::Chains& chains = *plan_.channels[channel].chains;
  for (const CollectivePlan::Chains::Link& link : chains.links)
    if (Occupancy& use = runner_.occupied_[link.use]; use.flows++ == 0)
      use.since = began_;
  const Phase& phase = plan_.channels[channel].phases.front();
  const auto first = static_cast<int>(channels_[channel].first_state);
  const auto flow_of = [&](std::size_t i) -> int& { return states_[static_cast<std::size_t>(first) + i].flow; };
  for (std::size_t i = 0; i < chains.flows.size(); ++i) {
    const CollectivePlan::Chains::Flow& flow = chains.flows[i];
    const int state = first + static_cast<int>(i);
    const Edge& edge = phase.edges[static_cast<std::size_t>(flow.edge)];
    flow_of(i) = runner_.start_flow(edge.way, chunk(edge) * phase.repeat, flow_of(flow.before),
                                    chunk(edge) * flow.distance, -1, [this, state] { chain_ended(state); });
    runner_.network_->follow(flow_of(i), flow_of(flow.after), chunk(edge) * chains.flows[flow.after].distance, true);
  }
}

/// A flow has ended, and the chain behind it: each edge when the flow had come to within its distance of the end. For
/// how long an edge kept its links busy is reckoned as if the flow had gone at one speed.
void ProgramRunner::CollectiveRun::chain_ended(int state)
{
  const EdgeState& place = states_[static_cast<std::size_t>(state)];
  const auto channel = static_cast<std::size_t>(place.channel);
  const CollectivePlan::Chains& chains = *plan_.channels[channel].chains;
  const CollectivePlan::Chains::Flow& flow =
      chains.flows[static_cast<std::size_t>(state) - channels_[channel].first_state];
  const int repeat = phase_of(place).repeat;
  const Edge& edge = edge_of(place);
  runner_.end_flow(edge.way, chunk(edge) * repeat);
  const double now = runner_.network_->now();
  for (std::size_t link = flow.first_link; link < flow.last_link; ++link)
    if (Occupancy& use = runner_.occupied_[chains.links[link].use]; --use.flows == 0)
      use.busy += std::max(0.0, now - (now - began_) * chains.links[link].early - use.since);
  carried_ += chunk(edge) * repeat;
  runner_.network_->timer(edge.latency * repeat, [this, state] { chain_arrived(state); });
}

void ProgramRunner::CollectiveRun::chain_arrived(int state)
{
  const auto channel = static_cast<std::size_t>(states_[static_cast<std::size_t>(state)].channel);
  if (++channels_[channel].chains_done == plan_.channels[channel].chains->flows.size() &&
      ++channels_done_ == channels_.size())
    done_();
}

} // namespace trainyard
