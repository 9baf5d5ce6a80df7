// SPDX-License-Identifier: Apache-2.0
// What a run writes down. Private to this folder.
#pragma once
#include "sim/cluster/resources.hpp"
#include "sim/sources/services/agenda.hpp"
#include "sim/sources/services/desired_state.hpp"

#include <map>
#include <string>
#include <vector>

namespace trainyard::orchestration {

/// The log, the instances and phases of tasks, the series of replicas, and why tasks waited.
class Records
{
public:
  /// Not @p on: only the texts of reasons are kept.
  Records(bool on, const Agenda& agenda) : on_{on}, agenda_{agenda} {}

  bool on() const { return on_; }
  /// Its number: PhaseRecord::why.
  int reason(const Message& why);
  /// Returns the number of the line.
  std::size_t log(const std::string& text);
  void rewrite(std::size_t line, const std::string& text);

  /// An instance begins; its number, -1 where nothing is recorded. The others take that number.
  int instance(int task, const TaskShare& share, Instant pulled);
  void instance_pulled(int instance);
  void instance_runs(int instance);
  void instance_ends(int instance, EndReason reason);
  /// A phase of a task up to now; @p node: -1 where it held none.
  void phase(int task, Instant from, TaskPhase phase, int node, int why);
  /// What a unit does from then on; not before now.
  void work(int unit, WorkRecord record);
  void replicas(int service, int desired, int running);

  /// Moves all of it into the result.
  void give_to(OrchestrationResult& result);

private:
  bool on_;
  const Agenda& agenda_;
  std::map<std::string, int> reason_numbers_;
  Messages reasons_;
  std::vector<LogEntry> log_;
  std::vector<InstanceRecord> instances_;
  std::vector<std::vector<WorkRecord>> work_; // by unit
  std::vector<PhaseRecord> phases_;
  std::vector<SeriesPoint> series_;
};

} // namespace trainyard::orchestration
