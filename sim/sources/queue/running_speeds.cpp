// SPDX-License-Identifier: Apache-2.0
#include "sim/sources/queue/running_speeds.hpp"

#include <cmath>
#include <stdexcept>
#include <string>

namespace trainyard {

void RunningSpeeds::mark(JobId id)
{
  if (to_ask_.insert(id.index).second)
    marked_.push_back(id);
}

void RunningSpeeds::add(const PlacedTraceJob& job)
{
  contention_.add(job.id, model_->links(workload_, job));
  mark(job.id);
}

void RunningSpeeds::forget(JobId id)
{
  for (const JobId other : contention_.component(id))
    if (other != id)
      mark(other);
  contention_.remove(id);
  speeds_.erase(id.index);
}

const JobSpeed* RunningSpeeds::of(JobId id) const
{
  const auto found = speeds_.find(id.index);
  return found == speeds_.end() ? nullptr : &found->second;
}

void RunningSpeeds::update(const std::function<PlacedTraceJob(JobId)>& placed,
                           const std::function<void(JobId, const JobSpeed&)>& changed)
{
  for (const JobId marked : marked_) {
    if (!to_ask_.contains(marked.index))
      continue; // done with those it contends with
    if (placed(marked).held == nullptr) {
      to_ask_.erase(marked.index);
      continue;
    }
    const std::vector<JobId> component = contention_.component(marked);
    std::vector<PlacedTraceJob> jobs;
    for (const JobId id : component)
      jobs.push_back(placed(id));
    const std::vector<JobSpeed> speeds = model_->speeds(workload_, jobs);
    for (std::size_t i = 0; i < component.size(); ++i) {
      const JobId id = component[i];
      const JobSpeed& speed = speeds.at(i);
      to_ask_.erase(id.index);
      if (!(speed.speed >= 0) || !std::isfinite(speed.speed))
        throw std::logic_error{"job " + std::to_string(id.index) + " was given the speed " +
                               std::to_string(speed.speed)};
      const JobSpeed* before = of(id);
      if (before != nullptr && before->speed == speed.speed && before->neighbour == speed.neighbour &&
          before->link == speed.link && before->until == speed.until)
        continue;
      changed(id, speed);
      speeds_[id.index] = speed;
    }
  }
  marked_.clear();
}

} // namespace trainyard
