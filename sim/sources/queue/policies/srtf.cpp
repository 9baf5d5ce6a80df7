// SPDX-License-Identifier: Apache-2.0
// Shortest remaining time first, preemptive: at every arrival and every end all unfinished jobs are sorted by
// (remaining, submission) and get GPUs greedily; a job that does not fit in what is left is skipped. Schrage 1968, for
// gangs.
//
// What waits does not change, so it is kept in order. So is what runs at speed 1: its estimated end stays where it is.
// While there are others, what runs is sorted at every decision.
#include "sim/sources/queue/policies/greedy_order.hpp"

#include <algorithm>
#include <vector>

namespace trainyard {
namespace {

class Srtf final : public QueuePolicy
{
public:
  explicit Srtf(const Settings&) {}

  PoolOfMachines pool;

  static std::vector<Parameter> parameters() { return {}; }
  void arrived(const ClusterView& cluster, JobId id) override
  {
    waiting_.insert(cluster, id, cluster.estimated_remaining(id));
  }
  void started(const ClusterView& cluster, JobId id) override
  {
    waiting_.erase(id);
    started_.add(cluster, id);
  }
  void stopped(const ClusterView&, JobId id) override
  {
    steady_.erase(id);
    std::erase(others_, id);
  }
  void speed_changed(const ClusterView& cluster, JobId id) override
  {
    stopped(cluster, id);
    started_.add(cluster, id);
  }

  void withdrawn(const ClusterView&, JobId id) override { waiting_.erase(id); }

  void decide(const ClusterView& cluster, Decisions& decisions) override
  {
    if (start_all_waiting(cluster, decisions, pool) || waiting_.empty())
      return; // what runs goes on running
    count_as_steady(cluster);
    const Instant now = cluster.now();
    const GreedyRules rules{.by_type = false, .start_stopped = false, .pool = pool};
    if (!others_.empty() || (!steady_.empty() && steady_.front().entry.first <= now))
      return allocate_in_order(cluster, decisions, RunningOrder<Instant>{behind(cluster)}, waiting_, rules);
    const auto before = [&](const RunningEntry<Instant>& job, const std::pair<Instant, JobId>& next) {
      return job.entry < std::pair{now + next.first, next.second};
    };
    allocate_in_order(cluster, decisions, steady_, waiting_, before, rules);
  }

private:
  /// Whether a second less is left of it after each second.
  static bool is_steady(const ClusterView& cluster, JobId id)
  {
    const JobState& job = cluster.state(id);
    return job.speed == 1 && job.work_from <= cluster.now() && cluster.work_left(id) > Instant{0};
  }

  /// Puts those that have started, and others whose starts have been paid for by now, where they belong.
  void count_as_steady(const ClusterView& cluster)
  {
    std::vector<JobId> jobs = started_.take(cluster);
    jobs.insert(jobs.end(), others_.begin(), others_.end());
    others_.clear();
    for (const JobId id : jobs)
      if (is_steady(cluster, id))
        steady_.insert(cluster, id, cluster.now() + cluster.estimated_remaining(id));
      else
        others_.push_back(id);
  }

  /// Running jobs of which at least as much is left as of the first that waits, and perhaps others, in order.
  std::vector<RunningEntry<Instant>> behind(const ClusterView& cluster)
  {
    const Instant left = waiting_.heads().front().first.first;
    // Nothing is left of whoever has used up its estimate, however long ago.
    std::vector<RunningEntry<Instant>> running = steady_.from(left > Instant{0} ? cluster.now() + left : Instant{0});
    for (const JobId id : others_)
      running.push_back({{Instant{}, id}, cluster.state(id).held.milli(), 0});
    for (RunningEntry<Instant>& job : running)
      job.entry.first = cluster.estimated_remaining(job.entry.second);
    std::ranges::sort(running, {}, &RunningEntry<Instant>::entry);
    return running;
  }

  WaitingClasses<Instant> waiting_; // by what is left, which does not change while a job waits
  RunningOrder<Instant> steady_;    // at speed 1, by the end of their estimates
  std::vector<JobId> others_;
  StartedSince started_; // in neither yet
};

using SrtfByPool = ByPool<Srtf>;
TY_REGISTER(QueuePolicy, SrtfByPool, "srtf",
            "shortest remaining time first, preemptive, gangs that do not fit are skipped");

} // namespace
} // namespace trainyard
