// SPDX-License-Identifier: Apache-2.0
#include "sim/sources/jobs/timeline.hpp"

#include "models/core/interrupt.hpp"

#include <algorithm>
#include <limits>
#include <numeric>
#include <stdexcept>
#include <utility>

namespace trainyard {

std::vector<TimelineOutcome> replay(std::span<const TimelineJob> jobs, const StartRule& start, Running& jobs_at_work)
{
  constexpr double never = std::numeric_limits<double>::infinity();
  std::vector<TimelineOutcome> outcome(jobs.size());
  std::vector<std::size_t> arrivals(jobs.size());
  std::iota(arrivals.begin(), arrivals.end(), 0U);
  std::ranges::stable_sort(arrivals, {}, [&](std::size_t job) { return jobs[job].arrival; });

  std::vector<std::size_t> running, waiting, begun;
  std::vector<bool> over(jobs.size());
  std::size_t gone = 0; // in `running` still, and over
  const auto still_running = [&]() -> std::span<const std::size_t> {
    if (std::exchange(gone, 0) > 0)
      std::erase_if(running, [&](std::size_t job) { return over[job]; });
    return running;
  };
  std::vector<std::pair<double, std::size_t>> holding; // until when, job
  std::size_t next_arrival = 0;
  double now = 0;
  while (next_arrival < arrivals.size() || running.size() > gone || !waiting.empty() || !holding.empty()) {
    check_interrupt();
    double next = next_arrival < arrivals.size() ? jobs[arrivals[next_arrival]].arrival.value() : never;
    for (const auto& [ready, job] : holding)
      next = std::min(next, ready);
    std::vector<std::size_t> ended;
    if (running.size() > gone) {
      const auto [time, jobs_ended] = jobs_at_work.advance(Seconds{std::max(next, now)});
      next = time.value();
      ended = jobs_ended;
    }
    if (next == never)
      throw std::logic_error{"jobs wait and none can start"};
    now = std::max(next, now);
    for (const std::size_t job : ended) {
      over[job] = true;
      ++gone;
      outcome[job].finish = Seconds{now};
      jobs_at_work.end(job);
    }
    begun.clear();
    for (const auto& [ready, job] : holding) {
      if (ready > now)
        continue;
      outcome[job].began = Seconds{now};
      if (!jobs[job].fails) {
        begun.push_back(job);
        continue;
      }
      outcome[job].finish = Seconds{now};
      outcome[job].failed = true;
      jobs_at_work.end(job);
    }
    std::erase_if(holding, [&](const auto& entry) { return entry.first <= now; });
    while (next_arrival < arrivals.size() && jobs[arrivals[next_arrival]].arrival.value() <= now)
      waiting.push_back(arrivals[next_arrival++]);
    const std::vector<std::size_t> started =
        waiting.empty() ? std::vector<std::size_t>{} : start(still_running(), waiting);
    for (const std::size_t job : started) {
      outcome[job].start = Seconds{now};
      std::erase(waiting, job);
      if (jobs[job].hold > Seconds{} || jobs[job].fails) {
        holding.emplace_back(now + jobs[job].hold.value(), job);
        continue;
      }
      outcome[job].began = Seconds{now};
      begun.push_back(job);
    }
    if (begun.empty())
      continue;
    still_running();
    running.insert(running.end(), begun.begin(), begun.end());
    jobs_at_work.begin(begun, running, Seconds{now});
  }
  return outcome;
}

} // namespace trainyard
