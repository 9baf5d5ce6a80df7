// SPDX-License-Identifier: Apache-2.0
#include "sim/step/training/worker_groups.hpp"

#include "models/cluster/network_search.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

namespace trainyard {

std::vector<WorkerGroup> worker_groups(const Cluster& cluster, const Placement& placement, bool one_per_node)
{
  std::vector<WorkerGroup> groups;
  std::map<NodeId, std::size_t> group_of_node;
  for (std::size_t worker = 0; worker < placement.workers.size(); ++worker) {
    const NodeId node = cluster.vertex(placement.workers[worker]).node;
    if (one_per_node && group_of_node.contains(node)) {
      groups[group_of_node[node]].workers.push_back(static_cast<int>(worker));
      continue;
    }
    group_of_node.try_emplace(node, groups.size());
    groups.push_back({{static_cast<int>(worker)}, node, 1});
  }
  std::map<NodeId, int> mates;
  for (const WorkerGroup& group : groups)
    ++mates[group.node];
  for (WorkerGroup& group : groups)
    group.mates = mates[group.node];
  return groups;
}

ExchangeWays::ExchangeWays(const Cluster& cluster, const Placement& placement, std::span<const WorkerGroup> groups,
                           bool from_hosts, std::span<const VariablePart> parts)
    : cluster_{cluster}, placement_{placement}, groups_{groups}, from_hosts_{from_hosts},
      load_(placement.servers.size())
{
  for (const VariablePart& part : parts)
    load_[static_cast<std::size_t>(part.server)] += part.bytes;
}

std::span<const LinkId> ExchangeWays::way(int group, int server, bool to_server) const
{
  const WorkerGroup& there = groups_[static_cast<std::size_t>(group)];
  const VertexId worker = from_hosts_ ? cluster_.node(there.node).host
                                      : placement_.workers[static_cast<std::size_t>(there.workers.front())];
  const VertexId other = placement_.servers[static_cast<std::size_t>(server)];
  return to_server ? cluster_.seen_route(worker, other, {}) : cluster_.seen_route(other, worker, {});
}

void ExchangeWays::add(LinkBytes& sums, int group, double times) const
{
  for (std::vector<Bytes>* direction : {&sums.to_servers, &sums.from_servers}) {
    direction->resize(cluster_.links().size());
    for (int server = 0; server < static_cast<int>(load_.size()); ++server)
      if (const Bytes load = load_[static_cast<std::size_t>(server)]; load > Bytes{})
        for (const LinkId id : way(group, server, direction == &sums.to_servers))
          (*direction)[static_cast<std::size_t>(id.index)] += load * times;
  }
}

LinkBytes ExchangeWays::of(std::span<const int> groups) const
{
  LinkBytes sums;
  for (const int group : groups)
    add(sums, group, 1);
  return sums;
}

LinkBytes ExchangeWays::of_all(std::span<const int> simulated) const
{
  constexpr std::size_t most_ways = 16'384;
  std::set<NodeId> nodes;
  for (const int group : simulated)
    nodes.insert(groups_[static_cast<std::size_t>(group)].node);
  LinkBytes sums;
  std::vector<int> others;
  for (int group = 0; group < static_cast<int>(groups_.size()); ++group)
    if (nodes.contains(groups_[static_cast<std::size_t>(group)].node))
      add(sums, group, 1);
    else
      others.push_back(group);
  const std::size_t stride = others.size() * load_.size() / most_ways + 1;
  for (std::size_t i = 0; i < others.size(); i += stride)
    add(sums, others[i],
        static_cast<double>(others.size()) / static_cast<double>((others.size() + stride - 1) / stride));
  return sums;
}

int typical_group(const Cluster& cluster, std::span<const WorkerGroup> groups, std::span<const VertexId> servers,
                  std::span<const VariablePart> parts)
{
  std::map<NodeId, Bytes> load;
  for (const VariablePart& part : parts)
    load[cluster.vertex(servers[static_cast<std::size_t>(part.server)]).node] += part.bytes;
  const auto least = std::ranges::min_element(groups, {}, [&](const WorkerGroup& group) { return load[group.node]; });
  return static_cast<int>(least - groups.begin());
}

namespace {

/// Numbers of the switches that a node leads to. Ways over the network are alike for nodes that share them.
std::vector<int> switches_of(const Cluster& cluster, NodeId node)
{
  std::vector<VertexId> ends = cluster.node(node).nics;
  ends.push_back(cluster.node(node).host);
  std::vector<int> result;
  for (const VertexId end : ends)
    for (const LinkId out : cluster.outgoing(end))
      if (const Link& link = cluster.link(out); cluster.vertex(link.to).node.index < 0)
        result.push_back(link.to.index);
  return result.empty() ? std::vector{-1 - node.index} : result;
}

/// Nodes at the same switches, each with an amount: groups, or bytes of variables.
template <class Amount>
using NodesBySwitches = std::map<std::vector<int>, std::map<NodeId, Amount>>;

/// Time that one step's exchange between all groups and all servers needs of each link: of those between switches, and
/// of those on the node of the busiest server at each set of switches.
struct ExchangeTimes {
  std::map<LinkId, Seconds> between_switches;
  std::map<LinkId, Seconds> at_servers;
};

ExchangeTimes exchange_times(const Cluster& cluster, const NodesBySwitches<int>& workers,
                             const NodesBySwitches<Bytes>& servers)
{
  ExchangeTimes times;
  const EvenRoutes routes{cluster};
  for (const auto& [server_switches, loads] : servers)
    for (const auto& [worker_switches, groups] : workers) {
      Bytes all; // bytes x groups, but what stays within a node
      for (const auto& [server, load] : loads)
        for (const auto& [worker, mates] : groups)
          if (worker != server)
            all += load * static_cast<double>(mates);
      if (all <= Bytes{})
        continue;
      // One pair of nodes shows the way of all.
      auto server = std::ranges::max_element(loads, {}, [](const auto& entry) { return entry.second; });
      if (groups.size() == 1 && groups.begin()->first == server->first)
        server = server == loads.begin() ? std::next(loads.begin()) : loads.begin();
      const NodeId worker =
          groups.begin()->first == server->first ? std::next(groups.begin())->first : groups.begin()->first;
      int members = 0;
      for (const auto& [node, mates] : groups)
        members += node == server->first ? 0 : mates;
      const VertexId host = cluster.node(worker).host;
      const VertexId serving = cluster.node(server->first).host;
      for (const bool out : {true, false})
        for (const auto& [id, share] : out ? routes.shares(serving, host) : routes.shares(host, serving)) {
          const Link& link = cluster.link(id);
          const bool from_switch = cluster.vertex(link.from).node.index < 0;
          const bool to_switch = cluster.vertex(link.to).node.index < 0;
          if (from_switch && to_switch)
            times.between_switches[id] += all * share / link.bandwidth;
          else if (cluster.vertex(from_switch ? link.to : link.from).node == server->first)
            times.at_servers[id] += server->second * (share * members) / link.bandwidth;
        }
    }
  return times;
}

} // namespace

bool switches_may_bind(const Cluster& cluster, std::span<const WorkerGroup> groups, std::span<const VertexId> servers,
                       std::span<const VariablePart> parts, BytesPerSecond server_rate)
{
  constexpr double safe_share = 0.75;
  if (std::ranges::none_of(cluster.links(), [&](const Link& link) {
        return cluster.vertex(link.from).node.index < 0 && cluster.vertex(link.to).node.index < 0;
      }))
    return false;
  std::vector<Bytes> load(servers.size());
  for (const VariablePart& part : parts)
    load[static_cast<std::size_t>(part.server)] += part.bytes;
  Seconds busiest;
  NodesBySwitches<Bytes> serving;
  for (std::size_t s = 0; s < servers.size(); ++s) {
    if (load[s] <= Bytes{}) // fewer variables than servers
      continue;
    busiest = std::max(busiest, load[s] * static_cast<double>(groups.size()) / server_rate);
    const NodeId node = cluster.vertex(servers[s]).node;
    serving[switches_of(cluster, node)][node] += load[s];
  }
  NodesBySwitches<int> working;
  for (const WorkerGroup& group : groups)
    working[switches_of(cluster, group.node)][group.node] = group.mates;
  const ExchangeTimes times = exchange_times(cluster, working, serving);
  for (const auto& [id, time] : times.at_servers)
    busiest = std::max(busiest, time);
  return std::ranges::any_of(times.between_switches,
                             [&](const auto& entry) { return entry.second > busiest * safe_share; });
}

int sampled_groups(std::size_t groups, std::size_t parts, std::size_t pairs)
{
  constexpr std::size_t fewest = 48;
  constexpr std::size_t worthwhile = 2; // times as many groups as in the sample
  const std::size_t sample = std::max(fewest, pairs / std::max<std::size_t>(parts, 1));
  return static_cast<int>(groups >= worthwhile * sample ? sample : groups);
}

std::vector<int> even_sample(std::span<const WorkerGroup> groups, int wanted)
{
  std::map<NodeId, std::size_t> number; // of nodes, in the order of their first groups
  for (const WorkerGroup& group : groups)
    number.try_emplace(group.node, number.size());
  const double share = static_cast<double>(wanted) / static_cast<double>(groups.size());
  const auto nodes = static_cast<std::size_t>(std::ceil(share * static_cast<double>(number.size())));
  std::vector<bool> chosen(number.size());
  for (std::size_t i = 0; i < nodes; ++i)
    chosen[i * number.size() / nodes] = true;
  std::vector<int> sample;
  for (std::size_t group = 0; group < groups.size(); ++group)
    if (chosen[number.at(groups[group].node)])
      sample.push_back(static_cast<int>(group));
  return sample;
}

std::vector<int> steps_in_equal_time(std::span<const Seconds> times, int steps)
{
  const Seconds fastest = *std::ranges::min_element(times);
  std::vector<int> result;
  for (const Seconds time : times)
    result.push_back(time > Seconds{} && fastest > Seconds{}
                         ? std::max(1, static_cast<int>(std::lround(steps * (fastest / time))))
                         : steps);
  return result;
}

Seconds longest_transfer(const Cluster& cluster, const WorkerGroup& group, std::span<const VertexId> servers,
                         std::span<const VariablePart> parts, BytesPerSecond server_rate)
{
  std::vector<Bytes> load(servers.size());
  for (const VariablePart& part : parts)
    if (const auto server = static_cast<std::size_t>(part.server); server < load.size())
      load[server] += part.bytes;
  Seconds longest;
  for (std::size_t server = 0; server < load.size(); ++server) {
    for (const LinkId id : cluster.route(cluster.node(group.node).host, servers[server]))
      longest = std::max(longest, load[server] / cluster.link(id).bandwidth);
    longest = std::max(longest, load[server] / server_rate);
  }
  return longest;
}

Seconds computing_time(const WorkerTimes& times, int micro_steps)
{
  Seconds sum;
  for (const std::vector<Seconds>* part : {&times.forward, &times.backward})
    for (const Seconds layer : *part)
      sum += layer;
  return sum * micro_steps + times.update;
}

} // namespace trainyard
