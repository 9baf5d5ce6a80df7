// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "models/cluster/layout.hpp"

#include <limits>
#include <string>
#include <utility>
#include <vector>

namespace trainyard {

/// Of a link's data rate, the efficiency of the transport `nccl`: constants of NCCL's own are what it reaches.
inline constexpr double of_nccl = 0.92;

/// The PCIe side of a machine, shared by the node layouts.
struct PcieShape {
  int sockets = 2;             // CPUs, joined in a chain by the socket link
  int switches_per_socket = 1; // 0: GPUs and NICs sit on the CPU's own root ports
  std::string pcie = "PCIe3-x16";
  BytesPerSecond pcie_bandwidth{}; // overrides the link type's where > 0
  BytesPerSecond socket_bandwidth{19.2e9};
  BytesPerSecond peer_bandwidth{6e9}; // between GPUs of two sockets
  bool peer_access = true;            // GPUs reach each other's memory without passing a CPU
  int gpus_of_a_switch = 0;           // more GPUs need more switches than `switches_per_socket`; 0: they do not
};

/// Settings that every layout with a PCIe tree knows, with the defaults of @p shape.
std::vector<Parameter> pcie_parameters(const PcieShape& shape);

/// The shape that the settings ask for. Where they give the switches, there are no more.
PcieShape pcie_shape(const Settings& settings, PcieShape defaults);

/// Adds CPUs ("cpu-0"), PCIe switches, GPUs and NICs, spread evenly and in order: the first GPUs and the first NICs are
/// near to cpu-0.
void add_pcie_tree(NodeContext& context, const PcieShape& shape);

/// A layout whose GPUs and NICs are the leaves of a PCIe tree; the links between its GPUs come on top.
class PcieLayout : public NodeLayout
{
public:
  void check(const NodeTypeSpec& type, const std::string& path, const BuildReport& report) const override;
  void build(NodeContext& context) const override;

protected:
  /// For machines of @p least to @p most GPUs.
  explicit PcieLayout(PcieShape shape, int least = 0, int most = std::numeric_limits<int>::max())
      : shape_{std::move(shape)}, least_{least}, most_{most}
  {
  }

private:
  virtual void join_gpus(NodeContext& context) const { static_cast<void>(context); }

  PcieShape shape_;
  int least_, most_;
};

/// Settings of the NVLink layouts.
std::vector<Parameter> nvlink_parameters(int generation);

/// Rate of one NVLink, one direction: 20 GB/s in generation 1 (P100), 25 in 2 to 4 (V100, A100, H100), 50 in 5 (B200).
/// Source: NVIDIA Tesla P100, V100, A100, H100 and Blackwell architecture white papers.
BytesPerSecond nvlink_rate(const Settings& settings, int default_generation);
Seconds nvlink_latency(const Settings& settings);
/// Share of that rate which data can fill: with it, and the 92 % of the line rate that the transport `nccl` reaches
/// everywhere, collectives get 18, 23, 20, 20.6 and 40.1 GB/s out of a link of generation 1 to 5; 1 where the scenario
/// gives `link_bandwidth` itself. Source: NCCL 2.26, src/graph/topo.h (SM60_NVLINK_BW to SM100_NVLINK_BW); generation 2
/// (20 there): NCCL measurements on DGX-1 V100, 136 GB/s over six links (tests/data/catalogue/nccl_summary.csv).
double nvlink_data_share(const Settings& settings, int default_generation);

} // namespace trainyard
