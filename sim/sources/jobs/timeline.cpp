// SPDX-License-Identifier: Apache-2.0
#include "sim/sources/jobs/timeline.hpp"

#include "models/core/interrupt.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <limits>
#include <map>
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

  std::size_t running = 0;
  std::vector<std::size_t> waiting, begun;
  std::size_t served = 0;                              // of `waiting`, from its begin: they have started
  std::vector<std::pair<double, std::size_t>> holding; // until when, job
  std::size_t next_arrival = 0;
  double now = 0;
  while (next_arrival < arrivals.size() || running > 0 || waiting.size() > served || !holding.empty()) {
    check_interrupt();
    double next = next_arrival < arrivals.size() ? jobs[arrivals[next_arrival]].arrival.value() : never;
    for (const auto& [ready, job] : holding)
      next = std::min(next, ready);
    std::vector<std::size_t> ended;
    if (running > 0) {
      const auto [time, jobs_ended] = jobs_at_work.advance(Seconds{std::max(next, now)});
      next = time.value();
      ended = jobs_ended;
    }
    if (next == never)
      throw std::logic_error{"jobs wait and none can start"};
    now = std::max(next, now);
    for (const std::size_t job : ended) {
      --running;
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
    if (served == waiting.size()) {
      waiting.clear();
      served = 0;
    }
    const std::span<const std::size_t> in_line = std::span{waiting}.subspan(served);
    const std::vector<std::size_t> started = in_line.empty() ? std::vector<std::size_t>{} : start(in_line);
    for (const std::size_t job : started) {
      outcome[job].start = Seconds{now};
      if (waiting[served] == job) // as a rule; the line may be long
        ++served;
      else
        waiting.erase(std::find(waiting.begin() + static_cast<std::ptrdiff_t>(served), waiting.end(), job));
      if (jobs[job].hold > Seconds{} || jobs[job].fails) {
        holding.emplace_back(now + jobs[job].hold.value(), job);
        continue;
      }
      outcome[job].began = Seconds{now};
      begun.push_back(job);
    }
    if (begun.empty())
      continue;
    running += begun.size();
    jobs_at_work.begin(begun, running, Seconds{now});
  }
  return outcome;
}

StartUps::StartUps(const Scenario& scenario, std::span<const PreparedJob> jobs)
    : jobs_{jobs}, group_(jobs.size(), nullptr), creates_(jobs.size(), false), hold_(jobs.size()), failure_(jobs.size())
{
  const auto* section = scenario.section<RendezvousSection>("rendezvous");
  if (section == nullptr)
    return;
  std::map<const RendezvousSpec*, std::size_t> first; // of each group: who comes first creates the tasks
  for (std::size_t j = 0; j < jobs.size(); ++j)
    if ((group_[j] = section->of(jobs[j].spec.name)) != nullptr) {
      const auto [found, fresh] = first.try_emplace(group_[j], j);
      if (!fresh && jobs[j].spec.arrival < jobs[found->second].spec.arrival)
        found->second = j;
    }
  for (std::size_t j = 0; j < jobs.size(); ++j) {
    if (group_[j] == nullptr)
      continue;
    const RendezvousSpec& spec = *group_[j];
    const RendezvousOutcome met = Registry<RendezvousProtocol>::instance().create(spec.protocol)->meet(spec);
    creates_[j] = first[group_[j]] == j;
    failure_[j] = met.failure;
    if (creates_[j])
      hold_[j] = spec.deploy + met.start.value_or(met.gives_up.value_or(Seconds{}));
    else if (!met.start)
      hold_[j] = met.gives_up.value_or(Seconds{});
  }
}

void StartUps::tell(std::size_t job, std::span<const TimelineOutcome> outcomes, const std::string& point,
                    std::vector<EventRow>& events) const
{
  if (group_[job] == nullptr)
    return;
  const RendezvousSpec& spec = *group_[job];
  const std::string& name = jobs_[job].spec.name;
  const TimelineOutcome& outcome = outcomes[job];
  if (creates_[job]) {
    const Seconds there = outcome.start + spec.deploy;
    if (spec.deploy > Seconds{})
      events.push_back({point, there, "deployed", name, fmt::format("{} tasks", spec.tasks.size())});
    for (const JoiningTask& task : spec.tasks)
      if (task.joins && (!outcome.failed || there + *task.joins <= outcome.began))
        events.push_back({point, there + *task.joins, "joined", name,
                          task.address.empty() ? task.name : fmt::format("{} at {}", task.name, task.address)});
  }
  if (outcome.failed)
    events.push_back({point, outcome.began, "never starts", name, failure_[job]});
  else
    events.push_back(
        {point, outcome.began, "training starts", name, creates_[job] ? "" : "the tasks were waiting in join()"});
  // Until the next client comes the tasks keep their GPUs.
  const TimelineOutcome* next = nullptr;
  for (std::size_t other = 0; other < outcomes.size(); ++other)
    if (other != job && group_[other] == group_[job] && outcomes[other].start >= outcome.finish &&
        (next == nullptr || outcomes[other].start < next->start))
      next = &outcomes[other];
  if (next != nullptr && next->start > outcome.finish)
    events.push_back(
        {point, outcome.finish, "waits in join()", name,
         fmt::format("{} GPUs reserved and idle until the next client, GPU-hours: {:.2f}", jobs_[job].spec.workers,
                     (next->start - outcome.finish).value() / 3600 * jobs_[job].spec.workers)});
}

} // namespace trainyard
