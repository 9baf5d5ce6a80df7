// SPDX-License-Identifier: Apache-2.0
#include "sim/sources/together/together.hpp"

#include "models/scenario/sections/task_environment.hpp"
#include "sim/cluster/kernel.hpp"
#include "sim/sources/retraining/retraining_source.hpp"
#include "sim/sources/services/services_source.hpp"

#include <algorithm>
#include <bit>
#include <set>
#include <utility>

namespace trainyard::together {

std::string to_text(LeftOut part)
{
  switch (part) {
  case LeftOut::nothing:
    return "all together";
  case LeftOut::queue:
    return "without the queue";
  case LeftOut::services:
    return "without services";
  case LeftOut::retraining:
    return "without retraining";
  case LeftOut::failures:
    return "without failures";
  }
  return "?";
}

namespace {

/// The workload, ready to take jobs during the run: all jobs have names of their own.
std::shared_ptr<Workload> growing_copy(const Workload& workload)
{
  auto copy = std::make_shared<Workload>(workload);
  copy->job_names.clear();
  for (int i = 0; i < workload.size(); ++i)
    copy->job_names.push_back(workload.name(JobId{i}));
  return copy;
}

/// The names of the workload, which others use too.
std::shared_ptr<const Workload> without_jobs(const Workload& workload)
{
  auto copy = std::make_shared<Workload>(workload);
  copy->jobs.clear();
  copy->job_names.clear();
  copy->dependencies.clear();
  return copy;
}

/// The figures of the queue's own jobs, without those that were sent to it.
QueueMetrics metrics_of_own_jobs(const QueueRun& run, const Workload& own)
{
  const std::set<JobId> sent(run.result.sent.begin(), run.result.sent.end());
  SchedulingResult result;
  for (int i = 0; i < run.workload->size(); ++i)
    if (!sent.contains(JobId{i}))
      result.jobs.push_back(run.result.jobs[static_cast<std::size_t>(i)]);
  for (const JobOutcome& job : result.jobs)
    if (job.phase == JobPhase::finished) {
      ++result.finished;
      result.makespan = std::max(result.makespan, job.end);
    }
  for (const WaitRecord& wait : run.result.waits)
    if (!sent.contains(wait.job))
      result.waits.push_back(wait);
  return queue_metrics(run.label, own, result, run.gpus, run.costs);
}

} // namespace

TogetherPoint::TogetherPoint(const CheckedPoint& point, const Catalogue& catalogue, std::string& notes)
    : point_{point}, queue_{prepare_queue(point, catalogue, notes)}
{
  const Scenario& scenario = point.scenario;
  if (scenario.sections.contains("services"))
    services_ = orchestration::services_point(point, catalogue, scenario.run.seed, true);
  if (const auto* section = scenario.section<TaskEnvironmentSection>("task_environment"); section != nullptr)
    rates_ = std::make_unique<TrainingRates>(scenario, *queue_.catalogue, *section);
}

std::vector<LeftOut> TogetherPoint::parts() const
{
  std::vector<LeftOut> parts;
  if (queue_.workload->size() > 0)
    parts.push_back(LeftOut::queue);
  if (services_)
    parts.push_back(LeftOut::services);
  if (rates_ != nullptr)
    parts.push_back(LeftOut::retraining);
  if (queue_.failures != nullptr)
    parts.push_back(LeftOut::failures);
  return parts;
}

TogetherRun TogetherPoint::run(const NamedPart& policy, const NamedPart& placement, LeftOut without)
{
  const Scenario& scenario = point_.scenario;
  const Instant until = scenario.run.until;
  TogetherRun run{point_.label, without, {}, {}, {}, {}, {}};
  for (const NodeShape& node : queue_.shape.nodes)
    run.nodes.push_back(node.name);
  NodePool machines{queue_.shape};
  Kernel kernel;

  // The order at one instant: services, retraining, the queue with the failures.
  std::unique_ptr<ServicesSource> services;
  if (services_ && without != LeftOut::services) {
    run.services = *services_;
    run.services->input.until = Instant{until};
    if (without == LeftOut::failures)
      run.services->input.faults = FaultSchedule{};
    services = std::make_unique<ServicesSource>(run.services->input, machines);
    kernel.add(*services);
  }
  std::unique_ptr<DuplicatePolicy> duplicates;
  std::unique_ptr<JobPlanner> planner;
  std::optional<EnvironmentInput> input;
  std::unique_ptr<RetrainingSource> retraining;
  bool through_queue = false;
  if (rates_ != nullptr && without != LeftOut::retraining) {
    const auto& section = *scenario.section<TaskEnvironmentSection>("task_environment");
    const NamedPart& plans = section.planners.front();
    planner = Registry<JobPlanner>::instance().create(plans.name, plans.settings);
    const NamedPart repeats = planner->controls() ? section.duplicates.front() : NamedPart{"allow", {}, "allow"};
    duplicates = Registry<DuplicatePolicy>::instance().create(repeats.name, repeats.settings);
    through_queue = section.through_queue;
    input.emplace(EnvironmentInput{section, *rates_, scenario.run.seed, until});
    retraining = std::make_unique<RetrainingSource>(*input, *duplicates, *planner, machines);
    kernel.add(*retraining);
    run.retraining.emplace();
    run.retraining->planner = through_queue ? "queue" : plans.label;
    run.retraining->label = run.retraining->duplicates = repeats.label;
  }
  // Without jobs the queue still takes failed machines away.
  const std::shared_ptr<const Workload> jobs = queue_.workload;
  if (jobs->size() > 0)
    run.policy = PolicyRun{queue_, policy, placement}.label();
  const std::shared_ptr<const FaultSchedule> failures = queue_.failures;
  std::shared_ptr<Workload> growing;
  if (through_queue) {
    queue_.workload = growing = growing_copy(*jobs);
    if (without == LeftOut::queue) // the policy knows them, but they never come
      for (TraceJob& job : growing->jobs)
        job.submit = 2 * scenario.run.until + Seconds{1};
  } else if (without == LeftOut::queue) {
    queue_.workload = without_jobs(*jobs);
  }
  if (without == LeftOut::failures)
    queue_.failures = nullptr;
  static const NamedPart fifo{"fifo", {}, "fifo"};
  PolicyRun queued{queue_, queue_.workload->size() > 0 ? policy : fifo, placement}; // some policies ask for jobs
  QueueSource& queue = queued.beside_others(machines, growing.get());
  if (through_queue)
    retraining->send_to(queue);
  kernel.add(queue);
  if (SharedLinks* links = queue.links(); links != nullptr) {
    if (services)
      services->share(*links);
    if (retraining && !through_queue)
      retraining->share(*links);
  }

  kernel.run(until);

  if (services && run.services)
    run.services->result = services->finish(until);
  if (retraining && run.retraining) {
    run.retraining->runs.push_back(retraining->finish(until));
    run.retraining->metrics = environment_metrics(run.retraining->runs);
    run.retraining->trained_mean_s.push_back(run.retraining->metrics.need_to_trained.mean_at_least());
  }
  SchedulingResult outcome = queue.finish(until);
  run.slow_visits = outcome.slow_visits;
  if (without != LeftOut::queue && queue_.workload->size() > 0) {
    run.queue = queued.finish(std::move(outcome));
    run.queue->point = point_.label;
    run.own_jobs = through_queue ? metrics_of_own_jobs(*run.queue, *jobs) : run.queue->metrics;
  }
  queue_.workload = jobs;
  queue_.failures = failures;
  return run;
}

std::vector<Stay> stays_of(const TogetherRun& run, Instant until)
{
  std::vector<Stay> stays;
  if (run.queue) {
    const std::set<JobId> sent(run.queue->result.sent.begin(), run.queue->result.sent.end()); // listed below
    for (const RunRecord& record : run.queue->result.runs)
      for (const TaskShare& share : record.held.shares)
        if (!sent.contains(record.job))
          stays.push_back({record.from, record.to, "queue", run.queue->workload->name(record.job),
                           run.queue->node_names[static_cast<std::size_t>(share.node)], share.gpus(), share.gpu_milli,
                           share.gpu_mask});
  }
  if (run.services) {
    const OrchestrationResult& result = run.services->result;
    for (const InstanceRecord& record : result.instances)
      stays.push_back({record.placed, record.ended < Instant{} ? until : record.ended, "services",
                       result.task_names[static_cast<std::size_t>(record.task)],
                       run.services->input.cluster.nodes[static_cast<std::size_t>(record.node)].name,
                       std::popcount(record.gpu_mask), record.gpu_milli, record.gpu_mask});
  }
  if (run.retraining) {
    const EnvironmentResult& result = run.retraining->runs.front();
    for (const TrainingStay& stay : result.stays) {
      const Request& request = result.requests[static_cast<std::size_t>(stay.request)];
      for (const TaskShare& share : stay.held)
        stays.push_back({stay.from, std::min(stay.to, until), "retraining",
                         result.models[static_cast<std::size_t>(request.model)] + "-" + std::to_string(request.number),
                         run.nodes[static_cast<std::size_t>(share.node)], share.gpus(), share.gpu_milli,
                         share.gpu_mask});
    }
  }
  std::ranges::stable_sort(stays, {}, [](const Stay& stay) { return std::pair{stay.from, stay.to}; });
  return stays;
}

} // namespace trainyard::together
