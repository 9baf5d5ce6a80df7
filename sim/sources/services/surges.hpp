// SPDX-License-Identifier: Apache-2.0
// Updates that start the new before the old stops. Private to this folder.
#pragma once
#include "sim/sources/services/task_runs.hpp"

#include <vector>

namespace trainyard::orchestration {

/// New instances that are started before the old ones of the same tasks stop.
class Surges : TaskParts
{
public:
  /// All live as long as this.
  Surges(const TaskParts& parts, TaskLife& life, TaskRuns& runs) : TaskParts{parts}, life_{life}, runs_{runs} {}

  /// Starts the new instance of a task beside the old one; false if no node has space.
  bool start(int task);
  /// The new instance runs: the old one ends.
  void swap(int surge);
  /// The nodes or GPUs of new instances are lost.
  void cancel_on(int node);
  void cancel_on_gpu(int node, int gpu);
  /// What they hold up to the end of the run.
  void finish();

private:
  struct Surge {
    int task = 0;
    int instance = -1;
    TaskShare share;
    Instant placed{0};
    bool over = false;
  };
  void cancel(Surge& surge);

  TaskLife& life_;
  TaskRuns& runs_;
  std::vector<Surge> surges_;
};

} // namespace trainyard::orchestration
