// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "sim/sources/queue/policies/greedy_order.hpp"

#include <map>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace trainyard {

/// Bookkeeping of Tiresias' discretised queues: a job sits in the first queue whose limit its attained service has not
/// reached; a running job is looked at again when it crosses the limit.
class ServiceQueues
{
public:
  /// @p limits: GPU-seconds, ascending, above 0. Throws std::invalid_argument otherwise.
  explicit ServiceQueues(const std::vector<double>& limits);

  int count() const { return static_cast<int>(limits_.size()) + 1; }
  int queue_of(GpuTime service) const;

  /// The job's service from now on is what it gets from now on.
  void forgive(const ClusterView& cluster, JobId id) { forgiven_[id.index] = cluster.attained(id); }
  void forget(JobId id) { forgiven_.erase(id.index); }
  GpuTime service(const ClusterView& cluster, JobId id) const;
  /// A job that @p before has had.
  void take_over(const ServiceQueues& before, JobId id)
  {
    if (const auto forgiven = before.forgiven_.find(id.index); forgiven != before.forgiven_.end())
      forgiven_[id.index] = forgiven->second;
  }

  /// A job runs, or has left a queue: notes when it leaves its queue.
  void runs(const ClusterView& cluster, JobId id);
  /// Nothing happens where it was not noted.
  void stops(JobId id);
  /// Running jobs that have left their queues.
  std::vector<JobId> due(Instant now) const;
  /// Asks for a decision when the first of the running jobs leaves its queue.
  void wake_at_next_crossing(Decisions& decisions) const;

private:
  std::vector<GpuTime> limits_;
  std::map<int, GpuTime> forgiven_;               // by job
  std::set<std::pair<Instant, JobId>> crossings_; // when running jobs leave their queues
  std::unordered_map<int, Instant> crosses_at_;   // the same by job
};

/// Waiting and running jobs in the order of places that follow from their service. A waiting job keeps its place.
template <class Place>
class ServiceOrder
{
public:
  void waits(const ClusterView& cluster, JobId id, Place place) { waiting_.insert(cluster, id, place); }
  void waits_no_more(JobId id) { waiting_.erase(id); }
  void started(const ClusterView& cluster, JobId id) { started_.add(cluster, id); }
  void stopped(ServiceQueues& queues, JobId id)
  {
    running_.erase(id);
    queues.stops(id);
  }
  /// GPUs to the first in order. @p place(id): of a running job, which it keeps until it leaves its queue.
  template <class PlaceOf>
  void allocate(const ClusterView& cluster, Decisions& decisions, ServiceQueues& queues, const PoolOfMachines& pool,
                const PlaceOf& place)
  {
    const auto look_at = [&](const std::vector<JobId>& jobs) {
      for (const JobId id : jobs) {
        running_.insert(cluster, id, place(id));
        queues.runs(cluster, id);
      }
    };
    look_at(started_.take(cluster));
    look_at(queues.due(cluster.now()));
    if (!waiting_.empty())
      allocate_in_order(cluster, decisions, running_, waiting_, GreedyRules{.pool = pool});
    if (cluster.waiting().empty())
      return;
    look_at(started_.take(cluster));
    queues.wake_at_next_crossing(decisions);
  }

private:
  WaitingClasses<Place> waiting_; // service stands still while a job waits
  RunningOrder<Place> running_;
  StartedSince started_; // not in running_ yet
};

/// The settings `limits`, with this default, and `promote`, with the sources of both.
std::vector<Parameter> service_parameters(const std::string& limits, const std::string& source_of_limits,
                                          const std::string& source_of_promote);

/// "3250 7200": limits of queues in GPU-seconds. Throws std::invalid_argument for what is not a list of ascending
/// numbers above 0.
std::vector<double> queue_limits(const std::string& text);

} // namespace trainyard
