// SPDX-License-Identifier: Apache-2.0
/// A plan in words and figures.
#include "models/core/figure_text.hpp"
#include "models/core/text.hpp"
#include "models/results/json.hpp"
#include "models/results/model_error.hpp"
#include "sim/report/document_head.hpp"
#include "sim/report/table.hpp"
#include "sim/study/measures.hpp"
#include "sim/study/plan.hpp"
#include "sim/study/plan_parts.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>

namespace trainyard {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t most_front_rows = 14;

constexpr Sentence<std::string, std::string, std::string> asked_for_least{"plan.minimise",
                                                                          "{name}: minimise {objective}{goals}"};
constexpr Sentence<std::string, std::string, std::string> asked_for_most{"plan.maximise",
                                                                         "{name}: maximise {objective}{goals}"};
constexpr Sentence<std::int64_t, std::int64_t, Messages> work_done{
    "plan.work", "{designs|design|designs}, {runs} simulated runs: {how}"};
constexpr Sentence<> all_simulated{"plan.all_simulated", "every design simulated"};
constexpr Sentence<std::string> all_simulated_by{"plan.all_simulated_by", "every design simulated ({fidelity})"};
constexpr Sentence<std::int64_t, std::string, std::int64_t, Message> some_discarded{
    "plan.some_discarded", "{pruned} discarded after a first simulation ({screen}), {decided} decided by {decider}"};
constexpr Sentence<> by_simulation{"plan.simulation", "simulation"};
constexpr Sentence<std::int64_t> up_to_seeds{"plan.up_to_seeds", ", up to {seeds} seeds each"};
constexpr Sentence<> no_chance{"plan.no_chance", "; the seed has no effect"};
constexpr Sentence<std::int64_t> some_cannot_run{"plan.some_cannot_run", "; {designs} cannot run"};
constexpr Sentence<std::string, std::string> note_on{"plan.note_on", "note on {goal}: {note}"};
constexpr Sentence<std::string, std::string, Message> miss_of_goal{"plan.miss_of_goal", "{goal}: {value} ({margin})"};
constexpr Sentence<> not_measured{"plan.not_measured", "not measured"};
constexpr Sentence<std::string> times_limit{"plan.times_limit", "{times} times the limit"};
constexpr Sentence<Figure> missed_by{"plan.missed_by", "missed by {share}"};
constexpr Sentence<std::int64_t, std::int64_t> few_seeds{
    "plan.few_seeds", "{seeds} seeds are not enough to decide; try --replicas {more}"};
constexpr Sentence<std::int64_t, std::string> cannot_be{"plan.refused", "{designs|design|designs} {why}"};
constexpr Sentence<std::int64_t, Message, std::int64_t, std::int64_t> undecided_designs{
    "plan.undecided", "undecided: {designs|design|designs} with {which} may also meet the goals; {seeds} seeds are not "
                      "enough to decide (try --replicas {more})"};
constexpr Sentence<std::int64_t, Message, Figure> unsure_designs{
    "plan.unsure", "unsure: {designs|design|designs} with {which} would meet the goals as predicted, but less surely "
                   "than {share}, by the errors of the model (--sure 0 takes them)"};
constexpr Sentence<Figure> unsure_best{
    "plan.unsure_best", "as predicted it meets them, but less surely than {share}, by the errors of the model "
                        "(--sure 0 takes it)"};
constexpr Sentence<std::string> more_of{"plan.more_of", "more {objective}"};
constexpr Sentence<std::string> less_of{"plan.less_of", "less {objective}"};
constexpr Sentence<std::int64_t, Figure, Figure> pruning_checked{
    "plan.pruning_checked", "pruning checked on {designs|design|designs}: the first simulation was at most {worst} too "
                            "pessimistic; {allowed} are allowed"};
constexpr Sentence<std::string, std::string, std::int64_t, Messages> pareto_front{
    "plan.front_of", "Pareto front: {objective} against {measure} ({designs|design|designs}{shown})"};
constexpr Sentence<std::int64_t> rows_shown{"plan.rows_shown", ", {rows} shown"};
constexpr Sentence<> of_knobs{"plan.of_knobs",
                              "effect of each knob (one value up, all else equal; checked, not assumed)"};
constexpr Sentence<std::string, std::string, std::int64_t> changes_nothing{
    "plan.changes_nothing", "{knob}: does not change {measure} ({pairs} pairs)"};
constexpr Sentence<std::string, std::string, std::int64_t> never_lowers{
    "plan.never_lowers", "{knob}: more never lowers {measure} ({pairs} pairs)"};
constexpr Sentence<std::string, std::string, std::int64_t> never_raises{
    "plan.never_raises", "{knob}: more never raises {measure} ({pairs} pairs)"};
constexpr Sentence<std::string, std::string, std::int64_t, std::int64_t, std::int64_t, std::string> not_monotone{
    "plan.not_monotone",
    "{knob}: not monotone in {measure}: up in {up}, down in {down} of {pairs} pairs; worst case {exception}"};
constexpr Sentence<> the_answer{"plan.the_answer", "answer"};
constexpr Sentence<> the_nearest_miss{"plan.the_nearest_miss", "nearest miss"};
constexpr Sentence<> the_runner_up{"plan.the_runner_up", "runner-up"};
constexpr Sentence<> more_nodes{"plan.more_nodes", "more nodes"};
constexpr Sentence<> fewer_nodes{"plan.fewer_nodes", "fewer nodes"};
constexpr Sentence<> cheaper_designs{"plan.cheaper", "cheaper"};
constexpr Sentence<> better_designs{"plan.better", "better"};

bool counts_nodes(const std::string& path)
{
  return path.starts_with("cluster.nodes.") && path.ends_with(".count");
}

std::string short_name(const std::string& path)
{
  return counts_nodes(path) ? "nodes" : path.substr(path.rfind('.') + 1);
}

/// Of a design with these settings: names that end alike are told apart.
std::string short_name(const Design& design, const std::string& path)
{
  const auto groups = std::ranges::count_if(design.settings, [](const auto& one) { return counts_nodes(one.first); });
  return groups == 1 && counts_nodes(path) ? "nodes" : trainyard::short_name(design.settings, path);
}

std::string short_value(const std::string& value)
{
  return value.size() > 48 ? value.substr(0, 45) + "..." : value;
}

std::string goal_cell(const Design& design, const PlanRequest& request, std::size_t g)
{
  const GoalFinding& finding = design.goals[g];
  if (finding.value.values == 0)
    return "-";
  return interval_text(request.goals[g].measure, finding.value);
}

/// Whether what a step waits for is what a goal of the item waits for.
bool rests_on_step(const Measured& measured, const PlanRequest& request)
{
  return std::ranges::any_of(request.goals, [&](const Goal& goal) {
    const MeasureKind& kind = kind_of(goal.measure);
    return kind.of == "training" && kind.name != "goodput" && kind.name != "redone" &&
           (goal.measure.item.empty() || measured.is(goal.measure.item));
  });
}

/// What the jobs of the answer wait for, as reported by the run.
std::string resource_text(const PointOutcome& outcome, const PlanRequest& request)
{
  std::string text;
  const auto queues = std::ranges::count_if(
      outcome.items, [](const Measured& one) { return one.group.empty() && one.numbers.contains("utilisation"); });
  for (const Measured& measured : outcome.items) {
    if (!measured.note.empty() && rests_on_step(measured, request))
      text += fmt::format("{}{}: {}", text.empty() ? "" : "; ", measured.item, measured.note);
    const auto number = [&](const char* name) {
      const auto found = measured.numbers.find(name);
      return found == measured.numbers.end() ? std::nullopt : std::optional{found->second};
    };
    const auto busy = number("utilisation"), delay = number("queueing_delay_s_mean"), jobs = number("jobs"),
               fragmented = number("fragmented_wait_hours");
    if (busy && delay && jobs && measured.group.empty()) {
      const double waited = *delay * *jobs / 3600;
      text += fmt::format("{}{}GPUs, {:.0f} % busy", text.empty() ? "" : "; ",
                          queues > 1 ? measured.item + ": " : std::string{}, 100 * *busy);
      if (waited > 0 && fragmented)
        text += fmt::format("; during {:.0f} % of the waiting time enough GPUs were free but not in one place, or "
                            "other jobs were first in the queue",
                            std::min(100.0, 100 * *fragmented / waited));
    }
  }
  return text;
}

constexpr Sentence<std::string, Figure> goal_met{"accuracy.goal",
                                                 "{goal}: {probability} sure, by the errors of the model"};

/// What the goals leave out of the waiting in this design; mostly nothing.
void tell_notes(const Design& design, const PlanRequest& request, Telling& told)
{
  for (const Goal& goal : request.goals)
    if (const std::string note = waiting_note(goal.measure, design.outcome); !note.empty())
      told.say(note_on(goal.text, note));
    else if (const std::optional<double> sure = probability_of(goal, design.outcome))
      told.say(goal_met(goal.text, {*sure, percent_text(*sure)}));
    else if (const std::string without = judged_without_error(goal, design.outcome); !without.empty())
      told.say(note_on(goal.text, without));
}

/// The goal with the smallest margin.
std::size_t tightest(const Design& design, const PlanRequest& request)
{
  std::size_t best = 0;
  for (std::size_t g = 1; g < request.goals.size(); ++g)
    if (design.goals[g].value.values > 0 &&
        request.goals[g].margin(design.goals[g].value.mean) < request.goals[best].margin(design.goals[best].value.mean))
      best = g;
  return best;
}

Message margin_of(const Goal& goal, const MeanInterval& value)
{
  const double margin = goal.margin(value.mean);
  if (margin < -2 && goal.upper)
    return times_limit(fmt::format("{:.3g}", 1 - margin));
  Figure share{std::abs(margin), fmt::format("{:.3g} %", 100 * std::abs(margin))};
  return margin < 0 ? missed_by(share) : plain(MessageKind::part, share.text);
}

/// What designs are that the objective prefers.
Message preferred_designs(const PlanRequest& request)
{
  return is_money(request.objective) && !request.maximise ? cheaper_designs() : better_designs();
}

/// The answer, what else was near, and one node more or less.
void tell_around(const Plan& plan, const PlanRequest& request, Telling& told)
{
  std::vector<Column> columns = {{"", false}, {"design", false}, {request.objective.text}};
  for (const Goal& goal : request.goals)
    columns.push_back({goal.measure.text});
  columns.push_back({"", false});
  TableRows rows;
  const auto row = [&](const Message& what, std::optional<std::size_t> index) {
    if (!index)
      return;
    const Design& design = plan.designs[*index];
    rows.push_back({what, design_text(design), measure_text(request.objective, design.objective)});
    for (std::size_t g = 0; g < request.goals.size(); ++g)
      rows.back().emplace_back(goal_cell(design, request, g));
    rows.back().emplace_back(design.ruling_text());
  };
  row(the_answer(), plan.winner);
  row(the_nearest_miss(), plan.winner ? std::nullopt : plan.nearest_miss);
  row(the_runner_up(), plan.runner_up);
  row(preferred_designs(request), plan.nearest_cheaper);
  for (const NodeChange& change : plan.node_changes) {
    const bool runs = change.verdict.answers();
    rows.push_back({change.change > 0 ? more_nodes() : fewer_nodes(), change.label,
                    runs ? measure_text(request.objective, change.objective) : "-"});
    for (std::size_t g = 0; g < change.goals.size(); ++g)
      rows.back().emplace_back(runs ? interval_text(request.goals[g].measure, change.goals[g]) : "-");
    rows.back().emplace_back(change.unsure ? "unsure"
                             : runs        ? ruling_of(change.verdict.ruling)
                                           : short_value(change.verdict.text()));
  }
  told.table(std::move(columns), std::move(rows));
}

void tell_fronts(const Plan& plan, const PlanRequest& request, Telling& told)
{
  for (std::size_t g = 0; g < plan.fronts.size(); ++g) {
    const std::vector<std::size_t>& front = plan.fronts[g];
    if (front.size() < 2)
      continue;
    std::vector<Column> columns = {{request.objective.text}, {request.goals[g].measure.text}};
    for (const auto& [name, value] : plan.designs[front.front()].settings)
      columns.push_back({short_name(plan.designs[front.front()], name), false});
    columns.insert(columns.end(), {{"goals", false}, {"from", false}});
    TableRows rows;
    for (std::size_t i = 0; i < front.size(); ++i) {
      if (front.size() > most_front_rows && i % ((front.size() + most_front_rows - 1) / most_front_rows) != 0 &&
          i + 1 < front.size())
        continue;
      const Design& design = plan.designs[front[i]];
      rows.push_back({measure_text(request.objective, design.objective), goal_cell(design, request, g)});
      for (const auto& [name, value] : design.settings)
        rows.back().emplace_back(short_value(value));
      rows.back().emplace_back(design.ruling_text());
      rows.back().emplace_back(!design.decided()     ? TableCell{request.screen}
                               : plan.screen_decides ? TableCell{by_simulation()}
                                                     : TableCell{request.decide});
    }
    told.heading(pareto_front(request.objective.text, request.goals[g].measure.text, std::ssize(front),
                              rows.size() < front.size() ? Messages{rows_shown(std::ssize(rows))} : Messages{}),
                 "\n");
    told.table(std::move(columns), std::move(rows));
  }
}

void tell_knobs(const Plan& plan, Telling& told)
{
  if (!plan.monotonicity.empty())
    told.heading(of_knobs(), "\n");
  for (const MonotonicityRow& row : plan.monotonicity) {
    const std::string knob = short_name(row.knob);
    const std::int64_t pairs = row.up + row.down + row.equal;
    told.line(row.up + row.down == 0 ? changes_nothing(knob, row.measure, pairs)
              : !row.monotone()      ? not_monotone(knob, row.measure, row.up, row.down, pairs, row.exception)
                                     : (row.up > 0 ? never_lowers : never_raises)(knob, row.measure, pairs));
  }
}

Json json_of(const Design& design, const PlanRequest& request)
{
  Json one;
  for (const auto& [name, value] : design.settings)
    one["settings"][name] = value;
  one["verdict"] = design.ruling_text();
  if (design.verdict.over > 0)
    one["jobs"] = design.verdict.over;
  if (design.out()) {
    one["message"] = design.verdict.why;
    if (!design.verdict.change.empty())
      one["smallest_change"] = design.verdict.change;
    return one;
  }
  one["objective"] = design.objective;
  for (std::size_t g = 0; g < request.goals.size(); ++g) {
    const GoalFinding& finding = design.goals[g];
    Json goal = {{"goal", request.goals[g].text}, {"verdict", ruling_of(finding.ruling)}};
    if (finding.value.values > 0) {
      goal["value"] = finding.value.mean;
      if (std::isfinite(finding.value.low)) {
        goal["low"] = finding.value.low;
        goal["high"] = is_share(request.goals[g].measure) ? std::min(finding.value.high, 1.0) : finding.value.high;
      }
      goal["replicas"] = finding.replicas.size();
      goal["margin"] = request.goals[g].margin(finding.value.mean);
    }
    if (const std::string note = waiting_note(request.goals[g].measure, design.outcome); !note.empty())
      goal["note"] = note;
    if (const std::optional<double> sure = probability_of(request.goals[g], design.outcome))
      goal["probability"] = *sure;
    one["goals"].push_back(std::move(goal));
  }
  return one;
}

} // namespace

std::string interval_text(const Measure& measure, const MeanInterval& value)
{
  const std::string mean = measure_text(measure, value.mean);
  if (!std::isfinite(value.low) || value.high - value.low <= 1e-9 * std::abs(value.mean))
    return mean;
  return fmt::format("{} [{}, {}]", mean, measure_text(measure, std::max(value.low, 0.0)),
                     measure_text(measure, is_share(measure) ? std::min(value.high, 1.0) : value.high));
}

std::string design_text(const Design& design)
{
  std::string text;
  for (const auto& [name, value] : design.settings)
    text += fmt::format("{}{}={}", text.empty() ? "" : " ", short_name(design, name), short_value(value));
  return text;
}

namespace {

/// What was asked, and how much work the answer took.
void tell_head(const Plan& plan, const PlanRequest& request, const std::string& name, Telling& told)
{
  std::int64_t out = 0, pruned = 0, decided = 0;
  for (const Design& design : plan.designs) {
    out += design.out() ? 1 : 0;
    pruned += design.pruned && !design.out() ? 1 : 0;
    decided += design.decided() ? 1 : 0;
  }
  std::string goals;
  for (const Goal& goal : request.goals)
    goals += " · " + goal.text;
  told.say((request.maximise ? asked_for_most : asked_for_least)(name, request.objective.text, goals));
  Messages how{plan.screen_decides && !plan.random
                   ? (request.screen == request.decide ? all_simulated_by(request.decide) : all_simulated())
                   : some_discarded(pruned, request.screen, decided,
                                    plan.screen_decides ? by_simulation() : plain(MessageKind::part, request.decide)),
               plan.random ? up_to_seeds(plan.replicas) : no_chance()};
  if (out > 0)
    how.push_back(some_cannot_run(out));
  told.say(work_done(std::ssize(plan.designs), static_cast<std::int64_t>(plan.runs), how));
}

constexpr Sentence<std::string, std::string, Messages> found{"plan.answer", "answer: {design}: {objective}{range}"};
constexpr Sentence<Figure, Figure, Figure> range_of{"plan.range",
                                                    " [{low} to {high} nodes: the need of {share} of the seeds]"};
constexpr Sentence<std::string, Message, Messages> tightest_goal{"plan.tightest",
                                                                 "tightest goal: {goal} (margin {margin}){closest}"};
constexpr Sentence<Message, std::string, std::string, std::string, Messages> closest_miss{
    "plan.closest", "; closest of the {preferred} designs that fail: {design} at {objective}, {goal}{value}"};
constexpr Sentence<std::string> with_value{"plan.with_value", " with {value}"};
constexpr Sentence<std::string> waits_for{"plan.waits_for", "waits for: {resource}"};
constexpr Sentence<std::string, std::string> under_all{
    "plan.under_all",
    "a design must meet its goals under all of {policies}; --policies {first} asks about one of them"};
constexpr Sentence<std::int64_t, std::string, std::string> none_shown{
    "plan.none_shown", "not decided: {seeds} seeds show no design that meets the goals, and do not rule out all; the "
                       "nearest is {design}: {objective}"};
constexpr Sentence<std::string> left_out{"plan.left_out", "the goals allow what this design leaves out: {work}"};
constexpr Sentence<> none_found{"plan.none", "no design meets the goals"};
constexpr Sentence<std::string, std::string> nearest{
    "plan.nearest_miss", "no design meets the goals; the nearest miss is {design}: {objective}"};

constexpr Sentence<std::string> may_be_as_good{"plan.may_be_as_good",
                                               "may be as good, by the errors of the model: {designs}"};

/// Of a design's step: how its errors differ from those of others.
std::optional<double> how_surely(const Design& one, const Design& other, double ratio)
{
  std::optional<double> sure;
  for (const Measured& mine : one.outcome.items)
    for (const Measured& its : other.outcome.items)
      if (const auto a = mine.numbers.find("error_own"), b = its.numbers.find("error_own");
          mine.item == its.item && a != mine.numbers.end() && b != its.numbers.end()) {
        const ModelError x{.shared = mine.numbers.at("error_shared"), .own = a->second},
            y{.shared = its.numbers.at("error_shared"), .own = b->second};
        const double scale = mine.system == its.system ? std::max(x.own, y.own) : scale_between(x, y);
        sure = std::min(sure.value_or(1), surely_longer(ratio, scale));
      }
  return sure;
}

/// Designs that meet the goals and whose step is not surely slower than the winner's.
std::string as_good_as(const Design& best, const Plan& plan, const PlanRequest& request)
{
  constexpr std::size_t most = 3;
  if (!rests_on_steps(kind_of(request.objective)) || is_money(request.objective))
    return {};
  std::vector<std::string> names;
  for (const Design& other : plan.designs)
    if (&other != &best && other.verdict.ruling == Ruling::meets) {
      const double ratio = std::max(other.objective / best.objective, best.objective / other.objective);
      if (ratio < 1 + 1e-9 || how_surely(best, other, ratio).value_or(1) < decided)
        names.push_back(design_text(other));
    }
  const std::size_t more = names.size() > most ? names.size() - most : 0;
  names.resize(names.size() - more);
  return fmt::format("{}{}", fmt::join(names, "; "), more > 0 ? fmt::format(" and {} more", more) : "");
}

/// The answer and what it rests on; without a winner, which design came nearest.
Messages answer_of(const Plan& plan, const PlanRequest& request)
{
  const auto whole = [](double value) { return Figure{value, fmt::format("{:.0f}", value)}; };
  if (!plan.winner && !plan.nearest_miss)
    return {none_found()};
  const Design& best = plan.designs[plan.winner ? *plan.winner : *plan.nearest_miss];
  const std::string objective = measure_text(request.objective, best.objective);
  const auto open = [](const Design& one) {
    return !one.out() && one.verdict.ruling == Ruling::too_close && !one.unsure();
  };
  if (!plan.winner && std::ranges::any_of(plan.designs, open))
    return {none_shown(std::int64_t{request.most_replicas}, design_text(best), objective)};
  if (!plan.winner)
    return {nearest(design_text(best), objective)};
  Messages told{found(design_text(best), objective,
                      plan.node_range && plan.node_range->first < plan.node_range->second
                          ? Messages{range_of(whole(plan.node_range->first), whole(plan.node_range->second),
                                              {request.confidence, fmt::format("{:.0f} %", 100 * request.confidence)})}
                          : Messages{})};
  if (const std::string others = as_good_as(best, plan, request); !others.empty())
    told.push_back(may_be_as_good(others));
  if (!plan.unpriced.empty())
    told.push_back(cost_without(plan.unpriced));
  if (!request.goals.empty()) {
    Messages closest;
    if (plan.nearest_cheaper) {
      const Design& cheaper = plan.designs[*plan.nearest_cheaper];
      const std::size_t h = tightest(cheaper, request);
      closest = {
          closest_miss(preferred_designs(request), design_text(cheaper),
                       measure_text(request.objective, cheaper.objective), request.goals[h].text,
                       cheaper.goals[h].value.values > 0
                           ? Messages{with_value(interval_text(request.goals[h].measure, cheaper.goals[h].value))}
                           : Messages{})};
    }
    const std::size_t g = tightest(best, request);
    told.push_back(tightest_goal(request.goals[g].text + population_text(request.goals[g].measure, best.outcome),
                                 margin_of(request.goals[g], best.goals[g].value), closest));
  }
  if (const std::string resource = resource_text(best.outcome, request); !resource.empty())
    told.push_back(waits_for(resource));
  return told;
}

/// That the goals are of all policies of the scenario, where it has several and no goal names one.
void tell_policies(const Plan& plan, const PlanRequest& request, Telling& told)
{
  std::vector<std::string> policies;
  for (const Design& design : plan.designs) {
    for (const Measured& one : design.outcome.items)
      if (one.group.empty() && one.numbers.contains("never_ran"))
        policies.push_back(one.item);
    if (!policies.empty())
      break;
  }
  if (policies.size() > 1 && std::ranges::any_of(request.goals, [](const Goal& goal) {
        return kind_of(goal.measure).of == "queue" && goal.measure.item.empty();
      }))
    told.say(under_all(fmt::format("{}", fmt::join(policies, ", ")), policies.front()));
}

/// The answer, and how near the best design came where there is none.
void tell_answer(const Plan& plan, const PlanRequest& request, Telling& told)
{
  for (const Message& message : answer_of(plan, request))
    told.answer(message);
  tell_policies(plan, request, told);
  if (plan.winner) {
    const Design& design = plan.designs[*plan.winner];
    if (const Verdict whole = design.outcome.verdict(); !whole.answers())
      told.say(left_out(whole.why));
    return tell_notes(design, request, told);
  }
  if (!plan.nearest_miss)
    return;
  const Design& miss = plan.designs[*plan.nearest_miss];
  for (std::size_t g = 0; g < request.goals.size(); ++g)
    told.line(miss_of_goal(
        request.goals[g].text, goal_cell(miss, request, g) + population_text(request.goals[g].measure, miss.outcome),
        miss.goals[g].value.values > 0 ? margin_of(request.goals[g], miss.goals[g].value) : not_measured()));
  if (const std::string resource = resource_text(miss.outcome, request); !resource.empty())
    told.line(waits_for(resource));
  tell_notes(miss, request, told);
  if (miss.unsure())
    told.line(unsure_best({request.sure, percent_text(request.sure)}));
  else if (miss.verdict.ruling == Ruling::too_close)
    told.line(few_seeds(plan.replicas, std::int64_t{4} * plan.replicas));
}

/// The verdicts of designs that cannot run, each with the number of its designs.
std::vector<std::pair<Verdict, std::size_t>> refusals(const Plan& plan)
{
  std::vector<std::pair<Verdict, std::size_t>> list;
  for (const Design& design : plan.designs)
    if (design.out()) {
      const auto at = std::ranges::find(list, design.verdict.text(), [](const auto& one) { return one.first.text(); });
      if (at == list.end())
        list.emplace_back(design.verdict, 1);
      else
        ++at->second;
    }
  return list;
}

} // namespace

Telling plan_told(const Plan& plan, const PlanRequest& request, const std::string& name)
{
  Telling told;
  tell_head(plan, request, name, told);
  told.gap();
  tell_answer(plan, request, told);
  const auto reasons = refusals(plan);
  for (std::size_t i = 0; i < std::min<std::size_t>(reasons.size(), 4); ++i)
    told.line(cannot_be(static_cast<std::int64_t>(reasons[i].second), reasons[i].first.text()), i == 0 ? "\n" : "");
  if (!plan.cheaper_undecided.empty())
    told.say(undecided_designs(std::ssize(plan.cheaper_undecided),
                               (request.maximise ? more_of : less_of)(request.objective.text), plan.replicas,
                               std::int64_t{4} * plan.replicas));
  if (!plan.cheaper_unsure.empty())
    told.say(unsure_designs(std::ssize(plan.cheaper_unsure),
                            (request.maximise ? more_of : less_of)(request.objective.text),
                            {request.sure, percent_text(request.sure)}));
  const auto two_digits = [](double share) { return Figure{share, fmt::format("{:.2g} %", 100 * share)}; };
  if (!plan.screen_decides && plan.audited > 0)
    told.say(pruning_checked(static_cast<std::int64_t>(plan.audited), two_digits(plan.worst_optimism),
                             two_digits(plan.prune_tolerance)));
  if (is_money(request.objective) ||
      std::ranges::any_of(request.goals, [](const Goal& goal) { return is_money(goal.measure); }))
    told.lines(plan.price_note);
  if (!plan.random)
    told.lines(plan.seed_note);
  told.lines(plan.assumed);
  told.gap();
  tell_around(plan, request, told);
  tell_fronts(plan, request, told);
  tell_knobs(plan, told);
  return told;
}

std::string plan_json(const Plan& plan, const PlanRequest& request, const std::string& name)
{
  Json json = document_head("trainyard plan");
  std::vector<std::string> goals;
  for (const Goal& goal : request.goals)
    goals.push_back(goal.text);
  json.update(
      {{"scenario", name},
       {"question", fmt::format("Which design has the {} {} and meets {}?", request.maximise ? "highest" : "lowest",
                                request.objective.text, fmt::join(goals, " and "))},
       {"objective", request.objective.text},
       {"direction", request.maximise ? "maximise" : "minimise"},
       {"goals", goals},
       {"confidence", request.confidence},
       {"sure", request.sure},
       {"decided_by", request.decide},
       {"designs", plan.designs.size()},
       {"runs", plan.runs},
       {"random", plan.random},
       {"price_note", plan.price_note},
       {"seed_note", plan.random ? "" : plan.seed_note},
       {"assumed", plan.assumed},
       {"met", plan.winner.has_value()},
       {"messages", Json::array()},
       {"told", plan_told(plan, request, name).json()}});
  for (const Goal& goal : request.goals)
    json["limits"].push_back({{"measure", goal.measure.text}, {"limit", goal.limit}, {"upper", goal.upper}});
  for (const Message& message : answer_of(plan, request))
    json["messages"].push_back(to_json(as(MessageKind::answer, message)));
  const auto put = [&](const char* key, const std::optional<std::size_t>& index) {
    if (index)
      json[key] = json_of(plan.designs[*index], request);
  };
  put("answer", plan.winner);
  put("runner_up", plan.runner_up);
  put("nearest_miss", plan.nearest_miss);
  put("nearest_for_less", plan.nearest_cheaper);
  if (plan.node_range)
    json["nodes_range"] = {plan.node_range->first, plan.node_range->second};
  json["undecided_for_less"] = Json::array();
  for (const std::size_t i : plan.cheaper_undecided)
    json["undecided_for_less"].push_back(json_of(plan.designs[i], request));
  json["unsure_for_less"] = Json::array();
  for (const std::size_t i : plan.cheaper_unsure)
    json["unsure_for_less"].push_back(json_of(plan.designs[i], request));
  json["cannot_run"] = Json::array();
  for (const auto& [verdict, designs] : refusals(plan))
    json["cannot_run"].push_back({{"designs", designs}, {"message", verdict.why}, {"smallest_change", verdict.change}});
  json["nodes_changed"] = Json::array();
  for (const NodeChange& change : plan.node_changes) {
    Json one = {{"change", change.change}, {"label", change.label}, {"met", change.verdict.ruling == Ruling::meets}};
    if (!change.verdict.answers())
      one["message"] = change.verdict.why;
    else
      one["objective"] = change.objective;
    for (std::size_t g = 0; g < change.goals.size() && change.verdict.answers(); ++g)
      one["goals"].push_back({{"goal", request.goals[g].text}, {"value", change.goals[g].mean}});
    json["nodes_changed"].push_back(std::move(one));
  }
  json["fronts"] = Json::array();
  for (std::size_t g = 0; g < plan.fronts.size(); ++g) {
    Json front = {{"goal", request.goals[g].text}, {"designs", Json::array()}};
    for (const std::size_t i : plan.fronts[g])
      front["designs"].push_back(json_of(plan.designs[i], request));
    json["fronts"].push_back(std::move(front));
  }
  json["monotonicity"] = Json::array();
  for (const MonotonicityRow& row : plan.monotonicity)
    json["monotonicity"].push_back({{"knob", row.knob},
                                    {"measure", row.measure},
                                    {"up", row.up},
                                    {"down", row.down},
                                    {"equal", row.equal},
                                    {"exception", row.exception}});
  return document_text(json);
}

std::string plan_csv(const Plan& plan, const PlanRequest& request)
{
  std::string text;
  if (plan.designs.empty())
    return text;
  for (const auto& [name, value] : plan.designs.front().settings)
    text += csv_text(name) + ",";
  text += csv_text(request.objective.text);
  for (const Goal& goal : request.goals) {
    const std::string& name = goal.measure.text;
    const std::string of = request.goals.size() > 1 ? name + " " : ""; // no two columns with one name
    text += fmt::format(",{},{},{},{},{}", csv_text(name + " screened"), csv_text(name), csv_text(of + "low"),
                        csv_text(of + "high"), csv_text(of + "replicas"));
  }
  text += ",verdict,message\n";
  for (const Design& design : plan.designs) {
    for (const auto& [name, value] : design.settings)
      text += csv_text(value) + ",";
    text += design.out() ? std::string{} : fmt::format("{:.9g}", design.objective);
    for (const GoalFinding& finding : design.goals) {
      text += finding.screened ? fmt::format(",{:.9g}", *finding.screened) : ",";
      if (finding.replicas.empty())
        text += ",,,,0";
      else
        text += fmt::format(",{:.9g},{:.9g},{:.9g},{}", finding.value.mean, finding.value.low, finding.value.high,
                            finding.replicas.size());
    }
    text += fmt::format(",{},{}\n", design.ruling_text(), csv_text(design.verdict.why));
  }
  return text;
}

namespace {

/// Designs by objective and by one goal: its limit, its Pareto front, and the answer.
PicturePanel panel_of(const Plan& plan, const PlanRequest& request, std::size_t g, const std::string& name)
{
  const Goal& goal = request.goals[g];
  const auto value_of = [g](const Design& design) { return design.goals[g].value.mean; };
  PicturePanel panel{.title = fmt::format("{}: {} against {}", name, goal.measure.text, request.objective.text),
                     .kind = PicturePanel::Kind::number,
                     .height = 228,
                     .x_title = request.objective.text};
  std::vector<double> xs, ys;
  for (const Design& design : plan.designs)
    if (design.verdict.answers() && design.goals[g].value.values > 0) {
      xs.push_back(design.objective);
      ys.push_back(value_of(design));
      const bool meets = design.verdict.ruling == Ruling::meets;
      panel.marks.push_back(marker(xs.back(), ys.back(), meets ? okabe_ito[2] : quiet_ink, 2.2, meets ? 0.55 : 0.25));
    }
  if (xs.empty())
    return {};
  ys.push_back(goal.limit);
  if (goal.upper && g < plan.fronts.size()) { // what is far beyond front and goal would squeeze the rest
    double most = 4 * goal.limit;
    for (const std::size_t i : plan.fronts[g])
      if (const Design& design = plan.designs[i];
          design.verdict.ruling == Ruling::meets || design.verdict.ruling == Ruling::too_close)
        most = std::max(most, value_of(design));
    std::erase_if(ys, [&](double y) { return y > most; });
  }
  panel.x = plot_axis(xs);
  panel.y = plot_axis(ys);
  panel.x_ticks = axis_ticks(panel.x, request.objective);
  panel.y_ticks = axis_ticks(panel.y, goal.measure);
  panel.marks.push_back(line(panel.x.low, panel.x.high, goal.limit, goal.limit, okabe_ito[1], 1.3, true));
  panel.marks.push_back(words(panel.x.high, goal.limit, okabe_ito[1], "goal " + goal.text, Anchor::right));
  if (g < plan.fronts.size()) {
    std::vector<std::pair<double, double>> front;
    for (const std::size_t i : plan.fronts[g]) {
      const Design& design = plan.designs[i];
      if (!front.empty())
        front.emplace_back(design.objective, front.back().second);
      front.emplace_back(design.objective, value_of(design));
      panel.marks.push_back(marker(design.objective, value_of(design), okabe_ito[design.unsure() ? 3 : 0], 3));
    }
    add_line(panel.marks, front, line(0, 0, 0, 0, okabe_ito[0], 1.4));
  }
  if (const auto shown = plan.winner ? plan.winner : plan.nearest_miss) {
    const Design& design = plan.designs[*shown];
    const Colour colour = okabe_ito[plan.winner ? 1 : 3];
    if (std::isfinite(design.goals[g].value.low))
      panel.marks.push_back(
          line(design.objective, design.objective, design.goals[g].value.low, design.goals[g].value.high, colour, 2));
    panel.marks.push_back(marker(design.objective, value_of(design), colour, 6, 1, 1));
    panel.marks.push_back(words(design.objective, value_of(design), ink,
                                fmt::format("{}: {}", plan.winner ? "answer" : "nearest miss", design_text(design)),
                                panel.x.share(design.objective) > 0.5 ? Anchor::right : Anchor::left));
  }
  return panel;
}

} // namespace

void plot_plan(const Plan& plan, const PlanRequest& request, const std::string& name, const std::filesystem::path& path)
{
  Picture picture{.left = 96,
                  .right = 24,
                  .footer = "blue: Pareto front (no design is better in both) · pink: not sure enough · green: "
                            "meets all goals · grey: does not, or was not decided"};
  for (std::size_t g = 0; g < request.goals.size() && g < 4; ++g)
    if (PicturePanel panel = panel_of(plan, request, g, name); !panel.marks.empty())
      picture.panels.push_back(std::move(panel));
  draw(picture, path);
}

} // namespace trainyard
