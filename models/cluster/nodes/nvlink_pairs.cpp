// SPDX-License-Identifier: Apache-2.0
#include "models/cluster/nodes/parts.hpp"

namespace trainyard {
namespace {

/// PCIe cards joined in pairs by an NVLink bridge: GPU 0 with 1, 2 with 3…; everything else goes over PCIe.
class NvlinkPairs final : public PcieLayout
{
public:
  explicit NvlinkPairs(const Settings& settings)
      : PcieLayout{pcie_shape(settings, defaults), 2, 64}, rate_{nvlink_rate(settings, 3)}, latency_{nvlink_latency(
                                                                                                settings)},
        data_share_{nvlink_data_share(settings, 3)}, links_{settings.integer("links_per_pair", 12)}
  {
  }

  static std::vector<Parameter> parameters()
  {
    std::vector<Parameter> result = pcie_parameters(defaults);
    for (Parameter& parameter : nvlink_parameters(3))
      result.push_back(std::move(parameter));
    result.push_back({"links_per_pair", "integer", "12", "number of NVLinks between the two GPUs of a pair", 1, 64,
                      "NVIDIA A100 PCIe product brief: three bridges, 600 GB/s both directions"});
    return result;
  }

private:
  void join_gpus(NodeContext& context) const override
  {
    const auto& gpus = context.node.gpus;
    for (std::size_t i = 0; i + 1 < gpus.size(); i += 2)
      context.cluster.add_link(LinkKind::nvlink, gpus[i], gpus[i + 1], rate_ * links_, latency_, links_, 1,
                               data_share_);
  }

  inline static const PcieShape defaults{.sockets = 2, .switches_per_socket = 1, .pcie = "PCIe4-x16"};
  BytesPerSecond rate_;
  Seconds latency_;
  double data_share_ = 1;
  int links_ = 12;
};

TY_REGISTER(NodeLayout, NvlinkPairs, "nvlink_pairs", "PCIe cards joined in pairs by NVLink bridges");

} // namespace
} // namespace trainyard
