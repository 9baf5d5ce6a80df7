// SPDX-License-Identifier: Apache-2.0
// Ring orders. Three searches, from large to small: the order of nodes (by position, no search), the order of GPUs
// within a node (Held and Karp's dynamic programme over subsets, once for the bottleneck and once for the cost), and
// the packing of link-disjoint rings into an NVLink mesh (depth first over the few Hamiltonian cycles of eight
// vertices, cut off by the smallest remaining degree).
#include "models/cluster/rings.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <numeric>
#include <utility>

namespace trainyard {
namespace {

using Order = std::vector<VertexId>;
using Matrix = std::vector<std::vector<double>>;

constexpr std::size_t most_exact = 12; // ranks of a node that are ordered by exact search
constexpr std::size_t most_packed = 8; // ranks of a node into which rings are packed

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
    result += link.kind == LinkKind::nvlink ? 2 : link.kind == LinkKind::pcie ? 4 : 32;
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
  std::vector<std::pair<std::vector<int>, Order>> keyed;
  std::vector<std::pair<std::vector<int>, Order>> snake;
  std::vector<int> longest;
  for (auto& [node, members] : groups)
    if (node >= 0) {
      const auto& position = cluster.nodes()[static_cast<std::size_t>(node)].position;
      longest.resize(std::max(longest.size(), position.size()), 0);
      for (std::size_t i = 0; i < position.size(); ++i)
        longest[i] = std::max(longest[i], position[i] + 1);
    }
  for (auto& [node, members] : groups) {
    std::ranges::stable_sort(members);
    std::vector<int> key{node};
    std::vector<int> turned{node};
    if (node >= 0) {
      key = cluster.nodes()[static_cast<std::size_t>(node)].position;
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
    keyed.emplace_back(key, members);
    snake.emplace_back(turned, members);
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
  if (keyed.size() > 2 && longest.size() > 1 && hops(snake) < hops(keyed))
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

// ---- link-disjoint rings in a mesh ----

/// A mesh of point-to-point NVLinks among the ranks of one node: number of links by pair.
struct Mesh {
  std::vector<std::vector<int>> links;
  bool meshed = false; // at least one direct link, and no NVSwitch
};

Mesh mesh_of(const Cluster& cluster, const Order& ranks)
{
  Mesh mesh{std::vector<std::vector<int>>(ranks.size(), std::vector<int>(ranks.size(), 0)), false};
  for (std::size_t i = 0; i < ranks.size(); ++i)
    for (const LinkId out : cluster.outgoing(ranks[i])) {
      const Link& link = cluster.link(out);
      if (link.kind != LinkKind::nvlink)
        continue;
      if (cluster.vertex(link.to).kind == VertexKind::nv_switch)
        return {mesh.links, false};
      const auto found = std::ranges::find(ranks, link.to);
      if (found != ranks.end()) {
        mesh.links[i][static_cast<std::size_t>(found - ranks.begin())] += link.width;
        mesh.meshed = true;
      }
    }
  return mesh;
}

using Cycle = std::vector<int>;

/// All Hamiltonian cycles from vertex 0 over edges that @p allowed grants, each direction for itself.
template <class Allowed>
void extend(std::vector<Cycle>& found, Cycle& path, std::size_t n, const Allowed& allowed)
{
  if (path.size() == n) {
    if (allowed(path.back(), 0))
      found.push_back(path);
    return;
  }
  for (int next = 1; next < static_cast<int>(n); ++next)
    if (std::ranges::find(path, next) == path.end() && allowed(path.back(), next)) {
      path.push_back(next);
      extend(found, path, n, allowed);
      path.pop_back();
    }
}

/// The largest number of the given directed rings, repetition allowed, that fit into the links together; @p hops gives
/// the directed links that a ring uses from one member to the next. Gives up looking for better after a fixed number of
/// steps.
class Packing
{
public:
  Packing(std::vector<std::vector<int>> capacity, std::vector<std::vector<std::pair<int, int>>> uses,
          int links_per_member)
      : capacity_{std::move(capacity)}, uses_{std::move(uses)}, links_per_member_{links_per_member}
  {
    search(0);
  }
  const std::vector<std::size_t>& best() const { return best_; }

private:
  /// No more rings than the vertex with the fewest free links in or out allows.
  std::size_t bound() const
  {
    int result = std::numeric_limits<int>::max();
    for (std::size_t i = 0; i < capacity_.size(); ++i) {
      int out = 0;
      int in = 0;
      for (std::size_t k = 0; k < capacity_.size(); ++k) {
        out += capacity_[i][k];
        in += capacity_[k][i];
      }
      result = std::min({result, out, in});
    }
    return static_cast<std::size_t>(result / links_per_member_);
  }

  void search(std::size_t first)
  {
    if (chosen_.size() > best_.size())
      best_ = chosen_;
    if (--budget_ < 0 || chosen_.size() + bound() <= best_.size())
      return;
    for (std::size_t i = first; i < uses_.size(); ++i) {
      std::size_t taken = 0;
      bool fits = true;
      for (; taken < uses_[i].size() && fits; ++taken) {
        int& left = capacity_[static_cast<std::size_t>(uses_[i][taken].first)]
                             [static_cast<std::size_t>(uses_[i][taken].second)];
        fits = --left >= 0;
      }
      if (fits) {
        chosen_.push_back(i);
        search(i);
        chosen_.pop_back();
      }
      for (std::size_t k = 0; k < taken; ++k)
        ++capacity_[static_cast<std::size_t>(uses_[i][k].first)][static_cast<std::size_t>(uses_[i][k].second)];
      if (budget_ < 0)
        return;
    }
  }

  std::vector<std::vector<int>> capacity_;
  std::vector<std::vector<std::pair<int, int>>> uses_;
  int links_per_member_; // that one ring takes out of, and into, each member
  std::vector<std::size_t> chosen_;
  std::vector<std::size_t> best_;
  long budget_ = 200'000;
};

/// Rings over direct links, always a cycle with its reverse: both use the same links, one in each direction.
std::vector<Cycle> direct_rings(const Mesh& mesh)
{
  const std::size_t n = mesh.links.size();
  if (n == 2)
    return std::vector<Cycle>(static_cast<std::size_t>(mesh.links[0][1]), Cycle{0, 1});
  std::vector<Cycle> cycles;
  Cycle path{0};
  extend(cycles, path, n,
         [&](int a, int b) { return mesh.links[static_cast<std::size_t>(a)][static_cast<std::size_t>(b)] > 0; });
  std::erase_if(cycles, [](const Cycle& cycle) { return cycle[1] > cycle.back(); });
  std::vector<std::vector<std::pair<int, int>>> uses;
  for (const Cycle& cycle : cycles) {
    auto& use = uses.emplace_back();
    for (std::size_t i = 0; i < n; ++i)
      use.emplace_back(cycle[i], cycle[(i + 1) % n]);
    for (std::size_t i = 0; i < n; ++i)
      use.emplace_back(cycle[(i + 1) % n], cycle[i]);
  }
  const Packing packing{mesh.links, uses, 2};
  std::vector<Cycle> result;
  for (const std::size_t index : packing.best()) {
    const Cycle& cycle = cycles[index];
    result.push_back(cycle);
    Cycle& back = result.emplace_back();
    back.push_back(cycle.front());
    for (std::size_t i = cycle.size() - 1; i > 0; --i)
      back.push_back(cycle[i]);
  }
  return result;
}

/// Rings in which a rank without a link to its neighbour goes over one other rank; as few such detours per ring as
/// possible.
std::vector<Cycle> forwarded_rings(const Cluster& cluster, const Order& ranks, const Mesh& mesh)
{
  const std::size_t n = ranks.size();
  const auto links = [&](int a, int b) { return mesh.links[static_cast<std::size_t>(a)][static_cast<std::size_t>(b)]; };
  // The rank between two, as the route chooses it.
  std::vector<std::vector<int>> between(n);
  for (auto& row : between)
    row.assign(n, -1);
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t k = 0; k < n; ++k)
      if (i != k && mesh.links[i][k] == 0) {
        const auto path = route(cluster, ranks[i], ranks[k], ranks);
        const auto over = std::ranges::find(ranks, cluster.link(path.front()).to);
        if (path.size() == 2 && over != ranks.end())
          between[i][k] = static_cast<int>(over - ranks.begin());
      }
  const auto over = [&](int a, int b) { return between[static_cast<std::size_t>(a)][static_cast<std::size_t>(b)]; };
  std::vector<Cycle> cycles;
  Cycle path{0};
  extend(cycles, path, n, [&](int a, int b) { return links(a, b) > 0 || over(a, b) >= 0; });
  const auto detours = [&](const Cycle& cycle) {
    int count = 0;
    for (std::size_t i = 0; i < n; ++i)
      count += links(cycle[i], cycle[(i + 1) % n]) == 0;
    return count;
  };
  if (cycles.empty())
    return {};
  int fewest = std::numeric_limits<int>::max();
  for (const Cycle& cycle : cycles)
    fewest = std::min(fewest, detours(cycle));
  std::erase_if(cycles, [&](const Cycle& cycle) { return detours(cycle) > fewest; });
  std::vector<std::vector<std::pair<int, int>>> uses;
  for (const Cycle& cycle : cycles) {
    auto& use = uses.emplace_back();
    for (std::size_t i = 0; i < n; ++i) {
      const int a = cycle[i];
      const int b = cycle[(i + 1) % n];
      if (links(a, b) > 0)
        use.emplace_back(a, b);
      else {
        use.emplace_back(a, over(a, b));
        use.emplace_back(over(a, b), b);
      }
    }
  }
  const Packing packing{mesh.links, uses, 1};
  std::vector<Cycle> result;
  for (const std::size_t index : packing.best())
    result.push_back(cycles[index]);
  return result;
}

std::vector<Order> rings_in_node(const Cluster& cluster, const Order& ranks)
{
  if (ranks.size() >= 2 && ranks.size() <= most_packed)
    if (const Mesh mesh = mesh_of(cluster, ranks); mesh.meshed) {
      std::vector<Cycle> cycles = direct_rings(mesh);
      if (cycles.empty())
        cycles = forwarded_rings(cluster, ranks, mesh);
      std::vector<Order> result;
      for (const Cycle& cycle : cycles) {
        Order& order = result.emplace_back();
        for (const int index : cycle)
          order.push_back(ranks[static_cast<std::size_t>(index)]);
      }
      if (!result.empty())
        return result;
    }
  return {order_in_node(cluster, ranks)};
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

/// Sets the bandwidths of rings whose orders are known.
void set_bandwidth(const Cluster& cluster, const Order& ranks, Rings& found)
{
  std::map<LinkId, int> load;
  for (const Order& order : found.orders)
    for (std::size_t i = 0; i < order.size(); ++i)
      for (const LinkId link : route(cluster, order[i], order[(i + 1) % order.size()], ranks))
        ++load[link];
  BytesPerSecond slowest{std::numeric_limits<double>::infinity()}, off_nvlink = slowest;
  for (const auto& [link, rings] : load) {
    const BytesPerSecond share = cluster.link(link).data_rate() / rings;
    slowest = std::min(slowest, share);
    if (cluster.link(link).kind != LinkKind::nvlink)
      off_nvlink = std::min(off_nvlink, share);
  }
  found.bandwidth = slowest * static_cast<double>(found.orders.size());
  found.off_nvlink = off_nvlink * static_cast<double>(found.orders.size());
}

/// Rings over several nodes, at most @p most.
std::vector<Order> rings_over_nodes(const Cluster& cluster, const std::vector<Order>& nodes, std::size_t most)
{
  std::vector<std::vector<VertexId>> doors;
  std::size_t count = most;
  for (std::size_t i = 0; i < nodes.size() && count > 1; ++i) {
    doors.push_back(entries(cluster, nodes[i], nodes[(i + 1) % nodes.size()].front()));
    count = std::min(count, doors.back().size());
  }
  std::map<std::vector<int>, std::vector<std::vector<int>>>
      known; // orders by the positions of the ranks in their node: equal nodes are searched once
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
           count > 1 ? rings_in_node(cluster, members) : std::vector<Order>{order_in_node(cluster, members)}) {
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
  }
  std::vector<Order> result;
  for (std::size_t channel = 0; channel < count; ++channel) {
    Order& ring = result.emplace_back();
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      Order part = inside[i][channel % inside[i].size()];
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
  if (ranks.size() < 2)
    return {{ranks},
            BytesPerSecond{std::numeric_limits<double>::infinity()},
            BytesPerSecond{std::numeric_limits<double>::infinity()}};
  const std::vector<Order> nodes = by_node(cluster, ranks);
  result.orders = nodes.size() == 1 ? rings_in_node(cluster, nodes.front())
                                    : rings_over_nodes(cluster, nodes, std::numeric_limits<std::size_t>::max());
  for (Order& order : result.orders)
    order = beginning_with(std::move(order), ranks.front());
  set_bandwidth(cluster, ranks, result);
  return result;
}

int channels(const Cluster& cluster, const std::vector<VertexId>& ranks)
{
  return static_cast<int>(rings(cluster, ranks).orders.size());
}

} // namespace trainyard
