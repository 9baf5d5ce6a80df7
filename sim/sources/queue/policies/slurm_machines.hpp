// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "models/job/batch_rules.hpp"
#include "sim/sources/queue/policies/machine_plan.hpp"
#include "sim/sources/queue/scheduling.hpp"

#include <optional>
#include <string>
#include <vector>

namespace trainyard {

/// A partition of the rules: what it is to the priority of its jobs, and its machines.
struct SlurmPartition {
  double tier = 1;
  double factor = 1;
  Seconds grace;
  std::string preempt_mode;
  std::vector<char> nodes; // by machine, whether it is the partition's; empty: all are
};

/// Which machines jobs of partitions and reservations may have. Sources: src/slurmctld/job_scheduler.c,
/// src/slurmctld/node_scheduler.c, https://slurm.schedmd.com/reservations.html.
class SlurmMachines
{
public:
  using Mask = std::vector<char>; // by machine; empty: none of them

  /// Throws std::invalid_argument where reservations have no machines.
  void read(const ClusterView& cluster, const BatchRules& rules);

  /// Without rules for names that came during the run.
  const SlurmPartition& partition(const TraceJob& job) const;
  double largest_factor() const { return largest_factor_; }
  /// Whether a partition or reservation names machines.
  bool named() const { return named_; }

  /// Machines that the job may not have now: those @p blocked, and by reservations. Nothing: it may not start at all.
  std::optional<Mask> closed_to(const ClusterView& cluster, JobId id, const Mask& blocked) const;
  /// The first machines that are open to it and fit.
  static std::optional<Allocation> first_place(const ClusterView& cluster, JobId id, const Mask& closed);
  /// Whether the job would fit on the machines that are up and not closed if nothing ran there.
  static bool could_hold(const ClusterView& cluster, JobId id, const Mask& closed);

  /// Says in a test of backfill what the job's reservation allows; nothing where it has none.
  void keep_to_reservation(const ClusterView& cluster, const TraceJob& job, MachinePlan::Test& test) const;
  /// Takes the machines of reservations out of a plan of backfill.
  void close_in(MachinePlan& plan, Instant now) const;
  /// Who runs in a reservation that has ended (ResvOverRun = 0).
  std::vector<JobId> overdue(const ClusterView& cluster) const;
  /// Begins and ends of reservations after @p now.
  void wake(Instant now, Decisions& decisions) const;

private:
  struct Reservation {
    const BatchReservation* rule = nullptr;
    Mask nodes;
  };

  std::vector<SlurmPartition> partitions_; // by queue of the workload
  std::vector<Reservation> reservations_;
  double largest_factor_ = 1;
  bool named_ = false;
};

/// Machines that jobs do not tell apart.
struct MachineSet {
  std::vector<bool> admits; // by demands of the workload
  SlurmMachines::Mask closed;
  int gpus = 0;
};

/// Machines that partitions and labels tell apart; those of which some gang needs several sets together are one.
std::vector<MachineSet> machine_sets(const ClusterView& cluster);

} // namespace trainyard
