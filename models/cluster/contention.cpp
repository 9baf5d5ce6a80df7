// SPDX-License-Identifier: Apache-2.0
#include "models/cluster/contention.hpp"

#include "models/cluster/rings.hpp"

#include <algorithm>
#include <map>
#include <numeric>

namespace trainyard {
namespace {

/// Joins sets that have a common number.
std::vector<std::vector<int>> joined(const std::vector<std::vector<int>>& things)
{
  std::vector<int> parent(things.size());
  std::iota(parent.begin(), parent.end(), 0);
  const auto root = [&](int i) {
    while (parent[static_cast<std::size_t>(i)] != i)
      i = parent[static_cast<std::size_t>(i)] = parent[static_cast<std::size_t>(parent[static_cast<std::size_t>(i)])];
    return i;
  };
  std::map<int, int> owner;
  for (std::size_t i = 0; i < things.size(); ++i)
    for (const int thing : things[i]) {
      const auto [found, fresh] = owner.try_emplace(thing, static_cast<int>(i));
      if (!fresh) {
        const int a = root(found->second);
        const int b = root(static_cast<int>(i));
        parent[static_cast<std::size_t>(std::max(a, b))] = std::min(a, b);
      }
    }
  std::map<int, std::vector<int>> sets;
  for (std::size_t i = 0; i < things.size(); ++i)
    sets[root(static_cast<int>(i))].push_back(static_cast<int>(i));
  std::vector<std::vector<int>> result;
  for (auto& [first, members] : sets)
    result.push_back(std::move(members));
  return result;
}

} // namespace

std::vector<LinkId> used_links(const Cluster& cluster, const Placement& placement)
{
  std::vector<LinkId> links;
  const auto add = [&](VertexId from, VertexId to) {
    const std::vector<LinkId> route = cluster.route(from, to);
    links.insert(links.end(), route.begin(), route.end());
  };
  if (placement.servers.empty() && placement.client.index < 0 && placement.workers.size() > 1) {
    const std::vector<VertexId> ring = ring_order(cluster, placement.workers);
    for (std::size_t i = 0; i < ring.size(); ++i)
      add(ring[i], ring[(i + 1) % ring.size()]);
  }
  for (const VertexId worker : placement.workers) {
    for (const VertexId server : placement.servers) {
      add(worker, server);
      add(server, worker);
    }
    if (placement.client.index >= 0) {
      add(worker, placement.client);
      add(placement.client, worker);
    }
  }
  std::ranges::sort(links);
  const auto rest = std::ranges::unique(links);
  links.erase(rest.begin(), rest.end());
  return links;
}

std::vector<std::vector<int>> components(std::span<const std::vector<LinkId>> links)
{
  std::vector<std::vector<int>> things(links.size());
  for (std::size_t i = 0; i < links.size(); ++i)
    for (const LinkId link : links[i])
      things[i].push_back(link.index);
  return joined(things);
}

std::vector<std::vector<int>> contention_components(const Cluster& cluster, std::span<const Placement> placements)
{
  std::vector<std::vector<int>> things(placements.size());
  for (std::size_t i = 0; i < placements.size(); ++i) {
    for (const LinkId link : used_links(cluster, placements[i]))
      things[i].push_back(link.index);
    for (const auto* vertices : {&placements[i].workers, &placements[i].servers})
      for (const VertexId vertex : *vertices)
        things[i].push_back(-1 - vertex.index); // vertices below zero, links from zero
    if (placements[i].client.index >= 0)
      things[i].push_back(-1 - placements[i].client.index);
  }
  return joined(things);
}

} // namespace trainyard
