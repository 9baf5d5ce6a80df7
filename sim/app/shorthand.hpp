// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "models/hardware/catalogue.hpp"
#include "models/scenario/document.hpp"

#include <string>
#include <vector>

namespace trainyard::app {

/// A catalogue GPU by a short name: "v100" is V100-SXM2-16GB. Throws InputError with a suggestion.
std::string gpu_by_short_name(const std::string& name, const Catalogue& catalogue);

/// What "h100x8@4,ib=400Gbit/s,nics=8" says: GPU type, GPUs per machine, machines, network, network cards of a machine;
/// "nic=200Gbit/s" is the rate of a card where it is not that of the network; "a100x8:32.8$/h" a machine and its price.
struct ClusterShorthand {
  std::string gpu;
  int gpus = 1;
  int nodes = 1;
  std::string price;   // "32.8 $/h"; empty = not said
  int nics = 0;        // of a machine; 0 = not said
  std::string nic;     // rate of one card; empty = that of the network
  std::string network; // name of a link or a bandwidth; empty = that of the machines the GPU is sold in
  std::string assumed; // the defaults that were used, in words
};

/// Throws InputError naming the part that cannot be read.
ClusterShorthand cluster_shorthand(const std::string& text, const Catalogue& catalogue);

/// A scenario with that cluster; @p servers machines without GPUs beside it. What the shorthand does not say is left
/// out, so that the GPU decides it as in any scenario.
std::string cluster_yaml(const ClusterShorthand& cluster, int servers);

/// Settings of a training mode by a short name: "ps:4", "ring", "hier-ring", "tree"…; "ps:1..16" are several. @p
/// update: sync, async or empty. Name and YAML each. Throws InputError with the list of what there is.
struct Architecture {
  std::string name;
  std::string yaml;
  int servers = 0;
};
std::vector<Architecture> architectures(const std::string& text, const std::string& update);

} // namespace trainyard::app
