// Genetic search that starts from the list and from the clustering. (dag_plan.hpp has the rule and its source)
#include "sim/task_environment/job_planner.hpp"

namespace trainyard {
namespace {

class MixedPlanner final : public JobPlanner
{
public:
  explicit MixedPlanner(const Settings& settings)
      : options_{.population = settings.integer("population", 12), .generations = settings.integer("generations", 20)},
        random_{static_cast<std::uint64_t>(settings.integer("seed", 1))}
  {
  }

  static std::vector<Parameter> parameters()
  {
    return {
        {.name = "population", .kind = "integer", .default_value = "12", .meaning = "plans kept", .minimum = 2, .maximum = 1e5},
        {.name = "generations", .kind = "integer", .default_value = "20", .meaning = "rounds of crossing", .minimum = 0, .maximum = 1e6},
        {.name = "seed", .kind = "integer", .default_value = "1", .meaning = "of the search", .minimum = 0, .maximum = 2e9}};
  }

  std::vector<TrainingChoice> choose(const PlannerView& view) override
  {
    const DagProblem queue = problem(view);
    const DagPlan seeds[] = {plan_list(queue), plan_clustering(queue)};
    const DagPlan plan = plan_genetic(queue, seeds, options_, random_.stream("plan " + std::to_string(plans_)));
    plans_ += options_.population + options_.generations * (options_.population / 2);
    return due(view, queue, plan);
  }

private:
  GeneticOptions options_;
  Random random_;
};

TY_REGISTER(JobPlanner, MixedPlanner, "mixed", "genetic search that starts from the list and from the clustering");

} // namespace
} // namespace trainyard
