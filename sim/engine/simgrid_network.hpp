#pragma once
#include "sim/engine/network.hpp"
#include "sim/engine/program_runner.hpp"

#include <memory>

namespace trainyard {

/// SimGrid as a network back end, in its exact mode (CM02, no cross-traffic, no TCP window): it shares the links and keeps the time.
///
/// Every route of the table becomes a pair of hosts in small zones of their own, joined by SimGrid links of the same capacities; each flow
/// is one communication between such a pair. Latencies are timers of ours. One per process: use only inside `in_child`.
std::unique_ptr<Network> make_simgrid_network(const RouteTable& routes);

/// Runs the programs on SimGrid in a child process.
std::vector<StepTrace> run_on_simgrid(const Cluster& cluster, std::span<const ProgramRun> programs, CollectiveStyle style);

} // namespace trainyard
