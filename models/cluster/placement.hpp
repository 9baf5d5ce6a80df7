// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "models/cluster/cluster.hpp"

#include <vector>

namespace trainyard {

/// Where the tasks of one job run.
struct Placement {
  std::vector<VertexId> workers; // the GPU (or host, for CPU jobs) of each worker, in rank order
  std::vector<VertexId> servers; // the host of each parameter server; empty for all-reduce
  VertexId client;               // in-graph replication: the host of the one client
};

} // namespace trainyard
