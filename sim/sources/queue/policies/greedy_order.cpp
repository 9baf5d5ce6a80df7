// SPDX-License-Identifier: Apache-2.0
#include "sim/sources/queue/policies/greedy_order.hpp"

namespace trainyard {
GreedyAllocation::GreedyAllocation(const ClusterView& cluster, GreedyRules rules)
    : cluster_{cluster}, rules_{rules}, typed_{rules.by_type && cluster.cluster().gpu_types() > 1}
{
  if (!typed_) {
    left_.push_back(rules.pool.free_milli(cluster));
    return;
  }
  for (int type = 0; type < cluster.cluster().gpu_types(); ++type)
    left_.push_back(rules.pool.free_milli_of_type(cluster, type));
}

void GreedyAllocation::release_all_running()
{
  for (const JobId id : cluster_.running())
    if (rules_.pool.holds(cluster_, id))
      release(cluster_.state(id).held.milli(), cluster_.state(id).held.gpu_type);
}

bool GreedyAllocation::offer(JobId id)
{
  const bool runs = cluster_.is_running(id);
  const int type = type_for(id);
  if (type == no_type) {
    if (runs)
      stopped_.push_back(id);
    return false;
  }
  keep(runs ? cluster_.state(id).held.milli() : request_of(cluster_.job(id)).milli(), type);
  if (!runs)
    chosen_.emplace_back(id, type);
  return true;
}

/// Where it gets what it needs: of its own type where it runs, else of the fastest with enough left.
int GreedyAllocation::type_for(JobId id) const
{
  const TraceJob& job = cluster_.job(id);
  const JobState& state = cluster_.state(id);
  const bool runs = state.phase == JobPhase::running;
  const std::int64_t needed = runs ? state.held.milli() : request_of(job).milli();
  if (!typed_)
    return left_[0] >= needed ? any_type : no_type;
  if (runs)
    return left_[static_cast<std::size_t>(state.held.gpu_type)] >= needed ? state.held.gpu_type : no_type;
  int best = no_type;
  double best_speed = 0;
  for (int type = 0; type < static_cast<int>(left_.size()); ++type) {
    const double speed = cluster_.workload().speed_on(job, type);
    if ((job.gpu_type >= 0 && job.gpu_type != type) || left_[static_cast<std::size_t>(type)] < needed ||
        speed <= best_speed)
      continue;
    best = type;
    best_speed = speed;
  }
  return best;
}

void GreedyAllocation::apply(Decisions& decisions) const
{
  if (chosen_.empty())
    return; // no job would gain from what is stopped
  for (const JobId id : stopped_)
    decisions.preempt(id);
  std::vector<JobId> stopped = stopped_;
  for (const auto& [id, type] : chosen_) {
    if (decisions.start(id, 0, type) || !rules_.more_stops)
      continue;
    const std::vector<JobId> more = rules_.more_stops(id);
    for (const JobId other : more)
      decisions.preempt(other);
    if (!more.empty())
      decisions.start(id);
    stopped.insert(stopped.end(), more.begin(), more.end());
  }
  if (rules_.start_stopped)
    for (const JobId id : stopped)
      decisions.start(id);
}

bool start_all_waiting(const ClusterView& cluster, Decisions& decisions, const PoolOfMachines& pool)
{
  if (pool.pools != nullptr)
    return false;
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
