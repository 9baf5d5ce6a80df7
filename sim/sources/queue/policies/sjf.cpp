// SPDX-License-Identifier: Apache-2.0
// Shortest job first, without preemption: the waiting job with the shortest estimate starts first; ties go to the
// earlier submission. Conway, Maxwell and Miller, Theory of Scheduling, 1967, for gangs.
#include "sim/sources/queue/policies/waiting_classes.hpp"

namespace trainyard {
namespace {

class Sjf final : public QueuePolicy
{
public:
  explicit Sjf(const Settings& settings) : skip_{settings.flag("skip", true)} {}

  static std::vector<Parameter> parameters()
  {
    return {flag("skip", true, "start longer jobs that fit if the shortest does not")};
  }

  void arrived(const ClusterView& cluster, JobId id) override
  {
    queue_.insert(cluster, id, cluster.estimated_remaining(id));
  }

  void withdrawn(const ClusterView&, JobId id) override { queue_.erase(id); }

  void decide(const ClusterView&, Decisions& decisions) override
  {
    queue_.walk([&](JobId id) {
      if (!decisions.start(id))
        return skip_ ? Walk::skip_class : Walk::stop;
      queue_.erase(id);
      return Walk::on;
    });
  }

  WaitReason usual_reason() const override { return skip_ ? WaitReason::lower_rank : WaitReason::behind_head; }

private:
  bool skip_;
  WaitingClasses<Instant> queue_;
};

TY_REGISTER(QueuePolicy, Sjf, "sjf", "shortest estimate first, without preemption");

} // namespace
} // namespace trainyard
