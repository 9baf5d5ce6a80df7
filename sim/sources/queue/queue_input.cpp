// SPDX-License-Identifier: Apache-2.0
#include "sim/sources/queue/scheduling.hpp"

#include "models/core/longest_time.hpp"
#include "sim/sources/queue/outcomes.hpp"

#include <algorithm>
#include <cmath>
#include <set>
#include <stdexcept>
#include <string>

namespace trainyard {

Instant ClusterView::estimated_end(JobId id) const
{
  const JobState& now = state(id);
  const Instant left = estimated_remaining(id);
  const Instant from = std::max(now_, now.work_from);
  return from + time_at(now.speed, left) + saving_ahead(id, left);
}

GpuTime ClusterView::attained(JobId id) const
{
  const JobState& now = state(id);
  return now.phase == JobPhase::running ? now.gpu_time + GpuTime{now.held.milli(), now_ - now.accounted} : now.gpu_time;
}

double trace_speed(const Workload& workload, const TraceJob& job, const Allocation& held, double elastic_exponent)
{
  const double type = workload.speed_on(job, held.gpu_type);
  if (held.gpus == job.gpus || job.gpus == 0)
    return type;
  return type * std::pow(static_cast<double>(held.gpus) / job.gpus, elastic_exponent);
}

void set_estimates(Workload& workload, double badness, const Random& random)
{
  if (!(badness >= 0) || badness > 1e6)
    throw std::invalid_argument{"estimate badness must be 0 to 1e6"};
  RandomStream draw = random.stream("estimates");
  for (TraceJob& job : workload.jobs)
    job.estimate = job.duration * (1 + badness * draw.uniform());
}

namespace {

/// "line 7" of the file that a job comes from, else its name or number.
std::string place_of(const Workload& workload, std::size_t index)
{
  const TraceJob& job = workload.jobs[index];
  return job.row > 0 && !workload.source.starts_with("generated")
             ? "line " + std::to_string(job.row)
             : "job " + workload.name(JobId{static_cast<int>(index)});
}

void check(const Workload& workload)
{
  if (workload.jobs.empty())
    throw std::invalid_argument{"the workload has no jobs"};
  const auto fault = [&](std::size_t index, const std::string& what) {
    throw std::invalid_argument{place_of(workload, index) + ": " + what};
  };
  Instant before{0};
  for (std::size_t i = 0; i < workload.jobs.size(); ++i) {
    const TraceJob& job = workload.jobs[i];
    if (!is_finite(job.submit) || !is_finite(job.duration) || !is_finite(job.estimate))
      fault(i, std::string{beyond_longest_time});
    if (job.submit < before || job.duration < Instant{0})
      fault(i, "submit times must not decrease, and durations must not be negative");
    if (job.estimate < Instant{0})
      fault(i, "the estimate must be a time of at least 0 s");
    if (job.gpus < 0 || job.tasks < 0 || job.gpu_milli < 1 || job.gpu_milli > 1000)
      fault(i, "GPUs and tasks must not be negative, shares of a GPU must be 0.001 to 1");
    if (job.smallest_gpus() > job.largest_gpus())
      fault(i, "it asks for at least " + std::to_string(job.smallest_gpus()) +
                   " GPUs (min_gpus, else gpus) and at most " + std::to_string(job.largest_gpus()) +
                   " (max_gpus, else gpus)");
    before = job.submit;
  }
  for (const auto& [waits, awaited] : workload.dependencies)
    if (waits.index < 0 || waits.index >= workload.size() || awaited.index < 0 || awaited.index >= workload.size())
      throw std::invalid_argument{"a dependency names a job that does not exist"};
  const std::vector<JobId> cycle = workload.dependencies.empty() ? std::vector<JobId>{} : dependency_cycle(workload);
  if (!cycle.empty()) {
    std::string text;
    for (const JobId id : cycle)
      text += (text.empty() ? "" : " -> ") + workload.name(id);
    throw std::invalid_argument{"jobs wait for each other in a cycle: " + text};
  }
}

void check(const SchedulingOptions& options)
{
  const auto refuse = [](bool wrong, const char* what) {
    if (wrong)
      throw std::invalid_argument{what};
  };
  const auto bad = [](Instant time) { return !(time >= Instant{0}) || !is_finite(time); };
  refuse(bad(options.policy_period), "the policy's period must be at least 0 s");
  refuse(bad(options.start_cost) || bad(options.checkpoint_cost) || bad(options.restart_cost),
         "the costs of start, checkpoint and restart must be at least 0 s");
  refuse(options.checkpoint_stall && bad(*options.checkpoint_stall), "the stall of a checkpoint must be at least 0 s");
  refuse(!(options.checkpoint_interval >= Instant{0}), "the interval of checkpoints must be at least 0 s");
  refuse(!(options.elastic_exponent >= 0) || options.elastic_exponent > 1,
         "the exponent of elastic speed must be 0 to 1");
}

} // namespace

void check_unlike_tasks(const Workload& workload, const ClusterShape& shape, const QueuePolicy& policy)
{
  const bool one_type = shape.counted() || policy.one_type() || !workload.type_speed.empty();
  for (std::size_t i = 0; i < workload.jobs.size() && workload.task_lists.size() > 1; ++i) {
    const TraceJob& job = workload.jobs[i];
    if (job.task_list > 0 && !policy.unlike_tasks())
      throw std::invalid_argument{place_of(workload, i) +
                                  ": its tasks are a list, and this policy starts jobs of equal tasks only; write "
                                  "their number (tasks: 3), or take another policy, such as fifo, volcano or kueue"};
    if (one_type && workload.mixes_types(job))
      throw std::invalid_argument{
          place_of(workload, i) + ": its tasks ask for different types of GPU, but " +
          (shape.counted()     ? "a pool (cluster: pool) gives a job GPUs of one type; remove cluster: pool"
           : policy.one_type() ? "this policy gives a job GPUs of one type; take another, such as fifo or kueue"
                               : "its speed is known on one type only; remove throughputs, goodput or speed: step")};
  }
}

NeverRun check_queue(const Workload& workload, const ClusterShape& shape, QueuePolicy& policy,
                     PlacementPolicy* placement, const SchedulingOptions& options)
{
  check_queue_input(workload, options);
  check_unlike_tasks(workload, shape, policy);
  ClusterState cluster{shape, placement};
  cluster.bind(workload);
  const ClusterView view{workload, cluster, options.checkpoint_cost + options.restart_cost};
  policy.begin(view);
  Possible possible{policy};
  std::vector<std::vector<int>> followers(workload.dependencies.empty() ? 0 : workload.jobs.size());
  for (const auto& [waits, awaited] : workload.dependencies)
    followers[static_cast<std::size_t>(awaited.index)].push_back(waits.index);
  std::vector<bool> known(workload.jobs.size(), false);
  NeverRun found;
  std::vector<JobId>& jobs = found.jobs;
  const auto never = [&](int index) {
    if (!known[static_cast<std::size_t>(index)])
      jobs.emplace_back(JobId{index});
    known[static_cast<std::size_t>(index)] = true;
  };
  for (int i = 0; i < workload.size(); ++i)
    if (workload.jobs[static_cast<std::size_t>(i)].submit <= options.until &&
        (!possible.could_run(workload, cluster, JobId{i}) || !policy.never_starts(view, JobId{i}).empty()))
      never(i);
  std::set<ResourceRequest> seen;
  for (const JobId id : jobs)
    if (const TraceJob& job = workload.job(id); seen.insert(request_of(job, policy.least_gpus(job))).second) {
      const Lack lack = possible.could_run(workload, cluster, id) ? Lack{policy.never_starts(view, id), {}}
                                                                  : possible.lack_of(workload, cluster, id);
      found.remedy.cover(lack.remedy);
      if (id == jobs.front())
        found.example = workload.name(id) + ": " + lack.why;
    }
  for (std::size_t i = 0; i < jobs.size() && !followers.empty(); ++i)
    for (const int next : followers[static_cast<std::size_t>(jobs[i].index)])
      never(next);
  return found;
}

void check_queue_input(const Workload& workload, const SchedulingOptions& options)
{
  check(workload);
  check(options);
}

} // namespace trainyard
