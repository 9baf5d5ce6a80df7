// SPDX-License-Identifier: Apache-2.0
// Workloads of Kubernetes itself: Job, CronJob, Deployment, StatefulSet, ReplicaSet, DaemonSet.
#include "models/import/kubernetes/cron.hpp"
#include "models/import/kubernetes/kind.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <optional>
#include <vector>

namespace trainyard {
namespace {

/// A Job's spec, also inside a CronJob or a JobSet: parallelism pods at a time until `completions` are done.
void read_job(KubernetesObject& object, const std::string& name, const DocumentNode* spec, int copies)
{
  const DocumentNode* pod = at(spec, {"template", "spec"});
  const PodNeeds needs = pod_needs(object, pod, at(spec, {"template", "metadata"}));
  const int parallel = std::max(1, replicas_of(spec, {"parallelism"}, 1));
  const int completions = replicas_of(spec, {"completions"}, parallel);
  double seconds = needs.seconds;
  if (const double most = number_of(text_at(spec, {"activeDeadlineSeconds"}), 0); most > 0)
    seconds = std::min(most, seconds > 0 ? seconds : 1e9);
  const int rounds = std::max(1, (completions + parallel - 1) / parallel);
  if (rounds > 1) {
    seconds = (seconds > 0 ? seconds : assumed_seconds(object.context.options)) * rounds;
    object.context.report.assumed(fmt::format("{} runs {} times as long as one pod", name, rounds),
                                  fmt::format("{} completions, {} at a time", completions, parallel), object.place);
  }
  object.context.report.understood(fmt::format("job {}: {}{}, {}", name, counted(parallel * copies, "pod"),
                                               copies > 1 ? fmt::format(" ({} x {})", copies, parallel) : "",
                                               needs.gpus > 0 ? counted(needs.gpus, "GPU") + " each" : "no GPU"),
                                   object.place);
  add_pods(object, name, std::min(parallel * copies, 1'000'000), needs, false, seconds,
           needs.restart.empty() ? "on_failure" : needs.restart);
  if (const DocumentNode* limit = at(spec, {"backoffLimit"}); limit != nullptr) {
    const int attempts = replicas_of(spec, {"backoffLimit"}, 6);
    if (attempts == 0)
      object.context.draft.services.back().restart = "never";
    else
      object.context.draft.services.back().attempts = attempts;
    object.context.report.understood(fmt::format("at most {}", counted(attempts, "restart")),
                                     object.at_line(limit->line));
  }
  object.ignore_others(spec, {"template", "parallelism", "completions", "backoffLimit", "activeDeadlineSeconds"});
}

class JobKind final : public KubernetesKind
{
public:
  void read(KubernetesObject& object) const override { read_job(object, object.name, at(object.root, {"spec"}), 1); }
};
TY_REGISTER(KubernetesKind, JobKind, "batch/Job", "pods that run to completion");

class CronJobKind final : public KubernetesKind
{
public:
  void read(KubernetesObject& object) const override
  {
    const std::string policy = text_at(object.root, {"spec", "concurrencyPolicy"});
    const ImportPlace place = object.at_line(line_at(object.root, {"spec", "concurrencyPolicy"}));
    if (object.state.queued)
      object.context.report.ignored("schedule of CronJob " + object.name, "its job is submitted once", object.place);
    object.context.report.understood(
        fmt::format("concurrency {} of overlapping runs", policy.empty() ? "Allow (the default)" : policy), place);
    const std::size_t services = object.context.draft.services.size(), jobs = object.context.draft.queue_jobs.size();
    read_job(object, object.name, at(object.root, {"spec", "jobTemplate", "spec"}), 1);
    if (object.context.draft.services.size() > services && object.context.draft.queue_jobs.size() > jobs)
      repeat(object, policy.empty() ? "Allow" : policy);
  }

private:
  /// One run of the job at each time of the schedule, until the end of the simulation.
  static void repeat(KubernetesObject& object, const std::string& policy)
  {
    ImportContext& context = object.context;
    const std::string schedule = text_at(object.root, {"spec", "schedule"});
    const ImportPlace place = object.at_line(line_at(object.root, {"spec", "schedule"}));
    double span = 86400;
    std::optional<std::vector<double>> times = cron_times(schedule, span);
    if (!times) {
      context.report.error(
          place,
          fmt::format("'{}' is not a schedule; write minute, hour, day, month and weekday, for example '0 2 * * *'",
                      schedule));
      return;
    }
    for (const double longer : {7 * 86400.0, 365 * 86400.0})
      if (times->empty())
        times = cron_times(schedule, span = longer);
    if (times->empty()) {
      context.report.ignored(fmt::format("schedule {}", schedule),
                             "no day of the year matches it; the job is submitted once", place);
      return;
    }
    if (span > 7 * 86400.0) // rare runs: the first one is enough
      span = 86400 * (std::floor(times->front() / 86400) + 1);
    std::erase_if(*times, [&](double time) { return time >= span; });
    constexpr std::size_t most_runs = 288;
    const std::size_t all = times->size();
    if (all > most_runs)
      times->resize(most_runs);
    DraftService& first = context.draft.services.back();
    DraftQueueJob& first_job = context.draft.queue_jobs.back();
    first.arrival_s = first_job.submit_s = times->front();
    const DraftService service = first;
    const DraftQueueJob job = first_job;
    double gap = span;
    for (std::size_t i = 1; i < times->size(); ++i) {
      gap = std::min(gap, (*times)[i] - (*times)[i - 1]);
      DraftService& again = context.draft.services.emplace_back(service);
      DraftQueueJob& job_again = context.draft.queue_jobs.emplace_back(job);
      again.name = job_again.name = fmt::format("{}-{}", service.name, i + 1);
      again.again = true;
      again.arrival_s = job_again.submit_s = (*times)[i];
    }
    const auto days = static_cast<long long>(std::ceil(span / 86400));
    context.report.understood(fmt::format("schedule {}: {} in {}, the first after {}", schedule, counted(all, "run"),
                                          counted(days, "day"), seconds_text(times->front())),
                              place);
    context.report.assumed(
        fmt::format("time 0 is Monday, 1 January, 00:00, and {} are simulated", counted(days, "day")),
        "a schedule has no start and no end", place);
    context.draft.watched_s = std::max(context.draft.watched_s, span);
    if (all > most_runs)
      context.report.ignored(fmt::format("{} further runs", all - most_runs),
                             fmt::format("the first {} are in the scenario", most_runs), place);
    if (policy != "Allow" && service.work_s > gap)
      context.report.ignored(
          fmt::format("concurrency {} of overlapping runs", policy),
          fmt::format("a run takes {}, the next starts after {}; the section task_environment has such policies",
                      seconds_text(service.work_s), seconds_text(gap)),
          place);
  }
};
TY_REGISTER(KubernetesKind, CronJobKind, "batch/CronJob", "jobs on a schedule, with their concurrency policy");

/// Pods that are kept running.
class KeptKind : public KubernetesKind
{
public:
  void read(KubernetesObject& object) const override
  {
    const DocumentNode* spec = at(object.root, {"spec"});
    const PodNeeds needs = pod_needs(object, at(spec, {"template", "spec"}), at(spec, {"template", "metadata"}));
    int replicas = replicas_of(spec, {"replicas"}, 1);
    if (object.kind == "DaemonSet") {
      replicas = std::max(1, static_cast<int>(object.context.draft.machines.size()));
      object.context.report.assumed(fmt::format("{} has {}", object.name, counted(replicas, "pod")),
                                    "one per node of the files", object.place);
    }
    object.context.report.understood(fmt::format("{} {}: {}, {}", object.kind, object.name,
                                                 counted(replicas, "replica"),
                                                 needs.gpus > 0 ? counted(needs.gpus, "GPU") + " each" : "no GPU"),
                                     object.place);
    add_pods(object, object.name, replicas, needs, true, 0, "always");
    object.ignore_others(spec, {"template", "replicas", "selector"});
  }
};
class DeploymentKind final : public KeptKind
{
};
class StatefulSetKind final : public KeptKind
{
};
class ReplicaSetKind final : public KeptKind
{
};
class DaemonSetKind final : public KeptKind
{
};
TY_REGISTER(KubernetesKind, DeploymentKind, "apps/Deployment", "replicas that are kept running");
TY_REGISTER(KubernetesKind, StatefulSetKind, "apps/StatefulSet", "replicas with names, kept running");
TY_REGISTER(KubernetesKind, ReplicaSetKind, "apps/ReplicaSet", "replicas that are kept running");
TY_REGISTER(KubernetesKind, DaemonSetKind, "apps/DaemonSet", "one pod per node");

/// Several jobs that belong together (jobset.sigs.k8s.io).
class JobSetKind final : public KubernetesKind
{
public:
  void read(KubernetesObject& object) const override
  {
    const DocumentNode* jobs = at(object.root, {"spec", "replicatedJobs"});
    if (jobs == nullptr || jobs->items.empty()) {
      object.context.report.error(object.place, fmt::format("JobSet '{}' has no replicatedJobs", object.name));
      return;
    }
    for (const DocumentNode& job : jobs->items) {
      const std::string name = jobs->items.size() == 1 ? object.name : object.name + "-" + text_at(job, {"name"});
      read_job(object, name, at(job, {"template", "spec"}), std::clamp(replicas_of(&job, {"replicas"}, 1), 1, 100'000));
    }
    object.ignore_others(at(object.root, {"spec"}), {"replicatedJobs"});
  }
};
TY_REGISTER(KubernetesKind, JobSetKind, "jobset.x-k8s.io/JobSet", "jobs that start together");

} // namespace
} // namespace trainyard
