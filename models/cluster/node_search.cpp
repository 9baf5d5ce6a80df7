// SPDX-License-Identifier: Apache-2.0
#include "models/cluster/node_search.hpp"

#include <algorithm>

namespace trainyard::routing {

bool in_network(const Vertex& vertex)
{
  return vertex.node.index < 0 && vertex.kind != VertexKind::gpu && vertex.kind != VertexKind::storage;
}

int link_cost(const Link& link)
{
  switch (link.kind) {
  case LinkKind::nvlink:
  case LinkKind::xgmi:
    return 2;
  case LinkKind::pcie:
  case LinkKind::loopback:
    return 4;
  case LinkKind::host_memory:
  case LinkKind::socket_peers:
    return 32;
  case LinkKind::ethernet:
  case LinkKind::infiniband:
    break;
  }
  return 8 * link.weight;
}

int half_transit(const Vertex& vertex)
{
  return vertex.kind == VertexKind::host ? host_cost / 2 : 0;
}

NodeSearch::NodeSearch(const Cluster& cluster, VertexId end, const RouteChoice& choice)
    : cluster_{cluster}, end_{end}, choice_{choice}
{
  Reached reached{{end, 0}};
  const auto add = [&](VertexId vertex, int cost) {
    for (auto& [known, best] : reached)
      if (known == vertex) {
        best = std::min(best, cost);
        return;
      }
    reached.emplace_back(vertex, cost);
  };
  std::size_t done =
      0; // entries before this one are final; the rest is searched for the cheapest (a node has some ten vertices)
  while (done < reached.size()) {
    std::size_t best = done;
    for (std::size_t i = done + 1; i < reached.size(); ++i)
      if (reached[i].second < reached[best].second)
        best = i;
    std::swap(reached[done], reached[best]);
    const auto [here, cost] = reached[done++];
    const Vertex& vertex = cluster.vertex(here);
    if (here != end && (vertex.kind == VertexKind::gpu || vertex.kind == VertexKind::storage))
      continue;
    for (const LinkId out : cluster.outgoing(here)) {
      const Link& link = cluster.link(out);
      if (cluster.vertex(link.to).node == vertex.node && vertex.node.index >= 0 && usable(out, link))
        add(link.to, cost + step(here, link));
    }
  }
  reached_ = std::make_shared<const Reached>(std::move(reached));
}

std::vector<LinkId> peer_route(const Cluster& cluster, std::vector<LinkId> route)
{
  for (LinkId& id : route) {
    const Link& link = cluster.link(id);
    if (link.kind != LinkKind::host_memory)
      continue;
    for (const LinkId beside : cluster.outgoing(link.from))
      if (cluster.link(beside).kind == LinkKind::socket_peers && cluster.link(beside).to == link.to)
        id = beside;
  }
  return route;
}

const Node* node_of_gpu(const Cluster& cluster, VertexId id)
{
  const Vertex& vertex = cluster.vertex(id);
  if (vertex.kind != VertexKind::gpu || vertex.node.index < 0 || at(vertex.node.index) >= cluster.nodes().size())
    return nullptr;
  return &cluster.node(vertex.node);
}

VertexId own_nic(const Node& node, const NodeSearch& search, VertexId gpu)
{
  std::vector<VertexId> nearest;
  int best = unreached;
  for (const VertexId nic : node.nics)
    best = std::min(best, search.cost(nic));
  for (const VertexId nic : node.nics)
    if (search.cost(nic) == best)
      nearest.push_back(nic);
  if (nearest.empty())
    return {};
  return nearest[static_cast<std::size_t>(std::ranges::find(node.gpus, gpu) - node.gpus.begin()) % nearest.size()];
}

std::vector<Door> doors(const Cluster& cluster, const NodeSearch& search, VertexId end)
{
  std::vector<Door> result;
  for (const auto& [vertex, cost] : search.reached()) {
    if (vertex != end &&
        (cluster.vertex(vertex).kind == VertexKind::gpu || cluster.vertex(vertex).kind == VertexKind::storage))
      continue;
    const int passing = vertex != end && cluster.vertex(vertex).kind == VertexKind::host ? host_cost : 0;
    for (const LinkId out : cluster.outgoing(vertex)) {
      const Link& link = cluster.link(out);
      if (in_network(cluster.vertex(link.to)) && search.usable(out, link))
        result.push_back({out, cost + passing + link_cost(link) + half_transit(cluster.vertex(link.to))});
    }
  }
  if (const Node* node = node_of_gpu(cluster, end);
      node != nullptr && node->gpus.size() >= node->nics.size() && node->nics.size() > 1) {
    const VertexId own = own_nic(*node, search, end);
    for (Door& door : result)
      if (cluster.link(door.out).from != own)
        door.cost += other_nic_cost;
  }
  return result;
}

} // namespace trainyard::routing

namespace trainyard {

using routing::node_of_gpu;

namespace {

bool has_nv_switch(const Cluster& cluster, VertexId gpu)
{
  return std::ranges::any_of(cluster.outgoing(gpu), [&](LinkId out) {
    return joins_gpus(cluster.link(out).kind) && cluster.vertex(cluster.link(out).to).kind == VertexKind::nv_switch;
  });
}

} // namespace

VertexId Cluster::relay(VertexId from, VertexId to, const std::vector<VertexId>& forwarders) const
{
  const Node* here = node_of_gpu(*this, from);
  const Node* there = node_of_gpu(*this, to);
  if (here == nullptr || there == nullptr || here == there || here->nics.size() < 2 ||
      here->nics.size() != there->nics.size() || !has_nv_switch(*this, from))
    return {};
  const auto rail = static_cast<std::size_t>(std::ranges::find(there->nics, nic_of(to)) - there->nics.begin());
  if (rail >= here->nics.size() || nic_of(from) == here->nics[rail])
    return {};
  const VertexId nic = here->nics[rail];
  for (const VertexId gpu : here->gpus)
    if (gpu != from && nic_of(gpu) == nic && std::ranges::find(forwarders, gpu) != forwarders.end())
      return gpu;
  return {};
}

} // namespace trainyard
