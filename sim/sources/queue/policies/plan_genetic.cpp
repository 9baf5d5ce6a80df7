// SPDX-License-Identifier: Apache-2.0
// Genetic search over orders of jobs with dependencies, never worse than the list; the rule and its source are in
// dag_plan.hpp.
#include "sim/planning/genetic_search.hpp"
#include "sim/sources/queue/policies/plan_follower.hpp"

namespace trainyard {
namespace {

class Genetic final : public PlanFollower
{
public:
  explicit Genetic(const Settings& settings) : search_{settings, "genetic"} {}

  static std::vector<Parameter> parameters() { return GeneticSearch::parameters(); }

protected:
  DagPlan plan(const DagProblem& problem) override
  {
    const DagPlan seeds[] = {plan_list(problem)};
    return search_.search(problem, seeds, plans_++);
  }

private:
  GeneticSearch search_;
  int plans_ = 0;
};

TY_REGISTER(QueuePolicy, Genetic, "genetic",
            "genetic search over orders of jobs with dependencies; never worse than list scheduling");

} // namespace
} // namespace trainyard
