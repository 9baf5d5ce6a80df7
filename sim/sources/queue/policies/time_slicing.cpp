// SPDX-License-Identifier: Apache-2.0
// Time slicing, Gandiva's suspend-resume (Xiao et al., OSDI 2018): when more GPUs are asked for than exist, jobs take
// turns. A running job that has used its slice goes to the back of the round; GPUs go to the front of the round; gangs
// that do not fit are skipped but keep their turn.
#include "sim/sources/queue/policies/greedy_order.hpp"
#include "sim/sources/queue/scheduling.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <memory>
#include <unordered_map>

namespace trainyard {
namespace {

class TimeSlicing final : public QueuePolicy
{
public:
  PoolOfMachines pool;

  explicit TimeSlicing(const Settings& settings) : slice_{settings.duration("slice", 60_s)}
  {
    if (slice_ < 10_ms)
      throw std::invalid_argument{"time_slicing: the slice must be at least 0.01 s"};
  }

  static std::vector<Parameter> parameters()
  {
    return {duration("slice", "60 s", "run time of a job before the next one gets its turn", 0.01,
                     "Gandiva, section 3.1: about one minute")};
  }

  void begin(const ClusterView& cluster) override
  {
    const Instant cost = cluster.stop_cost();
    if (slice_ <= cost)
      throw SettingFault{"slice",
                         fmt::format("a slice of {:g} s leaves no time to work: saving and loading "
                                     "(checkpoint_cost + restart_cost) take {:g} s each time; a slice of {:g} s "
                                     "would spend a tenth on them",
                                     slice_.value(), cost.value(), 10 * cost.value())};
  }

  void take_over(const TimeSlicing& before, JobId id)
  {
    if (const auto turn = before.turn_.find(id.index); turn != before.turn_.end())
      turn_[id.index] = turn->second;
  }

  void arrived(const ClusterView& cluster, JobId id) override
  {
    if (!turn_.contains(id.index))
      turn_[id.index] = (*next_turn_)++;
    waiting_.insert(cluster, id, turn_.at(id.index));
  }
  void started(const ClusterView& cluster, JobId id) override
  {
    waiting_.erase(id);
    slices_.insert(cluster, id, cluster.state(id).last_start);
  }

  void stopped(const ClusterView& cluster, JobId id) override
  {
    slices_.erase(id);
    if (cluster.work_left(id) <= Instant{0})
      turn_.erase(id.index);
  }

  /// Its turn is kept: a job whose save was lost comes back at once.
  void withdrawn(const ClusterView&, JobId id) override { waiting_.erase(id); }

  bool one_type() const override { return true; }
  void decide(const ClusterView& cluster, Decisions& decisions) override
  {
    if (start_all_waiting(cluster, decisions, pool))
      return;
    // Who has not used up its slice keeps its GPUs; who has is behind all that wait.
    std::vector<RunningEntry<std::int64_t>> used_up;
    slices_.walk([&](const RunningEntry<Instant>& job) {
      const bool over = cluster.now() - job.entry.first >= slice_;
      const JobId id = job.entry.second;
      if (over)
        used_up.push_back({{turn_.at(id.index), id}, job.milli, job.gpu_type});
      return over;
    });
    std::ranges::sort(used_up, {}, &RunningEntry<std::int64_t>::entry);
    for (RunningEntry<std::int64_t>& job : used_up)
      turn_[job.entry.second.index] = job.entry.first = (*next_turn_)++;
    allocate_in_order(cluster, decisions, RunningOrder<std::int64_t>{used_up}, waiting_, GreedyRules{.pool = pool});
    if (cluster.waiting().empty() || cluster.running().empty())
      return;
    Instant begin = cluster.now(); // those that kept their GPUs for another round have the longest to go
    slices_.walk([&](const RunningEntry<Instant>& job) {
      const bool over = job.entry.first + slice_ <= cluster.now();
      if (!over)
        begin = job.entry.first;
      return over;
    });
    decisions.wake_at(begin + slice_);
  }

private:
  Instant slice_;
  std::shared_ptr<std::int64_t> next_turn_ = std::make_shared<std::int64_t>(0); // of all pools
  std::unordered_map<int, std::int64_t> turn_; // of every job that is here; looked up only
  WaitingClasses<std::int64_t> waiting_;       // by turn
  RunningOrder<Instant> slices_;               // by the begin of their slices
};

using TimeSlicingByPool = ByPool<TimeSlicing>;
TY_REGISTER(QueuePolicy, TimeSlicingByPool, "time_slicing",
            "jobs run in turn for one slice each, preemptive (Gandiva)");

} // namespace
} // namespace trainyard
