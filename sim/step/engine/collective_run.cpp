// SPDX-License-Identifier: Apache-2.0
#include "sim/step/engine/collective_run.hpp"

#include <algorithm>
#include <numeric>
#include <optional>
#include <stdexcept>

namespace trainyard {

std::vector<ChannelPlan> channel_plans(const Cluster& cluster, const CollectiveCall& call)
{
  const auto& registry = Registry<Collective>::instance();
  if (registry.find(call.algorithm) == nullptr)
    throw std::invalid_argument{"unknown collective '" + call.algorithm + "'" +
                                did_you_mean(call.algorithm, registry.names())};
  const std::unique_ptr<Collective> collective = registry.create(call.algorithm);
  const int channels = call.orders.empty() ? std::max(call.channels, 1) : static_cast<int>(call.orders.size());
  std::vector<ChannelPlan> plans;
  for (int channel = 0; channel < channels; ++channel) {
    ChannelPlan plan;
    if (!call.orders.empty())
      plan.ranks = call.orders[static_cast<std::size_t>(channel)];
    // Channel k leaves each node through another GPU (and its NIC): the ranks of a node are rotated.
    for (std::size_t first = 0; first < call.ranks.size() && call.orders.empty();) {
      std::size_t last = first;
      while (last < call.ranks.size() &&
             cluster.vertex(call.ranks[last]).node == cluster.vertex(call.ranks[first]).node)
        ++last;
      const std::size_t count = last - first;
      const std::size_t shift = static_cast<std::size_t>(channel) * count / static_cast<std::size_t>(channels);
      for (std::size_t i = 0; i < count; ++i)
        plan.ranks.push_back(call.ranks[first + (i + shift) % count]);
      first = last;
    }
    CollectiveRequest request{
        call.operation, static_cast<int>(call.ranks.size()), call.payload / channels, {}, call.all_ranks};
    for (const VertexId rank : plan.ranks)
      request.node_of_rank.push_back(cluster.vertex(rank).node.index);
    if (!collective->supports(request))
      throw std::invalid_argument{"the collective '" + call.algorithm + "' cannot do " + call.operation + " over " +
                                  std::to_string(request.ranks) + " ranks"};
    plan.rounds = collective->plan(request);
    plans.push_back(std::move(plan));
  }
  return plans;
}

bool ProgramRunner::CollectivePlan::takes_ways_of(const CollectiveCall& other) const
{
  const MessageCost& cost = call->cost;
  return call->channels == other.channels && cost.latency == other.cost.latency &&
         cost.efficiency == other.cost.efficiency && cost.limit == other.cost.limit &&
         cost.whole_latency == other.cost.whole_latency && call->ranks == other.ranks && call->orders == other.orders;
}

bool ProgramRunner::CollectivePlan::does(const CollectiveCall& other) const
{
  return call->payload == other.payload && call->algorithm == other.algorithm && call->operation == other.operation &&
         call->all_ranks == other.all_ranks && takes_ways_of(other);
}

std::size_t ProgramRunner::plan_collective(std::size_t program, const CollectiveCall& call)
{
  auto result = std::make_unique<CollectivePlan>();
  result->call = &call;
  if (call.all_ranks > 0)
    result->stands_for = static_cast<double>(call.all_ranks) / static_cast<double>(call.ranks.size());
  const double limit = call.cost.limit.value() / call.cost.efficiency;
  const auto earlier = plans_.begin() + static_cast<std::ptrdiff_t>(states_[program].first_plan);
  const auto like = std::find_if(
      earlier, plans_.end(), [&](const std::unique_ptr<CollectivePlan>& other) { return other->takes_ways_of(call); });
  if (like != plans_.end())
    result->like = like->get();
  // The edge of an earlier collective at this place, if it joins the same ranks: buckets differ in their bytes only.
  const auto known = [&](std::size_t phase, std::size_t edge,
                         const RoundMessage& message) -> const CollectivePlan::Edge* {
    const std::size_t channel = result->channels.size();
    if (result->like == nullptr || channel >= result->like->channels.size())
      return nullptr;
    const std::vector<CollectivePlan::Phase>& phases = result->like->channels[channel].phases;
    if (phase >= phases.size() || edge >= phases[phase].edges.size())
      return nullptr;
    const CollectivePlan::Edge& there = phases[phase].edges[edge];
    return there.from == message.from && there.to == message.to ? &there : nullptr;
  };
  for (const ChannelPlan& plan : channel_plans(cluster_, call)) {
    std::optional<RanksByNode> nodes; // where a way is not known yet
    CollectivePlan::Channel channel;
    channel.ranks = plan.ranks.size();
    for (const Round& round : plan.rounds) {
      CollectivePlan::Phase phase;
      phase.repeat = round.repeat;
      phase.edges.reserve(round.messages.size());
      for (const RoundMessage& message : round.messages) {
        const auto from = static_cast<std::size_t>(message.from), to = static_cast<std::size_t>(message.to);
        const CollectivePlan::Edge* there = known(channel.phases.size(), phase.edges.size(), message);
        if (there == nullptr && !nodes)
          nodes.emplace(cluster_, plan.ranks);
        const int way =
            there != nullptr
                ? there->way
                : make_way(program, routes_->find(program, plan.ranks[from], plan.ranks[to], {}, limit, *nodes));
        if (call.cost.rdma)
          routes_->note_rdma(ways_[static_cast<std::size_t>(way)].route);
        const double latency = call.cost.latency.value() +
                               (call.cost.whole_latency ? 0 : route_of(ways_[static_cast<std::size_t>(way)]).latency);
        phase.edges.push_back({message.from, message.to, way, message.bytes.value(), latency});
        result->loads.emplace_back(way, message.bytes.value() / call.cost.efficiency * round.repeat);
      }
      if (phase.edges.empty() || round.repeat <= 0)
        continue;
      const auto by_rank = [&](int CollectivePlan::Edge::*end) {
        CollectivePlan::EdgesOfRank sorted{std::vector<int>(phase.edges.size()),
                                           std::vector<std::size_t>(channel.ranks + 1, 0)};
        for (const CollectivePlan::Edge& edge : phase.edges)
          ++sorted.first[static_cast<std::size_t>(edge.*end) + 1];
        std::partial_sum(sorted.first.begin(), sorted.first.end(), sorted.first.begin());
        std::vector<std::size_t> next{sorted.first.begin(), sorted.first.end() - 1};
        for (std::size_t e = 0; e < phase.edges.size(); ++e)
          sorted.edges[next[static_cast<std::size_t>(phase.edges[e].*end)]++] = static_cast<int>(e);
        return sorted;
      };
      phase.sends = by_rank(&CollectivePlan::Edge::from);
      phase.receives = by_rank(&CollectivePlan::Edge::to);
      phase.first_state = result->states;
      result->states += phase.edges.size();
      channel.phases.push_back(std::move(phase));
    }
    result->channels.push_back(std::move(channel));
  }
  plans_.push_back(std::move(result));
  return plans_.size() - 1;
}

ProgramRunner::CollectiveRun::CollectiveRun(ProgramRunner& runner, const CollectiveCall& call, CollectivePlan& plan,
                                            CollectiveStyle style, Network::Callback done)
    : runner_{runner}, call_{call}, plan_{plan}, style_{style}, done_{std::move(done)}
{
}

void ProgramRunner::CollectiveRun::start()
{
  if (style_ == CollectiveStyle::formula) {
    if (plan_.formula < 0)
      plan_.formula = formula();
    runner_.network_->timer(plan_.formula, std::move(done_));
    return;
  }
  if (style_ == CollectiveStyle::pipelined)
    find_chains();
  began_ = runner_.network_->now();
  states_.reserve(plan_.states);
  for (std::size_t c = 0; c < plan_.channels.size(); ++c) {
    const CollectivePlan::Channel& channel = plan_.channels[c];
    Channel& run = channels_.emplace_back();
    if (channel.chains) {
      run.first_state = states_.size();
      for (const CollectivePlan::Chains::Flow& flow : channel.chains->flows)
        states_.push_back({static_cast<int>(c), 0, flow.edge});
      continue;
    }
    run.phase_of_rank.assign(channel.ranks, -1);
    run.round_of_rank.assign(channel.ranks, 0);
    for (std::size_t p = 0; p < channel.phases.size(); ++p) {
      for (std::size_t e = 0; e < channel.phases[p].edges.size(); ++e)
        states_.push_back({static_cast<int>(c), static_cast<int>(p), static_cast<int>(e)});
    }
  }
  if (style_ == CollectiveStyle::aggregated) {
    shared_ = std::ranges::any_of(states_, [this](const EdgeState& state) {
      return runner_.shares_links(runner_.ways_[static_cast<std::size_t>(edge_of(state).way)].route);
    });
    find_chains();
  }
  for (std::size_t channel = 0; channel < channels_.size(); ++channel) {
    if (plan_.channels[channel].chains)
      begin_chains(channel);
    for (std::size_t rank = 0; rank < channels_[channel].phase_of_rank.size(); ++rank)
      enter_phase(channel, static_cast<int>(rank));
  }
}

double ProgramRunner::CollectiveRun::share_done(double under_way) const
{
  double total = 0;
  for (const auto& [way, bytes] : plan_.loads)
    total += bytes;
  return total > 0 ? (carried_ + under_way) / total : 0;
}

/// The sum over its rounds of the slowest message of each.
double ProgramRunner::CollectiveRun::formula() const
{
  const auto route_of = [this](const Edge& edge) -> const Route& {
    return runner_.route_of(runner_.ways_[static_cast<std::size_t>(edge.way)]);
  };
  std::size_t phases = 0;
  for (const CollectivePlan::Channel& channel : plan_.channels)
    phases = std::max(phases, channel.phases.size());
  // The messages of one round, of all channels together, share the links that they cross.
  const std::vector<double>& capacities = runner_.routes_->capacities();
  std::vector<double> load(capacities.size());
  double total = 0;
  for (std::size_t p = 0; p < phases; ++p) {
    std::ranges::fill(load, 0);
    for (const CollectivePlan::Channel& channel : plan_.channels)
      if (p < channel.phases.size())
        for (const Edge& edge : channel.phases[p].edges)
          for (const int link : route_of(edge).links)
            load[static_cast<std::size_t>(link)] += chunk(edge);
    double slowest = 0;
    for (const CollectivePlan::Channel& channel : plan_.channels) {
      if (p >= channel.phases.size())
        continue;
      double round = 0;
      for (const Edge& edge : channel.phases[p].edges) {
        double time = edge.payload / call_.cost.limit.value();
        for (const int link : route_of(edge).links)
          time = std::max(time, load[static_cast<std::size_t>(link)] / capacities[static_cast<std::size_t>(link)]);
        round = std::max(round, edge.latency + time);
      }
      slowest = std::max(slowest, round * channel.phases[p].repeat);
    }
    total += slowest;
  }
  return total;
}

/// Small rings run message by message at every fidelity but the formula: their few messages meet their neighbours in a
/// pattern that no average describes, and cost nothing. Where the network back end knows no followers, so do rings of
/// up to about a hundred ranks that share links.
bool ProgramRunner::CollectiveRun::by_message(const Phase& phase) const
{
  constexpr double few_messages = 512;
  constexpr double affordable_messages = 20'000;
  const double messages = static_cast<double>(phase.edges.size()) * plan_.stands_for * phase.repeat;
  return style_ == CollectiveStyle::messages || phase.repeat == 1 ||
         messages <= (shared_ ? affordable_messages : few_messages);
}

void ProgramRunner::CollectiveRun::enter_phase(std::size_t channel, int rank)
{
  const auto r = static_cast<std::size_t>(rank);
  const std::vector<Phase>& phases = plan_.channels[channel].phases;
  for (;;) {
    const auto phase = static_cast<std::size_t>(++channels_[channel].phase_of_rank[r]);
    channels_[channel].round_of_rank[r] = 0;
    if (phase >= phases.size()) {
      rank_done(channel);
      return;
    }
    if (!phases[phase].sends.of(r).empty() || !phases[phase].receives.of(r).empty())
      break; // else this rank has nothing to do in the phase
  }
  // The first message over an edge waits until its receiver has come to the phase too: it has posted no buffer before.
  // Of both ends the one that comes last starts it.
  const auto come_to = [&](int other) { return channels_[channel].phase_of_rank[static_cast<std::size_t>(other)]; };
  const int here = come_to(rank);
  const Phase& entered = phase_at(channel, here);
  for (const int index : entered.receives.of(r))
    if (come_to(entered.edges[static_cast<std::size_t>(index)].from) == here)
      send(entered, index);
  for (const int index : entered.sends.of(r))
    if (come_to(entered.edges[static_cast<std::size_t>(index)].to) >= here)
      send(entered, index);
  advance(channel, rank);
}

// The callbacks hold no more than two words, so that none of them is allocated.

void ProgramRunner::CollectiveRun::send(const Phase& phase, int index)
{
  const Edge& edge = phase.edges[static_cast<std::size_t>(index)];
  const int state = static_cast<int>(phase.first_state) + index;
  if (by_message(phase)) {
    runner_.network_->timer(edge.latency, [this, state] { send_message(state); });
    return;
  }
  // All rounds of the edge as one flow; the latencies of the rounds come after it, as they would add up along the ring.
  const auto flow_of = [&](int other) -> int& {
    return states_[phase.first_state + static_cast<std::size_t>(other)].flow;
  };
  const std::span<const int> before = phase.receives.of(static_cast<std::size_t>(edge.from));
  const std::span<const int> after = phase.sends.of(static_cast<std::size_t>(edge.to));
  const int follows = style_ == CollectiveStyle::pipelined && before.size() == 1 ? flow_of(before.front()) : -1;
  const double bytes = chunk(edge) * phase.repeat;
  flow_of(index) =
      runner_.start_flow(edge.way, bytes, follows, chunk(edge), -1, [this, state] { rounds_ended(state); });
  runner_.network_->follow(flow_of(index), after.size() == 1 ? flow_of(after.front()) : -1, chunk(edge),
                           style_ == CollectiveStyle::pipelined);
}

void ProgramRunner::CollectiveRun::send_message(int state)
{
  const Edge& edge = edge_of(states_[static_cast<std::size_t>(state)]);
  if (edge.alone >= 0) {
    runner_.occupy(edge.way);
    runner_.network_->timer(edge.alone, [this, state] { message_ended(state); });
    return;
  }
  // What they load is in the bytes of the messages.
  runner_.start_flow(
      edge.way, chunk(edge), -1, 0, -1, [this, state] { message_ended(state); },
      plan_.call->cost.both_ways ? Acknowledgements::come_at_once : Acknowledgements::wait);
}

void ProgramRunner::CollectiveRun::message_ended(int state)
{
  const Edge& edge = edge_of(states_[static_cast<std::size_t>(state)]);
  runner_.end_flow(edge.way, chunk(edge));
  carried_ += chunk(edge);
  arrived(state, 1);
}

void ProgramRunner::CollectiveRun::rounds_ended(int state)
{
  const EdgeState& place = states_[static_cast<std::size_t>(state)];
  const Edge& edge = edge_of(place);
  const int repeat = phase_of(place).repeat;
  runner_.end_flow(edge.way, chunk(edge) * repeat);
  carried_ += chunk(edge) * repeat;
  runner_.network_->timer(edge.latency * repeat,
                          [this, state] { arrived(state, phase_of(states_[static_cast<std::size_t>(state)]).repeat); });
}

void ProgramRunner::CollectiveRun::arrived(int state, int messages)
{
  EdgeState& done = states_[static_cast<std::size_t>(state)];
  done.completed += messages;
  const Edge& edge = edge_of(done);
  const auto channel = static_cast<std::size_t>(done.channel);
  const int phase = done.phase;
  for (const int rank : {edge.from, edge.to})
    if (channels_[channel].phase_of_rank[static_cast<std::size_t>(rank)] == phase)
      advance(channel, rank);
}

void ProgramRunner::CollectiveRun::advance(std::size_t channel, int rank)
{
  const auto r = static_cast<std::size_t>(rank);
  const Phase& phase = phase_at(channel, channels_[channel].phase_of_rank[r]);
  int& round = channels_[channel].round_of_rank[r];
  const auto complete = [&](std::span<const int> edges, int rounds) {
    return std::ranges::all_of(
        edges, [&](int e) { return states_[phase.first_state + static_cast<std::size_t>(e)].completed >= rounds; });
  };
  const bool whole = !by_message(phase);
  const std::span<const int> sends = phase.sends.of(r), receives = phase.receives.of(r);
  while (complete(sends, whole ? phase.repeat : round + 1) && complete(receives, whole ? phase.repeat : round + 1)) {
    round = whole ? phase.repeat : round + 1;
    if (round >= phase.repeat) {
      enter_phase(channel, rank);
      return;
    }
    for (const int index : sends)
      send(phase, index);
  }
}

void ProgramRunner::CollectiveRun::rank_done(std::size_t channel)
{
  if (++channels_[channel].ranks_done == plan_.channels[channel].ranks && ++channels_done_ == channels_.size())
    done_();
}

} // namespace trainyard
