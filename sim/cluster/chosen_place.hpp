// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "sim/cluster/cluster_state.hpp"

#include <span>
#include <vector>

namespace trainyard {

/// GPUs of one machine, by number, that a scheduler outside has chosen; each machine is named once.
struct ChosenGpus {
  int node = 0;
  std::vector<int> gpus;
};

/// What a waiting job holds on the GPUs that somebody has chosen: its tasks in order on the GPUs in order, with their
/// CPU and memory.
///
/// Throws std::invalid_argument that says why it cannot run there: too many or too few GPUs, a GPU that is in use, a
/// machine that is down, too small, of a wrong type, or that the job does not admit.
Allocation chosen_place(const Workload& workload, JobId id, const NodePool& nodes, std::span<const ChosenGpus> chosen);

} // namespace trainyard
