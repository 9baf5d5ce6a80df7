// SPDX-License-Identifier: Apache-2.0
#include "models/core/figure_text.hpp"
#include "models/core/text.hpp"
#include "models/results/json.hpp"
#include "models/results/telling.hpp"
#include "sim/report/document_head.hpp"
#include "sim/sources/scenario_runner.hpp"
#include "sim/sources/together/together.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
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

/// What of the work of its parts was not done; empty: all was.
std::string undone(const TogetherRun& run)
{
  std::vector<std::string> whys;
  if (run.queue)
    whys.push_back(run.own_jobs.verdict.why);
  for (std::size_t s = 0; run.services && s < run.services->result.services.size(); ++s)
    if (const std::string why = orchestration::unfinished({&*run.services, s}); !why.empty())
      whys.push_back(run.services->input.services[s].name + ": " + why);
  if (run.retraining)
    whys.push_back(unfinished(*run.retraining));
  std::erase(whys, "");
  return fmt::format("{}", fmt::join(whys, "; "));
}

/// A row per run: everything together, then without each part. What a part costs the others is the difference.
void tell_costs(const std::vector<TogetherRun>& runs, bool several_policies, Telling& told)
{
  Told table{.form = Told::Form::table, .columns = {{"run", false}}};
  std::vector<const Figure*> shown;
  for (const Figure& figure : figures())
    if (std::ranges::any_of(runs, [&](const TogetherRun& run) { return figure.value(run).has_value(); })) {
      shown.push_back(&figure);
      table.columns.push_back({figure.title});
    }
  for (const TogetherRun& run : runs) {
    const bool whole = run.left_out == LeftOut::nothing;
    if (whole && !table.rows.empty())
      table.group_ends.push_back(table.rows.size());
    const std::string title = title_of(run, several_policies);
    std::vector<TableCell>& row = table.rows.emplace_back();
    row.emplace_back((!whole ? "  " : title.empty() ? "" : title + ": ") + to_text(run.left_out));
    for (const Figure* figure : shown) {
      const std::optional<double> value = figure->value(run);
      row.emplace_back(value ? figure->text(*value) : "-");
    }
  }
  told.pieces.push_back(std::move(table));
}

using Number = trainyard::Figure;
constexpr Sentence<std::string, Number, Messages, Number, Number> ledger{
    "together.ledger", "{title}of {all} GPU-hours: {held}, free or down {free} ({share})"};
constexpr Sentence<Message, Number, Number> held_by{"together.held_by", "{who} {hours} ({share})"};
constexpr Sentence<> part_names[]{
    {"together.queue", "queue"}, {"together.services", "services"}, {"together.retraining", "retraining"}};
constexpr Sentence<std::string, Number, Number, std::string, std::string> shares_links{
    "together.shares_links", "{name} shares links for {time} and trains there at {speed} of its speed alone, mostly "
                             "beside {neighbour} on {link}"};

/// GPU-hours of the whole run by who held them; the rest was free or down. Holds to rounding: nobody holds a GPU twice.
Message ledger_of(const TogetherRun& run, const std::string& title, int gpus, Seconds until)
{
  const double all = gpus * until.value() / 3600;
  double free = all;
  const auto hours_of = [](double hours) { return Number{hours, hours_text(hours)}; };
  const auto share_of = [&](double hours) { return Number{hours / all, percent_text(hours / all)}; };
  Messages held;
  const auto add = [&](std::size_t who, double hours) {
    if (!held.empty())
      held.push_back(plain(MessageKind::part, ", "));
    held.push_back(held_by(part_names[who](), hours_of(hours), share_of(hours)));
    free -= hours;
  };
  if (run.queue)
    add(0, run.own_jobs.gpu_hours);
  if (run.services)
    add(1, held_hours(*run.services));
  if (run.retraining)
    add(2, run.retraining->metrics.gpu_hours);
  if (std::abs(free) < 1e-9 * all) // of sums of doubles
    free = 0;
  return ledger(title.empty() ? "" : title + ": ", hours_of(all), held, hours_of(free), share_of(free));
}

constexpr Sentence<std::string, Message, Message, Number, Number> changes{
    "together.changes", "{title}{left_out}, {measure} is {without} instead of {with}"};
// The figures of which one is told, and their words in a sentence.
constexpr const char* compared[]{"mean_jct_s", "mean_waiting_s", "need_to_deployed_p50_s", "availability"};
constexpr Sentence<> words_of_compared[]{{"together.mean_jct", "mean JCT"},
                                         {"together.waiting", "waiting"},
                                         {"together.need_to_deployed", "median need→deployed"},
                                         {"together.availability", "services up"}};

/// What leaving out each part changes for the others most.
Messages conclusions(const std::vector<TogetherRun>& runs, bool several_policies)
{
  Messages told;
  const TogetherRun* base = nullptr;
  for (const TogetherRun& run : runs) {
    if (run.left_out == LeftOut::nothing) {
      base = &run;
      continue;
    }
    std::string title = title_of(*base, several_policies);
    title += title.empty() ? "" : ": ";
    Message most;
    double change = 0.005; // below half a percent nothing is said
    for (std::size_t i = 0; i < std::size(compared); ++i) {
      const auto figure = std::ranges::find(figures(), compared[i],
                                            [](const auto& one) -> const std::string& { return one.column.name; });
      const std::optional<double> with = figure->value(*base), without = figure->value(run);
      if (!with || !without || !std::isfinite(*with) || !std::isfinite(*without) || *with <= 0 || *without <= 0)
        continue;
      if (const double relative = std::abs(*with / *without - 1); relative > change) {
        change = relative;
        most = changes(title, message_of(run.left_out), words_of_compared[i](), {*without, figure->text(*without)},
                       {*with, figure->text(*with)});
      }
    }
    if (!most.empty())
      told.push_back(as(MessageKind::answer, std::move(most)));
  }
  return told;
}

/// For each visitor of links that was slowed, up to the five that lost most.
void tell_links(const TogetherRun& run, Telling& told)
{
  struct Lost {
    double slowed = 0, worked = 0, most = 0;
    std::string neighbour, link;
  };
  std::map<std::string, Lost> all;
  for (const SlowVisit& visit : run.slow_visits) {
    Lost& lost = all[visit.name];
    const double span = (visit.to - visit.from).value(), cost = span * (1 - visit.share);
    lost.slowed += span;
    lost.worked += span * visit.share;
    if (cost > lost.most) {
      lost.most = cost;
      lost.neighbour = visit.neighbour;
      lost.link = visit.link;
    }
  }
  std::vector<std::pair<std::string, Lost>> order{all.begin(), all.end()};
  std::ranges::stable_sort(order, std::greater{},
                           [](const auto& entry) { return entry.second.slowed - entry.second.worked; });
  constexpr std::size_t most_named = 5;
  order.resize(std::min(order.size(), most_named));
  for (const auto& [name, lost] : order)
    told.say(shares_links(name, {lost.slowed, time_text(Seconds{lost.slowed})},
                          {lost.worked / lost.slowed, percent_text(lost.worked / lost.slowed)}, lost.neighbour,
                          lost.link));
}

/// What each part costs the others: the first table, who held the GPUs, and what leaving out each part changes.
Telling overview(const std::vector<TogetherRun>& runs, const Messages& found, bool several_policies, Seconds until)
{
  Telling told;
  tell_costs(runs, several_policies, told);
  told.gap();
  const TogetherRun& first = runs.front();
  const int gpus = first.queue ? first.queue->gpus : first.services ? first.services->input.cluster.total_gpus() : 0;
  for (const TogetherRun& run : runs)
    if (run.left_out == LeftOut::nothing && gpus > 0)
      told.say(ledger_of(run, title_of(run, several_policies), gpus, until));
  for (const Message& message : found)
    told.answer(message);
  for (const TogetherRun& run : runs)
    if (run.left_out == LeftOut::nothing)
      tell_links(run, told);
  return told;
}

/// Puts a part's report below a folder of its own.
void add_part(RunReport& report, RunReport part, const std::string& folder)
{
  report.told.heading(folder, "\n");
  part.told.pieces.erase(part.told.pieces.begin()); // the scenario was named before
  report.told.add(std::move(part.told));
  report.timed.add(std::move(part.timed));
  part.files.push_back(text_file("summary.json", document_text(part.summary)));
  std::erase_if(part.files, [](const RunFile& file) { return file.name == "gpu_series.csv"; }); // of all parts or none
  for (RunFile& file : part.files)
    report.files.push_back(
        {folder + "/" + file.name, [write = std::move(file.write)](const std::filesystem::path& path) {
           std::filesystem::create_directories(path.parent_path());
           write(path);
         }});
  report.warnings.insert(report.warnings.end(), part.warnings.begin(), part.warnings.end());
  report.exit_code = std::max(report.exit_code, part.exit_code);
}

} // namespace

RunReport together_report(const std::vector<CheckedPoint>& points, const std::vector<TogetherRun>& runs,
                          const std::string& notes, std::vector<Diagnostic> doubts)
{
  const Scenario& scenario = points.front().scenario;
  const Instant until = scenario.run.until;
  auto kept = std::make_shared<std::vector<TogetherRun>>(runs);
  const auto whole = [](const TogetherRun& run) { return run.left_out == LeftOut::nothing; };
  const auto several = std::ranges::count_if(runs, whole) > static_cast<std::ptrdiff_t>(points.size());
  RunReport report;
  const TogetherRun& first = runs.front();
  report.told.heading(heading(scenario.name, scenario.description));
  report.told.lines(fmt::format("{} machines, all parts under one clock · {} · {}seed {}\n\n", first.nodes.size(),
                                time_text(seconds(until)), fidelity_told(scenario), scenario.run.seed));
  Json& summary = report.summary = document_head("trainyard cluster", scenario);
  const Messages found = conclusions(runs, several);
  report.conclude(found);
  report.told.add(overview(runs, found, several, seconds(until)));
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
  summary.update({{"until_s", seconds(until).value()}, {"runs", Json::array()}});
  for (const TogetherRun& run : runs) {
    Json row = {{"point", run.point}, {"policy", item_of(run)}, {"run", to_text(run.left_out)}};
    for (const Figure& figure : figures())
      row.update(row_json<TogetherRun>({figure.column}, run));
    if (run.queue) // so that goals such as p95(jct) see a mixed run
      row.update(row_json(queue_columns(), run.own_jobs));
    row["unfinished"] = undone(run);
    summary["runs"].push_back(std::move(row));
  }
  const auto part = [&](const char* name, RunReport own) {
    own = with_conclusions(std::move(own), {}, {});
    summary[name] = own.summary;
    add_part(report, std::move(own), name);
  };
  if (!queue->empty())
    part("queue", queue_report(points, queue, notes));
  if (!services->empty())
    part("services", orchestration::services_report(scenario, services, {}, Json::array()));
  if (!retraining->empty())
    part("retraining", environment_report(scenario, retraining, retraining->size() > 1));
  report.files.push_back(text_file("timeline.csv", [kept, until] { return timeline_csv(*kept, until); }));
  report.files.push_back(text_file("links.csv", [kept] { return links_csv(*kept); }));
  report.files.push_back(text_file("parts.csv", [kept] { return parts_csv(*kept); }));
  return report;
}

Telling explain_together(const WrittenRun& folder)
{
  Telling told;
  told.heading(plain(MessageKind::part, folder.heading()));
  told.gap();
  Telling whole = Telling::read(folder.summary.value("told", Json::array()));
  const auto table = std::ranges::find(whole.pieces, Told::Form::table, &Told::form);
  const auto parts =
      std::find_if(table, whole.pieces.end(), [](const Told& piece) { return piece.form == Told::Form::heading; });
  std::move(table, parts, std::back_inserter(told.pieces));
  tell_warnings(folder, told);
  told.gap();
  return told;
}

} // namespace trainyard::together
