// Shortest remaining time first, preemptive: at every arrival and end all unfinished jobs are sorted by (remaining, submission) and get
// GPUs greedily; a job that does not fit in what is left is skipped. Schrage 1968, for gangs.
#include "sim/scheduling/greedy_order.hpp"

#include <algorithm>
#include <tuple>

namespace trainyard {
namespace {

class Srtf final : public QueuePolicy
{
public:
  void decide(const ClusterView& cluster, Decisions& decisions) override
  {
    if (start_all_waiting(cluster, decisions))
      return; // what runs goes on running
    std::vector<std::pair<Seconds, JobId>> order;
    for (const auto jobs : {cluster.running(), cluster.waiting()})
      for (const JobId id : jobs)
        order.emplace_back(cluster.estimated_remaining(id), id);
    std::ranges::sort(order);
    std::int64_t free = static_cast<std::int64_t>(cluster.cluster().total_gpus()) * 1000;
    std::vector<JobId> chosen;
    std::vector<JobId> preempted;
    for (const auto& [remaining, id] : order) {
      const std::int64_t needed = request_of(cluster.job(id)).milli();
      const bool runs = cluster.state(id).phase == JobPhase::running;
      if (needed <= free) {
        free -= needed;
        if (!runs)
          chosen.push_back(id);
      } else if (runs) {
        preempted.push_back(id);
      }
    }
    for (const JobId id : preempted)
      decisions.preempt(id);
    for (const JobId id : chosen)
      decisions.start(id);
  }
};

TY_REGISTER(QueuePolicy, Srtf, "srtf", "shortest remaining time first, preemptive, gangs that do not fit are skipped");

} // namespace
} // namespace trainyard
