// SPDX-License-Identifier: Apache-2.0
// List scheduling of the whole queue: the longest training first, each where it ends first (dag_plan.hpp has the rule
// and its source).
#include "sim/sources/retraining/job_planner.hpp"

namespace trainyard {
namespace {

class ListPlanner final : public JobPlanner
{
public:
  std::vector<TrainingChoice> choose(const PlannerView& view) override
  {
    const DagProblem queue = problem(view);
    ++plans_;
    return due(view, queue, plan_list(queue));
  }
};

TY_REGISTER(JobPlanner, ListPlanner, "list", "list scheduling: the longest first, each where it ends earliest");

} // namespace
} // namespace trainyard
