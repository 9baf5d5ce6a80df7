#pragma once
#include "models/cluster/node_shape.hpp"
#include "models/job/workload.hpp"
#include "sim/scheduling/scheduling.hpp"

#include <string>
#include <vector>

namespace trainyard {

/// Mean and percentiles (nearest rank) of a sample; zeros where it is empty.
struct Distribution {
  double mean = 0;
  double p50 = 0;
  double p95 = 0;
  double p99 = 0;
  double largest = 0;
};
Distribution distribution_of(std::vector<double> values);

/// Jain's index of fairness, (sum x)^2 / (n sum x^2): 1 = all equal, 1/n = one has everything. Source: Jain, Chiu, Hawe, 1984.
double jain_index(const std::vector<double>& values);

/// What is measured over some jobs of a run; each figure is defined in docs/metrics.md.
struct QueueMetrics {
  std::string name; // policy, team, user, size
  int jobs = 0;
  int finished = 0;
  int never_ran = 0;
  Distribution jct_s;
  Distribution queueing_delay_s;
  Distribution slowdown; // bounded, at least 1, run times below 10 s count as 10 s
  double makespan_s = 0;
  double utilisation = 0;
  double gpu_hours = 0;
  double lost_gpu_hours = 0;
  double fragmented_wait_hours = 0;
  double finish_time_fairness = 0; // the largest rho of a job
  double jain = 1;
  double energy_kWh = 0;
  double cost_usd = 0;
  long preemptions = 0;
  long failures = 0;
};

struct QueueCosts {
  double power_W = 0;      // of a busy GPU
  double idle_power_W = 0; // of an idle one
  double usd_per_hour = 0; // of the whole cluster
};

QueueMetrics queue_metrics(const std::string& name, const Workload& workload, const SchedulingResult& result, int total_gpus,
                           const QueueCosts& costs = {});

/// The same by team, user, or size of the gang ("1", "2-4", "5-8", "9-32", "33+"), only groups with jobs, in order of name.
enum class GroupBy { team, user, size };
std::vector<QueueMetrics> metrics_by(GroupBy group, const Workload& workload, const SchedulingResult& result, int total_gpus);

/// GPUs in use and jobs that wait, at @p points times over the makespan.
struct QueueSample {
  double time_s = 0;
  double busy_gpus = 0;
  double waiting_jobs = 0;
};
std::vector<QueueSample> queue_series(const Workload& workload, const SchedulingResult& result, int points);

} // namespace trainyard
