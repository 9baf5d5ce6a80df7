// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "models/core/instant.hpp"
#include "models/core/registry.hpp"
#include "sim/planning/dag_plan.hpp"

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace trainyard {

/// A training that waits in the cluster's queue.
struct QueuedTraining {
  int model = 0;
  double priority = 0;
  Instant submitted{};
  int gpus = 1;
  std::vector<double> duration_s; // alone, on each GPU type; infinity: cannot run there
};

/// A training that holds GPUs.
struct RunningTraining {
  int model = 0;
  double priority = 0;
  int gpus = 1;
  int gpu_type = 0;
  Instant expected_end{};
};

/// The inputs of a decision: queue, priorities, state and load.
struct PlannerView {
  Instant now{};
  std::span<const QueuedTraining> queue; // in order of submission
  std::span<const RunningTraining> running;
  std::span<const int> capacity; // GPUs of each type
  std::span<const int> free;
};

struct TrainingChoice {
  std::size_t queued = 0; // position in the queue
  int gpu_type = -1;      // -1: where it ends first
};

/// Decides which training starts next. The engine starts its choices in order; where one does not fit, those after it
/// start only if the planner lets them pass.
class JobPlanner
{
public:
  virtual ~JobPlanner() = default;
  virtual std::vector<TrainingChoice> choose(const PlannerView& view) = 0;
  virtual bool lets_pass() const { return true; }
  /// false: no planner; duplicates are sent, and scripts are sent again without asking.
  virtual bool controls() const { return true; }
  /// Schedules looked at so far.
  std::int64_t plans() const { return plans_; }
  /// The first queue of several trainings, and the makespan of the plan for it; no jobs: there was none.
  const DagProblem& first_problem() const { return first_problem_; }
  double first_makespan() const { return first_makespan_; }

protected:
  /// The queue as a planning problem; all priorities are the same there.
  static DagProblem problem(const PlannerView& view);
  /// What a plan starts now, in its order; notes the first plan of several trainings.
  std::vector<TrainingChoice> due(const PlannerView& view, const DagProblem& problem, const DagPlan& plan);

  std::int64_t plans_ = 0;

private:
  DagProblem first_problem_;
  double first_makespan_ = 0;
};

} // namespace trainyard
