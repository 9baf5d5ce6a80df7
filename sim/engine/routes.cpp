#include "sim/engine/routes.hpp"

#include <algorithm>

namespace trainyard {

RouteTable::RouteTable(const Cluster& cluster, std::span<const ProgramRun> programs) : cluster_{cluster}
{
  for (const Link& link : cluster.links())
    capacities_.push_back(link.bandwidth.value());
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

int RouteTable::find(std::size_t program, VertexId from, VertexId to, const std::vector<ResourceId>& resources, double limit,
                     std::span<const VertexId> forwarders)
{
  std::vector<VertexId> mates;
  const NodeId node = cluster_.vertex(from).node;
  if (node.index >= 0 && node == cluster_.vertex(to).node)
    for (const VertexId rank : forwarders)
      if (cluster_.vertex(rank).node == node)
        mates.push_back(rank);
  const auto [entry, added] =
      index_.try_emplace(Key{resources.empty() ? 0 : program, from, to, resources, limit, mates}, static_cast<int>(routes_.size()));
  if (!added)
    return entry->second;
  Route route;
  route.limit = limit;
  const std::uint64_t flow = static_cast<std::uint64_t>(from.index) * 0x9E3779B97F4A7C15U + static_cast<std::uint64_t>(to.index);
  for (const LinkId link : cluster_.route(from, to, RouteChoice{.flow = flow, .forwarders = mates.empty() ? nullptr : &mates})) {
    route.links.push_back(link.index);
    route.latency += cluster_.link(link).latency.value();
  }
  for (const ResourceId resource : resources)
    route.links.push_back(resource_base_[program] + resource.index);
  routes_.push_back(std::move(route));
  return entry->second;
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
