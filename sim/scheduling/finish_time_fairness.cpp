// Finish-time fairness, Themis (Mahajan et al., NSDI 2020). rho = time from submission to end in the shared cluster / the same with 1/N of
// the cluster to itself, N jobs being there. GPUs are leased: when a lease ends they are on offer again, to the share 1 - f of the jobs
// that fare worst (largest rho); what those leave goes to the others. Among bidders the largest rho is served first, which is what the
// partial-allocation auction comes to for gangs of fixed size (a bid is all or nothing).
#include "sim/scheduling/greedy_order.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <map>

namespace trainyard {
namespace {

class FinishTimeFairness final : public QueuePolicy
{
public:
  explicit FinishTimeFairness(const Settings& settings) : lease_{settings.number("lease", 1200)}, filter_{settings.number("fairness", 0.8)}
  {
    if (!(lease_ >= 0.01) || !(filter_ >= 0) || filter_ >= 1)
      throw std::invalid_argument{"finish_time_fairness: lease must be at least 0.01 s, fairness 0 to below 1"};
  }

  static std::vector<Parameter> parameters()
  {
    return {{.name = "lease",
             .kind = "duration",
             .default_value = "20 min",
             .meaning = "how long GPUs are given before they are on offer again",
             .minimum = 0.01,
             .maximum = 1e9,
             .source = "Themis, section 8"},
            {.name = "fairness",
             .default_value = "0.8",
             .meaning = "f: free GPUs are offered to the share 1 - f of jobs that fare worst",
             .minimum = 0,
             .maximum = 0.999,
             .source = "Themis, section 8.4"}};
  }

  void arrived(const ClusterView& cluster, JobId id) override
  {
    class_of_.resize(static_cast<std::size_t>(cluster.workload().size()), -1);
    int& known = class_of_[static_cast<std::size_t>(id.index)];
    if (known < 0)
      known = classes_.try_emplace(demand_class(cluster.workload(), cluster.job(id)), static_cast<int>(classes_.size())).first->second;
  }

  void decide(const ClusterView& cluster, Decisions& decisions) override
  {
    if (start_all_waiting(cluster, decisions))
      return;
    std::vector<std::pair<double, JobId>> offered; // by falling rho
    std::vector<JobId> leases;                     // that run on come first
    const double active = static_cast<double>(cluster.waiting().size() + cluster.running().size());
    for (const JobId id : cluster.running())
      if (cluster.now() - lease_begin(cluster, id) < Seconds{lease_ - 1e-9})
        leases.push_back(id);
      else
        offered.emplace_back(-rho(cluster, id, active), id);
    for (const JobId id : cluster.waiting())
      offered.emplace_back(-rho(cluster, id, active), id);
    GreedyAllocation allocation{cluster};
    std::ranges::sort(leases);
    for (const JobId id : leases)
      allocation.offer(id);
    const auto bidders = static_cast<std::size_t>(std::max(1.0, std::ceil((1 - filter_) * static_cast<double>(offered.size()))));
    const std::size_t cut = std::min(bidders, offered.size());
    std::ranges::nth_element(offered, offered.begin() + static_cast<std::ptrdiff_t>(cut));
    std::vector<bool> full(classes_.size(), false); // nobody who asks for this gets any more
    offer_in_order(cluster, allocation, std::span{offered}.first(cut), full);
    // Left-over GPUs: to those outside the auction, whoever has them already first, so that nothing moves without need.
    std::vector<std::pair<double, JobId>> others;
    for (const auto& [fares, id] : std::span{offered}.subspan(cut))
      if (cluster.is_running(id) || !full[class_at(id)])
        others.emplace_back(cluster.is_running(id) ? 0 : 1, id);
    offer_in_order(cluster, allocation, others, full);
    allocation.apply(decisions);
    if (cluster.waiting().empty())
      return;
    Seconds next{std::numeric_limits<double>::infinity()};
    for (const JobId id : cluster.running())
      next = std::min(next, lease_begin(cluster, id) + Seconds{lease_});
    decisions.wake_at(next);
  }

private:
  std::size_t class_at(JobId id) const { return static_cast<std::size_t>(class_of_[static_cast<std::size_t>(id.index)]); }

  /// Only as many are put in order as get a look: in a long queue nearly all ask for what others before them did not get either.
  void offer_in_order(const ClusterView& cluster, GreedyAllocation& allocation, std::span<const std::pair<double, JobId>> jobs,
                      std::vector<bool>& full) const
  {
    using Entry = std::pair<double, JobId>;
    std::vector<std::vector<Entry>> by_class(classes_.size() + 1); // the last: those that run
    for (const Entry& job : jobs)
      by_class[cluster.is_running(job.second) ? classes_.size() : class_at(job.second)].push_back(job);
    std::vector<std::pair<Entry, std::size_t>> heads;
    const auto next_of = [&](std::size_t at) {
      std::vector<Entry>& list = by_class[at];
      if (list.empty() || (at < full.size() && full[at]))
        return;
      std::ranges::pop_heap(list, std::greater<>{});
      heads.emplace_back(list.back(), at);
      list.pop_back();
      std::ranges::push_heap(heads, std::greater<>{});
    };
    for (std::size_t at = 0; at < by_class.size(); ++at) {
      std::ranges::make_heap(by_class[at], std::greater<>{});
      next_of(at);
    }
    while (!heads.empty()) {
      std::ranges::pop_heap(heads, std::greater<>{});
      const auto [job, at] = heads.back();
      heads.pop_back();
      if (!allocation.offer(job.second) && at < full.size())
        full[at] = true;
      next_of(at);
    }
  }

  /// A job that keeps its GPUs when its lease ends gets a new lease.
  Seconds lease_begin(const ClusterView& cluster, JobId id) const
  {
    const Seconds start = cluster.state(id).last_start;
    const double leases = std::floor((cluster.now() - start).value() / lease_ + 1e-9);
    const Seconds begin = start + Seconds{leases * lease_};
    return begin == cluster.now() && leases > 0 && !cluster.waiting().empty() ? begin - Seconds{lease_} : begin;
  }

  static double rho(const ClusterView& cluster, JobId id, double active)
  {
    const TraceJob& job = cluster.job(id);
    const double waited_and_ran = (cluster.now() - job.submit).value();
    const double left = cluster.estimated_remaining(id).value();
    const double share = cluster.cluster().total_gpus() / std::max(active, 1.0);
    const double alone = std::max(job.estimate.value(), 1e-3) * std::max(1.0, job.gpus / std::max(share, 1e-9));
    return (waited_and_ran + left) / alone;
  }

  double lease_;
  double filter_;
  std::map<DemandClass, int> classes_;
  std::vector<int> class_of_; // by job; -1: it has not been here
};

TY_REGISTER(QueuePolicy, FinishTimeFairness, "finish_time_fairness", "leases go to whoever fares worst against its fair share (Themis)");

} // namespace
} // namespace trainyard
