// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "sim/report/picture.hpp"
#include "sim/study/measures.hpp"

#include <vector>

namespace trainyard {

/// Ticks of an axis with figures of a measure. Times have one unit on the whole axis, and are round in it: 0 min, 10
/// min, 20 min.
std::vector<AxisTick> axis_ticks(const PlotAxis& axis, const Measure& measure);

} // namespace trainyard
