// SPDX-License-Identifier: Apache-2.0
#include "sim/step/prepared.hpp"

#include "models/cluster/build.hpp"
#include "models/core/figure_text.hpp"
#include "models/core/quantity_text.hpp"
#include "models/cost/container_network.hpp"
#include "models/cost/memory.hpp"
#include "models/cost/roofline.hpp"
#include "models/dnn/builder.hpp"
#include "models/dnn/transformer.hpp"
#include "models/parallel/rank_memory.hpp"
#include "models/scenario/places.hpp"
#include "sim/step/chosen_fidelity.hpp"
#include "sim/step/steady_state.hpp"
#include "sim/step/training/divided.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <stdexcept>
#include <tuple>
#include <utility>

namespace trainyard {
namespace {

/// What a worker computes on: a GPU of the catalogue, or the CPUs of its host.
struct Device {
  std::string name;                // "V100-PCIe-16GB", "CPU of worker"
  std::shared_ptr<const Gpu> chip; // null where the scenario does not say how fast it is
  bool cpu = false;
};

/// Of the catalogue, which outlives it: thousands of jobs ask.
std::shared_ptr<const Gpu> seen(const Gpu& gpu)
{
  return {std::shared_ptr<const Gpu>{}, &gpu};
}

Device device_of(const PreparedScenario& prepared, VertexId worker, const Catalogue& catalogue)
{
  const Vertex& vertex = prepared.cluster.vertex(worker);
  const Node& node = prepared.cluster.node(vertex.node);
  if (vertex.kind == VertexKind::gpu) {
    const auto gpu = catalogue.gpus.find(node.gpu);
    return {node.gpu, gpu == catalogue.gpus.end() ? nullptr : seen(gpu->second), false};
  }
  std::optional<Gpu> chip;
  for (const NodeGroupSpec& group : prepared.scenario.cluster.nodes) {
    const auto type = prepared.scenario.cluster.node_types.find(group.type);
    if (group.name != node.group || type == prepared.scenario.cluster.node_types.end())
      continue;
    if (const auto cpu = catalogue.cpus.find(type->second.cpu); cpu != catalogue.cpus.end())
      chip = cpu->second;
    if (type->second.cpu_rate > FlopsPerSecond{}) {
      if (!chip) {
        chip = Gpu{};
        chip->memory_bandwidth = BytesPerSecond{50e9}; // assumed: a socket with several channels of DDR4
      }
      chip->peak = {{"fp32", type->second.cpu_rate}};
      chip->compute_efficiency = 1;
    }
  }
  if (chip && node.memory > Bytes{})
    chip->memory = node.memory;
  return {"CPU of " + node.group, chip ? std::make_shared<const Gpu>(std::move(*chip)) : nullptr, true};
}

/// What the layers say themselves; the update is in their backward passes.
LayerTimes measured_times(const Dnn& dnn)
{
  LayerTimes times;
  for (const Layer& layer : dnn.layers) {
    times.forward.push_back(layer.forward_time);
    times.backward.push_back(layer.backward_time);
  }
  return times;
}

void slow_down(WorkerTimes& times, double factor)
{
  for (Seconds& layer : times.forward)
    layer *= factor;
  for (Seconds& layer : times.backward)
    layer *= factor;
  times.update *= factor;
}

/// Of @p step, a micro-step with its @p update: what `single_gpu_step` is said to hold, in the same unit.
Seconds measured_part(const JobSpec& job, Seconds step, Seconds update)
{
  const std::string is = job.training.settings.text("measured_step_is", "step");
  return is == "micro_step"    ? step - update
         : is == "whole_batch" ? (step - update) * std::max(job.accumulation_steps, 1) + update
                               : step;
}

WorkerTimes times_at(const PreparedJob& job, const Device& device, const Catalogue& catalogue)
{
  LayerTimes times;
  const StepSettings settings{.batch = job.spec.batch_per_gpu,
                              .precision = job.spec.precision,
                              .host_per_operator = device.cpu ? Seconds{} : job.spec.host_per_operator,
                              .optimizer_reads_writes = optimizer_reads_writes(job.spec.optimizer),
                              .kernels = job.spec.kernels,
                              .computed_again = kept_of(job.spec.training.settings).computed_again,
                              .plain_kernels = device.cpu};
  if (job.dnn.timed())
    times = measured_times(job.dnn);
  else if (device.chip)
    times = roofline_times(job.dnn, *device.chip, settings);
  else if (job.spec.single_gpu_step) // only a measured step says how fast; its layers are shared out as on some GPU
    times = roofline_times(job.dnn, catalogue.gpus.begin()->second,
                           {.batch = settings.batch, .optimizer_reads_writes = settings.optimizer_reads_writes});
  else
    throw std::invalid_argument{fmt::format("the speed of the {} is not known; give 'cpu:' or 'cpu_rate:' in its node "
                                            "type, or 'single_gpu_step:' (time of a step) in the job",
                                            device.name)};
  if (job.spec.single_gpu_step) {
    const Seconds update = times.update, step = times.total();
    times = scaled_to(std::move(times), *job.spec.single_gpu_step * (step / measured_part(job.spec, step, update)));
  }
  WorkerTimes worker{std::move(times.forward), std::move(times.backward), times.update};
  if (const Seconds whole = worker.total(); times.computed > Seconds{} && whole > Seconds{}) {
    worker.gpu_busy = std::min(1.0, times.computed / whole);
    worker.host_busy = std::min(1.0, times.issued / whole);
  }
  return worker;
}

/// How many workers divide the rate of their CPUs among themselves. Times that the scenario gives are those of a worker
/// where it runs.
std::ptrdiff_t sharing(const PreparedJob& job, const Device& device, std::ptrdiff_t on_this_host)
{
  return device.cpu && !job.dnn.timed() && !job.spec.single_gpu_step ? on_this_host : 1;
}

/// What a process needs of a GPU. Where the framework is not said, the assumed one refuses nothing that another one
/// runs.
struct JobMemory {
  MemoryFit fit;
  MemoryFit assumed; // with the assumed framework, where it refuses what another one runs; else the same
};

JobMemory fit_on(const PreparedJob& job, const Device& device)
{
  MemorySettings settings;
  settings.batch = job.spec.batch_per_gpu; // of a micro-step
  settings.precision = job.spec.precision;
  settings.optimizer = job.mode->trains() ? job.spec.optimizer : "sgd"; // which keeps no states
  if (!job.mode->trains())
    settings.workspace = Bytes{};
  const bool averages = job.spec.training.settings.integer("sync_every", 1) > 1;
  if (averages && job.spec.training.mode == "all_reduce") // a flat copy; of an outer step the last average and momentum
    settings.averaged_values = job.spec.training.settings.text("outer_optimizer", "none") == "none" ? 1 : 3;
  settings.rows_from_servers = !averages && job.spec.training.settings.integer("servers", 0) > 0;
  settings.kernels = job.spec.kernels;
  settings.kept = kept_of(job.spec.training.settings);
  settings.composed = job.spec.training.settings.flag("kept.composed", false);
  const Transformer* transformer = job.spec.transformer ? job.spec.transformer.get() : find_transformer(job.spec.model);
  settings.tanh_gelu = transformer != nullptr && !transformer->encoder;
  if (settings.kept.logits.empty() && transformer != nullptr && transformer->encoder)
    settings.kept.logits = "masked";
  settings.communicators = job.mode->trains() && job.spec.workers > 1 && !device.cpu ? 1 : 0;
  settings.policy = device.cpu ? "allow_growth" : job.spec.memory_policy;
  settings.fraction = job.spec.memory_fraction;
  if (settings.kernels.loads_all_kernels)
    settings.context = Bytes{context_with_all_kernels};
  if (device.cpu)
    settings.context = Bytes{};
  const MemoryFit assumed = memory_fit(job.dnn, *device.chip, settings);
  const std::string other = job.spec.training.settings.text(policy_of_another_framework, "");
  if (device.cpu || other.empty() || !assumed.refused())
    return {assumed, assumed};
  settings.composed = false;
  settings.policy = other;
  return {memory_fit(job.dnn, *device.chip, settings), assumed};
}

MemoryFit check_memory(const PreparedScenario& prepared, const PreparedJob& job, const Device& device,
                       std::ptrdiff_t on_this_host, bool fits, Diagnostics& diagnostics)
{
  if (!device.chip || device.chip->memory <= Bytes{})
    return {};
  const auto [fit, assumed] = fit_on(job, device);
  const bool divisible = job.spec.transformer != nullptr || find_transformer(job.spec.model) != nullptr;
  const char* divided = !device.cpu && divisible && fit.largest_batch == 0
                            ? ", or divide it among GPUs with 'training: {parallel: …}' (simrun layouts finds how)"
                            : "";
  const double processes = device.cpu ? static_cast<double>(on_this_host) : 1;
  if (assumed.refused() && !fit.refused() && !fits)
    diagnostics.warning(
        {.file = prepared.scenario.file, .path = job.spec.path},
        fmt::format("job '{}': GPU memory may not suffice: {} on {} with the assumed framework {}; with others, which "
                    "is taken, {:.2f} GB of {:.2f} GB. Say which: 'framework: pytorch' or 'framework: tensorflow'",
                    job.spec.name, job.spec.model, device.name, memory_terms(assumed), fit.needed.value() / 1e9,
                    fit.available.value() / 1e9));
  else if (!device.cpu && fit.open() && !fits)
    diagnostics.warning({.file = prepared.scenario.file, .path = job.spec.path},
                        fmt::format("job '{}': GPU memory may not suffice: {} takes {:.0f} % of what it may have on {} "
                                    "({}): {}",
                                    job.spec.name, job.spec.model, 100 * (fit.needed / fit.available), device.name,
                                    how_right_memory_is, memory_terms(fit)));
  if ((device.cpu ? !fit.fits : fit.refused()) && (device.cpu || !fits))
    diagnostics.error({.file = prepared.scenario.file, .path = job.spec.path},
                      fmt::format("job '{}': out of {} memory: {} on {} {}{}", job.spec.name,
                                  device.cpu ? "host" : "GPU", job.spec.model, device.name, fit.verdict, divided));
  else if (fit.fits && fit.needed * processes > device.chip->memory)
    diagnostics.error(
        {.file = prepared.scenario.file, .path = job.spec.path},
        fmt::format(
            "job '{}': out of host memory: {} workers of {} each on one host of {}; spread them over more nodes",
            job.spec.name, on_this_host, to_text(fit.needed), to_text(device.chip->memory)));
  return fit;
}

/// The kind of GPU of all workers; null where they differ, are no GPUs, or the catalogue lacks it.
const Gpu* gpu_of_all(const Cluster& cluster, const std::vector<VertexId>& workers, const Catalogue& catalogue)
{
  const Gpu* all = nullptr;
  for (const VertexId worker : workers) {
    const Vertex& place = cluster.vertex(worker);
    const std::string& name = cluster.node(place.node).gpu;
    if (all == nullptr && worker == workers.front())
      if (const auto found = catalogue.gpus.find(name); found != catalogue.gpus.end())
        all = &found->second;
    if (all == nullptr || place.kind != VertexKind::gpu || name != all->name)
      return nullptr;
  }
  return all;
}

/// Of a job in containers they depend on whether all of them are on one machine.
const std::map<std::string, Transport>& transports_of(const PreparedScenario& prepared, const PreparedJob& job,
                                                      const Placement& placement)
{
  if (job.transports != nullptr)
    return *job.transports;
  std::set<NodeId> nodes;
  for (const std::vector<VertexId>* tasks : {&placement.workers, &placement.servers})
    for (const VertexId task : *tasks)
      nodes.insert(prepared.cluster.vertex(task).node);
  return nodes.size() == 1 && !prepared.inside.empty() ? prepared.inside : prepared.scenario.transports;
}

/// A transformer that is divided among GPUs: all of one kind, and one rank's share fits into it.
void place_divided(const PreparedScenario& prepared, const PreparedJob& job, PlacedJob& placed,
                   const Catalogue& catalogue, Diagnostics& diagnostics)
{
  const Location where{.file = prepared.scenario.file, .path = job.spec.path};
  placed.context = std::make_unique<TrainingContext>(TrainingContext{prepared.cluster,
                                                                     job.spec,
                                                                     placed.placement,
                                                                     job.dnn,
                                                                     {},
                                                                     transports_of(prepared, job, placed.placement),
                                                                     gradient_element_bytes(job.spec.precision),
                                                                     job.random});
  const std::vector<VertexId>& workers = placed.placement.workers;
  const Gpu* gpu = gpu_of_all(prepared.cluster, workers, catalogue);
  if (gpu == nullptr) {
    diagnostics.error(where, fmt::format("job '{}' needs GPUs of one kind that the catalogue has; name its machines "
                                         "with 'nodes'",
                                         job.spec.name));
    return;
  }
  placed.context->gpu = gpu;
  placed.context->newer_gpus = gpu->peak.contains("fp8");
  const int errors = diagnostics.errors();
  job.mode->check(*placed.context, diagnostics);
  if (diagnostics.errors() > errors)
    return;
  const ParallelJob divided = divided_job(*placed.context);
  const ParallelStep step = parallel_step(divided);
  const Seconds compute = step.compute + step.optimizer;
  placed.single_gpu_step = compute;
  placed.gpu_memory = placed.gpu_reserved = step.memory.total();
  placed.context->workers.assign(workers.size(),
                                 {.forward = {compute / 3}, .backward = {compute * 2 / 3}, .update = {}});
  const double share = needed_share(divided, step);
  const auto needs = [&](const char* verdict) {
    return fmt::format("job '{}': {}: {} needs {} of {} on {}, {:.0f} % ({})", job.spec.name, verdict,
                       to_text(divided.layout), to_text(placed.gpu_memory), to_text(gpu->memory), gpu->name,
                       100 * share, how_right_memory_is);
  };
  if (memory_refused(share))
    diagnostics.error(where, needs("out of GPU memory"));
  else if (memory_open(share))
    diagnostics.warning(where, needs("GPU memory may not suffice"));
}

/// Kinds of GPUs of a cluster that has several, in the order in which the job takes their machines: the fastest that
/// hold it first, those too small for it last. The order in which the scenario lists machines does not count. Of a
/// divided transformer the groups of nodes, in the order of machines_in_order().
std::vector<std::string> gpu_order(const Cluster& cluster, const std::set<std::string>& kinds, const PreparedJob& job,
                                   const Catalogue& catalogue)
{
  if (job.spec.training.parallel != nullptr) {
    std::vector<std::string> groups;
    for (const AlikeMachines& machines : machines_in_order(cluster, job.spec.precision, job.spec.workers, catalogue))
      groups.insert(groups.end(), machines.groups.begin(), machines.groups.end());
    return groups;
  }
  if (kinds.size() < 2)
    return {};
  std::vector<std::tuple<bool, double, std::string>> order;
  for (const std::string& kind : kinds) {
    bool too_small = true;
    double rate = 0;
    if (const auto found = catalogue.gpus.find(kind); found != catalogue.gpus.end()) {
      const Gpu& gpu = found->second;
      too_small = gpu.memory > Bytes{} && !memory_on(job, gpu).fits;
      rate = product_rate(gpu, job.spec.precision).value();
    }
    order.emplace_back(too_small, -rate, kind);
  }
  std::ranges::sort(order);
  std::vector<std::string> names;
  for (auto& [too_small, rate, kind] : order)
    names.push_back(std::move(kind));
  return names;
}

/// Cores that preprocess where the job does not say: those of the smallest machine that can hold a worker.
int cores_for_input(const Scenario& scenario, const JobSpec& job)
{
  const bool gpu = job.training.settings.text("device", "gpu") == "gpu";
  int fewest = 0;
  for (const NodeGroupSpec& group : scenario.cluster.nodes)
    if (const auto type = scenario.cluster.node_types.find(group.type); type != scenario.cluster.node_types.end())
      if (const int cores = type->second.cpu_cores; cores > 0 && (!gpu || type->second.gpus > 0))
        fewest = fewest == 0 ? cores : std::min(fewest, cores);
  return fewest;
}

/// What was filled in is told of the scenario itself, and may be long.
Scenario without_defaults(const Scenario& scenario)
{
  const auto& [name, description, file, cluster, jobs, transports, calibration, run, defaults, sections] = scenario;
  return {name, description, file, cluster, jobs, transports, calibration, run, {}, sections};
}

} // namespace

namespace {
Seconds step_of_one_gpu(const Scenario& scenario, const JobSpec& spec, const Catalogue& catalogue,
                        Diagnostics& diagnostics);
} // namespace

std::unique_ptr<TrainingMode> training_mode_of(const JobSpec& job)
{
  return job.training.parallel != nullptr
             ? divided_mode()
             : Registry<TrainingMode>::instance().create(job.training.mode, job.training.settings);
}

namespace {

/// Whether windows decide how links are shared.
void note_queues(TcpSpec tcp, const std::string& fidelity, PreparedScenario& prepared, Diagnostics& diagnostics)
{
  const bool by_windows = fidelity == "flow" && shares_by_windows(prepared.scenario);
  if (!by_windows && fidelity != "tcp")
    return;
  if (std::ranges::any_of(prepared.cluster.links(), [](const Link& link) { return link.kind == LinkKind::ethernet; })) {
    tcp.queue_told = by_windows;
    prepared.cluster.set_tcp(std::move(tcp));
  } else {
    static constexpr Sentence<> no_ethernet{"idle.no_ethernet", "no link of the network is Ethernet"};
    const std::string key = tcp.queue_packets > 0 ? "queue_packets" : "queue";
    diagnostics.warning({.path = "cluster.network." + key}, no_effect(key, no_ethernet()));
  }
}

/// The network that a job trains; of the model `generic` the work of one step that its training mode states.
Dnn network_of(const JobSpec& job)
{
  Dnn dnn = build_dnn(job.model, {job.sequence_length, job.model_elements, job.transformer.get(), job.layers});
  if (job.training.settings.text("sparse_gradients", "rows") == "dense")
    for (Layer& layer : dnn.layers)
      for (ParameterTensor& tensor : layer.parameters)
        tensor.table.dense = true;
  if (job.model != "generic")
    return dnn;
  // One layer whose forward and backward pass together are the step: a third and two thirds of flop and memory traffic.
  const double batch = std::max(job.batch_per_gpu, 1);
  Layer& work = dnn.layers.front();
  work.forward = Flops{job.training.settings.number("flop", 1e12) / (3 * batch)};
  work.memory_elements = job.training.settings.number("memory_traffic", 0) / (3 * batch * value_bytes(job.precision));
  return dnn;
}

} // namespace

PreparedJob with_workers(const PreparedJob& job, int workers)
{
  PreparedJob sized{job.spec, job.dnn, {}, job.random, job.transports};
  sized.spec.workers = workers;
  sized.mode = training_mode_of(sized.spec);
  return sized;
}

std::unique_ptr<PreparedScenario> prepare(const Scenario& scenario, const Catalogue& catalogue,
                                          Diagnostics& diagnostics)
{
  auto prepared = std::make_unique<PreparedScenario>();
  prepared->scenario = without_defaults(scenario);
  if (const ContainerNetwork& network = container_network_of(scenario.cluster); network.name != "host") {
    prepared->inside = in_containers(scenario.transports, network, true);
    prepared->scenario.transports = in_containers(scenario.transports, network, false);
  }
  prepared->random = Random{scenario.run.seed};
  prepared->cluster = build_cluster(scenario.cluster, catalogue.links, diagnostics);
  if (TcpSpec tcp = scenario.cluster.network.tcp; tcp.queue_told)
    note_queues(std::move(tcp), chosen_fidelity(scenario).name, *prepared, diagnostics);
  std::set<std::string> kinds; // of GPUs
  for (const Node& node : prepared->cluster.nodes())
    if (!node.gpu.empty())
      kinds.insert(node.gpu);
  std::size_t jobs = 0;
  for (const JobSpec& spec : scenario.jobs)
    jobs += static_cast<std::size_t>(std::max(spec.copies, 1));
  prepared->jobs.reserve(jobs);
  for (const JobSpec& spec : scenario.jobs)
    for (int copy = 0; copy < std::max(spec.copies, 1); ++copy) {
      PreparedJob job{spec, {}, {}, Random{prepared->random.stream(spec.path).next()}};
      job.spec.copies = 1;
      if (job.spec.input.cpu_cores == 0)
        job.spec.input.cpu_cores = cores_for_input(scenario, spec);
      if (spec.copies > 1)
        job.spec.name += fmt::format("-{}", copy);
      if (copy > 0)
        job.random = Random{job.random.stream(fmt::format("copy {}", copy)).next()};
      try {
        job.dnn = network_of(spec);
        job.mode = training_mode_of(spec);
        job.spec.gpu_order = gpu_order(prepared->cluster, kinds, job, catalogue);
      } catch (const std::invalid_argument& error) {
        diagnostics.error({.file = scenario.file, .path = spec.path},
                          fmt::format("job '{}': {}", job.spec.name, error.what()));
        break;
      }
      prepared->jobs.push_back(std::move(job));
    }
  if (!diagnostics.has_errors())
    for (PreparedJob& job : prepared->jobs)
      if (job.spec.single_gpu_step && job.spec.training.settings.integer("measured_on_gpus", 1) > 1)
        job.spec.single_gpu_step = step_of_one_gpu(scenario, job.spec, catalogue, diagnostics);
  return prepared;
}

namespace {

/// The step of @p scenario with one job; its first step begins with all workers at once.
double step_by_itself(const Scenario& scenario, const Catalogue& catalogue)
{
  Diagnostics diagnostics;
  const std::unique_ptr<PreparedScenario> prepared = prepare(scenario, catalogue, diagnostics);
  diagnostics.throw_if_errors();
  const PreparedJob& job = prepared->jobs.front();
  FreeSlots slots = all_free(prepared->cluster);
  Placement placement = place_packed(prepared->cluster, job.spec, slots, diagnostics);
  diagnostics.throw_if_errors();
  const std::unique_ptr<PlacedJob> placed = place(*prepared, job, std::move(placement), catalogue, diagnostics, true);
  diagnostics.throw_if_errors();
  const SteppedJob stepped = stepped_job(*job.mode, *placed->context);
  const auto executor = Registry<Executor>::instance().create(scenario.run.fidelity);
  return steady_state(prepared->cluster, {&stepped, 1}, *executor,
                      options_of_a_run({&stepped, 1}, scenario.run.warm_up_steps))
      .front()
      .step_time.value();
}

/// What one GPU takes where `measured_on_gpus` GPUs, packed, take the step that was measured: the exchange and the wait
/// among them are in it, and so they are taken out before others are added.
Seconds step_of_one_gpu(const Scenario& scenario, const JobSpec& spec, const Catalogue& catalogue,
                        Diagnostics& diagnostics)
{
  const double measured = spec.single_gpu_step->value();
  Scenario alone = without_defaults(scenario);
  alone.jobs = {spec};
  JobSpec& job = alone.jobs.front();
  job.workers = spec.training.settings.integer("measured_on_gpus", 1);
  job.nodes.clear();
  job.training.settings.set("measured_on_gpus", 1);
  alone.cluster.sample.clear();
  if (alone.run.fidelity != "closed_form" && alone.run.fidelity != "step")
    alone.run.fidelity = "flow";
  double low = 0, high = measured, step = measured;
  try {
    for (int round = 0; round < 40; ++round) {
      job.single_gpu_step = Seconds{step};
      const double predicted = step_by_itself(alone, catalogue);
      if (std::abs(predicted / measured - 1) < 1e-6)
        return Seconds{step};
      (predicted > measured ? high : low) = step;
      step += measured - predicted;
      if (step <= low || step >= high)
        step = (low + high) / 2;
    }
  } catch (const std::exception& fault) {
    diagnostics.error({.file = scenario.file, .path = spec.path + ".measured_on_gpus"},
                      fmt::format("job '{}': the {} GPUs that the step was measured on cannot be simulated: {}",
                                  spec.name, job.workers, fault.what()));
    return *spec.single_gpu_step;
  }
  if (step < 0.01 * measured)
    diagnostics.error({.file = scenario.file, .path = spec.path + ".measured_on_gpus"},
                      fmt::format("job '{}': the exchange among {} GPUs alone takes longer here than the measured step "
                                  "of {}; check the network, or 'measured_on_gpus'",
                                  spec.name, job.workers, time_text(*spec.single_gpu_step)));
  return Seconds{step};
}

} // namespace

MemoryFit memory_on(const PreparedJob& job, const Gpu& gpu)
{
  return fit_on(job, {gpu.name, seen(gpu), false}).fit;
}

std::unique_ptr<PlacedJob> place(const PreparedScenario& prepared, const PreparedJob& job, Placement placement,
                                 const Catalogue& catalogue, Diagnostics& diagnostics, bool fits)
{
  auto placed = std::make_unique<PlacedJob>();
  placed->placement = std::move(placement);
  if (job.spec.training.parallel != nullptr) {
    place_divided(prepared, job, *placed, catalogue, diagnostics);
    return placed;
  }
  std::vector<WorkerTimes> workers;
  std::map<std::pair<std::string, std::ptrdiff_t>, WorkerTimes> known; // by device and workers that share it
  struct Alone {                                                       // of a micro-step, without sharing
    Seconds passes, update;
  };
  std::map<std::pair<std::string, std::ptrdiff_t>, Alone> known_alone;
  std::vector<const Alone*> alone;            // by worker
  std::map<VertexId, std::ptrdiff_t> on_host; // workers on CPUs
  for (const VertexId vertex : placed->placement.workers)
    if (prepared.cluster.vertex(vertex).kind != VertexKind::gpu)
      ++on_host[vertex];
  bool newer_gpus = !placed->placement.workers.empty();
  std::map<std::pair<VertexKind, std::string>, Device> devices; // by node group
  for (const VertexId vertex : placed->placement.workers) {
    const Vertex& place = prepared.cluster.vertex(vertex);
    const std::pair key{place.kind, prepared.cluster.node(place.node).group};
    auto of_group = devices.find(key);
    if (of_group == devices.end())
      of_group = devices.emplace(key, device_of(prepared, vertex, catalogue)).first;
    const Device& device = of_group->second;
    const std::ptrdiff_t on_this_host = device.cpu ? on_host.at(vertex) : 1;
    const std::pair shared{device.name, on_this_host};
    auto times = known.find(shared);
    if (times == known.end()) {
      try {
        WorkerTimes own = times_at(job, device, catalogue);
        const Seconds update = own.update * (1.0 / std::max(job.spec.accumulation_steps, 1));
        known_alone[shared] = {own.total() - own.update, update};
        slow_down(own, static_cast<double>(sharing(job, device, on_this_host)));
        times = known.emplace(shared, std::move(own)).first;
      } catch (const std::invalid_argument& error) {
        diagnostics.error({.file = prepared.scenario.file, .path = job.spec.path},
                          fmt::format("job '{}': {}", job.spec.name, error.what()));
        return placed;
      }
      if (!device.cpu && device.chip)
        warn_of_fast_step(job.spec, job.dnn, *device.chip, prepared.scenario.file, diagnostics);
      const MemoryFit memory = check_memory(prepared, job, device, on_this_host, fits, diagnostics);
      if (memory.paged > Bytes{} && !job.spec.single_gpu_step) { // to the GPU and back
        const Seconds paging = memory.paged * 2.0 / host_rate(prepared.cluster, prepared.cluster.node(place.node));
        times->second.update += paging;
        known_alone[shared].update += paging * (1.0 / std::max(job.spec.accumulation_steps, 1));
      }
      placed->gpu_memory = std::max(placed->gpu_memory, memory.needed);
      placed->gpu_reserved = std::max(placed->gpu_reserved, memory.reserved);
    }
    newer_gpus = newer_gpus && !device.cpu && device.chip && device.chip->peak.contains("fp8");
    workers.push_back(times->second);
    alone.push_back(&known_alone.at(shared));
  }
  std::vector<double> faster(workers.size(), 1); // a "straggler" that is faster than its kind
  for (const StragglerSpec& straggler : job.spec.stragglers) {
    if (const auto worker = static_cast<std::size_t>(straggler.worker);
        straggler.worker >= 0 && worker < workers.size()) {
      slow_down(workers[worker], straggler.slow_down);
      faster[worker] *= std::min(1.0, straggler.slow_down);
    } else
      diagnostics.error({.file = prepared.scenario.file, .path = job.spec.path + ".stragglers"},
                        fmt::format("job '{}': straggler {} does not exist; workers are 0 to {}", job.spec.name,
                                    straggler.worker, workers.size() - 1));
  }
  const auto mean_of = [&](bool updates) {
    std::vector<Seconds> steps;
    for (std::size_t worker = 0; worker < workers.size(); ++worker)
      steps.push_back((alone[worker]->passes + (updates ? alone[worker]->update : Seconds{})) * faster[worker]);
    double rate = 0;
    for (const Seconds step : steps)
      rate += 1 / step.value();
    const bool equal = std::ranges::count(steps, steps.front()) == std::ssize(steps); // then without rounding
    return equal ? steps.front() : Seconds{static_cast<double>(steps.size()) / rate};
  };
  placed->single_gpu_step = mean_of(true);
  placed->single_gpu_update = placed->single_gpu_step - mean_of(false);
  placed->context = std::make_unique<TrainingContext>(
      TrainingContext{prepared.cluster, job.spec, placed->placement, job.dnn, std::move(workers),
                      transports_of(prepared, job, placed->placement), gradient_element_bytes(job.spec.precision),
                      job.random, newer_gpus});
  placed->context->gpu = gpu_of_all(prepared.cluster, placed->placement.workers, catalogue);
  if (const ClusterSpec& cluster = prepared.scenario.cluster; !cluster.sample.empty())
    placed->context->all_workers = static_cast<int>(static_cast<long long>(placed->placement.workers.size()) *
                                                    cluster.sampled / static_cast<long long>(cluster.sample.size()));
  job.mode->check(*placed->context, diagnostics);
  warn_of_slow_slots(prepared.cluster, placed->placement, diagnostics);
  return placed;
}

} // namespace trainyard
