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

void ServiceQueues::wake_at_next_crossing(const ClusterView& cluster, Decisions& decisions,
                                          const std::map<int, double>& forgiven) const
{
  Seconds next{std::numeric_limits<double>::infinity()};
  for (const JobId id : cluster.running()) {
    const auto without = forgiven.find(id.index);
    const double service = cluster.attained(id).value() - (without == forgiven.end() ? 0 : without->second);
    const auto queue = static_cast<std::size_t>(queue_of(service));
    const int gpus = cluster.state(id).held.gpus;
    if (queue < limits_.size() && gpus > 0)
      next = std::min(next, cluster.now() + Seconds{(limits_[queue] - service) / gpus});
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
