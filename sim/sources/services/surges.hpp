// SPDX-License-Identifier: Apache-2.0
// Updates that start the new before the old stops. Private to this folder.
#pragma once
#include "sim/sources/services/task_runs.hpp"

#include <vector>

namespace trainyard::orchestration {

/// New instances that are started before the old ones of the same tasks stop.
class Surges
{
public:
  /// All live as long as this.
  Surges(const OrchestratorRules& rules, TaskBook& book, Machines& machines, ImagePulls& images, TaskLife& life,
         TaskRuns& runs, RollingUpdates& updates, Accounts& accounts, Agenda& agenda, Records& records)
      : rules_{rules}, book_{book}, machines_{machines}, images_{images}, life_{life}, runs_{runs}, updates_{updates},
        accounts_{accounts}, agenda_{agenda}, records_{records}
  {
  }

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

  const OrchestratorRules& rules_;
  TaskBook& book_;
  Machines& machines_;
  ImagePulls& images_;
  TaskLife& life_;
  TaskRuns& runs_;
  RollingUpdates& updates_;
  Accounts& accounts_;
  Agenda& agenda_;
  Records& records_;
  std::vector<Surge> surges_;
};

} // namespace trainyard::orchestration
