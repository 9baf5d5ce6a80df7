// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "models/parallel/gpu_work.hpp"
#include "sim/export/rank_trace.hpp"
#include "sim/parallel/message_sizes.hpp"

#include <vector>

namespace trainyard {

/// A collective of one layer and pass.
struct SentMessage {
  TraceCollective collective = TraceCollective::all_reduce;
  TraceGroup group = TraceGroup::tensor;
  double bytes = 0;
  double time = 0;
  double beside = 0; // seconds of computing that may go on meanwhile
};

using SentMessages = std::vector<SentMessage>;
void append(SentMessages& to, const SentMessages& more);

/// Messages of one layer, by pass; `again`: of the forward pass that the backward pass repeats.
struct MessagesOfLayer {
  SentMessages forward, again, backward, weights;
};

/// The closed form's messages, one by one.
class MessageList
{
public:
  /// Keeps looking at @p job.
  explicit MessageList(const ParallelJob& job);

  const ParallelGroups& groups() const { return groups_; }
  const MessageSizes& sizes() const { return sizes_; }

  /// At the embedding and at the projection to the vocabulary, in the forward pass.
  SentMessages edge(bool first) const;
  /// At the embedding in the backward pass.
  SentMessages embedding_gradient() const;

  MessagesOfLayer of_layer() const;

  /// ZeRO-2 and 3: the weights of a layer, and its gradients. @p beside: computing goes on meanwhile.
  SentMessages weights_of_layer(bool beside) const { return weights(sizes_.layer, beside ? 1e9 : 0); }
  SentMessages gradients_of_layer(bool beside) const { return gradients(sizes_.layer, beside ? 1e9 : 0); }

  /// What replicas exchange of the parameters that a rank has @p held.
  SentMessages gradients(const RankParameters& held, double beside = 0) const;
  SentMessages weights(const RankParameters& held, double beside = 0) const;

  /// The embedding that the first and the last rank both hold; without bytes where they do not.
  SentMessage tied(int rank) const;

private:
  SentMessages between_replicas(const std::vector<ReplicaMessage>& messages, double beside) const;
  SentMessage gather() const;
  SentMessage scatter() const;
  SentMessage sum() const;

  const ParallelLayout& l_;
  const Transformer& t_;
  const ParallelNetwork& network_;
  ParallelGroups groups_;
  LayerWork work_;
  MessageSizes sizes_;
  Seconds tensor_pass_; // a gather or scatter of a whole activation
  Seconds gathered_logits_;
};

} // namespace trainyard
