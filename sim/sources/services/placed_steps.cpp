// SPDX-License-Identifier: Apache-2.0
#include "sim/sources/services/prepare.hpp"

#include "models/cost/container_network.hpp"
#include "models/job/device_placement.hpp"
#include "models/scenario/calibrated.hpp"
#include "sim/cluster/speed/step_times.hpp"
#include "sim/results/graph_run.hpp"
#include "sim/step/prepared.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <bit>
#include <map>
#include <memory>
#include <optional>
#include <stdexcept>
#include <tuple>
#include <utility>

namespace trainyard {
namespace {

constexpr Sentence<Figure> idle_gpus{"services.idle_gpus", "messages, while the GPUs are idle {share} of the time"};

/// To a service whose end nobody gives, and to clients without work of their own.
void give_work(Seconds work, ServiceSpec& service)
{
  if (!service.ends() && service.clients.empty())
    service.work = work;
  for (ClientSpec& client : service.clients)
    if (client.work == Seconds{})
      client.work = work;
}

/// The job as the containers of this service train it: each is a process, also beside others on its machine.
PreparedJob trained_by(const PreparedJob& job, const ServiceSpec& service)
{
  PreparedJob own = with_workers(job, job.spec.workers);
  Settings& settings = own.spec.training.settings;
  const bool summed = settings.text("local_aggregation", "none") != "none" || own.spec.training.mode == "multi_tower";
  if (summed || settings.has("worker_processes") || settings.has("gpus_per_process"))
    return own;
  int gpus = 0; // the fewest of a container that trains
  for (const TaskGroupSpec& group : service.groups)
    if (group.role != "ps")
      gpus = gpus == 0 ? std::max(1, group.gpus) : std::min(gpus, std::max(1, group.gpus));
  settings.set("gpus_per_process", std::max(1, gpus));
  return own;
}

/// Where the service says what its network costs, and where it runs without containers, their network does not count.
std::shared_ptr<const std::map<std::string, Transport>> own_transports(const Scenario& scenario,
                                                                       const ServiceSpec& service)
{
  if (!service.network_cost && service.runtime != "bare")
    return nullptr;
  return std::make_shared<const std::map<std::string, Transport>>(
      longer(scenario.transports, service.network_cost.value_or(0)));
}

/// A prepared scenario with the services that train its jobs. Answers are remembered by places.
class PlacedSteps
{
public:
  PlacedSteps(const Scenario& scenario, const Catalogue& catalogue, const std::vector<ServiceSpec>& services)
      : services_{services}, catalogue_{calibrated(catalogue, scenario)}, scenario_{prepared(scenario, catalogue_)},
        times_{*scenario_, catalogue_}
  {
    for (std::size_t s = 0; s < services.size(); ++s)
      for (const PreparedJob& job : scenario_->jobs)
        if (!services[s].job.empty() && job.spec.name == services[s].job)
          jobs_.emplace(static_cast<int>(s), trained_by(job, services[s])).first->second.transports =
              own_transports(scenario, services[s]);
  }

  void give_work(std::vector<ServiceSpec>& services)
  {
    for (const auto& [s, job] : jobs_)
      trainyard::give_work(Seconds{packed(s) * job.spec.steps}, services[static_cast<std::size_t>(s)]);
  }

  /// s of a step of the job alone, packed on the empty cluster.
  double packed(int service)
  {
    const auto [known, fresh] = packed_.try_emplace(service);
    if (fresh)
      known->second = times_.alone(times_.at(jobs_.at(service), packed_place(service)));
    return known->second;
  }

  /// s of a step at the places of these tasks.
  double at(int service, std::span<const RunningTask> tasks)
  {
    Placement placement;
    for (const RunningTask& task : tasks) {
      const Node& node = scenario_->cluster.nodes()[static_cast<std::size_t>(task.node)];
      if (services_[static_cast<std::size_t>(service)].groups[static_cast<std::size_t>(task.group)].role == "ps") {
        placement.servers.push_back(node.host);
        continue;
      }
      for (std::size_t gpu = 0; gpu < node.gpus.size(); ++gpu)
        if ((task.gpu_mask >> gpu & 1u) != 0)
          placement.workers.push_back(node.gpus[gpu]);
      if (task.gpu_mask == 0)
        placement.workers.push_back(node.host);
    }
    place_client(scenario_->cluster, jobs_.at(service).spec, placement, faults_);
    const auto [known, fresh] = at_.try_emplace({service, placement.workers, placement.servers});
    if (fresh) { // a job that has only some of its workers is stepped with those
      const int workers = static_cast<int>(placement.workers.size());
      auto job = sized_.find({service, workers});
      if (job == sized_.end())
        job = sized_.emplace(std::pair{service, workers}, with_workers(jobs_.at(service), workers)).first;
      known->second = {.job = &job->second, .placement = placement};
      known->second.time = times_.alone(times_.at(job->second, placement));
    }
    last_[service] = &known->second;
    return known->second.time;
  }

  /// The step at the places that were asked for last.
  std::optional<StepThere> last(int service)
  {
    const auto there = last_.find(service);
    return there == last_.end() || there->second == nullptr ? std::nullopt : std::optional{shown(*there->second)};
  }

  /// What a worker takes of its GPU, packed on the empty cluster; it is the same everywhere on one kind of GPU.
  Bytes takes(int service)
  {
    const auto job = jobs_.find(service);
    if (job == jobs_.end())
      return {};
    const auto [known, fresh] = takes_.try_emplace(service);
    if (fresh)
      known->second = times_.shown(times_.at(job->second, packed_place(service))).reserved;
    return known->second;
  }

  /// The step of these tasks.
  StepThere there(int service, std::span<const RunningTask> tasks)
  {
    Step* const before = std::exchange(last_[service], nullptr);
    at(service, tasks);
    return shown(*std::exchange(last_[service], before));
  }

private:
  struct Step {
    const PreparedJob* job = nullptr;
    Placement placement;
    double time = 0;
    std::optional<StepThere> shown;
  };

  Placement packed_place(int service) const
  {
    Diagnostics diagnostics;
    FreeSlots slots = all_free(scenario_->cluster);
    Placement placement = place_packed(scenario_->cluster, jobs_.at(service).spec, slots, diagnostics);
    diagnostics.throw_if_errors();
    return placement;
  }

  const StepThere& shown(Step& there)
  {
    if (!there.shown) {
      const ShownStep step = times_.shown(times_.at(*there.job, there.placement));
      const std::string& sample = there.job->dnn.sample;
      there.shown = StepThere{step.time,       step.samples_per_second, sample.substr(0, sample.find(' ')),
                              step.bottleneck, step.reserved,           step.gpu_use};
    }
    return *there.shown;
  }

  static std::unique_ptr<PreparedScenario> prepared(const Scenario& scenario, const Catalogue& catalogue)
  {
    Diagnostics diagnostics;
    std::unique_ptr<PreparedScenario> made = prepare(scenario, catalogue, diagnostics);
    diagnostics.throw_if_errors();
    return made;
  }

  std::vector<ServiceSpec> services_;
  Catalogue catalogue_;
  std::unique_ptr<PreparedScenario> scenario_;
  StepTimes times_;
  std::map<int, PreparedJob> jobs_;                  // by service
  std::map<std::pair<int, int>, PreparedJob> sized_; // by service and workers
  std::map<int, double> packed_;
  std::map<int, Bytes> takes_;                                                       // by service
  std::map<std::tuple<int, std::vector<VertexId>, std::vector<VertexId>>, Step> at_; // by workers and servers
  std::map<int, Step*> last_;                                                        // by service
  Diagnostics faults_;                                                               // said when it was checked
};

/// The scenario's graph, whose tasks are those of a service.
class PlacedGraph
{
public:
  PlacedGraph(const Scenario& scenario, const Catalogue& catalogue, const OrchestrationInput& input)
      : scenario_{scenario}, catalogue_{calibrated(catalogue, scenario)}, services_{input.services},
        nodes_{input.cluster.nodes}, graph_{*scenario.section<GraphSection>("graph")}
  {
  }

  /// s of a call where the section says that its tasks are.
  double planned() { return call(graph_).call.value(); }
  double runs() const { return graph_.runs; }

  /// s of a call at the places of these tasks; a container sees the GPUs that it holds.
  double at(int service, std::span<const RunningTask> tasks)
  {
    const ServiceSpec& spec = services_[static_cast<std::size_t>(service)];
    GraphSection graph = graph_;
    graph.devices.clear();
    for (GraphSection::Task& place : graph.tasks) {
      const auto task = std::ranges::find_if(tasks, [&](const RunningTask& one) {
        return spec.groups[static_cast<std::size_t>(one.group)].role == place.job && one.index == place.number;
      });
      if (task == tasks.end())
        return planned(); // it is not there now, and so nothing goes on
      place.node = nodes_[static_cast<std::size_t>(task->node)].name;
      graph.devices.push_back({place.job, place.number, "cpu", 0});
      for (std::uint32_t mask = task->gpu_mask; mask != 0; mask &= mask - 1) {
        graph.devices.push_back({place.job, place.number, "gpu", static_cast<int>(place.gpus.size())});
        place.gpus.push_back(std::countr_zero(mask));
      }
    }
    const GraphSection::Task& master = graph.tasks[graph.master];
    if (graph.client == graph_.tasks[graph_.master].node)
      graph.client = master.node;
    graph.placed = place_operations(graph.operations, graph.devices, graph.kernels, master.job, master.number,
                                    graph.soft_placement);
    for (std::size_t i = 0; i < graph.placed.size(); ++i)
      if (!graph.placed[i].device)
        throw std::runtime_error{fmt::format("operation '{}' cannot run in the containers of service '{}': {}",
                                             graph.operations[i].name, spec.name, graph.placed[i].reason)};
    const GraphRun& run = call(graph);
    last_[service] = {run.call, 1 / run.call.value(),         "call", idle_gpus(idle_of(graph, run)),
                      {},       1 - idle_of(graph, run).value};
    return run.call.value();
  }

  std::optional<StepThere> last(int service) const
  {
    const auto found = last_.find(service);
    return found == last_.end() ? std::nullopt : std::optional{found->second};
  }

private:
  const GraphRun& call(const GraphSection& graph)
  {
    std::string places = graph.client;
    for (const GraphSection::Task& task : graph.tasks)
      places += fmt::format(" {} {}", task.node, fmt::join(task.gpus, ","));
    const auto [known, fresh] = known_.try_emplace(places);
    if (fresh)
      known->second = run_graph(scenario_, catalogue_, graph);
    return known->second;
  }

  /// Of the busiest GPU.
  static Figure idle_of(const GraphSection& graph, const GraphRun& run)
  {
    double busy = 0;
    for (std::size_t device = 0; device < graph.devices.size(); ++device)
      if (graph.devices[device].kind == "gpu")
        busy = std::max(busy, run.busy[device]);
    return {1 - busy, fmt::format("{:.2f} %", 100 * (1 - busy))};
  }

  Scenario scenario_;
  Catalogue catalogue_;
  std::vector<ServiceSpec> services_;
  std::vector<NodeShape> nodes_;
  GraphSection graph_;
  std::map<std::string, GraphRun> known_; // by places
  std::map<int, StepThere> last_;         // by service
};

} // namespace

void check_memory_of_jobs(const Scenario& scenario, const Catalogue& catalogue,
                          const std::vector<ServiceSpec>& services, Diagnostics& diagnostics)
{
  Diagnostics of_jobs; // told when they are prepared for the run
  const std::unique_ptr<PreparedScenario> prepared = prepare(scenario, catalogue, of_jobs);
  if (of_jobs.has_errors())
    return;
  for (const ServiceSpec& service : services) {
    const auto job =
        std::ranges::find(prepared->jobs, service.job, [](const PreparedJob& one) { return one.spec.name; });
    if (job == prepared->jobs.end() || job->spec.training.parallel != nullptr)
      continue;
    for (const TaskGroupSpec& group : service.groups) {
      std::optional<MemoryFit> least;
      for (const NodeGroupSpec& nodes : scenario.cluster.nodes)
        if (const std::string& gpu = scenario.cluster.node_types.at(nodes.type).gpu;
            group.gpus > 0 && (group.gpu_type.empty() || group.gpu_type == gpu))
          if (const auto known = catalogue.gpus.find(gpu);
              known != catalogue.gpus.end() && known->second.memory > Bytes{})
            if (const MemoryFit fit = memory_on(*job, known->second);
                !least || fit.needed / fit.available < least->needed / least->available)
              least = fit;
      if (least && least->refused())
        diagnostics.error({.file = scenario.file, .path = job->spec.path},
                          fmt::format("job '{}': out of GPU memory on all machines where '{}' may run: {} {}",
                                      job->spec.name, service.name, job->spec.model, least->verdict));
    }
  }
}

void set_speeds_of_steps(const Scenario& scenario, const Catalogue& catalogue, OrchestrationInput& input)
{
  const std::vector<ServiceSpec> services = input.services;
  const auto runs_graph = [services](int service) { return services[static_cast<std::size_t>(service)].graph; };
  std::shared_ptr<PlacedSteps> steps;
  std::shared_ptr<PlacedGraph> graph;
  if (std::ranges::any_of(services, &ServiceSpec::graph)) {
    graph = std::make_shared<PlacedGraph>(scenario, catalogue, input);
    for (ServiceSpec& service : input.services)
      if (service.graph)
        give_work(Seconds{graph->planned() * graph->runs()}, service);
  }
  if (std::ranges::any_of(services, [](const ServiceSpec& service) { return !service.job.empty(); })) {
    steps = std::make_shared<PlacedSteps>(scenario, catalogue, services);
    steps->give_work(input.services);
  }
  input.speed = [=](int service, std::span<const RunningTask> tasks) {
    return runs_graph(service) ? graph->planned() / graph->at(service, tasks)
                               : steps->packed(service) / steps->at(service, tasks);
  };
  input.step_at = [=](int service, std::span<const RunningTask> tasks) -> std::optional<StepThere> {
    if (runs_graph(service)) {
      graph->at(service, tasks);
      return graph->last(service);
    }
    return services[static_cast<std::size_t>(service)].job.empty() ? std::nullopt
                                                                   : std::optional{steps->there(service, tasks)};
  };
  if (steps != nullptr)
    input.takes = [=](int service) { return steps->takes(service); };
  input.last_step = [=](int service) {
    return runs_graph(service) ? graph->last(service) : steps != nullptr ? steps->last(service) : std::nullopt;
  };
}

} // namespace trainyard
