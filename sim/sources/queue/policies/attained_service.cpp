// SPDX-License-Identifier: Apache-2.0
#include "sim/sources/queue/policies/attained_service.hpp"

#include <algorithm>
#include <limits>
#include <sstream>
#include <stdexcept>

namespace trainyard {
namespace {

constexpr double tolerance = 1e-6; // GPU-seconds: a crossing that rounding moved beyond its wake-up counts

} // namespace

ServiceQueues::ServiceQueues(std::vector<double> limits) : limits_{std::move(limits)}
{
  double before = 0;
  for (const double limit : limits_) {
    if (!(limit > before))
      throw std::invalid_argument{"queue limits must be above 0 and in ascending order"};
    before = limit;
  }
}

int ServiceQueues::queue_of(double service) const
{
  return static_cast<int>(std::ranges::upper_bound(limits_, service + tolerance) - limits_.begin());
}

double ServiceQueues::service(const ClusterView& cluster, JobId id) const
{
  const double attained = cluster.attained(id).value();
  if (forgiven_.empty())
    return attained;
  const auto without = forgiven_.find(id.index);
  return attained - (without == forgiven_.end() ? 0 : without->second);
}

/// When it leaves the queue in which it is now; nothing where it stays.
std::optional<Seconds> ServiceQueues::crossing(const ClusterView& cluster, JobId id) const
{
  const double had = service(cluster, id);
  const auto queue = static_cast<std::size_t>(queue_of(had));
  const double gpus = static_cast<double>(cluster.state(id).held.milli()) / 1000;
  if (queue >= limits_.size() || gpus <= 0)
    return std::nullopt;
  return cluster.now() + Seconds{(limits_[queue] - had) / gpus};
}

void ServiceQueues::runs(const ClusterView& cluster, JobId id)
{
  stops(id);
  const std::optional<Seconds> time = crossing(cluster, id);
  if (!time)
    return;
  // So much earlier that rounding and the tolerance of queue_of() do not matter.
  const double gpus = static_cast<double>(cluster.state(id).held.milli()) / 1000;
  const Seconds look = *time - Seconds{2 * tolerance / gpus} - *time * 1e-12;
  looks_.emplace(look, id);
  look_at_.emplace(id.index, look);
}

void ServiceQueues::stops(JobId id)
{
  const auto known = look_at_.find(id.index);
  if (known == look_at_.end())
    return;
  looks_.erase({known->second, id});
  look_at_.erase(known);
}

std::vector<JobId> ServiceQueues::due(Seconds now) const
{
  std::vector<JobId> jobs;
  for (const auto& [look, id] : looks_) {
    if (look > now)
      break;
    jobs.push_back(id);
  }
  return jobs;
}

void ServiceQueues::wake_at_next_crossing(const ClusterView& cluster, Decisions& decisions) const
{
  Seconds next{std::numeric_limits<double>::infinity()};
  for (const auto& [look, id] : looks_) {
    if (look > next)
      break; // no job is looked at after it leaves its queue
    next = std::min(next, crossing(cluster, id).value_or(next));
  }
  decisions.wake_at(next);
}

std::vector<double> queue_limits(const std::string& text)
{
  std::vector<double> limits;
  std::istringstream words{text};
  for (std::string word; words >> word;) {
    std::size_t used = 0;
    double value = 0;
    try {
      value = std::stod(word, &used);
    } catch (const std::exception&) {
      used = 0;
    }
    if (used != word.size())
      throw std::invalid_argument{"'" + word + "' is not a number of GPU-seconds"};
    limits.push_back(value);
  }
  return limits;
}

} // namespace trainyard
