// SPDX-License-Identifier: Apache-2.0
// Tasks on their nodes. Private to this folder.
#pragma once
#include "sim/sources/services/image_pulls.hpp"
#include "sim/sources/services/recovery.hpp"
#include "sim/sources/services/rolling_updates.hpp"

namespace trainyard::orchestration {

/// Tasks on their nodes: the image, the start, the run, the end of the work.
class TaskRuns
{
public:
  /// All live as long as this.
  TaskRuns(const OrchestrationInput& input, TaskBook& book, Machines& machines, ImagePulls& images, Progress& progress,
           FaultBook& faults, TaskLife& life, Recovery& recovery, RollingUpdates& updates, Accounts& accounts,
           Agenda& agenda, Records& records)
      : input_{input}, book_{book}, machines_{machines}, images_{images}, progress_{progress}, faults_{faults},
        life_{life}, recovery_{recovery}, updates_{updates}, accounts_{accounts}, agenda_{agenda}, records_{records},
        process_draw_{Random{input.faults.seed()}.stream("faults process")}
  {
  }

  /// A waiting task takes a node and begins its start.
  void occupy(int task, int node);
  /// The image is there: the container starts.
  void start(int task);
  /// Its process runs.
  void run(int task);
  /// The work of a unit is done.
  void work_done(int unit);

private:
  void client_done(int unit);
  void end_of_work(int task, bool again);
  bool finds_gpu_memory(int task) const;

  const OrchestrationInput& input_;
  TaskBook& book_;
  Machines& machines_;
  ImagePulls& images_;
  Progress& progress_;
  FaultBook& faults_;
  TaskLife& life_;
  Recovery& recovery_;
  RollingUpdates& updates_;
  Accounts& accounts_;
  Agenda& agenda_;
  Records& records_;
  RandomStream process_draw_;
};

} // namespace trainyard::orchestration
