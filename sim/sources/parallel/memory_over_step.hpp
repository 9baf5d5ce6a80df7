// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "sim/parallel/step.hpp"

#include <vector>

namespace trainyard {

/// Memory of a rank from a time on, until the next of its changes.
struct MemoryChange {
  Seconds at;
  int chunks = 0; // micro-batches x chunks whose activations it holds
  RankMemory memory;
};

/// Memory of pipeline rank @p rank over @p run: activations come with a forward pass and go with the pass that ends the
/// gradients of its weights; the rest stays, logits and recomputed layers too.
std::vector<MemoryChange> memory_over_step(const ParallelJob& job, const PipelineRun& run, int rank);

} // namespace trainyard
