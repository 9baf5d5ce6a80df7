// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "sim/sources/queue/scheduling.hpp"

#include <map>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>
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

  /// By job, service that does not count.
  using Forgiven = std::map<int, double>;
  static double service(const ClusterView& cluster, JobId id, const Forgiven& forgiven);

  /// A job runs, or has been looked at: notes when it may leave its queue.
  void runs(const ClusterView& cluster, JobId id, const Forgiven& forgiven = {});
  /// Nothing happens where it was not noted.
  void stops(JobId id);
  /// Running jobs that may have left their queues; no other has.
  std::vector<JobId> due(Seconds now) const;
  /// Asks for a decision when the first of the running jobs leaves its queue.
  void wake_at_next_crossing(const ClusterView& cluster, Decisions& decisions, const Forgiven& forgiven = {}) const;

private:
  std::optional<Seconds> crossing(const ClusterView& cluster, JobId id, const Forgiven& forgiven) const;

  std::vector<double> limits_;
  std::set<std::pair<Seconds, JobId>> looks_; // when to look whether a running job has left its queue
  std::unordered_map<int, Seconds> look_at_;  // the same by job
};

/// "3250 7200": limits of queues in GPU-seconds. Throws std::invalid_argument for what is not a list of ascending
/// numbers above 0.
std::vector<double> queue_limits(const std::string& text);

} // namespace trainyard
