// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "models/cluster/cluster.hpp"
#include "models/cluster/placement.hpp"
#include "models/core/diagnostics.hpp"
#include "models/job/job.hpp"

#include <vector>

namespace trainyard {

/// What is free while a scenario's jobs are placed one after the other.
struct FreeSlots {
  std::vector<std::vector<bool>> gpu; // by node, by GPU: true = free
};

FreeSlots all_free(const Cluster& cluster);

/// Gives the tasks of a job their places: explicit node names where the job lists them, else GPUs node by node, those
/// of JobSpec::gpu_order first, and in the order of the cluster.
///
/// A CPU job (`gpus: 0` nodes only, or device cpu) gets hosts. Parameter servers go to nodes without GPU while there
/// are any
/// (`server_placement: dedicated`, the default where such nodes exist), one per host before a second one, else beside
/// the workers
/// (`colocated`) in worker order. Adds an error naming what is missing when the job does not fit; takes nothing from @p
/// slots then.
Placement place_packed(const Cluster& cluster, const JobSpec& job, FreeSlots& slots, Diagnostics& diagnostics);

void release(const Cluster& cluster, const Placement& placement, FreeSlots& slots);

} // namespace trainyard
