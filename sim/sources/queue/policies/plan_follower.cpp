// SPDX-License-Identifier: Apache-2.0
#include "sim/sources/queue/policies/plan_follower.hpp"

#include "sim/sources/queue/policies/machine_pools.hpp"

#include <algorithm>
#include <tuple>

namespace trainyard {

namespace {

/// Who waits, or depends on others; in order of submission.
std::vector<JobId> jobs_to_plan(const ClusterView& cluster)
{
  std::vector<JobId> ids{cluster.waiting().begin(), cluster.waiting().end()};
  const Workload& workload = cluster.workload();
  if (!workload.dependencies.empty())
    for (int index = 0;
         index < workload.size() && workload.jobs[static_cast<std::size_t>(index)].submit <= cluster.now(); ++index)
      if (cluster.state(JobId{index}).phase == JobPhase::pending)
        ids.emplace_back(JobId{index});
  std::ranges::sort(ids);
  return ids;
}

/// Thousandths of GPUs of the machines that are up.
std::int64_t milli_up(const ClusterView& cluster)
{
  std::int64_t all = cluster.cluster().free_milli();
  for (const JobId id : cluster.running())
    all += cluster.state(id).held.milli();
  return all;
}

} // namespace

PlannedJobs planned_jobs(const ClusterView& cluster)
{
  PlannedJobs planned{.problem = {}, .ids = jobs_to_plan(cluster)};
  DagProblem& problem = planned.problem;
  problem.now = cluster.now();
  MachinePools machines;
  machines.begin(cluster);
  for (const std::span<const JobId> all : {std::span<const JobId>{planned.ids}, cluster.running()})
    for (const JobId id : all)
      machines.enter(cluster, id);
  machines.join();
  std::vector<PoolOfMachines> pools(static_cast<std::size_t>(std::max(1, machines.count())));
  for (std::size_t pool = 0; pools.size() > 1 && pool < pools.size(); ++pool)
    pools[pool] = {.pools = &machines, .number = static_cast<int>(pool)};
  const auto pool_of = [&](JobId id) { return pools.size() > 1 ? machines.of(cluster, id) : 0; };
  const int types = cluster.cluster().gpu_types();
  for (const PoolOfMachines& pool : pools)
    for (int type = 0; type < types; ++type)
      problem.capacity.push_back(static_cast<int>(pool.free_milli_of_type(cluster, type)));
  std::map<JobId, Instant> running_end;
  for (const JobId id : cluster.running()) {
    const Allocation& held = cluster.state(id).held;
    const int kind = pool_of(id) * types + held.gpu_type;
    const auto milli = static_cast<int>(held.milli());
    problem.capacity[static_cast<std::size_t>(kind)] += milli;
    // A job that runs longer than estimated is assumed to end in a second.
    const Instant end =
        std::max(cluster.estimated_end(id), problem.now + (cluster.estimated_remaining(id) > Instant{0} ? 0_s : 1_s));
    problem.busy.push_back({kind, milli, end});
    running_end[id] = end;
  }
  std::map<JobId, int> position;
  const Workload& workload = cluster.workload();
  for (const JobId id : planned.ids) {
    position[id] = static_cast<int>(problem.jobs.size());
    const TraceJob& job = cluster.job(id);
    DagJob one{.gpus = static_cast<int>(request_of(job).milli()),
               .duration = std::vector<Instant>(problem.capacity.size(), end_of_time),
               .predecessors = {},
               .release = problem.now};
    const Instant left = std::max<Instant>(
        1_ms, cluster.state(id).phase == JobPhase::pending ? job.estimate : cluster.estimated_remaining(id));
    const Instant saves = cluster.saving_ahead(id, left);
    for (int type = 0; type < types; ++type) {
      const double speed = job.gpu_type >= 0 && job.gpu_type != type ? 0 : workload.speed_on(job, type);
      if (speed > 0)
        one.duration[static_cast<std::size_t>(pool_of(id)) * static_cast<std::size_t>(types) +
                     static_cast<std::size_t>(type)] = time_at(speed, left) + saves;
    }
    problem.jobs.push_back(std::move(one));
  }
  for (const auto& [waits, awaited] : workload.dependencies) {
    const auto here = position.find(waits);
    if (here == position.end())
      continue;
    DagJob& job = problem.jobs[static_cast<std::size_t>(here->second)];
    if (const auto before = position.find(awaited); before != position.end())
      job.predecessors.push_back(before->second);
    else if (const auto running = running_end.find(awaited); running != running_end.end())
      job.release = std::max(job.release, running->second);
  }
  return planned;
}

void PlanFollower::arrived(const ClusterView& cluster, JobId id)
{
  // A job that becomes ready because another has ended is in the plan already.
  stale_ = stale_ || !due_.contains(id) || cluster.state(id).preemptions + cluster.state(id).failures > 0;
}

void PlanFollower::started(const ClusterView& cluster, JobId id)
{
  due_.erase(id);
  planned_end_[id] = cluster.estimated_end(id);
}

void PlanFollower::stopped(const ClusterView& cluster, JobId id)
{
  stale_ = stale_ || planned_end_[id] != cluster.now();
  planned_end_.erase(id);
}

void PlanFollower::withdrawn(const ClusterView&, JobId id)
{
  due_.erase(id);
  stale_ = true;
}

void PlanFollower::decide(const ClusterView& cluster, Decisions& decisions)
{
  if (cluster.waiting().empty())
    return;
  const std::int64_t milli = milli_up(cluster); // more once machines are repaired: for gangs that had no place
  if (stale_ || blocked_ || milli != planned_milli_) {
    planned_milli_ = milli;
    const PlannedJobs planned = planned_jobs(cluster);
    const DagPlan next = plan(planned.problem);
    due_.clear();
    for (std::size_t i = 0; i < planned.ids.size(); ++i)
      due_[planned.ids[i]] = {next.start[i], next.gpu_type[i] % cluster.cluster().gpu_types()};
    stale_ = blocked_ = false;
  }
  std::vector<std::tuple<Instant, JobId, int>> order;
  for (const auto& [id, due] : due_)
    if (cluster.state(id).phase == JobPhase::waiting)
      order.emplace_back(due.start, id, due.gpu_type);
  std::ranges::sort(order);
  for (const auto& [start, id, type] : order) {
    if (start > cluster.now()) {
      decisions.wake_at(start);
      return; // in order of start
    }
    if (!decisions.start(id, 0, cluster.cluster().gpu_types() > 1 ? type : -1)) {
      blocked_ = true;
      decisions.wake_at(cluster.now() + Seconds{1});
    }
  }
}

} // namespace trainyard
