// SPDX-License-Identifier: Apache-2.0
// Conservative backfill (Mu'alem and Feitelson 2001). Every queued job has a reservation: the earliest gap in the plan,
// given when it arrives, which no later job can push back. When a job ends earlier than planned the plan is compressed:
// all reservations are made again in order of arrival. A job starts when its reservation is due. Reservations count
// GPUs. A job that comes back after a failure has its old turn: all reservations are made again.
#include "sim/sources/queue/policies/gpu_profile.hpp"
#include "sim/sources/queue/policies/machine_pools.hpp"
#include "sim/sources/queue/policies/planned_length.hpp"

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
    const Instant end = cluster.estimated_end(id);
    planned_[id.index] = end;
    ends_.emplace(end, id);
  }

  void stopped(const ClusterView& cluster, JobId id) override
  {
    const auto known = planned_.find(id.index);
    gaps_ = gaps_ || known->second > cluster.now();
    ends_.erase({known->second, id});
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
    if (queue_.empty()) {
      gaps_ = false;
      plan_.reset();
      return;
    }
    const Instant now = cluster.now();
    if (!plan_holds(cluster))
      plan_anew(cluster, decisions);
    gaps_ = false;
    says_reasons_ = decisions.wants_reasons() &&
                    (queue_.size() <= 5 * reasons_each_decision || queue_.size() <= reasons_each_decision * ++unsaid_);
    if (says_reasons_)
      unsaid_ = 0;
    reserve(now);
    say_reasons(cluster, decisions);
    const bool as_planned = start_due(cluster, decisions);
    if (!by_start_.empty())
      decisions.wake_at(std::max(by_start_.begin()->first, now));
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

  /// So many are reserved although nothing is free for them now, where somebody reads when they are to start: of a
  /// longer queue than this not at every decision, so that the work stays in proportion.
  static constexpr std::size_t reasons_at_most = 1000, reasons_each_decision = 20;

  /// Whether the plan of the last decision is still true: everybody started and ended as planned, and no machine came
  /// or went.
  bool plan_holds(const ClusterView& cluster)
  {
    const Instant now = cluster.now();
    if (!plan_ || gaps_ || (!ends_.empty() && ends_.begin()->first <= now))
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

  /// Reservations are kept until a job ends early (or late): then all are made again, in order of arrival.
  void plan_anew(const ClusterView& cluster, Decisions& decisions)
  {
    const Instant now = cluster.now();
    plan_ = unreserved(cluster, decisions);
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
    plan_ = unreserved(cluster, decisions);
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
    JobId before; // the first that waits for its reservation: nobody behind it may delay it
    for (const auto& [order, job] : queue_) {
      if (job.start >= Instant{0} && job.start <= cluster.now())
        continue;
      const bool too_few = job.needed > pool.free_milli(cluster);
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
        as_planned = as_planned && planned_.at(job.id.index) == job.start + job.length;
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

  /// What the running jobs leave free, by their estimates.
  GpuProfile unreserved(const ClusterView& cluster, Decisions& decisions) const
  {
    const Instant now = cluster.now();
    GpuProfile plan{now, pool.free_milli(cluster)};
    for (auto [end, id] : ends_) {
      if (end <= now) { // it runs longer than estimated: assumed to need a little more, at least a second, and checked
                        // again then
        end = now + std::max(Instant{1_s}, 0.05 * (now - end));
        decisions.wake_at(end);
      }
      plan.add(end, end_of_time, cluster.state(id).held.milli());
    }
    return plan;
  }

  /// Nothing is planned for less than a millisecond: a job of unknown length still needs its GPUs now.
  static Instant duration(const ClusterView& cluster, JobId id)
  {
    return std::max(planned_length(cluster, id), Instant{1_ms});
  }

  Queue queue_;
  std::int64_t scan_from_ = 0;                             // all before it have a reservation
  std::set<std::pair<Instant, std::int64_t>> by_start_;    // reservations: start, order
  std::map<std::int64_t, std::multiset<Instant>> waiting_; // lengths of those that wait, by thousandths of GPUs
  std::unordered_map<int, Instant> planned_;               // end of each running job; looked up only
  std::set<std::pair<Instant, JobId>> ends_;               // the same in order
  Earlier earlier_;                                        // in the plan
  std::optional<GpuProfile> plan_;                         // with all reservations, where it came true so far
  bool gaps_ = false;                                      // a job ended early
  std::size_t unsaid_ = 0;                                 // decisions since reasons were said
  bool says_reasons_ = false;                              // at this decision
};

using ConservativeBackfillByPool = ByPool<ConservativeBackfill>;
TY_REGISTER(QueuePolicy, ConservativeBackfillByPool, "conservative_backfill",
            "first in, first out, with backfill that delays no reservation at all");

} // namespace
} // namespace trainyard
