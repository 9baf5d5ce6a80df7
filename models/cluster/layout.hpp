// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "models/cluster/cluster.hpp"
#include "models/cluster/cluster_spec.hpp"
#include "models/core/diagnostics.hpp"
#include "models/core/registry.hpp"
#include "models/hardware/hardware.hpp"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace trainyard {

/// Where errors are reported, with the catalogue; shared by all layouts of one build.
struct BuildReport {
  const std::map<std::string, LinkType>& links;
  Diagnostics& diagnostics;

  /// @p path of the value in the scenario: "cluster.network.wires.3".
  void error(const std::string& path, const std::string& message) const;
  void warning(const std::string& path, const std::string& message) const;
  /// The link type of that name; an unknown name is reported at @p path and gives a link of 1 GB/s, so that the build
  /// can continue and find more errors.
  LinkType link(const std::string& name, const std::string& path) const;
};

/// Ethernet where the word is none of infiniband, pcie, nvlink, xgmi, host_memory, loopback.
LinkKind link_kind(const std::string& word);

/// One machine while it is built.
struct NodeContext {
  Cluster& cluster;
  const NodeTypeSpec& type;
  std::string path; // "cluster.node_types.<name>"
  Node node;        // name, group, gpu, cores and memory are filled in; the layout adds host, gpus and nics
  const BuildReport& report;

  /// Adds a vertex "<node>/<name>" that belongs to this node.
  VertexId add(VertexKind kind, const std::string& name);
};

/// What a machine looks like inside. One file below models/cluster/nodes/ each.
class NodeLayout
{
public:
  virtual ~NodeLayout() = default;
  /// Reports what the layout cannot build from @p type; called once per node type, before any machine of it.
  virtual void check(const NodeTypeSpec& type, const std::string& path, const BuildReport& report) const;
  /// Adds the vertices and links of one machine, and sets host, gpus and nics of context.node.
  virtual void build(NodeContext& context) const = 0;
};

/// The network while it is built; all nodes exist, with their racks where the node groups give them.
struct NetworkContext {
  Cluster& cluster;
  const NetworkSpec& spec;
  LinkType link;                             // of the network, with the overrides of the scenario
  std::vector<BytesPerSecond> nic_bandwidth; // by node
  bool racks_given = false;                  // the node groups say how many machines stand in a rack
  const BuildReport& report;
  const ClusterSpec& cluster_spec;

  VertexId add_switch(const std::string& name);
  /// Whether `routing` of @p settings (auto: by the kind of link) spreads packets over all equal paths.
  bool adaptive(const Settings& settings) const;
  /// Joins two switches by @p width bundled links of @p bandwidth each.
  void join(VertexId from, VertexId to, BytesPerSecond bandwidth, int width = 1, int weight = 1);
  /// Joins one NIC of a node to a switch at the NIC's rate.
  void attach(NodeId node, std::size_t nic, VertexId to);
  /// Joins all NICs of a node to one switch.
  void attach_all(NodeId node, VertexId to);
  /// Nobody has stated the latency of the network's own links.
  bool assumes_latency() const { return spec.link.empty() && !spec.latency; }
  /// The most NICs that one node has (at least 1).
  int most_nics() const;
  /// The fastest NIC of all nodes.
  BytesPerSecond fastest_nic() const;
  int nodes() const { return static_cast<int>(cluster.nodes().size()); }
  /// Of the whole cluster: more than nodes() where only a sample is built.
  int machines() const;
  /// The number of a built node among all machines.
  int number(int node) const
  {
    return cluster_spec.sample.empty() ? node : cluster_spec.sample[static_cast<std::size_t>(node)];
  }
  /// Nodes of each rack in order; where the groups do not say, @p per_rack successive nodes each. Sets Node::rack and
  /// position (rack, slot). Of a sample: racks without a built node are empty.
  std::vector<std::vector<NodeId>> racks(int per_rack);
};

/// What decides where equal machines in a row repeat themselves in a network.
struct EvenMachines {
  int count = 0;
  int nics = 1;
  int per_rack = 0; // 0: by the topology
  LinkKind link = LinkKind::ethernet;
};

/// Whether `routing` of @p settings (auto: by the kind of link) spreads packets over all equal paths.
bool spreads_packets(const Settings& settings, LinkKind link);

/// The `routing` setting of networks with several equal paths.
///
/// `adaptive`: every packet takes the least loaded path, so that equal switches of a tier carry equal parts of whatever
/// crosses them. They are built as one switch with the links of all. `hashed`: a flow keeps the path that the hash of
/// its ends chooses, and flows collide.
Parameter routing_parameter();

/// How machines are connected. One file below models/cluster/networks/ each.
class NetworkLayout
{
public:
  virtual ~NetworkLayout() = default;
  /// Adds switches and links, attaches every NIC and sets the position of each node (Cluster::place). Errors go to the
  /// report.
  virtual void connect(NetworkContext& context) const = 0;
  /// How many successive machines share each tier of switches, from the bottom up, without the tier that all share:
  /// then connect() can build a sample of them (ClusterSpec::sample). Nothing: it cannot, or machines differ by more
  /// than their place in these tiers.
  virtual std::optional<std::vector<int>> tiers(const EvenMachines& machines) const;
};

/// The whole numbers of "4 4 2", "4x4x2" or "4, 4, 2"; nothing where the text holds anything else, or a number below 1
/// or above 1,000,000.
std::optional<std::vector<int>> numbers_in(const std::string& text);

} // namespace trainyard
