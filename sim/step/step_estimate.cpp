// SPDX-License-Identifier: Apache-2.0
#include "sim/step/step_estimate.hpp"

#include "models/core/statistics.hpp"
#include "sim/step/engine/step_program.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>
#include <utility>
#include <variant>

namespace trainyard {
namespace {

/// Half width of the 95 % interval of the mean.
double half_width_95(const std::vector<double>& values)
{
  return student_t_quantile(0.975, static_cast<double>(values.size() - 1)) * standard_error(values);
}

/// Mean of durations and the half width of its 95 % confidence interval from ten batch means (steps in a row are not
/// independent).
MeanWithInterval batch_means(const std::vector<double>& durations)
{
  const double mean = std::accumulate(durations.begin(), durations.end(), 0.0) / static_cast<double>(durations.size());
  if (durations.size() < 2 * batches)
    return {mean, std::abs(mean)};
  const std::size_t size = durations.size() / batches;
  const std::size_t skipped = durations.size() - size * batches;
  std::vector<double> means;
  for (std::size_t batch = 0; batch < batches; ++batch) {
    const auto first = durations.begin() + static_cast<std::ptrdiff_t>(skipped + batch * size);
    means.push_back(std::accumulate(first, first + static_cast<std::ptrdiff_t>(size), 0.0) / static_cast<double>(size));
  }
  return {mean, half_width_95(means)};
}

/// The time in which all workers have warmed up and none has run out of steps. Where steps differ, each is asked for
/// whole periods: as many of its steps exchange as in the long run.
std::pair<double, double> time_of_all(const StepEnds& all, int warm_up, double begin, double until,
                                      std::size_t period = 1)
{
  double from = begin;
  for (const auto& [worker, times] : all) {
    const std::size_t first = std::min(static_cast<std::size_t>(std::max(warm_up, 1)), times.size()) - 1;
    const std::size_t last = times.size() - 1, whole = first + (last - first) / period * period;
    from = std::max(from, times[first]);
    until = std::min(until, times[whole > first ? whole : last]);
  }
  return {until <= from ? begin : from, until};
}

/// Rates of workers that run without a barrier, over the time in which all of them have warmed up and none has run out
/// of steps; the interval comes from ten stretches of that time.
struct FreeRates {
  std::vector<double> workers; // steps/s
  double mean = 0;
  double half_width = 0;
  bool long_enough = false; // at least three steps (periods) of the slowest worker
};

FreeRates free_rates(const StepEnds& all, int warm_up, double begin, double last, int period)
{
  FreeRates rates;
  const auto [from, until] = time_of_all(all, warm_up, begin, last, static_cast<std::size_t>(period));
  constexpr int stretches = 10;
  std::vector<double> batch(stretches, 0.0);
  double slowest = std::numeric_limits<double>::infinity();
  for (const auto& [worker, times] : all) {
    double before = steps_done(times, begin, from);
    const double first = before;
    for (int i = 0; i < stretches; ++i) {
      const double after = steps_done(times, begin, from + (until - from) * (i + 1) / stretches);
      batch[static_cast<std::size_t>(i)] +=
          (after - before) / static_cast<double>(all.size()) / ((until - from) / stretches);
      before = after;
    }
    slowest = std::min(slowest, before - first);
    rates.workers.push_back((before - first) / (until - from));
  }
  rates.mean = std::accumulate(batch.begin(), batch.end(), 0.0) / stretches;
  rates.half_width = half_width_95(batch);
  rates.long_enough = slowest >= 3 * period * (1 - 1e-9);
  return rates;
}

} // namespace

MeanWithInterval mean_of(const std::vector<double>& rates)
{
  const double mean = std::accumulate(rates.begin(), rates.end(), 0.0) / static_cast<double>(rates.size());
  return {mean, half_width_95(rates) / mean};
}

double widening(double confidence, std::size_t degrees)
{
  const auto freedom = static_cast<double>(degrees);
  return confidence == 0.95 ? 1
                            : student_t_quantile((1 + confidence) / 2, freedom) / student_t_quantile(0.975, freedom);
}

StepEstimate read_estimate(const SteppedJob& job, const SteadyStateOptions& options, StepProgram program,
                           StepTrace trace, const StepEnds& all, double shared_end)
{
  StepEstimate estimate;
  double rate = 0;     // global steps per second
  double variance = 0; // of that rate
  estimate.converged = !all.empty();
  bool repeats = true;
  const double workers = static_cast<double>(std::max<std::size_t>(all.size(), 1));
  // Workers that run freely end their steps at different times: what is left when the first has run out of steps has
  // less contention.
  for (const auto& [worker, times] : all)
    shared_end = std::min(shared_end, times.back());
  if (all.size() > 1) {
    const FreeRates rates = free_rates(all, std::max(options.warm_up_steps, job.settling_steps), trace.begin.value(),
                                       shared_end, job.period);
    estimate.worker_rates = rates.workers;
    rate = rates.mean;
    variance = rates.half_width * rates.half_width;
    repeats = false;
    const auto& [worker, times] = *all.begin();
    estimate.window_end = Seconds{times.back()};
    estimate.converged = rates.long_enough;
  }
  for (const auto& [worker, times] : all) {
    if (all.size() > 1)
      break;
    const double period = job.period;
    std::vector<double> ends; // of steps, or of whole periods
    int step = program.operations.front().step;
    for (const double time : times)
      if (step++ % job.period == 0 && (time <= shared_end * (1 + 1e-12) || ends.size() < 2))
        ends.push_back(time);
    if (ends.empty()) // less than a period
      ends.push_back(times.back());
    const auto warm_up =
        std::min(static_cast<std::size_t>((steps_left_out(job, options) - 1) / job.period + 1), ends.size() - 1);
    std::vector<double> durations;
    for (std::size_t i = warm_up; i < ends.size(); ++i)
      durations.push_back((ends[i] - ends[i - 1]) / period);
    if (durations.empty())
      durations.push_back(ends.front() - trace.begin.value());
    double last = durations.back();
    double before = durations.size() > 1 ? durations[durations.size() - 2] : std::nan("");
    // The last step alone has no successor whose samples are fetched meanwhile: where those before it are equal, they
    // count.
    if (durations.size() > 2 && std::abs(last - before) > options.repeat_tolerance * last &&
        std::abs(before - durations[durations.size() - 3]) <= options.repeat_tolerance * before) {
      last = before;
      before = durations[durations.size() - 3];
    }
    const bool repeated = std::abs(last - before) <= options.repeat_tolerance * last;
    if (job.random || !repeated) {
      repeats = false;
      const MeanWithInterval mean = batch_means(durations);
      estimate.worker_rates.push_back(1 / mean.mean);
      const double relative = mean.half_width / mean.mean;
      variance += relative * relative / (mean.mean * mean.mean) / (workers * workers);
    } else {
      estimate.worker_rates.push_back(1 / last);
    }
    rate += estimate.worker_rates.back() / workers;
    if (estimate.window_end.value() == 0)
      estimate.window_end = Seconds{ends.back()};
  }
  estimate.step_time = Seconds{1 / rate};
  estimate.half_width = Seconds{repeats ? 0 : std::sqrt(variance) / (rate * rate)};
  estimate.converged =
      repeats || (estimate.converged && estimate.half_width <= estimate.step_time * options.relative_half_width);
  if (estimate.half_width <= estimate.step_time * options.repeat_tolerance)
    estimate.half_width = {}; // they repeat
  estimate.half_width = estimate.half_width * widening(options.confidence, batches - 1);
  estimate.samples_per_second = program.samples_per_step * rate;
  estimate.steps_simulated = program.steps;
  estimate.program = std::move(program);
  estimate.trace = std::move(trace);
  return estimate;
}

Marks marks_of(const StepProgram& program)
{
  Marks marks;
  for (std::size_t i = 0; i < program.operations.size(); ++i) {
    const Operation& operation = program.operations[i];
    if (const auto* mark = std::get_if<StepEnd>(&operation.work))
      marks.ends.push_back({mark->worker, i});
    const bool by_server = operation.role == Role::update && !std::holds_alternative<Compute>(operation.work);
    if (operation.worker >= 0 && (operation.role == Role::pull || by_server))
      marks.exchanges.push_back({operation.worker, operation.step, operation.role == Role::pull, i});
  }
  return marks;
}

StepEnds step_ends(const Marks& marks, const StepTrace& trace)
{
  StepEnds ends;
  for (const Marks::End& mark : marks.ends)
    ends[mark.worker].push_back(trace.spans[mark.operation].end.value());
  for (auto& [worker, times] : ends)
    std::ranges::sort(times);
  return ends;
}

void measure_staleness(StepEstimate& estimate, const Marks& marks)
{
  struct Step {
    double pulled = -1, updated = -1; // the ends of its last pull and of its last update
  };
  std::map<int, std::vector<Step>> last; // by worker
  int worker = -1;
  std::vector<Step>* steps_of_worker = nullptr;
  for (const Marks::Exchange& exchange : marks.exchanges) {
    if (std::exchange(worker, exchange.worker) != exchange.worker)
      steps_of_worker = &last.try_emplace(worker, static_cast<std::size_t>(estimate.program.steps)).first->second;
    Step& step = (*steps_of_worker)[static_cast<std::size_t>(exchange.step)];
    double& time = exchange.pulls ? step.pulled : step.updated;
    time = std::max(time, estimate.trace.spans[exchange.operation].end.value());
  }
  std::vector<double> updates;
  for (const auto& [number, steps] : last)
    for (const Step& step : steps)
      if (step.updated >= 0)
        updates.push_back(step.updated);
  std::ranges::sort(updates);
  const auto [from, until] =
      time_of_all(step_ends(marks, estimate.trace), 1, estimate.trace.begin.value(), estimate.trace.end.value());
  double sum = 0;
  int counted = 0;
  const bool ahead = pulls_ahead(estimate.program);
  for (const auto& [number, steps] : last) {
    double before = -1; // the last pulls of earlier steps
    for (std::size_t step = 0; step < steps.size(); ++step) {
      const double pulled = ahead ? before : steps[step].pulled, updated = steps[step].updated;
      if (steps[step].pulled >= 0)
        before = steps[step].pulled;
      if (pulled < 0 || updated < from || updated > until)
        continue;
      const auto first = std::ranges::upper_bound(updates, pulled);
      const auto end = std::ranges::lower_bound(updates, updated);
      const double stale = std::max<double>(0, static_cast<double>(end - first));
      sum += stale;
      ++counted;
      estimate.largest_staleness = std::max(estimate.largest_staleness, stale);
    }
  }
  const auto simulated = static_cast<double>(last.size()); // of a sample: there are more others than were simulated
  const double others = simulated > 1 ? (simulated * estimate.program.stands_for - 1) / (simulated - 1) : 1;
  estimate.largest_staleness *= others;
  estimate.mean_staleness = counted > 0 ? others * sum / counted : 0;
}

} // namespace trainyard
