// SPDX-License-Identifier: Apache-2.0
#include "models/cluster/node_search.hpp"

#include <algorithm>
#include <map>

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

namespace {

/// The vertices of a machine, one after the other.
struct Extent {
  int first = -1;
  int count = 0;
  bool gaps = false;
};

std::vector<Extent> extents(const Cluster& cluster)
{
  std::vector<Extent> result(cluster.nodes().size());
  for (std::size_t v = 0; v < cluster.vertices().size(); ++v) {
    const int node = cluster.vertices()[v].node.index;
    if (node < 0 || at(node) >= result.size())
      continue;
    Extent& extent = result[at(node)];
    if (extent.first < 0)
      extent.first = static_cast<int>(v);
    extent.gaps = extent.gaps || extent.first + extent.count != static_cast<int>(v);
    ++extent.count;
  }
  return result;
}

/// All that a search within the machine, and own_nic(), look at; vertices counted from the first one.
std::vector<int> description(const Cluster& cluster, const Node& node, const Extent& extent)
{
  std::vector<int> all{extent.count};
  for (const auto* list : {&node.gpus, &node.nics}) {
    all.push_back(static_cast<int>(list->size()));
    for (const VertexId vertex : *list)
      all.push_back(vertex.index - extent.first);
  }
  for (int v = extent.first; v < extent.first + extent.count; ++v) {
    const VertexId id{v};
    all.push_back(static_cast<int>(cluster.vertex(id).kind));
    for (const LinkId out : cluster.outgoing(id)) {
      const Link& link = cluster.link(out);
      const int to = link.to.index - extent.first;
      if (to >= 0 && to < extent.count)
        all.insert(all.end(), {to, static_cast<int>(link.kind), link.weight});
    }
    all.push_back(-1); // end of the list
  }
  return all;
}

} // namespace

AlikeNodes::AlikeNodes(const Cluster& cluster) : members_(cluster.nodes().size())
{
  const std::vector<Extent> all = extents(cluster);
  std::map<std::vector<int>, int> known;
  std::vector<std::size_t> first_member;
  for (std::size_t n = 0; n < all.size(); ++n) {
    if (all[n].first < 0 || all[n].gaps)
      continue;
    const auto [entry, fresh] =
        known.try_emplace(description(cluster, cluster.nodes()[n], all[n]), static_cast<int>(kinds_.size()));
    if (fresh) {
      kinds_.emplace_back();
      first_member.push_back(n);
    }
    members_[n] = {entry->second, all[n].first};
    ++kinds_[at(entry->second)].members;
  }
  for (std::size_t k = 0; k < kinds_.size(); ++k) {
    Kind& kind = kinds_[k];
    if (kind.members < 2)
      continue;
    const Node& node = cluster.nodes()[first_member[k]];
    const Extent& extent = all[first_member[k]];
    kind.nic.assign(at(extent.count), no_nic);
    for (int v = extent.first; v < extent.first + extent.count; ++v) {
      const NodeSearch search{cluster, VertexId{v}, {}};
      kind.reached.push_back(search.reached());
      for (auto& [vertex, cost] : kind.reached.back())
        vertex.index -= extent.first;
      if (std::ranges::find(node.gpus, VertexId{v}) != node.gpus.end())
        if (const VertexId nic = routing::own_nic(node, search, VertexId{v}); nic.index >= 0)
          kind.nic[at(v - extent.first)] = nic.index - extent.first;
    }
  }
}

std::shared_ptr<const NodeSearch::Reached> AlikeNodes::reached(const Vertex& vertex, VertexId end) const
{
  if (vertex.node.index < 0 || at(vertex.node.index) >= members_.size())
    return nullptr;
  const Member& member = members_[at(vertex.node.index)];
  if (member.kind < 0 || kinds_[at(member.kind)].members < 2)
    return nullptr;
  auto result = std::make_shared<NodeSearch::Reached>(kinds_[at(member.kind)].reached[at(end.index - member.first)]);
  for (auto& [there, cost] : *result)
    there.index += member.first;
  return result;
}

VertexId AlikeNodes::own_nic(const Vertex& vertex, VertexId gpu) const
{
  if (vertex.node.index < 0 || at(vertex.node.index) >= members_.size())
    return {};
  const Member& member = members_[at(vertex.node.index)];
  if (member.kind < 0 || kinds_[at(member.kind)].members < 2)
    return {};
  const int nic = kinds_[at(member.kind)].nic[at(gpu.index - member.first)];
  return nic == no_nic ? VertexId{} : VertexId{member.first + nic};
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
