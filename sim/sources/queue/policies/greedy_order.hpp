// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "sim/sources/queue/scheduling.hpp"

#include "sim/sources/queue/policies/waiting_classes.hpp"

#include <algorithm>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace trainyard {

/// Preemptive greedy allocation: GPUs go to the jobs in the order in which they are offered, running ones and waiting
/// ones alike; a running job that gets none is preempted, a waiting one that gets some starts, one that does not fit
/// into the rest is skipped. Gangs are whole or not at all. GPUs are counted per type where types differ in speed.
/// Waiting jobs that are never offered get nothing.
///
/// On machines a chosen job may still find no place (fragmentation); it waits then, and the job preempted for it is
/// started again before others, in order.
class GreedyAllocation
{
public:
  explicit GreedyAllocation(const ClusterView& cluster);
  /// The next in order; whether it gets GPUs. Where a waiting one does not, no other with the same request will.
  bool offer(JobId id);
  /// Whether nothing is left for anybody who needs a GPU.
  bool exhausted() const
  {
    return std::ranges::all_of(left_, [](std::int64_t left) { return left == 0; });
  }
  /// Carries it out.
  void apply(Decisions& decisions) const;

private:
  int take(JobId id);
  bool take_from(std::size_t type, std::int64_t needed);

  const ClusterView& cluster_;
  bool typed_ = false;
  std::vector<std::int64_t> left_; // free thousandths per GPU type if all jobs were stopped
  std::vector<std::pair<JobId, int>> chosen_;
  std::vector<JobId> stopped_;
};

/// Offers GPUs to @p running (sorted) and @p waiting together, in order, and carries it out.
template <class Key>
void allocate_in_order(const ClusterView& cluster, Decisions& decisions, std::span<const std::pair<Key, JobId>> running,
                       WaitingClasses<Key>& waiting)
{
  GreedyAllocation allocation{cluster};
  waiting.walk(running, [&](JobId id, bool) { return allocation.offer(id) ? Walk::on : Walk::skip_class; });
  allocation.apply(decisions);
}

/// Starts every waiting job where all of them fit beside what runs; false, with some of them perhaps started, where
/// they do not. Cheaper than any order, and the same as a greedy one.
bool start_all_waiting(const ClusterView& cluster, Decisions& decisions);

} // namespace trainyard
