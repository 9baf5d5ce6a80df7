// Conservative backfill (Mu'alem and Feitelson 2001). Every queued job has a reservation: the earliest gap in the plan, given when it
// arrives, which no later job can push back. When a job ends earlier than planned the plan is compressed: all reservations are made anew in
// order of arrival. A job starts when its reservation is due. Reservations count GPUs.
#include "sim/scheduling/scheduling.hpp"

#include <algorithm>
#include <iterator>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <unordered_map>
#include <utility>
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

  /// Forgets what was before @p now.
  void advance(double now)
  {
    const std::int64_t free = at(now);
    free_.erase(free_.begin(), free_.upper_bound(now));
    free_[now] = free;
  }

  std::int64_t at(double time) const { return std::prev(free_.upper_bound(time))->second; }

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

/// What one pass has found so far: the plan only fills up meanwhile, so who needs as much for at least as long starts no earlier.
class Earlier
{
public:
  double start_of(std::int64_t needed, double length, double otherwise) const
  {
    const auto of_size = found_.find(needed);
    if (of_size == found_.end())
      return otherwise;
    const auto longer = of_size->second.upper_bound(length);
    return longer == of_size->second.begin() ? otherwise : std::max(otherwise, std::prev(longer)->second);
  }

  void found(std::int64_t needed, double length, double start)
  {
    // Starts ascend with lengths: whatever is shorter or as long but later says no more than this one did.
    std::map<double, double>& of_size = found_[needed];
    auto at = of_size.insert_or_assign(length, start).first;
    for (++at; at != of_size.end() && at->second <= start;)
      at = of_size.erase(at);
  }

private:
  std::map<std::int64_t, std::map<double, double>> found_;
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

  void started(const ClusterView& cluster, JobId id) override
  {
    const double end = cluster.estimated_end(id).value();
    planned_[id.index] = end;
    ends_.emplace(end, id);
  }

  void stopped(const ClusterView& cluster, JobId id) override
  {
    const auto known = planned_.find(id.index);
    gaps_ = gaps_ || known->second > cluster.now().value();
    ends_.erase({known->second, id});
    planned_.erase(known);
  }

  void decide(const ClusterView& cluster, Decisions& decisions) override
  {
    if (queue_.empty()) {
      gaps_ = false;
      plan_.reset();
      return;
    }
    const double now = cluster.now().value();
    const bool holds = plan_holds(cluster);
    Profile plan = holds ? std::move(*plan_) : unreserved(cluster, decisions);
    plan_.reset();
    // Reservations stand until somebody ends early (or late): then all are made anew, in order of arrival.
    if (!gaps_ && !holds)
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
    Earlier earlier;
    for (Reserved& job : queue_) {
      if (job.start >= 0)
        continue;
      const std::int64_t needed = milli(cluster, job.id);
      const double length = duration(cluster, job.id);
      job.start = plan.earliest(earlier.start_of(needed, length, now), length, needed);
      if (job.start == never)
        continue;
      earlier.found(needed, length, job.start);
      plan.add(job.start, job.start + length, -needed);
    }
    gaps_ = false;
    bool as_planned = true;
    double next = never;
    JobId before; // the first that waits for its reservation: nobody behind it may delay it
    for (Reserved& job : queue_) {
      if (job.start > now) {
        const bool too_few = milli(cluster, job.id) > cluster.cluster().free_milli();
        decisions.hold(job.id, too_few ? WaitReason::gpus : WaitReason::reservation, too_few ? JobId{} : before, Seconds{job.start});
        if (!before)
          before = job.id;
        next = std::min(next, job.start);
        continue;
      }
      const double end = job.start + duration(cluster, job.id);
      if (decisions.start(job.id)) {
        as_planned = as_planned && planned_.at(job.id.index) == end;
        job.id = JobId{};
      } else {
        job.start = -1; // fragmentation: planned again at the next event
        as_planned = false;
      }
    }
    if (next < never)
      decisions.wake_at(Seconds{next});
    if (as_planned)
      plan_ = std::move(plan);
    std::erase_if(queue_, [](const Reserved& job) { return !job.id; });
  }

  WaitReason usual_reason() const override { return WaitReason::reservation; }

private:
  struct Reserved {
    JobId id;
    double start = -1;
  };

  /// Whether the plan of the last decision is still true: everybody started and ended as planned, and no machine came or went.
  bool plan_holds(const ClusterView& cluster)
  {
    const double now = cluster.now().value();
    if (!plan_ || gaps_ || (!ends_.empty() && ends_.begin()->first <= now))
      return false;
    std::int64_t due = 0;
    for (const Reserved& job : queue_) {
      if (job.start >= 0 && job.start < now)
        return false;
      due += job.start == now ? milli(cluster, job.id) : 0;
    }
    plan_->advance(now);
    return plan_->at(now) == cluster.cluster().free_milli() - due;
  }

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
  std::set<std::pair<double, JobId>> ends_; // the same in order
  std::optional<Profile> plan_;             // with all reservations, where it came true so far
  bool gaps_ = false;                       // somebody ended early
};

TY_REGISTER(QueuePolicy, ConservativeBackfill, "conservative_backfill",
            "first in, first out, with backfill that delays no reservation at all");

} // namespace
} // namespace trainyard
