// SPDX-License-Identifier: Apache-2.0
// Dominant resource fairness (Ghodsi et al., NSDI 2011): repeatedly, the team whose dominant share (the largest of its
// shares of GPUs, CPU and memory, divided by its weight) is smallest starts its next job. With quotas, a team stays
// within its nominal quota unless its cohort leaves some unused, which it may borrow; with `reclaim`, a team below its
// quota preempts jobs of borrowers of its cohort, latest start first. Source of quotas, cohorts, borrowing and
// reclaiming: Kueue, "Cluster Queue".
#include "sim/sources/queue/policies/quota.hpp"
#include "sim/sources/queue/policies/waiting_classes.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <tuple>

namespace trainyard {
namespace {

class Drf final : public QueuePolicy
{
public:
  explicit Drf(const Settings& settings)
      : quota_text_{settings.text("quotas", "")}, cohort_text_{settings.text("cohorts", "")},
        limit_text_{settings.text("borrowing_limits", "")}, borrowing_{settings.flag("borrowing", true)},
        reclaim_{settings.flag("reclaim", true)}, by_user_{settings.text("by", "team") == "user"}
  {
  }

  static std::vector<Parameter> parameters()
  {
    return {choice("by", "team", {"team", "user"}, "whether the share of the team or of the user counts"),
            text("quotas", "GPUs per team: 'team-a=8 team-b=16'; teams without one are not limited"),
            text("cohorts", "teams that may borrow unused quota from each other: 'team-a+team-b'"),
            text("borrowing_limits", "most GPUs that a team may borrow: 'team-a=4'"),
            flag("borrowing", true, "whether a team may use unused quota of its cohort"),
            flag("reclaim", true, "whether a team below its quota preempts jobs of borrowers",
                 "Kueue, reclaimWithinCohort: Any")};
  }

  void begin(const ClusterView& cluster) override
  {
    quotas_.emplace(cluster.workload(), quota_text_, cohort_text_, limit_text_, cluster.cluster().total_gpus());
    const NodePool& nodes = cluster.cluster().nodes();
    for (int node = 0; node < nodes.size(); ++node) {
      cpu_ += nodes.shape(node).cpu_milli;
      memory_ += nodes.shape(node).memory_mib;
    }
  }

  void arrived(const ClusterView& cluster, JobId id) override
  {
    const TraceJob& job = cluster.job(id); // by submission, so that what was stopped keeps its turn
    queues_[owner(cluster, id)][{job.team, demand_class(cluster.workload(), job)}].insert(id);
  }
  void started(const ClusterView& cluster, JobId id) override { change(cluster, id, 1); }
  void stopped(const ClusterView& cluster, JobId id) override { change(cluster, id, -1); }

  void withdrawn(const ClusterView& cluster, JobId id) override
  {
    const TraceJob& job = cluster.job(id);
    queues_[owner(cluster, id)][{job.team, demand_class(cluster.workload(), job)}].erase(id);
  }

  void decide(const ClusterView& cluster, Decisions& decisions) override
  {
    std::map<int, std::vector<Cursor>> open = from_the_beginning();
    while (!open.empty()) {
      const auto [team, shelves] = *std::ranges::min_element(open, {}, [&](const auto& entry) {
        return std::tuple{dominant_share(cluster, entry.first), entry.first};
      });
      std::vector<Cursor>& cursors = open.at(team);
      const auto first = std::ranges::min_element(cursors, {}, [](const Cursor& cursor) { return *cursor.next; });
      Cursor& cursor = *first;
      const JobId id = *cursor.next;
      switch (try_start(cluster, decisions, id)) {
      case Outcome::started:
        cursor.next = cursor.jobs->erase(cursor.next);
        break;
      case Outcome::passed_by: // the next job with the same request may find a job to stop
        ++cursor.next;
        break;
      case Outcome::no_quota:
        for (auto other = cursor.next; decisions.wants_reasons() && other != cursor.jobs->end(); ++other)
          decisions.hold(*other, WaitReason::quota);
        [[fallthrough]];
      case Outcome::no_room:
        cursor.next = cursor.jobs->end(); // nor do others that ask for the same
        break;
      }
      if (reclaimed_) { // preempted jobs may have freed GPUs for jobs that were skipped
        open = from_the_beginning();
        reclaimed_ = false;
        continue;
      }
      if (cursor.next == cursor.jobs->end())
        cursors.erase(first);
      if (cursors.empty())
        open.erase(team);
    }
  }

  std::string never_starts(const ClusterView& cluster, JobId id) override
  {
    const TraceJob& job = cluster.job(id);
    const bool ever = !quotas_ || quotas_->ever_allows(job.team, request_of(job).milli(), borrowing_);
    return ever ? std::string{} : to_text(WaitReason::quota_never);
  }

private:
  using Shelf = std::pair<int, DemandClass>; // team whose quota counts; what is asked for

  struct Cursor {
    std::set<JobId>* jobs;
    std::set<JobId>::iterator next;
  };

  enum class Outcome { started, passed_by, no_quota, no_room };

  struct Use {
    std::int64_t milli = 0;
    std::int64_t cpu = 0;
    std::int64_t memory = 0;
    double weight = 1;
  };

  int owner(const ClusterView& cluster, JobId id) const
  {
    return by_user_ ? cluster.job(id).user : cluster.job(id).team;
  }

  std::map<int, std::vector<Cursor>> from_the_beginning()
  {
    std::map<int, std::vector<Cursor>> open;
    for (auto& [team, shelves] : queues_)
      for (auto& [shelf, jobs] : shelves)
        if (!jobs.empty())
          open[team].push_back({&jobs, jobs.begin()});
    return open;
  }

  Outcome try_start(const ClusterView& cluster, Decisions& decisions, JobId id)
  {
    const int team = cluster.job(id).team;
    const std::int64_t needed = request_of(cluster.job(id)).milli();
    if (quotas_->allows(team, needed, borrowing_) && decisions.start(id))
      return Outcome::started;
    const bool own = quotas_->limited(team) && quotas_->used(team) + needed <= quotas_->nominal(team);
    if (own && reclaim_ && take_back(cluster, decisions, id, needed))
      return Outcome::started;
    if (quotas_->allows(team, needed, borrowing_))
      return own && reclaim_ ? Outcome::passed_by : Outcome::no_room;
    decisions.hold(id, WaitReason::quota);
    return own && reclaim_ ? Outcome::passed_by : Outcome::no_quota;
  }

  /// Stops borrowers of the cohort, latest start first, until the job fits its quota and the cluster; nobody where that
  /// is not enough.
  bool take_back(const ClusterView& cluster, Decisions& decisions, JobId id, std::int64_t needed)
  {
    const int team = cluster.job(id).team;
    std::vector<JobId> candidates;
    for (const JobId other : cluster.running())
      if (quotas_->same_cohort(team, cluster.job(other).team) && quotas_->borrows(cluster.job(other).team))
        candidates.push_back(other);
    std::ranges::sort(candidates, {}, [&](JobId other) {
      return std::tuple{-cluster.state(other).last_start, -other.index};
    });
    Quotas after = *quotas_;
    std::vector<JobId> victims;
    for (const JobId other : candidates) {
      if (!after.borrows(cluster.job(other).team))
        continue; // its team is back within its own
      victims.push_back(other);
      after.change(cluster.job(other).team, -cluster.state(other).held.milli());
      if (!after.allows(team, needed, borrowing_) || !decisions.fits_without(id, victims))
        continue;
      for (const JobId victim : victims)
        decisions.preempt(victim);
      reclaimed_ = true;
      return decisions.start(id);
    }
    return false;
  }

  void change(const ClusterView& cluster, JobId id, int sign)
  {
    const TraceJob& job = cluster.job(id);
    const Allocation& held = cluster.state(id).held;
    Use& use = uses_[owner(cluster, id)];
    use.milli += sign * held.milli();
    for (const TaskShare& share : held.shares) {
      use.cpu += sign * share.cpu_milli;
      use.memory += sign * share.memory_mib;
    }
    use.weight = std::max(static_cast<double>(job.weight), 1e-9);
    quotas_->change(job.team, sign * held.milli());
  }

  double dominant_share(const ClusterView& cluster, int team) const
  {
    const auto found = uses_.find(team);
    if (found == uses_.end())
      return 0;
    const Use& use = found->second;
    const auto share = [](std::int64_t used, std::int64_t all) {
      return all > 0 ? static_cast<double>(used) / static_cast<double>(all) : 0.0;
    };
    const double gpus = share(use.milli, static_cast<std::int64_t>(cluster.cluster().total_gpus()) * 1000);
    return std::max({gpus, share(use.cpu, cpu_), share(use.memory, memory_)}) / use.weight;
  }

  std::string quota_text_;
  std::string cohort_text_;
  std::string limit_text_;
  bool borrowing_;
  bool reclaim_;
  bool by_user_;
  std::optional<Quotas> quotas_;
  bool reclaimed_ = false; // jobs were stopped since the queues were gone through
  std::int64_t cpu_ = 0;
  std::int64_t memory_ = 0;
  std::map<int, std::map<Shelf, std::set<JobId>>> queues_;
  std::map<int, Use> uses_;
};

TY_REGISTER(QueuePolicy, Drf, "drf", "dominant resource fairness with quotas, cohorts, borrowing and reclaiming");

} // namespace
} // namespace trainyard
