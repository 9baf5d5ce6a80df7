// SPDX-License-Identifier: Apache-2.0
// The life of a task. Private to this folder.
#pragma once
#include "sim/sources/services/books.hpp"
#include "sim/sources/services/progress.hpp"

#include <cstdint>
#include <map>
#include <set>
#include <tuple>
#include <vector>

namespace trainyard::orchestration {

/// What each failure did to tasks, and when they were back. A task answers for the last failure that hit it.
class FaultBook : Books
{
public:
  /// All live as long as this.
  explicit FaultBook(const Books& books) : Books{books} {}

  /// A failure happens; its number.
  int begin(const FaultEvent& event);
  const FaultEvent& event(int fault) const { return outcomes_[static_cast<std::size_t>(fault)].event; }
  /// The last failure that hit the task; -1: none, or it has recovered.
  static int last(const Task& task) { return task.faults.empty() ? -1 : task.faults.back(); }
  void repaired(int fault) { at(fault).ended = agenda_.now(); }

  /// @p fault: -1 where no failure did it.
  void hit(int task, int fault);
  /// The orchestrator knows of the failure from @p when on. @p fault: -1 where there was none.
  void detected(int fault, Instant when);
  /// The replacement of the task is ordered; it goes to a node; so much computing has to be done again.
  void ordered(const Task& task);
  void moved(const Task& task, int node);
  void redone(const Task& task, Instant time, const Amount& held);
  /// The task runs again or has no more to do; or it never comes back.
  void back(int task);
  void never_back(Task& task);

  /// Failures in a row that hit nothing.
  int quiet() const { return quiet_; }
  /// All failures, those that ended by themselves included; their lines in the log say what came of them.
  std::vector<FaultOutcome> finish();

private:
  FaultOutcome& at(int fault) { return outcomes_[static_cast<std::size_t>(fault)]; }
  std::string words(const FaultOutcome& outcome) const;

  std::vector<FaultOutcome> outcomes_;
  std::vector<std::size_t> lines_; // of the log, by failure
  int quiet_ = 0;
};

/// The waiting tasks by what they ask for, and why they wait. Equal requests share what is known: one that fitted
/// nowhere is tried again only on nodes that have gained free resources since.
class WaitingTasks : Books
{
public:
  using Place = std::tuple<double, std::uint64_t, int>; // -priority, order, task

  /// All live as long as this. @p slow: the control plane needs time for each placement, and takes tasks that came at
  /// the same time in turn from each job.
  WaitingTasks(const Books& books, bool slow) : Books{books}, slow_{slow} {}

  bool empty() const { return active_.empty(); }
  void add(int task);
  void remove(int task);
  /// Requests with waiting tasks.
  const std::set<int>& requests() const { return active_; }
  /// The tasks of a request, first of all those of high priority, then those that wait longest.
  const std::set<Place>& of(int request) const { return waiting_[static_cast<std::size_t>(request)].tasks; }

  /// How many of Machines::gains() were known when the request last fitted nowhere; SIZE_MAX: it has not been tried.
  std::size_t seen(int request) const { return waiting_[static_cast<std::size_t>(request)].seen; }
  /// The request fits nowhere now.
  void fits_nowhere(int request);
  /// Whether a unit that starts as a whole has fitted nowhere, and nothing has been gained since.
  bool gang_tried(int unit) const;
  void gang_fits_nowhere(int unit) { gang_seen_[unit] = machines_.gains().size(); }

  /// Machines have left or joined: reasons are to be updated.
  void machines_changed() { stale_ = true; }
  /// Says why tasks wait after such changes, although the tasks are not tried again.
  void update_reasons();
  void try_gangs_again() { gang_seen_.clear(); }
  void try_all_again();

  /// Without a quorum of managers nothing is placed.
  bool quorum() const { return quorum_; }
  void set_quorum(bool quorum);

  /// Why a task does not run, for the records: PhaseRecord::why; -1: nothing to say.
  int why(int task);

private:
  struct Waiting {
    std::set<Place> tasks;
    std::size_t seen = SIZE_MAX;
    int why = -1;
  };
  Waiting& at(int request) { return waiting_[static_cast<std::size_t>(request)]; }
  Place place(int task) const;
  void tell(int request);
  void split_phase(int task, int why);

  bool slow_;
  std::vector<Waiting> waiting_; // by request
  std::set<int> active_;
  std::map<int, std::size_t> gang_seen_; // by unit
  std::uint64_t order_ = 0;
  Instant batch_at_{-1}; // those that came now, with the first order of them and how many of each unit there are
  std::uint64_t batch_begin_ = 0;
  std::map<int, std::uint64_t> of_unit_;
  bool quorum_ = true;
  bool stale_ = false; // machines have left or joined since reasons were recorded
};

class ImagePulls;
class RollingUpdates;

/// The parts that the life of a task needs, beside the books.
struct TaskParts : Books {
  FaultBook& faults_;
  WaitingTasks& waiting_;
  Progress& progress_;
  ImagePulls& images_;
  RollingUpdates& updates_;
};

/// The phases of tasks, the machines that they hold, and what their end does to their job.
class TaskLife : TaskParts
{
public:
  /// All live as long as this.
  explicit TaskLife(const TaskParts& parts) : TaskParts{parts}, disk_left_(static_cast<std::size_t>(machines_.size()))
  {
  }

  /// Ends the present phase in the records and begins the next one.
  void set_phase(int task, TaskPhase phase, int why = -1);
  /// The present phase up to now, in the records.
  void record_phase(int task);
  /// The task waits for a node; it waits no longer.
  void enqueue(int task);
  void unqueue(int task) { waiting_.remove(task); }
  /// The task waits for a node after a delay.
  void start_after(int task, Instant delay);

  /// The instance gives its node back; accounts up to now. The caller says which phase comes next.
  void end_instance(int task, EndReason reason);
  /// A container that is none of its task's any more gives back what it held.
  void give_back(const TaskShare& share, int task, int instance, EndReason reason);
  /// A running task is gone: what that does to its job's state.
  void lose(int task, EndReason reason);
  /// The instance ends; if it ran, its job loses it.
  void end_and_lose(int task, EndReason reason);
  /// An orderly end by the orchestrator's order; @p next: the phase after it.
  void stop(int task, EndReason reason, TaskPhase next);
  /// The same, into what is wanted of the task.
  void stop(int task, EndReason reason) { stop(task, reason, next_phase(task)); }
  /// Orders a running task to end; its process takes `container_stop`.
  void begin_stop(int task, EndReason reason);
  /// The task never comes back.
  void give_up(int task, const Message& why);

  /// By node: bytes that ended containers leave behind.
  const std::vector<double>& disk_left() const { return disk_left_; }

private:
  TaskPhase next_phase(int task) const { return book_.task(task).wanted ? TaskPhase::waiting : TaskPhase::absent; }
  bool loses_state(int task) const;

  std::vector<double> disk_left_;
};

} // namespace trainyard::orchestration
