// SPDX-License-Identifier: Apache-2.0
#include "sim/sources/queue/queue_setup.hpp"

#include "models/cluster/build.hpp"
#include "models/core/closest.hpp"
#include "models/core/input_file.hpp"
#include "models/core/longest_time.hpp"
#include "models/cost/memory.hpp"
#include "models/dnn/builder.hpp"
#include "models/hardware/gpu_name.hpp"
#include "models/job/resample.hpp"
#include "models/scenario/price.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <set>

namespace trainyard {
namespace {

int type_index(std::vector<std::string>& types, const std::string& gpu)
{
  auto found = std::ranges::find(types, gpu);
  if (found == types.end())
    found = types.insert(types.end(), gpu);
  return static_cast<int>(found - types.begin());
}

std::int64_t gpu_memory_of(const Catalogue& catalogue, const std::string& gpu)
{
  const auto found = catalogue.gpus.find(gpu);
  return found == catalogue.gpus.end() ? 0 : static_cast<std::int64_t>(found->second.memory.value() / 1048576);
}

/// Machines from a file, in its order: ties of placement policies go to the first.
ClusterShape shape_of_file(const std::filesystem::path& file, const Catalogue& catalogue, std::string& notes)
{
  ImportedTrace trace = import_trace(file, {});
  if (trace.machines.empty())
    throw InputError{fmt::format("'{}' ({}) lists jobs, not machines", file.string(), trace.format)};
  ClusterShape shape;
  shape.gpu_types = trace.gpu_types;
  shape.nodes = std::move(trace.machines);
  for (NodeShape& node : shape.nodes)
    node.gpu_memory_mib = gpu_memory_of(catalogue, shape.gpu_types[static_cast<std::size_t>(node.gpu_type)]);
  notes += fmt::format("machines {} ({}): {}", file.filename().string(), trace.format, trace.audit.text());
  return shape;
}

ClusterShape shape_of_cluster(const Scenario& scenario, const Catalogue& catalogue)
{
  Diagnostics faults;
  const Cluster cluster = build_cluster(scenario.cluster, catalogue.links, faults);
  faults.throw_if_errors();
  ClusterShape shape;
  shape.gpu_types.clear();
  for (const Node& node : cluster.nodes()) {
    const int gpus = static_cast<int>(node.gpus.size());
    check_gpus_of_node(node.name, gpus);
    shape.nodes.push_back(
        {.name = node.name,
         .gpus = gpus,
         .cpu_milli = node.cpu_cores > 0 ? node.cpu_cores * 1000L : plenty,
         .memory_mib = node.memory.value() > 0 ? static_cast<std::int64_t>(node.memory.value() / 1048576) : plenty,
         .gpu_type = gpus > 0 ? type_index(shape.gpu_types, node.gpu) : 0,
         .rack = node.rack,
         .gpu_memory_mib = gpu_memory_of(catalogue, node.gpu)});
  }
  if (shape.gpu_types.empty())
    shape.gpu_types = {"gpu"};
  return shape;
}

/// Labels and taints; machines with the same marks share one entry.
void mark_nodes(ClusterShape& shape, const std::vector<MarkedNodes>& marks)
{
  std::map<std::vector<std::string>, int> known;
  std::vector<bool> used(marks.size(), false);
  for (NodeShape& node : shape.nodes) {
    NodeMarks traits;
    if (node.gpus > 0)
      traits.labels.push_back("gpu=" + shape.gpu_types[static_cast<std::size_t>(node.gpu_type)]);
    std::vector<std::string> key = traits.labels;
    for (std::size_t i = 0; i < marks.size(); ++i) {
      const MarkedNodes& mark = marks[i];
      if (!means_machine(mark.nodes, node.name))
        continue;
      used[i] = true;
      for (const std::string& label : mark.traits.labels) {
        traits.labels.push_back(label);
        key.push_back(label);
      }
      for (const Taint& taint : mark.traits.taints) {
        traits.taints.push_back(taint);
        key.push_back(fmt::format("taint {}={}:{}", taint.key, taint.value, taint.hard));
      }
    }
    if (key.empty())
      continue;
    const auto [entry, fresh] = known.try_emplace(key, static_cast<int>(shape.traits.size()));
    if (fresh)
      shape.traits.push_back(std::move(traits));
    node.traits = entry->second;
  }
  std::vector<std::string> names;
  for (const NodeShape& node : shape.nodes)
    names.push_back(node.name);
  for (std::size_t i = 0; i < marks.size(); ++i)
    if (!used[i])
      throw fault_at(
          fmt::format("scheduling.nodes.{}.nodes", i),
          fmt::format("there is no machine or node group '{}'{}", marks[i].nodes, did_you_mean(marks[i].nodes, names)));
}

/// "the scenario has no job 'vg'; did you mean 'vgg'? Its jobs: resnet, vgg; … one of them must say how this model
/// trains"
std::string without_job(const std::string& model, const Scenario& scenario)
{
  std::vector<std::string> known;
  known.reserve(scenario.jobs.size());
  for (const JobSpec& job : scenario.jobs)
    known.push_back(job.name);
  const std::string meant = did_you_mean(model, known);
  return fmt::format("the scenario has no job '{}'{}{}; with speed: step one of them must say how this model trains",
                     model, meant.empty() ? "; its jobs: " : meant + " Its jobs: ",
                     known.empty() ? "none" : fmt::format("{}", fmt::join(known, ", ")));
}

} // namespace

InputError fault_at(const std::string& path, const std::string& message)
{
  return InputError{{{Severity::error, {.path = path}, path + ": " + message, {}}}};
}

void check_models(const Scenario& scenario, Diagnostics& diagnostics)
{
  const auto* workload = scenario.section<WorkloadSection>("workload");
  const auto* scheduling = scenario.section<SchedulingSection>("scheduling");
  if (workload == nullptr || scheduling == nullptr || !scheduling->step_speed)
    return;
  for (const auto& [model, share] : workload->models)
    if (std::ranges::find(scenario.jobs, model, &JobSpec::name) == scenario.jobs.end()) {
      const std::string path = "workload.models." + model;
      diagnostics.error({.path = path}, path + ": " + without_job(model, scenario));
    }
}

ClusterShape shape_of(const Scenario& scenario, const Catalogue& catalogue, bool machines, std::string& notes)
{
  const auto* workload = scenario.section<WorkloadSection>("workload");
  const auto* scheduling = scenario.section<SchedulingSection>("scheduling");
  ClusterShape shape = workload != nullptr && workload->machines ? shape_of_file(*workload->machines, catalogue, notes)
                                                                 : shape_of_cluster(scenario, catalogue);
  mark_nodes(shape, scheduling != nullptr ? scheduling->marks : std::vector<MarkedNodes>{});
  if (machines)
    return shape;
  ClusterShape pool;
  pool.gpu_types = shape.gpu_types;
  pool.counts.assign(pool.gpu_types.size(), 0);
  for (const NodeShape& node : shape.nodes)
    pool.counts[static_cast<std::size_t>(node.gpu_type)] += node.gpus;
  return pool;
}

QueueCosts costs_of(const Scenario& scenario, const Catalogue& catalogue, const ClusterShape& shape)
{
  QueueCosts costs;
  costs.price = price_of(scenario.cluster);
  for (const std::string& name : shape.gpu_types) {
    const auto gpu = catalogue.gpus.find(name);
    costs.types.push_back(
        gpu == catalogue.gpus.end()
            ? QueueCosts::Type{}
            : QueueCosts::Type{
                  gpu->second.power, gpu->second.idle_power, {}, name, gpu->second.memory.value() / 1048576});
  }
  std::vector<int> gpus = shape.counts;
  gpus.resize(shape.gpu_types.size());
  for (const NodeShape& node : shape.nodes) {
    costs.type_of.push_back(node.gpu_type);
    gpus[static_cast<std::size_t>(node.gpu_type)] += node.gpus;
  }
  if (const int all = shape.total_gpus(); all > 0)
    for (std::size_t type = 0; type < gpus.size(); ++type) {
      costs.power += gpus[type] * 1.0 / all * costs.types[type].power;
      costs.idle_power += gpus[type] * 1.0 / all * costs.types[type].idle_power;
    }
  for (const NodeGroupSpec& group : scenario.cluster.nodes) {
    const auto machine = scenario.cluster.node_types.find(group.type);
    if (!costs.price || machine == scenario.cluster.node_types.end())
      continue;
    const auto type = std::ranges::find(shape.gpu_types, machine->second.gpu) - shape.gpu_types.begin();
    if (const auto at = static_cast<std::size_t>(type); at < gpus.size() && gpus[at] > 0)
      costs.types[at].price += group.count * 1.0 / gpus[at] * *machine->second.price;
  }
  return costs;
}

namespace {

/// A trace's types of GPUs ("a100") become those of the cluster ("A100-SXM4-40GB") where only one of these can be
/// meant.
void name_types(Workload& workload, const std::vector<std::string>& cluster, TraceAudit& audit)
{
  std::vector<std::string> taken(workload.gpu_types.size());
  for (std::size_t type = 0; type < taken.size(); ++type)
    if (const std::string& name = workload.gpu_types[type]; std::ranges::find(cluster, name) == cluster.end())
      taken[type] = only_gpu_named(name, cluster);
  for (const TraceJob& job : workload.jobs)
    if (const auto type = static_cast<std::size_t>(job.gpu_type); job.gpu_type >= 0 && !taken[type].empty())
      audit.add(fmt::format("job for GPUs of type '{}'", workload.gpu_types[type]),
                fmt::format("taken as {}, the only GPUs here of that name", taken[type]), job.row);
  for (std::size_t type = 0; type < taken.size(); ++type)
    if (!taken[type].empty())
      workload.gpu_types[type] = taken[type];
  for (NodeDemands& demands : workload.demands)
    for (std::string& label : demands.any_of) // "gpu=V100M16", one of several
      if (const std::string type = label.starts_with("gpu=") ? label.substr(4) : "";
          !type.empty() && std::ranges::find(cluster, type) == cluster.end())
        if (const std::string only = only_gpu_named(type, cluster); !only.empty()) {
          audit.add(fmt::format("job for GPUs of type '{}' or others", type),
                    fmt::format("taken as {}, the only GPUs here of that name", only), 0);
          label = "gpu=" + only;
        }
}

/// What is drawn may be longer than any time that a file may give.
void refuse_long_draws(const Workload& workload, const WorkloadSection& section)
{
  const auto refuse = [&](Instant TraceJob::*time, const char* what, const char* key, const char* way_out) {
    const auto late =
        std::ranges::find_if(workload.jobs, [&](const TraceJob& job) { return job.*time > longest_time; });
    if (late != workload.jobs.end())
      throw fault_at(key, fmt::format("the {} of job {}: {}; {}", what,
                                      workload.name(JobId{static_cast<int>(late - workload.jobs.begin())}),
                                      beyond_longest_time, way_out));
  };
  if (section.generate) {
    refuse(&TraceJob::duration, "run time", "workload.generate.duration_sigma", "lower it, or 'median_duration'");
    refuse(&TraceJob::submit, "submission", "workload.generate.mean_interarrival", "lower it, or 'jobs'");
  } else if (section.like_trace > 0) {
    refuse(&TraceJob::submit, "submission", "workload.trace.like", "generate fewer jobs");
  }
  if (section.estimate_badness >= 0)
    refuse(&TraceJob::estimate, "estimate", "workload.estimate_badness", "lower it");
}

} // namespace

PreparedQueue workload_of(const WorkloadSection& section, std::uint64_t seed, const ClusterShape& shape)
{
  PreparedQueue prepared;
  const Random random{seed};
  if (section.throughputs)
    prepared.throughputs = std::make_shared<const ThroughputTable>(read_throughputs(InputFile{*section.throughputs}));
  if (section.trace) {
    TraceOptions options = section.options;
    options.throughputs = prepared.throughputs;
    options.reference_gpu = section.reference_gpu;
    ImportedTrace trace = import_trace(*section.trace, options);
    prepared.format = trace.format;
    prepared.measured_on = trace.measured_on;
    prepared.without_times = trace.without_times;
    if (!trace.measured_on.empty())
      prepared.notes += fmt::format("run times are steps / throughput on {}\n", trace.measured_on);
    if (!trace.machines.empty() && trace.workload.jobs.empty())
      throw InputError{
          fmt::format("'{}' lists machines, not jobs; use it in workload.machines", section.trace->string())};
    if (section.like_trace > 0) {
      prepared.workload = generate_like(trace.workload, section.like_trace, random);
      const Likeness near = likeness(prepared.workload, trace.workload);
      prepared.notes =
          fmt::format("{} jobs generated like {}: Kolmogorov-Smirnov distance of run times {:.3f}, of the time between "
                      "submissions {:.3f}, of GPUs {:.3f}\n",
                      section.like_trace, trace.workload.source, near.duration_ks, near.interarrival_ks, near.gpus_ks);
    } else if (section.resample > Instant{0}) {
      try {
        prepared.workload = resampled(trace.workload, section.resample, random);
      } catch (const std::invalid_argument& fault) {
        throw fault_at("workload.trace.resample", fault.what());
      }
    } else {
      prepared.workload = std::move(trace.workload);
      if (options.time_compression == 1)
        prepared.recorded_waits = {trace.waits.begin(), trace.waits.end()};
    }
    if (!prepared.throughputs)
      name_types(prepared.workload, shape.gpu_types, trace.audit);
    audit_against(prepared.workload, shape.total_gpus(), shape.gpu_types, trace.audit);
    prepared.notes +=
        fmt::format("trace {} ({}): {}", section.trace->filename().string(), trace.format, trace.audit.text());
  } else if (section.generate) {
    prepared.workload = generate(*section.generate, random);
  } else if (section.listed) {
    prepared.workload = *section.listed;
  }
  if (!section.models.empty()) {
    double total = 0;
    for (const auto& [name, share] : section.models)
      total += share;
    RandomStream draws = random.stream("models");
    for (TraceJob& job : prepared.workload.jobs) {
      if (job.model != 0)
        continue;
      double draw = draws.uniform() * total;
      for (const auto& [name, share] : section.models) {
        job.model = prepared.workload.models.index_of(name);
        if ((draw -= share) < 0)
          break;
      }
    }
  }
  if (section.estimate_badness >= 0)
    set_estimates(prepared.workload, section.estimate_badness, random);
  refuse_long_draws(prepared.workload, section);
  return prepared;
}

std::string note_on_trace(const Scenario& scenario)
{
  const auto* workload = scenario.section<WorkloadSection>("workload");
  if (workload == nullptr || !workload->trace || workload->like_trace > 0 || workload->resample > Instant{0})
    return {};
  return "the trace is one sample of jobs, so there is no interval; workload: {trace: {file: FILE, resample: 1 d}} "
         "draws "
         "its days anew for each seed, like: N generates N jobs with its statistics\n";
}

void bind_types(Workload& workload, ClusterShape& shape)
{
  std::vector<int> at;
  for (const std::string& type : workload.gpu_types) {
    at.push_back(type_index(shape.gpu_types, type));
    if (shape.counted())
      shape.counts.resize(shape.gpu_types.size());
  }
  for (TraceJob& job : workload.jobs) {
    if (job.gpu_type >= 0)
      job.gpu_type = at[static_cast<std::size_t>(job.gpu_type)];
    if (job.reference_type >= 0)
      job.reference_type = static_cast<std::int16_t>(at[static_cast<std::size_t>(job.reference_type)]);
  }
  for (std::vector<TaskGroup>& list : workload.task_lists)
    for (TaskGroup& group : list)
      if (group.gpu_type >= 0)
        group.gpu_type = at[static_cast<std::size_t>(group.gpu_type)];
  workload.gpu_types = shape.gpu_types;
}

void label_hosts(const Workload& workload, ClusterShape& shape)
{
  static const std::string key = "kubernetes.io/hostname=";
  std::set<std::string> asked;
  const auto note = [&](const std::string& label) {
    if (label.starts_with(key))
      asked.insert(label);
  };
  for (const NodeDemands& demands : workload.demands) {
    std::ranges::for_each(demands.required, note);
    std::ranges::for_each(demands.any_of, note);
    for (const auto& [label, weight] : demands.preferred)
      note(label);
  }
  for (const std::string& label : asked) {
    if (std::ranges::any_of(shape.traits, [&](const NodeMarks& marks) {
          return std::ranges::find(marks.labels, label) != marks.labels.end();
        }))
      continue; // scheduling.nodes gives it
    const std::string name = label.substr(key.size());
    const auto node = std::ranges::find(shape.nodes, name, &NodeShape::name);
    if (node == shape.nodes.end()) {
      std::vector<std::string> names;
      for (const NodeShape& one : shape.nodes)
        names.push_back(one.name);
      throw fault_at("workload", fmt::format("a job asks for {}, but there is no machine '{}'{}", label, name,
                                             did_you_mean(name, names)));
    }
    NodeMarks marks = shape.traits[static_cast<std::size_t>(node->traits)];
    marks.labels.push_back(label);
    node->traits = static_cast<int>(shape.traits.size());
    shape.traits.push_back(std::move(marks));
  }
}

std::map<std::string, JobSpec> templates_of(const Scenario& scenario, const Workload& workload)
{
  std::map<std::string, JobSpec> templates;
  for (const JobSpec& job : scenario.jobs)
    templates[job.name] = job;
  const auto* section = scenario.section<WorkloadSection>("workload");
  const std::string path = section == nullptr || section->generate ? "workload"
                           : section->listed                       ? "workload.jobs"
                                                                   : "workload.trace";
  const auto which = [&](const TraceJob& job) {
    return fmt::format("job {}{}", workload.name(JobId{static_cast<int>(&job - workload.jobs.data())}),
                       job.row > 0 ? fmt::format(" (line {})", job.row) : "");
  };
  for (const TraceJob& job : workload.jobs) {
    const std::string& model = workload.models.name(job.model);
    if (model.empty())
      throw fault_at(
          path, fmt::format("speed: step: {} has no model; give the workload models: {{name: share}}", which(job)));
    if (!templates.contains(model))
      throw fault_at(path, fmt::format("{} is of model '{}', but {}", which(job), model, without_job(model, scenario)));
  }
  return templates;
}

void fill_gpu_memory(Workload& workload, const std::map<std::string, JobSpec>& templates, const Catalogue& catalogue,
                     const ClusterShape& shape)
{
  const auto gpu = catalogue.gpus.find(shape.gpu_types.front());
  if (gpu == catalogue.gpus.end())
    return;
  std::map<std::string, int> needed;
  for (const auto& [name, spec] : templates) {
    MemorySettings settings;
    settings.batch = spec.batch_per_gpu; // of a micro-step
    settings.precision = spec.precision;
    settings.optimizer = spec.optimizer;
    settings.kernels = spec.kernels;
    settings.kept = kept_of(spec.training.settings);
    const Dnn dnn =
        build_dnn(spec.model, {spec.sequence_length, spec.model_elements, spec.transformer.get(), spec.layers});
    needed[name] = static_cast<int>(memory_fit(dnn, gpu->second, settings).needed.value() / 1048576);
  }
  for (TraceJob& job : workload.jobs)
    if (job.gpu_memory_mib == 0 && job.gpu_milli < 1000)
      job.gpu_memory_mib = needed[workload.models.name(job.model)];
}

DagProblem problem_of(const Workload& workload, const ClusterShape& shape)
{
  DagProblem problem;
  const auto types = shape.gpu_types.size();
  problem.capacity.assign(types, 0);
  for (std::size_t type = 0; type < shape.counts.size(); ++type)
    problem.capacity[type] = 1000 * shape.counts[type];
  for (const NodeShape& node : shape.nodes)
    problem.capacity[static_cast<std::size_t>(node.gpu_type)] += 1000 * node.gpus;
  for (const TraceJob& job : workload.jobs) {
    DagJob one{
        .gpus = static_cast<int>(request_of(job).milli()), .duration = {}, .predecessors = {}, .release = job.submit};
    for (std::size_t type = 0; type < types; ++type) {
      const bool allowed = job.gpu_type < 0 || static_cast<std::size_t>(job.gpu_type) == type;
      const double speed =
          allowed && one.gpus <= problem.capacity[type] ? workload.speed_on(job, static_cast<int>(type)) : 0;
      one.duration.push_back(time_at(speed, job.duration));
    }
    problem.jobs.push_back(std::move(one));
  }
  for (const auto& [waits, awaited] : workload.dependencies)
    problem.jobs[static_cast<std::size_t>(waits.index)].predecessors.push_back(awaited.index);
  return problem;
}

} // namespace trainyard
