// SPDX-License-Identifier: Apache-2.0
#include "sim/step/random_places.hpp"

#include "sim/step/steady_state.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace trainyard {

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
