// SPDX-License-Identifier: Apache-2.0
// The managers of an orchestrator. Private to this folder.
#pragma once
#include "sim/sources/services/recovery.hpp"

#include <vector>

namespace trainyard::orchestration {

/// The managers, on machines of the cluster or on their own, and whether they have a quorum.
class Managers
{
public:
  /// All live as long as this.
  Managers(const OrchestrationInput& input, const Machines& machines, WaitingTasks& waiting, Recovery& recovery,
           Agenda& agenda, Records& records);

  /// One more failure of a manager (+1), or one less (-1).
  void fails(int manager, int sign);
  /// A machine has left or come back.
  void machines_changed();

private:
  void count();

  const OrchestratorRules& rules_;
  const Machines& machines_;
  WaitingTasks& waiting_;
  Recovery& recovery_;
  Agenda& agenda_;
  Records& records_;
  std::vector<int> nodes_; // machines that manage; empty = managers of their own
  std::vector<int> down_;  // failures per manager
};

} // namespace trainyard::orchestration
