// SPDX-License-Identifier: Apache-2.0
#include "sim/step/slow_slots.hpp"

#include "models/core/quantity_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>

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

void warn_of_slow_slots(const Cluster& cluster, const Placement& placement, Diagnostics& diagnostics)
{
  std::set<int> machines;
  std::map<std::string, const Node*> groups;
  const auto add = [&](VertexId task) {
    const Node& node = cluster.node(cluster.vertex(task).node);
    machines.insert(cluster.vertex(task).node.index);
    groups.try_emplace(node.group, &node);
  };
  std::ranges::for_each(placement.workers, add);
  std::ranges::for_each(placement.servers, add);
  if (placement.client.index >= 0)
    add(placement.client);
  if (machines.size() > 1)
    for (const auto& [name, node] : groups)
      warn_of_slow_slots(cluster, *node, diagnostics);
}

} // namespace trainyard
