// First in, first out. Strict: a head that does not fit blocks everything behind it. With `skip`, smaller jobs behind it may start.
#include "sim/scheduling/scheduling.hpp"

#include <deque>

namespace trainyard {
namespace {

class Fifo final : public QueuePolicy
{
public:
  explicit Fifo(const Settings& settings) : skip_{settings.flag("skip", false)} {}

  static std::vector<Parameter> parameters()
  {
    return {{.name = "skip", .kind = "boolean", .default_value = "false", .meaning = "start later jobs that fit while the head does not"}};
  }

  void arrived(const ClusterView&, JobId id) override { queue_.push_back(id); }

  void decide(const ClusterView&, Decisions& decisions) override
  {
    while (!queue_.empty() && decisions.start(queue_.front()))
      queue_.pop_front();
    if (skip_ && queue_.size() > 1)
      std::erase_if(queue_, [&](JobId id) { return decisions.start(id); });
  }

  WaitReason usual_reason() const override { return skip_ ? WaitReason::lower_rank : WaitReason::behind_head; }

private:
  bool skip_;
  std::deque<JobId> queue_;
};

TY_REGISTER(QueuePolicy, Fifo, "fifo", "first in, first out; a head that does not fit blocks the queue unless skip");

} // namespace
} // namespace trainyard
