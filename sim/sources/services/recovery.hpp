// SPDX-License-Identifier: Apache-2.0
// How tasks recover. Private to this folder.
#pragma once
#include "sim/sources/services/task_life.hpp"

#include <string>
#include <vector>

namespace trainyard::orchestration {

/// Processes that keep running although their task has been replaced or their job has ended; they hold their machines.
class Orphans : TaskParts
{
public:
  /// All live as long as this.
  Orphans(const TaskParts& parts, TaskLife& life) : TaskParts{parts}, life_{life} {}

  /// The task leaves its process behind, and has this phase without it. Returns the orphan's number.
  int leave(int task, TaskPhase phase, EndReason reason);
  /// The process ends, unless it has.
  void end(int orphan, EndReason reason);
  void end_on(int node);
  void end_on_gpu(int node, int gpu);
  /// What they hold up to the end of the run.
  void finish();

private:
  struct Orphan {
    int task = 0;
    int instance = -1;
    TaskShare share;
    Instant since{0};
    bool over = false;
  };

  TaskLife& life_;
  std::vector<Orphan> orphans_;
};

/// How tasks that failures hit recover: restarted in place, moved, with their whole job, or never.
class Recovery : TaskParts
{
public:
  /// All live as long as this.
  Recovery(const TaskParts& parts, TaskLife& life, Orphans& orphans) : TaskParts{parts}, life_{life}, orphans_{orphans}
  {
  }

  /// A process ends with an error; its node goes on. @p fault: -1 where no failure did it.
  void crash(int task, EndReason reason, int fault);
  /// The node's own agent restarts the container: it keeps its resources, the process starts again.
  void restart_in_place(int task, EndReason reason);
  /// The orchestrator learns of a process's end. @p boots: its node is back, and its agent starts the containers
  /// without the delay of crashed ones.
  void notice(int task, bool boots = false);
  /// The managers have a quorum again and learn of what ended meanwhile.
  void notice_all();
  /// A task of a lost node goes elsewhere, waits for its node, or is given up.
  void replace(int task, const std::string& node);

  bool may_move(const ServiceSpec& service) const;
  /// When tasks of a service are started again: what the service says, else what the orchestrator does by default.
  ///
  /// A job that has done its work is not started again unless its owner says so; single containers only by their own
  /// policy.
  std::string restart_rule(const ServiceSpec& service) const;

private:
  void job_lost_rank(int unit, int task);
  bool may_restart(const Task& task) const;
  Instant restart_delay(const Task& task) const;

  TaskLife& life_;
  Orphans& orphans_;
  std::vector<int> unnoticed_; // tasks that died while there was no quorum
};

} // namespace trainyard::orchestration
