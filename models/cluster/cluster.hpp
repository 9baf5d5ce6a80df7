// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "models/cluster/cluster_spec.hpp"
#include "models/core/units.hpp"

#include <compare>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace trainyard {

/// A place in the cluster where bytes start, end or pass: a GPU, a host's memory, a switch…
struct VertexId {
  int index = -1;
  auto operator<=>(const VertexId&) const = default;
};

/// One direction of a link; the other direction is Link::reverse.
struct LinkId {
  int index = -1;
  auto operator<=>(const LinkId&) const = default;
};

struct NodeId {
  int index = -1;
  auto operator<=>(const NodeId&) const = default;
};

enum class VertexKind { gpu, host, pcie_switch, nv_switch, nic, network_switch, storage };

struct Vertex {
  VertexKind kind = VertexKind::host;
  std::string name; // "worker-3/gpu-0"
  NodeId node;      // invalid (-1) for network switches
};

/// What a link is made of; a transport has its efficiency by kind. `socket_peers` lies beside the `host_memory` link of
/// two CPUs: what GPUs send to GPUs takes it instead, because a CPU passes such packets on more slowly than its own.
enum class LinkKind { ethernet, infiniband, pcie, nvlink, xgmi, host_memory, socket_peers, loopback };

/// NVIDIA's NVLink and AMD's xGMI (Infinity Fabric): from GPU to GPU, past CPUs and PCIe.
constexpr bool joins_gpus(LinkKind kind)
{
  return kind == LinkKind::nvlink || kind == LinkKind::xgmi;
}

/// From a machine's network card to switches and other machines.
constexpr bool joins_machines(LinkKind kind)
{
  return kind == LinkKind::ethernet || kind == LinkKind::infiniband;
}

/// One direction. Full duplex: the two directions do not share bandwidth unless `half_duplex`, where both use this
/// direction's capacity.
struct Link {
  std::string name; // "worker-3/nic-0 > leaf-1"
  LinkKind kind = LinkKind::ethernet;
  VertexId from;
  VertexId to;
  LinkId reverse;
  BytesPerSecond bandwidth; // line rate of this direction, before any protocol; all bundled links together
  Seconds latency;
  int width = 1; // physical links bundled into this one (NV2 = 2); a bundle carries one flow at its whole bandwidth
  int weight =
      1; // of a network hop in the search for shortest paths; dragonfly's global links weigh more than local ones
  double data_share = 1; // of the bandwidth, between the link's own packet headers, replies and credits, in (0, 1]
  bool assumed_latency = false; // nobody has stated it, neither the scenario nor the catalogue

  /// What data can fill, one direction, before the protocol of a library.
  BytesPerSecond data_rate() const { return bandwidth * data_share; }
};

struct Node {
  std::string name;
  std::string group; // the node group of the scenario it belongs to
  std::string gpu;   // name in the catalogue; empty without GPU
  int rack = 0;      // failure and placement domain
  VertexId host;     // memory and CPUs; parameter servers live here
  std::vector<VertexId> gpus;
  std::vector<VertexId> nics;
  double switch_reduction = 0; // share of a GPU's NVLink rate at which the NVSwitches add up; 0: they cannot
  int cpu_cores = 0;
  Bytes memory;
  std::vector<int>
      position; // coordinates in the network: (leaf, port), (pod, edge, port), (x, y, z), (group, router, port)
};

/// How to choose among paths.
struct RouteChoice {
  std::uint64_t flow = 0; // hash of equal-cost multi-path
  const std::vector<double>* load =
      nullptr; // by link; where given: the equal path whose busiest link (then whose sum) is least loaded
  const std::vector<bool>* down = nullptr; // by link; true = must not be used
  /// GPUs that may pass on what comes over NVLink: the ranks of the collective, which take part in it anyway; null =
  /// none. On a way to another node they stand for the source's node: the GPU whose NIC is on the target's rail passes
  /// the data on (NCCL's PXN).
  const std::vector<VertexId>* forwarders = nullptr;
};

/// Network part of the graph in the form that the search for routes reads; private to routes.cpp.
struct RouteIndex;

/// The machines and wires of a scenario as a directed graph; immutable once built.
class Cluster
{
public:
  VertexId add_vertex(Vertex vertex);
  /// Adds both directions and returns the one from @p from to @p to.
  LinkId add_link(const std::string& name, LinkKind kind, VertexId from, VertexId to, BytesPerSecond bandwidth,
                  Seconds latency);
  /// As above, named after its ends in both directions ("worker-0/nic-0 > leaf-0"); @p bandwidth is that of the whole
  /// bundle.
  LinkId add_link(LinkKind kind, VertexId from, VertexId to, BytesPerSecond bandwidth, Seconds latency, int width = 1,
                  int weight = 1, double data_share = 1);
  /// Nobody has stated the latency of this link, in both directions.
  void assume_latency(LinkId id);
  NodeId add_node(Node node);
  /// Sets the position of a node in the network; called by the network layout while building.
  void place(NodeId node, int rack, std::vector<int> position);

  const std::vector<Vertex>& vertices() const { return vertices_; }
  const std::vector<Link>& links() const { return links_; }
  const std::vector<Node>& nodes() const { return nodes_; }
  const Vertex& vertex(VertexId id) const { return vertices_[static_cast<std::size_t>(id.index)]; }
  const Link& link(LinkId id) const { return links_[static_cast<std::size_t>(id.index)]; }
  const Node& node(NodeId id) const { return nodes_[static_cast<std::size_t>(id.index)]; }
  /// Outgoing directions of a vertex, in the order they were added.
  const std::vector<LinkId>& outgoing(VertexId id) const { return outgoing_[static_cast<std::size_t>(id.index)]; }

  /// Links of the cheapest path; among equal paths the one chosen by @p flow (equal-cost multi-path hash of flow and
  /// both ends).
  ///
  /// Inside a node NVLink comes before PCIe, a PCIe switch before the CPU, one socket before two; a GPU talks to the
  /// network by its nearest NIC. GPUs, and hosts and NICs of nodes other than the two ends', never forward. Costs are
  /// in routes.cpp. Empty when both ends are the same vertex. Throws std::invalid_argument naming both ends where no
  /// path exists.
  std::vector<LinkId> route(VertexId from, VertexId to, std::uint64_t flow = 0) const;
  /// As above, choosing by load, around broken links, or over a third GPU: two GPUs of a node without a common NVLink
  /// then talk over one of choice.forwarders that has NVLinks to both (NCCL's path type NVB), instead of PCIe.
  std::vector<LinkId> route(VertexId from, VertexId to, const RouteChoice& choice) const;
  /// The same without a copy: what is returned holds until this thread asks for another route.
  std::span<const LinkId> seen_route(VertexId from, VertexId to, const RouteChoice& choice) const;
  /// The NIC by which a GPU talks to other nodes: of those nearest to it, the ones that are shared out to it in turn
  /// (GPU i takes NIC i of equally many). Invalid where its node has none.
  VertexId nic_of(VertexId gpu) const;
  /// The GPU over which `from` sends to `to` on another node because its own NIC is on another rail: in a node with
  /// NVSwitch, the one of
  /// @p forwarders whose NIC has the number of the target's. Invalid: it sends by its own NIC.
  VertexId relay(VertexId from, VertexId to, const std::vector<VertexId>& forwarders) const;
  /// Starting value of the hashes that spread flows over equal paths.
  void set_hash_seed(std::uint64_t seed) { hash_seed_ = seed; }
  std::uint64_t hash_seed() const { return hash_seed_; }
  /// Only the fidelity that has queues asks.
  void set_tcp(TcpSpec tcp) { tcp_ = std::move(tcp); }
  const TcpSpec& tcp() const { return tcp_; }

  int gpus() const;

private:
  std::vector<Vertex> vertices_;
  std::vector<Link> links_;
  std::vector<Node> nodes_;
  std::vector<std::vector<LinkId>> outgoing_;
  std::uint64_t hash_seed_ = 1;
  TcpSpec tcp_{.queue = {}};                        // without losses
  mutable std::shared_ptr<const RouteIndex> index_; // made by the first route after a change
};

/// Where the tasks of one job run.
struct Placement {
  std::vector<VertexId> workers; // the GPU (or host, for CPU jobs) of each worker, in rank order
  std::vector<VertexId> servers; // the host of each parameter server; empty for all-reduce
  VertexId client;               // in-graph replication: the host of the one client
};

} // namespace trainyard
