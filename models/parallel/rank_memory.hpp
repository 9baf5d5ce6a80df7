// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "models/core/units.hpp"
#include "models/parallel/layout.hpp"

namespace trainyard {

/// Bytes of a number as it is rounded for a product: with its share of the scales of mxfp8 (1 B for 32) and nvfp4 (1 B
/// for 16).
double rounded_bytes(const ParallelLayout& layout);

/// Parameters that a rank holds before ZeRO divides them.
struct RankParameters {
  double dense = 0;   // replicated over dp x cp
  double experts = 0; // replicated over dp x cp / ep, with expert_tp: 1 over tp too
  /// Matrices of both kinds, and the largest one's parameters; of rank_parameters() alone.
  int dense_matrices = 0, expert_matrices = 0;
  double largest = 0;

  double all() const { return dense + experts; }
};

/// Of one layer of @p transformer; of one without experts, Transformer::without_experts().
RankParameters layer_parameters(const ParallelLayout& layout, const Transformer& transformer);

/// What a rank holds of the ends of the network.
struct EndParameters {
  double embedding = 0;
  double output = 0; // projection and last normalisation; without the projection where it is the embedding's matrix
};
EndParameters end_parameters(const ParallelLayout& layout, const Transformer& transformer);

/// Of pipeline rank @p rank, all its chunks. The first stage holds the embedding, the last the output projection; where
/// both are one matrix and two ranks hold them, each has a copy.
RankParameters rank_parameters(const ParallelLayout& layout, const Transformer& transformer, int rank);

/// Ranks that hold the same experts, of @p replicas. Where tp does not divide their matrices, so do the ranks of a
/// tensor-parallel group (Megatron-Core, core/parallel_state.py: the experts' data-parallel group has
/// world / (etp x ep x pp) ranks).
int expert_replicas(const ParallelLayout& layout, int replicas);

/// Parameters of @p held whose optimiser states a rank has where `zero` divides them; with whole_tensors no fewer than
/// the largest matrix.
double state_share(const ParallelLayout& layout, const RankParameters& held);

/// Share of rank @p rank's parameters in its first layer, with the embedding of the first stage, or in each other
/// layer; 0 to 1. The gradients of the first are ready when the last backward pass ends, and the first forward pass
/// waits for its new weights.
///
/// Megatron-LM fills buckets in the reverse order of the parameters and sends one when all gradients in it are ready; a
/// shared embedding has a bucket of its own (megatron/core/distributed/param_and_grad_buffer.py).
double share_of_layer(const ParallelLayout& layout, const Transformer& transformer, int rank, bool first);

/// Activations that one layer keeps for the backward pass of one micro-batch, in bytes on one rank.
///
/// With the dimensions of GPT (ffn = 4h, dropout, no grouped queries), s tokens, b sequences, t = tp:
/// sbh (10 + 24/t + 5 a s/(h t)); with sequence parallelism sbh/t (34 + 5 a s/h); without the last term where the
/// inside of attention is computed again; 2 sbh where the whole layer is (Korthikanti et al., arXiv:2205.05198, eq. 2
/// to 4 and table 2). Fused attention keeps 4 bytes a row and head of the score matrix instead.
Bytes layer_activations(const ParallelLayout& layout, const Transformer& transformer);

/// GPU memory of one rank at its peak.
struct RankMemory {
  int stage = 0; // its pipeline rank
  Bytes weights; // 16 bit; with ZeRO-3 the units that are gathered at the peak
  Bytes gradients;
  Bytes optimizer;   // master copy and two moments of Adam, in fp32 12 B a parameter; 0 where they lie on the host
  Bytes activations; // of all micro-batches in flight
  Bytes transient;   // the larger of logits and a layer that is computed again
  Bytes buffers;     // what the allocator cannot use
  Bytes context;     // driver, libraries, buffers of collectives

  /// As torch.cuda.max_memory_allocated() counts it; with `buffers` max_memory_reserved().
  Bytes allocated() const { return weights + gradients + optimizer + activations + transient; }
  Bytes total() const { return allocated() + buffers + context; } // as nvidia-smi shows it
};

/// @p chunks_in_flight: micro-batches x chunks of the rank whose activations it holds at most (from its schedule).
///
/// Logits: 4 B each where Megatron-LM's cross entropy works in place; 14 with ZeRO-3, whose users take PyTorch's:
/// 16-bit logits, in fp32, their logarithmic softmax and its gradient.
///
/// Buffers: lost_share of activations and transient memory. Context: context_bytes, and communicator_bytes for each
/// kind of groups that the rank is in.
RankMemory rank_memory(const ParallelLayout& layout, const Transformer& transformer, int rank, int chunks_in_flight);

} // namespace trainyard
