// SPDX-License-Identifier: Apache-2.0
#include "sim/sources/queue/policies/plan_follower.hpp"

#include "sim/sources/queue/policies/machine_pools.hpp"

#include <algorithm>
#include <tuple>
#include <utility>

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

/// Thousandths of GPUs of each machine that its jobs hold or may have; none where it is down.
std::vector<std::int64_t> milli_up(const ClusterView& cluster)
{
  if (cluster.cluster().counted())
    return {}; // never down
  const NodePool& nodes = cluster.cluster().nodes();
  std::vector<std::int64_t> milli(static_cast<std::size_t>(nodes.size()));
  for (int node = 0; node < nodes.size(); ++node)
    milli[static_cast<std::size_t>(node)] = nodes.state(node).up ? nodes.state(node).free_milli : 0;
  for (const JobId id : cluster.running())
    for (const TaskShare& share : cluster.state(id).held.shares)
      milli[static_cast<std::size_t>(share.node)] += std::int64_t{share.gpus()} * share.gpu_milli;
  return milli;
}

/// Whether all types together have GPUs enough that are up, but none alone.
bool needs_several_types(const DagProblem& problem, const DagJob& job)
{
  int all = 0, most = 0;
  for (std::size_t type = 0; type < problem.capacity.size(); ++type)
    if (is_finite(job.duration[type])) {
      all += problem.capacity[type];
      most = std::max(most, problem.capacity[type]);
    }
  return most < job.gpus && job.gpus <= all;
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
  std::vector<std::int64_t> milli = milli_up(cluster); // more once machines are repaired: for gangs without a place
  if (stale_ || blocked_ || milli != planned_milli_) {
    planned_milli_ = std::move(milli);
    const PlannedJobs planned = planned_jobs(cluster);
    const DagPlan next = plan(planned.problem);
    due_.clear();
    for (std::size_t i = 0; i < planned.ids.size(); ++i)
      due_[planned.ids[i]] = {next.start[i], next.gpu_type[i] % cluster.cluster().gpu_types(),
                              needs_several_types(planned.problem, planned.problem.jobs[i])};
    stale_ = blocked_ = false;
  }
  std::vector<std::tuple<Instant, JobId, int>> order;
  for (const auto& [id, due] : due_)
    if (cluster.state(id).phase == JobPhase::waiting && due.needs_several)
      decisions.hold(id, WaitReason::one_type);
    else if (cluster.state(id).phase == JobPhase::waiting)
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
