// SPDX-License-Identifier: Apache-2.0
#include "sim/training/all_reduce_plan.hpp"

#include "sim/training/message_cost.hpp"

#include <algorithm>
#include <limits>
#include <set>

namespace trainyard {
namespace {

CollectiveChoice choice_for(const ExchangeSettings& settings, const CollectiveShape& shape, Bytes payload)
{
  if (settings.algorithm == "auto")
    return choose_collective(settings.tuning, shape, payload);
  return {.algorithm = settings.algorithm, .latency = settings.library_latency ? ring_latency(settings.tuning, shape, payload) : Seconds{}};
}

Seconds message_rounds(const Transport& transport, const CollectiveShape& shape, bool library_latency)
{
  return library_latency ? Seconds{} : transport.latency * (2.0 * (shape.ranks - 1));
}

Seconds total(const std::vector<Seconds>& times)
{
  Seconds sum;
  for (const Seconds time : times)
    sum += time;
  return sum;
}

} // namespace

CollectiveShape ring_shape(const TrainingContext& context, const Transport& transport)
{
  CollectiveShape shape;
  const std::vector<VertexId>& ranks = context.placement.workers;
  shape.ranks = static_cast<int>(ranks.size());
  BytesPerSecond links{std::numeric_limits<double>::infinity()};
  std::set<NodeId> nodes;
  for (std::size_t rank = 0; rank < ranks.size(); ++rank) {
    nodes.insert(context.cluster.vertex(ranks[rank]).node);
    for (const LinkId id : context.cluster.route(ranks[rank], ranks[(rank + 1) % ranks.size()])) {
      const Link& link = context.cluster.link(id);
      shape.nvlink = shape.nvlink || link.kind == LinkKind::nvlink;
      links = std::min(links, link.bandwidth * transport_efficiency(transport, 64_MB));
    }
  }
  shape.nodes = static_cast<int>(nodes.size());
  shape.bus_bandwidth = std::min({links, transport.stream_limit, transport.endpoint_limit});
  if (shape.nodes > 1 && transport.stream_limit < links)
    shape.flow_headroom = std::min(links, transport.endpoint_limit) / transport.stream_limit;
  return shape;
}

CollectiveShape ring_shape(const TrainingContext& context, const Transport& transport, const Rings& found)
{
  CollectiveShape shape = ring_shape(context, transport);
  const BytesPerSecond links = found.bandwidth * transport_efficiency(transport, 64_MB);
  const BytesPerSecond streams = transport.stream_limit * static_cast<double>(found.orders.size());
  shape.bus_bandwidth = std::min({links, streams, transport.endpoint_limit});
  shape.flow_headroom = CollectiveShape{}.flow_headroom;
  if (shape.nodes > 1 && streams < links)
    shape.flow_headroom = std::min(links, transport.endpoint_limit) / streams;
  return shape;
}

std::vector<Gradient> gradients_in_order(const Dnn& dnn, const WorkerTimes& times, double bytes_per_element)
{
  std::vector<Gradient> result;
  Seconds now;
  for (std::size_t index = dnn.layers.size(); index-- > 0;) {
    now += times.backward[index];
    const std::vector<ParameterTensor>& tensors = dnn.layers[index].parameters;
    for (auto tensor = tensors.rbegin(); tensor != tensors.rend(); ++tensor)
      result.push_back({static_cast<int>(index), Bytes{tensor->elements * bytes_per_element}, now});
  }
  return result;
}

std::vector<PlannedCollective> plan_collectives(const Dnn& dnn, const WorkerTimes& times, double bytes_per_element, const Fusion& fusion,
                                                const ExchangeSettings& settings, const Transport& transport, const CollectiveShape& shape)
{
  const std::vector<Gradient> gradients = gradients_in_order(dnn, times, bytes_per_element);
  const auto call_start_up = [&](const CollectiveChoice& choice, Bytes payload) {
    return settings.start_up + choice.latency + settings.staging * payload;
  };
  const CollectiveEstimate estimate = [&](Bytes payload) {
    const CollectiveChoice choice = choice_for(settings, shape, payload);
    return collective_time(choice, shape, payload) - choice.latency + call_start_up(choice, payload) +
           message_rounds(transport, shape, settings.library_latency || settings.algorithm == "auto");
  };

  int kernels = 0;
  for (const Layer& layer : dnn.layers)
    kernels += layer.parameters.empty() ? 1 : 2;
  const Seconds backward = total(times.backward);
  const Seconds wait = kernels > 0 ? backward * (settings.kernel_wait / kernels) : Seconds{};

  std::vector<PlannedCollective> result;
  Seconds free;
  for (const Bucket& bucket : fusion.buckets(gradients, estimate)) {
    const Gradient& last = gradients[bucket.last];
    const CollectiveChoice choice = choice_for(settings, shape, bucket.bytes);
    PlannedCollective collective{bucket.bytes, last.layer, {}, call_start_up(choice, bucket.bytes), choice.algorithm, choice.efficiency};
    const Seconds ready = settings.overlap ? std::max(bucket.not_before, last.ready) : backward;
    if (settings.overlap)
      collective.issue_delay = ready - last.ready;
    const Seconds start = std::max(free, ready);
    if (start < backward)
      collective.start_up += wait;
    free = start + estimate(bucket.bytes) + (start < backward ? wait : Seconds{});
    result.push_back(collective);
  }
  return result;
}

} // namespace trainyard
