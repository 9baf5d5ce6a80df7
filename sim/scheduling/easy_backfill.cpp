// EASY backfill (Lifka 1995; Mu'alem and Feitelson 2001). Heads start while they fit. The blocked head is reserved at its shadow time: the
// earliest time at which the estimates say that enough GPUs are free. A later job starts now if it fits now and either its estimate ends by
// the shadow time or it uses only GPUs that are left over then. Reservations count GPUs; on machines, fragmentation may still delay a head.
#include "sim/scheduling/scheduling.hpp"

#include <algorithm>
#include <deque>
#include <limits>
#include <set>
#include <unordered_map>

namespace trainyard {
namespace {

class EasyBackfill final : public QueuePolicy
{
public:
  explicit EasyBackfill(const Settings& settings) : depth_{settings.integer("depth", 0)} {}

  static std::vector<Parameter> parameters()
  {
    return {{.name = "depth",
             .kind = "integer",
             .default_value = "0",
             .meaning = "how many jobs behind the head are looked at; 0 = all",
             .minimum = 0,
             .maximum = 1e9}};
  }

  void arrived(const ClusterView& cluster, JobId id) override
  {
    queue_.push_back(id);
    if (const std::int64_t needed = milli(cluster, id); needed < smallest_)
      smallest_ = needed;
  }

  void started(const ClusterView& cluster, JobId id) override
  {
    const Seconds end = planned_end(cluster, id);
    known_[id.index] = end;
    ends_.emplace(end, id);
  }

  void stopped(const ClusterView&, JobId id) override
  {
    const auto known = known_.find(id.index);
    ends_.erase({known->second, id});
    known_.erase(known);
  }

  void speed_changed(const ClusterView& cluster, JobId id) override
  {
    stopped(cluster, id);
    started(cluster, id);
  }

  void decide(const ClusterView& cluster, Decisions& decisions) override
  {
    while (!queue_.empty() && decisions.start(queue_.front()))
      queue_.pop_front();
    if (queue_.size() < 2 || cluster.cluster().free_milli() < smallest_)
      return;

    const JobId head = queue_.front();
    const std::int64_t wanted = milli(cluster, head);
    std::int64_t free_then = cluster.cluster().free_milli();
    Seconds shadow = cluster.now();
    for (const auto& [planned, id] : ends_) {
      const Seconds end = std::max(planned, cluster.now()); // who runs longer than estimated may end at any moment
      if (free_then >= wanted && end > shadow)
        break; // all that end at the shadow time count
      free_then += cluster.state(id).held.milli();
      shadow = end;
    }
    std::int64_t left_over = free_then - wanted;
    decisions.hold(head, wanted > cluster.cluster().free_milli() ? WaitReason::gpus : WaitReason::fragmented, {}, shadow);

    const std::size_t last = depth_ == 0 ? queue_.size() : std::min(queue_.size(), static_cast<std::size_t>(depth_) + 1);
    bool any = false;
    std::int64_t smallest = wanted;
    std::size_t i = 1;
    for (; i < last && cluster.cluster().free_milli() >= smallest_; ++i) {
      const JobId id = queue_[i];
      const std::int64_t needed = milli(cluster, id);
      smallest = std::min(smallest, needed);
      if (needed > cluster.cluster().free_milli())
        continue;
      const bool ends_before = cluster.now() + cluster.estimated_remaining(id) / planning_speed(cluster, id) <= shadow;
      if (!ends_before && needed > left_over) {
        decisions.hold(id, WaitReason::reservation, head);
        continue;
      }
      if (!decisions.start(id))
        continue;
      if (!ends_before)
        left_over -= needed;
      queue_[i] = JobId{};
      any = true;
    }
    if (i == queue_.size())
      smallest_ = smallest; // everybody was looked at
    if (any)
      std::erase_if(queue_, [](JobId id) { return !id; });
  }

  WaitReason usual_reason() const override { return WaitReason::behind_head; }

private:
  static std::int64_t milli(const ClusterView& cluster, JobId id) { return request_of(cluster.job(id)).milli(); }

  static Seconds planned_end(const ClusterView& cluster, JobId id)
  {
    const JobState& state = cluster.state(id);
    const Seconds left = cluster.job(id).estimate - cluster.progress(id);
    return std::max(cluster.now(), state.work_from) + (state.speed == 1 ? left : left / std::max(state.speed, 1e-12));
  }

  /// Speed at which a waiting job is planned: 1 unless GPU types differ; then the slowest that could be its lot.
  static double planning_speed(const ClusterView& cluster, JobId id)
  {
    if (cluster.workload().type_speed.empty())
      return 1;
    double slowest = std::numeric_limits<double>::infinity();
    for (int type = 0; type < cluster.cluster().gpu_types(); ++type)
      if (const double speed = cluster.workload().speed_on(cluster.job(id), type); speed > 0)
        slowest = std::min(slowest, speed);
    return std::isfinite(slowest) ? slowest : 1;
  }

  int depth_;
  std::deque<JobId> queue_;
  std::set<std::pair<Seconds, JobId>> ends_;
  std::unordered_map<int, Seconds> known_;                           // looked up only
  std::int64_t smallest_ = std::numeric_limits<std::int64_t>::max(); // no waiting job needs less
};

TY_REGISTER(QueuePolicy, EasyBackfill, "easy_backfill", "first in, first out, with backfill that never delays the head's reservation");

} // namespace
} // namespace trainyard
