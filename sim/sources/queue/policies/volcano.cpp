// SPDX-License-Identifier: Apache-2.0
// Volcano with the plugins priority, gang, proportion and overcommit. Queues (teams with a weight) share GPUs, CPU and
// memory by weight: what a queue deserves of each is filled up like water, to what it asks for and its capability.
// Every session lets jobs into the queue while the sum of what they ask for is not too much (enqueue), then gives GPUs
// to the queue that has least of what it deserves, its most important job first, whole gangs only (allocate). What a
// queue has of what it deserves is that of the resource of which it has most. With `preempt`, a job stops less
// important ones of its queue; with `reclaim`, a queue below what it deserves stops jobs of queues above theirs.
// Sources: volcano-sh/volcano, pkg/scheduler/plugins/proportion/proportion.go (8a56f48),
// pkg/scheduler/actions/enqueue/enqueue.go (04558bc), allocate/allocate.go (a9cc4e7), preempt/preempt.go (00a7e68),
// reclaim/reclaim.go (5a81a27), pkg/scheduler/plugins/overcommit/overcommit.go (14190b2),
// pkg/scheduler/api/resource_info.go (012c2a2).
// Where queues are told what they deserve, plugin capacity takes the place of proportion: a queue may then have all up
// to its capability, and reclaims what it deserves from queues that have more than they do
// (pkg/scheduler/plugins/capacity/capacity.go, 0069b39; one level of queues).
#include "sim/sources/queue/policies/quota.hpp"
#include "sim/sources/queue/policies/waiting_classes.hpp"
#include "sim/sources/queue/queue_setup.hpp"
#include "sim/sources/queue/scheduling.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <vector>

namespace trainyard {
namespace {

constexpr double nothing = 1e-3; // of the units of Amounts; less is rounding
constexpr std::size_t resources = 3;
constexpr double no_limit = 1e300;

using Amounts = std::array<double, resources>; // thousandths of GPUs, thousandths of CPU cores, MiB

/// What the policy knows of a resource before there are any jobs.
struct Divided {
  const char* name;
  const char* capabilities; // its settings
  const char* guarantees;
  const char* deserved;
};
constexpr Divided resource_kinds[resources] = {
    {"GPUs", "capabilities", "guarantees", "deserved"},
    {"CPU cores", "cpu_capabilities", "cpu_guarantees", "cpu_deserved"},
    {"memory", "memory_capabilities", "memory_guarantees", "memory_deserved"}};

template <class Test>
bool all_of(const Test& test)
{
  for (std::size_t i = 0; i < resources; ++i)
    if (!test(i))
      return false;
  return true;
}

template <class Test>
bool any_of(const Test& test)
{
  return !all_of([&](std::size_t i) { return !test(i); });
}

void add(Amounts& sum, const Amounts& more, double sign = 1)
{
  for (std::size_t i = 0; i < resources; ++i)
    sum[i] += sign * more[i];
}

class Volcano final : public QueuePolicy
{
public:
  explicit Volcano(const Settings& settings)
      : weights_{settings.text("weights", "")}, overcommit_{settings.number("overcommit", 1.2)},
        preempt_{settings.flag("preempt", false)}, reclaim_{settings.flag("reclaim", false)}
  {
    for (std::size_t i = 0; i < resources; ++i) {
      capabilities_[i] = settings.text(resource_kinds[i].capabilities, "");
      guarantees_[i] = settings.text(resource_kinds[i].guarantees, "");
      deserved_[i] = settings.text(resource_kinds[i].deserved, "");
      by_capacity_ = by_capacity_ || !deserved_[i].empty();
    }
  }

  static std::vector<Parameter> parameters()
  {
    return {
        text("weights", "queues of Volcano and their weights: 'team-a=3 team-b=1'; all other teams share the queue "
                        "default of weight 1"),
        text("capabilities", "most GPUs that a queue of Volcano may hold: 'team-a=16'"),
        text("guarantees", "GPUs that are kept for a queue of Volcano: 'team-a=4'"),
        text("cpu_capabilities", "most CPU cores that a queue of Volcano may hold: 'team-a=128'"),
        text("cpu_guarantees", "CPU cores that are kept for a queue of Volcano: 'team-a=32'"),
        text("memory_capabilities", "most memory that a queue of Volcano may hold: 'team-a=512GiB'"),
        text("memory_guarantees", "memory that is kept for a queue of Volcano: 'team-a=128GiB'"),
        text("deserved", "GPUs that a queue of Volcano deserves: 'team-a=8'. Any such list switches to plugin capacity",
             "Volcano, plugin capacity"),
        text("cpu_deserved", "CPU cores that a queue of Volcano deserves (plugin capacity): 'team-a=64'",
             "Volcano, plugin capacity"),
        text("memory_deserved", "memory that a queue of Volcano deserves (plugin capacity): 'team-a=256GiB'",
             "Volcano, plugin capacity"),
        {.name = "overcommit",
         .kind = "number",
         .default_value = "1.2",
         .meaning =
             "jobs are let in while they ask for no more than so many times the GPUs, CPU and memory that there are",
         .minimum = 1,
         .maximum = 1e6,
         .source = "Volcano, plugin overcommit, overcommit-factor"},
        flag("preempt", false, "action preempt: a job stops jobs of lower priority of its queue",
             "Volcano, installer/helm/chart/volcano/config/volcano-scheduler.conf"),
        flag("reclaim", false,
             "action reclaim: a queue that has less than it deserves stops jobs of queues that have more",
             "Volcano, installer/helm/chart/volcano/config/volcano-scheduler.conf")};
  }

  void begin(const ClusterView& cluster) override
  {
    total_ = totals(cluster);
    queues_.clear();
    queues_.resize(1);
    of_team_.clear();
    for (const auto& [team, weight] : amounts_by_team(cluster.workload(), "weights", weights_)) {
      if (weight <= 0)
        throw SettingFault{"weights", "the weight of '" + cluster.workload().teams.name(team) + "' is not above 0"};
      of_team_[team] = static_cast<int>(queues_.size());
      queues_.emplace_back().weight = static_cast<double>(weight);
    }
    for (std::size_t i = 0; i < resources; ++i) {
      read(cluster, i, resource_kinds[i].capabilities, capabilities_[i], &Queue::capability);
      read(cluster, i, resource_kinds[i].guarantees, guarantees_[i], &Queue::guarantee);
      read(cluster, i, resource_kinds[i].deserved, deserved_[i], &Queue::entitled);
      double kept = 0;
      bool limited = false;
      for (const Queue& queue : queues_) {
        kept += queue.guarantee[i];
        limited = limited || queue.guarantee[i] > 0 || queue.entitled[i] > 0 || queue.capability[i] < no_limit;
      }
      if (kept > total_[i])
        throw SettingFault{
            resource_kinds[i].guarantees,
            fmt::format("the guarantees add up to more than the {} of the cluster", resource_kinds[i].name)};
      for (Queue& queue : queues_)
        queue.capability[i] = std::min(queue.capability[i], total_[i] - kept + queue.guarantee[i]);
      for (Queue& queue : queues_)
        queue.by_capacity = by_capacity_;
      counts_[i] = total_[i] < no_limit || limited;
    }
  }

  void arrived(const ClusterView& cluster, JobId id) override
  {
    queue_of(cluster, id).pending.insert(cluster, id, -cluster.job(id).priority);
  }

  void started(const ClusterView& cluster, JobId id) override
  {
    forget(cluster, id);
    add(queue_of(cluster, id).allocated, held(cluster, id));
  }
  void stopped(const ClusterView& cluster, JobId id) override
  {
    add(queue_of(cluster, id).allocated, held(cluster, id), -1);
  }
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

  std::string never_starts(const ClusterView& cluster, JobId id) override
  {
    const Amounts wanted = wants(cluster, id), &most = queue_of(cluster, id).capability;
    return all_of([&](std::size_t i) { return wanted[i] <= most[i] + nothing; }) ? std::string{}
                                                                                 : to_text(WaitReason::quota_never);
  }

private:
  using Rank = std::pair<float, JobId>; // the most important and first submitted goes first

  static constexpr Amounts unlimited = {no_limit, no_limit, no_limit};

  struct Queue {
    double weight = 1000;
    Amounts capability = unlimited;
    Amounts guarantee{};
    Amounts entitled{};       // said to deserve
    bool by_capacity = false; // plugin capacity, not proportion
    Amounts allocated{};
    Amounts deserved{};
    Amounts inqueue{};             // asked for by those let in
    WaitingClasses<float> pending; // not let in yet
    std::set<Rank> ready;          // let in

    double request(std::size_t i) const { return allocated[i] + inqueue[i]; }
    double share(std::size_t i) const
    {
      return deserved[i] > nothing ? allocated[i] / deserved[i] : allocated[i] > nothing ? 1 : 0;
    }
    bool deserves_nothing() const
    {
      return all_of([&](std::size_t i) { return deserved[i] <= nothing; });
    }
    /// Queues with less go first: the share of what it deserves that it has, of its dominant resource. With capacity
    /// the share of a queue that deserves nothing is 1, and of equal shares it goes last.
    std::pair<double, bool> turn() const
    {
      if (by_capacity && deserves_nothing())
        return {1, true};
      double most = 0;
      for (std::size_t i = 0; i < resources; ++i)
        if (!by_capacity || deserved[i] > nothing)
          most = std::max(most, share(i));
      return {most, false};
    }
    /// It has all that it may have by itself.
    bool overused() const
    {
      return !by_capacity && all_of([&](std::size_t i) { return deserved[i] <= allocated[i] + nothing; });
    }
    /// Whether it then holds no more than it may of what the job asks for: with proportion what it deserves, with
    /// capacity its capability. @p less: what is given back before.
    bool may_have(const Amounts& more, const Amounts& less = {}) const
    {
      const Amounts& most = by_capacity ? capability : deserved;
      return all_of(
          [&](std::size_t i) { return more[i] <= nothing || allocated[i] - less[i] + more[i] <= most[i] + nothing; });
    }
    /// Whether others are stopped for a job of it: with capacity where it then has no more of something than it
    /// deserves.
    bool may_reclaim(const Amounts& more) const
    {
      return !overused() && may_have(more) && (!by_capacity || any_of([&](std::size_t i) {
        return more[i] > nothing && allocated[i] + more[i] <= deserved[i] + nothing;
      }));
    }
    /// Whether a job of it that holds @p held is stopped for another queue's that wants @p wanted. It has @p has.
    bool may_lose(const Amounts& has, const Amounts& held, const Amounts& wanted) const
    {
      if (!by_capacity) // it has more of something than it deserves
        return any_of([&](std::size_t i) { return has[i] > deserved[i] + nothing; });
      const bool keeps_guarantee = all_of([&](std::size_t i) { return guarantee[i] <= has[i] - held[i] + nothing; });
      const bool helps = any_of([&](std::size_t i) { return held[i] > nothing && wanted[i] > nothing; });
      const bool owed = any_of([&](std::size_t i) { return held[i] > nothing && deserved[i] > nothing; });
      const bool above = any_of([&](std::size_t i) { return held[i] > nothing && has[i] > deserved[i] + nothing; });
      return keeps_guarantee && helps && (!owed || above);
    }
  };

  /// What the cluster has. Of CPU and memory: no limit where a machine is not said to have any.
  static Amounts totals(const ClusterView& cluster)
  {
    Amounts all = {1000.0 * cluster.cluster().total_gpus(), 0, 0};
    const bool counted = cluster.cluster().counted();
    for (int i = 0; !counted && i < cluster.cluster().nodes().size(); ++i) {
      const NodeShape& node = cluster.cluster().nodes().shape(i);
      all[1] += node.cpu_milli >= plenty ? no_limit : static_cast<double>(node.cpu_milli);
      all[2] += node.memory_mib >= plenty ? no_limit : static_cast<double>(node.memory_mib);
    }
    for (const std::size_t i : {std::size_t{1}, std::size_t{2}})
      if (counted || all[i] > no_limit)
        all[i] = no_limit;
    return all;
  }

  void read(const ClusterView& cluster, std::size_t resource, const char* key, const std::string& text,
            Amounts Queue::*value)
  {
    const AmountUnit unit = resource == 0 ? AmountUnit::gpus : resource == 1 ? AmountUnit::cores : AmountUnit::memory;
    for (const auto& [team, amount] : amounts_by_team(cluster.workload(), key, text, unit)) {
      if (!of_team_.contains(team))
        throw SettingFault{key, "team '" + cluster.workload().teams.name(team) + "' has no queue; add it to weights"};
      (queues_[static_cast<std::size_t>(of_team_[team])].*value)[resource] = static_cast<double>(amount);
    }
  }

  Queue& queue_of(const ClusterView& cluster, JobId id)
  {
    const auto found = of_team_.find(cluster.job(id).team);
    return queues_[static_cast<std::size_t>(found == of_team_.end() ? 0 : found->second)];
  }

  /// What the job asks for of the resources that count.
  Amounts wants(const ClusterView& cluster, JobId id) const
  {
    const TraceJob& job = cluster.job(id);
    const double tasks = std::max(1, job.tasks);
    Amounts all = {static_cast<double>(request_of(job).milli()), job.cpu_milli * tasks, job.memory_mib * tasks};
    for (std::size_t i = 0; i < resources; ++i)
      if (!counts_[i])
        all[i] = 0;
    return all;
  }

  /// What it holds: its GPUs may be others than it asked for.
  Amounts held(const ClusterView& cluster, JobId id) const
  {
    Amounts all = wants(cluster, id);
    all[0] = static_cast<double>(cluster.state(id).held.milli());
    return all;
  }

  static Rank rank(const ClusterView& cluster, JobId id) { return {-cluster.job(id).priority, id}; }

  void forget(const ClusterView& cluster, JobId id)
  {
    Queue& queue = queue_of(cluster, id);
    queue.pending.erase(id);
    if (queue.ready.erase(rank(cluster, id)) > 0)
      add(queue.inqueue, wants(cluster, id), -1);
  }

  /// What each queue deserves: what is left, by weight, again and again, until nobody asks for more.
  void share_out()
  {
    std::vector<Queue*> open;
    for (Queue& queue : queues_) {
      queue.deserved = {};
      if (by_capacity_) {
        for (std::size_t i = 0; i < resources; ++i)
          queue.deserved[i] = std::max(std::min(queue.entitled[i], queue.capability[i]), queue.guarantee[i]);
        continue;
      }
      if (!all_of([&](std::size_t i) { return queue.request(i) <= nothing && queue.guarantee[i] <= 0; }))
        open.push_back(&queue);
    }
    Amounts left = total_;
    while (!open.empty() && !all_of([&](std::size_t i) { return left[i] <= nothing; })) {
      double weights = 0;
      for (const Queue* queue : open)
        weights += queue->weight;
      Amounts given{};
      std::vector<Queue*> hungry;
      for (Queue* queue : open) {
        const Amounts before = queue->deserved;
        for (std::size_t i = 0; i < resources; ++i)
          queue->deserved[i] =
              std::min({before[i] + left[i] * queue->weight / weights, queue->capability[i], queue->request(i)});
        const auto has_all = [&](std::size_t i) { return queue->request(i) <= queue->deserved[i] + nothing; };
        const auto gets_none = [&](std::size_t i) { return queue->deserved[i] <= before[i] + nothing; };
        if (!all_of(has_all) && !all_of(gets_none))
          hungry.push_back(queue);
        for (std::size_t i = 0; i < resources; ++i) {
          queue->deserved[i] = std::max(queue->deserved[i], queue->guarantee[i]);
          given[i] += queue->deserved[i] - before[i];
        }
      }
      for (std::size_t i = 0; i < resources; ++i)
        left[i] = std::max(0.0, left[i] - given[i]); // guarantees may give more than there was
      open = std::move(hungry);
    }
  }

  /// Queues by the share of what they deserve that they have.
  std::vector<Queue*> by_share()
  {
    std::vector<Queue*> order;
    order.reserve(queues_.size());
    for (Queue& queue : queues_)
      order.push_back(&queue);
    std::ranges::stable_sort(order, {}, [](const Queue* queue) { return queue->turn(); });
    return order;
  }

  /// Lets jobs in while neither the capability of their queue nor, with all others, the cluster is asked for too much.
  bool enqueue(const ClusterView& cluster)
  {
    Amounts asked{}; // by all that hold something or have been let in
    for (const Queue& queue : queues_) {
      add(asked, queue.allocated);
      add(asked, queue.inqueue);
    }
    bool any = false;
    for (Queue* queue : by_share()) {
      std::vector<JobId> let_in;
      queue->pending.walk([&](JobId id) {
        const Amounts more = wants(cluster, id);
        const bool fits = all_of([&](std::size_t i) {
          return queue->request(i) + more[i] <= queue->capability[i] + nothing &&
                 (more[i] <= nothing || asked[i] + more[i] <= total_[i] * overcommit_ + nothing);
        });
        if (!fits)
          return Walk::skip_class;
        let_in.push_back(id);
        add(queue->inqueue, more);
        add(asked, more);
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
      const auto first = std::ranges::min_element(open, {}, [](const auto& one) { return one.first->turn(); });
      Queue& queue = *first->first;
      const JobId id = first->second.begin()->second;
      first->second.erase(first->second.begin());
      if (first->second.empty())
        open.erase(first);
      const Amounts more = wants(cluster, id);
      const bool best_effort = all_of([&](std::size_t i) { return more[i] <= nothing; });
      if (!best_effort && (queue.overused() || !queue.may_have(more)))
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

  bool preempt(const ClusterView& cluster, Decisions& decisions)
  {
    for (Queue& queue : queues_)
      for (const auto& [priority, id] : std::set<Rank>{queue.ready}) {
        const JobId job = id;
        const std::vector<JobId> order = victims(cluster, [&](JobId other) {
          return &queue_of(cluster, other) == &queue && cluster.job(other).priority < cluster.job(job).priority;
        });
        const auto enough = [&](const std::vector<JobId>& stopped) {
          Amounts less{};
          for (const JobId victim : stopped)
            add(less, held(cluster, victim));
          return queue.may_have(wants(cluster, job), less) && decisions.fits_without(job, stopped);
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
        const Amounts wanted = wants(cluster, id);
        if (!queue->may_reclaim(wanted))
          continue;
        std::map<const Queue*, Amounts> left; // of queues that lose jobs
        std::vector<JobId> order;
        for (const JobId victim : victims(cluster, [&](JobId other) { return &queue_of(cluster, other) != queue; })) {
          const Queue& other = queue_of(cluster, victim);
          Amounts& has = left.try_emplace(&other, other.allocated).first->second;
          const Amounts back = held(cluster, victim);
          if (!other.may_lose(has, back, wanted))
            continue;
          add(has, back, -1);
          order.push_back(victim);
        }
        const JobId job = id;
        if (stop_and_start(decisions, job, order,
                           [&](const std::vector<JobId>& stopped) { return decisions.fits_without(job, stopped); }))
          return true; // a new session sees what has changed
      }
    return false;
  }

  std::string weights_;
  std::array<std::string, resources> capabilities_, guarantees_, deserved_;
  bool by_capacity_ = false;
  double overcommit_;
  bool preempt_, reclaim_;
  Amounts total_{};
  std::array<bool, resources> counts_{}; // whether anything limits it
  std::vector<Queue> queues_;            // the first: default
  std::map<int, int> of_team_;           // team -> queue
};

TY_REGISTER(QueuePolicy, Volcano, "volcano",
            "Volcano: queues that share by weight, gangs; actions enqueue, allocate, backfill, preempt, reclaim");

} // namespace
} // namespace trainyard
