// SPDX-License-Identifier: Apache-2.0
#include "sim/sources/retraining/job_planner.hpp"

#include <algorithm>

namespace trainyard {

DagProblem JobPlanner::problem(const PlannerView& view)
{
  DagProblem problem;
  for (const QueuedTraining& training : view.queue) {
    DagJob& job = problem.jobs.emplace_back(DagJob{.gpus = training.gpus});
    for (const double duration : training.duration_s)
      job.duration.emplace_back(Seconds{duration});
  }
  problem.capacity.assign(view.capacity.begin(), view.capacity.end());
  problem.now = view.now;
  for (const RunningTraining& training : view.running)
    problem.busy.push_back({training.gpu_type, training.gpus, std::max(training.expected_end, problem.now + 1_ms)});
  return problem;
}

std::vector<TrainingChoice> JobPlanner::due(const PlannerView& view, const DagProblem& problem, const DagPlan& plan)
{
  static_cast<void>(view);
  if (first_makespan_ == 0 && problem.jobs.size() > 1) {
    first_makespan_ = plan.makespan.value();
    first_problem_ = problem;
  }
  std::vector<TrainingChoice> choices;
  for (std::size_t job = 0; job < problem.jobs.size(); ++job)
    if (plan.gpu_type[job] >= 0 && plan.start[job] <= problem.now)
      choices.push_back({job, plan.gpu_type[job]});
  std::vector<std::size_t> rank(problem.jobs.size());
  for (std::size_t i = 0; i < plan.order.size(); ++i)
    rank[static_cast<std::size_t>(plan.order[i])] = i;
  std::ranges::stable_sort(choices, {}, [&](const TrainingChoice& choice) { return rank[choice.queued]; });
  return choices;
}

} // namespace trainyard
