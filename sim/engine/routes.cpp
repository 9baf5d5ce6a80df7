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

int RouteTable::find(std::size_t program, VertexId from, VertexId to, const std::vector<ResourceId>& resources, double limit)
{
  const auto [entry, added] =
      index_.try_emplace(Key{resources.empty() ? 0 : program, from, to, resources, limit}, static_cast<int>(routes_.size()));
  if (!added)
    return entry->second;
  Route route;
  route.limit = limit;
  const std::uint64_t flow = static_cast<std::uint64_t>(from.index) * 0x9E3779B97F4A7C15U + static_cast<std::uint64_t>(to.index);
  for (const LinkId link : cluster_.route(from, to, flow)) {
    route.links.push_back(link.index);
    route.latency += cluster_.link(link).latency.value();
  }
  for (const ResourceId resource : resources)
    route.links.push_back(resource_base_[program] + resource.index);
  routes_.push_back(std::move(route));
  return entry->second;
}

} // namespace trainyard
