// SPDX-License-Identifier: Apache-2.0
#include "sim/sources/retraining/training_rates.hpp"

#include "models/cluster/build.hpp"
#include "models/dnn/builder.hpp"
#include "sim/cluster/cluster_state.hpp"
#include "sim/cluster/speed/contention_graph.hpp"
#include "sim/cluster/speed/step_speed.hpp"
#include "sim/step/prepared.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

namespace trainyard {
namespace {

constexpr double infinite = std::numeric_limits<double>::infinity();

ClusterShape shape_of(const Cluster& cluster)
{
  ClusterShape shape;
  shape.gpu_types.clear();
  for (const Node& node : cluster.nodes()) {
    int type = 0;
    if (!node.gpus.empty()) {
      auto found = std::ranges::find(shape.gpu_types, node.gpu);
      if (found == shape.gpu_types.end())
        found = shape.gpu_types.insert(shape.gpu_types.end(), node.gpu);
      type = static_cast<int>(found - shape.gpu_types.begin());
    }
    shape.nodes.push_back({.name = node.name,
                           .gpus = static_cast<int>(node.gpus.size()),
                           .cpu_milli = 1'000'000'000,
                           .memory_mib = 1'000'000'000,
                           .gpu_type = type,
                           .rack = node.rack});
  }
  if (shape.gpu_types.empty())
    shape.gpu_types = {"gpu"};
  return shape;
}

} // namespace

TrainingRates::TrainingRates(const Scenario& scenario, const Catalogue& catalogue,
                             const TaskEnvironmentSection& section)
    : section_{section}
{
  Diagnostics faults;
  prepared_ = prepare(scenario, catalogue, faults);
  faults.throw_if_errors();
  shape_ = shape_of(prepared_->cluster);
  const std::vector<JobSpec>& jobs = prepared_->scenario.jobs;
  for (const RetrainedModel& model : section_.models) {
    const auto job = std::ranges::find(jobs, model.job, &JobSpec::name);
    for (int copy = 0; copy < model.copies; ++copy) {
      names_.push_back(model.copies > 1 ? fmt::format("{}-{}", model.name, copy) : model.name);
      places_.push_back(fmt::format("{}/{}", &model - section_.models.data(), copy));
      specs_.push_back(&model);
      jobs_.push_back(job == jobs.end() ? nullptr : &*job);
    }
  }
  if (!jobs.empty())
    speed_ = std::make_unique<StepSpeed>(*prepared_, catalogue);
  workload_.jobs.reserve(2 * jobs_.size() + 8); // their addresses are handed out
}

TrainingRates::~TrainingRates() = default;

int TrainingRates::gpus(int model) const
{
  const JobSpec* job = jobs_[static_cast<std::size_t>(model)];
  return job == nullptr ? spec(model).gpus : job->workers;
}

int TrainingRates::own_gpus(int model) const
{
  int largest = 0;
  for (const NodeShape& node : shape_.nodes)
    largest = std::max(largest, node.gpus);
  return std::max(1, std::min(spec(model).own_gpus, largest));
}

Bytes TrainingRates::result(int model) const
{
  if (spec(model).result.value() >= 0)
    return spec(model).result;
  const JobSpec* job = jobs_[static_cast<std::size_t>(model)];
  return job == nullptr ? Bytes{}
                        : Bytes{4 * build_dnn(job->model, {job->sequence_length, job->model_elements,
                                                           job->transformer.get(), job->layers})
                                        .parameter_elements()};
}

std::string TrainingRates::job_name(int model) const
{
  const JobSpec* job = jobs_[static_cast<std::size_t>(model)];
  return job == nullptr ? "" : job->name;
}

const TraceJob& TrainingRates::trace_job(const JobSpec& job, int gpus)
{
  const auto [found, fresh] = trace_jobs_.try_emplace({job.name, gpus}, workload_.jobs.size());
  if (fresh) {
    TraceJob one;
    one.duration = one.estimate = Seconds{1};
    one.gpus = gpus;
    one.model = workload_.models.index_of(job.name);
    if (workload_.jobs.size() == workload_.jobs.capacity())
      throw std::logic_error{"more kinds of trainings than were counted"};
    workload_.jobs.push_back(one);
  }
  return workload_.jobs[found->second];
}

/// @p scale: seconds per second of a stated time.
double TrainingRates::alone(int model, const Allocation& held, double scale)
{
  const JobSpec* job = jobs_[static_cast<std::size_t>(model)];
  if (job == nullptr)
    return spec(model).train_time.value() * scale;
  const TraceJob& one = trace_job(*job, held.gpus);
  const PlacedTraceJob placed{JobId{0}, &one, &held};
  try {
    // The same samples, whatever the number of GPUs.
    return job->steps * job->workers / held.gpus * speed_->step_times(workload_, std::span{&placed, 1}).front();
  } catch (const std::runtime_error& fault) {
    throw InputError{fmt::format("model '{}': {}", name(model), fault.what())};
  }
}

std::vector<double> TrainingRates::rates(std::span<const PlacedTraining> running, bool together)
{
  std::vector<double> result;
  std::vector<PlacedTraceJob> stepped;
  std::vector<std::size_t> index;
  Contention contention;
  for (std::size_t i = 0; i < running.size(); ++i) {
    result.push_back(1 / alone(running[i].model, *running[i].held, 1));
    if (const JobSpec* job = jobs_[static_cast<std::size_t>(running[i].model)]; together && job != nullptr) {
      stepped.push_back(
          {JobId{static_cast<int>(stepped.size())}, &trace_job(*job, running[i].held->gpus), running[i].held});
      index.push_back(i);
    }
  }
  for (const PlacedTraceJob& job : stepped)
    contention.add(job.id, speed_->links(workload_, job));
  for (const PlacedTraceJob& job : stepped) {
    const std::vector<JobId> component = contention.component(job.id); // ascending
    if (component.size() < 2 || component.front() != job.id)
      continue;
    std::vector<PlacedTraceJob> neighbours;
    for (const JobId id : component)
      neighbours.push_back(stepped[static_cast<std::size_t>(id.index)]);
    const std::vector<JobSpeed> speeds = speed_->speeds(workload_, neighbours);
    for (std::size_t k = 0; k < neighbours.size(); ++k)
      result[index[static_cast<std::size_t>(neighbours[k].id.index)]] *= speeds[k].speed / speeds[k].alone;
  }
  return result;
}

std::optional<Allocation> TrainingRates::on_empty_cluster(int gpus, int gpu_type, bool one_node) const
{
  const auto policy =
      Registry<PlacementPolicy>::instance().create(section_.placement.name, section_.placement.settings);
  policy->begin(NodePool{shape_}, workload_, Random{1});
  ClusterState state{shape_, policy.get()};
  TraceJob job;
  job.gpus = gpus;
  job.tasks = one_node ? 1 : 0;
  return state.find(request_of(job, 0, gpu_type));
}

const std::vector<double>& TrainingRates::duration_by_type(int model)
{
  const auto [found, fresh] = by_type_.try_emplace(model);
  if (fresh)
    for (int type = 0; type < static_cast<int>(shape_.gpu_types.size()); ++type) {
      const std::optional<Allocation> held = on_empty_cluster(gpus(model), type, false);
      found->second.push_back(held ? alone(model, *held, 1) : infinite);
    }
  return found->second;
}

double TrainingRates::packed_duration(int model)
{
  const JobSpec* job = jobs_[static_cast<std::size_t>(model)];
  return job == nullptr ? spec(model).train_time.value()
                        : job->steps * speed_->reference(workload_, trace_job(*job, job->workers));
}

double TrainingRates::own_machine_duration(int model)
{
  const auto [found, fresh] = own_.try_emplace(model, 0);
  if (fresh) {
    const std::optional<Allocation> held = on_empty_cluster(own_gpus(model), -1, true);
    found->second = held ? alone(model, *held, static_cast<double>(gpus(model)) / own_gpus(model)) : infinite;
  }
  return found->second;
}

} // namespace trainyard
