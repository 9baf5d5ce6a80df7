// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "models/core/instant.hpp"

#include <compare>
#include <cstdint>
#include <limits>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

namespace trainyard {

struct BatchRules;
struct KueueRules;
class GoodputTables;

/// A job of a workload: its position in submission order.
struct JobId {
  int index = -1;
  auto operator<=>(const JobId&) const = default;
  explicit operator bool() const { return index >= 0; }
};

/// Strings that repeat (users, teams, models), stored once; index 0 is the empty name.
class NameTable
{
public:
  NameTable() { index_of(""); }
  /// The index of @p name, added where it is new.
  int index_of(std::string_view name);
  const std::string& name(int index) const { return names_[static_cast<std::size_t>(index)]; }
  int size() const { return static_cast<int>(names_.size()); }

private:
  std::vector<std::string> names_;
  std::map<std::string, int, std::less<>> indices_;
};

/// Which machines a job may go to, and which it would rather go to (Kubernetes' tolerations, node selector and node
/// affinity).
struct NodeDemands {
  std::vector<std::pair<std::string, std::string>>
      tolerations;                   // (key, value) of taints; empty key: all; empty value: any
  std::vector<std::string> required; // labels "key=value"; a machine without one of them is refused
  std::vector<std::string> any_of;   // a machine with none of these labels is refused; empty: no matter
  std::vector<std::pair<std::string, double>> preferred; // label, weight 1..100
};

/// Equal tasks of a job that also has others: its master, its launcher, its workers (a pod set of Kueue). Each is on
/// one machine, with whole GPUs.
struct TaskGroup {
  std::string role;
  int count = 1;
  int gpus = 0; // as all that follows: of each task
  int cpu_milli = 0;
  int memory_mib = 0;
  int gpu_type = -1; // in Workload::gpu_types; -1 = any
  int demands = 0;   // in Workload::demands
  bool operator==(const TaskGroup&) const = default;
};

/// One job as a scheduler sees it. Small, because a workload may have 10^7 of them.
///
/// A job asks for a gang: `tasks` tasks of `gpus / tasks` GPUs each; with `tasks` = 0 its GPUs may be split over
/// machines in any way. A job of unlike tasks has no `tasks` but a list of them, and its GPUs, CPU and memory are sums.
struct TraceJob {
  Instant submit;                // since the start of the workload
  Instant duration;              // true run time at speed 1, without waiting
  Instant estimate;              // what the user says it takes; policies plan with this
  Instant deadline{end_of_time}; // wanted end, since the start of the workload
  int gpus = 1;                  // of the whole gang
  int tasks = 0;                 // 0: GPUs may be split freely
  int gpu_milli = 1000;          // of each GPU; 1000 = a whole GPU, less only where gpus = 1
  int cpu_milli = 0;             // of each task
  int memory_mib = 0;            // of each task
  int min_gpus = 0;              // elastic jobs: run with min_gpus..max_gpus; 0 = gpus
  int max_gpus = 0;
  float priority = 0;               // higher is more important
  float weight = 1;                 // of fairness
  int user = 0;                     // in Workload::users
  int team = 0;                     // in Workload::teams: department, virtual cluster
  int queue = 0;                    // in Workload::queues: partition, virtual cluster
  int model = 0;                    // in Workload::models
  int gpu_type = -1;                // demanded type, index in Workload::gpu_types; -1 = any
  int demands = 0;                  // in Workload::demands
  int gpu_memory_mib = 0;           // it needs on each of its GPUs; 0 = not known: it never runs out
  int compute_milli = 0;            // of each GPU's time that it would use if alone there; 0 = gpu_milli
  int task_list = 0;                // its unlike tasks, in Workload::task_lists; 0: its tasks are equal
  std::int64_t row = 0;             // line of the trace file it came from
  bool distinct_nodes = false;      // every task on another machine
  std::int16_t reference_type = -1; // type that `duration` was measured on, in Workload::gpu_types; -1: the workload's
  std::int16_t qos = 0;             // in Workload::qos
  std::int16_t reservation = 0;     // in Workload::reservations
  int array = 0;                    // in Workload::arrays; 0 = none
  int sizes = 0;                    // elastic jobs: in Workload::sizes

  int smallest_gpus() const { return min_gpus > 0 ? min_gpus : gpus; }
  int largest_gpus() const { return max_gpus > 0 ? max_gpus : gpus; }
  bool elastic() const { return smallest_gpus() < largest_gpus(); }
};

/// A number of GPUs on which an elastic job can run that does not run on every number.
struct JobSize {
  int gpus = 0;
  Seconds save; // its checkpoint, beside what every job of the queue pays for a stop and a start
  Seconds load;
  double speed = 0; // as it is planned, 1 = on the GPUs that it asks for; 0: not known
};

/// Jobs in order of submission, and what their indices mean.
struct Workload {
  std::string source;
  std::vector<TraceJob> jobs;
  std::vector<std::string> job_names; // empty, or one per job
  NameTable users;
  NameTable teams;
  NameTable queues;
  NameTable models;
  NameTable qos;
  NameTable reservations;
  NameTable arrays;                    // of jobs
  std::vector<int> array_limits = {0}; // of each of them: how many of its jobs may run at once; 0 = all
  /// What a batch system allows; null: nothing is said of it.
  std::shared_ptr<const BatchRules> rules;
  /// Quotas of Kueue; null: one queue that has the whole cluster.
  std::shared_ptr<const KueueRules> kueue;
  /// Goodput by model and type of GPU (batch_goodput.hpp); null: of none.
  std::shared_ptr<const GoodputTables> goodput;
  std::vector<NodeDemands> demands = {NodeDemands{}}; // the first: any machine without a taint
  /// Of elastic jobs, ascending; the first: every number of GPUs will do.
  std::vector<std::vector<JobSize>> sizes = {{}};
  /// Of jobs whose tasks are not equal; the first: of none.
  std::vector<std::vector<TaskGroup>> task_lists = {{}};
  std::vector<std::string> gpu_types; // same order as ClusterShape::gpu_types once bound to a cluster
  /// (waits, for): the first job cannot start before the second has ended.
  std::vector<std::pair<JobId, JobId>> dependencies;
  /// GPU type that the jobs' durations were measured on, in `gpu_types`; -1: the only one, or the speeds below are
  /// relative to what durations mean.
  int reference_type = -1;
  /// Speed of (model, GPU type) relative to each other; missing = 1, 0 = cannot run there. Empty: types do not matter.
  std::map<std::pair<int, int>, double> type_speed;
  /// The same of (model, GPUs of the gang, GPU type), which goes before: larger gangs lose more on slow links.
  std::map<std::tuple<int, int, int>, double> gang_speed;
  /// Of (model, other model, GPUs of each gang, GPU type): what is left of the speed of the first where the other runs
  /// on the same GPUs; 0: not both fit there. Empty: not known.
  std::map<std::tuple<int, int, int, int>, double> speed_beside;
  /// A gang that no single type could hold may have GPUs of several types (the speeds of steps know what that means).
  bool mixed_gangs = false;

  const TraceJob& job(JobId id) const { return jobs[static_cast<std::size_t>(id.index)]; }
  int size() const { return static_cast<int>(jobs.size()); }
  std::string name(JobId id) const;
  /// The job array of this name, added where it is new; @p limit: how many of its jobs may run at once, 0 = not said.
  int array_of(std::string_view name, int limit);
  /// The unlike tasks of a job; empty: its tasks are equal.
  const std::vector<TaskGroup>& tasks_of(const TraceJob& job) const
  {
    return task_lists[static_cast<std::size_t>(job.task_list)];
  }
  /// The tasks of a job by kind: its list, or all that it asks for, as `tasks` tasks or one.
  std::vector<TaskGroup> kinds_of(const TraceJob& job) const;
  /// Gives a job such tasks, and their sums.
  void set_tasks(TraceJob& job, std::vector<TaskGroup> tasks);
  /// Whether some of a job's GPUs must be of another type than others.
  bool mixes_types(const TraceJob& job) const;
  /// Whether a job can run on so many GPUs.
  bool runs_on(const TraceJob& job, int gpus) const;
  /// The next larger number of GPUs on which it can run: at least @p gpus; 0 = none.
  int size_from(const TraceJob& job, int gpus) const;
  /// The largest number of GPUs on which it can run, at most @p gpus; 0 = none.
  int size_up_to(const TraceJob& job, int gpus) const;
  /// The save and load times and the speed of a size; zero where it has none of its own.
  JobSize size_of(const TraceJob& job, int gpus) const;
  /// Numbers of GPUs on which it can run: "8", "8 to 64", "8, 16 or 32".
  std::string sizes_text(const TraceJob& job) const;
  /// Work per second on a type of GPU, 1 = as fast as its `duration` says.
  double speed_on(const TraceJob& job, int gpu_type) const;
  /// What is left of its speed beside another job on the same GPUs; 0 where that is not known or cannot be.
  double left_beside(const TraceJob& job, const TraceJob& other, int gpu_type) const;
};

/// Orders by submit time, equal times in their present order; job names and dependencies follow.
void order_by_submission(Workload& workload);

/// The same for times of a calendar: shifts them so that the first is 0.
void sort_by_submission(Workload& workload);

/// The first cycle among the dependencies, as job ids (first = last); empty where there is none.
std::vector<JobId> dependency_cycle(const Workload& workload);

} // namespace trainyard
