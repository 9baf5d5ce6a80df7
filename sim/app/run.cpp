// SPDX-License-Identifier: Apache-2.0
#include "models/core/data_folder.hpp"
#include "models/core/diagnostics.hpp"
#include "models/core/interrupt.hpp"
#include "models/core/output.hpp"
#include "models/results/json.hpp"
#include "models/scenario/sections/faults.hpp"
#include "sim/app/command.hpp"
#include "sim/app/scenario_input.hpp"
#include "sim/app/study_input.hpp"
#include "sim/app/terminal.hpp"
#include "sim/report/advice.hpp"
#include "sim/report/document_head.hpp"
#include "sim/report/files.hpp"
#include "sim/report/output_file.hpp"
#include "sim/report/table.hpp"
#include "sim/run/simulate.hpp"
#include "sim/sources/scenario_runner.hpp"
#include "sim/study/answer.hpp"
#include "sim/study/assertions.hpp"
#include "sim/study/point_evaluator.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <filesystem>
#include <iterator>
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

void tell_folder(const fs::path& folder, const std::string& replaced, const Arguments& arguments)
{
  if (folder.empty())
    return;
  print_note(fmt::format("\nwritten to {} (simrun explain {})", folder.string(), folder.string()), arguments);
  if (!replaced.empty())
    print_note(replaced, arguments);
}

constexpr Sentence<std::int64_t> one_draw{
    "run.one_draw",
    "goodput and completion are one draw of the failures (seed {seed}): --seed draws others, run.replicas: "
    "20 takes the mean of so many, and simrun plan decides by as many as it needs"};

/// That failures are drawn by chance, and once only.
Messages draw_of(const std::vector<CheckedPoint>& points)
{
  const Scenario& first = points.front().scenario;
  const auto* faults = first.section<FaultsSection>("faults");
  const ScenarioRunner* runner = runner_of(first);
  const bool trains = runner == nullptr || runner->kind() == "trainyard parallel";
  if (!trains || faults == nullptr || faults->random.empty() || (runner == nullptr && first.run.replicas > 1))
    return {};
  return {as(MessageKind::warning, one_draw(static_cast<std::int64_t>(first.run.seed)))};
}

/// --assert: conditions on the figures, reported on stderr; 3 if one is not met.
int assertions_code(const std::vector<Goal>& goals, const std::vector<std::pair<std::string, PointOutcome>>& outcomes,
                    const Messages& draw)
{
  constexpr std::array by_failures{"goodput", "finish", "redone"};
  int code = done;
  for (AssertionResult& result : check_assertions(goals, outcomes)) {
    if (std::ranges::find(by_failures, result.goal.measure.name) != by_failures.end())
      for (const Message& words : draw)
        result.note += (result.note.empty() ? "" : "; ") + words.text;
    print_error(assertion_text(result) + "\n");
    if (!result.met())
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
                                                              const nlohmann::ordered_json& summary)
{
  std::vector<std::pair<std::string, PointOutcome>> outcomes = machines_of(points);
  for (Measured& measured : measured_of_summary(summary))
    for (std::size_t i = 0; i < points.size(); ++i) {
      const std::string ending = " at " + points[i].label, other = " at " + name_among(points, points[i]);
      const std::size_t cut = points[i].label.empty()           ? 0
                              : measured.item.ends_with(ending) ? ending.size()
                              : measured.item.ends_with(other)  ? other.size()
                                                                : std::string::npos;
      if (cut == std::string::npos)
        continue;
      measured.item.resize(measured.item.size() - cut);
      outcomes[i].second.items.push_back(std::move(measured));
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
  std::vector<Measure> measures;
  measures.reserve(goals.size());
  for (const Goal& goal : goals)
    measures.push_back(goal.measure);
  check_measurable(measures, scenario, load_catalogue(data_folder()));
  return goals;
}

Messages messages_of(const nlohmann::ordered_json& summary)
{
  Messages said;
  if (const auto list = summary.find("messages"); list != summary.end())
    for (const auto& message : *list)
      said.push_back(read_message(message));
  return said;
}

/// The sentence of the scenario's `answer:` with the figures of the run; empty where it has none, or where a run kept
/// only parts. A figure that the run does not have is among the @p warnings.
std::string answer_text(const std::string& form, const std::vector<std::pair<std::string, PointOutcome>>& outcomes,
                        const Messages& said, Messages& warnings)
{
  try {
    return form.empty() || interrupt::kept > 0 ? std::string{} : answer_of(form, outcomes, said);
  } catch (const InputError& error) { // nothing of the run is lost for it
    warnings.push_back(
        plain(MessageKind::warning, fmt::format("no answer to the question: {}", error.diagnostics().front().message)));
    return {};
  }
}

/// The three assumptions that decide most, of one point of training.
Messages decisive_of(const Document& document, const std::vector<CheckedPoint>& points)
{
  const ScenarioRunner* runner = runner_of(points.front().scenario);
  const bool trains = runner == nullptr || runner->kind() == "trainyard parallel";
  return points.size() == 1 && trains ? decisive_assumptions(document, points.front()) : Messages{};
}

void tell_conclusions(const Messages& decisive, const std::string& answer, const Messages& draw,
                      const Arguments& arguments)
{
  if (arguments.has("--json"))
    return;
  std::vector<std::string> most;
  std::ranges::transform(decisive, std::back_inserter(most), &Message::text);
  if (!most.empty())
    print(fmt::format("decides most: {}\n", fmt::join(most, "; ")));
  if (!answer.empty())
    print(fmt::format("\nanswer: {}\n", answer));
  for (const Message& words : draw)
    print(words.text + "\n");
}

/// What is added to the messages of a run.
Messages conclusions(const std::string& answer, Messages decisive, const Messages& draw)
{
  std::ranges::copy(draw, std::back_inserter(decisive));
  if (!answer.empty())
    decisive.insert(decisive.begin(), plain(MessageKind::answer, answer));
  return decisive;
}

/// Scenarios that are more than training steps: the queue of a cluster, machines with failures…
int run_other(const ScenarioRunner& runner, const Arguments& arguments, const ScenarioInput& input,
              const std::vector<CheckedPoint>& points, const Diagnostics& diagnostics, const fs::path& chosen,
              const std::string& sentence)
{
  RunReport report;
  std::string answer;
  Messages decisive;
  try {
    Progress progress{arguments};
    report = runner.run(points, {progress.reporter(), [&](const LiveResult& result) { progress.result(result); }});
    if (const std::string kept = kept_parts(); !kept.empty())
      report.warnings.push_back(plain(MessageKind::warning, kept));
    answer = answer_text(sentence, outcomes_of(points, report.summary), messages_of(report.summary), report.warnings);
    decisive = decisive_of(input.document, points);
    report = with_conclusions(std::move(report), conclusions(answer, decisive, draw_of(points)), diagnostics.sorted());
  } catch (const InputError& error) {
    throw located(error, input);
  }
  check_interrupt();
  std::string replaced;
  const fs::path folder = folder_for_kept(chosen);
  if (!folder.empty()) {
    Results info;
    info.run = input.run;
    info.run.seed = points.front().scenario.run.seed;
    info.run.fidelity = points.front().scenario.run.fidelity;
    const auto fill = [&](const fs::path& to) {
      write_file(to / "summary.json", document_text(report.summary));
      for (const RunFile& file : report.files)
        if (!arguments.has("--no-plots") || !(file.name.ends_with(".png") || file.name.ends_with(".svg")))
          file.write(to / file.name);
      write_file(to / "manifest.json", manifest_json(info));
    };
    replaced = write_folder(folder, fill, replacing(arguments));
  }
  if (arguments.has("--json"))
    print_data(document_text(report.summary));
  else
    print(report.told.text(wants_colour(arguments, stdout)) + report.timed.text());
  tell_conclusions(decisive, answer, draw_of(points), arguments);
  print_diagnostics(located(report.doubts, input), arguments);
  for (const Message& warning : report.warnings)
    print_note("warning: " + warning.text, arguments);
  tell_folder(folder, replaced, arguments);
  if (interrupt::kept > 0)
    return interrupted;
  if (arguments.has("--assert")) {
    const auto outcomes = outcomes_of(points, report.summary);
    const std::vector<Goal> goals = assertions_of(arguments, points.front().scenario, &outcomes.front().second);
    tell_prices(goals, points, arguments);
    const int code = assertions_code(goals, outcomes, draw_of(points));
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
  const std::string sentence = answer_form(input.document, diagnostics);
  diagnostics.throw_if_errors();
  print_diagnostics(diagnostics.sorted(), arguments);
  fs::path folder = results_folder(arguments, input);
  if (!folder.empty())
    check_folder(folder, replacing(arguments));
  const std::vector<Goal> goals =
      points.empty() ? std::vector<Goal>{} : assertions_of(arguments, points.front().scenario, nullptr);
  if (const ScenarioRunner* runner = points.empty() ? nullptr : runner_of(points.front().scenario); runner != nullptr)
    return run_other(*runner, arguments, input, points, diagnostics, folder, sentence);

  const Messages decisive = points.empty() || points.size() > 1 ? Messages{} : decisive_of(input.document, points);
  input.document = {}; // the points say all; of thousands of jobs it is large
  Results results;
  {
    Progress progress{arguments};
    results = simulate(points, catalogue,
                       {.progress = progress.reporter(),
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
  if (const std::string kept = kept_parts(); !kept.empty())
    results.messages.push_back(plain(MessageKind::warning, kept));
  std::vector<std::string> told = texts_of(results.messages, MessageKind::error);
  const bool all_started = told.empty();
  std::ranges::move(texts_of(results.messages, MessageKind::warning), std::back_inserter(told));
  conclude(results, diagnostics.sorted());
  const Telling told_of_run = arguments.has("--json") ? Telling{} : results_told(results);
  Messages unanswered;
  const std::string answer = answer_text(sentence, outcomes_of(points, results.jobs), results.messages, unanswered);
  std::ranges::move(texts_of(unanswered, MessageKind::warning), std::back_inserter(told));
  std::ranges::move(unanswered, std::back_inserter(results.messages));
  const Messages draw = points.empty() ? Messages{} : draw_of(points);
  Messages added = conclusions(answer, decisive, draw);
  results.messages.insert(results.messages.begin(), std::move_iterator{added.begin()}, std::move_iterator{added.end()});

  folder = folder_for_kept(folder);
  const std::string replaced = folder.empty()
                                   ? std::string{}
                                   : write_results(results, folder, !arguments.has("--no-plots"), replacing(arguments));
  if (arguments.has("--json"))
    print_data(summary_json(results));
  else
    print(told_of_run.text(wants_colour(arguments, stdout)));
  tell_conclusions(decisive, answer, draw, arguments);
  tell_folder(folder, replaced, arguments);
  for (const std::string& warning : told)
    print_note("warning: " + warning, arguments);
  if (interrupt::kept > 0)
    return interrupted;
  tell_prices(goals, points, arguments);
  const int code =
      goals.empty() ? static_cast<int>(done) : assertions_code(goals, outcomes_of(points, results.jobs), draw);
  return all_started ? code : static_cast<int>(goal_not_met);
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
       {"--no-files", "", "", "do not write a results folder"},
       force_option()});
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
     "there, and leaves other files. A folder of somebody else is refused.",
     run_options(),
     {{"simrun my.yaml --assert 'p95(queueing_delay) < 2 h' --json",
       "check a condition: exit code 3 and the margin if it is not met"},
      {"simrun vgg16_ps_vs_ring", "a shipped example: parameter server or ring all-reduce for VGG-16?"},
      {"simrun my.yaml --set jobs.0.workers=16 -o what_if", "simulate your file with one value changed"},
      {"simrun results/runs/my/manifest.json -o again", "repeat the run, byte for byte"}},
     run_scenario});

} // namespace
} // namespace trainyard::app
