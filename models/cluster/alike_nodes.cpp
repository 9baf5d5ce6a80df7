// SPDX-License-Identifier: Apache-2.0
#include "models/cluster/alike_nodes.hpp"

#include <algorithm>
#include <map>

namespace trainyard::routing {
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
