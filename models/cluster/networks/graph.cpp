// SPDX-License-Identifier: Apache-2.0
#include "models/cluster/layout.hpp"
#include "models/core/closest.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <set>

namespace trainyard {
namespace {

/// What a name in a wire means: one switch, or NICs.
struct End {
  VertexId network_switch;
  std::vector<std::pair<NodeId, std::size_t>> nics; // node and number of the NIC
  std::vector<VertexId> vertices;
};

/// Switches and links as the user lists them.
class Graph final : public NetworkLayout
{
public:
  void connect(NetworkContext& context) const override
  {
    std::map<std::string, End> ends = nodes_by_name(context);
    add_switches(context, ends);
    add_wires(context, ends);
    find_gaps(context);
    for (int i = 0; i < context.nodes(); ++i)
      context.cluster.place(NodeId{i}, context.racks_given ? context.cluster.node(NodeId{i}).rack : 0, {i});
  }

private:
  static std::map<std::string, End> nodes_by_name(const NetworkContext& context)
  {
    std::map<std::string, End> ends;
    for (int i = 0; i < context.nodes(); ++i) {
      const Node& node = context.cluster.node(NodeId{i});
      for (std::size_t k = 0; k < node.nics.size(); ++k)
        for (const std::string& name : {node.group, node.name, context.cluster.vertex(node.nics[k]).name}) {
          ends[name].nics.emplace_back(NodeId{i}, k);
          ends[name].vertices.push_back(node.nics[k]);
        }
    }
    return ends;
  }

  static void add_switches(NetworkContext& context, std::map<std::string, End>& ends)
  {
    for (std::size_t i = 0; i < context.spec.switches.size(); ++i) {
      const std::string& name = context.spec.switches[i];
      const std::string path = "cluster.network.switches." + std::to_string(i);
      if (name.empty())
        context.report.error(path, "a switch needs a name");
      else if (ends.contains(name))
        context.report.error(path, "the name '" + name + "' is taken already");
      else {
        End& end = ends[name];
        end.network_switch = context.add_switch(name);
        end.vertices.push_back(end.network_switch);
      }
    }
  }

  static void add_wires(NetworkContext& context, const std::map<std::string, End>& ends)
  {
    const std::vector<std::string> names = keys_of(ends);
    std::map<std::pair<VertexId, VertexId>, std::string> seen;
    for (std::size_t i = 0; i < context.spec.wires.size(); ++i) {
      const WireSpec& wire = context.spec.wires[i];
      const std::string path = "cluster.network.wires." + std::to_string(i);
      const auto from = ends.find(wire.from);
      const auto to = ends.find(wire.to);
      for (const auto& [key, name, found] : {std::tuple{".from", wire.from, from}, std::tuple{".to", wire.to, to}})
        if (found == ends.end())
          context.report.error(path + key,
                               "no switch, node or NIC is named '" + name + "'" + did_you_mean(name, names));
      if (wire.count < 1)
        context.report.error(path + ".count", "must be at least 1");
      if (from == ends.end() || to == ends.end() || wire.count < 1)
        continue;
      if (from == to) {
        context.report.error(path, "'" + wire.from + "' is linked to itself");
        continue;
      }
      const LinkType type = wire.link.empty() ? context.link : context.report.link(wire.link, path + ".link");
      const Seconds latency = wire.latency.value_or(type.latency);
      for (const VertexId a : from->second.vertices)
        for (const VertexId b : to->second.vertices) {
          if (a == b) {
            context.report.error(path, "'" + context.cluster.vertex(a).name + "' is linked to itself");
            continue;
          }
          if (!seen.try_emplace(std::minmax(a, b), path).second) {
            context.report.error(path, "a second link between '" + context.cluster.vertex(a).name + "' and '" +
                                           context.cluster.vertex(b).name + "' (first: " + seen[std::minmax(a, b)] +
                                           "); for parallel links write count: 2");
            continue;
          }
          BytesPerSecond bandwidth = type.bandwidth;
          for (const VertexId nic : {a, b}) // the network's own link gives way to the NIC's rate
            if (wire.link.empty() && context.cluster.vertex(nic).kind == VertexKind::nic)
              bandwidth = std::min(
                  bandwidth, context.nic_bandwidth[static_cast<std::size_t>(context.cluster.vertex(nic).node.index)]);
          if (wire.bandwidth.value() > 0)
            bandwidth = wire.bandwidth;
          for (int copy = 0; copy < wire.count; ++copy) {
            const LinkId made = context.cluster.add_link(link_kind(type.kind), a, b, bandwidth, latency);
            if (wire.link.empty() && !wire.latency && context.assumes_latency())
              context.cluster.assume_latency(made);
          }
        }
    }
  }

  /// Every node must reach every other over switches and direct links between NICs; nodes do not forward.
  static void find_gaps(NetworkContext& context)
  {
    const Cluster& cluster = context.cluster;
    if (context.report.diagnostics.has_errors() || context.nodes() < 2)
      return;
    // Parts of the network that are connected through switches only; two nodes have a route if a part or a direct link
    // joins them.
    std::vector<int> parent(cluster.vertices().size());
    std::iota(parent.begin(), parent.end(), 0);
    const auto root = [&](int i) {
      while (parent[static_cast<std::size_t>(i)] != i)
        i = parent[static_cast<std::size_t>(i)] = parent[static_cast<std::size_t>(parent[static_cast<std::size_t>(i)])];
      return i;
    };
    const auto is_switch = [&](VertexId id) { return cluster.vertex(id).kind == VertexKind::network_switch; };
    for (const Link& link : cluster.links())
      if (is_switch(link.from) && is_switch(link.to))
        parent[static_cast<std::size_t>(root(link.from.index))] = root(link.to.index);
    std::vector<std::set<int>> parts(cluster.nodes().size());
    std::vector<std::set<int>> direct(cluster.nodes().size());
    for (const Link& link : cluster.links())
      if (cluster.vertex(link.from).kind == VertexKind::nic) {
        const auto node = static_cast<std::size_t>(cluster.vertex(link.from).node.index);
        if (is_switch(link.to))
          parts[node].insert(root(link.to.index));
        else if (cluster.vertex(link.to).kind == VertexKind::nic)
          direct[node].insert(cluster.vertex(link.to).node.index);
      }
    // Nodes with the same parts are equal: compare each node with the first of every kind, and with all if it has
    // direct links.
    std::map<std::set<int>, std::size_t> kinds;
    for (std::size_t i = 0; i < parts.size(); ++i)
      kinds.try_emplace(parts[i], i);
    int told = 0;
    const auto joined = [&](std::size_t a, std::size_t b) {
      return a == b || direct[a].contains(static_cast<int>(b)) ||
             std::ranges::any_of(parts[a], [&](int part) { return parts[b].contains(part); });
    };
    const auto unwired = [&](std::size_t i) { return parts[i].empty() && direct[i].empty(); };
    const auto tell = [&](std::size_t a, std::size_t b) {
      if (!unwired(a) && !unwired(b) && !joined(a, b) && ++told <= 20)
        context.report.error("cluster.network.wires",
                             "no route from '" + cluster.nodes()[a].name + "' to '" + cluster.nodes()[b].name +
                                 "'; nodes do not forward, so they need a switch or a link between them");
    };
    for (std::size_t i = 0; i < parts.size(); ++i) {
      if (unwired(i)) {
        if (++told <= 20)
          context.report.error("cluster.network.wires",
                               "'" + cluster.nodes()[i].name + "' has no wire; link it to a switch or to another node");
        continue;
      }
      if (parts[i].empty()) { // of two nodes without a switch, the earlier one is told
        for (std::size_t other = 0; other < parts.size(); ++other)
          if (other > i || !parts[other].empty())
            tell(std::min(i, other), std::max(i, other));
        continue;
      }
      for (const auto& [kind, first] : kinds)
        if (!kind.empty())
          tell(std::min(i, first), std::max(i, first));
    }
  }
};

TY_REGISTER(NetworkLayout, Graph, "graph", "any network: switches and links as listed");

} // namespace
} // namespace trainyard
