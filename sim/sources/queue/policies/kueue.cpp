// SPDX-License-Identifier: Apache-2.0
// Kueue: a job starts when its cluster queue (team) has quota for all of it, and waits for machines after that, with
// its quota. In a cycle the first job of every queue is nominated: for each pod set (kind of its tasks) and resource
// group of its queue it tries the flavors in order, and each fits beside what earlier pod sets take, fits where others
// are stopped, or does not; the worst of its resources counts.
// Nominations go by how far away they borrow, priority and submission; what one takes, later ones lack. The cycles of
// an instant end when none has changed anything. Sources: https://kueue.sigs.k8s.io/docs/concepts/cluster_queue/,
// /cohort/, /preemption/ and /fair_sharing/; pkg/scheduler/scheduler.go (0054103),
// pkg/scheduler/flavorassigner/flavorassigner.go (0037224), pkg/scheduler/preemption/preemption.go (47689ed) and
// classical/ (01c0b27, 020a376).
#include "models/job/batch_rules.hpp"
#include "sim/sources/queue/policies/kueue_preemption.hpp"
#include "sim/sources/queue/policies/slurm_machines.hpp"
#include "sim/sources/queue/scheduling.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <set>
#include <stdexcept>
#include <string>
#include <tuple>
#include <utility>

namespace trainyard {
namespace {

class KueuePolicy final : public QueuePolicy
{
public:
  explicit KueuePolicy(const Settings& settings) : fair_sharing_{settings.flag("fair_sharing", false)} {}

  static std::vector<Parameter> parameters()
  {
    return {flag("fair_sharing", false,
                 "who borrows least of what its weight gives it goes first, and may stop jobs of who borrows more",
                 "Kueue, fairSharing.enable")};
  }

  void begin(const ClusterView& cluster) override
  {
    const Workload& workload = cluster.workload();
    if (cluster.cluster().counted() && workload.task_lists.size() > 1)
      throw std::invalid_argument{"the tasks of a list get flavors of their own, which are sets of machines; remove "
                                  "cluster: pool"};
    rules_ = {};
    std::vector<MachineSet> sets;
    if (workload.kueue != nullptr) {
      rules_ = *workload.kueue;
    } else { // one queue that has everything
      sets = machine_sets(cluster);
      rules_.cluster_queues = {{.name = "", .quotas = {}}};
      for (std::size_t i = 0; i < sets.size(); ++i) {
        rules_.flavors.push_back({.name = "machines-" + std::to_string(i)});
        rules_.cluster_queues[0].quotas.push_back({.flavor = rules_.flavors[i].name, .nominal = 1.0 * sets[i].gpus});
      }
    }
    everybody_ = workload.kueue == nullptr;
    book_.emplace(rules_, fair_sharing_);
    empty_.emplace(rules_, fair_sharing_);
    never_.clear();
    queues_.assign(rules_.cluster_queues.size(), {});
    flavors_.clear();
    pods_.clear();
    with_quota_.clear();
    for (std::size_t i = 0; i < queues_.size(); ++i)
      queues_[i] = queue_with(rules_.cluster_queues[i].quotas);
    for (const KueueFlavor& flavor : rules_.flavors)
      flavors_.push_back(flavor_of(cluster, flavor));
    for (std::size_t i = 0; sets.size() > 1 && i < sets.size(); ++i)
      flavors_[i].closed = sets[i].closed;
  }

  void arrived(const ClusterView& cluster, JobId id) override
  {
    if (book_->admitted(id)) // its machine has failed: its quota stays
      pods_.insert(pod(cluster, id));
    else if (const int queue = queue_of(cluster, id); queue >= 0)
      queues_[at(queue)].waiting[class_of(cluster, id, queue)].insert(id);
  }

  void started(const ClusterView& cluster, JobId id) override { pods_.erase(pod(cluster, id)); }

  void stopped(const ClusterView& cluster, JobId id) override
  {
    const KueueAdmission* admission = book_->admission(id);
    if (admission != nullptr && cluster.state(id).failures == admission->failures)
      release(cluster, id);
    else
      book_->count_failures(id, cluster.state(id).failures);
  }

  void withdrawn(const ClusterView& cluster, JobId id) override
  {
    if (book_->admitted(id)) {
      pods_.erase(pod(cluster, id));
      release(cluster, id);
    }
    leave_queue(cluster, id);
  }

  void decide(const ClusterView& cluster, Decisions& decisions) override
  {
    do
      start_pods(cluster, decisions);
    while (cycle(cluster, decisions));
    if (decisions.wants_reasons())
      say_why(cluster, decisions);
  }

  WaitReason usual_reason() const override { return WaitReason::quota; }

  std::string never_starts(const ClusterView& cluster, JobId id) override
  {
    const int number = queue_of(cluster, id);
    if (number < 0)
      return {};
    const auto [known, fresh] = never_.try_emplace({number, class_of(cluster, id, number)});
    if (fresh)
      known->second = beyond_all_quota(cluster, id, number);
    return known->second;
  }

private:
  using Amounts = std::array<std::int64_t, kueue_resources>; // in the units of KueueQuotas
  /// What jobs of a queue have in common that get the same answer: priority, what they need, GPU type, demands, list of
  /// tasks.
  using Class = std::tuple<float, Amounts, int, int, int>;
  using Wish = std::pair<int, int>;                   // demands and type of GPU
  using Pod = std::tuple<float, std::int64_t, JobId>; // the most important and first admitted goes first

  /// A resource group: all that a job needs of its resources comes from one flavor.
  struct Group {
    unsigned covered = 0;     // resources, as KueueQuota::covered()
    std::vector<int> flavors; // to try, in order
  };

  struct Queue {
    std::vector<Group> groups;
    unsigned covered = 0; // resources of all groups
    bool strict = false;  // jobs that need anything else never start
    std::map<Class, std::set<JobId>> waiting;
    std::set<Class> parked;      // tried in vain since quota was given back last
    std::map<Class, int> scarce; // flavor of which there was too little when they were tried last
  };

  struct Flavor {
    int gpu_type = -1;                         // -1: any
    std::optional<SlurmMachines::Mask> closed; // machines that are not of the flavor
  };

  /// Tasks of a job that get their flavors together: all of them, or an entry of its list.
  struct PodSet {
    std::string role;
    Amounts needed{};
    std::int64_t milli = 0; // of GPUs
    Wish wish;
  };

  struct Nomination {
    KueueRequest request;
    KueueFit fit;
  };

  /// What a pod set would have of the flavor that a resource group gives it.
  struct Assignment {
    KueueFit fit;
    std::vector<KueueUse> uses;
    int borrows = 0; // the most of all its resources
    int flavor = -1;
  };

  static std::size_t at(int index) { return static_cast<std::size_t>(index); }
  static unsigned bit(KueueResource resource) { return 1U << static_cast<int>(resource); }

  Queue queue_with(const std::vector<KueueQuota>& quotas) const
  {
    Queue queue;
    for (const KueueQuota& quota : quotas) {
      auto group = std::ranges::find(queue.groups, quota.covered(), &Group::covered);
      if (group == queue.groups.end())
        group = queue.groups.insert(group, Group{quota.covered(), {}});
      group->flavors.push_back(static_cast<int>(std::ranges::find(rules_.flavors, quota.flavor, &KueueFlavor::name) -
                                                rules_.flavors.begin()));
      queue.covered |= quota.covered();
    }
    queue.strict = rules_.undeclared == KueueUndeclared::block ||
                   (rules_.undeclared == KueueUndeclared::by_queue && queue.covered != bit(KueueResource::gpu));
    return queue;
  }

  static Flavor flavor_of(const ClusterView& cluster, const KueueFlavor& flavor)
  {
    Flavor result;
    const std::vector<std::string>& types = cluster.workload().gpu_types;
    if (const auto type = std::ranges::find(types, flavor.gpu); !flavor.gpu.empty() && type != types.end())
      result.gpu_type = static_cast<int>(type - types.begin());
    if (flavor.nodes.empty())
      return result;
    const NodePool& nodes = cluster.cluster().nodes();
    result.closed.emplace(at(nodes.size()), 1);
    for (int node = 0; node < nodes.size(); ++node)
      for (const std::string& name : flavor.nodes)
        if (means_machine(name, nodes.shape(node).name))
          (*result.closed)[at(node)] = 0;
    return result;
  }

  int queue_of(const ClusterView& cluster, JobId id) const
  {
    const std::string& team = cluster.workload().teams.name(cluster.job(id).team);
    const auto found = std::ranges::find(rules_.cluster_queues, team, &KueueClusterQueue::name);
    return everybody_                             ? 0
           : found == rules_.cluster_queues.end() ? -1
                                                  : static_cast<int>(found - rules_.cluster_queues.begin());
  }

  /// Of what tasks need, the resources that count in their queue: those with quotas, and where that is strict all but
  /// pods.
  static Amounts needs(const Queue& queue, std::int64_t milli, const TaskGroup& group)
  {
    const std::int64_t tasks = group.count;
    Amounts all = {milli, group.cpu_milli * tasks, group.memory_mib * tasks, tasks};
    for (int i = 0; i < kueue_resources; ++i)
      if (const KueueResource resource{static_cast<std::uint8_t>(i)};
          (queue.covered & bit(resource)) == 0 && (!queue.strict || resource == KueueResource::pods))
        all[at(i)] = 0;
    return all;
  }

  std::vector<PodSet> pod_sets(const ClusterView& cluster, JobId id, int queue) const
  {
    const TraceJob& job = cluster.job(id);
    std::vector<PodSet> sets;
    for (const TaskGroup& group : cluster.workload().kinds_of(job)) {
      const std::int64_t milli = job.task_list > 0 ? std::int64_t{1000} * group.count * group.gpus // whole GPUs
                                                   : request_of(job).milli();
      sets.push_back({group.role, needs(queues_[at(queue)], milli, group), milli, Wish{group.demands, group.gpu_type}});
    }
    return sets;
  }

  Class class_of(const ClusterView& cluster, JobId id, int queue) const
  {
    const TraceJob& job = cluster.job(id);
    const TaskGroup all{.count = std::max(1, job.tasks), .cpu_milli = job.cpu_milli, .memory_mib = job.memory_mib};
    return {-job.priority, needs(queues_[at(queue)], request_of(job).milli(), all), job.gpu_type, job.demands,
            job.task_list};
  }

  Pod pod(const ClusterView& cluster, JobId id) const
  {
    const KueueAdmission* admission = book_->admission(id);
    return {-cluster.job(id).priority, admission == nullptr ? 0 : admission->order, id};
  }

  /// Its quota may serve those that were tried in vain.
  void release(const ClusterView& cluster, JobId id)
  {
    count_with_quota(cluster, id, -1);
    book_->release(id);
    try_all_again();
  }

  void count_with_quota(const ClusterView& cluster, JobId id, int sign)
  {
    if (everybody_)
      for (const PodSet& set : pod_sets(cluster, id, 0))
        with_quota_[set.wish] += sign * set.milli;
  }

  static bool admits(const NodePool& nodes, int node, const Wish& wish)
  {
    return nodes.admits(node, wish.first) && (wish.second < 0 || nodes.shape(node).gpu_type == wish.second);
  }

  /// Without quotas of its own the queue counts GPUs of joined sets of machines. Whether those that admit each pod set
  /// have so many left beside tasks with quota, and earlier pod sets, that may go nowhere else.
  bool machines_have(const ClusterView& cluster, const std::vector<PodSet>& sets) const
  {
    if (!everybody_ || cluster.cluster().counted())
      return true;
    const NodePool& nodes = cluster.cluster().nodes();
    std::map<Wish, std::int64_t> taken = with_quota_;
    for (const PodSet& set : sets) {
      std::int64_t left = 0;
      for (int node = 0; node < nodes.size(); ++node)
        left += admits(nodes, node, set.wish) ? std::int64_t{1000} * nodes.shape(node).gpus : 0;
      for (const auto& [other, milli] : taken) {
        int node = 0;
        while (node < nodes.size() && (!admits(nodes, node, other) || admits(nodes, node, set.wish)))
          ++node;
        left -= node == nodes.size() ? milli : 0;
      }
      if (set.milli > left)
        return false;
      taken[set.wish] += set.milli;
    }
    return true;
  }

  void try_all_again()
  {
    for (Queue& queue : queues_)
      queue.parked.clear();
  }

  void leave_queue(const ClusterView& cluster, JobId id)
  {
    const int queue = queue_of(cluster, id);
    if (queue < 0)
      return;
    auto& waiting = queues_[at(queue)].waiting;
    const auto found = waiting.find(class_of(cluster, id, queue));
    if (found == waiting.end())
      return;
    found->second.erase(id);
    if (found->second.empty())
      waiting.erase(found);
  }

  /// The job whose turn it is: of the highest priority, the first submitted; none: all have been tried.
  JobId head(const Queue& queue) const
  {
    std::optional<std::pair<float, JobId>> best;
    for (const auto& [kind, jobs] : queue.waiting)
      if (!queue.parked.contains(kind))
        if (const std::pair one{std::get<0>(kind), *jobs.begin()}; !best || one < *best)
          best = one;
    return best ? best->second : JobId{};
  }

  /// Whether the tasks may go to machines of the flavor.
  bool admits(const ClusterView& cluster, const PodSet& set, const Flavor& flavor) const
  {
    const int gpu_type = set.wish.second;
    if (flavor.gpu_type >= 0 && gpu_type >= 0 && gpu_type != flavor.gpu_type)
      return false;
    if (!flavor.closed)
      return true;
    const NodePool& nodes = cluster.cluster().nodes();
    std::int64_t missing = everybody_ ? set.milli : 0; // a set of machines has quota for jobs that only some admit
    for (int node = 0; node < nodes.size(); ++node)
      if ((*flavor.closed)[at(node)] == 0 && admits(nodes, node, set.wish))
        if (missing -= std::int64_t{1000} * nodes.shape(node).gpus; missing <= 0)
          return true;
    return false;
  }

  /// Tries the flavors of a group in order and takes the first that will do beside what the request has already, or the
  /// best. Mode `no`: none would.
  Assignment assign(const ClusterView& cluster, KueueBook& book, const KueueRequest& request, const Group& group,
                    const PodSet& set) const
  {
    const KueueClusterQueue& queue = rules_.cluster_queues[at(request.queue)];
    Assignment best;
    for (const int flavor : group.flavors) {
      if (!admits(cluster, set, flavors_[at(flavor)]))
        continue;
      Assignment here{.fit = {.mode = KueueFit::Mode::fits, .borrows = 0, .targets = {}}, .uses = {}, .flavor = flavor};
      for (int i = 0; i < kueue_resources && here.fit.mode != KueueFit::Mode::no; ++i) {
        const KueueResource resource{static_cast<std::uint8_t>(i)};
        const std::int64_t needed = set.needed[at(i)];
        if ((group.covered & bit(resource)) == 0 || needed == 0)
          continue;
        const int kind = KueueQuotas::kind(flavor, resource);
        KueueFit fit = book.fit(request, kind, needed + request.amount(kind));
        here.uses.push_back({kind, needed, fit.mode != KueueFit::Mode::fits});
        here.borrows = std::max(here.borrows, fit.borrows);
        if (here.fit.better_than(fit)) // the worst counts
          here.fit = std::move(fit);
      }
      const KueueFit& fit = here.fit;
      const bool stops = fit.mode == KueueFit::Mode::preempts || fit.mode == KueueFit::Mode::reclaims;
      const bool next = fit.mode <= KueueFit::Mode::nobody_to_stop || (stops && queue.try_next_before_preempting) ||
                        (fit.borrows > 0 && queue.try_next_before_borrowing);
      if (!next || fit.better_than(best.fit))
        best = std::move(here);
      if (!next)
        break;
    }
    return best;
  }

  /// Gives a pod set a flavor of every resource group of its queue.
  void add_pod_set(const ClusterView& cluster, KueueBook& book, const PodSet& set, int index, Nomination& all) const
  {
    const Queue& queue = queues_[at(all.request.queue)];
    unsigned wanted = 0;
    for (int i = 0; i < kueue_resources; ++i)
      wanted |= set.needed[at(i)] > 0 ? 1U << i : 0U;
    if ((wanted & ~queue.covered) != 0)
      all.fit.mode = KueueFit::Mode::no;
    for (const Group& group : queue.groups) {
      if ((group.covered & wanted) == 0 || all.fit.mode == KueueFit::Mode::no)
        continue;
      Assignment given = assign(cluster, book, all.request, group, set);
      all.fit.borrows = std::max(all.fit.borrows, given.borrows);
      for (const KueueUse& use : given.uses)
        all.request.use(use);
      all.request.flavors.emplace_back(index, given.flavor);
      if (given.fit.mode < all.fit.mode) {
        all.fit.mode = given.fit.mode;
        all.fit.targets = std::move(given.fit.targets);
      }
    }
  }

  /// Finds a flavor for every pod set and resource group, and who would have to stop.
  Nomination nominate(const ClusterView& cluster, JobId id, int number)
  {
    Nomination all{.request = {.job = id, .queue = number, .uses = {}, .priority = cluster.job(id).priority},
                   .fit = {.mode = KueueFit::Mode::fits, .borrows = 0, .targets = {}}};
    const std::vector<PodSet> sets = pod_sets(cluster, id, number);
    if (!machines_have(cluster, sets)) {
      all.fit.mode = KueueFit::Mode::nobody_to_stop;
      return all;
    }
    for (std::size_t set = 0; set < sets.size(); ++set)
      add_pod_set(cluster, *book_, sets[set], static_cast<int>(set), all);
    const bool short_of = all.fit.mode != KueueFit::Mode::no && all.fit.mode != KueueFit::Mode::fits;
    if (short_of && (all.request.uses.size() > 1 ||
                     all.request.flavors.size() > 1)) { // one that would do for one resource need not for all
      all.fit.targets = book_->targets(all.request);
      if (all.fit.targets.empty())
        all.fit.mode = KueueFit::Mode::nobody_to_stop;
      else if (all.fit.mode == KueueFit::Mode::nobody_to_stop)
        all.fit.mode = KueueFit::Mode::preempts;
    }
    return all;
  }

  /// What one cycle of nominations has done.
  struct Cycle {
    bool changed = false;
    std::set<JobId> victims;
    std::vector<std::tuple<int, int, std::int64_t>> kept; // for those that cannot have it yet
  };

  /// Whether anything has changed.
  bool cycle(const ClusterView& cluster, Decisions& decisions)
  {
    std::vector<Nomination> entries;
    for (std::size_t i = 0; i < queues_.size(); ++i)
      if (const JobId id = head(queues_[i]))
        entries.push_back(nominate(cluster, id, static_cast<int>(i)));
    if (!fair_sharing_)
      std::ranges::sort(entries, {}, [](const Nomination& one) {
        return std::tuple{one.fit.borrows, -one.request.priority,
                          one.request.job}; // jobs are numbered in order of submission
      });
    Cycle now;
    while (!entries.empty()) {
      const int root = book_->quotas().root(entries.front().request.queue);
      const auto next = entries.begin() + (fair_sharing_ ? winner(entries, root) : 0);
      const Nomination one = std::move(*next);
      entries.erase(next);
      process(cluster, decisions, one, now);
    }
    for (const auto& [queue, kind, amount] : now.kept)
      book_->quotas().remove(queue, kind, amount);
    if (!now.victims.empty())
      try_all_again();
    return now.changed;
  }

  void process(const ClusterView& cluster, Decisions& decisions, const Nomination& one, Cycle& now)
  {
    const int queue = one.request.queue;
    if (one.fit.mode <= KueueFit::Mode::nobody_to_stop) {
      const Class kind = class_of(cluster, one.request.job, queue);
      if (const auto use = std::ranges::find(one.request.uses, true, &KueueUse::scarce);
          use != one.request.uses.end() && !everybody_)
        queues_[at(queue)].scarce[kind] = KueueQuotas::flavor(use->kind);
      if (one.fit.mode == KueueFit::Mode::nobody_to_stop)
        for (const KueueUse& use : one.request.uses)
          if (const std::int64_t amount = to_keep(one, use); amount > 0) {
            book_->quotas().add(queue, use.kind, amount);
            now.kept.emplace_back(queue, use.kind, amount);
          }
      if (!rules_.cluster_queues[at(queue)].strict_fifo)
        now.changed = queues_[at(queue)].parked.insert(kind).second || now.changed;
      return;
    }
    const auto is_stopped = [&](JobId target) { return now.victims.contains(target); };
    if (std::ranges::any_of(one.fit.targets, is_stopped) || !book_->still_fits(one.request, one.fit.targets))
      return; // it tries again in the next cycle
    for (const JobId target : one.fit.targets) {
      now.victims.insert(target);
      evict(cluster, decisions, target);
    }
    admit(cluster, one);
    now.changed = true;
  }

  /// With fair sharing, the number of the entry below the node whose start leaves the smallest share: at every cohort
  /// the winners below its children compete. -1: there is none. Source: Kueue, pkg/scheduler/fair_sharing_iterator.go
  /// (commit 00b0d4b).
  int winner(const std::vector<Nomination>& entries, int node)
  {
    if (!book_->quotas().is_cohort(node)) {
      const auto found = std::ranges::find(entries, node, [](const Nomination& one) { return one.request.queue; });
      return found == entries.end() ? -1 : static_cast<int>(found - entries.begin());
    }
    int best = -1;
    std::tuple<double, float, JobId> least;
    for (const int child : book_->quotas().children(node)) {
      const int candidate = winner(entries, child);
      if (candidate < 0)
        continue;
      const Nomination& one = entries[at(candidate)];
      const std::tuple rank{share_with(one, child), -one.request.priority, one.request.job};
      if (best < 0 || rank < least) {
        best = candidate;
        least = rank;
      }
    }
    return best;
  }

  /// The share of a node if the job below it started.
  double share_with(const Nomination& one, int node)
  {
    KueueQuotas& quotas = book_->quotas();
    for (const KueueUse& use : one.request.uses)
      quotas.add(one.request.queue, use.kind, use.amount);
    const double share = quotas.share(node);
    for (const KueueUse& use : one.request.uses)
      quotas.remove(one.request.queue, use.kind, use.amount);
    return share;
  }

  /// What a cycle keeps for a job that nobody may be stopped for, unless its queue can always reclaim what is its own.
  std::int64_t to_keep(const Nomination& one, const KueueUse& use) const
  {
    const int queue = one.request.queue;
    if (rules_.cluster_queues[at(queue)].reclaim_within_cohort == KueuePreemption::any)
      return 0;
    const KueueQuotas& quotas = book_->quotas();
    std::int64_t most = quotas.nominal(queue, use.kind) - quotas.used(queue, use.kind);
    if (one.fit.borrows > 0)
      most += quotas.borrowing_limit(queue, use.kind);
    return std::clamp<std::int64_t>(most, 0, use.amount);
  }

  void admit(const ClusterView& cluster, const Nomination& one)
  {
    const JobId id = one.request.job;
    leave_queue(cluster, id);
    book_->admit(one.request, cluster.now(), cluster.state(id).failures);
    count_with_quota(cluster, id, 1);
    pods_.insert(pod(cluster, id));
  }

  void evict(const ClusterView& cluster, Decisions& decisions, JobId id)
  {
    if (cluster.is_running(id)) {
      decisions.preempt(id); // which comes back here: stopped, arrived
      return;
    }
    pods_.erase(pod(cluster, id));
    release(cluster, id);
    arrived(cluster, id);
  }

  void start_pods(const ClusterView& cluster, Decisions& decisions)
  {
    for (const Pod& one : std::vector<Pod>{pods_.begin(), pods_.end()})
      start(cluster, decisions, std::get<JobId>(one));
  }

  /// The machines that are of all flavors of a pod set. Nothing: the flavors are of different GPU types.
  std::optional<Flavor> machines_of(const ClusterView& cluster, JobId id, int set) const
  {
    Flavor all;
    for (const auto& [index, flavor] : book_->admission(id)->flavors) {
      if (index != set)
        continue;
      const Flavor& one = flavors_[at(flavor)];
      if (one.gpu_type >= 0 && all.gpu_type >= 0 && one.gpu_type != all.gpu_type)
        return std::nullopt;
      all.gpu_type = std::max(all.gpu_type, one.gpu_type);
      if (one.closed && !all.closed)
        all.closed = one.closed;
      else if (one.closed)
        std::ranges::transform(*all.closed, *one.closed, all.closed->begin(),
                               [](char first, char second) { return static_cast<char>(first | second); });
    }
    const TraceJob& job = cluster.job(id);
    if (all.gpu_type < 0 || cluster.cluster().counted() || (!all.closed && job.gpus > 0 && job.task_list == 0))
      return all;
    const NodePool& nodes = cluster.cluster().nodes(); // nobody else sees to the type
    if (!all.closed)
      all.closed.emplace(at(nodes.size()), 0);
    for (int node = 0; node < nodes.size(); ++node)
      if (nodes.shape(node).gpu_type != all.gpu_type)
        (*all.closed)[at(node)] = 1;
    return all;
  }

  void start(const ClusterView& cluster, Decisions& decisions, JobId id) const
  {
    const TraceJob& job = cluster.job(id);
    const int sets = std::max(1, static_cast<int>(cluster.workload().tasks_of(job).size()));
    std::vector<ClosedNodes> closed; // by pod set
    int gpu_type = -1;
    for (int set = 0; set < sets; ++set) {
      std::optional<Flavor> found = machines_of(cluster, id, set);
      if (!found) {
        decisions.hold(id, WaitReason::gpu_type);
        return;
      }
      gpu_type = job.task_list > 0 ? -1 : found->gpu_type;
      closed.push_back(std::move(found->closed).value_or(ClosedNodes{}));
    }
    if (std::ranges::all_of(closed, &ClosedNodes::empty)) {
      decisions.start(id, 0, gpu_type);
      return;
    }
    std::optional<Allocation> place;
    if (job.task_list == 0) {
      place = decisions.preview(id);
      if (!place) {
        decisions.start(id); // which says why
        return;
      }
    }
    const auto is_closed = [&](const TaskShare& share) { return closed.front()[at(share.node)] != 0; };
    if (!place || std::ranges::any_of(place->shares, is_closed))
      place = decisions.preview(id, closed);
    if (place)
      decisions.start_at(id, std::move(*place));
    else
      decisions.hold(id, request_of(job).milli() > cluster.cluster().free_milli() ? WaitReason::gpus
                                                                                  : WaitReason::fragmented);
  }

  /// "quota for 16 GPUs of one flavor, cluster queue ml can have 0 of multi, 8 of single", beside what the request has.
  std::string lacks(const ClusterView& cluster, const KueueRequest& request, const PodSet& set) const
  {
    const std::string& queue = rules_.cluster_queues[at(request.queue)].name;
    static const std::array<std::pair<const char*, double>, kueue_resources> units = {
        {{"GPU", 1000}, {"core", 1000}, {"GiB of memory", 1024}, {"pod", 1}}};
    for (int i = 0; i < kueue_resources; ++i) {
      const auto [unit, size] = units[at(i)];
      const double needed = static_cast<double>(set.needed[at(i)]) / size;
      double most = 0;
      std::string quotas;
      for (const Group& group : queues_[at(request.queue)].groups)
        for (const int flavor : group.flavors) {
          const int kind = KueueQuotas::kind(flavor, static_cast<KueueResource>(i));
          const std::int64_t left = empty_->quotas().potential(request.queue, kind) - request.amount(kind);
          if ((group.covered >> i & 1U) == 0 || !admits(cluster, set, flavors_[at(flavor)]))
            continue;
          const double here = std::max(0.0, static_cast<double>(left) / size);
          quotas += fmt::format("{}{:g} of {}", quotas.empty() ? "" : ", ", here, rules_.flavors[at(flavor)].name);
          most = std::max(most, here);
        }
      const bool plural = needed != 1 && i != static_cast<int>(KueueResource::memory);
      if (needed > most)
        return fmt::format("quota for {:g} {}{} of one flavor, cluster queue {} can have {}", needed, unit,
                           plural ? "s" : "", queue, quotas.empty() ? "none" : quotas);
    }
    return fmt::format("quota of one flavor for all that it asks for, cluster queue {} has none", queue);
  }

  /// What a job lacks if nobody else has quota; empty: nothing.
  std::string beyond_all_quota(const ClusterView& cluster, JobId id, int number)
  {
    Nomination all{.request = {.job = id, .queue = number, .uses = {}, .priority = 0},
                   .fit = {.mode = KueueFit::Mode::fits, .borrows = 0, .targets = {}}};
    for (const PodSet& set : pod_sets(cluster, id, number)) {
      add_pod_set(cluster, *empty_, set, 0, all);
      if (all.fit.mode == KueueFit::Mode::no && !everybody_)
        return (set.role.empty() ? "it needs " : "its " + set.role + " needs ") + lacks(cluster, all.request, set);
    }
    return {};
  }

  void say_why(const ClusterView& cluster, Decisions& decisions)
  {
    for (std::size_t i = 0; i < queues_.size(); ++i) {
      const bool strict = rules_.cluster_queues[i].strict_fifo;
      const JobId first = head(queues_[i]);
      for (const auto& [kind, jobs] : queues_[i].waiting) {
        const WaitReason quota =
            never_starts(cluster, *jobs.begin()).empty() ? WaitReason::quota : WaitReason::quota_never;
        const auto scarce = queues_[i].scarce.find(kind);
        const JobId flavor = quota == WaitReason::quota_never || scarce == queues_[i].scarce.end()
                                 ? JobId{}
                                 : flavor_blocker(scarce->second);
        for (const JobId id : jobs)
          if (strict && id != first)
            decisions.hold(id, WaitReason::behind_head, first);
          else
            decisions.hold(id, quota, flavor);
      }
    }
  }

  bool fair_sharing_;
  KueueRules rules_;
  bool everybody_ = true; // there is one queue, for all teams
  std::optional<KueueBook> book_;
  std::optional<KueueBook> empty_;                     // as if nobody ran
  std::map<std::pair<int, Class>, std::string> never_; // see never_starts(), by queue
  std::vector<Queue> queues_;                          // by number of the cluster queue
  std::vector<Flavor> flavors_;
  std::set<Pod> pods_;                      // admitted jobs that do not run
  std::map<Wish, std::int64_t> with_quota_; // thousandths of GPUs of admitted jobs
};

TY_REGISTER(QueuePolicy, KueuePolicy, "kueue",
            "Kueue: quotas by GPU flavor, cohorts that borrow and lend, reclaiming; rules of the section kueue");

} // namespace
} // namespace trainyard
