// SPDX-License-Identifier: Apache-2.0
#include "sim/study/batch.hpp"

#include "models/core/interrupt.hpp"
#include "sim/study/crew.hpp"

#include <algorithm>

namespace trainyard {

std::vector<PointOutcome> evaluate_batch(std::size_t count, const std::function<PointOutcome(std::size_t)>& evaluate,
                                         int workers, const std::function<void(std::size_t)>& progress, bool keep)
{
  std::vector<PointOutcome> outcomes(count);
  if (keep)
    outcomes.assign(count, {interrupted_point, {}});
  std::size_t next = 0, done = 0;
  CrewTask task;
  task.next = [&]() -> std::optional<std::uint64_t> {
    return next < count ? std::optional<std::uint64_t>{next++} : std::nullopt;
  };
  task.done = [&](std::uint64_t point, const std::string& answer) {
    outcomes[point] = outcome_of_json(answer);
    ++done;
  };
  task.lost = [](std::uint64_t, const std::string& how) {
    return to_json_line({"the process that computed it was " + how, {}});
  };
  task.tick = [&] {
    if (progress)
      progress(done);
  };
  try {
    if (count > 0)
      run_pool(
          std::min(workers, static_cast<int>(std::min<std::size_t>(count, 1024))),
          [&](std::uint64_t point) { return to_json_line(evaluate(point)); }, task);
  } catch (const Interrupted&) {
    if (!keep)
      throw;
    interrupt::keep(done, count);
  }
  return outcomes;
}

} // namespace trainyard
