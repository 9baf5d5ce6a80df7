// SPDX-License-Identifier: Apache-2.0
#include "models/core/child.hpp"
#include "models/core/diagnostics.hpp"
#include "models/scenario/document.hpp"
#include "sim/app/command.hpp"
#include "sim/app/terminal.hpp"
#include "sim/report/document_head.hpp"
#include "sim/report/files.hpp"
#include "sim/report/table.hpp"
#include "sim/sources/scenario_runner.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <filesystem>
#include <system_error>

namespace trainyard::app {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t largest_summary_bytes = 512U << 20U;

/// The "kind" that a summary names; empty where it is not a JSON object.
std::string kind_of(const std::string& text)
{
  const auto json = nlohmann::json::parse(text, nullptr, false);
  return json.is_object() ? json.value("kind", "") : "";
}

std::string printed(const Arguments& arguments, const Telling& told)
{
  return arguments.has("--json") ? document_text({{"told", told.json()}}) : told.text(wants_colour(arguments, stdout));
}

/// What the summary @p file says about what the @p words of the user name.
std::string explained(const Arguments& arguments, const std::vector<std::string>& words, const fs::path& file)
{
  const std::string text = read_text_file(file, largest_summary_bytes);
  if (const ScenarioRunner* runner = runner_of_kind(kind_of(text)); runner != nullptr) {
    for (const char* option : {"--model", "--variant", "--point", "--workers"})
      if (arguments.has(option))
        print_note(fmt::format("warning: {} has no effect: it chooses rows of training steps, and this is '{}'; choose "
                               "with --job",
                               option, runner->kind()),
                   arguments);
    const std::string what = words.size() == 3 ? words[0] : arguments.has("--job") ? "job" : "";
    return printed(arguments,
                   runner->explain(file.parent_path(), what, words.size() == 3 ? words[1] : arguments.value("--job")));
  }
  if (words.size() == 3)
    throw InputError{
        fmt::format("'{}' contains training steps; choose with --job, --model, --variant or --workers", words[2])};
  Results results = read_summary(text, file.string());
  const std::size_t all = results.jobs.size();
  for (const auto& [option, member] : {std::pair{"--job", &JobRow::job},
                                       {"--point", &JobRow::point},
                                       {"--variant", &JobRow::variant},
                                       {"--model", &JobRow::model}})
    if (arguments.has(option))
      std::erase_if(results.jobs, [&](const JobRow& row) {
        return (row.*member).find(arguments.value(option)) == std::string::npos;
      });
  if (arguments.has("--workers")) {
    const auto workers = static_cast<int>(arguments.whole_number("--workers", 1, 1, 1'000'000));
    std::erase_if(results.jobs, [&](const JobRow& row) { return row.workers != workers; });
  }
  if (results.jobs.empty())
    throw InputError{fmt::format("none of the {} rows of '{}' matches; jobs.csv lists them", all, file.string())};
  const bool whole = arguments.has("--all") || results.jobs.size() < all;
  if (!whole) // the largest points are the most interesting
    std::ranges::stable_sort(results.jobs, std::greater{}, &JobRow::workers);
  return printed(arguments, explain_text(results, whole ? results.jobs.size() : 4));
}

int explain(const Arguments& arguments)
{
  // `explain FOLDER`, or `explain job 812 FOLDER`
  const std::vector<std::string> words = arguments.all("RESULTS");
  if (words.size() > 3)
    throw InputError{"too many arguments; see simrun explain -h"};
  if (words.size() == 2)
    throw InputError{fmt::format("'{} {}': give the results folder too: simrun explain {} {} results/…", words[0],
                                 words[1], words[0], words[1])};
  fs::path file = words.back();
  std::error_code error;
  if (fs::is_directory(file, error))
    file /= "summary.json";
  if (file.filename() == "manifest.json")
    file = file.parent_path() / "summary.json";
  if (!fs::exists(file, error))
    throw InputError{fmt::format(
        "'{}' is not a results folder: it has no summary.json; simrun SCENARIO -o DIR writes one", words.back())};
  print(read_in_child({file.has_parent_path() ? file.parent_path() : "."}, [&] {
    try {
      return explained(arguments, words, file);
    } catch (const nlohmann::json::exception& fault) {
      throw InputError{
          fmt::format("{}: a value has the wrong type ({}); was the file edited?", file.string(), fault.what())};
    }
  }));
  return done;
}

[[maybe_unused]] const bool registered = register_command(
    {"explain",
     "show where the time of a step goes, its critical path and the busiest links",
     "Reads the summary of an earlier run. Without further options it shows the four points with the most GPUs.",
     {{"RESULTS", "", "RESULTS",
       "results folder of a run; or `job NAME FOLDER` or `task NAME FOLDER`: why that job or task waited; or `gpus "
       "TIME FOLDER`: the GPUs at that time",
       "folder", true, true},
      {"--job", "", "NAME", "only jobs whose name contains this text"},
      {"--model", "", "NAME", "only models whose name contains this text", "list models"},
      {"--variant", "", "NAME", "only variants whose name contains this text"},
      {"--point", "", "TEXT", "only points whose name contains this text"},
      {"--workers", "", "N", "only points with N GPUs"},
      {"--all", "", "", "every row"},
      {"--json", "", "", "the same as JSON, piece by piece: lines, headings and tables with their messages"}},
     {{"simrun explain results/runs/vgg16_ps_vs_ring", "show the largest points of that run"},
      {"simrun explain results/runs/vgg16_ps_vs_ring --model vgg16 --variant ring --workers 8", "one row"}},
     explain});

} // namespace
} // namespace trainyard::app
