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
  return {{.name = "population",
           .kind = "integer",
           .default_value = "12",
           .meaning = "number of plans kept",
           .minimum = 2,
           .maximum = 1e5},
          {.name = "generations",
           .kind = "integer",
           .default_value = "20",
           .meaning = "number of generations",
           .minimum = 0,
           .maximum = 1e6},
          {.name = "seed",
           .kind = "integer",
           .default_value = "1",
           .meaning = "seed of the search",
           .minimum = 0,
           .maximum = 2e9}};
}

DagPlan GeneticSearch::search(const DagProblem& problem, std::span<const DagPlan> seeds, std::int64_t number) const
{
  return plan_genetic(problem, seeds, options_, random_.stream("plan " + std::to_string(number)));
}

} // namespace trainyard
