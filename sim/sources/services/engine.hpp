// SPDX-License-Identifier: Apache-2.0
// The engine behind orchestrate(): one class over several files. Private to this folder.
#pragma once
#include "sim/cluster/speed/shared_links.hpp"
#include "sim/sources/services/desired_state.hpp"
#include "sim/sources/services/machines.hpp"

#include <cstdint>
#include <deque>
#include <limits>
#include <map>
#include <optional>
#include <queue>
#include <set>
#include <tuple>
#include <vector>

namespace trainyard::orchestration {

/// A task of a service's desired state; its instances change, the task stays.
struct Task {
  int service = 0;
  int group = 0;
  int index = 0;
  int unit = 0;
  int request = 0; // index of Engine::requests_
  TaskPhase phase = TaskPhase::absent;
  bool wanted = false;
  int restarts = 0;        // in a row, for backoff and attempts
  std::uint32_t stamp = 0; // events planned for an earlier life are void
  TaskShare share;         // while it holds a node
  bool holds = false;
  bool cut = false;  // it runs, but its node is cut off
  int instance = -1; // its record
  int last_node = -1;
  Micros since{0};         // of the phase
  Micros placed{0};        // of the instance
  Micros lost_at{0};       // when it stopped running
  std::uint64_t order = 0; // among waiting tasks
  int why = -1;
  int update = -1;         // rolling update under way
  std::vector<int> faults; // failures it has not recovered from
};

/// What makes progress together: a whole job, or one task of an independent service.
struct Unit {
  int service = 0;
  std::vector<int> tasks;
  TrainingProgress progress;
  double speed = 0;
  Amount held;     // of its running tasks
  Micros since{0}; // carried forward to here
  bool state_lost = false;
  bool over = false; // work done, or given up
  std::uint32_t stamp = 0;
  int running = 0;    // reachable, last seen: to notice who joins or leaves an elastic job
  int settled = 0;    // reachable during the last stretch of time
  int present = 0;    // running, reachable or not
  bool reads = false; // counted among the readers of the shared storage
  double need = 0;    // of its readers, bytes/s each
  int readers = 0;
  double input_share = 0; // of its time that goes into waiting for input
  std::size_t client = 0;
  bool has_client = false;
  std::optional<int> visitor; // on links that it shares with others
  Allocation visited;         // its GPUs there
};

enum class EventKind : std::uint8_t {
  arrival,
  repair,
  detect,
  evict,
  notice,
  ready,
  pulled,
  running,
  stopped,
  finished,
  tick,
  update,
  update_batch,
  scale,
  rate,
  client,
  join,
  cleanup,
  crash,
  update_swap
};

struct Event {
  Micros time{0};
  std::uint64_t order = 0;
  EventKind kind = EventKind::arrival;
  int subject = 0;
  std::uint32_t stamp = 0;
  int detail = 0;

  bool operator>(const Event& other) const { return std::tuple{time, order} > std::tuple{other.time, other.order}; }
};

/// Processes that keep running although their job has ended.
struct Orphan {
  int task = 0;
  int instance = -1;
  TaskShare share;
  Micros since{0};
  bool over = false;
};

struct Pull {
  int node = 0;
  int image = 0;
  double left = 0; // bytes
  double rate = 0;
  std::vector<std::pair<int, std::uint32_t>> tasks; // that wait for it, with their stamps
};

struct RollingUpdate {
  int service = 0;
  UpdateSpec spec;
  std::vector<int> tasks;
  std::size_t next = 0;
  int under_way = 0;
  Micros began{0};
};

/// A new instance that is started before the old one of the same task stops.
struct Surge {
  int task = 0;
  int update = 0;
  int instance = -1;
  TaskShare share;
  Micros placed{0};
  bool over = false;
};

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
  void forward(Micros time);
  bool all_done() const;
  /// Tasks wait, and others have given something back.
  bool may_place() const { return machines_.may_have_gained() && !active_.empty(); }
  /// From now on training of services and of others slow each other on links. @p links lives as long as this.
  void share(SharedLinks& links) { links_ = &links; }
  bool links_changed() const { return links_ != nullptr && links_->changes() != links_seen_; }

private:
  // engine.cpp: clock and events
  void plan(Micros time, EventKind kind, int subject, std::uint32_t stamp = 0, int detail = 0);
  void handle(const Event& event);
  int reason(const std::string& text);
  void log(const std::string& text);
  std::string name(int task) const { return result_.task_names[static_cast<std::size_t>(task)]; }
  const ServiceSpec& service_of(const Task& task) const
  {
    return input_.services[static_cast<std::size_t>(task.service)];
  }
  Task& task_at(int task) { return tasks_[static_cast<std::size_t>(task)]; }
  ServiceOutcome& outcome_of(const Task& task) { return result_.services[static_cast<std::size_t>(task.service)]; }
  static Amount amount_of(const TaskShare& share);

  // task_life.cpp: from the service that wants a task to its end
  void arrive(int service);
  void set_phase(int task, TaskPhase phase, int why = -1);
  void enqueue(int task);
  void unqueue(int task);
  void occupy(int task, int node);
  void started(int task);
  void running(int task);
  void end_instance(int task, EndReason reason);
  void burden(const Task& task, int sign);
  void stop(int task, EndReason reason, TaskPhase next);
  void lose(int task, EndReason reason);
  void finished(int unit);
  void give_up(int task, const std::string& why);
  bool service_over(int service) const;
  void note_series(int service);
  int add_task(int service, int group, int index);
  int request_of_group(int service, int group);

  // units.cpp: progress of jobs
  void carry(int unit);
  void refresh(int unit);
  void refresh_all();
  double speed_of(Unit& unit);
  // shared_links.cpp
  double share_of_links(Unit& unit, std::span<const RunningTask> places);
  void leave_links(Unit& unit);
  void follow_links();
  double task_speed(const Task& task, bool alone) const;
  bool storage_of(const Unit& unit) const;
  void share_storage();
  void refresh_node(int node);
  void next_client(int unit);
  std::string restart_rule(const ServiceSpec& service) const;

  // placing.cpp: which task goes to which node
  void decide();
  bool place_one(int task);
  bool place_gang(int unit);
  bool is_gang(int task) const;
  bool push_away(int task);
  bool may_decide() const { return quorum_; }
  int blocked_reason(int task);
  void split_phase(int task, int why);
  void update_reasons();
  void told(int request, int why);

  // failing.cpp: failures and their detection
  void fault(const FaultEvent& event);
  void repair(int fault);
  void node_down(int node, int fault, EndReason reason);
  void node_up(int node);
  void detect(int node, std::uint32_t epoch);
  void evict(int node, std::uint32_t epoch);
  void node_lost_task(int task, EndReason reason, int fault);
  void slow_link(int node);
  void fault_words(int fault);
  void hit(int task, int fault);
  void quorum_changed();

  // recovering.cpp: how tasks that failures hit recover
  void crash(int task, EndReason reason, int fault);
  void restart_in_place(int task, EndReason reason);
  void replace(int task, const std::string& why);
  void notice(int task, bool boots = false);
  void job_lost_rank(int unit, int task);
  void ordered(const Task& task);
  void back(int task);
  bool may_move(const ServiceSpec& service) const;
  bool may_restart(const Task& task) const;
  Micros restart_delay(const Task& task) const;
  void drop_orphans(int node);
  void release_orphan(Orphan& orphan, EndReason reason);
  void give_back(const TaskShare& share, int task, int instance, EndReason reason);

  // changing.cpp: images, updates, scaling
  void pull(int task, int image);
  void carry_pulls();
  void plan_pulls();
  void pulls_done();
  void begin_update(int service, int number);
  void update_batch(int update);
  void updated(int task);
  void swap_surge(int surge);
  void scale(int service, int group, int replicas);
  void follow_rate(int service);
  void restart_all(int service, EndReason reason);
  void begin_stop(int task, EndReason reason);
  void cancel_surge(Surge& surge);
  bool start_surge(int task, int update);
  void drop_pulls(int node);

  const OrchestrationInput& input_;
  const OrchestratorRules& rules_;
  OrchestrationResult result_;
  Machines machines_;
  Micros now_{0};
  Micros until_{0};
  std::uint64_t order_ = 0;
  std::uint64_t waiting_order_ = 0;
  std::priority_queue<Event, std::vector<Event>, std::greater<>> events_;
  FaultSchedule schedule_;
  std::vector<Task> tasks_;
  std::vector<Unit> units_;
  std::vector<std::vector<std::vector<int>>> slots_; // service, group, index -> task
  std::map<std::string, int> task_numbers_;
  std::map<std::string, int> gpu_types_;
  std::vector<NodeRequest> requests_;
  std::map<NodeRequest, int> request_numbers_;
  struct Waiting {
    std::set<std::tuple<double, std::uint64_t, int>> tasks; // -priority, order, task
    std::size_t seen = SIZE_MAX; // gains known when it last fitted nowhere; SIZE_MAX = not tried
    int why = -1;
  };
  std::vector<Waiting> waiting_;         // by request
  std::map<int, std::size_t> gang_seen_; // by unit: gains known when it last fitted nowhere
  std::size_t changes_ = 0;
  std::map<std::string, int> reason_numbers_;
  std::map<std::string, int> images_;
  std::deque<Pull> pulls_;
  Micros pulls_since_{0};
  std::uint32_t pulls_stamp_ = 0;
  std::vector<RollingUpdate> updates_;
  std::vector<Surge> surges_;
  std::vector<Orphan> orphans_;
  std::vector<int> managers_down_; // failures per manager
  std::vector<int> manager_nodes_; // machines that manage; empty = managers of their own
  bool quorum_ = true;
  int storage_down_ = 0;
  int object_store_down_ = 0;
  Micros control_free_{0};
  bool tick_planned_ = false;
  std::vector<int> unnoticed_; // tasks that died while there was no quorum
  RandomStream process_draw_{1};
  std::vector<Amount> held_;       // by service
  std::vector<Micros> held_since_; // by service
  std::vector<int> desired_, running_;
  std::vector<Micros> series_since_;
  std::vector<int> fault_of_node_; // last failure that took it down
  int unfinished_ = 0;             // services with unfinished work
  bool endless_ = false;
  int quiet_faults_ = 0;                      // failures in a row that hit nothing
  std::set<int> burdened_;                    // nodes where a task began or stopped to slow down others
  std::set<int> active_;                      // requests with waiting tasks
  std::map<std::pair<int, int>, int> broken_; // (node, GPU) -> failures
  std::map<int, std::vector<std::pair<int, double>>> slow_links_; // node -> (failure, what is left)
  std::vector<std::size_t> fault_log_;                            // line of each failure in the log
  std::vector<int> waits_for_node_; // tasks whose restart policy needs their own node back
  double storage_level_ = std::numeric_limits<double>::infinity(); // bytes/s that a reader gets at most
  bool sharing_ = false;
  bool reasons_stale_ = false;   // machines have left or joined since reasons were recorded
  SharedLinks* links_ = nullptr; // null: nobody else is on the links
  std::uint64_t links_seen_ = 0;
};

} // namespace trainyard::orchestration
