// SPDX-License-Identifier: Apache-2.0
// The engine behind orchestrate(). Private to this folder.
//
// Its parts, from the bottom: Agenda, Records · TaskBook, Accounts, FaultBook, WaitingTasks · Progress, ImagePulls,
// RollingUpdates · TaskLife · Orphans, Recovery · TaskRuns, Managers · Placing, Surges · Changes, NodeFailures,
// Failures. A part calls only parts before it.
#pragma once
#include "sim/sources/services/failures.hpp"
#include "sim/sources/services/surges.hpp"
#include "sim/sources/services/task_runs.hpp"

#include <optional>

namespace trainyard::orchestration {

/// Places waiting tasks in order of priority and age: gangs as a whole or not at all; where the orchestrator preempts,
/// lower priorities go.
class Placing
{
public:
  /// All live as long as this.
  Placing(const OrchestratorRules& rules, TaskBook& book, Machines& machines, WaitingTasks& waiting, TaskLife& life,
          TaskRuns& runs, Agenda& agenda, Records& records)
      : rules_{rules}, book_{book}, machines_{machines}, waiting_{waiting}, life_{life}, runs_{runs}, agenda_{agenda},
        records_{records}
  {
  }

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

  const OrchestratorRules& rules_;
  TaskBook& book_;
  Machines& machines_;
  WaitingTasks& waiting_;
  TaskLife& life_;
  TaskRuns& runs_;
  Agenda& agenda_;
  Records& records_;
  Instant control_free_{0}; // when the control plane can place the next task
  bool tick_planned_ = false;
};

/// What the owners of services change: services arrive, get more or fewer replicas, and are updated.
class Changes
{
public:
  /// All live as long as this.
  Changes(TaskBook& book, const WaitingTasks& waiting, Progress& progress, TaskLife& life, Surges& surges,
          RollingUpdates& updates, Accounts& accounts, Agenda& agenda, Records& records)
      : book_{book}, waiting_{waiting}, progress_{progress}, life_{life}, surges_{surges}, updates_{updates},
        accounts_{accounts}, agenda_{agenda}, records_{records}
  {
  }

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

  TaskBook& book_;
  const WaitingTasks& waiting_;
  Progress& progress_;
  TaskLife& life_;
  Surges& surges_;
  RollingUpdates& updates_;
  Accounts& accounts_;
  Agenda& agenda_;
  Records& records_;
};

/// Goes from event to event: failures first, then what is planned, then placements.
class Engine
{
public:
  /// @p shared: machines that others use too; null: its own. Both live as long as this.
  explicit Engine(const OrchestrationInput& input, NodePool* shared = nullptr);
  OrchestrationResult run();

  // Event by event: the time of the next one, everything of one instant, the end.
  std::optional<Instant> next() const;
  void act(Instant time);
  OrchestrationResult finish(std::optional<Instant> ended = std::nullopt);
  /// Accounts of the whole cluster up to @p time.
  void forward(Instant time);
  /// Tasks wait, and others have given something back.
  bool may_place() const { return machines_.may_have_gained() && !waiting_.empty(); }
  /// From now on training of services and of others slow each other on links. @p links lives as long as this.
  void share(SharedLinks& links) { progress_.share(links); }
  bool links_changed() const { return progress_.links_changed(); }

private:
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
  FaultBook faults_{book_, machines_, agenda_, records_};
  WaitingTasks waiting_{book_, machines_, rules_.placements_per_second > 0, agenda_, records_};
  Progress progress_{input_, book_, machines_, accounts_, agenda_, records_};
  ImagePulls images_{input_, book_, machines_, agenda_};
  RollingUpdates updates_{rules_, book_, agenda_, records_};
  TaskLife life_{rules_, book_, machines_, waiting_, progress_, faults_, accounts_, agenda_, records_};
  Orphans orphans_{book_, progress_, life_, accounts_, agenda_};
  Recovery recovery_{rules_, book_,    machines_, waiting_, progress_, faults_,
                     life_,  orphans_, accounts_, agenda_,  records_};
  TaskRuns runs_{input_, book_,     machines_, images_,   progress_, faults_,
                 life_,  recovery_, updates_,  accounts_, agenda_,   records_};
  Managers managers_{input_, machines_, waiting_, recovery_, agenda_, records_};
  Placing placing_{rules_, book_, machines_, waiting_, life_, runs_, agenda_, records_};
  Surges surges_{rules_, book_, machines_, images_, life_, runs_, updates_, accounts_, agenda_, records_};
  Changes changes_{book_, waiting_, progress_, life_, surges_, updates_, accounts_, agenda_, records_};
  NodeFailures nodes_{rules_,   book_,     machines_, images_,   waiting_,  progress_, faults_, life_,
                      orphans_, recovery_, surges_,   managers_, accounts_, agenda_,   records_};
  Failures failures_{schedule_, book_,   machines_, progress_, faults_, life_,   orphans_,
                     recovery_, surges_, managers_, nodes_,    agenda_, records_};
};

} // namespace trainyard::orchestration
