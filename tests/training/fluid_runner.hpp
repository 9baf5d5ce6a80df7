// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "sim/step/engine/executor.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <set>
#include <stdexcept>
#include <tuple>
#include <variant>
#include <vector>

namespace trainyard::test {

/// A second, independent way to run a StepProgram, for tests of training modes: max-min shares of links and resources,
/// recomputed at every event. Slow and simple on purpose. A collective takes start-up plus its ring time at the slowest
/// link (or its message limit).
inline StepTrace run_fluid(const Cluster& cluster, const StepProgram& program)
{
  struct Flow {
    double left = 0;
    double limit = std::numeric_limits<double>::infinity();
    std::vector<int> uses; // links first, then resources
    double weight = 1;     // link load per payload byte
    double rate = 0;
  };
  const int links = static_cast<int>(cluster.links().size());
  const auto count = program.operations.size();
  std::vector<int> waiting(count);
  std::vector<std::vector<int>> followers(count);
  for (std::size_t i = 0; i < count; ++i) {
    std::set<int> distinct;
    for (const OperationId before : program.operations[i].after)
      if (before.index < 0 || static_cast<std::size_t>(before.index) >= i)
        throw std::logic_error{"operation after a later one"};
      else
        distinct.insert(before.index);
    waiting[i] = static_cast<int>(distinct.size());
    for (const int before : distinct)
      followers[static_cast<std::size_t>(before)].push_back(static_cast<int>(i));
  }
  StepTrace trace;
  trace.spans.resize(count);
  std::vector<int> free;
  for (const Lane& lane : program.lanes)
    free.push_back(lane.slots);
  std::set<std::tuple<int, double, int>> ready; // priority, since, operation
  std::multimap<double, int> timers;            // ends, or ends of the latency of a flow
  std::map<int, Flow> pending;
  std::map<int, Flow> flows;
  double now = 0;
  for (std::size_t i = 0; i < count; ++i)
    if (waiting[i] == 0)
      ready.emplace(program.operations[i].priority, 0.0, static_cast<int>(i));

  const auto finish = [&](int index) {
    const auto i = static_cast<std::size_t>(index);
    trace.spans[i].end = Seconds{now};
    for (const LaneId lane : program.operations[i].lanes)
      ++free[static_cast<std::size_t>(lane.index)];
    for (const int next : followers[i])
      if (--waiting[static_cast<std::size_t>(next)] == 0)
        ready.emplace(program.operations[static_cast<std::size_t>(next)].priority, now, next);
  };
  const auto start = [&](int index) {
    const auto i = static_cast<std::size_t>(index);
    const Operation& operation = program.operations[i];
    trace.spans[i] = {OperationId{index}, Seconds{now}, Seconds{now}};
    for (const LaneId lane : operation.lanes)
      --free[static_cast<std::size_t>(lane.index)];
    double duration = 0;
    const auto move = [&](VertexId from, VertexId to, Bytes bytes, const MessageCost& cost,
                          const std::vector<ResourceId>& resources) {
      Flow flow;
      flow.left = bytes.value();
      flow.limit = cost.limit.value();
      flow.weight = 1 / cost.efficiency;
      duration = cost.latency.value();
      for (const LinkId link : cluster.route(from, to)) {
        flow.uses.push_back(link.index);
        duration += cluster.link(link).latency.value();
      }
      for (const ResourceId resource : resources)
        flow.uses.push_back(links + resource.index);
      if (!flow.uses.empty() && flow.left > 0)
        pending[index] = flow;
    };
    if (const auto* compute = std::get_if<Compute>(&operation.work))
      duration = compute->duration.value();
    else if (const auto* work = std::get_if<HostWork>(&operation.work))
      duration = work->duration.value();
    else if (const auto* copy = std::get_if<Copy>(&operation.work))
      move(copy->from, copy->to, copy->bytes, copy->cost, {});
    else if (const auto* transfer = std::get_if<Transfer>(&operation.work))
      move(transfer->from, transfer->to, transfer->bytes, transfer->cost, transfer->resources);
    else if (const auto* call = call_of(operation.work)) {
      const auto n = call->ranks.size();
      double slowest = call->cost.limit.value();
      for (std::size_t rank = 0; rank < n; ++rank)
        for (const LinkId link : cluster.route(call->ranks[rank], call->ranks[(rank + 1) % n]))
          slowest = std::min(slowest, cluster.link(link).bandwidth.value() * call->cost.efficiency);
      const double passes = call->operation == "all_reduce" ? 2 : 1;
      duration = call->start_up.value() +
                 passes * static_cast<double>(n - 1) / static_cast<double>(n) * call->payload.value() / slowest;
    }
    timers.emplace(now + duration, index);
  };
  const auto share = [&] {
    std::map<int, double> room;
    std::map<int, double> load;
    for (auto& [index, flow] : flows) {
      flow.rate = -1;
      for (const int use : flow.uses) {
        room[use] = use < links ? cluster.links()[static_cast<std::size_t>(use)].bandwidth.value()
                                : program.resources[static_cast<std::size_t>(use - links)].capacity.value();
        load[use] += use < links ? flow.weight : 1;
      }
    }
    for (std::size_t fixed = 0; fixed < flows.size();) {
      double level = std::numeric_limits<double>::infinity();
      for (const auto& [use, weight] : load)
        if (weight > 1e-12)
          level = std::min(level, room[use] / weight);
      for (const auto& [index, flow] : flows)
        if (flow.rate < 0)
          level = std::min(level, flow.limit);
      const double tolerance = level * (1 + 1e-12);
      std::vector<int> chosen;
      for (const auto& [index, flow] : flows) {
        bool bound = flow.rate < 0 && flow.limit <= tolerance;
        for (const int use : flow.uses)
          bound = bound || (flow.rate < 0 && load[use] > 1e-12 && room[use] / load[use] <= tolerance);
        if (bound)
          chosen.push_back(index);
      }
      for (const int index : chosen) {
        Flow& flow = flows[index];
        flow.rate = level;
        ++fixed;
        for (const int use : flow.uses) {
          const double weight = use < links ? flow.weight : 1;
          room[use] = std::max(0.0, room[use] - level * weight);
          load[use] -= weight;
        }
      }
    }
  };

  while (true) {
    for (bool again = true; again;) {
      again = false;
      for (const auto& entry : ready) {
        const int index = std::get<2>(entry);
        const Operation& operation = program.operations[static_cast<std::size_t>(index)];
        if (std::ranges::all_of(operation.lanes,
                                [&](LaneId lane) { return free[static_cast<std::size_t>(lane.index)] > 0; })) {
          ready.erase(entry);
          start(index);
          again = true;
          break;
        }
      }
    }
    share();
    double next = timers.empty() ? std::numeric_limits<double>::infinity() : timers.begin()->first;
    for (const auto& [index, flow] : flows)
      next = std::min(next, now + flow.left / flow.rate);
    if (!std::isfinite(next))
      break;
    for (auto& [index, flow] : flows)
      flow.left -= flow.rate * (next - now);
    now = next;
    std::vector<int> done;
    for (const auto& [index, flow] : flows)
      if (flow.left <= 1e-9 * flow.rate || flow.left <= 1e-6)
        done.push_back(index);
    for (const int index : done) {
      flows.erase(index);
      finish(index);
    }
    while (!timers.empty() && timers.begin()->first <= now) {
      const int index = timers.begin()->second;
      timers.erase(timers.begin());
      if (const auto flow = pending.find(index); flow != pending.end()) {
        flows[index] = flow->second;
        pending.erase(flow);
      } else {
        finish(index);
      }
    }
  }
  for (const Span& span : trace.spans)
    trace.end = std::max(trace.end, span.end);
  if (!ready.empty())
    throw std::logic_error{"operations that never started"};
  return trace;
}

} // namespace trainyard::test
