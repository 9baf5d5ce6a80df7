// SPDX-License-Identifier: Apache-2.0
#include "models/cluster/nodes/parts.hpp"

namespace trainyard {
namespace {

/// All GPUs and NICs below one PCIe switch: peer traffic never meets the CPU.
class PcieSwitch final : public NodeLayout
{
public:
  explicit PcieSwitch(const Settings& settings) : shape_{pcie_shape(settings, defaults)} {}

  static std::vector<Parameter> parameters() { return pcie_parameters(defaults); }

  void check(const NodeTypeSpec&, const std::string& path, const BuildReport& report) const override
  {
    report.link(shape_.pcie, path + ".intra.pcie");
  }
  void build(NodeContext& context) const override { add_pcie_tree(context, shape_); }

private:
  inline static const PcieShape defaults{.sockets = 1, .switches_per_socket = 1};
  PcieShape shape_;
};

TY_REGISTER(NodeLayout, PcieSwitch, "pcie_switch", "all GPUs and NICs below one PCIe switch");

} // namespace
} // namespace trainyard
