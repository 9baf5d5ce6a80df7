// SPDX-License-Identifier: Apache-2.0
#include "sim/sources/queue/queue_point.hpp"

#include "models/core/closest.hpp"
#include "models/core/figure_text.hpp"
#include "models/core/input_file.hpp"
#include "models/core/text.hpp"
#include "models/parallel/layout.hpp"
#include "models/scenario/calibrated.hpp"
#include "models/scenario/sections/faults.hpp"
#include "models/scenario/sections/task_environment.hpp"
#include "sim/cluster/machine_view.hpp"
#include "sim/report/document_head.hpp"
#include "sim/report/table.hpp"
#include "sim/sources/queue/site_rules.hpp"
#include "sim/step/training/divided.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <functional>
#include <ranges>
#include <set>
#include <tuple>

namespace trainyard {
namespace {

constexpr int samples_over_makespan = 300;
/// Every order of so many jobs is tried for the shortest possible makespan.
constexpr int exhaustive_jobs = 8;

constexpr Sentence<Figure> relative_to{
    "queue.relative_to", "over optimum: relative to {time}, the shortest makespan of any order without preemption (all "
                         "orders tried)"};
constexpr Sentence<std::int64_t, std::string> killed_at_limit{
    "queue.killed_at_limit", "{jobs} of the jobs were killed at their limit under {policy} and are not done, although "
                             "they count as ended; jobs.csv lists them"};

bool shares_space(const NamedPart& policy)
{
  return policy.name == "gavel" && policy.settings.flag("space_sharing", false);
}

/// A row per policy and point.
void tell_policies(const std::vector<QueueRun>& runs, bool several_points, Telling& told)
{
  const auto any = [&](auto holds) { return std::ranges::any_of(runs, holds); };
  const auto largest = [&](auto value) { // one unit in a column
    return Seconds{std::ranges::max(runs | std::views::transform(value))};
  };
  const auto time = [&](Distribution QueueMetrics::*of, double Distribution::*part) {
    const Seconds most = largest([=](const QueueRun& run) { return run.metrics.*of.*part; });
    return [=](const QueueRun& run) {
      const Distribution& values = run.metrics.*of;
      return values.values > 0 ? time_text(Seconds{values.*part}, most) : "";
    };
  };
  const auto ended = [](auto text) {
    return [=](const QueueRun& run) { return run.metrics.finished > 0 ? text(run.metrics) : std::string{}; };
  };
  const Seconds longest = largest([](const QueueRun& run) { return run.metrics.makespan_s; });
  using Run = QueueRun;
  using Metrics = QueueMetrics;
  tell_table<Run>(
      runs,
      {{{"point", false}, &Run::point, several_points},
       {{"policy", false}, &Run::label},
       {{"ended"},
        [](const Run& run) { return fmt::format("{} of {}", run.metrics.finished, run.metrics.jobs); },
        any([](const Run& run) { return !run.metrics.verdict.answers(); })},
       {{"mean JCT"}, time(&Metrics::jct_s, &Distribution::mean)},
       {{"p95 JCT"}, time(&Metrics::jct_s, &Distribution::p95)},
       {{"1st start"}, time(&Metrics::queueing_delay_s, &Distribution::mean)},
       {{"waiting"}, time(&Metrics::waiting_s, &Distribution::mean)},
       {{"p95 waiting"}, time(&Metrics::waiting_s, &Distribution::p95)},
       {{"p99 waiting"}, time(&Metrics::waiting_s, &Distribution::p99)},
       {{"slowdown"}, ended([](const Metrics& m) { return fmt::format("{:.3g}", m.slowdown.mean); })},
       {{"makespan"}, ended([=](const Metrics& m) { return time_text(Seconds{m.makespan_s}, longest); })},
       {{"busy"}, [](const Run& run) { return percent_text(run.metrics.utilisation); }},
       {{"preempted"}, [](const Run& run) { return fmt::format("{}", run.metrics.preemptions); }},
       {{"lost GPU-h"}, [](const Run& run) { return fmt::format("{:.3g}", run.metrics.lost_gpu_hours); }},
       {{"worst share"}, ended([](const Metrics& m) { return fmt::format("{:.3g}", m.finish_time_fairness); })},
       {{"Jain"}, ended([](const Metrics& m) { return fmt::format("{:.2f}", m.jain); })},
       {{"late"},
        [](const Run& run) { return fmt::format("{} of {}", run.metrics.late, run.metrics.with_deadline); },
        any([](const Run& run) { return run.metrics.with_deadline > 0; })},
       {{"over optimum"},
        [](const Run& run) {
          return run.optimal_makespan && *run.optimal_makespan > 0
                     ? fmt::format("{:+.1f} %", 100 * (run.metrics.makespan_s / *run.optimal_makespan - 1))
                     : "";
        },
        any([](const Run& run) { return run.optimal_makespan.has_value(); })},
       {{"out of memory"},
        [](const Run& run) { return fmt::format("{}", run.metrics.out_of_memory); },
        any([](const Run& run) { return run.metrics.out_of_memory > 0; })}},
      told);
}

/// The jobs that can never run, or that the policy has withdrawn; who took back jobs that it sent did so itself.
std::vector<int> never_ran(const QueueRun& run)
{
  std::vector<int> jobs;
  for (int i = 0; i < run.workload->size(); ++i) {
    const JobPhase phase = run.result.jobs[static_cast<std::size_t>(i)].phase;
    if (phase == JobPhase::impossible || phase == JobPhase::stalled ||
        (phase == JobPhase::withdrawn && !std::ranges::binary_search(run.result.sent, JobId{i})))
      jobs.push_back(i);
  }
  return jobs;
}

/// "2 of the jobs can never run here or did not run: job 17 (64 GPUs): it needs more than the whole cluster has; …":
/// the first three under the policy with most of them; empty where there are none.
std::string which_never_ran(const std::vector<QueueRun>& runs)
{
  constexpr int most = 3;
  std::vector<std::vector<int>> lists;
  std::ranges::transform(runs, std::back_inserter(lists), never_ran);
  const auto longest = std::ranges::max_element(lists, {}, &std::vector<int>::size);
  const QueueRun& run = runs[static_cast<std::size_t>(longest - lists.begin())];
  if (longest->empty())
    return {};
  std::string text = fmt::format("\n{} of the jobs can never run here or did not run", longest->size());
  int named = 0;
  for (const int i : *longest | std::views::take(most)) {
    const TraceJob& job = run.workload->job(JobId{i});
    text += fmt::format(
        "{}job {}{} ({} GPUs): {}", named++ == 0 ? ": " : "; ", run.workload->name(JobId{i}),
        job.row > 0 && !run.workload->source.starts_with("generated") ? fmt::format(", line {}", job.row) : "",
        job.gpus,
        why_unfinished(job, run.result.jobs[static_cast<std::size_t>(i)], run.result).value_or(std::string{}));
  }
  return text + (longest->size() > most ? "; …" : "") + ". jobs.csv lists them with the reason";
}

/// What is sure of the figures of the table, where steps decide them.
void tell_ends(const std::vector<QueueRun>& runs, Telling& told)
{
  TableRows rows;
  for (const QueueRun& run : runs)
    if (!run.ends.empty())
      rows.push_back(row_of(run.point.empty() ? run.label : run.point + ", " + run.label, run.ends));
  if (rows.empty())
    return;
  told.gap();
  told.table(columns_of_ends(), rows);
  for (const Message& kind : errors_told(runs.front().step_errors))
    told.say(kind);
}

/// "had not ended when the run did (…): 282 of 1829 jobs under las, 289 under quotas; …"; empty where all have ended.
std::string open_text(const std::vector<QueueRun>& runs, bool several_points)
{
  const auto open = [](const QueueRun& run) {
    const QueueMetrics& m = run.metrics;
    return m.jobs - m.finished - m.never_ran - m.withdrawn;
  };
  if (std::ranges::none_of(runs, [&](const QueueRun& run) { return open(run) > 0; }))
    return {};
  std::string text = "\nhad not ended when the run did (run: {until: …}): ";
  for (const QueueRun& run : runs) {
    text += fmt::format("{}{} of {} jobs", &run == &runs.front() ? "" : ", ", open(run), run.metrics.jobs);
    if (runs.size() > 1)
      text += fmt::format(" under {}{}", run.label, several_points ? " at " + run.point : "");
  }
  return text + "; mean JCT, slowdown and makespan are over those that had, waiting counts the others so far\n";
}

} // namespace

namespace {

/// "a, b, c, …": the first five.
std::string few_of(const std::vector<std::string>& names)
{
  constexpr std::size_t most = 5;
  const std::vector<std::string> first{names.begin(),
                                       names.begin() + static_cast<std::ptrdiff_t>(std::min(most, names.size()))};
  return fmt::format("{}{}", fmt::join(first, ", "), names.size() > most ? ", …" : "");
}

constexpr Sentence<std::string, std::string, std::string, Messages> without_jobs{
    "queue.team_without_jobs",
    "{place}: team '{team}' has no jobs in the queue, only the retraining of '{model}'{more}"};
constexpr Sentence<std::string> meant{"queue.meant", "; did you mean '{name}'?"};
constexpr Sentence<std::string> teams_are{"queue.teams_are", "; teams with jobs: {teams}"};

/// Adds the teams of retraining to those of the jobs, because they may have quotas too. A warning for each that no job
/// belongs to: its name may be a mistake.
std::vector<Diagnostic> add_teams(Workload& workload, const TaskEnvironmentSection& retraining)
{
  std::set<int> known;
  std::vector<std::string> names;
  for (const TraceJob& job : workload.jobs)
    if (known.insert(job.team).second && job.team != 0)
      names.push_back(workload.teams.name(job.team));
  std::ranges::sort(names);
  Diagnostics doubts;
  for (std::size_t i = 0; i < retraining.models.size(); ++i) {
    const RetrainedModel& model = retraining.models[i];
    if (model.team.empty() || !known.insert(workload.teams.index_of(model.team)).second)
      continue;
    const std::string path = fmt::format("task_environment.models.{}.team", i);
    const std::optional<std::string> nearest = closest(model.team, names);
    doubts.warning({.path = path}, without_jobs(path, model.team, model.name,
                                                names.empty() ? Messages{}
                                                : nearest     ? Messages{meant(*nearest)}
                                                              : Messages{teams_are(few_of(names))}));
  }
  return doubts.sorted();
}

/// Run times of listed jobs that give steps, with the errors of these, and that divided transformers fit where they ask
/// to run; returns a line for each kind of these.
std::string time_steps(Workload& workload, const Scenario& scenario, StepSpeed& speed, DividedSpeeds& divided_speeds,
                       std::vector<ModelError>& errors)
{
  const auto* section = scenario.section<WorkloadSection>("workload");
  static const std::map<std::string, double> none;
  const std::map<std::string, double>& given = section != nullptr ? section->steps : none;
  std::string notes;
  std::set<std::pair<int, int>> told;
  std::map<std::tuple<int, int, int>, ModelError> errors_of;
  for (int index = 0; index < workload.size(); ++index) {
    TraceJob& job = workload.jobs[static_cast<std::size_t>(index)];
    const auto spec = std::ranges::find(scenario.jobs, workload.models.name(job.model), &JobSpec::name);
    const auto steps = given.empty() ? given.end() : given.find(workload.name(JobId{index}));
    const bool timed = steps != given.end();
    const bool divided = spec != scenario.jobs.end() && spec->training.parallel != nullptr;
    if (job.gpus == 0 || (!timed && !divided))
      continue;
    const ParallelLayout* divides = divided ? spec->training.parallel.get() : nullptr;
    try {
      if (divides != nullptr && job.elastic())
        take_sizes(workload, job, scenario, *divides, speed);
      const double step = speed.reference(workload, job);
      if (timed) {
        job.duration = Seconds{steps->second * step};
        job.estimate = job.estimate > Instant{} ? job.estimate : job.duration;
        errors.resize(workload.jobs.size());
        const auto [known, fresh] = errors_of.try_emplace({job.model, job.gpus, job.reference_type});
        if (fresh)
          known->second = speed.error_of(workload, job);
        errors[static_cast<std::size_t>(index)] = known->second;
      }
      if (divides == nullptr || !told.emplace(job.model, job.gpus).second)
        continue;
      const ParallelLayout layout = with_replicas(*divides, job.gpus / (divides->tp * divides->pp * divides->cp));
      const double tokens = 1.0 * layout.global_batch * divided_tokens(*spec) / step;
      divided_speeds[{job.model, job.gpus}] = tokens;
      notes += fmt::format("{} on {} GPUs: {}, {}, step {} alone, {} tokens/s\n", spec->name, job.gpus, spec->model,
                           to_text(layout), time_text(Seconds{step}), rate_text(tokens));
    } catch (const std::exception& fault) {
      const auto* input = dynamic_cast<const InputError*>(&fault); // its text would say "error:" once more
      const std::string why =
          input != nullptr && !input->diagnostics().empty() ? input->diagnostics().front().message : fault.what();
      throw fault_at("workload.jobs", fmt::format("job {} cannot run: {}", workload.name(JobId{index}), why));
    }
  }
  return notes;
}

/// Gives the workload the rules of Slurm and the quotas of Kueue; says where policies do not read them.
std::string bind_systems(const Scenario& scenario, const SchedulingSection& scheduling, Workload& workload,
                         ClusterShape& shape)
{
  if (const auto* rules = scenario.section<BatchRules>("slurm"); rules != nullptr)
    bind_rules(workload, shape, std::make_shared<const BatchRules>(*rules));
  if (const auto* rules = scenario.section<KueueRules>("kueue"); rules != nullptr) {
    bind_quotas(workload, shape, std::make_shared<const KueueRules>(*rules));
    if (const auto* retrained = scenario.section<TaskEnvironmentSection>("task_environment");
        retrained != nullptr && retrained->through_queue)
      for (std::size_t i = 0; i < retrained->models.size(); ++i)
        if (retrained->models[i].team.empty())
          throw fault_at(fmt::format("task_environment.models.{}", i),
                         "its retraining needs a cluster queue of the section kueue; give it one: team: NAME");
  }
  return unread_rules(scenario, scheduling);
}

/// Gives the workload the goodput of its models; returns what a reader has to know of it.
std::string goodput_for(Workload& workload, const WorkloadSection& section, const QueuePoint& run)
{
  if (run.scheduling.step_speed || run.scheduling.sharing)
    throw fault_at("workload.goodput",
                   "the speeds of measured steps are those of whole GPUs; remove scheduling: speed: "
                   "step and gpu_sharing");
  return bind_goodput(workload, section.goodput, section.reference_gpu, run.shape);
}

/// A line for each policy that looks at types of GPU, where nothing says how fast they are.
std::string equally_fast(const SchedulingSection& scheduling)
{
  std::string notes;
  for (const NamedPart& policy : scheduling.policies)
    if (policy.name == "gavel" || policy.name == "allox" || policy.name == "sia")
      notes += fmt::format("{}: all types of GPU count as equally fast; workload: {{throughputs: FILE}} or "
                           "scheduling: {{speed: step}} says how fast they are\n",
                           policy.label);
  return notes;
}

/// A line for each policy that counts GPUs over partitions, as the real one does.
std::string counts_all(const Workload& workload, const SchedulingSection& scheduling)
{
  std::string notes;
  if (workload.demands.size() > 2) // the first: any machine
    for (const NamedPart& policy : scheduling.policies)
      if (policy.name == "volcano")
        notes +=
            fmt::format("{}: what queues deserve and who is let in counts the GPUs of all machines, as in Volcano; "
                        "a job may wait beside idle machines of its own; a larger overcommit lets it in\n",
                        policy.label);
  return notes;
}

/// A line for each policy that would plan with goodput, where there is none.
std::string unmeasured(const SchedulingSection& scheduling)
{
  std::string notes;
  for (const NamedPart& policy : scheduling.policies)
    if (policy.name == "pollux" || policy.name == "optimus" || policy.name == "sia")
      notes +=
          fmt::format("{}: plans as if the speed of a job were in proportion to its GPUs; workload: {{goodput: …}} "
                      "gives it measured steps\n",
                      policy.label);
  return notes;
}

/// Whether the speeds of elastic jobs on all of their sizes are known: divided transformers.
bool knows_all_sizes(const Workload& workload)
{
  return workload.sizes.size() > 1 &&
         std::ranges::all_of(workload.jobs, [](const TraceJob& job) { return !job.elastic() || job.sizes > 0; });
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

namespace {

/// Who says how fast jobs run: their training steps, what shares a GPU, and for gavel the pairs of its table.
void add_speeds(QueuePoint& run, Workload& workload, const Scenario& scenario, const std::string& reference,
                const std::function<void(const std::string&)>& add_note)
{
  // Without jobs of its own the queue still knows what others train, and on which links they meet.
  const bool only_others = workload.jobs.empty() && !scenario.jobs.empty();
  if (run.scheduling.step_speed || only_others) {
    Diagnostics faults;
    run.machines = prepare(scenario, *run.catalogue, faults);
    faults.throw_if_errors();
    const auto templates = templates_of(scenario, workload);
    if (run.scheduling.sharing)
      fill_gpu_memory(workload, templates, *run.catalogue, run.shape);
    run.step_speed = std::make_unique<StepSpeed>(*run.machines, *run.catalogue);
    DividedSpeeds divided;
    const std::string seen = time_steps(workload, scenario, *run.step_speed, divided, run.step_errors);
    run.known_checkpoints = known_checkpoints(workload, *run.machines, *run.step_speed);
    if (!divided.empty())
      run.divided = std::make_shared<const DividedSpeeds>(std::move(divided));
    if (run.scheduling.step_speed && !knows_all_sizes(workload))
      add_note(unmeasured(run.scheduling));
    add_note(seen);
    if (fidelity_of_steps(scenario) == "closed_form")
      add_note("at fidelity closed_form jobs that share links do not slow each other's collectives; use --fidelity "
               "fluid\n");
    if (run.scheduling.step_speed && !workload.jobs.empty())
      speeds_from_steps(workload, run.shape, reference, *run.step_speed);
  }
  if (run.scheduling.sharing) {
    const int links = run.machines != nullptr ? static_cast<int>(run.machines->cluster.links().size()) : 0;
    run.shared_speed = std::make_unique<SharedGpuSpeed>(run.step_speed.get(), links, run.scheduling.sharing->by_memory,
                                                        run.scheduling.sharing->switch_loss);
  }
  if (std::ranges::any_of(run.scheduling.policies, shares_space)) {
    if (run.step_speed != nullptr || run.shared_speed != nullptr)
      throw fault_at("scheduling",
                     "space_sharing of gavel takes the speeds of pairs from workload: {throughputs: FILE}; "
                     "remove speed: step and gpu_sharing");
    run.shared_speed = std::make_unique<PairSpeed>();
  }
}

} // namespace

namespace {

/// Throws where a process that fails is no job; other parts of a scenario have processes of their own.
void check_named_jobs(const Scenario& scenario, const FaultsSection& faults, const Workload& workload)
{
  if (scenario.sections.contains("services") || scenario.sections.contains("task_environment"))
    return;
  std::vector<std::string> names;
  for (const FaultSpec& fault : faults.list) {
    if (fault.kind != FaultKind::process)
      continue;
    for (int job = static_cast<int>(names.size()); job < workload.size(); ++job)
      names.push_back(workload.name(JobId{job}));
    if (std::ranges::find(names, fault.target) == names.end())
      throw fault_at("faults", fmt::format("there is no job '{}'{}", fault.target, did_you_mean(fault.target, names)));
  }
}

/// Kernels and memory of jobs whose steps are simulated.
void add_steps(const Workload& workload, StepSpeed& speed, QueueCosts& costs)
{
  for (const TraceJob& job : workload.jobs)
    if (const std::pair key{job.model, job.gpus}; !costs.steps.contains(key))
      if (const std::optional<ShownStep> step = speed.shown(workload, job))
        costs.steps[key] = {step->gpu_use, step->reserved.value() / 1048576};
}

} // namespace

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
    prepared = workload_of(*workload, run.seed, run.shape);
  fresh += prepared.notes;
  const auto add_note = [&](const std::string& seen) { // once, whatever the number of points
    if (notes.find(seen) == std::string::npos)
      notes += seen;
  };
  if (prepared.without_times)
    throw fault_at("workload.trace", "the file lists tasks without times, so there is nothing to replay; pack them as "
                                     "they arrive, in random orders: workload: {packing: {}}");
  if (const auto* retrained = point.scenario.section<TaskEnvironmentSection>("task_environment");
      retrained != nullptr && retrained->through_queue)
    run.doubts = add_teams(prepared.workload, *retrained);
  add_note(fresh);
  bind_types(prepared.workload, run.shape);
  label_hosts(prepared.workload, run.shape);
  if (run.scheduling.site)
    bind_site_rules(*run.scheduling.site, prepared.workload);
  add_note(bind_systems(point.scenario, run.scheduling, prepared.workload, run.shape));
  const auto* section = point.scenario.section<WorkloadSection>("workload");
  const std::string reference = section == nullptr ? "" : section->reference_gpu;
  if (prepared.throughputs != nullptr)
    speeds_from_table(prepared, reference, run.shape);
  const bool goodput = section != nullptr && !section->goodput.empty();
  if (goodput)
    add_note(goodput_for(prepared.workload, *section, run));
  else if (!run.scheduling.step_speed)
    add_note(unmeasured(run.scheduling));
  if (prepared.throughputs == nullptr && !goodput && !run.scheduling.step_speed && !reference.empty())
    add_note("workload.reference_gpu has no effect: without throughputs, goodput or speed: step, run times are the "
             "same on every type of GPU\n");
  // Jobs of the scenario that other parts train have the same numbers in every run.
  for (const JobSpec& job : point.scenario.jobs)
    prepared.workload.models.index_of(job.name);
  add_speeds(run, prepared.workload, point.scenario, reference, add_note);
  if (goodput && run.shared_speed == nullptr)
    run.shared_speed = std::make_unique<GoodputSpeed>();
  if (const auto* workload = point.scenario.section<WorkloadSection>("workload");
      workload != nullptr && !workload->steps.empty() && run.step_speed == nullptr)
    throw fault_at("workload.jobs", "jobs with 'steps' need the time of a step: write scheduling: {speed: step}, and a "
                                    "job of the scenario as their 'model'");
  if (types_with_gpus(run.shape).size() > 1 && prepared.workload.type_speed.empty())
    notes += equally_fast(run.scheduling);
  notes += counts_all(prepared.workload, run.scheduling);
  run.recorded_waits = std::move(prepared.recorded_waits);
  run.measured = section == nullptr ? std::nullopt : section->measured;
  if (run.measured && prepared.workload.size() > 0)
    static_cast<void>(window_of(*run.measured, prepared.workload));
  if (point.scenario.run.until > Instant{0})
    run.until = point.scenario.run.until;
  run.costs = costs_of(point.scenario, catalogue, run.shape);
  if (run.scheduling.step_speed && run.step_speed != nullptr)
    add_steps(prepared.workload, *run.step_speed, run.costs);
  run.workload = std::make_shared<const Workload>(std::move(prepared.workload));
  if (const auto* faults = point.scenario.section<FaultsSection>("faults"); faults != nullptr) {
    check_named_jobs(point.scenario, *faults, *run.workload);
    run.failures = std::make_shared<FaultSchedule>(faults->list, faults->random,
                                                   machine_view(point.scenario, catalogue).domains, run.seed);
  }
  // Jobs that change their size may end before any order of jobs of fixed sizes, and GPUs are counted over machines
  // that are closed to some jobs.
  if (run.workload->size() > 0 && run.workload->size() <= exhaustive_jobs &&
      std::ranges::none_of(run.workload->jobs,
                           [](const TraceJob& job) { return job.elastic() || job.demands != 0 || job.task_list != 0; }))
    if (const auto best = optimal_makespan(problem_of(*run.workload, run.shape), exhaustive_jobs);
        best && is_finite(*best))
      run.optimal_makespan = (*best - run.workload->jobs.front().submit).value();
  return run;
}

InputError refused(const SchedulingSection& scheduling, const NamedPart& policy, const std::string& run,
                   const std::invalid_argument& fault)
{
  const auto* setting = dynamic_cast<const SettingFault*>(&fault);
  if (setting == nullptr)
    return InputError{fmt::format("{}: {}", run, fault.what())};
  const auto number =
      std::ranges::find(scheduling.policies, policy.label, &NamedPart::label) - scheduling.policies.begin();
  const std::string path = scheduling.lists_policies ? fmt::format("scheduling.policies.{}.{}", number, setting->key())
                                                     : "scheduling.policy." + setting->key();
  return fault_at(path, fault.what());
}

SchedulingOptions options_of(const QueuePoint& point)
{
  const SchedulingSection& scheduling = point.scheduling;
  SchedulingOptions how;
  how.policy_period = scheduling.policy_period;
  how.kill_at_estimate = scheduling.kill_at_estimate;
  how.start_cost = scheduling.start_cost;
  how.checkpoint_cost = scheduling.checkpoint_cost;
  if (scheduling.checkpoint_stall)
    how.checkpoint_stall = Instant{*scheduling.checkpoint_stall};
  how.known_checkpoints = point.known_checkpoints;
  how.save_before_release = scheduling.save_before_release;
  how.restart_cost = scheduling.restart_cost;
  how.checkpoint_interval = scheduling.checkpoint_interval;
  how.shrink_after_failure = scheduling.shrink_after_failure;
  how.seed = point.seed;
  how.speed = point.speed();
  if (scheduling.sharing) {
    how.isolated_memory = scheduling.sharing->isolated_memory;
    how.out_of_memory_after = scheduling.sharing->out_of_memory_after;
    how.out_of_memory_tries = scheduling.sharing->out_of_memory_tries;
  }
  return how;
}

PolicyRun::PolicyRun(const QueuePoint& point, const NamedPart& policy, const NamedPart& placement,
                     std::unique_ptr<QueuePolicy> own)
    : point_{point}, named_{policy}, policy_{std::move(own)}
{
  const SchedulingSection& scheduling = point.scheduling;
  const bool one_policy = scheduling.policies.size() == 1 && scheduling.placements.size() > 1;
  label_ = one_policy ? placement.label : policy.label;
  if (scheduling.placements.size() > 1 && !one_policy)
    label_ += " on " + placement.label;
  if (policy_ == nullptr)
    policy_ = Registry<QueuePolicy>::instance().create(policy.name, policy.settings);
  if (scheduling.site)
    policy_ = under_site_rules(std::move(policy_), *scheduling.site);
  if (scheduling.machines)
    placement_ = Registry<PlacementPolicy>::instance().create(placement.name, placement.settings);
  // Every policy gets the same failures.
  if (point.failures != nullptr)
    failing_ = std::make_unique<QueueFaults>(*point.failures);
  how_ = options_of(point);
  how_.record_waits = how_.record_runs = point.workload->size() <= most_listed_jobs && !point.figures_only;
  how_.record_runs = how_.record_runs || point.measured.has_value();
  how_.events = failing_.get();
}

QueueRun PolicyRun::alone()
{
  while (step())
    ;
  return finish(queue_->result());
}

std::optional<Instant> PolicyRun::step()
{
  try {
    how_.until = point_.until;
    if (queue_ == nullptr)
      queue_ = std::make_unique<QueueAlone>(*point_.workload, point_.shape, *policy_, placement_.get(), how_);
    return queue_->step();
  } catch (const std::invalid_argument& fault) {
    throw refused(point_.scheduling, named_, label_, fault);
  }
}

QueueSource& PolicyRun::beside_others(NodePool& machines, Workload* growing)
{
  try {
    source_ =
        std::make_unique<QueueSource>(*point_.workload, point_.shape, *policy_, *placement_, how_, machines, growing);
  } catch (const std::invalid_argument& fault) {
    throw refused(point_.scheduling, named_, label_, fault);
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
  run.divided = point_.divided;
  if (run.result.sent.empty())
    run.optimal_makespan = point_.optimal_makespan; // of the listed jobs
  for (const NodeShape& node : point_.shape.nodes) {
    run.node_gpus.push_back(node.gpus);
    run.node_names.push_back(node.name);
  }
  if (failing_ != nullptr)
    run.failures = failing_->log();
  run.history = history_of(*run.workload, run.result, point_.recorded_waits);
  if (point_.measured && run.workload->size() > 0) {
    run.measured = window_of(*point_.measured, *run.workload, run.result);
    run.metrics = metrics_in(*run.measured, run.label, *run.workload, run.result, run.gpus, run.costs);
  } else {
    run.metrics = queue_metrics(run.label, *run.workload, run.result, run.gpus, run.costs);
  }
  if (run.metrics.verdict.answers() && run.result.impossible + run.result.stalled > 0) // outside the measured window
    run.metrics.verdict = queue_metrics(run.label, *run.workload, run.result, run.gpus, run.costs).verdict;
  if (run.measured || !run.metrics.verdict.answers())
    run.optimal_makespan.reset(); // that of all jobs: what only some of them take says nothing beside it
  run.series = queue_series(*run.workload, run.result, how_.record_runs ? samples_over_makespan : 0, run.node_gpus,
                            run.gpus, run.costs);
  for (const QueueSample& sample : run.series)
    run.metrics.fragmentation += sample.fragmentation / static_cast<double>(run.series.size());
  return run;
}

RunReport queue_report(const std::vector<CheckedPoint>& points, const std::shared_ptr<std::vector<QueueRun>>& runs,
                       const std::string& notes)
{
  RunReport report;
  Telling& told = report.told;
  const Scenario& scenario = points.front().scenario;
  const bool several_points = points.size() > 1;
  const QueueRun& first = runs->front();
  report.summary = queue_summary(scenario, *runs, notes);
  const Messages advice = several_points ? Messages{} : advice_of(*runs);
  report.conclude(advice);
  const auto sent = static_cast<int>(first.result.sent.size());
  told.heading(heading(scenario.name, scenario.description));
  told.lines(fmt::format("{}{} on {} · {}seed {}\n{}\n", counted(first.workload->size() - sent, "job"),
                         sent > 0 ? " and those of retraining" : "", counted(first.gpus, "GPU"),
                         fidelity_told(scenario), scenario.run.seed, notes));
  tell_policies(*runs, several_points, told);
  tell_ends(*runs, told);
  for (const QueueRun& run : *runs)
    if (run.history && !several_points)
      told.lines(run.history->text(run.label));
  if (first.measured)
    told.lines(first.measured->text(first.workload->size()));
  const auto best = std::ranges::find_if(*runs, [](const QueueRun& run) { return run.optimal_makespan.has_value(); });
  if (best != runs->end() && !several_points) {
    const double shortest = best->optimal_makespan.value_or(0);
    told.say(relative_to({shortest, time_text(Seconds{shortest})}));
  }
  tell_answers(advice, told);
  told.lines(open_text(*runs, several_points));
  if (const std::string never = which_never_ran(*runs); !never.empty()) {
    report.exit_code = 3;
    told.lines(never);
  }
  if (const auto most = std::ranges::max_element(*runs, {}, [](const QueueRun& run) { return run.metrics.killed; });
      most->metrics.killed > 0)
    told.line(killed_at_limit(most->metrics.killed, most->label), "\n");
  report.files = queue_files(runs);
  return report;
}

} // namespace trainyard
