// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "models/core/registry.hpp"
#include "models/core/units.hpp"

#include <string>
#include <vector>

namespace trainyard {

/// Small matrices that are trained beside frozen ones (LoRA, arXiv:2106.09685).
struct LowRank {
  int rank = 0;           // 0: all weights are trained
  double bits = 16;       // of a frozen weight: 16, 8 or 4 (QLoRA, arXiv:2305.14314)
  bool attention = false; // beside queries and values alone; else beside every matrix of a layer
  double share = 1;       // of the model's parameters, that are trained: those of the small matrices

  /// Bytes of a frozen weight. 4 bit have a scale of 8 bit for 64 weights and one of 32 bit for 256 scales: 0.127 bit
  /// (QLoRA, section 3, "double quantization"); 8 bit one of 32 bit for a row.
  double weight_bytes() const { return bits < 8 ? (bits + 0.127) / 8 : bits / 8; }
};

/// What of a training step stays in memory, beside the optimiser's states.
struct KeptParts {
  /// Each layer's gradients are used and freed in the backward pass (torchtune's optimizer_in_bwd).
  bool update_in_backward = false;
  /// Whose logits are in memory at the loss, of logits_kinds(); empty: all, of encoders masked.
  std::string logits;
  bool computed_again = false; // each block keeps its input alone; of jobs without training.parallel
  bool paged = false;          // optimiser states that the GPU has no room for lie on the host
  LowRank lora;
};

/// What of optimiser @p states goes to the host where a process needs @p needed of @p room, in whole pages of 2 MiB.
Bytes paged_out(Bytes states, Bytes needed, Bytes room);

/// Of a job without training.parallel, among the settings of its training.
KeptParts kept_of(const Settings& settings);
void keep(Settings& settings, const KeptParts& parts);

/// Setting of a training whose framework is not said: memory policy of the others, that keep no operands of composed
/// operations (TensorFlow 1 does).
inline constexpr const char* policy_of_another_framework = "kept.policy_of_another_framework";

/// Setting of a training: samples that a GPU has in the mean, over those of the GPU with the most.
inline constexpr const char* share_of_batch = "batch.share";

/// Bytes of one logit at the loss, gradient included. all: @p of_program, as the framework's cross entropy has them.
/// masked: of 15 % of the tokens, as BERT is trained (Devlin et al., arXiv:1810.04805, section 3.1). pieces: one of 8
/// (torchtune, CEWithChunkedOutputLoss, num_output_chunks = 8). one_kernel: the logit and its gradient, of @p
/// element_bytes each (flash-attn, losses/cross_entropy.py; Apex, contrib/xentropy). fused: none is ever written (Liger
/// kernels, arXiv:2410.10989; Cut Cross-Entropy, arXiv:2411.09009).
double logit_bytes(const std::string& logits, double element_bytes, double of_program);
const std::vector<std::string>& logits_kinds();

/// Bytes of one logit at the loss with PyTorch's cross entropy: in 16 bit, in fp32, the logarithm of its softmax, and
/// its gradient; of a model in fp32 without the first and the cast.
inline constexpr double pytorch_logit_bytes = 14, pytorch_fp32_logit_bytes = 12;

/// How far a published peak may be from its estimate: 0.97 to 1.30 times in 80 % of the 44 peaks (7 sources) of
/// results/memory, in whose sight these ends were set; with a source left out those of the others hold 7 of 10 of its
/// peaks. Between the ends the verdict is open.
inline constexpr double lowest_peak = 0.9, highest_peak = 1.25;
inline constexpr const char* how_right_memory_is = "80 % of 44 published peaks were 0.97 to 1.30 times the estimate";

/// @p share: estimate over what the card has.
constexpr bool memory_refused(double share)
{
  return share * lowest_peak > 1;
}
constexpr bool memory_open(double share)
{
  return share * highest_peak > 1 && !memory_refused(share);
}

/// Buffers that a communication library keeps for one group of GPUs.
///
/// NCCL has for each channel and neighbour buffers of 4 MiB (Simple), 4.7 MiB (LL128) and 0.5 MiB (LL):
/// src/init.cc, DEFAULT_BUFFSIZE, DEFAULT_LL128_BUFFSIZE, DEFAULT_LL_BUFFSIZE. About 24 channels with a ring and part
/// of a tree: 0.3 GB; fewer over PCIe.
inline constexpr double communicator_bytes = 0.3e9;

/// Driver and libraries of a process that uses a GPU: 0.3 to 0.6 GB as nvidia-smi shows them. Before kernels were
/// loaded when they are first used (CUDA 11.7, PyTorch 1.13: its pull request 86509) more than 1 GB: 1.06 on a Titan V
/// with PyTorch 1.3 (its issue 28394), 0.92 on an RTX 2080 Ti with 1.6 and 1.56 on an RTX 3090 with 1.7 (its issue
/// 49877).
inline constexpr double context_bytes = 450e6, context_with_all_kernels = 1.06e9;

/// Share of activations that a caching allocator loses to pieces that it cannot use. 3 to 8 % where all blocks are
/// alike, more with changing lengths (GMLake, arXiv:2401.08156, figure 3).
inline constexpr double lost_share = 0.05;

} // namespace trainyard
