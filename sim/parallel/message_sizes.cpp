// SPDX-License-Identifier: Apache-2.0
#include "sim/parallel/message_sizes.hpp"

#include <algorithm>

namespace trainyard {
namespace {

/// Ranks that hold the same weights: among which `zero` divides, and which hold the same share.
struct Replicas {
  RankGroup shard, copies;
};

/// Of everything but experts, or of @p experts. In a pipeline that goes both ways each stage is held twice.
Replicas replicas_of(const ParallelLayout& l, int gpus_per_node, bool experts)
{
  const auto apart = [&](int ranks, int stride) { // of the job's ranks
    return RankGroup{ranks, std::min(ranks, std::max(1, gpus_per_node / stride)), stride};
  };
  Replicas found;
  if (experts && l.experts_over_tp()) {
    const int all = l.expert_places() / l.ep, within = l.shard_ranks() * l.tp, shard = std::max(1, within / l.ep);
    found = {apart(shard, l.ep), apart(std::max(1, all / shard), std::max(within, l.ep))};
  } else {
    const int ep = experts ? l.ep : 1;
    const int of_tp =
        experts ? std::max(1, l.tp / l.expert_ranks()) : 1; // ranks of a tensor-parallel group that hold the same
    const int all = std::max(1, l.replicas() / ep), shard = std::max(1, l.shard_ranks() / ep);
    found = {apart(shard, l.tp * ep), apart(std::max(1, all / shard), l.tp * std::max(l.shard_ranks(), ep))};
    if (of_tp > 1)
      found.shard = {shard * of_tp, found.shard.per_node * of_tp, ep == 1 ? 1 : 0};
  }
  if (stage_order(l) == StageOrder::both_ways) {
    RankGroup& both = l.shard_ranks() < l.replicas() ? found.copies : found.shard;
    both.ranks *= 2;
    both.stride = 0; // the mirror's ranks do not follow in equal strides
  }
  return found;
}

void add_message(std::vector<ReplicaMessage>& to, const ReplicaMessage& message)
{
  if (message.payload > Bytes{} && message.among.ranks > 1)
    to.push_back(message);
}

double parameters_of(const RankParameters& held, bool experts)
{
  return experts ? held.experts : held.dense;
}

} // namespace

MessageSizes message_sizes(const Transformer& t, const ParallelLayout& l)
{
  MessageSizes sizes;
  sizes.tokens = 1.0 * (l.sequence > 0 ? l.sequence : t.sequence) / l.cp * l.micro_batch;
  sizes.activation = Bytes{2 * sizes.tokens * t.hidden};
  sizes.share = sizes.activation / (l.sequence_parallel ? l.tp : 1);
  if (l.low_precision_dispatch && l.low_precision())
    sizes.dispatched = rounded_bytes(l) / 2;
  const bool whole = l.ring_of_pytorch(); // repeated for all heads, gradients in fp32
  if (l.cp > 1 && l.exchange() == KeyValueExchange::a2a)
    sizes.keys_values =
        Bytes{2 * sizes.tokens * (t.query_width() + t.key_width() + t.values_width() + t.output_width()) / l.tp};
  else
    sizes.keys_values =
        Bytes{4 * sizes.tokens * (whole ? t.output_width() / l.tp : 1.0 * t.kv_width() / std::min(l.tp, t.kv_heads))};
  sizes.their_gradients = sizes.keys_values * (whole ? 2.0 : 1.0);
  if (t.tied && l.pp > 1 && stage_order(l) == StageOrder::round) // other orders have both ends on one rank
    sizes.tied_embedding = Bytes{l.gradient_bytes * t.vocabulary * t.hidden / l.tp};
  sizes.layer = layer_parameters(l, t);
  if (t.has_dense_layers())
    sizes.dense_layer = layer_parameters(l, t.without_experts());
  sizes.ends = end_parameters(l, t);
  return sizes;
}

ContextExchange context_exchange(const ParallelLayout& l, const ParallelNetwork& network, const ParallelGroups& groups,
                                 const MessageSizes& sizes)
{
  ContextExchange made;
  if (l.cp == 1)
    return made;
  const RankGroup& group = groups.context;
  const bool far = group.nodes() > 1;
  const auto hop = [&](Bytes piece) { return point_to_point_time(network, far, piece, group.stride); };
  const auto sent = [&](Bytes bytes) { return far ? bytes : Bytes{}; };
  const double hops = l.cp - 1;
  const auto round_the_ring = [&] {
    return ContextExchange::Message{.time = hop(sizes.keys_values) * hops, .flow = sent(sizes.keys_values * hops)};
  };
  const auto gathered = [&] {
    const Bytes all = sizes.keys_values * l.cp;
    return ContextExchange::Message{
        .time = scatter_time(network, group, all), .beside = 0, .flow = Bytes{ring_bytes(group, all.value(), 1)}};
  };
  const KeyValueExchange exchange = l.exchange();
  if (exchange == KeyValueExchange::a2a) {
    made.forward = {.time = token_exchange_time(network, group, sizes.keys_values, 1),
                    .beside = 0,
                    .flow = sent(sizes.keys_values * (1.0 * group.per_node / group.ranks))};
    made.backward = made.forward;
    made.ways = std::max(1, group.nodes() - 1);
  } else if (l.ring_of_pytorch()) {
    const bool waits = l.ring_merge == "compiled", ring = exchange == KeyValueExchange::p2p;
    const Seconds one = hop(sizes.their_gradients);
    made.forward = ring ? round_the_ring() : gathered();
    made.forward.beside = waits ? 0 : ring ? hops / l.cp : 1.0 / l.cp;
    made.backward = made.forward;
    made.gradients = {.time = one * l.cp,
                      .beside = waits ? 0 : hops / l.cp,
                      .most_beside = (one * hops).value(),
                      .flow = sent(sizes.their_gradients * l.cp)};
  } else if (exchange == KeyValueExchange::all_gather) {
    made.forward = made.backward = made.gradients = gathered();
  } else {
    made.forward = made.backward = round_the_ring();
    made.backward.beside = 0.5;
    made.gradients = made.backward;
  }
  return made;
}

Seconds tensor_pass_time(const ParallelLayout& l, const ParallelNetwork& network, const ParallelGroups& groups,
                         const MessageSizes& sizes, const GpuRates& rates)
{
  const bool copies = l.messages_by() != "megatron";
  return scatter_time(network, groups.tensor, sizes.activation) +
         (copies ? Seconds{2 * sizes.activation.value() / rates.memory + rates.gap} : Seconds{});
}

Seconds gathered_logits_time(const ParallelLayout& l, const Transformer& t, const ParallelNetwork& network,
                             const ParallelGroups& groups, const MessageSizes& sizes, const GpuRates& rates)
{
  if (l.tp == 1 || l.loss_parallel)
    return {};
  const Bytes logits{2 * sizes.tokens * t.vocabulary};
  return scatter_time(network, groups.tensor, logits) + Seconds{2 * logits.value() / rates.memory + rates.gap};
}

RepeatedMessages repeated_messages(const ParallelLayout& l, const Transformer& t, const LayerWork& work)
{
  if (work.once)
    return {};
  const TensorPasses passes = tensor_passes(l, t);
  const bool of_experts = passes.blocks == 1; // whose matrices are whole: only attention has messages
  const double block = of_experts ? 0 : l.sequence_parallel ? 1.0 * (passes.feed_forward + 1) / passes.forward() : 0.5;
  if (l.recomputation == Recomputation::full) { // with early_stop, without what follows the last product
    const double last = of_experts ? 0 : l.sequence_parallel ? 1.0 / passes.forward() : 0.5;
    return {.tensor = l.early_stop ? 1 - last : 1, .context = 1, .expert = l.early_stop ? 0.5 : 1};
  }
  return {.tensor = work.feed_forward_again ? block : 0, .context = 0, .expert = work.feed_forward_again ? 1.0 : 0};
}

Seconds tied_embedding_time(const ParallelNetwork& network, const ParallelGroups& groups, Bytes payload)
{
  return all_reduce_time(network, {2, groups.stages_between_nodes ? 1 : 2, groups.ends_stride}, payload);
}

Seconds ReplicaMessage::time(const ParallelNetwork& network) const
{
  if (kind == Kind::broadcasts)
    return owners_time(network, among, payload, owners);
  return kind == Kind::all_reduce ? all_reduce_time(network, among, payload) : scatter_time(network, among, payload);
}

Seconds ReplicaMessage::time_between(const ParallelNetwork& network) const
{
  return among.nodes() > 1 ? time(network) : Seconds{};
}

double ReplicaMessage::flow() const
{
  return ring_bytes(among, payload.value(), kind == Kind::all_reduce ? 2 : 1);
}

std::vector<ReplicaMessage> gradient_messages(const ParallelLayout& l, int gpus_per_node, const RankParameters& held)
{
  using Kind = ReplicaMessage::Kind;
  if (l.has_owners()) {
    ParallelLayout undivided = l;
    undivided.whole_tensors = false;
    undivided.zero = undivided.shard_within = 0;
    return gradient_messages(undivided, gpus_per_node, held);
  }
  std::vector<ReplicaMessage> list;
  for (const bool copies : {false, true})
    for (const bool experts : {false, true}) {
      const Replicas found = replicas_of(l, gpus_per_node, experts);
      const Bytes whole{l.gradient_bytes * l.kept.lora.share * parameters_of(held, experts)};
      add_message(list, {.kind = copies || l.zero == 0 ? Kind::all_reduce : Kind::reduce_scatter,
                         .experts = experts,
                         .copies = copies,
                         .among = copies ? found.copies : found.shard,
                         .payload = copies ? whole / found.shard.ranks : whole});
    }
  return list;
}

std::vector<ReplicaMessage> weight_messages(const ParallelLayout& l, int gpus_per_node, const RankParameters& held)
{
  std::vector<ReplicaMessage> list;
  const LowRank& lora = l.kept.lora; // frozen weights do not change, so that only a gather of whole layers has them
  const double of_weight = lora.rank == 0 ? 2 : l.weights_by_layer() ? lora.weight_bytes() : 2 * lora.share;
  for (const bool experts : {false, true})
    if (l.zero > 0) {
      const RankGroup among = replicas_of(l, gpus_per_node, experts).shard;
      add_message(list, {.kind = l.has_owners() ? ReplicaMessage::Kind::broadcasts : ReplicaMessage::Kind::all_gather,
                         .experts = experts,
                         .copies = false,
                         .among = among,
                         .payload = Bytes{of_weight * parameters_of(held, experts)},
                         .owners = std::clamp(experts ? held.expert_matrices : held.dense_matrices, 1, among.ranks)});
    }
  return list;
}

double ring_bytes(const RankGroup& group, double payload, double times)
{
  return group.nodes() > 1 ? times * (group.ranks - 1) / group.ranks * payload / group.per_node : 0;
}

} // namespace trainyard
