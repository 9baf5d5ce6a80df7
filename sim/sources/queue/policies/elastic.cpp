// SPDX-License-Identifier: Apache-2.0
// Elastic sizes by marginal gain, Optimus (Peng et al., EuroSys 2018): every job, in order of submission, first gets
// its minimum of GPUs; what is left goes, one doubling or one GPU at a time, to the job whose remaining time falls most
// per GPU added, up to its maximum. Running jobs shrink so that waiting ones can start. Sizes change at most once per
// `period`, because every change costs a restart.
#include "sim/sources/queue/policies/machine_pools.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <queue>
#include <set>
#include <tuple>

namespace trainyard {
namespace {

class Elastic final : public QueuePolicy
{
public:
  PoolOfMachines pool;

  explicit Elastic(const Settings& settings)
      : period_{settings.duration("period", 600_s)}, exponent_{settings.number("scaling", 0.9)},
        doubling_{settings.flag("doubling", false)}
  {
    if (period_ < Instant{0} || !(exponent_ > 0) || exponent_ > 1)
      throw std::invalid_argument{"elastic: period must be at least 0 s, scaling above 0 up to 1"};
  }

  static std::vector<Parameter> parameters()
  {
    return {duration("period", "10 min", "shortest time between two increases of sizes", 0,
                     "Optimus, section 5: ten minutes"),
            {.name = "scaling",
             .default_value = "0.9",
             .meaning = "planned speed = (GPUs / GPUs asked for)^scaling, but for divided transformers",
             .minimum = 0.01,
             .maximum = 1},
            flag("doubling", false, "whether sizes are the minimum times a power of two")};
  }

  void take_over(const Elastic& before, JobId) { next_growth_ = std::max(next_growth_, before.next_growth_); }

  bool resizes() const override { return true; }

  void arrived(const ClusterView&, JobId id) override { queue_.insert(id); }

  void withdrawn(const ClusterView&, JobId id) override { queue_.erase(id); }

  void decide(const ClusterView& cluster, Decisions& decisions) override
  {
    start_waiting(cluster, decisions);
    const bool any_elastic =
        std::ranges::any_of(cluster.running(), [&](JobId id) { return is_elastic_here(cluster, id); });
    if (!any_elastic)
      return;
    if (cluster.now() < next_growth_) {
      decisions.wake_at(next_growth_);
      return;
    }
    if (grow(cluster, decisions))
      next_growth_ = cluster.now() + period_;
  }
  bool unlike_tasks() const override { return false; }

private:
  struct Gain {
    double per_gpu = 0;
    JobId id;
    int to = 0;
    bool operator<(const Gain& other) const { return std::tie(per_gpu, other.id) < std::tie(other.per_gpu, id); }
  };

  /// Minimum sizes in order of submission; elastic jobs shrink, the one with most above its minimum first, if that
  /// frees enough GPUs.
  void start_waiting(const ClusterView& cluster, Decisions& decisions)
  {
    while (!queue_.empty()) {
      const JobId id = *queue_.begin();
      const int needed = cluster.job(id).smallest_gpus();
      if (!decisions.start(id, size(cluster, id, needed)) &&
          !(shrink_for(cluster, decisions, id) && decisions.start(id, size(cluster, id, needed))))
        return; // no job overtakes: the order of submission is kept
      queue_.erase(id);
    }
  }

  bool is_elastic_here(const ClusterView& cluster, JobId id) const
  {
    return cluster.job(id).elastic() && pool.holds(cluster, id);
  }

  static int size(const ClusterView& cluster, JobId id, int gpus) { return cluster.job(id).elastic() ? gpus : 0; }

  bool shrink_for(const ClusterView& cluster, Decisions& decisions, JobId id) const
  {
    std::vector<std::tuple<int, JobId>> spare;
    int sum = pool.free_gpus(cluster);
    for (const JobId other : cluster.running()) {
      const int above = cluster.state(other).held.gpus - cluster.job(other).smallest_gpus();
      if (is_elastic_here(cluster, other) && above > 0) {
        spare.emplace_back(-above, other);
        sum += above;
      }
    }
    const int needed = cluster.job(id).smallest_gpus();
    if (spare.empty() || sum < needed)
      return false;
    std::ranges::sort(spare);
    for (const auto& [above, other] : spare) {
      if (pool.free_gpus(cluster) >= needed)
        break;
      decisions.resize(other, cluster.job(other).smallest_gpus());
    }
    return pool.free_gpus(cluster) >= needed;
  }

  bool grow(const ClusterView& cluster, Decisions& decisions)
  {
    int free = pool.free_gpus(cluster);
    std::vector<std::pair<JobId, int>> sizes;
    std::priority_queue<Gain> gains;
    for (const JobId id : cluster.running())
      if (is_elastic_here(cluster, id))
        sizes.emplace_back(id, cluster.state(id).held.gpus);
    std::ranges::sort(sizes);
    for (const auto& [id, gpus] : sizes)
      push(cluster, gains, id, gpus);
    std::map<JobId, int> wanted;
    while (free > 0 && !gains.empty()) {
      const Gain best = gains.top();
      gains.pop();
      const int from = wanted.contains(best.id) ? wanted[best.id] : cluster.state(best.id).held.gpus;
      if (best.to - from > free)
        continue;
      free -= best.to - from;
      wanted[best.id] = best.to;
      push(cluster, gains, best.id, best.to);
    }
    bool any = false;
    for (const auto& [id, gpus] : wanted)
      any = decisions.resize(id, gpus) || any;
    return any;
  }

  void push(const ClusterView& cluster, std::priority_queue<Gain>& gains, JobId id, int gpus) const
  {
    const int to = cluster.workload().size_from(cluster.job(id), doubling_ ? gpus * 2 : gpus + 1);
    if (to == 0)
      return;
    const double work = cluster.estimated_remaining(id).value();
    const TraceJob& job = cluster.job(id);
    const double gain = work * (1 / planned_speed(cluster, job, gpus) - 1 / planned_speed(cluster, job, to));
    gains.push({gain / (to - gpus), id, to});
  }

  /// 1 on the GPUs that the job asks for; by its own speeds where they are known.
  double planned_speed(const ClusterView& cluster, const TraceJob& job, int gpus) const
  {
    const double known = cluster.workload().size_of(job, gpus).speed;
    return known > 0 ? known : std::pow(1.0 * gpus / job.gpus, exponent_);
  }

  Instant period_;
  double exponent_;
  bool doubling_;
  Instant next_growth_;
  std::set<JobId> queue_;
};

using ElasticByPool = ByPool<Elastic>;
TY_REGISTER(QueuePolicy, ElasticByPool, "elastic",
            "jobs grow and shrink between their minimum and maximum by marginal gain (Optimus)");

} // namespace
} // namespace trainyard
