// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "models/cluster/node_shape.hpp"
#include "models/core/message.hpp"
#include "models/core/random.hpp"
#include "models/orchestration/orchestrator.hpp"
#include "models/orchestration/service.hpp"
#include "sim/cluster/clock.hpp"
#include "sim/cluster/fault_schedule.hpp"
#include "sim/cluster/machine_view.hpp"
#include "sim/sources/services/training_progress.hpp"

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace trainyard {

/// Where a task of a service runs; for speeds.
struct RunningTask {
  int group = 0;
  int index = 0;
  int node = 0;
  std::uint32_t gpu_mask = 0;

  bool operator==(const RunningTask&) const = default;
};

/// How fast a job is at its places, relative to `work`: asked when the set of its running tasks changes. Absent: by the
/// service's own numbers (communication share, scaling exponent, loads).
using JobSpeedRule = std::function<double(int service, std::span<const RunningTask> tasks)>;

/// A step of a service's job at its places, alone.
struct StepThere {
  Seconds time;
  double samples_per_second = 0;
  std::string sample; // "image"
  Message bottleneck;
  Bytes reserved;     // of the GPU of a worker
  double gpu_use = 0; // share of the step in which kernels run on it; of a graph on its busiest GPU
};

/// GPU memory that processes of nobody's hold on a machine from an instant on: `gpu_memory` beside services.
struct MemoryTaken {
  int node = 0;
  int gpu = 0;
  Instant from{0};
  std::string process;
  double MiB = 0;
};

struct OrchestrationInput {
  ClusterShape cluster;              // machines
  std::vector<MachineTraits> traits; // one per machine
  OrchestratorRules rules;
  std::vector<ServiceSpec> services;
  FaultSchedule faults;
  BytesPerSecond registry;  // image pulls of all nodes together; 0 = no limit
  BytesPerSecond node_pull; // of one node; 0 = no limit
  BytesPerSecond storage;   // shared by all who read input from it; 0 = no limit
  Instant until{0};         // 0: until all work is done
  JobSpeedRule speed;
  /// Of a service that trains a job: its step where its tasks were when it trained last; nothing where it never did.
  std::function<std::optional<StepThere>(int service)> last_step;
  /// The same at these places; for what is told of a run after it.
  std::function<std::optional<StepThere>(int service, std::span<const RunningTask> tasks)> step_at;
  std::vector<MemoryTaken> taken; // in order of time
  /// What a task of a service takes of each of its GPUs where it trains a job; 0: nobody says.
  std::function<Bytes(int service)> takes;
  bool record = true; // instances, intervals, log and series; accounts are always kept
};

enum class TaskPhase : std::uint8_t {
  absent,    // not submitted, or not wanted
  waiting,   // for a node that fits
  backoff,   // for the delay of a restart
  unnoticed, // dead, and the orchestrator does not know yet
  evicting,  // known to be lost, not yet replaced
  pulling,
  starting,
  running,
  stopping,
  finished, // normal end
  gone,     // will not come back
};

Message message_of(TaskPhase phase);
std::string to_text(TaskPhase phase);

/// Why an instance ended.
enum class EndReason : std::uint8_t {
  runs,
  finished,
  crashed,
  node_lost,
  cut_off,
  daemon,
  updated,
  scaled_down,
  preempted,
  job_ended,
  gpu_lost,
  out_of_gpu_memory
};

std::string to_text(EndReason reason);

/// One container or process from its placement to its end: a row of placement.csv.
struct InstanceRecord {
  int task = 0;
  int node = 0;
  std::uint32_t gpu_mask = 0; // GPUs of the host, in the container 0, 1…
  int gpu_milli = 1000;       // of each
  Instant placed{0};
  Instant pulled{0};
  Instant running{-1}; // -1: never ran
  Instant ended{-1};   // -1: to the end of the run
  EndReason reason = EndReason::runs;
};

/// What a unit of tasks does from an instant on: all tasks of a job, or one task of a service of independent ones.
struct WorkRecord {
  Instant from{0};
  double pace = 0;                 // of a worker's steps, relative to those alone at its places; 0: it does not work
  std::vector<RunningTask> places; // where the input asks for speeds

  bool like(const WorkRecord& other) const { return pace == other.pace && places == other.places; }
};

/// A part of a task's life, for simrun explain.
struct PhaseRecord {
  int task = 0;
  Instant from{0};
  Instant to{0};
  TaskPhase phase = TaskPhase::absent;
  int node = -1;
  int why = -1; // index of reasons
};

/// The effects of one failure.
struct FaultOutcome {
  FaultEvent event;
  Instant ended{-1};     // repaired; -1: not within the run
  Instant detected{-1};  // -1: never noticed
  Instant evicted{-1};   // replacements ordered; -1: none
  Instant recovered{-1}; // all tasks it hit run again (or have ended); -1: not within the run
  int tasks_hit = 0;
  int open = 0; // of them, not yet back
  int never_back = 0;
  Instant redone{0}; // computing time lost, summed over jobs
  AmountTime redone_gpu;
  Instant worst_outage{0};   // longest time a task it hit was away
  std::vector<int> moved_to; // nodes of the replacements, in order
};

struct LogEntry {
  Instant time{0};
  std::string text;
};

/// Replicas of a service after a change.
struct SeriesPoint {
  Instant time{0};
  int service = 0;
  int desired = 0;
  int running = 0;
};

/// What a service held, and where the time went. GPU, CPU and memory times are exact; the parts of `held` add up to it.
struct ServiceOutcome {
  Instant first_running{-1}; // all its tasks for the first time; of an elastic job, as many as it needs
  Instant finished{-1};      // all its work
  bool failed = false;       // a job that will never finish
  AmountTime held;
  AmountTime starting;    // held by tasks that do not run yet
  AmountTime orphaned;    // held by orphaned processes
  TimeParts parts;        // of running tasks; the times are summed over units of progress
  Instant input_wait{0};  // of its time, for the shared storage
  Instant redeploying{0}; // machines that were given another framework
  int restarts = 0;
  int moves = 0;         // restarts on another node
  Instant full{0};       // time with all wanted replicas running, since first_running
  Instant since{0};      // how long that was observed
  Wide replica_time = 0; // running replicas × µs since first_running
  Wide desired_time = 0;
  Seconds done;                                     // work, s at speed 1
  std::vector<std::pair<Instant, Instant>> clients; // start and end of each client's work; end -1 = not done
};

struct OrchestrationResult {
  Instant ended{0};
  std::vector<ServiceOutcome> services;
  std::vector<std::string> task_names;
  std::vector<int> task_service;
  std::vector<int> task_group;
  std::vector<int> task_unit;
  std::vector<TaskPhase> task_phase; // at the end
  Messages reasons;                  // why tasks waited or were lost; PhaseRecord::why
  std::vector<InstanceRecord> instances;
  std::vector<std::vector<WorkRecord>> work; // by unit
  std::vector<PhaseRecord> phases;
  std::vector<FaultOutcome> faults;
  std::vector<LogEntry> log;
  std::vector<SeriesPoint> series;
  std::vector<double> disk_left; // by node: bytes that ended containers leave behind
  AmountTime capacity;           // of all machines × time
  AmountTime idle;               // up and not held
  AmountTime elsewhere;          // held by other sources of work on the same machines
  AmountTime down;               // on machines that are down or have not joined yet, and not held
  std::int64_t events = 0;
  std::int64_t placements = 0;
  Messages warnings;
};

/// Runs services on machines under an orchestrator, with failures, until all work is done or `until`.
///
/// Events in (time, insertion) order; at one instant repairs and failures come first in the order of the schedule, then
/// what was planned earlier, then placements. Equal rules give equal results whatever the orchestrator's name. Throws
/// std::invalid_argument for input that the checks of the runner should have refused; std::logic_error where an account
/// does not add up (our bug).
OrchestrationResult orchestrate(const OrchestrationInput& input);

} // namespace trainyard
