// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "models/scenario/scenario.hpp"

#include <optional>

namespace trainyard {

/// $/h of all machines; nothing where a kind of machine has no price.
std::optional<double> price_per_hour(const ClusterSpec& cluster);

} // namespace trainyard
