// SPDX-License-Identifier: Apache-2.0
#include "models/cluster/build.hpp"
#include "models/core/data_folder.hpp"
#include "models/core/interrupt.hpp"
#include "models/scenario/calibrated.hpp"
#include "models/scenario/sections/scheduling.hpp"
#include "sim/sources/retraining/environment_report.hpp"
#include "sim/sources/scenario_runner.hpp"
#include "sim/step/prepared.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <stdexcept>

namespace trainyard {
namespace {

constexpr Sentence<std::string, std::int64_t, std::int64_t> too_large{
    "retraining.too_large", "model '{model}' can never be trained: it needs {needed} GPUs, the cluster has {gpus}; "
                            "add nodes or lower its GPUs"};

constexpr double default_days = 30;

Instant until_of(const Scenario& scenario)
{
  return Instant{scenario.run.until.value() > 0 ? scenario.run.until : Seconds{default_days * 86400}};
}

class EnvironmentRunner final : public ScenarioRunner
{
public:
  ReadParts parts() const override
  {
    const auto trains = [](const Scenario& scenario) {
      return std::ranges::any_of(scenario.section<TaskEnvironmentSection>("task_environment")->models,
                                 [](const RetrainedModel& model) { return !model.job.empty(); });
    };
    const auto uses = [](const Scenario& scenario, const std::string& job) {
      return std::ranges::any_of(scenario.section<TaskEnvironmentSection>("task_environment")->models,
                                 [&](const RetrainedModel& model) { return model.job == job; });
    };
    std::vector<ReadPart> others = training_parts(trains, "if a model names a job (job: NAME)");
    for (ReadPart& part : others)
      if (part.name == "jobs")
        part = {"jobs"};
    return {"task_environment", others, uses, true, true};
  }

  void check(const Scenario& scenario, const Catalogue& catalogue, Diagnostics& diagnostics) const override
  {
    const auto& section = *scenario.section<TaskEnvironmentSection>("task_environment");
    const std::unique_ptr<PreparedScenario> prepared = prepare(scenario, catalogue, diagnostics);
    if (diagnostics.has_errors())
      return;
    const int gpus = prepared->cluster.gpus();
    for (const RetrainedModel& model : section.models) {
      const PreparedJob* job = nullptr;
      for (const PreparedJob& one : prepared->jobs)
        if (one.spec.name == model.job)
          job = &one;
      const int needed = job != nullptr ? job->spec.workers : model.gpus;
      if (section.cluster && needed > gpus) {
        diagnostics.warning(model.where, too_large(model.name, needed, gpus));
        continue;
      }
      if (!section.cluster && gpus == 0)
        diagnostics.error(
            model.where,
            "cluster: false gives each model its own machine from the cluster's nodes, but these have no GPUs");
      if (job != nullptr)
        check_job(*prepared, *job, section.cluster ? job->spec.workers : model.own_gpus, catalogue, diagnostics);
    }
    if (section.through_queue)
      check_queue(scenario, section, diagnostics);
    const auto make = [&](const std::vector<NamedPart>& parts, const std::vector<Location>& places, auto create) {
      for (std::size_t i = 0; i < parts.size(); ++i)
        try {
          create(parts[i]);
        } catch (const std::invalid_argument& fault) {
          diagnostics.error(places[i], fault.what());
        }
    };
    make(section.duplicates, section.duplicates_at,
         [](const NamedPart& part) { Registry<DuplicatePolicy>::instance().create(part.name, part.settings); });
    make(section.planners, section.planners_at,
         [](const NamedPart& part) { Registry<JobPlanner>::instance().create(part.name, part.settings); });
    double needs = 0;
    for (const RetrainedModel& model : section.models)
      needs += model.copies * (seconds(until_of(scenario)) / model.period);
    if (constexpr double most_needs = 1e6; needs * std::max(scenario.run.replicas, 1) > most_needs)
      diagnostics.error(section.models.front().where,
                        fmt::format("the run would simulate about {:.3g} needs, more than the limit of "
                                    "{:.3g}; use longer periods, fewer models, or a shorter run.until",
                                    needs * std::max(scenario.run.replicas, 1), most_needs));
  }

  RunReport run(const std::vector<CheckedPoint>& points, const SimulateOptions& options) const override
  {
    const Catalogue read = options.catalogue == nullptr ? load_catalogue(data_folder()) : Catalogue{};
    const Catalogue& catalogue = options.catalogue == nullptr ? read : *options.catalogue;
    auto sets = std::make_shared<std::vector<EnvironmentRunSet>>();
    std::size_t total = 0, ready = 0;
    for (const CheckedPoint& point : points) {
      const auto& section = *point.scenario.section<TaskEnvironmentSection>("task_environment");
      total += section.planners.size() * section.duplicates.size();
    }
    try {
      for (const CheckedPoint& point : points) {
        const auto& section = *point.scenario.section<TaskEnvironmentSection>("task_environment");
        const Catalogue measured = calibrated(catalogue, point.scenario);
        TrainingRates rates{point.scenario, measured, section};
        for (const NamedPart& planner : section.planners) {
          const bool controls = Registry<JobPlanner>::instance().create(planner.name, planner.settings)->controls();
          for (const NamedPart& duplicates : section.duplicates) {
            EnvironmentRunSet set;
            set.point = name_among(points, point);
            set.planner = planner.label;
            set.duplicates = controls ? duplicates.label : "allow";
            set.label = !controls                       ? "no planner"
                        : section.planners.size() < 2   ? duplicates.label
                        : section.duplicates.size() < 2 ? planner.label
                                                        : planner.label + ", " + duplicates.label;
            if (options.progress)
              options.progress(ready, total, set.label);
            ++ready;
            if (!controls && &duplicates != &section.duplicates.front())
              continue; // without a planner duplicates are not checked
            simulate_set(point.scenario, section, planner, controls ? duplicates : NamedPart{"allow", {}, "allow"},
                         rates, set);
            note_optimum(*sets, set);
            if (options.result)
              tell(set, options.result);
            sets->push_back(std::move(set));
          }
        }
      }
      if (options.progress)
        options.progress(total, total, "");
    } catch (const Interrupted&) {
      interrupt::keep(sets->size(), total);
    }
    for (EnvironmentRunSet& set : *sets) {
      const auto at_point = std::ranges::count(*sets, set.point, &EnvironmentRunSet::point);
      set.title = set.point.empty() ? set.label : at_point == 1 ? set.point : set.point + ": " + set.label;
    }
    const Scenario& scenario = points.front().scenario;
    return with_assumed(environment_report(scenario, sets, points.size() > 1),
                        assumed(points, retraining_seen(scenario)));
  }

  /// How long each need took until its model served, at the time when it did.
  static void tell(const EnvironmentRunSet& set, const std::function<void(const LiveResult&)>& listener)
  {
    if (set.runs.empty())
      return;
    const std::string series = set.point.empty() ? set.label : set.label + ", " + set.point;
    for (const Deployment& deployment : set.runs.front().deployments)
      listener({set.point, set.label, series, "time_h", seconds(deployment.at).value() / 3600, "need_to_deployed_h",
                seconds(deployment.at - deployment.data).value() / 3600});
  }

  std::string kind() const override { return "trainyard task environment"; }

  Telling explain(const WrittenRun& folder, const std::string& what, const std::string& name) const override
  {
    return explain_environment(folder, what, name);
  }

private:
  /// Whether the scenario has a queue that can take the trainings.
  static void check_queue(const Scenario& scenario, const TaskEnvironmentSection& section, Diagnostics& diagnostics)
  {
    const Location file{scenario.file, 0, 0};
    if (!scenario.sections.contains("workload"))
      diagnostics.error(file, "through: queue needs a queue: add its jobs as 'workload', or remove 'through' from "
                              "'task_environment'");
    const auto* scheduling = scenario.section<SchedulingSection>("scheduling");
    if (scheduling != nullptr && scheduling->kill_at_estimate)
      diagnostics.error(file, "kill_at_estimate ends jobs at the time that their users requested, but a retraining "
                              "requests none; remove kill_at_estimate, or 'through: queue'");
    for (const RetrainedModel& model : section.models)
      if (!model.job.empty() && (scheduling == nullptr || !scheduling->step_speed))
        diagnostics.error(model.where,
                          fmt::format("model '{}' trains job '{}', whose speed depends on where it runs; write "
                                      "scheduling: {{speed: step}}, or give the model a 'train_time'",
                                      model.name, model.job));
  }

  /// Whether a job can be trained on the empty cluster.
  static void check_job(const PreparedScenario& prepared, const PreparedJob& job, int gpus, const Catalogue& catalogue,
                        Diagnostics& diagnostics)
  {
    const PreparedJob sized = with_workers(job, gpus);
    FreeSlots slots = all_free(prepared.cluster);
    Diagnostics faults;
    Placement placement = place_packed(prepared.cluster, sized.spec, slots, faults);
    if (!faults.has_errors())
      place(prepared, sized, std::move(placement), catalogue, faults);
    for (Diagnostic fault : faults.sorted()) {
      fault.where.file = prepared.scenario.file;
      diagnostics.add(std::move(fault));
    }
  }

  /// The best possible makespan of the planner's first queue, searched once for planners that met the same one.
  static void note_optimum(const std::vector<EnvironmentRunSet>& before, EnvironmentRunSet& set)
  {
    const auto same = [](const DagProblem& a, const DagProblem& b) {
      return a.capacity == b.capacity &&
             std::ranges::equal(
                 a.jobs, b.jobs,
                 [](const DagJob& x, const DagJob& y) { return x.gpus == y.gpus && x.duration == y.duration; }) &&
             a.busy.empty() && b.busy.empty();
    };
    const DagProblem& problem = set.runs.front().first_problem;
    if (problem.jobs.empty())
      return;
    for (const EnvironmentRunSet& other : before)
      if (other.optimal_makespan_s > 0 && same(other.runs.front().first_problem, problem)) {
        set.optimal_makespan_s = other.optimal_makespan_s;
        return;
      }
    set.optimal_makespan_s = optimal_makespan(problem).value_or(Instant{}).value();
  }

  static void simulate_set(const Scenario& scenario, const TaskEnvironmentSection& section, const NamedPart& planner,
                           const NamedPart& duplicates, TrainingRates& rates, EnvironmentRunSet& set)
  {
    const auto policy = Registry<DuplicatePolicy>::instance().create(duplicates.name, duplicates.settings);
    const int replicas = std::max(scenario.run.replicas, 1);
    for (int replica = 0; replica < replicas; ++replica) {
      const auto next = Registry<JobPlanner>::instance().create(planner.name, planner.settings);
      EnvironmentInput input{section, rates, scenario.run.seed + static_cast<std::uint64_t>(replica),
                             until_of(scenario)};
      if (replica > 0)
        input.most_records = 0; // events and decisions are listed for the first seed
      set.runs.push_back(simulate_environment(input, *policy, *next));
      set.trained_mean_s.push_back(environment_metrics(std::span{&set.runs.back(), 1}).need_to_trained.mean_at_least());
    }
    set.metrics = environment_metrics(set.runs);
  }
};

TY_REGISTER(ScenarioRunner, EnvironmentRunner, "task_environment",
            "models that are retrained: from the need to the deployed model");

} // namespace
} // namespace trainyard
