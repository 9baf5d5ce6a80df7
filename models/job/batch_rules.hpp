// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "models/core/instant.hpp"

#include <algorithm>
#include <limits>
#include <string>
#include <vector>

namespace trainyard {

/// What the jobs of a partition, QOS or association may have; 0 = no limit. Source: Slurm, "Resource Limits"
/// (https://slurm.schedmd.com/resource_limits.html).
struct BatchLimits {
  Seconds time{std::numeric_limits<double>::infinity()}; // of one job, by its estimate: MaxTime, MaxWall
  int job_gpus = 0;                                      // of one job: MaxTRESPerJob
  int user_gpus = 0;                                     // of a user's running jobs: MaxTRESPerUser
  int account_gpus = 0;                                  // of an account's (team's) running jobs: MaxTRESPerAccount
  int all_gpus = 0;                                      // of all running jobs: GrpTRES
  int user_jobs = 0;                                     // running jobs of a user: MaxJobsPerUser, MaxJobs
  int all_jobs = 0;                                      // running jobs: GrpJobs
  int user_submitted = 0; // jobs of a user that wait or run: MaxSubmitJobsPerUser, MaxSubmitJobs
  int all_submitted = 0;  // jobs that wait or run: GrpSubmitJobs
};

/// Machines with rules for the jobs on them. Source: slurm.conf(5), "PARTITION CONFIGURATION".
struct BatchPartition {
  std::string name;
  std::vector<std::string> nodes; // names of machines or of their groups; empty: all
  double tier = 1;                // PriorityTier
  double factor = 1;              // PriorityJobFactor
  Seconds grace;                  // GraceTime
  std::string preempt_mode;       // PreemptMode of its jobs: off, requeue, cancel; empty: that of the policy
  std::string qos;                // whose limits count too (partition QOS)
  BatchLimits limits;
};

/// A class of service. Source: Slurm, "Quality of Service (QOS)" (https://slurm.schedmd.com/qos.html).
struct BatchQos {
  std::string name;
  double priority = 0;
  std::vector<std::string> preempts; // names of those whose jobs it may stop
  Seconds grace;                     // GraceTime: its stopped jobs run on for so long
  std::string preempt_mode;          // PreemptMode of its jobs: off, requeue, cancel; empty: that of the policy
  BatchLimits limits;
};

/// An account in the tree of accounts, or a user of one. Limits of all jobs count at every level of the tree; the
/// others are of each user of the account or below who has none nearer. Source: sacctmgr(1), "SPECIFICATIONS FOR
/// ACCOUNTS".
struct BatchAssociation {
  static constexpr const char* root = "root"; // the account above all others

  std::string account;
  std::string user;   // empty: it is the account's own
  std::string parent; // the account above it; empty: the root
  BatchLimits limits;
};

/// Machines that are kept for some; without users and accounts, for nobody: a maintenance window. Source: Slurm,
/// "Advanced Resource Reservation Guide" (https://slurm.schedmd.com/reservations.html).
struct BatchReservation {
  std::string name;
  Seconds start; // since the start of the workload
  Seconds length;
  std::vector<std::string> nodes; // names of machines or of their groups; empty: all
  std::vector<std::string> users;
  std::vector<std::string> accounts;

  Instant end() const { return Instant{start} + length; }
};

/// What a batch system allows: the section `slurm` of a scenario.
struct BatchRules {
  std::vector<BatchPartition> partitions;
  std::vector<BatchQos> qos;
  std::vector<BatchAssociation> associations;
  std::vector<BatchReservation> reservations;

  bool empty() const { return partitions.empty() && qos.empty() && associations.empty() && reservations.empty(); }
  /// Null where the name is not there.
  const BatchPartition* partition(const std::string& name) const { return named(partitions, name); }
  const BatchQos* of_qos(const std::string& name) const { return named(qos, name); }
  const BatchReservation* reservation(const std::string& name) const { return named(reservations, name); }
  /// Without a user: of the account itself.
  const BatchAssociation* association(const std::string& account, const std::string& user = "") const
  {
    const auto found = std::ranges::find_if(
        associations, [&](const BatchAssociation& one) { return one.account == account && one.user == user; });
    return found == associations.end() ? nullptr : &*found;
  }
  /// The account above; empty: none is.
  std::string above(const std::string& account) const
  {
    if (account == BatchAssociation::root)
      return "";
    const BatchAssociation* one = association(account);
    return one == nullptr || one->parent.empty() ? BatchAssociation::root : one->parent;
  }

private:
  template <class T>
  static const T* named(const std::vector<T>& all, const std::string& name)
  {
    const auto found = std::ranges::find(all, name, &T::name);
    return found == all.end() ? nullptr : &*found;
  }
};

/// Whether a scenario's @p name of machines means this one: its own name, or that of its group (gpu: gpu-0, gpu-1…).
inline bool means_machine(const std::string& name, const std::string& machine)
{
  return machine == name || (machine.starts_with(name + "-") && machine.size() > name.size() + 1 &&
                             machine.find_first_not_of("0123456789", name.size() + 1) == std::string::npos);
}

} // namespace trainyard
