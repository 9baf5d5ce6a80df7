// SPDX-License-Identifier: Apache-2.0
#include "sim/cluster/machine_view.hpp"

#include "models/cluster/build.hpp"
#include "models/cluster/distance.hpp"
#include "models/core/data_folder.hpp"
#include "models/scenario/price.hpp"
#include "models/scenario/read_orchestrators.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <set>

namespace trainyard {
namespace {

constexpr std::int64_t unlimited = 1'000'000'000; // milli-cores, MiB: of machines whose scenario says nothing

/// Machines by the switch they are plugged into.
void add_switches(const Cluster& cluster, FaultDomains& domains)
{
  for (const FailureDomain& domain : failure_domains(cluster)) {
    if (domain.kind != FailureDomain::Kind::network_switch)
      continue;
    domains.switches.push_back(domain.name);
    std::vector<int>& nodes = domains.switch_nodes.emplace_back();
    for (const NodeId node : domain.nodes)
      nodes.push_back(node.index);
  }
}

/// Number of PCIe roots (CPU sockets) above the GPUs of a machine; 0 where NVLink joins them and roots hardly matter.
int pcie_roots(const Cluster& cluster, const Node& node)
{
  std::vector<VertexId> roots; // one GPU of each
  for (const VertexId gpu : node.gpus) {
    bool known = false;
    for (const VertexId other : roots) {
      const Distance apart = distance(cluster, gpu, other).distance;
      if (apart == Distance::nvlink)
        return 0;
      known = known || apart < Distance::sys;
    }
    if (!known)
      roots.push_back(gpu);
  }
  return static_cast<int>(roots.size());
}

/// What only the machine itself shows: the PCIe roots of its GPUs. The scenario's layout (or its default) is an
/// assumption.
std::vector<std::string> assumptions_of(const Scenario& scenario, const Cluster& cluster)
{
  std::vector<std::string> list;
  std::set<std::string> told;
  for (const NodeGroupSpec& group : scenario.cluster.nodes) {
    const auto type = scenario.cluster.node_types.find(group.type);
    if (type == scenario.cluster.node_types.end() || type->second.gpus < 2 || !told.insert(group.type).second)
      continue;
    const auto node = std::ranges::find(cluster.nodes(), group.name, &Node::group);
    const int roots = node == cluster.nodes().end() ? 0 : pcie_roots(cluster, *node);
    if (roots > 0)
      list.push_back(fmt::format(
          "assumed: the {} GPUs of each '{}' are below {} (intra: {}); check with `nvidia-smi topo -m` on the machine",
          type->second.gpus, group.type, roots == 1 ? "one PCIe root" : fmt::format("{} different PCIe roots", roots),
          type->second.intra));
  }
  return list;
}

} // namespace

const OrchestratorSection& orchestrator_of(const Scenario& scenario)
{
  static const OrchestratorSection by_hand = [] {
    OrchestratorSection section;
    section.rules = rules_at(load_orchestrators(data_folder()).at("none"), "");
    return section;
  }();
  const auto* section = scenario.section<OrchestratorSection>("orchestrator");
  return section == nullptr ? by_hand : *section;
}

int most_replicas(const ServiceSpec& service, std::size_t group)
{
  int most = service.groups[group].replicas;
  for (const ScaleSpec& scale : service.scaling)
    if (scale.group == static_cast<int>(group))
      most = std::max(most, scale.replicas);
  if (service.serving.scales && group == 0)
    for (const auto& [from, rate] : service.serving.rate)
      most = std::max(
          most, std::clamp(static_cast<int>(std::ceil(rate / (service.serving.capacity * service.serving.target))),
                           service.serving.least, service.serving.most));
  return most;
}

MachineView machine_view(const Scenario& scenario, const Catalogue& catalogue)
{
  Diagnostics faults;
  const Cluster cluster = build_cluster(scenario.cluster, catalogue.links, faults);
  faults.throw_if_errors();
  const OrchestratorSection& section = orchestrator_of(scenario);
  MachineView view;
  view.shape.gpu_types.clear();
  for (const Node& node : cluster.nodes()) {
    const int gpus = static_cast<int>(node.gpus.size());
    int type = 0;
    if (gpus > 0) {
      auto found = std::ranges::find(view.shape.gpu_types, node.gpu);
      if (found == view.shape.gpu_types.end())
        found = view.shape.gpu_types.insert(view.shape.gpu_types.end(), node.gpu);
      type = static_cast<int>(found - view.shape.gpu_types.begin());
    }
    view.shape.nodes.push_back(
        {.name = node.name,
         .gpus = gpus,
         .cpu_milli = node.cpu_cores > 0 ? node.cpu_cores * 1000L : unlimited,
         .memory_mib = node.memory.value() > 0 ? static_cast<std::int64_t>(node.memory.value() / 1048576) : unlimited,
         .gpu_type = type,
         .rack = node.rack});
    MachineTraits traits;
    traits.group = node.group;
    if (const auto gpu = catalogue.gpus.find(node.gpu); gpus > 0 && gpu != catalogue.gpus.end())
      traits.gpu_memory_mib = static_cast<std::int64_t>(gpu->second.memory.value() / 1048576);
    for (const std::string& key : {node.group, node.name}) { // settings of a single node come last
      const auto given = section.nodes.find(key);
      if (given == section.nodes.end())
        continue;
      const NodeTraits& one = given->second;
      if (one.joins)
        traits.joins = Instant{*one.joins};
      if (!one.role.empty()) {
        traits.manages = one.role != "worker";
        traits.takes_tasks = one.role != "manager";
      }
      traits.gpu_runtime = traits.gpu_runtime && one.gpu_runtime;
      if (!one.framework.empty())
        traits.framework = one.framework;
      if (!one.gpu_ids.empty())
        traits.gpu_ids = one.gpu_ids;
      traits.images.insert(traits.images.end(), one.images.begin(), one.images.end());
      for (const auto& [label, value] : one.labels)
        traits.labels[label] = value;
    }
    view.traits.push_back(traits);
    view.domains.nodes.push_back(node.name);
    view.domains.groups.push_back(node.group);
    view.domains.gpus.push_back(gpus);
    view.domains.racks.push_back(node.rack);
  }
  if (view.shape.gpu_types.empty())
    view.shape.gpu_types = {"gpu"};
  add_switches(cluster, view.domains);
  view.assumptions = assumptions_of(scenario, cluster);
  const auto managing = std::ranges::count_if(view.traits, [](const MachineTraits& traits) { return traits.manages; });
  view.domains.managers = managing > 0 ? static_cast<int>(managing) : section.rules.managers;
  if (const std::optional<DollarsPerHour> price = price_of(scenario.cluster); price)
    view.price = *price + static_cast<double>(cluster.nodes().size()) * section.licence;
  if (const auto* services = scenario.section<ServicesSection>("services"); services != nullptr)
    for (const ServiceSpec& service : services->services)
      for (std::size_t group = 0; group < service.groups.size(); ++group)
        for (int i = 0; i < most_replicas(service, group); ++i)
          view.domains.tasks.push_back(task_name(service, service.groups[group], i));
  return view;
}

} // namespace trainyard
