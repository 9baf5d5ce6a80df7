// SPDX-License-Identifier: Apache-2.0
// What a cluster is made of, as a scenario says it.
#pragma once
#include "models/core/registry.hpp"
#include "models/core/units.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace trainyard {

/// A kind of machine.
struct NodeTypeSpec {
  std::string name;
  std::string gpu; // catalogue name; empty = no GPU
  int gpus = 0;
  std::string intra =
      "pcie_tree"; // registered NodeLayout: host_only, nvlink_cube_mesh, nvlink_pairs, nvswitch, pcie_switch, pcie_tree
  Settings intra_settings;
  int nics = 1;
  std::optional<BytesPerSecond> nic_bandwidth; // default: the network's link
  int cpu_cores = 0;
  std::string cpu; // catalogue name; empty = not known
  FlopsPerSecond
      cpu_rate; // what matrix multiplication reaches on all cores together; overrides the catalogue's where > 0
  Bytes memory;
  std::optional<DollarsPerHour> price; // absent: not known
};

/// `count` machines of one type, named <name>-0, <name>-1…
struct NodeGroupSpec {
  std::string name;
  std::string type;
  int count = 1;
  int per_rack = 0; // 0: by the topology
};

/// Links of a `graph` network between two named ends.
///
/// An end is a switch, a node ("worker-0": all its NICs), a NIC ("worker-0/nic-1") or a group (all its nodes).
struct WireSpec {
  std::string from;
  std::string to;
  std::string link;               // catalogue name; empty = the network's
  BytesPerSecond bandwidth;       // overrides the link's where > 0
  std::optional<Seconds> latency; // overrides the link's
  int count = 1;                  // parallel links
};

/// How connections of TCP share the Ethernet links between machines; fidelity tcp.
struct TcpSpec {
  std::string congestion_control = "cubic"; // registered congestion control
  Bytes queue{700e3};                       // that waits at a link at most
  int queue_packets = 0;                    // so many instead; 0: `queue`
  bool queue_told = false;                  // the scenario says how much waits
  Bytes burst;                              // that passes before a link has its bandwidth, after a rest
  BytesPerSecond burst_bandwidth;           // at which it passes; 0: at once
};

struct NetworkSpec {
  std::string topology = "star"; // registered network layout: star, leaf_spine, fat_tree, torus, dragonfly, rail, graph
  std::string link;              // catalogue name; bandwidth and latency override it
  BytesPerSecond bandwidth;
  std::optional<Seconds> latency; // 0 is an answer too
  TcpSpec tcp;
  Settings settings;                 // of the topology: oversubscription, leaf_ports, dimensions…
  std::vector<std::string> switches; // `graph` only
  std::vector<WireSpec> wires;       // `graph` only
  std::uint64_t hash_seed = 1;       // of paths that are chosen by hash: run.seed
};

struct ClusterSpec {
  std::map<std::string, NodeTypeSpec> node_types;
  std::vector<NodeGroupSpec> nodes;
  NetworkSpec network;
  /// Only these machines of the only group are built, in the network that all of them would have: a job that goes on
  /// alike everywhere needs no more. Rising numbers; empty: all machines.
  std::vector<int> sample;
  int sampled = 0; // machines, from the first one on, that the sample stands for
};

} // namespace trainyard
