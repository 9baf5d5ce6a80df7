// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "sim/planning/dag_plan.hpp"
#include "sim/sources/queue/scheduling.hpp"

#include <cstdint>
#include <map>
#include <vector>

namespace trainyard {

/// Everything submitted and not started, with what it depends on, as a planning problem; `ids`: its jobs, in the same
/// order.
struct PlannedJobs {
  DagProblem problem; // its types: those of each pool of machines, one after another
  std::vector<JobId> ids;
};
PlannedJobs planned_jobs(const ClusterView& cluster);

/// Plans whenever jobs arrive, machines fail or come back, or something does not end as planned, and starts jobs when
/// the plan says so. Non-preemptive.
class PlanFollower : public QueuePolicy
{
public:
  void arrived(const ClusterView& cluster, JobId id) override;
  void started(const ClusterView& cluster, JobId id) override;
  void stopped(const ClusterView& cluster, JobId id) override;
  void withdrawn(const ClusterView& cluster, JobId id) override;
  void decide(const ClusterView& cluster, Decisions& decisions) override;

protected:
  virtual DagPlan plan(const DagProblem& problem) = 0;

private:
  struct Due {
    Instant start;
    int gpu_type = -1;
    bool needs_several = false; // types of GPU, which no plan gives it
  };
  std::map<JobId, Due> due_;
  std::map<JobId, Instant> planned_end_;
  std::vector<std::int64_t> planned_milli_; // of each machine, as the plan knows them
  bool stale_ = true;
  bool blocked_ = false; // a due job was not placed: fragmentation, or another job is late
};

} // namespace trainyard
