// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "sim/sources/queue/saving_gpus.hpp"
#include "sim/sources/queue/scheduling.hpp"

#include <map>
#include <unordered_map>
#include <utility>
#include <vector>

namespace trainyard {

/// Of work that is done, what the last checkpoint holds: whole intervals; 0 = everything.
constexpr Instant checkpointed(Instant done, Instant interval)
{
  return interval > Instant{0} ? done - done % interval : done;
}

/// Which jobs the empty cluster could hold; answers are remembered by request and, where speeds differ by GPU type, by
/// model.
class Possible
{
public:
  explicit Possible(const QueuePolicy& policy) : policy_{policy} {}
  bool could_run(const Workload& workload, const ClusterState& cluster, JobId id);
  /// What the cluster lacks for a job that could not run.
  Lack lack_of(const Workload& workload, const ClusterState& cluster, JobId id) const;

private:
  const QueuePolicy& policy_;
  std::map<std::pair<ResourceRequest, int>, bool> known_;
};

/// The outcome of every job, and the means over them. @p waits: why the jobs that never ran wait. @p saving: by job.
SchedulingResult outcomes(const Workload& workload, const std::vector<JobState>& states, const WaitLog& waits,
                          const std::unordered_map<int, SavingAccount>& saving);

} // namespace trainyard
