// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "sim/sources/queue/scheduling.hpp"

#include <map>
#include <string>
#include <vector>

namespace trainyard {

/// Bookkeeping of Tiresias' discretised queues: a job sits in the first queue whose limit its attained service
/// (GPU-seconds) has not reached; a running job is looked at again when it crosses the limit.
class ServiceQueues
{
public:
  /// @p limits: ascending, above 0. Throws std::invalid_argument otherwise.
  explicit ServiceQueues(std::vector<double> limits);

  int count() const { return static_cast<int>(limits_.size()) + 1; }
  int queue_of(double service) const;
  /// Asks for a decision when the first of the running jobs leaves its queue. @p forgiven: by job, service that does
  /// not count.
  void wake_at_next_crossing(const ClusterView& cluster, Decisions& decisions,
                             const std::map<int, double>& forgiven = {}) const;

private:
  std::vector<double> limits_;
};

/// "3250 7200": limits of queues in GPU-seconds. Throws std::invalid_argument for what is not a list of ascending
/// numbers above 0.
std::vector<double> queue_limits(const std::string& text);

} // namespace trainyard
