// SPDX-License-Identifier: Apache-2.0
// What people type instead of a cluster in full: "h100x8@64", or machines without node_types.
#pragma once
#include "models/hardware/catalogue.hpp"
#include "models/scenario/document.hpp"

#include <string>

namespace trainyard {

/// A catalogue GPU by a short name: "v100" is V100-SXM2-16GB. Throws InputError with a suggestion.
std::string gpu_by_short_name(const std::string& name, const Catalogue& catalogue);

/// What "h100x8@4,ib=400Gbit/s,nics=8" says: GPU type, GPUs per machine, machines, network, network cards of a machine;
/// "nic=200Gbit/s" is the rate of a card where it is not that of the network; "a100x8:32.8$/h:480GiB,cores=96" a
/// machine with its price, memory and CPU cores.
struct ClusterShorthand {
  std::string gpu;
  int gpus = 1;
  int nodes = 1;
  std::string price;  // "32.8 $/h"; empty = not said
  std::string memory; // of a machine, "480 GiB"; empty = that of the machines the GPU is sold in
  int cores = 64;     // of a machine
  bool cores_said = false;
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

/// The section `cluster`; CPU cores that were not said are left to the GPU, as in any scenario.
DocumentNode cluster_node(const ClusterShorthand& cluster);

/// Whether there is something to expand.
bool has_short_forms(const Document& document);
/// `cluster: 'h100x8@64'` and `nodes: [{gpu: H100-SXM5, gpus: 8, count: 64}]` become a cluster with node_types; a text
/// that cannot be read goes to @p diagnostics.
void expand_short_forms(Document& document, const Catalogue& catalogue, Diagnostics& diagnostics);

} // namespace trainyard
