// SPDX-License-Identifier: Apache-2.0
#include "sim/sources/retraining/environment_report.hpp"

#include "models/core/figure_text.hpp"
#include "models/core/text.hpp"
#include "models/results/json.hpp"
#include "models/scenario/sections/task_environment.hpp"
#include "sim/report/document_head.hpp"
#include "sim/report/table.hpp"

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

constexpr Sentence<std::string, Messages, Message> never_trained{
    "retraining.never_trained", "'{model}' can never be trained{at}: {why}; add nodes or lower its GPUs"};
constexpr Sentence<std::string, std::string, Messages, std::int64_t, std::int64_t, std::int64_t> starves{
    "retraining.starves",
    "{policy} starves '{model}'{at}: {done|completion|completions} of {needs} needs, {stopped} stopped by newer ones; "
    "needs come faster than trainings end; use coalesce, a longer wait, or more GPUs"};
constexpr Sentence<std::string, std::string, Messages, std::int64_t, std::int64_t, std::int64_t> almost_starves{
    "retraining.almost_starves",
    "{policy} almost starves '{model}'{at}: {done|completion|completions} of {needs} needs, {stopped} stopped by newer "
    "ones; needs come faster than trainings end; use coalesce, a longer wait, or more GPUs"};
constexpr Sentence<std::int64_t, std::int64_t, std::string, Messages, std::string> never_arrived{
    "retraining.never_arrived", "{lost} of {needs} trainings of '{model}' were sent, but never reached the queue{at} "
                                "({policy}); submission: check sends them again"};
constexpr Sentence<std::int64_t, std::int64_t, std::string, Messages, std::string> always_failed{
    "retraining.always_failed", "{failed} of {needs} retrainings of '{model}' failed at every attempt{at} ({policy})"};
constexpr Sentence<std::int64_t, std::string> more_warnings{"retraining.more_warnings",
                                                            "and {more} more of this kind under {policy}"};
constexpr Sentence<std::string, std::int64_t, std::int64_t> not_listed{
    "retraining.not_listed", "{policy}: {more} events and decisions beyond the first {listed} are not listed"};
constexpr Sentence<Figure> same_end{"retraining.same_end",
                                    "all planners end the trainings at the same time, after {time}."};
constexpr Sentence<std::string, Figure, std::string, Figure, Figure> ends_first{
    "retraining.ends_first",
    "{planner} ends the trainings first, after {time}; {other} takes {longest} ({longer} longer)."};
constexpr Sentence<> none_deployed{"retraining.none_deployed", "no model was deployed: the warnings say why."};
constexpr Sentence<Figure, Figure, Message, Figure> half_served{
    "retraining.half_served",
    "half of the needs are served within {time}; {share} of the time to a deployed model is {segment} ({spent})."};
constexpr Sentence<Figure> no_effect{
    "retraining.no_effect", "the choice has no effect here: the model is stale {share} of the time with all of them."};
constexpr Sentence<std::string, Messages, Figure, Figure, std::string, Figure, Figure, Messages> freshest{
    "retraining.freshest",
    "{policy} serves the freshest models{starving}: their data are {age} periods old on average, compared with {older} "
    "for {other}; the models are stale {stale} of the time, compared with {more}{besides}."};
constexpr Sentence<> starves_none{"retraining.starves_none", " and starves no model"};
constexpr Sentence<std::string, std::string, Figure, Message, Messages> equally_fresh{
    "retraining.equally_fresh", "{policy} and {other} serve equally fresh models: their data are {age} periods old on "
                                "average; the models are stale {stale}{besides}."};
constexpr Sentence<Figure> of_the_time{"retraining.of_the_time", "{share} of the time"};
constexpr Sentence<Figure, std::string, Figure, std::string> of_the_time_with{
    "retraining.of_the_time_with", "{share} of the time with {policy}, {more} with {other}"};
constexpr Sentence<std::int64_t, std::int64_t> deployed{"retraining.deployed",
                                                        ", {models} models are deployed, compared with {others}"};
constexpr Sentence<Figure, Figure> wasted{"retraining.wasted",
                                          ", {hours} GPU-hours are wasted, compared with {others}"};
constexpr Sentence<std::string, Figure, Figure> almost_as_good{
    "retraining.almost_as_good", "; {policy} is almost as good ({age} periods) and wastes {hours} GPU-hours"};
constexpr Sentence<std::string, Figure> wastes_none{
    "retraining.wastes_none", "; {policy} is almost as good ({age} periods) and wastes no GPU-hours"};

constexpr Sentence<> of_plans{"retraining.of_plans", "plans (for the first queue with several trainings)"};
constexpr Sentence<> of_segments{"retraining.of_segments",
                                 "mean time from the need to the deployed model, for deployed models"};

/// Warnings of one set: models that never got a new version although they needed it repeatedly.
Messages warnings_of(const EnvironmentRunSet& set)
{
  Messages warnings;
  const EnvironmentResult& run = set.runs.front();
  const Messages at = set.point.empty() ? Messages{} : Messages{at_point(set.point)};
  struct Count {
    std::int64_t needs = 0, replaced = 0, completed = 0, failed = 0, lost = 0;
    Message impossible;
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
    const std::string& name = run.models[model];
    if (!impossible.empty())
      warnings.push_back(never_trained(name, at, impossible));
    else if (replaced >= 2 && replaced * 2 > needs && completed * 10 < needs)
      warnings.push_back(
          (completed == 0 ? starves : almost_starves)(set.duplicates, name, at, completed, needs, replaced));
    else if (lost > 0)
      warnings.push_back(never_arrived(lost, needs, name, at, set.label));
    else if (failed > 0)
      warnings.push_back(always_failed(failed, needs, name, at, set.label));
  }
  if (warnings.size() > 8) {
    const auto more = static_cast<std::int64_t>(warnings.size() - 8);
    warnings.resize(8);
    warnings.push_back(more_warnings(more, set.label));
  }
  if (run.dropped_records > 0)
    warnings.push_back(not_listed(set.label, run.dropped_records, static_cast<std::int64_t>(run.events.size())));
  for (Message& warning : warnings)
    warning.kind = MessageKind::warning;
  return warnings;
}

Figure figure(double value, std::string text)
{
  return {value, std::move(text)};
}

Figure time_of(double seconds)
{
  return {seconds, quantile_text(seconds)};
}

Figure stale_of(const EnvironmentRunSet& set)
{
  return {set.metrics.stale_share, fmt::format("{:.1f} %", 100 * set.metrics.stale_share)};
}

Figure age_of(const EnvironmentRunSet& set)
{
  return {set.metrics.data_age_periods, fmt::format("{:.2f}", set.metrics.data_age_periods)};
}

Figure wasted_by(const EnvironmentRunSet& set)
{
  return {set.metrics.wasted_gpu_hours, rate_text(set.metrics.wasted_gpu_hours)};
}

/// For planners of one night's trainings: which ends first; nothing if models need retraining repeatedly.
Messages one_night(const std::vector<EnvironmentRunSet>& sets)
{
  for (const EnvironmentRunSet& set : sets)
    if (set.runs.front().requests.size() != set.runs.front().models.size() || set.metrics.makespan_s <= 0)
      return {};
  const auto makespan = [](const EnvironmentRunSet& set) { return set.metrics.makespan_s; };
  const EnvironmentRunSet& best = *std::ranges::min_element(sets, {}, makespan);
  const EnvironmentRunSet& worst = *std::ranges::max_element(sets, {}, makespan);
  const Figure least = time_of(makespan(best)), most = time_of(makespan(worst));
  if (least.text == most.text)
    return {same_end(least)};
  const double longer = makespan(worst) / makespan(best) - 1;
  return {ends_first(best.title, least, worst.title, most, figure(longer, fmt::format("{:.0f} %", 100 * longer)))};
}

/// Whose models are fresher. Figures that are equal as printed decide nothing.
Message freshness(const EnvironmentRunSet& best, const EnvironmentRunSet& worst, const Messages& besides)
{
  const Figure age = age_of(best), older = age_of(worst), stale = stale_of(best), other = stale_of(worst);
  const bool starving = worst.metrics.starved > best.metrics.starved;
  if (starving || age.text != older.text)
    return freshest(best.title, starving ? Messages{starves_none()} : Messages{}, age, older, worst.title, stale, other,
                    besides);
  return equally_fresh(
      best.title, worst.title, age,
      stale.text == other.text ? of_the_time(stale) : of_the_time_with(stale, best.title, other, worst.title), besides);
}

/// Which choice keeps the models freshest, which wastes least, what the first choice of the file costs.
Messages advice_of(const std::vector<EnvironmentRunSet>& sets)
{
  if (sets.size() == 1) {
    const EnvironmentMetrics& m = sets.front().metrics;
    if (m.completions == 0)
      return {none_deployed()};
    const auto most = static_cast<std::size_t>(std::ranges::max_element(m.segment_s) - m.segment_s.begin());
    const double total = std::accumulate(m.segment_s.begin(), m.segment_s.end(), 0.0);
    const double share = total > 0 ? m.segment_s[most] / total : 0;
    return {half_served(time_of(m.need_to_deployed.quantile(0.5)), figure(share, percent_text(share)),
                        message_of(static_cast<Segment>(most)), time_of(m.segment_s[most]))};
  }
  if (Messages night = one_night(sets); !night.empty())
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
      best.metrics.wasted_gpu_hours == worst.metrics.wasted_gpu_hours)
    return {no_effect(figure(best.metrics.stale_share, percent_text(best.metrics.stale_share)))};
  Messages besides;
  if (best.metrics.completions != worst.metrics.completions)
    besides.push_back(deployed(best.metrics.completions, worst.metrics.completions));
  if (best.metrics.wasted_gpu_hours != worst.metrics.wasted_gpu_hours)
    besides.push_back(wasted(wasted_by(best), wasted_by(worst)));
  for (const EnvironmentRunSet& other : sets)
    if (&other != &best && other.metrics.starved == best.metrics.starved &&
        other.metrics.wasted_gpu_hours < best.metrics.wasted_gpu_hours &&
        other.metrics.data_age_periods < 1.05 * best.metrics.data_age_periods) {
      besides.push_back(other.metrics.wasted_gpu_hours >= 0.005
                            ? almost_as_good(other.title, age_of(other), wasted_by(other))
                            : wastes_none(other.title, age_of(other)));
      break;
    }
  return {freshness(best, worst, besides)};
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
void tell_plans(std::vector<EnvironmentRunSet> sets, Telling& told, Telling& timed)
{
  using Set = EnvironmentRunSet;
  std::erase_if(sets, [](const Set& set) { return set.runs.front().first_makespan <= 0; });
  if (sets.empty())
    return;
  told.line(of_plans(), "\n");
  tell_table<Set>(
      sets,
      {{{"planner", false}, &Set::title},
       {{"planned"}, [](const Set& set) { return time_text(Seconds{set.runs.front().first_makespan}); }},
       {{"best possible"},
        [](const Set& set) { return set.optimal_makespan_s > 0 ? time_text(Seconds{set.optimal_makespan_s}) : "-"; }},
       {{"gap"},
        [](const Set& set) {
          const double longer = set.runs.front().first_makespan / set.optimal_makespan_s - 1;
          return set.optimal_makespan_s > 0 ? fmt::format("{:.1f} %", 100 * longer) : "-";
        }},
       {{"makespan"}, [](const Set& set) { return time_text(Seconds{set.metrics.makespan_s}); }},
       {{"plans"}, [](const Set& set) { return fmt::format("{}", set.runs.front().plans); }}},
      told);
  for (const Set& set : sets)
    timed.lines(fmt::format("decision time of {}: {}, planning only, on this machine\n", set.title,
                            time_text(Seconds{set.runs.front().planning_seconds})));
}

/// A row per policy: what became of the needs, and how fresh the models are.
void tell_policies(const std::vector<EnvironmentRunSet>& sets, bool several_points, Telling& told)
{
  using Set = EnvironmentRunSet;
  const auto count = [](RequestEnd end) {
    return [end](const Set& set) { return fmt::format("{}", ended(set.metrics, end)); };
  };
  const auto hours = [](double EnvironmentMetrics::*of, int digits) {
    return [=](const Set& set) { return fmt::format("{:.{}g}", set.metrics.*of, digits); };
  };
  const auto quantile = [](double share) {
    return [share](const Set& set) { return quantile_text(set.metrics.need_to_deployed.quantile(share)); };
  };
  const bool curves = std::ranges::any_of(sets, [](const Set& set) { return set.metrics.quality.has_value(); });
  const auto quality = [](std::optional<double> EnvironmentMetrics::*of) {
    return [of](const Set& set) {
      const std::optional<double>& value = set.metrics.*of;
      return value ? fmt::format("{:.4g} %", 100 * *value) : std::string{"-"};
    };
  };
  tell_table<Set>(sets,
                  {{{"point", false}, &Set::point, several_points},
                   {{"policy", false}, &Set::label},
                   {{"needs"}, [](const Set& set) { return fmt::format("{}", set.metrics.needs); }},
                   {{"completions"}, [](const Set& set) { return fmt::format("{}", set.metrics.completions); }},
                   {{"stopped"}, count(RequestEnd::replaced)},
                   {{"joined"}, count(RequestEnd::coalesced)},
                   {{"dropped"}, count(RequestEnd::forbidden)},
                   {{"wasted GPU h"}, hours(&EnvironmentMetrics::wasted_gpu_hours, 4)},
                   {{"redone GPU h"}, hours(&EnvironmentMetrics::redone_gpu_hours, 4)},
                   {{"GPU h"}, hours(&EnvironmentMetrics::gpu_hours, 5)},
                   {{"median need→deployed"}, quantile(0.5)},
                   {{"p95"}, quantile(0.95)},
                   {{"stale"}, [](const Set& set) { return stale_of(set).text; }},
                   {{"age/period"}, [](const Set& set) { return age_of(set).text; }},
                   {{"quality"}, quality(&EnvironmentMetrics::quality), curves},
                   {{"lowest"}, quality(&EnvironmentMetrics::lowest_quality), curves},
                   {{"GPUs busy"}, [](const Set& set) { return percent_text(set.metrics.utilisation); }}},
                  told);
}

/// Mean times from the need to the deployed model, segment by segment.
void tell_segments(const std::vector<EnvironmentRunSet>& sets, bool several_points, Telling& told)
{
  using Set = EnvironmentRunSet;
  const auto shown = [](const Set& set, double time) {
    return set.metrics.completions > 0 ? time_text(Seconds{time}) : "-";
  };
  std::vector<ShownColumn<Set>> columns{{{several_points ? "point" : "policy", false}, &Set::title}};
  for (std::size_t i = 0; i < segment_names.size(); ++i)
    columns.push_back(
        {{std::string{segment_names[i]}}, [=](const Set& set) { return shown(set, set.metrics.segment_s[i]); }});
  columns.push_back({{"sum"}, [=](const Set& set) {
                       const auto& parts = set.metrics.segment_s;
                       return shown(set, std::accumulate(parts.begin(), parts.end(), 0.0));
                     }});
  told.line(of_segments(), "\n");
  tell_table(sets, columns, told);
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
                             bool several_points)
{
  RunReport report;
  for (const EnvironmentRunSet& set : *sets) {
    for (Message& warning : warnings_of(set))
      add_once(report.warnings, std::move(warning));
    if (!unfinished(set).empty())
      report.exit_code = 3;
  }
  const EnvironmentResult& first = sets->front().runs.front();
  if (fidelity_of_steps(scenario) == "closed_form" && first.models.size() > 1)
    report.warnings.push_back(plain(MessageKind::warning, "at fidelity closed_form trainings that share links do not "
                                                          "slow each other's collectives; use --fidelity fluid"));
  const std::string paired = paired_text(*sets);
  const std::size_t seeds = sets->front().runs.size();
  Telling& told = report.told;
  told.heading(heading(scenario.name, scenario.description));
  told.lines(fmt::format("{} on {}, {} · {}seed{} {}{}\n\n", counted(first.models.size(), "model"),
                         counted(first.gpus, "GPU"), time_text(seconds(first.end)), fidelity_told(scenario),
                         seeds > 1 ? "s" : "", scenario.run.seed,
                         seeds > 1 ? fmt::format("–{}", scenario.run.seed + seeds - 1) : ""));
  tell_policies(*sets, several_points, told);
  tell_segments(*sets, several_points, told);
  tell_plans(*sets, told, report.timed);
  Json& summary = report.summary = document_head("trainyard task environment", scenario);
  Messages advice = advice_of(*sets);
  advice.front().kind = MessageKind::answer;
  report.conclude(advice);
  tell_answers(advice, told);
  for (const EnvironmentRunSet& set : *sets)
    if (const std::string why = unfinished(set); !why.empty())
      told.lines(fmt::format("{}{}: {}\n", set.point.empty() ? "" : set.point + ", ", set.label,
                             Verdict{.ruling = Ruling::cannot_run, .why = why}.text()));
  told.lines(paired);

  summary.update({{"replicas", seeds},
                  {"until_s", seconds(first.end).value()},
                  {"gpus", first.gpus},
                  {"models", first.models.size()},
                  {"paired", paired},
                  {"runs", Json::array()}});
  for (const EnvironmentRunSet& set : *sets)
    summary["runs"].push_back(json_of(set));
  add_environment_files(report, std::move(sets));
  return report;
}

// Which defaults of retraining change nothing in a scenario.
std::vector<FilledDefault> retraining_seen(const Scenario& scenario)
{
  const auto& section = *scenario.section<TaskEnvironmentSection>("task_environment");
  std::vector<FilledDefault> seen;
  const auto unless = [&](bool matters, const std::string& path) {
    if (!matters)
      seen.push_back({path, "", {}});
  };
  const bool planned =
      std::ranges::any_of(section.planners, [](const NamedPart& planner) { return planner.name != "none"; });
  const bool fails = !section.faults.empty() || std::isfinite(section.mean_time_to_failure.value());
  unless(planned, "task_environment.duplicates"); // without a planner duplicates are not checked
  unless(section.cluster && !section.through_queue, "task_environment.placement");
  unless(!section.through_queue, "task_environment.planner"); // the queue decides
  unless(std::ranges::any_of(section.models, [](const RetrainedModel& model) { return model.data > Bytes{0}; }),
         "task_environment.upload.bandwidth");
  unless(section.messages.loss > 0, "task_environment.submission"); // only then an answer can be missing
  unless(section.confirm.by == "polling" || section.messages.loss > 0, "task_environment.upload.confirm.period");
  unless(section.status.by != "message" || section.messages.loss > 0, "task_environment.status.period");
  unless(fails, "task_environment.models.*.checkpoint_interval");
  if (!section.faults.empty())
    seen.push_back({"task_environment.mean_time_to_failure", "fail only as 'faults' says", {}});
  return seen;
}

} // namespace trainyard
