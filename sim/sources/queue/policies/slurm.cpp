// SPDX-License-Identifier: Apache-2.0
// Slurm as it is installed: priority/multifactor, sched/backfill, preempt/qos and preempt/partition_prio. Jobs stand in
// order of reservation, preemption, partition tier, priority, submission. At every event the main scheduler goes
// through the first of them and starts who fits; the first of a partition that does not fit blocks the partition and
// its machines. Every bf_interval the backfill scheduler goes through more of them: each gets the earliest gap by the
// time limits (estimates), and who can start now without taking the gap of one before does. Partitions, QOS and
// reservations are the rules of the workload. Sources: https://slurm.schedmd.com/priority_multifactor.html,
// https://slurm.schedmd.com/sched_config.html, https://slurm.schedmd.com/preempt.html,
// https://slurm.schedmd.com/reservations.html, slurm.conf(5), src/slurmctld/job_scheduler.c.
#include "models/job/batch_rules.hpp"
#include "sim/sources/queue/policies/fair_tree.hpp"
#include "sim/sources/queue/policies/gpu_profile.hpp"
#include "sim/sources/queue/policies/machine_plan.hpp"
#include "sim/sources/queue/policies/planned_length.hpp"
#include "sim/sources/queue/policies/slurm_limits.hpp"
#include "sim/sources/queue/policies/slurm_machines.hpp"
#include "sim/sources/queue/scheduling.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <stdexcept>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace trainyard {
namespace {

constexpr int most_of_array = 20; // tasks of an array that backfill plans: bf_max_job_array_resv

class SlurmQueue final : public QueuePolicy
{
public:
  explicit SlurmQueue(const Settings& settings)
      : weight_age_{settings.number("weight_age", 0)}, weight_fair_share_{settings.number("weight_fairshare", 0)},
        weight_size_{settings.number("weight_job_size", 0)}, weight_partition_{settings.number("weight_partition", 0)},
        weight_qos_{settings.number("weight_qos", 0)}, max_age_{settings.duration("max_age", 604800_s)},
        half_life_{settings.duration("half_life", 604800_s)}, calc_period_{settings.duration("calc_period", 300_s)},
        favor_small_{settings.flag("favor_small", false)}, shares_{settings.text("shares", "")},
        preempt_{settings.text("preempt", "none")}, cancels_{settings.text("preempt_mode", "requeue") == "cancel"},
        user_gpus_{settings.number("max_gpus_per_user", 0)}, backfill_{settings.flag("backfill", true)},
        bf_interval_{settings.duration("bf_interval", 30_s)}, bf_window_{settings.duration("bf_window", 86400_s)},
        bf_jobs_{settings.number("bf_max_job_test", 500)}, bf_user_jobs_{settings.number("bf_max_job_user", 0)},
        by_machine_{settings.text("bf_plan", "gpus") == "machines"}, by_weight_{settings.text("machines",
                                                                                              "placement") ==
                                                                                "weights"},
        depth_{settings.number("default_queue_depth", 100)}, full_interval_{settings.duration("sched_interval", 60_s)},
        least_interval_{settings.duration("sched_min_interval", 0_s)}, runs_{slurm_runs(settings.text("runs", ""))},
        next_backfill_{settings.duration("bf_start", 0_s)}
  {
  }

  static std::vector<Parameter> parameters() { return slurm_parameters(); }

  void begin(const ClusterView& cluster) override
  {
    const Workload& workload = cluster.workload();
    tree_ = std::make_unique<FairTree>(workload, shares_, half_life_);
    limits_ = std::make_unique<SlurmLimits>(workload, user_gpus_);
    rules_ = workload.rules != nullptr ? workload.rules.get() : &no_rules_;
    if (preempt_ == "qos" && rules_->qos.empty())
      throw std::invalid_argument{"slurm: preempt: qos needs the section slurm with qos that say whom they preempt"};
    read_qos(workload);
    machines_.read(cluster, *rules_);
    // Free GPUs of several types, or of partitions with machines of their own, say little when they are summed up.
    const bool differ = machines_.named() || cluster.cluster().gpu_types() > 1;
    by_machine_ = (by_machine_ || differ) && !cluster.cluster().counted();
  }

  void arrived(const ClusterView& cluster, JobId id) override
  {
    const TraceJob& job = cluster.job(id);
    const bool is_new = cluster.state(id).first_start < Instant{0};
    if (const WaitReason limit = is_new ? limits_->refused_by(job) : WaitReason::none; limit != WaitReason::none) {
      refused_.emplace_back(id, limit);
      return;
    }
    limits_->wait(job, 1);
    place(cluster, id);
  }
  void withdrawn(const ClusterView& cluster, JobId id) override
  {
    if (remove(id))
      limits_->wait(cluster.job(id), -1);
    std::erase_if(refused_, [&](const auto& one) { return one.first == id; });
  }

  void started(const ClusterView& cluster, JobId id) override
  {
    if (remove(id))
      limits_->wait(cluster.job(id), -1);
    change(cluster, id, 1);
  }
  void stopped(const ClusterView& cluster, JobId id) override
  {
    change(cluster, id, -1);
    ending_.erase(id);
  }

  void decide(const ClusterView& cluster, Decisions& decisions) override
  {
    const Instant now = cluster.now();
    const auto refused = std::exchange(refused_, {});
    for (const auto& [id, limit] : refused)
      decisions.withdraw(id, limit);
    stop_who_had_grace(cluster, decisions);
    for (const JobId id : machines_.overdue(cluster)) // at the end of a reservation, whoever still runs in it is killed
      cancel(id, decisions, WaitReason::reservation_over);
    if (order_.empty()) {
      rests_ = false;
      return;
    }
    if (now >= next_calculation_) {
      calculate(cluster);
      next_calculation_ = now + calc_period_;
    }
    if (main_is_due(now, decisions))
      main_pass(cluster, decisions);
    const bool backfills = backfill_is_due(now);
    const std::size_t before = order_.size();
    if (backfills)
      backfill_pass(cluster, decisions);
    const bool nobody_runs = cluster.running().empty();
    rests_ = backfills && order_.size() == before && !nobody_runs;
    wake(cluster, decisions, backfills && nobody_runs);
  }

  WaitReason usual_reason() const override { return WaitReason::behind_head; }
  bool unlike_tasks() const override { return false; }
  std::string never_starts(const ClusterView& cluster, JobId id) override
  {
    const WaitReason limit = limits_->held_alone(cluster.job(id));
    return limit == WaitReason::none ? std::string{} : to_text(limit);
  }

private:
  struct Ending {
    Instant at;
    JobId by; // for whom it is stopped
  };
  /// Reservation, preemption, tier and priority, so that who goes first is smallest; then submission, then number.
  using Rank = std::tuple<int, int, double, double, Instant, JobId>;
  using Mask = SlurmMachines::Mask;

  void read_qos(const Workload& workload)
  {
    most_qos_ = 0;
    for (const TraceJob& job : workload.jobs)
      most_qos_ = std::max(most_qos_, static_cast<double>(job.priority));
    of_qos_.assign(static_cast<std::size_t>(workload.qos.size()), nullptr);
    for (int index = 1; index < workload.qos.size(); ++index)
      of_qos_[static_cast<std::size_t>(index)] = rules_->of_qos(workload.qos.name(index));
    if (rules_->qos.empty())
      return;
    most_qos_ = std::ranges::max(rules_->qos, {}, &BatchQos::priority).priority;
  }

  const BatchQos* qos(const TraceJob& job) const
  {
    const auto index = static_cast<std::size_t>(job.qos);
    return index < of_qos_.size() ? of_qos_[index] : nullptr;
  }

  double priority(const ClusterView& cluster, const TraceJob& job) const
  {
    const double total = std::max(1, cluster.cluster().total_gpus());
    const double size = std::min(1.0, job.gpus / total);
    const double age = std::clamp((cluster.now() - job.submit) / max_age_, 0.0, 1.0);
    const double service = rules_->qos.empty() ? job.priority : qos(job) != nullptr ? qos(job)->priority : 0;
    return weight_age_ * age + weight_fair_share_ * tree_->factor(job.team, job.user) +
           weight_size_ * (favor_small_ ? 1 - size : size) +
           weight_partition_ * machines_.partition(job).factor / machines_.largest_factor() +
           weight_qos_ * (most_qos_ > 0 ? std::max(0.0, service / most_qos_) : 0);
  }

  void place(const ClusterView& cluster, JobId id)
  {
    const TraceJob& job = cluster.job(id);
    const bool stops = preempt_ == "qos" && qos(job) != nullptr && !qos(job)->preempts.empty();
    const Rank rank{job.reservation > 0 ? 0 : 1, stops ? 0 : 1, -machines_.partition(job).tier,
                    -priority(cluster, job),     job.submit,    id};
    order_.insert(rank);
    ranks_[id] = rank;
  }

  /// Whether it waited.
  bool remove(JobId id)
  {
    const auto found = ranks_.find(id);
    if (found == ranks_.end())
      return false;
    order_.erase(found->second);
    ranks_.erase(found);
    return true;
  }

  void calculate(const ClusterView& cluster)
  {
    tree_->rank(cluster.now());
    std::vector<JobId> waiting;
    waiting.reserve(ranks_.size());
    for (const auto& [id, rank] : ranks_)
      waiting.push_back(id);
    order_.clear();
    ranks_.clear();
    for (const JobId id : waiting)
      place(cluster, id);
  }

  void change(const ClusterView& cluster, JobId id, int sign)
  {
    const TraceJob& job = cluster.job(id);
    const double gpus = static_cast<double>(cluster.state(id).held.milli()) / 1000;
    tree_->change(job.team, job.user, sign * gpus, cluster.now());
    limits_->change(job, gpus, sign);
  }

  std::vector<JobId> first(double most) const
  {
    std::vector<JobId> jobs;
    for (const Rank& rank : order_) {
      if (static_cast<double>(jobs.size()) >= most)
        break;
      jobs.push_back(std::get<JobId>(rank));
    }
    return jobs;
  }

  /// Whether the main scheduler runs now: when something has happened, but not twice within sched_min_interval. Every
  /// sched_interval it would also if nothing had, so the next run is counted from there.
  bool main_is_due(Instant now, Decisions& decisions)
  {
    if (!runs_.main.empty()) {
      goes_through_all_ = true;
      return std::ranges::binary_search(runs_.main, now);
    }
    const Instant whole = now - now % full_interval_;
    goes_through_all_ = whole == now;
    const Instant last = std::max(last_main_, whole);
    if (!goes_through_all_ && now < last + least_interval_) {
      decisions.wake_at(std::min(last + least_interval_, whole + full_interval_));
      return false;
    }
    last_main_ = now;
    return true;
  }

  bool backfill_is_due(Instant now)
  {
    if (!backfill_ || order_.empty())
      return false;
    if (!runs_.main.empty())
      return std::ranges::binary_search(runs_.backfill, now);
    // It runs every so often, whether anybody waits or not, but for the times when nothing had changed.
    if (rests_ && now > next_backfill_)
      next_backfill_ = now + (bf_interval_ - (now - next_backfill_) % bf_interval_) % bf_interval_;
    if (now < next_backfill_)
      return false;
    next_backfill_ = now - (now - next_backfill_) % bf_interval_ + bf_interval_;
    return true;
  }

  void main_pass(const ClusterView& cluster, Decisions& decisions)
  {
    Mask blocked;               // of partitions whose first job does not fit
    std::set<int> reservations; // the same of reservations
    JobId head;
    bool all = false;
    const std::vector<JobId> looked_at = first(goes_through_all_ ? std::numeric_limits<double>::infinity() : depth_);
    const bool cut_short = looked_at.size() < order_.size();
    for (const JobId id : looked_at) {
      const TraceJob& job = cluster.job(id);
      if (all && !decisions.wants_reasons())
        break;
      if (all || reservations.contains(job.reservation)) {
        decisions.hold(id, WaitReason::behind_head, head);
        continue;
      }
      if (const WaitReason limit = limits_->held_by(job); limit != WaitReason::none) {
        decisions.hold(id, limit);
        continue; // a limit of its own blocks nobody else
      }
      const std::optional<Mask> closed = machines_.closed_to(cluster, id, blocked);
      if (!closed) {
        decisions.hold(id, WaitReason::reservation);
        continue; // so does a reservation that has not begun
      }
      if (start_or_preempt(cluster, decisions, id, *closed))
        continue;
      if (!SlurmMachines::could_hold(cluster, id, *closed)) {
        // Neither does who would not fit there if nobody ran: its machines are down, or kept by a reservation or for
        // those before it.
        if (kept_by_reservation(cluster, decisions, id))
          decisions.hold(id, WaitReason::reservation);
        else if (head)
          decisions.hold(id, WaitReason::behind_head, head);
        continue;
      }
      head = id;
      if (job.reservation > 0) {
        reservations.insert(job.reservation);
        continue;
      }
      const Mask& own = machines_.partition(job).nodes;
      if (own.empty())
        all = true;
      blocked.resize(own.size(), 0);
      for (std::size_t node = 0; node < own.size(); ++node)
        blocked[node] = blocked[node] != 0 || own[node] != 0;
    }
    looks_further_ = cut_short && !all;
  }

  /// Whether it fits on free machines, and would not without those that reservations of machines keep.
  bool kept_by_reservation(const ClusterView& cluster, const Decisions& decisions, JobId id) const
  {
    if (!decisions.wants_reasons() || cluster.cluster().counted())
      return false;
    const std::optional<Mask> closed = machines_.closed_to(cluster, id, {});
    const bool keeps = !closed || std::ranges::find(*closed, 1) != closed->end();
    return keeps && SlurmMachines::first_place(cluster, id, {}) &&
           (!closed || !SlurmMachines::first_place(cluster, id, *closed));
  }

  /// Starts it on machines that are not closed to it, where the placement policy would put it if it can.
  bool start(const ClusterView& cluster, Decisions& decisions, JobId id, const Mask& closed) const
  {
    if (by_weight_ && !cluster.cluster().counted()) {
      std::optional<Allocation> place = SlurmMachines::first_place(cluster, id, closed);
      if (place)
        decisions.start_at(id, std::move(*place));
      return place.has_value();
    }
    if (std::ranges::find(closed, 1) == closed.end())
      return decisions.start(id);
    const auto is_closed = [&](int node) { return closed[static_cast<std::size_t>(node)] != 0; };
    std::optional<Allocation> place = decisions.preview(id);
    if (!place)
      return decisions.start(id); // which says why
    if (std::ranges::any_of(place->shares, is_closed, &TaskShare::node))
      place = SlurmMachines::first_place(cluster, id, closed);
    if (!place) {
      decisions.hold(id, WaitReason::reservation);
      return false;
    }
    decisions.start_at(id, std::move(*place));
    return true;
  }

  /// PreemptMode of the job's partition or QOS; empty: that of the policy.
  const std::string& mode_of(const TraceJob& job) const
  {
    static const std::string none;
    const BatchQos* its = qos(job);
    return preempt_ == "partition" ? machines_.partition(job).preempt_mode : its == nullptr ? none : its->preempt_mode;
  }

  bool may_stop(const TraceJob& job, const TraceJob& other) const
  {
    if (mode_of(other) == "off")
      return false;
    if (preempt_ == "partition")
      return machines_.partition(job).tier > machines_.partition(other).tier;
    const BatchQos *mine = qos(job), *its = qos(other);
    return preempt_ == "qos" && mine != nullptr && its != nullptr &&
           std::ranges::find(mine->preempts, its->name) != mine->preempts.end();
  }

  bool start_or_preempt(const ClusterView& cluster, Decisions& decisions, JobId id, const Mask& closed)
  {
    if (start(cluster, decisions, id, closed))
      return true;
    // Who is stopped is chosen among all machines, so nobody is where some of the job's are closed.
    const NodePool& nodes = cluster.cluster().nodes();
    for (std::size_t node = 0; node < closed.size(); ++node)
      if (closed[node] != 0 && nodes.admits(static_cast<int>(node), cluster.job(id).demands))
        return false;
    if (preempt_ == "none" || std::ranges::any_of(ending_, [&](const auto& one) { return one.second.by == id; }))
      return false;
    bool at_once = true;
    const std::vector<JobId> victims = whom_to_stop(cluster, decisions, id);
    for (const JobId victim : victims) {
      const TraceJob& other = cluster.job(victim);
      const Instant grace = preempt_ == "qos" ? qos(other)->grace : machines_.partition(other).grace;
      if (grace > Instant{0}) {
        ending_[victim] = {cluster.now() + grace, id};
        at_once = false;
      } else {
        stop(victim, other, decisions);
      }
    }
    return !victims.empty() && at_once && start(cluster, decisions, id, closed);
  }

  /// Running jobs without which the job fits: of the lowest QOS or tier first, and of these who started last; none that
  /// need not be stopped. Empty: it does not help.
  std::vector<JobId> whom_to_stop(const ClusterView& cluster, Decisions& decisions, JobId id) const
  {
    std::vector<JobId> possible, chosen;
    for (const JobId other : cluster.running())
      if (may_stop(cluster.job(id), cluster.job(other)) && !ending_.contains(other))
        possible.push_back(other);
    std::ranges::sort(possible, {}, [&](JobId other) {
      const TraceJob& job = cluster.job(other);
      return std::tuple{preempt_ == "qos" ? qos(job)->priority : machines_.partition(job).tier,
                        -cluster.state(other).last_start, -other.index};
    });
    bool fits = false;
    for (const JobId other : possible) {
      chosen.push_back(other);
      if ((fits = decisions.fits_without(id, chosen)))
        break;
    }
    if (!fits)
      return {};
    for (std::size_t at = 0; at + 1 < chosen.size();) {
      std::vector<JobId> fewer = chosen;
      fewer.erase(fewer.begin() + static_cast<std::ptrdiff_t>(at));
      if (decisions.fits_without(id, fewer))
        chosen = std::move(fewer);
      else
        ++at;
    }
    return chosen;
  }

  void stop(JobId id, const TraceJob& job, Decisions& decisions) const
  {
    const std::string& mode = mode_of(job);
    if (mode.empty() ? cancels_ : mode == "cancel")
      cancel(id, decisions);
    else
      decisions.preempt(id);
  }
  static void cancel(JobId id, Decisions& decisions, WaitReason why = WaitReason::none)
  {
    decisions.preempt(id);
    decisions.withdraw(id, why);
  }

  void stop_who_had_grace(const ClusterView& cluster, Decisions& decisions)
  {
    std::vector<JobId> due;
    for (const auto& [id, ending] : ending_)
      if (ending.at <= cluster.now())
        due.push_back(id);
    for (const JobId id : due)
      stop(id, cluster.job(id), decisions);
  }

  /// When who runs ends by its estimate, or by its grace.
  Instant end_of(const ClusterView& cluster, JobId id) const
  {
    // Who runs beyond its limit is about to be stopped, or reckoned to end at any moment.
    const Instant end = std::max(cluster.estimated_end(id), cluster.now() + 1_s);
    const auto found = ending_.find(id);
    return found == ending_.end() ? end : std::min(end, found->second.at);
  }

  /// The jobs that backfill looks at, in their order.
  std::vector<JobId> tested(const ClusterView& cluster) const
  {
    std::map<int, double> of_user;
    std::vector<JobId> jobs;
    for (const JobId id : first(bf_jobs_)) {
      const TraceJob& job = cluster.job(id);
      if (limits_->allow(job) && (job.reservation == 0 || by_machine_) &&
          (bf_user_jobs_ <= 0 || ++of_user[job.user] <= bf_user_jobs_))
        jobs.push_back(id);
    }
    return jobs;
  }

  void backfill_pass(const ClusterView& cluster, Decisions& decisions)
  {
    if (by_machine_) {
      plan_machines(cluster, decisions);
      return;
    }
    const Instant now = cluster.now();
    GpuProfile plan{now, cluster.cluster().free_milli()};
    for (const JobId id : cluster.running())
      plan.add(end_of(cluster, id), end_of_time, cluster.state(id).held.milli());
    JobId reserved;
    for (const JobId id : tested(cluster)) {
      if (!limits_->allow(cluster.job(id)))
        continue; // since one before it started
      const std::int64_t needed = request_of(cluster.job(id)).milli();
      const Instant length = std::max(planned_length(cluster, id), Instant{1_ms});
      const Instant start = plan.earliest(now, length, needed);
      if (start > now + bf_window_)
        continue; // nothing is kept for it
      if (start <= now && decisions.start(id)) {
        plan.add(now, std::max(cluster.estimated_end(id), now + 1_ms), -needed);
        continue;
      }
      plan.add(start, start + length, -needed);
      if (needed <= cluster.cluster().free_milli())
        decisions.hold(id, WaitReason::reservation, reserved, start);
      if (!reserved)
        reserved = id;
    }
  }

  void plan_machines(const ClusterView& cluster, Decisions& decisions) const
  {
    const Instant now = cluster.now();
    const NodePool& nodes = cluster.cluster().nodes();
    MachinePlan plan{nodes, now, bf_window_};
    std::vector<JobId> running{cluster.running().begin(), cluster.running().end()};
    std::ranges::sort(running);
    for (const JobId id : running)
      plan.ends(end_of(cluster, id), cluster.state(id).held);
    plan.sort_ends();
    machines_.close_in(plan, now);
    JobId reserved;
    std::map<int, int> of_array; // tasks with a plan
    for (const JobId id : tested(cluster)) {
      const TraceJob& job = cluster.job(id);
      if (!limits_->allow(job) || (job.array > 0 && of_array[job.array] >= most_of_array))
        continue;
      MachinePlan::Test test{
          .request = request_of(job),
          .length = std::max<Instant>(1_s, full_seconds(planned_length(cluster, id) + Instant{999'999'999}))};
      machines_.keep_to_reservation(cluster, job, test);
      const auto gap = plan.earliest(test);
      if (job.array > 0)
        of_array[job.array] += gap ? 1 : most_of_array; // one that has no place speaks for those after it
      if (!gap) {                                       // nothing is kept for it
        if (kept_by_reservation(cluster, decisions, id))
          decisions.hold(id, WaitReason::reservation);
        continue;
      }
      if (gap->start <= plan.now() && start_in(cluster, decisions, id, *gap)) {
        plan.take(end_of(cluster, id), cluster.state(id).held);
        continue;
      }
      plan.plan(*gap, test.length);
      if (reserved || kept_by_reservation(cluster, decisions, id))
        decisions.hold(id, WaitReason::reservation, reserved, gap->start);
      if (!reserved)
        reserved = id;
    }
  }

  /// Starts it on the machines of its gap.
  bool start_in(const ClusterView& cluster, Decisions& decisions, JobId id, const MachinePlan::Gap& gap) const
  {
    Mask others(static_cast<std::size_t>(cluster.cluster().nodes().size()), 1);
    for (const int node : gap.nodes)
      others[static_cast<std::size_t>(node)] = 0;
    if (cluster.job(id).gpus == 0) // the plan knows nothing of CPUs
      others = machines_.closed_to(cluster, id, {}).value_or(others);
    return start(cluster, decisions, id, others);
  }

  /// When jobs may change places next: factors of shares move always, of two jobs that both grow older only when one of
  /// them is as old as counts.
  Instant next_order(const ClusterView& cluster) const
  {
    if (weight_fair_share_ > 0)
      return next_calculation_;
    if (weight_age_ == 0)
      return end_of_time;
    const auto submit = [&](const auto& one) { return cluster.job(one.first).submit; };
    return std::max(next_calculation_, submit(*std::ranges::min_element(ranks_, {}, submit)) + max_age_);
  }

  /// A backfill that started nobody would find the same again until a job, a machine, a reservation or the priorities
  /// change (src/plugins/sched/backfill/backfill.c, _more_work). @p in_vain: nothing runs either, so only the begin or
  /// end of a reservation changes what it finds.
  void wake(const ClusterView& cluster, Decisions& decisions, bool in_vain) const
  {
    const Instant now = cluster.now();
    for (const auto& [id, ending] : ending_)
      decisions.wake_at(ending.at);
    machines_.wake(now, decisions);
    if (order_.empty())
      return;
    for (const std::vector<Instant>* runs : {&runs_.main, &runs_.backfill})
      if (const auto next = std::ranges::upper_bound(*runs, now); next != runs->end())
        decisions.wake_at(*next);
    if (backfill_ && !in_vain && runs_.main.empty())
      decisions.wake_at(rests_ ? next_order(cluster) : next_backfill_);
    if (looks_further_ && !in_vain)
      decisions.wake_at(now - now % full_interval_ + full_interval_);
  }

  double weight_age_, weight_fair_share_, weight_size_, weight_partition_, weight_qos_;
  Instant max_age_, half_life_, calc_period_;
  bool favor_small_;
  std::string shares_, preempt_;
  bool cancels_;
  double user_gpus_;
  bool backfill_;
  Instant bf_interval_, bf_window_;
  double bf_jobs_, bf_user_jobs_;
  bool by_machine_;
  bool by_weight_;
  double depth_;
  std::unique_ptr<FairTree> tree_;
  std::unique_ptr<SlurmLimits> limits_;
  BatchRules no_rules_;
  const BatchRules* rules_ = &no_rules_;
  SlurmMachines machines_;
  std::vector<const BatchQos*> of_qos_; // by QOS of the workload; null: without one
  double most_qos_ = 0;
  std::set<Rank> order_; // who waits
  std::map<JobId, Rank> ranks_;
  std::map<JobId, Ending> ending_;                    // running jobs that have been told to stop
  std::vector<std::pair<JobId, WaitReason>> refused_; // since the last decision
  Instant next_calculation_;
  Instant full_interval_, least_interval_; // of the main scheduler
  SlurmRuns runs_;
  Instant next_backfill_;
  Instant last_main_;
  bool rests_ = false;            // the last backfill started nobody, and nothing has happened since
  bool goes_through_all_ = false; // the main scheduler, now
  bool looks_further_ = false;    // its last run ended at its depth
};

TY_REGISTER(
    QueuePolicy, SlurmQueue, "slurm",
    "Slurm: multifactor priority (age, fair tree, size, partition, QOS), main and backfill scheduler, preemption, "
    "rules of the section slurm");

} // namespace
} // namespace trainyard
