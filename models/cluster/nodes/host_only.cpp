// SPDX-License-Identifier: Apache-2.0
#include "models/cluster/nodes/parts.hpp"

namespace trainyard {
namespace {

/// A machine without GPUs: CPUs and NICs on their root ports. Parameter servers, clients and storage run here.
class HostOnly final : public PcieLayout
{
public:
  explicit HostOnly(const Settings& settings) : PcieLayout{pcie_shape(settings, defaults), 0, 0} {}

  static std::vector<Parameter> parameters() { return pcie_parameters(defaults); }

private:
  inline static const PcieShape defaults{.sockets = 1, .switches_per_socket = 0};
};

TY_REGISTER(NodeLayout, HostOnly, "host_only", "CPUs and NICs, no GPU");

} // namespace
} // namespace trainyard
