// SPDX-License-Identifier: Apache-2.0
#include "sim/sources/queue/queue_setup.hpp"

#include "models/core/closest.hpp"
#include "models/core/diagnostics.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <set>
#include <utility>

namespace trainyard {
namespace {

std::string type_name(const ClusterShape& shape, int type)
{
  return shape.gpu_types[static_cast<std::size_t>(type)];
}

/// The run time of a job that asks for a type of GPU is that on this type.
void name_references(Workload& workload)
{
  for (TraceJob& job : workload.jobs)
    if (job.reference_type < 0)
      job.reference_type = static_cast<std::int16_t>(job.gpu_type);
}

bool needs_reference(const TraceJob& job)
{
  return job.gpus > 0 && job.reference_type < 0;
}

/// One job of each model and size of gang.
std::vector<const TraceJob*> kinds_of(const Workload& workload)
{
  std::set<std::pair<int, int>> seen;
  std::vector<const TraceJob*> kinds;
  for (const TraceJob& job : workload.jobs)
    if (job.gpus > 0 && seen.insert({job.model, job.gpus}).second)
      kinds.push_back(&job);
  return kinds;
}

void set_speed(Workload& workload, const TraceJob& kind, int type, double speed)
{
  workload.gang_speed[{kind.model, kind.gpus, type}] = speed;
  workload.type_speed.try_emplace({kind.model, type}, speed); // for sizes that no job asks for
}

/// What pairs of kinds leave each other of their speeds on a type.
void set_pairs(Workload& workload, const ThroughputTable& table, const std::string& measured, int type)
{
  const std::vector<const TraceJob*> kinds = kinds_of(workload);
  for (const TraceJob* one : kinds)
    for (const TraceJob* other : kinds) {
      if (one->gpus != other->gpus)
        continue;
      const MeasuredKind mine{workload.models.name(one->model), one->gpus};
      const MeasuredKind its{workload.models.name(other->model), other->gpus};
      auto pair = table.together(measured, mine, its);
      if (!pair)
        if (pair = table.together(measured, its, mine); pair)
          std::swap(pair->first, pair->second);
      const double alone = table.alone(measured, mine).value_or(0);
      if (pair && alone > 0)
        workload.speed_beside[{one->model, other->model, one->gpus, type}] = pair->second > 0 ? pair->first / alone : 0;
    }
}

/// What a run time means must be possible: the job on that type alone.
void check_reference(const Workload& workload, const ClusterShape& shape, const TraceJob& job)
{
  const int type = job.reference_type >= 0 ? job.reference_type : workload.reference_type;
  if (type < 0 || workload.gang_speed.at({job.model, job.gpus, type}) > 0)
    return;
  throw fault_at("workload", fmt::format("job {} cannot train on {} GPUs of type {}, which its run time means; another "
                                         "type can be named with workload: {{reference_gpu: TYPE}}",
                                         workload.name(JobId{static_cast<int>(&job - workload.jobs.data())}), job.gpus,
                                         type_name(shape, type)));
}

} // namespace

std::vector<int> types_with_gpus(const ClusterShape& shape)
{
  std::set<int> types;
  for (std::size_t type = 0; type < shape.counts.size(); ++type)
    if (shape.counts[type] > 0)
      types.insert(static_cast<int>(type));
  for (const NodeShape& node : shape.nodes)
    if (node.gpus > 0)
      types.insert(node.gpu_type);
  return {types.begin(), types.end()};
}

void speeds_from_table(PreparedQueue& prepared, const std::string& reference, const ClusterShape& shape)
{
  const auto fault = [](const std::string& message) { return fault_at("workload.throughputs", message); };
  const ThroughputTable& table = *prepared.throughputs;
  Workload& workload = prepared.workload;
  name_references(workload);
  std::string measured_on = prepared.measured_on;
  if (measured_on.empty()) {
    if (reference.empty() && std::ranges::any_of(workload.jobs, needs_reference))
      throw fault(fmt::format("on which type of GPU were the run times of the jobs measured? Write workload: "
                              "{{reference_gpu: TYPE}}; the table has {}",
                              fmt::join(table.types(), ", ")));
    measured_on = reference.empty() ? table.types().front() : table.reference(reference);
  }
  const std::vector<std::string> models = table.models();
  for (const int type : types_with_gpus(shape)) {
    const std::string measured = table.type_of(type_name(shape, type));
    if (measured.empty())
      throw fault(fmt::format("the table has no throughputs of '{}'; its types: {}", type_name(shape, type),
                              fmt::join(table.types(), ", ")));
    for (const TraceJob* job : kinds_of(workload)) {
      const std::string& model = workload.models.name(job->model);
      if (model.empty())
        throw fault("the jobs have no model; give the workload models: {name: share}");
      const MeasuredKind kind{model, job->gpus};
      const auto base = table.base(measured_on, kind);
      if (!base)
        throw fault(fmt::format("the table has nothing for '{}' on {} GPUs{}; its models: {}", model, job->gpus,
                                did_you_mean(model, models), fmt::join(models, ", ")));
      set_speed(workload, *job, type, table.alone(measured, kind).value_or(0) / *base);
    }
    set_pairs(workload, table, measured, type);
  }
}

void speeds_from_steps(Workload& workload, const ClusterShape& shape, const std::string& reference, StepSpeed& steps)
{
  const std::vector<int> types = types_with_gpus(shape);
  std::vector<std::string> names;
  for (const int type : types)
    names.push_back(type_name(shape, type));
  std::ranges::sort(names);
  if (!reference.empty()) {
    const auto found = std::ranges::find_if(types, [&](int type) { return type_name(shape, type) == reference; });
    if (found == types.end())
      throw fault_at("workload.reference_gpu", fmt::format("no machine has a GPU '{}'{}; the cluster has {}", reference,
                                                           did_you_mean(reference, names), fmt::join(names, ", ")));
    workload.reference_type = *found;
  }
  if (types.size() < 2)
    return;
  name_references(workload);
  if (reference.empty() && std::ranges::any_of(workload.jobs, needs_reference))
    throw fault_at("workload", fmt::format("the cluster has {}: on which of them were the run times measured? Write "
                                           "workload: {{reference_gpu: TYPE}}",
                                           fmt::join(names, " and ")));
  for (const int type : types)
    for (const TraceJob* job : kinds_of(workload)) {
      const double time = steps.step_time_on(workload, *job, type);
      set_speed(workload, *job, type, time > 0 ? 1 / time : 0);
    }
  workload.mixed_gangs = true;
  std::set<std::tuple<int, int, int>> seen;
  for (const TraceJob& job : workload.jobs)
    if (job.gpus > 0 && seen.insert({job.model, job.gpus, job.reference_type}).second)
      check_reference(workload, shape, job);
}

} // namespace trainyard
