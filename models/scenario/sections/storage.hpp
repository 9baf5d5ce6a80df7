// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "models/core/units.hpp"

namespace trainyard {

/// `storage:` of a scenario: what all machines read their input from.
struct StorageSection {
  BytesPerSecond bandwidth; // all readers together; 0 = no limit
};

} // namespace trainyard
