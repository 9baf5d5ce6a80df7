// SPDX-License-Identifier: Apache-2.0
#include "models/scenario/price.hpp"

namespace trainyard {

std::optional<double> price_per_hour(const ClusterSpec& cluster)
{
  double price = 0;
  for (const NodeGroupSpec& group : cluster.nodes) {
    const auto type = cluster.node_types.find(group.type);
    if (type == cluster.node_types.end() || !type->second.price_per_hour)
      return std::nullopt;
    price += group.count * *type->second.price_per_hour;
  }
  return cluster.nodes.empty() ? std::nullopt : std::optional{price};
}

} // namespace trainyard
