// SPDX-License-Identifier: Apache-2.0
#include "models/cluster/nodes/parts.hpp"

namespace trainyard {
namespace {

/// A machine without GPUs: CPUs and NICs on their root ports. Parameter servers, clients and storage run here.
class HostOnly final : public NodeLayout
{
public:
  explicit HostOnly(const Settings& settings) : shape_{pcie_shape(settings, defaults)} {}

  static std::vector<Parameter> parameters() { return pcie_parameters(defaults); }

  void check(const NodeTypeSpec& type, const std::string& path, const BuildReport& report) const override
  {
    check_gpu_count(type, 0, 0, path, report);
    report.link(shape_.pcie, path + ".intra.pcie");
  }
  void build(NodeContext& context) const override { add_pcie_tree(context, shape_); }

private:
  inline static const PcieShape defaults{.sockets = 1, .switches_per_socket = 0};
  PcieShape shape_;
};

TY_REGISTER(NodeLayout, HostOnly, "host_only", "CPUs and NICs, no GPU");

} // namespace
} // namespace trainyard
