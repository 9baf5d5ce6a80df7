// SPDX-License-Identifier: Apache-2.0
#include "sim/sources/queue/queue_metrics.hpp"

#include "models/core/figure_text.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <fmt/format.h>
#include <functional>
#include <limits>
#include <numeric>
#include <set>
#include <string_view>
#include <unordered_map>

namespace trainyard {
namespace {

constexpr double short_job_s = 10; // the usual bound of the bounded slowdown (Feitelson et al., 1997)

/// Up to so many GPUs.
constexpr std::array<std::pair<int, std::string_view>, 5> size_classes{
    {{1, "1"}, {4, "2-4"}, {8, "5-8"}, {32, "9-32"}, {std::numeric_limits<int>::max(), "33+"}}};

int size_class(int gpus)
{
  return static_cast<int>(std::ranges::lower_bound(size_classes, gpus, {}, &std::pair<int, std::string_view>::first) -
                          size_classes.begin());
}

/// GPUs of an equal share: the cluster's over all teams, or users where a job names no team.
double equal_share(const Workload& workload, int total_gpus)
{
  std::set<int> owners;
  for (const TraceJob& job : workload.jobs)
    owners.insert(job.team != 0 ? job.team : -1 - job.user);
  return static_cast<double>(total_gpus) / static_cast<double>(std::max<std::size_t>(owners.size(), 1));
}

/// Why a job never ran.
std::string why_never(const TraceJob& job, const JobOutcome& outcome, const SchedulingResult& result)
{
  const Lack* lack = outcome.reason == WaitReason::never_fits ? result.lack_of(job) : nullptr;
  if (lack != nullptr)
    return lack->why;
  return outcome.reason != WaitReason::none
             ? (outcome.first_start < Instant{0} ? "" : "it lost its GPUs and never runs again: ") +
                   to_text(outcome.reason)
             : needs_text(job.gpus, 0, 0) + ", of which the policy found no place for any";
}

} // namespace

std::optional<std::string> why_unfinished(const TraceJob& job, const JobOutcome& outcome,
                                          const SchedulingResult& result)
{
  switch (outcome.phase) {
  case JobPhase::finished:
    return outcome.killed ? std::optional<std::string>{"it was killed at its estimate"} : std::nullopt;
  case JobPhase::withdrawn:
    return outcome.reason != WaitReason::none ? to_text(outcome.reason) : "the policy has withdrawn it";
  case JobPhase::impossible:
  case JobPhase::stalled:
    return why_never(job, outcome, result);
  case JobPhase::running:
    return "it still ran when the run ended";
  case JobPhase::pending:
    if (job.submit > result.cut_at)
      return std::nullopt;
    [[fallthrough]];
  default:
    return "it still waited when the run ended";
  }
}

namespace {

/// Over @p jobs of @p workload, by their numbers; figures of the whole cluster are left at zero. @p share: GPUs of an
/// equal share.
QueueMetrics over(const std::string& name, const std::vector<int>& jobs, const Workload& workload,
                  const SchedulingResult& result, double share)
{
  QueueMetrics metrics;
  metrics.name = name;
  std::string example, never_example;
  Remedy remedy;
  bool helps = true; // what the remedy says: each job that fits nowhere has one
  std::int64_t undone = 0;
  std::vector<double> jct, delay, waiting, slowdown;
  for (std::vector<double>* values : {&jct, &delay, &waiting, &slowdown})
    values->reserve(jobs.size());
  for (const int i : jobs) {
    const TraceJob& job = workload.job(JobId{i});
    const JobOutcome& outcome = result.jobs[static_cast<std::size_t>(i)];
    ++metrics.jobs;
    metrics.preemptions += outcome.preemptions;
    metrics.failures += outcome.failures;
    metrics.out_of_memory += outcome.out_of_memory;
    metrics.killed += outcome.killed ? 1 : 0;
    if (is_finite(job.deadline)) {
      const bool done = outcome.phase == JobPhase::finished && !outcome.killed;
      ++metrics.with_deadline;
      const bool over = result.cut_at < Instant{0} || result.cut_at >= job.deadline; // else nobody knows
      metrics.late += (done ? outcome.end > job.deadline : over) ? 1 : 0;
    }
    metrics.gpu_hours += outcome.gpu_time.value() / 3600;
    metrics.lost_gpu_hours += outcome.lost_time.value() / 3600;
    const bool taken_back = outcome.phase == JobPhase::withdrawn && std::ranges::binary_search(result.sent, JobId{i});
    const bool never = outcome.phase == JobPhase::impossible || outcome.phase == JobPhase::stalled;
    if (const std::optional<std::string> why = taken_back ? std::nullopt : why_unfinished(job, outcome, result); why) {
      ++undone;
      if (std::string& first = never ? never_example : example; first.empty())
        first = fmt::format("{}: {}", workload.name(JobId{i}), *why);
      if (const Lack* lack = outcome.reason == WaitReason::never_fits ? result.lack_of(job) : nullptr) {
        remedy.cover(lack->remedy);
        helps = helps && !lack->remedy.text().empty();
      }
    }
    const Instant ready = outcome.ready >= Instant{0} ? outcome.ready : job.submit;
    if (outcome.phase != JobPhase::finished) {
      metrics.never_ran += never ? 1 : 0;
      metrics.withdrawn += outcome.phase == JobPhase::withdrawn ? 1 : 0;
      if ((outcome.phase == JobPhase::waiting || outcome.phase == JobPhase::running) && result.cut_at >= ready) {
        delay.push_back(((outcome.first_start >= Instant{0} ? outcome.first_start : result.cut_at) - ready).value());
        waiting.push_back(std::max(0.0, (result.cut_at - ready - outcome.held_time).value()));
      }
      continue;
    }
    ++metrics.finished;
    const double spent = (outcome.end - job.submit).value();
    jct.push_back(spent);
    delay.push_back((outcome.first_start - ready).value());
    waiting.push_back(std::max(0.0, (outcome.end - ready - outcome.held_time).value()));
    const double length = std::min(job.duration, outcome.killed ? job.estimate : job.duration).value();
    slowdown.push_back(std::max(1.0, spent / std::max(length, short_job_s)));
    // Run time of the job alone on an equal share of the cluster (Themis, NSDI 2020).
    const double alone = length * std::max(1.0, job.gpus / std::max(share, 1.0));
    if (alone > 0)
      metrics.finish_time_fairness = std::max(metrics.finish_time_fairness, spent / std::max(alone, short_job_s));
  }
  metrics.jct_s = distribution_of(std::move(jct));
  metrics.waiting_s = distribution_of(std::move(waiting));
  metrics.queueing_delay_s = distribution_of(std::move(delay));
  metrics.slowdown = distribution_of(std::move(slowdown));
  metrics.verdict.over = metrics.jobs;
  if (undone == 0)
    return metrics;
  const auto count = [](std::int64_t some) { return count_text(static_cast<std::uint64_t>(some)); };
  const std::string all = fmt::format("{} {}", count(metrics.jobs), metrics.jobs == 1 ? "job" : "jobs");
  metrics.verdict.ruling = Ruling::cannot_run;
  metrics.verdict.left_out = undone;
  metrics.verdict.why = never_example.empty()
                            ? fmt::format("{} of {} did not end, for example {}", count(undone), all, example)
                            : fmt::format("{} of {}, for example {}{}", count(metrics.never_ran), all, never_example,
                                          undone > metrics.never_ran
                                              ? fmt::format("; {} more did not end", count(undone - metrics.never_ran))
                                              : "");
  metrics.verdict.change = helps ? remedy.text() : "";
  return metrics;
}

/// A figure of jobs that ended, where any has.
template <auto Member>
std::optional<double> ended(const QueueMetrics& metrics)
{
  return metrics.finished > 0 ? std::optional{metrics.*Member} : std::nullopt;
}

} // namespace

const std::vector<ResultColumn<QueueMetrics>>& queue_columns()
{
  using M = QueueMetrics;
  static const std::vector<ResultColumn<M>> columns = [] {
    std::vector<ResultColumn<M>> all = {
        {"jobs", &M::jobs, "", "jobs of the workload"},
        {"finished", &M::finished, "", "those that ended"},
        {"never_ran", &M::never_ran, "", "number of jobs that never started", everywhere, "never_ran"},
        {"unfinished", [](const M& m) { return m.verdict.why; }, "",
         "who did not end, in words; empty where all work was done", in_json},
        {"smallest_change", [](const M& m) { return m.verdict.change; }, "",
         "of the machines, that lets all jobs run, in words; empty where none is known", in_json},
        {"jct_s", &M::jct_s, "s", "completion - submission (mean, p50, p95, p99, max)", everywhere, "jct"},
        {"queueing_delay_s", &M::queueing_delay_s, "s",
         "first start - submission, waits after a stop not counted; of jobs that wait at the end, so far (mean, p50, "
         "p95, p99, max)",
         everywhere, "queueing_delay"},
        {"waiting_s", &M::waiting_s, "s",
         "all time without GPUs until the end, waits after a stop counted too; of jobs that have not ended, so far "
         "(mean, p50, p95, p99, max)",
         everywhere, "waiting"},
        {"slowdown", &M::slowdown, "",
         "bounded slowdown: JCT over run time, run times below 10 s as 10 s, at least 1 (mean, p50, p95, p99, max)",
         everywhere, "slowdown"},
        {"makespan_s", ended<&M::makespan_s>, "s", "last completion - first submission", everywhere, "makespan"},
        {"utilisation", &M::utilisation, "", "share of GPU time in use", everywhere, "utilisation", true},
        {"gpu_hours", &M::gpu_hours, "", "GPU-hours that jobs held", everywhere, "gpu_hours"},
        {"lost_gpu_hours", &M::lost_gpu_hours, "", "GPU-hours without progress", everywhere, "lost_gpu_hours"},
        {"fragmented_wait_hours", &M::fragmented_wait_hours, "", "hours of waiting although enough GPUs were free",
         everywhere, "fragmented_wait"},
        {"fragmentation", &M::fragmentation, "", "share of idle GPUs that a job of the workload could not use"},
        {"finish_time_fairness", ended<&M::finish_time_fairness>, "", "largest finish-time fairness ratio of a job",
         everywhere, "fairness"},
        {"jain", ended<&M::jain>, "", "Jain's index of fairness", everywhere, "jain", true},
        {"energy_kWh", +[](const M& m) { return m.energy.value() / 1000; }, "", "energy of the GPUs", everywhere,
         "energy"},
        {"cost_usd", &M::cost, "$", "price of the cluster over the makespan", everywhere, "total_cost"},
        {"preemptions", &M::preemptions, "", "number of preemptions of running jobs", everywhere, "preemptions"},
        {"failures", &M::failures, "", "how often failures stopped running jobs"},
        {"out_of_memory", &M::out_of_memory, "", "how often jobs died for lack of GPU memory"},
        {"killed", &M::killed, "", "jobs that were ended at their estimate"},
        {"missed_deadlines", &M::late, "", "jobs that had not ended by their deadline", everywhere, "missed_deadlines"},
    };
    for (ResultColumn<M>& column : all)
      column.of_cluster = column.name == "fragmentation" || column.name == "jain";
    return all;
  }();
  return columns;
}

Distribution distribution_of(std::vector<double> values)
{
  if (values.empty())
    return {};
  Distribution found;
  found.values = static_cast<long>(values.size());
  found.mean = std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
  found.largest = *std::ranges::max_element(values);
  auto below = values.end(); // what a larger share has left: none before it is larger than those behind
  const auto rank = [&](double share) {
    const auto at = static_cast<std::size_t>(std::ceil(share * static_cast<double>(values.size()) - 1e-9));
    const auto place = values.begin() + static_cast<std::ptrdiff_t>(std::clamp<std::size_t>(at, 1, values.size()) - 1);
    if (place != below)
      std::nth_element(values.begin(), place, below);
    below = place;
    return *place;
  };
  found.p99 = rank(0.99);
  found.p95 = rank(0.95);
  found.p50 = rank(0.5);
  return found;
}

namespace {

/// Power of a GPU whose kernels run this share of the time.
Watts drawn(Watts power, Watts idle, double kernels)
{
  return idle + kernels * (power - idle);
}

} // namespace

QueueCosts::OfStep QueueCosts::of_step(const TraceJob& job) const
{
  const auto known = steps.find({job.model, job.gpus});
  return known == steps.end() ? OfStep{.memory_MiB = static_cast<double>(job.gpu_memory_mib)} : known->second;
}

QueueCosts::Type QueueCosts::of(const Allocation& held, const TraceJob& job) const
{
  const double gpus = static_cast<double>(held.milli()) / 1000, kernels = of_step(job).kernels;
  if (types.size() < 2)
    return {gpus * drawn(power, idle_power, kernels), gpus * idle_power};
  const auto of_type = [&](int type, double count) {
    const Type& one = types[static_cast<std::size_t>(type)];
    return Type{count * drawn(one.power, one.idle_power, kernels), count * one.idle_power};
  };
  if (type_of.empty())
    return of_type(held.gpu_type, gpus);
  Type sum;
  for (const TaskShare& share : held.shares) {
    const Type here = of_type(type_of[static_cast<std::size_t>(share.node)], share.gpus() * share.gpu_milli / 1000.0);
    sum.power += here.power;
    sum.idle_power += here.idle_power;
  }
  return sum;
}

double jain_index(const std::vector<double>& values)
{
  double sum = 0, squares = 0;
  for (const double value : values) {
    sum += value;
    squares += value * value;
  }
  return squares <= 0 ? 1 : sum * sum / (static_cast<double>(values.size()) * squares);
}

namespace {

/// What jobs have used while they held GPUs, what these GPUs would have used idle, and what they cost.
struct HeldGpus {
  WattHours busy;
  WattHours idle;
  Dollars price; // where types of GPU differ

  void add(const QueueCosts& costs, const Workload& workload, const SchedulingResult& result, int job)
  {
    const auto at = static_cast<std::size_t>(job);
    const double kernels = costs.of_step(workload.job(JobId{job})).kernels;
    const Hours hours{result.jobs[at].gpu_time.value() / 3600};
    GpuTime all;
    if (costs.types.size() > 1 && at < result.on_type.size())
      for (const GpuTime time : result.on_type[at])
        all += time;
    if (all <= GpuTime{}) {
      busy += hours * drawn(costs.power, costs.idle_power, kernels);
      idle += hours * costs.idle_power;
      return;
    }
    for (std::size_t type = 0; type < result.on_type[at].size(); ++type) {
      const double share = result.on_type[at][type] / all;
      busy += share * hours * drawn(costs.types[type].power, costs.types[type].idle_power, kernels);
      idle += share * hours * costs.types[type].idle_power;
      price += share * hours * costs.types[type].price;
    }
  }
  /// Of the GPUs that nobody held, where all have so many GPU-hours.
  WattHours of_others(const QueueCosts& costs, double capacity) const
  {
    return std::max(WattHours{}, Hours{capacity} * costs.idle_power - idle);
  }
};

/// From the first submission until then.
Instant lasted(const Workload& workload, Instant until)
{
  return workload.jobs.empty() ? until : std::max(Instant{0}, until - workload.jobs.front().submit);
}

} // namespace

QueueMetrics queue_metrics(const std::string& name, const Workload& workload, const SchedulingResult& result,
                           int total_gpus, const QueueCosts& costs)
{
  std::vector<int> all(static_cast<std::size_t>(workload.size()));
  std::iota(all.begin(), all.end(), 0);
  QueueMetrics metrics = over(name, all, workload, result, equal_share(workload, total_gpus));
  metrics.makespan_s = lasted(workload, result.makespan).value();
  const Instant horizon = lasted(workload, std::max(result.makespan, result.cut_at));
  const double capacity = total_gpus * horizon.value() / 3600;
  metrics.utilisation = capacity > 0 ? metrics.gpu_hours / capacity : 0;
  HeldGpus held;
  for (const int i : all)
    held.add(costs, workload, result, i);
  metrics.energy = held.busy + held.of_others(costs, capacity);
  if (costs.price)
    metrics.cost = in_hours(seconds(horizon)) * *costs.price;
  for (const WaitRecord& wait : result.waits)
    if (wait.reason == WaitReason::fragmented)
      metrics.fragmented_wait_hours += (wait.to - wait.from).value() / 3600;
  std::vector<double> owners;
  const auto teams =
      metrics_by(workload.teams.size() > 2 ? GroupBy::team : GroupBy::user, workload, result, total_gpus);
  for (const QueueMetrics& team : teams)
    if (team.finished > 0)
      owners.push_back(1 / team.slowdown.mean);
  metrics.jain = jain_index(owners);
  return metrics;
}

std::vector<QueueMetrics> metrics_by(GroupBy group, const Workload& workload, const SchedulingResult& result,
                                     int total_gpus, const QueueCosts& costs)
{
  const auto key = [&](const TraceJob& job) {
    return group == GroupBy::team    ? job.team
           : group == GroupBy::user  ? job.user
           : group == GroupBy::queue ? job.queue
                                     : size_class(job.gpus);
  };
  const auto name = [&](int of) {
    return group == GroupBy::team    ? workload.teams.name(of)
           : group == GroupBy::user  ? workload.users.name(of)
           : group == GroupBy::queue ? workload.queues.name(of)
                                     : std::string{size_classes.at(static_cast<std::size_t>(of)).second};
  };
  struct Group {
    std::vector<int> jobs;
    double fragmented_hours = 0;
  };
  std::unordered_map<int, Group> groups;
  for (int i = 0; i < workload.size(); ++i)
    groups[key(workload.job(JobId{i}))].jobs.push_back(i);
  std::vector<QueueMetrics> list;
  if (groups.size() > 500) // a table of each user of a large trace is not useful
    return list;
  for (const WaitRecord& wait : result.waits)
    if (wait.reason == WaitReason::fragmented)
      groups[key(workload.job(wait.job))].fragmented_hours += (wait.to - wait.from).value() / 3600;
  std::map<std::string, const Group*> by_name;
  for (const auto& [of, members] : groups)
    by_name.emplace(name(of), &members);
  const double equal = equal_share(workload, total_gpus);
  const Instant horizon = lasted(workload, std::max(result.makespan, result.cut_at));
  const double capacity = total_gpus * horizon.value() / 3600;
  double all_hours = 0;
  HeldGpus held;
  for (int i = 0; i < workload.size(); ++i) {
    all_hours += result.jobs[static_cast<std::size_t>(i)].gpu_time.value() / 3600;
    held.add(costs, workload, result, i);
  }
  const WattHours idle = held.of_others(costs, capacity);
  for (const auto& [title, members] : by_name) {
    QueueMetrics one = over(title, members->jobs, workload, result, equal);
    for (const int i : members->jobs)
      if (const JobOutcome& outcome = result.jobs[static_cast<std::size_t>(i)]; outcome.phase == JobPhase::finished)
        one.makespan_s = std::max(one.makespan_s, lasted(workload, outcome.end).value());
    one.utilisation = capacity > 0 ? one.gpu_hours / capacity : 0;
    one.fragmented_wait_hours = members->fragmented_hours;
    const double share = all_hours > 0 ? one.gpu_hours / all_hours : 0;
    HeldGpus of_group;
    for (const int i : members->jobs)
      of_group.add(costs, workload, result, i);
    one.energy = of_group.busy + share * idle;
    if (costs.price)
      one.cost =
          (held.price > Dollars{} ? of_group.price / held.price : share) * (in_hours(seconds(horizon)) * *costs.price);
    list.push_back(std::move(one));
  }
  return list;
}

std::vector<std::pair<WaitReason, double>> waiting_by_reason(const SchedulingResult& result)
{
  std::map<WaitReason, double> hours;
  for (const WaitRecord& wait : result.waits)
    hours[wait.reason] += (wait.to - wait.from).value() / 3600;
  std::vector<std::pair<WaitReason, double>> list{hours.begin(), hours.end()};
  std::ranges::stable_sort(list, std::greater{}, &std::pair<WaitReason, double>::second);
  return list;
}

namespace {

/// What jobs need on one machine, and how many of them: GPUs in thousandths -> share of the jobs.
std::map<int, double> needs_on_a_machine(const Workload& workload, int largest_machine)
{
  std::map<int, double> needs;
  for (const TraceJob& job : workload.jobs) {
    int gpus = job.tasks > 0 ? job.gpus / job.tasks : job.gpus;
    if (const std::vector<TaskGroup>& list = workload.tasks_of(job); !list.empty())
      gpus = std::ranges::max(list, {}, &TaskGroup::gpus).gpus;
    if (gpus > 0)
      needs[std::min(gpus, largest_machine) * job.gpu_milli] += 1.0 / static_cast<double>(workload.jobs.size());
  }
  return needs;
}

/// What becomes more or less between two samples.
struct Change {
  std::int64_t in_use = 0; // thousandths of GPUs
  std::int64_t asked = 0;  // likewise
  int running = 0;
  int in_system = 0;
  Watts above_idle;                                    // that GPUs in use draw more than idle ones
  std::vector<std::pair<const Allocation*, int>> held; // and how often it begins less how often it ends
};

} // namespace

std::vector<QueueSample> queue_series(const Workload& workload, const SchedulingResult& result, int points,
                                      std::span<const int> node_gpus, int total_gpus, const QueueCosts& costs)
{
  std::vector<QueueSample> series;
  const Instant until = std::max(result.makespan, result.cut_at);
  if (until <= Instant{0} || points < 2)
    return series;
  std::vector<Instant> times;
  for (int k = 0; k < points; ++k)
    times.push_back(until * (k / (points - 1.0)));
  std::vector<Change> changes(times.size() + 1); // until each sample; the last: after all of them
  const auto at = [&](Instant time) -> Change& {
    const double guess = std::clamp(time / until * (points - 1.0), 0.0, points - 1.0);
    auto sample = times.begin() + static_cast<std::ptrdiff_t>(guess);
    while (sample != times.end() && *sample < time)
      ++sample;
    while (sample != times.begin() && time <= *std::prev(sample))
      --sample;
    return changes[static_cast<std::size_t>(sample - times.begin())];
  };
  for (const RunRecord& run : result.runs) {
    const std::int64_t milli = run.held.milli();
    const QueueCosts::Type drawn = costs.of(run.held, workload.job(run.job));
    for (const int sign : {1, -1}) {
      Change& change = at(sign > 0 ? run.from : run.to);
      change.in_use += sign * milli;
      change.running += sign;
      change.above_idle += sign * (drawn.power - drawn.idle_power);
      if (!node_gpus.empty())
        change.held.emplace_back(&run.held, sign);
    }
  }
  for (int i = 0; i < workload.size(); ++i) {
    const JobOutcome& outcome = result.jobs[static_cast<std::size_t>(i)];
    const TraceJob& job = workload.job(JobId{i});
    if (outcome.phase == JobPhase::impossible && outcome.first_start < Instant{0})
      continue;
    const std::int64_t asked = static_cast<std::int64_t>(job.gpus) * job.gpu_milli;
    Change& ready = at(outcome.ready >= Instant{0} ? outcome.ready : job.submit);
    ++ready.in_system;
    ready.asked += asked;
    if (outcome.phase == JobPhase::finished) {
      Change& end = at(outcome.end);
      --end.in_system;
      end.asked -= asked;
    }
  }
  const int largest = node_gpus.empty() ? 0 : *std::ranges::max_element(node_gpus);
  const std::map<int, double> needs = needs_on_a_machine(workload, std::max(1, largest));
  std::vector<int> idle; // thousandths of each machine
  for (const int gpus : node_gpus)
    idle.push_back(gpus * 1000);
  Change now;
  for (std::size_t k = 0; k < times.size(); ++k) {
    const Change& change = changes[k];
    now.in_use += change.in_use;
    now.asked += change.asked;
    now.running += change.running;
    now.in_system += change.in_system;
    now.above_idle += change.above_idle;
    for (const auto& [held, sign] : change.held)
      for (const TaskShare& share : held->shares)
        idle[static_cast<std::size_t>(share.node)] -= sign * share.gpus() * share.gpu_milli;
    const double busy = static_cast<double>(now.in_use) / 1000;
    QueueSample sample{.time_s = times[k].value(),
                       .busy_gpus = busy,
                       .running_jobs = static_cast<double>(now.running),
                       .waiting_jobs = std::max(0.0, static_cast<double>(now.in_system - now.running)),
                       .asked_gpus = std::max(0.0, static_cast<double>(now.asked - now.in_use) / 1000),
                       .fragmentation = 0,
                       .power = total_gpus * costs.idle_power + now.above_idle};
    std::map<int, double> idle_on; // machines with so much idle -> idle of all of them
    double all = 0;
    for (const int here : idle)
      if (here > 0) {
        idle_on[here] += here;
        all += here;
      }
    for (const auto& [need, share] : needs)
      for (const auto& [here, sum] : idle_on)
        if (here < need)
          sample.fragmentation += share * sum / all;
    series.push_back(sample);
  }
  return series;
}

std::vector<std::string> size_groups()
{
  std::vector<std::string> groups;
  groups.reserve(size_classes.size());
  for (const auto& [most, name] : size_classes)
    groups.push_back(std::string{name} + (most == 1 ? " GPU" : " GPUs"));
  return groups;
}

} // namespace trainyard
