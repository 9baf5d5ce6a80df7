// SPDX-License-Identifier: Apache-2.0
// Shortest remaining time first, preemptive: at every arrival and every end all unfinished jobs are sorted by
// (remaining, submission) and get GPUs greedily; a job that does not fit in what is left is skipped. Schrage 1968, for
// gangs.
//
// What waits does not change, so it is kept in order; only running jobs are sorted again.
#include "sim/sources/queue/policies/greedy_order.hpp"

#include <algorithm>

namespace trainyard {
namespace {

class Srtf final : public QueuePolicy
{
public:
  void arrived(const ClusterView& cluster, JobId id) override
  {
    waiting_.insert(cluster, id, cluster.estimated_remaining(id));
  }
  void started(const ClusterView&, JobId id) override { waiting_.erase(id); }

  void withdrawn(const ClusterView&, JobId id) override { waiting_.erase(id); }

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
    waiting_.walk(running, [&](JobId id, bool runs) {
      const std::int64_t needed = runs ? cluster.state(id).held.milli() : request_of(cluster.job(id)).milli();
      if (needed > free) {
        if (runs)
          preempted.push_back(id);
        return Walk::skip_class;
      }
      free -= needed;
      if (!runs)
        chosen.push_back(id);
      return Walk::on;
    });
    for (const JobId id : preempted)
      decisions.preempt(id);
    for (const JobId id : chosen)
      decisions.start(id);
  }

private:
  WaitingClasses<Seconds> waiting_; // what is left of a job does not change while it waits
};

TY_REGISTER(QueuePolicy, Srtf, "srtf", "shortest remaining time first, preemptive, gangs that do not fit are skipped");

} // namespace
} // namespace trainyard
