// Shortest remaining time first, preemptive: at every arrival and every end all unfinished jobs are sorted by (remaining, submission) and
// get GPUs greedily; a job that does not fit in what is left is skipped. Schrage 1968, for gangs.
//
// What waits does not change, so it is kept in order; only what runs is sorted anew, and the walk ends when no GPU is left.
#include "sim/scheduling/greedy_order.hpp"

#include <algorithm>
#include <set>

namespace trainyard {
namespace {

class Srtf final : public QueuePolicy
{
public:
  void arrived(const ClusterView& cluster, JobId id) override
  {
    waiting_.emplace(cluster.estimated_remaining(id), id);
    without_gpu_ += request_of(cluster.job(id)).milli() == 0 ? 1 : 0;
  }
  void started(const ClusterView& cluster, JobId id) override
  {
    // Nothing was done since it began to wait, so it stands where it was put.
    if (waiting_.erase({cluster.estimated_remaining(id), id}) > 0)
      without_gpu_ -= request_of(cluster.job(id)).milli() == 0 ? 1 : 0;
  }

  void decide(const ClusterView& cluster, Decisions& decisions) override
  {
    if (start_all_waiting(cluster, decisions))
      return; // what runs goes on running
    std::vector<std::pair<Seconds, JobId>> running;
    std::int64_t free = cluster.cluster().free_milli();
    for (const JobId id : cluster.running()) {
      running.emplace_back(cluster.estimated_remaining(id), id);
      free += cluster.state(id).held.milli();
    }
    std::ranges::sort(running);
    std::vector<JobId> chosen;
    std::vector<JobId> preempted;
    auto runs = running.begin();
    auto waits = waiting_.begin();
    const auto may_wait = [&] { return waits != waiting_.end() && (free > 0 || without_gpu_ > 0); };
    while (runs != running.end() || may_wait()) {
      const bool running_next = !may_wait() || (runs != running.end() && *runs < *waits);
      const JobId id = running_next ? (runs++)->second : (waits++)->second;
      const std::int64_t needed = running_next ? cluster.state(id).held.milli() : request_of(cluster.job(id)).milli();
      if (needed <= free) {
        free -= needed;
        if (!running_next)
          chosen.push_back(id);
      } else if (running_next) {
        preempted.push_back(id);
      }
    }
    for (const JobId id : preempted)
      decisions.preempt(id);
    for (const JobId id : chosen)
      decisions.start(id);
  }

private:
  std::set<std::pair<Seconds, JobId>> waiting_;
  int without_gpu_ = 0; // of them
};

TY_REGISTER(QueuePolicy, Srtf, "srtf", "shortest remaining time first, preemptive, gangs that do not fit are skipped");

} // namespace
} // namespace trainyard
