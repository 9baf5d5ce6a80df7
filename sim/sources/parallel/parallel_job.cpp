// SPDX-License-Identifier: Apache-2.0
#include "sim/sources/parallel/parallel_job.hpp"

#include "models/cluster/build.hpp"
#include "models/core/figure_text.hpp"
#include "models/cost/roofline.hpp"
#include "sim/step/prepared.hpp"
#include "sim/step/training/divided.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <optional>
#include <set>
#include <tuple>

namespace trainyard {
namespace {

/// Distance of each switch from the nearest network card; other vertices have 0.
std::vector<int> tiers_of(const Cluster& cluster)
{
  std::vector<int> tier(cluster.vertices().size());
  std::vector<VertexId> next;
  for (const Node& node : cluster.nodes())
    next.insert(next.end(), node.nics.begin(), node.nics.end());
  for (int distance = 1; !next.empty(); ++distance) {
    std::vector<VertexId> reached;
    for (const VertexId from : next)
      for (const LinkId id : cluster.outgoing(from)) {
        const VertexId to = cluster.link(id).to;
        int& its = tier[static_cast<std::size_t>(to.index)];
        if (its == 0 && cluster.vertex(to).kind == VertexKind::network_switch) {
          its = distance;
          reached.push_back(to);
        }
      }
    next = std::move(reached);
  }
  return tier;
}

/// Machines below the switch that the first card of @p node is on: their indices.
std::set<int> machines_below_one_switch(const Cluster& cluster, const Node& node)
{
  std::set<int> machines;
  for (const LinkId id : cluster.outgoing(node.nics.front())) {
    const VertexId to = cluster.link(id).to;
    if (cluster.vertex(to).kind != VertexKind::network_switch)
      continue;
    for (const LinkId down : cluster.outgoing(to))
      if (const Vertex& below = cluster.vertex(cluster.link(down).to); below.kind == VertexKind::nic)
        machines.insert(below.node.index);
    return machines;
  }
  for (std::size_t index = 0; index < cluster.nodes().size(); ++index)
    machines.insert(static_cast<int>(index));
  return machines;
}

/// Whether one switch joins all machines of the job, of which @p node is the first.
bool below_one_switch(const Cluster& cluster, const ParallelJob& job, const Node& node)
{
  const std::set<int> below = machines_below_one_switch(cluster, node);
  if (job.machines.empty()) // it takes them in their order
    return static_cast<double>(job.layout.gpus()) / job.network.gpus_per_node <= static_cast<double>(below.size());
  return std::ranges::all_of(job.machines, [&](int machine) { return below.contains(machine); });
}

/// The machines of a job that names them, or shares the cluster with others. Jobs take theirs one after the other.
std::optional<Placement> place_in_turn(const Scenario& scenario, const JobSpec& wanted, const Cluster& cluster,
                                       const Catalogue& catalogue, Diagnostics& diagnostics)
{
  FreeSlots slots = all_free(cluster);
  const int errors = diagnostics.errors();
  for (const JobSpec& job : scenario.jobs) {
    Placement placement = place_divided(cluster, job, catalogue, slots, diagnostics);
    if (diagnostics.errors() > errors)
      return std::nullopt;
    if (&job == &wanted)
      return placement;
  }
  return std::nullopt;
}

/// A GPU of each machine that a job takes, which has the cluster for itself.
std::vector<VertexId> first_gpus(const Cluster& cluster, const ParallelJob& job)
{
  std::vector<VertexId> first;
  int left = job.layout.gpus();
  for (const std::string& group : job.groups)
    for (const Node& node : cluster.nodes())
      if (node.group == group && left > 0 && !node.gpus.empty()) {
        first.push_back(node.gpus.front());
        left -= static_cast<int>(node.gpus.size());
      }
  return first;
}

/// GPU and network of a job with these @p ranks on machines like @p node, of which it has @p used each.
void meet_machine(const Scenario& scenario, const JobSpec& job, const Cluster& cluster, const Node& node,
                  const ShareOfMachine& used, std::span<const VertexId> ranks, const Catalogue& catalogue,
                  ParallelJob& made, Diagnostics& diagnostics)
{
  made.gpu = catalogue.gpus.at(node.gpu);
  for (const NodeGroupSpec& group : scenario.cluster.nodes)
    if (group.name == node.group && scenario.defaults.find("cluster.node_types." + group.type + ".memory") == nullptr)
      made.host_memory = node.memory;
  made.network = parallel_network(cluster, node, made.gpu, scenario.transports.at("nccl"), used, ranks);
  if (!made.gpu.peak.contains(made.layout.precision))
    diagnostics.error({.path = job.path + ".precision"},
                      fmt::format("the {} does not compute in {}; write precision: {}", made.gpu.name,
                                  made.layout.precision, made.gpu.peak.contains("bf16") ? "bf16" : "fp16"));
  else if (made.network.between <= BytesPerSecond{} && made.layout.gpus() > made.network.gpus_per_node)
    diagnostics.error({.path = job.path},
                      fmt::format("the machines of '{}' have no NIC to reach each other", job.name));
  if (made.layout.gpus() > made.network.gpus_per_node)
    warn_of_slow_slots(cluster, node, diagnostics);
}

} // namespace

Placement place_divided(const Cluster& cluster, const JobSpec& job, const Catalogue& catalogue, FreeSlots& slots,
                        Diagnostics& diagnostics)
{
  JobSpec spec = job;
  if (job.training.parallel != nullptr) {
    spec.workers = job.training.parallel->gpus();
    std::vector<int> free;
    for (const std::vector<bool>& gpus : slots.gpu)
      free.push_back(static_cast<int>(std::ranges::count(gpus, true)));
    if (const int left = std::accumulate(free.begin(), free.end(), 0); job.nodes.empty() && left < spec.workers) {
      diagnostics.error({.path = job.path},
                        fmt::format("job '{}' needs {} GPUs, and jobs before it leave {}: add machines, or lower dp",
                                    job.name, spec.workers, left));
      return {};
    }
    spec.gpu_order.clear();
    for (const AlikeMachines& machines : machines_in_order(cluster, job.precision, spec.workers, catalogue, free))
      spec.gpu_order.insert(spec.gpu_order.end(), machines.groups.begin(), machines.groups.end());
  }
  const int errors = diagnostics.errors();
  Placement placement = place_packed(cluster, spec, slots, diagnostics);
  if (job.training.parallel == nullptr || diagnostics.errors() > errors)
    return placement;
  std::string fault = unlike_machines(cluster, job, placement);
  if (fault.empty())
    fault = uneven_shares(cluster, job, placement);
  if (!fault.empty())
    diagnostics.error({.path = job.path}, std::move(fault));
  return placement;
}

double oversubscription(const Scenario& scenario, const ParallelJob& job, const Catalogue& catalogue)
{
  Diagnostics seen; // parallel_job() has told them
  const Cluster cluster = build_cluster(scenario.cluster, catalogue.links, seen);
  const auto node = !job.machines.empty() ? cluster.nodes().begin() + *job.machines.begin()
                                          : std::ranges::find_if(cluster.nodes(), [&](const Node& one) {
                                              return !job.groups.empty() && one.group == job.groups.front();
                                            });
  if (node == cluster.nodes().end() || node->nics.empty() || job.network.gpus_per_node < 1 ||
      below_one_switch(cluster, job, *node))
    return 1;
  const std::vector<int> tier = tiers_of(cluster);
  BytesPerSecond cards;
  std::map<int, BytesPerSecond> up; // what the switches of a tier send to others of it, or above it
  for (std::size_t v = 0; v < tier.size(); ++v) {
    const VertexId from{static_cast<int>(v)};
    for (const LinkId id : cluster.outgoing(from)) {
      const Link& link = cluster.link(id);
      const int to = tier[static_cast<std::size_t>(link.to.index)];
      if (cluster.vertex(from).kind == VertexKind::nic && to > 0)
        cards += link.data_rate();
      else if (tier[v] > 0 && to >= tier[v])
        up[tier[v]] += link.data_rate();
    }
  }
  double most = 1;
  for (const auto& [height, rate] : up)
    most = std::max(most, cards / rate);
  return most;
}

ParallelJob parallel_job(const Scenario& scenario, const JobSpec& job, const Catalogue& catalogue,
                         Diagnostics& diagnostics)
{
  ParallelJob made;
  made.layout = *job.training.parallel;
  made.transformer = job.transformer ? *job.transformer : *find_transformer(job.model);
  made.host_per_operator = job.host_per_operator;
  const int errors = diagnostics.errors();
  const Cluster cluster = build_cluster(scenario.cluster, catalogue.links, diagnostics);
  if (diagnostics.errors() > errors)
    return made;
  if (scenario.jobs.size() > 1 || !job.nodes.empty()) {
    const std::optional<Placement> placement = place_in_turn(scenario, job, cluster, catalogue, diagnostics);
    if (!placement)
      return made;
    std::set<std::string> groups;
    for (const VertexId worker : placement->workers) {
      const NodeId node = cluster.vertex(worker).node;
      groups.insert(cluster.node(node).group);
      made.machines.insert(node.index);
    }
    made.groups.assign(groups.begin(), groups.end());
    meet_machine(scenario, job, cluster, cluster.node(cluster.vertex(placement->workers.front()).node),
                 share_of_machine(cluster, *placement), placement->workers, catalogue, made, diagnostics);
    return made;
  }
  const std::vector<AlikeMachines> machines = machines_in_order(cluster, job.precision, made.layout.gpus(), catalogue);
  if (machines.empty() || machines.front().gpus < made.layout.gpus()) {
    diagnostics.error(
        {.path = job.path},
        fmt::format("job '{}' needs {} equal GPUs in machines that are alike (GPUs, network cards, links); the cluster "
                    "does not have so many: raise the count of a group of nodes, or divide the model among fewer",
                    job.name, made.layout.gpus()));
    return made;
  }
  made.groups = machines.front().groups;
  meet_machine(scenario, job, cluster, *machines.front().first, {}, first_gpus(cluster, made), catalogue, made,
               diagnostics);
  return made;
}

long long gpus_of(const ClusterSpec& cluster)
{
  long long gpus = 0;
  for (const NodeGroupSpec& group : cluster.nodes)
    if (const auto type = cluster.node_types.find(group.type); type != cluster.node_types.end())
      gpus += 1LL * group.count * type->second.gpus;
  return gpus;
}

std::string idle_gpus(const Scenario& scenario)
{
  const ParallelLayout& layout = *scenario.jobs.front().training.parallel;
  const long long installed = gpus_of(scenario.cluster);
  long long used = 0;
  for (const JobSpec& job : scenario.jobs)
    used += job.training.parallel->gpus();
  if (used >= installed)
    return {};
  std::string text = fmt::format("{} of {} GPUs", used, installed);
  if (scenario.jobs.size() > 1)
    return text;
  const int replicas = static_cast<int>(installed / (used / layout.dp)), in_step = replicas * layout.micro_batch;
  const int batch = (layout.global_batch + in_step - 1) / in_step * in_step;
  if (replicas > layout.dp)
    text +=
        fmt::format("; dp: {}{} uses {}", replicas,
                    batch == layout.global_batch ? std::string{} : fmt::format(", global_batch: {}", batch),
                    replicas * (used / layout.dp) == installed ? "all" : std::to_string(replicas * (used / layout.dp)));
  return text;
}

std::optional<DollarsPerHour> price_of(const ClusterSpec& cluster, const ParallelJob& job)
{
  DollarsPerHour price;
  int left = job.layout.gpus(), machine = 0;
  for (const NodeGroupSpec& group : cluster.nodes) {
    const NodeTypeSpec& type = cluster.node_types.at(group.type);
    const bool may = std::ranges::find(job.groups, group.name) != job.groups.end();
    for (int i = 0; i < group.count; ++i, ++machine) {
      if (job.machines.empty() ? !may || left <= 0 : !job.machines.contains(machine))
        continue;
      if (!type.price)
        return std::nullopt;
      price += *type.price;
      left -= type.gpus;
    }
  }
  return price;
}

bool lacks_host_memory(const ParallelJob& job)
{
  return job.host_memory > Bytes{} && host_states(job) > job.host_memory;
}

bool fits(const ParallelJob& job, const ParallelStep& step)
{
  return step.memory.total() <= job.gpu.memory && !lacks_host_memory(job);
}

Message tensor_across_machines(const ParallelJob& job)
{
  static constexpr Sentence<std::int64_t, std::int64_t, Figure, Figure, Messages> crosses{
      "parallel.tensor_crosses", "tp = {tp} is more than the {gpus} GPUs of a machine: its collectives cross the "
                                 "network. A step takes {step}; in a machine of {tp} GPUs it takes {larger}{inside}"};
  static constexpr Sentence<std::int64_t, std::int64_t, Figure> inside_takes{"parallel.tensor_inside",
                                                                             ", and with tp: {tp}, dp: {dp} {step}"};
  if (job.layout.tp <= job.network.gpus_per_node)
    return {};
  const int tp = job.layout.tp, machine = job.network.gpus_per_node;
  const auto step_of = [](const ParallelJob& one) {
    const Seconds step = parallel_step(one).step;
    return Figure{step.value(), time_text(step)};
  };
  ParallelJob larger = job, inside = job;
  larger.network.gpus_per_node = tp;
  inside.layout.tp = machine;
  inside.layout.dp *= tp / machine;
  const bool possible =
      layout_faults(inside.layout, job.transformer, job.layout.gpus()).empty() && fits(inside, parallel_step(inside));
  return crosses(tp, machine, step_of(job), step_of(larger),
                 possible ? Messages{inside_takes(machine, inside.layout.dp, step_of(inside))} : Messages{});
}

std::vector<FittingChange> fitting_changes(const ParallelJob& job, std::size_t most)
{
  using Change = std::pair<std::string, ParallelLayout>;
  const auto changes = [&](const ParallelLayout& from) {
    std::vector<Change> list;
    const auto add = [&](const std::string& words, const auto& change) {
      ParallelLayout layout = from;
      change(layout);
      if (layout_faults(layout, job.transformer, job.layout.gpus()).empty())
        list.emplace_back(words, layout);
    };
    if (from.recomputation == Recomputation::none && !from.fused_attention())
      add("recomputation: selective", [](ParallelLayout& l) { l.recomputation = Recomputation::selective; });
    const bool more_again = from.recomputation == Recomputation::none || from.recomputation == Recomputation::selective;
    if (more_again && from.recomputed.empty())
      for (const std::vector<std::string>& parts :
           {std::vector<std::string>{"layernorm"}, {"layernorm", job.transformer.experts > 1 ? "moe" : "mlp"}})
        add(fmt::format("recompute_modules: [{}]", fmt::join(parts, ", ")),
            [&](ParallelLayout& l) { l.recomputed = parts; });
    if (from.recomputation != Recomputation::full)
      add("recomputation: full", [](ParallelLayout& l) {
        l.recomputation = Recomputation::full;
        l.recomputed.clear();
      });
    if (from.tp > 1 && !from.sequence_parallel)
      add("sequence_parallel: true", [](ParallelLayout& l) { l.sequence_parallel = true; });
    if (from.zero == 0 && from.replicas() > 1)
      add("zero: 1", [](ParallelLayout& l) { l.zero = 1; });
    if (from.zero < 3 && from.replicas() > 1 && from.pp == 1)
      add("zero: 3", [](ParallelLayout& l) { l.zero = 3; });
    if (!from.offload_optimizer && job.network.host > BytesPerSecond{})
      add("offload_optimizer: true", [](ParallelLayout& l) { l.offload_optimizer = true; });
    if (from.micro_batch > 1)
      add(fmt::format("micro_batch: {}", from.micro_batch / 2), [](ParallelLayout& l) { l.micro_batch /= 2; });
    if (from.dp % 2 == 0) {
      if (2 * from.tp <= job.network.gpus_per_node)
        add(fmt::format("tp: {}, dp: {}", 2 * from.tp, from.dp / 2), [](ParallelLayout& l) {
          l.tp *= 2;
          l.dp /= 2;
        });
      add(fmt::format("pp: {}, dp: {}", 2 * from.pp, from.dp / 2), [](ParallelLayout& l) {
        l.pp *= 2;
        l.dp /= 2;
      });
    }
    return list;
  };
  std::vector<FittingChange> found;
  using Changed = std::tuple<int, int, int, int, int, Recomputation, std::size_t, bool, bool>;
  std::set<Changed> tried; // two changes in either order are one
  const auto keep = [&](const Change& change) {
    const ParallelLayout& l = change.second;
    if (!tried
             .emplace(l.tp, l.pp, l.dp, l.micro_batch, l.zero, l.recomputation, l.recomputed.size(),
                      l.sequence_parallel, l.offload_optimizer)
             .second)
      return;
    ParallelJob changed = job;
    changed.layout = change.second;
    ParallelStep step = parallel_step(changed, PipelineDetail::formula);
    if (fits(changed, step))
      found.push_back({change.first, std::move(step)});
  };
  const std::vector<Change> single = changes(job.layout);
  for (const Change& one : single)
    keep(one);
  if (found.empty())
    for (const Change& one : single)
      for (const Change& other : changes(one.second))
        keep({one.first + ", " + other.first, other.second});
  std::ranges::stable_sort(found, {}, [](const FittingChange& change) { return change.step.step; });
  if (found.size() > most)
    found.resize(most);
  return found;
}

} // namespace trainyard
