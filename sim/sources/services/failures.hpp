// SPDX-License-Identifier: Apache-2.0
// The failures of a run. Private to this folder.
#pragma once
#include "sim/sources/services/recovery.hpp"
#include "sim/sources/services/task_runs.hpp"

#include <map>
#include <utility>
#include <vector>

namespace trainyard::orchestration {

/// The managers, on machines of the cluster or on their own, and whether they have a quorum.
class Managers : TaskParts
{
public:
  /// All live as long as this.
  Managers(const TaskParts& parts, Recovery& recovery);

  /// One more failure of a manager (+1), or one less (-1).
  void fails(int manager, int sign);
  /// A machine has left or come back.
  void machines_changed();

private:
  void count();

  Recovery& recovery_;
  std::vector<int> nodes_; // machines that manage; empty = managers of their own
  std::vector<int> down_;  // failures per manager
};

/// Machines that are lost or cut off: what that does to their tasks, when the orchestrator notices, and their return.
class NodeFailures : TaskParts
{
public:
  /// All live as long as this.
  NodeFailures(const TaskParts& parts, TaskLife& life, Orphans& orphans, Recovery& recovery, Surges& surges,
               Managers& managers)
      : TaskParts{parts}, life_{life}, orphans_{orphans}, recovery_{recovery}, surges_{surges}, managers_{managers},
        fault_of_node_(static_cast<std::size_t>(machines_.size()), -1)
  {
  }

  /// @p reason: EndReason::node_lost, cut_off or daemon.
  void down(int node, int fault, EndReason reason);
  /// One failure less for @p reason; the last one brings the machine back.
  void repaired(int node, EndReason reason);
  /// The orchestrator notices that a machine does not answer; it replaces what was there. @p epoch: of the machine when
  /// that was planned.
  void detect(int node, std::uint32_t epoch);
  void evict(int node, std::uint32_t epoch);

private:
  void up(int node);
  void lost_task(int task, EndReason reason, int fault);
  void cut_off(int task, int fault);
  void set_cut(int task, bool cut);

  TaskLife& life_;
  Orphans& orphans_;
  Recovery& recovery_;
  Surges& surges_;
  Managers& managers_;
  std::vector<int> fault_of_node_; // last failure that took it down
};

/// What fails, what that hits, and when it works again.
class Failures : TaskParts
{
public:
  /// All live as long as this.
  Failures(const TaskParts& parts, const FaultSchedule& schedule, TaskLife& life, Orphans& orphans, Recovery& recovery,
           Surges& surges, Managers& managers, NodeFailures& nodes)
      : TaskParts{parts}, schedule_{schedule}, life_{life}, orphans_{orphans}, recovery_{recovery}, surges_{surges},
        managers_{managers}, nodes_{nodes}
  {
  }

  void begin(const FaultEvent& event);
  void repair(int fault);

private:
  void gpu_fails(int node, int gpu, int fault);
  void slow_link(int node);

  const FaultSchedule& schedule_;
  TaskLife& life_;
  Orphans& orphans_;
  Recovery& recovery_;
  Surges& surges_;
  Managers& managers_;
  NodeFailures& nodes_;
  std::map<std::pair<int, int>, int> broken_;                     // (node, GPU) -> failures
  std::map<int, std::vector<std::pair<int, double>>> slow_links_; // node -> (failure, what is left)
};

} // namespace trainyard::orchestration
