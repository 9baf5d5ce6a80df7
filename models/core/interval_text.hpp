// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <functional>
#include <string>

namespace trainyard {

/// What stands behind an estimate that may be off: " ±1.2 %"; " (6.93 to 16.1)" with what @p ends says where the
/// interval is wide; nothing where it is below a thousandth of the mean.
std::string interval_text(double mean, double low, double high, const std::function<std::string()>& ends);

} // namespace trainyard
