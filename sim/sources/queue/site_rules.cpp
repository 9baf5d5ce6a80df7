// SPDX-License-Identifier: Apache-2.0
// Jobs over a limit of their user, on hold or out of their hours wait outside: the policy does not know them, so they
// block nobody. While the site is closed the policy is not asked. While a part of the machine is down (`gpus`), the
// policy plans with the whole machine, and starts above the limit fail.
#include "sim/sources/queue/site_rules.hpp"

#include "models/core/closest.hpp"
#include "sim/sources/queue/queue_setup.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <map>
#include <set>

namespace trainyard {
namespace {

constexpr double day = 86400;

class UnderSiteRules final : public QueuePolicy
{
public:
  UnderSiteRules(std::unique_ptr<QueuePolicy> policy, const SiteRules& rules)
      : policy_{std::move(policy)}, closed_{rules.closed}, long_jobs_{rules.long_jobs}
  {
    for (const SiteRules::UserLimit& limit : rules.user_limits)
      limits_.emplace(limit.user, limit);
    for (const SiteRules::Hold& hold : rules.holds)
      holds_.emplace(hold.job, Instant{hold.until});
  }

  void begin(const ClusterView& cluster) override { policy_->begin(cluster); }
  void arrived(const ClusterView& cluster, JobId id) override
  {
    if (may_enter(cluster, id))
      enter(cluster, id);
    else
      outside_.insert(id);
  }
  void started(const ClusterView& cluster, JobId id) override
  {
    count(cluster, id, true);
    waiting_long_.erase(id);
    policy_->started(cluster, id);
  }
  void stopped(const ClusterView& cluster, JobId id) override
  {
    count(cluster, id, false);
    policy_->stopped(cluster, id);
  }
  void speed_changed(const ClusterView& cluster, JobId id) override { policy_->speed_changed(cluster, id); }
  void withdrawn(const ClusterView& cluster, JobId id) override
  {
    if (outside_.erase(id) > 0)
      policy_->arrived(cluster, id); // it may start all the same, as a record says: then the policy has to know it
    leave(cluster, id);
  }

  void decide(const ClusterView& cluster, Decisions& decisions) override
  {
    if (!waiting_long_.empty() && !long_jobs_start(cluster.now()))
      for (const JobId id : std::set<JobId>{waiting_long_}) {
        leave(cluster, id);
        outside_.insert(id);
      }
    for (auto next = outside_.begin(); next != outside_.end();)
      if (may_enter(cluster, *next)) {
        enter(cluster, *next);
        next = outside_.erase(next);
      } else {
        decisions.hold(*next++, WaitReason::site_rule);
      }
    wake_when_rules_change(cluster, decisions);
    int most = cluster.cluster().total_gpus();
    for (const SiteRules::Closed& one : closed_)
      if (Instant{one.from} <= cluster.now() && cluster.now() < Instant{one.until})
        most = std::min(most, one.gpus);
    if (most <= 0) {
      for (const JobId id : cluster.waiting())
        decisions.hold(id, WaitReason::site_rule);
      return;
    }
    Allowed allowed{cluster, decisions, outside_, most};
    policy_->decide(cluster, allowed);
  }
  WaitReason usual_reason() const override { return policy_->usual_reason(); }
  bool one_type() const override { return policy_->one_type(); }
  bool resizes() const override { return policy_->resizes(); }
  bool unlike_tasks() const override { return policy_->unlike_tasks(); }
  std::string never_starts(const ClusterView& cluster, JobId id) override { return policy_->never_starts(cluster, id); }

private:
  /// Starts that the rules forbid fail, as those of jobs that do not fit.
  class Allowed final : public Decisions
  {
  public:
    Allowed(const ClusterView& cluster, Decisions& decisions, const std::set<JobId>& outside, int most)
        : cluster_{cluster}, decisions_{decisions}, outside_{outside}, most_{most}
    {
    }
    bool start(JobId id, int gpus, int gpu_type) override
    {
      return may(id, gpus > 0 ? gpus : cluster_.job(id).gpus) && decisions_.start(id, gpus, gpu_type);
    }
    void start_at(JobId id, Allocation place) override { decisions_.start_at(id, std::move(place)); }
    void withdraw(JobId id, WaitReason reason) override { decisions_.withdraw(id, reason); }
    void preempt(JobId id) override { decisions_.preempt(id); }
    bool resize(JobId id, int gpus) override { return decisions_.resize(id, gpus); }
    bool fits_without(JobId id, std::span<const JobId> stopped) override
    {
      return !outside_.contains(id) && decisions_.fits_without(id, stopped);
    }
    std::optional<Allocation> preview(JobId id, std::span<const ClosedNodes> closed) override
    {
      return may(id, cluster_.job(id).gpus) ? decisions_.preview(id, closed) : std::nullopt;
    }
    bool wants_reasons() const override { return decisions_.wants_reasons(); }
    void hold(JobId id, WaitReason reason, JobId blocker, Instant planned) override
    {
      decisions_.hold(id, reason, blocker, planned);
    }
    void wake_at(Instant time) override { decisions_.wake_at(time); }

  private:
    /// Whether no rule forbids it. What does not fit is for the engine to refuse, which notes why.
    bool may(JobId id, int gpus)
    {
      const ClusterState& cluster = cluster_.cluster();
      const int free = cluster.free_gpus();
      if (!outside_.contains(id) && (gpus > free || cluster.total_gpus() - free + gpus <= most_))
        return true;
      decisions_.hold(id, WaitReason::site_rule);
      return false;
    }
    const ClusterView& cluster_;
    Decisions& decisions_;
    const std::set<JobId>& outside_;
    int most_;
  };

  struct Inside {
    int gpus = 0, jobs = 0; // that wait in the policy's queue or run
  };

  bool is_long(const TraceJob& job) const { return long_jobs_ && job.estimate > Instant{long_jobs_->longer_than}; }
  bool long_jobs_start(Instant now) const
  {
    if (!long_jobs_)
      return true;
    const double hour = std::fmod(now.value(), day), from = long_jobs_->from.value(), until = long_jobs_->until.value();
    return from <= until ? from <= hour && hour < until : hour >= from || hour < until;
  }
  bool may_enter(const ClusterView& cluster, JobId id) const
  {
    const TraceJob& job = cluster.job(id);
    if (is_long(job) && !long_jobs_start(cluster.now()))
      return false;
    if (!holds_.empty())
      if (const auto hold = holds_.find(cluster.workload().name(id));
          hold != holds_.end() && cluster.now() < hold->second)
        return false;
    const auto limit = limits_.find(cluster.workload().users.name(job.user));
    if (limit == limits_.end())
      return true;
    const auto found = inside_.find(job.user);
    const Inside inside = found == inside_.end() ? Inside{} : found->second;
    return (limit->second.gpus == 0 || inside.gpus + job.gpus <= limit->second.gpus) &&
           (limit->second.jobs == 0 || inside.jobs < limit->second.jobs);
  }
  void enter(const ClusterView& cluster, JobId id)
  {
    count(cluster, id, true);
    if (is_long(cluster.job(id)))
      waiting_long_.insert(id);
    policy_->arrived(cluster, id);
  }
  void leave(const ClusterView& cluster, JobId id)
  {
    count(cluster, id, false);
    waiting_long_.erase(id);
    policy_->withdrawn(cluster, id);
  }
  void count(const ClusterView& cluster, JobId id, bool in)
  {
    if (limits_.empty() || (in ? !counted_.insert(id).second : counted_.erase(id) == 0))
      return;
    Inside& inside = inside_[cluster.job(id).user];
    inside.gpus += (in ? 1 : -1) * cluster.job(id).gpus;
    inside.jobs += in ? 1 : -1;
  }
  void wake_when_rules_change(const ClusterView& cluster, Decisions& decisions) const
  {
    Instant next = end_of_time;
    const auto at = [&](Instant time) {
      if (time > cluster.now())
        next = std::min(next, time);
    };
    for (const SiteRules::Closed& one : closed_) {
      at(Instant{one.from});
      at(Instant{one.until});
    }
    for (const auto& [job, until] : holds_)
      at(until);
    if (long_jobs_ && (!outside_.empty() || !waiting_long_.empty())) {
      const double today = day * std::floor(cluster.now().value() / day);
      for (const Seconds hour : {long_jobs_->from, long_jobs_->until})
        for (const double midnight : {today, today + day})
          at(Instant{Seconds{midnight} + hour});
    }
    if (is_finite(next) && !cluster.waiting().empty())
      decisions.wake_at(next);
  }

  std::unique_ptr<QueuePolicy> policy_;
  std::vector<SiteRules::Closed> closed_;
  std::optional<SiteRules::LongJobs> long_jobs_;
  std::map<std::string, SiteRules::UserLimit> limits_;
  std::map<std::string, Instant> holds_;
  std::set<JobId> outside_, waiting_long_, counted_;
  std::map<int, Inside> inside_; // by user
};

} // namespace

void bind_site_rules(const SiteRules& rules, Workload& workload)
{
  std::vector<std::string> users, jobs;
  for (int i = 0; i < workload.users.size(); ++i)
    users.push_back(workload.users.name(i));
  const auto require = [](const std::vector<std::string>& known, const std::string& name, const char* what,
                          const std::string& path) {
    if (std::ranges::find(known, name) == known.end())
      throw fault_at("scheduling.site." + path,
                     fmt::format("the workload has no {} '{}'{}", what, name, did_you_mean(name, known)));
  };
  for (std::size_t i = 0; i < rules.user_limits.size(); ++i)
    require(users, rules.user_limits[i].user, "user", fmt::format("user_limits.{}.user", i));
  for (int i = 0; i < workload.size() && !rules.holds.empty(); ++i)
    jobs.push_back(workload.name(JobId{i}));
  for (std::size_t i = 0; i < rules.holds.size(); ++i)
    require(jobs, rules.holds[i].job, "job", fmt::format("holds.{}.job", i));
  for (TraceJob& job : workload.jobs)
    if (rules.largest_job > 0 && job.gpus > rules.largest_job && !job.elastic()) {
      job.gpus = rules.largest_job;
      job.tasks = job.task_list = 0;
    }
}

std::unique_ptr<QueuePolicy> under_site_rules(std::unique_ptr<QueuePolicy> policy, const SiteRules& rules)
{
  return std::make_unique<UnderSiteRules>(std::move(policy), rules);
}

} // namespace trainyard
