// SPDX-License-Identifier: Apache-2.0
#include "sim/step/training/staleness.hpp"

#include <algorithm>
#include <limits>
#include <map>

namespace trainyard {
namespace {

/// Ends of the steps of each worker, in order of time.
std::map<int, std::vector<Seconds>> marks(const StepProgram& program, const StepTrace& trace)
{
  std::map<int, std::vector<Seconds>> result;
  for (std::size_t index = 0; index < program.operations.size(); ++index)
    if (const auto* end = std::get_if<StepEnd>(&program.operations[index].work); end != nullptr && end->worker >= 0)
      result[end->worker].push_back(trace.spans[index].end);
  for (auto& [worker, times] : result)
    std::ranges::sort(times);
  return result;
}

Seconds all_active_until(const std::map<int, std::vector<Seconds>>& ends)
{
  Seconds until{std::numeric_limits<double>::infinity()};
  for (const auto& [worker, times] : ends)
    until = std::min(until, times.back());
  return until;
}

} // namespace

std::vector<Staleness> staleness(const StepProgram& program, const StepTrace& trace)
{
  const std::map<int, std::vector<Seconds>> ends = marks(program, trace);
  const Seconds until = all_active_until(ends);
  std::vector<Staleness> result;
  for (const auto& [worker, times] : ends) {
    Staleness entry{.worker = worker};
    double sum = 0;
    for (std::size_t step = 1; step < times.size() && times[step] <= until; ++step) {
      int missed = 0;
      for (const auto& [other, updates] : ends) {
        if (other != worker)
          missed += static_cast<int>(std::ranges::upper_bound(updates, times[step]) -
                                     std::ranges::upper_bound(updates, times[step - 1]));
      }
      sum += missed;
      entry.worst = std::max(entry.worst, missed);
      ++entry.steps;
    }
    entry.mean = entry.steps > 0 ? sum / entry.steps : 0;
    result.push_back(entry);
  }
  return result;
}

double worker_steps_per_second(const StepProgram& program, const StepTrace& trace)
{
  double rate = 0;
  for (const auto& [worker, times] : marks(program, trace))
    if (times.size() > 1)
      rate += static_cast<double>(times.size() - 1) / (times.back() - times.front()).value();
  return rate;
}

} // namespace trainyard
