// SPDX-License-Identifier: Apache-2.0
// No planner: scripts go to the queue as the needs come, duplicates and all, and train in order of arrival.
#include "sim/sources/retraining/job_planner.hpp"

namespace trainyard {
namespace {

class NoPlanner final : public JobPlanner
{
public:
  std::vector<TrainingChoice> choose(const PlannerView& view) override
  {
    std::vector<TrainingChoice> order(view.queue.size());
    for (std::size_t i = 0; i < order.size(); ++i)
      order[i].queued = i;
    return order;
  }
  bool lets_pass() const override { return false; }
  bool controls() const override { return false; }
};

TY_REGISTER(JobPlanner, NoPlanner, "none",
            "no planner: duplicates are sent, jobs are submitted again without asking, first come first served");

} // namespace
} // namespace trainyard
