// SPDX-License-Identifier: Apache-2.0
#include "sim/step/slow_slots.hpp"

#include "models/core/quantity_text.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace trainyard {

void warn_of_slow_slots(const Cluster& cluster, const Node& node, Diagnostics& diagnostics)
{
  if (node.nics.empty())
    return;
  BytesPerSecond line, slot;
  for (const LinkId id : cluster.outgoing(node.nics.front())) {
    const Link& link = cluster.link(id);
    if (joins_machines(link.kind))
      line = std::max(line, link.bandwidth);
    else if (link.kind == LinkKind::pcie)
      slot = std::max(slot, link.data_rate());
  }
  if (slot <= BytesPerSecond{} || line <= slot)
    return;
  diagnostics.warning({.path = "cluster.network"},
                      fmt::format("the network cards of '{}' have {}, and the PCIe slots that they are in carry {} of "
                                  "data: they send no faster than that. 'pcie' of the machine's node type says which "
                                  "slots it has (simrun list links)",
                                  node.group, to_text(line), to_text(slot)));
}

} // namespace trainyard
