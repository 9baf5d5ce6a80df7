// SPDX-License-Identifier: Apache-2.0
#include "sim/step/training/divided.hpp"

#include <algorithm>
#include <map>

namespace trainyard {
namespace {

/// Whether each tensor-parallel rank has links of its own between machines, equal to those of the first rank.
bool rails_are_alike(const TrainingContext& context, const ParallelLayout& layout, const DividedWays& ways)
{
  const auto rate = [&](LinkId link) { return context.cluster.link(link).data_rate(); };
  const std::vector<LinkId> first = ways.links_of(0);
  std::map<LinkId, int> owner;
  for (int t = 0; t < layout.tp; ++t) {
    const std::vector<LinkId> links = t == 0 ? first : ways.links_of(t);
    if (links.size() != first.size())
      return false;
    std::map<LinkId, LinkId> twin;
    for (std::size_t i = 0; i < links.size(); ++i) {
      if ((links[i].index < 0) != (first[i].index < 0))
        return false;
      if (links[i].index < 0)
        continue;
      if (rate(links[i]) != rate(first[i]) || owner.try_emplace(links[i], t).first->second != t ||
          twin.try_emplace(first[i], links[i]).first->second != links[i])
        return false;
    }
  }
  return true;
}

} // namespace

DividedWays::DividedWays(const TrainingContext& context, const ParallelLayout& layout, int rails)
    : cluster_{context.cluster}, workers_{context.placement.workers}, layout_{layout}, both_ways_{stage_order(layout) ==
                                                                                                  StageOrder::both_ways}
{
  const auto ranks = static_cast<std::size_t>(layout.pp);
  for (std::vector<GpuPairs>* ways : {&next_, &previous_, &tensor_, &context_, &expert_, &data_, &copies_})
    ways->resize(ranks);
  for (int rank = 0; rank < layout.pp; ++rank) {
    between_stages(rank, rails);
    if (rails == layout.tp)
      for (int replica = 0; replica < layout.replicas(); ++replica) {
        GpuPairs group;
        for (int t = 0; t < layout.tp; ++t)
          group.push_back(at(rank, replica, t));
        ring(tensor_[static_cast<std::size_t>(rank)], group);
      }
    for (int t = 0; t < rails; ++t)
      between_replicas(rank, t);
    between_experts(rank, rails);
  }
}

void DividedWays::between_stages(int rank, int rails)
{
  // The chunks of the last rank hand on to the first one.
  const int next = (rank + 1) % layout_.pp;
  for (int replica = 0; replica < layout_.replicas(); ++replica)
    for (int t = 0; t < rails; ++t) {
      const VertexId here = at(rank, replica, t), there = at(next, replica, t);
      send(next_[static_cast<std::size_t>(rank)], here, there);
      send(previous_[static_cast<std::size_t>(next)], there, here);
      if (next == 0) {
        send(tied_, here, there);
        send(tied_, there, here);
      }
    }
}

void DividedWays::between_replicas(int rank, int t)
{
  const auto r = static_cast<std::size_t>(rank);
  rings_of_replicas(rank, t, data_[r], copies_[r]);
  GpuPairs all;
  for (int replica = 0; replica < layout_.replicas(); ++replica)
    all.push_back(at(rank, replica, t));
  for (int d = 0; d < layout_.dp && layout_.cp > 1; ++d) {
    const auto first = all.begin() + static_cast<std::ptrdiff_t>(d) * layout_.cp;
    const GpuPairs sharing{first, first + layout_.cp};
    if (layout_.exchange() == KeyValueExchange::a2a)
      to_all(context_[r], sharing);
    else if (!layout_.by_pieces())
      ring(context_[r], sharing);
    else
      for (std::size_t c = 0; c < sharing.size(); ++c)
        send(context_[r], sharing[c], sharing[(c + 1) % sharing.size()]);
  }
}

void DividedWays::between_experts(int rank, int rails)
{
  if (layout_.ep == 1)
    return;
  const bool over_tp = layout_.experts_over_tp();
  const auto ep = static_cast<std::size_t>(layout_.ep);
  for (int t = 0; t < (over_tp ? 1 : rails); ++t) {
    GpuPairs all;
    for (int replica = 0; replica < layout_.replicas(); ++replica)
      for (int rail = t; rail < (over_tp ? layout_.tp : t + 1); ++rail)
        all.push_back(at(rank, replica, rail));
    for (std::size_t first = 0; first < all.size(); first += ep)
      to_all(expert_[static_cast<std::size_t>(rank)],
             {all.begin() + static_cast<std::ptrdiff_t>(first),
              all.begin() + static_cast<std::ptrdiff_t>(std::min(all.size(), first + ep))});
  }
}

GpuPairs DividedWays::holders(int rank, int t) const
{
  GpuPairs all;
  for (const int holder : {rank, layout_.pp - 1 - rank}) {
    for (int replica = 0; replica < layout_.replicas(); ++replica)
      all.push_back(at(holder, replica, t));
    if (!both_ways_)
      break;
  }
  return all;
}

void DividedWays::rings_of_replicas(int rank, int t, GpuPairs& data, GpuPairs& copies) const
{
  const GpuPairs all = holders(rank, t);
  if (layout_.shard_ranks() == layout_.replicas()) {
    ring(data, all);
    return;
  }
  const auto among = static_cast<std::size_t>(layout_.shard_ranks());
  std::vector<GpuPairs> same_share(among);
  for (std::size_t first = 0; first < all.size(); first += among) {
    const auto begin = all.begin() + static_cast<std::ptrdiff_t>(first);
    ring(data, {begin, begin + static_cast<std::ptrdiff_t>(among)});
    for (std::size_t i = 0; i < among; ++i)
      same_share[i].push_back(all[first + i]);
  }
  for (const GpuPairs& group : same_share)
    ring(copies, group);
}

const GpuPairs& DividedWays::of(NetworkPart::Group group, std::size_t rank, bool to_previous) const
{
  using Group = NetworkPart::Group;
  switch (group) {
  case Group::stage:
    return to_previous ? previous_[rank] : next_[rank];
  case Group::tensor:
    return tensor_[rank];
  case Group::context:
    return context_[rank];
  case Group::expert:
    return expert_[rank];
  case Group::data:
    return data_[rank];
  case Group::copies:
    return copies_[rank];
  case Group::tied:
    break;
  }
  return tied_;
}

std::vector<LinkId> DividedWays::links_of(int t) const
{
  std::vector<LinkId> links;
  const auto add = [&](VertexId from, VertexId to) {
    if (!same_machine(from, to)) {
      const std::vector<LinkId> route = cluster_.route(from, to);
      links.insert(links.end(), route.begin(), route.end());
      links.push_back(LinkId{}); // the end of a way
    }
  };
  for (int rank = 0; rank < layout_.pp; ++rank) {
    GpuPairs among;
    for (int replica = 0; replica < layout_.replicas(); ++replica)
      for (const int other : {rank + 1, rank - 1, rank == 0 ? layout_.pp - 1 : -1, rank + 1 == layout_.pp ? 0 : -1})
        if (other >= 0 && other < layout_.pp)
          add(at(rank, replica, t), at(other, replica, t));
    rings_of_replicas(rank, t, among, among);
    if (layout_.cp > 1 || layout_.ep > 1)
      to_all(among, holders(rank, t));
    for (std::size_t i = 0; i + 1 < among.size(); i += 2)
      add(among[i], among[i + 1]);
  }
  return links;
}

VertexId DividedWays::at(int rank, int replica, int t) const
{
  return workers_[static_cast<std::size_t>((rank * layout_.replicas() + replica) * layout_.tp + t)];
}

void DividedWays::send(GpuPairs& ways, VertexId from, VertexId to) const
{
  if (same_machine(from, to))
    return;
  ways.push_back(from);
  ways.push_back(to);
}

std::vector<GpuPairs> DividedWays::by_machine(const GpuPairs& ranks) const
{
  std::vector<GpuPairs> machines;
  std::map<NodeId, std::size_t> index;
  for (const VertexId rank : ranks) {
    const auto [known, fresh] = index.try_emplace(cluster_.vertex(rank).node, machines.size());
    if (fresh)
      machines.emplace_back();
    machines[known->second].push_back(rank);
  }
  return machines;
}

void DividedWays::ring(GpuPairs& ways, const GpuPairs& ranks) const
{
  const std::vector<GpuPairs> machines = by_machine(ranks);
  for (std::size_t i = 0; i < machines.size() && machines.size() > 1; ++i) {
    const GpuPairs& next = machines[(i + 1) % machines.size()];
    for (std::size_t k = 0; k < std::min(machines[i].size(), next.size()); ++k)
      send(ways, machines[i][k], next[k]);
  }
}

void DividedWays::to_all(GpuPairs& ways, const GpuPairs& ranks) const
{
  const std::vector<GpuPairs> machines = by_machine(ranks);
  for (const GpuPairs& from : machines)
    for (const GpuPairs& to : machines)
      for (std::size_t k = 0; k < from.size() && &from != &to; ++k)
        send(ways, from[k], to[k % to.size()]);
}

int simulated_rails(const TrainingContext& context, const ParallelJob& job)
{
  const ParallelLayout& layout = job.layout;
  if (!context.alone || layout.tp == 1 || layout.tp > job.network.gpus_per_node ||
      (layout.ep > 1 && layout.experts_over_tp()))
    return layout.tp;
  return rails_are_alike(context, layout, DividedWays{context, layout, 0}) ? 1 : layout.tp;
}

} // namespace trainyard
