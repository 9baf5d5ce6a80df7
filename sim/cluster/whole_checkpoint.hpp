// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "models/cluster/cluster.hpp"
#include "sim/parallel/goodput.hpp"
#include "sim/step/prepared.hpp"

namespace trainyard {

/// The checkpoint of a data-parallel job: weights and optimiser states, once, by one process. PyTorch's torch.save on
/// rank 0, TensorFlow's Saver with its default sharded=False; both load it in one place and pass it on. Of amp the
/// weights in fp32, of other 16-bit precisions both copies.
///
/// @p writer: the machine of that process. It takes the longer of the size over one network card of the machine and
/// over @p storage; 0: the network card decides. Neither: no time.
CheckpointTimes whole_checkpoint(const PreparedJob& job, const Cluster& cluster, NodeId writer,
                                 const StorageRates& storage);

} // namespace trainyard
