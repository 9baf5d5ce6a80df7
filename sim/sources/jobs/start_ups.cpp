// SPDX-License-Identifier: Apache-2.0
#include "sim/sources/jobs/start_ups.hpp"

#include <fmt/format.h>

#include <map>

namespace trainyard {

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
