#include "sim/simulation/prepared.hpp"

#include "models/cluster/build.hpp"
#include "models/cost/memory.hpp"
#include "models/cost/roofline.hpp"
#include "models/dnn/builder.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace trainyard {
namespace {

/// Parameter-sized memory passes of an optimiser: each of w, g and its states is read, w and the states are written.
double optimizer_reads_writes(const std::string& name)
{
  const int states = name == "sgd" ? 0 : name == "adam" ? 2 : 1;
  return 3 + 2 * states;
}

WorkerTimes times_at(const PreparedJob& job, const Node& node, const Catalogue& catalogue)
{
  LayerTimes times;
  const StepSettings settings{job.spec.batch_per_gpu, job.spec.precision, optimizer_reads_writes(job.spec.optimizer)};
  const auto gpu = catalogue.gpus.find(node.gpu);
  if (gpu != catalogue.gpus.end())
    times = roofline_times(job.dnn, gpu->second, settings);
  else if (job.spec.single_gpu_step) // a CPU: only a measured step says how fast; its layers are shared out as on some GPU
    times = roofline_times(job.dnn, catalogue.gpus.begin()->second, {settings.batch, "fp32", settings.optimizer_reads_writes});
  else
    throw std::invalid_argument{
        fmt::format("node '{}' has no GPU of the catalogue, so 'single_gpu_step' must say how long a step takes there", node.name)};
  if (job.spec.single_gpu_step)
    times = scaled_to(std::move(times), *job.spec.single_gpu_step);
  return {std::move(times.forward), std::move(times.backward), times.update};
}

Seconds total(const WorkerTimes& times)
{
  Seconds sum = times.update;
  for (const Seconds layer : times.forward)
    sum += layer;
  for (const Seconds layer : times.backward)
    sum += layer;
  return sum;
}

void slow_down(WorkerTimes& times, double factor)
{
  for (Seconds& layer : times.forward)
    layer *= factor;
  for (Seconds& layer : times.backward)
    layer *= factor;
  times.update *= factor;
}

Bytes check_memory(const PreparedScenario& prepared, const PreparedJob& job, const Node& node, const Catalogue& catalogue,
                   Diagnostics& diagnostics)
{
  const auto gpu = catalogue.gpus.find(node.gpu);
  if (gpu == catalogue.gpus.end())
    return {};
  MemorySettings settings;
  settings.batch = std::max(1.0, std::ceil(static_cast<double>(job.spec.batch_per_gpu) / std::max(job.spec.accumulation_steps, 1)));
  settings.precision = job.spec.precision;
  settings.optimizer = job.spec.optimizer;
  settings.policy = job.spec.memory_policy;
  settings.fraction = job.spec.memory_fraction;
  const MemoryFit fit = memory_fit(job.dnn, gpu->second, settings);
  if (!fit.fits)
    diagnostics.error({prepared.scenario.file, 0, 0},
                      fmt::format("job '{}': out of GPU memory: {} on {} {}", job.spec.name, job.spec.model, node.gpu, fit.verdict));
  return fit.needed;
}

} // namespace

std::unique_ptr<PreparedScenario> prepare(const Scenario& scenario, const Catalogue& catalogue, Diagnostics& diagnostics,
                                          const Locate& locate)
{
  auto prepared = std::make_unique<PreparedScenario>();
  prepared->scenario = scenario;
  prepared->random = Random{scenario.run.seed};
  prepared->cluster = build_cluster(scenario.cluster, catalogue.links, diagnostics, locate);
  for (const JobSpec& spec : scenario.jobs)
    for (int copy = 0; copy < std::max(spec.copies, 1); ++copy) {
      PreparedJob job{spec, {}, {}};
      job.spec.copies = 1;
      if (spec.copies > 1)
        job.spec.name += fmt::format("-{}", copy);
      try {
        job.dnn = build_dnn(spec.model, {spec.sequence_length, spec.model_elements});
        job.mode = Registry<TrainingMode>::instance().create(spec.training.mode, spec.training.settings);
      } catch (const std::invalid_argument& error) {
        diagnostics.error({scenario.file, 0, 0}, fmt::format("job '{}': {}", job.spec.name, error.what()));
        break;
      }
      prepared->jobs.push_back(std::move(job));
    }
  return prepared;
}

std::unique_ptr<PlacedJob> place(const PreparedScenario& prepared, const PreparedJob& job, Placement placement, const Catalogue& catalogue,
                                 Diagnostics& diagnostics)
{
  auto placed = std::make_unique<PlacedJob>();
  placed->placement = std::move(placement);
  std::vector<WorkerTimes> workers;
  const Node* checked = nullptr;
  for (const VertexId vertex : placed->placement.workers) {
    const Node& node = prepared.cluster.node(prepared.cluster.vertex(vertex).node);
    try {
      workers.push_back(workers.empty() || checked == nullptr || checked->gpu != node.gpu ? times_at(job, node, catalogue)
                                                                                          : workers.back());
    } catch (const std::invalid_argument& error) {
      diagnostics.error({prepared.scenario.file, 0, 0}, fmt::format("job '{}': {}", job.spec.name, error.what()));
      return placed;
    }
    if (checked == nullptr || checked->gpu != node.gpu)
      placed->gpu_memory = std::max(placed->gpu_memory, check_memory(prepared, job, node, catalogue, diagnostics));
    checked = &node;
  }
  for (const WorkerTimes& times : workers)
    if (placed->single_gpu_step.value() == 0 || total(times) < placed->single_gpu_step)
      placed->single_gpu_step = total(times);
  for (const StragglerSpec& straggler : job.spec.stragglers) {
    if (straggler.worker >= 0 && straggler.worker < static_cast<int>(workers.size()))
      slow_down(workers[static_cast<std::size_t>(straggler.worker)], straggler.slow_down);
    else
      diagnostics.error({prepared.scenario.file, 0, 0}, fmt::format("job '{}': straggler {} does not exist; the workers are 0 to {}",
                                                                    job.spec.name, straggler.worker, workers.size() - 1));
  }
  placed->context = std::make_unique<TrainingContext>(TrainingContext{prepared.cluster, job.spec, placed->placement, job.dnn,
                                                                      std::move(workers), prepared.scenario.transports,
                                                                      gradient_element_bytes(job.spec.precision), prepared.random});
  job.mode->check(*placed->context, diagnostics);
  return placed;
}

} // namespace trainyard
