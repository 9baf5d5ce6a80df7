// SPDX-License-Identifier: Apache-2.0
// Volcano with the plugins priority, gang, proportion and overcommit. Queues (teams with a weight) share the GPUs by
// weight: what a queue deserves is filled up like water, to what it asks for and its capability. Every session lets
// jobs into the queue while the sum of what they ask for is not too much (enqueue), then gives GPUs to the queue that
// has least of what it deserves, its most important job first, whole gangs only (allocate). With `preempt`, a job stops
// less important ones of its queue; with `reclaim`, a queue below what it deserves stops jobs of queues above theirs.
// Sources: volcano-sh/volcano, pkg/scheduler/plugins/proportion/proportion.go (8a56f48),
// pkg/scheduler/actions/enqueue/enqueue.go (04558bc), allocate/allocate.go (a9cc4e7), preempt/preempt.go (00a7e68),
// reclaim/reclaim.go (5a81a27), pkg/scheduler/plugins/overcommit.
#include "sim/sources/queue/policies/quota.hpp"
#include "sim/sources/queue/policies/waiting_classes.hpp"
#include "sim/sources/queue/setting_fault.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <vector>

namespace trainyard {
namespace {

constexpr double nothing = 1e-3; // thousandths of GPUs; less is rounding

class Volcano final : public QueuePolicy
{
public:
  explicit Volcano(const Settings& settings)
      : weights_{settings.text("weights", "")}, capabilities_{settings.text("capabilities", "")},
        guarantees_{settings.text("guarantees", "")}, overcommit_{settings.number("overcommit", 1.2)},
        preempt_{settings.flag("preempt", false)}, reclaim_{settings.flag("reclaim", false)}
  {
  }

  static std::vector<Parameter> parameters()
  {
    return {
        {.name = "weights",
         .kind = "name",
         .meaning = "queues of Volcano and their weights: 'team-a=3 team-b=1'; all other teams share the queue "
                    "default of weight 1"},
        {.name = "capabilities", .kind = "name", .meaning = "most GPUs that a queue of Volcano may hold: 'team-a=16'"},
        {.name = "guarantees", .kind = "name", .meaning = "GPUs that are kept for a queue of Volcano: 'team-a=4'"},
        {.name = "overcommit",
         .kind = "number",
         .default_value = "1.2",
         .meaning = "jobs are let in while they ask for no more than so many times the GPUs that there are",
         .minimum = 1,
         .maximum = 1e6,
         .source = "Volcano, plugin overcommit, overcommit-factor"},
        {.name = "preempt",
         .kind = "boolean",
         .default_value = "false",
         .meaning = "action preempt: a job stops jobs of lower priority of its queue",
         .source = "Volcano, installer/helm/chart/volcano/config/volcano-scheduler.conf"},
        {.name = "reclaim",
         .kind = "boolean",
         .default_value = "false",
         .meaning = "action reclaim: a queue that has less than it deserves stops jobs of queues that have more",
         .source = "Volcano, installer/helm/chart/volcano/config/volcano-scheduler.conf"}};
  }

  void begin(const ClusterView& cluster) override
  {
    total_ = 1000.0 * cluster.cluster().total_gpus();
    queues_.clear();
    queues_.resize(1);
    of_team_.clear();
    for (const auto& [team, weight] : amounts_by_team(cluster.workload(), "weights", weights_)) {
      if (weight <= 0)
        throw SettingFault{"weights", "the weight of '" + cluster.workload().teams.name(team) + "' is not above 0"};
      of_team_[team] = static_cast<int>(queues_.size());
      queues_.emplace_back().weight = static_cast<double>(weight);
    }
    double kept = 0;
    read(cluster, "capabilities", capabilities_, &Queue::capability);
    read(cluster, "guarantees", guarantees_, &Queue::guarantee);
    for (const Queue& queue : queues_)
      kept += queue.guarantee;
    if (kept > total_)
      throw SettingFault{"guarantees", "the guarantees add up to more than the GPUs of the cluster"};
    for (Queue& queue : queues_)
      queue.capability = std::min(queue.capability, total_ - kept + queue.guarantee);
  }

  void arrived(const ClusterView& cluster, JobId id) override
  {
    queue_of(cluster, id).pending.insert(cluster, id, -cluster.job(id).priority);
  }

  void started(const ClusterView& cluster, JobId id) override
  {
    forget(cluster, id);
    queue_of(cluster, id).allocated += held(cluster, id);
  }
  void stopped(const ClusterView& cluster, JobId id) override { queue_of(cluster, id).allocated -= held(cluster, id); }
  void withdrawn(const ClusterView& cluster, JobId id) override { forget(cluster, id); }

  /// Sessions until one changes nothing.
  void decide(const ClusterView& cluster, Decisions& decisions) override
  {
    bool changed = true;
    while (changed) {
      share_out();
      changed = enqueue(cluster);
      share_out(); // pods of those let in are there
      changed = allocate(cluster, decisions) || changed;
      changed = (preempt_ && preempt(cluster, decisions)) || changed;
      changed = (reclaim_ && reclaim(cluster, decisions)) || changed;
    }
  }

private:
  using Rank = std::pair<float, JobId>; // the most important and first submitted goes first

  struct Queue {
    double weight = 1000;
    double capability = 1e300;
    double guarantee = 0;
    double allocated = 0; // all in thousandths of GPUs
    double deserved = 0;
    double inqueue = 0;            // asked for by those let in
    WaitingClasses<float> pending; // not let in yet
    std::set<Rank> ready;          // let in

    double request() const { return allocated + inqueue; }
    double share() const { return deserved > nothing ? allocated / deserved : allocated > nothing ? 1 : 0; }
    bool overused() const { return deserved <= allocated + nothing; }
    bool may_have(double more) const { return allocated + more <= deserved + nothing; }
  };

  void read(const ClusterView& cluster, const std::string& key, const std::string& text, double Queue::*value)
  {
    for (const auto& [team, gpus] : amounts_by_team(cluster.workload(), key, text)) {
      if (!of_team_.contains(team))
        throw SettingFault{key, "team '" + cluster.workload().teams.name(team) + "' has no queue; add it to weights"};
      queues_[static_cast<std::size_t>(of_team_[team])].*value = static_cast<double>(gpus);
    }
  }

  Queue& queue_of(const ClusterView& cluster, JobId id)
  {
    const auto found = of_team_.find(cluster.job(id).team);
    return queues_[static_cast<std::size_t>(found == of_team_.end() ? 0 : found->second)];
  }

  static double milli(const ClusterView& cluster, JobId id)
  {
    return static_cast<double>(request_of(cluster.job(id)).milli());
  }

  static Rank rank(const ClusterView& cluster, JobId id) { return {-cluster.job(id).priority, id}; }

  void forget(const ClusterView& cluster, JobId id)
  {
    Queue& queue = queue_of(cluster, id);
    queue.pending.erase(id);
    if (queue.ready.erase(rank(cluster, id)) > 0)
      queue.inqueue -= milli(cluster, id);
  }

  /// What each queue deserves: what is left, by weight, again and again, until nobody asks for more.
  void share_out()
  {
    std::vector<Queue*> open;
    for (Queue& queue : queues_) {
      queue.deserved = 0;
      if (queue.request() > nothing || queue.guarantee > 0)
        open.push_back(&queue);
    }
    double left = total_;
    while (!open.empty() && left > nothing) {
      double weights = 0;
      for (const Queue* queue : open)
        weights += queue->weight;
      double given = 0;
      std::vector<Queue*> hungry;
      for (Queue* queue : open) {
        const double before = queue->deserved;
        queue->deserved = std::min({before + left * queue->weight / weights, queue->capability, queue->request()});
        const bool met = queue->request() <= queue->deserved + nothing || queue->deserved <= before + nothing;
        queue->deserved = std::max(queue->deserved, queue->guarantee);
        given += queue->deserved - before;
        if (!met)
          hungry.push_back(queue);
      }
      left -= given;
      open = std::move(hungry);
    }
  }

  /// Queues by the share of what they deserve that they have.
  std::vector<Queue*> by_share()
  {
    std::vector<Queue*> order;
    for (Queue& queue : queues_)
      order.push_back(&queue);
    std::ranges::stable_sort(order, {}, [](const Queue* queue) { return queue->share(); });
    return order;
  }

  /// Lets jobs in while neither the capability of their queue nor, with all others, the cluster is asked for too much.
  bool enqueue(const ClusterView& cluster)
  {
    double asked = 0; // by all that hold GPUs or have been let in
    for (const Queue& queue : queues_)
      asked += queue.request();
    bool any = false;
    for (Queue* queue : by_share()) {
      std::vector<JobId> let_in;
      queue->pending.walk([&](JobId id) {
        const double more = milli(cluster, id);
        if (queue->request() + more > queue->capability + nothing || asked + more > total_ * overcommit_ + nothing)
          return Walk::skip_class;
        let_in.push_back(id);
        queue->inqueue += more;
        asked += more;
        return Walk::on;
      });
      for (const JobId id : let_in) {
        queue->pending.erase(id);
        queue->ready.insert(rank(cluster, id));
      }
      any = any || !let_in.empty();
    }
    return any;
  }

  bool allocate(const ClusterView& cluster, Decisions& decisions)
  {
    bool any = false;
    std::map<Queue*, std::set<Rank>> open;
    for (Queue& queue : queues_)
      if (!queue.ready.empty())
        open[&queue] = queue.ready;
    while (!open.empty()) {
      const auto first = std::ranges::min_element(open, {}, [](const auto& one) { return one.first->share(); });
      Queue& queue = *first->first;
      const JobId id = first->second.begin()->second;
      first->second.erase(first->second.begin());
      if (first->second.empty())
        open.erase(first);
      const double more = milli(cluster, id);
      if (more > 0 && (queue.overused() || !queue.may_have(more)))
        decisions.hold(id, WaitReason::quota);
      else
        any = decisions.start(id) || any;
    }
    return any;
  }

  /// Running jobs that may be stopped, the least important and last submitted first.
  template <class May>
  static std::vector<JobId> victims(const ClusterView& cluster, const May& may)
  {
    std::vector<JobId> jobs;
    for (const JobId id : cluster.running())
      if (may(id))
        jobs.push_back(id);
    std::ranges::sort(jobs, {}, [&](JobId id) { return std::tuple{cluster.job(id).priority, -id.index}; });
    return jobs;
  }

  /// Stops as few of them as are @p enough, in order, and starts the job; false, and nothing done, where all are not.
  template <class Enough>
  static bool stop_and_start(Decisions& decisions, JobId id, const std::vector<JobId>& order, const Enough& enough)
  {
    std::vector<JobId> stopped;
    for (const JobId victim : order) {
      stopped.push_back(victim);
      if (enough(stopped))
        break;
    }
    if (stopped.empty() || !enough(stopped))
      return false;
    for (std::size_t i = stopped.size(); i-- > 0 && stopped.size() > 1;) {
      std::vector<JobId> fewer = stopped;
      fewer.erase(fewer.begin() + static_cast<std::ptrdiff_t>(i));
      if (enough(fewer))
        stopped = std::move(fewer);
    }
    for (const JobId victim : stopped)
      decisions.preempt(victim);
    return decisions.start(id);
  }

  static double held(const ClusterView& cluster, JobId id)
  {
    return static_cast<double>(cluster.state(id).held.milli());
  }

  bool preempt(const ClusterView& cluster, Decisions& decisions)
  {
    for (Queue& queue : queues_)
      for (const auto& [priority, id] : std::set<Rank>{queue.ready}) {
        const JobId job = id;
        const std::vector<JobId> order = victims(cluster, [&](JobId other) {
          return &queue_of(cluster, other) == &queue && cluster.job(other).priority < cluster.job(job).priority;
        });
        const auto enough = [&](const std::vector<JobId>& stopped) {
          double more = milli(cluster, job);
          for (const JobId victim : stopped)
            more -= held(cluster, victim);
          return queue.may_have(more) && decisions.fits_without(job, stopped);
        };
        if (stop_and_start(decisions, job, order, enough))
          return true; // a new session sees what has changed
      }
    return false;
  }

  bool reclaim(const ClusterView& cluster, Decisions& decisions)
  {
    for (Queue* queue : by_share())
      for (const auto& [priority, id] : std::set<Rank>{queue->ready}) {
        if (queue->overused() || !queue->may_have(milli(cluster, id)))
          continue;
        std::map<const Queue*, double> left; // of queues that lose jobs
        std::vector<JobId> order;
        for (const JobId victim : victims(cluster, [&](JobId other) { return &queue_of(cluster, other) != queue; })) {
          const Queue& other = queue_of(cluster, victim);
          double& has = left.try_emplace(&other, other.allocated).first->second;
          if (has <= other.deserved + nothing)
            continue;
          has -= held(cluster, victim);
          order.push_back(victim);
        }
        const JobId job = id;
        if (stop_and_start(decisions, job, order,
                           [&](const std::vector<JobId>& stopped) { return decisions.fits_without(job, stopped); }))
          return true; // a new session sees what has changed
      }
    return false;
  }

  std::string weights_, capabilities_, guarantees_;
  double overcommit_;
  bool preempt_, reclaim_;
  double total_ = 0;
  std::vector<Queue> queues_;  // the first: default
  std::map<int, int> of_team_; // team -> queue
};

TY_REGISTER(QueuePolicy, Volcano, "volcano",
            "Volcano: queues that share by weight, gangs; actions enqueue, allocate, backfill, preempt, reclaim");

} // namespace
} // namespace trainyard
