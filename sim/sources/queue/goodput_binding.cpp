// SPDX-License-Identifier: Apache-2.0

#include "models/core/closest.hpp"
#include "sim/cluster/speed/shared_gpu_speed.hpp"
#include "sim/sources/queue/queue_setup.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <set>
#include <tuple>

namespace trainyard {
namespace {

constexpr int most_gpus_per_node = 9; // a digit of a placement

InputError fault_of(const GoodputSpec& spec, const std::string& key, const std::string& message)
{
  return fault_at(fmt::format("workload.goodput.{}.{}", spec.name, key), message);
}

std::vector<int> largest_machines(const ClusterShape& shape)
{
  std::vector<int> gpus(shape.gpu_types.size(), 1);
  for (const NodeShape& node : shape.nodes) {
    int& most = gpus[static_cast<std::size_t>(node.gpu_type)];
    most = std::max(most, node.gpus);
  }
  return gpus;
}

std::shared_ptr<const ModelGoodput> read_goodput(const GoodputSpec& spec, const std::string& type)
{
  const auto own = spec.steps_on.find(type);
  if (own == spec.steps_on.end() && spec.steps.empty()) {
    const std::vector<std::string> known = keys_of(spec.steps_on);
    throw fault_of(spec, "steps_on",
                   fmt::format("the cluster has GPUs of type '{}', of which there is no table{}; give steps_on: {{{}: "
                               "FILE}}, or steps: FILE for all other types",
                               type, did_you_mean(type, known), type));
  }
  const bool by_type = own != spec.steps_on.end();
  try {
    return std::make_shared<const ModelGoodput>(spec, read_step_profiles(by_type ? own->second : spec.steps));
  } catch (const std::exception& fault) {
    throw fault_of(spec, by_type ? "steps_on." + type : "steps", fault.what());
  }
}

/// Every size of the job must have a step on the types where it may run, packed and on any machines.
void check_sizes(const Workload& workload, const TraceJob& job, const GoodputSpec& spec, int type,
                 const std::string& type_name, int per_node, int machines)
{
  const ModelGoodput& goodput = *workload.goodput->find(job.model, type);
  for (int gpus = job.smallest_gpus(); gpus > 0 && gpus <= std::min(job.largest_gpus(), machines * per_node);
       gpus = workload.size_from(job, gpus + 1)) {
    const std::string shape = packed_shape(gpus, per_node);
    const auto part = packed_shape(std::min(gpus, per_node), per_node); // the largest on one machine
    for (const std::string& placed : {shape, part, gpus > 1 && machines > 1 ? std::string{"11"} : part})
      if (!goodput.measured(placed))
        throw fault_of(spec, "steps",
                       fmt::format("the table has nothing from which a step on {} GPUs of type {} follows (placement "
                                   "{}); measure it, or let jobs ask for other numbers of GPUs",
                                   gpus, type_name, placed));
    if (!goodput.best(shape, 0))
      throw fault_of(
          spec, "batch",
          fmt::format("no batch from {} to {} fits on {} GPUs of type {}: the measured ones are {} to {} of "
                      "a GPU; let jobs ask for other numbers of GPUs (min_gpus, max_gpus), or widen the range",
                      spec.initial_batch, std::max(spec.initial_batch, spec.most_batch), gpus, type_name,
                      goodput.batches_of_a_gpu().first, goodput.batches_of_a_gpu().second));
  }
}

int reference_among(const std::vector<int>& types, const std::string& reference, const ClusterShape& shape)
{
  std::vector<std::string> names;
  for (const int type : types) {
    names.push_back(shape.gpu_types[static_cast<std::size_t>(type)]);
    if (names.back() == reference)
      return type;
  }
  if (reference.empty())
    return -1;
  throw fault_at("workload.reference_gpu", fmt::format("no machine has a GPU '{}'{}; the cluster has {}", reference,
                                                       did_you_mean(reference, names), fmt::join(names, ", ")));
}

/// Speeds by type, for placement and for policies that know nothing of sizes.
void set_type_speeds(Workload& workload, const std::vector<int>& types)
{
  std::set<std::pair<int, int>> seen;
  for (const TraceJob& job : workload.jobs)
    if (job.gpus > 0 && seen.insert({job.model, job.gpus}).second)
      for (const int type : types) {
        const double speed = workload.goodput->find(job.model, type) == nullptr
                                 ? 1
                                 : workload.goodput->reference(job.model, job.gpus, type);
        workload.gang_speed[{job.model, job.gpus, type}] = speed;
        workload.type_speed.try_emplace({job.model, type}, speed);
      }
}

/// "goodput: no job is of model 'cifar'; did you mean 'cifar10'?", and the models of jobs that have none.
std::string notes_on(const Workload& workload, const std::map<std::string, GoodputSpec>& specs)
{
  std::set<std::string> models;
  for (const TraceJob& job : workload.jobs)
    if (job.gpus > 0)
      models.insert(workload.models.name(job.model));
  std::string notes;
  for (const auto& [name, spec] : specs)
    if (!models.contains(name))
      notes += fmt::format("goodput: no job is of model '{}'{}\n", name,
                           did_you_mean(name, std::vector<std::string>{models.begin(), models.end()}));
  std::erase_if(models, [&](const std::string& model) { return specs.contains(model); });
  if (!models.empty())
    notes += fmt::format("goodput: nothing is said of {}; the speed of such jobs is in proportion to their GPUs\n",
                         models.size() == 1 && models.begin()->empty() ? "jobs without a model"
                                                                       : fmt::format("{}", fmt::join(models, ", ")));
  return notes;
}

} // namespace

std::string bind_goodput(Workload& workload, const std::map<std::string, GoodputSpec>& specs,
                         const std::string& reference, const ClusterShape& shape)
{
  if (shape.counted())
    throw fault_at("scheduling.cluster", "goodput depends on the machines that a job gets; remove scheduling.cluster: "
                                         "pool");
  const std::vector<int> per_node = largest_machines(shape);
  const std::vector<int> types = types_with_gpus(shape);
  for (const int type : types)
    if (per_node[static_cast<std::size_t>(type)] > most_gpus_per_node)
      throw fault_at("workload.goodput",
                     fmt::format("machines of type {} have {} GPUs; tables of steps by placement reach {} GPUs of a "
                                 "machine",
                                 shape.gpu_types[static_cast<std::size_t>(type)],
                                 per_node[static_cast<std::size_t>(type)], most_gpus_per_node));
  auto tables = std::make_shared<GoodputTables>(per_node);
  for (const auto& [name, spec] : specs)
    for (const int type : types)
      tables->add(workload.models.index_of(name), type,
                  read_goodput(spec, shape.gpu_types[static_cast<std::size_t>(type)]));
  workload.goodput = std::move(tables);
  workload.reference_type = reference_among(types, reference, shape);
  std::map<int, int> machines; // with GPUs, by type
  for (const NodeShape& node : shape.nodes)
    machines[node.gpu_type] += node.gpus > 0 ? 1 : 0;
  std::set<std::tuple<int, int, int, int, int>> seen;
  for (TraceJob& job : workload.jobs) {
    const auto spec = specs.find(workload.models.name(job.model));
    if (job.gpus == 0 || spec == specs.end())
      continue;
    if (job.reference_type < 0)
      job.reference_type = static_cast<std::int16_t>(job.gpu_type);
    if (types.size() > 1 && job.reference_type < 0 && workload.reference_type < 0)
      throw fault_at("workload", "the cluster has several types of GPU: on which of them were the run times measured? "
                                 "Write workload: {reference_gpu: TYPE}");
    if (job.gpu_milli < 1000)
      throw fault_at("workload",
                     fmt::format("job {} has a part of a GPU; its model '{}' has a goodput, whose steps "
                                 "are those of whole GPUs",
                                 workload.name(JobId{static_cast<int>(&job - workload.jobs.data())}), spec->first));
    if (seen.emplace(job.model, job.smallest_gpus(), job.largest_gpus(), job.sizes, job.gpu_type).second)
      for (const int type : types)
        if (job.gpu_type < 0 || job.gpu_type == type)
          check_sizes(workload, job, spec->second, type, shape.gpu_types[static_cast<std::size_t>(type)],
                      per_node[static_cast<std::size_t>(type)], machines[type]);
  }
  if (types.size() > 1)
    set_type_speeds(workload, types);
  return notes_on(workload, specs);
}

} // namespace trainyard
