// SPDX-License-Identifier: Apache-2.0
// The messages that the closed form of a divided transformer counts, one by one, for traces of ranks.
#include "sim/export/rank_messages.hpp"

#include <algorithm>
#include <cmath>

namespace trainyard {
namespace {

using Group = TraceGroup;
using Collective = TraceCollective;

SentMessages spread(SentMessages list, double beside)
{
  for (SentMessage& message : list)
    message.beside = beside / static_cast<double>(list.size());
  return list;
}

/// The group of ranks that @p message is among.
Group group_of(const ReplicaMessage& message)
{
  if (message.experts)
    return message.copies ? Group::expert_copies : Group::expert_data;
  return message.copies ? Group::copies : Group::data;
}

} // namespace

void append(SentMessages& to, const SentMessages& more)
{
  to.insert(to.end(), more.begin(), more.end());
}

MessageList::MessageList(const ParallelJob& job)
    : l_{job.layout}, t_{job.transformer}, network_{job.network}, groups_{groups_of(job.layout,
                                                                                    job.network.gpus_per_node)},
      work_{layer_work(job.transformer, job.layout,
                       gpu_rates(job.gpu, job.layout, job.transformer, job.host_per_operator))},
      sizes_{message_sizes(job.transformer, job.layout)},
      tensor_pass_{tensor_pass_time(job.layout, job.network, groups_, sizes_,
                                    gpu_rates(job.gpu, job.layout, job.transformer, job.host_per_operator))},
      gathered_logits_{gathered_logits_time(job.layout, job.transformer, job.network, groups_, sizes_,
                                            gpu_rates(job.gpu, job.layout, job.transformer, job.host_per_operator))}
{
}

SentMessages MessageList::edge(bool first) const
{
  if (l_.tp == 1)
    return {};
  if (first && !l_.embedding_parallel)
    return {};
  SentMessages list{l_.sequence_parallel ? (first ? scatter() : gather()) : sum()};
  if (!first && !l_.loss_parallel)
    list.push_back({Collective::all_gather, Group::tensor, 2 * sizes_.tokens * t_.vocabulary / l_.tp,
                    gathered_logits_.value(), 0});
  return list;
}

SentMessages MessageList::embedding_gradient() const
{
  return l_.tp > 1 && l_.sequence_parallel && !l_.embedding_parallel ? SentMessages{gather()} : SentMessages{};
}

MessagesOfLayer MessageList::of_layer() const
{
  MessagesOfLayer list;
  const RepeatedMessages again = repeated_messages(l_, t_, work_);
  if (l_.tp > 1) {
    const bool all = l_.overlap() == "all";
    const TensorPasses passes = tensor_passes(l_, t_);
    const auto blocks = static_cast<std::size_t>(passes.blocks);
    SentMessages block(blocks, sum());
    if (l_.sequence_parallel) {
      block.assign(static_cast<std::size_t>(passes.attention), gather());
      block.push_back(scatter());
      block.insert(block.end(), static_cast<std::size_t>(passes.feed_forward), gather());
      block.insert(block.end(), blocks - 1, scatter());
    }
    SentMessages backward = block; // DTensor scatters the gradient of each input that it has gathered
    if (!passes.gathers_again)
      backward.assign(static_cast<std::size_t>(passes.gathers()), scatter());
    const auto cut = [&](const SentMessages& messages, double products) { // into four pieces, the first is exposed
      double time = 0;
      for (const SentMessage& message : messages)
        time += message.time;
      return all ? spread(messages, std::min(0.75 * time, products)) : messages;
    };
    append(list.forward, cut(block, work_.forward.seconds));
    const auto sent_again = std::lround(static_cast<double>(block.size()) * again.tensor);
    append(list.again, SentMessages{block.begin(), block.begin() + sent_again});
    if (l_.sequence_parallel) // the gradient of each block's output
      append(list.backward, cut(SentMessages(blocks, gather()), work_.backward.seconds));
    if (l_.overlap() == "none")
      append(list.backward, backward);
    else
      append(list.weights, spread(backward, work_.weights.seconds));
  }
  if (l_.cp > 1) {
    const ContextExchange exchange = context_exchange(l_, network_, groups_, sizes_);
    const auto sent = [&](Collective how, Bytes bytes, const ContextExchange::Message& message, double attention) {
      return SentMessage{how, Group::context, bytes.value(), message.time.value(), message.hidden_by(attention)};
    };
    const Collective how = l_.exchange() == KeyValueExchange::a2a ? Collective::all_to_all : Collective::all_gather;
    list.forward.push_back(sent(how, sizes_.keys_values, exchange.forward, work_.attention));
    if (again.context > 0)
      list.again.push_back(list.forward.back());
    const double attention = work_.attention_backward;
    list.backward.push_back(sent(how, sizes_.keys_values, exchange.backward, attention));
    if (how == Collective::all_gather)
      list.backward.push_back(
          sent(Collective::reduce_scatter, sizes_.their_gradients * l_.cp, exchange.gradients, attention));
  }
  if (l_.ep > 1) {
    SentMessages there_and_back;
    for (const double part : {sizes_.dispatched, 1.0}) {
      const Bytes share = sizes_.share * part;
      const double time = token_exchange_time(network_, groups_.expert, share, t_.active_experts, &t_).value();
      there_and_back.push_back({Collective::all_to_all, Group::expert, share.value() * t_.active_experts, time, 0});
    }
    const auto add = [&](SentMessages& to, double computing) {
      append(to, spread(there_and_back, l_.overlap_experts ? computing : 0));
    };
    add(list.forward, work_.forward.seconds);
    if (again.expert > 0)
      add(list.again, work_.forward.seconds);
    add(list.backward, work_.backward.seconds + work_.weights.seconds);
  }
  return list;
}

SentMessages MessageList::gradients(const RankParameters& held, double beside) const
{
  return between_replicas(gradient_messages(l_, network_.gpus_per_node, held), beside);
}

SentMessages MessageList::weights(const RankParameters& held, double beside) const
{
  return between_replicas(weight_messages(l_, network_.gpus_per_node, held), beside);
}

SentMessage MessageList::tied(int rank) const
{
  const Bytes bytes = rank == 0 || rank == l_.pp - 1 ? sizes_.tied_embedding : Bytes{};
  return {Collective::all_reduce, Group::ends, bytes.value(), tied_embedding_time(network_, groups_, bytes).value(), 0};
}

SentMessages MessageList::between_replicas(const std::vector<ReplicaMessage>& messages, double beside) const
{
  SentMessages list;
  for (const ReplicaMessage& message : messages) {
    // The owners' broadcasts together move what an all-gather does.
    const bool gathers =
        message.kind == ReplicaMessage::Kind::all_gather || message.kind == ReplicaMessage::Kind::broadcasts;
    const Collective collective = gathers                                                ? Collective::all_gather
                                  : message.kind == ReplicaMessage::Kind::reduce_scatter ? Collective::reduce_scatter
                                                                                         : Collective::all_reduce;
    list.push_back({collective, group_of(message), message.payload.value() / (gathers ? message.among.ranks : 1),
                    message.time(network_).value(), beside});
  }
  return list;
}

SentMessage MessageList::gather() const
{
  return {Collective::all_gather, Group::tensor, sizes_.activation.value() / l_.tp, tensor_pass_.value(), 0};
}

SentMessage MessageList::scatter() const
{
  return {Collective::reduce_scatter, Group::tensor, sizes_.activation.value(), tensor_pass_.value(), 0};
}

SentMessage MessageList::sum() const
{
  return {Collective::all_reduce, Group::tensor, sizes_.activation.value(),
          all_reduce_time(network_, groups_.tensor, sizes_.activation).value(), 0};
}

} // namespace trainyard
