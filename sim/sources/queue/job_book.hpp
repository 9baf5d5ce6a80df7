// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "sim/cluster/gpu_books.hpp"
#include "sim/sources/queue/end_times.hpp"
#include "sim/sources/queue/running_speeds.hpp"
#include "sim/sources/queue/saving_gpus.hpp"
#include "sim/sources/queue/scheduling.hpp"
#include "sim/sources/queue/sent_jobs.hpp"
#include "sim/sources/queue/wait_reasons.hpp"

#include <algorithm>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace trainyard {

/// What has happened to the queue since its clock last looked.
struct Happened {
  bool changed = false; // in this instant: a start, an end, a machine
  bool touched = false; // since the last decision: others have taken a job away, or entered or left links
};

/// The jobs of a queue: who waits, who runs where and how fast, when runs end, and what all of this has cost so far.
/// Decides nothing.
class JobBook final : public ClusterView
{
public:
  JobBook(const Workload& workload, const ClusterShape& shape, ClusterState& cluster, QueuePolicy& policy,
          const SchedulingOptions& options);

  /// Time goes on; never back.
  void advance(Instant time) { now_ = std::max(now_, time); }
  JobState& state_of(JobId id) { return states_[static_cast<std::size_t>(id.index)]; }
  /// A job has been put into the workload; later ones have moved up.
  void insert(JobId id, const SentJob& job);

  /// It waits from now on, or, where it still saves, from when it has saved.
  void wait(JobId id)
  {
    reasons_.begin(id, saved_at(id));
    add(waiting_, id, JobPhase::waiting);
    policy_.arrived(*this, id);
  }
  /// A waiting job has got these GPUs, and starts on them after @p cost.
  void run(JobId id, Allocation&& place, Instant cost)
  {
    wait_no_more(id);
    add(running_, id, JobPhase::running);
    settle(id, std::move(place), cost);
    state_of(id).last_start = now_;
    if (!preempted_now_.empty())
      note_successor(id);
  }
  /// A running job goes on elsewhere, after @p cost; its old GPUs have been released.
  void settle(JobId id, Allocation&& place, Instant cost);
  /// Gives back the job's GPUs; it stays in its list.
  void release(JobId id);
  /// A job is about to be stopped or moved by the policy, and saves on its GPUs first: who gets them begins later.
  void save(JobId id);
  /// When a job that has been stopped has saved; now where it does not.
  Instant saved_at(JobId id) const;
  /// Jobs that were stopped and save on this machine.
  std::vector<JobId> saving_on(int node) const { return saving_.on(node, now_); }
  /// A job that saves stops doing so; nobody is told. How many thousandths of GPUs it did that on.
  std::int64_t stop_saving(JobId id);
  /// Whether a running job is on its GPUs: it does not wait there for others that save.
  bool has_begun(JobId id) const;
  /// Whoever has sent the job is told that it has started once it has begun, and that it was stopped once it has saved.
  void tell_start(JobId id);
  void tell_stop(JobId id);
  /// So much of a job's work is to be done again.
  void undo(JobId id, Instant work) { worked_[static_cast<std::size_t>(id.index)] -= work; }
  /// A running job stops: the policy is told, its GPUs are given back, and it is in no list.
  void stop(JobId id)
  {
    policy_.stopped(*this, id);
    release(id);
    remove(running_, state(id));
  }
  /// A waiting job waits no more.
  void wait_no_more(JobId id)
  {
    remove(waiting_, state(id));
    reasons_.set(id, WaitReason::none, {}, now_);
  }

  /// Work done so far is booked, so that the speed or the place may change.
  void account(JobId id, bool holds_on = true);
  /// All but the last @p withheld of its work can be done.
  void feed(JobId id, Instant withheld);
  /// It has done what it can with the data that are there.
  void run_dry(JobId id);
  /// All work of a job that another source has sent is done. It keeps its GPUs, and loads no links any more.
  void work_done(JobId id);
  /// Of @p done, what the last periodic checkpoint of a stopped job holds.
  Instant last_checkpoint(JobId id, Instant done) const;
  /// What a job pays on its GPUs before it works, if it starts on so many: the first time, or again.
  Instant cost_of_start(JobId id, int gpus) const;
  /// Of it, what a job pays that has saved nothing: to load its last checkpoint.
  Instant cost_of_loading(JobId id, int gpus) const;
  Instant saving_ahead(JobId id, Instant work) const override;
  /// Asks for the speeds of all whose neighbours have changed.
  void update_speeds()
  {
    if (speeds_.due())
      ask_speeds();
  }

  /// When the next job is so far that its speed is to be asked for again, that it writes a checkpoint or begins;
  /// `end_of_time`: none.
  Instant next_review() { return std::min({reviews_.next(), periodic_.due.next(), saved_.next(), begins_.next()}); }
  /// Jobs that are so far by now write, or are asked for with the next update_speeds().
  void review()
  {
    while (const std::optional<JobId> id = periodic_.due.take(now_))
      write_checkpoint(*id);
    for (std::optional<JobId> id = reviews_.take(now_); id.has_value(); id = reviews_.take(now_))
      speeds_.ask_again(*id);
    while (const std::optional<JobId> id = saved_.take(now_))
      sent_.tell(*id, JobNews::What::preempted, {});
    while (const std::optional<JobId> id = begins_.take(now_))
      sent_.tell(*id, JobNews::What::started, state(*id).held);
  }

  /// On machines that others use too: they may take, or may not take, free GPUs on which jobs save.
  void free_saving();
  void keep_saving();
  /// When what is kept from others changes next.
  Instant kept_until() const { return kept_.empty() ? end_of_time : kept_until_; }

  /// SharedLinks::enter and leave.
  int enter(const std::string& name, const std::string& model, const Allocation& held);
  void leave(int visitor);

  /// The run is over: who has not ended never will.
  void stall();
  /// The run was cut off: accounts up to now; jobs keep their phases.
  void cut_off();
  SchedulingResult result();

  EndTimes& ends() { return ends_; }
  WaitReasons& reasons() { return reasons_; }
  SentJobs& sent() { return sent_; }
  const LinkVisitors& visitors() const { return visitors_; }
  /// A job is stopped before its end, by the policy or by a failure. Throws std::invalid_argument where that happens
  /// again and again and none gets on.
  void count_stop(bool failure);
  /// A job has ended.
  void count_end(JobId id)
  {
    failures_without_end_ = 0;
    periodic_.forget(id);
    check_work(id);
  }
  /// Writes down what happened to a job; nothing where stays are not recorded.
  void note(JobEvent::What what, JobId id);
  Happened& happened() { return happened_; }
  const Happened& happened() const { return happened_; }

private:
  void add(std::vector<JobId>& list, JobId id, JobPhase phase)
  {
    state_of(id).phase = phase;
    state_of(id).position = static_cast<int>(list.size());
    list.push_back(id);
  }
  void remove(std::vector<JobId>& list, const JobState& job)
  {
    const JobId last = list.back();
    list[static_cast<std::size_t>(job.position)] = last;
    state_of(last).position = job.position;
    list.pop_back();
  }
  void carry_forward(JobId id);
  void add_on_types(JobId id, Instant time);
  void plan_end(JobId id);
  void plan_review(JobId id, double until);
  void plan_checkpoint(JobId id);
  void write_checkpoint(JobId id);
  Instant interval_of(JobId id) const { return sent_.checkpoint_interval(id, options_.checkpoint_interval); }
  Instant save_time(JobId id, int gpus) const
  {
    return Instant{options_.checkpoint_cost} + checkpoint_of(workload_, options_, id, gpus).save;
  }
  PeriodicSave costs_of_saves(JobId id, int gpus) const
  {
    const Instant written = save_time(id, gpus);
    return {interval_of(id), written, std::min(written, options_.checkpoint_stall.value_or(written))};
  }
  Instant left_to_hold(JobId id) const;
  bool has_data(JobId id);
  void ask_speeds();
  void check_work(JobId id) const;
  void check_stays(const SchedulingResult& result) const;
  std::optional<SavingGpus::Saver> waits_for(JobId id);
  Instant begins_after_others(JobId id);
  void begin_sooner(JobId id);
  void end_saving(SavingAccount& own);
  void end_wait_for_others(JobId id);
  void note_successor(JobId id);
  PlacedTraceJob placed(JobId id) const;

  const Workload& workload_;
  ClusterState& cluster_;
  QueuePolicy& policy_;
  const SchedulingOptions& options_;
  EndTimes ends_;
  PeriodicSaves periodic_;
  EndTimes saved_, begins_; // sent jobs that save, or on whose GPUs others do
  EndTimes reviews_;        // when they have done the share of their work at which the speed model is asked again
  RunningSpeeds speeds_;
  GpuMemory memory_;
  std::vector<Instant> worked_; // by job, at speed 1, without what failures undid
  WaitReasons reasons_;
  SentJobs sent_;
  LinkVisitors visitors_;
  Happened happened_;
  std::vector<RunRecord> runs_;
  std::vector<std::vector<GpuTime>> on_type_; // see SchedulingResult
  std::vector<JobEvent> events_;
  struct Preempted {
    std::size_t event = 0; // in `events_`
    Allocation from;
  };
  std::vector<Preempted> preempted_now_; // in the last instant with preemptions
  SavingGpus saving_;
  std::vector<TaskShare> kept_; // see keep_saving()
  Instant kept_until_;
  std::unordered_map<int, SavingAccount> saving_accounts_; // by job; only of those that saved or waited for others
  std::int64_t stops_without_work_ = 0;                    // since any job that was stopped or ended had got further
  std::int64_t failures_without_end_ = 0;                  // since a job ended
};

} // namespace trainyard
