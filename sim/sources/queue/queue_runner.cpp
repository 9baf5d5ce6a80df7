// SPDX-License-Identifier: Apache-2.0
#include "models/cluster/build.hpp"
#include "models/core/data_folder.hpp"
#include "models/core/figure_text.hpp"
#include "models/scenario/calibrated.hpp"
#include "models/scenario/sections/faults.hpp"
#include "sim/cluster/machine_view.hpp"
#include "sim/cluster/speed/shared_gpu_speed.hpp"
#include "sim/cluster/speed/step_speed.hpp"
#include "sim/report/table.hpp"
#include "sim/sources/queue/queue_faults.hpp"
#include "sim/sources/queue/queue_inspection.hpp"
#include "sim/sources/queue/queue_report.hpp"
#include "sim/sources/queue/queue_setup.hpp"
#include "sim/sources/queue/scheduling.hpp"
#include "sim/step/prepared.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace trainyard {
namespace {

constexpr int samples_over_makespan = 300;
/// Every order of so many jobs is tried for the shortest possible makespan.
constexpr int exhaustive_jobs = 8;

/// The queue of one point of the scenario, ready to be run under any policy.
struct PointRun {
  SchedulingSection scheduling;
  ClusterShape shape;
  std::shared_ptr<const Workload> workload;
  std::unique_ptr<const Catalogue> catalogue; // with the scenario's calibration
  std::unique_ptr<PreparedScenario> machines;
  std::unique_ptr<StepSpeed> step_speed;
  std::unique_ptr<SharedGpuSpeed> shared_speed;
  QueueCosts costs;
  std::uint64_t seed = 1;
  std::optional<double> optimal_makespan;
  std::shared_ptr<const FaultSchedule> failures;
  bool figures_only = false; // no rows of jobs, runs and waits

  SpeedModel* speed() const
  {
    if (shared_speed != nullptr)
      return shared_speed.get();
    return step_speed.get();
  }
};

SchedulingSection scheduling_of(const Scenario& scenario)
{
  const auto* given = scenario.section<SchedulingSection>("scheduling");
  SchedulingSection scheduling = given == nullptr ? SchedulingSection{} : *given;
  if (scheduling.policies.empty())
    scheduling.policies.push_back({"fifo", {}, "fifo"});
  if (scheduling.placements.empty())
    scheduling.placements.push_back({"first_fit", {}, "first_fit"});
  return scheduling;
}

PointRun prepare_point(const CheckedPoint& point, const Catalogue& uncalibrated, std::string& notes)
{
  PointRun run;
  run.catalogue = std::make_unique<const Catalogue>(calibrated(uncalibrated, point.scenario));
  const Catalogue& catalogue = *run.catalogue;
  run.scheduling = scheduling_of(point.scenario);
  run.seed = point.scenario.run.seed;
  std::string fresh;
  run.shape = shape_of(point.scenario, catalogue, run.scheduling.machines, fresh);
  PreparedQueue prepared = workload_of(*point.scenario.section<WorkloadSection>("workload"), run.seed, run.shape.total_gpus());
  fresh += prepared.notes;
  if (notes.find(fresh) == std::string::npos)
    notes += fresh;
  bind_types(prepared.workload, run.shape);
  if (run.scheduling.step_speed) {
    Diagnostics faults;
    run.machines = prepare(point.scenario, catalogue, faults);
    faults.throw_if_errors();
    const auto templates = templates_of(point.scenario, prepared.workload);
    if (run.scheduling.sharing)
      fill_gpu_memory(prepared.workload, templates, catalogue, run.shape);
    run.step_speed = std::make_unique<StepSpeed>(*run.machines, catalogue, templates);
  }
  if (run.scheduling.sharing) {
    const int links = run.machines != nullptr ? static_cast<int>(run.machines->cluster.links().size()) : 0;
    run.shared_speed = std::make_unique<SharedGpuSpeed>(run.step_speed.get(), links, run.scheduling.sharing->by_memory,
                                                        run.scheduling.sharing->switch_loss);
  }
  run.costs = costs_of(point.scenario, catalogue);
  run.workload = std::make_shared<const Workload>(std::move(prepared.workload));
  if (const auto* faults = point.scenario.section<FaultsSection>("faults"); faults != nullptr)
    run.failures = std::make_shared<FaultSchedule>(faults->list, faults->random, machine_view(point.scenario, catalogue).domains, run.seed);
  if (run.workload->size() <= exhaustive_jobs)
    run.optimal_makespan = optimal_makespan(problem_of(*run.workload, run.shape), exhaustive_jobs);
  if (run.optimal_makespan && !std::isfinite(*run.optimal_makespan))
    run.optimal_makespan.reset();
  return run;
}

SchedulingOptions options_of(const PointRun& point)
{
  const SchedulingSection& scheduling = point.scheduling;
  SchedulingOptions how;
  how.policy_period = scheduling.policy_period;
  how.kill_at_estimate = scheduling.kill_at_estimate;
  how.start_cost = scheduling.start_cost;
  how.checkpoint_cost = scheduling.checkpoint_cost;
  how.restart_cost = scheduling.restart_cost;
  how.checkpoint_interval = scheduling.checkpoint_interval;
  how.seed = point.seed;
  how.speed = point.speed();
  if (scheduling.sharing) {
    how.isolated_memory = scheduling.sharing->isolated_memory;
    how.out_of_memory_after = scheduling.sharing->out_of_memory_after;
    how.out_of_memory_tries = scheduling.sharing->out_of_memory_tries;
  }
  return how;
}

QueueRun run_policy(const PointRun& point, const NamedPart& policy, const NamedPart& placement)
{
  const SchedulingSection& scheduling = point.scheduling;
  QueueRun run;
  const bool one_policy = scheduling.policies.size() == 1 && scheduling.placements.size() > 1;
  run.label = one_policy ? placement.label : policy.label;
  if (scheduling.placements.size() > 1 && !one_policy)
    run.label += " on " + placement.label;
  const auto queue = Registry<QueuePolicy>::instance().create(policy.name, policy.settings);
  const auto places = scheduling.machines ? Registry<PlacementPolicy>::instance().create(placement.name, placement.settings) : nullptr;
  SchedulingOptions how = options_of(point);
  how.record_waits = how.record_runs = point.workload->size() <= most_listed_jobs && !point.figures_only;
  run.workload = point.workload;
  run.gpus = point.shape.total_gpus();
  run.costs = point.costs;
  run.optimal_makespan = point.optimal_makespan;
  for (const NodeShape& node : point.shape.nodes) {
    run.node_gpus.push_back(node.gpus);
    run.node_names.push_back(node.name);
  }
  // Every policy gets the same failures.
  std::unique_ptr<QueueFaults> failing;
  if (point.failures != nullptr)
    failing = std::make_unique<QueueFaults>(*point.failures);
  how.events = failing.get();
  try {
    run.result = simulate_queue(*point.workload, point.shape, *queue, places.get(), how);
  } catch (const std::invalid_argument& fault) {
    throw InputError{fmt::format("{}: {}", run.label, fault.what())};
  }
  if (failing != nullptr)
    run.failures = failing->log();
  run.metrics = queue_metrics(run.label, *run.workload, run.result, run.gpus, run.costs);
  run.series = queue_series(*run.workload, run.result, how.record_runs ? samples_over_makespan : 0, run.node_gpus, run.gpus, run.costs);
  for (const QueueSample& sample : run.series)
    run.metrics.fragmentation += sample.fragmentation / static_cast<double>(run.series.size());
  return run;
}

std::string policies_table(const std::vector<QueueRun>& runs, bool several_points, bool colour)
{
  std::vector<Column> columns;
  if (several_points)
    columns.push_back({"point", false});
  columns.push_back({"policy", false});
  for (const char* title : {"mean JCT", "p95 JCT", "1st start", "waiting", "p95 waiting", "slowdown", "makespan", "busy", "preempted",
                            "lost GPU-h", "worst share", "Jain"})
    columns.push_back({title, true});
  const bool gap = std::ranges::any_of(runs, [](const QueueRun& run) { return run.optimal_makespan.has_value(); });
  const bool memory = std::ranges::any_of(runs, [](const QueueRun& run) { return run.metrics.out_of_memory > 0; });
  if (gap)
    columns.push_back({"over optimum", true});
  if (memory)
    columns.push_back({"out of memory", true});
  std::vector<std::vector<TableCell>> rows;
  for (const QueueRun& run : runs) {
    const QueueMetrics& m = run.metrics;
    std::vector<TableCell> row;
    if (several_points)
      row.push_back({run.point});
    for (const std::string& cell :
         {run.label, time_text(Seconds{m.jct_s.mean}), time_text(Seconds{m.jct_s.p95}), time_text(Seconds{m.queueing_delay_s.mean}),
          time_text(Seconds{m.waiting_s.mean}), time_text(Seconds{m.waiting_s.p95}), fmt::format("{:.3g}", m.slowdown.mean),
          time_text(Seconds{m.makespan_s}), percent_text(m.utilisation), fmt::format("{}", m.preemptions),
          fmt::format("{:.3g}", m.lost_gpu_hours), fmt::format("{:.3g}", m.finish_time_fairness), fmt::format("{:.2f}", m.jain)})
      row.push_back({cell});
    if (gap)
      row.push_back({run.optimal_makespan && *run.optimal_makespan > 0
                         ? fmt::format("{:+.1f} %", 100 * (m.makespan_s / *run.optimal_makespan - 1))
                         : ""});
    if (memory)
      row.push_back({fmt::format("{}", m.out_of_memory)});
    rows.push_back(std::move(row));
  }
  return table_text(columns, rows, colour);
}

class QueueRunner final : public ScenarioRunner
{
public:
  ReadParts parts() const override
  {
    const auto of_cluster = [](const Scenario& scenario) { return !scenario.section<WorkloadSection>("workload")->machines; };
    ReadParts parts{"workload", {{"scheduling"}, {"faults"}, {"cluster", of_cluster, "without workload: {machines: FILE}"}}};
    for (ReadPart& part :
         training_parts([](const Scenario& scenario) { return scheduling_of(scenario).step_speed; }, "with scheduling: {speed: step}"))
      parts.others.push_back(std::move(part));
    return parts;
  }

  void check(const Scenario& scenario, const Catalogue& catalogue, Diagnostics& diagnostics) const override
  {
    const auto* workload = scenario.section<WorkloadSection>("workload");
    const auto* scheduling = scenario.section<SchedulingSection>("scheduling");
    const Location file{scenario.file, 0, 0};
    if (workload == nullptr || !workload->machines) {
      const Cluster cluster = build_cluster(scenario.cluster, catalogue.links, diagnostics);
      const bool counted = scheduling != nullptr && !scheduling->machines;
      const bool without_gpus = workload != nullptr && workload->listed &&
                                std::ranges::all_of(workload->listed->jobs, [](const TraceJob& job) { return job.gpus == 0; });
      if (!diagnostics.has_errors() && cluster.gpus() == 0 && (counted || !without_gpus))
        diagnostics.error(file, "the cluster has no GPUs for the queue");
      if (const auto* faults = scenario.section<FaultsSection>("faults"); faults != nullptr && !diagnostics.has_errors())
        check_queue_faults(faults->list, faults->random, machine_view(scenario, catalogue).domains, !counted, scenario.file, diagnostics);
    } else if (scenario.section<FaultsSection>("faults") != nullptr) {
      diagnostics.error(file, "faults: need the machines of a 'cluster'; machines from a file have no racks and switches to fail");
    } else if (scheduling != nullptr && scheduling->step_speed) {
      diagnostics.error(file, "speed: step needs the network of a 'cluster'; machines from a file have none");
    }
    if (scheduling == nullptr || diagnostics.has_errors())
      return;
    const auto creates = [&](const char* what, const NamedPart& part, const auto& create) {
      try {
        create();
      } catch (const std::invalid_argument& fault) {
        diagnostics.error(file, fmt::format("{} '{}': {}", what, part.label, fault.what()));
      }
    };
    for (const NamedPart& policy : scheduling->policies)
      creates("queue policy", policy, [&] { Registry<QueuePolicy>::instance().create(policy.name, policy.settings); });
    for (const NamedPart& placement : scheduling->placements)
      creates("placement policy", placement, [&] { Registry<PlacementPolicy>::instance().create(placement.name, placement.settings); });
    if (!scheduling->machines && scheduling->placements.size() > 1)
      diagnostics.error(file, "cluster: pool has no machines, so all placements would be the same; write cluster: machines");
    if (!scheduling->machines && scheduling->sharing)
      diagnostics.error(file, "gpu_sharing needs machines; remove cluster: pool");
  }

  std::string outline(const std::vector<CheckedPoint>& points, const Catalogue& catalogue) const override
  {
    std::string notes;
    std::string text;
    for (const CheckedPoint& point : points) {
      const PointRun prepared = prepare_point(point, catalogue, notes);
      const std::string jobs = outline_of(prepared, check_policies(prepared));
      if (points.size() == 1)
        text += jobs;
      else if (text.find(jobs) == std::string::npos) // many points share their jobs
        text += point.label + ": " + jobs;
    }
    return text + notes;
  }

  RunReport run(const std::vector<CheckedPoint>& points, const SimulateOptions& options, bool colour) const override
  {
    const Catalogue read = options.catalogue == nullptr ? load_catalogue(data_folder()) : Catalogue{};
    const Catalogue& catalogue = options.catalogue == nullptr ? read : *options.catalogue;
    auto runs = std::make_shared<std::vector<QueueRun>>();
    std::string notes;
    std::size_t total = 0;
    for (const CheckedPoint& point : points) {
      const SchedulingSection scheduling = scheduling_of(point.scenario);
      total += scheduling.policies.size() * scheduling.placements.size();
    }
    for (const CheckedPoint& point : points) {
      PointRun prepared = prepare_point(point, catalogue, notes);
      prepared.figures_only = options.figures_only;
      for (const NamedPart& policy : prepared.scheduling.policies)
        for (const NamedPart& placement : prepared.scheduling.placements) {
          if (options.progress)
            options.progress(runs->size(), total, policy.label);
          QueueRun one = run_policy(prepared, policy, placement);
          one.point = point.label;
          if (options.result)
            tell(one, options.result);
          runs->push_back(std::move(one));
        }
    }
    if (options.progress)
      options.progress(total, total, "");
    return report(points, runs, notes, colour);
  }

  std::string kind() const override { return "trainyard queue"; }

  std::string explain(const std::filesystem::path& folder, const std::string& what, const std::string& name) const override
  {
    return explain_queue(folder, what, name);
  }

private:
  /// Lets every policy check the jobs as at the beginning of a run; returns how many of them can never run.
  static std::size_t check_policies(const PointRun& point)
  {
    std::size_t never = 0;
    SchedulingOptions how;
    for (const NamedPart& policy : point.scheduling.policies)
      for (const NamedPart& placement : point.scheduling.placements) {
        const auto queue = Registry<QueuePolicy>::instance().create(policy.name, policy.settings);
        const auto places =
            point.scheduling.machines ? Registry<PlacementPolicy>::instance().create(placement.name, placement.settings) : nullptr;
        try {
          never = check_queue(*point.workload, point.shape, *queue, places.get(), how).size();
        } catch (const std::invalid_argument& fault) {
          throw InputError{fmt::format("{}: {}", policy.label, fault.what())};
        }
      }
    return never;
  }

  /// "82,247 jobs over 108.9 d, 1 to 128 GPUs each; they request 385,000 GPU-hours, 7 % of the capacity of 2,048 GPUs in that time; …"
  static std::string outline_of(const PointRun& point, std::size_t never)
  {
    const Workload& workload = *point.workload;
    double hours = 0;
    int least = workload.jobs.front().gpus, most = 0;
    for (const TraceJob& job : workload.jobs) {
      hours += job.duration.value() / 3600 * static_cast<double>(request_of(job).milli()) / 1000;
      least = std::min(least, job.gpus);
      most = std::max(most, job.gpus);
    }
    const Seconds span = workload.jobs.back().submit;
    const int gpus = point.shape.total_gpus();
    const auto count = [](double number) { return number < 1000 ? fmt::format("{:.0f}", number) : rate_text(number); };
    const std::string when = span <= Seconds{0}            ? "at once"
                             : span < Seconds{2 * 86400.0} ? "over " + time_text(span)
                                                           : fmt::format("over {:.1f} d", span.value() / 86400);
    std::string text = fmt::format("{} job{} submitted {}, {} GPUs each; they request {} GPU-hours", count(workload.size()),
                                   workload.size() == 1 ? "" : "s", when,
                                   least == most ? count(least) : count(least) + " to " + count(most), rate_text(hours));
    if (span > Seconds{0} && gpus > 0)
      text += fmt::format(", {} of the capacity of {} GPUs in that time", percent_text(hours * 3600 / (gpus * span.value())), count(gpus));
    return text + (never == 0
                       ? "; all of them can run\n"
                       : fmt::format("; {} of them can never run, so a run ends with exit code 3\n", count(static_cast<double>(never))));
  }

  /// The queue over time, for observers.
  static void tell(const QueueRun& run, const std::function<void(const LiveResult&)>& listener)
  {
    const std::string series = run.point.empty() ? run.label : run.label + ", " + run.point;
    for (const QueueSample& sample : run.series)
      listener({run.point, run.label, series, "time_h", sample.time_s / 3600, "waiting_jobs", sample.waiting_jobs});
  }

  static RunReport report(const std::vector<CheckedPoint>& points, const std::shared_ptr<std::vector<QueueRun>>& runs,
                          const std::string& notes, bool colour)
  {
    RunReport report;
    const Scenario& scenario = points.front().scenario;
    const bool several_points = points.size() > 1;
    const QueueRun& first = runs->front();
    const std::string advice = several_points ? std::string{} : advice_of(*runs);
    report.text = fmt::format("{}: {}\n{} jobs on {} GPUs · seed {}\n{}\n{}", scenario.name, scenario.description, first.workload->size(),
                              first.gpus, scenario.run.seed, notes, policies_table(*runs, several_points, colour));
    if (first.optimal_makespan && !several_points)
      report.text += fmt::format("over optimum: relative to {}, the shortest makespan of any order without preemption (all orders tried)\n",
                                 time_text(Seconds{*first.optimal_makespan}));
    if (!advice.empty())
      report.text += "\n" + advice + "\n";
    int never = 0;
    for (const QueueRun& run : *runs)
      never = std::max(never, run.metrics.never_ran);
    if (never > 0) {
      report.exit_code = 3;
      report.text += fmt::format("\n{} of the jobs can never run here or did not run{}\n", never, which_never_ran(*runs));
    }
    report.summary = queue_summary(scenario, *runs, notes, advice);
    report.files = queue_files(runs);
    return report;
  }

  /// ": job 17 (64 GPUs): it needs more than the whole cluster has; …": the first three.
  static std::string which_never_ran(const std::vector<QueueRun>& runs)
  {
    constexpr int most = 3;
    const QueueRun& run = *std::ranges::max_element(runs, {}, [](const QueueRun& one) { return one.metrics.never_ran; });
    std::string text;
    int named = 0;
    for (int i = 0; i < run.workload->size() && named < most; ++i) {
      const JobOutcome& outcome = run.result.jobs[static_cast<std::size_t>(i)];
      if (outcome.phase == JobPhase::finished)
        continue;
      const TraceJob& job = run.workload->job(JobId{i});
      text += fmt::format("{}job {}{} ({} GPUs): {}", named++ == 0 ? ": " : "; ", run.workload->name(JobId{i}),
                          job.row > 0 && !run.workload->source.starts_with("generated") ? fmt::format(", line {}", job.row) : "", job.gpus,
                          to_text(outcome.reason));
    }
    return text + (run.metrics.never_ran > most ? "; …" : "") + ". jobs.csv lists them with the reason";
  }
};

TY_REGISTER(ScenarioRunner, QueueRunner, "queue",
            "jobs from a trace, a list or a generator on the scenario's machines, under one or several policies");

} // namespace

std::vector<std::string> queue_policies(const Scenario& scenario)
{
  std::vector<std::string> names;
  if (scenario.section<WorkloadSection>("workload") == nullptr)
    return names;
  for (const NamedPart& part : scheduling_of(scenario).policies)
    names.push_back(part.label);
  return names;
}

void inspect_queue(const CheckedPoint& point, const std::string& policy, const InstantVisit& visit)
{
  const Catalogue catalogue = load_catalogue(data_folder());
  std::string notes;
  const PointRun prepared = prepare_point(point, catalogue, notes);
  const std::vector<NamedPart>& policies = prepared.scheduling.policies;
  const auto chosen =
      policy.empty() ? policies.begin() : std::ranges::find_if(policies, [&](const NamedPart& part) { return part.label == policy; });
  if (chosen == policies.end())
    throw InputError{
        fmt::format("there is no policy '{}' in this scenario; it has {}", policy, fmt::join(queue_policies(point.scenario), ", "))};
  const auto queue = Registry<QueuePolicy>::instance().create(chosen->name, chosen->settings);
  const NamedPart& placement = prepared.scheduling.placements.front();
  const auto places =
      prepared.scheduling.machines ? Registry<PlacementPolicy>::instance().create(placement.name, placement.settings) : nullptr;
  SchedulingOptions how = options_of(prepared);
  std::unique_ptr<QueueFaults> failing;
  if (prepared.failures != nullptr)
    failing = std::make_unique<QueueFaults>(*prepared.failures);
  how.events = failing.get();
  try {
    inspect_queue(*prepared.workload, prepared.shape, *queue, places.get(), how, chosen->label, visit);
  } catch (const std::invalid_argument& fault) {
    throw InputError{fmt::format("{}: {}", chosen->label, fault.what())};
  }
}

} // namespace trainyard
