// SPDX-License-Identifier: Apache-2.0
#include "sim/sources/queue/policies/attained_service.hpp"

#include "models/core/text.hpp"

#include <algorithm>
#include <sstream>
#include <stdexcept>

namespace trainyard {

ServiceQueues::ServiceQueues(const std::vector<double>& limits)
{
  GpuTime before;
  for (const double limit : limits) {
    limits_.emplace_back(Seconds{limit});
    if (!(limit > 0) || limits_.back() <= before)
      throw std::invalid_argument{"queue limits must be above 0 and in ascending order"};
    before = limits_.back();
  }
}

int ServiceQueues::queue_of(GpuTime service) const
{
  return static_cast<int>(std::ranges::upper_bound(limits_, service) - limits_.begin());
}

GpuTime ServiceQueues::service(const ClusterView& cluster, JobId id) const
{
  const GpuTime attained = cluster.attained(id);
  if (forgiven_.empty())
    return attained;
  const auto without = forgiven_.find(id.index);
  return without == forgiven_.end() ? attained : attained - without->second;
}

void ServiceQueues::runs(const ClusterView& cluster, JobId id)
{
  stops(id);
  const GpuTime had = service(cluster, id);
  const auto queue = static_cast<std::size_t>(queue_of(had));
  const std::int64_t milli = cluster.state(id).held.milli();
  if (queue >= limits_.size() || milli <= 0)
    return;
  const Wide left = ((limits_[queue] - had).count() + milli - 1) / milli;
  if (left >= end_of_time.count())
    return;
  const Instant time = cluster.now() + Instant{static_cast<std::int64_t>(left)};
  crossings_.emplace(time, id);
  crosses_at_.emplace(id.index, time);
}

void ServiceQueues::stops(JobId id)
{
  const auto known = crosses_at_.find(id.index);
  if (known == crosses_at_.end())
    return;
  crossings_.erase({known->second, id});
  crosses_at_.erase(known);
}

std::vector<JobId> ServiceQueues::due(Instant now) const
{
  std::vector<JobId> jobs;
  for (const auto& [time, id] : crossings_) {
    if (time > now)
      break;
    jobs.push_back(id);
  }
  return jobs;
}

void ServiceQueues::wake_at_next_crossing(Decisions& decisions) const
{
  if (!crossings_.empty())
    decisions.wake_at(crossings_.begin()->first);
}

std::vector<Parameter> service_parameters(const std::string& limits, const std::string& source_of_limits,
                                          const std::string& source_of_promote)
{
  return {{.name = "limits",
           .kind = "name",
           .default_value = limits,
           .meaning = "GPU-seconds after which a job moves down to the next queue, ascending, separated by spaces",
           .source = source_of_limits},
          {.name = "promote",
           .default_value = "0",
           .meaning = "a job moves back to the first queue if it waits this many times its run time since it was "
                      "last there; 0 = never",
           .minimum = 0,
           .maximum = 1e9,
           .source = source_of_promote}};
}

std::vector<double> queue_limits(const std::string& text)
{
  std::vector<double> limits;
  std::istringstream words{text};
  for (std::string word; words >> word;) {
    const auto value = as_number<double>(word);
    if (!value)
      throw std::invalid_argument{"'" + word + "' is not a number of GPU-seconds"};
    limits.push_back(*value);
  }
  return limits;
}

} // namespace trainyard
