// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "models/hardware/catalogue.hpp"

#include <string>

namespace trainyard {

/// The layout of GPUs that only PCIe joins: whether they reach each other's memory is a matter of the card.
inline std::string pcie_layout(const Catalogue& catalogue, const std::string& gpu)
{
  const auto known = catalogue.gpus.find(gpu);
  const bool no_peers = known != catalogue.gpus.end() && known->second.board.intra == "pcie_no_peers";
  return no_peers ? "pcie_no_peers" : "pcie_tree";
}

} // namespace trainyard
