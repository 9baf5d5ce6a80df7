// SPDX-License-Identifier: Apache-2.0
#include "sim/results/traffic.hpp"

#include "sim/step/engine/program_runner.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <utility>

namespace trainyard {
namespace {

struct Task {
  std::string name;
  NodeId node;
  auto operator<=>(const Task&) const = default;
};

using Matrix = std::map<std::pair<std::string, std::string>, std::pair<double, bool>>; // bytes, over the network

class Traffic
{
public:
  Traffic(const Cluster& cluster, const Placement& placement, const StepProgram& program, std::size_t most)
      : cluster_{cluster}, placement_{placement}, program_{program}, most_{most}
  {
    for (std::size_t worker = 0; worker < placement.workers.size(); ++worker)
      worker_at_.try_emplace(placement.workers[worker], static_cast<int>(worker));
    for (const Operation& operation : program.operations)
      if (const auto* end = std::get_if<StepEnd>(&operation.work))
        ++ends_[end->worker];
      else if (operation.worker >= 0 && std::holds_alternative<Transfer>(operation.work))
        seen_.insert(operation.worker);
  }

  TrafficTable rows()
  {
    for (const Operation& operation : program_.operations) {
      if (const auto* transfer = std::get_if<Transfer>(&operation.work))
        messages_[{operation.worker, operation.role, transfer->from, transfer->to}] +=
            transfer->bytes.value() / steps_of(operation.worker);
      else if (const auto* call = call_of(operation.work))
        remember(*call);
    }
    if (messages_.size() * placement_.workers.size() > most_ && stands_for_others())
      left_out_ = static_cast<int>(placement_.workers.size()) - 1;
    else if (seen_.size() > 1 && program_.stands_for > 1)
      left_out_ = program_.workers - static_cast<int>(std::lround(program_.workers / program_.stands_for));
    for (const auto& [key, bytes] : messages_)
      count_messages(key, bytes);
    for (const auto& [key, call] : calls_)
      collective(call);
    std::vector<TrafficRow> rows;
    for (const auto& [pair, what] : matrix_)
      if (what.first > 0)
        rows.push_back(
            {.from = pair.first, .to = pair.second, .bytes = Bytes{what.first}, .over_network = what.second});
    return {std::move(rows), static_cast<int>(placement_.workers.size()) - left_out_, left_out_};
  }

private:
  /// Messages that differ in nothing but their bytes and their step.
  struct Messages {
    int worker = -1;
    Role role = Role::other;
    VertexId from;
    VertexId to;
    auto operator<=>(const Messages&) const = default;
  };

  double steps_of(int worker) const
  {
    if (const auto own = ends_.find(worker); own != ends_.end() && own->second > 0)
      return own->second;
    const auto all = ends_.find(-1);
    return all == ends_.end() ? std::max(program_.steps, 1) : std::max(all->second, 1);
  }

  NodeId node(VertexId vertex) const { return cluster_.vertex(vertex).node; }
  Task worker(int index) const
  {
    return {fmt::format("worker-{}", index), node(placement_.workers[static_cast<std::size_t>(index)])};
  }

  Task server(VertexId vertex) const
  {
    std::string name;
    for (std::size_t s = 0; s < placement_.servers.size(); ++s)
      if (placement_.servers[s] == vertex)
        name += fmt::format("{}ps-{}", name.empty() ? "" : "+", s);
    return {name.empty() ? cluster_.vertex(vertex).name : name, node(vertex)};
  }

  void count(const Task& from, const Task& to, double bytes)
  {
    auto& [sum, network] = matrix_[{from.name, to.name}];
    sum += bytes;
    network = network || from.node != to.node;
  }

  /// Only one worker appears in the program, and servers are shared.
  bool stands_for_others() const
  {
    return seen_.size() == 1 && placement_.workers.size() > 1 && !placement_.servers.empty();
  }

  /// Workers that the simulated one stands for, itself included.
  std::vector<int> represented(int simulated) const
  {
    std::vector<int> list{simulated};
    const int workers = static_cast<int>(placement_.workers.size());
    if (left_out_ > 0 || !stands_for_others())
      return list;
    const NodeId here = node(placement_.workers[static_cast<std::size_t>(simulated)]);
    const bool grouped = std::ranges::any_of(program_.operations, [](const Operation& operation) {
      return call_of(operation.work) != nullptr || std::holds_alternative<Copy>(operation.work);
    });
    std::set<NodeId> nodes{here};
    for (int other = 0; other < workers; ++other) {
      const NodeId there = node(placement_.workers[static_cast<std::size_t>(other)]);
      if (other != simulated && (!grouped || nodes.insert(there).second))
        list.push_back(other);
    }
    return list;
  }

  void count_messages(const Messages& transfer, double bytes)
  {
    const int first = std::max(transfer.worker, 0);
    if (transfer.role == Role::exchange) { // between ranks
      const auto rank = [&](VertexId vertex) { return rank_at(vertex); };
      count(rank(transfer.from), rank(transfer.to), bytes);
      return;
    }
    for (const int index : represented(first)) {
      const Task own = worker(index);
      if (transfer.role == Role::input) {
        const bool feed = transfer.from == placement_.client;
        const Task client{"client", node(placement_.client)};
        count(feed ? client : own, feed ? own : client, bytes);
      } else if (transfer.role == Role::push) {
        count(own, server(transfer.to), bytes);
      } else {
        count(server(transfer.from), own, bytes);
      }
    }
  }

  Task rank_at(VertexId vertex) const
  {
    if (const auto found = worker_at_.find(vertex); found != worker_at_.end())
      return worker(found->second);
    for (std::size_t w = 0; w < placement_.workers.size(); ++w) // a rank whose messages go through its host's memory
      if (cluster_.node(node(placement_.workers[w])).host == vertex)
        return worker(static_cast<int>(w));
    return {cluster_.vertex(vertex).name, node(vertex)};
  }

  /// Calls that differ in nothing but payload are planned once.
  void remember(const CollectiveCall& call)
  {
    const auto key = std::tuple{call.algorithm, call.operation, call.ranks, call.channels, call.orders};
    const auto [found, fresh] = calls_.try_emplace(key, call);
    if (!fresh)
      found->second.payload += call.payload;
  }

  void collective(const CollectiveCall& call)
  {
    for (const ChannelPlan& plan : channel_plans(cluster_, call))
      for (const Round& round : plan.rounds)
        for (const Message& message : round.messages)
          if (message.bytes.value() > 0)
            count(rank_at(plan.ranks[static_cast<std::size_t>(message.from)]),
                  rank_at(plan.ranks[static_cast<std::size_t>(message.to)]),
                  message.bytes.value() * round.repeat / steps_of(-1));
  }

  const Cluster& cluster_;
  const Placement& placement_;
  const StepProgram& program_;
  std::size_t most_;
  int left_out_ = 0;
  std::map<VertexId, int> worker_at_;
  std::map<int, int> ends_; // steps by worker; -1: of all together
  std::set<int> seen_;      // workers whose messages are in the program
  std::map<std::tuple<std::string, std::string, SharedList<VertexId>, int, SharedList<std::vector<VertexId>>>,
           CollectiveCall>
      calls_;
  std::map<Messages, double> messages_;
  Matrix matrix_;
};

} // namespace

TrafficTable traffic_rows(const Cluster& cluster, const Placement& placement, const StepProgram& program,
                          std::size_t most)
{
  return Traffic{cluster, placement, program, most}.rows();
}

} // namespace trainyard
