// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "models/core/units.hpp"
#include "models/hardware/hardware.hpp"
#include "sim/step/engine/step_program.hpp"

namespace trainyard {

/// Share of the links' bandwidth that a message of @p payload reaches over @p transport, in (0, 1].
///
/// Log-linear in size between the points of Transport::rate, constant outside them.
double transport_efficiency(const Transport& transport, Bytes payload);

/// What one message of @p payload costs besides the links it crosses.
MessageCost message_cost(const Transport& transport, Bytes payload);

} // namespace trainyard
