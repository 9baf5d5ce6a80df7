// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "models/cluster/node_shape.hpp"
#include "models/core/diagnostics.hpp"
#include "models/hardware/catalogue.hpp"
#include "models/job/batch_goodput.hpp"
#include "models/job/batch_rules.hpp"
#include "models/job/kueue_rules.hpp"
#include "models/job/throughput_table.hpp"
#include "models/job/workload.hpp"
#include "models/parallel/layout.hpp"
#include "models/scenario/scenario.hpp"
#include "models/scenario/sections/scheduling.hpp"
#include "models/scenario/sections/workload.hpp"
#include "sim/cluster/speed/step_speed.hpp"
#include "sim/planning/dag_plan.hpp"
#include "sim/sources/queue/queue_metrics.hpp"
#include "sim/sources/queue/scheduling.hpp"

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace trainyard {

/// CPU (thousandths of cores) or memory (MiB) of a machine of which the scenario does not say how much it has.
inline constexpr std::int64_t plenty = 1'000'000'000;

/// The machines of a scenario as the scheduler sees them: those of `cluster`, or of the file that `workload.machines`
/// names; with the labels and taints of `scheduling.nodes`, and the label gpu=TYPE. @p machines = false: GPUs are only
/// counted, by type.
///
/// Throws InputError for a file of machines that cannot be read and for marks on machines that do not exist.
ClusterShape shape_of(const Scenario& scenario, const Catalogue& catalogue, bool machines, std::string& notes);

/// What the scenario's machines cost, and what the GPUs of the queue draw.
QueueCosts costs_of(const Scenario& scenario, const Catalogue& catalogue, const ClusterShape& shape);

/// A fault of the value at @p path of the scenario, which its message names. The command that reads the file adds line
/// and column (models/scenario/places.hpp, located).
InputError fault_at(const std::string& path, const std::string& message);

struct PreparedQueue {
  Workload workload;
  std::string notes;                                        // the audit, how close generated jobs are to their trace
  std::string format;                                       // of the trace; empty: there is none
  std::unordered_map<std::int64_t, Instant> recorded_waits; // by line of the trace, where it is taken as it is
  bool without_times = false;                         // tasks to be packed: they have no submissions and run times
  std::shared_ptr<const ThroughputTable> throughputs; // null: none given
  std::string measured_on; // type of the table that made run times of steps; empty: run times are those of the jobs
};

/// The jobs: read, generated or listed; with models and estimates where the section asks for them. Throws InputError.
PreparedQueue workload_of(const WorkloadSection& section, std::uint64_t seed, const ClusterShape& shape);

/// Why the seed changes nothing for a queue whose jobs are those of one trace, and what would; empty for other
/// scenarios.
std::string note_on_trace(const Scenario& scenario);

/// Types that jobs ask for, in the order of the cluster's; a type it has not is added without GPUs, so that such jobs
/// are reported as impossible.
void bind_types(Workload& workload, ClusterShape& shape);

/// Gives machines the label kubernetes.io/hostname=NAME where jobs ask for it. Throws InputError where there is none of
/// that name.
void label_hosts(const Workload& workload, ClusterShape& shape);

/// How each model of the workload trains: the scenario's job of that name. Throws InputError where one lacks.
/// The models that `workload` itself names are checked before, by check_models().
std::map<std::string, JobSpec> templates_of(const Scenario& scenario, const Workload& workload);

/// With speed: step, an error for each name in workload.models that is no job of the scenario.
void check_models(const Scenario& scenario, Diagnostics& diagnostics);

/// GPU memory that jobs need on each GPU by the step's memory model, where they do not say it themselves.
void fill_gpu_memory(Workload& workload, const std::map<std::string, JobSpec>& templates, const Catalogue& catalogue,
                     const ClusterShape& shape);

/// The whole workload as one planning problem: jobs released at their submission, GPUs counted by type.
DagProblem problem_of(const Workload& workload, const ClusterShape& shape);

/// Reads the measured steps of @p specs and gives the workload the goodput of its models (Workload::goodput) and, where
/// the cluster has several types of GPU, their speeds by type. @p reference: the type that run times mean, where jobs
/// do not say it; empty: the only one. The workload is bound to @p shape.
///
/// Returns what a reader has to know, a line each: models without jobs, and jobs without a goodput. Throws InputError,
/// with the place in the scenario, for tables that cannot be read, types without a table, and for sizes of jobs and
/// machines from which the tables give no step.
std::string bind_goodput(Workload& workload, const std::map<std::string, GoodputSpec>& specs,
                         const std::string& reference, const ClusterShape& shape);

/// Gives the workload the rules of its batch system: machines of a partition get the label partition=NAME, and jobs of
/// the queue of that name ask for it.
///
/// Throws InputError, with the path in the scenario, for machines that the cluster does not have, rules that name each
/// other wrongly, and jobs of a QOS or reservation that the rules lack.
void bind_rules(Workload& workload, ClusterShape& shape, std::shared_ptr<const BatchRules> rules);

/// Gives the workload the quotas of Kueue. Throws InputError, with the path in the scenario, for flavors of GPUs or
/// machines that the cluster does not have, and for jobs whose team has no cluster queue.
void bind_quotas(Workload& workload, const ClusterShape& shape, std::shared_ptr<const KueueRules> rules);

/// Types of GPU that the cluster has GPUs of, as indices of ClusterShape::gpu_types.
std::vector<int> types_with_gpus(const ClusterShape& shape);

/// Fills the speeds by type from the measured throughputs of @p prepared, whose workload is bound to the shape. @p
/// reference: type that the run times of the jobs mean (workload.reference_gpu), unless they name or ask for one
/// themselves. Throws InputError where a kind of job or a type of the cluster was not measured, or it is not known what
/// run times mean.
void speeds_from_table(PreparedQueue& prepared, const std::string& reference, const ClusterShape& shape);

/// With several types of GPU: says which of them run times mean, as above, and fills the speeds by type from the
/// training step of each model and size of gang, alone and packed on machines of that type; 0 where it cannot train
/// there. Throws InputError where it is not known what run times mean.
void speeds_from_steps(Workload& workload, const ClusterShape& shape, const std::string& reference, StepSpeed& steps);

/// An elastic divided job runs on whole replicas: the sizes between its fewest and most GPUs whose layouts have no
/// faults and fit into the GPUs' memory, each with the times of its sharded checkpoint and its speed by closed form,
/// with which policies plan.
void take_sizes(Workload& workload, TraceJob& job, const Scenario& scenario, const ParallelLayout& layout,
                StepSpeed& speed);

/// Times of the checkpoints of all other jobs whose models are known, by (model, GPUs), where the scenario names the
/// rate of the storage: sharded ones of divided jobs, else weights and optimiser states written by one process.
std::map<std::pair<int, int>, KnownCheckpoint> known_checkpoints(const Workload& workload,
                                                                 const PreparedScenario& prepared, StepSpeed& speed);

} // namespace trainyard
