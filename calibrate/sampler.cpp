// SPDX-License-Identifier: Apache-2.0
#include "calibrate/sampler.hpp"

#include "models/core/statistics.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <ctime>
#include <limits>

namespace trainyard::calibrate {
namespace {

double clock_seconds(clockid_t clock)
{
  std::timespec time{};
  clock_gettime(clock, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

bool slowed_down(const std::vector<double>& seconds)
{
  const std::size_t third = seconds.size() / 3;
  if (third < 3)
    return false;
  const std::vector<double> first{seconds.begin(), seconds.begin() + static_cast<std::ptrdiff_t>(third)};
  const std::vector<double> last{seconds.end() - static_cast<std::ptrdiff_t>(third), seconds.end()};
  // All of the last third, not only its median: noise alone does not do that.
  return quantile(last, 0.1) > 1.1 * quantile(first, 0.9);
}

} // namespace

double wall_seconds()
{
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

double thread_cpu_seconds()
{
  return clock_seconds(CLOCK_THREAD_CPUTIME_ID);
}

double process_cpu_seconds()
{
  return clock_seconds(CLOCK_PROCESS_CPUTIME_ID);
}

SamplingRule sampling_rule(bool quick)
{
  if (quick)
    return {.least_seconds = 0.015, .most_seconds = 0.08, .least = 3, .most = 12};
  return {};
}

double relative_noise(const std::vector<double>& seconds)
{
  const double median = quantile(seconds, 0.5);
  if (seconds.size() < 2 || median <= 0)
    return std::numeric_limits<double>::infinity();
  return 1.57 * (quantile(seconds, 0.75) - quantile(seconds, 0.25)) / std::sqrt(static_cast<double>(seconds.size())) /
         median;
}

Samples sample(const SamplingRule& rule, const std::function<double()>& once)
{
  Samples samples;
  const double begin = wall_seconds();
  const double warm_up = once();
  int tries = 0;
  while (true) {
    const double elapsed = wall_seconds() - begin;
    const int count = static_cast<int>(samples.seconds.size());
    if (count >= rule.most ||
        (count >= rule.least && elapsed >= rule.least_seconds && relative_noise(samples.seconds) <= rule.noise))
      break;
    if (elapsed >= rule.most_seconds && (count >= 2 || elapsed >= 3 * rule.most_seconds)) {
      if (relative_noise(samples.seconds) > 2 * rule.noise)
        samples.state = "not converged";
      break;
    }
    const double cpu = rule.on_all_cpus > 0 ? process_cpu_seconds() : thread_cpu_seconds(), wall = wall_seconds();
    const double seconds = once();
    ++tries;
    const double passed = wall_seconds() - wall;
    // Threads wake at different times: of short work that is a large part.
    const bool robbed = rule.on_all_cpus > 0
                            ? passed > 2e-3 && process_cpu_seconds() - cpu < 0.85 * rule.on_all_cpus * passed
                            : rule.on_this_cpu && thread_cpu_seconds() - cpu < 0.9 * passed;
    const bool disturbed = robbed && tries < 4 * rule.most;
    if (disturbed)
      ++samples.discarded;
    else
      samples.seconds.push_back(seconds);
  }
  if (samples.seconds.empty())
    samples.seconds.push_back(warm_up);
  if (samples.discarded > static_cast<int>(samples.seconds.size()))
    samples.state = "disturbed";
  else if (rule.may_throttle && slowed_down(samples.seconds))
    samples.state = "throttled";
  return samples;
}

} // namespace trainyard::calibrate
