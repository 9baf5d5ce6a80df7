// SPDX-License-Identifier: Apache-2.0
#include "sim/results/traffic.hpp"

#include "sim/step/engine/program_runner.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace trainyard {
namespace {

struct Task {
  int name = -1; // its number; -1: not known yet
  NodeId node;
};

/// What one task sends to another; several of two tasks add up.
struct Cell {
  int from = 0; // numbers of names
  int to = 0;
  bool over_network = false;
  double bytes = 0;
};

/// Equal ones stay in their order. @p end: the key lies below it.
void sort_by(std::vector<Cell>& cells, int Cell::*key, std::size_t end)
{
  std::vector<std::size_t> place(end + 1, 0);
  for (const Cell& cell : cells)
    ++place[static_cast<std::size_t>(cell.*key) + 1];
  std::partial_sum(place.begin(), place.end(), place.begin());
  std::vector<Cell> sorted(cells.size());
  for (const Cell& cell : cells)
    sorted[place[static_cast<std::size_t>(cell.*key)]++] = cell;
  cells = std::move(sorted);
}

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

  TrafficTable rows(bool list)
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
      if (list)
        count_messages(key, bytes);
    for (const auto& [key, call] : calls_)
      if (list)
        collective(call);
    return {rows_by_name(), static_cast<int>(placement_.workers.size()) - left_out_, left_out_};
  }

private:
  std::vector<TrafficRow> rows_by_name()
  {
    std::vector<int> order(names_.size()), rank(names_.size());
    std::iota(order.begin(), order.end(), 0);
    std::ranges::sort(order, {}, [this](int name) -> const std::string& { return name_of(name); });
    for (std::size_t i = 0; i < order.size(); ++i)
      rank[static_cast<std::size_t>(order[i])] = static_cast<int>(i);
    for (Cell& cell : cells_)
      cell = {rank[static_cast<std::size_t>(cell.from)], rank[static_cast<std::size_t>(cell.to)], cell.over_network,
              cell.bytes};
    sort_by(cells_, &Cell::to, names_.size());
    sort_by(cells_, &Cell::from, names_.size());
    const auto name = [&](int place) -> const std::string& { return name_of(order[static_cast<std::size_t>(place)]); };
    std::vector<TrafficRow> rows;
    rows.reserve(cells_.size());
    for (std::size_t i = 0; i < cells_.size();) {
      Cell sum = cells_[i];
      for (++i; i < cells_.size() && cells_[i].from == sum.from && cells_[i].to == sum.to; ++i) {
        sum.bytes += cells_[i].bytes;
        sum.over_network = sum.over_network || cells_[i].over_network;
      }
      if (sum.bytes > 0)
        rows.push_back(
            {.from = name(sum.from), .to = name(sum.to), .bytes = Bytes{sum.bytes}, .over_network = sum.over_network});
    }
    return rows;
  }

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
  const std::string& name_of(int name) const { return *names_[static_cast<std::size_t>(name)]; }
  Task named(const std::string& name, NodeId node)
  {
    const auto [entry, fresh] = numbers_.try_emplace(name, static_cast<int>(names_.size()));
    if (fresh)
      names_.push_back(&entry->first);
    return {entry->second, node};
  }

  Task worker(int index)
  {
    workers_.resize(placement_.workers.size());
    Task& known = workers_[static_cast<std::size_t>(index)];
    if (known.name < 0)
      known = named(fmt::format("worker-{}", index), node(placement_.workers[static_cast<std::size_t>(index)]));
    return known;
  }

  Task server(VertexId vertex)
  {
    Task& known = servers_[vertex];
    if (known.name >= 0)
      return known;
    std::string name;
    for (std::size_t s = 0; s < placement_.servers.size(); ++s)
      if (placement_.servers[s] == vertex)
        name += fmt::format("{}ps-{}", name.empty() ? "" : "+", s);
    return known = named(name.empty() ? cluster_.vertex(vertex).name : name, node(vertex));
  }

  void count(const Task& from, const Task& to, double bytes)
  {
    cells_.push_back({from.name, to.name, from.node != to.node, bytes});
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
      count(rank_at(transfer.from), rank_at(transfer.to), bytes);
      return;
    }
    for (const int index : represented(first)) {
      const Task own = worker(index);
      if (transfer.role == Role::input) {
        const bool feed = transfer.from == placement_.client;
        const Task client = named("client", node(placement_.client));
        count(feed ? client : own, feed ? own : client, bytes);
      } else if (transfer.role == Role::push) {
        count(own, server(transfer.to), bytes);
      } else {
        count(server(transfer.from), own, bytes);
      }
    }
  }

  Task rank_at(VertexId vertex)
  {
    if (const auto found = worker_at_.find(vertex); found != worker_at_.end())
      return worker(found->second);
    for (std::size_t w = 0; w < placement_.workers.size(); ++w) // a rank whose messages go through its host's memory
      if (cluster_.node(node(placement_.workers[w])).host == vertex)
        return worker(static_cast<int>(w));
    return named(cluster_.vertex(vertex).name, node(vertex));
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
    const double steps = steps_of(-1);
    for (const ChannelPlan& plan : channel_plans(cluster_, call)) {
      std::vector<Task> tasks; // by rank
      for (const VertexId rank : plan.ranks)
        tasks.push_back(rank_at(rank));
      for (const Round& round : plan.rounds)
        for (const RoundMessage& message : round.messages)
          if (message.bytes.value() > 0)
            count(tasks[static_cast<std::size_t>(message.from)], tasks[static_cast<std::size_t>(message.to)],
                  message.bytes.value() * round.repeat / steps);
    }
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
  std::map<std::string, int> numbers_; // of names
  std::vector<const std::string*> names_;
  std::vector<Task> workers_; // by index, as far as they have been asked for
  std::map<VertexId, Task> servers_;
  std::vector<Cell> cells_;
};

} // namespace

TrafficTable traffic_rows(const Cluster& cluster, const Placement& placement, const StepProgram& program,
                          std::size_t most, bool list)
{
  return Traffic{cluster, placement, program, most}.rows(list);
}

} // namespace trainyard
