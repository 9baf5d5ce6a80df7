// Least attained service in discretised queues, Tiresias' 2D-LAS (Gu et al., NSDI 2019): a job's service is GPUs x time; it starts in the
// first queue and sinks when its service passes the queue's limit. Queues in order; inside one, first started, first served, then by
// submission. With `promote`, a job that has waited that many times as long as it has run goes back to the first queue (starvation).
#include "sim/scheduling/attained_service.hpp"
#include "sim/scheduling/greedy_order.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <tuple>

namespace trainyard {
namespace {

class Las final : public QueuePolicy
{
public:
  explicit Las(const Settings& settings)
      : queues_{queue_limits(settings.text("limits", "3250 7200 18000"))}, promote_{settings.number("promote", 0)}
  {
    if (!(promote_ >= 0))
      throw std::invalid_argument{"las: promote must be at least 0"};
  }

  static std::vector<Parameter> parameters()
  {
    return {{.name = "limits",
             .kind = "name",
             .default_value = "3250 7200 18000",
             .meaning = "GPU-seconds after which a job sinks to the next queue, ascending, separated by blanks",
             .source = "Tiresias simulator, multi-dlas-gpu"},
            {.name = "promote",
             .default_value = "0",
             .meaning = "back to the first queue after waiting this many times as long as it has run; 0 = never",
             .minimum = 0,
             .maximum = 1e9,
             .source = "Tiresias, PROMOTEKNOB"}};
  }

  void decide(const ClusterView& cluster, Decisions& decisions) override
  {
    if (start_all_waiting(cluster, decisions))
      return; // crossings matter only to those who wait; they are seen when somebody does
    if (promote_ > 0)
      promote(cluster, decisions);
    std::vector<std::tuple<int, Seconds, JobId>> order;
    for (const auto jobs : {cluster.running(), cluster.waiting()})
      for (const JobId id : jobs) {
        const JobState& state = cluster.state(id);
        const bool began = state.first_start >= Seconds{0};
        order.emplace_back(queues_.queue_of(service(cluster, id)), began ? state.first_start : Seconds{never}, id);
      }
    std::ranges::sort(order);
    std::vector<JobId> ids;
    for (const auto& [queue, start, id] : order)
      ids.push_back(id);
    allocate_in_order(cluster, decisions, ids);
    if (!cluster.waiting().empty())
      queues_.wake_at_next_crossing(cluster, decisions);
  }

private:
  static constexpr double never = std::numeric_limits<double>::infinity();

  double service(const ClusterView& cluster, JobId id) const
  {
    const auto forgiven = forgiven_.find(id.index);
    return cluster.attained(id).value() - (forgiven == forgiven_.end() ? 0 : forgiven->second);
  }

  void promote(const ClusterView& cluster, Decisions& decisions)
  {
    for (const JobId id : cluster.waiting()) {
      const JobState& state = cluster.state(id);
      const double attained = cluster.attained(id).value();
      if (attained <= 0 || cluster.job(id).gpus == 0 || queues_.queue_of(service(cluster, id)) == 0)
        continue;
      const double ran = attained / cluster.job(id).gpus;
      const double waited = (cluster.now() - state.accounted).value();
      if (waited >= promote_ * ran)
        forgiven_[id.index] = attained;
      else
        decisions.wake_at(cluster.now() + Seconds{promote_ * ran - waited});
    }
  }

  ServiceQueues queues_;
  double promote_;
  std::map<int, double> forgiven_; // service that no longer counts
};

TY_REGISTER(QueuePolicy, Las, "las", "least attained service in discretised queues, preemptive (Tiresias)");

} // namespace
} // namespace trainyard
