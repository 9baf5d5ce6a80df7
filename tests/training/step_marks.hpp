// SPDX-License-Identifier: Apache-2.0
// What the marks of steps in a trace say of workers that do not wait for each other, counted apart from the program.
#pragma once
#include "sim/step/engine/executor.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <vector>

namespace trainyard::test {

/// What one worker's gradients had missed when they were applied.
struct Staleness {
  int worker = 0;
  double mean = 0; // updates by other workers between a step's first pull and its own update
};

/// Ends of the steps of each worker, in order of time.
inline std::map<int, std::vector<Seconds>> step_marks(const StepProgram& program, const StepTrace& trace)
{
  std::map<int, std::vector<Seconds>> result;
  for (std::size_t index = 0; index < program.operations.size(); ++index)
    if (const auto* end = std::get_if<StepEnd>(&program.operations[index].work); end != nullptr && end->worker >= 0)
      result[end->worker].push_back(trace.spans[index].end);
  for (auto& [worker, times] : result)
    std::ranges::sort(times);
  return result;
}

/// Of each worker, over the time in which all are active: a step that ends later than the last mark of any other worker
/// is left out. Empty for a synchronous program, where all workers read one version.
inline std::vector<Staleness> staleness(const StepProgram& program, const StepTrace& trace)
{
  const std::map<int, std::vector<Seconds>> ends = step_marks(program, trace);
  Seconds until{std::numeric_limits<double>::infinity()};
  for (const auto& [worker, times] : ends)
    until = std::min(until, times.back());
  std::vector<Staleness> result;
  for (const auto& [worker, times] : ends) {
    double missed = 0, steps = 0;
    for (std::size_t step = 1; step < times.size() && times[step] <= until; ++step) {
      for (const auto& [other, updates] : ends)
        if (other != worker)
          missed += static_cast<double>(std::ranges::upper_bound(updates, times[step]) -
                                        std::ranges::upper_bound(updates, times[step - 1]));
      ++steps;
    }
    result.push_back({worker, steps > 0 ? missed / steps : 0});
  }
  return result;
}

/// Worker steps per second while all workers are active: the sum over workers of (marks - 1) / (last - first mark).
inline double worker_steps_per_second(const StepProgram& program, const StepTrace& trace)
{
  double rate = 0;
  for (const auto& [worker, times] : step_marks(program, trace))
    if (times.size() > 1)
      rate += static_cast<double>(times.size() - 1) / (times.back() - times.front()).value();
  return rate;
}

} // namespace trainyard::test
