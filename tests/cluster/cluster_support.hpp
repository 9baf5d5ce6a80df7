// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "models/scenario/scenario.hpp"

#include <string>

namespace trainyard {

/// @p count machines "worker-0"… of one type "machine" on 10GbE; the GPU's name does not matter here.
inline ClusterSpec cluster_of(int count, int gpus, const std::string& intra, const std::string& topology = "star")
{
  ClusterSpec spec;
  NodeTypeSpec type;
  type.name = "machine";
  type.gpu = "V100";
  type.gpus = gpus;
  type.intra = intra;
  spec.node_types["machine"] = type;
  spec.nodes.push_back({"worker", "machine", count, 0});
  spec.network.topology = topology;
  spec.network.link = "10GbE";
  return spec;
}

} // namespace trainyard
