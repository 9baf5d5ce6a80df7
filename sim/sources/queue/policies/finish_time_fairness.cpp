// SPDX-License-Identifier: Apache-2.0
// Finish-time fairness, Themis (Mahajan et al., NSDI 2020). rho = time from submission to end in the shared cluster /
// the same with 1/N of the cluster to itself, N jobs being there. GPUs are leased: when a lease ends they are on offer
// again, to the share 1 - f of the jobs that fare worst (largest rho); what they leave goes to the others. Among
// bidders the largest rho is served first, which is the result of the partial-allocation auction for gangs of fixed
// size (a bid is all or nothing).
#include "sim/sources/queue/policies/greedy_order.hpp"
#include "sim/sources/queue/policies/kinetic_maximum.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <utility>

namespace trainyard {
namespace {

class FinishTimeFairness final : public QueuePolicy
{
public:
  explicit FinishTimeFairness(const Settings& settings)
      : lease_{settings.duration("lease", 1200_s)}, filter_{settings.number("fairness", 0.8)}
  {
    if (lease_ < 10_ms || !(filter_ >= 0) || filter_ >= 1)
      throw std::invalid_argument{"finish_time_fairness: lease must be at least 0.01 s, fairness 0 to below 1"};
  }

  PoolOfMachines pool;

  static std::vector<Parameter> parameters()
  {
    return {
        duration("lease", "20 min", "length of a lease, after which GPUs are offered again", 0.01, "Themis, section 8"),
        {.name = "fairness",
         .default_value = "0.8",
         .meaning = "fairness f: free GPUs are offered to the share 1 - f of jobs with the worst fairness",
         .minimum = 0,
         .maximum = 0.999,
         .source = "Themis, section 8.4"}};
  }

  void arrived(const ClusterView& cluster, JobId id) override
  {
    Asking& asking = waiting_[demand_class(cluster.workload(), cluster.job(id))];
    asking.in_order.insert(id);
    asking.by_fate.insert(id, fate(cluster, id), cluster.now());
  }

  void started(const ClusterView& cluster, JobId id) override
  {
    Asking& asking = waiting_[demand_class(cluster.workload(), cluster.job(id))];
    asking.in_order.erase(id);
    asking.by_fate.erase(id, cluster.now());
  }

  void withdrawn(const ClusterView& cluster, JobId id) override
  {
    started(cluster, id); // waits no longer
  }

  bool one_type() const override { return true; }
  void decide(const ClusterView& cluster, Decisions& decisions) override
  {
    if (start_all_waiting(cluster, decisions, pool))
      return;
    std::vector<JobId> leases; // that run on come first
    std::vector<Bid> bids;     // of running jobs whose lease is over
    const std::vector<JobId> running = pool.running(cluster);
    const double active = static_cast<double>(waiting_jobs() + running.size());
    for (const JobId id : running)
      if (cluster.now() - lease_begin(cluster, id) < lease_)
        leases.push_back(id);
      else
        bids.push_back(
            {fate(cluster, id).at(cluster.now()) / crowding(cluster, request_of(cluster.job(id)), active), id});
    if (!bids.empty() || pool.free_milli(cluster) > 0)
      auction(cluster, decisions, leases, bids, active);
    if (waiting_jobs() == 0)
      return;
    Instant next = end_of_time;
    for (const JobId id : pool.running(cluster))
      next = std::min(next, lease_begin(cluster, id) + lease_);
    decisions.wake_at(next);
  }

private:
  /// Those that wait and ask for the same: rho divides them all by the same number, so their order does not change.
  struct Asking {
    std::set<JobId> in_order;
    KineticMaximum by_fate;
    bool full = false; // in this decision: no job with this request gets any more
  };

  struct Bid {
    double rho = 0;
    JobId id;
    std::pair<double, JobId> rank() const { return {-rho, id}; } // the worst treated first
  };

  void auction(const ClusterView& cluster, Decisions& decisions, std::vector<JobId>& leases, std::vector<Bid>& bids,
               double active)
  {
    const Instant now = cluster.now();
    GreedyAllocation allocation{cluster, GreedyRules{.pool = pool}};
    allocation.release_all_running();
    std::ranges::sort(leases);
    for (const JobId id : leases)
      allocation.offer(id);
    std::ranges::sort(bids, {}, &Bid::rank);
    for (auto& [demand, asking] : waiting_)
      asking.full = false;
    const double offered = static_cast<double>(waiting_jobs() + bids.size());
    const auto bidders = static_cast<std::size_t>(std::max(1.0, std::ceil((1 - filter_) * offered)));
    std::vector<JobId> looked_at; // of those that wait
    std::size_t served = 0, running = 0;
    while (served < bidders) {
      Asking* best = nullptr;
      Bid bid;
      if (running < bids.size())
        bid = bids[running];
      for (auto& [demand, asking] : waiting_) {
        if (asking.full || asking.by_fate.empty() || hopeless(allocation, demand))
          continue;
        const auto highest = *asking.by_fate.highest(now);
        const Bid here{highest.value / crowding(cluster, demand.request, active), highest.id};
        if (!bid.id || here.rank() < bid.rank()) {
          bid = here;
          best = &asking;
        }
      }
      if (!bid.id || served + ahead_of(cluster, bid, active) >= bidders)
        break;
      ++served;
      const bool fits = allocation.offer(bid.id);
      if (best == nullptr) {
        ++running;
        continue;
      }
      best->by_fate.erase(bid.id, now);
      looked_at.push_back(bid.id);
      best->full = !fits;
    }
    // Left-over GPUs: to jobs outside the auction, first to those that have them already, so that nothing moves without
    // need.
    std::vector<JobId> rest;
    for (; running < bids.size(); ++running)
      rest.push_back(bids[running].id);
    std::ranges::sort(rest);
    for (const JobId id : rest)
      allocation.offer(id);
    offer_by_submission(allocation, std::set<JobId>(looked_at.begin(), looked_at.end()));
    allocation.apply(decisions);
    for (const JobId id : looked_at)
      if (!cluster.is_running(id))
        waiting_[demand_class(cluster.workload(), cluster.job(id))].by_fate.insert(id, fate(cluster, id), now);
  }

  std::size_t waiting_jobs() const
  {
    std::size_t count = 0;
    for (const auto& [demand, asking] : waiting_)
      count += asking.in_order.size();
    return count;
  }

  /// Number of jobs that get no more GPUs, because their request does not fit, and have a larger rho than this one.
  std::size_t ahead_of(const ClusterView& cluster, const Bid& bid, double active) const
  {
    std::size_t count = 0;
    for (const auto& [demand, asking] : waiting_)
      if (asking.full)
        count += asking.by_fate.count_above(bid.rho * crowding(cluster, demand.request, active), cluster.now());
    return count;
  }

  /// No GPU is left for any job.
  static bool hopeless(const GreedyAllocation& allocation, const DemandClass& demand)
  {
    return allocation.exhausted() && demand.request.milli() > 0;
  }

  void offer_by_submission(GreedyAllocation& allocation, const std::set<JobId>& without)
  {
    using Head = std::pair<std::set<JobId>::const_iterator, Asking*>;
    const auto later = [](const Head& a, const Head& b) { return *b.first < *a.first; };
    std::vector<Head> heads;
    for (auto& [demand, asking] : waiting_)
      if (!asking.full && !asking.in_order.empty() && !hopeless(allocation, demand))
        heads.emplace_back(asking.in_order.begin(), &asking);
    std::ranges::make_heap(heads, later);
    while (!heads.empty()) {
      std::ranges::pop_heap(heads, later);
      auto& [next, asking] = heads.back();
      const JobId id = *next++;
      const bool on = without.contains(id) || allocation.offer(id);
      if (on && next != asking->in_order.end())
        std::ranges::push_heap(heads, later);
      else
        heads.pop_back();
    }
  }

  /// A job that keeps its GPUs when its lease ends gets a new lease.
  Instant lease_begin(const ClusterView& cluster, JobId id) const
  {
    const Instant start = cluster.state(id).last_start;
    const Instant begin = cluster.now() - (cluster.now() - start) % lease_;
    return begin == cluster.now() && begin > start && waiting_jobs() > 0 ? begin - lease_ : begin;
  }

  /// What rho would be with the cluster shared by so few that everybody has its gang: (waited and ran + left) / alone.
  static KineticMaximum::Line fate(const ClusterView& cluster, JobId id)
  {
    const TraceJob& job = cluster.job(id);
    return {job.submit - cluster.estimated_remaining(id), std::max<Instant>(job.estimate, 1_ms)};
  }

  /// How much longer a gang of so many GPUs would take on one of @p active equal shares of the cluster.
  double crowding(const ClusterView& cluster, const ResourceRequest& request, double active) const
  {
    const double share = pool.total_gpus(cluster) / std::max(active, 1.0);
    return std::max(1.0, static_cast<double>(request.milli()) / 1000 / std::max(share, 1e-9));
  }

  Instant lease_;
  double filter_;
  std::map<DemandClass, Asking> waiting_;
};

using FinishTimeFairnessByPool = ByPool<FinishTimeFairness>;
TY_REGISTER(QueuePolicy, FinishTimeFairnessByPool, "finish_time_fairness",
            "leases go to the jobs furthest from their fair share (Themis)");

} // namespace
} // namespace trainyard
