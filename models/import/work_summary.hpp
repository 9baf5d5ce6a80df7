// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "models/import/importer.hpp"

#include <string>

namespace trainyard {

/// Totals of the trace of a real or simulated step.
struct WorkSummary {
  std::string name;
  int ranks = 0; // 0: the trace does not say
  double compute_s = 0;
  double flop = 0;
  double all_reduce_bytes = 0; // of one step
  double element_bytes = 4;
  std::string gpu;  // of the catalogue; empty: not known
  int batch = 0;    // 0: not known
  int per_node = 0; // ranks of one machine; 0: not known
  ImportPlace place;
};

/// Makes a job of it: the network of the catalogue with as many parameters as bytes are exchanged, or tensors of that
/// size; the measured step; machines for its ranks.
void add_work(const WorkSummary& work, ImportContext& context);

} // namespace trainyard
