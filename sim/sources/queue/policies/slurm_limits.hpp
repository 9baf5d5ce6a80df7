// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "models/core/instant.hpp"
#include "models/core/registry.hpp"
#include "models/job/batch_rules.hpp"
#include "models/job/workload.hpp"
#include "sim/cluster/resources.hpp"

#include <array>
#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace trainyard {

/// What jobs hold against the limits of their partition QOS, QOS, association and partition, and of their job array.
///
/// A limit that the partition's QOS gives counts instead of the same of the job's QOS, that instead of those of the
/// associations, and these instead of the partition's. Among associations a limit of all jobs counts at the user, at
/// its account and at every account above; any other is the nearest that is given, and counts what the user has in the
/// account. Sources: Slurm, "Resource Limits", hierarchy (https://slurm.schedmd.com/resource_limits.html);
/// src/slurmctld/acct_policy.c: limits of jobs and time before those of resources, QOS before associations, these
/// upwards.
class SlurmLimits
{
public:
  /// @p user_gpus: of all of a user's running jobs; 0 = no limit.
  SlurmLimits(const Workload& workload, double user_gpus);

  /// The first limit that keeps the job from starting now, machines apart; `none`: it may.
  WaitReason held_by(const TraceJob& job);
  /// The first that would keep it from starting if nobody else had anything.
  WaitReason held_alone(const TraceJob& job);
  bool allow(const TraceJob& job) { return held_by(job) == WaitReason::none; }
  /// The first limit that refuses a job that is submitted now; `none`: it is taken.
  WaitReason refused_by(const TraceJob& job);
  /// The job begins to wait (@p sign 1), or no longer does (-1).
  void wait(const TraceJob& job, int sign);
  /// The job starts (@p sign 1) or stops (-1) with so many GPUs.
  void change(const TraceJob& job, double gpus, int sign);

private:
  enum class Kind {
    all_jobs,
    user_jobs,
    time,
    all_gpus,
    job_gpus,
    account_gpus,
    user_gpus,
    all_submitted,
    user_submitted
  };
  static constexpr std::size_t kinds = 9;
  enum class Owner { qos, user, account, partition };
  struct Held {
    double gpus = 0;
    int jobs = 0;
    int waiting = 0;
  };
  struct Scope {
    BatchLimits limits;
    Held all;
    std::map<int, Held> users;
    std::map<int, double> accounts; // GPUs
  };
  struct Step {
    int scope = 0;
    Owner owner = Owner::qos;
  };
  static double most(const BatchLimits& limits, Kind kind);
  static double wanted(const Scope& scope, Kind kind, const TraceJob& job);
  static WaitReason reason(Kind kind, Owner owner);
  int add_scope(const BatchLimits& limits);
  /// Where the job counts, the first to decide first.
  const std::vector<Step>& steps_of(const TraceJob& job);
  void add_associations(const TraceJob& job, std::vector<Step>& steps);
  /// @p alone: nobody has anything.
  WaitReason first_hit(const TraceJob& job, std::span<const Kind> of, bool alone = false);

  const Workload& workload_;
  double user_gpus_;
  std::vector<Scope> scopes_;
  std::map<int, int> of_partition_;                       // queue -> scope
  std::map<int, int> of_partition_qos_;                   // queue -> scope
  std::map<int, int> of_qos_;                             // QOS -> scope
  std::map<std::string, int> of_account_;                 // account with limits -> scope
  std::map<std::pair<int, int>, int> of_user_;            // account, user -> scope
  std::map<std::array<int, 4>, std::vector<Step>> steps_; // by queue, QOS, account, user
  std::map<int, double> users_;                           // GPUs of all jobs
  std::map<int, int> arrays_;                             // running jobs
};

/// The settings of the queue policy `slurm`.
std::vector<Parameter> slurm_parameters();

/// When the schedulers of a recorded slurmctld ran, rising.
struct SlurmRuns {
  std::vector<Instant> main, backfill;
};

/// Reads the setting `runs`: "m0.5 m1.5 b2.25", in seconds, m: main scheduler, b: backfill. Throws
/// std::invalid_argument for what cannot be read, and where a time is before the one of the same scheduler before it.
SlurmRuns slurm_runs(const std::string& text);

} // namespace trainyard
