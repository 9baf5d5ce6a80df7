// SPDX-License-Identifier: Apache-2.0
// The engine behind orchestrate(), and services beside other sources of work.
//
// Its parts, from the bottom: Agenda, Records · TaskBook, Accounts, FaultBook, WaitingTasks · Progress, ImagePulls,
// RollingUpdates · TaskLife · Orphans, Recovery · TaskRuns, Managers · Placing, Surges · Changes, NodeFailures,
// Failures. A part calls only parts before it.
#pragma once
#include "sim/cluster/kernel.hpp"
#include "sim/sources/services/failures.hpp"
#include "sim/sources/services/task_runs.hpp"

#include <optional>

namespace trainyard::orchestration {

/// Places waiting tasks in order of priority and age: gangs as a whole or not at all; where the orchestrator preempts,
/// lower priorities go.
class Placing : TaskParts
{
public:
  /// All live as long as this.
  Placing(const TaskParts& parts, TaskLife& life, TaskRuns& runs) : TaskParts{parts}, life_{life}, runs_{runs} {}

  /// Places waiting tasks until nothing more fits.
  void decide();
  /// EventKind::tick: the control plane has time again.
  void tick() { tick_planned_ = false; }

private:
  bool is_gang(int task) const;
  bool busy();
  void place(int task, int node);
  bool place_one(int task);
  bool place_gang(int unit);
  bool push_away(int task);

  TaskLife& life_;
  TaskRuns& runs_;
  Instant control_free_{0}; // when the control plane can place the next task
  bool tick_planned_ = false;
  std::map<int, std::vector<int>> pushed_; // by waiting task: those that stop for it
};

/// What the owners of services change: services arrive, get more or fewer replicas, and are updated.
class Changes : TaskParts
{
public:
  /// All live as long as this.
  Changes(const TaskParts& parts, TaskLife& life, Surges& surges) : TaskParts{parts}, life_{life}, surges_{surges} {}

  void arrive(int service);
  /// @p number: of ServiceSpec::scaling.
  void scale(int service, int number);
  /// Replicas follow the rate of requests.
  void follow_rate(int service);
  /// @p number: of ServiceSpec::updates.
  void begin_update(int service, int number);
  void update_batch(int update);

private:
  void scale_to(int service, int group, int replicas);
  void restart_all(int service);

  TaskLife& life_;
  Surges& surges_;
};

/// Goes from event to event: failures first, then what is planned, then placements.
class Engine final : public Source
{
public:
  /// @p shared: machines that others use too; null: its own. Both live as long as this.
  explicit Engine(const OrchestrationInput& input, NodePool* shared = nullptr);
  OrchestrationResult run();

  // As one source of work among others on the same machines.
  std::optional<Instant> next() const override;
  void act(Instant time) override;
  /// Accounts of the whole cluster up to @p time.
  void forward(Instant time) override;
  /// The outcome, with all accounts up to @p ended. Nothing may be called after it.
  OrchestrationResult finish(std::optional<Instant> ended = std::nullopt);
  /// From now on training of services and of others slow each other on links. @p links lives as long as this.
  void share(SharedLinks& links) { progress_.share(links); }

private:
  std::optional<Instant> next_event() const;
  void handle(const Event& event);
  void handle_task(const Event& event);

  const OrchestrationInput& input_;
  const OrchestratorRules& rules_;
  OrchestrationResult result_; // what concerns the whole cluster; the rest comes at the end
  FaultSchedule schedule_;
  Machines machines_;
  Agenda agenda_;
  Records records_{input_.record, agenda_};
  TaskBook book_{input_};
  Accounts accounts_{input_.services, agenda_, records_};
  Books books_{input_, rules_, book_, machines_, accounts_, agenda_, records_};
  FaultBook faults_{books_};
  WaitingTasks waiting_{books_, rules_.placements_per_second > 0};
  Progress progress_{books_};
  ImagePulls images_{books_};
  RollingUpdates updates_{books_};
  TaskParts parts_{books_, faults_, waiting_, progress_, images_, updates_};
  TaskLife life_{parts_};
  Orphans orphans_{parts_, life_};
  Recovery recovery_{parts_, life_, orphans_};
  TaskRuns runs_{parts_, life_, recovery_};
  Managers managers_{parts_, recovery_};
  Placing placing_{parts_, life_, runs_};
  Surges surges_{parts_, life_, runs_};
  Changes changes_{parts_, life_, surges_};
  NodeFailures nodes_{parts_, life_, orphans_, recovery_, surges_, managers_};
  Failures failures_{parts_, schedule_, life_, orphans_, recovery_, surges_, managers_, nodes_};
};

} // namespace trainyard::orchestration
