// SPDX-License-Identifier: Apache-2.0
// Gittins index over attained service, Tiresias' 2D-Gittins (Gu et al., NSDI 2019; Gittins 1989). The distribution of
// total service (GPU-seconds) is known, not the job's own: the index of a job that has had service a is the best, over
// quanta d, of
//   P(total - a <= d | total > a) / E[min(total - a, d) | total > a],
// the chance of ending per GPU-second invested. The highest index runs. Ages are discretised into queues; the index is
// that of the lower edge of the queue, and a job is looked at again when it crosses into the next.
#include "sim/sources/queue/policies/attained_service.hpp"

#include <algorithm>

namespace trainyard {
namespace {

class Gittins final : public QueuePolicy
{
public:
  PoolOfMachines pool;

  explicit Gittins(const Settings& settings) : levels_{settings.integer("levels", 24)}
  {
    if (levels_ < 2 || levels_ > 1000)
      throw std::invalid_argument{"gittins: levels must be 2 to 1000"};
  }

  static std::vector<Parameter> parameters()
  {
    return {{.name = "levels",
             .kind = "integer",
             .default_value = "24",
             .meaning = "number of queues by attained service, with equal numbers of jobs",
             .minimum = 2,
             .maximum = 1000}};
  }

  /// The distribution comes from the whole workload, as the paper's comes from past logs; no decision looks at a job's
  /// own duration.
  void begin(const ClusterView& cluster) override
  {
    std::vector<double> totals;
    for (const TraceJob& job : cluster.workload().jobs)
      totals.push_back(GpuTime{request_of(job).milli(), job.duration}.value());
    std::ranges::sort(totals);
    std::vector<double> sample; // at most 2,000 quantiles
    const std::size_t size = std::min<std::size_t>(totals.size(), 2000);
    for (std::size_t i = 0; i < size; ++i)
      sample.push_back(totals[i * totals.size() / size]);
    std::vector<double> limits;
    for (int level = 1; level < levels_; ++level) {
      const double limit = sample[static_cast<std::size_t>(level) * size / static_cast<std::size_t>(levels_)];
      if (limit > (limits.empty() ? 0 : limits.back() * 1.001) && limit >= 1)
        limits.push_back(limit);
    }
    index_.assign(1, index_at(sample, 0));
    for (const double limit : limits)
      index_.push_back(index_at(sample, limit));
    queues_ = ServiceQueues{limits};
  }

  void arrived(const ClusterView& cluster, JobId id) override { jobs_.waits(cluster, id, place(cluster, id)); }
  void started(const ClusterView& cluster, JobId id) override
  {
    jobs_.waits_no_more(id);
    jobs_.started(cluster, id);
  }
  void stopped(const ClusterView&, JobId id) override { jobs_.stopped(queues_, id); }
  void withdrawn(const ClusterView&, JobId id) override { jobs_.waits_no_more(id); }

  bool one_type() const override { return true; }
  void decide(const ClusterView& cluster, Decisions& decisions) override
  {
    if (!start_all_waiting(cluster, decisions, pool))
      jobs_.allocate(cluster, decisions, queues_, pool, [&](JobId id) { return place(cluster, id); });
  }

private:
  /// By falling index, then by submission.
  using Place = std::pair<double, Instant>;

  Place place(const ClusterView& cluster, JobId id) const
  {
    const auto queue = static_cast<std::size_t>(queues_.queue_of(cluster.attained(id)));
    return {-index_[queue], cluster.job(id).submit};
  }

  /// One pass over the sorted sample: d runs over the totals above @p age.
  static double index_at(const std::vector<double>& sample, double age)
  {
    const auto first = std::ranges::upper_bound(sample, age);
    const auto count = static_cast<double>(sample.end() - first);
    double best = 0;
    double ended = 0;
    double invested = 0; // sum of (total - age) of those that end within d
    for (auto at = first; at != sample.end(); ++at) {
      ended += 1;
      invested += *at - age;
      const double expected = invested + (*at - age) * (count - ended);
      best = std::max(best, ended / std::max(expected, 1e-9));
    }
    return best;
  }

  int levels_;
  ServiceQueues queues_{{}};
  std::vector<double> index_{0};
  ServiceOrder<Place> jobs_;
};

using GittinsByPool = ByPool<Gittins>;
TY_REGISTER(QueuePolicy, GittinsByPool, "gittins",
            "highest Gittins index over attained service, preemptive (Tiresias)");

} // namespace
} // namespace trainyard
