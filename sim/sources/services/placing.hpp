// SPDX-License-Identifier: Apache-2.0
// Which task goes to which node. Private to this folder.
#pragma once
#include "sim/sources/services/task_runs.hpp"

namespace trainyard::orchestration {

/// Places waiting tasks in order of priority and age: gangs as a whole or not at all; where the orchestrator preempts,
/// lower priorities go.
class Placing
{
public:
  /// All live as long as this.
  Placing(const OrchestratorRules& rules, TaskBook& book, Machines& machines, WaitingTasks& waiting, TaskLife& life,
          TaskRuns& runs, Agenda& agenda, Records& records)
      : rules_{rules}, book_{book}, machines_{machines}, waiting_{waiting}, life_{life}, runs_{runs}, agenda_{agenda},
        records_{records}
  {
  }

  /// Places waiting tasks until nothing more fits.
  void decide();
  /// EventKind::tick: the control plane has time again.
  void tick() { tick_planned_ = false; }

private:
  bool is_gang(int task) const;
  bool busy();
  void place(int task, int node);
  bool place_one(int task);
  bool place_gang(int unit);
  bool push_away(int task);

  const OrchestratorRules& rules_;
  TaskBook& book_;
  Machines& machines_;
  WaitingTasks& waiting_;
  TaskLife& life_;
  TaskRuns& runs_;
  Agenda& agenda_;
  Records& records_;
  Instant control_free_{0}; // when the control plane can place the next task
  bool tick_planned_ = false;
};

} // namespace trainyard::orchestration
