// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "models/core/units.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>

namespace trainyard {

/// A time since the start of a run, or a time span, in whole nanoseconds: sums of them are exact. Reaches 292 years.
using Instant = std::chrono::nanoseconds;

inline constexpr Instant end_of_time{Instant::max() / 2};

/// To the nearest nanosecond; beyond about 140 years: `end_of_time`.
inline Instant instant(Seconds time)
{
  const double nanoseconds = time.value() * 1e9;
  return nanoseconds >= static_cast<double>(end_of_time.count()) ? end_of_time
                                                                 : Instant{std::llround(std::max(nanoseconds, 0.0))};
}

inline Seconds seconds(Instant time)
{
  return Seconds{static_cast<double>(time.count()) * 1e-9};
}

} // namespace trainyard
