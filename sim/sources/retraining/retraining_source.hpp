// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "sim/cluster/kernel.hpp"
#include "sim/sources/retraining/environment.hpp"

#include <memory>

namespace trainyard {

class JobQueue;
class NodePool;
class SharedLinks;

namespace task_environment {
class EnvironmentRun;
}

/// Retraining, as one source of work among others on the same machines. A machine that fails ends the trainings on it.
class RetrainingSource final : public Source
{
public:
  /// All arguments live as long as this.
  RetrainingSource(const EnvironmentInput& input, const DuplicatePolicy& duplicates, JobPlanner& planner,
                   NodePool& machines);
  ~RetrainingSource() override;

  /// From now on trainings are jobs of this queue, which lives as long as this. Before the run only.
  void send_to(JobQueue& queue);

  /// From now on trainings of the planner and others slow each other on links. @p links lives as long as this.
  void share(SharedLinks& links);

  std::optional<Instant> next() const override;
  void act(Instant now) override;
  /// The outcome at @p ended. Nothing may be called after it.
  EnvironmentResult finish(Instant ended);

private:
  std::unique_ptr<task_environment::EnvironmentRun> run_;
};

} // namespace trainyard
