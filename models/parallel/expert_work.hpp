// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "models/parallel/layout.hpp"

namespace trainyard {

/// What a layer of experts runs beside its products and its activation function, on one rank and for one micro-batch.
struct ExpertOperators {
  struct Pass {
    double bytes = 0;   // read and written
    double kernels = 0; // that the host starts
  };
  Pass forward, backward;
  double waits = 0;      // times that the host reads numbers from the GPU in a forward pass
  double rows = 0;       // of the products of one expert
  double activation = 1; // calls of the activation function
  bool apart = false;    // each expert's products are calls of their own
};

/// @p tokens that a rank routes, of @p experts whose matrices it holds.
///
/// One pass over the routed tokens is R = tokens x active experts x hidden x 2 B, one over the tokens themselves T.
///
/// fused (Megatron-Core with --moe-permute-fusion and --moe-grouped-gemm, MegaBlocks): tokens are copied to the order
/// of experts and back, 2 R each in each pass.
///
/// grouped (torchtitan/models/moe/moe.py, utils.py and kernels.py: use_grouped_mm): the scores become fp32, softmax,
/// the best of them, histc, argsort. Forward: gather (2 R), a row of zeros behind (vstack, 2 R), rows in the order that
/// torch._grouped_mm wants, each expert's padded to a multiple of 8 (2 R), and back (2 R); times the score (to fp32,
/// product, back: 3 + 4 + 3 R in units of 2 B a number; one kernel of 2 R when compiled), scatter_add into zeros (T,
/// and R read, 2 R read and written by atomics). Backward: gather (2 R), the score's product (to fp32 3 R, product 4 R,
/// gradient of the score 6 R + 2 R, back 3 R; compiled 4 R), gather (2 R), slice (zeros and a copy, 3 R), index (zeros,
/// and rows added up, 4 R), scatter_add into zeros (T + 3 R).
///
/// padded (KempnerForge of April 2026, kempnerforge/model/moe.py and distributed/expert_parallel.py): each expert gets
/// as many rows as the busiest, on every rank; P = mean R x imbalance. Forward: gather (2 R), zeros (P), a copy for
/// each expert (2 R), zeros (R), a copy for each expert (2 R), times the score (2 R), scatter_add (T + 3 R). Backward:
/// gather (2 R), product (2 + 3 R), index (4 R); and of each expert: the gradient of each of both tensors that it
/// writes to is copied whole (autograd's CopySlices, 2 R and 2 P), and that of each of both that it reads is a tensor
/// of zeros that is added up (R, P, and three times as much). With ep > 1 tokens are sorted once more, and back: 4 R,
/// and 8 R backward.
///
/// loop (Hugging Face's Mixtral and Qwen-MoE, modeling_mixtral.py): for each expert where() (the host waits), gather,
/// three products, times the score, index_add_. Forward: 2 + 2 + 3 R. Backward: gather (2 R), product (5 R), rows added
/// up (3 R), and for each expert a tensor of zeros for the gradient of all tokens, which is added up (4 T).
ExpertOperators expert_operators(const Transformer& transformer, const ParallelLayout& layout, double tokens,
                                 double experts);

/// Tokens that the busiest rank of ep gets, as a multiple of the mean: it holds the busiest expert, and of the others
/// as many as all.
double busiest_rank(const Transformer& transformer, const ParallelLayout& layout);

/// Rows of all products of a rank's experts together, for @p tokens that a rank routes; the tokens without experts.
/// Padded ones are as many on every rank; else those of the busiest rank.
double routed_rows(const Transformer& transformer, const ParallelLayout& layout, double tokens);

} // namespace trainyard
