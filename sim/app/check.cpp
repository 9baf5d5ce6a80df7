// SPDX-License-Identifier: Apache-2.0
#include "models/core/data_folder.hpp"
#include "models/core/diagnostics.hpp"
#include "models/core/text.hpp"
#include "models/results/json.hpp"
#include "models/scenario/schema.hpp"
#include "sim/app/command.hpp"
#include "sim/app/scenario_input.hpp"
#include "sim/app/terminal.hpp"
#include "sim/report/document_head.hpp"
#include "sim/report/table.hpp"
#include "sim/run/simulate.hpp"
#include "sim/sources/scenario_runner.hpp"
#include "sim/study/answer.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <iterator>
#include <set>

namespace trainyard::app {
namespace {

/// What the check of a scenario says.
struct Checked {
  std::vector<Diagnostic> told;
  std::string text;
  int code = done;
};

/// A warning of work that never gets all it needs: the run ends with 3.
bool cannot_run(const Diagnostic& told)
{
  return told.said.id == "services.never_all" || told.said.id == "retraining.too_large";
}

/// Throws InputError with what is wrong; what is told until then is in @p found.
void check_into(const Arguments& arguments, Checked& found)
{
  Diagnostics diagnostics;
  const auto [input, points] = checked_input(arguments, diagnostics);
  answer_form(input.document, diagnostics);
  diagnostics.throw_if_errors();
  found.told = diagnostics.sorted();
  const ScenarioRunner* runner = points.empty() ? nullptr : runner_of(points.front().scenario);
  Outline outline;
  Diagnostics doubts;
  try {
    if (runner != nullptr)
      outline = runner->outline(points, load_catalogue(data_folder()), doubts);
  } catch (const InputError& error) {
    throw located(error, input);
  }
  std::ranges::move(located(doubts.sorted(), input), std::back_inserter(found.told));
  found.text = fmt::format("{}: no errors; {}", input.run.scenario_file, counted(points.size(), "point"));
  const auto never = std::ranges::find_if(found.told, cannot_run);
  found.code = outline.verdict.answers() && never == found.told.end() ? done : goal_not_met;
  if (!outline.text.empty()) {
    found.text += "\n" + outline.text;
  } else {
    std::size_t jobs = 0;
    for (const CheckedPoint& point : points)
      jobs += point.scenario.jobs.size();
    found.text += fmt::format(", {} in total, fidelity {}\n", counted(jobs, "job"),
                              points.empty() ? "-" : points.front().scenario.run.fidelity);
  }
  if (never != found.told.end())
    found.text += Verdict{.ruling = Ruling::cannot_run, .why = never->message}.text() + "\n";
  if (!arguments.has("--explain"))
    return;
  const auto schema = scenario_schema_json(registered_parts(), load_catalogue(data_folder()));
  std::vector<std::vector<TableCell>> rows;
  std::set<std::pair<std::string, std::string>> seen;
  for (const CheckedPoint& point : points)
    point.scenario.defaults.each([&](const FilledDefault& filled) {
      if (seen.emplace(filled.path, filled.value).second)
        rows.push_back({filled.path, filled.value, filled.source});
    });
  std::set<std::string> listed;
  for (const auto& [path, value] : seen)
    listed.insert(path);
  for (const FilledDefault& filled : absent_defaults(input.document, schema))
    if (!listed.contains(filled.path))
      rows.push_back({filled.path, filled.value, filled.source});
  found.text += rows.empty() ? "no defaults are used\n"
                             : "\ndefaults used, because the file does not give these values\n" +
                                   table_text({{"key", false}, {"value", false}, {"where it comes from", false}}, rows,
                                              wants_colour(arguments, stdout));
}

std::string json_of(const Checked& found)
{
  nlohmann::ordered_json json = document_head("trainyard check");
  json["problems"] = nlohmann::ordered_json::array();
  for (const Diagnostic& one : found.told) {
    json["problems"].push_back({{"severity", to_text(one.severity)},
                                {"file", one.where.file},
                                {"line", std::max(one.where.line, 0)},
                                {"column", one.where.column},
                                {"text", one.message}});
    if (!one.said.empty())
      json["problems"].back()["message"] = to_json(one.said);
  }
  json["text"] = found.text;
  return document_text(json);
}

int check(const Arguments& arguments)
{
  Checked found;
  try {
    check_into(arguments, found);
  } catch (const InputError& error) {
    if (!arguments.has("--json")) {
      print_diagnostics(found.told, arguments);
      throw;
    }
    std::ranges::copy(error.diagnostics(), std::back_inserter(found.told));
    found.code = bad_input;
  }
  if (arguments.has("--json")) {
    print_data(json_of(found));
  } else {
    print_diagnostics(found.told, arguments);
    print(found.text);
  }
  return found.code;
}

std::vector<Option> check_options()
{
  std::vector<Option> list = scenario_options();
  list.push_back({"--explain", "", "", "also list every default that is used, and its source"});
  list.push_back({"--json", "", "", "print errors, warnings and the text as JSON"});
  return list;
}

[[maybe_unused]] const bool check_registered =
    register_command({"check",
                      "check a scenario without running it; show all errors at once",
                      "Reads, checks and expands the scenario like a run does: names, units, ranges, placement, GPU "
                      "memory, transports and routes. For a queue it also reads and audits the trace: jobs, time span, "
                      "requested GPUs, jobs that can never run (exit code 3).",
                      check_options(),
                      {{"simrun check my.yaml", "every error with its line and a suggestion"},
                       {"simrun check my.yaml --explain", "also show all defaults"}},
                      check});

} // namespace
} // namespace trainyard::app
