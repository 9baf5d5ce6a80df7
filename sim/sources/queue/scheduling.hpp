// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "models/core/instant.hpp"
#include "sim/cluster/cluster_state.hpp"
#include "sim/cluster/gpu_time.hpp"
#include "sim/cluster/job_queue.hpp"
#include "sim/cluster/kernel.hpp"
#include "sim/cluster/speed/shared_links.hpp"
#include "sim/cluster/speed/speed_model.hpp"
#include "sim/cluster/wait_log.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace trainyard {

enum class JobPhase : std::uint8_t {
  pending, // not submitted, or a job it depends on has not ended
  waiting,
  running,
  finished,
  impossible, // more than the cluster has, or it depends on such a job
  stalled,    // never started (again), and nothing is left that could change that
  withdrawn   // whoever sent it has taken it back
};

/// One job's life so far; at the end, its outcome.
struct JobState {
  Instant remaining; // work left at `since`, at speed 1
  Instant withheld;  // of `remaining`: its data are not there yet (JobQueue::feed)
  Instant since;     // when it last started or its speed last changed
  Instant work_from; // until then a start or restart is paid for
  double speed = 1;  // of a running job
  Instant ready{-1}; // submitted, and everything it depends on has ended
  Instant first_start{-1};
  Instant last_start{-1};
  Instant end;       // of a running job: when it will end; of a finished one: when it ended
  GpuTime gpu_time;  // held until `accounted`
  GpuTime lost_time; // paid for starts, restarts and work done twice
  Instant accounted; // up to when gpu_time counts
  int position = -1; // in the list of its phase
  int unmet = 0;     // dependencies that have not ended
  int preemptions = 0;
  int failures = 0;
  int out_of_memory = 0;
  JobPhase phase = JobPhase::pending;
  bool begun = false;                   // a start of it has been paid in full, before its last stop
  bool failed = false;                  // its last stop was a failure: it saves nothing
  bool doomed = false;                  // its processes are about to die for lack of GPU memory
  bool killed = false;                  // ends when its estimate is used up, not when its work is done
  WaitReason reason = WaitReason::none; // why it never runs
  Instant held_time;                    // on GPUs until `accounted`
  Allocation held;
};

/// How long work takes at a speed; without any it never ends.
constexpr Instant time_at(double speed, Instant work)
{
  return speed == 1 ? work : speed > 0 ? work / speed : end_of_time;
}

/// Work done at a speed, in seconds at speed 1.
constexpr Instant work_in(double speed, Instant time)
{
  return speed == 1 ? time : time * speed;
}

/// What a policy may see.
class ClusterView
{
public:
  ClusterView(const Workload& workload, const ClusterState& cluster, Instant stop_cost = {})
      : stop_cost_{stop_cost}, workload_{workload}, cluster_{cluster}
  {
  }
  virtual ~ClusterView() = default;

  Instant now() const { return now_; }
  /// What it costs to stop a job and start it again: time on its GPUs without progress.
  Instant stop_cost() const { return stop_cost_; }
  const Workload& workload() const { return workload_; }
  const ClusterState& cluster() const { return cluster_; }
  const TraceJob& job(JobId id) const { return workload_.job(id); }
  const JobState& state(JobId id) const { return states_[static_cast<std::size_t>(id.index)]; }
  bool is_running(JobId id) const { return state(id).phase == JobPhase::running; }
  /// Waiting jobs and running jobs, each in no particular (but reproducible) order.
  std::span<const JobId> waiting() const { return waiting_; }
  std::span<const JobId> running() const { return running_; }
  /// Work left, at speed 1: what the engine knows; policies that plan use the estimate.
  Instant work_left(JobId id) const
  {
    const JobState& now = state(id);
    if (now.phase != JobPhase::running || now_ <= now.work_from || now.speed <= 0)
      return now.remaining;
    const Instant left = now.killed // its end says nothing of its work
                             ? now.remaining - work_in(now.speed, now_ - std::max(now.since, now.work_from))
                             : work_in(now.speed, now.end - now_) + now.withheld;
    return std::clamp(left, Instant{0}, now.remaining);
  }
  /// Work done so far, at speed 1.
  Instant progress(JobId id) const { return job(id).duration - work_left(id); }
  /// What the user's estimate leaves, at speed 1; never negative.
  Instant estimated_remaining(JobId id) const { return std::max(Instant{0}, job(id).estimate - progress(id)); }
  /// When a running job ends by the user's estimate at its present speed; not before now.
  Instant estimated_end(JobId id) const;
  /// GPU time held so far (Tiresias' attained service).
  GpuTime attained(JobId id) const;
  /// How long its start (of one that waits) and periodic checkpoints hold up the next @p work of a job.
  virtual Instant saving_ahead(JobId, Instant /*work*/) const { return {}; }

protected:
  Instant now_;
  Instant stop_cost_;
  std::vector<JobState> states_;
  std::vector<JobId> waiting_;
  std::vector<JobId> running_;

private:
  const Workload& workload_;
  const ClusterState& cluster_;
};

/// What a policy may do; every call is checked by the engine and takes effect at once.
class Decisions
{
public:
  virtual ~Decisions() = default;
  /// Starts the whole gang; false where it does not fit now, and the reason is recorded.
  /// @p gpus > 0: an elastic job's size; @p gpu_type >= 0: only GPUs of this type.
  virtual bool start(JobId id, int gpus = 0, int gpu_type = -1) = 0;
  /// Starts the whole gang on these very GPUs (chosen_place()). Throws std::logic_error where they are not free.
  virtual void start_at(JobId id, Allocation place) = 0;
  /// It leaves for good, whether it waits or runs. @p reason: why, for the records.
  virtual void withdraw(JobId id, WaitReason reason = WaitReason::none) = 0;
  /// Stops a running job; it waits again with its progress kept.
  virtual void preempt(JobId id) = 0;
  /// Gives a running elastic job another number of GPUs; false, and nothing changed, where that does not fit.
  virtual bool resize(JobId id, int gpus) = 0;
  /// Whether a waiting job would fit if these running jobs were stopped. Changes nothing.
  virtual bool fits_without(JobId id, std::span<const JobId> stopped) = 0;
  /// Where a waiting job would go if it were started now; nothing where it does not fit. Changes nothing.
  /// @p closed: as ClusterState::find().
  virtual std::optional<Allocation> preview(JobId id, std::span<const ClosedNodes> closed = {}) = 0;
  /// Whether the reasons given to `hold` are read.
  virtual bool wants_reasons() const { return true; }
  /// Says why a waiting job is not started, for the records. @p planned: when the policy means to start it; negative:
  /// it does not know.
  virtual void hold(JobId id, WaitReason reason, JobId blocker = {}, Instant planned = Instant{-1}) = 0;
  /// Asks for a decision at this time even if nothing else happens then; 1 ms from now where that has come already.
  virtual void wake_at(Instant time) = 0;
};

/// Decides which job runs. Told of arrivals (also of preempted jobs that wait again), starts and stops, so that it can
/// keep its own order.
class QueuePolicy
{
public:
  virtual ~QueuePolicy() = default;
  /// Once, before the first event. Throws std::invalid_argument where its parameters do not suit the cluster or the
  /// workload.
  virtual void begin(const ClusterView&) {}
  virtual void arrived(const ClusterView&, JobId) {}
  /// It has been started, or its size has changed.
  virtual void started(const ClusterView&, JobId) {}
  /// It has ended, or is about to be stopped or resized; it still holds its GPUs.
  virtual void stopped(const ClusterView&, JobId) {}
  /// A running job works faster or slower than before, because of its neighbours.
  virtual void speed_changed(const ClusterView&, JobId) {}
  /// It leaves before its work is done and does not come back: it waited, or has just been `stopped`. Whoever keeps
  /// waiting jobs in an order of his own forgets it here.
  virtual void withdrawn(const ClusterView&, JobId) {}
  /// Once per instant, after all ends and arrivals.
  virtual void decide(const ClusterView& cluster, Decisions& decisions) = 0;
  /// Why a job waits that fits and that the policy has said nothing about.
  virtual WaitReason usual_reason() const { return WaitReason::lower_rank; }
  /// Whether all GPUs of a job are of one type, so that a job that needs more than any type has never runs.
  virtual bool one_type() const { return false; }
  /// Whether it starts elastic jobs with fewer GPUs than they ask for.
  virtual bool resizes() const { return false; }
  /// With how few GPUs it starts a job.
  int least_gpus(const TraceJob& job) const { return resizes() ? job.smallest_gpus() : job.gpus; }
  /// Why it never starts a job that the machines could hold, whatever else runs; empty: it may.
  virtual std::string never_starts(const ClusterView&, JobId) { return {}; }
  /// Whether it can start jobs whose tasks are not equal (Workload::task_lists).
  virtual bool unlike_tasks() const { return true; }

protected:
  // What a policy can be set to, by kind. Durations are @p least (s) to 1e9 s.
  static Parameter duration(std::string name, std::string value, std::string meaning, double least,
                            std::string source = {});
  static Parameter flag(std::string name, bool value, std::string meaning, std::string source = {});
  static Parameter choice(std::string name, std::string value, std::vector<std::string> choices, std::string meaning,
                          std::string source = {});
  static Parameter text(std::string name, std::string meaning, std::string source = {});
};

/// What an outside source of events (failures, repairs, operators) may do.
class ClusterControl
{
public:
  virtual ~ClusterControl() = default;
  virtual const ClusterView& view() const = 0;
  /// Takes a machine away or gives it back; jobs on it fail and wait again (or go on, shrink_after_failure), with the
  /// work of their last checkpoint.
  virtual void set_node(int node, bool up) = 0;
  /// A running job's process dies; it waits again with the work of its last checkpoint.
  virtual void fail(JobId id) = 0;
};

/// Events that do not come from the queue. Called after ends and before arrivals of the same instant.
class ClusterEvents
{
public:
  virtual ~ClusterEvents() = default;
  /// Time of the next event; nothing when there is none left. Never goes back.
  virtual std::optional<Instant> next() const = 0;
  /// Does everything that is due at `next()`.
  virtual void fire(ClusterControl& control) = 0;
};

/// What a checkpoint costs beside checkpoint_cost and restart_cost.
struct KnownCheckpoint {
  Instant save, load;
};

struct SchedulingOptions {
  Instant policy_period; // decisions only at multiples of this; 0 = whenever something happens
  Instant start_cost;    // at a first start, on the GPUs, without progress
  /// Of a preemption, a resize or a periodic checkpoint: saving, on the GPUs, without progress.
  Instant checkpoint_cost;
  /// Of a periodic checkpoint: training stands still for so long, and goes on while the rest of checkpoint_cost is
  /// written; the next one waits for the end of that. Absent: for all of checkpoint_cost.
  std::optional<Instant> checkpoint_stall = {};
  /// By (model, GPUs) of jobs that have no sizes of their own (Workload::sizes); missing: nothing.
  std::map<std::pair<int, int>, KnownCheckpoint> known_checkpoints = {};
  Instant restart_cost; // of a start after a preemption, failure or resize: loading, on the GPUs, without progress
  /// A stopped job keeps its GPUs while it saves, as in the grace time of Slurm (GraceTime): who gets them begins after
  /// that. Otherwise they pass on at once, and the stopped job pays for saving and loading when it starts again.
  bool save_before_release = true;
  /// Work between periodic checkpoints: a failure loses what came after the last; infinity = no checkpoints, 0 =
  /// nothing is ever lost.
  Instant checkpoint_interval{end_of_time};
  /// An elastic job that loses a machine goes on with the GPUs that it has left, and takes back as many as it had when
  /// a machine is repaired; else it waits.
  bool shrink_after_failure = false;
  /// A job that has held GPUs for as long as its user estimated is killed and counts as finished (Slurm's and SWF's
  /// requested time).
  bool kill_at_estimate = false;
  double elastic_exponent = 1; // speed = (GPUs held / asked)^exponent where no SpeedModel says better; 0..1
  SpeedModel* speed = nullptr; // none: trace_speed()
  /// GPU memory of shared GPUs (TraceJob::gpu_memory_mib): a process is held to its share of it, or takes what it
  /// needs.
  bool isolated_memory = false;
  Instant out_of_memory_after{30_s}; // a job that does not find its GPU memory dies so long after its start
  int out_of_memory_tries = 3;       // then it is given up
  ClusterEvents* events = nullptr;
  Instant until{end_of_time}; // simulate_queue() ends then; who runs or waits is unfinished
  bool record_waits = false;
  /// About how many records of waiting a run may write; shared out evenly, at least 8 a job. Where a job's reasons
  /// change more often, its last record runs on with the reason `changing`, so that memory stays bounded however long
  /// the queue gets.
  std::int64_t most_wait_records = 2'000'000;
  bool record_runs = false;
  std::uint64_t seed = 1;
};

struct JobOutcome {
  Instant ready{-1};
  Instant first_start{-1};
  Instant end{-1};
  GpuTime gpu_time;  // held
  GpuTime lost_time; // of it, without progress, or whose progress was lost
  Instant held_time; // on GPUs, all stays together
  int preemptions = 0;
  int failures = 0;
  int out_of_memory = 0; // how often it died for lack of GPU memory
  bool killed = false;   // at its estimate, its work not done
  JobPhase phase = JobPhase::pending;
  WaitReason reason = WaitReason::none;
};

/// What happens to a job between its first start and its end. Its first start and its end are in its outcome.
struct JobEvent {
  enum class What : std::uint8_t { preempted, failed, out_of_memory, resumed };
  What what = What::preempted;
  Instant at;
  JobId job;
  JobId by; // preempted: who got GPUs of it in the same instant; none: nobody did
};

/// One uninterrupted stay on the same GPUs at the same speed.
struct RunRecord {
  JobId job;
  Instant from;
  Instant to;
  double speed = 1;
  double alone = 1;
  JobId neighbour; // that slowed it most, over `link`; below -1: a visitor (SchedulingResult::name)
  int link = -1;
  Allocation held;
};

struct SchedulingResult {
  std::vector<JobOutcome> jobs;
  std::vector<std::vector<GpuTime>> on_type; // by job, by type of GPU: held; empty where the cluster has one type
  std::vector<WaitRecord> waits;             // in order of their end
  std::vector<RunRecord> runs;               // in order of their end
  std::vector<JobEvent> events;              // in order of time; with `record_runs`
  std::vector<std::string> link_names;       // of the links that RunRecord names, by number; sparse
  std::vector<JobId> sent;                   // jobs that came from other sources during the run, in order
  std::map<ResourceRequest, Lack> unfit;     // gangs that the empty cluster could not hold
  bool resizes = false;                      // QueuePolicy::resizes
  std::vector<std::string> visitors;  // training of other sources on the same links; their numbers are -2, -3, …
  std::vector<SlowVisit> slow_visits; // in order of their end

  /// Why the empty cluster could not hold a job of which the reason says so; null: it could.
  const Lack* lack_of(const TraceJob& job) const
  {
    const auto found = unfit.find(request_of(job, resizes ? job.smallest_gpus() : job.gpus));
    return found == unfit.end() ? nullptr : &found->second;
  }
  /// Of a job or a visitor.
  std::string name(const Workload& workload, JobId id) const
  {
    return id.index >= 0 ? workload.name(id) : id.index < -1 ? visitors[static_cast<std::size_t>(-2 - id.index)] : "";
  }
  int finished = 0;
  int impossible = 0;
  int stalled = 0;
  std::int64_t decisions = 0; // how often the policy ran
  Instant makespan;
  Instant cut_at{-1}; // where simulate_queue() ended before all jobs had: then; negative: it did not
  Seconds mean_jct;   // completion - submission, of finished jobs
  Seconds mean_wait;  // first start - submission, of finished jobs
};

/// What a checkpoint of the job costs with so many GPUs, beside what every job pays.
KnownCheckpoint checkpoint_of(const Workload& workload, const SchedulingOptions& options, JobId id, int gpus);

/// Replays a workload, sorted by submission, on a cluster. At one instant: ends, outside events, arrivals in order of
/// the workload, starts.
///
/// Ends even where jobs can never run: they are reported. Throws std::invalid_argument for a workload that is empty,
/// not sorted or has negative times, a gang without GPUs and tasks, a cycle of dependencies, and where jobs are stopped
/// again and again without any work getting done; std::logic_error for a decision that breaks the rules.
SchedulingResult simulate_queue(const Workload& workload, const ClusterShape& shape, QueuePolicy& policy,
                                PlacementPolicy* placement = nullptr, const SchedulingOptions& options = {});

/// The same, event by event. All arguments live as long as this. Throws as simulate_queue.
class QueueAlone
{
public:
  QueueAlone(const Workload& workload, const ClusterShape& shape, QueuePolicy& policy, PlacementPolicy* placement,
             const SchedulingOptions& options);
  ~QueueAlone();

  /// Everything of the next instant at which something happens, decisions included; its time. Nothing: the run is over.
  std::optional<Instant> step();
  SchedulingResult result();

private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

/// A queue as one source of work among others on the same machines; without jobs it still lets machines fail
/// (options.events).
///
/// Jobs that others send are put into the workload at their instant of submission, so that the numbers of jobs stay
/// their order of submission; listed jobs that come later move up.
class QueueSource final : public Source, public JobQueue, public SharedLinks
{
public:
  /// As simulate_queue; all arguments live as long as this. @p machines have the shape's nodes. @p growing: the same
  /// object as @p workload, with names of all its jobs; null: nobody may send jobs.
  QueueSource(const Workload& workload, const ClusterShape& shape, QueuePolicy& policy, PlacementPolicy& placement,
              const SchedulingOptions& options, NodePool& machines, Workload* growing = nullptr);
  ~QueueSource() override;

  std::optional<Instant> next() const override;
  void act(Instant now) override;

  JobId send(Instant now, const SentJob& job) override;
  void withdraw(Instant now, JobId id) override;
  void complete(Instant now, JobId id) override;
  void feed(Instant now, JobId id, Instant withheld) override;
  Instant done(Instant now, JobId id) override;
  Instant expected_end(Instant now, JobId id) override;
  bool has_news() const override;
  std::vector<JobNews> take_news() override;

  /// Where training outside the queue meets its jobs on links; null: this queue's speeds know no links.
  SharedLinks* links();
  int enter(Instant now, const std::string& name, const std::string& job, const Allocation& held) override;
  void leave(Instant now, int visitor) override;
  double share(int visitor) const override;
  std::uint64_t changes() const override;

  /// The outcome at @p ended; jobs that still wait or run then are unfinished.
  SchedulingResult finish(Instant ended);

private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

/// Jobs that never start on a cluster.
struct NeverRun {
  std::vector<JobId> jobs;
  std::string example; // "781: 1 GPU and 480 GiB of memory a machine, …": the first that does not fit
  Remedy remedy;       // with which all would fit
};

/// Everything that `simulate_queue` refuses before its first event; returns the jobs that the cluster could never hold,
/// and those that wait for them. Runs nothing.
NeverRun check_queue(const Workload& workload, const ClusterShape& shape, QueuePolicy& policy,
                     PlacementPolicy* placement = nullptr, const SchedulingOptions& options = {});

/// User estimates by the f-model of Mu'alem and Feitelson (2001): uniform in [duration, (1 + badness) x duration];
/// badness 0 = exact.
void set_estimates(Workload& workload, double badness, const Random& random);

/// Throws std::invalid_argument for a workload or options that `simulate_queue` refuses, naming the line or the jobs.
void check_queue_input(const Workload& workload, const SchedulingOptions& options);

/// Throws std::invalid_argument for a job of unlike tasks (Workload::task_lists) that the policy cannot start, or whose
/// types of GPU differ where one is meant; it names the line.
void check_unlike_tasks(const Workload& workload, const ClusterShape& shape, const QueuePolicy& policy);

/// A setting of a queue policy that the jobs or machines contradict: a quota of a team that has no jobs.
class SettingFault : public std::invalid_argument
{
public:
  SettingFault(std::string key, const std::string& message) : std::invalid_argument{message}, key_{std::move(key)} {}
  /// Of the policy: "quotas".
  const std::string& key() const { return key_; }

private:
  std::string key_;
};

/// The upper bound of a run's decisions: a policy, or a scheduler outside, that is asked because it wants to be may
/// change nothing so many times in a row, and a hundred times more for each second of the simulated clock. All other
/// decisions follow from an event, of which there is a bounded number.
class DecisionBound
{
public:
  /// Something has happened, or a decision has changed something.
  void restart(Instant now)
  {
    since_ = now;
    in_vain_ = 0;
  }
  /// A decision that the policy has asked for has changed nothing. @p jobs: that wait or run. Throws
  /// std::invalid_argument where there are too many of them.
  void in_vain(Instant now, std::size_t jobs)
  {
    const double most = 10'000 + 10.0 * static_cast<double>(jobs) + 100 * (now - since_).value();
    if (static_cast<double>(++in_vain_) > most)
      throw std::invalid_argument{
          "no progress: it asked for " + std::to_string(in_vain_) + " decisions in a row that changed nothing, from " +
          std::to_string(since_.value()) + " to " + std::to_string(now.value()) +
          " s; the run was given up. A policy asks again when it expects something to change, not at once"};
  }

private:
  Instant since_;
  std::int64_t in_vain_ = 0;
};

} // namespace trainyard
