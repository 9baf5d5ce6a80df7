// SPDX-License-Identifier: Apache-2.0
// Ring orders. Three searches, from large to small: the order of nodes (by position, no search), the order of GPUs
// within a node (Held and Karp's dynamic programme over subsets, once for the bottleneck and once for the cost), and
// the rings of a mesh (mesh_rings.cpp).
#include "models/cluster/rings.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <set>
#include <span>
#include <utility>

namespace trainyard {
namespace {

using Order = std::vector<VertexId>;
using Matrix = std::vector<std::vector<double>>;

constexpr std::size_t most_exact = 12; // ranks of a node that are ordered by exact search

std::vector<LinkId> route(const Cluster& cluster, VertexId from, VertexId to, const Order& ranks)
{
  return cluster.route(from, to, RouteChoice{.forwarders = &ranks});
}

BytesPerSecond narrowest(const Cluster& cluster, const std::vector<LinkId>& links)
{
  BytesPerSecond result{std::numeric_limits<double>::infinity()};
  for (const LinkId link : links)
    result = std::min(result, cluster.link(link).data_rate());
  return result;
}

double cost(const Cluster& cluster, const std::vector<LinkId>& links)
{
  double result = 0;
  for (const LinkId id : links) {
    const Link& link = cluster.link(id);
    result += joins_gpus(link.kind) ? 2 : link.kind == LinkKind::pcie ? 4 : 32;
    result += cluster.vertex(link.to).kind == VertexKind::host ? 16 : 0;
  }
  return result;
}

/// Cheapest Hamiltonian cycle from vertex 0 by dynamic programming over subsets; infinite values are not edges. @p join
/// says how the value of a path and of an edge make the value of the longer path. Empty where there is none.
template <class Join>
std::pair<double, std::vector<int>> cheapest_cycle(const Matrix& value, const Join& join)
{
  const auto n = static_cast<unsigned>(value.size());
  constexpr double infinite = std::numeric_limits<double>::infinity();
  const std::size_t subsets = std::size_t{1} << n;
  std::vector<double> best(subsets * n, infinite);
  std::vector<signed char> before(subsets * n, -1);
  best[1 * n + 0] = -infinite;
  for (std::size_t set = 1; set < subsets; set += 2)
    for (unsigned last = 0; last < n; ++last) {
      const double here = best[set * n + last];
      if (here == infinite)
        continue;
      for (unsigned next = 1; next < n; ++next) {
        if ((set >> next & 1U) != 0 || value[last][next] == infinite)
          continue;
        const double there = join(here, value[last][next]);
        const std::size_t grown = (set | std::size_t{1} << next) * n + next;
        if (there < best[grown]) {
          best[grown] = there;
          before[grown] = static_cast<signed char>(last);
        }
      }
    }
  double total = infinite;
  int end = -1;
  for (unsigned last = 1; last < n; ++last)
    if (const double here = best[(subsets - 1) * n + last]; here < infinite && value[last][0] < infinite)
      if (const double closed = join(here, value[last][0]); closed < total) {
        total = closed;
        end = static_cast<int>(last);
      }
  std::vector<int> order;
  std::size_t set = subsets - 1;
  while (end >= 0) {
    order.push_back(end);
    const int previous = before[set * n + static_cast<std::size_t>(end)];
    set &= ~(std::size_t{1} << static_cast<unsigned>(end));
    end = previous;
  }
  std::ranges::reverse(order);
  return {total, order};
}

/// Ring through the ranks of one node, beginning with the first.
Order order_in_node(const Cluster& cluster, const Order& ranks)
{
  const std::size_t n = ranks.size();
  if (n < 4 || n > most_exact)
    return ranks;
  Matrix slowness(n, std::vector<double>(n, 0));
  Matrix costs(n, std::vector<double>(n, 0));
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t k = 0; k < n; ++k)
      if (ranks[i] != ranks[k]) {
        const auto links = route(cluster, ranks[i], ranks[k], ranks);
        slowness[i][k] = 1 / narrowest(cluster, links).value();
        costs[i][k] = cost(cluster, links);
      }
  const double slowest = cheapest_cycle(slowness, [](double path, double edge) { return std::max(path, edge); }).first;
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t k = 0; k < n; ++k)
      if (slowness[i][k] > slowest)
        costs[i][k] = std::numeric_limits<double>::infinity();
  const auto [total, order] = cheapest_cycle(
      costs, [](double path, double edge) { return std::max(path, 0.0) + edge; }); // the empty path is worth -infinity
  Order result;
  for (const int index : order)
    result.push_back(ranks[static_cast<std::size_t>(index)]);
  return result;
}

/// Ranks by node; nodes in the order in which a ring should visit them.
std::vector<Order> by_node(const Cluster& cluster, const Order& ranks)
{
  std::map<int, Order> groups; // vertices without a node stand alone
  for (const VertexId rank : ranks) {
    const int node = cluster.vertex(rank).node.index;
    groups[node >= 0 && static_cast<std::size_t>(node) < cluster.nodes().size() ? node : -1 - rank.index].push_back(
        rank);
  }
  std::vector<int> longest;
  for (const auto& [node, members] : groups)
    if (node >= 0) {
      const auto& position = cluster.nodes()[static_cast<std::size_t>(node)].position;
      longest.resize(std::max(longest.size(), position.size()), 0);
      for (std::size_t i = 0; i < position.size(); ++i)
        longest[i] = std::max(longest[i], position[i] + 1);
    }
  const bool may_turn = groups.size() > 2 && longest.size() > 1;
  std::vector<std::pair<std::vector<int>, Order>> keyed;
  std::vector<std::pair<std::vector<int>, Order>> snake;
  keyed.reserve(groups.size());
  for (auto& [node, members] : groups) {
    std::ranges::stable_sort(members);
    std::vector<int> key{node};
    std::vector<int> turned{node};
    if (node >= 0)
      key = cluster.nodes()[static_cast<std::size_t>(node)].position;
    if (node >= 0 && may_turn) {
      // Back and forth, as on a torus whose first axis runs fastest: an axis turns round with the parity of the slower
      // ones.
      turned.assign(key.rbegin(), key.rend());
      int passed = 0;
      for (std::size_t i = 0; i < turned.size(); ++i) {
        const int length = longest[turned.size() - 1 - i];
        const int at = turned[i];
        if (passed % 2 != 0)
          turned[i] = length - 1 - at;
        passed += at;
      }
    }
    key.push_back(node);
    turned.push_back(node);
    if (may_turn)
      snake.emplace_back(std::move(turned), members);
    keyed.emplace_back(std::move(key), std::move(members));
  }
  std::ranges::sort(keyed);
  std::ranges::sort(snake);
  const auto hops = [&](const auto& order) { // of all steps, or of evenly chosen ones where there are many
    constexpr std::size_t most = 128;
    const std::size_t steps = std::min(most, order.size());
    std::size_t sum = 0;
    for (std::size_t k = 0; k < steps; ++k) {
      const std::size_t i = k * order.size() / steps;
      sum += cluster.route(order[i].second.front(), order[(i + 1) % order.size()].second.front()).size();
    }
    return sum;
  };
  if (may_turn && hops(snake) < hops(keyed))
    keyed = std::move(snake);
  std::vector<Order> result;
  for (auto& [key, members] : keyed)
    result.push_back(std::move(members));
  return result;
}

Order beginning_with(Order order, VertexId first)
{
  const auto found = std::ranges::find(order, first);
  if (found != order.end())
    std::ranges::rotate(order, found);
  return order;
}

/// Side by side in one node: those of its mesh, else one.
std::vector<Order> rings_in_node(const Cluster& cluster, const Order& ranks)
{
  std::vector<Order> found = rings_in_mesh(cluster, ranks);
  return found.empty() ? std::vector<Order>{order_in_node(cluster, ranks)} : found;
}

/// In which rings may pass through a node between two others.
std::vector<Order> orders_through_node(const Cluster& cluster, const Order& ranks)
{
  std::vector<Order> found = paths_through_mesh(cluster, ranks);
  return found.empty() ? rings_in_node(cluster, ranks) : found;
}

/// The NIC by which a rank that is no GPU reaches a rank of another node; invalid where there is none on the way.
VertexId nearest_nic(const Cluster& cluster, VertexId rank, VertexId elsewhere)
{
  for (const LinkId link : cluster.route(rank, elsewhere))
    if (cluster.vertex(cluster.link(link).to).kind == VertexKind::nic)
      return cluster.link(link).to;
  return {};
}

/// First ranks of a node by NIC: one of the ranks that send by it, in the order of the NICs. A ring enters and leaves a
/// node by the NIC of its number, whichever way the network would be shorter.
std::vector<VertexId> entries(const Cluster& cluster, const Order& members, VertexId elsewhere)
{
  std::map<VertexId, VertexId> by_nic;
  for (const VertexId rank : members)
    by_nic.try_emplace(cluster.vertex(rank).kind == VertexKind::gpu ? cluster.nic_of(rank)
                                                                    : nearest_nic(cluster, rank, elsewhere),
                       rank);
  std::vector<VertexId> result;
  for (const auto& [nic, rank] : by_nic)
    result.push_back(rank);
  return result;
}

/// Doors of rings that all take @p order through a node: where two would end at ranks of one card, rings begin at the
/// first of a card's neighbours; where the ranks of each card stand together in the order, each ring then ends at a
/// rank of another card.
void leave_by_cards_of_their_own(const Cluster& cluster, const Order& order, std::span<VertexId> doors)
{
  const auto card = [&](VertexId rank) {
    return cluster.vertex(rank).kind == VertexKind::gpu ? cluster.nic_of(rank) : VertexId{};
  };
  const auto before = [&](VertexId rank) { return beginning_with(order, rank).back(); };
  std::set<VertexId> left_by;
  for (const VertexId door : doors)
    left_by.insert(card(before(door)));
  if (left_by.size() == doors.size())
    return;
  for (VertexId& door : doors)
    for (std::size_t i = 0; i < order.size() && card(before(door)) == card(door); ++i)
      door = before(door);
}

/// Which order each ring takes through a node that it enters at its door: one whose last rank sends by a card that no
/// other ring leaves by, and each order as often as the others, where that is possible; else in turn.
std::vector<std::size_t> orders_by_ring(const Cluster& cluster, const std::vector<Order>& orders,
                                        const std::vector<VertexId>& doors, std::size_t rings)
{
  std::vector<std::size_t> chosen;
  std::vector<std::size_t> taken(orders.size());
  std::set<VertexId> cards;
  const std::size_t most = (rings + orders.size() - 1) / orders.size();
  int budget = 100'000;
  const auto choose = [&](const auto& self) -> bool {
    if (chosen.size() == rings)
      return true;
    const VertexId door = doors[chosen.size()];
    for (std::size_t i = 0; i < orders.size() && --budget > 0; ++i) {
      const std::size_t order = (chosen.size() + i) % orders.size();
      const VertexId last = beginning_with(orders[order], door).back();
      if (taken[order] == most || cluster.vertex(last).kind != VertexKind::gpu ||
          !cards.insert(cluster.nic_of(last)).second)
        continue;
      ++taken[order];
      chosen.push_back(order);
      if (self(self))
        return true;
      chosen.pop_back();
      --taken[order];
      cards.erase(cluster.nic_of(last));
    }
    return false;
  };
  if (orders.size() < 2 || doors.empty() || !choose(choose))
    for (std::size_t ring = 0; ring < rings; ++ring)
      chosen.push_back(ring % orders.size());
  return chosen;
}

/// Sets the bandwidths of rings whose orders are known.
void set_bandwidth(const Cluster& cluster, const Order& ranks, Rings& found)
{
  std::vector<int> crossed; // links, once for each ring over them
  std::set<int> crossed_inside;
  for (const Order& order : found.orders)
    for (std::size_t i = 0; i < order.size(); ++i) {
      const VertexId from = order[i], to = order[(i + 1) % order.size()];
      for (const LinkId link : cluster.seen_route(from, to, RouteChoice{.forwarders = &ranks})) {
        crossed.push_back(link.index);
        if (cluster.vertex(from).node == cluster.vertex(to).node)
          crossed_inside.insert(link.index);
      }
    }
  std::ranges::sort(crossed);
  const auto all = static_cast<double>(found.orders.size());
  found.bandwidth = found.inside = BytesPerSecond{std::numeric_limits<double>::infinity()};
  found.by_kind.fill(found.bandwidth);
  for (auto first = crossed.begin(); first != crossed.end();) {
    const auto next = std::ranges::upper_bound(first, crossed.end(), *first);
    const Link& link = cluster.link(LinkId{*first});
    const BytesPerSecond share = link.data_rate() / static_cast<double>(next - first) * all;
    BytesPerSecond& of_kind = found.by_kind.at(static_cast<std::size_t>(link.kind));
    of_kind = std::min(of_kind, share);
    found.bandwidth = std::min(found.bandwidth, share);
    if (crossed_inside.contains(*first))
      found.inside = std::min(found.inside, share);
    first = next;
  }
}

/// Rings over several nodes, at most @p most.
std::vector<Order> rings_over_nodes(const Cluster& cluster, const std::vector<Order>& nodes, std::size_t most)
{
  if (std::ranges::all_of(nodes, [](const Order& members) { return members.size() == 1; })) {
    Order ring;
    ring.reserve(nodes.size());
    for (const Order& members : nodes)
      ring.push_back(members.front());
    return {std::move(ring)};
  }
  std::vector<std::vector<VertexId>> doors;
  std::size_t count = most;
  for (std::size_t i = 0; i < nodes.size() && count > 1; ++i) {
    doors.push_back(entries(cluster, nodes[i], nodes[(i + 1) % nodes.size()].front()));
    count = std::min(count, doors.back().size());
  }
  std::map<std::vector<int>, std::vector<std::vector<int>>>
      known; // orders by the positions of the ranks in their node: equal nodes are searched once
  std::map<const void*, std::vector<std::size_t>> chosen; // by the orders of equal nodes
  std::vector<const std::vector<std::size_t>*> order_of;  // by node: of each ring
  std::vector<std::vector<Order>> inside;
  for (const Order& members : nodes) {
    std::vector<int> shape;
    const int id = cluster.vertex(members.front()).node.index;
    const Node* node = id >= 0 && static_cast<std::size_t>(id) < cluster.nodes().size()
                           ? &cluster.nodes()[static_cast<std::size_t>(id)]
                           : nullptr;
    for (const VertexId rank : members)
      shape.push_back(rank.index - (node != nullptr ? node->host.index : rank.index));
    shape.push_back(node != nullptr ? static_cast<int>(node->gpus.size() * 1000 + node->nics.size()) : 0);
    for (const char letter : node != nullptr ? node->group : std::string{})
      shape.push_back(letter);
    auto found = known.find(shape);
    if (found == known.end()) {
      std::vector<std::vector<int>> indices;
      for (const Order& order :
           count > 1 ? orders_through_node(cluster, members) : std::vector<Order>{order_in_node(cluster, members)}) {
        auto& each = indices.emplace_back();
        for (const VertexId rank : order)
          each.push_back(static_cast<int>(std::ranges::find(members, rank) - members.begin()));
      }
      found = known.emplace(std::move(shape), std::move(indices)).first;
    }
    auto& orders = inside.emplace_back();
    for (const auto& indices : found->second) {
      Order& order = orders.emplace_back();
      for (const int index : indices)
        order.push_back(members[static_cast<std::size_t>(index)]);
    }
    if (count > 1 && orders.size() == 1)
      leave_by_cards_of_their_own(cluster, orders.front(), std::span{doors[inside.size() - 1]}.first(count));
    auto& choice = chosen[&found->second];
    if (choice.empty())
      choice = orders_by_ring(cluster, orders, count > 1 ? doors[inside.size() - 1] : Order{}, count);
    order_of.push_back(&choice);
  }
  std::vector<Order> result;
  for (std::size_t channel = 0; channel < count; ++channel) {
    Order& ring = result.emplace_back();
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      Order part = inside[i][(*order_of[i])[channel]];
      if (count > 1)
        part = beginning_with(std::move(part), doors[i][channel]);
      if (i % 2 != 0)
        std::ranges::reverse(part);
      ring.insert(ring.end(), part.begin(), part.end());
    }
  }
  return result;
}

} // namespace

std::vector<VertexId> ring_order(const Cluster& cluster, const std::vector<VertexId>& ranks)
{
  if (ranks.size() < 3)
    return ranks;
  const std::vector<Order> nodes = by_node(cluster, ranks);
  Order order = nodes.size() == 1 ? order_in_node(cluster, nodes.front()) : rings_over_nodes(cluster, nodes, 1).front();
  return beginning_with(std::move(order), ranks.front());
}

Rings rings(const Cluster& cluster, const std::vector<VertexId>& ranks)
{
  Rings result;
  if (ranks.size() < 2) {
    result.orders = std::vector<Order>{ranks};
    set_bandwidth(cluster, ranks, result);
    return result;
  }
  const std::vector<Order> nodes = by_node(cluster, ranks);
  std::vector<Order> orders = nodes.size() == 1
                                  ? rings_in_node(cluster, nodes.front())
                                  : rings_over_nodes(cluster, nodes, std::numeric_limits<std::size_t>::max());
  for (Order& order : orders)
    order = beginning_with(std::move(order), ranks.front());
  result.orders = std::move(orders);
  set_bandwidth(cluster, ranks, result);
  return result;
}

int channels(const Cluster& cluster, const std::vector<VertexId>& ranks)
{
  return static_cast<int>(rings(cluster, ranks).orders.size());
}

} // namespace trainyard
