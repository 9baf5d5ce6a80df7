// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "models/job/batch_rules.hpp"
#include "models/job/workload.hpp"

#include <array>
#include <map>
#include <vector>

namespace trainyard {

/// What running jobs hold against the limits of their partition, partition QOS and QOS, and of their job array. A limit
/// that the partition's QOS gives counts instead of the same of the job's QOS, and that instead of the partition's.
/// Source: Slurm, "Resource Limits", hierarchy (https://slurm.schedmd.com/resource_limits.html).
class SlurmLimits
{
public:
  /// @p user_gpus: of all of a user's running jobs; 0 = no limit.
  SlurmLimits(const Workload& workload, double user_gpus);

  /// Whether the job's limits let it start now, machines apart.
  bool allow(const TraceJob& job) const;
  /// The job starts (@p sign 1) or stops (-1) with so many GPUs.
  void change(const TraceJob& job, double gpus, int sign);

private:
  struct Held {
    double gpus = 0;
    int jobs = 0;
  };
  struct Scope {
    BatchLimits limits;
    Held all;
    std::map<int, Held> users;
    std::map<int, double> accounts; // GPUs
  };
  /// Where the job counts, the first to decide first: partition QOS, QOS, partition; -1: none.
  std::array<int, 3> scopes_of(const TraceJob& job) const;

  const Workload& workload_;
  double user_gpus_;
  std::vector<Scope> scopes_;
  std::map<int, int> of_partition_;     // queue -> scope
  std::map<int, int> of_partition_qos_; // queue -> scope
  std::map<int, int> of_qos_;           // QOS -> scope
  std::map<int, double> users_;         // GPUs of all jobs
  std::map<int, int> arrays_;           // running jobs
};

} // namespace trainyard
