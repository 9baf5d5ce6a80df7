// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "sim/step/training/server_program.hpp"
#include "sim/step/training/worker_groups.hpp"

#include <map>
#include <span>
#include <string>
#include <tuple>
#include <vector>

namespace trainyard {

/// Payload that one server process sends, or receives, per second; infinite where only the links decide.
BytesPerSecond server_rate(const ServerExchange& exchange);

/// The lanes and shared capacities of a program whose workers exchange through parameter servers.
///
/// Where some groups stand for all (fewer simulated groups than groups), servers and all links that others cross, too,
/// appear with the share of their rate that is left to these while all others send as many bytes.
class ServerFabric
{
public:
  /// Adds lanes and resources to @p program; everything else is only read, and must outlive this object.
  ServerFabric(StepProgram& program, const TrainingContext& context, const ServerExchange& exchange,
               std::span<const WorkerGroup> groups, std::span<const int> simulated,
               std::span<const VariablePart> parts);

  /// Groups of a node for each of them that is simulated.
  double mates_for_each(NodeId node) const { return mates_for_each_.at(node); }
  LaneId compute(int worker) const { return compute_[static_cast<std::size_t>(worker)]; }
  LaneId server_cpu(int server) const { return server_cpu_[static_cast<std::size_t>(server)]; }
  LaneId host(NodeId node) const { return host_.at(node); }
  /// Collectives and staging copies of a node take turns here; empty where the node has one worker.
  SmallList<LaneId> collectives(NodeId node) const;
  /// The queue of messages between a group and a server; empty where all may travel at once.
  SmallList<LaneId> connection(int group, int server, bool out) const;
  /// What a message between a group and a server uses besides the links.
  const std::vector<ResourceId>& capacities(int group, int server, bool out);
  const std::vector<ResourceId>& client_sends() const { return client_; }

private:
  using List = std::vector<ResourceId>;
  /// Both directions of something; the same resources where they share one rate.
  struct Duplex {
    List out;
    List in;
  };

  void make_lanes(StepProgram& program);
  void make_resources(StepProgram& program);
  void make_connections(StepProgram& program, const WorkerGroup& group);
  void share_links(StepProgram& program, std::span<const VariablePart> parts);
  Duplex duplex(StepProgram& program, const std::string& name, BytesPerSecond capacity, double sharers) const;
  double members() const { return static_cast<double>(groups_.size()) / static_cast<double>(simulated_.size()); }
  int processes(const WorkerGroup& group) const;

  const TrainingContext& context_;
  const ServerExchange& exchange_;
  std::span<const WorkerGroup> groups_;
  std::span<const int> simulated_;
  std::map<NodeId, double> mates_for_each_;
  std::vector<LaneId> compute_;
  std::vector<LaneId> server_cpu_;
  std::map<NodeId, LaneId> collective_;
  std::map<NodeId, LaneId> host_;
  std::map<std::tuple<int, int, bool>, LaneId> connection_; // group, server, outgoing
  std::vector<Duplex> server_;
  std::map<NodeId, Duplex> node_;
  std::map<std::pair<NodeId, int>, Duplex> stream_;  // node, server
  std::map<std::tuple<int, int, bool>, List> links_; // by group, server and direction: those that others use as well
  std::map<std::tuple<int, int, bool>, List> capacities_; // the same: those that were asked for
  List client_;
};

} // namespace trainyard
