// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "models/cluster/cluster.hpp"

#include <vector>

namespace trainyard {

/// A largest set of rings through the ranks of one node that share no link between GPUs, each in one direction; where a
/// rank has no link to the next, cycles in which a third passes on. Empty without such links, with NVSwitch, and for
/// more than eight ranks.
std::vector<std::vector<VertexId>> rings_in_mesh(const Cluster& cluster, const std::vector<VertexId>& ranks);

/// Of an even number of ranks that are all joined with all by one link: a path through all of them from each, there and
/// back in growing steps (0, 1, -1, 2, -2 …), so that together they use each link once in each direction (Williams,
/// 1949: a row-complete Latin square). Empty for all others.
std::vector<std::vector<VertexId>> paths_through_mesh(const Cluster& cluster, const std::vector<VertexId>& ranks);

} // namespace trainyard
