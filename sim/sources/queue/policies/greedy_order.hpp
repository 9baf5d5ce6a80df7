// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "sim/sources/queue/policies/machine_pools.hpp"
#include "sim/sources/queue/policies/waiting_classes.hpp"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

namespace trainyard {

/// A running job and its place in an order.
template <class Key>
struct RunningEntry {
  std::pair<Key, JobId> entry;
  std::int64_t milli = 0; // that it holds
  int gpu_type = 0;
};

/// Running jobs in order of (key, job), kept from decision to decision: in chunks that know how much their jobs hold,
/// so that a decision need not look at each job.
template <class Key>
class RunningOrder
{
public:
  using Entry = std::pair<Key, JobId>;
  using Job = RunningEntry<Key>;
  struct Chunk {
    std::vector<Job> jobs; // at least one
    std::int64_t milli = 0;
  };

  RunningOrder() = default;
  /// @p sorted: in order. For one decision: nobody can be erased.
  explicit RunningOrder(const std::vector<Job>& sorted)
  {
    for (auto at = sorted.begin(); at != sorted.end();) {
      const auto last = at + std::min<std::ptrdiff_t>(most / 2, sorted.end() - at);
      chunks_.push_back(chunk_of({at, last}));
      at = last;
    }
  }

  /// A running job, in place of what was said of it before.
  void insert(const ClusterView& cluster, JobId id, Key key)
  {
    erase(id);
    const Entry entry{key, id};
    const Allocation& held = cluster.state(id).held;
    keys_.emplace(id.index, std::move(key));
    const Job job{entry, held.milli(), held.gpu_type};
    if (chunks_.empty()) {
      chunks_.push_back({{job}, job.milli});
      return;
    }
    const auto chunk = std::min(place(entry), chunks_.end() - 1);
    std::vector<Job>& jobs = chunk->jobs;
    jobs.insert(std::ranges::lower_bound(jobs, entry, {}, &Job::entry), job);
    chunk->milli += job.milli;
    if (static_cast<std::ptrdiff_t>(jobs.size()) <= most)
      return;
    Chunk behind = chunk_of({jobs.begin() + most / 2, jobs.end()});
    chunk->milli -= behind.milli;
    jobs.resize(static_cast<std::size_t>(most / 2));
    chunks_.insert(chunk + 1, std::move(behind));
  }
  /// Nothing happens where it is not in here.
  void erase(JobId id)
  {
    const auto known = keys_.find(id.index);
    if (known == keys_.end())
      return;
    const Entry entry{std::move(known->second), id};
    keys_.erase(known);
    const auto chunk = place(entry);
    std::vector<Job>& jobs = chunk->jobs;
    const auto at = std::ranges::lower_bound(jobs, entry, {}, &Job::entry);
    chunk->milli -= at->milli;
    jobs.erase(at);
    if (jobs.empty()) {
      chunks_.erase(chunk);
    } else if (const auto next = chunk + 1;
               next != chunks_.end() && static_cast<std::ptrdiff_t>(jobs.size() + next->jobs.size()) <= most / 2) {
      jobs.insert(jobs.end(), next->jobs.begin(), next->jobs.end());
      chunk->milli += next->milli;
      chunks_.erase(next);
    }
  }

  bool empty() const { return chunks_.empty(); }
  const Job& front() const { return chunks_.front().jobs.front(); }
  /// In order.
  std::span<const Chunk> chunks() const { return chunks_; }
  /// In order, those with at least this key, and perhaps some before them.
  std::vector<Job> from(const Key& key) const
  {
    std::vector<Job> jobs;
    for (const Chunk& chunk : chunks_)
      if (!(chunk.jobs.back().entry.first < key))
        jobs.insert(jobs.end(), chunk.jobs.begin(), chunk.jobs.end());
    return jobs;
  }
  /// Visits in order, as long as @p visit says so.
  template <class Visit>
  void walk(const Visit& visit) const
  {
    for (const Chunk& chunk : chunks_)
      for (const Job& job : chunk.jobs)
        if (!visit(job))
          return;
  }

private:
  static constexpr std::ptrdiff_t most = 64; // jobs of a chunk

  static Chunk chunk_of(std::span<const Job> jobs)
  {
    Chunk chunk{{jobs.begin(), jobs.end()}, 0};
    for (const Job& job : jobs)
      chunk.milli += job.milli;
    return chunk;
  }
  /// The chunk whose last job is the first that is not before this; the end where all are.
  auto place(const Entry& entry)
  {
    return std::ranges::lower_bound(chunks_, entry, {}, [](const Chunk& chunk) { return chunk.jobs.back().entry; });
  }

  std::vector<Chunk> chunks_;
  std::unordered_map<int, Key> keys_; // looked up only
};

/// Jobs that have started since somebody looked: while nothing waits, nobody has to, and starts and ends cost next to
/// nothing.
class StartedSince
{
public:
  void add(const ClusterView& cluster, JobId id)
  {
    ids_.push_back(id);
    if (ids_.size() > 64 + 2 * cluster.running().size())
      ids_ = take(cluster);
  }
  /// Those that still run, in order.
  std::vector<JobId> take(const ClusterView& cluster)
  {
    std::erase_if(ids_, [&](JobId id) { return !cluster.is_running(id); });
    if (!std::ranges::is_sorted(ids_)) // mostly they are
      std::ranges::sort(ids_);
    const auto repeated = std::ranges::unique(ids_);
    ids_.erase(repeated.begin(), repeated.end());
    return std::exchange(ids_, {});
  }

private:
  std::vector<JobId> ids_;
};

/// How a greedy allocation counts, and what it does with whom it stops.
struct GreedyRules {
  bool by_type = true;       // GPUs of different types are counted apart
  bool start_stopped = true; // those that it stopped may start again on GPUs that fragmentation left idle
  PoolOfMachines pool = {};  // whose GPUs count
  /// Whom else to stop for a chosen job that finds no place; nobody where that does not help. Absent: nobody.
  std::function<std::vector<JobId>(JobId)> more_stops = {};
};

/// Preemptive greedy allocation: GPUs go to the jobs in the order in which they are offered, running ones and waiting
/// ones alike; a running job that gets none is preempted, a waiting one that gets some starts, one that does not fit
/// into the rest is skipped. Gangs are whole or not at all. GPUs are counted per type where types differ in speed.
/// Waiting jobs that are never offered get nothing.
///
/// On machines a chosen job may still find no place (fragmentation); unless others are stopped for it
/// (GreedyRules::more_stops) it waits then, and the job preempted for it is started again before others, in order.
class GreedyAllocation
{
public:
  /// Of the free GPUs. Running jobs keep theirs unless they are released.
  explicit GreedyAllocation(const ClusterView& cluster, GreedyRules rules = {});
  /// What a running job holds is on offer too, or again not.
  void release(std::int64_t milli, int gpu_type) { left_[typed_ ? static_cast<std::size_t>(gpu_type) : 0] += milli; }
  void keep(std::int64_t milli, int gpu_type) { release(-milli, gpu_type); }
  void release_all_running();
  /// Whether a waiting job would get GPUs if it were the next.
  bool could_start(JobId id) const { return type_for(id) != no_type; }
  /// The next in order; whether it gets GPUs. A running one has been released. Where a waiting one gets none, no other
  /// with the same request will.
  bool offer(JobId id);
  /// The same for a job that runs.
  void offer_running(JobId id, std::int64_t milli, int gpu_type)
  {
    std::int64_t& left = left_[typed_ ? static_cast<std::size_t>(gpu_type) : 0];
    if (left >= milli)
      left -= milli;
    else
      stopped_.push_back(id);
  }
  /// Whether so much is left where types are not counted apart.
  bool has_for_all(std::int64_t milli) const { return !typed_ && left_[0] >= milli; }
  /// Whether types of GPUs are counted apart.
  bool typed() const { return typed_; }
  /// Whether nothing is left for anybody who needs a GPU.
  bool exhausted() const
  {
    return std::ranges::all_of(left_, [](std::int64_t left) { return left == 0; });
  }
  /// Carries it out.
  void apply(Decisions& decisions) const;

private:
  static constexpr int no_type = -2;
  static constexpr int any_type = -1;

  int type_for(JobId id) const;

  const ClusterView& cluster_;
  GreedyRules rules_;
  bool typed_ = false;
  std::vector<std::int64_t> left_; // thousandths on offer, per GPU type
  std::vector<std::pair<JobId, int>> chosen_;
  std::vector<JobId> stopped_;
};

/// A way through the running jobs in order, beside a walk through the waiting ones.
///
/// @p Before: (running job, entry of a waiting job) -> whether the running one comes first.
template <class Key, class Before>
class RunningWalk
{
public:
  RunningWalk(const RunningOrder<Key>& running, GreedyAllocation& allocation, const Before& before)
      : chunks_{running.chunks()}, allocation_{allocation}, before_{before}
  {
    for (const auto& chunk : chunks_)
      if (!allocation.typed())
        allocation.release(chunk.milli, 0);
      else
        for (const RunningEntry<Key>& job : chunk.jobs)
          allocation.release(job.milli, job.gpu_type);
  }
  /// Those before this waiting job keep what they hold.
  template <class Entry>
  void pass(const Entry& next)
  {
    go_on([&](const RunningEntry<Key>& job) { return before_(job, next); },
          [&](std::int64_t milli) {
            if (!allocation_.typed())
              allocation_.keep(milli, 0);
            return !allocation_.typed();
          },
          [&](const RunningEntry<Key>& job) { allocation_.keep(job.milli, job.gpu_type); });
  }
  /// Those before this waiting job are offered what they hold.
  template <class Entry>
  void offer(const Entry& next)
  {
    offer_while([&](const RunningEntry<Key>& job) { return before_(job, next); });
  }
  void offer_rest()
  {
    offer_while([](const RunningEntry<Key>&) { return true; });
  }

private:
  template <class While>
  void offer_while(const While& comes)
  {
    go_on(
        comes,
        [&](std::int64_t milli) {
          if (!allocation_.has_for_all(milli))
            return false;
          allocation_.keep(milli, 0);
          return true;
        },
        [&](const RunningEntry<Key>& job) { allocation_.offer_running(job.entry.second, job.milli, job.gpu_type); });
  }

  /// @p together: does it for a whole chunk, from what its jobs hold; false: job by job.
  template <class While, class Together, class One>
  void go_on(const While& comes, const Together& together, const One& one)
  {
    for (; chunk_ < chunks_.size(); ++chunk_, at_ = 0) {
      const auto& chunk = chunks_[chunk_];
      if (at_ == 0 && comes(chunk.jobs.back()) && together(chunk.milli))
        continue;
      for (; at_ < chunk.jobs.size(); ++at_) {
        if (!comes(chunk.jobs[at_]))
          return;
        one(chunk.jobs[at_]);
      }
    }
  }

  std::span<const typename RunningOrder<Key>::Chunk> chunks_;
  GreedyAllocation& allocation_;
  const Before& before_;
  std::size_t chunk_ = 0, at_ = 0; // the next
};

/// Offers GPUs to running and waiting jobs together, in order, and carries it out. @p running: those behind the first
/// waiting job, at least. @p before: as RunningWalk says.
///
/// As long as no waiting job has got anything, every running job keeps what it holds. So nothing changes before the
/// first waiting job that fits into the free GPUs and those of the jobs behind it; in each class that is its head, or
/// nobody.
template <class RunningKey, class Key, class Before>
void allocate_in_order(const ClusterView& cluster, Decisions& decisions, const RunningOrder<RunningKey>& running,
                       WaitingClasses<Key>& waiting, const Before& before, GreedyRules rules)
{
  GreedyAllocation allocation{cluster, rules};
  RunningWalk<RunningKey, Before> walk{running, allocation, before};
  const auto heads = waiting.heads();
  const auto first = std::ranges::find_if(heads, [&](const auto& head) {
    walk.pass(head.first);
    return allocation.could_start(head.first.second);
  });
  if (first == heads.end())
    return;
  WaitingClasses<Key>::walk_classes({first, heads.end()}, [&](const auto& next) {
    walk.offer(next);
    return allocation.offer(next.second) ? Walk::on : Walk::skip_class;
  });
  walk.offer_rest();
  allocation.apply(decisions);
}

template <class Key>
void allocate_in_order(const ClusterView& cluster, Decisions& decisions, const RunningOrder<Key>& running,
                       WaitingClasses<Key>& waiting, GreedyRules rules = {})
{
  const auto before = [](const RunningEntry<Key>& job, const std::pair<Key, JobId>& next) { return job.entry < next; };
  allocate_in_order(cluster, decisions, running, waiting, before, rules);
}

/// The same, with every running job of a pool at @p place(id).
template <class Key, class Place>
void allocate_by_place(const ClusterView& cluster, Decisions& decisions, WaitingClasses<Key>& waiting,
                       const Place& place, GreedyRules rules)
{
  std::vector<RunningEntry<Key>> running;
  running.reserve(cluster.running().size());
  for (const JobId id : cluster.running()) {
    if (!rules.pool.holds(cluster, id))
      continue;
    const Allocation& held = cluster.state(id).held;
    running.push_back({{place(id), id}, held.milli(), held.gpu_type});
  }
  std::ranges::sort(running, {}, &RunningEntry<Key>::entry);
  allocate_in_order(cluster, decisions, RunningOrder<Key>{running}, waiting, rules);
}

/// Starts every waiting job where all of them fit beside what runs; false, with some of them perhaps started, where
/// they do not. Cheaper than any order, and the same as a greedy one. Of a @p pool among several: false.
bool start_all_waiting(const ClusterView& cluster, Decisions& decisions, const PoolOfMachines& pool = {});

} // namespace trainyard
