// SPDX-License-Identifier: Apache-2.0
/// A plan as text, tables, JSON and CSV.
#include "models/core/figure_text.hpp"
#include "models/core/text.hpp"
#include "sim/report/document_head.hpp"
#include "sim/report/table.hpp"
#include "sim/study/plan.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>

namespace trainyard {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t most_front_rows = 14;

std::string short_name(const std::string& path)
{
  // cluster.nodes.0.count is a number of nodes
  if (path.starts_with("cluster.nodes.") && path.ends_with(".count"))
    return "nodes";
  return path.substr(path.rfind('.') + 1);
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

/// What the jobs of the answer wait for, as reported by the run.
std::string resource_text(const PointOutcome& outcome)
{
  std::string text;
  for (const Measured& measured : outcome.items) {
    if (!measured.note.empty())
      text += fmt::format("{}{}: {}", text.empty() ? "" : "; ", measured.item, measured.note);
    const auto number = [&](const char* name) {
      const auto found = measured.numbers.find(name);
      return found == measured.numbers.end() ? std::nullopt : std::optional{found->second};
    };
    const auto busy = number("utilisation"), delay = number("queueing_delay_s_mean"), jobs = number("jobs"),
               fragmented = number("fragmented_wait_hours");
    if (busy && delay && jobs) {
      const double waited = *delay * *jobs / 3600;
      text += fmt::format("{}GPUs, {:.0f} % busy", text.empty() ? "" : "; ", 100 * *busy);
      if (waited > 0 && fragmented)
        text += fmt::format("; during {:.0f} % of the waiting time enough GPUs were free but not in one place, or "
                            "other jobs were first in the queue",
                            std::min(100.0, 100 * *fragmented / waited));
    }
  }
  return text;
}

/// What the goals leave out of the waiting in this design; a line for each, mostly none.
std::string goal_notes(const Design& design, const PlanRequest& request)
{
  std::string text;
  for (const Goal& goal : request.goals)
    if (const std::string note = waiting_note(goal.measure, design.outcome); !note.empty())
      text += fmt::format("note on {}: {}\n", goal.text, note);
  return text;
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

std::string margin_text(const Goal& goal, const MeanInterval& value)
{
  const double margin = goal.margin(value.mean);
  if (margin < -2 && goal.upper)
    return fmt::format("{:.3g} times the limit", 1 - margin);
  return margin < 0 ? fmt::format("missed by {:.3g} %", -100 * margin) : fmt::format("{:.3g} %", 100 * margin);
}

std::string around_table(const Plan& plan, const PlanRequest& request, bool colour)
{
  std::vector<Column> columns = {{"", false}, {"design", false}, {request.objective.text, true}};
  for (const Goal& goal : request.goals)
    columns.push_back({goal.measure.text, true});
  columns.push_back({"", false});
  std::vector<std::vector<TableCell>> rows;
  const auto row = [&](const char* what, std::size_t index) {
    const Design& design = plan.designs[index];
    std::vector<TableCell> cells = {{what}, {design_text(design)}, {measure_text(request.objective, design.objective)}};
    for (std::size_t g = 0; g < request.goals.size(); ++g)
      cells.push_back({goal_cell(design, request, g)});
    cells.push_back({to_text(design.verdict)});
    rows.push_back(std::move(cells));
  };
  if (plan.winner)
    row("answer", *plan.winner);
  else if (plan.nearest_miss)
    row("nearest miss", *plan.nearest_miss);
  if (plan.runner_up)
    row("runner-up", *plan.runner_up);
  if (plan.nearest_cheaper)
    row(request.maximise ? "better" : "cheaper", *plan.nearest_cheaper);
  for (const NodeChange& change : plan.node_changes) {
    std::vector<TableCell> cells = {{change.change > 0 ? "more nodes" : "fewer nodes"}, {change.label}};
    cells.push_back({change.failure.empty() ? measure_text(request.objective, change.objective) : "-"});
    for (const MeanInterval& value : change.goals) {
      const auto g = static_cast<std::size_t>(&value - change.goals.data());
      cells.push_back({change.failure.empty() ? interval_text(request.goals[g].measure, value) : "-"});
    }
    bool surely_missed = false;
    for (std::size_t g = 0; g < change.goals.size(); ++g)
      surely_missed =
          surely_missed || (!request.goals[g].met(change.goals[g].low) && !request.goals[g].met(change.goals[g].high));
    cells.push_back({!change.failure.empty() ? "cannot run: " + short_value(change.failure)
                     : change.met            ? "met"
                     : surely_missed         ? "missed"
                                             : "undecided"});
    rows.push_back(std::move(cells));
  }
  return table_text(columns, rows, colour);
}

std::string front_table(const Plan& plan, const PlanRequest& request, bool colour)
{
  std::string text;
  for (std::size_t g = 0; g < plan.fronts.size(); ++g) {
    const std::vector<std::size_t>& front = plan.fronts[g];
    if (front.size() < 2)
      continue;
    std::vector<Column> columns = {{request.objective.text, true}, {request.goals[g].measure.text, true}};
    for (const auto& [name, value] : plan.designs[front.front()].settings)
      columns.push_back({short_name(name), false});
    columns.push_back({"goals", false});
    columns.push_back({"from", false});
    std::vector<std::vector<TableCell>> rows;
    for (std::size_t i = 0; i < front.size(); ++i) {
      if (front.size() > most_front_rows && i % ((front.size() + most_front_rows - 1) / most_front_rows) != 0 &&
          i + 1 < front.size())
        continue;
      const Design& design = plan.designs[front[i]];
      std::vector<TableCell> cells = {{measure_text(request.objective, design.objective)},
                                      {goal_cell(design, request, g)}};
      for (const auto& [name, value] : design.settings)
        cells.push_back({short_value(value)});
      cells.push_back({to_text(design.verdict)});
      cells.push_back({design.decided() ? (plan.screen_decides ? "simulation" : request.decide) : request.screen});
      rows.push_back(std::move(cells));
    }
    text += fmt::format("\nPareto front: {} against {} ({}{})\n", request.objective.text, request.goals[g].measure.text,
                        counted(front.size(), "design"),
                        rows.size() < front.size() ? fmt::format(", {} shown", rows.size()) : "");
    text += table_text(columns, rows, colour);
  }
  return text;
}

std::string monotonicity_text(const Plan& plan)
{
  std::string text;
  for (const MonotonicityRow& row : plan.monotonicity) {
    const int pairs = row.up + row.down + row.equal;
    if (row.up + row.down == 0)
      text += fmt::format("  {}: does not change {} ({} pairs)\n", short_name(row.knob), row.measure, pairs);
    else if (row.monotone())
      text += fmt::format("  {}: more never {} {} ({} pairs)\n", short_name(row.knob), row.up > 0 ? "lowers" : "raises",
                          row.measure, pairs);
    else
      text += fmt::format("  {}: not monotone in {}: up in {}, down in {} of {} pairs; worst case {}\n",
                          short_name(row.knob), row.measure, row.up, row.down, pairs, row.exception);
  }
  return text.empty() ? text : "\neffect of each knob (one value up, all else equal; checked, not assumed)\n" + text;
}

Json json_of(const Design& design, const PlanRequest& request)
{
  Json one;
  for (const auto& [name, value] : design.settings)
    one["settings"][name] = value;
  one["verdict"] = to_text(design.verdict);
  if (design.verdict == Verdict::failed) {
    one["message"] = design.failure;
    return one;
  }
  one["objective"] = design.objective;
  for (std::size_t g = 0; g < request.goals.size(); ++g) {
    const GoalFinding& finding = design.goals[g];
    Json goal = {{"goal", request.goals[g].text}, {"verdict", to_text(finding.verdict)}};
    if (finding.value.values > 0) {
      goal["value"] = finding.value.mean;
      if (std::isfinite(finding.value.low)) {
        goal["low"] = finding.value.low;
        goal["high"] = finding.value.high;
      }
      goal["replicas"] = finding.replicas.size();
      goal["margin"] = request.goals[g].margin(finding.value.mean);
    }
    if (const std::string note = waiting_note(request.goals[g].measure, design.outcome); !note.empty())
      goal["note"] = note;
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
                     measure_text(measure, value.high));
}

std::string design_text(const Design& design)
{
  std::string text;
  for (const auto& [name, value] : design.settings)
    text += fmt::format("{}{}={}", text.empty() ? "" : " ", short_name(name), short_value(value));
  return text;
}

namespace {

/// What was asked, and how much work the answer took.
std::string plan_head(const Plan& plan, const PlanRequest& request, const std::string& name)
{
  std::size_t failed = 0, pruned = 0, decided = 0;
  for (const Design& design : plan.designs) {
    failed += design.verdict == Verdict::failed ? 1U : 0U;
    pruned += design.verdict == Verdict::pruned ? 1U : 0U;
    decided += design.decided() ? 1U : 0U;
  }
  std::string text = fmt::format("{}: {} {}", name, request.maximise ? "maximise" : "minimise", request.objective.text);
  for (const Goal& goal : request.goals)
    text += fmt::format(" · {}", goal.text);
  text += fmt::format("\n{}, {} simulated runs: ", counted(plan.designs.size(), "design"), plan.runs);
  if (plan.screen_decides && !plan.random)
    text += request.screen == request.decide ? fmt::format("every design simulated ({})", request.decide)
                                             : "every design simulated";
  else
    text += fmt::format("{} discarded after a first simulation ({}), {} decided by {}", pruned, request.screen, decided,
                        plan.screen_decides ? "simulation" : request.decide);
  if (plan.random)
    text += fmt::format(", up to {} seeds each", plan.replicas);
  else
    text += "; the seed has no effect";
  if (failed > 0)
    text += fmt::format("; {} cannot run", failed);
  text += "\n";
  return text;
}

/// The answer, and what it rests on. For a plan with a winner.
std::string answer_text(const Plan& plan, const PlanRequest& request)
{
  const Design& winner = plan.designs[*plan.winner];
  std::string text =
      fmt::format("\nanswer: {}: {}", design_text(winner), measure_text(request.objective, winner.objective));
  if (plan.node_range)
    text += fmt::format(" [{:.0f} to {:.0f} nodes: the need of {:.0f} % of the seeds]", plan.node_range->first,
                        plan.node_range->second, 100 * request.confidence);
  text += "\n";
  if (!request.goals.empty()) {
    const std::size_t g = tightest(winner, request);
    text += fmt::format("tightest goal: {} (margin {})", request.goals[g].text,
                        margin_text(request.goals[g], winner.goals[g].value));
    if (plan.nearest_cheaper) {
      const Design& cheaper = plan.designs[*plan.nearest_cheaper];
      const std::size_t h = tightest(cheaper, request);
      text += fmt::format("; closest of the cheaper designs that fail: {} at {}, {}", design_text(cheaper),
                          measure_text(request.objective, cheaper.objective), request.goals[h].text);
      if (cheaper.goals[h].value.values > 0)
        text += fmt::format(" with {}", interval_text(request.goals[h].measure, cheaper.goals[h].value));
    }
    text += "\n";
  }
  if (const std::string resource = resource_text(winner.outcome); !resource.empty())
    text += fmt::format("waits for: {}\n", resource);
  text += goal_notes(winner, request);
  return text;
}

/// For a plan without a winner: how near the best design came.
std::string nothing_found_text(const Plan& plan, const PlanRequest& request)
{
  std::string text = "\nno design meets the goals";
  if (!plan.nearest_miss)
    return text + "\n";
  const Design& miss = plan.designs[*plan.nearest_miss];
  text +=
      fmt::format("; the nearest miss is {}: {}\n", design_text(miss), measure_text(request.objective, miss.objective));
  for (std::size_t g = 0; g < request.goals.size(); ++g)
    text += fmt::format("  {}: {} ({})\n", request.goals[g].text, goal_cell(miss, request, g),
                        miss.goals[g].value.values > 0 ? margin_text(request.goals[g], miss.goals[g].value)
                                                       : "not measured");
  if (const std::string resource = resource_text(miss.outcome); !resource.empty())
    text += fmt::format("  waits for: {}\n", resource);
  text += goal_notes(miss, request);
  if (miss.verdict == Verdict::undecided)
    text += fmt::format("  {} seeds are not enough to decide; try --replicas {}\n", plan.replicas, 4 * plan.replicas);
  return text;
}

/// Why designs could not run: the first reasons, and of how many designs each.
std::string failed_text(const Plan& plan)
{
  std::vector<std::pair<std::string, std::size_t>> reasons;
  for (const Design& design : plan.designs)
    if (design.verdict == Verdict::failed) {
      const auto at = std::ranges::find(reasons, design.failure, [](const auto& reason) { return reason.first; });
      if (at == reasons.end())
        reasons.emplace_back(design.failure, 1);
      else
        ++at->second;
    }
  std::string text = reasons.empty() ? "" : "\n";
  for (std::size_t i = 0; i < std::min<std::size_t>(reasons.size(), 4); ++i)
    text += fmt::format("{} cannot run: {}\n", counted(reasons[i].second, "design"), reasons[i].first);
  return text;
}

} // namespace

std::string plan_text(const Plan& plan, const PlanRequest& request, const std::string& name, bool colour)
{
  std::string text = plan_head(plan, request, name);
  text += plan.winner ? answer_text(plan, request) : nothing_found_text(plan, request);
  if (!plan.cheaper_undecided.empty())
    text += fmt::format(
        "undecided: {} with {} may also meet the goals; {} seeds are not enough to decide (try --replicas {})\n",
        counted(plan.cheaper_undecided.size(), "design"),
        request.maximise ? "more " + request.objective.text : "less " + request.objective.text, plan.replicas,
        4 * plan.replicas);
  if (!plan.screen_decides && plan.audited > 0)
    text += fmt::format(
        "pruning checked on {}: the first simulation was at most {:.2g} % too pessimistic; {:.2g} % are allowed\n",
        counted(plan.audited, "design"), 100 * plan.worst_optimism, 100 * plan.prune_tolerance);
  if (is_money(request.objective) ||
      std::ranges::any_of(request.goals, [](const Goal& goal) { return is_money(goal.measure); }))
    text += plan.price_note;
  if (!plan.random)
    text += plan.seed_note;
  text += "\n" + around_table(plan, request, colour) + front_table(plan, request, colour) + monotonicity_text(plan);
  return text + failed_text(plan);
}

std::string plan_json(const Plan& plan, const PlanRequest& request, const std::string& name)
{
  Json json = document_head("trainyard plan");
  json.update({{"scenario", name},
               {"objective", request.objective.text},
               {"direction", request.maximise ? "maximise" : "minimise"},
               {"goals", Json::array()},
               {"confidence", request.confidence},
               {"decided_by", request.decide},
               {"designs", plan.designs.size()},
               {"runs", plan.runs},
               {"random", plan.random},
               {"price_note", plan.price_note},
               {"seed_note", plan.random ? "" : plan.seed_note},
               {"met", plan.winner.has_value()}});
  for (const Goal& goal : request.goals)
    json["goals"].push_back(goal.text);
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
  json["nodes_changed"] = Json::array();
  for (const NodeChange& change : plan.node_changes) {
    Json one = {{"change", change.change}, {"label", change.label}, {"met", change.met}};
    if (!change.failure.empty())
      one["message"] = change.failure;
    else
      one["objective"] = change.objective;
    for (std::size_t g = 0; g < change.goals.size() && change.failure.empty(); ++g)
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
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
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
    text += design.verdict == Verdict::failed ? std::string{} : fmt::format("{:.9g}", design.objective);
    for (const GoalFinding& finding : design.goals) {
      text += finding.screened ? fmt::format(",{:.9g}", *finding.screened) : ",";
      if (finding.replicas.empty())
        text += ",,,,0";
      else
        text += fmt::format(",{:.9g},{:.9g},{:.9g},{}", finding.value.mean, finding.value.low, finding.value.high,
                            finding.replicas.size());
    }
    text += fmt::format(",{},{}\n", to_text(design.verdict), csv_text(design.failure));
  }
  return text;
}

} // namespace trainyard
