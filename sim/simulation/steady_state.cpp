#include "sim/simulation/steady_state.hpp"

#include "sim/engine/repeated_run.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <memory>
#include <numeric>
#include <optional>
#include <string>

namespace trainyard {
namespace {

/// Ends of a job's steps in a trace, per worker (-1 for a synchronous job), ascending.
using StepEnds = std::map<int, std::vector<double>>;

StepEnds step_ends(const StepProgram& program, const StepTrace& trace)
{
  StepEnds ends;
  for (std::size_t i = 0; i < program.operations.size(); ++i)
    if (const auto* mark = std::get_if<StepEnd>(&program.operations[i].work))
      ends[mark->worker].push_back(trace.spans[i].end.value());
  for (auto& [worker, times] : ends)
    std::ranges::sort(times);
  return ends;
}

/// Mean of durations and the half width of its 95 % confidence interval from ten batch means (steps in a row are not independent).
struct MeanWithInterval {
  double mean = 0;
  double half_width = 0;
};

MeanWithInterval batch_means(const std::vector<double>& durations)
{
  const double mean = std::accumulate(durations.begin(), durations.end(), 0.0) / static_cast<double>(durations.size());
  constexpr std::size_t batches = 10;
  if (durations.size() < 2 * batches)
    return {mean, std::abs(mean)};
  const std::size_t size = durations.size() / batches;
  const std::size_t skipped = durations.size() - size * batches;
  double squares = 0;
  double total = 0;
  std::vector<double> means;
  for (std::size_t batch = 0; batch < batches; ++batch) {
    const auto first = durations.begin() + static_cast<std::ptrdiff_t>(skipped + batch * size);
    means.push_back(std::accumulate(first, first + static_cast<std::ptrdiff_t>(size), 0.0) / static_cast<double>(size));
    total += means.back();
  }
  for (const double value : means)
    squares += (value - total / batches) * (value - total / batches);
  constexpr double student_t_9 = 2.262; // 97.5 % quantile, 9 degrees of freedom
  return {mean, student_t_9 * std::sqrt(squares / (batches - 1) / batches)};
}

/// How many steps a worker has ended by a time, the running one in part.
double progress(const std::vector<double>& ends, double begin, double time)
{
  const auto next = std::ranges::upper_bound(ends, time);
  const auto whole = static_cast<double>(next - ends.begin());
  if (next == ends.end())
    return whole;
  const double before = next == ends.begin() ? begin : *std::prev(next);
  return whole + (time > before ? (time - before) / (*next - before) : 0);
}

/// Rates of workers that run without a barrier, over the time in which all of them have warmed up and none has run out of steps; the
/// interval comes from ten stretches of that time.
struct FreeRates {
  std::vector<double> workers; // steps/s
  double mean = 0;
  double half_width = 0;
  bool long_enough = false; // at least three steps of the slowest worker
};

FreeRates free_rates(const StepEnds& all, int warm_up, double begin, double until)
{
  FreeRates rates;
  double from = begin;
  for (const auto& [worker, times] : all) {
    from = std::max(from, times[std::min(static_cast<std::size_t>(std::max(warm_up, 1)), times.size()) - 1]);
    until = std::min(until, times.back());
  }
  if (until <= from)
    from = begin;
  constexpr int stretches = 10;
  std::vector<double> batch(stretches, 0.0);
  double slowest = std::numeric_limits<double>::infinity();
  for (const auto& [worker, times] : all) {
    double before = progress(times, begin, from);
    const double first = before;
    for (int i = 0; i < stretches; ++i) {
      const double after = progress(times, begin, from + (until - from) * (i + 1) / stretches);
      batch[static_cast<std::size_t>(i)] += (after - before) / static_cast<double>(all.size()) / ((until - from) / stretches);
      before = after;
    }
    slowest = std::min(slowest, before - first);
    rates.workers.push_back((before - first) / (until - from));
  }
  rates.mean = std::accumulate(batch.begin(), batch.end(), 0.0) / stretches;
  double squares = 0;
  for (const double value : batch)
    squares += (value - rates.mean) * (value - rates.mean);
  constexpr double student_t_9 = 2.262; // 97.5 % quantile, 9 degrees of freedom
  rates.half_width = student_t_9 * std::sqrt(squares / (stretches - 1) / stretches);
  rates.long_enough = slowest >= 3 * (1 - 1e-9);
  return rates;
}

/// Reads one job's estimate off the part of the trace that all jobs share, which ends at `shared_end`.
StepEstimate read(const SteppedJob& job, const SteadyStateOptions& options, StepProgram program, StepTrace trace, double shared_end)
{
  StepEstimate estimate;
  const StepEnds all = step_ends(program, trace);
  double rate = 0;     // global steps per second
  double variance = 0; // of that rate
  estimate.converged = !all.empty();
  bool repeats = true;
  const double workers = static_cast<double>(std::max<std::size_t>(all.size(), 1));
  // Workers that run freely end their steps at different times: what is left when the first has run out of steps has less contention.
  for (const auto& [worker, times] : all)
    shared_end = std::min(shared_end, times.back());
  if (all.size() > 1) {
    const FreeRates rates = free_rates(all, std::max(options.warm_up_steps, job.settling_steps), trace.begin.value(), shared_end);
    estimate.worker_rates = rates.workers;
    rate = rates.mean;
    variance = rates.half_width * rates.half_width;
    repeats = false;
    const auto& [worker, times] = *all.begin();
    estimate.window_end = Seconds{times.back()};
    estimate.window_begin = Seconds{times.size() > 1 ? times[times.size() - 2] : trace.begin.value()};
    estimate.converged = rates.long_enough;
  }
  for (const auto& [worker, times] : all) {
    if (all.size() > 1)
      break;
    std::vector<double> ends;
    for (const double time : times)
      if (time <= shared_end * (1 + 1e-12) || ends.size() < 2)
        ends.push_back(time);
    const auto warm_up = std::min(static_cast<std::size_t>(std::max({options.warm_up_steps, job.settling_steps, 1})), ends.size() - 1);
    std::vector<double> durations;
    for (std::size_t i = warm_up; i < ends.size(); ++i)
      durations.push_back(ends[i] - ends[i - 1]);
    if (durations.empty())
      durations.push_back(ends.front() - trace.begin.value());
    double last = durations.back();
    double before = durations.size() > 1 ? durations[durations.size() - 2] : std::nan("");
    // The last step alone has no successor whose samples are fetched meanwhile: where those before it are equal, they count.
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
    if (estimate.window_end.value() == 0) {
      estimate.window_end = Seconds{ends.back()};
      estimate.window_begin = Seconds{ends.size() > 1 ? ends[ends.size() - 2] : trace.begin.value()};
    }
  }
  estimate.step_time = Seconds{1 / rate};
  estimate.half_width = Seconds{repeats ? 0 : std::sqrt(variance) / (rate * rate)};
  estimate.converged = repeats || (estimate.converged && estimate.half_width <= estimate.step_time * options.relative_half_width);
  if (estimate.half_width <= estimate.step_time * options.repeat_tolerance)
    estimate.half_width = {}; // they repeat
  estimate.samples_per_second = program.samples_per_step * rate;
  estimate.steps_simulated = program.steps;
  estimate.program = std::move(program);
  estimate.trace = std::move(trace);
  return estimate;
}

/// Staleness of an asynchronous job: updates that reach the servers between the end of a worker's pulls and the end of its own update.
void measure_staleness(StepEstimate& estimate)
{
  std::map<std::pair<int, int>, double> pulled; // (worker, step) -> when its last pull ended
  std::map<std::pair<int, int>, double> updated;
  for (std::size_t i = 0; i < estimate.program.operations.size(); ++i) {
    const Operation& operation = estimate.program.operations[i];
    if (operation.worker < 0)
      continue;
    const double end = estimate.trace.spans[i].end.value();
    const std::pair key{operation.worker, operation.step};
    if (operation.role == Role::pull)
      pulled[key] = std::max(pulled[key], end);
    if (operation.role == Role::update)
      updated[key] = std::max(updated[key], end);
  }
  std::vector<double> updates;
  for (const auto& [key, time] : updated)
    updates.push_back(time);
  std::ranges::sort(updates);
  double sum = 0;
  int counted = 0;
  for (const auto& [key, begin] : pulled) {
    const auto own = updated.find(key);
    if (own == updated.end() || key.second < estimate.program.steps / 4)
      continue;
    const auto first = std::ranges::upper_bound(updates, begin);
    const auto last = std::ranges::lower_bound(updates, own->second);
    const double stale = std::max<double>(0, static_cast<double>(last - first));
    sum += stale;
    ++counted;
    estimate.largest_staleness = std::max(estimate.largest_staleness, stale);
  }
  estimate.mean_staleness = counted > 0 ? sum / counted : 0;
}

/// Where free-running workers are relative to each other decides how much they share, and in the long run they are everywhere: the mean
/// rate over random starts takes the place of the rate of one start. Trace and breakdown stay those of the first.
void average_over_starts(const Cluster& cluster, std::span<const SteppedJob> jobs, const Executor& executor,
                         const SteadyStateOptions& options, const std::vector<int>& steps, std::vector<StepEstimate>& estimates)
{
  constexpr std::size_t affordable = 400'000; // operations of all draws together
  constexpr std::size_t cheap = 100'000;      // as many as can be had for this: the mean of few places is a rough one
  std::size_t operations = 1;
  for (const StepEstimate& estimate : estimates)
    operations += estimate.program.operations.size();
  const int draws = std::max(std::clamp(static_cast<int>(affordable / operations), 0, options.start_draws),
                             std::clamp(static_cast<int>(cheap / operations), 0, 4 * options.start_draws));
  std::vector<std::vector<double>> rates(jobs.size());
  std::vector<StepProgram> programs(jobs.size());
  const auto* repeatable = dynamic_cast<const RepeatableExecutor*>(&executor);
  std::unique_ptr<RepeatedRun> repeated;
  for (int draw = 1; draw <= draws; ++draw) {
    const int first_step = draw * 1'000'000;
    for (std::size_t j = 0; j < jobs.size(); ++j)
      if (draw == 1 || !jobs[j].mode->begin_elsewhere(*jobs[j].context, first_step, programs[j])) {
        programs[j] = jobs[j].mode->program(*jobs[j].context, first_step, steps[j]);
        repeated = nullptr;
      }
    std::vector<ProgramRun> runs;
    std::vector<Seconds> starts;
    for (std::size_t j = 0; j < jobs.size(); ++j) {
      const std::string stream = "start/" + jobs[j].context->job.name + "/" + std::to_string(draw);
      const double place = jobs.size() > 1 ? jobs[j].context->random.stream(stream).uniform() : 0;
      starts.push_back(estimates[j].step_time * place);
      runs.push_back({&programs[j], starts.back()});
    }
    if (repeated == nullptr && repeatable != nullptr)
      repeated = repeatable->repeated(cluster, runs);
    std::vector<StepTrace> traces = repeated != nullptr ? repeated->again(starts) : executor.run(cluster, runs);
    double shared_end = traces.front().end.value();
    for (const StepTrace& trace : traces)
      shared_end = std::min(shared_end, trace.end.value());
    for (std::size_t j = 0; j < jobs.size(); ++j) {
      StepEstimate estimate = read(jobs[j], options, std::move(programs[j]), std::move(traces[j]), shared_end);
      rates[j].push_back(estimate.samples_per_second);
      programs[j] = std::move(estimate.program); // for the next draw
    }
  }
  for (std::size_t j = 0; j < jobs.size() && draws > 1; ++j) {
    StepEstimate& estimate = estimates[j];
    const double count = draws;
    const double mean = std::accumulate(rates[j].begin(), rates[j].end(), 0.0) / count;
    double squares = 0;
    for (const double rate : rates[j])
      squares += (rate - mean) * (rate - mean);
    const double relative = 2 * std::sqrt(squares / (count - 1) / count) / mean;
    const double factor = mean / estimate.samples_per_second;
    estimate.samples_per_second = mean;
    for (double& rate : estimate.worker_rates)
      rate *= factor;
    estimate.step_time = estimate.step_time / factor;
    estimate.half_width = estimate.step_time * relative;
  }
}

bool on_several_nodes(const TrainingContext& context)
{
  const auto node = [&](VertexId worker) { return context.cluster.vertex(worker).node; };
  const std::vector<VertexId>& workers = context.placement.workers;
  return std::ranges::any_of(workers, [&](VertexId worker) { return node(worker) != node(workers.front()); });
}

} // namespace

std::vector<StepEstimate> steady_state(const Cluster& cluster, std::span<const SteppedJob> jobs, const Executor& executor,
                                       const SteadyStateOptions& options)
{
  const bool any_random = std::ranges::any_of(jobs, [](const SteppedJob& job) { return job.random; });
  const int least = std::max(options.warm_up_steps, 1) + 2;
  std::vector<int> steps;
  std::vector<int> most;
  for (const SteppedJob& job : jobs) {
    const int settled = std::max(least, job.settling_steps > 0 ? job.settling_steps + 4 : 0);
    steps.push_back(any_random ? std::max(settled, 24) : settled);
    most.push_back(std::max({options.most_steps, settled, job.first_steps}));
    steps.back() = std::max(steps.back(), job.first_steps);
  }
  if (jobs.size() == 1 && jobs.front().wanders && on_several_nodes(*jobs.front().context)) {
    // Their rates are read off three steps of the slowest after those left out: a round that cannot have them is not run.
    const int left_out = std::max({options.warm_up_steps, jobs.front().settling_steps, 1});
    while (left_out < 3 && steps.front() - left_out < 3 && steps.front() < most.front())
      steps.front() = std::min(2 * steps.front(), most.front());
  }
  std::vector<StepEstimate> estimates;
  for (;;) {
    std::vector<StepProgram> programs;
    for (std::size_t j = 0; j < jobs.size(); ++j)
      programs.push_back(jobs[j].mode->program(*jobs[j].context, 0, steps[j]));
    std::vector<ProgramRun> runs;
    for (const StepProgram& program : programs)
      runs.push_back({&program, Seconds{}});
    std::vector<StepTrace> traces = executor.run(cluster, runs);

    double shared_end = traces.front().end.value();
    for (const StepTrace& trace : traces)
      shared_end = std::min(shared_end, trace.end.value());
    estimates.clear();
    for (std::size_t j = 0; j < jobs.size(); ++j)
      estimates.push_back(read(jobs[j], options, std::move(programs[j]), std::move(traces[j]), shared_end));

    // Another round with more steps where a job has not settled, or has run out of steps while others were still going.
    double longest = 0;
    for (std::size_t j = 0; j < jobs.size(); ++j)
      longest = std::max(longest, estimates[j].step_time.value() * least);
    bool again = false;
    std::vector<int> next = steps;
    for (std::size_t j = 0; j < jobs.size(); ++j) {
      if (!estimates[j].converged)
        next[j] = steps[j] * 2;
      if (jobs.size() > 1)
        next[j] = std::max(next[j], static_cast<int>(std::ceil(1.2 * longest / estimates[j].step_time.value())));
      next[j] = std::min(next[j], most[j]);
      again = again || next[j] > steps[j];
    }
    if (!again)
      break;
    steps = next;
  }
  for (StepEstimate& estimate : estimates)
    if (estimate.worker_rates.size() > 1)
      measure_staleness(estimate);
  if (options.start_draws > 1 && (jobs.size() > 1 || std::ranges::any_of(jobs, &SteppedJob::wanders)))
    average_over_starts(cluster, jobs, executor, options, steps, estimates);
  return estimates;
}

} // namespace trainyard
