// SPDX-License-Identifier: Apache-2.0
#include "sim/sources/retraining/environment_report.hpp"

#include "models/core/figure_text.hpp"
#include "models/core/text.hpp"
#include "sim/report/column_json.hpp"
#include "sim/report/document_head.hpp"
#include "sim/report/output_file.hpp"
#include "sim/report/table.hpp"
#include "sim/sources/retraining/environment_files.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace trainyard {
namespace {

using Json = nlohmann::ordered_json;

std::string quantile_text(double value)
{
  return std::isfinite(value) ? time_text(Seconds{value}) : "never";
}

int ended(const EnvironmentMetrics& m, RequestEnd end)
{
  return m.ends[static_cast<std::size_t>(end)];
}

/// Warnings of one set: models that never got a new version although they needed it repeatedly.
std::vector<std::string> warnings_of(const EnvironmentRunSet& set)
{
  std::vector<std::string> warnings;
  const EnvironmentResult& run = set.runs.front();
  const std::string at = set.point.empty() ? "" : fmt::format(" at {}", set.point);
  struct Count {
    int needs = 0, replaced = 0, completed = 0, failed = 0, lost = 0;
    std::string impossible;
  };
  std::vector<Count> counts(run.models.size());
  for (const Request& request : run.requests) {
    Count& count = counts[static_cast<std::size_t>(request.model)];
    ++count.needs;
    count.replaced += request.ended == RequestEnd::replaced ? 1 : 0;
    count.completed += request.deployed >= Instant{0} ? 1 : 0;
    count.failed += request.ended == RequestEnd::failed ? 1 : 0;
    count.lost += request.ended == RequestEnd::lost ? 1 : 0;
    if (request.ended == RequestEnd::impossible)
      count.impossible = request.reason;
  }
  for (std::size_t model = 0; model < run.models.size(); ++model) {
    const auto& [needs, replaced, completed, failed, lost, impossible] = counts[model];
    if (!impossible.empty())
      warnings.push_back(fmt::format("'{}' can never be trained{}: {}; add nodes or lower its GPUs", run.models[model],
                                     at, impossible));
    else if (replaced >= 2 && replaced * 2 > needs && completed * 10 < needs)
      warnings.push_back(fmt::format("{} {} '{}'{}: {} of {} needs, {} stopped by newer ones; needs come faster than "
                                     "trainings end; use coalesce, a longer wait, or more GPUs",
                                     set.duplicates, completed == 0 ? "starves" : "almost starves", run.models[model],
                                     at, counted(completed, "completion"), needs, replaced));
    else if (lost > 0)
      warnings.push_back(fmt::format("{} of {} trainings of '{}' were sent, but never reached the queue{} ({}); "
                                     "submission: check sends them again",
                                     lost, needs, run.models[model], at, set.label));
    else if (failed > 0)
      warnings.push_back(fmt::format("{} of {} retrainings of '{}' failed at every attempt{} ({})", failed, needs,
                                     run.models[model], at, set.label));
  }
  if (warnings.size() > 8) {
    const std::size_t more = warnings.size() - 8;
    warnings.resize(8);
    warnings.push_back(fmt::format("and {} more of this kind under {}", more, set.label));
  }
  if (run.dropped_records > 0)
    warnings.push_back(fmt::format("{}: {} events and decisions beyond the first {} are not listed", set.label,
                                   run.dropped_records, run.events.size()));
  return warnings;
}

std::string hours_text(double hours)
{
  return hours >= 0.005 ? rate_text(hours) : "no";
}

std::string share_text(double share)
{
  return fmt::format("{:.1f} %", 100 * share);
}

/// For planners of one night's trainings: which ends first; empty if models need retraining repeatedly.
std::string one_night(const std::vector<EnvironmentRunSet>& sets)
{
  for (const EnvironmentRunSet& set : sets)
    if (set.runs.front().requests.size() != set.runs.front().models.size() || set.metrics.makespan_s <= 0)
      return {};
  const auto makespan = [](const EnvironmentRunSet& set) { return set.metrics.makespan_s; };
  const EnvironmentRunSet& best = *std::ranges::min_element(sets, {}, makespan);
  const EnvironmentRunSet& worst = *std::ranges::max_element(sets, {}, makespan);
  if (time_text(Seconds{makespan(best)}) == time_text(Seconds{makespan(worst)}))
    return fmt::format("all planners end the trainings at the same time, after {}.",
                       time_text(Seconds{makespan(best)}));
  return fmt::format("{} ends the trainings first, after {}; {} takes {} ({:.0f} % longer).", best.title,
                     time_text(Seconds{makespan(best)}), worst.title, time_text(Seconds{makespan(worst)}),
                     100 * (makespan(worst) / makespan(best) - 1));
}

/// Whose models are fresher. Figures that are equal as printed decide nothing.
std::string freshness_text(const EnvironmentRunSet& best, const EnvironmentRunSet& worst)
{
  const auto age = [](const EnvironmentRunSet& set) { return fmt::format("{:.2f}", set.metrics.data_age_periods); };
  const std::string stale = share_text(best.metrics.stale_share), other = share_text(worst.metrics.stale_share);
  if (worst.metrics.starved > best.metrics.starved || age(best) != age(worst))
    return fmt::format("{} serves the freshest models{}: their data are {} periods old on average, compared with {} "
                       "for {}; the models are stale {} of the time, compared with {}",
                       best.title, worst.metrics.starved > best.metrics.starved ? " and starves no model" : "",
                       age(best), age(worst), worst.title, stale, other);
  return fmt::format("{} and {} serve equally fresh models: their data are {} periods old on average; the models are "
                     "stale {}",
                     best.title, worst.title, age(best),
                     stale == other
                         ? fmt::format("{} of the time", stale)
                         : fmt::format("{} of the time with {}, {} with {}", stale, best.title, other, worst.title));
}

/// One sentence: which choice keeps the models freshest, which wastes least, what the first choice of the file costs.
std::string advice_of(const std::vector<EnvironmentRunSet>& sets)
{
  const auto dearest = [](const EnvironmentRunSet& set) {
    const auto& segments = set.metrics.segment_s;
    return static_cast<std::size_t>(std::ranges::max_element(segments) - segments.begin());
  };
  if (sets.size() == 1) {
    const EnvironmentMetrics& m = sets.front().metrics;
    if (m.completions == 0)
      return "no model was deployed: the warnings say why.";
    const std::size_t most = dearest(sets.front());
    const double total = std::accumulate(m.segment_s.begin(), m.segment_s.end(), 0.0);
    return fmt::format("half of the needs are served within {}; {} of the time to a deployed model is {} ({}).",
                       quantile_text(m.need_to_deployed.quantile(0.5)),
                       percent_text(total > 0 ? m.segment_s[most] / total : 0), segment_names[most],
                       time_text(Seconds{m.segment_s[most]}));
  }
  if (std::string night = one_night(sets); !night.empty())
    return night;
  const auto better = [](const EnvironmentRunSet& a, const EnvironmentRunSet& b) {
    const auto key = [](const EnvironmentRunSet& set) {
      return std::tuple{set.metrics.starved, std::round(set.metrics.data_age_periods * 50),
                        set.metrics.wasted_gpu_hours, set.metrics.data_age_periods};
    };
    return key(a) < key(b);
  };
  const EnvironmentRunSet& best = *std::ranges::min_element(sets, better);
  const EnvironmentRunSet& worst = *std::ranges::max_element(sets, better);
  if (best.metrics.data_age_periods == worst.metrics.data_age_periods &&
      best.metrics.wasted_gpu_hours == worst.metrics.wasted_gpu_hours) {
    return fmt::format("the choice has no effect here: the model is stale {} of the time with all of them.",
                       percent_text(best.metrics.stale_share));
  }

  std::string text = freshness_text(best, worst);
  if (best.metrics.completions != worst.metrics.completions)
    text +=
        fmt::format(", {} models are deployed, compared with {}", best.metrics.completions, worst.metrics.completions);
  if (best.metrics.wasted_gpu_hours != worst.metrics.wasted_gpu_hours)
    text += fmt::format(", {} GPU-hours are wasted, compared with {}", rate_text(best.metrics.wasted_gpu_hours),
                        rate_text(worst.metrics.wasted_gpu_hours));
  for (const EnvironmentRunSet& other : sets)
    if (&other != &best && other.metrics.starved == best.metrics.starved &&
        other.metrics.wasted_gpu_hours < best.metrics.wasted_gpu_hours &&
        other.metrics.data_age_periods < 1.05 * best.metrics.data_age_periods) {
      text += fmt::format("; {} is almost as good ({:.2f} periods) and wastes {} GPU-hours", other.title,
                          other.metrics.data_age_periods, hours_text(other.metrics.wasted_gpu_hours));
      break;
    }
  return text + ".";
}

/// Paired differences of the time from need to end of training against the first set.
std::string paired_text(const std::vector<EnvironmentRunSet>& sets)
{
  std::string text;
  for (std::size_t i = 1; i < sets.size(); ++i) {
    const PairedDifference d = paired_difference(sets[i].trained_mean_s, sets[0].trained_mean_s);
    if (!std::isfinite(d.half_width))
      return {};
    const bool sure = std::abs(d.mean) > d.half_width;
    text +=
        fmt::format("time from need to end of training, {} compared with {}: {}{} ± {} over {} seeds{}\n",
                    sets[i].title, sets[0].title, d.mean < 0 ? "-" : "+", time_text(Seconds{std::abs(d.mean)}),
                    time_text(Seconds{d.half_width}), sets[i].trained_mean_s.size(), sure ? "" : " (may be chance)");
  }
  return text;
}

/// Plans of several trainings at once: makespan, decision time, and how near to the best possible.
std::string plans_text(const std::vector<EnvironmentRunSet>& sets, bool colour)
{
  std::vector<std::vector<TableCell>> rows;
  for (const EnvironmentRunSet& set : sets) {
    const EnvironmentResult& run = set.runs.front();
    if (run.first_makespan <= 0)
      continue;
    rows.push_back(
        {{set.title},
         {time_text(Seconds{run.first_makespan})},
         {set.optimal_makespan_s > 0 ? time_text(Seconds{set.optimal_makespan_s}) : "-"},
         {set.optimal_makespan_s > 0 ? fmt::format("{:.1f} %", 100 * (run.first_makespan / set.optimal_makespan_s - 1))
                                     : "-"},
         {time_text(Seconds{set.metrics.makespan_s})},
         {fmt::format("{}", run.plans)},
         {time_text(Seconds{run.planning_seconds})}});
  }
  if (rows.empty())
    return {};
  return "\nplans (for the first queue with several trainings; decision time: planning only, on this machine)\n" +
         table_text(
             {{"planner", false}, {"planned"}, {"best possible"}, {"gap"}, {"makespan"}, {"plans"}, {"decision time"}},
             rows, colour);
}

Json json_of(const EnvironmentRunSet& set)
{
  Json json = {{"point", set.point}, {"policy", set.label}, {"planner", set.planner}, {"duplicates", set.duplicates}};
  json.update(row_json(retraining_columns(), set));
  for (std::size_t i = 0; i < set.metrics.ends.size(); ++i)
    json["ends"][std::string{to_text(static_cast<RequestEnd>(i))}] = set.metrics.ends[i];
  for (std::size_t i = 0; i < segment_names.size(); ++i)
    json["mean_segments"][std::string{segment_names[i]} + "_s"] = set.metrics.segment_s[i];
  return json;
}

} // namespace

RunReport environment_report(const Scenario& scenario, std::shared_ptr<const std::vector<EnvironmentRunSet>> sets,
                             bool several_points, bool colour)
{
  RunReport report;
  std::vector<Column> columns;
  if (several_points)
    columns.push_back({"point", false});
  columns.insert(columns.end(), {{"policy", false},
                                 {"needs"},
                                 {"completions"},
                                 {"stopped"},
                                 {"joined"},
                                 {"dropped"},
                                 {"wasted GPU h"},
                                 {"redone GPU h"},
                                 {"GPU h"},
                                 {"median need→deployed"},
                                 {"p95"},
                                 {"stale"},
                                 {"age/period"},
                                 {"GPUs busy"}});
  std::vector<std::vector<TableCell>> rows, segments;
  for (const EnvironmentRunSet& set : *sets) {
    const EnvironmentMetrics& m = set.metrics;
    std::vector<TableCell> row;
    if (several_points)
      row.push_back({set.point});
    for (const std::string& cell :
         {set.label, fmt::format("{}", m.needs), fmt::format("{}", m.completions),
          fmt::format("{}", ended(m, RequestEnd::replaced)), fmt::format("{}", ended(m, RequestEnd::coalesced)),
          fmt::format("{}", ended(m, RequestEnd::forbidden)), fmt::format("{:.4g}", m.wasted_gpu_hours),
          fmt::format("{:.4g}", m.redone_gpu_hours), fmt::format("{:.5g}", m.gpu_hours),
          quantile_text(m.need_to_deployed.quantile(0.5)), quantile_text(m.need_to_deployed.quantile(0.95)),
          fmt::format("{:.1f} %", 100 * m.stale_share), fmt::format("{:.2f}", m.data_age_periods),
          percent_text(m.utilisation)})
      row.push_back({cell});
    rows.push_back(std::move(row));
    std::vector<TableCell> parts{{set.title}};
    double total = 0;
    for (const double segment : m.segment_s) {
      parts.push_back({m.completions > 0 ? time_text(Seconds{segment}) : "-"});
      total += segment;
    }
    parts.push_back({m.completions > 0 ? time_text(Seconds{total}) : "-"});
    segments.push_back(std::move(parts));
    for (std::string& warning : warnings_of(set))
      if (std::ranges::find(report.warnings, warning) == report.warnings.end())
        report.warnings.push_back(std::move(warning));
    if (ended(m, RequestEnd::impossible) > 0)
      report.exit_code = 3;
  }
  const EnvironmentResult& first = sets->front().runs.front();
  const std::string advice = advice_of(*sets), paired = paired_text(*sets);
  report.text = fmt::format(
      "{}\n{} on {}, {} · seed{} {}{}\n\n", heading(scenario.name, scenario.description),
      counted(first.models.size(), "model"), counted(first.gpus, "GPU"), time_text(seconds(first.end)),
      sets->front().runs.size() > 1 ? "s" : "", scenario.run.seed,
      sets->front().runs.size() > 1 ? fmt::format("–{}", scenario.run.seed + sets->front().runs.size() - 1) : "");
  report.text += table_text(columns, rows, colour);
  std::vector<Column> parts{{several_points ? "point" : "policy", false}};
  for (const std::string_view segment : segment_names)
    parts.push_back({std::string{segment}});
  parts.push_back({"sum"});
  report.text +=
      "\nmean time from the need to the deployed model, for deployed models\n" + table_text(parts, segments, colour);
  report.text += plans_text(*sets, colour);
  report.text += "\n" + advice + "\n" + paired;

  Json summary = document_head("trainyard task environment", scenario);
  summary.update({{"replicas", sets->front().runs.size()},
                  {"until_s", seconds(first.end).value()},
                  {"gpus", first.gpus},
                  {"models", first.models.size()},
                  {"advice", advice},
                  {"paired", paired},
                  {"warnings", report.warnings},
                  {"runs", Json::array()}});
  for (const EnvironmentRunSet& set : *sets)
    summary["runs"].push_back(json_of(set));
  report.summary = summary.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
  add_environment_files(report, std::move(sets));
  return report;
}

} // namespace trainyard
