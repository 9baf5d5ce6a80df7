// SPDX-License-Identifier: Apache-2.0
/// Passes and messages of a divided transformer, layer by layer, and what replicas exchange once a step.
#include "sim/parallel/step_maker.hpp"

#include <iterator>
#include <utility>

namespace trainyard {
namespace {

/// Operators of the framework that the processor works through for each kernel of a forward pass: views, allocations
/// and the bookkeeping of autograd cost as much as starting kernels (counted on the layers of Megatron-LM: some 35
/// operators start 17 kernels). The backward pass is run by autograd's engine in C++: one for each kernel.
constexpr double operators_per_kernel = 2;
constexpr double operators_per_backward_kernel = 1;

/// Processes that start a collective wait for the one that comes last. Standard deviation of the time that a process
/// needs to launch what lies between two collectives, as a share of it; chosen on the 76 rows of
/// vtrain_ground_truth_single with TP > 1, of 0, 0.03, 0.05, 0.07 and 0.1.
constexpr double launch_variation = 0.05;

/// What ranks with the same weights send of them.
constexpr double LayerMessages::*of_replicas[] = {&LayerMessages::parameters,     &LayerMessages::gather,
                                                  &LayerMessages::reduce,         &LayerMessages::add_copies,
                                                  &LayerMessages::gather_between, &LayerMessages::reduce_between};

} // namespace

StepMaker::StepMaker(const ParallelJob& job)
    : job_{job}, l_{job.layout}, t_{job.transformer}, rates_{gpu_rates(job.gpu, job.layout, job.transformer,
                                                                       job.host_per_operator)},
      groups_{groups_of(job.layout, job.network.gpus_per_node)},
      chunk_layers_{layers_of_chunks(job.layout, job.transformer)}, sizes_{message_sizes(job.transformer, job.layout)}
{
  messages();
  const LayerPasses layer = mean_passes(layer_work(t_, l_, rates_), messages_);
  chunks_.reserve(chunk_layers_.size());
  for (std::size_t stage = 0; stage < chunk_layers_.size(); ++stage) {
    const int dense = dense_layers_of(chunk_layers_, t_, stage);
    LayerPasses& chunk = chunks_.emplace_back(static_cast<double>(chunk_layers_[stage] - dense) * layer);
    if (dense > 0)
      chunk += static_cast<double>(dense) * mean_passes(layer_work(t_.without_experts(), l_, rates_), dense_messages());
  }
  chunks_.front() += mean_passes(embedding_work(t_, l_, rates_), edge_messages(true));
  chunks_.back() += mean_passes(output_work(t_, l_, rates_), edge_messages(false));
  for (int later = 0; later < l_.mtp_layers; ++later) {
    chunks_.back() += layer;
    chunks_.back() += mean_passes(prediction_work(t_, l_, rates_), tensor_edge());
    chunks_.back() += mean_passes(output_work(t_, l_, rates_), repeated_edge());
  }
}

LayerMessages StepMaker::dense_messages() const
{
  LayerMessages dense = messages_;
  if (dense.expert > 0)
    dense.launches -= 2;
  dense.expert = 0;
  if (dense.parameters > 0) {
    for (double LayerMessages::*part : of_replicas)
      dense.*part = 0;
    weight_messages_of(dense, sizes_.dense_layer);
  }
  tensor_messages(dense, t_.without_experts());
  return dense;
}

std::vector<ChunkTimes> StepMaker::chunk_times() const
{
  std::vector<ChunkTimes> times;
  times.reserve(chunks_.size());
  for (const LayerPasses& passes : chunks_)
    times.push_back(passes.times(rates_.collective_share));
  return times;
}

double StepMaker::stage_message() const
{
  return l_.pp == 1
             ? 0
             : point_to_point_time(job_.network, groups_.stages_between_nodes, sizes_.share, groups_.stage_stride)
                   .value();
}

void StepMaker::tensor_messages(LayerMessages& messages, const Transformer& transformer) const
{
  if (l_.tp == 1)
    return;
  const TensorPasses passes = tensor_passes(l_, transformer);
  if (l_.sequence_parallel) {
    const double one = tensor_pass_time(l_, job_.network, groups_, sizes_, rates_).value();
    messages.tensor_forward = passes.forward() * one; // gather and scatter of each block
    messages.tensor_backward = passes.blocks * one;   // gather of the gradient of each block's output
    messages.tensor_beside_weights =                  // scatter of its input's gradient, its input once more
        (passes.gathers() + (passes.gathers_again ? passes.blocks : 0)) * one;
  } else {
    const double one = all_reduce_time(job_.network, groups_.tensor, sizes_.activation).value();
    messages.tensor_forward = messages.tensor_beside_weights = passes.blocks * one;
    messages.tensor_backward = 0;
  }
  if (l_.overlap() == "none")
    messages.tensor_backward += std::exchange(messages.tensor_beside_weights, 0);
}

void StepMaker::weight_messages_of(LayerMessages& messages, const RankParameters& held) const
{
  messages.parameters += held.all();
  if (l_.weights_by_layer())
    for (const ReplicaMessage& message : weight_messages(l_, job_.network.gpus_per_node, held)) {
      messages.gather += message.time(job_.network).value();
      messages.gather_between += message.time_between(job_.network).value();
    }
  for (const ReplicaMessage& message : gradient_messages(l_, job_.network.gpus_per_node, held)) {
    (message.copies ? messages.add_copies : messages.reduce) += message.time(job_.network).value();
    messages.reduce_between += message.time_between(job_.network).value();
  }
}

void StepMaker::messages()
{
  const ParallelNetwork& network = job_.network;
  if (l_.tp > 1) {
    tensor_messages(messages_, t_);
    messages_.launches = l_.sequence_parallel ? 2 : 1;
  }
  if (l_.cp > 1) {
    messages_.context = context_exchange(l_, network, groups_, sizes_);
    if (l_.by_pieces())
      messages_.launches += l_.cp - 1;
    else // keys and values; with a2a queries and the output as well
      messages_.launches += l_.exchange() == KeyValueExchange::a2a ? 4 : 2;
  }
  if (l_.ep > 1) {
    for (const double part : {sizes_.dispatched, 1.0}) // there, and back
      messages_.expert +=
          token_exchange_time(network, groups_.expert, sizes_.share * part, t_.active_experts, &t_).value();
    messages_.launches += 2;
  }
  if (l_.by_layer() && l_.replicas() > 1) {
    weight_messages_of(messages_, sizes_.layer);
    messages_.launches += groups_.copies.ranks > 1 ? 4 : 3;
  }
  const SentByLayer sent = sent_by_layer();
  const auto share = [&](double bytes, double time) {
    return bytes > 0 && time > 0 ? std::min(1.0, bytes / network.between.value() / time) : 0;
  };
  on_cards_.tensor = share(sent.tensor_forward + sent.tensor_backward + sent.tensor_beside_weights,
                           messages_.tensor_forward + messages_.tensor_backward + messages_.tensor_beside_weights);
  on_cards_.context = share(sent.keys_values * messages_.context.ways, messages_.context.forward.time.value());
  on_cards_.expert = share(sent.expert * (groups_.expert.nodes() - 1), messages_.expert);
}

LayerMessages StepMaker::tensor_edge() const
{
  LayerMessages edge; // the embedding's sum, or the gradient of the projection's input
  if (l_.tp > 1) {
    const TensorPasses passes = tensor_passes(l_, t_);
    edge.tensor_forward = messages_.tensor_forward / (l_.sequence_parallel ? passes.forward() : passes.blocks);
    edge.launches = 1;
  }
  return edge;
}

RankParameters StepMaker::edge_parameters(bool embedding) const
{
  const bool together = l_.edges_together() && l_.pp == 1;
  const auto& [words, output] = sizes_.ends;
  return {.dense = embedding ? words + (together ? output : 0) : together ? 0 : output};
}

/// One more pass over an end whose weights are there already, and whose gradients are sent with those of another one.
LayerMessages StepMaker::repeated_edge() const
{
  LayerMessages edge = edge_messages(false);
  if (edge.parameters > 0)
    edge.launches -= groups_.copies.ranks > 1 ? 4 : 3;
  for (double LayerMessages::*part : of_replicas)
    edge.*part = 0;
  return edge;
}

LayerMessages StepMaker::edge_messages(bool embedding) const
{
  LayerMessages edge = tensor_edge();
  if (!embedding && !l_.loss_parallel) // of logits, along their last dimension, so that they are copied
    edge.tensor_forward += gathered_logits_time(l_, t_, job_.network, groups_, sizes_, rates_).value();
  if (embedding && !l_.embedding_parallel) {
    edge = {};
    if (l_.sequence_parallel && l_.tp > 1) { // each rank looks up its tokens; for the gradient it needs all of them
      edge.tensor_backward = tensor_edge().tensor_forward;
      edge.launches = 1;
    }
  }
  if (!l_.by_layer() || l_.replicas() == 1)
    return edge;
  if (const RankParameters held = edge_parameters(embedding); held.all() > 0) {
    edge.launches += groups_.copies.ranks > 1 ? 4 : 3;
    weight_messages_of(edge, held);
  }
  if (embedding && l_.pp == 1) {
    const LayerMessages first = t_.has_dense_layers() ? dense_messages() : messages_;
    for (double LayerMessages::*part : of_replicas)
      edge.*part += part == &LayerMessages::parameters ? 0 : first.*part;
  }
  return edge;
}

double StepMaker::hidden_by(double messages, double products) const
{
  return l_.overlap() == "all" ? std::max(messages / 4, messages - products) : messages;
}

KernelTime StepMaker::again(const LayerWork& work) const
{
  if (work.once)
    return {};
  KernelTime repeated = work.modules;
  switch (l_.recomputation) {
  case Recomputation::none:
    return repeated;
  case Recomputation::selective:
    if (!l_.fused_attention())
      repeated += work.core;
    return repeated;
  case Recomputation::every_second:
    return work.forward - work.kept;
  case Recomputation::full:
    break;
  }
  return l_.early_stop ? work.forward - work.last : work.forward;
}

LayerPasses StepMaker::mean_passes(const LayerWork& work, const LayerMessages& messages) const
{
  if (!l_.adds_up_gradients())
    return passes(work, messages);
  const double m = l_.micro_batches();
  LayerMessages silent = messages;
  silent.reduce = silent.add_copies = silent.reduce_between = 0;
  silent.gradients_sent = false;
  LayerPasses mean = (m - 1) / m * passes(work, silent);
  mean += 1 / m * passes(work, messages);
  if (messages.parameters > 0) // the first is kept in fp32 (2 + 4 B), others are added (2 + 8 B)
    mean.backward.compute += (6 + 10 * (m - 1)) / m * messages.parameters / rates_.memory + rates_.gap;
  return mean;
}

LayerPasses StepMaker::passes(const LayerWork& work, const LayerMessages& messages) const
{
  LayerPasses p;
  const double launch =
      rates_.host_per_operator.value() * (l_.tp > 1 ? 1 + launch_variation * expected_maximum(l_.tp) : 1);
  const double of_launch = operators_per_kernel * launch;
  const double of_backward = operators_per_backward_kernel * launch;
  PassParts forward;
  forward.compute = work.forward.seconds;
  forward.tensor = hidden_by(messages.tensor_forward, work.forward.seconds);
  const auto expert = [&](double computing) {
    return experts_beside() ? beside(messages.expert, computing) : messages.expert;
  };
  forward.expert = expert(work.forward.seconds);
  const ContextExchange& context = messages.context;
  const auto exposed = [](const ContextExchange::Message& message, double attention) {
    return std::max(0.0, message.time.value() - message.hidden_by(attention));
  };
  forward.context = exposed(context.forward, work.attention);
  p.forward = forward;
  const ShardCopies copies = messages.parameters > 0 ? shard_copies(l_, messages.parameters, rates_) : ShardCopies{};
  p.forward.compute += copies.weights;
  p.forward.data = l_.overlap_gradients ? beside(messages.gather, p.forward.total(), messages.gather_between,
                                                 between_machines(p.forward))
                                        : messages.gather;
  const double forward_launches = (work.forward.launches + messages.launches) * of_launch;
  p.forward.host = std::max(0.0, forward_launches - p.forward.total());
  p.forward.host += work.waiting * of_launch;
  const KernelTime repeated = again(work);
  PassParts repeat; // of the forward pass, in the backward pass
  double launches = (work.backward.launches + work.weights.launches + messages.launches) * of_backward;
  repeat.compute = repeated.seconds;
  launches += repeated.launches * of_launch;
  const bool experts_again =
      work.layer && (work.feed_forward_again || l_.recomputation == Recomputation::every_second ||
                     l_.recomputation == Recomputation::full);
  const RepeatedMessages sent_again = repeated_messages(l_, t_, work);
  repeat.tensor = forward.tensor * sent_again.tensor;
  repeat.expert = forward.expert * sent_again.expert;
  repeat.context = forward.context * sent_again.context;
  if (l_.recomputation == Recomputation::full && !work.once)
    launches += messages.launches * of_launch;
  else
    launches += messages.launches * of_launch * std::max(sent_again.tensor, sent_again.expert / 2);
  p.weights.compute = work.weights.seconds;
  p.weights.tensor = beside(messages.tensor_beside_weights, work.weights.seconds);
  p.backward = repeat;
  p.backward.compute +=
      work.backward.seconds + (work.once ? 0 : copies.weights) + (messages.gradients_sent ? copies.gradients : 0);
  p.backward.tensor += hidden_by(messages.tensor_backward, work.backward.seconds);
  p.backward.expert += expert(work.backward.seconds + work.weights.seconds);
  p.backward.context +=
      exposed(context.backward, work.attention_backward) + exposed(context.gradients, work.attention_backward);
  const double computing = p.backward.total() + p.weights.total();
  const double sending = between_machines(p.backward) + between_machines(p.weights);
  const bool gathers_again = l_.zero == 3 && !work.once; // PyTorch's root and output keep their weights
  const double gather = gathers_again ? messages.gather : 0;
  const double gather_between = gathers_again ? messages.gather_between : 0;
  if (!l_.overlap_gradients)
    p.backward.data = (messages.reduce + messages.add_copies) + gather;
  else if (l_.prefetch_weights)
    p.backward.data = beside((messages.reduce + messages.add_copies) + gather, computing,
                             messages.reduce_between + gather_between, sending);
  else
    p.backward.data =
        gather + beside((messages.reduce + messages.add_copies), computing, messages.reduce_between, sending);
  p.backward.host = std::max(0.0, launches - p.backward.total() - p.weights.total());
  if (experts_again)
    p.backward.host += work.waiting * of_launch;
  return p;
}

double StepMaker::tied_embedding() const
{
  return tied_embedding_time(job_.network, groups_, sizes_.tied_embedding).value();
}

std::vector<NetworkPart> StepMaker::parts_of(const std::vector<ReplicaMessage>& messages) const
{
  using Group = NetworkPart::Group;
  NetworkPart all[2];
  for (const ReplicaMessage& message : messages) {
    NetworkPart& part = all[message.copies ? 1 : 0];
    part.group = message.copies ? Group::copies : Group::data;
    part.time += message.time(job_.network);
    part.flow += Bytes{message.flow()};
  }
  std::vector<NetworkPart> parts;
  std::ranges::copy_if(all, std::back_inserter(parts), [](const NetworkPart& part) { return part.time > Seconds{}; });
  return parts;
}

Seconds StepMaker::optimizer_time() const
{
  double most = 0;
  for (const int stage : {0, l_.pp - 1}) {
    const RankParameters held = rank_parameters(l_, t_, stage);
    most = std::max(most, l_.zero >= 1 ? state_share(l_, held) : held.all());
  }
  most *= l_.kept.lora.share;
  const KernelTime adam = optimizer_work(most, rates_, l_);
  const Seconds on_gpu{std::max(adam.seconds, adam.launches * rates_.host_per_operator.value())};
  return l_.offload_optimizer ? on_gpu + host_update_time(job_.network, l_, most) : on_gpu + paging_time();
}

Seconds StepMaker::paging_time() const
{
  if (!l_.kept.paged || job_.network.host <= BytesPerSecond{})
    return {};
  const auto schedule = schedule_for(l_);
  Bytes most;
  for (const int rank : {0, l_.pp - 1}) {
    const RankMemory memory = rank_memory(l_, t_, rank, schedule->in_flight(l_.pp, l_.vp, l_.micro_batches(), rank));
    most = std::max(most, paged_out(memory.optimizer, memory.total(), job_.gpu.memory));
  }
  return most * 2.0 / job_.network.host;
}

} // namespace trainyard
