// SPDX-License-Identifier: Apache-2.0
#include "models/cluster/nodes/parts.hpp"

#include <array>

namespace trainyard {
namespace {

struct Edge {
  int from;
  int to;
  int links_v100;
};

/// The hybrid cube mesh: two fully joined quads, GPU i of one joined to GPU i of the other. Every edge is one link on a
/// P100 (4 links a GPU); on a V100 (6 links a GPU) every GPU has two edges of two links and two of one. Source: NVIDIA
/// DGX-1 with Tesla V100 system architecture white paper, figure 4; `nvidia-smi topo -m` of such machines.
constexpr std::array<Edge, 16> mesh{{{0, 1, 1},
                                     {0, 2, 1},
                                     {0, 3, 2},
                                     {1, 2, 2},
                                     {1, 3, 1},
                                     {2, 3, 2},
                                     {4, 5, 1},
                                     {4, 6, 1},
                                     {4, 7, 2},
                                     {5, 6, 2},
                                     {5, 7, 1},
                                     {6, 7, 2},
                                     {0, 4, 2},
                                     {1, 5, 2},
                                     {2, 6, 1},
                                     {3, 7, 1}}};

/// DGX-1 and similar: a PCIe tree of two sockets with two switches each, two GPUs and a NIC below each switch, and the
/// mesh above.
class NvlinkCubeMesh final : public PcieLayout
{
public:
  explicit NvlinkCubeMesh(const Settings& settings)
      : PcieLayout{pcie_shape(settings, defaults), 2, 8}, rate_{nvlink_rate(settings, 2)}, latency_{nvlink_latency(
                                                                                               settings)},
        data_share_{nvlink_data_share(settings, 2)}, single_{settings.integer("generation", 2) == 1}
  {
  }

  static std::vector<Parameter> parameters()
  {
    std::vector<Parameter> result = pcie_parameters(defaults);
    for (Parameter& parameter : nvlink_parameters(2))
      result.push_back(std::move(parameter));
    return result;
  }

private:
  void join_gpus(NodeContext& context) const override
  {
    const auto& gpus = context.node.gpus;
    for (const Edge& edge : mesh)
      if (edge.from < context.type.gpus && edge.to < context.type.gpus) {
        const int links = single_ ? 1 : edge.links_v100;
        context.cluster.add_link(LinkKind::nvlink, gpus[static_cast<std::size_t>(edge.from)],
                                 gpus[static_cast<std::size_t>(edge.to)], rate_ * links, latency_, links, 1,
                                 data_share_);
      }
  }

  inline static const PcieShape defaults{.sockets = 2, .switches_per_socket = 2};
  BytesPerSecond rate_;
  Seconds latency_;
  double data_share_ = 1;
  bool single_ = false;
};

TY_REGISTER(NodeLayout, NvlinkCubeMesh, "nvlink_cube_mesh",
            "DGX-1: hybrid cube mesh of NVLinks (generation 1: P100, 2: V100)");

} // namespace
} // namespace trainyard
