// Genetic search over orders of jobs with dependencies, never worse than the list; the rule and its source are in dag_plan.hpp.
#include "sim/scheduling/plan_follower.hpp"

#include <stdexcept>

namespace trainyard {
namespace {

class Genetic final : public PlanFollower
{
public:
  explicit Genetic(const Settings& settings)
      : options_{.population = settings.integer("population", 12), .generations = settings.integer("generations", 20)},
        random_{static_cast<std::uint64_t>(settings.integer("seed", 1))}
  {
    if (options_.population < 2 || options_.generations < 0)
      throw std::invalid_argument{"genetic: population must be at least 2, generations at least 0"};
  }

  static std::vector<Parameter> parameters()
  {
    return {
        {.name = "population", .kind = "integer", .default_value = "12", .meaning = "plans kept", .minimum = 2, .maximum = 1e5},
        {.name = "generations", .kind = "integer", .default_value = "20", .meaning = "rounds of crossing", .minimum = 0, .maximum = 1e6},
        {.name = "seed", .kind = "integer", .default_value = "1", .meaning = "of the search", .minimum = 0, .maximum = 2e9}};
  }

protected:
  DagPlan plan(const DagProblem& problem) override
  {
    const DagPlan seeds[] = {plan_list(problem)};
    return plan_genetic(problem, seeds, options_, random_.stream("plan " + std::to_string(plans_++)));
  }

private:
  GeneticOptions options_;
  Random random_;
  int plans_ = 0;
};

TY_REGISTER(QueuePolicy, Genetic, "genetic", "genetic search over orders of jobs with dependencies, never worse than the list");

} // namespace
} // namespace trainyard
