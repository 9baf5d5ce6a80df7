// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "sim/step/engine/network.hpp"
#include "sim/step/engine/program_runner.hpp"
#include "sim/step/engine/window_shares.hpp"

#include <span>
#include <vector>

namespace trainyard {

/// Runs the programs on SimGrid in a child process. @p by_windows: connections of TCP share the links that have queues
/// by their windows (`WindowShares`).
std::vector<StepTrace> run_on_simgrid(const Cluster& cluster, std::span<const ProgramRun> programs,
                                      CollectiveStyle style, bool by_windows = false);

} // namespace trainyard

/// SimGrid as a network back end: it shares the links and keeps the time. In the part "simgrid"
/// (models/core/loaded_part.hpp); whoever calls it owns the network.
///
/// Every route of the table becomes an ordered pair of hosts, joined by SimGrid links of the same capacities; each flow
/// is one communication between such a pair. Latencies are timers of ours. One per process: use only inside `in_child`.
extern "C" trainyard::Network* trainyard_simgrid_network(const trainyard::RouteTable& routes,
                                                         trainyard::WindowShares& shares);
