// SPDX-License-Identifier: Apache-2.0
// The most important training first, equal ones in order of submission; smaller ones may pass one that does not fit.
#include "sim/sources/retraining/job_planner.hpp"

#include <algorithm>

namespace trainyard {
namespace {

class PriorityPlanner final : public JobPlanner
{
public:
  explicit PriorityPlanner(const Settings& settings) : pass_{settings.flag("pass", true)} {}

  static std::vector<Parameter> parameters()
  {
    return {{"pass", "boolean", "true", "whether others may start if the first one does not fit", 0, 1}};
  }

  std::vector<TrainingChoice> choose(const PlannerView& view) override
  {
    std::vector<TrainingChoice> order(view.queue.size());
    for (std::size_t i = 0; i < order.size(); ++i)
      order[i].queued = i;
    std::ranges::stable_sort(order, [&](const TrainingChoice& a, const TrainingChoice& b) {
      return view.queue[a.queued].priority > view.queue[b.queued].priority;
    });
    ++plans_;
    return order;
  }

  bool lets_pass() const override { return pass_; }

private:
  bool pass_;
};

TY_REGISTER(JobPlanner, PriorityPlanner, "priority", "highest priority first; equal ones in order of submission");

} // namespace
} // namespace trainyard
