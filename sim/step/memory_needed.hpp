// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "models/core/units.hpp"
#include "models/scenario/scenario.hpp"

#include <optional>
#include <string>

namespace trainyard {

/// Memory of this program while it simulates the training steps of a scenario with all machines, at its peak.
///
/// Estimated from the numbers of GPUs, network cards and messages between workers and servers; the constants were
/// measured with 1,024 to 16,384 GPUs, and the estimate is within a third of what such runs take.
Bytes memory_needed(const Scenario& scenario);

/// What this process can still have: what the machine has free, the limit of its control group, `ulimit -v`.
Bytes memory_available();

/// What is wrong with a run that needs @p needed where there is @p available, and what would fit; nothing: it fits.
std::optional<std::string> does_not_fit(const Scenario& scenario, Bytes needed, Bytes available);

} // namespace trainyard
