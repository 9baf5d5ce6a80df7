// SPDX-License-Identifier: Apache-2.0
#include "models/core/figure_text.hpp"
#include "models/core/text.hpp"
#include "sim/report/column_json.hpp"
#include "sim/report/document_head.hpp"
#include "sim/report/output_file.hpp"
#include "sim/report/table.hpp"
#include "sim/sources/together/together.hpp"
#include "sim/sources/together/together_tables.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <functional>
#include <map>
#include <utility>

namespace trainyard::together {
namespace {

using Json = nlohmann::ordered_json;

/// "gavel, nodes=8": what a run differs in from the others, besides the part that it leaves out.
std::string title_of(const TogetherRun& run, bool several)
{
  std::string title = run.point;
  if (several)
    title += (title.empty() || run.policy.empty() ? "" : ", ") + run.policy;
  return title;
}

/// The name of a run among the figures of a study: "las", "las without services".
std::string item_of(const TogetherRun& run)
{
  const std::string policy = run.policy.empty() ? "together" : run.policy;
  return run.left_out == LeftOut::nothing ? policy : policy + " " + to_text(run.left_out);
}

/// A row per run: everything together, then without each part. What a part costs the others is the difference.
std::string costs_table(const std::vector<TogetherRun>& runs, bool several_policies, bool colour)
{
  std::vector<const Figure*> shown;
  for (const Figure& figure : figures())
    if (std::ranges::any_of(runs, [&](const TogetherRun& run) { return figure.value(run).has_value(); }))
      shown.push_back(&figure);
  std::vector<Column> columns{{"run", false}};
  for (const Figure* figure : shown)
    columns.push_back({figure->title});
  std::vector<std::vector<TableCell>> rows;
  std::vector<std::size_t> groups;
  for (const TogetherRun& run : runs) {
    if (run.left_out == LeftOut::nothing && !rows.empty())
      groups.push_back(rows.size());
    const std::string title = title_of(run, several_policies);
    std::vector<TableCell> row{{run.left_out == LeftOut::nothing
                                    ? (title.empty() ? "" : title + ": ") + to_text(run.left_out)
                                    : "  " + to_text(run.left_out)}};
    for (const Figure* figure : shown) {
      const std::optional<double> value = figure->value(run);
      row.push_back({value ? figure->text(*value) : "-"});
    }
    rows.push_back(std::move(row));
  }
  return table_text(columns, rows, colour, groups);
}

/// GPU-hours of the whole run by who held them; the rest was free or down. Holds to rounding: nobody holds a GPU twice.
std::string ledger_text(const TogetherRun& run, int gpus, Seconds until)
{
  const double all = gpus * until.value() / 3600;
  double free = all;
  std::string text;
  const auto add = [&](const char* who, double hours) {
    text += fmt::format("{}{} {} ({})", text.empty() ? "" : ", ", who, hours_text(hours), percent_text(hours / all));
    free -= hours;
  };
  if (run.queue)
    add("queue", run.own_jobs.gpu_hours);
  if (run.services)
    add("services", held_hours(*run.services));
  if (run.retraining)
    add("retraining", run.retraining->metrics.gpu_hours);
  return fmt::format("of {} GPU-hours: {}, free or down {} ({})\n", hours_text(all), text, hours_text(free),
                     percent_text(free / all));
}

/// In words, what leaving out each part changes for the others most.
std::string conclusions(const std::vector<TogetherRun>& runs, bool several_policies)
{
  std::string text;
  const TogetherRun* base = nullptr;
  for (const TogetherRun& run : runs) {
    if (run.left_out == LeftOut::nothing) {
      base = &run;
      continue;
    }
    const Figure* most = nullptr;
    double change = 0.005; // below half a percent nothing is said
    for (const char* name : {"mean_jct_s", "mean_waiting_s", "need_to_deployed_p50_s", "availability"}) {
      const auto figure =
          std::ranges::find(figures(), name, [](const Figure& one) -> const std::string& { return one.column.name; });
      const std::optional<double> with = figure->value(*base), without = figure->value(run);
      if (!with || !without || !std::isfinite(*with) || !std::isfinite(*without) || *with <= 0 || *without <= 0)
        continue;
      if (const double relative = std::abs(*with / *without - 1); relative > change) {
        change = relative;
        most = &*figure;
      }
    }
    if (most == nullptr)
      continue;
    const std::string title = title_of(*base, several_policies);
    text += fmt::format("{}{}, {} is {} instead of {}\n", title.empty() ? "" : title + ": ", to_text(run.left_out),
                        most->title, most->text(*most->value(run)), most->text(*most->value(*base)));
  }
  return text;
}

/// "batch trains at 62 % of its speed alone for 3.1 h, because it shares links with others; most with job a on …": for
/// each visitor of links that was slowed, up to the five that lost most.
std::string links_text(const TogetherRun& run)
{
  struct Lost {
    double slowed = 0, worked = 0, most = 0;
    std::string with;
  };
  std::map<std::string, Lost> all;
  for (const SlowVisit& visit : run.slow_visits) {
    Lost& lost = all[visit.name];
    const double span = (visit.to - visit.from).value(), cost = span * (1 - visit.share);
    lost.slowed += span;
    lost.worked += span * visit.share;
    if (cost > lost.most) {
      lost.most = cost;
      lost.with = fmt::format("{} on {}", visit.neighbour, visit.link);
    }
  }
  std::vector<std::pair<std::string, Lost>> order{all.begin(), all.end()};
  std::ranges::stable_sort(order, std::greater{},
                           [](const auto& entry) { return entry.second.slowed - entry.second.worked; });
  constexpr std::size_t most_named = 5;
  std::string text;
  for (std::size_t i = 0; i < order.size() && i < most_named; ++i)
    text += fmt::format("{} shares links for {} and trains there at {} of its speed alone, mostly beside {}\n",
                        order[i].first, time_text(Seconds{order[i].second.slowed}),
                        percent_text(order[i].second.worked / order[i].second.slowed), order[i].second.with);
  return text;
}

/// What each part costs the others: the first table, who held the GPUs, and what changes most without each part.
std::string overview(const std::vector<TogetherRun>& runs, bool several_policies, Seconds until, bool colour)
{
  const TogetherRun& first = runs.front();
  std::string text = costs_table(runs, several_policies, colour) + "\n";
  const int gpus = first.queue ? first.queue->gpus : first.services ? first.services->input.cluster.total_gpus() : 0;
  for (const TogetherRun& run : runs)
    if (run.left_out == LeftOut::nothing && gpus > 0) {
      const std::string title = title_of(run, several_policies);
      text += (title.empty() ? "" : title + ": ") + ledger_text(run, gpus, until);
    }
  text += conclusions(runs, several_policies);
  for (const TogetherRun& run : runs)
    if (run.left_out == LeftOut::nothing)
      text += links_text(run);
  return text;
}

/// Puts a part's report below a folder of its own.
void add_part(RunReport& report, RunReport part, const std::string& folder)
{
  report.text += "\n" + folder + "\n" + part.text.substr(part.text.find('\n') + 1); // the scenario was named before
  for (RunFile& file : part.files)
    report.files.push_back(
        {folder + "/" + file.name, [write = std::move(file.write)](const std::filesystem::path& path) {
           std::filesystem::create_directories(path.parent_path());
           write(path);
         }});
  report.files.push_back({folder + "/summary.json", [text = part.summary](const std::filesystem::path& path) {
                            std::filesystem::create_directories(path.parent_path());
                            write_file(path, text);
                          }});
  report.warnings.insert(report.warnings.end(), part.warnings.begin(), part.warnings.end());
  report.exit_code = std::max(report.exit_code, part.exit_code);
}

} // namespace

RunReport together_report(const std::vector<CheckedPoint>& points, const std::vector<TogetherRun>& runs,
                          const std::string& notes, std::vector<Diagnostic> doubts, bool colour)
{
  const Scenario& scenario = points.front().scenario;
  const Instant until = scenario.run.until;
  auto kept = std::make_shared<std::vector<TogetherRun>>(runs);
  const auto whole = [](const TogetherRun& run) { return run.left_out == LeftOut::nothing; };
  const auto several = std::ranges::count_if(runs, whole) > static_cast<std::ptrdiff_t>(points.size());
  RunReport report;
  const TogetherRun& first = runs.front();
  report.text = fmt::format("{}\n{} machines, all parts under one clock · {} · seed {}\n\n",
                            heading(scenario.name, scenario.description), first.nodes.size(), time_text(seconds(until)),
                            scenario.run.seed);
  report.text += overview(runs, several, seconds(until), colour);
  report.doubts = std::move(doubts);

  auto queue = std::make_shared<std::vector<QueueRun>>();
  auto services = std::make_shared<orchestration::Runs>();
  auto retraining = std::make_shared<std::vector<EnvironmentRunSet>>();
  for (const TogetherRun& run : runs) {
    if (!whole(run))
      continue;
    if (run.queue)
      queue->push_back(*run.queue);
    if (run.services) {
      services->push_back(*run.services);
      services->back().point = title_of(run, several);
    }
    if (run.retraining) {
      retraining->push_back(*run.retraining);
      retraining->back().point = title_of(run, several);
      retraining->back().title = retraining->back().point.empty() ? retraining->back().label : retraining->back().point;
    }
  }
  Json summary = document_head("trainyard cluster", scenario);
  summary.update({{"until_s", seconds(until).value()},
                  {"overview", overview(runs, several, seconds(until), false)},
                  {"advice", conclusions(runs, several)},
                  {"runs", Json::array()}});
  for (const TogetherRun& run : runs) {
    Json row = {{"point", run.point}, {"policy", item_of(run)}, {"run", to_text(run.left_out)}};
    for (const Figure& figure : figures())
      row.update(row_json<TogetherRun>({figure.column}, run));
    if (run.queue) // so that goals such as p95(jct) see a mixed run
      row.update(row_json(queue_columns(), run.own_jobs));
    summary["runs"].push_back(std::move(row));
  }
  const auto part = [&](const char* name, RunReport own) {
    summary[name] = Json::parse(own.summary, nullptr, false);
    add_part(report, std::move(own), name);
  };
  if (!queue->empty())
    part("queue", queue_report(points, queue, notes, colour));
  if (!services->empty())
    part("services", orchestration::services_report(scenario, services, "", Json::array(), colour));
  if (!retraining->empty())
    part("retraining", environment_report(scenario, retraining, retraining->size() > 1, colour));
  report.files.push_back({"timeline.csv", [kept, until](const std::filesystem::path& path) {
                            write_file(path, timeline_csv(*kept, until));
                          }});
  report.files.push_back(
      {"links.csv", [kept](const std::filesystem::path& path) { write_file(path, links_csv(*kept)); }});
  report.files.push_back(
      {"parts.csv", [kept](const std::filesystem::path& path) { write_file(path, parts_csv(*kept)); }});
  summary["warnings"] = report.warnings;
  for (const Diagnostic& doubt : report.doubts)
    summary["warnings"].push_back(doubt.message);
  report.summary = summary.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
  return report;
}

std::string explain_together(const std::filesystem::path& folder)
{
  std::ifstream in{folder / "summary.json", std::ios::binary};
  const Json summary = Json::parse(in, nullptr, false);
  if (!summary.is_object())
    throw InputError{
        fmt::format("'{}' is no JSON object: the folder is not a complete run", (folder / "summary.json").string())};
  std::string text = fmt::format("{}\n\n{}\n", heading(summary.value("scenario", ""), summary.value("description", "")),
                                 summary.value("overview", ""));
  for (const Json& warning : summary.value("warnings", Json::array()))
    text += "warning: " + warning.get<std::string>() + "\n\n";
  return text;
}

} // namespace trainyard::together
