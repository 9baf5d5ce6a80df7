// SPDX-License-Identifier: Apache-2.0

#include "models/parallel/layout.hpp"
#include "sim/results/breakdown.hpp"
#include "sim/sources/jobs/job_notes.hpp"
#include "sim/step/answer_kind.hpp"
#include "sim/step/prepared.hpp"
#include "sim/step/step_estimate.hpp"
#include "sim/step/training/divided.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <utility>

namespace trainyard {
namespace {

constexpr std::size_t most_spans_per_job = 20'000;
constexpr std::size_t most_steps_listed = 2'000; // of one job and worker in steps.csv

/// Of the job's first worker.
const Node& first_node(const ShownJob& shown)
{
  const Cluster& cluster = shown.prepared.cluster;
  return cluster.node(cluster.vertex(shown.placed.placement.workers.front()).node);
}

/// On a link, without the messages that simulated ones stand for there (Resource::sharers).
Bytes simulated_bytes(const StepEstimate& estimate, const LinkUse& on)
{
  Bytes bytes = on.bytes;
  for (const ResourceUse& use : estimate.trace.resources)
    if (const Resource& resource = estimate.program.resources[static_cast<std::size_t>(use.resource.index)];
        resource.link == on.link)
      bytes -= use.bytes * (resource.sharers - 1);
  return bytes;
}

/// A step of one GPU that computes what one of these does, without a pause; NaN: they compute nothing. What servers
/// update for the workers is no work of that GPU either.
double step_alone(const ShownJob& shown)
{
  const PlacedJob& placed = shown.placed;
  if (!shown.job.mode->trains() || !(placed.single_gpu_step > Seconds{}))
    return std::nan("");
  if (!(placed.single_gpu_update > Seconds{}))
    return placed.single_gpu_step.value();
  int worker = -1;                                  // the first that computes
  std::map<int, std::pair<Seconds, Seconds>> steps; // of it: its forward passes, its updates
  for (const Operation& operation : shown.estimate.program.operations)
    if (const auto* compute = std::get_if<Compute>(&operation.work);
        compute != nullptr && (worker < 0 || operation.worker == worker)) {
      worker = operation.worker;
      if (operation.role == Role::forward)
        steps[operation.step].first += compute->duration;
      else if (operation.role == Role::update)
        steps[operation.step].second += compute->duration;
    }
  const WorkerTimes& times = placed.context->workers[static_cast<std::size_t>(std::max(worker, 0))];
  const auto sum = [](const std::vector<Seconds>& layers) {
    return std::accumulate(layers.begin(), layers.end(), Seconds{});
  };
  const double passes = shown.job.spec.accumulation_steps; // all but the last one before the gradients are sent
  const Seconds forward = sum(times.forward) * passes + sum(times.backward) * (passes - 1);
  double updated = 0; // share of the parameters; of the first step, or the last, one part may be missing
  for (const auto& [step, spent] : steps)
    if (spent.first > Seconds{} && times.update > Seconds{}) {
      const double share = spent.second / times.update, slower = spent.first / forward; // chance slows both, or one
      updated = std::max(updated, std::abs(share - 1) < 1e-9 ? 1 : share / slower);
    }
  return (placed.single_gpu_step - placed.single_gpu_update * (1 - std::min(updated, 1.0))).value();
}

/// Of a job that does nothing else: of others the names of their operations say it.
HowDone how_it_sums(const ShownJob& shown)
{
  const TrainingContext& context = *shown.placed.context;
  const Settings& settings = shown.job.spec.training.settings;
  const auto transport = context.transports.find(shown.job.spec.training.transport);
  if (shown.job.spec.training.mode != "one_collective" || transport == context.transports.end() ||
      settings.text("operation", "all_reduce") != "all_reduce" ||
      (!transport->second.gpu_direct && context.gpu != nullptr))
    return {};
  return how_done(context, transport->second, over_transport(transport->second, settings),
                  Bytes{context.dnn.parameter_elements() * context.bytes_per_gradient_element});
}

JobRow row_of(const ShownJob& shown)
{
  const auto& [point, catalogue, prepared, job, placed, estimate, own_steps, crowded, fidelity] = shown;
  const Scenario& scenario = prepared.scenario;
  const Node& node = first_node(shown);
  Breakdown parts = breakdown(prepared, job, placed, estimate, own_steps, crowded);

  JobRow row;
  row.point = point.label;
  row.variant = point.variant.empty() ? describe_training(job.spec) : point.variant;
  row.job = job.spec.name;
  row.model = job.spec.model;
  row.gpu = devices_of(prepared, placed.placement);
  row.network = describe_network(scenario.cluster.network);
  row.training = job.spec.training.mode;
  row.workers = placed.context->whole();
  row.servers = static_cast<int>(placed.placement.servers.size());
  row.batch_per_gpu = job.spec.batch_per_gpu;
  row.precision = job.spec.precision;
  row.sample = job.dnn.sample.substr(0, job.dnn.sample.find(' '));
  if (row.sample.empty())
    row.sample = "sample";
  const double relative = estimate.step_time.value() > 0 ? estimate.half_width / estimate.step_time : 0;
  const double rate = estimate.samples_per_second;
  const auto within = [factor = std::exp(relative)](double mean) {
    return Estimate{mean, mean / factor, mean * factor};
  };
  row.samples_per_second = within(rate);
  row.step_s = within(parts.step.value());
  const ParallelLayout* divided = job.spec.training.parallel.get();
  if (divided != nullptr) {
    row.batch_per_gpu = divided->global_batch / divided->gpus(); // sequences; may be less than one
    row.tokens_per_sample = divided_tokens(job.spec);
  }
  const double of_gpu = divided != nullptr ? 1.0 * divided->global_batch / divided->gpus() : job.spec.batch_per_gpu;
  row.scaling_efficiency = rate * step_alone(shown) / (of_gpu * row.workers);
  row.compute = parts.compute;
  row.host = parts.host;
  row.exposed_communication = parts.exposed_communication;
  row.input = parts.input;
  row.wait = parts.wait;
  row.bottleneck = parts.bottleneck;
  row.fidelity = to_text(fidelity);
  const bool measured = job.spec.single_gpu_step.has_value() || job.dnn.timed();
  const auto gpu = catalogue.gpus.find(node.gpu);
  row.provenance = measured                      ? Provenance::measured
                   : gpu == catalogue.gpus.end() ? Provenance::assumed
                                                 : gpu->second.provenance;
  row.provenance_note = provenance_note(scenario, job.spec, node, row.gpu, job.dnn.timed(), how_it_sums(shown));
  const AnswerKind kind = answer_kind(prepared, job, placed, parts.step);
  row.error_kind = kind.name;
  row.error_size = kind.size;
  row.staleness_mean = estimate.mean_staleness;
  row.staleness_max = estimate.largest_staleness;
  Bytes carried;
  for (const LinkUse& use : estimate.trace.links) {
    const Link& link = prepared.cluster.link(use.link);
    if (joins_machines(link.kind) && prepared.cluster.vertex(link.from).node.index >= 0) // where it leaves a node
      carried += simulated_bytes(estimate, use);
  }
  row.bytes_per_step =
      carried * (stands_for(prepared) * estimate.program.stands_for) / std::max(estimate.program.steps, 1);
  row.gpu_memory = placed.gpu_memory;
  if (const std::optional<DollarsPerHour> price = price_of(point.scenario.cluster, prepared, placed.placement);
      price && rate > 0)
    row.price_per_million_samples = Dollars{price->value() / 3600 / rate * 1e6};
  row.simulated_steps = estimate.steps_simulated;
  row.critical_path = std::move(parts.critical_path);
  row.busiest = std::move(parts.busiest);
  return row;
}

} // namespace

ToldOfJob told_of(const ShownJob& shown, bool draw, bool list)
{
  const StepEstimate& estimate = shown.estimate;
  const JobSpec& spec = shown.job.spec;
  ToldOfJob told{.row = row_of(shown),
                 .traffic =
                     traffic_rows(shown.prepared.cluster, shown.placed.placement, estimate.program, most_traffic_rows,
                                  list || (shown.point.label.empty() && shown.placed.placement.servers.size() > 1)),
                 .steps = {},
                 .spans = {},
                 .rings_meet = rings_that_meet(spec, first_node(shown), estimate.program, shown.fidelity.name)};
  if (list) {
    std::map<int, std::size_t> listed;
    for (StepRow& step : step_rows(estimate.program, estimate.trace))
      if (++listed[step.worker] <= most_steps_listed)
        told.steps.push_back(std::move(step));
  }
  if (draw)
    told.spans = trace_spans(estimate.program, estimate.trace, most_spans_per_job);
  const auto name = [&](auto& rows) {
    for (auto& each : rows) {
      each.point = shown.point.label;
      each.job = spec.name;
    }
  };
  name(told.traffic.rows);
  name(told.steps);
  name(told.spans);
  return told;
}

} // namespace trainyard
