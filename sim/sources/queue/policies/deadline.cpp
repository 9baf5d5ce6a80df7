// SPDX-License-Identifier: Apache-2.0
// Earliest deadline first with admission (Liu and Layland 1973; for DL jobs Chronos and ElasticFlow admit in this way).
// An arriving job is admitted if, by the estimates, EDF still meets the deadline of every admitted job when it joins;
// others run when nothing admitted wants the GPUs, in order of submission. Preemptive.
#include "sim/sources/queue/policies/fewest_stops.hpp"
#include "sim/sources/queue/policies/greedy_order.hpp"
#include "sim/sources/queue/policies/planned_length.hpp"

#include <algorithm>
#include <bit>
#include <functional>
#include <iterator>
#include <map>
#include <set>
#include <span>

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

  bool one_type() const override { return true; }
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
    allocate_by_place(cluster, decisions, waiting_, [&](JobId id) { return place(cluster, id); },
                      {.pool = pool, .more_stops = [&](JobId id) { return stops_for_place(cluster, decisions, id); }});
  }

private:
  /// Who is admitted comes first, by deadline; the others by submission.
  using Place = std::pair<bool, Instant>;

  Place place(const ClusterView& cluster, JobId id) const
  {
    const bool admitted = admitted_.contains(id);
    return {!admitted, admitted ? cluster.job(id).deadline : cluster.job(id).submit};
  }

  /// A job may have GPUs and finds none that are whole: the fewest of those behind it that run, the last first.
  std::vector<JobId> stops_for_place(const ClusterView& cluster, Decisions& decisions, JobId id) const
  {
    const auto order = [&](JobId job) { return std::pair{place(cluster, job), job}; };
    std::vector<JobId> behind = pool.running(cluster);
    std::erase_if(behind, [&](JobId other) { return order(other) < order(id); });
    std::ranges::sort(behind, std::greater{}, order);
    return fewest_stops(std::move(behind),
                        [&](std::span<const JobId> stopped) { return decisions.fits_without(id, stopped); });
  }

  struct Planned {
    Instant deadline;
    JobId id;
    Instant left; // by the estimate
    int gpus = 0;
    int milli = 0;        // of each GPU
    bool runs = false;    // it has its GPUs
    std::int64_t gpu = 0; // of which it has a part
  };

  /// GPUs that the admitted jobs may have: whole ones are counted, those in use in part told apart.
  struct Gpus {
    int whole = 0;
    std::map<std::int64_t, int> parts = {}; // thousandths left of each GPU that is in use in part

    /// Of a GPU in use in part the fullest that will do, else one of which nobody has a part yet.
    bool take(Planned& job, std::int64_t& next)
    {
      if (job.milli == 1000) {
        job.runs = job.gpus <= whole;
        whole -= job.runs ? job.gpus : 0;
        return job.runs;
      }
      if (!job.runs) {
        job.gpu = next;
        for (const auto& [gpu, left] : parts)
          if (left >= job.milli && (job.gpu == next || left < parts.at(job.gpu)))
            job.gpu = gpu;
      }
      if (!parts.contains(job.gpu)) {
        if (whole == 0)
          return job.runs = false;
        --whole;
        parts[job.gpu] = 1000;
        next -= job.gpu == next ? 1 : 0;
      }
      parts[job.gpu] -= job.milli;
      return job.runs = true;
    }
  };

  static Planned planned(const ClusterView& cluster, JobId id)
  {
    const TraceJob& job = cluster.job(id);
    const int milli = cluster.cluster().counted() ? 1000 : job.gpu_milli; // counted GPUs have no parts
    Planned one{job.deadline, id, planned_length(cluster, id), job.gpus, milli, cluster.is_running(id)};
    if (one.runs && !cluster.state(id).held.shares.empty()) {
      const TaskShare& share = cluster.state(id).held.shares.front();
      one.gpu = 32 * std::int64_t{share.node} + std::countr_zero(share.gpu_mask);
    }
    return one;
  }

  /// Gives GPUs in order of the deadline, as many as there are; who has some keeps them. Parts of several GPUs are no
  /// GPU: for a job that finds none, later ones are stopped as stops_for_place() says.
  static std::vector<std::size_t> give(std::vector<Planned>& jobs, int gpus, std::int64_t& next)
  {
    std::int64_t free = std::int64_t{1000} * gpus;
    std::vector<std::size_t> chosen;
    for (std::size_t i = 0; i < jobs.size(); ++i)
      if (const std::int64_t milli = std::int64_t{jobs[i].gpus} * jobs[i].milli; milli <= free) {
        free -= milli;
        chosen.push_back(i);
      } else
        jobs[i].runs = false;
    std::vector<std::size_t> run = hand_out(jobs, chosen, gpus, next);
    for (auto i = chosen.begin(); i != chosen.end() && run.size() < chosen.size(); ++i) {
      if (jobs[*i].runs)
        continue;
      std::vector<std::size_t> behind;
      std::copy_if(chosen.rbegin(), std::make_reverse_iterator(i), std::back_inserter(behind),
                   [&](std::size_t other) { return jobs[other].runs; });
      const auto enough = [&](std::span<const std::size_t> stopped) {
        std::vector<Planned> tried = jobs;
        for (const std::size_t other : stopped)
          tried[other].runs = false;
        std::int64_t number = next;
        hand_out(tried, chosen, gpus, number);
        return tried[*i].runs;
      };
      for (const std::size_t other : fewest_stops(std::move(behind), enough))
        jobs[other].runs = false;
      run = hand_out(jobs, chosen, gpus, next);
    }
    return run;
  }

  /// Who of the @p chosen finds GPUs, whoever runs first.
  static std::vector<std::size_t> hand_out(std::vector<Planned>& jobs, std::vector<std::size_t> chosen, int gpus,
                                           std::int64_t& next)
  {
    std::ranges::stable_partition(chosen, [&](std::size_t i) { return jobs[i].runs; });
    Gpus left{.whole = gpus};
    std::erase_if(chosen, [&](std::size_t i) { return !left.take(jobs[i], next); });
    return chosen;
  }

  /// Plays EDF forward from now over the admitted jobs and the new one.
  bool feasible_with(const ClusterView& cluster, JobId added) const
  {
    std::vector<Planned> jobs;
    const auto add = [&](JobId id) { jobs.push_back(planned(cluster, id)); };
    for (const JobId id : admitted_)
      add(id);
    add(added);
    std::ranges::sort(jobs, {}, [](const Planned& job) { return std::pair{job.deadline, job.id}; });
    Instant now = cluster.now();
    std::int64_t next = -1; // number of a GPU of which somebody takes a part first
    while (!jobs.empty()) {
      const std::vector<std::size_t> run = give(jobs, pool.total_gpus(cluster), next);
      if (run.empty())
        return false;
      Instant step = end_of_time;
      for (const std::size_t i : run)
        step = std::min(step, jobs[i].left);
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
