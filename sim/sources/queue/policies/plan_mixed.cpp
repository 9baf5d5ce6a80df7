// SPDX-License-Identifier: Apache-2.0
// Genetic search that starts from the list and from the clustering; the rule and its source are in dag_plan.hpp.
#include "sim/planning/genetic_search.hpp"
#include "sim/sources/queue/policies/plan_follower.hpp"

namespace trainyard {
namespace {

class Mixed final : public PlanFollower
{
public:
  explicit Mixed(const Settings& settings) : search_{settings, "mixed"} {}

  static std::vector<Parameter> parameters() { return GeneticSearch::parameters(); }

protected:
  DagPlan plan(const DagProblem& problem) override
  {
    const DagPlan seeds[] = {plan_list(problem), plan_clustering(problem)};
    return search_.search(problem, seeds, plans_++);
  }

private:
  GeneticSearch search_;
  int plans_ = 0;
};

TY_REGISTER(QueuePolicy, Mixed, "mixed", "genetic search that starts from list scheduling and from clustering");

} // namespace
} // namespace trainyard
