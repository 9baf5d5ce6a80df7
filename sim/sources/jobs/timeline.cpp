// SPDX-License-Identifier: Apache-2.0
#include "sim/sources/jobs/timeline.hpp"

#include <algorithm>
#include <limits>
#include <numeric>
#include <stdexcept>

namespace trainyard {

std::vector<TimelineOutcome> replay(std::span<const TimelineJob> jobs, const StartRule& start, const SpeedRule& speed,
                                    const EndRule& end)
{
  std::vector<TimelineOutcome> outcome(jobs.size());
  std::vector<double> remaining;
  for (const TimelineJob& job : jobs)
    remaining.push_back(job.steps);
  std::vector<std::size_t> arrivals(jobs.size());
  std::iota(arrivals.begin(), arrivals.end(), 0U);
  std::ranges::stable_sort(arrivals, {}, [&](std::size_t job) { return jobs[job].arrival; });

  std::vector<std::size_t> running, waiting;
  std::vector<std::pair<double, std::size_t>> holding; // until when, job
  std::vector<double> speeds;
  std::size_t next_arrival = 0;
  double now = 0;
  while (next_arrival < arrivals.size() || !running.empty() || !waiting.empty() || !holding.empty()) {
    double next = next_arrival < arrivals.size() ? jobs[arrivals[next_arrival]].arrival.value()
                                                 : std::numeric_limits<double>::infinity();
    for (const auto& [ready, job] : holding)
      next = std::min(next, ready);
    std::size_t ending = running.size();
    for (std::size_t r = 0; r < running.size(); ++r) {
      const double finish = now + remaining[running[r]] / speeds[r];
      if (finish <= next) {
        if (finish < next || ending == running.size())
          ending = r;
        next = finish;
      }
    }
    if (next == std::numeric_limits<double>::infinity())
      throw std::logic_error{"jobs wait and none can start"};
    next = std::max(next, now);
    for (std::size_t r = 0; r < running.size(); ++r)
      remaining[running[r]] -= (next - now) * speeds[r];
    now = next;
    if (ending < running.size())
      remaining[running[ending]] = 0;

    std::vector<std::size_t> still;
    for (const std::size_t job : running) {
      // Rounding: what is left below a billionth of the job ends at the same instant as its neighbour.
      if (remaining[job] > 1e-9 * jobs[job].steps) {
        still.push_back(job);
        continue;
      }
      outcome[job].finish = Seconds{now};
      end(job);
    }
    running = std::move(still);
    for (const auto& [ready, job] : holding) {
      if (ready > now)
        continue;
      outcome[job].began = Seconds{now};
      if (!jobs[job].fails) {
        running.push_back(job);
        continue;
      }
      outcome[job].finish = Seconds{now};
      outcome[job].failed = true;
      end(job);
    }
    std::erase_if(holding, [&](const auto& entry) { return entry.first <= now; });
    while (next_arrival < arrivals.size() && jobs[arrivals[next_arrival]].arrival.value() <= now)
      waiting.push_back(arrivals[next_arrival++]);
    for (const std::size_t job : start(running, waiting)) {
      outcome[job].start = Seconds{now};
      std::erase(waiting, job);
      if (jobs[job].hold > Seconds{} || jobs[job].fails) {
        holding.emplace_back(now + jobs[job].hold.value(), job);
        continue;
      }
      outcome[job].began = Seconds{now};
      running.push_back(job);
    }
    if (!running.empty())
      speeds = speed(running, remaining, Seconds{now});
  }
  return outcome;
}

} // namespace trainyard
