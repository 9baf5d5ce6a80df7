// SPDX-License-Identifier: Apache-2.0
// Conservative backfill (Mu'alem and Feitelson 2001). Every queued job has a reservation: the earliest gap in the plan,
// given when it arrives, which no later job can push back. When a job ends earlier than planned the plan is compressed:
// all reservations are made again in order of arrival. A job starts when its reservation is due. Reservations count
// GPUs. A job that comes back after a failure has its old turn: all reservations are made again.
//
// A job that runs longer than estimated is put off (later_end), each time that it has not ended then. Reservations that
// this pushes back are made again.
#include "sim/sources/queue/policies/gpu_profile.hpp"
#include "sim/sources/queue/policies/machine_pools.hpp"
#include "sim/sources/queue/policies/planned_length.hpp"

#include <algorithm>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <unordered_map>
#include <utility>
#include <vector>

namespace trainyard {
namespace {

/// What was found in a plan that has only filled up since: who needs as much or more for as long or longer starts no
/// earlier.
class Earlier
{
public:
  Instant start_of(std::int64_t needed, Instant length, Instant otherwise) const
  {
    for (const auto& [size, of_size] : found_) {
      if (size > needed)
        break;
      const auto longer = of_size.upper_bound(length);
      if (longer != of_size.begin())
        otherwise = std::max(otherwise, std::prev(longer)->second);
    }
    return otherwise;
  }

  void found(std::int64_t needed, Instant length, Instant start)
  {
    // Starts ascend with lengths: whatever is shorter or as long but later says no more than this one did.
    std::map<Instant, Instant>& of_size = found_[needed];
    auto at = of_size.insert_or_assign(length, start).first;
    for (++at; at != of_size.end() && at->second <= start;)
      at = of_size.erase(at);
  }

  void clear() { found_.clear(); }

private:
  std::map<std::int64_t, std::map<Instant, Instant>> found_; // by size, by length
};

class ConservativeBackfill final : public QueuePolicy
{
public:
  explicit ConservativeBackfill(const Settings&) {}

  PoolOfMachines pool;

  static std::vector<Parameter> parameters() { return {}; }
  void arrived(const ClusterView& cluster, JobId id) override
  {
    const std::int64_t needed = request_of(cluster.job(id)).milli();
    const std::int64_t newest = pool.turns->next();
    const std::int64_t turn = pool.turns->of(id);
    const Instant length = duration(cluster, id);
    queue_.emplace(turn, Reserved{id, needed, length});
    gaps_ = gaps_ || turn < newest;
    waiting_[needed].insert(length);
  }

  void speed_changed(const ClusterView& cluster, JobId id) override
  {
    stopped(cluster, id);
    started(cluster, id);
    gaps_ = true;
  }

  void started(const ClusterView& cluster, JobId id) override
  {
    const Instant end = std::max(cluster.estimated_end(id), cluster.now() + shortest);
    planned_[id.index] = {end, end};
    ends_.emplace(end, id);
  }

  void stopped(const ClusterView& cluster, JobId id) override
  {
    const auto known = planned_.find(id.index);
    gaps_ = gaps_ || known->second.now > cluster.now();
    ends_.erase({known->second.now, id});
    planned_.erase(known);
  }

  void withdrawn(const ClusterView&, JobId id) override
  {
    const auto found = std::ranges::find_if(queue_, [&](const auto& entry) { return entry.second.id == id; });
    if (found == queue_.end())
      return;
    const auto [order, job] = *found;
    by_start_.erase({job.start, order});
    waits_no_more(job);
    queue_.erase(found);
    gaps_ = true; // its reservation is free
  }

  void decide(const ClusterView& cluster, Decisions& decisions) override
  {
    const Instant now = cluster.now();
    put_off_late_ends(now);
    if (queue_.empty()) {
      gaps_ = false;
      plan_.reset();
      return;
    }
    if (!plan_holds(cluster))
      plan_anew(cluster);
    gaps_ = false;
    says_reasons_ = decisions.wants_reasons() &&
                    (queue_.size() <= 5 * reasons_each_decision || queue_.size() <= reasons_each_decision * ++unsaid_);
    if (says_reasons_)
      unsaid_ = 0;
    reserve(now);
    say_reasons(cluster, decisions);
    const bool as_planned = start_due(cluster, decisions);
    if (!queue_.empty()) // all reservations begin when somebody ends, or at an event
      decisions.wake_at(std::min(by_start_.empty() ? end_of_time : by_start_.begin()->first,
                                 ends_.empty() ? end_of_time : ends_.begin()->first));
    if (!as_planned)
      plan_.reset();
  }

  WaitReason usual_reason() const override { return WaitReason::reservation; }

private:
  struct Reserved {
    JobId id;
    std::int64_t needed = 0;
    Instant length;    // planned
    Instant start{-1}; // below 0: not reserved yet
  };
  using Queue = std::map<std::int64_t, Reserved>; // by turn
  struct PlannedEnd {
    Instant now, estimated; // later than estimated, where it runs longer
  };

  /// So many are reserved although nothing is free for them now, where somebody reads when they are to start: of a
  /// longer queue than this not at every decision, so that the work stays in proportion.
  static constexpr std::size_t reasons_at_most = 1000, reasons_each_decision = 20;

  /// Who should have ended by now needs a little more.
  void put_off_late_ends(Instant now)
  {
    while (!ends_.empty() && ends_.begin()->first <= now) {
      const JobId id = ends_.begin()->second;
      PlannedEnd& end = planned_.at(id.index);
      ends_.erase(ends_.begin());
      end.now = later_end(now, end.estimated);
      ends_.emplace(end.now, id);
      plan_.reset();
    }
  }

  /// Whether the plan of the last decision is still true: everybody started and ended as planned, and no machine came
  /// or went.
  bool plan_holds(const ClusterView& cluster)
  {
    const Instant now = cluster.now();
    if (!plan_ || gaps_)
      return false;
    std::int64_t due = 0;
    for (auto at = by_start_.begin(); at != by_start_.end() && at->first <= now; ++at) {
      if (at->first < now)
        return false;
      due += queue_.at(at->second).needed;
    }
    plan_->advance(now);
    return plan_->at(now) == pool.free_milli(cluster) - due;
  }

  /// Reservations are kept until a job ends early (or so late that one does not hold) or a machine comes back: then all
  /// are made again, in order of arrival.
  void plan_anew(const ClusterView& cluster)
  {
    const Instant now = cluster.now();
    plan_ = unreserved(cluster);
    const std::int64_t all = plan_->at(end_of_time);
    gaps_ = gaps_ || all > all_;
    all_ = all;
    earlier_.clear();
    if (!gaps_) {
      std::vector<std::int64_t> standing;
      for (const auto& [start, order] : by_start_)
        standing.push_back(order);
      std::ranges::sort(standing);
      for (const std::int64_t order : standing) {
        const Reserved& job = queue_.at(order);
        if (job.start < now || !plan_->free_for(job.start, job.length, job.needed)) {
          gaps_ = true;
          break;
        }
        plan_->add(job.start, job.start + job.length, -job.needed);
      }
    }
    if (!gaps_)
      return;
    plan_ = unreserved(cluster);
    for (const auto& [start, order] : by_start_)
      queue_.at(order).start = Instant{-1};
    by_start_.clear();
    scan_from_ = queue_.begin()->first;
  }

  /// Reserves in order of arrival. Where the plan holds no waiting job from this time on, the remaining jobs need no
  /// reservation yet: none of them can start before the next start or end of a job, they are reserved then, in the same
  /// order, and the result is the same.
  void reserve(Instant now)
  {
    const std::size_t wanted = says_reasons_ ? reasons_at_most : 0;
    std::optional<std::int64_t> nowhere; // the first that no gap will ever hold, while machines are down
    auto at = queue_.lower_bound(scan_from_);
    for (; at != queue_.end(); ++at) {
      Reserved& job = at->second;
      if (job.start >= Instant{0})
        continue;
      if (by_start_.size() >= wanted && !holds_any_waiting(now))
        break;
      const Instant from = earlier_.start_of(job.needed, job.length, now);
      const Instant start = plan_->earliest(from, job.length, job.needed);
      if (start == end_of_time) {
        nowhere = nowhere.value_or(at->first);
        continue;
      }
      earlier_.found(job.needed, job.length, start);
      job.start = start;
      by_start_.emplace(start, at->first);
      plan_->add(start, start + job.length, -job.needed);
    }
    scan_from_ = nowhere ? *nowhere : at == queue_.end() ? pool.turns->next() : at->first;
  }

  /// Whether some job that waits could start at @p now and run to its end in what the plan leaves. Not one that has a
  /// reservation: it would have been reserved here, as the plan has only filled up since.
  bool holds_any_waiting(Instant now) const
  {
    return std::ranges::any_of(
        waiting_, [&](const auto& of_size) { return plan_->free_for(now, *of_size.second.begin(), of_size.first); });
  }

  void waits_no_more(const Reserved& job)
  {
    const auto of_size = waiting_.find(job.needed);
    of_size->second.erase(of_size->second.find(job.length));
    if (of_size->second.empty())
      waiting_.erase(of_size);
  }

  void say_reasons(const ClusterView& cluster, Decisions& decisions)
  {
    if (!says_reasons_)
      return;
    std::int64_t free = pool.free_milli(cluster); // when those whose time has come have started
    for (auto due = by_start_.begin(); due != by_start_.end() && due->first <= cluster.now(); ++due)
      free -= queue_.at(due->second).needed;
    JobId before; // the first that waits for its reservation: nobody behind it may delay it
    for (const auto& [order, job] : queue_) {
      if (job.start >= Instant{0} && job.start <= cluster.now())
        continue;
      const bool too_few = job.needed > free;
      decisions.hold(job.id, too_few ? WaitReason::gpus : WaitReason::reservation, too_few ? JobId{} : before,
                     job.start);
      if (!before)
        before = job.id;
    }
  }

  /// Starts all jobs whose time has come; returns whether the plan was kept.
  bool start_due(const ClusterView& cluster, Decisions& decisions)
  {
    const Instant now = cluster.now();
    std::vector<std::int64_t> due;
    while (!by_start_.empty() && by_start_.begin()->first <= now) {
      due.push_back(by_start_.begin()->second);
      by_start_.erase(by_start_.begin());
    }
    std::ranges::sort(due);
    bool as_planned = true;
    for (const std::int64_t order : due) {
      Reserved& job = queue_.at(order);
      if (decisions.start(job.id)) {
        as_planned = as_planned && planned_.at(job.id.index).now == job.start + job.length;
        waits_no_more(job);
        queue_.erase(order);
      } else {
        job.start = Instant{-1}; // fragmentation: planned again at the next event
        scan_from_ = std::min(scan_from_, order);
        as_planned = false;
      }
    }
    return as_planned;
  }

  /// What the running jobs leave free, by their planned ends.
  GpuProfile unreserved(const ClusterView& cluster) const
  {
    GpuProfile plan{cluster.now(), pool.free_milli(cluster)};
    for (const auto& [end, id] : ends_)
      plan.add(end, end_of_time, cluster.state(id).held.milli());
    return plan;
  }

  /// Nothing is planned for less than this: a job of unknown length still needs its GPUs now.
  static constexpr Instant shortest{1_ms};
  static Instant duration(const ClusterView& cluster, JobId id)
  {
    return std::max(planned_length(cluster, id), shortest);
  }

  Queue queue_;
  std::int64_t scan_from_ = 0;                             // all before it have a reservation
  std::set<std::pair<Instant, std::int64_t>> by_start_;    // reservations: start, order
  std::map<std::int64_t, std::multiset<Instant>> waiting_; // lengths of those that wait, by thousandths of GPUs
  std::unordered_map<int, PlannedEnd> planned_;            // of each running job; looked up only
  std::set<std::pair<Instant, JobId>> ends_;               // the same in order
  Earlier earlier_;                                        // in the plan
  std::optional<GpuProfile> plan_;                         // with all reservations, where it came true so far
  std::int64_t all_ = 0;                                   // thousandths of GPUs that the last plan knew
  bool gaps_ = false;                                      // a job ended early, or a machine came back
  std::size_t unsaid_ = 0;                                 // decisions since reasons were said
  bool says_reasons_ = false;                              // at this decision
};

using ConservativeBackfillByPool = ByPool<ConservativeBackfill>;
TY_REGISTER(QueuePolicy, ConservativeBackfillByPool, "conservative_backfill",
            "first in, first out, with backfill that delays no reservation at all");

} // namespace
} // namespace trainyard
