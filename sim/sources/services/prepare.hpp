// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "models/hardware/catalogue.hpp"
#include "models/scenario/scenario.hpp"
#include "sim/sources/services/desired_state.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace trainyard {

/// A checked scenario with `services` as input of the engine.
OrchestrationInput orchestration_input(const Scenario& scenario, const Catalogue& catalogue, std::uint64_t seed);

/// All errors of a scenario that no section sees alone: services that fit nowhere, ports that conflict, failures of
/// things that do not exist or have already failed, managers without a majority.
void check_orchestration(const Scenario& scenario, const Catalogue& catalogue, Diagnostics& diagnostics);

} // namespace trainyard
