// SPDX-License-Identifier: Apache-2.0
// Processes without a job. Private to this folder.
#pragma once
#include "sim/sources/services/task_life.hpp"

#include <vector>

namespace trainyard::orchestration {

/// Processes that keep running although their task has been replaced or their job has ended; they hold their machines.
class Orphans
{
public:
  /// All live as long as this.
  Orphans(TaskBook& book, Progress& progress, TaskLife& life, Accounts& accounts, const Agenda& agenda)
      : book_{book}, progress_{progress}, life_{life}, accounts_{accounts}, agenda_{agenda}
  {
  }

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

  TaskBook& book_;
  Progress& progress_;
  TaskLife& life_;
  Accounts& accounts_;
  const Agenda& agenda_;
  std::vector<Orphan> orphans_;
};

} // namespace trainyard::orchestration
