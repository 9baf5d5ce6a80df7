// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "models/core/instant.hpp"
#include "models/core/quantity_text.hpp"

#include <string_view>

namespace trainyard {

/// The longest time that a file or an option may give, 73 years: so late a job can still run for so long before the
/// clock (Instant) ends. parse_time() and import_trace() refuse what is longer.
inline constexpr Instant longest_time{end_of_time.count() / 2};

inline constexpr std::string_view beyond_longest_time = "times beyond 73 years are not simulated";

/// As parse_quantity for a duration of the simulated clock: above `longest_time` it is an error.
QuantityText parse_time(std::string_view text);

} // namespace trainyard
