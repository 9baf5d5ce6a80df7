// SPDX-License-Identifier: Apache-2.0
#include "models/cluster/nodes/parts.hpp"

namespace trainyard {
namespace {

/// All GPUs and NICs below one PCIe switch: peer traffic never meets the CPU.
class PcieSwitch final : public PcieLayout
{
public:
  explicit PcieSwitch(const Settings& settings) : PcieLayout{pcie_shape(settings, defaults)} {}

  static std::vector<Parameter> parameters() { return pcie_parameters(defaults); }

private:
  inline static const PcieShape defaults{.sockets = 1, .switches_per_socket = 1};
};

TY_REGISTER(NodeLayout, PcieSwitch, "pcie_switch", "all GPUs and NICs below one PCIe switch");

} // namespace
} // namespace trainyard
