// SPDX-License-Identifier: Apache-2.0
#include "sim/step/training/message_cost.hpp"

#include "sim/step/congestion/congestion_control.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>
#include <utility>

namespace trainyard {
namespace {

/// Efficiency of large payloads over InfiniBand; 0: as over other links.
double over_infiniband(const Transport& transport)
{
  return transport.settings.number("infiniband_efficiency", 0);
}

} // namespace

bool goes_over_rdma(const Transport& transport)
{
  return transport.settings.flag("rdma", false);
}

double transport_efficiency(const Transport& transport, Bytes payload)
{
  if (transport.rate.empty())
    return 1;
  const RatePoint* below = nullptr;
  for (const RatePoint& point : transport.rate) {
    if (point.size > payload) {
      if (below == nullptr)
        return point.efficiency;
      const double from = std::log(std::max(below->size.value(), 1.0));
      const double to = std::log(point.size.value());
      const double share = to > from ? (std::log(std::max(payload.value(), 1.0)) - from) / (to - from) : 1;
      return below->efficiency + share * (point.efficiency - below->efficiency);
    }
    below = &point;
  }
  return below->efficiency;
}

double transport_efficiency(const Transport& transport, LinkKind kind)
{
  const double given = kind == LinkKind::infiniband ? over_infiniband(transport) : 0;
  return given > 0 ? given : transport_efficiency(transport, 64_MB);
}

BytesPerSecond reached_rate(const Transport& transport, const Link& link)
{
  return link.data_rate() * transport_efficiency(transport, link.kind);
}

double acknowledged_share(Bytes size, BytesPerSecond line)
{
  return size.value() / (merged_segments(line.value()) * segment_payload);
}

Seconds stated_wires(const Cluster& cluster, VertexId from, VertexId to)
{
  Seconds wires;
  for (const LinkId id : cluster.seen_route(from, to, {}))
    if (const Link& link = cluster.link(id); joins_machines(link.kind) && !link.assumed_latency)
      wires += link.latency;
  return wires;
}

std::shared_ptr<const LongWires> long_wires(const Cluster& cluster, std::span<const VertexId> ranks)
{
  std::vector<VertexId> machines; // one rank of each
  std::set<NodeId> seen;
  for (const VertexId rank : ranks)
    if (seen.insert(cluster.vertex(rank).node).second)
      machines.push_back(rank);
  return LongWires::among(static_cast<int>(machines.size()), [&](int from, int to) {
    return stated_wires(cluster, machines[static_cast<std::size_t>(from)], machines[static_cast<std::size_t>(to)]);
  });
}

MessageCost message_cost(const Transport& transport, Bytes payload)
{
  return {.latency = transport.latency,
          .efficiency = transport_efficiency(transport, payload),
          .limit = transport.stream_limit,
          .rdma = goes_over_rdma(transport)};
}

namespace {

/// By how much more than transport_efficiency() says large payloads pass the narrowest of @p links, because it is
/// InfiniBand.
double infiniband_gain(const Transport& transport, const Cluster& cluster, const std::vector<LinkId>& links)
{
  if (links.empty())
    return 1;
  BytesPerSecond narrowest{std::numeric_limits<double>::infinity()}, reached = narrowest;
  for (const LinkId id : links) {
    narrowest = std::min(narrowest, cluster.link(id).data_rate());
    reached = std::min(reached, reached_rate(transport, cluster.link(id)));
  }
  return reached / (narrowest * transport_efficiency(transport, 64_MB));
}

} // namespace

Transfer message(const Transport& transport, const Cluster& cluster, VertexId from, VertexId to, Bytes payload,
                 SmallList<ResourceId> resources)
{
  MessageCost cost = message_cost(transport, payload);
  if (over_infiniband(transport) > 0)
    cost.efficiency *= infiniband_gain(transport, cluster, cluster.route(from, to));
  return {from, to, payload, cost, std::move(resources)};
}

} // namespace trainyard
