// SPDX-License-Identifier: Apache-2.0
#include "models/parallel/communication.hpp"

#include "models/hardware/measured_rates.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

namespace trainyard {
namespace {

double ring_factor(int ranks)
{
  return 2.0 * (ranks - 1) / ranks;
}

/// By the measured curve: straight lines between points, the last one goes on; below the first half of its time is
/// start-up. nullopt where the GPU has none for so many ranks.
std::optional<Seconds> measured_all_reduce(const ParallelNetwork& network, const RankGroup& group, Bytes payload)
{
  if (group.nodes() > 1)
    return std::nullopt;
  const auto points =
      std::ranges::equal_range((network.measured ? *network.measured : measured_rates(network.gpu)).all_reduce,
                               group.ranks, {}, &AllReducePoint::ranks);
  if (points.size() < 2)
    return std::nullopt;
  const auto time = [&](const AllReducePoint& point) {
    return point.size / point.bus_bandwidth * ring_factor(group.ranks);
  };
  const AllReducePoint& first = points.front();
  if (payload <= first.size)
    return time(first) * (0.5 + 0.5 * (payload / first.size));
  auto next = points.begin() + 1;
  while (next + 1 != points.end() && payload > next->size)
    ++next;
  const AllReducePoint& before = *(next - 1);
  return time(*next) + (time(*next) - time(before)) * ((payload - next->size) / (next->size - before.size));
}

CollectiveTuning on_the_gpu(const CollectiveTuning& tuning)
{
  CollectiveTuning own = tuning;
  own.launch = Seconds{};
  return own;
}

/// Rate at which the ring of a group passes data on: inside a machine its links, between machines the NICs of the
/// group's ranks in it.
BytesPerSecond ring_rate(const ParallelNetwork& network, const RankGroup& group)
{
  const BytesPerSecond inside = network.among(group.per_node);
  return group.nodes() == 1 ? inside : std::min(inside, network.between * group.per_node);
}

CollectiveShape shape_of(const ParallelNetwork& network, const RankGroup& group)
{
  CollectiveShape shape;
  shape.ranks = group.ranks;
  shape.nodes = group.nodes();
  shape.nvlink = network.nvlink && group.per_node > 1;
  shape.bus_bandwidth = ring_rate(network, group);
  if (network.switch_reduction > 0 && group.per_node > 1)
    shape.switch_bandwidth = switch_reduction_rate(network.inside, network.switch_reduction, group.per_node);
  shape.node_bandwidth = network.between * group.per_node;
  if (network.wires != nullptr && shape.nodes > 1)
    shape.wires = network.wires->of(group.ranks, group.stride);
  return shape;
}

} // namespace

RankWires::RankWires(std::vector<int> machines, LongWires::Between between)
    : machines_{std::move(machines)}, between_{std::move(between)}
{
}

std::shared_ptr<const LongWires> RankWires::of(int ranks, int stride) const
{
  const auto all = static_cast<int>(machines_.size());
  if (stride <= 0)
    return of(all, 1);
  const std::lock_guard guard{lock_};
  const auto [known, fresh] = known_.try_emplace({ranks, stride}, nullptr);
  if (!fresh)
    return known->second;
  std::vector<int> before;
  Seconds longest;
  for (int first = 0; first + (ranks - 1) * stride < all; ++first) {
    if (first % (ranks * stride) >= stride && ranks * stride <= all)
      continue;
    std::vector<int> machines; // each once
    for (int k = 0, rank = first; k < ranks; ++k, rank += stride)
      if (const int machine = machines_[static_cast<std::size_t>(rank)];
          std::ranges::find(machines, machine) == machines.end())
        machines.push_back(machine);
    if (machines == before)
      continue;
    const std::shared_ptr<const LongWires> one =
        LongWires::among(static_cast<int>(machines.size()), [&](int from, int to) {
          return between_(machines[static_cast<std::size_t>(from)], machines[static_cast<std::size_t>(to)]);
        });
    const Seconds length = one == nullptr ? Seconds{} : one->around_ring(Seconds{}, static_cast<int>(machines.size()));
    if (length > longest) {
      longest = length;
      known->second = one;
    }
    before = std::move(machines);
  }
  return known->second;
}

Seconds RankWires::to_next(int stride) const
{
  const auto all = static_cast<int>(machines_.size());
  Seconds longest;
  if (stride <= 0) {
    if (const std::shared_ptr<const LongWires> wires = of(all, 1))
      longest = wires->longest(Seconds{});
    return longest;
  }
  for (int from = 0; from + stride < all; ++from) {
    const int to = from + stride;
    const int here = machines_[static_cast<std::size_t>(from)], there = machines_[static_cast<std::size_t>(to)];
    if (here != there)
      longest = std::max(longest, between_(here, there));
  }
  return longest;
}

ParallelGroups groups_of(const ParallelLayout& layout, int gpus_per_node)
{
  const auto group = [&](int ranks, int stride) {
    const int fit = std::max(1, gpus_per_node / stride); // ranks of a group that lie in one machine
    return RankGroup{ranks, std::min(ranks, fit), stride};
  };
  ParallelGroups groups;
  groups.tensor = group(layout.tp, 1);
  groups.context = group(layout.cp, layout.tp);
  groups.data = group(layout.replicas(), layout.tp);
  groups.expert = group(layout.ep, layout.experts_over_tp() ? 1 : layout.tp);
  groups.shard = group(layout.shard_ranks(), layout.tp);
  groups.copies = group(layout.replicas() / layout.shard_ranks(), layout.tp * layout.shard_ranks());
  groups.stage_stride = layout.tp * layout.replicas();
  groups.ends_stride = groups.stage_stride * (layout.pp - 1);
  groups.stages_between_nodes = layout.tp * layout.replicas() >= gpus_per_node;
  return groups;
}

Seconds all_reduce_time(const ParallelNetwork& network, const RankGroup& group, Bytes payload)
{
  if (group.ranks <= 1 || payload <= Bytes{})
    return {};
  if (const std::optional<Seconds> curve = measured_all_reduce(network, group, payload))
    return *curve;
  const CollectiveShape shape = shape_of(network, group);
  return collective_time(choose_collective(on_the_gpu(network.tuning), shape, payload), shape, payload);
}

Seconds scatter_time(const ParallelNetwork& network, const RankGroup& group, Bytes payload)
{
  if (group.ranks <= 1 || payload <= Bytes{})
    return {};
  if (const std::optional<Seconds> curve = measured_all_reduce(network, group, payload);
      curve && network.switch_reduction <= 0)
    return *curve * 0.5;
  const CollectiveShape shape = shape_of(network, group);
  return gather_time(choose_gather(on_the_gpu(network.tuning), shape, payload), shape, payload);
}

Seconds owners_time(const ParallelNetwork& network, const RankGroup& group, Bytes payload, int owners)
{
  if (group.ranks <= 1 || payload <= Bytes{})
    return {};
  const int cards = std::max(1, network.cards);
  return broadcasts_time(on_the_gpu(network.tuning), shape_of(network, group), payload, owners, cards,
                         network.between * (1.0 * network.gpus_per_node / cards));
}

double machines_of_groups(const Transformer& t, int nodes)
{
  if (t.active_groups >= t.expert_groups)
    return nodes;
  if (nodes >= t.expert_groups)
    return 1.0 * nodes * t.active_groups / t.expert_groups;
  const double in_machine = 1.0 * t.expert_groups / nodes;
  double none = 1; // of a machine's groups is chosen
  for (int chosen = 0; chosen < t.active_groups; ++chosen)
    none *= std::max(0.0, t.expert_groups - in_machine - chosen) / (t.expert_groups - chosen);
  return nodes * (1 - none);
}

Seconds token_exchange_time(const ParallelNetwork& network, const RankGroup& group, Bytes payload, int copies,
                            const Transformer* routing)
{
  if (group.ranks <= 1 || payload <= Bytes{})
    return {};
  const int nodes = group.nodes();
  const double inside = copies * (1 - 1.0 / group.ranks);
  const double visited = routing != nullptr ? machines_of_groups(*routing, nodes) : nodes;
  const double between = (1 - 1.0 / nodes) * visited * (1 - std::pow(1 - 1.0 / visited, copies));
  const Seconds wires = std::max(payload * inside / network.among(group.per_node),
                                 nodes > 1 ? payload * between / network.between : Seconds{});
  CollectiveShape shape = shape_of(network, group);
  shape.nvlink = true; // one hop over the links of the machine, whatever they are
  return exchange_start_up(on_the_gpu(network.tuning), shape, payload * inside) + wires;
}

Seconds point_to_point_time(const ParallelNetwork& network, bool between_nodes, Bytes payload, int stride)
{
  if (payload <= Bytes{})
    return {};
  if (!between_nodes)
    return network.tuning.nvlink_hop + payload / network.among(2);
  Seconds hop = network.tuning.network_hop;
  if (network.wires != nullptr && !network.tuning.hop_stated)
    hop = std::max(hop, network.wires->to_next(stride));
  return hop + payload / network.between;
}

Seconds host_update_time(const ParallelNetwork& network, const ParallelLayout& layout, double parameters)
{
  constexpr double weight = 2, states = 12; // bytes of a parameter
  const int gpus = std::min(network.gpus_per_node, layout.gpus());
  const Bytes touched{(layout.gradient_bytes + 2 * states + weight) * parameters * gpus};
  return Bytes{layout.gradient_bytes * parameters} / network.host +
         std::max(touched / layout.host_bandwidth, Bytes{weight * parameters} / network.host);
}

} // namespace trainyard
