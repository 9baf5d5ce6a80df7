#include "sim/engine/collective_run.hpp"

#include <algorithm>
#include <map>
#include <stdexcept>

namespace trainyard {

std::vector<ChannelPlan> channel_plans(const Cluster& cluster, const CollectiveCall& call)
{
  const auto& registry = Registry<Collective>::instance();
  if (registry.find(call.algorithm) == nullptr)
    throw std::invalid_argument{"unknown collective '" + call.algorithm + "'" + did_you_mean(call.algorithm, registry.names())};
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
      while (last < call.ranks.size() && cluster.vertex(call.ranks[last]).node == cluster.vertex(call.ranks[first]).node)
        ++last;
      const std::size_t count = last - first;
      const std::size_t shift = static_cast<std::size_t>(channel) * count / static_cast<std::size_t>(channels);
      for (std::size_t i = 0; i < count; ++i)
        plan.ranks.push_back(call.ranks[first + (i + shift) % count]);
      first = last;
    }
    CollectiveRequest request{call.operation, static_cast<int>(call.ranks.size()), call.payload / channels, {}};
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

ProgramRunner::CollectiveRun::CollectiveRun(ProgramRunner& runner, std::size_t program, const CollectiveCall& call, CollectiveStyle style,
                                            Network::Callback done)
    : runner_{runner}, program_{program}, call_{call}, style_{style}, done_{std::move(done)}
{
  for (const ChannelPlan& plan : channel_plans(runner.cluster_, call)) {
    Channel channel;
    const std::size_t ranks = plan.ranks.size();
    for (const Round& round : plan.rounds) {
      Phase phase{round.repeat, {}, std::vector<std::vector<int>>(ranks), std::vector<std::vector<int>>(ranks)};
      for (const Message& message : round.messages) {
        const auto from = static_cast<std::size_t>(message.from), to = static_cast<std::size_t>(message.to);
        Edge edge{message.from, message.to, runner.message_route(program, plan.ranks[from], plan.ranks[to], call.cost, {}, plan.ranks),
                  message.bytes.value(), 0};
        edge.latency = call.cost.latency.value() + (call.cost.whole_latency ? 0 : runner.routes_.route(edge.route).latency);
        phase.sends[from].push_back(static_cast<int>(phase.edges.size()));
        phase.receives[to].push_back(static_cast<int>(phase.edges.size()));
        runner.account(program, edge.route, edge.payload / call.cost.efficiency * round.repeat);
        phase.edges.push_back(edge);
      }
      if (!phase.edges.empty() && round.repeat > 0)
        channel.phases.push_back(std::move(phase));
    }
    channel.phase_of_rank.assign(ranks, -1);
    channel.round_of_rank.assign(ranks, 0);
    channels_.push_back(std::move(channel));
  }
}

void ProgramRunner::CollectiveRun::start()
{
  if (style_ == CollectiveStyle::aggregated)
    for (const Channel& channel : channels_)
      for (const Phase& phase : channel.phases)
        for (const Edge& edge : phase.edges)
          shared_ = shared_ || runner_.shares_links(edge.route);
  if (style_ == CollectiveStyle::formula) {
    start_formula();
    return;
  }
  for (Channel& channel : channels_)
    for (std::size_t rank = 0; rank < channel.phase_of_rank.size(); ++rank)
      enter_phase(channel, static_cast<int>(rank));
}

void ProgramRunner::CollectiveRun::start_formula()
{
  const double efficiency = call_.cost.efficiency;
  std::size_t phases = 0;
  for (const Channel& channel : channels_)
    phases = std::max(phases, channel.phases.size());
  // The messages of one round, of all channels together, share the links that they cross.
  double total = 0;
  for (std::size_t p = 0; p < phases; ++p) {
    std::map<int, double> load;
    for (const Channel& channel : channels_)
      if (p < channel.phases.size())
        for (const Edge& edge : channel.phases[p].edges)
          for (const int link : runner_.routes_.route(edge.route).links)
            load[link] += edge.payload / efficiency;
    double slowest = 0;
    for (const Channel& channel : channels_) {
      if (p >= channel.phases.size())
        continue;
      double round = 0;
      for (const Edge& edge : channel.phases[p].edges) {
        double time = edge.payload / call_.cost.limit.value();
        for (const int link : runner_.routes_.route(edge.route).links)
          time = std::max(time, load[link] / runner_.routes_.capacities()[static_cast<std::size_t>(link)]);
        round = std::max(round, edge.latency + time);
      }
      slowest = std::max(slowest, round * channel.phases[p].repeat);
    }
    total += slowest;
  }
  runner_.network_->timer(total, done_);
}

/// Small rings run message by message at every fidelity but the formula: their few messages meet their neighbours in a pattern that no
/// average describes, and cost nothing. Where the network back end knows no followers, so do rings of up to about a hundred ranks that
/// share links.
bool ProgramRunner::CollectiveRun::by_message(const Phase& phase) const
{
  constexpr std::size_t few_messages = 512;
  constexpr std::size_t affordable_messages = 20'000;
  const std::size_t messages = phase.edges.size() * static_cast<std::size_t>(phase.repeat);
  return style_ == CollectiveStyle::messages || phase.repeat == 1 || messages <= (shared_ ? affordable_messages : few_messages);
}

void ProgramRunner::CollectiveRun::enter_phase(Channel& channel, int rank)
{
  const auto r = static_cast<std::size_t>(rank);
  for (;;) {
    const auto phase = static_cast<std::size_t>(++channel.phase_of_rank[r]);
    channel.round_of_rank[r] = 0;
    if (phase >= channel.phases.size()) {
      rank_done(channel);
      return;
    }
    if (!channel.phases[phase].sends[r].empty() || !channel.phases[phase].receives[r].empty())
      break; // else this rank has nothing to do in the phase
  }
  send(channel, rank);
  advance(channel, rank);
}

void ProgramRunner::CollectiveRun::send(Channel& channel, int rank)
{
  const auto phase = static_cast<std::size_t>(channel.phase_of_rank[static_cast<std::size_t>(rank)]);
  Phase& current = channel.phases[phase];
  for (const int index : current.sends[static_cast<std::size_t>(rank)]) {
    const auto e = static_cast<std::size_t>(index);
    Edge& edge = current.edges[e];
    const double chunk = edge.payload / call_.cost.efficiency;
    if (by_message(current)) {
      runner_.network_->timer(edge.latency, [this, &channel, phase, e, chunk] {
        const int route = channel.phases[phase].edges[e].route;
        runner_.start_flow(program_, route, chunk, -1, 0, [this, &channel, phase, e] { arrived(channel, phase, e, 1); });
      });
      continue;
    }
    // All rounds of the edge as one flow; the latencies of the rounds come after it, as they would add up along the ring.
    const std::vector<int>& before = current.receives[static_cast<std::size_t>(rank)];
    const int follows =
        style_ == CollectiveStyle::pipelined && before.size() == 1 ? current.edges[static_cast<std::size_t>(before.front())].flow : -1;
    const int repeat = current.repeat;
    edge.flow = runner_.start_flow(program_, edge.route, chunk * repeat, follows, chunk, [this, &channel, phase, e, repeat] {
      const double latency = channel.phases[phase].edges[e].latency * repeat;
      runner_.network_->timer(latency, [this, &channel, phase, e, repeat] { arrived(channel, phase, e, repeat); });
    });
    runner_.network_->follow(edge.flow,
                             current.sends[static_cast<std::size_t>(edge.to)].size() == 1
                                 ? current.edges[static_cast<std::size_t>(current.sends[static_cast<std::size_t>(edge.to)].front())].flow
                                 : -1,
                             chunk, style_ == CollectiveStyle::pipelined);
  }
}

void ProgramRunner::CollectiveRun::arrived(Channel& channel, std::size_t phase, std::size_t edge, int messages)
{
  Edge& done = channel.phases[phase].edges[edge];
  done.completed += messages;
  for (const int rank : {done.from, done.to})
    if (channel.phase_of_rank[static_cast<std::size_t>(rank)] == static_cast<int>(phase))
      advance(channel, rank);
}

void ProgramRunner::CollectiveRun::advance(Channel& channel, int rank)
{
  const auto r = static_cast<std::size_t>(rank);
  const Phase& phase = channel.phases[static_cast<std::size_t>(channel.phase_of_rank[r])];
  int& round = channel.round_of_rank[r];
  const auto complete = [&](const std::vector<int>& edges, int rounds) {
    return std::ranges::all_of(edges, [&](int e) { return phase.edges[static_cast<std::size_t>(e)].completed >= rounds; });
  };
  const bool whole = !by_message(phase);
  while (complete(phase.sends[r], whole ? phase.repeat : round + 1) && complete(phase.receives[r], whole ? phase.repeat : round + 1)) {
    round = whole ? phase.repeat : round + 1;
    if (round >= phase.repeat) {
      enter_phase(channel, rank);
      return;
    }
    send(channel, rank);
  }
}

void ProgramRunner::CollectiveRun::rank_done(Channel& channel)
{
  if (++channel.ranks_done == channel.phase_of_rank.size() && ++channels_done_ == channels_.size())
    done_();
}

} // namespace trainyard
