// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "sim/step/engine/network.hpp"
#include "sim/step/engine/program_runner.hpp"

#include <memory>

namespace simgrid::s4u {
class Engine;
}

namespace trainyard {

/// SimGrid in its exact mode: CM02 (no factors on latency and bandwidth), no cross-traffic, no TCP window, shares that
/// do not depend on latencies; it prints only critical messages. One per process: use only inside `in_child`.
///
/// Source: SimGrid 3.32, "Configuring SimGrid": network/model, network/crosstraffic, network/TCP-gamma,
/// network/weight-S.
std::unique_ptr<simgrid::s4u::Engine> exact_simgrid_engine();

/// SimGrid as a network back end: it shares the links and keeps the time.
///
/// Every route of the table becomes an ordered pair of hosts, joined by SimGrid links of the same capacities; each flow
/// is one communication between such a pair. Latencies are timers of ours. One per process: use only inside `in_child`.
std::unique_ptr<Network> make_simgrid_network(const RouteTable& routes);

/// Runs the programs on SimGrid in a child process.
std::vector<StepTrace> run_on_simgrid(const Cluster& cluster, std::span<const ProgramRun> programs,
                                      CollectiveStyle style);

} // namespace trainyard
