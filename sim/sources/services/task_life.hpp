// SPDX-License-Identifier: Apache-2.0
// The life of a task. Private to this folder.
#pragma once
#include "sim/sources/services/fault_book.hpp"
#include "sim/sources/services/progress.hpp"
#include "sim/sources/services/waiting_tasks.hpp"

namespace trainyard::orchestration {

/// The phases of tasks, the machines that they hold, and what their end does to their job.
class TaskLife
{
public:
  /// All live as long as this.
  TaskLife(const OrchestratorRules& rules, TaskBook& book, Machines& machines, WaitingTasks& waiting,
           Progress& progress, FaultBook& faults, Accounts& accounts, Agenda& agenda, Records& records)
      : rules_{rules}, book_{book}, machines_{machines}, waiting_{waiting}, progress_{progress}, faults_{faults},
        accounts_{accounts}, agenda_{agenda}, records_{records}, disk_left_(static_cast<std::size_t>(machines.size()))
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

  const OrchestratorRules& rules_;
  TaskBook& book_;
  Machines& machines_;
  WaitingTasks& waiting_;
  Progress& progress_;
  FaultBook& faults_;
  Accounts& accounts_;
  Agenda& agenda_;
  Records& records_;
  std::vector<double> disk_left_;
};

} // namespace trainyard::orchestration
