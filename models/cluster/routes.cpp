// SPDX-License-Identifier: Apache-2.0
// Routes: cheapest paths through two machines and the network between them.
//
// A path has three parts: from the source to a NIC of its node, over switches, and from a NIC to the target within its
// node. Other nodes are never entered. The node parts are searched completely (about ten vertices each); the network
// part is searched from both ends at once, one cost level at a time, until the two balls touch: a few hundred switches
// even in a fat tree of 10^4 nodes, without any table of pairs. Links that are tight (cost so far + link + cost to go =
// total) form the graph of all cheapest paths; the flow hash walks through it.
//
// Costs of a hop, chosen so that the order of preference of GPU libraries comes out (NVLink, NVLink over a third GPU,
// PCIe switch, CPU, between CPUs; nearest NIC; see NCCL's path types NVL, NVB, PIX, PXB, PHB, SYS):
//   NVLink 2, third GPU +3, PCIe 4, through a CPU +16, between sockets 32, network 8 times the link's weight, other
//   GPU's NIC +1.
#include "models/cluster/network_search.hpp"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <map>
#include <memory>
#include <optional>
#include <stdexcept>
#include <utility>

namespace trainyard {
namespace {

using routing::at;
using routing::Door;
using routing::half_transit;
using routing::in_network;
using routing::link_cost;
using routing::NetworkSearch;
using routing::NodeSearch;
using routing::unreached;

/// splitmix64 finaliser: spreads flow numbers over equal-cost choices.
std::uint64_t scatter(std::uint64_t z)
{
  z = (z ^ (z >> 30U)) * 0xBF58476D1CE4E5B9U;
  z = (z ^ (z >> 27U)) * 0x94D049BB133111EBU;
  return z ^ (z >> 31U);
}

RouteIndex make_index(const Cluster& cluster)
{
  RouteIndex index;
  index.machines.emplace(cluster);
  index.first.push_back(0);
  for (std::size_t v = 0; v < cluster.vertices().size(); ++v) {
    const VertexId id{static_cast<int>(v)};
    if (in_network(cluster.vertex(id)))
      for (const LinkId out : cluster.outgoing(id)) {
        const Link& link = cluster.link(out);
        if (in_network(cluster.vertex(link.to)))
          index.arcs.push_back(
              {link.to.index, out.index,
               link_cost(link) + half_transit(cluster.vertex(id)) + half_transit(cluster.vertex(link.to))});
      }
    index.first.push_back(static_cast<int>(index.arcs.size()));
  }
  return index;
}

/// One end of routes, as far as its node goes.
struct RouteEnd {
  VertexId end;
  std::shared_ptr<const NodeSearch::Reached> reached;
  mutable NodeSearch::Ahead ahead; // of what was reached
  std::vector<Door> doors;
  bool joined = false; // a link leads from its node to another one without a switch
};

/// @p index: null where links are down.
RouteEnd route_end(const Cluster& cluster, const RouteIndex* index, VertexId end, const RouteChoice& choice)
{
  std::shared_ptr<const NodeSearch::Reached> known;
  if (index != nullptr)
    known = index->machines->reached(cluster.vertex(end), end);
  const NodeSearch search =
      known != nullptr ? NodeSearch{cluster, end, choice, std::move(known)} : NodeSearch{cluster, end, choice};
  RouteEnd result{end, search.shared(), {}, routing::doors(cluster, search, end)};
  for (const auto& [here, cost] : search.reached())
    for (const LinkId out : cluster.outgoing(here)) {
      const Vertex& beyond = cluster.vertex(cluster.link(out).to);
      result.joined = result.joined || (!in_network(beyond) && beyond.node != cluster.vertex(end).node);
    }
  return result;
}

constexpr std::size_t most_entries = 131'072;

/// So many ends of routes and ways are kept: more in a large cluster, whose jobs use more. Few where there are few
/// ends: all of them are cleared for each cluster.
std::size_t entries_kept(const Cluster& cluster)
{
  const std::size_t ends = std::bit_ceil(cluster.vertices().size());
  return std::clamp<std::size_t>(ends, std::min<std::size_t>(4 * ends, 4096), most_entries);
}

/// The same, kept for the next routes while all links are up: those of a collective or of servers have few ends. What
/// an index was made for does not change, and copies of a cluster share it.
std::shared_ptr<const RouteEnd> known_end(const Cluster& cluster, const std::shared_ptr<const RouteIndex>& index,
                                          VertexId end, const RouteChoice& choice)
{
  if (choice.down != nullptr)
    return std::make_shared<const RouteEnd>(route_end(cluster, nullptr, end, choice));
  thread_local std::shared_ptr<const RouteIndex> made_for;
  thread_local std::vector<std::shared_ptr<const RouteEnd>> ends;
  if (made_for != index) {
    made_for = index;
    ends.assign(entries_kept(cluster), nullptr);
  }
  std::shared_ptr<const RouteEnd>& entry = ends[at(end.index) % ends.size()];
  if (entry == nullptr || entry->end != end)
    entry = std::make_shared<const RouteEnd>(route_end(cluster, index.get(), end, choice));
  return entry;
}

/// Two NVLinks over a third GPU that is joined to both ends; of several one with the widest narrower link.
std::vector<LinkId> over_third_gpu(const Cluster& cluster, VertexId from, VertexId to, const NodeSearch& search,
                                   const std::vector<VertexId>& forwarders)
{
  std::vector<LinkId> best;
  int widest = 0;
  for (const LinkId first : cluster.outgoing(from))
    for (const LinkId second : cluster.outgoing(cluster.link(first).to)) {
      const Link& a = cluster.link(first);
      const Link& b = cluster.link(second);
      if (b.to != to || !joins_gpus(a.kind) || !joins_gpus(b.kind) ||
          std::ranges::find(forwarders, a.to) == forwarders.end())
        continue;
      if (search.usable(first, a) && search.usable(second, b) && std::min(a.width, b.width) > widest) {
        widest = std::min(a.width, b.width);
        best = {first, second};
      }
    }
  return best;
}

std::vector<LinkId> searched_route(const Cluster& cluster, const std::shared_ptr<const RouteIndex>& index,
                                   std::uint64_t seed, VertexId from, VertexId to, const RouteChoice& choice,
                                   bool* hashed = nullptr)
{
  // The hash takes both ends in, as a switch takes addresses and ports, and the hop, so that successive switches choose
  // differently. The choice falls into equal parts of the hash's range: with half as many paths, flows that met before
  // still meet.
  const std::uint64_t key =
      scatter(choice.flow * 0x9E3779B97F4A7C15U + scatter(static_cast<std::uint64_t>(from.index) + 1) +
              3 * scatter(static_cast<std::uint64_t>(to.index) + 1) + scatter(seed));
  std::uint64_t hop = 0;
  const auto pick = [&](const std::vector<LinkId>& options) {
    if (options.empty())
      throw std::logic_error{"route: the search found a path that cannot be walked"};
    if (options.size() == 1)
      return options.front();
    if (hashed != nullptr)
      *hashed = true;
    const std::uint64_t share = scatter(key + 0x9E3779B97F4A7C15U * ++hop) >> 32U;
    return options[static_cast<std::size_t>(share * options.size() >> 32U)];
  };

  const std::shared_ptr<const RouteEnd> target_end = known_end(cluster, index, to, choice);
  const NodeSearch target{cluster, to, choice, target_end->reached, &target_end->ahead};
  const bool between_gpus = cluster.vertex(from).kind == VertexKind::gpu && cluster.vertex(to).kind == VertexKind::gpu;
  if (target.cost(from) < unreached) {
    if (choice.forwarders != nullptr && between_gpus && target.cost(from) > 4 + routing::third_gpu_cost)
      if (std::vector<LinkId> path = over_third_gpu(cluster, from, to, target, *choice.forwarders); !path.empty())
        return path;
    return between_gpus ? routing::peer_route(cluster, target.path_from(from, pick)) : target.path_from(from, pick);
  }

  const std::shared_ptr<const RouteEnd> source_end = known_end(cluster, index, from, choice);
  const NodeSearch source{cluster, from, choice, source_end->reached, &source_end->ahead};
  // Links that join the two nodes without a switch.
  std::optional<LinkId> direct;
  int direct_cost = unreached;
  if (source_end->joined || in_network(cluster.vertex(to)))
    for (const auto& [here, cost] : source.reached())
      for (const LinkId out : cluster.outgoing(here)) {
        const int beyond = target.cost(cluster.link(out).to);
        const bool forwards = here == from || (cluster.vertex(here).kind != VertexKind::gpu &&
                                               cluster.vertex(here).kind != VertexKind::storage);
        if (beyond >= unreached || !forwards || !source.usable(out, cluster.link(out)))
          continue;
        const int total = cost + link_cost(cluster.link(out)) + beyond;
        if (total < direct_cost) {
          direct_cost = total;
          direct = out;
        }
      }

  NetworkSearch network{cluster, index, choice, {from, source_end->doors}, {to, target_end->doors}};
  if (network.total() >= unreached && !direct)
    throw std::invalid_argument{"no route from " + cluster.vertex(from).name + " to " + cluster.vertex(to).name};
  const std::vector<LinkId> middle =
      direct && direct_cost <= network.total() ? std::vector<LinkId>{*direct} : network.path(from, pick);

  // Within the source's node the search ran from the source: walk it backwards and turn every link round.
  std::vector<LinkId> path = source.path_from(cluster.link(middle.front()).from, pick);
  std::ranges::reverse(path);
  for (LinkId& each : path)
    each = cluster.link(each).reverse;
  path.insert(path.end(), middle.begin(), middle.end());
  const std::vector<LinkId> rest = target.path_from(cluster.link(middle.back()).to, pick);
  path.insert(path.end(), rest.begin(), rest.end());
  return between_gpus ? routing::peer_route(cluster, std::move(path)) : path;
}

/// Whoever plans, places or reports a job asks for the same few ways. Copies of a cluster share the index.
struct KnownRoute {
  VertexId from, to;
  std::uint64_t flow = 0, seed = 0;
  std::vector<VertexId> forwarders;
  std::vector<LinkId> path;
  bool hashed = false; // the hash has chosen among equal paths
};

thread_local bool seen_is_hashed = false; // the latest known_route() of this thread

/// The route holds until this thread asks for another one.
const KnownRoute& known_route(const Cluster& cluster, const std::shared_ptr<const RouteIndex>& index,
                              std::uint64_t seed, VertexId from, VertexId to, const RouteChoice& choice)
{
  thread_local std::shared_ptr<const RouteIndex> made_for;
  thread_local std::vector<KnownRoute> known; // a power of two
  thread_local std::size_t driven_out = 0;    // by others at their places
  if (made_for != index) {
    made_for = index;
    known.assign(entries_kept(cluster), {});
    driven_out = 0;
  }
  static const std::vector<VertexId> nobody;
  const std::vector<VertexId>& forwarders = choice.forwarders != nullptr ? *choice.forwarders : nobody;
  const std::uint64_t mixed = scatter((static_cast<std::uint64_t>(from.index) << 32U) +
                                      static_cast<std::uint64_t>(to.index) + choice.flow * 0x9E3779B97F4A7C15U);
  const auto entry_of = [&]() -> KnownRoute& { return known[(mixed + forwarders.size()) & (known.size() - 1)]; };
  KnownRoute* entry = &entry_of();
  if (entry->path.empty() || entry->from != from || entry->to != to || entry->flow != choice.flow ||
      entry->seed != seed || entry->forwarders != forwarders) {
    bool hashed = false;
    std::vector<LinkId> path = searched_route(cluster, index, seed, from, to, choice, &hashed);
    if (!entry->path.empty() && 4 * ++driven_out > known.size() && known.size() < most_entries) {
      known.assign(std::min(4 * known.size(), most_entries), {}); // an all-to-all has many ways
      driven_out = 0;
      entry = &entry_of();
    }
    *entry = {from, to, choice.flow, seed, forwarders, std::move(path), hashed};
  }
  seen_is_hashed = entry->hashed;
  return *entry;
}

} // namespace

EvenRoutes::EvenRoutes(const Cluster& cluster)
    : cluster_{cluster}, index_{std::make_shared<const RouteIndex>(make_index(cluster))}
{
}

std::vector<std::pair<LinkId, double>> EvenRoutes::shares(VertexId from, VertexId to) const
{
  const RouteChoice choice;
  const std::shared_ptr<const RouteEnd> source_end = known_end(cluster_, index_, from, choice);
  const std::shared_ptr<const RouteEnd> target_end = known_end(cluster_, index_, to, choice);
  const NetworkSearch network{cluster_, index_, choice, {from, source_end->doors}, {to, target_end->doors}};
  std::map<LinkId, double> all;
  if (network.total() >= unreached) { // joined without a switch
    for (const LinkId link : cluster_.route(from, to))
      all[link] = 1;
    return {all.begin(), all.end()};
  }
  const auto within = [&](const RouteEnd& end, VertexId nic) {
    return NodeSearch{cluster_, end.end, choice, end.reached}.path_from(
        nic, [](const std::vector<LinkId>& options) { return options.front(); });
  };
  for (const auto& [link, share] : network.even_shares()) {
    all[link] += share;
    if (const VertexId nic = cluster_.link(link).from; !in_network(cluster_.vertex(nic)))
      for (const LinkId inner : within(*source_end, nic))
        all[cluster_.link(inner).reverse] += share;
    if (const VertexId nic = cluster_.link(link).to; !in_network(cluster_.vertex(nic)))
      for (const LinkId inner : within(*target_end, nic))
        all[inner] += share;
  }
  return {all.begin(), all.end()};
}

VertexId Cluster::nic_of(VertexId gpu) const
{
  if (index_ != nullptr)
    if (const VertexId known = index_->machines->own_nic(vertex(gpu), gpu); known.index >= 0)
      return known;
  const Node* node = routing::node_of_gpu(*this, gpu);
  if (node == nullptr || node->nics.empty())
    return {};
  return routing::own_nic(*node, NodeSearch{*this, gpu, {}}, gpu);
}

std::vector<LinkId> Cluster::route(VertexId from, VertexId to, std::uint64_t flow) const
{
  return route(from, to, RouteChoice{.flow = flow});
}

std::vector<LinkId> Cluster::route(VertexId from, VertexId to, const RouteChoice& choice) const
{
  const std::span<const LinkId> path = seen_route(from, to, choice);
  return {path.begin(), path.end()};
}

std::span<const LinkId> Cluster::seen_route(VertexId from, VertexId to, const RouteChoice& choice) const
{
  if (from == to)
    return {};
  if (!index_)
    index_ = std::make_shared<const RouteIndex>(make_index(*this));
  if (choice.forwarders != nullptr && vertex(from).node != vertex(to).node) {
    // Between nodes ranks pass nothing on, but for the relay.
    const RouteChoice further{.flow = choice.flow, .load = choice.load, .down = choice.down};
    const VertexId over = relay(from, to, *choice.forwarders);
    if (over.index < 0)
      return seen_route(from, to, further);
    thread_local std::vector<LinkId> joined;
    const std::span<const LinkId> first = seen_route(from, over, further);
    joined.assign(first.begin(), first.end());
    const std::span<const LinkId> second = seen_route(over, to, further);
    joined.insert(joined.end(), second.begin(), second.end());
    return joined;
  }
  constexpr std::size_t most_forwarders = 16; // those of a machine; a longer list takes as long to compare
  if (choice.load != nullptr || choice.down != nullptr ||
      (choice.forwarders != nullptr && choice.forwarders->size() > most_forwarders)) {
    thread_local std::vector<LinkId> latest;
    return latest = searched_route(*this, index_, hash_seed_, from, to, choice);
  }
  return known_route(*this, index_, hash_seed_, from, to, choice).path;
}

bool hash_chooses(const Cluster& cluster, VertexId from, VertexId to)
{
  return !cluster.seen_route(from, to, {}).empty() && seen_is_hashed;
}

} // namespace trainyard
