// SPDX-License-Identifier: Apache-2.0
#include "sim/step/training/all_reduce_plan.hpp"

#include "models/cost/container_network.hpp"
#include "models/cost/mpi_decisions.hpp"
#include "models/hardware/measured_rates.hpp"
#include "sim/step/collectives/collective.hpp"
#include "sim/step/training/message_cost.hpp"
#include "sim/step/training/sparse_rows.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <utility>

namespace trainyard {
namespace {

CollectiveChoice choice_for(const ExchangeSettings& settings, const CollectiveShape& shape, Bytes payload)
{
  if (settings.algorithm == "auto")
    return choose_collective(settings.tuning, shape, payload);
  if (settings.library_trees)
    return choose_tree(settings.tuning, shape, payload);
  if (settings.library_latency && settings.algorithm == "ring")
    return choose_ring(settings.tuning, shape, payload);
  CollectiveChoice choice{.algorithm = settings.mpi.empty() ? settings.algorithm
                                                            : mpi_algorithm(settings.mpi, shape.ranks, payload)};
  if (const ExchangeSettings::Rounds& rounds = settings.rounds; settings.library_latency && rounds.calls > 0) {
    const CollectiveTuning& tuning = settings.tuning;
    choice.latency = (tuning.launch + tuning.ring_base) * rounds.calls +
                     (shape.nvlink ? tuning.nvlink_hop : tuning.pcie_hop) * rounds.inside +
                     tuning.network_hop * rounds.across +
                     longest_wires(tuning, shape) * (rounds.across - rounds.around);
    if (rounds.around > 0)
      choice.latency += wires_around_ring(tuning, shape) * (rounds.around / std::max(1, shape.nodes - 1));
  } else if (settings.library_latency)
    choice.latency = ring_latency(settings.tuning, shape, payload);
  return choice;
}

/// Rounds of a registered algorithm over all ranks; empty where it cannot do that.
std::vector<Round> planned_rounds(const TrainingContext& context, const std::string& algorithm,
                                  CollectiveRequest& request)
{
  const auto& registry = Registry<Collective>::instance();
  request.ranks = static_cast<int>(context.placement.workers.size());
  request.payload = Bytes{1};
  request.all_ranks = context.whole();
  for (const VertexId worker : context.placement.workers)
    request.node_of_rank.push_back(context.cluster.vertex(worker).node.index);
  if (request.ranks < 2 || registry.find(algorithm) == nullptr)
    return {};
  const std::unique_ptr<Collective> collective = registry.create(algorithm);
  return collective->supports(request) ? collective->plan(request) : std::vector<Round>{};
}

ExchangeSettings::Rounds rounds_of(const TrainingContext& context, const std::string& algorithm)
{
  ExchangeSettings::Rounds rounds;
  if (algorithm == "auto" || algorithm == "ring" || algorithm == "tree")
    return rounds;
  CollectiveRequest request;
  const std::vector<Round> planned = planned_rounds(context, algorithm, request);
  for (const Round& round : planned) {
    const auto across = static_cast<double>(std::ranges::count_if(round.messages, [&](const RoundMessage& message) {
      return request.node_of_rank[static_cast<std::size_t>(message.from)] !=
             request.node_of_rank[static_cast<std::size_t>(message.to)];
    }));
    // What goes round a ring takes all its edges in turn; other rounds wait for their slowest message.
    const double share = round.repeat > 1 ? across / static_cast<double>(round.messages.size()) : across > 0 ? 1 : 0;
    rounds.across += round.repeat * share;
    rounds.around += round.repeat > 1 ? round.repeat * share : 0;
    rounds.inside += round.repeat * (1 - share);
    rounds.calls += round.repeat > 1 ? 1 : 0; // each of its rings is a call
  }
  if (!planned.empty())
    rounds.calls = std::max(rounds.calls, 1);
  return rounds;
}

/// What messages of the rounds take beside their bytes: the transport's start-up and the wires, the slowest message of
/// each round.
Seconds latency_of_rounds(const TrainingContext& context, const Transport& transport, const std::string& algorithm,
                          const std::string& operation)
{
  CollectiveRequest request{.operation = operation};
  Seconds sum;
  for (const Round& round : planned_rounds(context, algorithm, request)) {
    Seconds slowest;
    for (const RoundMessage& message : round.messages) {
      Seconds wires;
      for (const LinkId id :
           context.cluster.seen_route(context.placement.workers[static_cast<std::size_t>(message.from)],
                                      context.placement.workers[static_cast<std::size_t>(message.to)], {}))
        wires += context.cluster.link(id).latency;
      slowest = std::max(slowest, transport.latency + wires);
    }
    sum += slowest * round.repeat;
  }
  return sum;
}

/// What the library does for an operation other than all-reduce. Broadcast and reduce pass round a ring once, too.
CollectiveChoice other_choice(const ExchangeSettings& settings, const CollectiveShape& shape,
                              const std::string& operation, Bytes payload)
{
  if (operation == "all_to_all")
    return {.latency = exchange_start_up(settings.tuning, shape, payload)};
  CollectiveTuning tuning = settings.tuning;
  tuning.low_latency = tuning.low_latency && (settings.library_decides() || settings.algorithm == "ring");
  tuning.parallel_trees = tuning.parallel_trees && settings.algorithm == "auto" &&
                          (operation == "all_gather" || operation == "reduce_scatter");
  return choose_gather(tuning, shape, payload);
}

Seconds total(const std::vector<Seconds>& times)
{
  Seconds sum;
  for (const Seconds time : times)
    sum += time;
  return sum;
}

/// A library that chooses algorithm and protocol by itself, as NCCL does.
bool is_nccl(const Transport& transport)
{
  return transport.settings.text("collective", "ring") == "auto" || transport.settings.text("variant_of", "") == "nccl";
}

/// Between machines; inside one, a library that reads memory of GPUs uses none of the sockets that its variant has.
BytesPerSecond stream_limit(const Transport& transport, int nodes)
{
  return nodes == 1 && transport.settings.has("over") ? BytesPerSecond{std::numeric_limits<double>::infinity()}
                                                      : transport.stream_limit;
}

/// In the order of the ranks.
CollectiveShape shape_of_ranks(const TrainingContext& context, const Transport& transport)
{
  CollectiveShape shape;
  const std::vector<VertexId>& ranks = context.placement.workers;
  shape.ranks = context.whole();
  shape.wires = long_wires(context.cluster, ranks);
  BytesPerSecond links{std::numeric_limits<double>::infinity()}, narrowest = links;
  BytesPerSecond inside = links; // infinite with one rank per node
  std::set<NodeId> nodes;
  for (std::size_t rank = 0; rank < ranks.size(); ++rank) {
    const VertexId next = ranks[(rank + 1) % ranks.size()];
    const NodeId node = context.cluster.vertex(ranks[rank]).node;
    nodes.insert(node);
    for (const LinkId id : context.cluster.seen_route(ranks[rank], next, {})) {
      const Link& link = context.cluster.link(id);
      const BytesPerSecond rate = reached_rate(transport, link);
      narrowest = std::min(narrowest, link.data_rate());
      shape.nvlink = shape.nvlink || joins_gpus(link.kind);
      links = std::min(links, rate);
      if (context.cluster.vertex(next).node == node)
        inside = std::min(inside, rate);
    }
  }
  shape.inside_bandwidth = inside;
  if (std::isfinite(narrowest.value())) // else all ranks are at one place
    shape.infiniband_gain = links / (narrowest * transport_efficiency(transport, 64_MB));
  shape.nodes = static_cast<int>(static_cast<long long>(nodes.size()) * shape.ranks /
                                 std::max<long long>(1, static_cast<long long>(ranks.size())));
  const BytesPerSecond stream = stream_limit(transport, shape.nodes);
  shape.bus_bandwidth = std::min({links, stream, transport.endpoint_limit});
  shape.by_flows = shape.nodes > 1 && stream < std::min(links, transport.endpoint_limit);
  return shape;
}

/// What reduction in NVSwitches reaches on the node where it is slowest; 0: one of them cannot.
BytesPerSecond switch_bandwidth(const TrainingContext& context, const Transport& transport)
{
  std::map<NodeId, std::pair<VertexId, int>> nodes; // one rank of each, and their number
  for (const VertexId rank : context.placement.workers)
    ++nodes.try_emplace(context.cluster.vertex(rank).node, rank, 0).first->second.second;
  BytesPerSecond slowest{std::numeric_limits<double>::infinity()};
  for (const auto& [id, node] : nodes) {
    BytesPerSecond rate;
    for (const LinkId out : context.cluster.outgoing(node.first)) {
      const Link& link = context.cluster.link(out);
      if (id.index >= 0 && link.kind == LinkKind::nvlink &&
          context.cluster.vertex(link.to).kind == VertexKind::nv_switch)
        rate = switch_reduction_rate(reached_rate(transport, link), context.cluster.node(id).switch_reduction,
                                     node.second);
    }
    slowest = std::min(slowest, rate);
  }
  return slowest;
}

CollectiveShape shape_of_rings(const TrainingContext& context, const Transport& transport, const Rings& found)
{
  CollectiveShape shape = shape_of_ranks(context, transport);
  BytesPerSecond links{std::numeric_limits<double>::infinity()}, off_nvlink = links;
  for (std::size_t i = 0; i < link_kinds; ++i) {
    const auto kind = static_cast<LinkKind>(i);
    const BytesPerSecond reached = found.by_kind.at(i) * transport_efficiency(transport, kind);
    links = std::min(links, reached);
    if (!joins_gpus(kind))
      off_nvlink = std::min(off_nvlink, reached);
  }
  if (std::isfinite(links.value()) && std::isfinite(found.bandwidth.value()))
    shape.infiniband_gain = links / (found.bandwidth * transport_efficiency(transport, 64_MB));
  const BytesPerSecond streams =
      std::min(stream_limit(transport, shape.nodes) * static_cast<double>(found.orders.size()),
               shape.nodes > 1 ? tunnel_limit(transport) : links);
  shape.bus_bandwidth = std::min({links, streams, transport.endpoint_limit});
  shape.inside_bandwidth = found.inside * transport_efficiency(transport, 64_MB);
  shape.channels = static_cast<int>(found.orders.size());
  shape.switch_bandwidth = switch_bandwidth(context, transport);
  shape.node_bandwidth = std::min({off_nvlink, streams, transport.endpoint_limit});
  shape.by_flows = shape.nodes > 1 && streams < std::min(links, transport.endpoint_limit);
  return shape;
}

} // namespace

TrainingContext::Found& found_at(const TrainingContext& context)
{
  TrainingContext::Found& found = *context.found;
  if (const std::vector<VertexId>& workers = context.placement.workers; !std::ranges::equal(found.ranks, workers))
    found = {.ranks = workers};
  return found;
}

const CollectiveShape& ring_shape(const TrainingContext& context, const Transport& transport, const Rings* found)
{
  TrainingContext::Found& known = found_at(context);
  if (std::exchange(known.transport, transport.name) != transport.name)
    known.shape = known.shape_of_rings = std::nullopt;
  std::optional<CollectiveShape>& shape = found != nullptr ? known.shape_of_rings : known.shape;
  if (!shape)
    shape = found != nullptr ? shape_of_rings(context, transport, *found) : shape_of_ranks(context, transport);
  return *shape;
}

std::shared_ptr<const Rings> library_rings(const TrainingContext& context, const Transport& transport,
                                           const Settings& settings)
{
  const std::string wanted = settings.text("ring_order", "auto");
  const std::vector<VertexId>& workers = context.placement.workers;
  const bool gpus = std::ranges::all_of(
      workers, [&](VertexId worker) { return context.cluster.vertex(worker).kind == VertexKind::gpu; });
  if (workers.size() < 2 || wanted == "ranks" ||
      (wanted == "auto" && (!transport.gpu_direct || !gpus || settings.has("channels"))))
    return nullptr;
  TrainingContext::Found& found = found_at(context);
  if (found.rings == nullptr)
    found.rings = std::make_shared<const Rings>(rings(context.cluster, workers));
  return found.rings;
}

Settings over_transport(const Transport& transport, const Settings& settings)
{
  Settings merged = transport.settings;
  for (const auto& [name, value] : settings.numbers())
    merged.set(name, value);
  for (const auto& [name, value] : settings.names())
    merged.set(name, value);
  return merged;
}

SecondsPerByte copies_to_host_and_back(const TrainingContext& context)
{
  std::map<LinkId, int> over;
  SecondsPerByte longest;
  for (const bool counts : {true, false})
    for (const VertexId worker : context.placement.workers) {
      const Vertex& place = context.cluster.vertex(worker);
      if (place.kind != VertexKind::gpu || place.node.index < 0)
        continue;
      for (const LinkId id : context.cluster.route(worker, context.cluster.node(place.node).host))
        if (counts)
          ++over[id];
        else
          longest = std::max(longest, SecondsPerByte{over.at(id) / context.cluster.link(id).data_rate().value()});
    }
  return longest * 2; // down and up
}

Parameter staging_parameter()
{
  return {"staging_per_GB",
          "duration",
          "0 s; with mpi, gloo and tcp by the PCIe links that the GPUs of a node share",
          "copies of a GB to the host and back, for a transport that cannot read GPU memory; they go on beside the "
          "collectives of others",
          0,
          100};
}

Parameter latency_model_parameter()
{
  return {.name = "latency_model",
          .kind = "name",
          .default_value = "nccl with nccl, else message",
          .meaning = "start-up of a collective: from the transport's messages, or from the library's hops and "
                     "protocols (nccl)",
          .choices = {"message", "nccl"}};
}

HostCopies::HostCopies(StepProgram& program, const std::string& job, SecondsPerByte staging, int ranks)
    : staging_{staging}
{
  if (staging > SecondsPerByte{} && ranks > 1)
    for (LaneId* lane : {&to_host_, &to_device_})
      *lane = program.add(Lane{
          .name = job + (lane == &to_host_ ? " to host" : " to device"), .kind = LaneKind::copy, .members = ranks});
}

std::vector<OperationId> HostCopies::copied(StepProgram& program, Bytes bytes, bool to_host,
                                            std::vector<OperationId> after, int step) const
{
  if (to_host_.index < 0)
    return after;
  return {program.add(Operation{.name = to_host ? "copy to host" : "copy to device",
                                .role = Role::exchange,
                                .work = HostWork{bytes * staging_ * 0.5},
                                .lanes = {to_host ? to_host_ : to_device_},
                                .after = std::move(after),
                                .step = step})};
}

ExchangeSettings exchange_settings(const TrainingContext& context, const Transport& transport, const Settings& merged)
{
  ExchangeSettings exchange;
  exchange.algorithm = merged.text("collective", "ring");
  exchange.overlap = merged.flag("overlap", true);
  const std::vector<VertexId>& workers = context.placement.workers;
  const bool chooses = is_nccl(transport);
  exchange.library_trees = exchange.algorithm == "tree" && chooses;
  if (!merged.has("collective"))
    exchange.mpi = merged.text("mpi", "");
  // Collectives that run on processors wait for no multiprocessor.
  const bool gpus = !workers.empty() && context.cluster.vertex(workers.front()).kind == VertexKind::gpu;
  exchange.kernel_wait = merged.number("kernel_wait", gpus && transport.gpu_direct ? 0.5 : 0);
  exchange.start_up = Seconds{merged.number("collective_start_up", 0)};
  if (!transport.gpu_direct)
    exchange.staging = merged.has("staging_per_GB")           ? SecondsPerByte{merged.number("staging_per_GB", 0) / 1e9}
                       : merged.flag("copies_to_host", false) ? copies_to_host_and_back(context)
                                                              : SecondsPerByte{};
  exchange.copies_back = merged.flag("copies_back", true);
  if (const Bytes size{merged.number("acknowledgement", 0)}; size > Bytes{}) {
    BytesPerSecond line{std::numeric_limits<double>::infinity()};
    for (std::size_t rank = 0; rank < workers.size(); ++rank)
      for (const LinkId id : context.cluster.seen_route(workers[rank], workers[(rank + 1) % workers.size()], {}))
        if (const Link& link = context.cluster.link(id); link.kind == LinkKind::ethernet)
          line = std::min(line, link.bandwidth);
    if (std::isfinite(line.value())) // a rank sends and receives at the same time: each way carries both
      exchange.acknowledged = acknowledged_share(size, line);
  }
  exchange.library_latency =
      merged.text("latency_model", chooses ? "nccl" : "message") == "nccl" && exchange.mpi.empty();
  if (exchange.library_latency)
    exchange.rounds = rounds_of(context, exchange.algorithm);
  else if (!exchange.library_decides())
    for (const std::string& algorithm : exchange.mpi.empty() ? std::vector{exchange.algorithm} : mpi_algorithms())
      exchange.sum_rounds[algorithm] = latency_of_rounds(context, transport, algorithm, "all_reduce");
  if (context.dnn.sparse())
    for (const Layer& layer : context.dnn.layers)
      for (const ParameterTensor& tensor : layer.parameters)
        exchange.rows.push_back(tensor.sparse() ? exchanged_rows(context, tensor.table) : 0);
  if (context.dnn.sparse() && !exchange.library_latency && !exchange.library_decides())
    exchange.gather_rounds = latency_of_rounds(context, transport, "ring", "all_gather");
  exchange.tuning = collective_tuning(merged, context.newer_gpus, context.gpu);
  if (context.gpu != nullptr)
    tune_for(exchange.tuning, *context.gpu);
  exchange.tuning.low_latency = exchange.tuning.low_latency && (chooses || exchange.algorithm == "auto");
  return exchange;
}

int collective_channels(const TrainingContext& context, const Transport& transport, const Settings& merged,
                        const Rings* found, const CollectiveShape& shape)
{
  const VertexId worker = context.placement.workers.front();
  if (!transport.gpu_direct || context.cluster.vertex(worker).kind != VertexKind::gpu)
    return 0;
  int rings = found != nullptr ? static_cast<int>(found->orders.size()) : merged.integer("channels", 1);
  int measured = 0;
  if (shape.nodes == 1 && rings == 1)
    for (const LinkId out : context.cluster.outgoing(worker))
      if (const Link& link = context.cluster.link(out);
          context.cluster.vertex(link.to).kind == VertexKind::nv_switch && context.gpu != nullptr) {
        rings = link.width;
        measured = measured_rates(context.gpu->name).collective_channels;
      }
  return merged.integer("collective_channels", measured > 0 ? measured : 2 * rings);
}

double lengthened_by(const std::vector<PlannedCollective>& collectives, const WorkerTimes& times, double share)
{
  if (collectives.empty() || share <= 0)
    return 1;
  Seconds messages, computing;
  for (const PlannedCollective& collective : collectives)
    messages += collective.beside;
  for (int layer = 0; layer < collectives.front().last_layer; ++layer)
    computing += times.backward[static_cast<std::size_t>(layer)];
  if (computing <= Seconds{})
    return 1;
  return 1 + std::min(share * (messages / computing), share / (1 - share));
}

void check_network_reduction(const TrainingContext& context, const Settings& settings, Diagnostics& diagnostics)
{
  if (!settings.flag("network_reduction", false))
    return;
  const std::vector<VertexId>& workers = context.placement.workers;
  for (std::size_t rank = 0; rank < workers.size(); ++rank)
    for (const LinkId id : context.cluster.seen_route(workers[rank], workers[(rank + 1) % workers.size()], {}))
      if (const Link& link = context.cluster.link(id); link.kind == LinkKind::ethernet) {
        diagnostics.error({.path = context.job.path + ".training.network_reduction"},
                          "job '" + context.job.name + "' uses link " + link.name +
                              ": switches of Ethernet do not add up; name a link of InfiniBand (cluster: {network: "
                              "{link: IB-NDR}}), or leave network_reduction out");
        return;
      }
}

CollectiveCall library_call(const TrainingContext& context, const Transport& transport,
                            const ExchangeSettings& settings, const Rings* found, const CollectiveShape& shape,
                            int channels, const PlannedCollective& planned)
{
  const bool library = settings.library_latency || settings.library_decides();
  CollectiveCall call{.algorithm = settings.library_decides() ? "ring" : planned.algorithm,
                      .ranks = found_at(context).ranks,
                      .payload = planned.payload,
                      .cost = message_cost(transport, planned.payload / static_cast<double>(context.whole())),
                      .start_up = planned.start_up,
                      .channels = channels,
                      .all_ranks = context.all_workers};
  call.operation = planned.operation;
  const double reached = planned.efficiency * planned.traffic; // of the bandwidth that the ring has for these bytes
  call.payload *= planned.traffic;
  call.cost.efficiency *= std::min(reached, 1.0) * shape.infiniband_gain;
  call.cost.efficiency /= 1 + call.cost.efficiency * settings.acknowledged;
  call.cost.both_ways = settings.acknowledged <= 0;
  call.cost.limit = stream_limit(transport, shape.nodes) * reached;
  if (library) { // the tuner's hop latencies were measured over whole hops and stand in the start-up
    call.cost.latency = {};
    call.cost.whole_latency = true;
  }
  if (found != nullptr && call.algorithm == "ring")
    call.orders = found->orders;
  return call;
}

CollectiveCall one_call(const TrainingContext& context, const Transport& transport, const Settings& merged,
                        const std::string& operation, Bytes payload)
{
  const ExchangeSettings settings = exchange_settings(context, transport, merged);
  const double ranks = static_cast<double>(context.whole());
  const std::shared_ptr<const Rings> found = library_rings(context, transport, merged);
  const CollectiveShape& shape = ring_shape(context, transport, found.get());
  PlannedCollective planned{.payload = payload, .algorithm = settings.algorithm};
  const bool all_reduce = operation == "all_reduce";
  if (all_reduce || settings.library_decides() || settings.library_latency) {
    const CollectiveChoice choice =
        all_reduce ? choice_for(settings, shape, payload) : other_choice(settings, shape, operation, payload);
    planned.algorithm = choice.algorithm;
    planned.efficiency = choice.efficiency;
    planned.traffic = choice.traffic;
    planned.start_up = choice.latency;
  }
  CollectiveCall call =
      library_call(context, transport, settings, found.get(), shape, merged.integer("channels", 1), planned);
  call.operation = operation;
  if (operation == "broadcast" || operation == "reduce") {
    call.algorithm = "tree";
    if (settings.library_decides() || settings.library_latency) {
      // One ring of the library passes the whole payload on, as an all-gather of n/(n-1) as much.
      call.algorithm = "ring";
      call.operation = operation == "broadcast" ? "all_gather" : "reduce_scatter";
      call.payload = payload * (ranks / (ranks - 1));
    } else {
      call.orders = {};
    }
  } else if (operation == "all_to_all") {
    const bool library = settings.library_decides() || settings.library_latency;
    call.algorithm = library && settings.tuning.all_peers_at_once ? "by_machine" : "pairwise";
    call.orders = {};
    call.channels = 1;
  } else if (!all_reduce && call.algorithm != "ring") {
    call.algorithm = "ring";
  }
  return call;
}

HowDone how_done(const ExchangeSettings& settings, const CollectiveShape& shape, int most_channels, Bytes payload)
{
  const bool library = settings.library_decides() || (settings.library_latency && settings.algorithm == "ring");
  if (shape.ranks < 2 || (!library && settings.mpi.empty()))
    return {};
  const CollectiveChoice taken = choice_for(settings, shape, payload);
  if (!library)
    return {.taken = taken.algorithm};
  const auto words = [&](const CollectiveChoice& choice) {
    const int channels = channels_used(choice, shape.ranks, std::max(most_channels, 1), payload);
    return fmt::format("{} {}, {} channel{}", choice.algorithm, choice.protocol, channels, channels == 1 ? "" : "s");
  };
  HowDone how{.taken = words(taken), .counted = taken.counted, .takes = collective_time(taken, shape, payload)};
  if (settings.algorithm == "auto")
    if (const auto better = passed_over(settings.tuning, shape, payload)) {
      how.better = words(*better);
      how.better_counted = better->counted;
      how.would_take = collective_time(*better, shape, payload);
    }
  return how;
}

HowDone how_done(const TrainingContext& context, const Transport& transport, const Settings& merged, Bytes payload)
{
  const std::shared_ptr<const Rings> found = library_rings(context, transport, merged);
  const CollectiveShape& shape = ring_shape(context, transport, found.get());
  return how_done(exchange_settings(context, transport, merged), shape,
                  collective_channels(context, transport, merged, found.get(), shape), payload);
}

std::vector<Gradient> gradients_in_order(const Dnn& dnn, const WorkerTimes& times, double bytes_per_element,
                                         bool whole_tables)
{
  std::vector<Gradient> result;
  Seconds now;
  for (std::size_t index = dnn.layers.size(); index-- > 0;) {
    now += times.backward[index];
    const std::vector<ParameterTensor>& tensors = dnn.layers[index].parameters;
    for (auto tensor = tensors.rbegin(); tensor != tensors.rend(); ++tensor)
      if (whole_tables || !tensor->sparse())
        result.push_back({static_cast<int>(index), Bytes{tensor->elements * bytes_per_element}, now});
  }
  return result;
}

namespace {

/// What all workers gather of one table: the numbers of the rows that each has touched, then their values.
struct Gather {
  Gradient gradient; // of one worker
  std::array<Bytes, 2> payloads;
  Seconds not_before; // Bucket::not_before
};

/// What the framework sends together.
std::vector<Gather> fused(const std::vector<Gather>& gathers, const Fusion& fusion, const CollectiveEstimate& estimate)
{
  std::vector<Gather> result;
  if (!fusion.fuses_gathers()) {
    for (Gather gather : gathers) {
      gather.not_before = fusion.buckets({&gather.gradient, 1}, estimate).front().not_before;
      result.push_back(gather);
    }
    return result;
  }
  std::vector<Gradient> each; // as large as the buffer that all gather into
  for (const auto& [gradient, payloads, not_before] : gathers)
    each.push_back({gradient.layer, payloads[0] + payloads[1], gradient.ready});
  std::size_t next = 0;
  for (const Bucket& bucket : each.empty() ? std::vector<Bucket>{} : fusion.buckets(each, estimate)) {
    Gather together = gathers[bucket.last];
    together.not_before = bucket.not_before;
    for (; next < bucket.last; ++next)
      for (std::size_t i = 0; i < together.payloads.size(); ++i)
        together.payloads[i] += gathers[next].payloads[i];
    ++next;
    result.push_back(together);
  }
  return result;
}

std::vector<Gather> gathers_in_order(const Dnn& dnn, const WorkerTimes& times, double bytes_per_element,
                                     const ExchangeSettings& settings, int ranks)
{
  std::vector<Gather> result;
  if (settings.rows.empty())
    return result;
  std::size_t number = settings.rows.size();
  Seconds now;
  for (std::size_t index = dnn.layers.size(); index-- > 0;) {
    now += times.backward[index];
    const std::vector<ParameterTensor>& tensors = dnn.layers[index].parameters;
    for (auto tensor = tensors.rbegin(); tensor != tensors.rend(); ++tensor) {
      const double rows = settings.rows[--number];
      if (rows <= 0)
        continue;
      const Bytes numbers = row_number_size * rows, values{rows * tensor->row_elements() * bytes_per_element};
      result.push_back({{static_cast<int>(index), numbers + values, now}, {numbers * ranks, values * ranks}, {}});
    }
  }
  return result;
}

} // namespace

std::vector<PlannedCollective> plan_collectives(const Dnn& dnn, const WorkerTimes& times, double bytes_per_element,
                                                const Fusion& fusion, const ExchangeSettings& settings,
                                                const CollectiveShape& shape)
{
  const std::vector<Gradient> gradients = gradients_in_order(dnn, times, bytes_per_element, settings.whole_tables);
  const bool by_library = settings.library_latency || settings.library_decides();
  const auto choice_of = [&](const std::string& operation, Bytes payload) {
    return operation == "all_reduce" ? choice_for(settings, shape, payload)
           : by_library              ? other_choice(settings, shape, operation, payload)
                                     : CollectiveChoice{};
  };
  const auto alone = [&](const std::string& operation, Bytes payload) {
    const CollectiveChoice choice = choice_of(operation, payload);
    const auto rounds = settings.sum_rounds.find(choice.algorithm);
    return settings.start_up + (operation == "all_reduce"
                                    ? collective_time(choice, shape, payload) +
                                          (rounds == settings.sum_rounds.end() ? Seconds{} : rounds->second)
                                    : gather_time(choice, shape, payload) + settings.gather_rounds);
  };
  const CollectiveEstimate estimate = [&](Bytes payload) {
    return alone("all_reduce", payload) + payload * settings.staging * (settings.copies_back ? 1 : 0.5);
  };

  int kernels = 0;
  for (const Layer& layer : dnn.layers)
    kernels += layer.parameters.empty() ? 1 : 2;
  const Seconds backward = total(times.backward);
  const Seconds wait = kernels > 0 ? backward * (settings.kernel_wait / kernels) : Seconds{};

  std::vector<PlannedCollective> result;
  Seconds free;
  const auto add = [&](const std::string& operation, Bytes payload, Bytes of_one, const Gradient& last,
                       Seconds not_before) {
    const CollectiveChoice choice = choice_of(operation, payload);
    PlannedCollective collective{payload,
                                 last.layer,
                                 {},
                                 settings.start_up + choice.latency,
                                 operation == "all_reduce" ? choice.algorithm : "ring",
                                 choice.efficiency,
                                 choice.traffic,
                                 {},
                                 operation};
    const Seconds ready = settings.overlap ? std::max(not_before, last.ready) : backward;
    if (settings.overlap)
      collective.issue_delay = ready - last.ready;
    const Seconds start = std::max(free, ready + of_one * settings.staging * 0.5);
    if (start < backward)
      collective.start_up += wait;
    free = start + alone(operation, payload) + (start < backward ? wait : Seconds{});
    if (start + wait < backward)
      collective.beside = std::min(free, backward) - (start + wait);
    result.push_back(collective);
  };
  const std::vector<Gather> gathers =
      fused(gathers_in_order(dnn, times, bytes_per_element, settings, shape.ranks), fusion, estimate);
  auto gather = gathers.begin();
  const auto add_gathers_until = [&](Seconds ready) {
    for (; gather != gathers.end() && gather->gradient.ready < ready; ++gather)
      for (const Bytes payload : gather->payloads)
        add("all_gather", payload, payload / shape.ranks, gather->gradient, gather->not_before);
  };
  if (!gradients.empty())
    for (const Bucket& bucket : fusion.buckets(gradients, estimate)) {
      add_gathers_until(gradients[bucket.last].ready);
      add("all_reduce", bucket.bytes, bucket.bytes, gradients[bucket.last], bucket.not_before);
    }
  add_gathers_until(Seconds{std::numeric_limits<double>::infinity()});
  return result;
}

} // namespace trainyard
