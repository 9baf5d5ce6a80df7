// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "models/core/diagnostics.hpp"
#include "models/hardware/catalogue.hpp"
#include "models/job/throughput_table.hpp"
#include "models/scenario/sections/scheduling.hpp"
#include "models/scenario/sections/workload.hpp"
#include "sim/planning/dag_plan.hpp"
#include "sim/sources/queue/queue_metrics.hpp"

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <unordered_map>

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

} // namespace trainyard
