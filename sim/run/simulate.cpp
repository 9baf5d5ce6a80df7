// SPDX-License-Identifier: Apache-2.0
/// From a document to checked points, and from those to results: points run side by side where that is allowed, and the
/// bars of a calibration are carried into their answers.
#include "sim/run/simulate.hpp"

#include "models/parallel/schedule.hpp"
#include "sim/sources/queue/scheduling.hpp"

#include "models/cluster/layout.hpp"
#include "models/core/data_folder.hpp"
#include "models/core/parallel.hpp"
#include "models/dnn/builder.hpp"
#include "models/scenario/assumptions.hpp"
#include "models/scenario/calibrated.hpp"
#include "models/scenario/places.hpp"
#include "models/scenario/reading.hpp"
#include "models/scenario/schema.hpp"
#include "models/scenario/short_forms.hpp"
#include "models/scenario/sweep_space.hpp"
#include "sim/sources/jobs/point_run.hpp"
#include "sim/sources/jobs/training_failures.hpp"
#include "sim/sources/retraining/duplicate_policy.hpp"
#include "sim/sources/retraining/job_planner.hpp"
#include "sim/sources/retraining/need_trigger.hpp"
#include "sim/sources/scenario_runner.hpp"
#include "sim/step/answer_kind.hpp"
#include "sim/step/chosen_fidelity.hpp"
#include "sim/step/collectives/collective.hpp"
#include "sim/step/congestion/congestion_control.hpp"
#include "sim/step/engine/executor.hpp"
#include "sim/step/prepared.hpp"
#include "sim/step/training/fusion.hpp"
#include "sim/step/training/training_mode.hpp"
#include "sim/step/training/update_rule.hpp"
#include "sim/step/training/variable_placement.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <exception>
#include <functional>
#include <memory>
#include <set>
#include <span>
#include <thread>

namespace trainyard {
namespace {

/// "vgg16" stays; the curve of a sweep point is its variant, and whatever is swept besides model and size.
std::string variant_of(const SweepPoint& point)
{
  std::string text;
  for (const auto& [path, value] : point.settings)
    if (path == "variant")
      text = value;
  for (const auto& [path, value] : point.settings) {
    const std::string key = path.substr(path.rfind('.') + 1);
    if (key != "variant" && key != "workers" && key != "model" && key != "batch_per_gpu" && key != "count")
      text += (text.empty() ? "" : " ") + short_name(point.settings, path) + "=" + value;
  }
  return text;
}

/// Below this relative width of a constant's bar nothing is simulated for it.
constexpr double narrowest_bar = 0.002;

/// How far real traffic is from a prediction whose constants are exact, as a share of the step: 95 % of the rows are
/// nearer. Twice 6.2 %, a root of the mean squared error of the testbed's rows (results/testbed/README.md).
constexpr double error_of_traffic = 0.125;

/// Carries the bars of the calibration into the answers: each constant alone at both ends of its bar, the changes of
/// every job's rate added in squares, because the constants were measured independently of each other. First order:
/// constants that act together are not varied together. Jobs that send over the network have the error of the model as
/// well, which no constant explains.
/// @p base: samples per second of the rows with the point's own seed.
void widen_by_calibration(const CheckedPoint& point, const Catalogue& catalogue, std::span<const double> base,
                          std::span<JobRow> rows)
{
  if (!point.scenario.calibration || is_fitted(point.scenario))     // fitted constants hang together: tables of such
    return;                                                         // answers say how far off they are
  std::vector<double> lower(rows.size(), 0), upper(rows.size(), 0); // squares of changes of the rate's logarithm
  const auto vary = [&](const Bounded& bar, const std::function<void(CheckedPoint&, Catalogue&, double)>& set) {
    if (bar.high - bar.low < narrowest_bar * bar.value)
      return;
    std::vector<double> below(rows.size(), 0), above(rows.size(), 0);
    for (const double end : {bar.low, bar.high}) {
      if (!(end > 0))
        continue;
      CheckedPoint varied = point;
      Catalogue gpus = catalogue;
      set(varied, gpus, end);
      Results result;
      run_point(varied, gpus, {}, result);
      for (std::size_t i = 0; i < rows.size() && i < result.jobs.size(); ++i) {
        const double change = std::log(result.jobs[i].samples_per_second.mean / base[i]);
        below[i] = std::min(below[i], change);
        above[i] = std::max(above[i], change);
      }
    }
    for (std::size_t i = 0; i < rows.size(); ++i) {
      lower[i] += below[i] * below[i];
      upper[i] += above[i] * above[i];
    }
  };
  for (const AppliedConstant& constant : point.scenario.calibration->applied)
    vary(constant.value, [&](CheckedPoint& varied, Catalogue& gpus, double end) {
      set_constant(constant, end, varied.scenario.transports, gpus.gpus);
    });
  for (const OpenConstant& constant : open_constants(point.scenario))
    vary(constant.value,
         [&](CheckedPoint& varied, Catalogue&, double end) { set_constant(constant, end, varied.scenario); });
  for (std::size_t i = 0; i < rows.size(); ++i) {
    JobRow& row = rows[i];
    // As ratios, so that no end is below zero and that of a step's time is the same.
    const auto widen = [](Estimate& estimate, double down, double up) {
      estimate.low = estimate.mean * std::exp(-std::hypot(std::log(estimate.mean / estimate.low), down));
      estimate.high = estimate.mean * std::exp(std::hypot(std::log(estimate.high / estimate.mean), up));
    };
    const double model = row.bytes_per_step > Bytes{} ? error_of_traffic : 0;
    const double down = std::hypot(std::sqrt(lower[i]), model), up = std::hypot(std::sqrt(upper[i]), model);
    if (down + up > 0 && row.samples_per_second.mean > 0 && row.step_s.mean > 0) {
      widen(row.samples_per_second, down, up);
      widen(row.step_s, up, down);
    }
  }
}

/// The catalogue, or a copy of it with what the scenario has measured.
std::shared_ptr<const Catalogue> hardware_of(const Scenario& scenario, const Catalogue& catalogue)
{
  if (!scenario.calibration && scenario.section<MeasuredFile>("measured_rates") == nullptr &&
      scenario.section<PowerLimits>(power_limits_key) == nullptr)
    return {std::shared_ptr<const Catalogue>{}, &catalogue}; // the caller's
  return std::make_shared<const Catalogue>(calibrated(catalogue, scenario));
}

/// Each job for itself on the empty cluster: does it fit, and can its mode work there?
std::shared_ptr<const PreparedScenario> check_jobs(const Scenario& scenario, const Catalogue& catalogue,
                                                   Diagnostics& diagnostics)
{
  std::shared_ptr<const PreparedScenario> prepared = prepare_run(scenario, catalogue, diagnostics);
  if (diagnostics.has_errors())
    return nullptr;
  if (Registry<Executor>::instance().find(scenario.run.fidelity) == nullptr)
    diagnostics.error({.path = "run.fidelity"},
                      fmt::format("unknown fidelity '{}'{}", scenario.run.fidelity,
                                  did_you_mean(scenario.run.fidelity, Registry<Executor>::instance().names())));
  FreeSlots slots = all_free(prepared->cluster);
  for (const PreparedJob& job : prepared->jobs) {
    const int errors = diagnostics.errors();
    Placement placement = place_packed(prepared->cluster, job.spec, slots, diagnostics);
    release(prepared->cluster, placement, slots);
    if (diagnostics.errors() == errors)
      place(*prepared, job, std::move(placement), catalogue, diagnostics);
  }
  check_training_failures(scenario, catalogue, *prepared, diagnostics);
  return prepared;
}

/// The placements that also say where tasks of services go.
std::vector<Part> task_placements()
{
  const auto& placements = Registry<PlacementPolicy>::instance();
  std::vector<Part> parts = parts_of(placements);
  std::erase_if(parts, [&](const Part& part) { return placements.create(part.name)->task_order() == nullptr; });
  return parts;
}

} // namespace

Parts registered_parts()
{
  return {{"training", parts_of(Registry<TrainingMode>::instance())},
          {"executor", parts_of(Registry<Executor>::instance())},
          {"node_layout", parts_of(Registry<NodeLayout>::instance())},
          {"network_layout", parts_of(Registry<NetworkLayout>::instance())},
          {"model", parts_of(Registry<DnnSource>::instance())},
          {"update_rule", parts_of(Registry<UpdateRule>::instance())},
          {"variable_placement", parts_of(Registry<VariablePlacement>::instance())},
          {"collective", parts_of(Registry<Collective>::instance())},
          {"fusion", parts_of(Registry<Fusion>::instance())},
          {"congestion_control", parts_of(Registry<CongestionControl>::instance())},
          {"pipeline_schedule", parts_of(Registry<PipelineSchedule>::instance())},
          {"queue_policy", parts_of(Registry<QueuePolicy>::instance())},
          {"placement_policy", parts_of(Registry<PlacementPolicy>::instance())},
          {"task_placement", task_placements()},
          {"duplicate_policy", parts_of(Registry<DuplicatePolicy>::instance())},
          {"job_planner", parts_of(Registry<JobPlanner>::instance())},
          {"need_trigger", parts_of(Registry<NeedTrigger>::instance())}};
}

CheckedPoint check_point(const SweepPoint& point, const Catalogue& catalogue, const Parts& parts,
                         Diagnostics& diagnostics, std::vector<Diagnostic>* idle)
{
  CheckedPoint next{point.label(), variant_of(point), {}};
  Diagnostics faults;
  next.scenario = read_scenario(point.document, parts, catalogue, faults);
  if (!faults.has_errors())
    check_parts(point.document, next.scenario, faults);
  if (!faults.has_errors()) {
    if (const ScenarioRunner* runner = runner_of(next.scenario); runner != nullptr)
      runner->check(next.scenario, catalogue, faults);
    else
      next.prepared = check_jobs(next.scenario, *hardware_of(next.scenario, catalogue), faults);
  }
  for (Diagnostic fault : faults.sorted())
    diagnostics.add(located(std::move(fault), point.document, next.label));
  if (idle != nullptr)
    *idle = without_effect(point.document, next.scenario, chosen_fidelity(next.scenario).name);
  return next;
}

namespace {

/// A point that was checked by itself.
struct CheckedAlone {
  CheckedPoint point;
  Diagnostics faults;
  std::vector<Diagnostic> idle;
  std::exception_ptr broken;
};

/// @p alone: it is the only point.
CheckedAlone check_alone(const SweepPoint& point, const Catalogue& catalogue, const Parts& parts, bool alone)
{
  CheckedAlone checked;
  try {
    checked.point = check_point(point, catalogue, parts, checked.faults, &checked.idle);
    if (!alone)
      checked.point.prepared.reset();
  } catch (...) {
    checked.broken = std::current_exception();
  }
  return checked;
}

/// Checks all points but the first side by side.
void check_others(const std::vector<SweepPoint>& points, const Catalogue& catalogue, const Parts& parts, bool threads,
                  std::vector<CheckedAlone>& checked)
{
  constexpr std::size_t points_of_a_thread = 8; // fewer are checked sooner than a thread starts
  const std::size_t most = threads ? std::thread::hardware_concurrency() : 1;
  in_parallel(points.size() - 1, std::min(most, points.size() / points_of_a_thread),
              [&](std::size_t i) { checked[i + 1] = check_alone(points[i + 1], catalogue, parts, false); });
}

} // namespace

std::vector<CheckedPoint> check_points(const Document& document, Diagnostics& diagnostics)
{
  return check_points(document, load_catalogue(data_folder()), diagnostics);
}

namespace {

std::vector<CheckedPoint> checked_points(const Document& document, const Catalogue& catalogue, Diagnostics& diagnostics)
{
  const Parts parts = registered_parts();
  const std::vector<SweepPoint> points = expand_sweep(document, diagnostics);
  if (diagnostics.has_errors())
    return {};
  std::vector<CheckedAlone> alone(points.size());
  if (!points.empty())
    alone.front() = check_alone(points.front(), catalogue, parts, points.size() == 1);
  // What is more than training steps may simulate, in forked children, to check: no threads then.
  const bool trains = alone.empty() || alone.front().broken || runner_of(alone.front().point.scenario) == nullptr;
  const bool threads = points.size() > 1 && !alone.front().broken && trains;
  if (!points.empty() && !alone.front().broken)
    check_others(points, catalogue, parts, threads, alone);
  SchemaByKey schemas{parts, catalogue};
  std::vector<CheckedPoint> checked;
  std::vector<Diagnostic> idle_at_every_point;
  constexpr std::size_t most_told = 20;
  std::size_t faulty = 0;
  std::set<std::string> told;
  for (std::size_t i = 0; i < points.size(); ++i) {
    if (alone[i].broken)
      std::rethrow_exception(alone[i].broken);
    if (alone[i].faults.has_errors() && ++faulty > most_told)
      continue;
    for (Diagnostic fault : alone[i].faults.sorted())
      if (!told.contains(fault.message)) // points that fail alike are told once
        diagnostics.add(std::move(fault));
    for (const Diagnostic& fault : alone[i].faults.sorted())
      told.insert(fault.message);
    const std::vector<Diagnostic>& idle = alone[i].idle;
    if (checked.empty())
      idle_at_every_point = idle;
    std::erase_if(idle_at_every_point,
                  [&](const Diagnostic& warning) { return std::ranges::find(idle, warning) == idle.end(); });
    checked.push_back(std::move(alone[i].point));
    if (!trains)
      fill_assumed(points[i].document, schemas, checked.back().scenario);
  }
  for (Diagnostic& warning : idle_at_every_point)
    diagnostics.add(std::move(warning));
  const Location file{document.file, 0, 0};
  if (faulty > most_told)
    diagnostics.note(file, fmt::format("{} more points have errors", faulty - most_told));
  if (faulty > 0 && faulty < points.size())
    diagnostics.note(file, fmt::format("{} of {} points have no errors; simrun sweep simulates those",
                                       points.size() - faulty, points.size()));
  return checked;
}

} // namespace

std::vector<CheckedPoint> check_points(const Document& document, const Catalogue& catalogue, Diagnostics& diagnostics)
{
  if (!has_short_forms(document))
    return checked_points(document, catalogue, diagnostics);
  Document whole = document;
  expand_short_forms(whole, catalogue, diagnostics);
  return diagnostics.has_errors() ? std::vector<CheckedPoint>{} : checked_points(whole, catalogue, diagnostics);
}

namespace {

/// The jobs of a point that has ended, as points of the curves that the table is about.
void tell(const Results& part, bool several_jobs, bool several_models,
          const std::function<void(const LiveResult&)>& listener)
{
  for (const JobRow& row : part.jobs) {
    std::string series = several_models ? row.model : "";
    if (!row.variant.empty())
      series += (series.empty() ? "" : ", ") + row.variant;
    if (several_jobs)
      series += (series.empty() ? "" : ", ") + row.job;
    listener({row.point, row.job, series, "workers", static_cast<double>(row.workers), "samples_per_second",
              row.samples_per_second.mean});
  }
}

} // namespace

Results simulate(const std::vector<CheckedPoint>& points, const SimulateOptions& options)
{
  return options.catalogue != nullptr ? simulate(points, *options.catalogue, options)
                                      : simulate(points, load_catalogue(data_folder()), options);
}

Results simulate(const std::vector<CheckedPoint>& points, const Catalogue& catalogue, const SimulateOptions& options)
{
  Results results;
  // SimGrid runs in forked children, and a process with threads should not fork: such points run one after the other.
  const bool forks = std::ranges::any_of(points, [](const CheckedPoint& point) {
    return Registry<Executor>::instance().create(chosen_fidelity(point.scenario).name)->forks();
  });
  const std::size_t threads = forks ? 1 : std::max(1U, std::thread::hardware_concurrency());
  const std::size_t threads_of_a_point = std::max<std::size_t>(1, threads / std::max<std::size_t>(1, points.size()));
  const auto simulate_point = [&](std::size_t i) {
    Results part;
    const std::shared_ptr<const Catalogue> hardware = hardware_of(points[i].scenario, catalogue);
    const Catalogue& measured = *hardware;
    // The timeline shows the last point.
    const std::vector<double> own = run_with_seeds(points[i], measured,
                                                   {.draw = i + 1 == points.size() && !options.figures_only,
                                                    .lists = !options.figures_only,
                                                    .threads = threads_of_a_point,
                                                    .prepared = options.as_checked ? points[i].prepared : nullptr},
                                                   part);
    if (options.other_seeds)
      look_at_other_seeds(points[i], measured, points.size(), threads_of_a_point, part);
    widen_by_calibration(points[i], measured, own, part.jobs);
    return part;
  };
  const auto report = [&](std::size_t done) {
    if (options.progress)
      options.progress(done, points.size(), points[done].label);
  };
  std::set<std::string> models;
  std::size_t jobs = 0;
  for (const CheckedPoint& point : points) {
    jobs = std::max(jobs, point.scenario.jobs.size());
    for (const JobSpec& job : point.scenario.jobs)
      models.insert(job.model);
  }
  const auto ended = [&](std::size_t, const Results& part) {
    if (options.result)
      tell(part, jobs > 1, models.size() > 1, options.result);
  };
  std::vector<Results> parts = side_by_side(points.size(), threads, simulate_point, report, ended);
  for (Results& part : parts) {
    append(results.jobs, part.jobs);
    for (Message& message : part.messages) // what holds for several points is said once
      add_once(results.messages, std::move(message));
    append(results.seeds, part.seeds);
    append(results.steps, part.steps);
    append(results.links, part.links);
    append(results.link_loads, part.link_loads);
    append(results.traffic, part.traffic);
    append(results.events, part.events);
    append(results.spans, part.spans);
  }
  if (options.progress && parts.size() == points.size())
    options.progress(points.size(), points.size(), "");
  if (!points.empty()) {
    const RunSpec& run = points.front().scenario.run;
    results.run.seed = run.seed;
    results.run.fidelity = run.fidelity;
    results.run.confidence = run.confidence;
    if (points.front().scenario.calibration)
      results.run.calibration = points.front().scenario.calibration->name;
    results.description = points.front().scenario.description;
    const bool images = std::ranges::any_of( // or layers of somebody's own
        results.jobs, [](const JobRow& row) { return row.sample == "image" || row.sample == "sample"; });
    const std::vector<FilledDefault> seen{{"framework.channels_last", "", {}}};
    results.assumed = assumed(points, std::span{seen}.first(images ? 0 : 1));
    for (const CheckedPoint& point : points)
      for (Message& words : assumed_of_failures(point.scenario))
        add_once(results.assumed, std::move(words));
  }
  return results;
}

} // namespace trainyard
