// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "models/core/units.hpp"
#include "models/cost/kept_state.hpp"
#include "models/dnn/transformer.hpp"
#include "models/parallel/schedule.hpp"

#include <algorithm>
#include <array>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace trainyard {

/// What the backward pass computes again instead of keeping it: nothing, the inside of attention, whole layers
/// (Korthikanti et al., arXiv:2205.05198); or everything but attention and every second matrix product (torchtitan,
/// selective_ac_option "op").
enum class Recomputation { none, selective, every_second, full };

/// Parts of a layer that the backward pass can compute again, by their names in Megatron-Core (--recompute-modules).
inline constexpr std::array<std::string_view, 6> recompute_modules{"layernorm", "activation", "mla_up_proj",
                                                                   "mlp",       "moe",        "shared_experts"};

/// What the backward pass can find in fewer than 16 bit: inputs of linear layers, as they were rounded for the product
/// (Transformer Engine); inputs of the activation function (Megatron-Core's --activation-func-fp8-input-store); the
/// output of attention, 12 bit for attention and for the product behind it (DeepSeek-V3, arXiv:2412.19437,
/// section 3.3.3).
inline constexpr std::array<std::string_view, 3> stored_parts{"linear_inputs", "activation_inputs", "attention_output"};

/// How the ranks of cp see each other's keys and values: pieces go round a ring, each beside the attention to the piece
/// before (ring attention, arXiv:2310.01889); all are gathered before the attention (Llama 3, arXiv:2407.21783, section
/// 3.3.2); or each rank gets the whole sequence of its share of the heads (DeepSpeed-Ulysses, arXiv:2309.14509).
enum class KeyValueExchange { p2p, all_gather, a2a };

/// Whether the operators of a kind are one kernel: the norms, or all of them but the cast of their input to fp32; the
/// rotary embedding; the activation of the feed-forward network (and what PyTorch does to the tokens of experts around
/// grouped products); dropout and the sum after it.
struct FusedKinds {
  bool norm_of_fp32 = false;
  bool norm = true, rotary = true, activation = true, dropout = true;

  FusedKinds(bool all) : norm{all}, rotary{all}, activation{all}, dropout{all} {} // NOLINT: as the key reads it
  bool operator==(const FusedKinds&) const = default;
};

/// Their names in scenarios.
inline constexpr std::array<std::pair<const char*, bool FusedKinds::*>, 5> fused_kinds{
    {{"norm", &FusedKinds::norm},
     {"norm_of_fp32", &FusedKinds::norm_of_fp32},
     {"rotary", &FusedKinds::rotary},
     {"activation", &FusedKinds::activation},
     {"dropout", &FusedKinds::dropout}}};

/// How the training of one transformer is divided among GPUs.
///
/// A rank's coordinates are (pp, dp, cp, tp), tp innermost: the GPUs of a tensor-parallel group are neighbours in a
/// machine, stages lie farthest apart. Experts are divided over the ranks of dp x cp, or over those of tp too.
struct ParallelLayout {
  int tp = 1;                     // tensor parallel: GPUs that share each matrix
  int pp = 1;                     // pipeline stages
  int vp = 1;                     // virtual stages: chunks of layers of each GPU (interleaved schedule)
  int dp = 1;                     // replicas
  bool dp_assumed = false;        // neither they nor the number of GPUs was given
  int cp = 1;                     // context parallel: GPUs that share each sequence
  int ep = 1;                     // expert parallel, inside dp x cp (x tp: experts_over_tp())
  bool sequence_parallel = false; // norms and dropout divided over tp (arXiv:2205.05198)
  int zero = 0; // 0: each replica holds everything; 1: optimiser states divided over dp x cp, 2: and gradients, 3: and
                // weights (ZeRO, arXiv:1910.02054; 3 is FSDP's FULL_SHARD, 2 its SHARD_GRAD_OP)
  /// Neighbouring replicas among which `zero` divides; groups of them hold copies, and add up their shares of the
  /// gradients (FSDP's HYBRID_SHARD; MiCS, arXiv:2205.00119). 0: all replicas.
  int shard_within = 0;
  /// With zero = 1: states of each tensor lie on one rank, its owner. Gradients are added up on all ranks, and owners
  /// broadcast their tensors after the update (PyTorch's ZeroRedundancyOptimizer, InternLM, FairScale's OSS); else
  /// every rank has an equal part of all tensors.
  bool whole_tensors = false;
  /// Optimiser states lie in host memory, and the host updates them (ZeRO-Offload, arXiv:2101.06840).
  bool offload_optimizer = false;
  BytesPerSecond host_bandwidth{330e9}; // with it: of a machine's memory, which all its GPUs' states share
  int micro_batch = 1;                  // sequences of one forward pass
  int global_batch = 1;                 // sequences of one optimiser step
  /// With another number of replicas the global batch stays, and accumulation changes; else the batch grows with them.
  bool keep_batch = false;
  /// With keep_batch, where the replicas' micro-batches do not divide the global batch: it is decreased until they do
  /// (Megatron-LM's --decrease-batch-size-if-needed). Else they cannot train.
  bool decrease_batch = false;
  int sequence = 0; // tokens; 0: published length
  /// Layers behind the last, trained to predict one token further ahead each (multi-token prediction, arXiv:2412.19437,
  /// section 2.2): a projection of what comes in and the next token's embedding, a layer like the others, and the
  /// output projection with its loss once more. All on the last stage.
  int mtp_layers = 0;
  Recomputation recomputation = Recomputation::none;
  /// Of `recompute_modules`; with recomputation none or selective.
  std::vector<std::string> recomputed;
  /// With `full`: what is computed again ends with the last value that the backward pass needs, so
  /// without a layer's last product (PyTorch from 2.1 on, torch.utils.checkpoint.set_checkpoint_early_stop).
  bool early_stop = false;
  std::string precision = "bf16";  // of matrix products: bf16, fp16, fp8, mxfp8, nvfp4
  std::string scaling = "delayed"; // of fp8: delayed (by earlier steps), current (reads every tensor once more)
  /// Of `stored_parts`. Nothing: stores().
  std::optional<std::vector<std::string>> low_precision_storage;
  bool low_precision_output = false; // the output projection too is multiplied in `precision`; else in 16 bit
  std::string schedule;              // registered PipelineSchedule; empty: 1f1b, with vp > 1 interleaved
  std::shared_ptr<const TaskLists> own_schedule; // instead of a registered one
  std::vector<int> layers_per_stage;             // pp x vp of them, in the order of the forward pass; empty: equal
  std::string attention = "flash"; // flash, flash2, flash1: fused, keeps no score matrix (arXiv:2205.14135); unfused
  /// With cp, how results and gradients of the pieces of a sequence are added up: fused, a kernel each; eager, operator
  /// by operator (PyTorch's ring attention); compiled, the same under torch.compile.
  std::string ring_merge = "fused";
  /// Nothing: exchange().
  std::optional<KeyValueExchange> context_exchange;
  bool overlap_gradients = true; // gradients travel during the backward pass
  /// With zero = 3: weights of the next layer travel while the backward pass of this one is computed (FSDP's
  /// BACKWARD_PRE); else after it (BACKWARD_POST), and the GPU waits for them.
  bool prefetch_weights = true;
  /// With zero = 3: weights are used where they are gathered (FSDP1's FlatParameter, Megatron-FSDP's buffers); else
  /// they are copied to each parameter, and gradients from it (PyTorch's fully_shard, DeepSpeed).
  bool flat_parameters = false;
  /// With weights that travel layer by layer: embedding, last normalisation and output projection are one unit,
  /// gathered before the first layer and scattered after it (a model whose layers alone were wrapped:
  /// fully_shard(layer) and fully_shard(model)); else embedding and output are units of their own (torchtitan).
  /// Nothing: edges_together().
  std::optional<bool> root_unit;
  /// With zero = 2 or 3, which micro-batches send gradients: each, or the last one, and until then every rank adds up
  /// whole gradients in fp32 (set_requires_gradient_sync(False), no_sync()). Nothing: sends_each().
  std::optional<std::string> gradient_sync;
  /// Whose way of zero = 2: fsdp, deepspeed, megatron. Nothing: sharded_by().
  std::optional<std::string> sharding;
  KeptParts kept;
  /// The loss is computed on each rank's share of the vocabulary (Megatron-LM; PyTorch's loss_parallel()); else logits
  /// are gathered, and each rank of tp computes all of it.
  bool loss_parallel = true;
  /// The word embedding is divided over tp; else each rank holds all of it.
  bool embedding_parallel = true;
  /// Who sends the messages of sequence_parallel: "megatron", "dtensor" (PyTorch), "dtensor_each" (a gather for each
  /// matrix). Nothing: messages_by().
  std::optional<std::string> tensor_messages;
  /// Which tensor-parallel collectives run beside products: none, backward (with those of weight gradients), all (cut
  /// into pieces, with their own products). Nothing: overlap().
  std::optional<std::string> overlap_tensor;
  /// Share of the measured ceiling that matrix products reach over a whole step, beside tiles and waves.
  ///
  /// The ceiling is the best of thousands of shapes. cuBLAS on 8192^3 with normally distributed numbers, whose power
  /// brings clocks down, reaches 257 TFLOP/s on A100 (thonking.ai, "Strangely, Matrix Multiplications on GPUs Run
  /// Faster") and 716 on H100 (cudaforfun.substack.com); our tiles and waves leave 263 and 731 of 271 and 794: 0.98.
  double product_efficiency = 0.98;
  /// How much the GPUs of one kind differ: "gpus" (spread_of_equal_gpus), "none". All wait for the slowest.
  std::string spread = "gpus";
  /// By whose kernels tokens reach their experts: fused, grouped, padded, loop (expert_operators()). Nothing:
  /// experts_by().
  std::optional<std::string> expert_kernels;
  /// Tokens of the busiest expert, as a multiple of the mean.
  double expert_imbalance = 1;
  /// GPUs of the tensor-parallel group that share the matrices of each expert: all (0), or none (1; Megatron-Core's
  /// --expert-tensor-parallel-size). With 1 each rank routes the tokens that it holds between the blocks: its share
  /// with sequence_parallel, else all of them.
  int expert_tp = 0;
  /// Tokens travel to their experts beside the computation of another micro-batch (Megatron-Core's
  /// --overlap-moe-expert-parallel-comm, DualPipe).
  bool overlap_experts = false;
  /// Tokens travel to their experts, and gradients to those of the experts' outputs, as they are rounded for the
  /// product; what comes back is in 16 bit (DeepSeek-V3, section 3.3.3; DeepEP).
  bool low_precision_dispatch = false;
  /// Which element-wise operators between two products are one kernel (torch.compile, Transformer Engine, Megatron-LM's
  /// kernels); of the others each is one of its own, as PyTorch runs a model line by line. Nothing: fuses().
  std::optional<FusedKinds> fused_elementwise;
  /// Values are left out at random while it trains. Nothing: drops().
  std::optional<bool> dropout;
  double gradient_bytes = 4; // of one gradient as it is kept and sent: 4 (Megatron-LM), 2
  double moment_bytes = 8;   // of Adam's mean and variance of a parameter together: 8, in 16 bit 4, in 8 bit 2
  /// The optimiser keeps weights in fp32 beside those in 16 bit; else it updates those (torchtitan's training.dtype).
  bool master_weights = true;
  double state_bytes() const { return moment_bytes + (master_weights ? 4 : 0); } // of a parameter

  bool has_owners() const { return whole_tensors && zero == 1; }
  bool computes_again(std::string_view part) const { return std::ranges::find(recomputed, part) != recomputed.end(); }
  /// As said, else FSDP where something else of it was said, and DeepSpeed, whose word "stage 2" is. Layers that tp
  /// divides are Megatron-LM's or Alpa's, whose optimisers send sums.
  std::string sharded_by() const
  {
    const bool of_pytorch = flat_parameters || root_unit || tensor_messages.value_or("megatron") != "megatron";
    return sharding.value_or(of_pytorch ? "fsdp" : tp > 1 && !gradient_sync ? "megatron" : "deepspeed");
  }
  /// Weights travel layer by layer, with each micro-batch: with zero = 3, and with FSDP's SHARD_GRAD_OP, which frees
  /// them after the backward pass (torch/distributed/fsdp/_runtime_utils.py, _post_backward_reshard). In a pipeline the
  /// latter keeps them for the next micro-batch (torch/distributed/pipelining/stage.py, backward_maybe_with_nosync:
  /// set_reshard_after_backward(False)). Others keep 16-bit weights whole, and gather them after the update.
  bool weights_by_layer() const { return zero == 3 || (zero == 2 && pp == 1 && sharded_by() == "fsdp"); }
  /// Each micro-batch sends its gradients: as said; else with zero = 3 and FSDP's zero = 2, but not in PyTorch's
  /// pipelines (stage.py: set_requires_gradient_sync(last_backward)), and with DeepSpeed's stage 2, which has no room
  /// for whole gradients (runtime/engine.py, allreduce_gradients: zero_optimization_partition_gradients() reduces in
  /// every backward pass). Megatron-LM's and Alpa's add them up, and send the sum.
  bool sends_each() const
  {
    if (gradient_sync)
      return gradient_sync == "each";
    return pp == 1 && (zero == 3 || sharded_by() != "megatron");
  }
  /// Weights or gradients travel layer by layer, with each micro-batch.
  bool by_layer() const { return weights_by_layer() || (zero == 2 && sends_each()); }
  /// The model is eager PyTorch's: FSDP and DeepSpeed divide its weights, or PEFT and torchtune freeze them (LoRA).
  bool of_eager_pytorch() const { return zero == 3 || kept.lora.rank > 0; }
  /// As said, else by whose model it is.
  FusedKinds fuses() const { return fused_elementwise.value_or(!of_eager_pytorch()); }
  /// As said, else as with FSDP1's wrapping policies.
  bool edges_together() const { return root_unit.value_or(flat_parameters); }
  /// Whole gradients are added up over the micro-batches.
  bool adds_up_gradients() const { return by_layer() && !sends_each() && micro_batches() > 1; }
  int embedding_ranks() const { return embedding_parallel ? tp : 1; }
  /// As said, else by who divides weights: PyTorch's FSDP is used with its operators.
  std::string experts_by() const
  {
    return expert_kernels.value_or(zero == 3 && !flat_parameters ? "grouped" : "fused");
  }
  int expert_ranks() const { return expert_tp > 0 ? expert_tp : tp; }
  /// Experts are spread over the ranks of tp first, then over the replicas: a group of ep are neighbours.
  ///
  /// Megatron-Core (core/parallel_state.py, expert_decoder_rank_generator: order tp-cp-ep-dp-pp with its own tp, and cp
  /// of 1) and torchtitan (parallel_dims.py: ep borrows cp and tp, and some of dp_shard) do so where tp does not divide
  /// the experts. Padded experts are KempnerForge's, which spreads them over replicas alone.
  bool experts_over_tp() const { return expert_tp == 1 && tp > 1 && experts_by() != "padded"; }
  /// GPUs of a stage over which experts can be spread.
  int expert_places() const { return replicas() * (experts_over_tp() ? tp : 1); }
  /// GPUs of a tensor-parallel group among which the work on experts is divided: their matrices, or the tokens.
  int expert_share() const { return expert_ranks() == tp || sequence_parallel ? tp : 1; }
  /// As said, else by who divides weights: PyTorch's FSDP is used with its DTensor.
  std::string messages_by() const
  {
    return tensor_messages.value_or(zero == 3 && !flat_parameters ? "dtensor" : "megatron");
  }
  /// As said, else as who sends the messages does: Megatron-LM sends those of the backward pass beside products of
  /// weight gradients; PyTorch waits for each, and so do DeepSpeed's engines around models of Megatron-LM.
  std::string overlap() const { return overlap_tensor.value_or(messages_by() == "megatron" ? "backward" : "none"); }
  bool drops(const Transformer& transformer) const { return dropout.value_or(transformer.biases); }
  /// Kernels of Transformer Engine, as Megatron-Core uses them: a norm's backward pass is one kernel, and gradients of
  /// biases are added up by products (CUBLASLT_EPILOGUE_BGRADB). Else both are kernels of their own, in Megatron-LM too
  /// (megatron/core/tensor_parallel/layers.py, grad_output.sum).
  bool transformer_engine() const { return fuses() == FusedKinds{true} && attention == "flash"; }
  bool fused_attention() const { return attention != "unfused"; }
  /// Pieces of a sequence go round as in PyTorch's ring attention, not as in Transformer Engine's.
  bool ring_of_pytorch() const { return ring_merge != "fused"; }
  /// As said, else the framework's default: torchtitan's context_parallel_rotate_method is allgather, Megatron-Core's
  /// cp_comm_type p2p.
  KeyValueExchange exchange() const
  {
    return context_exchange.value_or(ring_of_pytorch() ? KeyValueExchange::all_gather : KeyValueExchange::p2p);
  }
  /// Attention reads the keys of a sequence one rank's piece after the other, and adds up the results. PyTorch does so
  /// also where all pieces were gathered.
  bool by_pieces() const
  {
    return cp > 1 && exchange() != KeyValueExchange::a2a && (ring_of_pytorch() || exchange() == KeyValueExchange::p2p);
  }
  /// Products of linear layers are in 8 bits or fewer.
  bool low_precision() const { return precision == "fp8" || precision == "mxfp8" || precision == "nvfp4"; }
  /// As said, else by whose kernels multiply: those of Transformer Engine keep the rounded inputs, those that PyTorch's
  /// FSDP is used with (torchao) keep them in 16 bit and round them again.
  bool stores(std::string_view part) const
  {
    if (!low_precision())
      return false;
    if (low_precision_storage)
      return std::ranges::find(*low_precision_storage, part) != low_precision_storage->end();
    return part == "linear_inputs" && zero < 3;
  }
  int gpus() const { return tp * pp * dp * cp; }
  int replicas() const { return dp * cp; }                                         // that hold the same weights
  int shard_ranks() const { return shard_within > 0 ? shard_within : replicas(); } // among which `zero` divides
  int micro_batches() const { return global_batch / (dp * micro_batch); }
  int chunks() const { return pp * vp; }
};

/// The layout with @p dp replicas, and the global batch that keep_batch and decrease_batch ask for.
ParallelLayout with_replicas(ParallelLayout layout, int dp);

/// Numbers of GPUs from @p least to @p most on which whole replicas make a layout without faults, ascending.
std::vector<int> elastic_sizes(const ParallelLayout& layout, const Transformer& transformer, int least, int most);

/// A setting of a layout that cannot work.
struct LayoutFault {
  std::string key; // "tp"
  std::string message;
};

/// Everything that keeps the layout from working on @p gpus GPUs (0: as many as it takes) in machines of
/// @p gpus_per_node.
std::vector<LayoutFault> layout_faults(const ParallelLayout& layout, const Transformer& transformer, int gpus);

/// The layouts without faults that differ least from @p layout, in the product of the factors by which tp, pp, vp, cp,
/// ep and the micro-batch change; dp follows from @p gpus. At most @p most of them.
std::vector<ParallelLayout> nearest_layouts(const ParallelLayout& layout, const Transformer& transformer, int gpus,
                                            std::size_t most = 3);

/// Layers of each stage (virtual ones too) in the order of the forward pass: as the layout says, else equal; embedding
/// and output projection may count as a layer each, so that 126 layers make 64 stages of two. Empty: they cannot be
/// divided.
std::vector<int> layers_of_chunks(const ParallelLayout& layout, const Transformer& transformer);

/// How many layers of @p stage have no experts (Transformer::is_dense). @p layers: of each stage.
int dense_layers_of(const std::vector<int>& layers, const Transformer& transformer, std::size_t stage);

/// @p layers over @p stages, 3 4 4 3: the first and the last stage, which have embedding and output as well, get the
/// fewest. Empty: there are more stages than layers.
std::vector<int> even_stages(int stages, int layers);

/// Which stages a rank holds under the layout's schedule; `round` where no such schedule is registered.
StageOrder stage_order(const ParallelLayout& layout);
/// The stages of a rank, chunk by chunk.
std::vector<int> stages_of_rank(const ParallelLayout& layout, int rank);

/// Tensor-parallel messages of a layer with sequence_parallel, each of which carries its whole activation.
///
/// Megatron-LM gathers the input of each block and scatters its output, keeps its share of the input and gathers it
/// once more for the weights' gradient (Korthikanti et al., arXiv:2205.05198, section 4.2.2). PyTorch's DTensor keeps
/// what it has gathered; as it gathers and scatters along the second dimension, it copies the whole activation each
/// time (torch/distributed/_functional_collectives.py: torch.cat(torch.chunk(…)) where gather_dim or scatter_dim is not
/// 0). Where each matrix gathers its own input (ColwiseParallel with input_layouts=Shard(1), instead of
/// PrepareModuleInput), queries, keys and values are three gathers, gate and projection up two.
///
/// Without sequence_parallel each block has one sum of its output, and one of the gradient of its input. Experts whose
/// matrices are not divided have no such messages.
struct TensorPasses {
  int attention = 1, feed_forward = 1; // gathers
  int blocks = 2;                      // with a scatter, or a sum, of their output
  bool gathers_again = true;
  bool copies = false;

  int gathers() const { return attention + feed_forward; }
  int forward() const { return gathers() + blocks; }
};
TensorPasses tensor_passes(const ParallelLayout& layout, const Transformer& transformer);

/// "TP8 PP4 VP5 DP16 SP ZeRO-1, micro-batch 1"
std::string to_text(const ParallelLayout& layout);
std::string to_text(Recomputation recomputation);

} // namespace trainyard
