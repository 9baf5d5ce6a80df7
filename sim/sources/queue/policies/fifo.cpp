// SPDX-License-Identifier: Apache-2.0
// First in, first out. Strict: a head that does not fit blocks everything behind it. With `skip`, smaller jobs behind
// it may start. A job that comes back after a failure has its old turn. Each pool of
// machines has a line of its own.
#include "sim/sources/queue/policies/machine_pools.hpp"
#include "sim/sources/queue/policies/waiting_classes.hpp"

#include <algorithm>
#include <cstdint>
#include <deque>
#include <utility>

namespace trainyard {
namespace {

class Fifo final : public QueuePolicy
{
public:
  PoolOfMachines pool;

  explicit Fifo(const Settings& settings) : skip_{settings.flag("skip", false)} {}

  static std::vector<Parameter> parameters()
  {
    return {flag("skip", false, "start later jobs that fit if the head does not")};
  }

  void arrived(const ClusterView& cluster, JobId id) override
  {
    const std::int64_t turn = pool.turns->of(id);
    if (skip_)
      passing_.insert(cluster, id, turn);
    else if (queue_.empty() || queue_.back().first < turn)
      queue_.emplace_back(turn, id);
    else
      queue_.emplace(std::ranges::lower_bound(queue_, turn, {}, &Waiting::first), turn, id);
  }

  void withdrawn(const ClusterView&, JobId id) override
  {
    std::erase_if(queue_, [id](const Waiting& waiting) { return waiting.second == id; });
    passing_.erase(id);
  }

  void decide(const ClusterView&, Decisions& decisions) override
  {
    while (!queue_.empty() && decisions.start(queue_.front().second))
      queue_.pop_front();
    if (skip_)
      start_in_order(passing_, decisions);
  }

  WaitReason usual_reason() const override { return skip_ ? WaitReason::lower_rank : WaitReason::behind_head; }

private:
  using Waiting = std::pair<std::int64_t, JobId>; // turn and job

  bool skip_;
  std::deque<Waiting> queue_;            // strict, by turn
  WaitingClasses<std::int64_t> passing_; // with skip, by turn
};

using FifoByPool = ByPool<Fifo>;
TY_REGISTER(QueuePolicy, FifoByPool, "fifo",
            "first in, first out; a head that does not fit blocks the queue unless skip");

} // namespace
} // namespace trainyard
