// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "sim/study/measures.hpp"

#include <cstddef>
#include <functional>
#include <vector>

namespace trainyard {

/// The failure of a point that an interrupt has cut off.
inline constexpr const char* interrupted_point = "interrupted before it ended";

/// Runs @p evaluate for 0…count-1 in @p workers forked children and gives the outcomes in order; a point whose process
/// dies has a failure that says so. @p progress is called with the number done, about ten times a second, and may throw
/// to stop. @p keep: after Interrupted the points that have ended are given (interrupt::keep), the others fail with it.
std::vector<PointOutcome> evaluate_batch(std::size_t count, const std::function<PointOutcome(std::size_t)>& evaluate,
                                         int workers, const std::function<void(std::size_t done)>& progress = {},
                                         bool keep = false);

} // namespace trainyard
