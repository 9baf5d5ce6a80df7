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
#include "models/cluster/alike_nodes.hpp"
#include "models/cluster/even_routes.hpp"
#include "models/cluster/node_search.hpp"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <iterator>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <stdexcept>
#include <utility>

namespace trainyard {

/// Arcs between network vertices (switches and whatever belongs to no node), by vertex; and what is known of machines.
struct RouteIndex {
  struct Arc {
    int to;
    int link;
    int cost;
  };
  std::vector<int> first; // arcs of vertex v: first[v] … first[v + 1]
  std::vector<Arc> arcs;
  std::optional<routing::AlikeNodes> machines;
};

namespace {

using routing::at;
using routing::Door;
using routing::half_transit;
using routing::in_network;
using routing::link_cost;
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

/// One of the two balls of the network search: labels of the vertices reached so far, and those not yet passed by cost.
struct Ball {
  std::vector<std::uint32_t> stamp; // label is valid where it equals the number of the search
  std::vector<int> label;
  std::vector<std::vector<int>> by_cost;
  std::vector<int> costs;  // of by_cost, those that may not be empty
  std::vector<int> passed; // in order of cost
  int next = 0;            // cheapest cost not yet passed; labels up to it are final
  int pending = 0;
};

/// Memory of the search, kept between routes.
struct Scratch {
  std::uint32_t search = 0;
  Ball ahead;
  Ball back;
  std::vector<std::uint32_t> good; // stamp: lies on a cheapest path
};

Scratch& scratch(std::size_t vertices)
{
  thread_local Scratch memory;
  if (memory.ahead.stamp.size() < vertices || memory.search == std::numeric_limits<std::uint32_t>::max()) {
    memory = {};
    for (Ball* ball : {&memory.ahead, &memory.back}) {
      ball->stamp.assign(vertices, 0);
      ball->label.assign(vertices, 0);
    }
    memory.good.assign(vertices, 0);
  }
  ++memory.search;
  for (Ball* ball : {&memory.ahead, &memory.back}) {
    for (const int cost : ball->costs)
      ball->by_cost[at(cost)].clear();
    ball->costs.clear();
    ball->passed.clear();
    ball->next = unreached;
    ball->pending = 0;
  }
  return memory;
}

/// One end of routes, as far as its node goes.
struct RouteEnd {
  VertexId end;
  std::shared_ptr<const NodeSearch::Reached> reached;
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
  RouteEnd result{end, search.shared(), routing::doors(cluster, search, end)};
  for (const auto& [here, cost] : search.reached())
    for (const LinkId out : cluster.outgoing(here)) {
      const Vertex& beyond = cluster.vertex(cluster.link(out).to);
      result.joined = result.joined || (!in_network(beyond) && beyond.node != cluster.vertex(end).node);
    }
  return result;
}

/// So many ends of routes and ways are kept: more in a large cluster, whose jobs use more. Few where there are few
/// ends: all of them are cleared for each cluster.
std::size_t entries_kept(const Cluster& cluster)
{
  const std::size_t ends = std::bit_ceil(cluster.vertices().size());
  return std::clamp<std::size_t>(ends, std::min<std::size_t>(4 * ends, 4096), 131'072);
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

class NetworkSearch
{
public:
  NetworkSearch(const Cluster& cluster, const RouteIndex& index, const RouteChoice& choice, std::vector<Door> source,
                std::vector<Door> target)
      : cluster_{cluster}, index_{index}, choice_{choice}, source_{std::move(source)}, target_{std::move(target)},
        memory_{scratch(cluster.vertices().size())}
  {
    for (const Door& door : source_)
      reach(memory_.ahead, memory_.back, cluster.link(door.out).to.index, door.cost);
    for (const Door& door : target_)
      reach(memory_.back, memory_.ahead, cluster.link(door.out).to.index, door.cost);
    Ball& ahead = memory_.ahead;
    Ball& back = memory_.back;
    while (ahead.pending > 0 && back.pending > 0 && ahead.next + back.next < total_) {
      if (work(ahead) <= work(back))
        pass_level(ahead, back);
      else
        pass_level(back, ahead);
    }
    mark_good();
  }

  int total() const { return total_; }

  /// Links from a door of the source to a door of the target, both included.
  template <class Pick>
  std::vector<LinkId> path(VertexId source_end, const Pick& pick)
  {
    std::vector<LinkId> result;
    int cost = 0;
    std::vector<LinkId> options;
    for (const Door& door : source_)
      if (on_path(cluster_.link(door.out).to.index, door.cost))
        options.push_back(door.out);
    result.push_back(choose(options, 0, source_end, pick));
    for (const Door& door : source_)
      if (door.out == result.back())
        cost = door.cost;
    while (in_network(cluster_.vertex(cluster_.link(result.back()).to))) {
      const VertexId here = cluster_.link(result.back()).to;
      const auto steps = steps_from(here.index, cost);
      options.clear();
      for (const auto& [link, after] : steps)
        options.push_back(link);
      result.push_back(choose(options, cost, here, pick));
      for (const auto& [link, after] : steps)
        if (link == result.back())
          cost = after;
      if (cost == total_ && is_door(result.back()))
        break;
    }
    return result;
  }

  /// Links that lie on the cheapest paths, doors included, with the share of the flows that takes each if every choice
  /// falls evenly.
  std::map<LinkId, double> even_shares() const
  {
    std::map<LinkId, double> result;
    std::map<std::pair<int, int>, double> arriving; // by cost and vertex, so that all ways to a vertex come before it
    std::vector<Door> options;
    std::ranges::copy_if(source_, std::back_inserter(options),
                         [this](const Door& door) { return on_path(cluster_.link(door.out).to.index, door.cost); });
    for (const Door& door : options) {
      const double share = 1.0 / static_cast<double>(options.size());
      result[door.out] += share;
      arriving[{door.cost, cluster_.link(door.out).to.index}] += share;
    }
    while (!arriving.empty()) {
      const auto [place, share] = *arriving.begin();
      arriving.erase(arriving.begin());
      const auto steps = steps_from(place.second, place.first);
      for (const auto& [link, after] : steps) {
        result[link] += share / static_cast<double>(steps.size());
        if (!is_door(link))
          arriving[{after, cluster_.link(link).to.index}] += share / static_cast<double>(steps.size());
      }
    }
    return result;
  }

private:
  bool usable(int link) const
  {
    return choice_.down == nullptr ||
           !((*choice_.down)[at(link)] || (*choice_.down)[at(cluster_.links()[at(link)].reverse.index)]);
  }

  bool labelled(const Ball& ball, int vertex) const { return ball.stamp[at(vertex)] == memory_.search; }

  void reach(Ball& ball, const Ball& other, int vertex, int cost)
  {
    if (labelled(ball, vertex) && ball.label[at(vertex)] <= cost)
      return;
    ball.stamp[at(vertex)] = memory_.search;
    ball.label[at(vertex)] = cost;
    if (at(cost) >= ball.by_cost.size())
      ball.by_cost.resize(at(cost) + 64);
    if (ball.by_cost[at(cost)].empty())
      ball.costs.push_back(cost);
    ball.by_cost[at(cost)].push_back(vertex);
    ++ball.pending;
    ball.next = std::min(ball.next, cost);
    if (labelled(other, vertex))
      total_ = std::min(total_, cost + other.label[at(vertex)]);
  }

  /// Arcs that the next level of a ball would follow.
  long long work(const Ball& ball) const
  {
    long long arcs = 0;
    for (const int vertex : ball.by_cost[at(ball.next)])
      arcs += index_.first[at(vertex) + 1] - index_.first[at(vertex)];
    return arcs;
  }

  void pass_level(Ball& ball, const Ball& other)
  {
    const int cost = ball.next;
    // Arcs cost at least 1, so nothing joins this level while it is passed; the vector of levels may move, though.
    for (std::size_t i = 0; i < ball.by_cost[at(cost)].size(); ++i) {
      const int vertex = ball.by_cost[at(cost)][i];
      --ball.pending;
      if (ball.label[at(vertex)] != cost)
        continue; // reached more cheaply since
      ball.passed.push_back(vertex);
      for (int a = index_.first[at(vertex)]; a < index_.first[at(vertex) + 1]; ++a) {
        const RouteIndex::Arc& arc = index_.arcs[at(a)];
        if (usable(arc.link))
          reach(ball, other, arc.to, cost + arc.cost);
      }
    }
    ball.by_cost[at(cost)].clear();
    ball.next = unreached;
    for (std::size_t level = at(cost) + 1; level < ball.by_cost.size() && ball.pending > 0; ++level)
      if (!ball.by_cost[level].empty()) {
        ball.next = static_cast<int>(level);
        break;
      }
  }

  bool on_path(int vertex, int cost) const
  {
    if (labelled(memory_.back, vertex) && cost + memory_.back.label[at(vertex)] == total_)
      return true;
    return labelled(memory_.ahead, vertex) && memory_.ahead.label[at(vertex)] == cost &&
           memory_.good[at(vertex)] == memory_.search;
  }

  /// From the rim inwards: a vertex passed by the search from the source is good where one of its arcs leads on along a
  /// cheapest path.
  void mark_good()
  {
    for (std::size_t i = memory_.ahead.passed.size(); i-- > 0;) {
      const int vertex = memory_.ahead.passed[i];
      const int cost = memory_.ahead.label[at(vertex)];
      bool good = labelled(memory_.back, vertex) && cost + memory_.back.label[at(vertex)] == total_;
      for (int a = index_.first[at(vertex)]; !good && a < index_.first[at(vertex) + 1]; ++a) {
        const RouteIndex::Arc& arc = index_.arcs[at(a)];
        good = on_path(arc.to, cost + arc.cost) && usable(arc.link);
      }
      if (good)
        memory_.good[at(vertex)] = memory_.search;
    }
  }

  bool is_door(LinkId into) const
  {
    return std::ranges::any_of(target_, [&](const Door& door) { return cluster_.link(door.out).reverse == into; });
  }

  /// Links that lead on from a vertex along a cheapest path, with the cost after them.
  std::vector<std::pair<LinkId, int>> steps_from(int vertex, int cost) const
  {
    std::vector<std::pair<LinkId, int>> result;
    for (const Door& door : target_)
      if (cluster_.link(door.out).to.index == vertex && cost + door.cost == total_)
        result.emplace_back(cluster_.link(door.out).reverse, total_);
    for (int a = index_.first[at(vertex)]; a < index_.first[at(vertex) + 1]; ++a) {
      const RouteIndex::Arc& arc = index_.arcs[at(a)];
      if (on_path(arc.to, cost + arc.cost) && usable(arc.link))
        result.emplace_back(LinkId{arc.link}, cost + arc.cost);
    }
    return result;
  }

  /// Busiest link and sum of loads of the least loaded way from a vertex to the target.
  std::pair<double, double> least_load(int vertex, int cost)
  {
    if (const auto known = loads_.find(vertex); known != loads_.end())
      return known->second;
    std::pair<double, double> best{std::numeric_limits<double>::infinity(), 0};
    for (const auto& [link, after] : steps_from(vertex, cost))
      best = std::min(best, load_through(link, after));
    return loads_[vertex] = best;
  }

  std::pair<double, double> load_through(LinkId link, int after)
  {
    const double load = (*choice_.load)[at(link.index)];
    if (is_door(link))
      return {load, load};
    const auto [busiest, sum] = least_load(cluster_.link(link).to.index, after);
    return {std::max(busiest, load), sum + load};
  }

  template <class Pick>
  LinkId choose(std::vector<LinkId>& options, int cost, VertexId here, const Pick& pick)
  {
    if (choice_.load != nullptr && options.size() > 1) {
      std::pair<double, double> best{std::numeric_limits<double>::infinity(), 0};
      std::vector<LinkId> least;
      for (const LinkId option : options) {
        int after = cost;
        for (const Door& door : source_)
          if (door.out == option)
            after = door.cost;
        if (in_network(cluster_.vertex(here)))
          for (const auto& [link, then] : steps_from(here.index, cost))
            if (link == option)
              after = then;
        const auto load = load_through(option, after);
        if (load < best)
          least.clear();
        if (load <= best) {
          best = load;
          least.push_back(option);
        }
      }
      return pick(least);
    }
    return pick(options);
  }

  const Cluster& cluster_;
  const RouteIndex& index_;
  const RouteChoice& choice_;
  std::vector<Door> source_;
  std::vector<Door> target_;
  Scratch& memory_;
  int total_ = unreached;
  std::map<int, std::pair<double, double>> loads_;
};

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
                                   std::uint64_t seed, VertexId from, VertexId to, const RouteChoice& choice)
{
  if (choice.forwarders != nullptr)
    if (const VertexId over = cluster.relay(from, to, *choice.forwarders); over.index >= 0) {
      const RouteChoice further{.flow = choice.flow, .load = choice.load, .down = choice.down};
      std::vector<LinkId> path = cluster.route(from, over, further);
      const std::vector<LinkId> rest = cluster.route(over, to, further);
      path.insert(path.end(), rest.begin(), rest.end());
      return path;
    }
  // Between nodes ranks pass nothing on, but for the relay.
  if (choice.forwarders != nullptr && choice.load == nullptr && choice.down == nullptr &&
      cluster.vertex(from).node != cluster.vertex(to).node)
    return cluster.route(from, to, RouteChoice{.flow = choice.flow});
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
    const std::uint64_t share = scatter(key + 0x9E3779B97F4A7C15U * ++hop) >> 32U;
    return options[static_cast<std::size_t>(share * options.size() >> 32U)];
  };

  const std::shared_ptr<const RouteEnd> target_end = known_end(cluster, index, to, choice);
  const NodeSearch target{cluster, to, choice, target_end->reached};
  const bool between_gpus = cluster.vertex(from).kind == VertexKind::gpu && cluster.vertex(to).kind == VertexKind::gpu;
  if (target.cost(from) < unreached) {
    if (choice.forwarders != nullptr && between_gpus && target.cost(from) > 4 + routing::third_gpu_cost)
      if (std::vector<LinkId> path = over_third_gpu(cluster, from, to, target, *choice.forwarders); !path.empty())
        return path;
    return between_gpus ? routing::peer_route(cluster, target.path_from(from, pick)) : target.path_from(from, pick);
  }

  const std::shared_ptr<const RouteEnd> source_end = known_end(cluster, index, from, choice);
  const NodeSearch source{cluster, from, choice, source_end->reached};
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

  NetworkSearch network{cluster, *index, choice, source_end->doors, target_end->doors};
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
  const NetworkSearch network{cluster_, *index_, choice, source_end->doors, target_end->doors};
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
  const Node* node = routing::node_of_gpu(*this, gpu);
  if (node == nullptr || node->nics.empty())
    return {};
  if (index_ != nullptr)
    if (const VertexId known = index_->machines->own_nic(vertex(gpu), gpu); known.index >= 0)
      return known;
  return routing::own_nic(*node, NodeSearch{*this, gpu, {}}, gpu);
}

std::vector<LinkId> Cluster::route(VertexId from, VertexId to, std::uint64_t flow) const
{
  return route(from, to, RouteChoice{.flow = flow});
}

std::vector<LinkId> Cluster::route(VertexId from, VertexId to, const RouteChoice& choice) const
{
  if (from == to)
    return {};
  if (!index_)
    index_ = std::make_shared<const RouteIndex>(make_index(*this));
  constexpr std::size_t most_forwarders = 16; // those of a machine; a longer list takes as long to compare
  if (choice.load != nullptr || choice.down != nullptr ||
      (choice.forwarders != nullptr && choice.forwarders->size() > most_forwarders))
    return searched_route(*this, index_, hash_seed_, from, to, choice);
  // Whoever plans, places or reports a job asks for the same few ways. Copies of a cluster share the index.
  struct Known {
    VertexId from, to;
    std::uint64_t flow = 0, seed = 0;
    std::vector<VertexId> forwarders;
    std::vector<LinkId> path;
  };
  thread_local std::shared_ptr<const RouteIndex> made_for;
  thread_local std::vector<Known> known;
  if (made_for != index_) {
    made_for = index_;
    known.assign(entries_kept(*this), {});
  }
  static const std::vector<VertexId> nobody;
  const std::vector<VertexId>& forwarders = choice.forwarders != nullptr ? *choice.forwarders : nobody;
  const std::uint64_t mixed = scatter((static_cast<std::uint64_t>(from.index) << 32U) +
                                      static_cast<std::uint64_t>(to.index) + choice.flow * 0x9E3779B97F4A7C15U);
  Known& entry = known[(mixed + forwarders.size()) % known.size()];
  if (entry.path.empty() || entry.from != from || entry.to != to || entry.flow != choice.flow ||
      entry.seed != hash_seed_ || entry.forwarders != forwarders)
    entry = {from,       to,         choice.flow,
             hash_seed_, forwarders, searched_route(*this, index_, hash_seed_, from, to, choice)};
  return entry.path;
}

} // namespace trainyard
