// Conservative backfill (Mu'alem and Feitelson 2001). Every queued job has a reservation: the earliest gap in the plan, given when it
// arrives, which no later job can push back. When a job ends earlier than planned the plan is compressed: all reservations are made anew in
// order of arrival. A job starts when its reservation is due. Reservations count GPUs.
#include "sim/scheduling/scheduling.hpp"

#include <algorithm>
#include <iterator>
#include <limits>
#include <map>
#include <unordered_map>
#include <vector>

namespace trainyard {
namespace {

constexpr double never = std::numeric_limits<double>::infinity();

/// Free thousandths of GPUs from each time on, as a step function.
class Profile
{
public:
  Profile(double now, std::int64_t free) { free_[now] = free; }

  void add(double from, double to, std::int64_t change)
  {
    if (!(from < to))
      return;
    split(from);
    if (to < never)
      split(to);
    const auto last = to < never ? free_.find(to) : free_.end();
    for (auto at = free_.find(from); at != last; ++at)
      at->second += change;
  }

  /// Earliest time from @p now on at which @p needed is free for @p length.
  double earliest(double now, double length, std::int64_t needed) const
  {
    auto at = std::prev(free_.upper_bound(now));
    double begin = now;
    while (at != free_.end()) {
      if (at->second < needed) {
        ++at;
        if (at == free_.end())
          return never;
        begin = at->first;
        continue;
      }
      const auto following = std::next(at);
      if (following == free_.end() || following->first >= begin + length)
        return begin;
      at = following;
    }
    return never;
  }

  bool free_for(double from, double length, std::int64_t needed) const { return earliest(from, length, needed) == from; }

private:
  void split(double time)
  {
    const auto after = free_.upper_bound(time);
    if (after == free_.begin())
      free_[time] = free_.begin()->second;
    else
      free_.try_emplace(time, std::prev(after)->second);
  }

  std::map<double, std::int64_t> free_;
};

class ConservativeBackfill final : public QueuePolicy
{
public:
  void arrived(const ClusterView&, JobId id) override { queue_.push_back({id, -1}); }

  void speed_changed(const ClusterView& cluster, JobId id) override
  {
    stopped(cluster, id);
    started(cluster, id);
    gaps_ = true;
  }

  void started(const ClusterView& cluster, JobId id) override { planned_[id.index] = cluster.estimated_end(id).value(); }

  void stopped(const ClusterView& cluster, JobId id) override
  {
    const auto known = planned_.find(id.index);
    gaps_ = gaps_ || known->second > cluster.now().value();
    planned_.erase(known);
  }

  void decide(const ClusterView& cluster, Decisions& decisions) override
  {
    if (queue_.empty()) {
      gaps_ = false;
      return;
    }
    const double now = cluster.now().value();
    Profile plan = unreserved(cluster, decisions);
    // Reservations stand until somebody ends early (or late): then all are made anew, in order of arrival.
    if (!gaps_)
      for (const Reserved& job : queue_) {
        if (job.start < 0)
          continue;
        const std::int64_t needed = milli(cluster, job.id);
        const double length = duration(cluster, job.id);
        if (job.start < now || !plan.free_for(job.start, length, needed)) {
          gaps_ = true;
          break;
        }
        plan.add(job.start, job.start + length, -needed);
      }
    if (gaps_) {
      plan = unreserved(cluster, decisions);
      for (Reserved& job : queue_)
        job.start = -1;
    }
    for (Reserved& job : queue_) {
      if (job.start >= 0)
        continue;
      const std::int64_t needed = milli(cluster, job.id);
      const double length = duration(cluster, job.id);
      job.start = plan.earliest(now, length, needed);
      if (job.start < never)
        plan.add(job.start, job.start + length, -needed);
    }
    gaps_ = false;
    JobId before; // the first that waits for its reservation: nobody behind it may delay it
    for (Reserved& job : queue_) {
      if (job.start > now) {
        const bool too_few = milli(cluster, job.id) > cluster.cluster().free_milli();
        decisions.hold(job.id, too_few ? WaitReason::gpus : WaitReason::reservation, too_few ? JobId{} : before, Seconds{job.start});
        if (!before)
          before = job.id;
        if (job.start < never)
          decisions.wake_at(Seconds{job.start});
        continue;
      }
      if (decisions.start(job.id))
        job.id = JobId{};
      else
        job.start = -1; // fragmentation: planned again at the next event
    }
    std::erase_if(queue_, [](const Reserved& job) { return !job.id; });
  }

  WaitReason usual_reason() const override { return WaitReason::reservation; }

private:
  struct Reserved {
    JobId id;
    double start = -1;
  };

  /// What the running jobs leave free, by their estimates.
  Profile unreserved(const ClusterView& cluster, Decisions& decisions) const
  {
    const double now = cluster.now().value();
    Profile plan{now, cluster.cluster().free_milli()};
    for (const JobId id : cluster.running()) {
      double end = planned_.at(id.index);
      if (end <= now) { // it runs longer than estimated: reckoned to end a second from now, and asked again then
        end = now + 1;
        decisions.wake_at(Seconds{end});
      }
      plan.add(end, never, cluster.state(id).held.milli());
    }
    return plan;
  }

  static std::int64_t milli(const ClusterView& cluster, JobId id) { return request_of(cluster.job(id)).milli(); }
  /// Nothing is planned for less than a millisecond: a job of unknown length still needs its GPUs now.
  static double duration(const ClusterView& cluster, JobId id) { return std::max(cluster.estimated_remaining(id).value(), 1e-3); }

  std::vector<Reserved> queue_;
  std::unordered_map<int, double> planned_; // end of each running job; looked up only
  bool gaps_ = false;                       // somebody ended early
};

TY_REGISTER(QueuePolicy, ConservativeBackfill, "conservative_backfill",
            "first in, first out, with backfill that delays no reservation at all");

} // namespace
} // namespace trainyard
