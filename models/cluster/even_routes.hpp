// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "models/cluster/cluster.hpp"

#include <memory>
#include <utility>
#include <vector>

namespace trainyard {

/// How very many flows between two ends fill the links, without asking for the route of each: every choice among
/// equally cheap ways falls evenly.
class EvenRoutes
{
public:
  /// @p cluster has all its links and lives as long as this.
  explicit EvenRoutes(const Cluster& cluster);

  /// Links of all cheapest ways from one node to another, each with its share of the flows, in (0, 1]. Throws
  /// std::invalid_argument naming both ends where no way exists.
  std::vector<std::pair<LinkId, double>> shares(VertexId from, VertexId to) const;

private:
  const Cluster& cluster_;
  std::shared_ptr<const RouteIndex> index_;
};

/// Whether the hash chooses among equal paths on the way.
bool hash_chooses(const Cluster& cluster, VertexId from, VertexId to);

} // namespace trainyard
