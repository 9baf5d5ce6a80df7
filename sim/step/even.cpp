// SPDX-License-Identifier: Apache-2.0
/// The sample of an even cluster.
///
/// A ring visits machines in the order of their numbers, so that it enters and leaves every switch, and every group of
/// switches, once. What a link carries then depends only on its tier, and the same holds in a sample of the machines in
/// the same order: a link of the sample carries what it carries in the whole. The sample has every kind of neighbours
/// (on one switch, across a border of each tier, the last and the first), so that it has every kind of message.

#include "models/cluster/build.hpp"
#include "sim/step/engine/program_runner.hpp"
#include "sim/step/prepared.hpp"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace trainyard {
namespace {

constexpr int worthwhile = 4; // times as many machines as in the sample

/// Whether the scenario says nothing that makes one worker unlike another.
bool treats_all_alike(const Scenario& scenario)
{
  if (scenario.jobs.size() != 1 || scenario.cluster.nodes.size() != 1 || !scenario.cluster.sample.empty() ||
      scenario.sections.contains("rendezvous"))
    return false;
  const JobSpec& job = scenario.jobs.front();
  const bool jitter = job.jitter.distribution != "none" && job.jitter.coefficient_of_variation > 0;
  return job.copies <= 1 && job.training.mode == "all_reduce" && job.nodes.empty() && job.stragglers.empty() &&
         !jitter && job.input.source == "synthetic" && job.training.settings.text("device", "gpu") == "gpu" &&
         job.training.settings.integer("servers", 0) == 0;
}

/// The machines on both sides of each kind of border. A ring runs through every second machine in the other direction:
/// they come in pairs, so that each is passed as it is among all.
std::vector<int> sample_of(int machines, std::span<const int> tiers)
{
  std::set<int> numbers;
  const auto add = [&](int number) {
    const int even = number / 2 * 2;
    for (const int each : {even, even + 1})
      if (each >= 0 && each < machines)
        numbers.insert(each);
  };
  for (const int end : {0, machines - 2, machines - 1})
    add(end);
  for (const int tier : tiers)
    for (const int border : {tier, tier % 2 == 0 ? tier : 2 * tier}) // between pairs, and within one
      if (border < machines)
        for (const int offset : {-2, -1, 0, 1})
          add(border + offset);
  return {numbers.begin(), numbers.end()};
}

bool is_switch(const Cluster& cluster, VertexId vertex)
{
  return cluster.vertex(vertex).kind == VertexKind::network_switch;
}

/// What the messages of one round put on the links at machines, and on leaf switches by way of others.
struct RoundLoads {
  std::map<LinkId, double> links;
  std::map<VertexId, double> out, in;
  double longest = 0; // s that one message takes by its own limit

  void add(const Cluster& cluster, std::span<const LinkId> route, double bytes)
  {
    for (const LinkId id : route) {
      const Link& link = cluster.link(id);
      if (is_switch(cluster, link.from) && is_switch(cluster, link.to)) {
        out[link.from] += bytes;
        in[link.to] += bytes;
      } else {
        links[id] += bytes;
      }
    }
  }

  /// Whether no leaf needs longer than the links at the machines, even where all that passes it meets on one link.
  bool leaves_are_no_slower(const Cluster& cluster) const
  {
    double slowest = longest;
    for (const auto& [link, bytes] : links)
      slowest = std::max(slowest, bytes / cluster.link(link).data_rate().value());
    const auto no_slower = [&](const std::pair<const VertexId, double>& load) {
      bool leaf = false;
      double narrowest = std::numeric_limits<double>::infinity();
      for (const LinkId out_of : cluster.outgoing(load.first)) {
        const Link& link = cluster.link(out_of);
        if (is_switch(cluster, link.to))
          narrowest = std::min(narrowest, link.data_rate().value());
        else
          leaf = true;
      }
      return !leaf || load.second <= narrowest * slowest * (1 + 1e-9);
    };
    return std::ranges::all_of(out, no_slower) && std::ranges::all_of(in, no_slower);
  }
};

/// Whether paths that a hash chooses may meet wherever they like: it costs nothing.
bool meetings_cost_nothing(const Cluster& cluster, const CollectiveCall& call)
{
  std::vector<RoundLoads> rounds;
  for (const ChannelPlan& plan : channel_plans(cluster, call)) {
    const RanksByNode nodes{cluster, plan.ranks};
    rounds.resize(std::max(rounds.size(), plan.rounds.size()));
    for (std::size_t r = 0; r < plan.rounds.size(); ++r)
      for (const RoundMessage& message : plan.rounds[r].messages) {
        const VertexId from = plan.ranks[static_cast<std::size_t>(message.from)];
        const VertexId to = plan.ranks[static_cast<std::size_t>(message.to)];
        const std::vector<VertexId>& mates = nodes.on(cluster.vertex(from).node);
        rounds[r].add(cluster, cluster.route(from, to, RouteChoice{.forwarders = mates.empty() ? nullptr : &mates}),
                      message.bytes.value() / call.cost.efficiency);
        rounds[r].longest = std::max(rounds[r].longest, message.bytes / call.cost.limit / Seconds{1});
      }
  }
  return std::ranges::all_of(rounds, [&](const RoundLoads& round) { return round.leaves_are_no_slower(cluster); });
}

/// Whether every message of a step has its like in the sample.
bool step_repeats(const StepProgram& program, const Cluster& cluster, bool hashed)
{
  std::set<std::string> known; // algorithms whose paths have been looked at
  for (const Operation& operation : program.operations) {
    if (std::holds_alternative<Transfer>(operation.work) || std::holds_alternative<Copy>(operation.work))
      return false;
    const auto* call = call_of(operation.work);
    if (call == nullptr)
      continue;
    CollectiveRequest request{
        call->operation, static_cast<int>(call->ranks.size()), call->payload, {}, call->all_ranks};
    for (const VertexId rank : call->ranks)
      request.node_of_rank.push_back(cluster.vertex(rank).node.index);
    if (!Registry<Collective>::instance().create(call->algorithm)->repeats(request))
      return false;
    if (hashed && known.insert(call->algorithm).second && !meetings_cost_nothing(cluster, *call))
      return false;
  }
  return true;
}

LinkKind kind_of(const NetworkSpec& network, const Catalogue& catalogue)
{
  const auto link = catalogue.links.find(network.link);
  return link == catalogue.links.end() ? LinkKind::ethernet : link_kind(link->second.kind);
}

/// Null where the cluster is not even, too small to be worth it, or faulty.
std::unique_ptr<PreparedScenario> prepare_sample(const Scenario& scenario, const Catalogue& catalogue)
{
  if (!treats_all_alike(scenario))
    return nullptr;
  const NodeGroupSpec& group = scenario.cluster.nodes.front();
  const NetworkSpec& network = scenario.cluster.network;
  const auto type = scenario.cluster.node_types.find(group.type);
  const auto* layout = Registry<NetworkLayout>::instance().find(network.topology);
  if (type == scenario.cluster.node_types.end() || layout == nullptr || type->second.gpus < 1 || type->second.nics < 1)
    return nullptr;
  const int gpus = type->second.gpus, workers = scenario.jobs.front().workers, machines = workers / gpus;
  if (workers % gpus != 0 || machines > group.count)
    return nullptr;
  const EvenMachines even{group.count, type->second.nics, group.per_rack, kind_of(network, catalogue)};
  const std::optional<std::vector<int>> tiers = layout->create(network.settings)->tiers(even);
  if (!tiers)
    return nullptr;
  Scenario sampled = scenario;
  sampled.cluster.sample = sample_of(machines, *tiers);
  sampled.cluster.sampled = machines;
  const int built = static_cast<int>(sampled.cluster.sample.size());
  if (machines < worthwhile * built)
    return nullptr;
  sampled.jobs.front().workers = built * gpus;

  Diagnostics faults; // are found again, and told, with all machines
  std::unique_ptr<PreparedScenario> prepared = prepare(sampled, catalogue, faults);
  if (faults.has_errors())
    return nullptr;
  const PreparedJob& job = prepared->jobs.front();
  FreeSlots slots = all_free(prepared->cluster);
  Placement placement = place_packed(prepared->cluster, job.spec, slots, faults);
  if (faults.has_errors())
    return nullptr;
  const std::unique_ptr<PlacedJob> placed = place(*prepared, job, std::move(placement), catalogue, faults);
  if (faults.has_errors() || !step_repeats(job.mode->program(*placed->context, 0, 1), prepared->cluster,
                                           !spreads_packets(network.settings, even.link)))
    return nullptr;
  return prepared;
}

} // namespace

std::unique_ptr<PreparedScenario> prepare_run(const Scenario& scenario, const Catalogue& catalogue,
                                              Diagnostics& diagnostics)
{
  if (std::unique_ptr<PreparedScenario> sample = prepare_sample(scenario, catalogue))
    return sample;
  const Bytes needed = memory_needed(scenario);
  std::int64_t nodes = 0;
  for (const NodeGroupSpec& group : scenario.cluster.nodes)
    nodes += group.count;
  const bool certain = // the program itself takes about as much; asking takes longer than reading a file
      needed < 80_MB || nodes > most_nodes; // which is said instead, however much memory is free
  if (const auto error = certain ? std::nullopt : does_not_fit(scenario, needed, memory_available())) {
    diagnostics.error({.file = scenario.file, .path = "jobs"}, *error);
    auto nothing = std::make_unique<PreparedScenario>();
    nothing->scenario = scenario;
    return nothing;
  }
  return prepare(scenario, catalogue, diagnostics);
}

double stands_for(const PreparedScenario& prepared)
{
  const ClusterSpec& cluster = prepared.scenario.cluster;
  return cluster.sample.empty() ? 1 : static_cast<double>(cluster.sampled) / static_cast<double>(cluster.sample.size());
}

} // namespace trainyard
