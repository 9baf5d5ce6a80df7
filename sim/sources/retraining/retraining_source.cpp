// SPDX-License-Identifier: Apache-2.0
#include "sim/sources/retraining/retraining_source.hpp"

#include "sim/sources/retraining/environment_run.hpp"

namespace trainyard {

RetrainingSource::RetrainingSource(const EnvironmentInput& input, const DuplicatePolicy& duplicates,
                                   JobPlanner& planner, NodePool& machines)
    : run_{std::make_unique<task_environment::EnvironmentRun>(input, duplicates, planner, &machines)}
{
  run_->begin();
}

RetrainingSource::~RetrainingSource() = default;

void RetrainingSource::send_to(JobQueue& queue)
{
  run_->send_to(queue);
}

void RetrainingSource::share(SharedLinks& links)
{
  run_->share(links);
}

std::optional<Instant> RetrainingSource::next() const
{
  return run_->next();
}

void RetrainingSource::act(Instant now)
{
  run_->act(now);
}

EnvironmentResult RetrainingSource::finish(Instant ended)
{
  return run_->finish(ended);
}

} // namespace trainyard
