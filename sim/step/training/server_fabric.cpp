// SPDX-License-Identifier: Apache-2.0
#include "sim/step/training/server_fabric.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace trainyard {
namespace {

std::size_t index_of(int index)
{
  return static_cast<std::size_t>(index);
}

void add_missing(std::vector<ResourceId>& list, const std::vector<ResourceId>& more)
{
  for (const ResourceId id : more)
    if (!std::ranges::count(list, id))
      list.push_back(id);
}

} // namespace

ServerFabric::ServerFabric(StepProgram& program, const TrainingContext& context, const ServerExchange& exchange,
                           std::span<const WorkerGroup> groups, std::span<const int> simulated,
                           std::span<const VariablePart> parts)
    : context_{context}, exchange_{exchange}, groups_{groups}, simulated_{simulated}
{
  for (const int index : simulated_)
    mates_for_each_[groups_[index_of(index)].node] += 1.0 / groups_[index_of(index)].mates;
  for (auto& [node, mates] : mates_for_each_)
    mates = 1 / mates;
  make_lanes(program);
  if (exchange_.in_process)
    return;
  make_resources(program);
  if (simulated_.size() < groups_.size())
    share_links(program, parts);
}

void ServerFabric::make_lanes(StepProgram& program)
{
  const auto add = [&](const std::string& name, LaneKind kind, int slots, NodeId node, int by_connection = 1) {
    return program.add(Lane{.name = name,
                            .kind = kind,
                            .slots = slots,
                            .slots_by_connection = by_connection,
                            .members = static_cast<int>(std::lround(members())),
                            .node = node});
  };
  // One after another is how a stream carries them, without a gap: the next one is sent before the last has arrived.
  constexpr int any_number = 1'000'000;
  const int on_a_stream = exchange_.messages_in_flight == 1 ? any_number : exchange_.messages_in_flight;
  const int servers = static_cast<int>(exchange_.servers.size());
  compute_.resize(context_.placement.workers.size());
  for (const int index : simulated_) {
    const WorkerGroup& group = groups_[index_of(index)];
    const std::string& node = context_.cluster.node(group.node).name;
    for (const int worker : group.workers)
      compute_[index_of(worker)] =
          add("worker-" + std::to_string(worker) + " compute", LaneKind::compute, 1, group.node);
    if (exchange_.local_aggregation == "collective" && group.workers.size() > 1)
      collective_[group.node] = add(node + " collectives", LaneKind::communication, 1, group.node);
    if (exchange_.local_aggregation == "host" && group.workers.size() > 1)
      host_[group.node] = add(node + " cpu", LaneKind::host, 1, group.node);
    if (exchange_.messages_in_flight > 0)
      for (int server = 0; server < servers; ++server)
        for (const bool out : {true, false})
          connection_[{index, server, out}] =
              add("worker-" + std::to_string(group.workers.front()) + (out ? " to ps-" : " from ps-") +
                      std::to_string(server),
                  LaneKind::communication, exchange_.messages_in_flight, group.node, on_a_stream);
  }
  for (int server = 0; server < servers; ++server)
    server_cpu_.push_back(program.add(Lane{.name = "ps-" + std::to_string(server) + " cpu",
                                           .kind = LaneKind::host,
                                           .slots = 1,
                                           .members = 1,
                                           .node = context_.cluster.vertex(exchange_.servers[index_of(server)]).node}));
}

ServerFabric::Duplex ServerFabric::duplex(StepProgram& program, const std::string& name, BytesPerSecond capacity,
                                          double sharers) const
{
  if (!std::isfinite(capacity.value()))
    return {};
  const BytesPerSecond share = capacity / sharers;
  if (exchange_.shared_directions) {
    const ResourceId both = program.add(Resource{.name = name + " I/O", .capacity = share});
    return {{both}, {both}};
  }
  const ResourceId out = program.add(Resource{.name = name + " sends", .capacity = share});
  const ResourceId in = program.add(Resource{.name = name + " receives", .capacity = share});
  return {{out}, {in}};
}

namespace {

/// What the cores of a process send, or receive, per second.
BytesPerSecond rate_of_cores(const ServerExchange& exchange, double cores)
{
  const double per_byte = exchange.transport.cpu_per_byte.value();
  return BytesPerSecond{cores > 0 && per_byte > 0 ? cores / per_byte : std::numeric_limits<double>::infinity()};
}

} // namespace

BytesPerSecond server_rate(const ServerExchange& exchange)
{
  // A thread that serves variables of GPU memory copies them to the host first: its times per byte add up.
  const SecondsPerByte service =
      SecondsPerByte{1 / exchange.transport.endpoint_limit.value()} + exchange.staging_per_byte;
  const BytesPerSecond rate{service.value() > 0 ? 1 / service.value() : std::numeric_limits<double>::infinity()};
  return std::min(rate, rate_of_cores(exchange, exchange.server_cores));
}

void ServerFabric::make_resources(StepProgram& program)
{
  const BytesPerSecond rate = server_rate(exchange_);
  for (std::size_t server = 0; server < exchange_.servers.size(); ++server)
    server_.push_back(duplex(program, "ps-" + std::to_string(server), rate, members()));
  for (const int index : simulated_) {
    const WorkerGroup& group = groups_[index_of(index)];
    if (node_.contains(group.node))
      continue;
    const Node& node = context_.cluster.node(group.node);
    node_[group.node] = duplex(
        program, node.name + " worker",
        std::min(exchange_.transport.endpoint_limit * processes(group), rate_of_cores(exchange_, node.cpu_cores)),
        mates_for_each(group.node));
    // What one message after another of one worker uses is no more than its own limit.
    const bool several = group.mates > processes(group) || exchange_.messages_in_flight != 1;
    if (exchange_.connection_rate > BytesPerSecond{} &&
        (several || exchange_.connection_rate < exchange_.transport.stream_limit))
      make_connections(program, group);
  }
  if (exchange_.client && std::isfinite(exchange_.transport.endpoint_limit.value()))
    client_ = {program.add(Resource{.name = "client sends", .capacity = exchange_.transport.endpoint_limit})};
}

void ServerFabric::make_connections(StepProgram& program, const WorkerGroup& group)
{
  for (int server = 0; server < static_cast<int>(exchange_.servers.size()); ++server)
    stream_[{group.node, server}] =
        duplex(program, context_.cluster.node(group.node).name + " to ps-" + std::to_string(server),
               exchange_.connection_rate * processes(group), mates_for_each(group.node));
}

/// Of the workers of its node.
int ServerFabric::processes(const WorkerGroup& group) const
{
  return exchange_.process_per_gpu ? group.mates : 1;
}

/// Links carry the traffic of the members that are not simulated, too: each has the share of those that are.
void ServerFabric::share_links(StepProgram& program, std::span<const VariablePart> parts)
{
  const Cluster& cluster = context_.cluster;
  const ExchangeWays ways{cluster, context_.placement, groups_, exchange_.local_aggregation != "none", parts};
  const LinkBytes all = ways.of_all(simulated_), own = ways.of(simulated_);
  for (const bool out : {true, false}) {
    const std::vector<Bytes>&of_all = out ? all.to_servers : all.from_servers,
          &of_own = out ? own.to_servers : own.from_servers;
    std::map<LinkId, ResourceId> shares;
    for (const int group : simulated_)
      for (int server = 0; server < static_cast<int>(exchange_.servers.size()); ++server)
        for (const LinkId id : ways.way(group, server, out)) {
          const auto index = index_of(id.index);
          const double sharers = of_own[index] > Bytes{} ? of_all[index] / of_own[index] : 1;
          if (sharers <= 1 + 1e-9)
            continue;
          const auto [entry, fresh] = shares.try_emplace(id);
          if (fresh)
            entry->second = program.add(Resource{.name = "share of " + cluster.link(id).name,
                                                 .capacity = cluster.link(id).data_rate() / sharers,
                                                 .link = id,
                                                 .sharers = sharers});
          add_missing(links_[{group, server, out}], {entry->second});
        }
  }
}

SmallList<LaneId> ServerFabric::collectives(NodeId node) const
{
  const auto found = collective_.find(node);
  return found == collective_.end() ? SmallList<LaneId>{} : SmallList<LaneId>{found->second};
}

SmallList<LaneId> ServerFabric::connection(int group, int server, bool out) const
{
  const auto found = connection_.find({group, server, out});
  return found == connection_.end() ? SmallList<LaneId>{} : SmallList<LaneId>{found->second};
}

const std::vector<ResourceId>& ServerFabric::capacities(int group, int server, bool out)
{
  List& list = capacities_[{group, server, out}];
  if (!list.empty())
    return list;
  // At the server a worker's outgoing message comes in.
  list = out ? server_[index_of(server)].in : server_[index_of(server)].out;
  if (const auto links = links_.find({group, server, out}); links != links_.end())
    add_missing(list, links->second);
  const NodeId node = groups_[index_of(group)].node;
  add_missing(list, out ? node_.at(node).out : node_.at(node).in);
  if (const auto stream = stream_.find({node, server}); stream != stream_.end())
    add_missing(list, out ? stream->second.out : stream->second.in);
  return list;
}

} // namespace trainyard
