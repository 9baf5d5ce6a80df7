// Time slicing, Gandiva's suspend-resume (Xiao et al., OSDI 2018): when more GPUs are asked for than exist, jobs take turns. A running job
// that has used its slice goes to the back of the round; GPUs go to the front of the round, gangs that do not fit are skipped but keep
// their turn.
#include "sim/scheduling/greedy_order.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <tuple>

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
             .meaning = "how long a job runs before it makes room for the next",
             .minimum = 0.01,
             .maximum = 1e9,
             .source = "Gandiva, section 3.1: about one minute"}};
  }

  void arrived(const ClusterView&, JobId id) override
  {
    if (!turn_.contains(id))
      turn_[id] = next_turn_++;
  }

  void stopped(const ClusterView& cluster, JobId id) override
  {
    if (cluster.work_left(id) <= Seconds{0})
      turn_.erase(id);
  }

  void decide(const ClusterView& cluster, Decisions& decisions) override
  {
    if (start_all_waiting(cluster, decisions))
      return;
    std::vector<std::tuple<bool, std::int64_t, JobId>> order;
    std::vector<std::pair<std::int64_t, JobId>> used_up;
    for (const JobId id : cluster.running())
      if (cluster.now() - cluster.state(id).last_start >= Seconds{slice_ - 1e-9})
        used_up.emplace_back(turn_.at(id), id);
    std::ranges::sort(used_up);
    for (const auto& [turn, id] : used_up)
      turn_[id] = next_turn_++;
    // Whoever is within its slice keeps it.
    for (const JobId id : cluster.running())
      order.emplace_back(std::ranges::find(used_up, id, &std::pair<std::int64_t, JobId>::second) != used_up.end(), turn_.at(id), id);
    for (const JobId id : cluster.waiting())
      order.emplace_back(true, turn_.at(id), id);
    std::ranges::sort(order);
    std::vector<JobId> ids;
    for (const auto& [later, turn, id] : order)
      ids.push_back(id);
    allocate_in_order(cluster, decisions, ids);
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
  double slice_;
  std::int64_t next_turn_ = 0;
  std::map<JobId, std::int64_t> turn_;
};

TY_REGISTER(QueuePolicy, TimeSlicing, "time_slicing", "jobs take turns of one slice each, preemptive (Gandiva)");

} // namespace
} // namespace trainyard
