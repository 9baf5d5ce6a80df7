// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "models/cluster/cluster.hpp"
#include "models/core/shared_list.hpp"

#include <array>
#include <vector>

namespace trainyard {

inline constexpr std::size_t link_kinds = 8; // of LinkKind

/// Rings that a collective can use side by side, each with an equal part of the payload.
struct Rings {
  SharedList<std::vector<VertexId>> orders; // all ranks in the order of each ring; the first rank comes first
  /// Data rate of all rings together, one direction: rings times the smallest (data rate of a link / rings over that
  /// link). An all-reduce takes at least 2 (n-1)/n payload / bandwidth.
  BytesPerSecond bandwidth;
  BytesPerSecond inside; // the same of the links between ranks of one machine; infinite with one rank on each
  /// The same of the links of each LinkKind; infinite where no ring crosses one.
  std::array<BytesPerSecond, link_kinds> by_kind;
};

/// The best single ring through the ranks, beginning with ranks[0].
///
/// Nodes are visited rack by rack in the order of their positions (back and forth on a torus), so that in a tree
/// network every rack, pod and node is entered once and left once, which is the least possible. Within a node of up to
/// 12 ranks the order is the one whose slowest neighbour link is fastest and, among these, whose path is cheapest
/// (exact search); larger nodes go by GPU number. Successive nodes run through their GPUs in opposite directions, so
/// that a ring leaves and enters on the same rail.
std::vector<VertexId> ring_order(const Cluster& cluster, const std::vector<VertexId>& ranks);

/// As many rings as the hardware carries at once.
///
/// One node joined by single NVLinks: a largest set of Hamiltonian cycles that share no link (each in both directions).
/// Where there is none, cycles in which one rank passes on to another over NVLink (NCCL's NVB), then one ring over
/// PCIe. With NVSwitch one ring takes everything. Several nodes: one ring per NIC that the ranks of every node have
/// near. Exact for up to 8 ranks in a node.
Rings rings(const Cluster& cluster, const std::vector<VertexId>& ranks);

/// Number of rings.
int channels(const Cluster& cluster, const std::vector<VertexId>& ranks);

/// A largest set of rings through the ranks of one node that share no link between GPUs, each in one direction; where a
/// rank has no link to the next, cycles in which a third passes on. Empty without such links, with NVSwitch, and for
/// more than eight ranks.
std::vector<std::vector<VertexId>> rings_in_mesh(const Cluster& cluster, const std::vector<VertexId>& ranks);

/// Of an even number of ranks that are all joined with all by one link: a path through all of them from each, there and
/// back in growing steps (0, 1, -1, 2, -2 …), so that together they use each link once in each direction (Williams,
/// 1949: a row-complete Latin square). Empty for all others.
std::vector<std::vector<VertexId>> paths_through_mesh(const Cluster& cluster, const std::vector<VertexId>& ranks);

} // namespace trainyard
