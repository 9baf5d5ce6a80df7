// SPDX-License-Identifier: Apache-2.0
#include "sim/sources/services/placed_steps.hpp"

#include "models/core/registry.hpp"
#include "models/scenario/calibrated.hpp"
#include "sim/step/engine/executor.hpp"
#include "sim/step/pack.hpp"
#include "sim/step/prepared.hpp"
#include "sim/step/steady_state.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

namespace trainyard {

struct PlacedSteps::Parts {
  Catalogue catalogue;
  std::unique_ptr<PreparedScenario> prepared;
  std::unique_ptr<Executor> executor;
};

PlacedSteps::PlacedSteps(const Scenario& scenario, const Catalogue& catalogue, const std::vector<ServiceSpec>& services)
    : parts_{std::make_unique<Parts>()}, services_{services}
{
  Diagnostics diagnostics;
  parts_->catalogue = calibrated(catalogue, scenario);
  parts_->prepared = prepare(scenario, parts_->catalogue, diagnostics);
  diagnostics.throw_if_errors();
  parts_->executor = Registry<Executor>::instance().create("fluid");
  for (std::size_t s = 0; s < services.size(); ++s)
    for (std::size_t job = 0; job < parts_->prepared->jobs.size(); ++job)
      if (!services[s].job.empty() && parts_->prepared->jobs[job].spec.name == services[s].job)
        jobs_.emplace(static_cast<int>(s), job);
}

PlacedSteps::~PlacedSteps() = default;

double PlacedSteps::steps(int service) const
{
  return parts_->prepared->jobs[jobs_.at(service)].spec.steps;
}

Seconds PlacedSteps::reference(int service) const
{
  const std::string key = fmt::format("{} packed", service);
  auto known = memory_.find(key);
  if (known == memory_.end())
    known = memory_.emplace(key, simulate(service, {}, true)).first;
  return known->second.time;
}

const PlacedStep& PlacedSteps::at(int service, std::span<const RunningTask> tasks) const
{
  std::string key = fmt::format("{}", service);
  for (const RunningTask& task : tasks)
    key += fmt::format(" {}:{}:{}", task.group, task.node, task.gpu_mask);
  auto known = memory_.find(key);
  if (known == memory_.end())
    known = memory_.emplace(key, simulate(service, tasks, false)).first;
  return known->second;
}

PlacedStep PlacedSteps::simulate(int service, std::span<const RunningTask> tasks, bool packed) const
{
  const PreparedScenario& scenario = *parts_->prepared;
  const PreparedJob& job = scenario.jobs[jobs_.at(service)];
  const ServiceSpec& spec = services_[static_cast<std::size_t>(service)];
  Placement placement;
  Diagnostics diagnostics;
  if (packed) {
    FreeSlots slots = all_free(scenario.cluster);
    placement = place_packed(scenario.cluster, job.spec, slots, diagnostics);
    diagnostics.throw_if_errors();
  } else {
    for (const RunningTask& task : tasks) {
      const Node& node = scenario.cluster.nodes()[static_cast<std::size_t>(task.node)];
      if (spec.groups[static_cast<std::size_t>(task.group)].role == "ps") {
        placement.servers.push_back(node.host);
        continue;
      }
      for (std::size_t gpu = 0; gpu < node.gpus.size(); ++gpu)
        if ((task.gpu_mask >> gpu & 1u) != 0)
          placement.workers.push_back(node.gpus[gpu]);
      if (task.gpu_mask == 0)
        placement.workers.push_back(node.host);
    }
  }
  // A job that has only some of its workers is stepped with those.
  PreparedJob here{job.spec, job.dnn, training_mode_of(job.spec)};
  here.spec.workers = static_cast<int>(placement.workers.size());
  const std::unique_ptr<PlacedJob> placed = place(scenario, here, placement, parts_->catalogue, diagnostics);
  if (diagnostics.has_errors())
    throw std::runtime_error{fmt::format("job '{}' cannot train on the nodes of its tasks: {}", job.spec.name,
                                         diagnostics.sorted().front().message)};
  const SteppedJob stepped = stepped_job(*here.mode, *placed->context);
  SteadyStateOptions options = options_of_a_run({&stepped, 1}, scenario.scenario.run.warm_up_steps);
  options.most_steps = std::min(options.most_steps, 24); // of each of many placements
  const StepEstimate estimate =
      steady_state(scenario.cluster, std::span{&stepped, 1}, *parts_->executor, options).front();
  PlacedStep result;
  result.time = estimate.step_time;
  // Payload, without what protocols add: transfers between nodes, and of a ring 2 (n - 1) / n payloads out of every
  // rank whose right neighbour is on another node.
  const auto node_of = [&](VertexId vertex) { return scenario.cluster.vertex(vertex).node.index; };
  for (const Operation& operation : estimate.program.operations) {
    if (const auto* transfer = std::get_if<Transfer>(&operation.work)) {
      if (node_of(transfer->from) != node_of(transfer->to) && node_of(transfer->from) >= 0)
        result.nic_bytes[scenario.cluster.vertex(transfer->from)
                             .name.substr(0, scenario.cluster.vertex(transfer->from).name.find('/'))] +=
            transfer->bytes.value() / estimate.program.steps;
    } else if (const auto* call = call_of(operation.work)) {
      const std::size_t n = call->ranks.size();
      for (std::size_t i = 0; i < n && n > 1; ++i)
        if (const VertexId rank = call->ranks[i]; node_of(rank) != node_of(call->ranks[(i + 1) % n]))
          result
              .nic_bytes[scenario.cluster.vertex(rank).name.substr(0, scenario.cluster.vertex(rank).name.find('/'))] +=
              2.0 * static_cast<double>(n - 1) / static_cast<double>(n) * call->payload.value() /
              estimate.program.steps;
    }
  }
  return result;
}

} // namespace trainyard
