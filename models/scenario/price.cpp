// SPDX-License-Identifier: Apache-2.0
#include "models/scenario/price.hpp"

namespace trainyard {

std::optional<DollarsPerHour> price_of(const ClusterSpec& cluster)
{
  DollarsPerHour price;
  for (const NodeGroupSpec& group : cluster.nodes) {
    const auto type = cluster.node_types.find(group.type);
    if (type == cluster.node_types.end() || !type->second.price)
      return std::nullopt;
    price += group.count * *type->second.price;
  }
  return cluster.nodes.empty() ? std::nullopt : std::optional{price};
}

} // namespace trainyard
