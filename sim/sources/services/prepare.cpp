// SPDX-License-Identifier: Apache-2.0
#include "sim/sources/services/prepare.hpp"

#include "models/cluster/build.hpp"
#include "models/core/data_folder.hpp"
#include "models/core/figure_text.hpp"
#include "models/core/text.hpp"
#include "models/cost/container_network.hpp"
#include "models/cost/memory_sharing.hpp"
#include "models/job/device_placement.hpp"
#include "models/orchestration/orchestrator.hpp"
#include "models/orchestration/service.hpp"
#include "models/scenario/price.hpp"
#include "models/scenario/read_orchestrators.hpp"
#include "models/scenario/sections/faults.hpp"
#include "sim/sources/services/machines.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <set>

namespace trainyard {
namespace {

constexpr Sentence<std::string, std::string> image_without_gpu{
    "services.image_without_gpu", "service '{service}' requests GPUs, but its image '{image}' has no GPU support"};
constexpr Sentence<std::string, std::string> image_for_gpu{
    "services.image_for_gpu", "service '{service}' requests no GPU, but its image '{image}' is built for GPUs"};
constexpr Sentence<std::string, std::int64_t, std::int64_t> no_room{
    "services.no_room", "{group} has {replicas} replicas, and the machines have room for {places} of them at a time; "
                        "the others wait: add nodes or ask for less"};
constexpr Sentence<std::string, std::int64_t, std::int64_t> never_all{
    "services.never_all", "{group} has {replicas} replicas, and the machines have room for {places} of them at a time; "
                          "so it never runs with all of them: add nodes or ask for less"};
constexpr Sentence<std::string> never_done{
    "services.never_done", "service '{service}': restart: always also begins a training anew that has done its work, "
                           "and so it never ends; on_failure, the default of trainings, ends it"};

/// The services, each on its team's own nodes where teams have some.
std::vector<ServiceSpec> services_of(const Scenario& scenario)
{
  std::vector<ServiceSpec> services = scenario.section<ServicesSection>("services")->services;
  const OrchestratorSection& section = orchestrator_of(scenario);
  for (ServiceSpec& service : services)
    if (const auto own = section.team_nodes.find(service.team); own != section.team_nodes.end())
      for (TaskGroupSpec& group : service.groups)
        group.constraints.push_back({"group", true, own->second});
  return services;
}

/// Of services that say a share of communication and no more: by servers of gRPC, or by sockets, over the network's
/// link.
void set_network_costs(const Scenario& scenario, const Catalogue& catalogue, std::vector<ServiceSpec>& services)
{
  const ContainerNetwork& network = container_network_of(scenario.cluster);
  const auto link = catalogue.links.find(scenario.cluster.network.link);
  const BytesPerSecond given = scenario.cluster.network.bandwidth;
  const BytesPerSecond line =
      given > BytesPerSecond{} || link == catalogue.links.end() ? given : link->second.bandwidth;
  for (ServiceSpec& service : services) {
    const bool steps = !service.job.empty() || service.graph; // there each message meets the network
    const bool servers = std::ranges::find(service.groups, "ps", &TaskGroupSpec::role) != service.groups.end();
    const auto transport = scenario.transports.find(servers ? "grpc" : "tcp");
    if (!service.network_cost && !steps && service.runtime != "bare" && line > BytesPerSecond{} &&
        transport != scenario.transports.end())
      service.network_cost = network_cost(transport->second, network, line);
  }
}

/// The processes of `gpu_memory` among themselves; containers come to what they leave.
MemorySharing sharing_of(const GpuMemorySection& section)
{
  const std::vector<Bytes> gpus(static_cast<std::size_t>(section.gpus), section.memory);
  return share_memory(gpus, section.processes, section.fragmentation);
}

std::vector<MemoryTaken> taken_by_others(const Scenario& scenario, const ClusterShape& shape)
{
  const auto* section = scenario.section<GpuMemorySection>("gpu_memory");
  if (section == nullptr)
    return {};
  const auto node = std::ranges::find(shape.nodes, section->node, &NodeShape::name) - shape.nodes.begin();
  std::vector<MemoryTaken> taken;
  for (const MemoryHeld& one : sharing_of(*section).timeline)
    taken.push_back({static_cast<int>(node), one.gpu, one.time, one.process, one.held.value() / 1048576});
  return taken;
}

std::string group_name(const ServiceSpec& service, const TaskGroupSpec& group)
{
  return group.role.empty() ? fmt::format("service '{}'", service.name)
                            : fmt::format("'{}' of service '{}'", group.role, service.name);
}

/// From which version on a profile can do what the given one cannot.
std::string since(const OrchestratorSection& section, bool (*able)(const OrchestratorRules&, int), int gpus)
{
  const auto all = load_orchestrators(data_folder());
  const auto profile = all.find(section.name);
  if (profile == all.end())
    return {};
  for (const auto& [version, values] : profile->second.versions)
    if (able(rules_at(profile->second, version), gpus))
      return version;
  return {};
}

/// What an orchestrator of this kind and version cannot do at all.
void check_abilities(const Scenario& scenario, const OrchestratorSection& section, const ServiceSpec& service,
                     const TaskGroupSpec& group, Diagnostics& diagnostics)
{
  const OrchestratorRules& rules = section.rules;
  const Location place{scenario.file, service.line, 1};
  const std::string who = section.version.empty() ? section.name : section.name + " " + section.version;
  const auto from = [&](bool (*able)(const OrchestratorRules&, int)) {
    const std::string version = since(section, able, group.gpus);
    return version.empty() ? std::string{} : fmt::format("; {} {} can", section.name, version);
  };
  if (group.gpus > 0 && !rules.counts_gpus)
    diagnostics.error(place, fmt::format("{} requests GPUs, but {} cannot allocate GPUs{}", group_name(service, group),
                                         who, from([](const OrchestratorRules& r, int) { return r.counts_gpus; })));
  else if (rules.most_gpus_per_task > 0 && group.gpus > rules.most_gpus_per_task)
    diagnostics.error(place, fmt::format("{} requests {} GPUs; {} gives a task at most {}{}",
                                         group_name(service, group), group.gpus, who, rules.most_gpus_per_task,
                                         from([](const OrchestratorRules& r, int gpus) {
                                           return r.most_gpus_per_task == 0 || gpus <= r.most_gpus_per_task;
                                         })));
  if (!group.gpu_type.empty() && !rules.selects_gpu_type)
    diagnostics.error(place,
                      fmt::format("{} requests a type of GPU, but {} cannot select one{}", group_name(service, group),
                                  who, from([](const OrchestratorRules& r, int) { return r.selects_gpu_type; })));
}

/// Images whose name contradicts the request for GPUs.
void check_image(const Scenario& scenario, const ServiceSpec& service, Diagnostics& diagnostics)
{
  const std::string& image = service.image.name;
  const bool framework = image.find("tensorflow") != std::string::npos;
  const bool for_gpu = image.find("gpu") != std::string::npos;
  const bool wants_gpu = std::ranges::any_of(service.groups, [](const TaskGroupSpec& group) { return group.gpus > 0; });
  if (framework && wants_gpu && !for_gpu)
    diagnostics.warning({scenario.file, service.line, 1}, image_without_gpu(service.name, image));
  if (framework && !wants_gpu && for_gpu)
    diagnostics.warning({scenario.file, service.line, 1}, image_for_gpu(service.name, image));
}

/// The tasks of the graph are tasks of the service.
void check_graph(const Scenario& scenario, const ServiceSpec& service, Diagnostics& diagnostics)
{
  const Location place{scenario.file, service.line, 1};
  const auto* graph = scenario.section<GraphSection>("graph");
  if (graph == nullptr)
    return diagnostics.error(place, fmt::format("service '{}': graph: true needs the section 'graph', which says what "
                                                "its tasks compute",
                                                service.name));
  for (const GraphSection::Task& task : graph->tasks)
    if (std::ranges::none_of(service.groups, [&](const TaskGroupSpec& group) {
          return group.role == task.job && task.number < group.replicas;
        }))
      diagnostics.error(place, fmt::format("service '{}' has no task /job:{}/task:{}, which its graph has: add tasks "
                                           "with role: {}",
                                           service.name, task.job, task.number, task.job));
}

/// Tasks that take the same port of the host need a node each.
void check_ports(const Scenario& scenario, const std::vector<ServiceSpec>& services, const MachineView& view,
                 const Machines& machines, Diagnostics& diagnostics)
{
  struct Use {
    const ServiceSpec* service;
    const TaskGroupSpec* group;
    int tasks;
    std::set<int> nodes; // that it may go to
  };
  std::map<int, std::vector<Use>> uses;
  for (const ServiceSpec& service : services)
    for (std::size_t g = 0; g < service.groups.size(); ++g)
      for (const int port : service.groups[g].host_ports) {
        Use use{&service, &service.groups[g], most_replicas(service, g), {}};
        const NodeRequest request = request_of(service.groups[g], view.shape, 0);
        for (int node = 0; node < machines.size(); ++node)
          if (machines.eligible(node, request))
            use.nodes.insert(node);
        uses[port].push_back(use);
      }
  for (const auto& [port, list] : uses) {
    // Hall's condition for the sets that occur: tasks that may only go to these nodes need as many nodes.
    for (const Use& frame : list) {
      int tasks = 0;
      const ServiceSpec* first = nullptr;
      const ServiceSpec* last = nullptr;
      for (const Use& use : list)
        if (std::ranges::includes(frame.nodes, use.nodes)) {
          tasks += use.tasks;
          first = first == nullptr ? use.service : first;
          last = use.service;
        }
      if (tasks <= static_cast<int>(frame.nodes.size()) || frame.nodes.empty())
        continue;
      std::string where;
      for (const int node : frame.nodes)
        where += (where.empty()       ? ""
                  : where.size() > 60 ? ""
                                      : ", ") +
                 (where.size() > 60 ? std::string{} : machines.name(node));
      diagnostics.error({scenario.file, last->line, 1},
                        fmt::format("{} tasks need port {} of their host{}, but only {} can have one each: {}", tasks,
                                    port,
                                    first == last ? fmt::format(" (service '{}')", last->name)
                                                  : fmt::format(" (services '{}' and '{}')", first->name, last->name),
                                    counted(frame.nodes.size(), "node"), where));
      break;
    }
  }
}

/// Replicas of which some never run, or only when others have ended, because all machines together are too small, also
/// those that join later. It places them on @p machines, which nobody has used.
void warn_of_too_many(const Scenario& scenario, const ServiceSpec& service, const TaskGroupSpec& group,
                      const NodeRequest& request, std::span<const MachineTraits> traits, Machines& machines,
                      Diagnostics& diagnostics)
{
  const Instant until = scenario.run.until > Seconds{0} ? Instant{scenario.run.until} : end_of_time;
  for (std::size_t node = 0; node < traits.size(); ++node)
    if (traits[node].joins > Instant{} && traits[node].joins < until)
      machines.join(static_cast<int>(node));
  int places = 0;
  for (int node = 0; places < group.replicas && (node = machines.find(request)) >= 0; ++places)
    machines.take(node, places, request, request.service);
  const bool by_load = service.serving.scales || !service.scaling.empty(); // its replicas change
  const bool comes = !(scenario.run.until > Seconds{0}) || service.arrival < scenario.run.until;
  if (places == 0 || places == group.replicas || by_load || !comes || !group.host_ports.empty())
    return; // of ports check_ports() tells
  const bool all_needed = service.coupling == Coupling::sync || service.coupling == Coupling::mpi || !service.ends();
  diagnostics.warning({scenario.file, service.line, 1},
                      (all_needed ? never_all : no_room)(group_name(service, group), group.replicas, places));
}

} // namespace

std::vector<std::string> faults_of_others(const Scenario& scenario)
{
  std::vector<std::string> faults;
  if (const auto* section = scenario.section<GpuMemorySection>("gpu_memory"); section != nullptr)
    for (const ProcessOutcome& one : sharing_of(*section).processes)
      if (one.failed)
        faults.push_back(
            fmt::format("process {} of gpu_memory fails at {}: {}", one.process, time_text(*one.failed), one.reason));
  return faults;
}

OrchestrationInput orchestration_input(const Scenario& scenario, const Catalogue& catalogue, std::uint64_t seed)
{
  MachineView view = machine_view(scenario, catalogue);
  const OrchestratorSection& section = orchestrator_of(scenario);
  OrchestrationInput input;
  input.cluster = std::move(view.shape);
  input.traits = std::move(view.traits);
  input.rules = section.rules;
  input.services = services_of(scenario);
  if (const auto* faults = scenario.section<FaultsSection>("faults"); faults != nullptr)
    input.faults = FaultSchedule{faults->list, faults->random, view.domains, seed};
  else
    input.faults = FaultSchedule{{}, {}, view.domains, seed};
  input.registry = section.registry;
  input.node_pull = section.node_pull;
  if (const auto* storage = scenario.section<StorageSection>("storage"); storage != nullptr)
    input.storage = storage->bandwidth;
  input.until = Instant{scenario.run.until};
  input.taken = taken_by_others(scenario, input.cluster);
  set_network_costs(scenario, catalogue, input.services);
  if (std::ranges::any_of(input.services,
                          [](const ServiceSpec& service) { return !service.job.empty() || service.graph; }))
    set_speeds_of_steps(scenario, catalogue, input);
  return input;
}

void check_orchestration(const Scenario& scenario, const Catalogue& catalogue, Diagnostics& diagnostics)
{
  static_cast<void>(build_cluster(scenario.cluster, catalogue.links, diagnostics));
  if (diagnostics.has_errors())
    return;
  const MachineView view = machine_view(scenario, catalogue);
  const OrchestratorSection& section = orchestrator_of(scenario);
  const std::vector<ServiceSpec> services = services_of(scenario);
  const Machines machines{view.shape, view.traits, section.rules.placement, section.rules.avoids_gpu_nodes};
  bool endless = false;
  for (std::size_t s = 0; s < services.size(); ++s) {
    const ServiceSpec& service = services[s];
    endless = endless || (!service.ends() && service.clients.empty() && service.job.empty() && !service.graph);
    if (service.kind == "training" && service.ends() && service.restart == "always")
      diagnostics.warning({scenario.file, service.line, 1}, never_done(service.name));
    check_image(scenario, service, diagnostics);
    if (service.graph)
      check_graph(scenario, service, diagnostics);
    for (const TaskGroupSpec& group : service.groups) {
      const std::size_t before = diagnostics.sorted().size();
      check_abilities(scenario, section, service, group, diagnostics);
      const NodeRequest request = request_of(group, view.shape, static_cast<int>(s));
      if (diagnostics.sorted().size() == before && group.replicas > 0 && !machines.could_fit(request))
        diagnostics.error({scenario.file, service.line, 1},
                          fmt::format("{} can never be placed: {}; request less, or add nodes with these resources",
                                      group_name(service, group), machines.why_never(request)));
      Machines unused{view.shape, view.traits, section.rules.placement, section.rules.avoids_gpu_nodes};
      warn_of_too_many(scenario, service, group, request, view.traits, unused, diagnostics);
    }
  }
  if (endless && !(scenario.run.until > Seconds{0}))
    diagnostics.error({.path = "run"},
                      "services never end: give the end of the simulation, for example run: {until: 1 h}");
  if (scenario.sections.contains("gpu_memory") && !(scenario.run.until > Seconds{0}))
    diagnostics.error({.path = "run"},
                      "containers that find the memory of 'gpu_memory' taken start again and again: give "
                      "the end of the simulation, for example run: {until: 1 h}");
  check_ports(scenario, services, view, machines, diagnostics);
  if (std::ranges::any_of(services, [](const ServiceSpec& service) { return !service.job.empty(); }))
    check_memory_of_jobs(scenario, catalogue, services, diagnostics);
  const auto managing = std::ranges::count_if(view.traits, [](const MachineTraits& traits) { return traits.manages; });
  if (managing > 0 && managing % 2 == 0)
    diagnostics.error(
        {scenario.file, section.line, 0},
        fmt::format("{} managers tolerate no more losses than {}: give the role to an odd number of nodes", managing,
                    managing - 1));
  if (managing > 0 && std::ranges::none_of(view.traits, &MachineTraits::takes_tasks))
    diagnostics.error({scenario.file, section.line, 0},
                      "all nodes are only managers: give some nodes the role worker or both");
  if (const auto* faults = scenario.section<FaultsSection>("faults"); faults != nullptr)
    check_faults(faults->list, faults->random, view.domains, scenario.file, diagnostics);
}

} // namespace trainyard
