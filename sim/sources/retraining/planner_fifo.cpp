// SPDX-License-Identifier: Apache-2.0
// In order of submission.
#include "sim/sources/retraining/job_planner.hpp"

namespace trainyard {
namespace {

class FifoPlanner final : public JobPlanner
{
public:
  std::vector<TrainingChoice> choose(const PlannerView& view) override
  {
    std::vector<TrainingChoice> order(view.queue.size());
    for (std::size_t i = 0; i < order.size(); ++i)
      order[i].queued = i;
    ++plans_;
    return order;
  }
  bool lets_pass() const override { return false; }
};

TY_REGISTER(JobPlanner, FifoPlanner, "fifo", "in order of submission");

} // namespace
} // namespace trainyard
