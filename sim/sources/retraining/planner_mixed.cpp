// SPDX-License-Identifier: Apache-2.0
// Genetic search that starts from the list and from the clustering. (dag_plan.hpp has the rule and its source)
#include "sim/planning/dag_plan.hpp"
#include "sim/sources/retraining/job_planner.hpp"

namespace trainyard {
namespace {

class MixedPlanner final : public JobPlanner
{
public:
  explicit MixedPlanner(const Settings& settings) : search_{settings, "mixed"} {}

  static std::vector<Parameter> parameters() { return GeneticSearch::parameters(); }

  std::vector<TrainingChoice> choose(const PlannerView& view) override
  {
    const DagProblem queue = problem(view);
    const DagPlan seeds[] = {plan_list(queue), plan_clustering(queue)};
    const DagPlan plan = search_.search(queue, seeds, plans_);
    plans_ += search_.schedules();
    return due(view, queue, plan);
  }

private:
  GeneticSearch search_;
};

TY_REGISTER(JobPlanner, MixedPlanner, "mixed", "genetic search that starts from list scheduling and from clustering");

} // namespace
} // namespace trainyard
