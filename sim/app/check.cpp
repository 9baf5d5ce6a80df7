// SPDX-License-Identifier: Apache-2.0
#include "models/core/data_folder.hpp"
#include "models/core/diagnostics.hpp"
#include "models/core/text.hpp"
#include "models/scenario/schema.hpp"
#include "sim/app/command.hpp"
#include "sim/app/scenario_input.hpp"
#include "sim/app/terminal.hpp"
#include "sim/report/table.hpp"
#include "sim/run/simulate.hpp"
#include "sim/sources/scenario_runner.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <set>

namespace trainyard::app {
namespace {

int check(const Arguments& arguments)
{
  Diagnostics diagnostics;
  const auto [input, points] = checked_input(arguments, diagnostics);
  print_diagnostics(diagnostics.sorted(), arguments);
  const ScenarioRunner* runner = points.empty() ? nullptr : runner_of(points.front().scenario);
  std::string outline;
  Diagnostics doubts;
  try {
    if (runner != nullptr)
      outline = runner->outline(points, load_catalogue(data_folder()), doubts);
  } catch (const InputError& error) {
    throw located(error, input);
  }
  print_diagnostics(located(doubts.sorted(), input), arguments);
  const std::string head = fmt::format("{}: no errors; {}", input.run.scenario_file, counted(points.size(), "point"));
  if (!outline.empty()) {
    print(head + "\n" + outline);
  } else {
    std::size_t jobs = 0;
    for (const CheckedPoint& point : points)
      jobs += point.scenario.jobs.size();
    print(fmt::format("{}, {} in total, fidelity {}\n", head, counted(jobs, "job"),
                      points.empty() ? "-" : points.front().scenario.run.fidelity));
  }
  if (!arguments.has("--explain"))
    return done;
  const auto schema = scenario_schema_json(registered_parts(), load_catalogue(data_folder()));
  std::vector<std::vector<TableCell>> rows;
  std::set<std::pair<std::string, std::string>> seen;
  for (const CheckedPoint& point : points)
    point.scenario.defaults.each([&](const FilledDefault& filled) {
      if (seen.emplace(filled.path, filled.value).second)
        rows.push_back({{filled.path}, {filled.value}, {filled.source}});
    });
  std::set<std::string> listed;
  for (const auto& [path, value] : seen)
    listed.insert(path);
  for (const FilledDefault& filled : absent_defaults(input.document, schema))
    if (!listed.contains(filled.path))
      rows.push_back({{filled.path}, {filled.value}, {filled.source}});
  print(rows.empty() ? "no defaults are used\n"
                     : "\ndefaults used, because the file does not give these values\n" +
                           table_text({{"key", false}, {"value", false}, {"where it comes from", false}}, rows,
                                      wants_colour(arguments, stdout)));
  return done;
}

std::vector<Option> check_options()
{
  std::vector<Option> list = scenario_options();
  list.push_back({"--explain", "", "", "also list every default that is used, and its source"});
  return list;
}

[[maybe_unused]] const bool check_registered = register_command(
    {"check",
     "check a scenario without running it; show all errors at once",
     "Reads, checks and expands the scenario like a run does: names, units, ranges, placement, GPU memory, transports "
     "and routes. For a "
     "queue it also reads and audits the trace: jobs, time span, requested GPUs, jobs that can never run.",
     check_options(),
     {{"simrun check my.yaml", "every error with its line and a suggestion"},
      {"simrun check my.yaml --explain", "also show all defaults"}},
     check});

} // namespace
} // namespace trainyard::app
