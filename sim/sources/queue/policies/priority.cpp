// SPDX-License-Identifier: Apache-2.0
// Priorities with preemption, as kube-scheduler's DefaultPreemption does it: waiting jobs by (priority, submission);
// one that does not fit may stop running jobs of lower priority, lowest priority and latest start first, and no more of
// them than it needs. Source: Kubernetes documentation, "Pod Priority and Preemption".
#include "sim/sources/queue/policies/fewest_stops.hpp"
#include "sim/sources/queue/policies/waiting_classes.hpp"

#include <algorithm>
#include <optional>
#include <tuple>

namespace trainyard {
namespace {

class Priority final : public QueuePolicy
{
public:
  explicit Priority(const Settings& settings)
      : preempt_{settings.flag("preempt", true)}, skip_{settings.flag("skip", true)}
  {
  }

  static std::vector<Parameter> parameters()
  {
    return {flag("preempt", true, "stop running jobs of lower priority"),
            flag("skip", true, "start later jobs that fit if an earlier one does not")};
  }

  void arrived(const ClusterView& cluster, JobId id) override { queue_.insert(cluster, id, -cluster.job(id).priority); }

  void withdrawn(const ClusterView&, JobId id) override { queue_.erase(id); }

  void decide(const ClusterView& cluster, Decisions& decisions) override
  {
    // Preempted jobs come back into the queue behind those that stopped them, because their priority is lower. What
    // they gave back may serve others behind as well, so the search starts again there.
    std::optional<std::pair<float, JobId>> behind;
    do {
      stopped_any_ = false;
      queue_.walk(
          [&](JobId id) {
            const bool started = decisions.start(id) || (preempt_ && make_room(cluster, decisions, id));
            if (started)
              queue_.erase(id);
            if (stopped_any_) {
              behind = {-cluster.job(id).priority, id};
              return Walk::stop;
            }
            if (started)
              return Walk::on;
            return skip_ ? Walk::skip_class : Walk::stop;
          },
          behind ? &*behind : nullptr);
    } while (stopped_any_);
  }

  WaitReason usual_reason() const override { return skip_ ? WaitReason::lower_rank : WaitReason::behind_head; }

private:
  bool make_room(const ClusterView& cluster, Decisions& decisions, JobId id)
  {
    std::vector<JobId> victims;
    std::int64_t freed = cluster.cluster().free_milli();
    for (const JobId other : cluster.running())
      if (cluster.job(other).priority < cluster.job(id).priority) {
        victims.push_back(other);
        freed += cluster.state(other).held.milli();
      }
    if (freed < request_of(cluster.job(id)).milli())
      return false;
    std::ranges::sort(victims, {}, [&](JobId other) {
      return std::tuple{cluster.job(other).priority, -cluster.state(other).last_start, -other.index};
    });
    victims = fewest_stops(std::move(victims),
                           [&](std::span<const JobId> stopped) { return decisions.fits_without(id, stopped); });
    if (victims.empty())
      return false;
    for (const JobId other : victims)
      decisions.preempt(other);
    stopped_any_ = true;
    return decisions.start(id);
  }

  bool preempt_;
  bool skip_;
  bool stopped_any_ = false;
  WaitingClasses<float> queue_;
};

TY_REGISTER(QueuePolicy, Priority, "priority", "highest priority first, stopping running jobs of lower priority");

} // namespace
} // namespace trainyard
