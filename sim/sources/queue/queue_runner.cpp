// SPDX-License-Identifier: Apache-2.0
#include "models/cluster/build.hpp"
#include "models/core/data_folder.hpp"
#include "models/core/figure_text.hpp"
#include "models/core/interrupt.hpp"
#include "models/core/text.hpp"
#include "models/scenario/sections/faults.hpp"
#include "sim/cluster/machine_view.hpp"
#include "sim/sources/queue/queue_faults.hpp"
#include "sim/sources/queue/queue_inspection.hpp"
#include "sim/sources/queue/queue_point.hpp"
#include "sim/sources/queue/queue_report.hpp"
#include "sim/sources/queue/queue_setup.hpp"
#include "sim/sources/queue/scheduling.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace trainyard {
namespace {

class QueueRunner final : public ScenarioRunner
{
public:
  ReadParts parts() const override
  {
    const auto of_cluster = [](const Scenario& scenario) {
      return !scenario.section<WorkloadSection>("workload")->machines;
    };
    ReadParts parts{"workload",
                    {{"scheduling"},
                     {"slurm"},
                     {"kueue"},
                     {"faults"},
                     {"cluster", of_cluster, "without workload: {machines: FILE}"}}};
    for (ReadPart& part : training_parts([](const Scenario& scenario) { return scheduling_of(scenario).step_speed; },
                                         "with scheduling: {speed: step}"))
      parts.others.push_back(std::move(part));
    return parts;
  }

  void check(const Scenario& scenario, const Catalogue& catalogue, Diagnostics& diagnostics) const override
  {
    const auto* workload = scenario.section<WorkloadSection>("workload");
    const auto* scheduling = scenario.section<SchedulingSection>("scheduling");
    if (workload == nullptr || !workload->machines) {
      const Cluster cluster = build_cluster(scenario.cluster, catalogue.links, diagnostics);
      const bool counted = scheduling != nullptr && !scheduling->machines;
      const bool without_gpus =
          workload != nullptr && workload->listed &&
          std::ranges::all_of(workload->listed->jobs, [](const TraceJob& job) { return job.gpus == 0; });
      if (!diagnostics.has_errors() && cluster.gpus() == 0 && (counted || !without_gpus))
        diagnostics.error({.path = "cluster"}, "the cluster has no GPUs for the queue");
      if (const auto* faults = scenario.section<FaultsSection>("faults");
          faults != nullptr && !diagnostics.has_errors())
        check_queue_faults(faults->list, faults->random, machine_view(scenario, catalogue).domains, !counted,
                           scenario.file, diagnostics);
    } else if (scenario.section<FaultsSection>("faults") != nullptr) {
      diagnostics.error(
          {.path = "faults"},
          "faults: need the machines of a 'cluster'; machines from a file have no racks and switches to fail");
    } else if (scheduling != nullptr && scheduling->step_speed) {
      diagnostics.error({.path = "scheduling.speed"},
                        "speed: step needs the network of a 'cluster'; machines from a file have none");
    }
    check_models(scenario, diagnostics);
    if (scheduling == nullptr || diagnostics.has_errors())
      return;
    const auto creates = [&](const char* what, const char* path, const NamedPart& part, const auto& create) {
      try {
        create();
      } catch (const std::invalid_argument& fault) {
        diagnostics.error({.path = path}, fmt::format("{} '{}': {}", what, part.label, fault.what()));
      }
    };
    for (const NamedPart& policy : scheduling->policies)
      creates("queue policy", scheduling->lists_policies ? "scheduling.policies" : "scheduling.policy", policy,
              [&] { Registry<QueuePolicy>::instance().create(policy.name, policy.settings); });
    for (const NamedPart& placement : scheduling->placements)
      creates("placement policy", "scheduling.placements", placement,
              [&] { Registry<PlacementPolicy>::instance().create(placement.name, placement.settings); });
    if (!scheduling->machines && scheduling->placements.size() > 1)
      diagnostics.error({.path = "scheduling.cluster"},
                        "cluster: pool has no machines, so all placements would be the same; write cluster: machines");
    if (!scheduling->machines && scheduling->sharing)
      diagnostics.error({.path = "scheduling.gpu_sharing"}, "gpu_sharing needs machines; remove cluster: pool");
  }

  Outline outline(const std::vector<CheckedPoint>& points, const Catalogue& catalogue,
                  Diagnostics& diagnostics) const override
  {
    std::string notes;
    std::string text;
    Verdict verdict;
    for (const CheckedPoint& point : points) {
      const QueuePoint prepared = prepare_queue(point, catalogue, notes);
      for (const Diagnostic& doubt : prepared.doubts)
        diagnostics.add(doubt);
      const NeverRun never = check_policies(prepared);
      std::string jobs = outline_of(prepared, end_of(point.scenario));
      if (never.jobs.empty()) {
        jobs += "; the machines can hold each of them\n";
      } else {
        verdict = {.ruling = Ruling::cannot_run,
                   .over = prepared.workload->size(),
                   .left_out = static_cast<std::int64_t>(never.jobs.size()),
                   .why = fmt::format("{} of {} jobs, for example {}", count_text(never.jobs.size()),
                                      count_text(prepared.workload->jobs.size()), never.example),
                   .change = never.remedy.text()};
        jobs += fmt::format("; {} of them can never run, so a run ends with exit code 3\n{}\n",
                            count_text(never.jobs.size()), verdict.text());
      }
      if (points.size() == 1)
        text += jobs;
      else if (text.find(jobs) == std::string::npos) // many points share their jobs
        text += point.label + ": " + jobs;
    }
    return {text + notes, verdict};
  }

  RunReport run(const std::vector<CheckedPoint>& points, const SimulateOptions& options) const override
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
    try {
      for (const CheckedPoint& point : points) {
        QueuePoint prepared = prepare_queue(point, catalogue, notes);
        prepared.figures_only = options.figures_only;
        for (const NamedPart& policy : prepared.scheduling.policies)
          for (const NamedPart& placement : prepared.scheduling.placements) {
            if (options.progress)
              options.progress(runs->size(), total, policy.label);
            QueueRun one = PolicyRun{prepared, policy, placement}.alone();
            find_ends(one, prepared, policy, placement);
            one.point = point.label;
            if (options.result)
              tell(one, options.result);
            runs->push_back(std::move(one));
          }
      }
      if (options.progress)
        options.progress(total, total, "");
    } catch (const Interrupted&) {
      interrupt::keep(runs->size(), total);
    }
    std::vector<const QueueRun*> all;
    for (const QueueRun& one : *runs)
      all.push_back(&one);
    const std::vector<FilledDefault> seen = queue_seen(points.front().scenario, all);
    return with_assumed(queue_report(points, runs, notes), assumed(points, seen));
  }

  std::string kind() const override { return "trainyard queue"; }

  Telling explain(const WrittenRun& folder, const std::string& what, const std::string& name) const override
  {
    return explain_queue(folder, what, name);
  }

  /// Lets every policy check the jobs as at the beginning of a run; returns those that can never run.
  static NeverRun check_policies(const QueuePoint& point)
  {
    NeverRun never;
    SchedulingOptions how = options_of(point);
    how.until = point.until;
    for (const NamedPart& policy : point.scheduling.policies)
      for (const NamedPart& placement : point.scheduling.placements) {
        const auto queue = Registry<QueuePolicy>::instance().create(policy.name, policy.settings);
        const auto places = point.scheduling.machines
                                ? Registry<PlacementPolicy>::instance().create(placement.name, placement.settings)
                                : nullptr;
        try {
          NeverRun under = check_queue(*point.workload, point.shape, *queue, places.get(), how);
          if (under.jobs.size() > never.jobs.size())
            never = std::move(under);
        } catch (const std::invalid_argument& fault) {
          throw refused(point.scheduling, policy, policy.label, fault);
        }
      }
    return never;
  }

private:
  /// When the run is cut off; nothing: it goes on until all jobs have ended.
  static std::optional<Instant> end_of(const Scenario& scenario)
  {
    return scenario.run.until > Instant{0} ? std::optional{scenario.run.until} : std::nullopt;
  }

  /// "82,247 jobs over 108.9 d, 1 to 128 GPUs each; they request 385,000 GPU-hours, 7 % of the capacity of 2,048 GPUs
  /// in that time; …". A run that is cut off at @p end can only do what arrives until then: "…; until 12 h (run.until)
  /// 40 of them arrive with 90 GPU-hours, 94 % of the 96 GPU-hours that 8 GPUs have until then; …".
  static std::string outline_of(const QueuePoint& point, std::optional<Instant> end)
  {
    const Workload& workload = *point.workload;
    double hours = 0, hours_in_time = 0;
    int in_time = 0;
    int least = workload.jobs.front().gpus, most = 0;
    for (const TraceJob& job : workload.jobs) {
      const double requested = job.duration.value() / 3600 * static_cast<double>(request_of(job).milli()) / 1000;
      hours += requested;
      if (end && job.submit <= *end) {
        hours_in_time += requested;
        ++in_time;
      }
      least = std::min(least, job.gpus);
      most = std::max(most, job.gpus);
    }
    const Instant span = workload.jobs.back().submit;
    const int gpus = point.shape.total_gpus();
    const auto count = [](double number) { return number < 1000 ? fmt::format("{:.0f}", number) : rate_text(number); };
    const std::string when = span <= Instant{0}   ? "at once"
                             : span < 2 * 86400_s ? "over " + time_text(seconds(span))
                                                  : fmt::format("over {:.1f} d", span.value() / 86400);
    std::string text =
        fmt::format("{} submitted {}, {} each; they request {} GPU-hours",
                    workload.size() < 1000 ? counted(workload.size(), "job") : count(workload.size()) + " jobs", when,
                    least < most   ? count(least) + " to " + count(most) + " GPUs"
                    : least < 1000 ? counted(least, "GPU")
                                   : count(least) + " GPUs",
                    rate_text(hours));
    if (end && gpus > 0) {
      const double capacity = gpus * end->value() / 3600;
      text += fmt::format("; until {} (run.until) {} arrive{} with {} GPU-hours, {} of the {} GPU-hours that {} GPUs "
                          "have until then",
                          time_text(seconds(*end)), in_time == workload.size() ? "all" : count(in_time) + " of them",
                          in_time == 1 && workload.size() > 1 ? "s" : "", rate_text(hours_in_time),
                          percent_text(hours_in_time / capacity), rate_text(capacity), count(gpus));
    } else if (span > Instant{0} && gpus > 0)
      text += fmt::format(", {} of the capacity of {} GPUs in that time",
                          percent_text(hours * 3600 / (gpus * span.value())), count(gpus));
    return text;
  }

  /// The same where steps are longer or shorter than predicted.
  static void find_ends(QueueRun& run, QueuePoint& point, const NamedPart& policy, const NamedPart& placement)
  {
    const std::shared_ptr<const Workload> jobs = point.workload;
    const bool figures_only = std::exchange(point.figures_only, true);
    run.ends = queue_ends(*jobs, point.step_errors, [&](std::shared_ptr<const Workload> other) {
      point.workload = std::move(other);
      return PolicyRun{point, policy, placement}.alone().metrics;
    });
    run.step_errors = point.step_errors;
    point.workload = jobs;
    point.figures_only = figures_only;
  }

  /// The queue over time, for observers.
  static void tell(const QueueRun& run, const std::function<void(const LiveResult&)>& listener)
  {
    const std::string series = run.point.empty() ? run.label : run.label + ", " + run.point;
    for (const QueueSample& sample : run.series)
      listener({run.point, run.label, series, "time_h", sample.time_s / 3600, "waiting_jobs", sample.waiting_jobs});
  }
};

TY_REGISTER(ScenarioRunner, QueueRunner, "queue",
            "jobs from a trace, a list or a generator on the scenario's machines, under one or several policies");

} // namespace

QueueOutlook outlook_of(const CheckedPoint& point, const Catalogue& catalogue)
{
  std::string notes;
  const QueuePoint prepared = prepare_queue(point, catalogue, notes);
  QueueOutlook outlook{.remedy = QueueRunner::check_policies(prepared).remedy};
  for (int team = 1; team < prepared.workload->teams.size(); ++team)
    outlook.teams.push_back(prepared.workload->teams.name(team));
  return outlook;
}

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
  const QueuePoint prepared = prepare_queue(point, catalogue, notes);
  const std::vector<NamedPart>& policies = prepared.scheduling.policies;
  const auto chosen = policy.empty()
                          ? policies.begin()
                          : std::ranges::find_if(policies, [&](const NamedPart& part) { return part.label == policy; });
  if (chosen == policies.end())
    throw InputError{fmt::format("there is no policy '{}' in this scenario; it has {}", policy,
                                 fmt::join(queue_policies(point.scenario), ", "))};
  const auto queue = Registry<QueuePolicy>::instance().create(chosen->name, chosen->settings);
  const NamedPart& placement = prepared.scheduling.placements.front();
  const auto places = prepared.scheduling.machines
                          ? Registry<PlacementPolicy>::instance().create(placement.name, placement.settings)
                          : nullptr;
  SchedulingOptions how = options_of(prepared);
  std::unique_ptr<QueueFaults> failing;
  if (prepared.failures != nullptr)
    failing = std::make_unique<QueueFaults>(*prepared.failures);
  how.events = failing.get();
  try {
    inspect_queue(*prepared.workload, prepared.shape, *queue, places.get(), how, chosen->label, visit);
  } catch (const std::invalid_argument& fault) {
    throw refused(prepared.scheduling, *chosen, chosen->label, fault);
  }
}

} // namespace trainyard
