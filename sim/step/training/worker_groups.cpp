// SPDX-License-Identifier: Apache-2.0
#include "sim/step/training/worker_groups.hpp"

#include <algorithm>
#include <cmath>
#include <map>

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

int typical_group(const Cluster& cluster, std::span<const WorkerGroup> groups, std::span<const VertexId> servers,
                  std::span<const VariablePart> parts)
{
  std::map<NodeId, Bytes> load;
  for (const VariablePart& part : parts)
    load[cluster.vertex(servers[static_cast<std::size_t>(part.server)]).node] += part.bytes;
  const auto least = std::ranges::min_element(groups, {}, [&](const WorkerGroup& group) { return load[group.node]; });
  return static_cast<int>(least - groups.begin());
}

bool switches_may_bind(const Cluster& cluster, std::span<const WorkerGroup> groups, std::span<const VertexId> servers,
                       std::span<const VariablePart> parts, BytesPerSecond server_rate)
{
  constexpr double safe_share = 0.75;
  const auto joins_switches = [&](const Link& link) {
    return cluster.vertex(link.from).node.index < 0 && cluster.vertex(link.to).node.index < 0;
  };
  if (std::ranges::none_of(cluster.links(), joins_switches))
    return false;
  std::vector<Bytes> load(servers.size());
  for (const VariablePart& part : parts)
    load[static_cast<std::size_t>(part.server)] += part.bytes;
  std::map<LinkId, Seconds> between_switches;
  std::map<LinkId, Seconds> at_servers;
  Seconds busiest;
  std::map<NodeId, int> on_node; // groups, which take the same ways
  for (const WorkerGroup& group : groups)
    on_node[group.node] = group.mates;
  for (std::size_t s = 0; s < servers.size(); ++s) {
    if (load[s] <= Bytes{}) // fewer variables than servers
      continue;
    busiest = std::max(busiest, load[s] * static_cast<double>(groups.size()) / server_rate);
    const NodeId server = cluster.vertex(servers[s]).node;
    for (const auto& [node, mates] : on_node)
      for (const bool out : {true, false}) {
        const VertexId host = cluster.node(node).host;
        for (const LinkId id : out ? cluster.route(servers[s], host) : cluster.route(host, servers[s])) {
          const Link& link = cluster.link(id);
          if (joins_switches(link))
            between_switches[id] += load[s] * static_cast<double>(mates) / link.bandwidth;
          else if (cluster.vertex(link.from).node == server || cluster.vertex(link.to).node == server)
            at_servers[id] += load[s] * static_cast<double>(mates) / link.bandwidth;
        }
      }
  }
  for (const auto& [id, time] : at_servers)
    busiest = std::max(busiest, time);
  return std::ranges::any_of(between_switches, [&](const auto& entry) { return entry.second > busiest * safe_share; });
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

Seconds computing_time(const WorkerTimes& times)
{
  Seconds sum = times.update;
  for (const std::vector<Seconds>* part : {&times.forward, &times.backward})
    for (const Seconds layer : *part)
      sum += layer;
  return sum;
}

} // namespace trainyard
