// SPDX-License-Identifier: Apache-2.0
// Pollux (Qiao et al., OSDI 2021), section 4.2: every interval the GPUs are given out anew so that the power mean of
// the jobs' speed-ups is largest. The speed-up of a job is its goodput, at the best batch there, over that on a fair
// share of the GPUs; what would restart a running job counts less (restart_factor). The paper searches placements by a
// genetic algorithm; here the search is over numbers of GPUs, packed, and exact (cheapest).
#include "sim/sources/queue/policies/size_rounds.hpp"

#include <algorithm>
#include <numeric>
#include <stdexcept>

namespace trainyard {
namespace {

/// Added to a speed-up, so that the mean of jobs without GPUs is defined (adaptdl_sched/policy/pollux.py).
constexpr double least_speedup = 1e-3;

/// Speed on at most @p fair GPUs, or on the fewest that it can have.
double fair_speed(const SizedJob& job, int fair)
{
  const int fewest = std::ranges::min_element(job.choices, {}, &SizeChoice::gpus)->gpus;
  double speed = 0;
  for (const SizeChoice& choice : job.choices)
    if (choice.gpus <= std::max(fair, fewest))
      speed = std::max(speed, choice.speed);
  return speed;
}

class Pollux final : public SizeRounds
{
public:
  explicit Pollux(const Settings& settings)
      : SizeRounds{"pollux", settings.duration("interval", 60_s)}, power_{settings.number("power", -1)},
        delay_{settings.number("restart_delay", 30)}
  {
    if (power_ == 0 || !(delay_ >= 0))
      throw std::invalid_argument{"pollux: the power must not be 0, and the restart delay at least 0 s"};
  }

  static std::vector<Parameter> parameters()
  {
    std::vector<Parameter> all =
        gain_settings("-1", "mean of the speed-ups", "Pollux: p = -1", "Pollux, section 4.2.1: 30 s");
    all.insert(all.begin(), interval_setting("60 s", "time from one plan of all sizes to the next", "Pollux: 60 s"));
    return all;
  }

private:
  std::vector<SizeChoice> plan(const std::vector<SizedJob>& jobs, const std::vector<int>& capacity) const override
  {
    const int gpus = std::accumulate(capacity.begin(), capacity.end(), 0);
    const auto count = static_cast<int>(jobs.size());
    const int fair = (gpus + count - 1) / count;
    std::vector<std::vector<SizeOption>> options;
    for (const SizedJob& job : jobs) {
      const double one = fair_speed(job, fair);
      std::vector<SizeOption>& own = options.emplace_back();
      own.push_back({{}, power_cost(least_speedup, power_)});
      for (const SizeChoice& choice : job.choices) {
        const double speedup = choice.speed / one * restart_factor(job, choice, delay_);
        own.push_back({choice, power_cost(speedup + least_speedup, power_)});
      }
    }
    return cheapest(options, capacity);
  }

  double power_;
  double delay_;
};

using PolluxByPool = ByPool<Pollux>;
TY_REGISTER(QueuePolicy, PolluxByPool, "pollux",
            "all sizes anew in rounds: the largest mean speed-up of goodput, with the batch that suits (Pollux)");

} // namespace
} // namespace trainyard
