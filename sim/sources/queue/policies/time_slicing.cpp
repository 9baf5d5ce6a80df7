// SPDX-License-Identifier: Apache-2.0
// Time slicing, Gandiva's suspend-resume (Xiao et al., OSDI 2018): when more GPUs are asked for than exist, jobs take
// turns. A running job that has used its slice goes to the back of the round; GPUs go to the front of the round; gangs
// that do not fit are skipped but keep their turn.
#include "sim/sources/queue/policies/greedy_order.hpp"

#include <algorithm>
#include <limits>
#include <unordered_map>

namespace trainyard {
namespace {

class TimeSlicing final : public QueuePolicy
{
public:
  explicit TimeSlicing(const Settings& settings) : slice_{settings.number("slice", 60)}
  {
    if (!(slice_ >= 0.01))
      throw std::invalid_argument{"time_slicing: the slice must be at least 0.01 s"};
  }

  static std::vector<Parameter> parameters()
  {
    return {{.name = "slice",
             .kind = "duration",
             .default_value = "60 s",
             .meaning = "run time of a job before the next one gets its turn",
             .minimum = 0.01,
             .maximum = 1e9,
             .source = "Gandiva, section 3.1: about one minute"}};
  }

  void arrived(const ClusterView& cluster, JobId id) override
  {
    if (!turn_.contains(id.index))
      turn_[id.index] = next_turn_++;
    waiting_.insert(cluster, id, {true, turn_.at(id.index)});
  }
  void started(const ClusterView&, JobId id) override { waiting_.erase(id); }

  void stopped(const ClusterView& cluster, JobId id) override
  {
    if (cluster.work_left(id) <= Seconds{0})
      turn_.erase(id.index);
  }

  void withdrawn(const ClusterView&, JobId id) override
  {
    waiting_.erase(id);
    turn_.erase(id.index);
  }

  void decide(const ClusterView& cluster, Decisions& decisions) override
  {
    if (start_all_waiting(cluster, decisions))
      return;
    std::vector<std::pair<std::int64_t, JobId>> used_up;
    for (const JobId id : cluster.running())
      if (cluster.now() - cluster.state(id).last_start >= Seconds{slice_ - 1e-9})
        used_up.emplace_back(turn_.at(id.index), id);
    std::ranges::sort(used_up);
    const std::int64_t last_turn = next_turn_;
    for (const auto& [turn, id] : used_up)
      turn_[id.index] = next_turn_++;
    // A job that has not used up its slice keeps its GPUs.
    std::vector<std::pair<Place, JobId>> running;
    for (const JobId id : cluster.running())
      running.emplace_back(Place{turn_.at(id.index) >= last_turn, turn_.at(id.index)}, id);
    std::ranges::sort(running);
    allocate_in_order<Place>(cluster, decisions, running, waiting_);
    if (cluster.waiting().empty())
      return;
    Seconds next{std::numeric_limits<double>::infinity()};
    for (const JobId id : cluster.running()) {
      Seconds end = cluster.state(id).last_start + Seconds{slice_};
      if (end <= cluster.now())
        end = cluster.now() + Seconds{slice_}; // kept its GPUs for another round
      next = std::min(next, end);
    }
    decisions.wake_at(next);
  }

private:
  using Place = std::pair<bool, std::int64_t>; // has used up its slice or waits; its turn

  double slice_;
  std::int64_t next_turn_ = 0;
  std::unordered_map<int, std::int64_t> turn_; // of every job that is here; looked up only
  WaitingClasses<Place> waiting_;
};

TY_REGISTER(QueuePolicy, TimeSlicing, "time_slicing", "jobs run in turn for one slice each, preemptive (Gandiva)");

} // namespace
} // namespace trainyard
