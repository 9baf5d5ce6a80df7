// SPDX-License-Identifier: Apache-2.0
/// Passes and messages of a divided transformer, layer by layer, and what replicas exchange once a step.
#include "sim/parallel/step_maker.hpp"

#include <cmath>
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

} // namespace

StepMaker::StepMaker(const ParallelJob& job)
    : job_{job}, l_{job.layout}, t_{job.transformer}, rates_{gpu_rates(job.gpu, job.layout, job.transformer,
                                                                       job.host_per_operator)},
      groups_{groups_of(job.layout, job.network.gpus_per_node)},
      chunk_layers_{layers_of_chunks(job.layout, job.transformer)}, sizes_{message_sizes(job.transformer, job.layout)}
{
  messages();
  const LayerPasses layer = passes(layer_work(t_, l_, rates_), messages_);
  chunks_.reserve(chunk_layers_.size());
  for (std::size_t stage = 0; stage < chunk_layers_.size(); ++stage) {
    const int dense = dense_layers_of(chunk_layers_, t_, stage);
    LayerPasses& chunk = chunks_.emplace_back(static_cast<double>(chunk_layers_[stage] - dense) * layer);
    if (dense > 0)
      chunk += static_cast<double>(dense) * passes(layer_work(t_.without_experts(), l_, rates_), dense_messages());
  }
  chunks_.front() += passes(embedding_work(t_, l_, rates_), edge_messages());
  const LayerPasses output = passes(output_work(t_, l_, rates_), edge_messages());
  chunks_.back() += output;
  for (int later = 0; later < l_.mtp_layers; ++later) {
    chunks_.back() += layer;
    chunks_.back() += passes(prediction_work(t_, l_, rates_), edge_messages());
    chunks_.back() += output;
  }
}

LayerMessages StepMaker::dense_messages() const
{
  LayerMessages dense = messages_;
  if (dense.expert > 0)
    dense.launches -= 2;
  dense.expert = 0;
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

void StepMaker::messages()
{
  const ParallelNetwork& network = job_.network;
  if (l_.tp > 1) {
    if (l_.sequence_parallel) {
      const double one = tensor_pass_time(l_, network, groups_, sizes_, rates_).value();
      const TensorPasses passes = tensor_passes(l_, t_);
      messages_.tensor_forward = passes.forward() * one; // gather and scatter of each block
      messages_.tensor_backward = 2 * one;               // gather of the gradient of each block's output
      messages_.tensor_beside_weights =                  // scatter of its input's gradient, its input once more
          (passes.gathers() + (passes.gathers_again ? 2 : 0)) * one;
      messages_.launches = 2;
    } else {
      const double one = all_reduce_time(network, groups_.tensor, sizes_.activation).value();
      messages_.tensor_forward = 2 * one;
      messages_.tensor_beside_weights = 2 * one;
      messages_.launches = 1;
    }
    if (l_.overlap() == "none") {
      messages_.tensor_backward += messages_.tensor_beside_weights;
      messages_.tensor_beside_weights = 0;
    }
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
    for (const ReplicaMessage& message : weight_messages(l_, network.gpus_per_node, sizes_.layer)) {
      messages_.gather += message.time(network).value();
      messages_.gather_between += message.time_between(network).value();
    }
    for (const ReplicaMessage& message : gradient_messages(l_, network.gpus_per_node, sizes_.layer)) {
      (message.copies ? messages_.add_copies : messages_.reduce) += message.time(network).value();
      messages_.reduce_between += message.time_between(network).value();
    }
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

LayerMessages StepMaker::edge_messages() const
{
  LayerMessages edge; // the embedding's sum, or the gradient of the projection's input
  if (l_.tp > 1) {
    edge.tensor_forward = messages_.tensor_forward / (l_.sequence_parallel ? tensor_passes(l_, t_).forward() : 2);
    edge.launches = 1;
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
  const ShardCopies copies = work.layer ? shard_copies(l_, sizes_.layer.all(), rates_) : ShardCopies{};
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
  p.backward.compute += work.backward.seconds + copies.weights + copies.gradients;
  p.backward.tensor += hidden_by(messages.tensor_backward, work.backward.seconds);
  p.backward.expert += expert(work.backward.seconds + work.weights.seconds);
  p.backward.context +=
      exposed(context.backward, work.attention_backward) + exposed(context.gradients, work.attention_backward);
  const double computing = p.backward.total() + p.weights.total();
  const double sending = between_machines(p.backward) + between_machines(p.weights);
  const double gather = l_.zero == 3 ? messages.gather : 0;
  const double gather_between = l_.zero == 3 ? messages.gather_between : 0;
  if (!l_.overlap_gradients)
    p.backward.data = (messages.reduce + messages.add_copies) + gather;
  else if (l_.prefetch_weights)
    p.backward.data = beside((messages.reduce + messages.add_copies) + gather, computing,
                             messages.reduce_between + gather_between, sending);
  else
    p.backward.data =
        gather + beside((messages.reduce + messages.add_copies), computing, messages.reduce_between, sending);
  p.backward.host = std::max(0.0, launches - p.backward.total() - p.weights.total());
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
    const double ranks = l_.zero >= 1 ? l_.shard_ranks() : 1;
    most = std::max(most, held.dense / ranks + held.experts / std::max(1.0, ranks / l_.ep));
  }
  const KernelTime adam = optimizer_work(most, rates_, l_.offload_optimizer);
  const Seconds on_gpu{std::max(adam.seconds, adam.launches * rates_.host_per_operator.value())};
  return l_.offload_optimizer ? on_gpu + host_update_time(job_.network, l_, most) : on_gpu;
}

} // namespace trainyard
