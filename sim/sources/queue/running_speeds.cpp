// SPDX-License-Identifier: Apache-2.0
#include "sim/sources/queue/running_speeds.hpp"

#include <cmath>
#include <stdexcept>
#include <string>
#include <utility>

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

int LinkVisitors::enter(Instant now, const std::string& name, const std::string& model, const Allocation& held)
{
  const int number = -2 - static_cast<int>(names_.size());
  names_.push_back(name);
  Visitor visitor{.job = {}, .held = held, .speed = {}, .since = now};
  visitor.job.gpus = held.gpus;
  for (int index = 0; index < workload_.models.size(); ++index)
    if (workload_.models.name(index) == model)
      visitor.job.model = index;
  if (visitor.job.model == 0)
    throw std::logic_error{"the workload does not know the job '" + model + "'"};
  visitors_.emplace(number, std::move(visitor));
  return number;
}

void LinkVisitors::leave(Instant now, int number)
{
  note(now, number);
  visitors_.erase(number);
}

PlacedTraceJob LinkVisitors::placed(JobId id) const
{
  const auto visitor = visitors_.find(id.index);
  return visitor == visitors_.end() ? PlacedTraceJob{id, nullptr, nullptr}
                                    : PlacedTraceJob{id, &visitor->second.job, &visitor->second.held};
}

void LinkVisitors::set_speed(Instant now, int number, const JobSpeed& speed)
{
  Visitor& visitor = visitors_.at(number);
  if (visitor.speed.speed == speed.speed && visitor.speed.alone == speed.alone &&
      visitor.speed.neighbour == speed.neighbour && visitor.speed.link == speed.link)
    return;
  note(now, number);
  changes_ += share_of(speed) != share_of(visitor.speed) ? 1 : 0;
  visitor.speed = speed;
}

void LinkVisitors::stop(Instant now)
{
  for (const auto& [number, visitor] : visitors_)
    note(now, number);
}

/// Writes down the time since the visitor's speed last changed, where it was slowed.
void LinkVisitors::note(Instant now, int number)
{
  Visitor& visitor = visitors_.at(number);
  const JobSpeed& speed = visitor.speed;
  if (now > visitor.since && speed.link >= 0) {
    const JobId by = speed.neighbour;
    slow_visits_.push_back({name_of(number), visitor.since, now, share_of(speed),
                            by.index < -1 ? name_of(by.index) : workload_.name(by), model_->link_name(speed.link)});
  }
  visitor.since = now;
}

} // namespace trainyard
