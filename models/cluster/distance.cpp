// SPDX-License-Identifier: Apache-2.0
#include "models/cluster/distance.hpp"

#include <algorithm>
#include <limits>

namespace trainyard {

Apart distance(const Cluster& cluster, VertexId from, VertexId to)
{
  if (from == to)
    return {};
  if (cluster.vertex(from).node != cluster.vertex(to).node || cluster.vertex(from).node.index < 0)
    return {Distance::network, 0};
  const std::vector<LinkId> route = cluster.route(from, to);
  int nvlinks = std::numeric_limits<int>::max();
  int switches = 0;
  int hosts = 0;
  bool all_nvlink = true;
  for (const LinkId id : route) {
    const Link& link = cluster.link(id);
    all_nvlink &= joins_gpus(link.kind);
    nvlinks = std::min(nvlinks, link.width);
    switches += cluster.vertex(link.to).kind == VertexKind::pcie_switch;
    hosts += cluster.vertex(link.to).kind == VertexKind::host;
  }
  hosts += cluster.vertex(from).kind == VertexKind::host;
  if (all_nvlink)
    return {Distance::nvlink, nvlinks};
  if (hosts > 0)
    return {hosts == 1 ? Distance::phb : Distance::sys, 0};
  return {switches <= 1 ? Distance::pix : Distance::pxb, 0};
}

std::string to_text(Apart apart)
{
  switch (apart.distance) {
  case Distance::same:
    return "X";
  case Distance::nvlink:
    return "NV" + std::to_string(apart.nvlinks);
  case Distance::pix:
    return "PIX";
  case Distance::pxb:
    return "PXB";
  case Distance::phb:
    return "PHB";
  case Distance::sys:
    return "SYS";
  case Distance::network:
    break;
  }
  return "NET";
}

} // namespace trainyard
