// SPDX-License-Identifier: Apache-2.0
// How fast the jobs of a workload are on each type of GPU, and which type their run times mean.
#pragma once
#include "models/cluster/node_shape.hpp"
#include "models/job/workload.hpp"
#include "sim/cluster/speed/step_speed.hpp"
#include "sim/sources/queue/queue_setup.hpp"

#include <string>
#include <vector>

namespace trainyard {

/// Types of GPU that the cluster has GPUs of, as indices of ClusterShape::gpu_types.
std::vector<int> types_with_gpus(const ClusterShape& shape);

/// Fills the speeds by type from the measured throughputs of @p prepared, whose workload is bound to the shape. @p
/// reference: type that the run times of the jobs mean (workload.reference_gpu), unless they name or ask for one
/// themselves. Throws InputError where a kind of job or a type of the cluster was not measured, or it is not known what
/// run times mean.
void speeds_from_table(PreparedQueue& prepared, const std::string& reference, const ClusterShape& shape);

/// With several types of GPU: says which of them run times mean, as above, and fills the speeds by type from the
/// training step of each model and size of gang, alone and packed on machines of that type; 0 where it cannot train
/// there. Throws InputError where it is not known what run times mean.
void speeds_from_steps(Workload& workload, const ClusterShape& shape, const std::string& reference, StepSpeed& steps);

} // namespace trainyard
