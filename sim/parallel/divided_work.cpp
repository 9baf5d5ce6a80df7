// SPDX-License-Identifier: Apache-2.0
/// A step of a divided transformer as work and messages: what the closed form adds up, in the pieces that a simulation
/// of the links needs.
#include "sim/parallel/pipeline.hpp"
#include "sim/parallel/step_maker.hpp"

#include <initializer_list>
#include <utility>

namespace trainyard {
namespace {

using Group = NetworkPart::Group;

Seconds busy_of(const PassParts& near_by, const PassParts& with_all)
{
  return Seconds{near_by.total() - near_by.host + with_all.host};
}

} // namespace

void StepMaker::tensor_sent(SentByLayer& sent, const Transformer& transformer) const
{
  if (l_.tp == 1)
    return;
  const double one = ring_bytes(groups_.tensor, sizes_.activation.value(), l_.sequence_parallel ? 1 : 2);
  const TensorPasses passes = tensor_passes(l_, transformer);
  sent.tensor_forward = (l_.sequence_parallel ? passes.forward() : passes.blocks) * one;
  sent.tensor_backward = l_.sequence_parallel ? passes.blocks * one : 0;
  sent.tensor_beside_weights =
      (l_.sequence_parallel ? passes.gathers() + (passes.gathers_again ? passes.blocks : 0) : passes.blocks) * one;
  if (l_.overlap() == "none")
    sent.tensor_backward += std::exchange(sent.tensor_beside_weights, 0);
}

StepMaker::SentByLayer StepMaker::sent_by_layer() const
{
  SentByLayer sent;
  tensor_sent(sent, t_);
  sent.keys_values = messages_.context.forward.flow.value();
  sent.their_gradients = messages_.context.gradients.flow.value();
  if (const RankGroup& group = groups_.expert; group.nodes() > 1) // to one rank of each other machine
    sent.expert = (sizes_.dispatched + 1) * sizes_.share.value() * t_.active_experts * group.per_node / group.ranks;
  if (l_.by_layer() && l_.replicas() > 1)
    weights_sent(sent, sizes_.layer);
  return sent;
}

void StepMaker::weights_sent(SentByLayer& sent, const RankParameters& held) const
{
  // With gradient_sync: last a micro-batch's share of what the last one sends.
  const double share = l_.adds_up_gradients() ? 1.0 / l_.micro_batches() : 1;
  if (l_.weights_by_layer())
    for (const ReplicaMessage& message : weight_messages(l_, job_.network.gpus_per_node, held))
      sent.gather += message.flow();
  for (const ReplicaMessage& message : gradient_messages(l_, job_.network.gpus_per_node, held))
    (message.copies ? sent.add_copies : sent.reduce) += share * message.flow();
}

StepMaker::SentByLayer StepMaker::tensor_edge_sent(const SentByLayer& layer) const
{
  SentByLayer edge;
  const TensorPasses passes = tensor_passes(l_, t_);
  edge.tensor_forward = layer.tensor_forward / (l_.sequence_parallel ? passes.forward() : passes.blocks);
  return edge;
}

StepMaker::SentByLayer StepMaker::edge_sent(const SentByLayer& layer, bool embedding) const
{
  SentByLayer edge = tensor_edge_sent(layer);
  if (embedding && !l_.embedding_parallel) {
    const double one = std::exchange(edge.tensor_forward, 0);
    edge.tensor_backward = l_.sequence_parallel ? one : 0;
  }
  if (!embedding && !l_.loss_parallel)
    edge.tensor_forward += ring_bytes(groups_.tensor, 2 * sizes_.tokens * t_.vocabulary, 1);
  if (!l_.by_layer() || l_.replicas() == 1)
    return edge;
  weights_sent(edge, edge_parameters(embedding));
  if (embedding && l_.pp == 1) {
    const SentByLayer first = t_.has_dense_layers() ? dense_sent(layer) : layer;
    for (double SentByLayer::*part : {&SentByLayer::gather, &SentByLayer::reduce, &SentByLayer::add_copies})
      edge.*part += first.*part;
  }
  return edge;
}

StepMaker::SentByLayer StepMaker::repeated_edge_sent(const SentByLayer& layer) const
{
  SentByLayer edge = edge_sent(layer, false);
  for (double SentByLayer::*part : {&SentByLayer::gather, &SentByLayer::reduce, &SentByLayer::add_copies})
    edge.*part = 0;
  return edge;
}

StepMaker::SentByLayer StepMaker::dense_sent(SentByLayer layer) const
{
  layer.expert = 0;
  tensor_sent(layer, t_.without_experts());
  if (!l_.by_layer() || l_.replicas() == 1)
    return layer;
  for (double SentByLayer::*part : {&SentByLayer::gather, &SentByLayer::reduce, &SentByLayer::add_copies})
    layer.*part = 0;
  weights_sent(layer, sizes_.dense_layer);
  return layer;
}

DividedWork::Chunk StepMaker::chunk_of(const LayerWork& work, const LayerMessages& messages,
                                       const SentByLayer& sent) const
{
  LayerMessages inside = messages, all = messages;
  if (l_.adds_up_gradients())
    all.reduce /= l_.micro_batches(), all.add_copies /= l_.micro_batches();
  const auto far = [](double bytes, std::initializer_list<double*> times) {
    for (double* time : times)
      *time = bytes > 0 ? 0 : *time;
  };
  far(sent.tensor_forward + sent.tensor_backward + sent.tensor_beside_weights,
      {&inside.tensor_forward, &inside.tensor_backward, &inside.tensor_beside_weights});
  far(sent.expert, {&inside.expert});
  if (sent.keys_values > 0)
    inside.context = {};
  far(sent.gather, {&inside.gather});
  far(sent.reduce, {&inside.reduce});
  far(sent.add_copies, {&inside.add_copies});
  inside.gather_between = inside.reduce_between = 0;
  const LayerPasses whole = mean_passes(work, messages), near = mean_passes(work, inside);
  DividedWork::Chunk chunk;
  const auto add = [&](DividedPass& pass, Group group, double time, double bytes, double beside, bool takes = false) {
    if (bytes > 0 && time > 0)
      pass.network.push_back({.group = group,
                              .time = Seconds{time},
                              .flow = Bytes{bytes},
                              .ways = group == Group::expert    ? groups_.expert.nodes() - 1
                                      : group == Group::context ? all.context.ways
                                                                : 1,
                              .beside = Seconds{beside},
                              .taken = Seconds{takes ? rates_.taken_by(time, beside) : 0}});
  };
  /// Messages of replicas, one after the other beside @p computing.
  const auto add_data = [&](DividedPass& pass, double computing, std::initializer_list<const double*> near_by,
                            const std::vector<NetworkPart>& parts) {
    for (const double* time : near_by)
      computing = std::max(0.0, computing - *time);
    for (const NetworkPart& part : parts) {
      const double time = part.time.value(), beside = l_.overlap_gradients ? computing : 0;
      if (part.flow <= Bytes{})
        continue;
      const bool last = &part == &parts.back() || parts.back().flow <= Bytes{};
      add(pass, part.group, time, part.flow.value(), last ? beside : std::min(time, beside), true);
      computing = std::max(0.0, computing - time);
    }
  };
  const auto data = [](Group group, double time, double bytes) {
    return NetworkPart{.group = group, .time = Seconds{time}, .flow = Bytes{bytes}, .beside = {}, .taken = {}};
  };
  const auto experts = [&](DividedPass& pass, double computing) {
    add(pass, Group::expert, all.expert, sent.expert, experts_beside() ? computing : 0, true);
  };
  const auto forward = [&](DividedPass& pass, const RepeatedMessages& part) {
    add(pass, Group::tensor, part.tensor * all.tensor_forward, part.tensor * sent.tensor_forward,
        l_.overlap() == "all" ? part.tensor * std::min(0.75 * all.tensor_forward, work.forward.seconds) : 0);
    add(pass, Group::context, part.context * all.context.forward.time.value(), part.context * sent.keys_values,
        all.context.forward.hidden_by(work.attention));
  };
  chunk.forward.busy = busy_of(near.forward, whole.forward);
  chunk.forward.kernels = Seconds{near.forward.compute};
  chunk.forward.tokens = Seconds{near.forward.expert};
  chunk.forward.shares = Seconds{near.forward.data};
  forward(chunk.forward, {.tensor = 1, .context = 1, .expert = 1});
  experts(chunk.forward, work.forward.seconds);
  const double of_host = work.once ? near.forward.host : 0; // the loop around the network hides no message
  add_data(chunk.forward, near.forward.total() - of_host, {}, {data(Group::data, all.gather, sent.gather)});

  chunk.backward.busy = busy_of(near.backward, whole.backward);
  chunk.backward.kernels = Seconds{near.backward.compute};
  chunk.backward.tokens = Seconds{near.backward.expert};
  chunk.backward.shares = Seconds{near.backward.data};
  const RepeatedMessages again = repeated_messages(l_, t_, work);
  forward(chunk.backward, again);
  add(chunk.backward, Group::expert, again.expert * all.expert, again.expert * sent.expert,
      experts_beside() ? again.expert * work.forward.seconds : 0, true);
  add(chunk.backward, Group::tensor, all.tensor_backward, sent.tensor_backward,
      l_.overlap() == "all" ? std::min(0.75 * all.tensor_backward, work.backward.seconds) : 0);
  experts(chunk.backward, work.backward.seconds + work.weights.seconds);
  for (const auto& [message, bytes] :
       {std::pair{&all.context.backward, sent.keys_values}, {&all.context.gradients, sent.their_gradients}})
    add(chunk.backward, Group::context, message->time.value(), bytes, message->hidden_by(work.attention_backward));
  const bool gathers = l_.zero == 3 && !work.once, waits = gathers && l_.overlap_gradients && !l_.prefetch_weights;
  if (waits)
    add(chunk.backward, Group::data, all.gather, sent.gather, 0);
  const bool beside = gathers && !waits;
  add_data(chunk.backward, near.backward.total() + near.weights.total(), {&inside.reduce, &inside.add_copies},
           {data(Group::data, all.reduce + (beside ? all.gather : 0), sent.reduce + (beside ? sent.gather : 0)),
            data(Group::copies, all.add_copies, sent.add_copies)});

  chunk.weights.busy = busy_of(near.weights, whole.weights);
  chunk.weights.kernels = Seconds{near.weights.compute};
  add(chunk.weights, Group::tensor, all.tensor_beside_weights, sent.tensor_beside_weights, work.weights.seconds, true);
  return chunk;
}

DividedWork::Chunk StepMaker::repeated(DividedWork::Chunk chunk, double layers)
{
  chunk.layers = layers;
  for (DividedPass* pass : {&chunk.forward, &chunk.backward, &chunk.weights}) {
    for (Seconds* time : {&pass->busy, &pass->kernels, &pass->tokens, &pass->shares})
      *time *= layers;
    for (NetworkPart& part : pass->network) {
      part.flow *= layers;
      for (Seconds* time : {&part.time, &part.beside, &part.taken})
        *time *= layers;
    }
  }
  return chunk;
}

void StepMaker::append(DividedWork::Chunk& to, const DividedWork::Chunk& from)
{
  const auto join = [](DividedPass& pass, const DividedPass& more) {
    pass.busy += more.busy;
    pass.kernels += more.kernels;
    pass.tokens += more.tokens;
    pass.shares += more.shares;
    pass.network.insert(pass.network.end(), more.network.begin(), more.network.end());
  };
  join(to.forward, from.forward);
  join(to.backward, from.backward);
  join(to.weights, from.weights);
}

void StepMaker::once_a_step(DividedWork& work, std::size_t slot) const
{
  const auto ranks = static_cast<std::size_t>(l_.pp);
  DividedWork::Chunk& chunk = work.chunks[slot];
  if (l_.by_layer()) { // each layer's own travel with its passes, but for the first gather and the last scatter
    if (slot >= ranks)
      return;
    if (!l_.weights_by_layer()) // whole, after the update before
      chunk.gather = parts_of(
          weight_messages(l_, job_.network.gpus_per_node, rank_parameters(l_, t_, static_cast<int>(slot % ranks))));
    if (l_.pp == 1)
      return;
    const SentByLayer sent = sent_by_layer();
    const auto part = [](Group group, double time, double bytes) {
      return NetworkPart{.group = group, .time = Seconds{time}, .flow = Bytes{bytes}, .beside = {}, .taken = {}};
    };
    if (l_.weights_by_layer())
      chunk.gather = {part(Group::data, messages_.gather, sent.gather)};
    chunk.reduce = {part(Group::data, messages_.reduce, sent.reduce)};
    if (messages_.add_copies > 0)
      chunk.reduce.push_back(part(Group::copies, messages_.add_copies, sent.add_copies));
    return;
  }
  double layers = 0, chunks = 0;
  for (std::size_t other = slot % ranks; other < work.chunks.size(); other += ranks, ++chunks)
    layers += work.chunks[other].layers;
  const double share = layers > 0 ? chunk.layers / layers : 1 / chunks; // a rank may have no layers
  const RankParameters held = rank_parameters(l_, t_, static_cast<int>(slot % ranks));
  chunk.gather = parts_of(weight_messages(l_, job_.network.gpus_per_node, held));
  chunk.reduce = parts_of(gradient_messages(l_, job_.network.gpus_per_node, held));
  chunk.alone = !l_.overlap_gradients ? 1
                : chunk.stage == 0 ? std::min(1.0, share_of_layer(l_, t_, static_cast<int>(slot % ranks), true) / share)
                                   : 1 / std::max(1.0, chunk.layers);
  const Seconds last = chunk.weights.busy + (work.parted ? Seconds{} : chunk.backward.busy);
  for (const auto& [parts, computing] : {std::pair{&chunk.gather, chunk.forward.busy}, {&chunk.reduce, last}})
    for (NetworkPart& part : *parts) {
      part.time *= share;
      part.flow *= share;
      const double beside = 1 - chunk.alone;
      part.taken = Seconds{rates_.taken_by(beside * part.time.value(), beside * computing.value())};
    }
}

void StepMaker::add_chunks(DividedWork& work) const
{
  const SentByLayer sent = sent_by_layer();
  const DividedWork::Chunk layer = chunk_of(layer_work(t_, l_, rates_), messages_, sent);
  const DividedWork::Chunk embedding =
      chunk_of(embedding_work(t_, l_, rates_), edge_messages(true), edge_sent(sent, true));
  const DividedWork::Chunk output = chunk_of(output_work(t_, l_, rates_), edge_messages(false), edge_sent(sent, false));
  const DividedWork::Chunk output_again =
      l_.mtp_layers > 0 ? chunk_of(output_work(t_, l_, rates_), repeated_edge(), repeated_edge_sent(sent))
                        : DividedWork::Chunk{};
  const DividedWork::Chunk projection =
      l_.mtp_layers > 0 ? chunk_of(prediction_work(t_, l_, rates_), tensor_edge(), tensor_edge_sent(sent))
                        : DividedWork::Chunk{};
  const DividedWork::Chunk dense_layer =
      t_.has_dense_layers() ? chunk_of(layer_work(t_.without_experts(), l_, rates_), dense_messages(), dense_sent(sent))
                            : DividedWork::Chunk{};
  work.stages = static_cast<int>(chunk_layers_.size());
  for (int chunk = 0; chunk < chunks_of_rank(work.order, l_.vp); ++chunk)
    for (int rank = 0; rank < l_.pp; ++rank) {
      const int stage = stage_at(work.order, l_.pp, rank, chunk);
      const int layers = chunk_layers_[static_cast<std::size_t>(stage)];
      const int dense = dense_layers_of(chunk_layers_, t_, static_cast<std::size_t>(stage));
      DividedWork::Chunk& made = work.chunks.emplace_back(repeated(layer, layers - dense));
      made.layers = layers;
      made.stage = stage;
      if (dense > 0)
        append(made, repeated(dense_layer, dense));
      if (stage == 0)
        append(made, embedding);
      if (stage + 1 < work.stages)
        continue;
      append(made, output);
      for (int later = 0; later < l_.mtp_layers; ++later)
        for (const DividedWork::Chunk* part : {&layer, &projection, &output_again})
          append(made, *part);
    }
  if (l_.replicas() > 1 || work.order == StageOrder::both_ways)
    for (std::size_t slot = 0; slot < work.chunks.size(); ++slot)
      once_a_step(work, slot);
}

DividedWork StepMaker::work() const
{
  DividedWork work;
  const auto schedule = schedule_for(l_);
  work.order = schedule->order();
  work.tasks = schedule->tasks(l_.pp, l_.vp, l_.micro_batches());
  for (const std::vector<PipelineTask>& list : work.tasks)
    work.parted = work.parted || std::ranges::any_of(list, [](const auto& task) { return task.pass == Pass::weights; });
  add_chunks(work);
  work.handoff = {.group = Group::stage,
                  .time = Seconds{stage_message()},
                  .flow = groups_.stages_between_nodes ? sizes_.share : Bytes{},
                  .beside = {},
                  .taken = {}};
  work.tied = {.group = Group::tied,
               .time = Seconds{tied_embedding()},
               .flow = groups_.stages_between_nodes ? sizes_.tied_embedding : Bytes{},
               .beside = {},
               .taken = {}};
  work.optimizer = optimizer_time();
  work.collective_share = rates_.collective_share;
  return work;
}

} // namespace trainyard
