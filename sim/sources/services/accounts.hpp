// SPDX-License-Identifier: Apache-2.0
// The accounts of services. Private to this folder.
#pragma once
#include "sim/sources/services/records.hpp"
#include "sim/sources/services/task_book.hpp"

#include <vector>

namespace trainyard::orchestration {

/// What each service held and for how long, how many of its tasks run, and whether its work is done.
class Accounts
{
public:
  /// All live as long as this.
  Accounts(const std::vector<ServiceSpec>& services, const Agenda& agenda, Records& records);

  ServiceOutcome& of(int service) { return outcomes_[static_cast<std::size_t>(service)]; }
  /// A container of the service takes a share of a machine, and gives it back.
  void hold(int service, const TaskShare& share);
  void release(int service, const TaskShare& share);
  /// How often a container has taken a share.
  std::int64_t placements() const { return placements_; }
  /// The share was held from @p since to now by a task that did not run yet, or by an orphaned process.
  void starting(int service, const TaskShare& share, Instant since);
  void orphaned(int service, const TaskShare& share, Instant since);

  /// So many more tasks are wanted from now on; may be negative. note() first where some have been wanted before.
  void want(int service, int more);
  void want_none(int service) { want(service, -state(service).desired); }
  /// So many more tasks run; may be negative.
  void run(int service, int more);
  /// Availability up to now, and a point of the series.
  void note(int service);

  /// The service has done its work, or never will.
  void work_over() { --unfinished_; }
  /// The service goes on without end: it does not end the run.
  void goes_on() { endless_ = true; }
  bool endless() const { return endless_; }
  bool all_done() const { return unfinished_ == 0 && !endless_; }

  /// The outcomes up to now, when all that is held has been told. Throws std::logic_error where the parts do not add up
  /// to what was held.
  std::vector<ServiceOutcome> finish(const std::vector<Unit>& units);

private:
  struct State {
    Amount held;
    Instant held_since{0};
    int desired = 0;
    int running = 0;
    Instant noted{0};
  };
  Amount& held(int service);
  State& state(int service) { return states_[static_cast<std::size_t>(service)]; }

  const std::vector<ServiceSpec>& services_;
  const Agenda& agenda_;
  Records& records_;
  std::vector<ServiceOutcome> outcomes_;
  std::vector<State> states_;
  std::int64_t placements_ = 0;
  int unfinished_ = 0; // services with unfinished work
  bool endless_ = false;
};

/// What every part of a run reads and writes. All live as long as the parts.
struct Books {
  const OrchestrationInput& input_;
  const OrchestratorRules& rules_;
  TaskBook& book_;
  Machines& machines_;
  Accounts& accounts_;
  Agenda& agenda_;
  Records& records_;
};

} // namespace trainyard::orchestration
