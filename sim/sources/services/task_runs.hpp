// SPDX-License-Identifier: Apache-2.0
// Tasks on their nodes. Private to this folder.
#pragma once
#include "sim/sources/services/image_pulls.hpp"
#include "sim/sources/services/records.hpp"
#include "sim/sources/services/recovery.hpp"
#include "sim/sources/services/task_book.hpp"

#include <vector>

namespace trainyard::orchestration {

/// The rolling updates under way: which tasks are to be updated, batch after batch.
class RollingUpdates
{
public:
  /// All live as long as this.
  RollingUpdates(const OrchestratorRules& rules, TaskBook& book, Agenda& agenda, Records& records)
      : rules_{rules}, book_{book}, agenda_{agenda}, records_{records}
  {
  }

  /// Begins an update of all tasks of the service; its number.
  int begin(int service, const UpdateSpec& spec);
  /// The next tasks to update at once; none: the update is done.
  std::vector<int> next_batch(int update);
  /// Whether new instances start before the old ones stop.
  bool start_first(int update) const;
  /// A task of an update runs in its new form, or stays as it was; after the last of a batch the next one is planned.
  void updated(int task);

private:
  struct Update {
    int service = 0;
    UpdateSpec spec;
    std::vector<int> tasks;
    std::size_t next = 0;
    int under_way = 0;
    Instant began{0};
  };
  void log_done(const Update& update);

  const OrchestratorRules& rules_;
  TaskBook& book_;
  Agenda& agenda_;
  Records& records_;
  std::vector<Update> updates_;
};

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
  bool finds_room_beside_others(int task) const;

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
