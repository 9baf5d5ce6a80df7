// SPDX-License-Identifier: Apache-2.0
// Which defaults of a queue changed nothing in its runs: the cost of preemptions where nobody was preempted.
#include "sim/sources/queue/queue_point.hpp"

#include "models/core/figure_text.hpp"
#include "models/job/batch_rules.hpp"
#include "models/scenario/sections/task_environment.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace trainyard {
namespace {

/// "1: 70 %, 2: 10 %": the sizes that a generator without `gpus` gives its jobs.
std::string generated_sizes()
{
  std::string text;
  for (const auto& [gpus, share] : GeneratorSpec{}.gpus)
    text += fmt::format("{}{}: {}", text.empty() ? "" : ", ", gpus, percent_text(share));
  return text;
}

/// Whether jobs write periodic checkpoints of which only checkpoint_cost could say how long they take: retrainings may
/// have intervals of their own.
bool saves_without_size(const Scenario& scenario, const SchedulingSection& scheduling,
                        const std::vector<const QueueRun*>& runs)
{
  const auto* environment = scenario.section<TaskEnvironmentSection>("task_environment");
  if (environment != nullptr && environment->through_queue &&
      std::ranges::any_of(environment->models,
                          [](const RetrainedModel& model) { return is_finite(Instant{model.checkpoint_interval}); }))
    return true;
  if (!is_finite(Instant{scheduling.checkpoint_interval}) || scheduling.storage > BytesPerSecond{})
    return false; // with a storage, speed: step knows the model of each job
  return std::ranges::any_of(runs, [](const QueueRun* run) {
    return std::ranges::any_of(run->workload->jobs, [](const TraceJob& job) { return job.sizes == 0; });
  });
}

} // namespace

std::string unread_rules(const Scenario& scenario, const SchedulingSection& scheduling)
{
  const auto all_are = [&](const char* name) {
    return std::ranges::all_of(scheduling.policies, [&](const NamedPart& policy) { return policy.name == name; });
  };
  std::string text;
  if (scenario.section<BatchRules>("slurm") != nullptr && !all_are("slurm"))
    text += "slurm: under other policies than slurm partitions keep their machines, and limits, tiers, QOS and "
            "reservations have no effect\n";
  else if (const auto* workload = scenario.section<WorkloadSection>("workload");
           workload != nullptr && workload->listed && !all_are("slurm") &&
           std::ranges::any_of(workload->listed->jobs, [&](const TraceJob& job) {
             return job.qos != 0 || job.reservation != 0 ||
                    workload->listed->array_limits[static_cast<std::size_t>(job.array)] > 0;
           }))
    text += "array_limit, qos and reservation of jobs have no effect under other policies than slurm\n";
  if (scenario.sections.contains("kueue") && !all_are("kueue"))
    text += "kueue: only the policy kueue keeps to these quotas\n";
  return text;
}

std::vector<FilledDefault> queue_seen(const Scenario& scenario, const std::vector<const QueueRun*>& runs)
{
  const auto any_job = [&](const auto& is) {
    return std::ranges::any_of(runs, [&](const QueueRun* run) { return std::ranges::any_of(run->workload->jobs, is); });
  };
  const auto any_run = [&](const auto& is) {
    return std::ranges::any_of(runs, [&](const QueueRun* run) { return is(run->metrics); });
  };
  const bool cpu = any_job([](const TraceJob& job) { return job.cpu_milli > 0; });
  const bool memory = any_job([](const TraceJob& job) { return job.memory_mib > 0; });
  const bool estimated = any_job([](const TraceJob& job) { return job.estimate != job.duration; });
  const bool too_short = any_job([](const TraceJob& job) { return job.estimate < job.duration; });
  const bool preempted = any_run([](const QueueMetrics& metrics) { return metrics.preemptions > 0; });
  const bool out_of_memory = any_run([](const QueueMetrics& metrics) { return metrics.out_of_memory > 0; });
  const bool failed = std::ranges::any_of(runs, [](const QueueRun* run) {
    return std::ranges::any_of(run->failures, [](const QueueFailure& failure) { return !failure.hit.empty(); });
  });
  const auto* workload = scenario.section<WorkloadSection>("workload");
  const bool counts_processors =
      workload != nullptr && workload->trace &&
      (workload->options.format == "swf" || workload->trace->filename().string().find(".swf") != std::string::npos);

  std::vector<FilledDefault> seen = {
      {"workload.estimate_badness", estimated ? "those of the jobs" : "the run times", {}},
      {"workload.generate.gpus", generated_sizes(), {}},
      {"scheduling.cluster", cpu || memory ? "" : "jobs ask for no CPU and memory", {}}};
  const auto unless = [&](bool matters, const char* path) {
    if (!matters)
      seen.push_back({path, "", {}});
  };
  unless(workload == nullptr || (!workload->throughputs && workload->goodput.empty()),
         "scheduling.speed"); // they say how fast jobs are
  unless(counts_processors, "workload.trace.processors_per_gpu");
  unless(too_short, "scheduling.kill_at_estimate");
  const SchedulingSection scheduling = scheduling_of(scenario);
  unless(preempted || saves_without_size(scenario, scheduling, runs), "scheduling.checkpoint_cost");
  unless(preempted || failed, "scheduling.restart_cost");
  unless(failed, "scheduling.checkpoint_interval");
  unless(out_of_memory, "scheduling.gpu_sharing.out_of_memory_after");
  unless(scheduling.machines, "scheduling.placement");
  if (!scenario.sections.contains("services")) { // which ask for them too, and are paid
    unless(cpu, "cluster.node_types.*.cpu_cores");
    unless(memory, "cluster.node_types.*.memory");
    unless(false, "cluster.node_types.*.price");
  }
  return seen;
}

} // namespace trainyard
