// SPDX-License-Identifier: Apache-2.0
#include "sim/step/training/server_messages.hpp"

#include "sim/step/training/message_cost.hpp"
#include "sim/step/training/sparse_rows.hpp"

#include <algorithm>
#include <utility>

namespace trainyard {
namespace {

std::size_t slot(int index)
{
  return static_cast<std::size_t>(index);
}

} // namespace

OperationId ServerMessages::add(SharedText name, Role role, Work work, Ids after, SmallList<LaneId> lanes, int step,
                                int worker, int priority)
{
  return program_.add(Operation{.name = std::move(name),
                                .role = role,
                                .work = std::move(work),
                                .lanes = std::move(lanes),
                                .after = std::move(after),
                                .priority = priority,
                                .step = step,
                                .worker = worker});
}

SharedText ServerMessages::label(std::string_view verb, int part)
{
  labels_.resize(std::max(labels_.size(), slot(part) + 1));
  for (const auto& [known, text] : labels_[slot(part)])
    if (known == verb)
      return text;
  std::string name{verb};
  return labels_[slot(part)].emplace_back(name, name + " " + plan_.name(part)).second;
}

Seconds ServerMessages::latency_of_way(VertexId from, VertexId to)
{
  const auto [known, fresh] = latency_of_way_.try_emplace({from, to});
  if (fresh)
    for (const LinkId link : c_.cluster.route(from, to))
      known->second += c_.cluster.link(link).latency;
  return known->second;
}

/// A message. Where messages take turns on a connection, the way there and back of its request passes beside them.
ServerMessages::Ids ServerMessages::send(SharedText name, Role role, Transfer transfer, Ids after,
                                         SmallList<LaneId> lanes, int step, int worker, int priority)
{
  if (!lanes.empty()) {
    Seconds latency = transfer.cost.latency;
    if (!transfer.cost.whole_latency)
      latency += latency_of_way(transfer.from, transfer.to);
    transfer.cost.latency = {};
    transfer.cost.whole_latency = true;
    if (latency > Seconds{} && !(plan_.joins() && request_.goes_for(latency, after)))
      request_ = {add("request", role, HostWork{latency}, after, {}, step, worker), latency, std::move(after)};
    if (latency > Seconds{})
      after = {request_.operation};
  }
  return {add(std::move(name), role, std::move(transfer), std::move(after), std::move(lanes), step, worker, priority)};
}

std::vector<ServerMessages::Ids> ServerMessages::pull(int group, const PulledMessage& pulled, int step,
                                                      const Ids& after, int priority)
{
  const WorkerGroup& g = plan_.group(group);
  const int part = pulled.parts.front();
  const VariablePart& p = plan_.part(part);
  const int first = g.workers.front();
  std::vector<Ids> result(g.workers.size(), after);
  if (e_.in_process) {
    for (std::size_t member = 0; member < g.workers.size(); ++member)
      result[member] = {add(label("pull", part), Role::pull,
                            Copy{e_.servers[slot(p.server)], gpu(g.workers[member]), pulled.bytes, {}}, after, {}, step,
                            g.workers[member], priority)};
    return result;
  }
  Ids arrived = after;
  if (plan_.served()) {
    const VertexId server = e_.servers[slot(p.server)];
    const VertexId target = plan_.grouped() ? host(g) : gpu(first);
    if (pulled.rows > 0) // a server must know which rows
      arrived = send(label("ask", part), Role::pull,
                     message(e_.transport, c_.cluster, target, server, row_number_size * pulled.rows,
                             fabric_.capacities(group, p.server, true)),
                     arrived, fabric_.connection(group, p.server, true), step, first, priority);
    if (e_.message_cpu > Seconds{})
      arrived = {add(label("serve", part), Role::pull, HostWork{e_.message_cpu * plan_.members()}, arrived,
                     {fabric_.server_cpu(p.server)}, step, first, priority)};
    arrived = send(
        label("pull", part), Role::pull,
        message(e_.transport, c_.cluster, server, target, pulled.bytes, fabric_.capacities(group, p.server, false)),
        arrived, fabric_.connection(group, p.server, false), step, first, priority);
  }
  if (!plan_.grouped()) {
    result.front() = arrived;
  } else if (e_.local_aggregation == "host") {
    for (std::size_t member = 0; member < g.workers.size(); ++member)
      result[member] = {add(label("copy", part), Role::pull, Copy{host(g), gpu(g.workers[member]), p.of_each, {}},
                            arrived, {}, step, g.workers[member], priority)};
  } else {
    if (plan_.served())
      arrived = scatter(g, part, step, arrived, false);
    if (g.workers.size() > 1)
      arrived = {collective("all_gather", g, part, step, arrived)};
    result.assign(g.workers.size(), arrived);
  }
  return result;
}

/// Each GPU's share of a part between host and device memory; collectives and copies of a node take turns on its PCIe
/// tree.
ServerMessages::Ids ServerMessages::scatter(const WorkerGroup& g, int part, int step, const Ids& after, bool to_host)
{
  Ids done;
  const Bytes share = plan_.part(part).bytes / static_cast<double>(g.workers.size());
  for (const int worker : g.workers) {
    const Copy copy = to_host ? Copy{gpu(worker), host(g), share, {}} : Copy{host(g), gpu(worker), share, {}};
    done.push_back(add(label("copy", part), to_host ? Role::push : Role::pull, copy, after,
                       worker == g.workers.front() ? fabric_.collectives(g.node) : SmallList<LaneId>{}, step, worker));
  }
  return done;
}

OperationId ServerMessages::collective(const std::string& operation, const WorkerGroup& g, int part, int step,
                                       Ids after)
{
  CollectiveCall call;
  call.algorithm = e_.local_collective;
  call.operation = operation;
  std::vector<VertexId> ranks;
  for (const int worker : g.workers)
    ranks.push_back(gpu(worker));
  call.ranks = std::move(ranks);
  call.payload = plan_.part(part).bytes;
  call.cost = e_.local_cost;
  call.start_up = e_.local_start_up;
  return add(label(operation, part), Role::exchange, std::move(call), std::move(after),
             {fabric_.collectives(g.node).front()}, step, g.workers.front());
}

ServerMessages::Ids ServerMessages::push(int group, int part, Bytes bytes, int step, const Ids& produced)
{
  const WorkerGroup& g = plan_.group(group);
  const VariablePart& p = plan_.part(part);
  const int first = g.workers.front();
  Ids done = produced;
  if (e_.in_process) {
    done = {add(label("push", part), Role::push, Copy{gpu(first), e_.servers[slot(p.server)], bytes, {}}, done, {},
                step, first)};
  } else if (e_.local_aggregation == "host") {
    Ids copied;
    for (std::size_t member = 0; member < g.workers.size(); ++member)
      copied.push_back(add(label("copy", part), Role::push, Copy{gpu(g.workers[member]), host(g), p.of_each, {}},
                           {produced[member]}, {}, step, g.workers[member]));
    done = copied;
    if (g.workers.size() > 1 && e_.aggregate_per_byte > SecondsPerByte{})
      done = {add(label("sum", part), Role::aggregate,
                  HostWork{p.of_each * e_.aggregate_per_byte * static_cast<double>(g.workers.size() - 1)}, done,
                  {fabric_.host(g.node)}, step, first)};
  } else if (plan_.grouped() && g.workers.size() > 1) {
    done = {collective("reduce_scatter", g, part, step, done)};
  }
  if (!plan_.served())
    return done;
  if (!e_.in_process) {
    if (e_.local_aggregation == "collective")
      done = scatter(g, part, step, done, true);
    done = send(label("push", part), Role::push,
                message(e_.transport, c_.cluster, plan_.grouped() ? host(g) : gpu(first), e_.servers[slot(p.server)],
                        bytes, fabric_.capacities(group, p.server, true)),
                done, fabric_.connection(group, p.server, true), step, first);
  }
  const Seconds sum = (bytes * e_.aggregate_per_byte + e_.message_cpu) * plan_.members();
  if (sum > Seconds{})
    done = {add(label("aggregate", part), Role::aggregate, HostWork{sum}, done, {fabric_.server_cpu(p.server)}, step,
                first)};
  return done;
}

} // namespace trainyard
