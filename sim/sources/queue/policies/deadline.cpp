// SPDX-License-Identifier: Apache-2.0
// Earliest deadline first with admission (Liu and Layland 1973; for DL jobs Chronos and ElasticFlow admit in this way).
// An arriving job is admitted if, by the estimates, EDF still meets the deadline of every admitted job when it joins;
// others run when nothing admitted wants the GPUs, in order of submission. Preemptive.
#include "sim/sources/queue/policies/greedy_order.hpp"
#include "sim/sources/queue/policies/planned_length.hpp"

#include <algorithm>
#include <set>

namespace trainyard {
namespace {

class Deadline final : public QueuePolicy
{
public:
  PoolOfMachines pool;

  explicit Deadline(const Settings& settings) : admission_{settings.flag("admission", true)} {}

  static std::vector<Parameter> parameters()
  {
    return {{.name = "admission",
             .kind = "boolean",
             .default_value = "true",
             .meaning =
                 "a job whose deadline cannot be met with the jobs admitted before it gets only the remaining GPUs"}};
  }

  void take_over(const Deadline& before, JobId id)
  {
    if (before.admitted_.contains(id))
      admitted_.insert(id);
    if (std::ranges::find(before.fresh_, id) == before.fresh_.end())
      judged_.insert(id);
  }

  void arrived(const ClusterView& cluster, JobId id) override
  {
    unplaced_.push_back(id);
    if (judged_.erase(id) == 0 && cluster.state(id).first_start < Instant{0} && cluster.state(id).failures == 0)
      fresh_.push_back(id);
  }

  void started(const ClusterView&, JobId id) override
  {
    judged_.erase(id);
    waiting_.erase(id);
  }

  void stopped(const ClusterView& cluster, JobId id) override
  {
    if (cluster.work_left(id) <= Instant{0})
      admitted_.erase(id);
  }

  void withdrawn(const ClusterView&, JobId id) override
  {
    waiting_.erase(id);
    std::erase(unplaced_, id);
    std::erase(fresh_, id);
    admitted_.erase(id);
  }

  void decide(const ClusterView& cluster, Decisions& decisions) override
  {
    for (const JobId id : fresh_)
      if (is_finite(cluster.job(id).deadline) && (!admission_ || feasible_with(cluster, id)))
        admitted_.insert(id);
    fresh_.clear();
    const bool all_started = start_all_waiting(cluster, decisions, pool);
    for (const JobId id : unplaced_)
      if (cluster.state(id).phase == JobPhase::waiting)
        waiting_.insert(cluster, id, place(cluster, id));
    unplaced_.clear();
    if (all_started)
      return;
    allocate_by_place(
        cluster, decisions, waiting_, [&](JobId id) { return place(cluster, id); }, pool);
  }

private:
  /// Who is admitted comes first, by deadline; the others by submission.
  using Place = std::pair<bool, Instant>;

  Place place(const ClusterView& cluster, JobId id) const
  {
    const bool admitted = admitted_.contains(id);
    return {!admitted, admitted ? cluster.job(id).deadline : cluster.job(id).submit};
  }

  struct Planned {
    Instant deadline;
    JobId id;
    Instant left;           // by the estimate
    std::int64_t milli = 0; // of GPUs
  };

  /// Plays EDF forward from now over the admitted jobs and the new one, GPUs counted.
  bool feasible_with(const ClusterView& cluster, JobId added) const
  {
    std::vector<Planned> jobs;
    const auto add = [&](JobId id) {
      jobs.push_back({cluster.job(id).deadline, id, planned_length(cluster, id), request_of(cluster.job(id)).milli()});
    };
    for (const JobId id : admitted_)
      add(id);
    add(added);
    std::ranges::sort(jobs, {}, [](const Planned& job) { return std::pair{job.deadline, job.id}; });
    Instant now = cluster.now();
    while (!jobs.empty()) {
      std::int64_t free = std::int64_t{1000} * pool.total_gpus(cluster);
      Instant step = end_of_time;
      std::vector<std::size_t> run;
      for (std::size_t i = 0; i < jobs.size(); ++i)
        if (jobs[i].milli <= free) {
          free -= jobs[i].milli;
          step = std::min(step, jobs[i].left);
          run.push_back(i);
        }
      if (run.empty())
        return false;
      now += step;
      for (const std::size_t i : run) {
        jobs[i].left -= step;
        if (jobs[i].left <= Instant{0} && now > jobs[i].deadline && !late_already(cluster, jobs[i].id))
          return false;
      }
      std::erase_if(jobs, [](const Planned& job) { return job.left <= Instant{0}; });
    }
    return true;
  }

  /// Lost by wrong estimates or failures: it must not block others forever.
  static bool late_already(const ClusterView& cluster, JobId id)
  {
    return cluster.state(id).first_start >= Instant{0} &&
           cluster.now() + planned_length(cluster, id) > cluster.job(id).deadline;
  }

  bool admission_;
  std::vector<JobId> fresh_;
  std::set<JobId> admitted_;
  std::set<JobId> judged_;      // taken over from another pool, and not told of since
  std::vector<JobId> unplaced_; // arrived since the last decision
  WaitingClasses<Place> waiting_;
};

using DeadlineByPool = ByPool<Deadline>;
TY_REGISTER(QueuePolicy, DeadlineByPool, "deadline", "earliest deadline first with admission, preemptive");

} // namespace
} // namespace trainyard
