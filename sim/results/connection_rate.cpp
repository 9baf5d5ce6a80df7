// SPDX-License-Identifier: Apache-2.0
#include "sim/results/connection_rate.hpp"

#include "models/core/quantity_text.hpp"
#include "sim/step/engine/program_runner.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

namespace trainyard {
namespace {

struct AtLimit {
  Seconds time; // of all its messages, one after another
  BytesPerSecond limit;
};

/// Of one byte of the payload, at the limit of the call's messages. All channels do the same: the first is asked.
Seconds time_per_byte(const Cluster& cluster, const CollectiveCall& call)
{
  CollectiveCall one = call;
  one.channels = 1;
  if (!call.orders.empty())
    one.orders = {call.orders[0]};
  const auto channels = static_cast<double>(call.orders.empty() ? std::max(call.channels, 1) : call.orders.size());
  Seconds time;
  for (const ChannelPlan& plan : channel_plans(cluster, one))
    for (const Round& round : plan.rounds) {
      Bytes largest;
      for (const Message& message : round.messages)
        largest = std::max(largest, message.bytes);
      time += largest / call.cost.limit * round.repeat;
    }
  return time / call.payload.value() / channels;
}

bool within_a_node(const Cluster& cluster, const CollectiveCall& call)
{
  return std::ranges::all_of(
      call.ranks, [&](VertexId rank) { return cluster.vertex(rank).node == cluster.vertex(*call.ranks.begin()).node; });
}

bool alike(const CollectiveCall& a, const CollectiveCall& b)
{
  return a.algorithm == b.algorithm && a.operation == b.operation && a.channels == b.channels &&
         a.all_ranks == b.all_ranks && a.cost.limit == b.cost.limit && a.ranks == b.ranks && a.orders == b.orders;
}

} // namespace

std::optional<UseRow> busiest_connection(const Cluster& cluster, const StepProgram& program, const StepTrace& trace,
                                         int worker, const std::string& transport)
{
  std::map<std::pair<int, int>, AtLimit> connections; // by lane, else by the vertices at its ends
  std::pair<const CollectiveCall*, Seconds> last;     // the call asked last, and its time for a byte
  const auto add = [&](const Operation& operation, std::pair<int, int> key, Seconds time, BytesPerSecond limit) {
    if (!operation.lanes.empty()) {
      key = {-1, operation.lanes.front().index};
      time /= std::max(program.lanes[static_cast<std::size_t>(key.second)].slots, 1);
    }
    AtLimit& connection = connections[key];
    connection.time += time;
    connection.limit = limit;
  };
  for (const Operation& operation : program.operations) {
    if (operation.worker != worker && operation.worker != -1)
      continue;
    if (const auto* transfer = std::get_if<Transfer>(&operation.work)) {
      if (const BytesPerSecond limit = transfer->cost.limit; std::isfinite(limit.value()))
        add(operation, {transfer->from.index, transfer->to.index}, transfer->bytes / limit, limit);
    } else if (const auto* call = call_of(operation.work)) {
      if (call->operation == "all_to_all" || call->payload.value() <= 0 || !std::isfinite(call->cost.limit.value()) ||
          within_a_node(cluster, *call))
        continue;
      if (last.first == nullptr || !alike(*call, *last.first))
        last = {call, time_per_byte(cluster, *call)};
      add(operation, {-1, -1}, call->payload.value() * last.second, call->cost.limit);
    }
  }
  if (connections.empty() || trace.window().value() <= 0)
    return std::nullopt;
  const AtLimit& busiest =
      std::ranges::max_element(connections, {}, [](const auto& entry) { return entry.second.time; })->second;
  const double used = std::min(1.0, busiest.time / trace.window());
  return UseRow{
      fmt::format("one {} connection of {}", transport, to_text(busiest.limit)), "connection", used, used, {}};
}

} // namespace trainyard
