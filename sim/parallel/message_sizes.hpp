// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "models/parallel/communication.hpp"
#include "models/parallel/gpu_work.hpp"
#include "models/parallel/rank_memory.hpp"

#include <algorithm>
#include <limits>
#include <vector>

namespace trainyard {

/// Payloads of a rank's messages, of one micro-batch and layer. The closed form, the links and exported traces read
/// them here.
struct MessageSizes {
  double tokens = 0; // that the rank computes with
  Bytes activation;  // of these tokens in 16 bit: what ranks of tp gather, scatter or add up
  Bytes share;       // of `activation`, what the rank holds between blocks: it goes to experts and to the next stage
  double dispatched = 1; // to experts: share of the bytes of 16 bit
  Bytes keys_values; // of these tokens in 16 bit: goes to the other ranks of cp; with a2a queries and the output too
  Bytes their_gradients;      // goes round the ring of cp in the backward pass
  Bytes tied_embedding;       // gradients of an embedding that both ends of the pipeline hold; 0: none is held twice
  RankParameters layer;       // that the rank holds of a layer
  RankParameters dense_layer; // of one without experts, in front of those that have some
  EndParameters ends;
};
MessageSizes message_sizes(const Transformer& transformer, const ParallelLayout& layout);

/// Keys and values of one layer and micro-batch between the ranks of cp.
///
/// p2p (Transformer Engine's default): they go round the ring piece by piece, beside the attention to the piece before;
/// in the backward pass with their gradients, twice as many bytes.
///
/// all_gather (Llama 3; transformer_engine/pytorch/attention/dot_product_attention/context_parallel.py,
/// AttnFuncWithCPAndKVAllGather): gathered before the attention of each pass, and the gradients scattered after it, in
/// 16 bit; nothing runs beside them.
///
/// a2a (AttnFuncWithCPAndQKVOA2A): queries, keys and values are exchanged before the attention, its output after it,
/// and their gradients in the backward pass; nothing runs beside them.
///
/// PyTorch (torch/distributed/tensor/experimental/_attention.py) sends keys and values repeated for all heads.
/// all_gather (torchtitan's default): they are gathered at once beside the attention to the rank's own piece, one of cp
/// equal parts; in the backward pass once more. p2p (its alltoall): each piece is sent beside the attention to the
/// piece before. The sums of their gradients in fp32 go round the ring: each rank passes them on after its part, and
/// the last hop brings them home when nothing is left to compute.
///
/// compiled: the same messages with nothing beside them. While torch.compile traces, a functional collective waits for
/// its result at once (torch/distributed/_functional_collectives.py, _maybe_wrap_tensor), and in training Inductor
/// leaves the wait where it is (torch/_inductor/fx_passes/post_grad.py: reorder_for_locality only in inference;
/// reorder_for_compute_comm_overlap is off by default).
struct ContextExchange {
  struct Message {
    /// Seconds of @p attention that may go on beside it.
    double hidden_by(double attention) const { return std::min(most_beside, beside * attention); }

    Seconds time;      // all of it
    double beside = 1; // of the attention of its pass, the share that may hide it
    double most_beside = std::numeric_limits<double>::infinity(); // seconds of it
    /// That each of the `ways` between machines carries; 0: all of it stays in the machine.
    Bytes flow;
  };
  Message forward;  // keys and values
  Message backward; // the same again
  Message gradients;
  int ways = 1; // from a rank: to the next one, or to one of each other machine
};
/// What one of TensorPasses takes: the way between the ranks, and the copy.
Seconds tensor_pass_time(const ParallelLayout& layout, const ParallelNetwork& network, const ParallelGroups& groups,
                         const MessageSizes& sizes, const GpuRates& rates);

/// Logits without loss_parallel: the gather, and the copy into the order of the vocabulary.
Seconds gathered_logits_time(const ParallelLayout& layout, const Transformer& transformer,
                             const ParallelNetwork& network, const ParallelGroups& groups, const MessageSizes& sizes,
                             const GpuRates& rates);

/// Share of the forward pass's messages that the backward pass sends once more, because it computes what they carry
/// again.
struct RepeatedMessages {
  double tensor = 0, context = 0, expert = 0;
};
RepeatedMessages repeated_messages(const ParallelLayout& layout, const Transformer& transformer, const LayerWork& work);

ContextExchange context_exchange(const ParallelLayout& layout, const ParallelNetwork& network,
                                 const ParallelGroups& groups, const MessageSizes& sizes);

/// Time in which the two ends of the pipeline add up the gradients of their embedding.
Seconds tied_embedding_time(const ParallelNetwork& network, const ParallelGroups& groups, Bytes payload);

/// A collective of ranks that hold the same weights.
struct ReplicaMessage {
  enum class Kind { all_reduce, reduce_scatter, all_gather, broadcasts };
  Kind kind = Kind::all_reduce;
  bool experts = false; // among the ranks that hold the same experts
  bool copies = false;  // among the ranks that hold the same share of what `zero` divides
  RankGroup among;
  Bytes payload;  // the whole vector
  int owners = 1; // with broadcasts: that send an equal part of it each

  Seconds time(const ParallelNetwork& network) const;
  /// The same; 0 where all of it stays in the machine.
  Seconds time_between(const ParallelNetwork& network) const;
  /// That each way from machine to machine carries; 0: all of it stays in the machine.
  double flow() const;
};

/// Gradients of @p held: an all-reduce; with `zero` a reduce-scatter among the ranks that divide them, and then an
/// all-reduce of each share among its copies (shard_within); with whole_tensors an all-reduce among all. Those of
/// experts are messages of their own. Only messages with bytes and more than one rank are listed.
std::vector<ReplicaMessage> gradient_messages(const ParallelLayout& layout, int gpus_per_node,
                                              const RankParameters& held);
/// With `zero`, all-gathers of the weights of @p held in 16 bit; with whole_tensors broadcasts of their owners: of each
/// matrix one, but no more than ranks.
std::vector<ReplicaMessage> weight_messages(const ParallelLayout& layout, int gpus_per_node,
                                            const RankParameters& held);

/// A ring passes each machine's part on over the NICs of the group's ranks there: the bytes that each way from machine
/// to machine carries. @p times: 1 reduce-scatter or all-gather, 2 all-reduce.
double ring_bytes(const RankGroup& group, double payload, double times);

} // namespace trainyard
