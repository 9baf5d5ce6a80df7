// SPDX-License-Identifier: Apache-2.0
#include "sim/sources/services/prepare.hpp"

#include "models/scenario/calibrated.hpp"
#include "sim/cluster/speed/step_times.hpp"
#include "sim/step/prepared.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <tuple>
#include <utility>

namespace trainyard {
namespace {

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
          jobs_.emplace(static_cast<int>(s), &job);
  }

  /// Those whose end nobody gives are done after the steps of the job.
  void give_work(std::vector<ServiceSpec>& services)
  {
    for (const auto& [s, job] : jobs_)
      if (ServiceSpec& service = services[static_cast<std::size_t>(s)]; !service.ends() && service.clients.empty())
        service.work = Seconds{packed(s) * job->spec.steps};
  }

  /// s of a step of the job alone, packed on the empty cluster.
  double packed(int service)
  {
    const auto [known, fresh] = packed_.try_emplace(service);
    if (fresh) {
      Diagnostics diagnostics;
      FreeSlots slots = all_free(scenario_->cluster);
      const PreparedJob& job = *jobs_.at(service);
      const Placement placement = place_packed(scenario_->cluster, job.spec, slots, diagnostics);
      diagnostics.throw_if_errors();
      known->second = times_.alone(times_.at(job, placement));
    }
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
    const auto [known, fresh] = at_.try_emplace({service, placement.workers, placement.servers});
    if (fresh) { // a job that has only some of its workers is stepped with those
      const int workers = static_cast<int>(placement.workers.size());
      auto job = sized_.find({service, workers});
      if (job == sized_.end())
        job = sized_.emplace(std::pair{service, workers}, with_workers(*jobs_.at(service), workers)).first;
      known->second = times_.alone(times_.at(job->second, placement));
    }
    return known->second;
  }

private:
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
  std::map<int, const PreparedJob*> jobs_;           // by service
  std::map<std::pair<int, int>, PreparedJob> sized_; // by service and workers
  std::map<int, double> packed_;
  std::map<std::tuple<int, std::vector<VertexId>, std::vector<VertexId>>, double> at_; // by workers and servers
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

JobSpeedRule speeds_of_steps(const Scenario& scenario, const Catalogue& catalogue, std::vector<ServiceSpec>& services)
{
  const auto steps = std::make_shared<PlacedSteps>(scenario, catalogue, services);
  steps->give_work(services);
  return [steps](int service, std::span<const RunningTask> tasks) {
    return steps->packed(service) / steps->at(service, tasks);
  };
}

} // namespace trainyard
