// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace trainyard {

/// Kernels that follow each other over the same numbers in 16 bit.
struct ElementwisePass {
  double bytes = 0;   // read and written for each number
  double kernels = 0; // that the host starts

  bool operator==(const ElementwisePass&) const = default;
};

struct ElementwiseWork {
  ElementwisePass forward, backward;

  bool operator==(const ElementwiseWork&) const = default;
};

/// RMSNorm, for each number between the blocks: one kernel in each pass (Transformer Engine, apex, nn.RMSNorm from
/// PyTorch 2.8 on), or operator by operator (huggingface/transformers, models/llama/modeling_llama.py).
///
/// Forward: to fp32 (6 B), square (8), mean (4), small values and their root (two kernels over the tokens), product
/// (8), to 16 bit (6), weight (4). Backward, by torch/csrc/autograd/FunctionsManual.cpp: of the weight's product both
/// gradients (4 + 6) and the sum over the tokens (2); to fp32 (6); of the other product both gradients (8 + 12) and the
/// sum over the width (4); of the root three kernels over the tokens; of the mean (4); of the square x, 2 x and 2 x g
/// (8 + 8 + 12); both gradients of the input added (12); to 16 bit (6).
ElementwiseWork rms_norm_work(bool fused);

/// The same where one kernel takes what another has made fp32 of (InternLM: self.norm1(residual.float()), with apex's
/// norm). Forward: to fp32 (6 B), the norm (4 + 2). Backward: the kernel reads and writes fp32 where it had 16 bit (8 +
/// 2
/// + 2), and its result goes to 16 bit (6).
ElementwiseWork rms_norm_of_fp32_work();

/// Rotary embedding, for each number of queries and keys, which are apart: a kernel each, or complex numbers in fp32
/// (meta-llama/llama, llama/model.py; torchtitan and KempnerForge have it from there): to fp32 (6 B), product (8), to
/// 16 bit (6), and backward the same, with the conjugates of the table a kernel more.
ElementwiseWork rotary_work(bool fused);

/// SwiGLU, for each number of its result: a kernel in each pass; or SiLU (4 B) and a product (6), backward the
/// gradients of both factors (6 + 6) and of SiLU (6).
ElementwiseWork swiglu_work(bool fused);

} // namespace trainyard
