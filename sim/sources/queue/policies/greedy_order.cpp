// SPDX-License-Identifier: Apache-2.0
#include "sim/sources/queue/policies/greedy_order.hpp"

#include <algorithm>
#include <vector>

namespace trainyard {
GreedyAllocation::GreedyAllocation(const ClusterView& cluster)
    : cluster_{cluster}, typed_{cluster.cluster().gpu_types() > 1}
{
  if (!typed_) {
    left_.push_back(cluster.cluster().free_milli());
    for (const JobId id : cluster.running())
      left_[0] += cluster.state(id).held.milli();
    return;
  }
  for (int type = 0; type < cluster.cluster().gpu_types(); ++type)
    left_.push_back(static_cast<std::int64_t>(cluster.cluster().free_gpus_of_type(type)) * 1000);
  for (const JobId id : cluster.running())
    left_[static_cast<std::size_t>(cluster.state(id).held.gpu_type)] += cluster.state(id).held.milli();
}

bool GreedyAllocation::offer(JobId id)
{
  const bool runs = cluster_.is_running(id);
  const int type = take(id);
  if (type == -2) {
    if (runs)
      stopped_.push_back(id);
    return false;
  }
  if (!runs)
    chosen_.emplace_back(id, type);
  return true;
}

/// Takes what the job needs; of its own type where it runs, else of the fastest with free GPUs. -2: it gets nothing,
/// -1: any type.
int GreedyAllocation::take(JobId id)
{
  const TraceJob& job = cluster_.job(id);
  const JobState& state = cluster_.state(id);
  const bool runs = state.phase == JobPhase::running;
  const std::int64_t needed = runs ? state.held.milli() : request_of(job).milli();
  if (!typed_)
    return take_from(0, needed) ? -1 : -2;
  if (runs)
    return take_from(static_cast<std::size_t>(state.held.gpu_type), needed) ? state.held.gpu_type : -2;
  int best = -2;
  double best_speed = 0;
  for (int type = 0; type < static_cast<int>(left_.size()); ++type) {
    const double speed = cluster_.workload().speed_on(job, type);
    if ((job.gpu_type >= 0 && job.gpu_type != type) || left_[static_cast<std::size_t>(type)] < needed ||
        speed <= best_speed)
      continue;
    best = type;
    best_speed = speed;
  }
  if (best >= 0)
    left_[static_cast<std::size_t>(best)] -= needed;
  return best;
}

bool GreedyAllocation::take_from(std::size_t type, std::int64_t needed)
{
  if (left_[type] < needed)
    return false;
  left_[type] -= needed;
  return true;
}

void GreedyAllocation::apply(Decisions& decisions) const
{
  if (chosen_.empty())
    return; // no job would gain from what is stopped
  for (const JobId id : stopped_)
    decisions.preempt(id);
  for (const auto& [id, type] : chosen_)
    decisions.start(id, 0, type);
  for (const JobId id : stopped_) // GPUs that fragmentation left idle
    decisions.start(id);
}

bool start_all_waiting(const ClusterView& cluster, Decisions& decisions)
{
  if (cluster.cluster().gpu_types() > 1)
    return cluster.waiting().empty();
  std::int64_t needed = 0;
  for (const JobId id : cluster.waiting()) {
    needed += request_of(cluster.job(id)).milli();
    if (needed > cluster.cluster().free_milli())
      return false;
  }
  std::vector<JobId> jobs{cluster.waiting().begin(), cluster.waiting().end()};
  std::ranges::sort(jobs);
  for (const JobId id : jobs)
    if (!decisions.start(id))
      return false;
  return true;
}

} // namespace trainyard
