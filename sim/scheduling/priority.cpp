// Priorities with preemption, as kube-scheduler's DefaultPreemption does it: waiting jobs by (priority, submission); one that does not fit
// may stop running jobs of lower priority, lowest priority and latest start first, and no more of them than it needs.
// Source: Kubernetes documentation, "Pod Priority and Preemption".
#include "sim/scheduling/scheduling.hpp"

#include <algorithm>
#include <set>
#include <tuple>

namespace trainyard {
namespace {

class Priority final : public QueuePolicy
{
public:
  explicit Priority(const Settings& settings) : preempt_{settings.flag("preempt", true)}, skip_{settings.flag("skip", true)} {}

  static std::vector<Parameter> parameters()
  {
    return {
        {.name = "preempt", .kind = "boolean", .default_value = "true", .meaning = "stop running jobs of lower priority"},
        {.name = "skip", .kind = "boolean", .default_value = "true", .meaning = "start later jobs that fit while an earlier one does not"}};
  }

  void arrived(const ClusterView& cluster, JobId id) override { queue_.emplace(-cluster.job(id).priority, id); }

  void decide(const ClusterView& cluster, Decisions& decisions) override
  {
    if (queue_.empty())
      return;
    // Preempted jobs come back into the queue behind those that stopped them, because their priority is lower.
    for (auto next = queue_.begin(); next != queue_.end();) {
      const JobId id = next->second;
      if (decisions.start(id) || (preempt_ && make_room(cluster, decisions, id))) {
        next = queue_.erase(next);
        continue;
      }
      if (!skip_)
        return;
      ++next;
    }
  }

  WaitReason usual_reason() const override { return skip_ ? WaitReason::lower_rank : WaitReason::behind_head; }

private:
  static bool make_room(const ClusterView& cluster, Decisions& decisions, JobId id)
  {
    std::vector<JobId> victims;
    std::int64_t freed = cluster.cluster().free_milli();
    for (const JobId other : cluster.running())
      if (cluster.job(other).priority < cluster.job(id).priority) {
        victims.push_back(other);
        freed += cluster.state(other).held.milli();
      }
    if (victims.empty() || freed < request_of(cluster.job(id)).milli() || !decisions.fits_without(id, victims))
      return false;
    std::ranges::sort(victims, {}, [&](JobId other) {
      return std::tuple{cluster.job(other).priority, -cluster.state(other).last_start, -other.index};
    });
    // The shortest prefix that makes room, then whoever of it can stay after all, the most important first.
    std::size_t low = 1;
    std::size_t high = victims.size();
    while (low < high) {
      const std::size_t middle = (low + high) / 2;
      if (decisions.fits_without(id, std::span{victims}.first(middle)))
        high = middle;
      else
        low = middle + 1;
    }
    victims.resize(high);
    for (std::size_t i = victims.size(); i-- > 0 && victims.size() > 1;) {
      std::vector<JobId> fewer = victims;
      fewer.erase(fewer.begin() + static_cast<std::ptrdiff_t>(i));
      if (decisions.fits_without(id, fewer))
        victims = std::move(fewer);
    }
    for (const JobId other : victims)
      decisions.preempt(other);
    return decisions.start(id);
  }

  bool preempt_;
  bool skip_;
  std::set<std::pair<float, JobId>> queue_;
};

TY_REGISTER(QueuePolicy, Priority, "priority", "highest priority first, stopping running jobs of lower priority");

} // namespace
} // namespace trainyard
