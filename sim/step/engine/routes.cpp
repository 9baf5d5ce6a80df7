// SPDX-License-Identifier: Apache-2.0
#include "sim/step/engine/routes.hpp"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <utility>

namespace trainyard {

RanksByNode::RanksByNode(const Cluster& cluster, std::span<const VertexId> ranks)
{
  for (const VertexId rank : ranks)
    ranks_[cluster.vertex(rank).node.index].push_back(rank);
}

const std::vector<VertexId>& RanksByNode::on(NodeId node) const
{
  const auto found = ranks_.find(node.index);
  return found == ranks_.end() ? none_ : found->second;
}

std::size_t RouteTable::Hash::operator()(const KeyView& key) const
{
  std::uint64_t value = 0xCBF29CE484222325U;
  const auto mix = [&](std::uint64_t next) {
    value = (value ^ next) * 0x9E3779B97F4A7C15U;
    value ^= value >> 29U;
  };
  mix(key.program);
  mix(static_cast<std::uint64_t>(key.from.index));
  mix(static_cast<std::uint64_t>(key.to.index));
  mix(std::bit_cast<std::uint64_t>(key.limit));
  for (const ResourceId resource : key.resources)
    mix(static_cast<std::uint64_t>(resource.index));
  mix(key.forwarders.size());
  return value;
}

std::size_t RouteTable::Hash::operator()(const Key& key) const
{
  return (*this)(view(key));
}

bool RouteTable::Equal::operator()(const KeyView& a, const KeyView& b) const
{
  return a.program == b.program && a.from == b.from && a.to == b.to && a.limit == b.limit &&
         std::ranges::equal(a.resources, b.resources) && std::ranges::equal(a.forwarders, b.forwarders);
}

RouteTable::RouteTable(const Cluster& cluster, std::span<const ProgramRun> programs) : cluster_{cluster}
{
  for (const Link& link : cluster.links())
    capacities_.push_back(link.data_rate().value());
  for (const ProgramRun& run : programs) {
    resource_base_.push_back(static_cast<int>(capacities_.size()));
    for (const Resource& resource : run.program->resources)
      capacities_.push_back(resource.capacity.value());
  }
  scaled_.assign(capacities_.size(), false);
}

void RouteTable::scale_resource(std::size_t program, ResourceId resource, double efficiency)
{
  const auto index = static_cast<std::size_t>(resource_base_[program] + resource.index);
  if (scaled_[index])
    return;
  scaled_[index] = true;
  capacities_[index] /= efficiency;
}

int RouteTable::find(std::size_t program, VertexId from, VertexId to, const std::vector<ResourceId>& resources,
                     double limit, const RanksByNode& forwarders)
{
  KeyView key{resources.empty() ? 0 : program, from, to, limit, resources, {}};
  if (const NodeId node = cluster_.vertex(from).node; node.index >= 0)
    key.forwarders = forwarders.on(node);
  if (const auto known = index_.find(key); known != index_.end())
    return known->second;
  const std::vector<VertexId> mates{key.forwarders.begin(), key.forwarders.end()};
  const int index = static_cast<int>(routes_.size());
  index_.emplace(Key{key.program, from, to, limit, resources, mates}, index);
  Route route;
  route.limit = limit;
  for (const LinkId link : cluster_.route(from, to, RouteChoice{.forwarders = mates.empty() ? nullptr : &mates})) {
    route.links.push_back(link.index);
    route.latency += cluster_.link(link).latency.value();
  }
  for (const ResourceId resource : resources)
    route.links.push_back(resource_base_[program] + resource.index);
  routes_.push_back(std::move(route));
  return index;
}

void RouteTable::find_narrow_links()
{
  const auto unset = static_cast<std::size_t>(-1);
  // For each link, what all routes over it have in common.
  std::vector<std::vector<int>> common(capacities_.size());
  std::vector<std::size_t> routes_over(capacities_.size(), unset);
  for (const Route& route : routes_)
    for (const int link : route.links) {
      const auto l = static_cast<std::size_t>(link);
      if (routes_over[l] == unset) {
        routes_over[l] = 1;
        common[l] = route.links;
      } else {
        std::erase_if(common[l], [&](int other) { return std::ranges::find(route.links, other) == route.links.end(); });
      }
    }
  std::vector<bool> narrow(capacities_.size(), true);
  for (std::size_t l = 0; l < capacities_.size(); ++l)
    for (const int other : common[l]) {
      const auto o = static_cast<std::size_t>(other);
      // Of two equally narrow links that always come together the one with the lower index stays.
      if (o != l && (capacities_[o] < capacities_[l] || (capacities_[o] == capacities_[l] && o < l)))
        narrow[l] = false;
    }
  for (Route& route : routes_) {
    route.narrow.clear();
    for (const int link : route.links)
      if (narrow[static_cast<std::size_t>(link)])
        route.narrow.push_back(link);
  }
}

} // namespace trainyard
