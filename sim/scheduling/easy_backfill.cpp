// EASY backfill (Lifka 1995; Mu'alem and Feitelson 2001). Heads start while they fit. The blocked head is reserved at its shadow time: the
// earliest time at which the estimates say that enough GPUs are free. A later job starts now if it fits now and either its estimate ends by
// the shadow time or it uses only GPUs that are left over then. Reservations count GPUs; on machines, fragmentation may still delay a head.
#include "sim/scheduling/scheduling.hpp"

#include <algorithm>

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

  void arrived(const ClusterView&, JobId id) override { queue_.push_back(id); }

  void decide(const ClusterView& cluster, Decisions& decisions) override
  {
    std::size_t started = 0;
    while (started < queue_.size() && decisions.start(queue_[started]))
      ++started;
    queue_.erase(queue_.begin(), queue_.begin() + static_cast<std::ptrdiff_t>(started));
    if (queue_.size() < 2)
      return;

    std::vector<std::pair<Seconds, JobId>> ends;
    for (const JobId id : cluster.running())
      ends.emplace_back(cluster.now() + cluster.estimated_remaining(id), id);
    std::ranges::sort(ends);
    const std::int64_t head = milli(cluster, queue_.front());
    std::int64_t free_then = cluster.cluster().free_milli();
    Seconds shadow = cluster.now();
    for (const auto& [end, id] : ends) {
      if (free_then >= head && end > shadow)
        break; // all that end at the shadow time count
      free_then += cluster.state(id).held.milli();
      shadow = end;
    }
    std::int64_t left_over = free_then - head;

    std::vector<JobId> rest{queue_.front()};
    for (std::size_t i = 1; i < queue_.size(); ++i) {
      const JobId id = queue_[i];
      const std::int64_t needed = milli(cluster, id);
      const bool ends_before = cluster.now() + cluster.estimated_remaining(id) <= shadow;
      const bool looked_at = depth_ == 0 || static_cast<int>(i) <= depth_;
      if (looked_at && (ends_before || needed <= left_over) && decisions.start(id)) {
        if (!ends_before)
          left_over -= needed;
      } else {
        rest.push_back(id);
      }
    }
    queue_ = std::move(rest);
  }

private:
  static std::int64_t milli(const ClusterView& cluster, JobId id) { return request_of(cluster.job(id)).milli(); }

  int depth_;
  std::vector<JobId> queue_;
};

TY_REGISTER(QueuePolicy, EasyBackfill, "easy_backfill", "first in, first out, with backfill that never delays the head's reservation");

} // namespace
} // namespace trainyard
