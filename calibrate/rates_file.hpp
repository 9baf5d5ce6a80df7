// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "models/cost/profile.hpp"

#include <string>

namespace trainyard::calibrate {

/// What a calibration says of large models on its GPU, in the form of the files of
/// models/hardware/catalogue/measured: a scenario names it with `measured_rates`.
///
/// | key | from the curves |
/// |---|---|
/// | products | the highest rate of gpu_products.TYPE.* and gpu_gemm.TYPE |
/// | grouped | gpu_products.TYPE.MxNxKxG over the product of as many rows, or the highest rate |
/// | attention, narrow_heads | gpu_attention.DIRECTION.HEAD.TOKENS, measured without a mask: of 128 x 128 scores a
/// tile on the diagonal is computed whole, so a causal mask leaves tokens / (tokens + 128) of the rate |
/// | kernel_gap, graph_gap | gpu_launch.stream and .graph: kernels that last one and two units |
/// | all_reduce | gpu_all_reduce.RANKS |
///
/// What was not measured is left out. Throws InputError where nothing of it was measured, or the GPU is not known.
std::string rates_text(const Profile& profile);

} // namespace trainyard::calibrate
