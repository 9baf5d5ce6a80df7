// SPDX-License-Identifier: Apache-2.0
// First in, first out. Strict: a head that does not fit blocks everything behind it. With `skip`, smaller jobs behind
// it may start.
#include "sim/sources/queue/policies/waiting_classes.hpp"

#include <deque>

namespace trainyard {
namespace {

class Fifo final : public QueuePolicy
{
public:
  explicit Fifo(const Settings& settings) : skip_{settings.flag("skip", false)} {}

  static std::vector<Parameter> parameters()
  {
    return {{.name = "skip",
             .kind = "boolean",
             .default_value = "false",
             .meaning = "start later jobs that fit if the head does not"}};
  }

  void arrived(const ClusterView& cluster, JobId id) override
  {
    if (skip_)
      passing_.insert(cluster, id, next_++);
    else
      queue_.push_back(id);
  }

  void withdrawn(const ClusterView&, JobId id) override
  {
    std::erase(queue_, id);
    passing_.erase(id);
  }

  void decide(const ClusterView&, Decisions& decisions) override
  {
    while (!queue_.empty() && decisions.start(queue_.front()))
      queue_.pop_front();
    if (skip_)
      start_in_order(passing_, decisions);
  }

  WaitReason usual_reason() const override { return skip_ ? WaitReason::lower_rank : WaitReason::behind_head; }

private:
  bool skip_;
  std::deque<JobId> queue_;              // strict
  WaitingClasses<std::int64_t> passing_; // with skip, by order of arrival
  std::int64_t next_ = 0;
};

TY_REGISTER(QueuePolicy, Fifo, "fifo", "first in, first out; a head that does not fit blocks the queue unless skip");

} // namespace
} // namespace trainyard
