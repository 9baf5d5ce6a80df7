// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "models/core/diagnostics.hpp"
#include "models/hardware/catalogue.hpp"
#include "models/scenario/scenario.hpp"
#include "sim/parallel/step.hpp"
#include "sim/step/prepared.hpp"

#include <optional>
#include <string>
#include <vector>

namespace trainyard {

/// A job with `training.parallel` on the cluster of its scenario: GPU, machine and network of the machines that
/// it takes (machines_in_order()), or that it names; of several jobs each takes what those before it have left. Faults
/// go to @p diagnostics: too few equal GPUs, a precision that they do not have. @p job is one of the scenario's, and
/// has a layout without faults.
ParallelJob parallel_job(const Scenario& scenario, const JobSpec& job, const Catalogue& catalogue,
                         Diagnostics& diagnostics);

/// Takes the GPUs of @p job from @p slots: those on the machines that it names, else those of machines_in_order().
/// Machines that are not alike, or give unlike numbers of GPUs, are an error.
Placement place_divided(const Cluster& cluster, const JobSpec& job, const Catalogue& catalogue, FreeSlots& slots,
                        Diagnostics& diagnostics);

/// How many times as much the network cards of the job's machines can send as the switches above them carry; 1: the
/// switches carry all, or one switch joins all machines of the job. The closed form does not count it.
double oversubscription(const Scenario& scenario, const ParallelJob& job, const Catalogue& catalogue);

/// GPUs of all machines.
long long gpus_of(const ClusterSpec& cluster);

/// "32 of 512 GPUs; dp: 16 uses all", where the jobs take fewer than the cluster has; else empty.
std::string idle_gpus(const Scenario& scenario);

/// What the machines of a job cost in an hour; nothing where one has no price.
std::optional<DollarsPerHour> price_of(const ClusterSpec& cluster, const ParallelJob& job);

/// A tensor-parallel group that is larger than a machine, and what that costs; empty where it is not.
Message tensor_across_machines(const ParallelJob& job);

/// A change that makes a job fit into the memory of its GPUs, and its price.
struct FittingChange {
  std::string change;
  ParallelStep step;
};

/// The changes of one or two settings (recomputation, ZeRO, sequence parallelism, micro-batch, tensor parallelism and
/// stages in exchange for replicas) after which the job fits, the fastest first; at most @p most.
std::vector<FittingChange> fitting_changes(const ParallelJob& job, std::size_t most = 3);

/// Whether the memory of its machines is given, and too small for the optimiser states that lie there.
bool lacks_host_memory(const ParallelJob& job);

/// Whether one step needs no more memory than the GPU has, and the machines.
bool fits(const ParallelJob& job, const ParallelStep& step);

} // namespace trainyard
