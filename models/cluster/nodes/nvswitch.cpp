// SPDX-License-Identifier: Apache-2.0
#include "models/cluster/nodes/parts.hpp"

namespace trainyard {
namespace {

/// Every GPU reaches every other at the full rate of its NVLinks. The NVSwitch chips of a machine do not block each
/// other (every GPU is joined to every chip), so they are one vertex here. Source: NVIDIA A100 and H100 architecture
/// white papers (12 and 18 links a GPU).
class Nvswitch final : public PcieLayout
{
public:
  explicit Nvswitch(const Settings& settings)
      : PcieLayout{pcie_shape(settings, defaults_of(settings.integer("generation", 3))), 1, most_gpus_of_a_node},
        rate_{nvlink_rate(settings, 3)}, latency_{nvlink_latency(settings)}
  {
    const int generation = settings.integer("generation", 3);
    data_share_ = nvlink_data_share(settings, 3);
    reduction_ = generation == 4 ? 0.85 : generation == 5 ? 0.74 : 0;
    links_ = settings.integer("links_per_gpu", generation >= 4 ? 18 : generation == 3 ? 12 : generation == 2 ? 6 : 4);
  }

  static std::vector<Parameter> parameters()
  {
    std::vector<Parameter> result = pcie_parameters(defaults_of(3));
    for (Parameter& parameter : result)
      if (parameter.name == "pcie")
        parameter.default_value = "PCIe4-x16 (generation 2: PCIe3-x16, from 4 on: PCIe5-x16)";
    for (Parameter& parameter : nvlink_parameters(3))
      result.push_back(std::move(parameter));
    result.push_back({"links_per_gpu", "integer", "by generation",
                      "number of NVLinks of one GPU: 6 (generation 2), 12 (3), 18 (4, 5)", 1, 64,
                      "NVIDIA architecture white papers"});
    return result;
  }

private:
  void join_gpus(NodeContext& context) const override
  {
    context.node.switch_reduction = reduction_;
    const VertexId middle = context.add(VertexKind::nv_switch, "nvswitch");
    for (const VertexId gpu : context.node.gpus)
      context.cluster.add_link(LinkKind::nvlink, gpu, middle, rate_ * links_, latency_ / 2.0, links_, 1, data_share_);
  }

  /// The PCIe generation of the servers of each NVLink generation.
  static PcieShape defaults_of(int generation)
  {
    return {.sockets = 2,
            .switches_per_socket = 2,
            .pcie = generation <= 2   ? "PCIe3-x16"
                    : generation == 3 ? "PCIe4-x16"
                                      : "PCIe5-x16"};
  }
  BytesPerSecond rate_;
  Seconds latency_;
  double data_share_ = 1;
  double reduction_ = 0; // NCCL 2.27, src/graph/tuning.cc, nvlsEfficiency: Hopper, Blackwell
  int links_ = 12;
};

TY_REGISTER(NodeLayout, Nvswitch, "nvswitch",
            "all GPUs joined by NVSwitch at the full rate of their NVLinks (DGX-2, A100, H100, B200)");

} // namespace
} // namespace trainyard
