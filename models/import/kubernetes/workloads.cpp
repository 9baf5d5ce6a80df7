// SPDX-License-Identifier: Apache-2.0
// Workloads of Kubernetes itself: Job, CronJob, Deployment, StatefulSet, ReplicaSet, DaemonSet.
#include "models/import/kubernetes/cron.hpp"
#include "models/import/kubernetes/kind.hpp"
#include "models/import/training_command.hpp"

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
  const PodNeeds needs = template_needs(object, spec);
  const int at_once = std::max(1, replicas_of(object, spec, {"parallelism"}, 1));
  const int completions = replicas_of(object, spec, {"completions"}, at_once);
  const std::size_t before = object.context.draft.services.size();
  const int parallel = std::clamp(completions, 1, at_once); // no more pods than there is to complete
  double seconds = needs.seconds;
  const int rounds = std::max(1, (completions + parallel - 1) / parallel);
  if (rounds > 1) {
    seconds = (seconds > 0 ? seconds : assumed_seconds(object.context.options)) * rounds;
    object.report.assumed({"{} runs {} times as long as one pod", name, rounds},
                          {"{} completions, {} at a time", completions, parallel}, object.place);
  }
  const int pods = std::min(parallel * copies, 1'000'000);
  const std::string restart = needs.restart.empty() ? "on_failure" : needs.restart;
  object.report.understood(object.place, "job {}: {}{}, {}", name, counted(pods, "pod"),
                           copies > 1 ? fmt::format(" ({} x {})", copies, parallel) : "",
                           needs.gpus > 0 ? counted(needs.gpus, "GPU") + " each" : "no GPU");
  if (needs.gpus > 0 && completions <= parallel && !object.state.queued && object.kind != "CronJob" &&
      starts_training(needs.text) && !(object.context.options.model.empty() && model_named_in(needs.text).empty())) {
    add_training(object, name, pods, needs, needs.command_line, 0, {}, 0, restart, false);
    tell_limit(object, spec);
  } else {
    if (const double most = number_of(text_at(spec, {"activeDeadlineSeconds"}), 0); most > 0) {
      object.report.understood(object.at_line(line_at(*spec, {"activeDeadlineSeconds"})),
                               "{} ends after {:g} s at the latest, with all its pods (activeDeadlineSeconds)", name,
                               most);
      seconds = std::min(most, seconds > 0 ? seconds : 1e9);
    }
    add_pods(object, name, pods, needs, false, seconds, restart);
  }
  if (object.context.draft.services.size() == before)
    return; // an error was said
  const DocumentNode* limit = at(spec, {"backoffLimit"});
  const int attempts = limit == nullptr ? 6 : replicas_of(object, spec, {"backoffLimit"}, 6);
  if (limit != nullptr)
    object.report.understood(object.at_line(limit->line), "at most {}", counted(attempts, "restart"));
  else
    object.report.assumed("at most 6 restarts", "the default of backoffLimit", object.place);
  DraftService& service = object.context.draft.services.back();
  service.attempts = attempts;
  service.restart = attempts > 0 ? "on_failure" : "never"; // pods that do not restart themselves are made anew
  tell_suspension(object, spec);
  object.tell_keys(spec, "job");
}

class JobKind final : public KubernetesKind
{
public:
  void read(KubernetesObject& object) const override { read_job(object, object.name, object.spec, 1); }
};
TY_REGISTER(KubernetesKind, JobKind, "batch/Job", "pods that run to completion");

class CronJobKind final : public KubernetesKind
{
public:
  void read(KubernetesObject& object) const override
  {
    const std::string policy = text_at(object.spec, {"concurrencyPolicy"});
    object.tell_keys(object.spec, "CronJob");
    if (text_at(object.spec, {"suspend"}) == "true") {
      object.report.ignored("CronJob " + object.name, "it is suspended: it starts no runs",
                            object.at_line(line_at(*object.spec, {"suspend"})));
      return;
    }
    const ImportPlace place = object.at_line(line_at(object.root, {"spec", "concurrencyPolicy"}));
    if (object.state.queued)
      object.report.ignored("schedule of CronJob " + object.name, "its job is submitted once", object.place);
    object.report.understood(place, "concurrency {} of overlapping runs",
                             policy.empty() ? "Allow (the default)" : policy);
    const std::size_t services = object.context.draft.services.size(), jobs = object.context.draft.queue_jobs.size();
    read_job(object, object.name, at(object.spec, {"jobTemplate", "spec"}), 1);
    if (object.context.draft.services.size() > services && object.context.draft.queue_jobs.size() > jobs)
      repeat(object, policy.empty() ? "Allow" : policy);
  }

private:
  /// When runs of @p work seconds start that are due at these times; one that is later than @p latest is left out.
  static std::vector<double> starts_under_forbid(const std::vector<double>& due, double work, double latest)
  {
    std::vector<double> starts;
    double free = 0, last = 0; // due
    bool missed = false;
    const auto start = [&](double time) {
      starts.push_back(time);
      free = time + work;
      missed = false;
    };
    for (const double time : due) {
      while (missed && free < time && free - last <= latest)
        start(free);
      last = time;
      if (time >= free)
        start(time);
      else
        missed = true;
    }
    if (missed && free - last <= latest)
      start(free);
    return starts;
  }

  /// One run of the job at each time of the schedule, until the end of the simulation.
  static void repeat(KubernetesObject& object, const std::string& policy)
  {
    ImportContext& context = object.context;
    const std::string schedule = text_at(object.spec, {"schedule"});
    const ImportPlace place = object.at_line(line_at(object.root, {"spec", "schedule"}));
    double span = 86400;
    std::optional<std::vector<double>> times = cron_times(schedule, span);
    if (!times) {
      context.report.error(
          place, "'{}' is not a schedule; write minute, hour, day, month and weekday, for example '0 2 * * *'",
          schedule);
      return;
    }
    for (const double longer : {7 * 86400.0, 365 * 86400.0})
      if (times->empty())
        times = cron_times(schedule, span = longer);
    if (times->empty()) {
      context.report.ignored({"schedule {}", schedule}, "no day of the year matches it; the job is submitted once",
                             place);
      return;
    }
    if (span > 7 * 86400.0) // rare runs: the first one is enough
      span = 86400 * (std::floor(times->front() / 86400) + 1);
    std::erase_if(*times, [&](double time) { return time >= span; });
    constexpr std::size_t most_runs = 288;
    if (const double work = context.draft.services.back().work_s; policy == "Forbid") {
      const std::size_t due = times->size();
      const double latest = number_of(text_at(object.spec, {"startingDeadlineSeconds"}), 1e18);
      *times = starts_under_forbid(*times, work, latest);
      if (latest < 1e18)
        context.report.understood(object.at_line(line_at(*object.spec, {"startingDeadlineSeconds"})),
                                  "runs that would start more than {:g} s late are left out", latest);
      std::erase_if(*times, [&](double time) { return time >= span; });
      if (times->size() < due && latest == 1e18)
        context.report.understood(
            "of the runs that are due while one runs, the last starts when that ends (concurrencyPolicy Forbid)",
            object.at_line(line_at(object.root, {"spec", "concurrencyPolicy"})));
    }
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
    context.report.understood(place, "schedule {}: {} in {}, the first after {}", schedule, counted(all, "run"),
                              counted(days, "day"), seconds_text(times->front()));
    context.report.assumed({"time 0 is Monday, 1 January, 00:00, and {} are simulated", counted(days, "day")},
                           "a schedule has no start and no end", place);
    context.draft.watched_s = std::max(context.draft.watched_s, span);
    if (all > most_runs)
      context.report.ignored({"{} further runs", all - most_runs}, {"the first {} are in the scenario", most_runs},
                             place);
    if (policy != "Forbid" && at(object.spec, {"startingDeadlineSeconds"}) != nullptr)
      context.report.ignored("startingDeadlineSeconds", "runs start when they are due",
                             object.at_line(line_at(*object.spec, {"startingDeadlineSeconds"})));
    if (policy == "Replace" && service.work_s > gap)
      context.report.ignored(
          {"concurrency {} of overlapping runs", policy},
          {"a run takes {}, the next starts after {}; the section task_environment has such policies",
           seconds_text(service.work_s), seconds_text(gap)},
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
    const DocumentNode* spec = object.spec;
    const PodNeeds needs = template_needs(object, spec);
    int replicas = replicas_of(object, spec, {"replicas"}, 1);
    if (object.kind == "DaemonSet") {
      replicas = std::max(1, static_cast<int>(object.context.draft.machines.size()));
      object.report.assumed({"{} has {}", object.name, counted(replicas, "pod")}, "one per node of the files",
                            object.place);
    }
    object.report.understood(object.place, "{} {}: {}, {}", object.kind, object.name, counted(replicas, "replica"),
                             needs.gpus > 0 ? counted(needs.gpus, "GPU") + " each" : "no GPU");
    add_pods(object, object.name, replicas, needs, true, 0, "always");
    object.tell_keys(spec, "set of pods");
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
    const std::vector<DocumentNode>& jobs = items_at(object.spec, {"replicatedJobs"});
    if (jobs.empty()) {
      object.report.error(object.place, "JobSet '{}' has no replicatedJobs", object.name);
      return;
    }
    for (const DocumentNode& job : jobs) {
      const std::string name = jobs.size() == 1 ? object.name : object.name + "-" + text_at(job, {"name"});
      const std::size_t before = object.context.draft.services.size();
      read_job(object, name, at(job, {"template", "spec"}),
               std::clamp(replicas_of(object, &job, {"replicas"}, 1), 1, 100'000));
      if (object.context.draft.services.size() > before)
        restart_set(object, object.context.draft.services.back());
      object.tell_keys(&job, "replicated job");
    }
    tell_suspension(object, object.spec);
    object.tell_keys(at(object.spec, {"failurePolicy"}), "failure policy");
    object.tell_keys(object.spec, "JobSet");
  }

private:
  /// What its jobs do not restart, the set does: all of it.
  static void restart_set(const KubernetesObject& object, DraftService& service)
  {
    const DocumentNode* most = at(object.spec, {"failurePolicy", "maxRestarts"});
    if (most == nullptr || service.restart != "never")
      return;
    service.attempts = replicas_of(object, object.spec, {"failurePolicy", "maxRestarts"}, 0);
    service.restart = service.attempts > 0 ? "on_failure" : "never";
    object.report.understood(object.at_line(most->line), "at most {}", counted(service.attempts, "restart"));
  }
};
TY_REGISTER(KubernetesKind, JobSetKind, "jobset.x-k8s.io/JobSet", "jobs that start together");

} // namespace
} // namespace trainyard
