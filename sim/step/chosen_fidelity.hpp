// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "models/scenario/scenario.hpp"
#include "sim/step/engine/auto_fidelity.hpp"

namespace trainyard {

/// The fidelity of a scenario's training steps: as given, or what `auto` stands for with its jobs.
ChosenFidelity chosen_fidelity(const Scenario& scenario);

} // namespace trainyard
