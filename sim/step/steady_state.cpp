// SPDX-License-Identifier: Apache-2.0
#include "sim/step/steady_state.hpp"

#include "models/core/statistics.hpp"
#include "sim/step/engine/auto_fidelity.hpp"
#include "sim/step/step_estimate.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <utility>

namespace trainyard {
namespace {

constexpr std::size_t affordable = 300'000; // operations of all draws together
constexpr double wide = 0.1;                // more places are simulated where the mean is not known better
constexpr double smallest_share = 1e-3;     // of the mean rate: a job that stands still has an interval, too
constexpr std::size_t cheap = 100'000; // as many draws as can be had for this: the mean of few places is a rough one

/// How many simulations from other places can be had; 0 where not even two, unless they are made @p anyway. Where two
/// can be had a third one is made too: the interval of two values is three times as wide as that of three with the same
/// deviation (Student's t).
int draws_for(std::size_t operations, int wanted, bool anyway = false)
{
  constexpr int fewest = 3;
  const int count = std::max(std::clamp(static_cast<int>(affordable / operations), 0, wanted),
                             std::clamp(static_cast<int>(cheap / operations), 0, 4 * wanted));
  return count < 2 && !anyway ? 0 : std::max(count, fewest);
}

/// Jobs that are simulated repeatedly, each time from other places in their steps.
class Draws
{
public:
  Draws(const Cluster& cluster, std::span<const SteppedJob> jobs, const Executor& executor,
        const SteadyStateOptions& options, const std::vector<int>& steps)
      : cluster_{cluster}, jobs_{jobs}, executor_{executor}, options_{options}, steps_{steps}, programs_(jobs.size()),
        made_(jobs.size()), marks_(jobs.size())
  {
  }

  /// The programs of the first draw.
  std::size_t operations()
  {
    std::size_t count = 1;
    for (std::size_t j = 0; j < jobs_.size(); ++j)
      count += program(j, 1).operations.size();
    return count;
  }

  /// Estimates of all jobs, from 1 on; @p step_times: how far apart jobs may begin. They keep the programs until they
  /// are returned.
  std::vector<StepEstimate> draw(int number, std::span<const Seconds> step_times)
  {
    std::vector<ProgramRun> runs;
    std::vector<Seconds> starts;
    for (std::size_t j = 0; j < jobs_.size(); ++j) {
      program(j, number);
      const std::string stream = "start/" + std::to_string(number);
      const double place = jobs_.size() > 1 ? jobs_[j].context->random.stream(stream).uniform() : 0;
      starts.push_back(place > 0 ? step_times[j] * place : Seconds{});
      runs.push_back({&programs_[j], starts.back()});
    }
    if (repeated_ == nullptr)
      repeated_ = executor_.repeated(cluster_, runs);
    std::vector<StepTrace> traces = repeated_ != nullptr ? repeated_->again(starts) : executor_.run(cluster_, runs);
    double shared_end = traces.front().end.value();
    for (const StepTrace& trace : traces)
      shared_end = std::min(shared_end, trace.end.value());
    std::vector<StepEstimate> estimates;
    for (std::size_t j = 0; j < jobs_.size(); ++j) {
      const StepEnds ends = step_ends(marks_[j], traces[j]);
      estimates.push_back(
          read_estimate(jobs_[j], options_, std::move(programs_[j]), std::move(traces[j]), ends, shared_end));
    }
    return estimates;
  }

  /// Of the last draw, and so of all that give its programs back.
  const Marks& marks(std::size_t j) const { return marks_[j]; }

  /// The program of an earlier draw, as it was.
  StepProgram again(std::size_t j, int number)
  {
    program(j, number);
    made_[j] = 0;
    return std::move(programs_[j]);
  }

  /// For the next draw.
  void give_back(std::vector<StepEstimate>& estimates)
  {
    for (std::size_t j = 0; j < jobs_.size(); ++j)
      programs_[j] = std::move(estimates[j].program);
  }

private:
  const StepProgram& program(std::size_t j, int number)
  {
    const int first_step = number * 1'000'000;
    if (made_[j] == number)
      return programs_[j];
    if (made_[j] == 0 || !jobs_[j].mode->begin_elsewhere(*jobs_[j].context, first_step, programs_[j])) {
      programs_[j] = jobs_[j].mode->program(*jobs_[j].context, first_step, steps_[j]);
      marks_[j] = marks_of(programs_[j]);
      repeated_ = nullptr;
    }
    made_[j] = number;
    return programs_[j];
  }

  const Cluster& cluster_;
  std::span<const SteppedJob> jobs_;
  const Executor& executor_;
  const SteadyStateOptions& options_;
  const std::vector<int>& steps_;
  std::vector<StepProgram> programs_; // their addresses stay
  std::vector<int> made_;             // by job: the draw of its program; 0: none yet
  std::vector<Marks> marks_;          // by job
  std::unique_ptr<RepeatedRun> repeated_;
};

/// Where free-running workers and jobs are relative to each other decides how much they share, and in the long run they
/// take all positions: the mean rate over random positions replaces the rate from one. Trace and breakdown stay those
/// of the first.
void average_over_starts(const Cluster& cluster, std::span<const SteppedJob> jobs, const Executor& executor,
                         const SteadyStateOptions& options, std::vector<int> steps, const std::vector<int>& fewest,
                         std::vector<StepEstimate>& estimates)
{
  double operations = 1, of_fewest = 1;
  std::vector<Seconds> step_times;
  for (std::size_t j = 0; j < estimates.size(); ++j) {
    const auto own = static_cast<double>(estimates[j].program.operations.size());
    operations += own;
    of_fewest += own * std::min(fewest[j], steps[j]) / steps[j];
    step_times.push_back(estimates[j].step_time);
  }
  int count = draws_for(static_cast<std::size_t>(operations), options.start_draws);
  if (count == 0) { // places tell more than steps
    count = draws_for(static_cast<std::size_t>(of_fewest), options.start_draws);
    for (std::size_t j = 0; j < steps.size(); ++j)
      steps[j] = std::min(fewest[j], steps[j]);
  }
  if (count == 0)
    return;
  Draws draws{cluster, jobs, executor, options, steps};
  std::vector<std::vector<double>> rates(jobs.size());
  const int most = std::max(count, 2 * options.start_draws);
  bool is_wide = false;
  for (int number = 1; number <= count || (is_wide && number <= most); ++number) {
    std::vector<StepEstimate> drawn = draws.draw(number, step_times);
    for (std::size_t j = 0; j < jobs.size(); ++j)
      rates[j].push_back(drawn[j].samples_per_second);
    draws.give_back(drawn);
    is_wide = number >= count && std::ranges::any_of(rates, [](const std::vector<double>& of_job) {
                return mean_of(of_job).half_width > wide;
              });
  }
  for (std::size_t j = 0; j < jobs.size(); ++j)
    take_mean(estimates[j], rates[j], options.confidence);
}

/// The same for a job whose workers run free of each other and of chance: the time of the first one is not measured, so
/// that there is no randomness. Stops where more places would not tell more. Nothing where there are too many
/// operations to simulate them twice, unless they are simulated @p anyway.
std::optional<StepEstimate> mean_over_places(const Cluster& cluster, std::span<const SteppedJob> job,
                                             const Executor& executor, const SteadyStateOptions& options, int steps,
                                             bool anyway)
{
  constexpr std::size_t fewest = 3;
  constexpr double narrow = 0.005;     // interval of the mean, as a share of it
  constexpr double narrow_dear = 0.05; // the same once the draws are not cheap any more
  const std::vector<int> all_steps{steps};
  Draws draws{cluster, job, executor, options, all_steps};
  const std::size_t operations = draws.operations();
  const int count = draws_for(operations, options.start_draws, anyway);
  if (count == 0)
    return std::nullopt;
  std::vector<double> rates;
  std::vector<StepEstimate> all; // without their programs
  double staleness = 0;
  double largest = 0;
  for (bool known = false; !known && static_cast<int>(all.size()) < count;) {
    std::vector<StepEstimate> drawn = draws.draw(static_cast<int>(all.size()) + 1, {});
    measure_staleness(drawn.front(), draws.marks(0));
    draws.give_back(drawn);
    all.push_back(std::move(drawn.front()));
    rates.push_back(all.back().samples_per_second);
    staleness += all.back().mean_staleness;
    largest = std::max(largest, all.back().largest_staleness);
    const double enough = rates.size() * operations < cheap ? narrow : narrow_dear;
    known = rates.size() >= fewest && mean_of(rates).half_width <= enough;
  }
  const MeanWithInterval rate = mean_of(rates);
  // The one nearest to the mean is what tables and pictures show.
  const auto shown = std::ranges::min_element(
      all, {}, [&](const StepEstimate& one) { return std::abs(one.samples_per_second - rate.mean); });
  shown->program = draws.again(0, static_cast<int>(shown - all.begin()) + 1);
  take_mean(*shown, rates, options.confidence);
  shown->mean_staleness = staleness / static_cast<double>(all.size());
  shown->largest_staleness = largest;
  return std::move(*shown);
}

/// The rate of the long run, and some of its steps.
std::optional<StepEstimate> estimate_of_long_run(const Cluster& cluster, const SteppedJob& job,
                                                 const Executor& executor, const SteadyStateOptions& options)
{
  constexpr double narrow = 0.04; // half of the interval, as a share of the mean
  std::optional<LongRun> run =
      long_run(cluster, *job.mode, *job.context, executor, std::max(options.warm_up_steps, 1), narrow);
  if (!run)
    return std::nullopt;
  StepEstimate estimate;
  estimate.samples_per_second = run->program.samples_per_step * run->rate;
  estimate.worker_rates = std::move(run->worker_rates);
  estimate.mean_staleness = run->mean_staleness;
  estimate.largest_staleness = run->largest_staleness;
  estimate.step_time = Seconds{1 / run->rate};
  estimate.half_width = estimate.step_time * run->half_width * widening(options.confidence, 3);
  estimate.converged = run->half_width <= narrow;
  estimate.steps_simulated = run->steps;
  estimate.program = std::move(run->program);
  estimate.trace = std::move(run->trace);
  estimate.trace.period = estimate.step_time * static_cast<double>(estimate.program.steps);
  estimate.window_end = estimate.trace.end;
  return estimate;
}

/// A few workers without a barrier that share links equally at each instant fall into patterns and stay there for
/// thousands of steps. Real ones are pushed out of them: on the testbed (results/testbed) the long run of two to six
/// workers was 18 % (async) and 32 % (bounded) off in the median, the mean over random places 1.1 and 1.4 %. Packets
/// and jitter push workers out of patterns, too. As few as `auto` gives to `flow`, which draws places as well.
bool keeps_a_pattern(const SteppedJob& job, const Executor& executor)
{
  return !job.random && !executor.draws(job.context->cluster) && executor.goes_on() &&
         auto_fidelity(1, static_cast<int>(job.context->placement.workers.size())).name == "flow";
}

bool on_several_nodes(const TrainingContext& context)
{
  const auto node = [&](VertexId worker) { return context.cluster.vertex(worker).node; };
  const std::vector<VertexId>& workers = context.placement.workers;
  return std::ranges::any_of(workers, [&](VertexId worker) { return node(worker) != node(workers.front()); });
}

} // namespace

StepEnds step_ends(const StepProgram& program, const StepTrace& trace)
{
  return step_ends(marks_of(program), trace);
}

double steps_done(const std::vector<double>& ends, double begin, double time)
{
  const auto next = std::ranges::upper_bound(ends, time);
  const auto whole = static_cast<double>(next - ends.begin());
  if (next == ends.end())
    return whole;
  const double before = next == ends.begin() ? begin : *std::prev(next);
  return whole + (time > before ? (time - before) / (*next - before) : 0);
}

SteppedJob stepped_job(const TrainingMode& mode, const TrainingContext& context)
{
  const Settings& settings = context.job.training.settings;
  const std::string rule = settings.text("update_rule", "sync");
  SteppedJob job{&mode, &context};
  job.random = (context.job.jitter.distribution != "none" && context.job.jitter.coefficient_of_variation > 0) ||
               (!context.placement.servers.empty() && settings.text("pull_order", "") == "random");
  job.divided = context.job.training.parallel != nullptr;
  job.settling_steps = mode.settling_steps(context);
  job.period = mode.period(context);
  job.wanders = !context.placement.servers.empty() && context.placement.workers.size() > 1 && rule != "sync" &&
                !(rule == "bounded" && settings.integer("staleness", 3) == 0);
  // Gradients that come too late hold the next steps up, by chance more or less: enough steps for an interval.
  if (rule == "sync" && settings.integer("backup_workers", 0) > 0)
    job.first_steps = static_cast<int>(2 * batches) + 3;
  if (rule == "sync_replicas") { // where workers differ or tokens are left over, steps do not repeat
    job.wanders = false;
    job.random = job.random || settings.integer("backup_workers", 0) > 0 || !context.job.stragglers.empty();
  }
  return job;
}

SteppedJob stepped_job(const TrainingMode& mode, TrainingContext& context, const Executor& executor, bool alone)
{
  const bool draws = executor.draws(context.cluster);
  context.alone = alone && !draws; // else equal workers differ: none stands for all
  SteppedJob job = stepped_job(mode, context);
  job.random = job.random || (draws && !job.wanders);
  return job;
}

int whole_periods(int steps, int period)
{
  return period > 1 ? (std::max(steps, 1) + period - 2) / period * period + 1 : steps;
}

int steps_left_out(const SteppedJob& job, const SteadyStateOptions& options)
{
  return whole_periods(std::max({options.warm_up_steps, job.settling_steps, 1}), job.period);
}

void take_mean(StepEstimate& estimate, const std::vector<double>& rates, double confidence)
{
  const double mean = mean_of(rates).mean, factor = mean / estimate.samples_per_second;
  std::vector<double> logarithms;
  logarithms.reserve(rates.size());
  for (const double rate : rates)
    logarithms.push_back(std::log(std::max(rate / mean, smallest_share)));
  estimate.samples_per_second = mean;
  for (double& worker : estimate.worker_rates)
    worker *= factor;
  estimate.step_time = estimate.step_time / factor;
  estimate.half_width = estimate.step_time * mean_interval(logarithms, confidence).half_width() *
                        std::sqrt(static_cast<double>(rates.size()) + 1);
}

SteadyStateOptions options_of_a_run(std::span<const SteppedJob> jobs, int warm_up_steps)
{
  constexpr int most_start_draws = 6;
  constexpr int most_steps_without_randomness =
      12; // free-running workers settle slowly; the interval says how far they are
  SteadyStateOptions options;
  options.start_draws = most_start_draws;
  options.warm_up_steps = warm_up_steps;
  if (std::ranges::none_of(jobs, &SteppedJob::random))
    options.most_steps = most_steps_without_randomness;
  return options;
}

SteadyStateOptions options_of_a_run(std::span<const SteppedJob> jobs, const RunSpec& run, const Executor& executor)
{
  constexpr int most_drawn_steps = 96;
  SteadyStateOptions options = options_of_a_run(jobs, run.warm_up_steps);
  options.confidence = run.confidence;
  if (!jobs.empty() && executor.draws(jobs.front().context->cluster) &&
      options.most_steps > most_drawn_steps) { // packets take long, and few steps differ much
    options.most_steps = most_drawn_steps;
    options.relative_half_width = 0.02;
  }
  return options;
}

std::vector<StepEstimate> estimates_of(std::span<const SteppedJob> jobs, const SteadyStateOptions& options,
                                       std::vector<StepProgram> programs, std::vector<StepTrace> traces)
{
  const double shared_end = std::ranges::min_element(traces, {}, &StepTrace::end)->end.value();
  std::vector<StepEstimate> estimates;
  for (std::size_t j = 0; j < jobs.size(); ++j) {
    const StepEnds ends = step_ends(programs[j], traces[j]);
    estimates.push_back(
        read_estimate(jobs[j], options, std::move(programs[j]), std::move(traces[j]), ends, shared_end));
  }
  return estimates;
}

std::vector<StepEstimate> steady_state(const Cluster& cluster, std::span<const SteppedJob> jobs,
                                       const Executor& executor, const SteadyStateOptions& options)
{
  const bool any_random =
      executor.draws(cluster) || std::ranges::any_of(jobs, [](const SteppedJob& job) { return job.random; });
  const int least = std::max(options.warm_up_steps, 1) + 2;
  std::vector<int> steps;
  std::vector<int> most;
  for (const SteppedJob& job : jobs) {
    const int settled = std::max(least, job.settling_steps > 0 ? job.settling_steps + 4 : 0);
    steps.push_back(any_random ? std::max(settled, 24) : settled);
    const int first = (steps_left_out(job, options) - 1) / job.period + 1 + job.first_steps; // in periods
    most.push_back(std::max({options.most_steps, settled, first}));
    steps.back() = std::max(steps.back(), first) * job.period;
    most.back() *= job.period;
  }
  if (jobs.size() == 1 && jobs.front().wanders && options.start_draws > 1) {
    const SteppedJob& job = jobs.front();
    const bool few = keeps_a_pattern(job, executor);
    std::optional<StepEstimate> estimate;
    if (!few)
      estimate = estimate_of_long_run(cluster, job, executor, options);
    if (!estimate && !job.random)
      estimate = mean_over_places(cluster, jobs, executor, options, most.front(), few);
    if (estimate) {
      std::vector<StepEstimate> one;
      one.push_back(std::move(*estimate));
      return one;
    }
  }
  if (jobs.size() == 1 && jobs.front().wanders && on_several_nodes(*jobs.front().context)) {
    // Their rates are read off three steps of the slowest after those left out: a round that cannot have them is not
    // run.
    const int left_out = steps_left_out(jobs.front(), options);
    while (left_out < 3 && steps.front() - left_out < 3 && steps.front() < most.front())
      steps.front() = std::min(2 * steps.front(), most.front());
  }
  const std::vector<int> first_steps = steps;
  std::vector<StepEstimate> estimates;
  for (;;) {
    std::vector<StepProgram> programs;
    for (std::size_t j = 0; j < jobs.size(); ++j)
      programs.push_back(jobs[j].mode->program(*jobs[j].context, 0, steps[j]));
    std::vector<ProgramRun> runs;
    for (const StepProgram& program : programs)
      runs.push_back({&program, Seconds{}});
    std::vector<StepTrace> traces = executor.run(cluster, runs);

    estimates = estimates_of(jobs, options, std::move(programs), std::move(traces));

    // Another round with more steps if a job has not settled, or has run out of steps while others were still running.
    double longest = 0;
    for (std::size_t j = 0; j < jobs.size(); ++j)
      longest = std::max(longest, estimates[j].step_time.value() * least);
    bool again = false;
    std::vector<int> next = steps;
    for (std::size_t j = 0; j < jobs.size(); ++j) {
      if (!estimates[j].converged)
        next[j] = steps[j] * 2;
      if (jobs.size() > 1) {
        const double beside = std::ceil(1.2 * longest / estimates[j].step_time.value());
        const int period = jobs[j].period;
        next[j] = std::max(next[j], static_cast<int>(std::ceil(std::min(beside, 1e6) / period)) * period);
        const double of_a_step = static_cast<double>(estimates[j].program.operations.size()) / steps[j];
        if (std::ranges::any_of(jobs, &SteppedJob::divided) && beside * of_a_step <= static_cast<double>(affordable))
          most[j] = std::max(most[j], next[j]);
      }
      next[j] = std::min(next[j], most[j]);
      again = again || next[j] > steps[j];
    }
    if (!again)
      break;
    steps = next;
  }
  for (StepEstimate& estimate : estimates)
    if (estimate.worker_rates.size() > 1)
      measure_staleness(estimate, marks_of(estimate.program));
  if (options.start_draws > 1 && (jobs.size() > 1 || std::ranges::any_of(jobs, &SteppedJob::wanders)))
    average_over_starts(cluster, jobs, executor, options, steps, any_random ? first_steps : steps, estimates);
  return estimates;
}

std::vector<int> steps_beside(std::span<const Seconds> step_times, double longest_steps)
{
  const Seconds longest = *std::ranges::max_element(step_times);
  std::vector<int> steps;
  steps.reserve(step_times.size());
  for (const Seconds time : step_times)
    steps.push_back(static_cast<int>(std::ceil((1 + longest_steps) * (longest / time))));
  return steps;
}

std::vector<double> rates_beside(std::span<const ProgramRun> runs, std::span<const StepTrace> traces)
{
  double from = 0;
  double until = std::numeric_limits<double>::infinity();
  for (const StepTrace& trace : traces) {
    from = std::max(from, trace.begin.value());
    until = std::min(until, trace.end.value());
  }
  std::vector<double> rates;
  for (std::size_t j = 0; j < runs.size(); ++j) {
    const StepEnds ends = step_ends(*runs[j].program, traces[j]);
    const double begin = traces[j].begin.value();
    double steps = 0;
    for (const auto& [worker, times] : ends)
      steps += steps_done(times, begin, until) - steps_done(times, begin, from);
    rates.push_back(steps / (static_cast<double>(ends.size()) * (until - from)));
  }
  return rates;
}

} // namespace trainyard
