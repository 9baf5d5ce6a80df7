// SPDX-License-Identifier: Apache-2.0
// The clock of an orchestrator, what a run writes down, and the accounts of services. Private to this folder.
#pragma once
#include "sim/cluster/clock.hpp"
#include "sim/cluster/resources.hpp"
#include "sim/sources/services/desired_state.hpp"
#include "sim/sources/services/machines.hpp"

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <queue>
#include <set>
#include <string>
#include <tuple>
#include <vector>

namespace trainyard::orchestration {

/// A task of a service's desired state; its instances change, the task stays.
struct Task {
  int service = 0;
  int group = 0;
  int index = 0;
  int unit = 0;
  int request = 0; // number of its NodeRequest
  TaskPhase phase = TaskPhase::absent;
  bool wanted = false;
  int restarts = 0;        // in a row, for backoff and attempts
  std::uint32_t stamp = 0; // events planned for an earlier life are void
  TaskShare share;         // while it holds a node
  bool holds = false;
  bool cut = false;  // it runs, but its node is cut off
  int instance = -1; // its record
  int last_node = -1;
  Instant since{0};        // of the phase
  Instant placed{0};       // of the instance
  Instant lost_at{0};      // when it stopped running
  std::uint64_t order = 0; // among waiting tasks
  int why = -1;
  int update = -1;         // rolling update under way
  std::vector<int> faults; // failures it has not recovered from

  bool runs() const { return phase == TaskPhase::running; }
  bool holds_on(int node) const { return holds && share.node == node; }
};

/// What makes progress together: a whole job, or one task of an independent service.
struct Unit {
  int service = 0;
  std::vector<int> tasks;
  TrainingProgress progress;
  double speed = 0;
  double pace = 0;                 // of one worker: WorkRecord
  std::vector<RunningTask> places; // of its running tasks, where speeds depend on them
  Amount held;                     // of its running tasks
  Instant since{0};                // carried forward to here
  bool state_lost = false;
  bool over = false; // work done, or given up
  std::uint32_t stamp = 0;
  int running = 0; // reachable, last seen: to notice who joins or leaves an elastic job
  int settled = 0; // reachable during the last stretch of time
  int present = 0; // running, reachable or not
  // Of a job with tokens (sync_replicas):
  std::set<int> at_work;        // workers that have found the chief's variables and are reachable
  std::optional<Instant> ready; // since when these are there
  bool chief = false;           // it runs
  bool had_tokens = false;      // it made progress during the last stretch of time
  int tokens_lost = 0;          // with workers that died in a step, and are not back
  bool reads = false;           // counted among the readers of the shared storage
  int readers = 0;
  double input_share = 0; // of its time that goes into waiting for input
  std::size_t client = 0;
  bool has_client = false;
  std::optional<int> visitor; // on links that it shares with others
  Allocation visited;         // its GPUs there
};

/// All tasks and what they belong to. Tasks are never removed; adding one moves them.
class TaskBook
{
public:
  /// @p input lives as long as this.
  explicit TaskBook(const OrchestrationInput& input);

  int size() const { return static_cast<int>(tasks_.size()); }
  Task& task(int number) { return tasks_[static_cast<std::size_t>(number)]; }
  const Task& task(int number) const { return tasks_[static_cast<std::size_t>(number)]; }
  const std::string& name(int task) const { return names_[static_cast<std::size_t>(task)]; }
  const std::vector<std::string>& names() const { return names_; }
  std::optional<int> find(const std::string& name) const;

  std::vector<Unit>& units() { return units_; }
  Unit& unit(int number) { return units_[static_cast<std::size_t>(number)]; }
  const Unit& unit(int number) const { return units_[static_cast<std::size_t>(number)]; }
  Unit& unit_of(int task) { return unit(this->task(task).unit); }

  const ServiceSpec& service(int number) const { return services_[static_cast<std::size_t>(number)]; }
  const ServiceSpec& service_of(const Task& task) const { return service(task.service); }
  const TaskGroupSpec& group_of(const Task& task) const
  {
    return service_of(task).groups[static_cast<std::size_t>(task.group)];
  }
  const NodeRequest& request(int number) const { return requests_[static_cast<std::size_t>(number)]; }
  const NodeRequest& request_of(const Task& task) const { return request(task.request); }

  /// The tasks of a service by group and index.
  const std::vector<std::vector<int>>& slots(int service) const { return slots_[static_cast<std::size_t>(service)]; }
  /// All tasks of a service, group by group.
  std::vector<int> tasks_of(int service) const;
  /// The next task of a group, its number.
  int add(int service, int group, Instant now);
  /// All units of a service are over, and no more come.
  bool service_over(int service) const;

private:
  int request_of_group(int service, int group);

  const std::vector<ServiceSpec>& services_;
  const ClusterShape& shape_;
  std::vector<Task> tasks_;
  std::vector<std::string> names_; // of tasks
  std::map<std::string, int> numbers_;
  std::vector<Unit> units_;
  std::vector<std::vector<std::vector<int>>> slots_;
  std::vector<NodeRequest> requests_;
  std::map<NodeRequest, int> request_numbers_;
};

enum class EventKind : std::uint8_t {
  arrival,
  repair,
  detect,
  evict,
  notice,
  ready,
  pulled,
  running,
  stopped,
  finished,
  tick,
  update,
  update_batch,
  scale,
  rate,
  client,
  join,
  cleanup,
  crash,
  update_swap,
  look
};

struct Event {
  Instant time{0};
  std::uint64_t order = 0;
  EventKind kind = EventKind::arrival;
  int subject = 0;
  std::uint32_t stamp = 0; // of the subject when it was planned
  int detail = 0;

  bool operator>(const Event& other) const { return std::tuple{time, order} > std::tuple{other.time, other.order}; }
};

/// What time it is, and what is planned, in order of (time, planned first).
class Agenda
{
public:
  /// What is planned for after @p until never happens.
  explicit Agenda(Instant until) : until_{until} {}

  Instant now() const { return now_; }
  Instant until() const { return until_; }
  void plan(Instant time, EventKind kind, int subject, std::uint32_t stamp = 0, int detail = 0)
  {
    if (time <= until_)
      events_.push({time, order_++, kind, subject, stamp, detail});
  }
  /// When the first of what is planned happens.
  std::optional<Instant> next() const { return events_.empty() ? std::nullopt : std::optional{events_.top().time}; }
  /// Takes out the first of what is planned up to now.
  std::optional<Event> take()
  {
    if (events_.empty() || events_.top().time > now_)
      return std::nullopt;
    const Event event = events_.top();
    events_.pop();
    return event;
  }
  /// Returns how much time has passed.
  Instant forward(Instant time)
  {
    const Instant span = std::max(time - now_, Instant{});
    now_ += span;
    return span;
  }

private:
  Instant now_{0};
  Instant until_;
  std::uint64_t order_ = 0;
  std::priority_queue<Event, std::vector<Event>, std::greater<>> events_;
};

/// The log, the instances and phases of tasks, the series of replicas, and why tasks waited.
class Records
{
public:
  /// Not @p on: only the texts of reasons are kept.
  Records(bool on, const Agenda& agenda) : on_{on}, agenda_{agenda} {}

  bool on() const { return on_; }
  /// Its number: PhaseRecord::why.
  int reason(const Message& why);
  /// Returns the number of the line.
  std::size_t log(const std::string& text);
  void rewrite(std::size_t line, const std::string& text);

  /// An instance begins; its number, -1 where nothing is recorded. The others take that number.
  int instance(int task, const TaskShare& share, Instant pulled);
  void instance_pulled(int instance);
  void instance_runs(int instance);
  void instance_ends(int instance, EndReason reason);
  /// A phase of a task up to now; @p node: -1 where it held none.
  void phase(int task, Instant from, TaskPhase phase, int node, int why);
  /// What a unit does from then on; not before now.
  void work(int unit, WorkRecord record);
  void replicas(int service, int desired, int running);

  /// Moves all of it into the result.
  void give_to(OrchestrationResult& result);

private:
  bool on_;
  const Agenda& agenda_;
  std::map<std::string, int> reason_numbers_;
  Messages reasons_;
  std::vector<LogEntry> log_;
  std::vector<InstanceRecord> instances_;
  std::vector<std::vector<WorkRecord>> work_; // by unit
  std::vector<PhaseRecord> phases_;
  std::vector<SeriesPoint> series_;
};

/// What each service held and for how long, how many of its tasks run, and whether its work is done.
class Accounts
{
public:
  /// All live as long as this.
  Accounts(const std::vector<ServiceSpec>& services, const Agenda& agenda, Records& records);

  ServiceOutcome& of(int service) { return outcomes_[static_cast<std::size_t>(service)]; }
  /// A container of the service takes a share of a machine, and gives it back.
  void hold(int service, const TaskShare& share);
  void release(int service, const TaskShare& share);
  /// How often a container has taken a share.
  std::int64_t placements() const { return placements_; }
  /// The share was held from @p since to now by a task that did not run yet, or by an orphaned process.
  void starting(int service, const TaskShare& share, Instant since);
  void orphaned(int service, const TaskShare& share, Instant since);

  /// So many more tasks are wanted from now on; may be negative. note() first where some have been wanted before.
  void want(int service, int more);
  void want_none(int service) { want(service, -state(service).desired); }
  /// So many more tasks run; may be negative.
  void run(int service, int more);
  /// Availability up to now, and a point of the series.
  void note(int service);

  /// The service has done its work, or never will.
  void work_over() { --unfinished_; }
  /// The service goes on without end: it does not end the run.
  void goes_on() { endless_ = true; }
  bool endless() const { return endless_; }
  bool all_done() const { return unfinished_ == 0 && !endless_; }

  /// The outcomes up to now, when all that is held has been told. Throws std::logic_error where the parts do not add up
  /// to what was held.
  std::vector<ServiceOutcome> finish(const std::vector<Unit>& units);

private:
  struct State {
    Amount held;
    Instant held_since{0};
    int desired = 0;
    int running = 0;
    Instant noted{0};
  };
  Amount& held(int service);
  State& state(int service) { return states_[static_cast<std::size_t>(service)]; }

  const std::vector<ServiceSpec>& services_;
  const Agenda& agenda_;
  Records& records_;
  std::vector<ServiceOutcome> outcomes_;
  std::vector<State> states_;
  std::int64_t placements_ = 0;
  int unfinished_ = 0; // services with unfinished work
  bool endless_ = false;
};

/// What every part of a run reads and writes. All live as long as the parts.
struct Books {
  const OrchestrationInput& input_;
  const OrchestratorRules& rules_;
  TaskBook& book_;
  Machines& machines_;
  Accounts& accounts_;
  Agenda& agenda_;
  Records& records_;
};

} // namespace trainyard::orchestration
