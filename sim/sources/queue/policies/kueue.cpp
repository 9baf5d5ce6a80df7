// SPDX-License-Identifier: Apache-2.0
// Kueue: a job starts when its cluster queue (team) has quota for all of it, and waits for machines after that, with
// its quota. In a cycle the first job of every queue is nominated: for each resource group of its queue it tries the
// flavors in order, and each fits, fits where others are stopped, or does not; the worst of its resources counts.
// Nominations go by how far away they borrow, priority and submission; what one takes, later ones lack. The cycles of
// an instant end when none has changed anything. Sources: https://kueue.sigs.k8s.io/docs/concepts/cluster_queue/,
// /cohort/, /preemption/ and /fair_sharing/; pkg/scheduler/scheduler.go (0054103),
// pkg/scheduler/flavorassigner/flavorassigner.go (0037224), pkg/scheduler/preemption/preemption.go (47689ed) and
// classical/ (01c0b27, 020a376).
#include "models/job/batch_rules.hpp"
#include "sim/sources/queue/policies/kueue_preemption.hpp"
#include "sim/sources/queue/policies/slurm_machines.hpp"
#include "sim/sources/queue/scheduling.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <set>
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
    return {
        {.name = "fair_sharing",
         .kind = "boolean",
         .default_value = "false",
         .meaning = "who borrows least of what its weight gives it goes first, and may stop jobs of who borrows more",
         .source = "Kueue, fairSharing.enable"}};
  }

  void begin(const ClusterView& cluster) override
  {
    const Workload& workload = cluster.workload();
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
      say_why(decisions);
  }

  WaitReason usual_reason() const override { return WaitReason::quota; }

private:
  using Amounts = std::array<std::int64_t, kueue_resources>; // in the units of KueueQuotas
  /// What jobs of a queue have in common that get the same answer: priority, what they need, GPU type, demands.
  using Class = std::tuple<float, Amounts, int, int>;
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
    std::set<Class> parked; // tried in vain since quota was given back last
  };

  struct Flavor {
    int gpu_type = -1;                         // -1: any
    std::optional<SlurmMachines::Mask> closed; // machines that are not of the flavor
  };

  struct Nomination {
    KueueRequest request;
    KueueFit fit;
  };

  /// What a job would have of the flavor that a resource group gives it.
  struct Assignment {
    KueueFit fit;
    std::vector<KueueUse> uses;
    int borrows = 0; // the most of all its resources
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

  /// What the job needs of resources that count in its queue: those with quotas, and where that is strict all but pods.
  static Amounts needs(const Queue& queue, const TraceJob& job)
  {
    const std::int64_t tasks = std::max(1, job.tasks);
    Amounts all = {request_of(job).milli(), job.cpu_milli * tasks, job.memory_mib * tasks, tasks};
    for (int i = 0; i < kueue_resources; ++i)
      if (const KueueResource resource{static_cast<std::uint8_t>(i)};
          (queue.covered & bit(resource)) == 0 && (!queue.strict || resource == KueueResource::pods))
        all[at(i)] = 0;
    return all;
  }

  Class class_of(const ClusterView& cluster, JobId id, int queue) const
  {
    const TraceJob& job = cluster.job(id);
    return {-job.priority, needs(queues_[at(queue)], job), job.gpu_type, job.demands};
  }

  Pod pod(const ClusterView& cluster, JobId id) const
  {
    const KueueAdmission* admission = book_->admission(id);
    return {-cluster.job(id).priority, admission == nullptr ? 0 : admission->order, id};
  }

  /// Its quota may serve those that were tried in vain.
  void release(const ClusterView& cluster, JobId id)
  {
    book_->release(id);
    with_quota_[wish(cluster, id)] -= request_of(cluster.job(id)).milli();
    try_all_again();
  }

  static Wish wish(const ClusterView& cluster, JobId id) { return {cluster.job(id).demands, cluster.job(id).gpu_type}; }

  static bool admits(const NodePool& nodes, int node, const Wish& wish)
  {
    return nodes.admits(node, wish.first) && (wish.second < 0 || nodes.shape(node).gpu_type == wish.second);
  }

  /// Without quotas of its own the queue counts GPUs of joined sets of machines. Whether those that admit the job have
  /// so many left beside jobs with quota that may go nowhere else.
  bool machines_have(const ClusterView& cluster, JobId id) const
  {
    if (!everybody_ || cluster.cluster().counted())
      return true;
    const NodePool& nodes = cluster.cluster().nodes();
    const Wish own = wish(cluster, id);
    std::int64_t left = 0;
    for (int node = 0; node < nodes.size(); ++node)
      left += admits(nodes, node, own) ? std::int64_t{1000} * nodes.shape(node).gpus : 0;
    for (const auto& [other, milli] : with_quota_) {
      int node = 0;
      while (node < nodes.size() && (!admits(nodes, node, other) || admits(nodes, node, own)))
        ++node;
      left -= node == nodes.size() ? milli : 0;
    }
    return request_of(cluster.job(id)).milli() <= left;
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

  /// Whether the job may go to machines of the flavor.
  bool admits(const ClusterView& cluster, const TraceJob& job, const Flavor& flavor) const
  {
    if (flavor.gpu_type >= 0 && job.gpu_type >= 0 && job.gpu_type != flavor.gpu_type)
      return false;
    if (!flavor.closed)
      return true;
    const NodePool& nodes = cluster.cluster().nodes();
    int missing = everybody_ ? job.gpus : 0; // a set of machines has quota for jobs that only some of them admit
    for (int node = 0; node < nodes.size(); ++node)
      if ((*flavor.closed)[at(node)] == 0 && nodes.admits(node, job.demands) &&
          (job.gpu_type < 0 || nodes.shape(node).gpu_type == job.gpu_type))
        if (missing -= nodes.shape(node).gpus; missing <= 0)
          return true;
    return false;
  }

  /// Tries the flavors of a group in order and takes the first that will do, or the best. Mode `no`: none would.
  Assignment assign(const ClusterView& cluster, const KueueRequest& request, const Group& group, const Amounts& needed)
  {
    const TraceJob& job = cluster.job(request.job);
    const KueueClusterQueue& queue = rules_.cluster_queues[at(request.queue)];
    Assignment best;
    for (const int flavor : group.flavors) {
      if (!admits(cluster, job, flavors_[at(flavor)]))
        continue;
      Assignment here{.fit = {.mode = KueueFit::Mode::fits, .borrows = 0, .targets = {}}, .uses = {}};
      for (int i = 0; i < kueue_resources && here.fit.mode != KueueFit::Mode::no; ++i) {
        const KueueResource resource{static_cast<std::uint8_t>(i)};
        if ((group.covered & bit(resource)) == 0 || needed[at(i)] == 0)
          continue;
        const int kind = KueueQuotas::kind(flavor, resource);
        KueueFit fit = book_->fit(request, kind, needed[at(i)]);
        here.uses.push_back({kind, needed[at(i)], fit.mode != KueueFit::Mode::fits});
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

  /// Finds a flavor for every resource group, and who would have to stop.
  Nomination nominate(const ClusterView& cluster, JobId id, int number)
  {
    const TraceJob& job = cluster.job(id);
    const Queue& queue = queues_[at(number)];
    Nomination all{.request = {.job = id, .queue = number, .uses = {}, .priority = job.priority},
                   .fit = {.mode = KueueFit::Mode::fits, .borrows = 0, .targets = {}}};
    if (!machines_have(cluster, id)) {
      all.fit.mode = KueueFit::Mode::nobody_to_stop;
      return all;
    }
    const Amounts needed = needs(queue, job);
    unsigned wanted = 0;
    for (int i = 0; i < kueue_resources; ++i)
      wanted |= needed[at(i)] > 0 ? 1U << i : 0U;
    if ((wanted & ~queue.covered) != 0)
      all.fit.mode = KueueFit::Mode::no;
    KueueRequest request = all.request; // without what other groups give it
    for (const Group& group : queue.groups) {
      if ((group.covered & wanted) == 0 || all.fit.mode == KueueFit::Mode::no)
        continue;
      Assignment given = assign(cluster, request, group, needed);
      all.fit.borrows = std::max(all.fit.borrows, given.borrows);
      all.request.uses.insert(all.request.uses.end(), given.uses.begin(), given.uses.end());
      if (given.fit.mode < all.fit.mode) {
        all.fit.mode = given.fit.mode;
        all.fit.targets = std::move(given.fit.targets);
      }
    }
    const bool short_of = all.fit.mode != KueueFit::Mode::no && all.fit.mode != KueueFit::Mode::fits;
    if (short_of && all.request.uses.size() > 1) { // one that would do for one resource need not for all
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
      if (one.fit.mode == KueueFit::Mode::nobody_to_stop)
        for (const KueueUse& use : one.request.uses)
          if (const std::int64_t amount = to_keep(one, use); amount > 0) {
            book_->quotas().add(queue, use.kind, amount);
            now.kept.emplace_back(queue, use.kind, amount);
          }
      if (!rules_.cluster_queues[at(queue)].strict_fifo)
        now.changed = queues_[at(queue)].parked.insert(class_of(cluster, one.request.job, queue)).second || now.changed;
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
    with_quota_[wish(cluster, id)] += request_of(cluster.job(id)).milli();
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

  /// The machines that are of all flavors of the job. Nothing: the flavors are of different GPU types.
  std::optional<Flavor> machines_of(const ClusterView& cluster, JobId id) const
  {
    Flavor all;
    for (const KueueUse& use : book_->admission(id)->uses) {
      const Flavor& one = flavors_[at(KueueQuotas::flavor(use.kind))];
      if (one.gpu_type >= 0 && all.gpu_type >= 0 && one.gpu_type != all.gpu_type)
        return std::nullopt;
      all.gpu_type = std::max(all.gpu_type, one.gpu_type);
      if (one.closed && !all.closed)
        all.closed = one.closed;
      else if (one.closed)
        std::ranges::transform(*all.closed, *one.closed, all.closed->begin(),
                               [](char first, char second) { return static_cast<char>(first | second); });
    }
    if (all.gpu_type < 0 || cluster.cluster().counted() || (!all.closed && cluster.job(id).gpus > 0))
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
    const std::optional<Flavor> found = machines_of(cluster, id);
    if (!found) {
      decisions.hold(id, WaitReason::gpu_type);
      return;
    }
    const Flavor& flavor = *found;
    if (!flavor.closed) {
      decisions.start(id, 0, flavor.gpu_type);
      return;
    }
    std::optional<Allocation> place = decisions.preview(id);
    if (!place) {
      decisions.start(id); // which says why
      return;
    }
    if (std::ranges::any_of(place->shares,
                            [&](const TaskShare& share) { return (*flavor.closed)[at(share.node)] != 0; }))
      place = SlurmMachines::first_place(cluster, id, *flavor.closed);
    if (place)
      decisions.start_at(id, std::move(*place));
    else
      decisions.hold(id, WaitReason::gpus);
  }

  void say_why(Decisions& decisions) const
  {
    for (std::size_t i = 0; i < queues_.size(); ++i) {
      const bool strict = rules_.cluster_queues[i].strict_fifo;
      const JobId first = head(queues_[i]);
      for (const auto& [kind, jobs] : queues_[i].waiting)
        for (const JobId id : jobs)
          if (strict && id != first)
            decisions.hold(id, WaitReason::behind_head, first);
          else
            decisions.hold(id, WaitReason::quota);
    }
  }

  bool fair_sharing_;
  KueueRules rules_;
  bool everybody_ = true; // there is one queue, for all teams
  std::optional<KueueBook> book_;
  std::vector<Queue> queues_; // by number of the cluster queue
  std::vector<Flavor> flavors_;
  std::set<Pod> pods_;                      // admitted jobs that do not run
  std::map<Wish, std::int64_t> with_quota_; // thousandths of GPUs of admitted jobs
};

TY_REGISTER(QueuePolicy, KueuePolicy, "kueue",
            "Kueue: quotas by GPU flavor, cohorts that borrow and lend, reclaiming; rules of the section kueue");

} // namespace
} // namespace trainyard
