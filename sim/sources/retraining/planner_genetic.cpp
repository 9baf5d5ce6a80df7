// SPDX-License-Identifier: Apache-2.0
// Genetic search over the order of the queue, its first generation the list and random orders; never worse than the
// list. (dag_plan.hpp has the rule and its source)
#include "sim/planning/dag_plan.hpp"
#include "sim/sources/retraining/job_planner.hpp"

namespace trainyard {
namespace {

class GeneticPlanner final : public JobPlanner
{
public:
  explicit GeneticPlanner(const Settings& settings) : search_{settings, "genetic"} {}

  static std::vector<Parameter> parameters() { return GeneticSearch::parameters(); }

  std::vector<TrainingChoice> choose(const PlannerView& view) override
  {
    const DagProblem queue = problem(view);
    const DagPlan seeds[] = {plan_list(queue)};
    const DagPlan plan = search_.search(queue, seeds, plans_);
    plans_ += search_.schedules();
    return due(view, queue, plan);
  }

private:
  GeneticSearch search_;
};

TY_REGISTER(JobPlanner, GeneticPlanner, "genetic", "genetic search over orders; never worse than list scheduling");

} // namespace
} // namespace trainyard
