// SPDX-License-Identifier: Apache-2.0
/// Passes and messages of a divided transformer, layer by layer, and what replicas exchange once a step.
#include "sim/parallel/step_maker.hpp"

#include <cmath>
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
      groups_{groups_of(job.layout, job.network.gpus_per_node)}, chunk_layers_{
                                                                     layers_of_chunks(job.layout, job.transformer)}
{
  const double sequence = l_.sequence > 0 ? l_.sequence : t_.sequence;
  tokens_ = sequence / l_.cp * l_.micro_batch;
  messages();
  const LayerPasses layer = passes(layer_work(t_, l_, rates_), messages_);
  chunks_.reserve(chunk_layers_.size());
  for (const int layers : chunk_layers_)
    chunks_.push_back(static_cast<double>(layers) * layer);
  chunks_.front() += passes(embedding_work(t_, l_, rates_), edge_messages());
  chunks_.back() += passes(output_work(t_, l_, rates_), edge_messages());
}

std::vector<ChunkTimes> StepMaker::chunk_times() const
{
  std::vector<ChunkTimes> times;
  times.reserve(chunks_.size());
  for (const LayerPasses& passes : chunks_)
    times.push_back(passes.times());
  return times;
}

double StepMaker::stage_message() const
{
  return l_.pp == 1 ? 0 : point_to_point_time(job_.network, groups_.stages_between_nodes, Bytes{stage_bytes()}).value();
}

void StepMaker::messages()
{
  const ParallelNetwork& network = job_.network;
  if (l_.tp > 1) {
    const Bytes activation{2 * tokens_ * t_.hidden};
    if (l_.sequence_parallel) {
      const double one = scatter_time(network, groups_.tensor, activation).value();
      messages_.tensor_forward = 4 * one;        // gather and scatter of each block
      messages_.tensor_backward = 2 * one;       // gather of the gradient of each block's output
      messages_.tensor_beside_weights = 4 * one; // its input once more, and the scatter of its gradient
      messages_.launches = 2;
    } else {
      const double one = all_reduce_time(network, groups_.tensor, activation).value();
      messages_.tensor_forward = 2 * one;
      messages_.tensor_beside_weights = 2 * one;
      messages_.launches = 1;
    }
    if (l_.overlap_tensor == "none") {
      messages_.tensor_backward += messages_.tensor_beside_weights;
      messages_.tensor_beside_weights = 0;
    }
  }
  if (l_.cp > 1) { // keys and values go round the ring
    const Bytes piece{4 * tokens_ * t_.kv_width() / std::min(l_.tp, t_.kv_heads)};
    messages_.context = (l_.cp - 1) * point_to_point_time(network, groups_.context.nodes() > 1, piece).value();
    messages_.launches += l_.cp - 1;
  }
  if (l_.ep > 1) {
    const Bytes held{2 * tokens_ * t_.hidden / (l_.sequence_parallel ? l_.tp : 1)};
    messages_.expert = 2 * token_exchange_time(network, groups_.expert, held, t_.active_experts).value();
    messages_.launches += 2;
  }
  if (l_.zero >= 2 && l_.replicas() > 1) {
    const Bytes weights = layer_weights();
    const Bytes gradients = weights * (l_.gradient_bytes / 2);
    messages_.gather = scatter_time(network, groups_.shard, weights).value();
    messages_.reduce = scatter_time(network, groups_.shard, gradients).value();
    messages_.add_copies = all_reduce_time(network, groups_.copies, gradients / groups_.shard.ranks).value();
    messages_.launches += groups_.copies.ranks > 1 ? 4 : 3;
  }
}

LayerMessages StepMaker::edge_messages() const
{
  LayerMessages edge; // the embedding's sum, or the gradient of the projection's input
  if (l_.tp > 1) {
    edge.tensor_forward = messages_.tensor_forward / (l_.sequence_parallel ? 4 : 2);
    edge.launches = 1;
  }
  return edge;
}

Bytes StepMaker::layer_weights() const
{
  const double dense = t_.layer_parameters() - (t_.experts > 1 ? t_.experts * t_.expert_parameters() : 0);
  const double experts = t_.experts > 1 ? t_.experts * t_.expert_parameters() / l_.ep : 0;
  return Bytes{2 * (dense + experts) / l_.tp};
}

double StepMaker::hidden_by(double messages, double products) const
{
  return l_.overlap_tensor == "all" ? std::max(messages / 4, messages - products) : messages;
}

KernelTime StepMaker::again(const LayerWork& work) const
{
  const auto without = [](KernelTime all, const KernelTime& part) {
    return KernelTime{all.seconds - part.seconds, all.launches - part.launches};
  };
  switch (l_.recomputation) {
  case Recomputation::none:
    return {};
  case Recomputation::selective:
    return l_.fused_attention() ? KernelTime{} : work.core;
  case Recomputation::every_second:
    return without(work.forward, work.kept);
  case Recomputation::full:
    break;
  }
  return l_.early_stop ? without(work.forward, work.last) : work.forward;
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
    return l_.overlap_experts ? beside(messages.expert, computing) : messages.expert;
  };
  forward.expert = expert(work.forward.seconds);
  forward.context = std::max(0.0, messages.context - work.attention);
  p.forward = forward;
  p.forward.data = l_.overlap_gradients ? beside(messages.gather, forward.total()) : messages.gather;
  const double forward_launches = (work.forward.launches + messages.launches) * of_launch;
  p.forward.host = std::max(0.0, forward_launches - p.forward.total());
  p.forward.host += work.waiting * of_launch;
  const KernelTime repeated = again(work);
  PassParts repeat; // of the forward pass, in the backward pass
  double launches = (work.backward.launches + work.weights.launches + messages.launches) * of_backward;
  repeat.compute = repeated.seconds;
  launches += repeated.launches * of_launch;
  if (l_.recomputation == Recomputation::full) {
    const double messages_again = l_.early_stop ? 0.5 : 1; // the sum after the last product is left out
    repeat.tensor = forward.tensor * messages_again;
    repeat.expert = forward.expert * messages_again;
    repeat.context = forward.context;
    launches += messages.launches * of_launch;
  }
  p.weights.compute = work.weights.seconds;
  p.weights.tensor = beside(messages.tensor_beside_weights, work.weights.seconds);
  p.backward = repeat;
  p.backward.compute += work.backward.seconds;
  p.backward.tensor += hidden_by(messages.tensor_backward, work.backward.seconds);
  p.backward.expert += expert(work.backward.seconds + work.weights.seconds);
  p.backward.context += std::max(0.0, 2 * messages.context - work.attention_backward);
  const double computing = p.backward.total() + p.weights.total();
  const double gather = l_.zero == 3 ? messages.gather : 0;
  if (!l_.overlap_gradients)
    p.backward.data = (messages.reduce + messages.add_copies) + gather;
  else if (l_.prefetch_weights)
    p.backward.data = beside((messages.reduce + messages.add_copies) + gather, computing);
  else
    p.backward.data = gather + beside((messages.reduce + messages.add_copies), computing);
  p.backward.host = std::max(0.0, launches - p.backward.total() - p.weights.total());
  return p;
}

double StepMaker::tied_embedding() const
{
  if (!t_.tied || l_.pp == 1 || stage_order(l_) == StageOrder::v) // a V has both ends on one rank
    return 0;
  const RankGroup pair{2, groups_.stages_between_nodes ? 1 : 2};
  return all_reduce_time(job_.network, pair, Bytes{l_.gradient_bytes * t_.vocabulary * t_.hidden / l_.tp}).value();
}

StepMaker::Replicas StepMaker::replicas(bool experts) const
{
  const int held_times = stage_order(l_) == StageOrder::both_ways ? 2 : 1;
  Replicas found{groups_.shard, groups_.copies};
  if (experts) {
    const auto among = [&](int ranks, int stride) { // replicas that lie `stride` apart
      const int fit = std::max(1, job_.network.gpus_per_node / (l_.tp * stride));
      return RankGroup{ranks, std::min(ranks, fit)};
    };
    const int all = std::max(1, l_.replicas() / l_.ep), shard = std::max(1, l_.shard_ranks() / l_.ep);
    found = {among(shard, l_.ep), among(std::max(1, all / shard), std::max(l_.shard_ranks(), l_.ep))};
  }
  (l_.shard_ranks() < l_.replicas() ? found.copies : found.shard).ranks *= held_times;
  return found;
}

std::vector<NetworkPart> StepMaker::gradient_parts(const RankParameters& held) const
{
  const Replicas dense = replicas(false), experts = replicas(true);
  const auto part = [&](NetworkPart::Group group, const auto& time, RankGroup Replicas::*among, double times,
                        const auto& bytes) {
    NetworkPart made;
    made.group = group;
    made.time = time(job_.network, dense.*among, Bytes{bytes(dense, held.dense)}) +
                time(job_.network, experts.*among, Bytes{bytes(experts, held.experts)});
    made.flow = Bytes{ring_bytes(dense.*among, bytes(dense, held.dense), times) +
                      ring_bytes(experts.*among, bytes(experts, held.experts), times)};
    return made;
  };
  using Group = NetworkPart::Group;
  const auto whole = [&](const Replicas&, double parameters) { return l_.gradient_bytes * parameters; };
  if (l_.zero == 0)
    return {part(Group::data, all_reduce_time, &Replicas::shard, 2, whole)};
  std::vector<NetworkPart> parts{part(Group::data, scatter_time, &Replicas::shard, 1, whole)};
  if (std::max(dense.copies.ranks, experts.copies.ranks) > 1)
    parts.push_back(
        part(Group::copies, all_reduce_time, &Replicas::copies, 2, [&](const Replicas& group, double parameters) {
          return l_.gradient_bytes * parameters / group.shard.ranks;
        }));
  return parts;
}

std::vector<NetworkPart> StepMaker::weight_parts(const RankParameters& held) const
{
  if (l_.zero == 0)
    return {};
  NetworkPart made;
  made.group = NetworkPart::Group::data;
  for (const bool experts : {false, true}) {
    const double bytes = 2 * (experts ? held.experts : held.dense);
    const RankGroup shard = replicas(experts).shard;
    made.time += scatter_time(job_.network, shard, Bytes{bytes});
    made.flow += Bytes{ring_bytes(shard, bytes, 1)};
  }
  return {made};
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

double ring_bytes(const RankGroup& group, double payload, double times)
{
  return group.nodes() > 1 ? times * (group.ranks - 1) / group.ranks * payload / group.per_node : 0;
}

} // namespace trainyard
