// SPDX-License-Identifier: Apache-2.0
#include "models/core/interval_text.hpp"

#include <fmt/format.h>

namespace trainyard {

std::string interval_text(double mean, double low, double high, const std::function<std::string()>& ends)
{
  const double half = (high - low) / 2;
  constexpr double told_by_ends = 0.3; // of the mean: beyond, an interval of ratios reaches much farther up than down
  if (half > told_by_ends * mean)
    return fmt::format(" ({})", ends());
  return half > 0.0005 * mean ? fmt::format(" ±{:.1f} %", 100 * half / mean) : std::string{};
}

} // namespace trainyard
