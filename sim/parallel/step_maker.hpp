// SPDX-License-Identifier: Apache-2.0
// Private to sim/parallel: how the step of a divided transformer is put together, by closed form (step.cpp) and as work
// and messages (divided_work.cpp).
#pragma once
#include "sim/parallel/message_sizes.hpp"
#include "sim/parallel/pipeline.hpp"
#include "sim/parallel/step.hpp"

#include <algorithm>
#include <vector>

namespace trainyard {

/// Where the time of one pass goes, in seconds.
struct PassParts {
  double compute = 0, host = 0, tensor = 0, context = 0, expert = 0, data = 0;

  double total() const { return compute + host + tensor + context + expert + data; }
  PassParts& operator+=(const PassParts& o)
  {
    for (const auto part : all)
      this->*part += o.*part;
    return *this;
  }
  friend PassParts operator*(double factor, PassParts parts)
  {
    for (const auto part : all)
      parts.*part *= factor;
    return parts;
  }

private:
  static constexpr double PassParts::*all[] = {&PassParts::compute, &PassParts::host,   &PassParts::tensor,
                                               &PassParts::context, &PassParts::expert, &PassParts::data};
};

/// The passes of one micro-batch through some layers.
struct LayerPasses {
  PassParts forward, backward, weights;

  LayerPasses& operator+=(const LayerPasses& o)
  {
    forward += o.forward;
    backward += o.backward;
    weights += o.weights;
    return *this;
  }
  friend LayerPasses operator*(double factor, const LayerPasses& p)
  {
    return {factor * p.forward, factor * p.backward, factor * p.weights};
  }
  /// @p share: of the multiprocessors, that messages hold.
  ChunkTimes times(double share) const
  {
    return {forward.total(),
            backward.total(),
            weights.total(),
            {forward.expert, backward.expert, forward.compute, backward.compute + weights.compute, share}};
  }
  PassParts all() const
  {
    PassParts sum = forward;
    sum += backward;
    sum += weights;
    return sum;
  }
};

/// Collectives of one layer and micro-batch, in seconds.
struct LayerMessages {
  double tensor_forward = 0;
  double tensor_backward = 0;       // nothing runs beside it
  double tensor_beside_weights = 0; // runs beside products of weight gradients
  double expert = 0;                // of one pass
  ContextExchange context;
  double parameters = 0;                         // of which the following are, with weights that travel layer by layer
  bool gradients_sent = true;                    // else they are added up by the rank
  double gather = 0;                             // ZeRO-3: weights of the layer
  double reduce = 0;                             // ZeRO-2, 3: gradients of the layer, every micro-batch
  double add_copies = 0;                         // of them with shard_within: shares of the groups are added up
  double gather_between = 0, reduce_between = 0; // of `gather`, and of `reduce` + `add_copies`: between machines
  double launches = 0;                           // of one pass
};

class StepMaker
{
public:
  explicit StepMaker(const ParallelJob& job);
  ParallelStep make(PipelineDetail detail);
  DividedWork work() const;
  std::vector<ChunkTimes> chunk_times() const;
  double stage_message() const;

private:
  /// Bytes that each way between machines carries for one layer and micro-batch; 0 where messages stay in a machine.
  struct SentByLayer {
    double tensor_forward = 0, tensor_backward = 0, tensor_beside_weights = 0;
    double expert = 0; // of a forward pass
    double keys_values = 0, their_gradients = 0;
    double gather = 0, reduce = 0, add_copies = 0;
  };

  /// Shares (0 to 1) of the time of messages in which the cards send them; the rest is start-up.
  struct CardShares {
    double tensor = 0, context = 0, expert = 0;
  };

  void messages();
  /// Tensor-parallel messages of a layer of @p transformer: with its experts, or without.
  void tensor_messages(LayerMessages& messages, const Transformer& transformer) const;
  /// Weights and gradients of @p held, that travel by themselves.
  void weight_messages_of(LayerMessages& messages, const RankParameters& held) const;
  /// Messages of an end of the network. In one stage what is not hidden in each micro-batch goes with the embedding:
  /// the weights of the embedding and the first layer, and their gradients.
  LayerMessages edge_messages(bool embedding) const;
  LayerMessages tensor_edge() const;
  LayerMessages repeated_edge() const;
  /// Parameters of an end that travel by themselves.
  RankParameters edge_parameters(bool embedding) const;
  /// Tokens travel beside the computation of another micro-batch; where the schedule runs two passes together, it does
  /// so by itself.
  bool experts_beside() const { return l_.overlap_experts && stage_order(l_) != StageOrder::both_ways; }
  /// What is left of messages that are cut into pieces, each sent while the product of another one is computed: the
  /// first piece of four, and what takes longer than the products.
  double hidden_by(double messages, double products) const;
  /// What messages beside a pass of @p computing seconds cost: what is left of them, or the multiprocessors that they
  /// take. For @p sending seconds of the pass its own messages leave the machine; for the rest the cards are free for
  /// those of @p messages that do, @p between seconds.
  double beside(double messages, double computing, double between = 0, double sending = 0) const
  {
    return std::max({messages - computing, between + sending - computing, rates_.taken_by(messages, computing)});
  }
  /// Of a pass, the exposed messages that leave the machine.
  double between_machines(const PassParts& pass) const
  {
    const auto far = [](const RankGroup& group, double time) { return group.nodes() > 1 ? time : 0; };
    return far(groups_.tensor, pass.tensor) + far(groups_.context, pass.context) + far(groups_.expert, pass.expert);
  }
  /// For how long they keep the network cards busy: without start-up.
  double on_cards(const PassParts& pass) const
  {
    return on_cards_.tensor * pass.tensor + on_cards_.context * pass.context + on_cards_.expert * pass.expert;
  }
  /// Messages on the way of the first and last micro-batch, and one of each further pair of passes that a neighbour
  /// waits for (measured on task lists).
  double message_rounds(int m) const { return 2.0 * (l_.pp - 1) + (l_.vp == 1 ? m : 0); }
  /// The part of a forward pass that the backward pass does again.
  KernelTime again(const LayerWork& work) const;
  /// The mean of all micro-batches, of which only the last may send its gradients.
  LayerPasses mean_passes(const LayerWork& work, const LayerMessages& messages) const;
  /// One layer: kernels, exposed messages, and the launch lane, the slower of which counts.
  LayerPasses passes(const LayerWork& work, const LayerMessages& messages) const;
  /// The embedding that first and last stage both hold: its gradients are added up.
  double tied_embedding() const;
  Seconds optimizer_time() const;
  /// Paged states that the GPU has no room for go to it and back, page by page: a page leaves before another comes.
  Seconds paging_time() const;

  /// What replicas send once a step, one part after the other: among those that divide, and among copies.
  std::vector<NetworkPart> parts_of(const std::vector<ReplicaMessage>& messages) const;
  /// Gradients and weights between replicas, once a step; what the last backward and the first forward pass of the
  /// first stage do not hide.
  double exposed_data(const LayerPasses& first_rank) const;
  /// The same where the pipeline goes both ways: each stage's, beside the passes that are left on both of its ranks.
  double exposed_both_ways(const PipelineRun& run) const;
  void finish(ParallelStep& step, const std::vector<int>& in_flight) const;

  LayerMessages dense_messages() const;
  SentByLayer sent_by_layer() const;
  void tensor_sent(SentByLayer& sent, const Transformer& transformer) const;
  void weights_sent(SentByLayer& sent, const RankParameters& held) const;
  SentByLayer tensor_edge_sent(const SentByLayer& layer) const;
  SentByLayer dense_sent(SentByLayer layer) const;
  SentByLayer edge_sent(const SentByLayer& layer, bool embedding) const;
  SentByLayer repeated_edge_sent(const SentByLayer& layer) const;
  /// @p messages: the time of its messages, those between machines included.
  DividedWork::Chunk chunk_of(const LayerWork& work, const LayerMessages& messages, const SentByLayer& sent) const;
  static DividedWork::Chunk repeated(DividedWork::Chunk chunk, double layers);
  static void append(DividedWork::Chunk& to, const DividedWork::Chunk& from);
  /// Chunks of all ranks, with what replicas exchange.
  void add_chunks(DividedWork& work) const;
  /// Gradients and weights of one chunk: its layers' share of what exposed_data() counts for the whole rank.
  void once_a_step(DividedWork& work, std::size_t slot) const;

  const ParallelJob& job_;
  const ParallelLayout& l_;
  const Transformer& t_;
  GpuRates rates_;
  ParallelGroups groups_;
  std::vector<int> chunk_layers_; // by stage
  MessageSizes sizes_;
  LayerMessages messages_;
  CardShares on_cards_;
  std::vector<LayerPasses> chunks_; // by stage
};

} // namespace trainyard
