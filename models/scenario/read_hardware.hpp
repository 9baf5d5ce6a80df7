// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "models/hardware/hardware.hpp"
#include "models/scenario/fields.hpp"

namespace trainyard {

/// Keys of a transport, in the catalogue and in a scenario; what is absent stays as @p transport has it.
void transport_fields(Fields& keys, Transport& transport);

} // namespace trainyard
