// SPDX-License-Identifier: Apache-2.0
#include "models/cluster/nodes/parts.hpp"

namespace trainyard {
namespace {

/// The usual GPU server: two CPU sockets, a PCIe switch below each, GPUs and NICs below the switches.
class PcieTree final : public PcieLayout
{
public:
  explicit PcieTree(const Settings& settings) : PcieLayout{pcie_shape(settings, defaults)} {}

  static std::vector<Parameter> parameters() { return pcie_parameters(defaults); }

private:
  inline static const PcieShape defaults{.sockets = 2, .switches_per_socket = 1};
};

TY_REGISTER(NodeLayout, PcieTree, "pcie_tree", "CPU sockets, PCIe switches below them, GPUs and NICs below those");

} // namespace
} // namespace trainyard
