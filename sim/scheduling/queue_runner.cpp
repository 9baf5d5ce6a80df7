#include "models/cluster/build.hpp"
#include "models/core/closest.hpp"
#include "models/core/data_folder.hpp"
#include "models/scenario/sections/faults.hpp"
#include "models/scenario/sections/scheduling.hpp"
#include "models/scenario/sections/workload.hpp"
#include "sim/faults/queue_faults.hpp"
#include "sim/orchestration/prepare.hpp"
#include "sim/report/output_file.hpp"
#include "sim/report/queue_metrics.hpp"
#include "sim/report/queue_plots.hpp"
#include "sim/report/table.hpp"
#include "sim/report/text.hpp"
#include "sim/report/version.hpp"
#include "sim/scheduling/scheduling.hpp"
#include "sim/simulation/prepared.hpp"
#include "sim/simulation/scenario_runner.hpp"
#include "sim/simulation/step_speed.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <fstream>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>

namespace trainyard {
namespace {

using Json = nlohmann::ordered_json;

/// Rows of jobs.csv, waits.csv and runs.csv are kept for workloads up to this size; larger ones keep the metrics only.
constexpr int most_listed_jobs = 200'000;

/// The machines of a scenario as the scheduler sees them.
ClusterShape shape_of(const Scenario& scenario, const Catalogue& catalogue, bool machines)
{
  Diagnostics faults;
  const Cluster cluster = build_cluster(scenario.cluster, catalogue.links, faults);
  faults.throw_if_errors();
  ClusterShape shape;
  shape.gpu_types.clear();
  const auto type_of = [&](const std::string& gpu) {
    auto found = std::ranges::find(shape.gpu_types, gpu);
    if (found == shape.gpu_types.end())
      found = shape.gpu_types.insert(shape.gpu_types.end(), gpu);
    return static_cast<int>(found - shape.gpu_types.begin());
  };
  for (const Node& node : cluster.nodes()) {
    const int gpus = static_cast<int>(node.gpus.size());
    const int type = gpus > 0 ? type_of(node.gpu) : 0;
    if (machines) {
      shape.nodes.push_back(
          {.name = node.name,
           .gpus = gpus,
           .cpu_milli = node.cpu_cores > 0 ? node.cpu_cores * 1000L : 1'000'000'000L,
           .memory_mib = node.memory.value() > 0 ? static_cast<std::int64_t>(node.memory.value() / 1048576) : 1'000'000'000L,
           .gpu_type = type,
           .rack = node.rack});
    } else if (gpus > 0) {
      shape.counts.resize(shape.gpu_types.size());
      shape.counts[static_cast<std::size_t>(type)] += gpus;
    }
  }
  if (shape.gpu_types.empty())
    shape.gpu_types = {"gpu"};
  return shape;
}

QueueCosts costs_of(const Scenario& scenario, const Catalogue& catalogue)
{
  QueueCosts costs;
  int gpus = 0;
  for (const NodeGroupSpec& group : scenario.cluster.nodes) {
    const auto type = scenario.cluster.node_types.find(group.type);
    if (type == scenario.cluster.node_types.end())
      continue;
    costs.usd_per_hour += group.count * type->second.price_per_hour;
    if (const auto gpu = catalogue.gpus.find(type->second.gpu); gpu != catalogue.gpus.end()) {
      costs.power_W += group.count * type->second.gpus * gpu->second.power_W;
      costs.idle_power_W += group.count * type->second.gpus * gpu->second.idle_power_W;
    }
    gpus += group.count * type->second.gpus;
  }
  if (gpus > 0) {
    costs.power_W /= gpus;
    costs.idle_power_W /= gpus;
  }
  return costs;
}

struct PreparedQueue {
  Workload workload;
  std::string notes; // the audit, how near made-up jobs are to their trace
};

PreparedQueue workload_of(const WorkloadSection& section, std::uint64_t seed, int gpus)
{
  PreparedQueue prepared;
  const Random random{seed};
  if (section.trace) {
    ImportedTrace trace = import_trace(*section.trace, section.options);
    if (!trace.machines.empty() && trace.workload.jobs.empty())
      throw InputError{fmt::format("'{}' lists machines, not jobs", section.trace->string())};
    if (section.like_trace > 0) {
      prepared.workload = generate_like(trace.workload, section.like_trace, random);
      const Likeness near = likeness(prepared.workload, trace.workload);
      prepared.notes = fmt::format("{} jobs made up like {}: Kolmogorov-Smirnov distance of run times {:.3f}, of the time between "
                                   "submissions {:.3f}, of GPUs {:.3f}\n",
                                   section.like_trace, trace.workload.source, near.duration_ks, near.interarrival_ks, near.gpus_ks);
    } else {
      prepared.workload = std::move(trace.workload);
    }
    audit_against(prepared.workload, gpus, trace.audit);
    prepared.notes += fmt::format("trace {} ({}): {}", section.trace->filename().string(), trace.format, trace.audit.text());
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
  return prepared;
}

/// Types that jobs ask for, in the order of the cluster's; a type it has not is added without GPUs, so that such jobs are found impossible.
void bind_types(Workload& workload, ClusterShape& shape)
{
  std::vector<int> at;
  for (const std::string& type : workload.gpu_types) {
    auto found = std::ranges::find(shape.gpu_types, type);
    if (found == shape.gpu_types.end()) {
      found = shape.gpu_types.insert(shape.gpu_types.end(), type);
      if (shape.counted())
        shape.counts.resize(shape.gpu_types.size());
    }
    at.push_back(static_cast<int>(found - shape.gpu_types.begin()));
  }
  for (TraceJob& job : workload.jobs)
    if (job.gpu_type >= 0)
      job.gpu_type = at[static_cast<std::size_t>(job.gpu_type)];
  workload.gpu_types = shape.gpu_types;
}

/// How each model of the workload trains: the scenario's job of that name.
std::map<std::string, JobSpec> templates_of(const Scenario& scenario, const Workload& workload)
{
  std::map<std::string, JobSpec> templates;
  std::vector<std::string> known;
  for (const JobSpec& job : scenario.jobs) {
    templates[job.name] = job;
    known.push_back(job.name);
  }
  for (const TraceJob& job : workload.jobs) {
    const std::string& model = workload.models.name(job.model);
    if (model.empty())
      throw InputError{fmt::format("speed: step: job {} has no model; give the workload models: {{name: share}}",
                                   workload.name(JobId{static_cast<int>(&job - workload.jobs.data())}))};
    if (!templates.contains(model))
      throw InputError{fmt::format("speed: step: the scenario has no job '{}'{} that says how this model trains; it has {}", model,
                                   did_you_mean(model, known), known.empty() ? "none" : fmt::format("{}", fmt::join(known, ", ")))};
  }
  return templates;
}

/// One policy on one workload.
struct QueueRun {
  std::string point;
  std::string label; // "easy_backfill", "easy_backfill on pack"
  std::shared_ptr<const Workload> workload;
  SchedulingResult result;
  QueueMetrics metrics;
  int gpus = 0;
};

std::string csv_text(const std::string& text)
{
  if (text.find_first_of(",\"\n") == std::string::npos)
    return text;
  std::string quoted = "\"";
  for (const char c : text)
    quoted += c == '"' ? std::string{"\"\""} : std::string{c};
  return quoted + "\"";
}

const char* phase_text(JobPhase phase)
{
  switch (phase) {
  case JobPhase::finished:
    return "finished";
  case JobPhase::impossible:
    return "impossible";
  case JobPhase::stalled:
    return "never started";
  default:
    return "unfinished";
  }
}

/// A row of metrics.csv; for a group of jobs the figures of the whole cluster are left blank.
std::string metrics_row(const QueueMetrics& m, bool group = false)
{
  const auto spread = [](const Distribution& d) {
    return fmt::format("{:.6g},{:.6g},{:.6g},{:.6g},{:.6g}", d.mean, d.p50, d.p95, d.p99, d.largest);
  };
  const std::string cluster = group ? ",," : fmt::format("{:.6g},{:.6g},{:.6g}", m.jain, m.energy_kWh, m.cost_usd);
  return fmt::format("{},{},{},{},{},{},{:.6g},{:.6g},{:.6g},{:.6g},{:.6g},{:.6g},{},{},{}", m.jobs, m.finished, m.never_ran,
                     spread(m.jct_s), spread(m.queueing_delay_s), spread(m.slowdown), m.makespan_s, m.utilisation, m.gpu_hours,
                     m.lost_gpu_hours, m.fragmented_wait_hours, m.finish_time_fairness, cluster, m.preemptions, m.failures);
}

const char* const metrics_head = "jobs,finished,never_ran,jct_mean_s,jct_p50_s,jct_p95_s,jct_p99_s,jct_max_s,queueing_delay_mean_s,"
                                 "queueing_delay_p50_s,queueing_delay_p95_s,"
                                 "queueing_delay_p99_s,queueing_delay_max_s,slowdown_mean,slowdown_p50,slowdown_p95,slowdown_p99,slowdown_"
                                 "max,makespan_s,utilisation,gpu_hours,"
                                 "lost_gpu_hours,fragmented_wait_hours,finish_time_fairness,jain,energy_kWh,cost_usd,preemptions,failures";

/// Which run is best for whom, and why: the smallest figure of each kind.
std::string advice_of(const std::vector<QueueRun>& runs)
{
  if (runs.size() < 2)
    return {};
  const auto best = [&](auto value) {
    return &*std::ranges::min_element(runs, {}, [&](const QueueRun& run) { return value(run.metrics); });
  };
  const QueueRun* jct = best([](const QueueMetrics& m) { return m.jct_s.mean; });
  const QueueRun* tail = best([](const QueueMetrics& m) { return m.queueing_delay_s.p99; });
  const QueueRun* fair = best([](const QueueMetrics& m) { return m.finish_time_fairness; });
  const QueueRun* span = best([](const QueueMetrics& m) { return m.makespan_s; });
  const QueueRun* worst = &*std::ranges::max_element(runs, {}, [](const QueueRun& run) { return run.metrics.jct_s.mean; });
  std::string text = fmt::format("{} gives jobs the shortest mean completion time ({}, {} under {})", jct->label,
                                 time_text(Seconds{jct->metrics.jct_s.mean}), time_text(Seconds{worst->metrics.jct_s.mean}), worst->label);
  text += fmt::format("; whoever waits longest (p99) waits least under {} ({})", tail->label,
                      time_text(Seconds{tail->metrics.queueing_delay_s.p99}));
  text += fmt::format("; the worst treated job is best off under {} (at most {:.3g} times its time on an equal share)", fair->label,
                      fair->metrics.finish_time_fairness);
  text += fmt::format("; the work is done first under {} ({}, {} busy).", span->label, time_text(Seconds{span->metrics.makespan_s}),
                      percent_text(span->metrics.utilisation));
  if (jct->metrics.preemptions > 0)
    text += fmt::format(
        " {} stops running jobs {} times; what a stop costs decides whether that pays (scheduling.checkpoint_cost, restart_cost).",
        jct->label, jct->metrics.preemptions);
  return text;
}

Json json_of(const QueueMetrics& m)
{
  const auto spread = [](const Distribution& d) {
    return Json{{"mean", d.mean}, {"p50", d.p50}, {"p95", d.p95}, {"p99", d.p99}, {"max", d.largest}};
  };
  return {{"jobs", m.jobs},
          {"finished", m.finished},
          {"never_ran", m.never_ran},
          {"jct_s", spread(m.jct_s)},
          {"queueing_delay_s", spread(m.queueing_delay_s)},
          {"slowdown", spread(m.slowdown)},
          {"makespan_s", m.makespan_s},
          {"utilisation", m.utilisation},
          {"gpu_hours", m.gpu_hours},
          {"lost_gpu_hours", m.lost_gpu_hours},
          {"fragmented_wait_hours", m.fragmented_wait_hours},
          {"finish_time_fairness", m.finish_time_fairness},
          {"jain", m.jain},
          {"energy_kWh", m.energy_kWh},
          {"cost_usd", m.cost_usd},
          {"preemptions", m.preemptions},
          {"failures", m.failures}};
}

class QueueRunner final : public ScenarioRunner
{
public:
  bool claims(const Scenario& scenario) const override { return scenario.section<WorkloadSection>("workload") != nullptr; }

  void check(const Scenario& scenario, const Catalogue& catalogue, Diagnostics& diagnostics) const override
  {
    const Cluster cluster = build_cluster(scenario.cluster, catalogue.links, diagnostics);
    const auto* scheduling = scenario.section<SchedulingSection>("scheduling");
    const auto* workload = scenario.section<WorkloadSection>("workload");
    const bool counted = scheduling != nullptr && !scheduling->machines;
    const bool without_gpus = workload != nullptr && workload->listed &&
                              std::ranges::all_of(workload->listed->jobs, [](const TraceJob& job) { return job.gpus == 0; });
    if (!diagnostics.has_errors() && cluster.gpus() == 0 && (counted || !without_gpus))
      diagnostics.error({scenario.file, 0, 0}, "the cluster has no GPUs for the queue");
    if (const auto* faults = scenario.section<FaultsSection>("faults"); faults != nullptr && !diagnostics.has_errors())
      check_queue_faults(faults->list, faults->random, machine_view(scenario, catalogue).domains, !counted, scenario.file, diagnostics);
    if (scheduling == nullptr || diagnostics.has_errors())
      return;
    for (const NamedPart& policy : scheduling->policies)
      try {
        Registry<QueuePolicy>::instance().create(policy.name, policy.settings);
      } catch (const std::invalid_argument& fault) {
        diagnostics.error({scenario.file, 0, 0}, fmt::format("queue policy '{}': {}", policy.label, fault.what()));
      }
    if (!scheduling->machines && scheduling->placements.size() > 1)
      diagnostics.error({scenario.file, 0, 0},
                        "cluster: pool knows no machines, so several placements would all be the same; say cluster: machines");
  }

  RunReport run(const std::vector<CheckedPoint>& points, const SimulateOptions& options, bool colour) const override
  {
    const Catalogue read = options.catalogue == nullptr ? load_catalogue(data_folder()) : Catalogue{};
    const Catalogue& catalogue = options.catalogue == nullptr ? read : *options.catalogue;
    auto runs = std::make_shared<std::vector<QueueRun>>();
    std::string notes;
    std::size_t total = 0, ready = 0;
    for (const CheckedPoint& point : points) {
      const auto* found = point.scenario.section<SchedulingSection>("scheduling");
      total += found == nullptr ? 1 : found->policies.size() * found->placements.size();
    }
    for (const CheckedPoint& point : points) {
      const auto* given = point.scenario.section<SchedulingSection>("scheduling");
      SchedulingSection scheduling = given == nullptr ? SchedulingSection{} : *given;
      if (scheduling.policies.empty())
        scheduling.policies.push_back({"fifo", {}, "fifo"});
      if (scheduling.placements.empty())
        scheduling.placements.push_back({"first_fit", {}, "first_fit"});
      ClusterShape shape = shape_of(point.scenario, catalogue, scheduling.machines);
      PreparedQueue prepared =
          workload_of(*point.scenario.section<WorkloadSection>("workload"), point.scenario.run.seed, shape.total_gpus());
      bind_types(prepared.workload, shape);
      if (notes.find(prepared.notes) == std::string::npos)
        notes += prepared.notes;
      const auto workload = std::make_shared<const Workload>(std::move(prepared.workload));
      const bool listed = workload->size() <= most_listed_jobs;
      std::unique_ptr<PreparedScenario> machines;
      std::unique_ptr<StepSpeed> speed;
      if (scheduling.step_speed) {
        Diagnostics faults;
        machines = prepare(point.scenario, catalogue, faults);
        faults.throw_if_errors();
        speed = std::make_unique<StepSpeed>(*machines, catalogue, templates_of(point.scenario, *workload));
      }
      for (const NamedPart& policy : scheduling.policies)
        for (const NamedPart& placement : scheduling.placements) {
          QueueRun run;
          run.point = point.label;
          run.label = policy.label;
          if (scheduling.placements.size() > 1)
            run.label += " on " + placement.label;
          if (options.progress)
            options.progress(ready++, total, run.label);
          const auto queue = Registry<QueuePolicy>::instance().create(policy.name, policy.settings);
          const auto places =
              scheduling.machines ? Registry<PlacementPolicy>::instance().create(placement.name, placement.settings) : nullptr;
          SchedulingOptions how;
          how.policy_period = scheduling.policy_period;
          how.start_cost = scheduling.start_cost;
          how.checkpoint_cost = scheduling.checkpoint_cost;
          how.restart_cost = scheduling.restart_cost;
          how.checkpoint_interval = scheduling.checkpoint_interval;
          how.record_waits = how.record_runs = listed && !options.figures_only;
          how.seed = point.scenario.run.seed;
          how.speed = speed.get();
          run.workload = workload;
          run.gpus = shape.total_gpus();
          // Every policy meets the same failures.
          std::unique_ptr<QueueFaults> failing;
          if (const auto* faults = point.scenario.section<FaultsSection>("faults"); faults != nullptr)
            failing = std::make_unique<QueueFaults>(
                FaultSchedule{faults->list, faults->random, machine_view(point.scenario, catalogue).domains, point.scenario.run.seed});
          how.events = failing.get();
          try {
            run.result = simulate_queue(*workload, shape, *queue, places.get(), how);
          } catch (const std::invalid_argument& fault) {
            throw InputError{fmt::format("{}: {}", run.label, fault.what())};
          }
          run.metrics = queue_metrics(run.label, *workload, run.result, run.gpus, costs_of(point.scenario, catalogue));
          if (options.result)
            tell(run, options.result);
          runs->push_back(std::move(run));
        }
    }
    if (options.progress)
      options.progress(total, total, "");
    return report(points, runs, notes, colour);
  }

  std::string kind() const override { return "trainyard queue"; }

  std::string explain(const std::filesystem::path& folder, const std::string& what, const std::string& name) const override;

private:
  /// The queue over time, for those who watch.
  static void tell(const QueueRun& run, const std::function<void(const LiveResult&)>& listener)
  {
    const std::string series = run.point.empty() ? run.label : run.label + ", " + run.point;
    for (const QueueSample& sample : queue_series(*run.workload, run.result, 80))
      listener({run.point, run.label, series, "time_h", sample.time_s / 3600, "waiting_jobs", sample.waiting_jobs});
  }

  static RunReport report(const std::vector<CheckedPoint>& points, const std::shared_ptr<std::vector<QueueRun>>& runs,
                          const std::string& notes, bool colour)
  {
    RunReport report;
    const Scenario& scenario = points.front().scenario;
    const bool several_points = points.size() > 1;
    std::vector<Column> columns;
    if (several_points)
      columns.push_back({"point", false});
    for (const char* title : {"policy"})
      columns.push_back({title, false});
    for (const char* title : {"mean JCT", "p95 JCT", "mean delay", "p95 delay", "slowdown", "makespan", "busy", "preempted", "lost GPU-h",
                              "worst share", "Jain"})
      columns.push_back({title, true});
    std::vector<std::vector<TableCell>> rows;
    int never = 0;
    for (const QueueRun& run : *runs) {
      const QueueMetrics& m = run.metrics;
      std::vector<TableCell> row;
      if (several_points)
        row.push_back({run.point});
      for (const std::string& cell :
           {run.label, time_text(Seconds{m.jct_s.mean}), time_text(Seconds{m.jct_s.p95}), time_text(Seconds{m.queueing_delay_s.mean}),
            time_text(Seconds{m.queueing_delay_s.p95}), fmt::format("{:.3g}", m.slowdown.mean), time_text(Seconds{m.makespan_s}),
            percent_text(m.utilisation), fmt::format("{}", m.preemptions), fmt::format("{:.3g}", m.lost_gpu_hours),
            fmt::format("{:.3g}", m.finish_time_fairness), fmt::format("{:.2f}", m.jain)})
        row.push_back({cell});
      rows.push_back(std::move(row));
      never = std::max(never, m.never_ran);
    }
    const std::string advice = several_points ? std::string{} : advice_of(*runs);
    report.text =
        fmt::format("{}: {}\n{} jobs on {} GPUs · seed {}\n{}\n{}", scenario.name, scenario.description, runs->front().workload->size(),
                    runs->front().gpus, scenario.run.seed, notes, table_text(columns, rows, colour));
    if (!advice.empty())
      report.text += "\n" + advice + "\n";
    if (never > 0) {
      report.exit_code = 3;
      report.text += fmt::format("\n{} of the jobs can never run here or never got to; jobs.csv says which and why\n", never);
    }

    Json summary = {{"kind", "trainyard queue"},
                    {"schema_version", 1},
                    {"trainyard_version", program_version()},
                    {"scenario", scenario.name},
                    {"description", scenario.description},
                    {"seed", scenario.run.seed},
                    {"gpus", runs->front().gpus},
                    {"jobs", runs->front().workload->size()},
                    {"advice", advice},
                    {"notes", notes},
                    {"warnings", Json::array()},
                    {"policies", Json::array()}};
    for (const QueueRun& run : *runs) {
      Json one = {{"point", run.point}, {"policy", run.label}};
      one.update(json_of(run.metrics));
      summary["policies"].push_back(std::move(one));
    }
    report.summary = summary.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";

    const auto file = [&](const std::string& name, auto make) {
      report.files.push_back({name, [runs, make](const std::filesystem::path& path) { write_file(path, make(*runs)); }});
    };
    file("metrics.csv", [](const std::vector<QueueRun>& all) {
      std::string text = fmt::format("point,policy,{}\n", metrics_head);
      for (const QueueRun& run : all)
        text += fmt::format("{},{},{}\n", csv_text(run.point), csv_text(run.label), metrics_row(run.metrics));
      return text;
    });
    file("groups.csv", [](const std::vector<QueueRun>& all) {
      std::string text = fmt::format("point,policy,by,group,{}\n", metrics_head);
      for (const QueueRun& run : all)
        for (const auto& [by, group] :
             {std::pair{"team", GroupBy::team}, std::pair{"user", GroupBy::user}, std::pair{"gpus", GroupBy::size}})
          for (const QueueMetrics& one : metrics_by(group, *run.workload, run.result, run.gpus))
            text +=
                fmt::format("{},{},{},{},{}\n", csv_text(run.point), csv_text(run.label), by, csv_text(one.name), metrics_row(one, true));
      return text;
    });
    if (runs->front().workload->size() <= most_listed_jobs)
      list_jobs(report, file);
    report.files.push_back({"queue.png", [runs](const std::filesystem::path& path) {
                              std::vector<std::pair<std::string, std::vector<QueueSample>>> series;
                              for (const QueueRun& run : *runs)
                                if (series.size() < 12)
                                  series.emplace_back(run.label, queue_series(*run.workload, run.result, 300));
                              plot_queue_series(series, runs->front().gpus, path.parent_path() / path.stem());
                            }});
    for (std::size_t i = 0; i < runs->size() && i < 8; ++i)
      report.files.push_back({fmt::format("gantt-{}.png", i), [runs, i](const std::filesystem::path& path) {
                                const QueueRun& run = (*runs)[i];
                                plot_gantt(run.label, *run.workload, run.result, run.gpus, path.parent_path() / path.stem());
                              }});
    return report;
  }

  template <class File>
  static void list_jobs(RunReport&, const File& file)
  {
    file("jobs.csv", [](const std::vector<QueueRun>& all) {
      std::string text = "point,policy,job,user,team,model,gpus,submit_s,start_s,end_s,queueing_delay_s,jct_s,duration_s,preemptions,"
                         "failures,gpu_hours,lost_gpu_hours,state,reason\n";
      for (const QueueRun& run : all)
        for (int i = 0; i < run.workload->size(); ++i) {
          const TraceJob& job = run.workload->job(JobId{i});
          const JobOutcome& o = run.result.jobs[static_cast<std::size_t>(i)];
          const bool ran = o.first_start.value() >= 0, ended = o.phase == JobPhase::finished;
          text += fmt::format("{},{},{},{},{},{},{},{:.10g},{},{},{},{},{:.10g},{},{},{:.6g},{:.6g},{},{}\n", csv_text(run.point),
                              csv_text(run.label), csv_text(run.workload->name(JobId{i})), csv_text(run.workload->users.name(job.user)),
                              csv_text(run.workload->teams.name(job.team)), csv_text(run.workload->models.name(job.model)), job.gpus,
                              job.submit.value(), ran ? fmt::format("{:.10g}", o.first_start.value()) : "",
                              ended ? fmt::format("{:.10g}", o.end.value()) : "",
                              ran ? fmt::format("{:.10g}", (o.first_start - (o.ready.value() >= 0 ? o.ready : job.submit)).value()) : "",
                              ended ? fmt::format("{:.10g}", (o.end - job.submit).value()) : "", job.duration.value(), o.preemptions,
                              o.failures, o.gpu_time.value() / 3600, o.lost_time.value() / 3600, phase_text(o.phase),
                              o.phase == JobPhase::finished ? "" : to_text(o.reason));
        }
      return text;
    });
    file("waits.csv", [](const std::vector<QueueRun>& all) {
      std::string text = "point,policy,job,from_s,to_s,reason,blocker\n";
      for (const QueueRun& run : all)
        for (const WaitRecord& wait : run.result.waits)
          text += fmt::format("{},{},{},{:.10g},{:.10g},{},{}\n", csv_text(run.point), csv_text(run.label),
                              csv_text(run.workload->name(wait.job)), wait.from.value(), wait.to.value(), csv_text(to_text(wait.reason)),
                              wait.blocker ? csv_text(run.workload->name(wait.blocker)) : "");
      return text;
    });
    file("runs.csv", [](const std::vector<QueueRun>& all) {
      std::string text = "point,policy,job,from_s,to_s,gpus,nodes,speed,neighbour,link\n";
      for (const QueueRun& run : all)
        for (const RunRecord& one : run.result.runs) {
          std::string nodes;
          for (const TaskShare& share : one.held.shares)
            nodes += fmt::format("{}{}:{}", nodes.empty() ? "" : " ", share.node, share.gpus());
          text += fmt::format("{},{},{},{:.10g},{:.10g},{},{},{:.6g},{},{}\n", csv_text(run.point), csv_text(run.label),
                              csv_text(run.workload->name(one.job)), one.from.value(), one.to.value(), one.held.gpus, nodes, one.speed,
                              one.neighbour ? csv_text(run.workload->name(one.neighbour)) : "",
                              one.link >= 0 && static_cast<std::size_t>(one.link) < run.result.link_names.size()
                                  ? csv_text(run.result.link_names[static_cast<std::size_t>(one.link)])
                                  : "");
        }
      return text;
    });
    file("events.csv", [](const std::vector<QueueRun>& all) {
      std::string text = "point,policy,time_s,event,job,gpus\n";
      for (const QueueRun& run : all) {
        std::vector<std::tuple<double, int, std::string>> events;
        for (int i = 0; i < run.workload->size(); ++i) {
          const JobOutcome& o = run.result.jobs[static_cast<std::size_t>(i)];
          const TraceJob& job = run.workload->job(JobId{i});
          const auto add = [&](Seconds time, int order, const char* what) {
            events.emplace_back(time.value(), order, fmt::format("{},{},{}", what, csv_text(run.workload->name(JobId{i})), job.gpus));
          };
          add(job.submit, 1, "submitted");
          if (o.first_start.value() >= 0)
            add(o.first_start, 2, "started");
          if (o.phase == JobPhase::finished)
            add(o.end, 0, "finished");
        }
        std::ranges::stable_sort(events, [](const auto& a, const auto& b) {
          return std::pair{std::get<0>(a), std::get<1>(a)} < std::pair{std::get<0>(b), std::get<1>(b)};
        });
        for (const auto& [time, order, words] : events)
          text += fmt::format("{},{},{:.10g},{}\n", csv_text(run.point), csv_text(run.label), time, words);
      }
      return text;
    });
    file("utilisation.csv", [](const std::vector<QueueRun>& all) {
      std::string text = "point,policy,time_s,busy_gpus,waiting_jobs\n";
      for (const QueueRun& run : all)
        for (const QueueSample& sample : queue_series(*run.workload, run.result, 300))
          text += fmt::format("{},{},{:.10g},{:.6g},{:.6g}\n", csv_text(run.point), csv_text(run.label), sample.time_s, sample.busy_gpus,
                              sample.waiting_jobs);
      return text;
    });
  }
};

/// "d 2 03:04:05" of a time since the first submission.
std::string clock_text(double seconds)
{
  const auto whole = static_cast<long>(std::llround(seconds));
  const std::string time = fmt::format("{:02}:{:02}:{:02}", whole / 3600 % 24, whole / 60 % 60, whole % 60);
  return whole >= 86400 ? fmt::format("day {} {}", whole / 86400 + 1, time) : time;
}

std::string file_text(const std::filesystem::path& path)
{
  std::ifstream in{path, std::ios::binary};
  if (!in)
    throw InputError{fmt::format("'{}' is not there: workloads above {} jobs keep no rows per job", path.string(), most_listed_jobs)};
  return {std::istreambuf_iterator<char>{in}, {}};
}

std::string QueueRunner::explain(const std::filesystem::path& folder, const std::string& what, const std::string& name) const
{
  if (what.empty()) {
    const Json summary = Json::parse(file_text(folder / "summary.json"), nullptr, false);
    std::string text =
        fmt::format("{}: {}\n{}", summary.value("scenario", ""), summary.value("description", ""), summary.value("notes", ""));
    text += "\n" + summary.value("advice", "") + "\n\nwhy one job waited: simrun explain job NAME " + folder.string() + "\n";
    return text;
  }
  if (what != "job")
    throw InputError{fmt::format("a queue has jobs, no '{}'; say simrun explain job NAME FOLDER", what)};
  const std::string jobs_file = file_text(folder / "jobs.csv"), waits_file = file_text(folder / "waits.csv");
  TraceAudit audit;
  TraceTable jobs{jobs_file, folder / "jobs.csv", {"policy", "job", "submit_s", "start_s"}};
  std::string text;
  std::vector<std::string> known;
  struct Found {
    std::string point, policy, head;
    double submit = 0, start = -1;
  };
  std::vector<Found> found;
  jobs.for_each(audit, [&](std::int64_t) {
    if (jobs.cell("job") != name) {
      if (known.size() < 100'000)
        known.emplace_back(jobs.cell("job"));
      return;
    }
    Found one;
    one.point = jobs.cell("point");
    one.policy = jobs.cell("policy");
    one.submit = jobs.number("submit_s").value_or(0);
    one.start = jobs.number("start_s").value_or(-1);
    const auto end = jobs.number("end_s");
    one.head = fmt::format("job {} ({} GPUs{}{}) under {}{}: submitted at {}", name, jobs.cell("gpus"),
                           jobs.cell("user").empty() ? "" : fmt::format(", {}", jobs.cell("user")),
                           jobs.cell("team").empty() ? "" : fmt::format(", {}", jobs.cell("team")), one.policy,
                           one.point.empty() ? "" : " at " + one.point, clock_text(one.submit));
    if (one.start >= 0)
      one.head += one.start > one.submit
                      ? fmt::format(", started at {}, {} later", clock_text(one.start), time_text(Seconds{one.start - one.submit}))
                      : ", started at once";
    else
      one.head += fmt::format(", never started: {}", jobs.cell("reason"));
    if (end)
      one.head += fmt::format(", finished at {}", clock_text(*end));
    if (const auto stops = jobs.number("preemptions"); stops && *stops > 0)
      one.head += fmt::format(", stopped {:g} times", *stops);
    found.push_back(one);
  });
  if (found.empty())
    throw InputError{fmt::format("there is no job '{}' in this run{}", name, did_you_mean(name, known))};
  TraceTable waits{waits_file, folder / "waits.csv", {"policy", "job", "from_s", "to_s", "reason"}};
  for (const Found& one : found) {
    text += one.head + "\n";
    double could = -1;
    bool waited = false;
    std::vector<std::string> lines;
    std::string last_reason;
    waits.for_each(audit, [&](std::int64_t) {
      if (waits.cell("job") != name || waits.cell("policy") != one.policy || waits.cell("point") != one.point)
        return;
      const double from = waits.number("from_s").value_or(0), to = waits.number("to_s").value_or(0);
      const std::string reason{waits.cell("reason")};
      const bool by_rule = reason == to_text(WaitReason::behind_head) || reason == to_text(WaitReason::reservation) ||
                           reason == to_text(WaitReason::lower_rank) || reason == to_text(WaitReason::quota) ||
                           reason == to_text(WaitReason::next_decision);
      if (by_rule && could < 0)
        could = from;
      waited = true;
      lines.push_back(fmt::format("  from {} to {} ({}): {}{}", clock_text(from), clock_text(to), time_text(Seconds{to - from}), reason,
                                  waits.cell("blocker").empty() ? "" : fmt::format(" (job {})", waits.cell("blocker"))));
    });
    constexpr std::size_t most_lines = 20;
    for (std::size_t i = 0; i < std::min(lines.size(), most_lines); ++i)
      text += lines[i] + "\n";
    if (lines.size() > most_lines)
      text += fmt::format("  … {} more in waits.csv\n", lines.size() - most_lines);
    if (waited && could >= 0 && (one.start < 0 || could < one.start))
      text += fmt::format("  it fitted from {} on; from then it was the policy that held it back\n", clock_text(could));
    else if (waited)
      text += "  it could not have started earlier: it never fitted before\n";
    text += "\n";
  }
  return text;
}

TY_REGISTER(ScenarioRunner, QueueRunner, "queue",
            "jobs of a trace or a generator on the scenario's machines, under one or several policies");

} // namespace
} // namespace trainyard
