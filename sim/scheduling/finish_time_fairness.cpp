// Finish-time fairness, Themis (Mahajan et al., NSDI 2020). rho = time from submission to end in the shared cluster / the same with 1/N of
// the cluster to itself, N jobs being there. GPUs are leased: when a lease ends they are on offer again, to the share 1 - f of the jobs
// that fare worst (largest rho); what those leave goes to the others. Among bidders the largest rho is served first, which is what the
// partial-allocation auction comes to for gangs of fixed size (a bid is all or nothing).
#include "sim/scheduling/greedy_order.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <tuple>

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

  void decide(const ClusterView& cluster, Decisions& decisions) override
  {
    if (start_all_waiting(cluster, decisions))
      return;
    std::vector<std::tuple<double, JobId>> offered; // by falling rho
    std::vector<JobId> order;                       // leases that run on come first
    const double active = static_cast<double>(cluster.waiting().size() + cluster.running().size());
    for (const JobId id : cluster.running())
      if (cluster.now() - lease_begin(cluster, id) < Seconds{lease_ - 1e-9})
        order.push_back(id);
      else
        offered.emplace_back(-rho(cluster, id, active), id);
    for (const JobId id : cluster.waiting())
      offered.emplace_back(-rho(cluster, id, active), id);
    std::ranges::sort(order);
    std::ranges::sort(offered);
    const auto bidders = static_cast<std::size_t>(std::max(1.0, std::ceil((1 - filter_) * static_cast<double>(offered.size()))));
    for (std::size_t i = 0; i < std::min(bidders, offered.size()); ++i)
      order.push_back(std::get<1>(offered[i]));
    // Left-over GPUs: to those outside the auction, whoever has them already first, so that nothing moves without need.
    std::vector<std::tuple<bool, JobId>> others;
    for (std::size_t i = bidders; i < offered.size(); ++i)
      others.emplace_back(!cluster.is_running(std::get<1>(offered[i])), std::get<1>(offered[i]));
    std::ranges::sort(others);
    for (const auto& [waits, id] : others)
      order.push_back(id);
    allocate_in_order(cluster, decisions, order);
    if (cluster.waiting().empty())
      return;
    Seconds next{std::numeric_limits<double>::infinity()};
    for (const JobId id : cluster.running())
      next = std::min(next, lease_begin(cluster, id) + Seconds{lease_});
    decisions.wake_at(next);
  }

private:
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
};

TY_REGISTER(QueuePolicy, FinishTimeFairness, "finish_time_fairness", "leases go to whoever fares worst against its fair share (Themis)");

} // namespace
} // namespace trainyard
