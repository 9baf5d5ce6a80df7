// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "models/cluster/cluster.hpp"
#include "sim/step/training/training_mode.hpp"
#include "sim/step/training/variable_placement.hpp"

#include <span>
#include <vector>

namespace trainyard {

/// Workers that appear as one sender towards the servers: those of a node where gradients are summed first, else one
/// worker each.
struct WorkerGroup {
  std::vector<int> workers;
  NodeId node;
  int mates = 1; // groups on the same node, itself included
};

/// Bytes on each link, by its number: of messages to servers, and of messages from them. A step sends one after the
/// other.
struct LinkBytes {
  std::vector<Bytes> to_servers, from_servers;
};

/// The ways of the messages between groups and servers, and what those of a step put on links.
class ExchangeWays
{
public:
  /// @p from_hosts: not from the GPU of a group's first worker. All live as long as this.
  ExchangeWays(const Cluster& cluster, const Placement& placement, std::span<const WorkerGroup> groups, bool from_hosts,
               std::span<const VariablePart> parts);

  /// Holds until the next call.
  std::span<const LinkId> way(int group, int server, bool to_server) const;
  LinkBytes of(std::span<const int> groups) const;
  /// Of all groups: those on the machines of @p simulated one by one, of very many others every so-manieth for its
  /// like.
  LinkBytes of_all(std::span<const int> simulated) const;

private:
  void add(LinkBytes& sums, int group, double times) const;

  const Cluster& cluster_;
  const Placement& placement_;
  std::span<const WorkerGroup> groups_;
  bool from_hosts_;
  std::vector<Bytes> load_; // by server
};

/// All workers of the placement, in rank order of their first member.
std::vector<WorkerGroup> worker_groups(const Cluster& cluster, const Placement& placement, bool one_per_node);

/// The group that stands for all equal ones: beside the fewest bytes of variables, so not beside a hot server.
int typical_group(const Cluster& cluster, std::span<const WorkerGroup> groups, std::span<const VertexId> servers,
                  std::span<const VariablePart> parts);

/// Whether a link between switches might hold the groups up, all of which exchange @p load with the servers, both ways:
/// it needs more than three quarters of the time of the busiest server. One group cannot stand for all there: it would
/// have the link for itself.
bool switches_may_bind(const Cluster& cluster, std::span<const WorkerGroup> groups, std::span<const VertexId> servers,
                       std::span<const VariablePart> parts, BytesPerSecond server_rate);

/// Of groups without a barrier that exchange @p parts messages each: how many stand for all, so that no more than
/// @p pairs of a group and a message are simulated, but 48 groups at least; @p groups where that saves too little.
int sampled_groups(std::size_t groups, std::size_t parts, std::size_t pairs);

/// @p wanted of the groups or somewhat more, on whole nodes that are spread evenly over those of all.
std::vector<int> even_sample(std::span<const WorkerGroup> groups, int wanted);

/// How many steps each takes while the fastest takes @p steps, at least 1; times <= 0 count as fastest.
std::vector<int> steps_in_equal_time(std::span<const Seconds> times, int steps);

/// Time that the parts of the busiest server take from a group that has links and servers to itself, @p server_rate at
/// a server.
Seconds longest_transfer(const Cluster& cluster, const WorkerGroup& group, std::span<const VertexId> servers,
                         std::span<const VariablePart> parts, BytesPerSecond server_rate);

/// What a worker computes in a step.
Seconds computing_time(const WorkerTimes& times, int micro_steps);

} // namespace trainyard
