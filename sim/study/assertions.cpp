// SPDX-License-Identifier: Apache-2.0
#include "sim/study/assertions.hpp"

#include "models/core/closest.hpp"
#include "models/core/diagnostics.hpp"
#include "models/scenario/scenario.hpp"
#include "models/scenario/sections/scheduling.hpp"
#include "sim/sources/scenario_runner.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace trainyard {

void check_measurable(const std::vector<Goal>& goals, const Scenario& scenario)
{
  const ScenarioRunner* runner = runner_of(scenario);
  for (const Goal& goal : goals) {
    const std::string& of = goal.measure.other ? goal.measure.other->of : kind_of(goal.measure).of;
    std::vector<std::string> items;
    if (runner == nullptr) {
      if (of == "queue")
        throw InputError{fmt::format(
            "'{}' cannot be measured: the scenario has no queue; add workload: with a trace or generated jobs",
            goal.measure.text)};
      for (const JobSpec& job : scenario.jobs)
        items.push_back(job.name);
    } else if (runner->kind() == "trainyard queue") {
      if (of == "training")
        throw InputError{fmt::format("'{}' cannot be measured: the scenario simulates a queue, not training steps",
                                     goal.measure.text)};
      if (const auto* scheduling = scenario.section<SchedulingSection>("scheduling"); scheduling != nullptr)
        for (const NamedPart& policy : scheduling->policies)
          items.push_back(policy.label);
    }
    if (goal.measure.item.empty() || items.empty() || of == "cluster")
      continue;
    const bool known =
        std::ranges::any_of(items, [&](const std::string& item) { return goal.measure.item.starts_with(item); });
    if (!known) {
      std::string list;
      for (const std::string& item : items)
        list += (list.empty() ? "" : ", ") + item;
      throw InputError{fmt::format("'{}' cannot be measured: there is no '{}'{}; the scenario has {}",
                                   goal.measure.text, goal.measure.item, did_you_mean(goal.measure.item, items), list)};
    }
  }
}

std::vector<AssertionResult> check_assertions(const std::vector<Goal>& goals,
                                              const std::vector<std::pair<std::string, PointOutcome>>& outcomes)
{
  std::vector<AssertionResult> results;
  for (const Goal& goal : goals) {
    AssertionResult result{goal, true, 0, 0, {}, {}};
    bool any = false;
    for (const auto& [label, outcome] : outcomes) {
      if (const std::string why = why_not_measured(goal.measure, outcome); !why.empty())
        throw InputError{why};
      const double value = *value_of(goal.measure, outcome);
      const double margin = goal.margin(value);
      if (!any || margin < result.margin) {
        result.value = value;
        result.margin = margin;
        result.point = outcomes.size() > 1 ? label : std::string{};
        result.note = waiting_note(goal.measure, outcome);
      }
      any = true;
      result.met = result.met && goal.met(value);
    }
    results.push_back(std::move(result));
  }
  return results;
}

std::string assertion_text(const AssertionResult& result)
{
  return fmt::format("assertion {}: {}, {}{} ({} {:.3g} %){}", result.goal.text, result.met ? "met" : "NOT met",
                     measure_text(result.goal.measure, result.value), result.point.empty() ? "" : " at " + result.point,
                     result.met ? "margin" : "missed by", 100 * std::abs(result.margin),
                     result.note.empty() ? "" : "; " + result.note);
}

} // namespace trainyard
