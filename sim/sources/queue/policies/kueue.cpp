// SPDX-License-Identifier: Apache-2.0
// Kueue: a job starts when its cluster queue (team) has quota for all of it, and waits for machines after that, with
// its quota. In a cycle the first job of every queue is nominated: it tries the flavors of its queue in order, and each
// fits, fits where others are stopped, or does not. Nominations go by how far away they borrow, priority and
// submission; what one takes, later ones lack. The cycles of an instant end when none has changed anything. Sources:
// https://kueue.sigs.k8s.io/docs/concepts/cluster_queue/, /cohort/, /preemption/ and /fair_sharing/;
// pkg/scheduler/scheduler.go (0054103), pkg/scheduler/flavorassigner/flavorassigner.go (0037224),
// pkg/scheduler/preemption/preemption.go (47689ed) and classical/ (01c0b27, 020a376).
#include "models/job/batch_rules.hpp"
#include "sim/sources/queue/policies/kueue_preemption.hpp"
#include "sim/sources/queue/policies/slurm_machines.hpp"
#include "sim/sources/queue/scheduling.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <tuple>

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
    if (workload.kueue != nullptr) {
      rules_ = *workload.kueue;
    } else { // one queue that has everything
      rules_.flavors = {{.name = "default"}};
      rules_.cluster_queues = {
          {.name = "", .quotas = {{.flavor = "default", .nominal = 1.0 * cluster.cluster().total_gpus()}}}};
    }
    everybody_ = workload.kueue == nullptr;
    book_.emplace(rules_, fair_sharing_);
    queues_.assign(rules_.cluster_queues.size(), {});
    flavors_.clear();
    pods_.clear();
    for (std::size_t i = 0; i < queues_.size(); ++i)
      for (const KueueQuota& quota : rules_.cluster_queues[i].quotas)
        queues_[i].flavors.push_back(static_cast<int>(
            std::ranges::find(rules_.flavors, quota.flavor, &KueueFlavor::name) - rules_.flavors.begin()));
    for (const KueueFlavor& flavor : rules_.flavors)
      flavors_.push_back(flavor_of(cluster, flavor));
  }

  void arrived(const ClusterView& cluster, JobId id) override
  {
    if (book_->admitted(id)) // its machine has failed: its quota stays
      pods_.insert(pod(cluster, id));
    else if (const int queue = queue_of(cluster, id); queue >= 0)
      queues_[at(queue)].waiting[class_of(cluster, id)].insert(id);
  }

  void started(const ClusterView& cluster, JobId id) override { pods_.erase(pod(cluster, id)); }

  void stopped(const ClusterView& cluster, JobId id) override
  {
    const KueueAdmission* admission = book_->admission(id);
    if (admission != nullptr && cluster.state(id).failures == admission->failures)
      release(id);
    else
      book_->count_failures(id, cluster.state(id).failures);
  }

  void withdrawn(const ClusterView& cluster, JobId id) override
  {
    if (book_->admitted(id)) {
      pods_.erase(pod(cluster, id));
      release(id);
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
  /// What jobs of a queue have in common that get the same answer: priority, GPUs, GPU type, demands.
  using Class = std::tuple<float, std::int64_t, int, int>;
  using Pod = std::tuple<float, std::int64_t, JobId>; // the most important and first admitted goes first

  struct Queue {
    std::vector<int> flavors; // to try, in order
    std::map<Class, std::set<JobId>> waiting;
    std::set<Class> parked; // tried in vain since quota was given back last
  };

  struct Flavor {
    int gpu_type = -1;                         // -1: any
    std::optional<SlurmMachines::Mask> closed; // machines that are not of the flavor
  };

  struct Nomination {
    JobId job;
    int queue = 0;
    float priority = 0;
    std::int64_t milli = 0;
    KueueFit fit;
    int flavor = -1; // none: it needs no quota
  };

  static std::size_t at(int index) { return static_cast<std::size_t>(index); }

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

  static Class class_of(const ClusterView& cluster, JobId id)
  {
    const TraceJob& job = cluster.job(id);
    return {-job.priority, request_of(job).milli(), job.gpu_type, job.demands};
  }

  Pod pod(const ClusterView& cluster, JobId id) const
  {
    const KueueAdmission* admission = book_->admission(id);
    return {-cluster.job(id).priority, admission == nullptr ? 0 : admission->order, id};
  }

  /// Its quota may serve those that were tried in vain.
  void release(JobId id)
  {
    book_->release(id);
    try_all_again();
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
    const auto found = waiting.find(class_of(cluster, id));
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
    for (int node = 0; node < nodes.size(); ++node)
      if ((*flavor.closed)[at(node)] == 0 && nodes.admits(node, job.demands) &&
          (job.gpu_type < 0 || nodes.shape(node).gpu_type == job.gpu_type))
        return true;
    return false;
  }

  /// Tries the flavors in order and takes the first that will do, or the best.
  Nomination nominate(const ClusterView& cluster, JobId id, int number)
  {
    const TraceJob& job = cluster.job(id);
    const KueueClusterQueue& queue = rules_.cluster_queues[at(number)];
    Nomination best{.job = id, .queue = number, .priority = job.priority, .milli = request_of(job).milli(), .fit = {}};
    if (best.milli == 0) {
      best.fit.mode = KueueFit::Mode::fits;
      return best;
    }
    for (const int flavor : queues_[at(number)].flavors) {
      if (!admits(cluster, job, flavors_[at(flavor)]))
        continue;
      KueueFit fit = book_->fit({id, number, flavor, best.milli, job.priority});
      const bool stops = fit.mode == KueueFit::Mode::preempts || fit.mode == KueueFit::Mode::reclaims;
      const bool next = fit.mode <= KueueFit::Mode::nobody_to_stop || (stops && queue.try_next_before_preempting) ||
                        (fit.borrows > 0 && queue.try_next_before_borrowing);
      if (!next || fit.better_than(best.fit)) {
        best.fit = std::move(fit);
        best.flavor = flavor;
      }
      if (!next)
        break;
    }
    return best;
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
        return std::tuple{one.fit.borrows, -one.priority, one.job}; // jobs are numbered in order of submission
      });
    Cycle now;
    while (!entries.empty()) {
      const int root = book_->quotas().root(entries.front().queue);
      const auto next = entries.begin() + (fair_sharing_ ? winner(entries, root) : 0);
      const Nomination one = std::move(*next);
      entries.erase(next);
      process(cluster, decisions, one, now);
    }
    for (const auto& [queue, flavor, milli] : now.kept)
      book_->quotas().remove(queue, flavor, milli);
    if (!now.victims.empty())
      try_all_again();
    return now.changed;
  }

  void process(const ClusterView& cluster, Decisions& decisions, const Nomination& one, Cycle& now)
  {
    if (one.fit.mode <= KueueFit::Mode::nobody_to_stop) {
      if (one.fit.mode == KueueFit::Mode::nobody_to_stop)
        if (const std::int64_t milli = to_keep(one); milli > 0) {
          book_->quotas().add(one.queue, one.flavor, milli);
          now.kept.emplace_back(one.queue, one.flavor, milli);
        }
      if (!rules_.cluster_queues[at(one.queue)].strict_fifo)
        now.changed = queues_[at(one.queue)].parked.insert(class_of(cluster, one.job)).second || now.changed;
      return;
    }
    const auto is_stopped = [&](JobId target) { return now.victims.contains(target); };
    if (std::ranges::any_of(one.fit.targets, is_stopped) ||
        !book_->still_fits({one.job, one.queue, one.flavor, one.milli, one.priority}, one.fit.targets))
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
      const auto found = std::ranges::find(entries, node, &Nomination::queue);
      return found == entries.end() ? -1 : static_cast<int>(found - entries.begin());
    }
    int best = -1;
    std::tuple<double, float, JobId> least;
    for (const int child : book_->quotas().children(node)) {
      const int candidate = winner(entries, child);
      if (candidate < 0)
        continue;
      const Nomination& one = entries[at(candidate)];
      const std::tuple rank{share_with(one, child), -one.priority, one.job};
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
    if (one.flavor < 0)
      return quotas.share(node);
    quotas.add(one.queue, one.flavor, one.milli);
    const double share = quotas.share(node);
    quotas.remove(one.queue, one.flavor, one.milli);
    return share;
  }

  /// What a cycle keeps for a job that nobody may be stopped for, unless its queue can always reclaim what is its own.
  std::int64_t to_keep(const Nomination& one) const
  {
    if (rules_.cluster_queues[at(one.queue)].reclaim_within_cohort == KueuePreemption::any)
      return 0;
    const KueueQuotas& quotas = book_->quotas();
    std::int64_t most = quotas.nominal(one.queue, one.flavor) - quotas.used(one.queue, one.flavor);
    if (one.fit.borrows > 0)
      most += quotas.borrowing_limit(one.queue, one.flavor);
    return std::clamp<std::int64_t>(most, 0, one.milli);
  }

  void admit(const ClusterView& cluster, const Nomination& one)
  {
    leave_queue(cluster, one.job);
    book_->admit({one.job, one.queue, one.flavor, one.milli, one.priority}, cluster.now(),
                 cluster.state(one.job).failures);
    pods_.insert(pod(cluster, one.job));
  }

  void evict(const ClusterView& cluster, Decisions& decisions, JobId id)
  {
    if (cluster.is_running(id)) {
      decisions.preempt(id); // which comes back here: stopped, arrived
      return;
    }
    pods_.erase(pod(cluster, id));
    release(id);
    arrived(cluster, id);
  }

  void start_pods(const ClusterView& cluster, Decisions& decisions)
  {
    for (const Pod& one : std::vector<Pod>{pods_.begin(), pods_.end()})
      start(cluster, decisions, std::get<JobId>(one));
  }

  void start(const ClusterView& cluster, Decisions& decisions, JobId id) const
  {
    const int number = book_->admission(id)->flavor;
    const Flavor any;
    const Flavor& flavor = number < 0 ? any : flavors_[at(number)];
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
  std::set<Pod> pods_; // admitted jobs that do not run
};

TY_REGISTER(QueuePolicy, KueuePolicy, "kueue",
            "Kueue: quotas by GPU flavor, cohorts that borrow and lend, reclaiming; rules of the section kueue");

} // namespace
} // namespace trainyard
