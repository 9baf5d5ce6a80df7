// SPDX-License-Identifier: Apache-2.0
#include "models/cluster/nodes/parts.hpp"

namespace trainyard {
namespace {

constexpr double raw_GBps = 64, reached_GBps = 48; // one xGMI link of 16 lanes, one direction; without CRC and protocol

/// AMD's platforms of eight: every GPU has one xGMI (Infinity Fabric) link to every other, beside a PCIe tree of two
/// sockets with two switches each. Source: AMD Instinct MI300X platform data sheet (128 GB/s a link, both directions);
/// ROCm blog "Understanding RCCL Bandwidth and xGMI Performance on AMD Instinct MI300X", 2025 (48 of 64 GB/s reached).
class FullMesh final : public PcieLayout
{
public:
  explicit FullMesh(const Settings& settings)
      : PcieLayout{pcie_shape(settings, defaults), 2, 8}, rate_{BytesPerSecond{
                                                              settings.number("link_bandwidth", raw_GBps * 1e9)}},
        latency_{Seconds{settings.number("link_latency", 0.7e-6)}},
        data_share_{settings.has("link_bandwidth") ? 1 : reached_GBps / (raw_GBps * of_nccl)}
  {
  }

  static std::vector<Parameter> parameters()
  {
    std::vector<Parameter> result = pcie_parameters(defaults);
    result.push_back({"link_bandwidth", "bandwidth", "64 GB/s, of which collectives reach 48",
                      "bandwidth of the link of two GPUs, one direction", 1, Parameter::unbounded,
                      "AMD Instinct MI300X platform data sheet; ROCm blog on RCCL and xGMI, 2025"});
    result.push_back({"link_latency", "duration", "0.7 us", "latency of one such link", 0, Parameter::unbounded,
                      "assumed, as NVLink"});
    return result;
  }

private:
  void join_gpus(NodeContext& context) const override
  {
    const auto& gpus = context.node.gpus;
    for (std::size_t i = 0; i < gpus.size(); ++i)
      for (std::size_t k = i + 1; k < gpus.size(); ++k)
        context.cluster.add_link(LinkKind::xgmi, gpus[i], gpus[k], rate_, latency_, 1, 1, data_share_);
  }

  inline static const PcieShape defaults{.sockets = 2, .switches_per_socket = 2, .pcie = "PCIe5-x16"};
  BytesPerSecond rate_;
  Seconds latency_;
  double data_share_ = 1;
};

TY_REGISTER(NodeLayout, FullMesh, "full_mesh", "every GPU joined to every other by a link of its own (MI300X: xGMI)");

} // namespace
} // namespace trainyard
