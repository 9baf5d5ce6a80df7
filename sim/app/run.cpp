// SPDX-License-Identifier: Apache-2.0
#include "models/core/data_folder.hpp"
#include "models/core/diagnostics.hpp"
#include "sim/app/command.hpp"
#include "sim/app/scenario_input.hpp"
#include "sim/app/study_input.hpp"
#include "sim/app/terminal.hpp"
#include "sim/report/advice.hpp"
#include "sim/report/files.hpp"
#include "sim/report/output_file.hpp"
#include "sim/report/results_folder.hpp"
#include "sim/report/table.hpp"
#include "sim/run/simulate.hpp"
#include "sim/sources/scenario_runner.hpp"
#include "sim/study/assertions.hpp"
#include "sim/study/point_evaluator.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <unistd.h>

namespace trainyard::app {
namespace {

namespace fs = std::filesystem;

/// -o, or results/runs/<scenario>; empty where the run leaves no files.
fs::path results_folder(const Arguments& arguments, const ScenarioInput& input)
{
  if (arguments.has("--no-files"))
    return {};
  if (arguments.has("--output"))
    return arguments.value("--output");
  fs::path there = fs::current_path();
  if (::access(there.c_str(), W_OK) != 0) {
    print_note(fmt::format("note: cannot write to '{}', so there is no results folder; choose one with -o DIR",
                           there.string()),
               arguments);
    return {};
  }
  return fs::path{"results"} / "runs" / (input.name.empty() ? "scenario" : input.name);
}

/// --assert: conditions on the figures, reported on stderr; 3 if one is not met.
int assertions_code(const std::vector<Goal>& goals, const std::vector<std::pair<std::string, PointOutcome>>& outcomes)
{
  int code = done;
  for (const AssertionResult& result : check_assertions(goals, outcomes)) {
    std::fputs((assertion_text(result) + "\n").c_str(), stderr);
    if (!result.met)
      code = goal_not_met;
  }
  return code;
}

/// The points' machines with a price, as far as the scenario has prices.
std::vector<std::pair<std::string, PointOutcome>> machines_of(const std::vector<CheckedPoint>& points)
{
  const PointEvaluator evaluator{prices_of({}, PointEvaluator{}.catalogue())};
  std::vector<std::pair<std::string, PointOutcome>> outcomes;
  for (const CheckedPoint& point : points)
    outcomes.push_back({point.label, {{}, {evaluator.cluster_of(point.scenario)}}});
  return outcomes;
}

/// Where the prices come from that the goals are checked with.
void tell_prices(const std::vector<Goal>& goals, const std::vector<CheckedPoint>& points, const Arguments& arguments)
{
  if (std::ranges::none_of(goals, [](const Goal& goal) { return goal.measure.name == "cost"; }))
    return;
  const PointEvaluator evaluator{prices_of({}, PointEvaluator{}.catalogue())};
  if (const std::string note = evaluator.price_note(points.front().scenario); !note.empty())
    print_note(note.substr(0, note.size() - 1), arguments);
}

/// Figures of a runner's summary, point by point: items are called "fifo at nodes=4" where there are several points.
std::vector<std::pair<std::string, PointOutcome>> outcomes_of(const std::vector<CheckedPoint>& points,
                                                              const std::string& summary)
{
  std::vector<std::pair<std::string, PointOutcome>> outcomes = machines_of(points);
  for (Measured& measured : measured_of_summary(summary))
    for (auto& [label, outcome] : outcomes) {
      const std::string ending = " at " + label;
      if (!label.empty() && !measured.item.ends_with(ending))
        continue;
      Measured own = measured;
      if (!label.empty())
        own.item.resize(own.item.size() - ending.size());
      outcome.items.push_back(std::move(own));
      break;
    }
  return outcomes;
}

std::vector<std::pair<std::string, PointOutcome>> outcomes_of(const std::vector<CheckedPoint>& points,
                                                              const std::vector<JobRow>& jobs)
{
  std::vector<std::pair<std::string, PointOutcome>> outcomes = machines_of(points);
  for (const JobRow& row : jobs)
    for (auto& [label, outcome] : outcomes)
      if (label == row.point)
        outcome.items.push_back(measured_of(row));
  return outcomes;
}

/// The goals of --assert, checked as far as that goes without a run; those of figures that only a run shows are read
/// afterwards.
std::vector<Goal> assertions_of(const Arguments& arguments, const Scenario& scenario, const PointOutcome* probe)
{
  std::vector<Goal> goals;
  for (const std::string& text : arguments.all("--assert"))
    if (probe != nullptr || runner_of(scenario) == nullptr || runner_of(scenario)->kind() == "trainyard queue" ||
        !needs_probe(text))
      goals.push_back(parse_goal(text, probe));
  check_goals(goals);
  check_measurable(goals, scenario);
  return goals;
}

/// Scenarios that are more than training steps: the queue of a cluster, machines with failures…
int run_other(const ScenarioRunner& runner, const Arguments& arguments, const ScenarioInput& input,
              const std::vector<CheckedPoint>& points, const Diagnostics& diagnostics, const fs::path& folder)
{
  RunReport report;
  try {
    Progress progress{arguments};
    report = with_warnings(runner.run(points,
                                      {[&](std::size_t ready, std::size_t total, const std::string& label) {
                                         progress.report(ready, total, label);
                                       },
                                       [&](const LiveResult& result) { progress.result(result); }},
                                      wants_colour(arguments, stdout)),
                           diagnostics.sorted());
  } catch (const InputError& error) {
    throw located(error, input);
  }
  check_interrupt();
  if (!folder.empty()) {
    Results info;
    info.run = input.run;
    info.run.seed = points.front().scenario.run.seed;
    info.run.fidelity = points.front().scenario.run.fidelity;
    write_folder(folder, [&](const fs::path& to) {
      write_file(to / "summary.json", report.summary);
      for (const RunFile& file : report.files)
        if (!arguments.has("--no-plots") || !(file.name.ends_with(".png") || file.name.ends_with(".svg")))
          file.write(to / file.name);
      write_file(to / "manifest.json", manifest_json(info));
    });
  }
  print(arguments.has("--json") ? report.summary : report.text);
  print_diagnostics(located(report.doubts, input), arguments);
  for (const std::string& warning : report.warnings)
    print_note("warning: " + warning, arguments);
  if (!folder.empty())
    print_note(fmt::format("\nwritten to {} (simrun explain {})", folder.string(), folder.string()), arguments);
  if (arguments.has("--assert")) {
    const auto outcomes = outcomes_of(points, report.summary);
    const std::vector<Goal> goals = assertions_of(arguments, points.front().scenario, &outcomes.front().second);
    tell_prices(goals, points, arguments);
    const int code = assertions_code(goals, outcomes);
    return code == done ? report.exit_code : code;
  }
  return report.exit_code;
}

int run_scenario(const Arguments& arguments)
{
  Diagnostics diagnostics;
  const Catalogue catalogue = load_catalogue(data_folder());
  ScenarioInput input = scenario_input(arguments, diagnostics);
  diagnostics.throw_if_errors();
  if (arguments.has("--point"))
    keep_point(input, arguments.value("--point"));
  const std::vector<CheckedPoint> points = check_points(input.document, catalogue, diagnostics);
  diagnostics.throw_if_errors();
  print_diagnostics(diagnostics.sorted(), arguments);
  const fs::path folder = results_folder(arguments, input);
  const std::vector<Goal> goals =
      points.empty() ? std::vector<Goal>{} : assertions_of(arguments, points.front().scenario, nullptr);
  if (const ScenarioRunner* runner = points.empty() ? nullptr : runner_of(points.front().scenario); runner != nullptr)
    return run_other(*runner, arguments, input, points, diagnostics, folder);

  input.document = {}; // the points say all; of thousands of jobs it is large
  Results results;
  {
    Progress progress{arguments};
    results = simulate(points, catalogue,
                       {.progress = [&](std::size_t ready, std::size_t total,
                                        const std::string& label) { progress.report(ready, total, label); },
                        .result = [&](const LiveResult& result) { progress.result(result); },
                        .figures_only = folder.empty(),
                        .other_seeds = true,
                        .as_checked = true});
  }
  check_interrupt();
  const RunInfo simulated = results.run;
  results.run = input.run;
  results.run.seed = simulated.seed;
  results.run.fidelity = simulated.fidelity;
  results.run.confidence = simulated.confidence;
  results.run.calibration = simulated.calibration;
  const std::vector<std::string> never_started = results.warnings;
  results.warnings.insert(results.warnings.end(), results.notes.begin(), results.notes.end());
  for (const Diagnostic& diagnostic : diagnostics.sorted())
    results.warnings.push_back(diagnostic.message);
  if (results.advice.empty())
    results.advice = advice(results);

  if (!folder.empty())
    write_results(results, folder, !arguments.has("--no-plots"));
  if (arguments.has("--json"))
    print(summary_json(results));
  else
    print(results_text(results, wants_colour(arguments, stdout)));
  if (!folder.empty())
    print_note(fmt::format("\nwritten to {} (simrun explain {})", folder.string(), folder.string()), arguments);
  for (const std::string& warning : never_started)
    print_note("warning: " + warning, arguments);
  for (const std::string& note : results.notes)
    print_note("warning: " + note, arguments);
  tell_prices(goals, points, arguments);
  const int code = goals.empty() ? static_cast<int>(done) : assertions_code(goals, outcomes_of(points, results.jobs));
  return never_started.empty() ? code : static_cast<int>(goal_not_met);
}

std::vector<Option> run_options()
{
  std::vector<Option> list = scenario_options();
  list.insert(
      list.end(),
      {{"--output", "-o", "DIR", "results folder (default results/runs/<name of the scenario>)", "folder"},
       {"--point", "", "POINT", "only this point of the sweep, as jobs.csv calls it: 'workers=16 variant=ring'"},
       {"--json", "", "", "print summary.json instead of the table"},
       {"--assert", "", "GOAL",
        "end with exit code 3 unless this condition holds at every point: 'utilisation > 0.75' (simrun list measures)",
        "", false, true},
       {"--scheduler", "", "ENDPOINT",
        "a process that speaks Batsim's protocol schedules the queue: tcp://localhost:28000 (policy batsim)"},
       {"--no-plots", "", "", "do not draw plots"},
       {"--no-files", "", "", "do not write a results folder"}});
  return list;
}

[[maybe_unused]] const bool run_registered = register_command(
    {"run",
     "simulate a scenario (the word `run` may be left out)",
     "Prints samples/s, step time, the parts of the step and the bottleneck of every job and point. Writes a results "
     "folder:\n"
     "summary.json, jobs.csv, steps.csv, links.csv, link_loads.csv (over time), traffic.csv, events.csv, trace.json.gz "
     "(open it in\n"
     "ui.perfetto.dev), plots, and\n"
     "manifest.json, which repeats the run byte for byte. A run into an earlier results folder replaces what simrun "
     "wrote\n"
     "there, and leaves other files.",
     run_options(),
     {{"simrun my.yaml --assert 'p95(queueing_delay) < 2 h' --json",
       "check a condition: exit code 3 and the margin if it is not met"},
      {"simrun vgg16_ps_vs_ring", "a shipped example: parameter server or ring all-reduce for VGG-16?"},
      {"simrun my.yaml --set jobs.0.workers=16 -o what_if", "simulate your file with one value changed"},
      {"simrun results/runs/my/manifest.json -o again", "repeat the run, byte for byte"}},
     run_scenario});

} // namespace
} // namespace trainyard::app
