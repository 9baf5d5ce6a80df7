// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "models/core/units.hpp"

#include <map>
#include <string>

namespace trainyard {

/// `power_limit` of node types: watts of a GPU, by its name. Among the sections of a scenario, under power_limits_key.
struct PowerLimits {
  std::map<std::string, double> watts;
};
inline constexpr const char* power_limits_key = "power_limits";

/// Rate of products and attention at a share @p power of the board's power: the clock falls until the power is kept.
///
/// power^0.47: H100 PCIe (350 W, 114 multiprocessors) multiplies 495.9 TFLOP/s in bf16, H100 SXM5 (700 W, 132) 794.5: a
/// multiprocessor 0.72 times as many at half the power (models/hardware/catalogue, from torch-performance-test-data).
/// Of A100 (300 and 400 W: 252.9 and 271.2 TFLOP/s) it says 0.87 for 0.93. What memory limits stays as it is.
double rate_at_power(double power);

} // namespace trainyard
