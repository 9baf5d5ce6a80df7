// SPDX-License-Identifier: Apache-2.0
#include "sim/sources/queue/queue_report.hpp"

#include "models/core/figure_text.hpp"
#include "sim/sources/queue/queue_setup.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <utility>

namespace trainyard {
namespace {

constexpr std::pair<const char*, double ModelError::*> places[] = {{"low_95", &ModelError::low_95},
                                                                   {"low_80", &ModelError::low_80},
                                                                   {"middle", &ModelError::middle},
                                                                   {"high_80", &ModelError::high_80},
                                                                   {"high_95", &ModelError::high_95}};
/// The figures that have ends, by their names in summary.json.
std::map<std::string, double> times_and_money(const QueueMetrics& metrics)
{
  std::map<std::string, double> figures;
  for (const auto& [name, of] : {std::pair{"jct_s", &metrics.jct_s}, std::pair{"waiting_s", &metrics.waiting_s},
                                 std::pair{"queueing_delay_s", &metrics.queueing_delay_s}})
    if (of->values > 0) {
      figures[fmt::format("{}_mean", name)] = of->mean;
      figures[fmt::format("{}_p95", name)] = of->p95;
    }
  if (metrics.finished > 0)
    figures["makespan_s"] = metrics.makespan_s;
  if (metrics.cost)
    figures["cost_usd"] = metrics.cost->value();
  return figures;
}

std::shared_ptr<const Workload> with_steps_at(const Workload& workload, std::span<const ModelError> errors,
                                              double ModelError::*place)
{
  auto other = std::make_shared<Workload>(workload);
  for (std::size_t i = 0; i < errors.size(); ++i) {
    TraceJob& job = other->jobs[i];
    if (errors[i].units == 0)
      continue;
    const bool knows = job.estimate == job.duration; // nobody gave an estimate
    job.duration = Seconds{job.duration.value() * errors[i].*place};
    if (knows)
      job.estimate = job.duration;
  }
  return other;
}

} // namespace

QueueEnds queue_ends(const Workload& workload, std::span<const ModelError> errors,
                     const std::function<QueueMetrics(std::shared_ptr<const Workload>)>& replay)
{
  QueueEnds ends;
  if (std::ranges::any_of(errors, [](const ModelError& error) { return error.units > 0; }))
    for (const auto& [name, place] : places)
      ends.emplace_back(name, replay(with_steps_at(workload, errors, place)));
  return ends;
}

std::map<std::string, double> figures_of(const QueueEnds& ends)
{
  std::map<std::string, std::vector<double>> values;
  for (const auto& [name, metrics] : ends)
    for (const auto& [figure, value] : times_and_money(metrics))
      values[figure].push_back(value);
  std::map<std::string, double> figures;
  for (auto& [figure, of] : values) {
    if (of.size() < ends.size())
      continue;
    std::ranges::sort(of);
    for (std::size_t i = 0; i < of.size(); ++i)
      figures[figure + "_" + ends[i].first] = of[i];
  }
  return figures;
}

const std::vector<Column>& columns_of_ends()
{
  static const std::vector<Column> columns = {
      {"80 % sure", false}, {"mean JCT"}, {"waiting"}, {"p95 waiting"}, {"makespan"}};
  return columns;
}

std::vector<TableCell> row_of(const std::string& label, const QueueEnds& ends)
{
  const std::map<std::string, double> figures = figures_of(ends);
  std::vector<TableCell> row{{label}};
  for (const char* figure : {"jct_s_mean", "waiting_s_mean", "waiting_s_p95", "makespan_s"}) {
    const auto low = figures.find(std::string{figure} + "_low_80"),
               high = figures.find(std::string{figure} + "_high_80");
    row.emplace_back(low == figures.end() || high == figures.end()
                         ? std::string{}
                         : fmt::format("{} to {}", time_text(Seconds{low->second}, Seconds{high->second}),
                                       time_text(Seconds{high->second})));
  }
  return row;
}

namespace {

constexpr Instant near_the_record{60_s};

std::string waits_text(const Distribution& waits)
{
  return fmt::format("mean {}, median {}, p95 {}", time_text(Seconds{waits.mean}), time_text(Seconds{waits.p50}),
                     time_text(Seconds{waits.p95}));
}

} // namespace

std::string RecordedHistory::text(const std::string& policy) const
{
  return fmt::format(
      "waits that the trace recorded ({} jobs): {}\nreplayed under {}: {}; {} of the jobs within a minute "
      "of the record, median difference {}\n",
      jobs, waits_text(recorded), policy, waits_text(replayed), percent_text(within),
      time_text(Seconds{difference.p50}));
}

std::optional<RecordedHistory> history_of(const Workload& workload, const SchedulingResult& result,
                                          const std::unordered_map<std::int64_t, Instant>& waits)
{
  std::vector<double> recorded, replayed, difference;
  int near = 0;
  for (int i = 0; i < workload.size() && !waits.empty(); ++i) {
    const TraceJob& job = workload.job(JobId{i});
    const JobOutcome& outcome = result.jobs[static_cast<std::size_t>(i)];
    const auto known = waits.find(job.row);
    if (known == waits.end() || outcome.first_start < Instant{0})
      continue;
    const Instant here = outcome.first_start - job.submit;
    const Instant apart = std::max(here - known->second, known->second - here);
    recorded.push_back(known->second.value());
    replayed.push_back(here.value());
    difference.push_back(apart.value());
    near += apart < near_the_record ? 1 : 0;
  }
  if (recorded.empty())
    return std::nullopt;
  RecordedHistory history;
  history.jobs = static_cast<int>(recorded.size());
  history.within = near / static_cast<double>(history.jobs);
  history.recorded = distribution_of(std::move(recorded));
  history.replayed = distribution_of(std::move(replayed));
  history.difference = distribution_of(std::move(difference));
  return history;
}

std::string MeasuredWindow::text(int all_jobs) const
{
  return fmt::format("figures over jobs submitted from {} to {}{}: {} of {}; utilisation over this time\n",
                     time_text(seconds(from)), time_text(seconds(until)),
                     detected ? " (the warm-up ends there, by MSER-5)" : "", jobs.size(), all_jobs);
}

std::size_t warm_up_length(const std::vector<double>& values)
{
  constexpr std::size_t batch = 5;
  std::vector<double> means;
  for (std::size_t i = 0; i + batch <= values.size(); i += batch) {
    double sum = 0;
    for (std::size_t k = i; k < i + batch; ++k)
      sum += values[k];
    means.push_back(sum / batch);
  }
  // From the back, so that sums over the rest are at hand.
  double sum = 0, squares = 0, best = -1;
  std::size_t left_out = 0;
  for (std::size_t left = means.size(); left-- > 0;) {
    sum += means[left];
    squares += means[left] * means[left];
    const auto count = static_cast<double>(means.size() - left);
    if (left > means.size() / 2 || count < 2)
      continue;
    const double error = std::max(0.0, squares - sum * sum / count) / (count * count);
    if (best < 0 || error <= best) {
      best = error;
      left_out = left;
    }
  }
  return left_out * batch;
}

namespace {

/// By the order of submission, which is that of the workload.
bool counts(const MeasuredJobs& asked, const MeasuredWindow& window, const Workload& workload, int index)
{
  const Instant submit = workload.job(JobId{index}).submit;
  return index >= asked.from_job && (asked.until_job <= 0 || index < asked.until_job) && submit >= window.from &&
         submit <= window.until;
}

} // namespace

MeasuredWindow window_of(const MeasuredJobs& asked, const Workload& workload)
{
  MeasuredWindow window;
  const Instant first = workload.jobs.front().submit;
  window.from = first + Instant{asked.from};
  window.until = asked.until ? first + Instant{*asked.until} : workload.jobs.back().submit;
  if (asked.from_job > 0 && asked.from_job < workload.size())
    window.from = std::max(window.from, workload.job(JobId{asked.from_job}).submit);
  if (asked.until_job > 0)
    window.until = std::min(window.until, workload.job(JobId{std::min(asked.until_job, workload.size()) - 1}).submit);
  for (int i = 0; i < workload.size(); ++i)
    if (counts(asked, window, workload, i))
      return window;
  throw fault_at("workload.measured", fmt::format("no job is submitted from {} to {}{}",
                                                  time_text(seconds(window.from)), time_text(seconds(window.until)),
                                                  asked.from_job >= workload.size()
                                                      ? fmt::format(": there are {} jobs, and 'from_job' leaves out {}",
                                                                    workload.size(), asked.from_job)
                                                      : ""));
}

MeasuredWindow window_of(const MeasuredJobs& asked, const Workload& workload, const SchedulingResult& result)
{
  MeasuredWindow window = window_of(asked, workload);
  const auto waited = [&](int index) {
    const JobOutcome& outcome = result.jobs[static_cast<std::size_t>(index)];
    const Instant until = outcome.phase == JobPhase::finished ? outcome.end : result.cut_at;
    return std::max(0.0, (until - workload.job(JobId{index}).submit - outcome.held_time).value());
  };
  if (asked.detect_warm_up) {
    std::vector<double> waits;
    std::vector<int> which;
    for (int i = 0; i < workload.size(); ++i) {
      if (!counts(asked, window, workload, i))
        continue;
      waits.push_back(waited(i));
      which.push_back(i);
    }
    const std::size_t skipped = warm_up_length(waits);
    if (skipped > 0 && skipped < which.size()) {
      window.from = workload.job(JobId{which[skipped]}).submit;
      window.detected = true;
    }
  }
  window.jobs.users = workload.users;
  window.jobs.teams = workload.teams;
  window.jobs.queues = workload.queues;
  window.jobs.models = workload.models;
  window.jobs.qos = workload.qos;
  std::vector<int> position(workload.jobs.size(), -1);
  for (int i = 0; i < workload.size(); ++i) {
    const TraceJob& job = workload.job(JobId{i});
    if (!counts(asked, window, workload, i))
      continue;
    position[static_cast<std::size_t>(i)] = window.jobs.size();
    window.jobs.jobs.push_back(job);
    window.jobs.job_names.push_back(workload.name(JobId{i}));
    const JobOutcome& outcome = result.jobs[static_cast<std::size_t>(i)];
    window.result.jobs.push_back(outcome);
    if (!result.on_type.empty())
      window.result.on_type.push_back(result.on_type[static_cast<std::size_t>(i)]);
    if (outcome.phase == JobPhase::finished)
      window.result.makespan = std::max(window.result.makespan, outcome.end);
  }
  window.result.cut_at = result.cut_at;
  window.result.unfit = result.unfit;
  for (const WaitRecord& wait : result.waits)
    if (const int at = position[static_cast<std::size_t>(wait.job.index)]; at >= 0) {
      window.result.waits.push_back(wait);
      window.result.waits.back().job = JobId{at};
    }
  return window;
}

QueueMetrics metrics_in(const MeasuredWindow& window, const std::string& name, const Workload& workload,
                        const SchedulingResult& whole, int total_gpus, const QueueCosts& costs)
{
  QueueMetrics metrics = queue_metrics(name, window.jobs, window.result, total_gpus, costs);
  // Nobody has work after the last end; a window of one instant is that of its jobs.
  const bool instant = window.until <= window.from;
  const Instant from = instant ? window.jobs.jobs.front().submit : window.from;
  const Instant until = instant ? std::max(window.result.makespan, whole.cut_at)
                                : std::min(window.until, std::max(whole.makespan, whole.cut_at));
  const Instant first = window.jobs.jobs.front().submit,
                last = std::max({first, window.result.makespan, window.result.cut_at});
  const auto hours = [](const RunRecord& run, Instant begin, Instant end) {
    return Hours{std::max(0.0, (std::min(run.to, end) - std::max(run.from, begin)).value() / 3600)};
  };
  double held = 0; // GPU-hours
  metrics.energy = Hours{(last - first).value() / 3600} * (total_gpus * costs.idle_power);
  for (const RunRecord& run : whole.runs) { // also of jobs that do not count
    const QueueCosts::Type drawn = costs.of(run.held, workload.job(run.job));
    held += hours(run, from, until).value() * static_cast<double>(run.held.milli()) / 1000;
    metrics.energy += hours(run, first, last) * (drawn.power - drawn.idle_power);
  }
  const double capacity = total_gpus * (until - from).value() / 3600;
  metrics.utilisation = capacity > 0 ? held / capacity : 0;
  return metrics;
}

} // namespace trainyard
