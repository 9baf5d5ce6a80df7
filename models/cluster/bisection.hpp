// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "models/cluster/cluster.hpp"

#include <vector>

namespace trainyard {

/// Nodes cut in two halves, and what can flow from the first half to the second.
struct Bisection {
  BytesPerSecond bandwidth;
  std::vector<NodeId> left; // the other nodes are right
};

/// Greatest rate that the NICs of @p left can send to the NICs of @p right together (one direction, line rates, any
/// routes): maximum flow over the switches. Where nodes have no NIC their hosts' links count. Throws
/// std::invalid_argument when a node is on both sides.
BytesPerSecond max_flow(const Cluster& cluster, const std::vector<NodeId>& left, const std::vector<NodeId>& right);

/// The narrowest of the balanced cuts along each coordinate of the nodes' positions (racks, pods, axes of a torus,
/// groups), and of the node order; for an odd number of nodes the left side has one more.
///
/// Finding the narrowest of all balanced cuts is NP-hard, so this is an upper bound; for the templates it is the
/// textbook's cut.
Bisection bisection(const Cluster& cluster);

} // namespace trainyard
