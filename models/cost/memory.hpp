// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "models/core/units.hpp"
#include "models/cost/kept_state.hpp"
#include "models/dnn/network.hpp"
#include "models/hardware/hardware.hpp"

#include <string>
#include <vector>

namespace trainyard {

/// Share of a visible GPU that a process reserves at start under the policy `all`.
///
/// 0.95: TensorFlow on an M40 of 11,443 MiB took 10,874 MiB, 0.95 x 11,443 = 10,871.
constexpr double reserved_share = 0.95;

/// What one training process keeps on one GPU.
struct MemorySettings {
  double batch = 1;                       // samples of one micro-step, > 0
  std::string precision = "fp32";         // fp32, tf32, amp, fp16, bf16
  std::string optimizer = "sgd_momentum"; // of optimizer_names()
  std::string policy = "all";             // all, allow_growth, fraction
  double fraction = 1;                    // of the GPU, for the policy `fraction`; in (0, 1]
  bool composed = false;                  // of elementary operations that each keep their operands, as in TensorFlow 1
  bool tanh_gelu = false;                 // the network\'s GELU is by tanh (GPT)
  KernelHabits kernels{}; // fused attention keeps no scores; autocast keeps inputs of norms and of the loss in fp32
  KeptParts kept;         // logits: empty is all
  int communicators = 0;  // groups of GPUs that it exchanges messages with
  bool rows_from_servers = false; // of tables a worker holds what its batch looks up; servers keep the rest
  double averaged_values = 0;     // copies of the parameters that are averaged between workers
  Bytes context{context_bytes};   // driver and library state of a process
  Bytes workspace{256e6};         // scratch memory of convolution and matrix libraries; assumed
};

/// The terms of GPU memory of one training process, and whether they fit.
struct MemoryFit {
  Bytes parameters;      // as used by the forward pass
  Bytes master;          // fp32 copy of 16-bit parameters
  Bytes averaged;        // copies of the parameters that are averaged between workers
  Bytes gradients;       // one per parameter
  Bytes optimizer_state; // momentum: 1 fp32 value per parameter, adam: 2
  Bytes paged;           // of these, on the host, since the GPU has no room for them
  Bytes activations;     // kept for the backward pass, x batch
  Bytes transient;       // the largest of: logits at the loss, gradients of a layer's activations, a block again
  Bytes workspace;
  Bytes lost;            // what the allocator cannot use
  Bytes context;         // with the buffers of collectives
  Bytes needed;          // sum of all
  Bytes reserved;        // what the process takes from the GPU, whether it needs it or not
  Bytes available;       // what it may take at most
  Bytes installed;       // on the GPU
  int largest_batch = 0; // that fits; 0 = not even one sample
  bool fits = true;
  bool refused() const { return memory_refused(needed / available); }
  bool open() const { return memory_open(needed / available); }
  /// One sentence where it does not fit: "needs 18.3 GB of 15.2 GB (0.95 of 16 GB): parameters 0.55, …; try
  /// batch_per_gpu <= 24".
  std::string verdict;
};

/// "needs 18.3 GB of 15.2 GB (0.95 of 16 GB): parameters 0.55, …"
std::string memory_terms(const MemoryFit& fit);

/// Values of 4 B that an optimiser keeps for each parameter: 0 (sgd), 1 (sgd_momentum), 2 (adam)… Throws
/// std::invalid_argument for an unknown one.
double state_values(const std::string& optimizer);

/// What a process that updates parameters keeps of them.
struct KeptParameters {
  Bytes values;
  Bytes master; // fp32 copy of 16-bit values
  Bytes states; // of the optimiser, in fp32

  Bytes total() const { return values + master + states; }
};

/// Of @p elements parameters of @p element_bytes each. @p cast: they are copies of fp32 ones, whatever the optimiser.
KeptParameters kept_parameters(double elements, double element_bytes, const std::string& optimizer, bool cast = false);

/// Which tensors of a layer the backward pass needs.
struct LayerFate {
  const char* type;
  bool input = false, output = false;
};
/// One row for each type of layer (Layer::type). Types that are not in it keep their output.
const std::vector<LayerFate>& layer_fates();

/// Activations of one sample that the forward pass keeps for the backward pass, in bytes of elements of @p
/// element_bytes.
///
/// The output of a layer is kept once where a reader's gradient needs its input (convolution, linear, normalisation,
/// pooling, attention, recurrent, GELU and gated units) or its own gradient needs its output (ReLU, softmax); ReLU
/// works in place, so that normalisation followed by ReLU keeps one tensor. Agrees with s b h (34 + 5 a s / h) bytes
/// per transformer layer at 16 bit (Korthikanti et al., "Reducing activation recomputation in large transformer
/// models", arXiv:2205.05198, eq. 2). Nothing is known of what is inside a row of a list of layers: its output is kept.
///
/// Logits (a softmax over more than 10,000 classes) are not among them. Fused attention keeps 4 B a row and head
/// (arXiv:2205.14135). With @p autocast the inputs of layer normalisation are in fp32, for which PyTorch casts them
/// (aten/src/ATen/autocast_mode.h, AT_FORALL_FP32). With @p composed GELU, layer normalisation and dropout keep what
/// their parts need in TensorFlow 1.
struct ActivationHabits {
  bool fused_attention = false, autocast = false, composed = false, composed_gelu = false;
};
double kept_activation_bytes(const Dnn& dnn, double element_bytes, const ActivationHabits& habits = {});

/// The same where blocks keep their input alone and are computed again (torch.utils.checkpoint): of transformers a
/// block is a layer, of other networks one of sqrt(n) parts (Chen et al., arXiv:1604.06174).
struct CheckpointedBytes {
  double kept = 0;
  double block = 0; // the largest, while it is computed again
};
CheckpointedBytes checkpointed_bytes(const Dnn& dnn, double element_bytes, const ActivationHabits& habits = {});

/// Adds up the memory of a training process and compares it with what the policy lets it have.
///
/// P parameters: fp32 and tf32 hold 4 P parameters and 4 P gradients; fp16 and bf16 keep an fp32 copy of the parameters
/// beside 16-bit ones, and 16-bit gradients; amp the same with fp32 gradients, but no 16-bit form of what is only
/// looked up. Copies that are averaged are as the parameters that the model has: fp32 with amp. Optimiser state is
/// fp32: 0, 1 or 2 values per parameter (sgd, sgd_momentum, adam). Throws std::invalid_argument for an unknown
/// optimiser or policy.
MemoryFit memory_fit(const Dnn& dnn, const Gpu& gpu, const MemorySettings& settings);

} // namespace trainyard
