// SPDX-License-Identifier: Apache-2.0
// Linear clustering of jobs with dependencies; the rule and its source are in dag_plan.hpp.
#include "sim/sources/queue/policies/plan_follower.hpp"

namespace trainyard {
namespace {

class Clustering final : public PlanFollower
{
protected:
  DagPlan plan(const DagProblem& problem) override { return plan_clustering(problem); }
};

TY_REGISTER(QueuePolicy, Clustering, "clustering", "linear clustering of jobs with dependencies");

} // namespace
} // namespace trainyard
