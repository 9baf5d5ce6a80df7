// SPDX-License-Identifier: Apache-2.0
// Rolling updates. Private to this folder.
#pragma once
#include "sim/sources/services/records.hpp"
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

} // namespace trainyard::orchestration
