// SPDX-License-Identifier: Apache-2.0
#include "models/cluster/nodes/parts.hpp"

namespace trainyard {
namespace {

/// As pcie_tree, for GPUs that do not reach each other's memory: all that they exchange passes a CPU, and those below a
/// switch share its way there. GeForce cards since 2018 (nccl-tests issue 117). Source of the way: NCCL,
/// src/graph/paths.cc, "divert all traffic through the CPU". Two GPUs share a switch: servers of eight cards
/// print one PIX in a row of `nvidia-smi topo -m` (TITAN V, L20 of nccl issue 1817), and eight RTX 2080 Ti are buses 4,
/// 5, 8, 9, 84, 85, 88, 89 (nccl-tests issue 117). Four below a switch are rarer (nccl-tests issue 307).
class PcieNoPeers final : public PcieLayout
{
public:
  explicit PcieNoPeers(const Settings& settings) : PcieLayout{pcie_shape(settings, defaults)} {}

  static std::vector<Parameter> parameters() { return pcie_parameters(defaults); }

private:
  inline static const PcieShape defaults{
      .sockets = 2, .switches_per_socket = 1, .peer_access = false, .gpus_of_a_switch = 2};
};

TY_REGISTER(NodeLayout, PcieNoPeers, "pcie_no_peers",
            "as pcie_tree, but what GPUs exchange passes a CPU (GeForce since 2018)");

} // namespace
} // namespace trainyard
