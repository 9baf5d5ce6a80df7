// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "models/hardware/hardware.hpp"

#include <string>

namespace trainyard {

/// What fused attention reaches on a GPU.
struct AttentionRates {
  double forward = 0; // flop/s, counted below the causal mask only
  double backward = 0;
  double dropout = 0; // seconds of a score for which the kernel draws whether it is left out, in each pass
};

/// Products of its backward pass against those of its forward pass: five instead of two.
constexpr double attention_backward_products = 2.5;

/// @p kernel: flash, flash2, flash1. @p tokens: keys of a call. @p products: flop/s of large matrix products.
///
/// The curve that was measured for the kernel (measured_rates.hpp), between its points on a line over the logarithm of
/// the length; heads narrower than 128 at `narrow_heads` of it. A kernel without a curve takes that of flash2; without
/// any, 0.65 of the ceiling of products forward and 0.55 backward (FlashAttention-2 on A100: up to 0.73 and 0.63 of the
/// peak, arXiv:2307.08691; causal sequences of some thousand tokens reach less).
///
/// Dropout: each score below the mask takes 0.15 ns of a multiprocessor for its random number, in both passes, since
/// the numbers are drawn again. Measured on an H100 with cuDNN 9.19 (calibrate/torch_steps.py): GPT layers of 16 heads
/// of 64, 16 of 128 and 32 of 128 take 1.22, 1.34 and 1.24 ps a score longer forward and 1.01, 0.92 and 1.18 backward
/// than the curve says; the mean is 1.15 ps on 132 multiprocessors.
AttentionRates fused_attention_rates(const Gpu& gpu, const std::string& kernel, double tokens, double head_width,
                                     double products);

} // namespace trainyard
