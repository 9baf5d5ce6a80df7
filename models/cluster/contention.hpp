// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "models/cluster/cluster.hpp"
#include "models/cluster/placement.hpp"

#include <span>
#include <vector>

namespace trainyard {

/// Links (sorted, each once, both directions told apart) that a job may load: of the ring of its workers in ring_order,
/// of every worker to and from every server, and of the client to and from every worker. Routes are those of flow 0.
std::vector<LinkId> used_links(const Cluster& cluster, const Placement& placement);

/// Sets that are connected by shared links: indices into @p links, each set in ascending order, sets by their first
/// member.
std::vector<std::vector<int>> components(std::span<const std::vector<LinkId>> links);

/// Placements whose step times may depend on each other: they share a link, a GPU or a host, directly or over others.
std::vector<std::vector<int>> contention_components(const Cluster& cluster, std::span<const Placement> placements);

} // namespace trainyard
