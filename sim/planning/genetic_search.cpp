// SPDX-License-Identifier: Apache-2.0
#include "sim/planning/genetic_search.hpp"

#include <stdexcept>

namespace trainyard {

GeneticSearch::GeneticSearch(const Settings& settings, const std::string& name)
    : options_{.population = settings.integer("population", 12), .generations = settings.integer("generations", 20)},
      random_{static_cast<std::uint64_t>(settings.integer("seed", 1))}
{
  if (options_.population < 2 || options_.generations < 0)
    throw std::invalid_argument{name + ": population must be at least 2, generations at least 0"};
}

std::vector<Parameter> GeneticSearch::parameters()
{
  return {{"population", "integer", "12", "number of plans kept", 2, 1e5},
          {"generations", "integer", "20", "number of generations", 0, 1e6},
          {"seed", "integer", "1", "seed of the search", 0, 2e9}};
}

DagPlan GeneticSearch::search(const DagProblem& problem, std::span<const DagPlan> seeds, std::int64_t number) const
{
  return plan_genetic(problem, seeds, options_, random_.stream("plan " + std::to_string(number)));
}

} // namespace trainyard
