// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "models/cost/memory_sharing.hpp"

#include <string>
#include <vector>

namespace trainyard {

/// `gpu_memory:` of a scenario: processes that share the GPUs of one node.
struct GpuMemorySection {
  std::string node;
  int gpus = 0;
  Bytes memory; // of each
  double fragmentation = 0;
  std::vector<GpuProcess> processes;
};

} // namespace trainyard
