// SPDX-License-Identifier: Apache-2.0
// The tasks of all services. Private to this folder.
#pragma once
#include "sim/sources/services/desired_state.hpp"
#include "sim/sources/services/machines.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace trainyard::orchestration {

/// A task of a service's desired state; its instances change, the task stays.
struct Task {
  int service = 0;
  int group = 0;
  int index = 0;
  int unit = 0;
  int request = 0; // number of its NodeRequest
  TaskPhase phase = TaskPhase::absent;
  bool wanted = false;
  int restarts = 0;        // in a row, for backoff and attempts
  std::uint32_t stamp = 0; // events planned for an earlier life are void
  TaskShare share;         // while it holds a node
  bool holds = false;
  bool cut = false;  // it runs, but its node is cut off
  int instance = -1; // its record
  int last_node = -1;
  Instant since{0};        // of the phase
  Instant placed{0};       // of the instance
  Instant lost_at{0};      // when it stopped running
  std::uint64_t order = 0; // among waiting tasks
  int why = -1;
  int update = -1;         // rolling update under way
  std::vector<int> faults; // failures it has not recovered from

  bool runs() const { return phase == TaskPhase::running; }
  bool holds_on(int node) const { return holds && share.node == node; }
};

/// What makes progress together: a whole job, or one task of an independent service.
struct Unit {
  int service = 0;
  std::vector<int> tasks;
  TrainingProgress progress;
  double speed = 0;
  double pace = 0;                 // of one worker: WorkRecord
  std::vector<RunningTask> places; // of its running tasks, where speeds depend on them
  Amount held;                     // of its running tasks
  Instant since{0};                // carried forward to here
  bool state_lost = false;
  bool over = false; // work done, or given up
  std::uint32_t stamp = 0;
  int running = 0; // reachable, last seen: to notice who joins or leaves an elastic job
  int settled = 0; // reachable during the last stretch of time
  int present = 0; // running, reachable or not
  // Of a job with tokens (sync_replicas):
  std::set<int> at_work;        // workers that have found the chief's variables and are reachable
  std::optional<Instant> ready; // since when these are there
  bool chief = false;           // it runs
  bool had_tokens = false;      // it made progress during the last stretch of time
  int tokens_lost = 0;          // with workers that died in a step, and are not back
  bool reads = false;           // counted among the readers of the shared storage
  int readers = 0;
  double input_share = 0; // of its time that goes into waiting for input
  std::size_t client = 0;
  bool has_client = false;
  std::optional<int> visitor; // on links that it shares with others
  Allocation visited;         // its GPUs there
};

/// All tasks and what they belong to. Tasks are never removed; adding one moves them.
class TaskBook
{
public:
  /// @p input lives as long as this.
  explicit TaskBook(const OrchestrationInput& input);

  int size() const { return static_cast<int>(tasks_.size()); }
  Task& task(int number) { return tasks_[static_cast<std::size_t>(number)]; }
  const Task& task(int number) const { return tasks_[static_cast<std::size_t>(number)]; }
  const std::string& name(int task) const { return names_[static_cast<std::size_t>(task)]; }
  const std::vector<std::string>& names() const { return names_; }
  std::optional<int> find(const std::string& name) const;

  std::vector<Unit>& units() { return units_; }
  Unit& unit(int number) { return units_[static_cast<std::size_t>(number)]; }
  const Unit& unit(int number) const { return units_[static_cast<std::size_t>(number)]; }
  Unit& unit_of(int task) { return unit(this->task(task).unit); }

  const ServiceSpec& service(int number) const { return services_[static_cast<std::size_t>(number)]; }
  const ServiceSpec& service_of(const Task& task) const { return service(task.service); }
  const TaskGroupSpec& group_of(const Task& task) const
  {
    return service_of(task).groups[static_cast<std::size_t>(task.group)];
  }
  const NodeRequest& request(int number) const { return requests_[static_cast<std::size_t>(number)]; }
  const NodeRequest& request_of(const Task& task) const { return request(task.request); }

  /// The tasks of a service by group and index.
  const std::vector<std::vector<int>>& slots(int service) const { return slots_[static_cast<std::size_t>(service)]; }
  /// All tasks of a service, group by group.
  std::vector<int> tasks_of(int service) const;
  /// The next task of a group, its number.
  int add(int service, int group, Instant now);
  /// All units of a service are over, and no more come.
  bool service_over(int service) const;

private:
  int request_of_group(int service, int group);

  const std::vector<ServiceSpec>& services_;
  const ClusterShape& shape_;
  std::vector<Task> tasks_;
  std::vector<std::string> names_; // of tasks
  std::map<std::string, int> numbers_;
  std::vector<Unit> units_;
  std::vector<std::vector<std::vector<int>>> slots_;
  std::vector<NodeRequest> requests_;
  std::map<NodeRequest, int> request_numbers_;
};

} // namespace trainyard::orchestration
