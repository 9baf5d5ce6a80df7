// SPDX-License-Identifier: Apache-2.0
#include "sim/sources/queue/queue_point.hpp"

#include "models/core/closest.hpp"
#include "models/core/figure_text.hpp"
#include "models/scenario/calibrated.hpp"
#include "models/scenario/sections/faults.hpp"
#include "models/scenario/sections/task_environment.hpp"
#include "sim/cluster/machine_view.hpp"
#include "sim/report/table.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <set>

namespace trainyard {
namespace {

constexpr int samples_over_makespan = 300;
/// Every order of so many jobs is tried for the shortest possible makespan.
constexpr int exhaustive_jobs = 8;

std::string policies_table(const std::vector<QueueRun>& runs, bool several_points, bool colour)
{
  std::vector<Column> columns;
  if (several_points)
    columns.push_back({"point", false});
  columns.push_back({"policy", false});
  for (const char* title : {"mean JCT", "p95 JCT", "1st start", "waiting", "p95 waiting", "slowdown", "makespan",
                            "busy", "preempted", "lost GPU-h", "worst share", "Jain"})
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
         {run.label, time_text(Seconds{m.jct_s.mean}), time_text(Seconds{m.jct_s.p95}),
          time_text(Seconds{m.queueing_delay_s.mean}), time_text(Seconds{m.waiting_s.mean}),
          time_text(Seconds{m.waiting_s.p95}), fmt::format("{:.3g}", m.slowdown.mean), time_text(Seconds{m.makespan_s}),
          percent_text(m.utilisation), fmt::format("{}", m.preemptions), fmt::format("{:.3g}", m.lost_gpu_hours),
          fmt::format("{:.3g}", m.finish_time_fairness), fmt::format("{:.2f}", m.jain)})
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

/// ": job 17 (64 GPUs): it needs more than the whole cluster has; …": the first three.
std::string which_never_ran(const std::vector<QueueRun>& runs)
{
  constexpr int most = 3;
  const QueueRun& run = *std::ranges::max_element(runs, {}, [](const QueueRun& one) { return one.metrics.never_ran; });
  std::string text;
  int named = 0;
  for (int i = 0; i < run.workload->size() && named < most; ++i) {
    const JobOutcome& outcome = run.result.jobs[static_cast<std::size_t>(i)];
    if (outcome.phase != JobPhase::impossible && outcome.phase != JobPhase::stalled)
      continue;
    const TraceJob& job = run.workload->job(JobId{i});
    text += fmt::format(
        "{}job {}{} ({} GPUs): {}", named++ == 0 ? ": " : "; ", run.workload->name(JobId{i}),
        job.row > 0 && !run.workload->source.starts_with("generated") ? fmt::format(", line {}", job.row) : "",
        job.gpus, to_text(outcome.reason));
  }
  return text + (run.metrics.never_ran > most ? "; …" : "") + ". jobs.csv lists them with the reason";
}

} // namespace

namespace {

/// Adds the teams of retraining to those of the jobs, because they may have quotas too; says which of them no job
/// belongs to.
std::string add_teams(Workload& workload, const TaskEnvironmentSection& retraining)
{
  std::set<int> known;
  std::vector<std::string> names;
  for (const TraceJob& job : workload.jobs)
    if (known.insert(job.team).second)
      names.push_back(workload.teams.name(job.team));
  std::string notes;
  for (const RetrainedModel& model : retraining.models)
    if (!model.team.empty() && known.insert(workload.teams.index_of(model.team)).second)
      notes += fmt::format("team '{}' has no jobs, only retraining ('{}'){}\n", model.team, model.name,
                           did_you_mean(model.team, names));
  return notes;
}

} // namespace

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

QueuePoint prepare_queue(const CheckedPoint& point, const Catalogue& uncalibrated, std::string& notes)
{
  QueuePoint run;
  run.catalogue = std::make_unique<const Catalogue>(calibrated(uncalibrated, point.scenario));
  const Catalogue& catalogue = *run.catalogue;
  run.scheduling = scheduling_of(point.scenario);
  run.seed = point.scenario.run.seed;
  std::string fresh;
  run.shape = shape_of(point.scenario, catalogue, run.scheduling.machines, fresh);
  PreparedQueue prepared;
  if (const auto* workload = point.scenario.section<WorkloadSection>("workload"); workload != nullptr)
    prepared = workload_of(*workload, run.seed, run.shape.total_gpus());
  fresh += prepared.notes;
  if (const auto* retrained = point.scenario.section<TaskEnvironmentSection>("task_environment");
      retrained != nullptr && retrained->through_queue)
    fresh += add_teams(prepared.workload, *retrained);
  if (notes.find(fresh) == std::string::npos)
    notes += fresh;
  bind_types(prepared.workload, run.shape);
  // Jobs of the scenario that other parts train have the same numbers in every run.
  for (const JobSpec& job : point.scenario.jobs)
    prepared.workload.models.index_of(job.name);
  // Without jobs of its own the queue still knows what others train, and on which links they meet.
  const bool only_others = prepared.workload.jobs.empty() && !point.scenario.jobs.empty();
  if (run.scheduling.step_speed || only_others) {
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
    run.failures = std::make_shared<FaultSchedule>(faults->list, faults->random,
                                                   machine_view(point.scenario, catalogue).domains, run.seed);
  if (run.workload->size() > 0 && run.workload->size() <= exhaustive_jobs)
    run.optimal_makespan = optimal_makespan(problem_of(*run.workload, run.shape), exhaustive_jobs);
  if (run.optimal_makespan && !std::isfinite(*run.optimal_makespan))
    run.optimal_makespan.reset();
  return run;
}

SchedulingOptions options_of(const QueuePoint& point)
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

PolicyRun::PolicyRun(const QueuePoint& point, const NamedPart& policy, const NamedPart& placement) : point_{point}
{
  const SchedulingSection& scheduling = point.scheduling;
  const bool one_policy = scheduling.policies.size() == 1 && scheduling.placements.size() > 1;
  label_ = one_policy ? placement.label : policy.label;
  if (scheduling.placements.size() > 1 && !one_policy)
    label_ += " on " + placement.label;
  policy_ = Registry<QueuePolicy>::instance().create(policy.name, policy.settings);
  if (scheduling.machines)
    placement_ = Registry<PlacementPolicy>::instance().create(placement.name, placement.settings);
  // Every policy gets the same failures.
  if (point.failures != nullptr)
    failing_ = std::make_unique<QueueFaults>(*point.failures);
  how_ = options_of(point);
  how_.record_waits = how_.record_runs = point.workload->size() <= most_listed_jobs && !point.figures_only;
  how_.events = failing_.get();
}

QueueRun PolicyRun::alone()
{
  try {
    return finish(simulate_queue(*point_.workload, point_.shape, *policy_, placement_.get(), how_));
  } catch (const std::invalid_argument& fault) {
    throw InputError{fmt::format("{}: {}", label_, fault.what())};
  }
}

QueueSource& PolicyRun::beside_others(NodePool& machines, Workload* growing)
{
  try {
    source_ =
        std::make_unique<QueueSource>(*point_.workload, point_.shape, *policy_, *placement_, how_, machines, growing);
  } catch (const std::invalid_argument& fault) {
    throw InputError{fmt::format("{}: {}", label_, fault.what())};
  }
  return *source_;
}

QueueRun PolicyRun::finish(SchedulingResult result)
{
  QueueRun run;
  run.label = label_;
  run.workload = point_.workload;
  run.result = std::move(result);
  run.gpus = point_.shape.total_gpus();
  run.costs = point_.costs;
  if (run.result.sent.empty())
    run.optimal_makespan = point_.optimal_makespan; // of the listed jobs
  for (const NodeShape& node : point_.shape.nodes) {
    run.node_gpus.push_back(node.gpus);
    run.node_names.push_back(node.name);
  }
  if (failing_ != nullptr)
    run.failures = failing_->log();
  run.metrics = queue_metrics(run.label, *run.workload, run.result, run.gpus, run.costs);
  run.series = queue_series(*run.workload, run.result, how_.record_runs ? samples_over_makespan : 0, run.node_gpus,
                            run.gpus, run.costs);
  for (const QueueSample& sample : run.series)
    run.metrics.fragmentation += sample.fragmentation / static_cast<double>(run.series.size());
  return run;
}

RunReport queue_report(const std::vector<CheckedPoint>& points, const std::shared_ptr<std::vector<QueueRun>>& runs,
                       const std::string& notes, bool colour)
{
  RunReport report;
  const Scenario& scenario = points.front().scenario;
  const bool several_points = points.size() > 1;
  const QueueRun& first = runs->front();
  const std::string advice = several_points ? std::string{} : advice_of(*runs);
  const auto sent = static_cast<int>(first.result.sent.size());
  report.text = fmt::format("{}: {}\n{} jobs{} on {} GPUs · seed {}\n{}\n{}", scenario.name, scenario.description,
                            first.workload->size() - sent, sent > 0 ? " and those of retraining" : "", first.gpus,
                            scenario.run.seed, notes, policies_table(*runs, several_points, colour));
  if (first.optimal_makespan && !several_points)
    report.text += fmt::format(
        "over optimum: relative to {}, the shortest makespan of any order without preemption (all orders tried)\n",
        time_text(Seconds{*first.optimal_makespan}));
  if (!advice.empty())
    report.text += "\n" + advice + "\n";
  int never = 0, open = 0;
  for (const QueueRun& run : *runs) {
    never = std::max(never, run.metrics.never_ran);
    open = std::max(open, run.metrics.jobs - run.metrics.finished - run.metrics.never_ran - run.metrics.withdrawn);
  }
  if (open > 0)
    report.text += fmt::format(
        "\n{} of the jobs had not ended when the run did (run: {{until: …}}); times are means over those that had\n",
        open);
  if (never > 0) {
    report.exit_code = 3;
    report.text += fmt::format("\n{} of the jobs can never run here or did not run{}\n", never, which_never_ran(*runs));
  }
  report.summary = queue_summary(scenario, *runs, notes, advice);
  report.files = queue_files(runs);
  return report;
}

} // namespace trainyard
