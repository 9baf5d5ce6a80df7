// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "models/scenario/scenario.hpp"
#include "sim/step/engine/auto_fidelity.hpp"

namespace trainyard {

/// Whether jobs of the scenario come and go: many situations are stepped, at `fluid` if it is left open.
bool places_jobs(const Scenario& scenario);
/// The fidelity of a scenario's training steps: as given, or what `auto` stands for with its jobs.
ChosenFidelity chosen_fidelity(const Scenario& scenario);
/// "tcp", "auto (fluid: 4 jobs share the network)"
std::string to_text(const ChosenFidelity& fidelity);

} // namespace trainyard
