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

class Pollux final : public QueuePolicy
{
public:
  explicit Pollux(const Settings& settings)
      : rounds_{settings.duration("interval", 60_s)}, power_{settings.number("power", -1)}, delay_{settings.number(
                                                                                                "restart_delay", 30)}
  {
    if (settings.duration("interval", 60_s) < 10_ms || power_ == 0 || !(delay_ >= 0))
      throw std::invalid_argument{
          "pollux: the interval must be at least 0.01 s, the power not 0, and the restart delay "
          "at least 0 s"};
  }

  static std::vector<Parameter> parameters()
  {
    return {{.name = "interval",
             .kind = "duration",
             .default_value = "60 s",
             .meaning = "time from one plan of all sizes to the next",
             .minimum = 0.01,
             .maximum = 1e9,
             .source = "Pollux: 60 s"},
            {.name = "power",
             .kind = "number",
             .default_value = "-1",
             .meaning = "exponent of the mean of the speed-ups, not 0; the smaller, the fairer",
             .minimum = -10,
             .maximum = 10,
             .source = "Pollux: p = -1"},
            {.name = "restart_delay",
             .kind = "duration",
             .default_value = "30 s",
             .meaning = "what the plan takes a restart to cost",
             .minimum = 0,
             .maximum = 1e9,
             .source = "Pollux, section 4.2.1: 30 s"}};
  }

  void started(const ClusterView&, JobId id) override { rounds_.started(id); }
  void stopped(const ClusterView& cluster, JobId id) override { rounds_.stopped(cluster, id); }
  void withdrawn(const ClusterView&, JobId id) override { rounds_.forget(id); }
  void decide(const ClusterView& cluster, Decisions& decisions) override
  {
    rounds_.decide(cluster, decisions, [this](const std::vector<SizedJob>& jobs, const std::vector<int>& capacity) {
      return plan(jobs, capacity);
    });
  }

private:
  std::vector<SizeChoice> plan(const std::vector<SizedJob>& jobs, const std::vector<int>& capacity) const
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

  SizeRounds rounds_;
  double power_;
  double delay_;
};

TY_REGISTER(QueuePolicy, Pollux, "pollux",
            "all sizes anew in rounds: the largest mean speed-up of goodput, with the batch that suits (Pollux)");

} // namespace
} // namespace trainyard
