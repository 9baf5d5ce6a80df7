// SPDX-License-Identifier: Apache-2.0
// The packing of link-disjoint rings into a mesh of links between GPUs: depth first over the few Hamiltonian cycles of
// eight vertices, cut off by the smallest remaining degree.
#include "models/cluster/rings.hpp"

#include <algorithm>
#include <limits>
#include <numeric>
#include <utility>

namespace trainyard {
namespace {

using Order = std::vector<VertexId>;

constexpr std::size_t most_packed = 8; // ranks of a node into which rings are packed

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
      if (!joins_gpus(link.kind))
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

/// No more directed rings fit than the member with the fewest links has.
std::size_t most_rings(const Mesh& mesh)
{
  int result = std::numeric_limits<int>::max();
  for (const std::vector<int>& row : mesh.links)
    result = std::min(result, std::accumulate(row.begin(), row.end(), 0));
  return static_cast<std::size_t>(result);
}

/// Rings over direct links: a cycle always with its reverse, since both use the same links, one in each direction;
/// where that leaves links free (an odd number at each member, as where all are joined with all), each for itself.
std::vector<Cycle> direct_rings(const Mesh& mesh)
{
  const std::size_t n = mesh.links.size();
  if (n == 2)
    return std::vector<Cycle>(static_cast<std::size_t>(mesh.links[0][1]), Cycle{0, 1});
  std::vector<Cycle> cycles;
  Cycle path{0};
  extend(cycles, path, n,
         [&](int a, int b) { return mesh.links[static_cast<std::size_t>(a)][static_cast<std::size_t>(b)] > 0; });
  std::vector<std::vector<std::pair<int, int>>> uses;
  const auto add_uses = [&](bool reverse_too) {
    uses.clear();
    for (const Cycle& cycle : cycles) {
      auto& use = uses.emplace_back();
      for (std::size_t i = 0; i < n; ++i)
        use.emplace_back(cycle[i], cycle[(i + 1) % n]);
      for (std::size_t i = 0; i < n && reverse_too; ++i)
        use.emplace_back(cycle[(i + 1) % n], cycle[i]);
    }
  };
  std::vector<Cycle> single;
  if (most_rings(mesh) % 2 == 1) {
    add_uses(false);
    const Packing packing{mesh.links, uses, 1};
    for (const std::size_t index : packing.best())
      single.push_back(cycles[index]);
  }
  std::erase_if(cycles, [](const Cycle& cycle) { return cycle[1] > cycle.back(); });
  add_uses(true);
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
  return single.size() > result.size() ? single : result;
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
        const auto path = cluster.route(ranks[i], ranks[k], RouteChoice{.forwarders = &ranks});
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

} // namespace

std::vector<Order> rings_in_mesh(const Cluster& cluster, const Order& ranks)
{
  std::vector<Order> result;
  if (ranks.size() < 2 || ranks.size() > most_packed)
    return result;
  const Mesh mesh = mesh_of(cluster, ranks);
  if (!mesh.meshed)
    return result;
  std::vector<Cycle> cycles = direct_rings(mesh);
  if (cycles.empty())
    cycles = forwarded_rings(cluster, ranks, mesh);
  for (const Cycle& cycle : cycles) {
    Order& order = result.emplace_back();
    for (const int index : cycle)
      order.push_back(ranks[static_cast<std::size_t>(index)]);
  }
  return result;
}

std::vector<Order> paths_through_mesh(const Cluster& cluster, const Order& ranks)
{
  const std::size_t n = ranks.size();
  const Mesh mesh = n % 2 == 0 && n <= most_packed ? mesh_of(cluster, ranks) : Mesh{};
  bool complete = mesh.meshed;
  for (std::size_t i = 0; i < n && complete; ++i)
    for (std::size_t k = 0; k < n; ++k)
      complete = complete && (i == k || mesh.links[i][k] == 1);
  if (!complete)
    return {};
  std::vector<Order> orders(n);
  for (std::size_t first = 0; first < n; ++first)
    for (std::size_t i = 0; i < n; ++i)
      orders[first].push_back(ranks[(first + (i % 2 == 1 ? (i + 1) / 2 : n - i / 2)) % n]);
  return orders;
}

} // namespace trainyard
