// SPDX-License-Identifier: Apache-2.0
#include "sim/sources/together/together.hpp"

#include "models/core/conservation.hpp"
#include "models/scenario/sections/task_environment.hpp"
#include "sim/cluster/gpu_books.hpp"
#include "sim/cluster/kernel.hpp"
#include "sim/sources/retraining/environment_run.hpp"
#include "sim/sources/services/engine.hpp"

#include <algorithm>
#include <bit>
#include <fmt/format.h>
#include <set>
#include <stdexcept>
#include <utility>

namespace trainyard::together {

Message message_of(LeftOut part)
{
  static constexpr Sentence<> parts[]{{"together.all", "all together"},
                                      {"together.without_queue", "without the queue"},
                                      {"together.without_services", "without services"},
                                      {"together.without_retraining", "without retraining"},
                                      {"together.without_failures", "without failures"}};
  return parts[static_cast<std::size_t>(part)]();
}

std::string to_text(LeftOut part)
{
  return message_of(part).text;
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

/// All parts have one clock and one pool: a GPU has one holder at a time, and GPUs are held for as long as the parts
/// account for. @p queue: all that ran there. @p saves: jobs of the queue may get some GPUs that are free and some on
/// which others save, and account for none before all are ready.
void check_books(const TogetherRun& run, const SchedulingResult& queue, const PoolBook& pool, bool through_queue,
                 bool saves, Instant until)
{
  struct Held {
    const TaskShare* share;
    Instant from, to;
    const char* who;
  };
  std::vector<Held> stays;
  std::vector<TaskShare> of_services;
  Wide all = 0;
  for (const JobOutcome& job : queue.jobs)
    all += job.gpu_time.count();
  for (const RunRecord& record : queue.runs)
    for (const TaskShare& share : record.held.shares)
      stays.push_back({&share, record.from, record.to, "the queue"});
  if (run.services) {
    const OrchestrationResult& result = run.services->result;
    for (const ServiceOutcome& service : result.services)
      all += service.held.gpu;
    of_services.reserve(result.instances.size());
    for (const InstanceRecord& one : result.instances)
      stays.push_back(
          {&of_services.emplace_back(TaskShare{.node = one.node, .gpu_mask = one.gpu_mask, .gpu_milli = one.gpu_milli}),
           one.placed, one.ended < Instant{} ? until : one.ended, "the services"});
  }
  if (run.retraining && !through_queue)
    for (const TrainingStay& stay : run.retraining->runs.front().stays)
      for (const TaskShare& share : stay.held) {
        all += GpuTime{std::int64_t{share.gpus()} * share.gpu_milli, stay.to - stay.from}.count();
        stays.push_back({&share, stay.from, stay.to, "retraining"});
      }
  pool.check(all, saves);
  std::ranges::stable_sort(stays, {}, &Held::to);
  GpuHolders holders;
  for (const Held& stay : stays)
    if (holders.taken(*stay.share, stay.from, stay.to))
      not_conserved(fmt::format("{} has GPUs of {} that somebody else holds, from {:.9g} s to {:.9g} s", stay.who,
                                run.nodes[static_cast<std::size_t>(stay.share->node)], stay.from.value(),
                                stay.to.value()));
}

/// The figures of the queue's own jobs, without those that were sent to it.
QueueMetrics metrics_of_own_jobs(const QueueRun& run, const Workload& own)
{
  const std::set<JobId> sent(run.result.sent.begin(), run.result.sent.end());
  SchedulingResult result;
  result.cut_at = run.result.cut_at;
  result.unfit = run.result.unfit;
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
  PoolBook book{machines};
  Kernel kernel;
  kernel.add(book);

  // The order at one instant: services, retraining, the queue with the failures.
  std::unique_ptr<orchestration::Engine> services;
  if (services_ && without != LeftOut::services) {
    run.services = *services_;
    run.services->input.until = Instant{until};
    if (without == LeftOut::failures)
      run.services->input.faults = FaultSchedule{};
    services = std::make_unique<orchestration::Engine>(run.services->input, &machines);
    kernel.add(*services);
  }
  std::unique_ptr<DuplicatePolicy> duplicates;
  std::unique_ptr<JobPlanner> planner;
  std::optional<EnvironmentInput> input;
  std::unique_ptr<task_environment::EnvironmentRun> retraining;
  bool through_queue = false;
  if (rates_ != nullptr && without != LeftOut::retraining) {
    const auto& section = *scenario.section<TaskEnvironmentSection>("task_environment");
    const NamedPart& plans = section.planners.front();
    planner = Registry<JobPlanner>::instance().create(plans.name, plans.settings);
    const NamedPart repeats = planner->controls() ? section.duplicates.front() : NamedPart{"allow", {}, "allow"};
    duplicates = Registry<DuplicatePolicy>::instance().create(repeats.name, repeats.settings);
    through_queue = section.through_queue;
    input.emplace(EnvironmentInput{section, *rates_, scenario.run.seed, until});
    retraining = std::make_unique<task_environment::EnvironmentRun>(*input, *duplicates, *planner, &machines);
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

  try {
    kernel.run(until);
  } catch (const std::invalid_argument& fault) { // no progress, as of a queue alone
    throw InputError{fmt::format("{}: {}", queued.label(), fault.what())};
  }

  if (services && run.services)
    run.services->result = services->finish(until);
  if (retraining && run.retraining) {
    run.retraining->runs.push_back(retraining->finish(until));
    run.retraining->metrics = environment_metrics(run.retraining->runs);
    run.retraining->trained_mean_s.push_back(run.retraining->metrics.need_to_trained.mean_at_least());
  }
  SchedulingResult outcome = queue.finish(until);
  check_books(run, outcome, book, through_queue,
              queue_.scheduling.checkpoint_cost > Seconds{} || !queue_.known_checkpoints.empty() ||
                  jobs->sizes.size() > 1,
              until);
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
