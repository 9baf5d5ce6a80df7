#pragma once
#include "sim/scheduling/cluster_state.hpp"

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

namespace trainyard {

enum class JobPhase : std::uint8_t { pending, waiting, running, finished, impossible, stalled };

/// One job's life so far; at the end, its outcome.
struct JobState {
  JobPhase phase = JobPhase::pending;
  Seconds remaining; // work left at `since`
  Seconds since;     // when it last started
  Seconds first_start{-1};
  Seconds end;       // of a running job: when it will end; of a finished one: when it ended
  int position = -1; // in the list of its phase
  int preemptions = 0;
  std::uint32_t version = 0; // of its pending end event
  WaitReason reason = WaitReason::none;
  Allocation held;
};

/// What a policy may see.
class ClusterView
{
public:
  ClusterView(const Workload& workload, const ClusterState& cluster) : workload_{workload}, cluster_{cluster} {}
  virtual ~ClusterView() = default;

  Seconds now() const { return now_; }
  const ClusterState& cluster() const { return cluster_; }
  const TraceJob& job(JobId id) const { return workload_.job(id); }
  const JobState& state(JobId id) const { return states_[static_cast<std::size_t>(id.index)]; }
  /// Waiting jobs and running jobs, each in no particular (but reproducible) order.
  std::span<const JobId> waiting() const { return waiting_; }
  std::span<const JobId> running() const { return running_; }
  /// Work done so far, in seconds at speed 1.
  Seconds progress(JobId id) const;
  /// What the user's estimate leaves; never negative.
  Seconds estimated_remaining(JobId id) const;

protected:
  Seconds now_;
  std::vector<JobState> states_;
  std::vector<JobId> waiting_;
  std::vector<JobId> running_;

private:
  const Workload& workload_;
  const ClusterState& cluster_;
};

/// What a policy may do; every call is checked by the engine and takes effect at once.
class Decisions
{
public:
  virtual ~Decisions() = default;
  /// Starts the whole gang; false where it does not fit now, and the reason is recorded.
  virtual bool start(JobId id) = 0;
  /// Stops a running job; it waits again with its progress kept.
  virtual void preempt(JobId id) = 0;
};

/// Decides which job runs. Told of arrivals (also of preempted jobs that wait again), so that it can keep its own order.
class QueuePolicy
{
public:
  virtual ~QueuePolicy() = default;
  virtual void arrived(const ClusterView& cluster, JobId id)
  {
    static_cast<void>(cluster);
    static_cast<void>(id);
  }
  /// Once per instant, after all ends and arrivals.
  virtual void decide(const ClusterView& cluster, Decisions& decisions) = 0;
};

struct JobOutcome {
  Seconds first_start{-1};
  Seconds end{-1};
  int preemptions = 0;
  JobPhase phase = JobPhase::pending; // finished, impossible (more than the cluster has) or stalled (never started, nothing left to end)
  WaitReason reason = WaitReason::none;
};

struct SchedulingResult {
  std::vector<JobOutcome> jobs;
  int finished = 0;
  Seconds makespan;
  Seconds mean_jct;  // completion - submission, of finished jobs
  Seconds mean_wait; // first start - submission, of finished jobs
};

/// Replays a workload, sorted by submission, on a cluster. At one instant: ends, then arrivals in order of the workload, then starts.
///
/// Ends even where jobs can never run: they are reported. Preemption is free and keeps progress. Throws std::invalid_argument for a
/// workload that is not sorted or has negative times, std::logic_error for a decision that breaks the rules.
SchedulingResult simulate_queue(const Workload& workload, const ClusterShape& shape, QueuePolicy& policy,
                                PlacementPolicy* placement = nullptr);

} // namespace trainyard
