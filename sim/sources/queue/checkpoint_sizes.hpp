// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "models/job/workload.hpp"
#include "models/parallel/layout.hpp"
#include "models/scenario/scenario.hpp"
#include "sim/cluster/speed/step_speed.hpp"
#include "sim/sources/queue/scheduling.hpp"

#include <map>
#include <utility>

namespace trainyard {

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
