// SPDX-License-Identifier: Apache-2.0
#include "sim/parallel/step.hpp"

#include "sim/parallel/listed_schedule.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <stdexcept>
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

/// Where the time of one pass goes, in seconds.
struct Parts {
  double compute = 0, host = 0, tensor = 0, context = 0, expert = 0, data = 0;

  double total() const { return compute + host + tensor + context + expert + data; }
  Parts& operator+=(const Parts& o)
  {
    for (const auto part : all)
      this->*part += o.*part;
    return *this;
  }
  friend Parts operator*(double factor, Parts parts)
  {
    for (const auto part : all)
      parts.*part *= factor;
    return parts;
  }

private:
  static constexpr double Parts::*all[] = {&Parts::compute, &Parts::host,   &Parts::tensor,
                                           &Parts::context, &Parts::expert, &Parts::data};
};

/// The passes of one micro-batch through some layers.
struct Passes {
  Parts forward, backward, weights;

  Passes& operator+=(const Passes& o)
  {
    forward += o.forward;
    backward += o.backward;
    weights += o.weights;
    return *this;
  }
  friend Passes operator*(double factor, const Passes& p)
  {
    return {factor * p.forward, factor * p.backward, factor * p.weights};
  }
  /// What tokens on their way to experts and back hide behind the other pass, where a forward and a backward pass run
  /// together (DualPipe).
  double hidden_together() const
  {
    return std::min(forward.expert, backward.compute + weights.compute) + std::min(backward.expert, forward.compute);
  }
  ChunkTimes times() const { return {forward.total(), backward.total(), weights.total(), hidden_together()}; }
  Parts all() const
  {
    Parts sum = forward;
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
  double context = 0;               // of the forward pass; the backward pass moves twice as much
  double gather = 0;                // ZeRO-3: weights of the layer
  double reduce = 0;                // ZeRO-2, 3: gradients of the layer, every micro-batch
  double launches = 0;              // of one pass
};

class StepMaker
{
public:
  explicit StepMaker(const ParallelJob& job)
      : job_{job}, l_{job.layout}, t_{job.transformer}, rates_{gpu_rates(job.gpu, job.layout, job.transformer,
                                                                         job.host_per_operator)},
        groups_{groups_of(job.layout, job.network.gpus_per_node)}, chunk_layers_{
                                                                       layers_of_chunks(job.layout, job.transformer)}
  {
    const double sequence = l_.sequence > 0 ? l_.sequence : t_.sequence;
    tokens_ = sequence / l_.cp * l_.micro_batch;
    messages();
    const Passes layer = passes(layer_work(t_, l_, rates_), messages_);
    chunks_.reserve(chunk_layers_.size());
    for (const int layers : chunk_layers_)
      chunks_.push_back(static_cast<double>(layers) * layer);
    layer_ = layer;
    chunks_.front() += passes(embedding_work(t_, l_, rates_), edge_messages());
    chunks_.back() += passes(output_work(t_, l_, rates_), edge_messages());
  }

  ParallelStep make(PipelineDetail detail)
  {
    const auto ranks = static_cast<std::size_t>(l_.pp);
    const int m = l_.micro_batches();
    const auto schedule = schedule_for(l_);
    // The rank with the most work; stages that are held twice see half of the micro-batches each.
    std::vector<Passes> of_rank(ranks);
    const double share = schedule->order() == StageOrder::both_ways ? 0.5 : 1;
    for (std::size_t rank = 0; rank < ranks; ++rank)
      for (const int stage : stages_of_rank(l_, static_cast<int>(rank)))
        of_rank[rank] += share * chunks_[static_cast<std::size_t>(stage)];
    const auto slowest = static_cast<std::size_t>(
        std::ranges::max_element(of_rank, {}, [](const Passes& p) { return p.all().total(); }) - of_rank.begin());
    Parts parts = static_cast<double>(m) * of_rank[slowest].all();
    double instant = 0, all = 0;
    const double handoff = stage_message();
    std::vector<int> in_flight(ranks, 1);
    for (std::size_t rank = 0; rank < ranks; ++rank)
      in_flight[rank] = schedule->in_flight(l_.pp, l_.vp, m, static_cast<int>(rank));
    const bool formula = schedule->order() == StageOrder::round && l_.own_schedule == nullptr; // of other orders: none
    if ((detail == PipelineDetail::tasks || !formula) && ranks > 1) {
      const TaskLists lists = schedule->tasks(l_.pp, l_.vp, m);
      const std::vector<ChunkTimes> times = chunk_times();
      const PipelineRun still = run_pipeline(lists, times, 0, false, schedule->order());
      instant = still.time;
      parts.expert -= still.saved[slowest];
      all = handoff > 0 ? run_pipeline(lists, times, handoff, false, schedule->order()).time : instant;
    } else {
      const ChunkTimes times = of_rank[slowest].times();
      const double busy = parts.total();
      double mean = 0; // a bubble is made of the passes of the other ranks
      for (const Passes& passes : of_rank)
        mean += passes.all().total() / static_cast<double>(ranks);
      instant = busy + schedule->bubble(l_.pp, l_.vp, m, times.forward, times.backward, times.weights) * m * mean;
      all = instant + (ranks > 1 ? handoff * message_rounds(m) : 0);
    }
    const double data = exposed_data(of_rank.front());
    ParallelStep step;
    step.compute = Seconds{parts.compute};
    step.host = Seconds{parts.host};
    step.tensor = Seconds{parts.tensor};
    step.context = Seconds{parts.context};
    step.expert = Seconds{parts.expert};
    step.data = Seconds{parts.data + data};
    step.bubble = Seconds{instant - parts.total()};
    step.pipeline = Seconds{all - instant};
    step.optimizer = optimizer_time();
    step.step = Seconds{all + data} + step.optimizer;
    finish(step, in_flight);
    return step;
  }

  std::vector<ChunkTimes> chunk_times() const
  {
    std::vector<ChunkTimes> times;
    times.reserve(chunks_.size());
    for (const Passes& passes : chunks_)
      times.push_back(passes.times());
    return times;
  }

  double stage_message() const
  {
    return l_.pp == 1 ? 0
                      : point_to_point_time(job_.network, groups_.stages_between_nodes, Bytes{stage_bytes()}).value();
  }

  DividedWork work() const
  {
    DividedWork work;
    const auto schedule = schedule_for(l_);
    if (schedule->order() != StageOrder::round)
      throw std::invalid_argument{"stages in the order of '" + schedule_of(l_) + "' are not simulated on links yet: " +
                                  "take fidelity closed_form, or a schedule with stages in turn"};
    work.tasks = schedule->tasks(l_.pp, l_.vp, l_.micro_batches());
    for (const std::vector<PipelineTask>& list : work.tasks)
      work.parted =
          work.parted || std::ranges::any_of(list, [](const auto& task) { return task.pass == Pass::weights; });
    const SentByLayer sent = sent_by_layer();
    const DividedWork::Chunk layer = chunk_of(layer_work(t_, l_, rates_), messages_, sent);
    work.chunks.reserve(chunk_layers_.size());
    for (const int layers : chunk_layers_)
      work.chunks.push_back(repeated(layer, layers));
    SentByLayer edge;
    edge.tensor_forward = sent.tensor_forward / (l_.sequence_parallel ? 4 : 2);
    append(work.chunks.front(), chunk_of(embedding_work(t_, l_, rates_), edge_messages(), edge));
    append(work.chunks.back(), chunk_of(output_work(t_, l_, rates_), edge_messages(), edge));
    work.handoff = {.group = NetworkPart::Group::stage,
                    .time = Seconds{stage_message()},
                    .flow = Bytes{groups_.stages_between_nodes ? stage_bytes() : 0},
                    .beside = {}};
    if (l_.replicas() > 1)
      for (std::size_t stage = 0; stage < work.chunks.size(); ++stage)
        once_a_step(work.chunks[stage], stage);
    const double shared = t_.tied && l_.pp > 1 ? l_.gradient_bytes * t_.vocabulary * t_.hidden / l_.tp : 0;
    work.tied = {.group = NetworkPart::Group::tied,
                 .time = Seconds{tied_embedding()},
                 .flow = Bytes{groups_.stages_between_nodes ? shared : 0},
                 .beside = {}};
    work.optimizer = optimizer_time();
    return work;
  }

private:
  /// Bytes that each way between machines carries for one layer and micro-batch; 0 where messages stay in a machine.
  struct SentByLayer {
    double tensor_forward = 0, tensor_backward = 0, tensor_beside_weights = 0;
    double expert = 0, context = 0; // of a forward pass
    double gather = 0, reduce = 0;
  };

  double stage_bytes() const { return 2 * tokens_ * t_.hidden / (l_.sequence_parallel ? l_.tp : 1); }

  /// A ring passes each machine's part on over the NICs of the group's ranks there. @p times: 1 reduce-scatter or
  /// all-gather, 2 all-reduce.
  static double ring_bytes(const RankGroup& group, double payload, double times)
  {
    return group.nodes() > 1 ? times * (group.ranks - 1) / group.ranks * payload / group.per_node : 0;
  }

  SentByLayer sent_by_layer() const
  {
    SentByLayer sent;
    const double activation = 2 * tokens_ * t_.hidden;
    if (l_.tp > 1) {
      const double one = ring_bytes(groups_.tensor, activation, l_.sequence_parallel ? 1 : 2);
      sent.tensor_forward = (l_.sequence_parallel ? 4 : 2) * one;
      sent.tensor_backward = l_.sequence_parallel ? 2 * one : 0;
      sent.tensor_beside_weights = (l_.sequence_parallel ? 4 : 2) * one;
      if (l_.overlap_tensor == "none")
        sent.tensor_backward += std::exchange(sent.tensor_beside_weights, 0);
    }
    if (groups_.context.nodes() > 1)
      sent.context = (l_.cp - 1) * 4 * tokens_ * t_.kv_width() / std::min(l_.tp, t_.kv_heads);
    if (const RankGroup& group = groups_.expert; group.nodes() > 1) // to one rank of each other machine
      sent.expert = 2 * 2 * tokens_ * t_.active_experts * t_.hidden / (l_.sequence_parallel ? l_.tp : 1) *
                    group.per_node / group.ranks;
    if (l_.zero >= 2 && l_.replicas() > 1) {
      sent.gather = ring_bytes(groups_.data, layer_weights().value(), 1);
      sent.reduce = sent.gather * (l_.gradient_bytes / 2);
    }
    return sent;
  }

  /// @p all: the time of its messages, those between machines included.
  DividedWork::Chunk chunk_of(const LayerWork& work, const LayerMessages& all, const SentByLayer& sent) const
  {
    using Group = NetworkPart::Group;
    LayerMessages inside = all;
    const auto far = [](double bytes, std::initializer_list<double*> times) {
      for (double* time : times)
        *time = bytes > 0 ? 0 : *time;
    };
    far(sent.tensor_forward + sent.tensor_backward + sent.tensor_beside_weights,
        {&inside.tensor_forward, &inside.tensor_backward, &inside.tensor_beside_weights});
    far(sent.expert, {&inside.expert});
    far(sent.context, {&inside.context});
    far(sent.gather, {&inside.gather, &inside.reduce});
    const Passes whole = passes(work, all), near = passes(work, inside);
    const auto busy = [](const Parts& near_by, const Parts& with_all) {
      return Seconds{near_by.total() - near_by.host + with_all.host};
    };
    DividedWork::Chunk chunk;
    const auto add = [&](DividedPass& pass, Group group, double time, double bytes, double beside) {
      if (bytes > 0 && time > 0)
        pass.network.push_back({.group = group,
                                .time = Seconds{time},
                                .flow = Bytes{bytes},
                                .ways = group == Group::expert ? groups_.expert.nodes() - 1 : 1,
                                .beside = Seconds{beside}});
    };
    const auto forward = [&](DividedPass& pass) {
      add(pass, Group::tensor, all.tensor_forward, sent.tensor_forward,
          l_.overlap_tensor == "all" ? std::min(0.75 * all.tensor_forward, work.forward.seconds) : 0);
      add(pass, Group::context, all.context, sent.context, work.attention);
      add(pass, Group::expert, all.expert, sent.expert, 0);
    };
    chunk.forward.busy = busy(near.forward, whole.forward);
    forward(chunk.forward);
    add(chunk.forward, Group::data, all.gather, sent.gather, l_.overlap_gradients ? near.forward.total() : 0);
    chunk.backward.busy = busy(near.backward, whole.backward);
    if (l_.recomputation == Recomputation::full)
      forward(chunk.backward);
    add(chunk.backward, Group::tensor, all.tensor_backward, sent.tensor_backward,
        l_.overlap_tensor == "all" ? std::min(0.75 * all.tensor_backward, work.backward.seconds) : 0);
    add(chunk.backward, Group::expert, all.expert, sent.expert, 0);
    add(chunk.backward, Group::context, 2 * all.context, 2 * sent.context, work.attention_backward);
    add(chunk.backward, Group::data, all.reduce + (l_.zero == 3 ? all.gather : 0),
        sent.reduce + (l_.zero == 3 ? sent.gather : 0),
        l_.overlap_gradients ? near.backward.total() + near.weights.total() : 0);
    chunk.weights.busy = busy(near.weights, whole.weights);
    add(chunk.weights, Group::tensor, all.tensor_beside_weights, sent.tensor_beside_weights, work.weights.seconds);
    return chunk;
  }

  static DividedWork::Chunk repeated(DividedWork::Chunk chunk, double layers)
  {
    chunk.layers = layers;
    for (DividedPass* pass : {&chunk.forward, &chunk.backward, &chunk.weights}) {
      pass->busy *= layers;
      for (NetworkPart& part : pass->network) {
        part.time *= layers;
        part.flow *= layers;
        part.beside *= layers;
      }
    }
    return chunk;
  }

  static void append(DividedWork::Chunk& to, const DividedWork::Chunk& from)
  {
    const auto join = [](DividedPass& pass, const DividedPass& more) {
      pass.busy += more.busy;
      pass.network.insert(pass.network.end(), more.network.begin(), more.network.end());
    };
    join(to.forward, from.forward);
    join(to.backward, from.backward);
    join(to.weights, from.weights);
  }

  /// Gradients and weights of one chunk: its layers' share of what exposed_data() counts for the whole rank.
  void once_a_step(DividedWork::Chunk& chunk, std::size_t stage) const
  {
    using Group = NetworkPart::Group;
    const auto ranks = static_cast<std::size_t>(l_.pp);
    if (l_.zero >= 2) { // each layer's own travel with its passes, but for the first gather and the last scatter
      if (stage < ranks) {
        const SentByLayer sent = sent_by_layer();
        chunk.gather = {
            .group = Group::data, .time = Seconds{messages_.gather}, .flow = Bytes{sent.gather}, .beside = {}};
        chunk.reduce = {
            .group = Group::data, .time = Seconds{messages_.reduce}, .flow = Bytes{sent.reduce}, .beside = {}};
      }
      return;
    }
    double layers = 0;
    for (std::size_t other = stage % ranks; other < chunk_layers_.size(); other += ranks)
      layers += chunk_layers_[other];
    const double share = layers > 0 ? chunk_layers_[stage] / layers : 1.0 / l_.vp;
    const RankParameters held = rank_parameters(l_, t_, static_cast<int>(stage % ranks));
    const RankGroup experts = expert_replicas(groups_.data);
    const auto part = [&](const auto& time, double bytes, double times) {
      NetworkPart made;
      made.group = Group::data;
      made.time = (time(job_.network, groups_.data, Bytes{bytes * held.dense}) +
                   time(job_.network, experts, Bytes{bytes * held.experts})) *
                  share;
      made.flow = Bytes{
          (ring_bytes(groups_.data, bytes * held.dense, times) + ring_bytes(experts, bytes * held.experts, times)) *
          share};
      return made;
    };
    chunk.reduce =
        l_.zero == 0 ? part(all_reduce_time, l_.gradient_bytes, 2) : part(scatter_time, l_.gradient_bytes, 1);
    if (l_.zero > 0)
      chunk.gather = part(scatter_time, 2, 1);
    chunk.alone = l_.overlap_gradients ? 1 / std::max(1.0, chunk.layers) : 1;
  }

  Seconds optimizer_time() const
  {
    const KernelTime adam = optimizer();
    return Seconds{std::max(adam.seconds, adam.launches * rates_.host_per_operator.value())};
  }

  /// Ranks that hold the same experts.
  RankGroup expert_replicas(RankGroup experts) const
  {
    experts.ranks = std::max(1, experts.ranks / l_.ep);
    experts.per_node = std::max(1, std::min(experts.ranks, experts.per_node / l_.ep));
    return experts;
  }

  /// Of one layer, on one rank.
  Bytes layer_weights() const
  {
    const double dense = t_.layer_parameters() - (t_.experts > 1 ? t_.experts * t_.expert_parameters() : 0);
    const double experts = t_.experts > 1 ? t_.experts * t_.expert_parameters() / l_.ep : 0;
    return Bytes{2 * (dense + experts) / l_.tp};
  }

  /// Messages on the way of the first and last micro-batch, and one of each further pair of passes that a neighbour
  /// waits for (measured on task lists).
  double message_rounds(int m) const { return 2.0 * (l_.pp - 1) + (l_.vp == 1 ? m : 0); }

  double seconds(Seconds time) const { return time.value(); }

  void messages()
  {
    const ParallelNetwork& network = job_.network;
    if (l_.tp > 1) {
      const Bytes activation{2 * tokens_ * t_.hidden};
      if (l_.sequence_parallel) {
        const double one = seconds(scatter_time(network, groups_.tensor, activation));
        messages_.tensor_forward = 4 * one;        // gather and scatter of each block
        messages_.tensor_backward = 2 * one;       // gather of the gradient of each block's output
        messages_.tensor_beside_weights = 4 * one; // its input once more, and the scatter of its gradient
        messages_.launches = 2;
      } else {
        const double one = seconds(all_reduce_time(network, groups_.tensor, activation));
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
      messages_.context = (l_.cp - 1) * seconds(point_to_point_time(network, groups_.context.nodes() > 1, piece));
      messages_.launches += l_.cp - 1;
    }
    if (l_.ep > 1) {
      const Bytes held{2 * tokens_ * t_.hidden / (l_.sequence_parallel ? l_.tp : 1)};
      messages_.expert = 2 * seconds(token_exchange_time(network, groups_.expert, held, t_.active_experts));
      messages_.launches += 2;
    }
    if (l_.zero >= 2 && l_.replicas() > 1) {
      const Bytes weights = layer_weights();
      messages_.gather = seconds(scatter_time(network, groups_.data, weights));
      messages_.reduce = seconds(scatter_time(network, groups_.data, weights * (l_.gradient_bytes / 2)));
      messages_.launches += 3;
    }
  }

  LayerMessages edge_messages() const
  {
    LayerMessages edge; // the embedding's sum, or the gradient of the projection's input
    if (l_.tp > 1) {
      edge.tensor_forward = messages_.tensor_forward / (l_.sequence_parallel ? 4 : 2);
      edge.launches = 1;
    }
    return edge;
  }

  /// What is left of messages that are cut into pieces, each sent while the product of another one is computed: the
  /// first piece of four, and what takes longer than the products.
  double hidden_by(double messages, double products) const
  {
    return l_.overlap_tensor == "all" ? std::max(messages / 4, messages - products) : messages;
  }

  /// What messages beside @p computing seconds cost: what is left of them, and the multiprocessors that they take.
  double beside(double messages, double computing) const
  {
    const double hidden = std::min(messages, computing);
    return messages - hidden + rates_.collective_share * hidden;
  }

  /// The part of a forward pass that the backward pass does again.
  KernelTime again(const LayerWork& work) const
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

  /// One layer: kernels, exposed messages, and the launch lane, the slower of which counts.
  Passes passes(const LayerWork& work, const LayerMessages& messages) const
  {
    Passes p;
    const double launch =
        rates_.host_per_operator.value() * (l_.tp > 1 ? 1 + launch_variation * expected_maximum(l_.tp) : 1);
    const double of_launch = operators_per_kernel * launch;
    const double of_backward = operators_per_backward_kernel * launch;
    Parts forward;
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
    Parts repeat; // of the forward pass, in the backward pass
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
      p.backward.data = messages.reduce + gather;
    else if (l_.prefetch_weights)
      p.backward.data = beside(messages.reduce + gather, computing);
    else
      p.backward.data = gather + beside(messages.reduce, computing);
    p.backward.host = std::max(0.0, launches - p.backward.total() - p.weights.total());
    return p;
  }

  /// Gradients and weights between replicas, once a step; what the last backward and the first forward pass of the
  /// first stage do not hide.
  double exposed_data(const Passes& first_rank) const
  {
    const int held_times = stage_order(l_) == StageOrder::both_ways ? 2 : 1; // gradients of all copies are added up
    if (l_.replicas() * held_times <= 1)
      return tied_embedding();
    const RankParameters held = rank_parameters(l_, t_, 0);
    RankGroup copies = groups_.data;
    copies.ranks *= held_times;
    if (l_.zero >= 2) { // each layer's own, but for the first gather and the last scatter
      return messages_.gather + messages_.reduce;
    }
    const RankGroup experts = expert_replicas(copies);
    const auto both = [&](const auto& time, double bytes) {
      return seconds(time(job_.network, copies, Bytes{bytes * held.dense})) +
             seconds(time(job_.network, experts, Bytes{bytes * held.experts}));
    };
    double gradients = l_.zero == 0 ? both(all_reduce_time, l_.gradient_bytes) : both(scatter_time, l_.gradient_bytes);
    double weights = l_.zero == 0 ? 0 : both(scatter_time, 2);
    if (l_.overlap_gradients) {
      double layers = 0;
      for (const int stage : stages_of_rank(l_, 0))
        layers += chunk_layers_[static_cast<std::size_t>(stage)];
      const double last = 1 / std::max(1.0, layers); // the last layer's gradients are ready when nothing is left
      const auto exposed = [&](double time, double computing) {
        return time * last + beside(time * (1 - last), computing * (1 - last));
      };
      gradients = exposed(gradients, first_rank.backward.total() + first_rank.weights.total());
      weights = exposed(weights, first_rank.forward.total());
    }
    return gradients + weights + tied_embedding();
  }

  /// The embedding that first and last stage both hold: its gradients are added up.
  double tied_embedding() const
  {
    if (!t_.tied || l_.pp == 1 || stage_order(l_) == StageOrder::v) // a V has both ends on one rank
      return 0;
    const RankGroup pair{2, groups_.stages_between_nodes ? 1 : 2};
    return seconds(all_reduce_time(job_.network, pair, Bytes{l_.gradient_bytes * t_.vocabulary * t_.hidden / l_.tp}));
  }

  KernelTime optimizer() const
  {
    double most = 0;
    for (const int stage : {0, l_.pp - 1}) {
      const RankParameters held = rank_parameters(l_, t_, stage);
      const double replicas = l_.zero >= 1 ? l_.replicas() : 1;
      most = std::max(most, held.dense / replicas + held.experts / std::max(1.0, replicas / l_.ep));
    }
    return optimizer_work(most, rates_);
  }

  void finish(ParallelStep& step, const std::vector<int>& in_flight) const
  {
    const bool equal = l_.layers_per_stage.empty() && l_.own_schedule == nullptr;
    for (int stage = 0; stage < l_.pp; ++stage) {
      if (equal && stage > 1 && stage + 1 < l_.pp)
        continue; // the second holds fewer micro-batches than the first and no embedding; later ones fewer still
      const RankMemory memory = rank_memory(l_, t_, stage, in_flight[static_cast<std::size_t>(stage)]);
      if (stage == 0 || memory.total() > step.memory.total())
        step.memory = memory;
    }
    derive_figures(step, job_);
  }

  const ParallelJob& job_;
  const ParallelLayout& l_;
  const Transformer& t_;
  GpuRates rates_;
  ParallelGroups groups_;
  std::vector<int> chunk_layers_;
  LayerMessages messages_;
  Passes layer_;
  std::vector<Passes> chunks_;
  double tokens_ = 0;
};

} // namespace

std::string schedule_of(const ParallelLayout& layout)
{
  if (!layout.schedule.empty())
    return layout.schedule;
  return layout.vp > 1 ? "interleaved" : "1f1b";
}

ParallelStep parallel_step(const ParallelJob& job, PipelineDetail detail)
{
  return StepMaker{job}.make(detail);
}

void derive_figures(ParallelStep& step, const ParallelJob& job)
{
  const ParallelLayout& l = job.layout;
  const int sequence = l.sequence > 0 ? l.sequence : job.transformer.sequence;
  step.samples_per_second = l.global_batch / step.step.value();
  step.tokens_per_second = step.samples_per_second * sequence;
  const double flop = model_flop_per_sequence(job.transformer, sequence) * l.global_batch;
  const double peak = job.gpu.peak.at(l.precision).value() * l.gpus();
  step.ideal_compute = Seconds{flop / peak};
  step.model_flop_utilisation = step.ideal_compute / step.step;
  const std::pair<Seconds, const char*> parts[] = {
      {step.host, "launching kernels"},
      {step.tensor, "tensor-parallel collectives"},
      {step.context, "exchange of keys and values"},
      {step.expert, "all-to-all of experts"},
      {step.data, "gradients and weights between replicas"},
      {step.bubble, "pipeline bubble"},
      {step.pipeline, "messages between stages"},
      {step.optimizer, "optimiser"},
  };
  const auto& largest = *std::ranges::max_element(parts, {}, [](const auto& part) { return part.first; });
  step.bottleneck = largest.first > step.step * 0.05
                        ? fmt::format("{} ({:.0f} % of the step)", largest.second, 100 * (largest.first / step.step))
                        : "compute";
}

DividedWork divided_work(const ParallelJob& job)
{
  return StepMaker{job}.work();
}

PipelineRun pipeline_of(const ParallelJob& job)
{
  const StepMaker maker{job};
  const auto schedule = schedule_for(job.layout);
  return run_pipeline(schedule->tasks(job.layout.pp, job.layout.vp, job.layout.micro_batches()), maker.chunk_times(),
                      maker.stage_message(), true, schedule->order());
}

} // namespace trainyard
