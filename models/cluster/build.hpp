// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "models/cluster/cluster.hpp"
#include "models/cluster/cluster_spec.hpp"
#include "models/cluster/layout.hpp"
#include "models/core/diagnostics.hpp"

#include <map>
#include <string>
#include <vector>

namespace trainyard {

constexpr int most_nodes = 200'000; // a typing error should not use up all memory

/// Builds the machines and the network of a scenario.
///
/// Nodes are in the order of the groups, named <group>-0, <group>-1…; their vertices "<node>/cpu-0", "<node>/gpu-3",
/// "<node>/nic-0". Everything impossible (unknown type, layout or link, too many nodes for the network, gaps in a free
/// graph) goes to @p diagnostics, all in one pass; the cluster is then usable only if there are no errors.
/// @p links are the link types by name (Catalogue::links).
Cluster build_cluster(const ClusterSpec& spec, const std::map<std::string, LinkType>& links, Diagnostics& diagnostics);

/// As above with the catalogue of the data folder. Throws InputError where the cluster cannot be built.
Cluster build_cluster(const ClusterSpec& spec);

/// Machines that one fault takes down together.
struct FailureDomain {
  enum class Kind { rack, network_switch };
  Kind kind = Kind::rack;
  std::string name;          // "rack-3", or the switch
  std::vector<NodeId> nodes; // in order
  VertexId network_switch;   // invalid for racks
};

/// All racks, then all switches that NICs are plugged into, in order of their vertices.
std::vector<FailureDomain> failure_domains(const Cluster& cluster);

} // namespace trainyard
