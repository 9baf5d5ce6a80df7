// SPDX-License-Identifier: Apache-2.0
#include "sim/study/assertions.hpp"

#include "models/core/closest.hpp"
#include "models/core/diagnostics.hpp"
#include "models/core/figure_text.hpp"
#include "models/scenario/scenario.hpp"
#include "sim/sources/queue/queue_inspection.hpp"
#include "sim/sources/queue/queue_metrics.hpp"
#include "sim/sources/scenario_runner.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>

namespace trainyard {

void check_measurable(const std::vector<Measure>& measures, const Scenario& scenario, const Catalogue& catalogue,
                      bool policies)
{
  const ScenarioRunner* runner = runner_of(scenario);
  for (const Measure& measure : measures) {
    const std::string& of = kind_of(measure).of;
    const std::string& wanted = measure.item;
    std::vector<std::string> items;
    if (runner == nullptr) {
      if (of == "queue")
        throw InputError{fmt::format(
            "'{}' cannot be measured: the scenario has no queue; add workload: with a trace or generated jobs",
            measure.text)};
      for (const JobSpec& job : scenario.jobs)
        items.push_back(job.name);
    } else if (runner->kind() == "trainyard queue") {
      if (of == "training")
        throw InputError{
            fmt::format("'{}' cannot be measured: the scenario simulates a queue, not training steps", measure.text)};
      items = policies ? queue_policies(scenario) : std::vector<std::string>{"queue"};
    }
    const auto starts = [&](const std::string& item) { return wanted.starts_with(item); };
    if (wanted.empty() || items.empty() || of == "cluster" || std::ranges::any_of(items, starts))
      continue;
    if (of == "queue") { // a team, or jobs of a size
      const std::vector<std::string> teams = outlook_of({.scenario = scenario}, catalogue).teams;
      items.insert(items.end(), teams.begin(), teams.end());
      std::ranges::move(size_groups(), std::back_inserter(items));
      if (std::ranges::find(items, wanted) != items.end())
        continue;
    }
    throw InputError{fmt::format("'{}' cannot be measured: there is no '{}'{}; the scenario has {}", measure.text,
                                 wanted, did_you_mean(wanted, items), fmt::join(items, ", "))};
  }
}

namespace {

/// Of a goal that names no policy, where there are several: which of them has the value.
std::string policy_text(const Goal& goal, const PointOutcome& outcome, const std::optional<double>& value)
{
  const auto policy = [](const Measured& one) { return one.group.empty() && one.numbers.contains("never_ran"); };
  const auto policies = std::ranges::count_if(outcome.items, policy);
  if (!goal.measure.item.empty() || policies < 2)
    return {};
  const auto judged = std::ranges::find_if(outcome.items, [&](const Measured& one) {
    return policy(one) && value && value_of(goal.measure, outcome, one.item) == value;
  });
  return judged == outcome.items.end() ? std::string{}
                                       : fmt::format(" under {}, the worst of {} policies", judged->item, policies);
}

} // namespace

std::vector<AssertionResult> check_assertions(const std::vector<Goal>& goals,
                                              const std::vector<std::pair<std::string, PointOutcome>>& outcomes)
{
  std::vector<AssertionResult> results;
  for (const Goal& goal : goals) {
    std::optional<AssertionResult> worst;
    for (const auto& [label, outcome] : outcomes) {
      if (const std::string why = why_not_measured(goal.measure, outcome); !why.empty())
        throw InputError{why};
      AssertionResult one{.goal = goal, .verdict = {}, .value = value_of(goal.measure, outcome)};
      if (!holds_unfinished(goal.measure))
        one.verdict = outcome.verdict(goal.measure.item, true);
      if (one.verdict.answers()) {
        one.verdict.ruling = one.value && goal.met(*one.value) ? Ruling::meets : Ruling::misses;
        one.note = waiting_note(goal.measure, outcome);
        if (const std::optional<double> sure = probability_of(goal, outcome); sure && one.note.empty())
          one.note = fmt::format("that it is met is {} sure, by the errors of the model", percent_text(*sure));
        else if (one.note.empty())
          one.note = judged_without_error(goal, outcome);
        if (one.value)
          one.verdict.margin = goal.margin(*one.value);
      }
      one.over = population_text(goal.measure, outcome) + policy_text(goal, outcome, one.value);
      one.point = outcomes.size() > 1 ? label : std::string{};
      const auto rank = [](const AssertionResult& result) {
        return std::pair{result.verdict.ruling,
                         result.verdict.margin.value_or(-std::numeric_limits<double>::infinity())};
      };
      if (!worst || rank(one) < rank(*worst))
        worst = std::move(one);
    }
    if (worst)
      results.push_back(std::move(*worst));
  }
  return results;
}

std::string assertion_text(const AssertionResult& result)
{
  const Verdict& verdict = result.verdict;
  const std::string note = verdict.answers() ? result.note : verdict.text();
  return fmt::format(
      "assertion {}: {}, {}{}{}{}", result.goal.text, result.met() ? "met" : "NOT met",
      result.value ? measure_text(result.goal.measure, *result.value) + result.over : "there is no such figure",
      result.point.empty() ? "" : " at " + result.point,
      verdict.margin
          ? fmt::format(" ({} {:.3g} %)", result.met() ? "margin" : "missed by", 100 * std::abs(*verdict.margin))
          : "",
      note.empty() ? "" : "; " + note);
}

} // namespace trainyard
