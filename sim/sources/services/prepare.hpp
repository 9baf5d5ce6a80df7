// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "models/hardware/catalogue.hpp"
#include "models/scenario/scenario.hpp"
#include "sim/sources/services/desired_state.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace trainyard {

/// A checked scenario with `services` as input of the engine.
OrchestrationInput orchestration_input(const Scenario& scenario, const Catalogue& catalogue, std::uint64_t seed);

/// The processes of `gpu_memory` that find no memory beside each other, a sentence each.
std::vector<std::string> faults_of_others(const Scenario& scenario);

/// Jobs of services that fit into the memory of no GPU that their tasks may have.
void check_memory_of_jobs(const Scenario& scenario, const Catalogue& catalogue,
                          const std::vector<ServiceSpec>& services, Diagnostics& diagnostics);

/// All errors of a scenario that no section sees alone: services that fit nowhere, ports that conflict, failures of
/// things that do not exist or have already failed, managers without a majority.
void check_orchestration(const Scenario& scenario, const Catalogue& catalogue, Diagnostics& diagnostics);

/// Sets how fast services that name an entry of `jobs` train at the places of their tasks, alone, over the job packed
/// on the empty cluster: by their training step (StepTimes). Those whose end nobody gives are done after the steps of
/// the job.
///
/// Workers are the GPUs of all tasks that are not parameter servers, in the order of the tasks; parameter servers stand
/// on the hosts of their tasks. Throws InputError where the scenario cannot be prepared. The rule throws
/// std::runtime_error naming the job where it cannot train at its place.
void set_speeds_of_steps(const Scenario& scenario, const Catalogue& catalogue, OrchestrationInput& input);

} // namespace trainyard
