// SPDX-License-Identifier: Apache-2.0
// The failures of a run. Private to this folder.
#pragma once
#include "sim/sources/services/node_failures.hpp"

#include <map>
#include <utility>
#include <vector>

namespace trainyard::orchestration {

/// What fails, what that hits, and when it works again.
class Failures
{
public:
  /// All live as long as this.
  Failures(const FaultSchedule& schedule, TaskBook& book, Machines& machines, Progress& progress, FaultBook& faults,
           TaskLife& life, Orphans& orphans, Recovery& recovery, Surges& surges, Managers& managers,
           NodeFailures& nodes, Agenda& agenda, Records& records)
      : schedule_{schedule}, book_{book}, machines_{machines}, progress_{progress}, faults_{faults}, life_{life},
        orphans_{orphans}, recovery_{recovery}, surges_{surges}, managers_{managers}, nodes_{nodes}, agenda_{agenda},
        records_{records}
  {
  }

  void begin(const FaultEvent& event);
  void repair(int fault);

private:
  void gpu_fails(int node, int gpu, int fault);
  void slow_link(int node);

  const FaultSchedule& schedule_;
  TaskBook& book_;
  Machines& machines_;
  Progress& progress_;
  FaultBook& faults_;
  TaskLife& life_;
  Orphans& orphans_;
  Recovery& recovery_;
  Surges& surges_;
  Managers& managers_;
  NodeFailures& nodes_;
  Agenda& agenda_;
  Records& records_;
  std::map<std::pair<int, int>, int> broken_;                     // (node, GPU) -> failures
  std::map<int, std::vector<std::pair<int, double>>> slow_links_; // node -> (failure, what is left)
};

} // namespace trainyard::orchestration
