// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "models/job/workload.hpp"
#include "sim/sources/queue/scheduling.hpp"

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <tuple>
#include <utility>
#include <vector>

namespace trainyard {

/// The order in which jobs first arrived. A job that comes back after a failure has its old turn.
class ArrivalTurns
{
public:
  /// Turn of a job that arrives now: 0, 1, … at first arrivals.
  std::int64_t of(JobId id)
  {
    const auto index = static_cast<std::size_t>(id.index);
    if (index >= turns_.size())
      turns_.resize(index + 1, -1);
    if (turns_[index] < 0)
      turns_[index] = next_++;
    return turns_[index];
  }
  /// The next new turn: above all that were given.
  std::int64_t next() const { return next_; }

private:
  std::vector<std::int64_t> turns_; // by job; -1: it has not come yet
  std::int64_t next_ = 0;
};

/// Machines that no job shares with those of another pool: partitions of a batch system that name machines of their
/// own, or types of GPU where every job asks for one. A plan that counts free GPUs counts those of one pool.
///
/// Two machines belong to one pool where some job that waits or runs now may go to both. So pools join and part in the
/// course of a run, and a job that is still to come changes nothing.
class MachinePools
{
public:
  /// The workload as it is at the start; jobs that others send may come later.
  void begin(const ClusterView& cluster);
  /// A job waits or runs from now on, or does no more. Nothing happens where that was known.
  void enter(const ClusterView& cluster, JobId id);
  void leave(JobId id);
  bool is_present(JobId id) const { return wish_of(id) >= 0; }
  /// Whether the pools no longer are what those who are present make of them.
  bool are_stale() const { return stale_; }
  /// Makes them anew; whether they have changed.
  bool join();

  int count() const { return static_cast<int>(machines_.size()); }
  /// Of a job.
  int of(const ClusterView& cluster, JobId id) const;
  /// Thousandths of GPUs that nobody uses in a pool.
  std::int64_t free_milli(const ClusterView& cluster, int pool) const;
  std::int64_t free_milli_of_type(const ClusterView& cluster, int pool, int gpu_type) const;
  /// Whole GPUs that nobody uses, of a type; below 0: of all.
  int free_gpus(const ClusterView& cluster, int pool, int gpu_type = -1) const;
  /// GPUs of the machines of a pool, of a type; below 0: of all.
  int total_gpus(const ClusterView& cluster, int pool, int gpu_type = -1) const;

private:
  using Wish = std::tuple<int, int, int>; // demands, type of GPU, list of tasks
  struct Wishing {
    std::vector<std::size_t> classes; // of machines that it may go to
    int jobs = 0;                     // that wait or run
  };
  int wish_of(JobId id) const
  {
    const auto index = static_cast<std::size_t>(id.index);
    return index < wish_of_.size() ? wish_of_[index] : -1;
  }
  static Wish wish(const TraceJob& job) { return {job.demands, job.gpu_type, job.task_list}; }
  static bool admits(const ClusterView& cluster, int node, const Wish& wish);
  bool is_joined(const Wishing& wish) const;
  void tell_machines_apart(const ClusterView& cluster);

  std::map<Wish, int> numbers_;           // of wishes
  std::vector<Wishing> wishes_;           // by number
  std::vector<int> wish_of_;              // number, by job; -1: it neither waits nor runs
  std::vector<std::vector<int>> classes_; // machines that no wish tells apart
  std::vector<int> pool_of_class_;
  std::vector<std::vector<int>> machines_; // by pool
  bool stale_ = false;
};

/// What a pool has free, for a policy that ByPool runs once for each.
struct PoolOfMachines {
  const MachinePools* pools = nullptr; // null: the whole cluster
  int number = 0;
  ArrivalTurns* turns = nullptr; // of all pools together

  bool holds(const ClusterView& cluster, JobId id) const
  {
    return pools == nullptr || pools->of(cluster, id) == number;
  }
  std::int64_t free_milli(const ClusterView& cluster) const
  {
    return pools != nullptr ? pools->free_milli(cluster, number) : cluster.cluster().free_milli();
  }
  int free_gpus(const ClusterView& cluster) const
  {
    return pools != nullptr ? pools->free_gpus(cluster, number) : cluster.cluster().free_gpus();
  }
  int free_gpus_of_type(const ClusterView& cluster, int gpu_type) const
  {
    return pools != nullptr ? pools->free_gpus(cluster, number, gpu_type)
                            : cluster.cluster().free_gpus_of_type(gpu_type);
  }
  /// Thousandths of GPUs of a type, also those that are in use in part.
  std::int64_t free_milli_of_type(const ClusterView& cluster, int gpu_type) const;
  int total_gpus(const ClusterView& cluster) const
  {
    return pools != nullptr ? pools->total_gpus(cluster, number) : cluster.cluster().total_gpus();
  }
  int gpus_of_type(const ClusterView& cluster, int gpu_type) const
  {
    return pools != nullptr ? pools->total_gpus(cluster, number, gpu_type) : cluster.cluster().gpus_of_type(gpu_type);
  }
  /// Whether machines that the job may go to have so many GPUs of a type.
  bool has_for(const ClusterView& cluster, const TraceJob& job, int gpu_type, int gpus) const;
  /// Jobs of the pool, in order of submission.
  std::vector<JobId> waiting(const ClusterView& cluster) const { return of_pool(cluster, cluster.waiting()); }
  std::vector<JobId> running(const ClusterView& cluster) const { return of_pool(cluster, cluster.running()); }

private:
  std::vector<JobId> of_pool(const ClusterView& cluster, std::span<const JobId> all) const;
};

/// Runs a policy for each pool of machines by itself: nobody waits for a job whose machines he could never have.
/// @tparam Policy copied before its first job, with a member `pool` of type PoolOfMachines. Where pools join or part,
/// it is told of all jobs of its new pool again, in order of their numbers. Before that it takes over what the policy
/// that had the job knew of it, where it has a function for this: `take_over(before, job)`. Where that is a bool, true
/// means that it knows all, and it is not told.
template <class Policy>
class ByPool final : public QueuePolicy
{
public:
  explicit ByPool(const Settings& settings) : unused_{settings} { unused_.pool.turns = &turns_; }

  static std::vector<Parameter> parameters() { return Policy::parameters(); }

  void begin(const ClusterView& cluster) override
  {
    unused_.begin(cluster);
    pools_.begin(cluster);
    divide(cluster);
  }
  void arrived(const ClusterView& cluster, JobId id) override
  {
    if (!enter(cluster, id))
      lane(id).arrived(cluster, id);
  }
  void started(const ClusterView& cluster, JobId id) override
  {
    pools_.enter(cluster, id);
    lane(id).started(cluster, id);
  }
  void stopped(const ClusterView& cluster, JobId id) override
  {
    lane(id).stopped(cluster, id);
    pools_.leave(id);
  }
  void speed_changed(const ClusterView& cluster, JobId id) override { lane(id).speed_changed(cluster, id); }
  void withdrawn(const ClusterView& cluster, JobId id) override
  {
    lane(id).withdrawn(cluster, id);
    pools_.leave(id);
  }
  void decide(const ClusterView& cluster, Decisions& decisions) override
  {
    if (pools_.are_stale() && pools_.join())
      divide(cluster);
    decides_ = true;
    for (Policy& lane : lanes_)
      lane.decide(cluster, decisions);
    decides_ = false;
  }
  bool one_type() const override { return unused_.one_type(); }
  bool resizes() const override { return unused_.resizes(); }
  bool unlike_tasks() const override { return unused_.unlike_tasks(); }
  WaitReason usual_reason() const override { return (lanes_.size() == 1 ? lanes_.front() : unused_).usual_reason(); }

private:
  static constexpr std::size_t nowhere = static_cast<std::size_t>(-1);

  std::size_t& lane_of(JobId id)
  {
    const auto index = static_cast<std::size_t>(id.index);
    if (index >= lane_of_.size())
      lane_of_.resize(index + 1, nowhere);
    return lane_of_[index];
  }
  Policy& lane(JobId id) { return lanes_[lane_of(id)]; }
  std::size_t lane_now(const ClusterView& cluster, JobId id) const
  {
    return lanes_.size() > 1 ? static_cast<std::size_t>(pools_.of(cluster, id)) : 0;
  }

  /// Whether pools have joined or parted, so that all were told of all their jobs.
  bool enter(const ClusterView& cluster, JobId id)
  {
    pools_.enter(cluster, id);
    if (pools_.are_stale() && !decides_ && pools_.join()) {
      divide(cluster);
      return true;
    }
    lane_of(id) = lane_now(cluster, id);
    return false;
  }

  /// A policy for each pool, with the jobs that wait or run there.
  void divide(const ClusterView& cluster)
  {
    const std::vector<Policy> before = std::exchange(lanes_, {});
    lanes_.assign(static_cast<std::size_t>(std::max(1, pools_.count())), unused_);
    for (std::size_t number = 0; lanes_.size() > 1 && number < lanes_.size(); ++number) {
      lanes_[number].pool.pools = &pools_;
      lanes_[number].pool.number = static_cast<int>(number);
    }
    std::vector<JobId> jobs{cluster.waiting().begin(), cluster.waiting().end()};
    jobs.insert(jobs.end(), cluster.running().begin(), cluster.running().end());
    std::erase_if(jobs, [&](JobId id) { return !pools_.is_present(id); });
    std::ranges::sort(jobs);
    for (const JobId id : jobs) {
      const std::size_t had = std::exchange(lane_of(id), lane_now(cluster, id));
      if constexpr (requires {
                      {
                        lane(id).take_over(before[had], id)
                        } -> std::same_as<bool>;
                    }) {
        if (had != nowhere && lane(id).take_over(before[had], id))
          continue;
      } else if constexpr (requires { lane(id).take_over(before[had], id); }) {
        if (had != nowhere)
          lane(id).take_over(before[had], id);
      }
      if (cluster.is_running(id))
        lane(id).started(cluster, id);
      else
        lane(id).arrived(cluster, id);
    }
  }

  Policy unused_; // as it was before the first job
  ArrivalTurns turns_;
  MachinePools pools_;
  std::vector<Policy> lanes_;        // by pool
  std::vector<std::size_t> lane_of_; // by job
  bool decides_ = false;
};

} // namespace trainyard
