// SPDX-License-Identifier: Apache-2.0
// List scheduling of jobs with dependencies by upward rank (HEFT); the rule and its source are in dag_plan.hpp.
#include "sim/sources/queue/policies/plan_follower.hpp"

namespace trainyard {
namespace {

class Heft final : public PlanFollower
{
protected:
  DagPlan plan(const DagProblem& problem) override { return plan_list(problem); }
};

TY_REGISTER(QueuePolicy, Heft, "heft", "list scheduling of jobs with dependencies by upward rank (HEFT)");

} // namespace
} // namespace trainyard
