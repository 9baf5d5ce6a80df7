// SPDX-License-Identifier: Apache-2.0
#include "sim/sources/queue/outcomes.hpp"

#include <algorithm>

namespace trainyard {

bool Possible::could_run(const Workload& workload, const ClusterState& cluster, JobId id)
{
  const TraceJob& job = workload.job(id);
  const bool one_type = policy_.one_type();
  const ResourceRequest request = request_of(job, policy_.least_gpus(job));
  const bool typed = request.task.gpu_type < 0 &&
                     (!workload.type_speed.empty() || (one_type && job.gpus > 0 && cluster.gpu_types() > 1));
  if (cluster.counted() && !typed)
    return cluster.could_fit(request);
  const auto [known, fresh] = known_.try_emplace({request, typed ? job.model : -1}, false);
  if (fresh && !typed)
    known->second =
        cluster.could_fit(request) && (request.task.gpu_type < 0 || workload.speed_on(job, request.task.gpu_type) > 0);
  if (fresh && typed)
    for (int type = 0; type < cluster.gpu_types() && !known->second; ++type)
      known->second =
          workload.speed_on(job, type) > 0 && cluster.could_fit(request_of(job, policy_.least_gpus(job), type));
  if (fresh && typed && !known->second && workload.mixed_gangs && !one_type)
    known->second = cluster.could_fit(request);
  return known->second;
}

Lack Possible::lack_of(const Workload& workload, const ClusterState& cluster, JobId id) const
{
  const TraceJob& job = workload.job(id);
  const ResourceRequest request = request_of(job, policy_.least_gpus(job));
  return cluster.could_fit(request) ? Lack{"no type of GPU has as many as it needs", {}} : cluster.lack_of(request);
}

SchedulingResult outcomes(const Workload& workload, const std::vector<JobState>& states, const WaitLog& waits,
                          const std::unordered_map<int, SavingAccount>& saving)
{
  const SavingAccount none;
  const auto saving_of = [&](std::size_t index) -> const SavingAccount& {
    const auto found = saving.empty() ? saving.end() : saving.find(static_cast<int>(index));
    return found == saving.end() ? none : found->second;
  };
  SchedulingResult result;
  GpuTime jct, wait; // of one GPU each
  result.jobs.reserve(states.size());
  for (std::size_t i = 0; i < states.size(); ++i) {
    const JobState& job = states[i];
    const bool done = job.phase == JobPhase::finished;
    const SavingAccount& saved = saving_of(i);
    result.jobs.push_back(
        {.ready = job.ready,
         .first_start = saved.first_start >= Instant{0} ? saved.first_start : job.first_start,
         .end = done ? job.end : Instant{-1},
         .gpu_time = job.gpu_time + saved.saved_gpus - saved.waited_gpus,
         .lost_time = job.lost_time + saved.saved_gpus - saved.waited_gpus,
         .held_time = job.held_time + saved.saved - saved.waited,
         .preemptions = job.preemptions,
         .failures = job.failures,
         .out_of_memory = job.out_of_memory,
         .killed = done && job.killed,
         .phase = job.phase,
         .reason = job.reason != WaitReason::none ? job.reason : waits.reason(JobId{static_cast<int>(i)})});
    result.impossible += job.phase == JobPhase::impossible ? 1 : 0;
    result.stalled += job.phase == JobPhase::stalled ? 1 : 0;
    if (!done)
      continue;
    ++result.finished;
    result.makespan = std::max(result.makespan, job.end);
    jct += GpuTime{1000, job.end - workload.jobs[i].submit};
    wait += GpuTime{1000, result.jobs.back().first_start - workload.jobs[i].submit};
  }
  if (result.finished > 0) {
    result.mean_jct = Seconds{jct.value() / result.finished};
    result.mean_wait = Seconds{wait.value() / result.finished};
  }
  return result;
}

} // namespace trainyard
