// SPDX-License-Identifier: Apache-2.0
#include "models/cluster/layout.hpp"

#include <algorithm>
#include <numeric>

namespace trainyard {
namespace {

/// Extended generalised fat tree XGFT(h; m_1..m_h; w_1..w_h): a switch of level l has m_l children and w_(l+1) parents.
/// The k-ary fat tree with h levels is m = (k/2, …, k/2, k), w = (1, k/2, …, k/2): k^3/4 ports for h = 3, every switch
/// with k ports, nothing blocks.
///
/// A switch of level l is named by the digits a_h … a_(l+1) (its place below the top) and b_l … b_1 (its number among
/// equal switches); levels l and l+1 are joined where all digits but the (l+1)-th agree. Sources: Al-Fares et al.,
/// SIGCOMM 2008 (k-ary); Öhring et al., "On generalized fat trees", IPPS 1995 (XGFT).
class FatTree final : public NetworkLayout
{
public:
  explicit FatTree(const Settings& settings) : settings_{settings} {}

  static std::vector<Parameter> parameters()
  {
    return {
        {"k", "integer", "smallest that fits", "ports of every switch (even)", 2, most_ports},
        {"levels", "integer", "3", "levels of switches", 1, 5},
        {"down", "name", "", "children of a switch by level from the bottom, instead of k: \"8 8 4\""},
        {"up", "name", "",
         "parents by level; the first is 1 (NIC to edge switch): \"1 4 8\"; fewer parents than children is "
         "oversubscription"},
        routing_parameter(),
    };
  }

  void connect(NetworkContext& context) const override
  {
    std::vector<int> m;
    std::vector<int> w;
    const int nics = context.most_nics();
    if (!shape(context, nics, m, w))
      return;
    const int per_edge = m[0] / nics;
    long long room = per_edge;
    for (std::size_t l = 1; l < m.size(); ++l)
      room *= m[l];
    if (room < context.machines()) {
      const std::optional<int> k = smallest_k(context.machines(), nics);
      context.report.error("cluster.network", "this fat tree has ports for " + std::to_string(room) + " nodes with " +
                                                  std::to_string(nics) + " NICs each, not for " +
                                                  std::to_string(context.machines()) +
                                                  (settings_.has("down") ? "; raise down"
                                                   : k                   ? "; k: " + std::to_string(*k) + " is enough"
                                                       : "; raise levels: no switch has that many ports"));
      return;
    }
    // Only as many parts of the top level as hold nodes are built; the top switches are all there.
    const long long below_top = room / m.back();
    if (m.size() > 1)
      m.back() = static_cast<int>((context.machines() + below_top - 1) / below_top);
    build(context, m, w, per_edge, context.adaptive(settings_));
  }

  /// Hashed paths over several tiers meet as chance has it: no part stands for the whole.
  std::optional<std::vector<int>> tiers(const EvenMachines& machines) const override
  {
    if (settings_.has("down") || settings_.has("up") || !spreads_packets(settings_, machines.link))
      return std::nullopt;
    const std::optional<int> fits = smallest_k(machines.count, machines.nics);
    const int k = settings_.integer("k", fits.value_or(0)), levels = settings_.integer("levels", 3);
    int together = (levels > 1 ? k / 2 : k) / machines.nics;
    if (together < 1)
      return std::nullopt;
    std::vector<int> result;
    for (int level = 0; level + 1 < levels && together < machines.count; ++level, together *= k / 2)
      result.push_back(together);
    return result;
  }

private:
  static constexpr int most_ports = 1024;

  /// The fewest ports of a switch with which the tree has room; nothing: more than the range of k. A node's NICs are on
  /// one edge switch, so that ports of it may stay free.
  std::optional<int> smallest_k(int nodes, int nics) const
  {
    const int levels = settings_.integer("levels", 3);
    for (int k = 2; k <= most_ports; k += 2) {
      long long room = (levels > 1 ? k / 2 : k) / nics;
      for (int level = 1; level < levels; ++level)
        room *= level + 1 < levels ? k / 2 : k;
      if (room >= nodes)
        return k;
    }
    return std::nullopt;
  }

  bool shape(NetworkContext& context, int nics, std::vector<int>& m, std::vector<int>& w) const
  {
    if (settings_.has("down") || settings_.has("up")) {
      const auto down = numbers_in(settings_.text("down", ""));
      const auto up = numbers_in(settings_.text("up", ""));
      if (!down || !up || down->empty() || down->size() != up->size() || up->front() != 1) {
        context.report.error("cluster.network", "'down' and 'up' need one whole number above zero for each level, and "
                                                "'up' starts with 1: down: \"8 8 4\", up: \"1 8 8\"");
        return false;
      }
      long long switches = 1;
      for (std::size_t i = 0; i < down->size(); ++i)
        switches *= std::max((*down)[i], (*up)[i]);
      if (switches > 10'000'000) {
        context.report.error("cluster.network", "a fat tree of that many switches does not fit");
        return false;
      }
      m = *down;
      w = *up;
      return true;
    }
    const int levels = settings_.integer("levels", 3);
    const int k = settings_.integer("k", smallest_k(context.machines(), nics).value_or(most_ports));
    if (k % 2 != 0) {
      context.report.error("cluster.network.k", "must be even");
      return false;
    }
    m.assign(static_cast<std::size_t>(levels), k / 2);
    w.assign(static_cast<std::size_t>(levels), k / 2);
    m.back() = k;
    w.front() = 1;
    return true;
  }

  /// The places of a level that hold switches: all of them, or those above the nodes of a sample.
  static std::vector<long long> places_at(const NetworkContext& context, const std::vector<int>& m, std::size_t level,
                                          int per_edge)
  {
    long long below = per_edge; // nodes of one place
    for (std::size_t i = 1; i <= level; ++i)
      below *= m[i];
    std::vector<long long> places;
    if (context.machines() == context.nodes()) {
      long long all = 1;
      for (std::size_t i = level + 1; i < m.size(); ++i)
        all *= m[i];
      places.resize(static_cast<std::size_t>(all));
      std::iota(places.begin(), places.end(), 0LL);
      return places;
    }
    for (int i = 0; i < context.nodes(); ++i)
      if (const long long place = context.number(i) / below; places.empty() || places.back() != place)
        places.push_back(place);
    return places;
  }

  /// With adaptive routing the equal switches of a place (all digits b) are one.
  static void build(NetworkContext& context, const std::vector<int>& m, const std::vector<int>& w, int per_edge,
                    bool adaptive)
  {
    static const std::vector<std::string> three{"edge-", "aggregation-", "core-"};
    const std::size_t levels = m.size();
    std::vector<std::vector<VertexId>> switches(levels);
    std::vector<std::vector<long long>> places(levels);
    const auto index_of = [&places](std::size_t level, long long place) { // all places are there, or few
      const std::vector<long long>& known = places[level];
      const auto index = static_cast<std::size_t>(place);
      return index < known.size() && known[index] == place
                 ? index
                 : static_cast<std::size_t>(std::ranges::lower_bound(known, place) - known.begin());
    };
    for (std::size_t l = 0; l < levels; ++l) {
      // Index of a switch of level l+1 (counted from 1): the a digits are the high part, the b digits the low part.
      places[l] = places_at(context, m, l, per_edge);
      long long equals = 1;
      for (std::size_t i = 1; i <= l; ++i)
        equals *= w[i];
      const std::string prefix = levels == 3   ? three[l]
                                 : levels == 2 ? (l == 0 ? "edge-" : "core-")
                                               : "level-" + std::to_string(l + 1) + "-";
      const long long together = adaptive ? equals : 1;
      for (const long long place : places[l])
        for (long long i = 0; i < equals / together; ++i)
          switches[l].push_back(context.add_switch(prefix + std::to_string(place * (equals / together) + i)));
      if (l == 0)
        continue;
      if (adaptive) {
        for (std::size_t child = 0; child < switches[l - 1].size(); ++child)
          context.join(switches[l - 1][child], switches[l][index_of(l, places[l - 1][child] / m[l])],
                       context.link.bandwidth, static_cast<int>(equals));
        continue;
      }
      // Child (a_(l+1), place; b): its parents have the same place above and the same b digits, and any digit b_(l+1).
      const long long child_equals = equals / w[l];
      for (std::size_t child = 0; child < switches[l - 1].size(); ++child) {
        const auto number = static_cast<long long>(child);
        const long long place = number / child_equals / m[l];
        const long long b = number % child_equals;
        for (int up = 0; up < w[l]; ++up) {
          const long long parent = place * equals + up * child_equals + b;
          context.join(switches[l - 1][child], switches[l][static_cast<std::size_t>(parent)], context.link.bandwidth);
        }
      }
    }
    for (int i = 0; i < context.nodes(); ++i) {
      const int edge = context.number(i) / per_edge;
      std::vector<int> position(levels);
      // Coordinates from the top down: pod, …, edge switch within it, port.
      int rest = edge;
      position.back() = context.number(i) % per_edge;
      for (std::size_t l = 1; l < levels; ++l) {
        position[levels - 1 - l] = rest % m[l];
        rest /= m[l];
      }
      const int rack = context.racks_given ? context.cluster.node(NodeId{i}).rack : edge;
      context.cluster.place(NodeId{i}, rack, std::move(position));
      context.attach_all(NodeId{i}, switches[0][index_of(0, edge)]);
    }
  }

  Settings settings_;
};

TY_REGISTER(NetworkLayout, FatTree, "fat_tree", "k-ary fat tree, or any generalised fat tree by levels");

} // namespace
} // namespace trainyard
