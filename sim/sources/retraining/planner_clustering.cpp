// SPDX-License-Identifier: Apache-2.0
// Linear clustering: each training on the GPU type that suits it best, the longest first (dag_plan.hpp has the rule and
// its source).
#include "sim/sources/retraining/job_planner.hpp"

namespace trainyard {
namespace {

class ClusteringPlanner final : public JobPlanner
{
public:
  std::vector<TrainingChoice> choose(const PlannerView& view) override
  {
    const DagProblem queue = problem(view);
    ++plans_;
    return due(view, queue, plan_clustering(queue));
  }
};

TY_REGISTER(JobPlanner, ClusteringPlanner, "clustering",
            "each training on the GPU type that suits it best, the longest first");

} // namespace
} // namespace trainyard
