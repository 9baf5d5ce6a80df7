// SPDX-License-Identifier: Apache-2.0
/// What surrounds the answer of a plan: the front, whether knobs are monotone, one node more or less.
#include "sim/study/plan_parts.hpp"

#include "models/core/expression.hpp"
#include "models/core/statistics.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <span>

namespace trainyard {
namespace {

constexpr std::size_t most_front_decisions = 48;
constexpr std::size_t most_nodes_in_range = 64;

/// "cluster.nodes.0.count" where a design has it, else the scenario's first group.
std::string node_count_path(const Design& design)
{
  for (const auto& [name, value] : design.settings)
    if (name.starts_with("cluster.nodes.") && name.ends_with(".count"))
      return name;
  return "cluster.nodes.0.count";
}

bool same_but(const Design& a, const Design& b, const std::set<std::string>& names)
{
  for (std::size_t s = 0; s < a.settings.size(); ++s)
    if (!names.contains(a.settings[s].first) && a.settings[s].second != b.settings[s].second)
      return false;
  return true;
}

std::string value_of_setting(const Design& design, const std::string& name)
{
  for (const auto& [path, value] : design.settings)
    if (path == name)
      return value;
  return {};
}

/// A design whose own replicas decided it, perhaps more of them: one design has one verdict.
void take_verdict(NodeChange& change, const Design& same)
{
  change.objective = same.objective;
  change.verdict = same.verdict;
  change.unsure = same.unsure();
  for (const GoalFinding& finding : same.goals) {
    change.goals.push_back(finding.value);
    if (finding.value.values == 1)
      change.goals.back().low = change.goals.back().high = finding.value.mean;
  }
}

/// What the replicas of a change say of objective and goals.
void conclude(NodeChange& change, std::span<const PointOutcome> replicas, const PlanRequest& request)
{
  std::vector<std::vector<double>> values(request.goals.size());
  std::vector<double> objective;
  for (const PointOutcome& outcome : replicas) {
    if (const Verdict verdict = outcome.verdict(); !verdict.answers()) {
      change.verdict = verdict;
      continue;
    }
    if (const std::optional<double> value = value_of(request.objective, outcome))
      objective.push_back(*value);
    for (std::size_t g = 0; g < values.size(); ++g)
      if (const std::optional<double> value = value_of(request.goals[g].measure, outcome))
        values[g].push_back(*value);
  }
  Ruling worst = Ruling::meets;
  std::vector<std::optional<double>> sure;
  change.objective = mean_interval(objective, request.confidence).mean;
  for (std::size_t g = 0; g < values.size(); ++g) {
    MeanInterval value = mean_interval(values[g], request.confidence);
    if (value.values == 1)
      value.low = value.high = value.mean;
    worst = std::min(worst, ruling_on(request.goals[g], value));
    sure.push_back(probability_of(request.goals[g], replicas.front()));
    change.goals.push_back(value);
  }
  if (change.verdict.answers())
    change.verdict.ruling = sure_ruling(request, worst, sure);
  change.unsure = worst == Ruling::meets && change.verdict.ruling == Ruling::too_close;
}

} // namespace

/// Designs that no other beats in both objective and goal, the best objective first.
std::vector<std::size_t> PlanSearch::front_of(std::size_t goal) const
{
  std::vector<std::size_t> order;
  for (const Design& design : plan_.designs)
    if (!design.out() && design.goals[goal].value.values > 0)
      order.push_back(design.index);
  const bool less = request_.goals[goal].upper;
  const auto value = [&](std::size_t i) { return (less ? 1 : -1) * plan_.designs[i].goals[goal].value.mean; };
  std::ranges::stable_sort(order, [&](std::size_t a, std::size_t b) {
    const double x = plan_.designs[a].objective, y = plan_.designs[b].objective;
    return x != y ? better(x, y) : value(a) < value(b);
  });
  // What differs behind the ninth digit is equal.
  const auto equal = [](double x, double y) { return std::abs(x - y) <= 1e-9 * std::max(std::abs(x), std::abs(y)); };
  std::vector<std::size_t> front;
  for (const std::size_t i : order) {
    if (!front.empty() && (value(i) > value(front.back()) || equal(value(i), value(front.back()))))
      continue;
    if (!front.empty() && equal(plan_.designs[i].objective, plan_.designs[front.back()].objective))
      front.pop_back();
    front.push_back(i);
  }
  return front;
}

void PlanSearch::find_fronts()
{
  plan_.fronts.assign(request_.goals.size(), {});
  std::size_t budget = most_front_decisions;
  for (std::size_t g = 0; g < request_.goals.size(); ++g) {
    for (int round = 0; round < 4; ++round) {
      plan_.fronts[g] = front_of(g);
      if (plan_.screen_decides)
        break;
      std::vector<std::size_t> open;
      for (const std::size_t i : plan_.fronts[g])
        if (!plan_.designs[i].decided() && open.size() < budget)
          open.push_back(i);
      if (open.empty())
        break;
      budget -= open.size();
      for (const std::size_t i : open)
        plan_.designs[i].pruned = false;
      decide(open, "the front");
    }
  }
}

void PlanSearch::check_monotonicity()
{
  if (plan_.designs.empty())
    return;
  const std::vector<std::string> names = space_.names();
  for (const std::string& knob : names) {
    const std::set<std::string> together = space_.names_with(knob);
    if (!together.empty() && *together.begin() != knob)
      continue; // said once for paths that go side by side
    // designs that differ in this knob alone, by its value
    std::map<std::string, std::vector<std::pair<double, std::size_t>>> lines;
    bool numbers = true;
    for (const Design& design : plan_.designs) {
      const std::optional<double> value = any_quantity(value_of_setting(design, knob));
      numbers = numbers && value.has_value();
      if (!numbers)
        break;
      if (design.out())
        continue;
      std::string key;
      for (const auto& [name, text] : design.settings)
        if (!together.contains(name))
          key += text + "\n";
      lines[key].emplace_back(*value, design.index);
    }
    if (!numbers)
      continue;
    for (std::size_t g = 0; g < request_.goals.size(); ++g) {
      MonotonicityRow row{knob, request_.goals[g].measure.text, 0, 0, 0, {}};
      struct Jump {
        double size = 0;
        std::string text;
      } worst_up, worst_down;
      for (auto& [key, line] : lines) {
        std::ranges::stable_sort(line);
        for (std::size_t i = 1; i < line.size(); ++i) {
          const Design &a = plan_.designs[line[i - 1].second], &b = plan_.designs[line[i].second];
          if (!a.goals[g].screened || !b.goals[g].screened)
            continue;
          // Of the seeds that both have had; the first alone may show nothing.
          const bool seeds = a.goals[g].replicas.size() == b.goals[g].replicas.size() && a.goals[g].replicas.size() > 1;
          const double from = seeds ? a.goals[g].value.mean : *a.goals[g].screened,
                       to = seeds ? b.goals[g].value.mean : *b.goals[g].screened;
          const double change = to - from;
          if (std::abs(change) <= 1e-9 * std::max(std::abs(from), std::abs(to))) {
            ++row.equal;
            continue;
          }
          ++(change > 0 ? row.up : row.down);
          if (Jump& worst = change > 0 ? worst_up : worst_down; std::abs(change) > worst.size)
            worst = {std::abs(change), fmt::format("{} -> {}: {} becomes {}", design_text(a), value_of_setting(b, knob),
                                                   measure_text(request_.goals[g].measure, from),
                                                   measure_text(request_.goals[g].measure, to))};
        }
      }
      if (row.up + row.down + row.equal == 0)
        continue;
      if (!row.monotone())
        row.exception = row.up <= row.down ? worst_up.text : worst_down.text;
      plan_.monotonicity.push_back(std::move(row));
    }
  }
}

void PlanSearch::change_nodes(std::size_t centre)
{
  const Design& design = plan_.designs[centre];
  const std::string path = node_count_path(design);
  const std::set<std::string> together = space_.names_with(path);
  const int replicas =
      static_cast<int>(std::max<std::size_t>(1, design.goals.empty() ? 1 : design.goals.front().replicas.size()));
  const SweepPoint base = point(centre, 0, request_.decide);
  const DocumentNode* node = find_path(base.document.root, path);
  const double count = node == nullptr ? 1 : any_quantity(node->text).value_or(1);

  std::vector<NodeChange> changes;
  std::vector<std::size_t> simulated; // of `changes`
  std::vector<SweepPoint> points;
  const auto add = [&](int change, std::string label, const Design* same, const std::function<SweepPoint(int)>& made) {
    changes.push_back({.change = change, .label = std::move(label)});
    if (same != nullptr && (same->decided() || same->out()))
      return take_verdict(changes.back(), *same);
    simulated.push_back(changes.size() - 1);
    for (int replica = 0; replica < replicas; ++replica)
      points.push_back(made(replica));
  };
  if (together.size() > 1) { // what goes with the nodes changes too: the neighbouring designs
    std::optional<std::size_t> less, more;
    for (const Design& other : plan_.designs) {
      if (!same_but(design, other, together))
        continue;
      const double value = any_quantity(value_of_setting(other, path)).value_or(0);
      if (value < count && (!less || value > *any_quantity(value_of_setting(plan_.designs[*less], path))))
        less = other.index;
      if (value > count && (!more || value < *any_quantity(value_of_setting(plan_.designs[*more], path))))
        more = other.index;
    }
    for (const auto& [change, neighbour] : {std::pair{-1, less}, std::pair{1, more}})
      if (neighbour)
        add(change, fmt::format("{} -> {} nodes", count, value_of_setting(plan_.designs[*neighbour], path)),
            &plan_.designs[*neighbour],
            [&, i = *neighbour](int replica) { return point(i, replica, request_.decide); });
  } else {
    for (const int change : {-1, 1})
      if (count + change >= 1) {
        const auto same = std::ranges::find_if(plan_.designs, [&](const Design& other) {
          return same_but(design, other, together) && any_quantity(value_of_setting(other, path)) == count + change;
        });
        add(change, fmt::format("{} -> {} nodes", count, count + change),
            same == plan_.designs.end() ? nullptr : &*same, [&, change](int replica) {
              SweepPoint made = point(centre, replica, request_.decide);
              set_path(made.document, path, fmt::format("{}", count + change));
              return made;
            });
      }
  }
  const std::vector<PointOutcome> outcomes = evaluate(points, "one node more and one node less");
  std::size_t at = 0;
  for (const std::size_t index : simulated) {
    conclude(changes[index], std::span{outcomes}.subspan(at, static_cast<std::size_t>(replicas)), request_);
    at += static_cast<std::size_t>(replicas);
  }
  plan_.node_changes = std::move(changes);
  if (plan_.random && plan_.winner)
    find_node_range(centre, path);
}

/// The smallest number of nodes that meets the goals under each seed alone: how much chance changes the answer.
void PlanSearch::find_node_range(std::size_t centre, const std::string& path)
{
  const Design& design = plan_.designs[centre];
  const std::set<std::string> together = space_.names_with(path);
  std::vector<std::pair<double, std::size_t>> line;
  for (const Design& other : plan_.designs)
    if (!other.out() && same_but(design, other, together))
      if (const std::optional<double> count = any_quantity(value_of_setting(other, path)))
        line.emplace_back(*count, other.index);
  std::ranges::sort(line);
  if (line.size() < 2 || line.size() > most_nodes_in_range)
    return;
  std::vector<SweepPoint> points;
  for (const auto& [count, index] : line)
    for (int replica = 0; replica < request_.most_replicas; ++replica)
      points.push_back(point(index, replica, request_.decide));
  const std::vector<PointOutcome> outcomes = evaluate(points, "the number of nodes for each seed");
  std::vector<double> smallest;
  for (int replica = 0; replica < request_.most_replicas; ++replica)
    for (std::size_t i = 0; i < line.size(); ++i) {
      const PointOutcome& outcome =
          outcomes[i * static_cast<std::size_t>(request_.most_replicas) + static_cast<std::size_t>(replica)];
      const bool met = outcome.verdict().answers() && std::ranges::all_of(request_.goals, [&](const Goal& goal) {
                         const std::optional<double> value = value_of(goal.measure, outcome);
                         return value && goal.met(*value);
                       });
      if (met || i + 1 == line.size()) {
        smallest.push_back(line[i].first);
        break;
      }
    }
  const double outside = (1 - request_.confidence) / 2;
  // The answer is sure of its goals over all seeds, which may take more than most of them alone.
  const double answer = any_quantity(value_of_setting(design, path)).value_or(smallest.front());
  plan_.node_range = {std::min(answer, std::floor(quantile(smallest, outside))),
                      std::max(answer, std::ceil(quantile(smallest, 1 - outside)))};
}

} // namespace trainyard
