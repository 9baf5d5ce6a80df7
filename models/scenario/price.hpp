// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "models/scenario/scenario.hpp"

#include <optional>

namespace trainyard {

/// Of all machines; nothing where a kind of machine has no price.
std::optional<DollarsPerHour> price_of(const ClusterSpec& cluster);

} // namespace trainyard
