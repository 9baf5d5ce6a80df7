// SPDX-License-Identifier: Apache-2.0
// The clock of an orchestrator, what a run writes down, and the accounts of services. Private to this folder.
#pragma once
#include "sim/cluster/clock.hpp"
#include "sim/cluster/resources.hpp"
#include "sim/sources/services/desired_state.hpp"
#include "sim/sources/services/task_book.hpp"

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <queue>
#include <string>
#include <tuple>
#include <vector>

namespace trainyard::orchestration {

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
