// SPDX-License-Identifier: Apache-2.0
// How fast workers without a barrier are in the long run.
//
// From random places in their steps they drift into others: some meet at a
// server again and again, others get past each other. So the first steps are
// too fast or too slow, and steps in a row are not independent. Time is cut
// into pieces of one mean step; the first third does not count, and the
// interval comes from the means of four parts of the rest. In 164 random cases
// that were run ten times as long, MSER-5 (White, Simulation 1997) in place of
// the third held fewer of the long means.

#include "models/core/statistics.hpp"
#include "sim/step/steady_state.hpp"

#include <algorithm>
#include <limits>
#include <numeric>
#include <set>
#include <variant>

namespace trainyard {
namespace {

constexpr std::size_t parts = 4; // of what counts, whose means are taken as independent
/// They are not: in 164 random cases the interval of Student's t held 84 % of the means of runs ten times as long,
/// twice as wide it held 92 %, and 92 of 100 cases that were not looked at before. Places drift for longer than is
/// simulated, so that no interval is narrower than ±1 %.
constexpr double widened = 2;
constexpr double narrowest = 0.01;
/// As many operations are simulated before it is asked whether they are enough, in no more than so many steps.
constexpr std::size_t at_least = 30'000;
constexpr std::size_t most_at_once = 600;
constexpr std::size_t until_bound = 1'500'000; // operations until bounded workers have to wait for each other
/// What is simulated at most, unless the fewest steps have more. With jitter workers seem to have settled long before
/// they have.
struct Budget {
  std::size_t fewest_steps = 30; // some more are made to be shown, and count
  std::size_t operations = 150'000;
};
constexpr Budget of_unequal_workers;
constexpr Budget of_jitter{200, 1'000'000};

double sum(std::vector<double>::const_iterator from, std::vector<double>::const_iterator until)
{
  return std::accumulate(from, until, 0.0);
}

/// How many workers end steps in a program.
std::size_t workers_of(const StepProgram& program)
{
  std::set<int> workers;
  for (const Operation& operation : program.operations)
    if (const auto* end = std::get_if<StepEnd>(&operation.work))
      workers.insert(end->worker);
  return workers.size();
}

/// Steps of a worker in each of @p pieces equal parts of the time, mean of all.
std::vector<double> steps_in_pieces(const StepEnds& ends, double until, std::size_t pieces)
{
  std::vector<double> steps(pieces, 0.0);
  for (const auto& [worker, times] : ends) {
    double before = 0;
    for (std::size_t piece = 0; piece < pieces; ++piece) {
      const double after = steps_done(times, 0, until * static_cast<double>(piece + 1) / static_cast<double>(pieces));
      steps[piece] += (after - before) / static_cast<double>(ends.size());
      before = after;
    }
  }
  return steps;
}

/// Rates and staleness between @p from and @p until. Each worker of a sample stands for so many.
void count_steps(LongRun& result, const RoundsDone& done, double from, double until, double stands_for)
{
  const auto simulated = static_cast<double>(done.ends.size());
  double stale = 0;
  int counted = 0;
  for (const auto& [worker, times] : done.ends) {
    result.worker_rates.push_back((steps_done(times, 0, until) - steps_done(times, 0, from)) / (until - from));
    result.rate += result.worker_rates.back() / simulated;
    const std::vector<int>& of_worker = done.stale.at(worker);
    for (std::size_t step = 0; step < times.size(); ++step)
      if (times[step] >= from && times[step] <= until) {
        stale += of_worker[step];
        ++counted;
        result.largest_staleness = std::max<double>(result.largest_staleness, of_worker[step]);
      }
  }
  // Of a sample: there are more others than were simulated.
  const double others = simulated > 1 ? (simulated * stands_for - 1) / (simulated - 1) : 1;
  result.mean_staleness = counted > 0 ? others * stale / counted : 0;
  result.largest_staleness *= others;
}

} // namespace

SettledMean settled_mean(const std::vector<double>& values, std::size_t first)
{
  SettledMean settled{.first = std::min(std::max(first, values.size() / 3), values.size()),
                      .half_width = std::numeric_limits<double>::infinity()};
  const auto from = values.begin() + static_cast<std::ptrdiff_t>(settled.first);
  const auto left = static_cast<std::size_t>(values.end() - from);
  settled.mean = sum(from, values.end()) / static_cast<double>(std::max<std::size_t>(left, 1));
  if (left < 2 * parts)
    return settled;
  std::vector<double> means;
  for (std::size_t part = 0; part < parts; ++part) {
    const auto begin = from + static_cast<std::ptrdiff_t>(left * part / parts);
    const auto end = from + static_cast<std::ptrdiff_t>(left * (part + 1) / parts);
    means.push_back(sum(begin, end) / static_cast<double>(end - begin));
  }
  settled.half_width = std::max(widened * mean_interval(means, 0.95).half_width(), narrowest * settled.mean);
  return settled;
}

std::optional<LongRun> long_run(const Cluster& cluster, const TrainingMode& mode, const TrainingContext& context,
                                const Executor& executor, int warm_up, double relative_half_width)
{
  std::optional<EndlessSteps> steps = executor.goes_on() ? mode.endless(context) : std::nullopt;
  if (!steps)
    return std::nullopt;
  const std::unique_ptr<EndlessRun> run = executor.endless(cluster, steps->program, steps->back, steps->factor);
  if (run == nullptr)
    return std::nullopt;
  const StepEnds& ends = run->done().ends;
  auto first = static_cast<std::size_t>(std::max(warm_up, steps->settling));
  const std::size_t of_a_step =
      std::max<std::size_t>(1, steps->program.operations.size() / static_cast<std::size_t>(steps->program.steps));
  const Budget& budget = steps->factor ? of_jitter : of_unequal_workers;
  const std::size_t least = std::max(budget.fewest_steps, first + first / 2);
  std::size_t most = std::max(least, budget.operations / of_a_step);
  std::size_t pieces = std::max(least, std::min(at_least / of_a_step, most_at_once));
  std::size_t ended = 0;
  double until = 0;
  const auto settle = [&] {
    ended = 0;
    // What a worker has done of a step is known once it has ended.
    until = std::numeric_limits<double>::infinity();
    for (const auto& [worker, times] : ends) {
      ended += times.size();
      until = std::min(until, times.back());
    }
    return settled_mean(steps_in_pieces(ends, until, ended / ends.size()), first);
  };
  // Where messages take longer than computing, fast workers need longer than computing says until they have to wait.
  bool leads = steps->settling > 0 && steps->lead > 0;
  const auto leads_yet = [&] {
    const auto [last, foremost] =
        std::ranges::minmax_element(ends, {}, [](const auto& one) { return one.second.size(); });
    return foremost->second.size() < last->second.size() + static_cast<std::size_t>(steps->lead - 1);
  };
  SettledMean settled;
  for (;;) {
    run->go_on(std::max<std::size_t>(pieces * ends.size(), ended + 1) - ended);
    settled = settle();
    if (ended < pieces * ends.size()) // there are more workers than had ended a step
      continue;
    if (leads && pieces * of_a_step < until_bound) {
      if (!leads_yet()) {
        leads = false;
        first = pieces;
      }
      pieces += pieces / 2;
      most = std::max(most, pieces);
      continue;
    }
    if (settled.half_width <= relative_half_width * settled.mean || pieces >= most)
      break;
    pieces = std::min(most, pieces + std::max<std::size_t>(pieces / 4, 10));
  }
  if (ends.size() < workers_of(steps->program)) // the others are too slow to have ended a step
    return std::nullopt;
  auto [trace, begins] = run->some_steps();
  settled = settle(); // they count too
  pieces = ended / ends.size();
  LongRun result{.half_width = settled.half_width / settled.mean, .steps = static_cast<int>(pieces)};
  const double from = until * static_cast<double>(settled.first) / static_cast<double>(pieces);
  count_steps(result, run->done(), from, until, steps->program.stands_for);
  result.program = std::move(steps->program);
  begin_at(result.program, begins);
  for (std::size_t i = 0; steps->factor && i < trace.spans.size(); ++i) // these steps were drawn
    if (auto* compute = std::get_if<Compute>(&result.program.operations[i].work))
      compute->duration = trace.spans[i].end - trace.spans[i].begin;
  result.trace = std::move(trace);
  return result;
}

} // namespace trainyard
