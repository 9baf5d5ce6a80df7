// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "models/hardware/catalogue.hpp"
#include "models/job/device_placement.hpp"
#include "models/scenario/scenario.hpp"
#include "sim/results/results.hpp"

#include <vector>

namespace trainyard {

/// What a few calls show about all of them.
struct GraphRun {
  Seconds call;             // the last one; all after the first are equal
  Bytes network;            // per call, between nodes
  std::vector<double> busy; // by device, share of the call
  std::vector<TraceSpan> spans;
};

GraphRun run_graph(const Scenario& scenario, const Catalogue& catalogue, const GraphSection& graph);

} // namespace trainyard
