// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "models/cluster/node_shape.hpp"
#include "models/job/workload.hpp"
#include "models/results/column.hpp"
#include "sim/sources/queue/scheduling.hpp"

#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace trainyard {

/// Mean and percentiles (nearest rank) of a sample.
Distribution distribution_of(std::vector<double> values);

/// Jain's index of fairness, (sum x)^2 / (n sum x^2): 1 = all equal, 1/n = one has everything. Source: Jain, Chiu,
/// Hawe, 1984.
double jain_index(const std::vector<double>& values);

/// Why a job's work was not done; nothing where it was, or where it was to come after the end of the run.
std::optional<std::string> why_unfinished(const TraceJob& job, const JobOutcome& outcome,
                                          const SchedulingResult& result);

/// What is measured over some jobs of a run; each figure is defined in docs/metrics.md. Those over jobs that ended are
/// absent where none has.
struct QueueMetrics {
  std::string name; // policy, team, user, size
  int jobs = 0;
  int finished = 0;
  int never_ran = 0; // those that are neither this, finished nor withdrawn had not ended when the run was cut off
  int withdrawn = 0; // taken back by whoever sent them
  /// Cannot run where jobs never ran, did not end or were killed: "2 of 3 jobs did not end, for example b: it still
  /// waited".
  Verdict verdict;
  Distribution jct_s;            // of those that ended
  Distribution queueing_delay_s; // until the first start, or so far
  Distribution waiting_s;        // in all, also after having been stopped; or so far
  Distribution slowdown;         // of those that ended; bounded, at least 1, run times below 10 s count as 10 s
  double makespan_s = 0;
  double utilisation = 0;
  double gpu_hours = 0;
  double lost_gpu_hours = 0;
  double fragmented_wait_hours = 0;
  double fragmentation = 0;        // mean over time of QueueSample::fragmentation
  double finish_time_fairness = 0; // the largest rho of a job
  double jain = 1;
  WattHours energy;
  std::optional<Dollars> cost;
  long preemptions = 0;
  long failures = 0;
  long out_of_memory = 0; // how often jobs died for lack of GPU memory
  long killed = 0;        // jobs that were ended at their estimate, before their work was done
  long with_deadline = 0;
  long late = 0; // of these, who had not ended by then
};

/// The columns of metrics.csv and groups.csv, and the figures of a policy in summary.json.
const std::vector<ResultColumn<QueueMetrics>>& queue_columns();

struct QueueCosts {
  Watts power;                         // of a busy GPU; the mean where the cluster has several types
  Watts idle_power;                    // of an idle one
  std::optional<DollarsPerHour> price; // of the whole cluster; absent: a machine has no price
  struct Type {
    Watts power;
    Watts idle_power;
    DollarsPerHour price; // of its machines, over their GPUs
    std::string name;
    double memory_MiB = 0;
  };
  std::vector<Type> types;  // of each type of GPU
  std::vector<int> type_of; // by machine; empty: GPUs are only counted
  struct OfStep {
    double kernels = 1;    // share of the time in which they run
    double memory_MiB = 0; // of each GPU; 0: not known
  };
  std::map<std::pair<int, int>, OfStep> steps; // by model and GPUs, of jobs whose step is known; others are at work

  OfStep of_step(const TraceJob& job) const;
  /// What GPUs draw that are held like this by the job, and what the same ones would draw idle.
  Type of(const Allocation& held, const TraceJob& job) const;
};

/// Energy and money of the cluster over the run are shared out by GPU-hours: busy energy to who held the GPUs, idle
/// energy in the same proportion, and the price of the machines too, but an hour on a GPU counts as much as that GPU
/// costs; groups add up to the cluster.
QueueMetrics queue_metrics(const std::string& name, const Workload& workload, const SchedulingResult& result,
                           int total_gpus, const QueueCosts& costs = {});

/// The same by team, user, queue, or size of the gang ("1", "2-4", "5-8", "9-32", "33+"), only groups with jobs, in
/// order of name.
enum class GroupBy { team, user, queue, size };
std::vector<QueueMetrics> metrics_by(GroupBy group, const Workload& workload, const SchedulingResult& result,
                                     int total_gpus, const QueueCosts& costs = {});

/// Job-hours waited, by the reason that the engine wrote down; most first.
std::vector<std::pair<WaitReason, double>> waiting_by_reason(const SchedulingResult& result);

/// The cluster at one moment.
struct QueueSample {
  double time_s = 0;
  double busy_gpus = 0;
  double running_jobs = 0;
  double waiting_jobs = 0; // submitted, all they depend on ended, not running: also those that were stopped
  double asked_gpus = 0;   // by those that wait
  /// Share of the idle GPUs that a job drawn from the workload could not use where they are: on machines with fewer
  /// idle GPUs than it needs on one machine (its GPUs, at most a whole machine). 0 where nothing is idle, or GPUs are
  /// only counted.
  double fragmentation = 0;
  Watts power;
};
/// At @p points times over the makespan; needs RunRecords. @p node_gpus: GPUs of each machine; empty: counted only.
std::vector<QueueSample> queue_series(const Workload& workload, const SchedulingResult& result, int points,
                                      std::span<const int> node_gpus = {}, int total_gpus = 0,
                                      const QueueCosts& costs = {});

/// The groups of jobs by size that measures may name: "1 GPU", "2-4 GPUs" … "33+ GPUs".
std::vector<std::string> size_groups();

} // namespace trainyard
