// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "models/core/random.hpp"
#include "models/core/registry.hpp"
#include "sim/planning/dag_plan.hpp"

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace trainyard {

/// plan_genetic() with the settings that its policies and planners have in common: `population`, `generations`, `seed`.
class GeneticSearch
{
public:
  /// Throws std::invalid_argument naming the policy @p name where the settings allow no search.
  GeneticSearch(const Settings& settings, const std::string& name);

  static std::vector<Parameter> parameters();

  /// Never worse than the best of @p seeds. The same @p number draws the same random numbers.
  DagPlan search(const DagProblem& problem, std::span<const DagPlan> seeds, std::int64_t number) const;
  /// Schedules that one search looks at.
  std::int64_t schedules() const { return options_.population + options_.generations * (options_.population / 2); }

private:
  GeneticOptions options_;
  Random random_;
};

} // namespace trainyard
