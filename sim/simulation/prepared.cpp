#include "sim/simulation/prepared.hpp"

#include "models/cluster/build.hpp"
#include "models/core/quantity_text.hpp"
#include "models/cost/roofline.hpp"
#include "models/dnn/builder.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

namespace trainyard {
namespace {

/// Parameter-sized memory passes and states of an optimiser.
struct OptimizerCost {
  double reads_writes = 5; // reads w, g, m; writes w, m
  double states = 1;       // tensors kept beside the parameters
};

OptimizerCost optimizer_cost(const std::string& name)
{
  if (name == "sgd")
    return {3, 0};
  if (name.starts_with("adam") || name == "lamb")
    return {7, 2};
  return {};
}

WorkerTimes times_at(const PreparedJob& job, const Node& node, const Catalogue& catalogue)
{
  LayerTimes times;
  const StepSettings settings{job.spec.batch_per_gpu, job.spec.precision, optimizer_cost(job.spec.optimizer).reads_writes};
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

void check_memory(const PreparedJob& job, const PlacedJob& placed, const Node& node, const Catalogue& catalogue, Diagnostics& diagnostics)
{
  const auto gpu = catalogue.gpus.find(node.gpu);
  if (gpu == catalogue.gpus.end())
    return;
  const Bytes there = gpu->second.memory * (job.spec.memory_policy == "fraction" ? job.spec.memory_fraction : 1.0);
  if (placed.gpu_memory > there)
    diagnostics.error(
        {}, fmt::format("job '{}' does not fit: {} with batch {} needs at least {} of GPU memory, {} gives {}; lower 'batch_per_gpu' "
                        "or take a larger GPU",
                        job.spec.name, job.spec.model, job.spec.batch_per_gpu, to_text(placed.gpu_memory.value(), QuantityKind::bytes, 3),
                        node.gpu, to_text(there.value(), QuantityKind::bytes, 3)));
}

} // namespace

Bytes gpu_memory_needed(const Dnn& dnn, const JobSpec& job)
{
  const double parameters = dnn.parameter_elements() * 4 * (2 + optimizer_cost(job.optimizer).states);
  const double element = job.precision == "fp32" || job.precision == "tf32" ? 4 : 2;
  double activations = 0;
  for (const Layer& layer : dnn.layers)
    if (layer.type != "activation" && layer.type != "relu" && layer.type != "dropout") // computed in place
      activations += layer.activation_elements;
  constexpr double context = 0.5e9;
  return Bytes{parameters + activations * element * job.batch_per_gpu / std::max(job.accumulation_steps, 1) + context};
}

std::unique_ptr<PreparedScenario> prepare(const Scenario& scenario, const Catalogue& catalogue, Diagnostics& diagnostics)
{
  auto prepared = std::make_unique<PreparedScenario>();
  prepared->scenario = scenario;
  prepared->random = Random{scenario.run.seed};
  prepared->cluster = build_cluster(scenario.cluster, catalogue.links, diagnostics);
  for (const JobSpec& spec : scenario.jobs)
    for (int copy = 0; copy < std::max(spec.copies, 1); ++copy) {
      PreparedJob job{spec, {}, {}};
      job.spec.copies = 1;
      if (spec.copies > 1)
        job.spec.name += fmt::format("-{}", copy);
      try {
        job.dnn = build_dnn(spec.model, {spec.sequence_length});
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
  placed->gpu_memory = gpu_memory_needed(job.dnn, job.spec);
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
      check_memory(job, *placed, node, catalogue, diagnostics);
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
