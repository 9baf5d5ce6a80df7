// SPDX-License-Identifier: Apache-2.0
// The engine behind orchestrate(). Private to this folder.
//
// Its parts, from the bottom: Agenda, Records · TaskBook, Accounts, FaultBook, WaitingTasks · Progress, ImagePulls,
// RollingUpdates · TaskLife · Orphans, Recovery · TaskRuns, Managers · Placing, Surges · Changes, NodeFailures,
// Failures. A part calls only parts before it.
#pragma once
#include "sim/sources/services/changes.hpp"
#include "sim/sources/services/failures.hpp"
#include "sim/sources/services/placing.hpp"

#include <optional>

namespace trainyard::orchestration {

/// Goes from event to event: failures first, then what is planned, then placements.
class Engine
{
public:
  /// @p shared: machines that others use too; null: its own. Both live as long as this.
  explicit Engine(const OrchestrationInput& input, NodePool* shared = nullptr);
  OrchestrationResult run();

  // Event by event: the time of the next one, everything of one instant, the end.
  std::optional<Micros> next() const;
  void act(Micros time);
  OrchestrationResult finish(std::optional<Micros> ended = std::nullopt);
  /// Accounts of the whole cluster up to @p time.
  void forward(Micros time);
  /// Tasks wait, and others have given something back.
  bool may_place() const { return machines_.may_have_gained() && !waiting_.empty(); }

private:
  void handle(const Event& event);
  void handle_task(const Event& event);

  const OrchestrationInput& input_;
  OrchestrationResult result_; // what concerns the whole cluster; the rest comes at the end
  FaultSchedule schedule_;
  Machines machines_;
  Agenda agenda_;
  Records records_;
  TaskBook book_;
  Accounts accounts_;
  FaultBook faults_;
  WaitingTasks waiting_;
  Progress progress_;
  ImagePulls images_;
  RollingUpdates updates_;
  TaskLife life_;
  Orphans orphans_;
  Recovery recovery_;
  TaskRuns runs_;
  Managers managers_;
  Placing placing_;
  Surges surges_;
  Changes changes_;
  NodeFailures nodes_;
  Failures failures_;
};

} // namespace trainyard::orchestration
