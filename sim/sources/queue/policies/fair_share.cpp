// SPDX-License-Identifier: Apache-2.0
// Fair share with decay: waiting jobs by the past usage of their user (or team), each GPU-second counting half after a
// half-life, divided by its share. Slurm's classic factor 2^(-usage / share) orders in the same way. Source: Slurm,
// "Classic Fairshare Algorithm"; Kay and Lauder, A Fair Share Scheduler, CACM 1988.
#include "sim/sources/queue/policies/fair_tree.hpp"
#include "sim/sources/queue/policies/machine_pools.hpp"
#include "sim/sources/queue/policies/waiting_classes.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

namespace trainyard {
namespace {

class FairShare final : public QueuePolicy
{
public:
  explicit FairShare(const Settings& settings)
      : half_life_{settings.duration("half_life", 604800_s)}, by_team_{settings.text("by", "user") == "team"},
        skip_{settings.flag("skip", true)}
  {
    if (half_life_ <= Instant{0})
      throw std::invalid_argument{"fair_share: the half-life must be above 0 s"};
  }

  static std::vector<Parameter> parameters()
  {
    return {{.name = "half_life",
             .kind = "duration",
             .default_value = "7 d",
             .meaning = "half-life of usage: after this time a GPU-second counts half",
             .minimum = 1,
             .maximum = 1e12,
             .source = "Slurm, PriorityDecayHalfLife"},
            choice("by", "user", {"user", "team"}, "whether the usage of the user or of the team counts"),
            flag("skip", true, "start later jobs that fit if an earlier one does not")};
  }

  void begin(const ClusterView& cluster) override { pools_.begin(cluster); }
  void arrived(const ClusterView& cluster, JobId id) override
  {
    pools_.enter(cluster, id);
    queue_[shelf(cluster, id)].insert(id);
  }
  void withdrawn(const ClusterView& cluster, JobId id) override
  {
    queue_[shelf(cluster, id)].erase(id);
    pools_.leave(id);
  }
  void started(const ClusterView& cluster, JobId id) override
  {
    pools_.enter(cluster, id);
    change(cluster, id, 1);
  }
  void stopped(const ClusterView& cluster, JobId id) override
  {
    change(cluster, id, -1);
    pools_.leave(id);
  }

  void decide(const ClusterView& cluster, Decisions& decisions) override
  {
    if (pools_.are_stale())
      pools_.join();
    std::vector<Open> open;
    for (auto& [shelf, jobs] : queue_)
      if (!jobs.empty())
        open.push_back({&shelf, &jobs, &usage_[shelf.owner]});
    if (open.empty())
      return;
    for (auto& [owner, usage] : usage_)
      usage.bring_forward(cluster.now(), half_life_);
    // Starting a job changes its owner's rate, not yet the usage: among equals the one with fewer GPUs goes first. Of
    // jobs that differ in nothing that matters here only the first is looked at; where it does not fit, nor do others
    // that ask for the same.
    while (!open.empty()) {
      const auto best = std::ranges::min_element(open, {}, [](const Open& one) {
        const double weight = one.shelf->weight;
        return std::tuple{one.usage->used / weight, one.usage->rate / weight, *one.jobs->begin()};
      });
      const JobId id = *best->jobs->begin();
      if (decisions.start(id)) {
        best->jobs->erase(id);
        if (best->jobs->empty())
          open.erase(best);
      } else if (skip_) {
        const DemandClass demand = best->shelf->demand;
        std::erase_if(open, [&](const Open& one) { return one.shelf->demand == demand; });
      } else if (pools_.count() > 1) { // nobody else who could use its machines
        const int pool = pools_.of(cluster, id);
        std::erase_if(open, [&](const Open& one) { return pools_.of(cluster, *one.jobs->begin()) == pool; });
      } else {
        return;
      }
    }
  }

  WaitReason usual_reason() const override { return skip_ ? WaitReason::lower_rank : WaitReason::behind_head; }

private:
  /// Jobs of one owner that weigh and ask for the same.
  struct Shelf {
    int owner = 0;
    double weight = 1;
    DemandClass demand;
    auto operator<=>(const Shelf&) const = default;
  };

  struct Open {
    const Shelf* shelf;
    std::set<JobId>* jobs;
    const DecayedUsage* usage;
  };

  Shelf shelf(const ClusterView& cluster, JobId id) const
  {
    const TraceJob& job = cluster.job(id);
    return {owner(cluster, id), std::max(static_cast<double>(job.weight), 1e-9), demand_class(cluster.workload(), job)};
  }

  int owner(const ClusterView& cluster, JobId id) const
  {
    return by_team_ ? cluster.job(id).team : cluster.job(id).user;
  }

  void change(const ClusterView& cluster, JobId id, int sign)
  {
    DecayedUsage& usage = usage_[owner(cluster, id)];
    usage.bring_forward(cluster.now(), half_life_);
    usage.rate += sign * static_cast<double>(cluster.state(id).held.milli()) / 1000;
  }

  Instant half_life_;
  bool by_team_;
  bool skip_;
  MachinePools pools_;
  std::map<Shelf, std::set<JobId>> queue_;
  std::map<int, DecayedUsage> usage_;
};

TY_REGISTER(QueuePolicy, FairShare, "fair_share", "least decayed usage per share first");

} // namespace
} // namespace trainyard
