// SPDX-License-Identifier: Apache-2.0
// The failures of a run. Private to this folder.
#pragma once
#include "sim/sources/services/accounts.hpp"

#include <vector>

namespace trainyard::orchestration {

/// What each failure did to tasks, and when they were back. A task answers for the last failure that hit it.
class FaultBook : Books
{
public:
  /// All live as long as this.
  explicit FaultBook(const Books& books) : Books{books} {}

  /// A failure happens; its number.
  int begin(const FaultEvent& event);
  const FaultEvent& event(int fault) const { return outcomes_[static_cast<std::size_t>(fault)].event; }
  /// The last failure that hit the task; -1: none, or it has recovered.
  static int last(const Task& task) { return task.faults.empty() ? -1 : task.faults.back(); }
  void repaired(int fault) { at(fault).ended = agenda_.now(); }

  /// @p fault: -1 where no failure did it.
  void hit(int task, int fault);
  /// The orchestrator knows of the failure from @p when on. @p fault: -1 where there was none.
  void detected(int fault, Instant when);
  /// The replacement of the task is ordered; it goes to a node; so much computing has to be done again.
  void ordered(const Task& task);
  void moved(const Task& task, int node);
  void redone(const Task& task, Instant time, const Amount& held);
  /// The task runs again or has no more to do; or it never comes back.
  void back(int task);
  void never_back(Task& task);

  /// Failures in a row that hit nothing.
  int quiet() const { return quiet_; }
  /// All failures, those that ended by themselves included; their lines in the log say what came of them.
  std::vector<FaultOutcome> finish();

private:
  FaultOutcome& at(int fault) { return outcomes_[static_cast<std::size_t>(fault)]; }
  std::string words(const FaultOutcome& outcome) const;

  std::vector<FaultOutcome> outcomes_;
  std::vector<std::size_t> lines_; // of the log, by failure
  int quiet_ = 0;
};

} // namespace trainyard::orchestration
