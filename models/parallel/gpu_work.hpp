// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "models/cost/matrix_time.hpp"
#include "models/hardware/hardware.hpp"
#include "models/parallel/layout.hpp"

#include <algorithm>

namespace trainyard {

/// By how much collectives of @p messages seconds lengthen @p computing seconds beside them: they hold @p share of the
/// multiprocessors for as long as both run.
inline double taken_by_collectives(double share, double messages, double computing)
{
  return std::min(share * messages, share / (1 - share) * computing);
}

/// Of @p messages seconds, what @p computing seconds beside them save.
inline double hidden_messages(double share, double messages, double computing)
{
  return messages - std::max(messages - computing, taken_by_collectives(share, messages, computing));
}

/// What one GPU reaches, by kind of work.
struct GpuRates {
  MatrixEngine matrix;          // products in 16 bit
  MatrixEngine linear;          // products of linear layers: in fp8 where the layout says so
  double memory = 0;            // B/s of element-wise kernels
  double attention_forward = 0; // flop/s of fused attention, counted below the causal mask only
  double attention_backward = 0;
  double dropout = 0;          // seconds for which fused attention draws whether a score is left out, in each pass
  double grouped = 1;          // share of `linear` that equal products in one call reach
  double gap = 0;              // seconds between two kernels
  double collective_share = 0; // of the multiprocessors, that collectives beside the computation take from it
  double quantised_bytes = 0;  // read and written to round one number for the products of linear layers
  Seconds host_per_operator;   // that the processor needs to launch one operator; 0: CUDA graphs

  double taken_by(double messages, double computing) const
  {
    return taken_by_collectives(collective_share, messages, computing);
  }
};

/// Rates of @p gpu for the precision of the layout: measured ceilings, not peaks. Throws std::invalid_argument where
/// the GPU does not compute in it.
///
/// Fused attention: attention_rates.hpp.
///
/// Kernels follow each other after 0.9 us, 0.5 in a CUDA graph: kernels of 2.9 us took 3.8 and 3.4 us each (NVIDIA,
/// "Getting Started with CUDA Graphs"). Numbers are rounded for both of their products at once: fp8 by earlier largest
/// values 2 B read, 2 x 1 B written; by their own 2 B more; mxfp8 4.7 B and nvfp4 6.9 B, from the difference between
/// "autocast" and "pre-quantized" in Transformer Engine's GEMM profiling tutorial (B300: 1.82 and 2.69 ms for 2.48e9
/// numbers at 6.4 TB/s; with the same arithmetic fp8 by its own largest values takes 6.0 B).
GpuRates gpu_rates(const Gpu& gpu, const ParallelLayout& layout, const Transformer& transformer,
                   Seconds host_per_operator);

/// Kernels of one pass over one layer and micro-batch, on one rank, without collectives.
struct KernelTime {
  double seconds = 0;  // of the GPU
  double launches = 0; // operators that the host starts

  KernelTime times(double factor) const { return {seconds * factor, launches * factor}; }
  KernelTime& operator+=(const KernelTime& other)
  {
    seconds += other.seconds;
    launches += other.launches;
    return *this;
  }
  KernelTime operator-(const KernelTime& part) const { return {seconds - part.seconds, launches - part.launches}; }
};

/// What a rank computes for one micro-batch in one layer, or at one end of the network.
struct LayerWork {
  KernelTime forward;
  KernelTime backward;  // gradients of activations
  KernelTime weights;   // gradients of weights
  KernelTime core;      // the part of `forward` inside attention, which selective recomputation does again
  KernelTime last;      // the part of `forward` that early_stop leaves out: the last product and the sum after it
  KernelTime kept;      // the part of `forward` that every_second keeps: attention, and every other product
  KernelTime modules;   // the part of `forward` that recompute_modules does again
  double attention = 0; // seconds of fused attention in `forward`: hides the exchange of keys and values (cp)
  double attention_backward = 0;
  bool once = false;               // an end of the network: whatever is recomputed, it is not
  bool layer = false;              // a whole layer, whose weights and gradients travel by themselves with zero = 3
  bool feed_forward_again = false; // recompute_modules name its feed-forward network or its experts
  double waiting = 0; // launches for which the GPU waits, whatever else it has to do: the loop around the network, and
                      // where the host reads numbers before it goes on (experts)
};

/// One layer: normalisations, QKV, attention, projection, feed-forward network or experts.
///
/// Matrix products as roofline with tiles and waves (matrix_time.hpp) from M, N, K after division; element-wise kernels
/// by the bytes that they read and write.
///
/// A tile waits 0.8 us for its first numbers (a memory access, and the stages of the pipeline that it fills; assumed)
/// and at its end writes its results at its multiprocessor's share of the memory bandwidth, in which nothing is
/// multiplied: 2 B each, 8 B where a product adds to gradients in fp32. So cuBLAS on a B200 in bf16 comes out as
/// measured: 2048^3 at 1,190 (1,006), 4096^3 at 1,520 (1,532), 8192^3 at 1,610 TFLOP/s (1,610; pyptx.dev/performance).
LayerWork layer_work(const Transformer& transformer, const ParallelLayout& layout, const GpuRates& rates);
/// The word embedding of the first stage.
LayerWork embedding_work(const Transformer& transformer, const ParallelLayout& layout, const GpuRates& rates);
/// Last normalisation, output projection to the vocabulary (divided over tp), cross entropy in fp32.
LayerWork output_work(const Transformer& transformer, const ParallelLayout& layout, const GpuRates& rates);

/// What a layer that predicts a later token computes beside a layer and an output: two normalisations and the
/// projection of both halves.
LayerWork prediction_work(const Transformer& transformer, const ParallelLayout& layout, const GpuRates& rates);

/// Seconds of the copies between the buffers of collectives and the tensors of a layer, with zero = 3.
///
/// PyTorch's fully_shard copies weights out of the gathered buffer where the layer waits for them, in both passes, and
/// gradients into the buffer that is scattered, in its number format (foreach_all_gather_copy_out and chunk_cat in
/// torch/distributed/fsdp/_fully_shard/_fsdp_collectives.py): 2 + 2 B a parameter, and 2 + gradient_bytes.
struct ShardCopies {
  double weights = 0; // in each pass
  double gradients = 0;
};
ShardCopies shard_copies(const ParallelLayout& layout, double parameters, const GpuRates& rates);

/// Adam over the parameters of a rank: gradient norm, moments, master copy, 16-bit copy; memory-bound. With states on
/// the host only the norm, and gradients set to zero.
KernelTime optimizer_work(double parameters, const GpuRates& rates, const ParallelLayout& layout);

/// Flop of the whole model for one sequence, forward and backward (3 x forward), without recomputation: the "model
/// flop" of model flop utilisation. @p mtp_layers: layers that predict later tokens.
double model_flop_per_sequence(const Transformer& transformer, int sequence, int mtp_layers = 0);

} // namespace trainyard
