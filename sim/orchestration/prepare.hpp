// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "models/hardware/catalogue.hpp"
#include "models/scenario/scenario.hpp"
#include "sim/orchestration/desired_state.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace trainyard {

/// A scenario's machines as an orchestrator sees them, and what of them can fail together.
struct MachineView {
  ClusterShape shape; // CPU and memory without limit where the scenario says none
  FaultDomains domains;
  std::vector<MachineTraits> traits;
  std::optional<double> usd_per_hour;   // all machines, licences included; absent: a machine has no price
  std::vector<std::string> assumptions; // about the machines that no file states or measures, one sentence each
};

/// Throws InputError where the cluster cannot be built (the checks would have said so).
MachineView machine_view(const Scenario& scenario, const Catalogue& catalogue);

/// A checked scenario with `services` as input of the engine.
OrchestrationInput orchestration_input(const Scenario& scenario, const Catalogue& catalogue, std::uint64_t seed);

/// All errors of a scenario that no section sees alone: services that fit nowhere, ports that conflict, failures of things that
/// do not exist or have already failed, managers without a majority.
void check_orchestration(const Scenario& scenario, const Catalogue& catalogue, Diagnostics& diagnostics);

} // namespace trainyard
