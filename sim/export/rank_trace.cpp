// SPDX-License-Identifier: Apache-2.0
#include "sim/export/rank_trace.hpp"

#include "models/core/diagnostics.hpp"
#include "models/parallel/gpu_work.hpp"
#include "sim/parallel/message_sizes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <numeric>
#include <set>
#include <vector>

namespace trainyard {
namespace {

// The messages that the closed form of a divided transformer counts, one by one, for traces of ranks.

/// A collective of one layer and pass.
struct SentMessage {
  TraceCollective collective = TraceCollective::all_reduce;
  TraceGroup group = TraceGroup::tensor;
  double bytes = 0;
  double time = 0;
  double beside = 0; // seconds of computing that may go on meanwhile
};

using SentMessages = std::vector<SentMessage>;

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

using Kind = TraceNode::Kind;
using Group = TraceGroup;

/// Puts the nodes of one rank one behind the other.
class Chain
{
public:
  std::vector<TraceNode> nodes;
  std::vector<std::uint32_t> last; // all of them must be over before the next begins

  std::uint32_t add(TraceNode node, std::vector<std::uint32_t> after)
  {
    node.after = std::move(after);
    nodes.push_back(std::move(node));
    return static_cast<std::uint32_t>(nodes.size() - 1);
  }
  void compute(const std::string& name, double seconds, double flop, double bytes)
  {
    if (seconds > 0)
      last = {add(computing(name, seconds, flop, bytes), last)};
  }
  /// Messages beside which nothing is computed.
  void messages(const std::string& name, const SentMessages& list)
  {
    for (const SentMessage& one : list)
      message(name, one, 0, 0, 0);
  }
  /// @p beside: seconds of computing that begin with the message; what follows waits for both.
  void message(const std::string& name, const SentMessage& message, double beside, double flop, double bytes)
  {
    std::vector<std::uint32_t> both{add(node_of(name, message), last)};
    if (beside > 0)
      both.push_back(add(computing(name, beside, flop, bytes), last));
    last = std::move(both);
  }
  static TraceNode node_of(const std::string& name, const SentMessage& message)
  {
    TraceNode node{.kind = Kind::collective, .name = name};
    node.time = Seconds{message.time};
    node.bytes = Bytes{message.bytes};
    node.collective = message.collective;
    node.group = message.group;
    return node;
  }

private:
  static TraceNode computing(const std::string& name, double seconds, double flop, double bytes)
  {
    TraceNode node{.name = name};
    node.time = Seconds{seconds};
    node.flop = Flops{flop};
    node.bytes = Bytes{bytes};
    return node;
  }
};

class RankTrace
{
public:
  RankTrace(const ParallelJob& job, int rank)
      : job_{job}, l_{job.layout}, rank_{rank}, order_{stage_order(job.layout)}, messages_{job},
        layer_{messages_.of_layer()}, chunk_layers_{layers_of_chunks(job.layout, job.transformer)},
        held_{rank_parameters(job.layout, job.transformer, rank)}
  {
    for (const int stage : stages_of_rank(l_, rank))
      layers_ += chunk_layers_[static_cast<std::size_t>(stage)];
    for (int other = 0; other < l_.pp; ++other)
      for (const int stage : stages_of_rank(l_, other))
        owner_[stage] = other;
    step_ = parallel_step(job);
    measure_exchange();
    if (gradients_by_layer())
      unsent_ = chunk_times(without_shards());
  }

  std::vector<TraceNode> make()
  {
    const PipelineRun run = pipeline_of(job_);
    const std::vector<PipelineSpan>& spans = run.ranks[static_cast<std::size_t>(rank_)];
    parted_ = std::ranges::any_of(spans, [](const PipelineSpan& span) { return span.task.pass == Pass::weights; });
    std::map<int, std::size_t> final_of_chunk; // its last gradients are ready after this task
    for (std::size_t i = 0; i < spans.size(); ++i)
      if (ends_gradients(spans[i].task.pass))
        final_of_chunk[spans[i].task.chunk] = i;
    const auto is = [](bool forward) {
      return [forward](const PipelineSpan& span) {
        return forward ? span.task.pass == Pass::forward
                       : span.task.pass == Pass::backward || span.task.pass == Pass::whole;
      };
    };
    last_forward_ = static_cast<std::size_t>(spans.rend() - std::find_if(spans.rbegin(), spans.rend(), is(true)) - 1);
    first_backward_ = static_cast<std::size_t>(std::ranges::find_if(spans, is(false)) - spans.begin());
    begin_step();
    for (std::size_t i = 0; i < spans.size(); ++i) {
      const auto found = final_of_chunk.find(spans[i].task.chunk);
      task(spans, i, found != final_of_chunk.end() && found->second == i);
    }
    end_step();
    return std::move(chain_.nodes);
  }

private:
  static bool is_backward(const PipelineSpan& span)
  {
    return span.task.pass == Pass::backward || span.task.pass == Pass::whole;
  }
  bool replicated() const { return l_.replicas() > 1; }
  bool once_a_step() const { return replicated() && !l_.by_layer(); }
  bool weights_by_layer() const { return replicated() && l_.weights_by_layer(); }
  bool gradients_by_layer() const { return replicated() && l_.by_layer(); }

  bool ends_gradients(Pass pass) const
  {
    return pass == Pass::weights || pass == Pass::whole || (pass == Pass::backward && !parted_);
  }

  /// Messages between replicas, and what the multiprocessors that they take cost the computing beside them.
  void measure_exchange()
  {
    if (l_.zero > 0 && !weights_by_layer() && replicated())
      weights_ = messages_.weights(held_);
    if (!once_a_step())
      return;
    gradients_ = messages_.gradients(held_);
    const double share = gpu_rates(job_.gpu, l_, job_.transformer, job_.host_per_operator).collective_share;
    if (!l_.overlap_gradients || rank_ != 0) // the closed form counts the first rank's
      return;
    const std::vector<ChunkTimes> passes = chunk_times(job_);
    double forward = 0, backward = 0;
    for (const int stage : stages_of_rank(l_, rank_)) {
      forward += passes[static_cast<std::size_t>(stage)].forward;
      backward += passes[static_cast<std::size_t>(stage)].backward + passes[static_cast<std::size_t>(stage)].weights;
    }
    const auto slower = [&](const SentMessages& list, double computing) {
      double time = 0;
      for (const SentMessage& message : list)
        time += message.time;
      return share * std::min(time, computing) * (1 - share_of_layer(l_, job_.transformer, rank_, true));
    };
    slower_forward_ = slower(weights_, forward);
    slower_backward_ = slower(gradients_, backward);
  }

  /// The job whose passes neither gather weights nor scatter gradients, with the same kernels.
  ParallelJob without_shards() const
  {
    ParallelJob whole = job_;
    ParallelLayout& layout = whole.layout;
    layout.fused_elementwise = l_.fuses();
    layout.expert_kernels = l_.experts_by();
    layout.tensor_messages = l_.messages_by();
    layout.overlap_tensor = l_.overlap();
    layout.zero = 1;
    return whole;
  }

  /// Times of the passes of every chunk, as the pipeline runs them.
  std::vector<ChunkTimes> chunk_times(const ParallelJob& job) const
  {
    std::vector<ChunkTimes> times(chunk_layers_.size());
    const PipelineRun run = pipeline_of(job);
    for (std::size_t rank = 0; rank < run.ranks.size(); ++rank)
      for (const PipelineSpan& span : run.ranks[rank]) {
        ChunkTimes& of =
            times[static_cast<std::size_t>(stage_at(order_, l_.pp, static_cast<int>(rank), span.task.chunk))];
        const double time = span.end - span.begin;
        if (span.task.pass == Pass::forward)
          of.forward = time;
        else
          (span.task.pass == Pass::weights ? of.weights : of.backward) = time;
      }
    return times;
  }

  void begin_step()
  {
    if (weights_by_layer()) // the first layer's weights; those of the next travel beside the passes
      chain_.messages("weights of the first layer", messages_.weights_of_layer(false));
    if (weights_.empty())
      return;
    std::vector<std::uint32_t> before;
    for (int piece = 0; piece < std::max(1, layers_); ++piece) {
      for (SentMessage message : weights_) {
        const double share = share_of_layer(l_, job_.transformer, rank_, piece == 0);
        message.time *= share;
        message.bytes *= share;
        before = {chain_.add(Chain::node_of(fmt::format("weights of layer {}", piece), message), before)};
      }
      ready_.push_back(before.front());
    }
    if (!l_.overlap_gradients)
      chain_.last = before;
  }

  void task(const std::vector<PipelineSpan>& spans, std::size_t at, bool final)
  {
    const PipelineSpan& span = spans[at];
    const PipelineTask& task = span.task;
    const int stage = stage_at(order_, l_.pp, rank_, task.chunk);
    const int stages = l_.chunks();
    const bool forward = task.pass == Pass::forward;
    const std::string name = fmt::format("{} {} of micro-batch {}",
                                         forward                      ? "forward"
                                         : task.pass == Pass::weights ? "weights"
                                                                      : "backward",
                                         l_.vp > 1 ? fmt::format("chunk {}", task.chunk) : "pass", task.micro_batch);
    const bool weights_only = task.pass == Pass::weights;
    const int from = forward ? stage - 1 : stage + 1, to = forward ? stage + 1 : stage - 1;
    const auto other_rank = [&](int other) {
      return !weights_only && other >= 0 && other < stages && owner_.at(other) != rank_;
    };
    if (other_rank(from))
      chain_.last.push_back(hand_over(Kind::receive, name, owner_.at(from), stage, task));
    double time = span.end - span.begin;
    const bool first_forward = forward && begun_.insert(task.chunk).second;
    time += final ? slower_backward_ * share_of(stage) : first_forward ? slower_forward_ * share_of(stage) : 0;
    pass(spans, at, stage, name, time, first_forward, final);
    if (other_rank(to))
      hand_over(Kind::send, name, owner_.at(to), to, task);
  }

  double share_of(int stage) const
  {
    return layers_ > 0 ? 1.0 * chunk_layers_[static_cast<std::size_t>(stage)] / layers_ : 1.0 / l_.vp;
  }

  std::uint32_t hand_over(Kind kind, const std::string& name, int peer, int receiver, const PipelineTask& task)
  {
    TraceNode node{.kind = kind, .name = name};
    node.bytes = messages_.sizes().share;
    node.peer = peer;
    node.tag = ((task.pass == Pass::forward ? 0 : l_.chunks()) + receiver) * l_.micro_batches() + task.micro_batch;
    if (kind == Kind::send)
      node.time = point_to_point_time(job_.network, messages_.groups().stages_between_nodes, node.bytes,
                                      messages_.groups().stage_stride);
    return chain_.add(std::move(node), chain_.last);
  }

  SentMessages messages_of(Pass pass) const
  {
    SentMessages list;
    if (pass == Pass::forward)
      append(list, layer_.forward);
    if (pass == Pass::backward || pass == Pass::whole) {
      append(list, layer_.again);
      append(list, layer_.backward);
    }
    if (ends_gradients(pass))
      append(list, layer_.weights);
    return list;
  }

  void pass(const std::vector<PipelineSpan>& spans, std::size_t at, int stage, const std::string& name, double time,
            bool first_forward, bool final)
  {
    const bool forward = spans[at].task.pass == Pass::forward;
    const bool first = forward && stage == 0, end = forward && stage + 1 == l_.chunks();
    const SentMessages before = first ? messages_.edge(true) : SentMessages{},
                       after = end                                    ? messages_.edge(false)
                               : stage == 0 && is_backward(spans[at]) ? messages_.embedding_gradient()
                                                                      : SentMessages{};
    double edges = 0;
    for (const SentMessages* edge : {&before, &after})
      for (const SentMessage& message : *edge)
        edges += message.time;
    time -= edges;
    const SentMessages usual = messages_of(spans[at].task.pass);
    const int layers = std::max(1, chunk_layers_[static_cast<std::size_t>(stage)]);
    double computing = 1e9; // of a layer: where weights and gradients are sent in it, what it takes without them
    if (!unsent_.empty()) {
      const ChunkTimes& own = unsent_[static_cast<std::size_t>(stage)];
      const double whole = forward ? own.forward : spans[at].task.pass == Pass::weights ? own.weights : own.backward;
      SentMessages list = usual;
      computing = parts_of((whole - edges) / layers, list).computing();
    }
    chain_.messages(name, before);
    const bool weights_only = spans[at].task.pass == Pass::weights;
    for (int layer = 0; layer < layers; ++layer) {
      if (first_forward && l_.overlap_gradients && !ready_.empty())
        chain_.last.push_back(ready_[std::min(next_ready_++, ready_.size() - 1)]);
      SentMessages list = chunk_layers_[static_cast<std::size_t>(stage)] > 0 ? usual : SentMessages{};
      const bool next = forward ? at != last_forward_ || layer + 1 < layers : l_.zero == 3;
      if (weights_by_layer() && !weights_only && next)
        append(list, messages_.weights_of_layer(l_.overlap_gradients && (forward || l_.prefetch_weights)));
      if (gradients_by_layer() && !forward && !weights_only && (at != first_backward_ || layer > 0))
        append(list, messages_.gradients_of_layer(l_.overlap_gradients));
      layer_of(name, time / layers, list, forward, computing);
      const bool last = stage == stages_of_rank(l_, rank_).front() && layer + 1 == layers;
      if (final && !gradients_.empty() && l_.overlap_gradients)
        send_gradients(share_of_layer(l_, job_.transformer, rank_, last));
    }
    chain_.messages(name, after);
  }

  /// Computing of a layer: beside no message, and beside each.
  struct Parts {
    double alone = 0;
    std::vector<double> beside;
    double computing() const { return alone + std::accumulate(beside.begin(), beside.end(), 0.0); }
  };

  static Parts parts_of(double time, SentMessages& list)
  {
    double travel = 0;
    for (const SentMessage& message : list)
      travel += message.time;
    if (travel > time) { // messages of several kinds run beside each other
      for (SentMessage& message : list)
        message.time *= time / travel;
      travel = time;
    }
    Parts parts{.alone = time - travel};
    for (const SentMessage& message : list) {
      double longer = message.beside < 1e8 ? std::clamp(message.beside - message.time, 0.0, parts.alone) : 0;
      parts.alone -= longer;
      parts.beside.push_back(std::min(message.beside, message.time) + longer);
    }
    return parts;
  }

  /// One layer of @p time seconds: computing before each message, and beside it as much as it hides behind, but no
  /// more than @p most: what a message takes longer is no computing.
  void layer_of(const std::string& name, double time, SentMessages list, bool forward, double most)
  {
    Parts parts = parts_of(time, list);
    double more = parts.computing() - most;
    for (std::size_t i = 0; i < list.size() && more > 0; ++i)
      if (list[i].beside > 1e8)
        more -= std::exchange(parts.beside[i], std::max(0.0, parts.beside[i] - more)) - parts.beside[i];
    if (more > 0) { // what messages of the embedding and the output take longer, or those of a layer before
      owed_ += std::min(parts.alone, more);
      parts.alone = std::max(0.0, parts.alone - more);
    }
    for (SentMessage& message : list)
      if (message.beside > 1e8)
        message.time += std::exchange(owed_, 0);
    const double alone = parts.alone, computing = parts.computing();
    const std::vector<double>& beside = parts.beside;
    const double sequence = l_.sequence > 0 ? l_.sequence : job_.transformer.sequence;
    const double flop = model_flop_per_sequence(job_.transformer, static_cast<int>(sequence)) / 3 * l_.micro_batch /
                        (1.0 * job_.transformer.layers * l_.tp * l_.cp) * (forward ? 1 : 2);
    const double moved =
        2 * job_.transformer.layer_parameters() / l_.tp + layer_activations(l_, job_.transformer).value();
    const auto part = [&](double seconds, double all) { return computing > 0 ? all * seconds / computing : 0; };
    const double slice = alone / static_cast<double>(std::max<std::size_t>(1, list.size()));
    if (list.empty())
      chain_.compute(name, slice, part(slice, flop), part(slice, moved));
    for (std::size_t i = 0; i < list.size(); ++i) {
      chain_.compute(name, slice, part(slice, flop), part(slice, moved));
      chain_.message(name, list[i], beside[i], part(beside[i], flop), part(beside[i], moved));
    }
  }

  void send_gradients(double share)
  {
    for (SentMessage message : gradients_) {
      message.time *= share;
      message.bytes *= share;
      std::vector<std::uint32_t> after = chain_.last;
      after.insert(after.end(), sent_.begin(), sent_.end());
      sent_ = {chain_.add(Chain::node_of("gradients", message), std::move(after))};
    }
  }

  void end_step()
  {
    if (!gradients_.empty() && !l_.overlap_gradients)
      send_gradients(1);
    if (gradients_by_layer()) {
      SentMessages last = messages_.gradients_of_layer(false);
      last.front().time += std::exchange(owed_, 0);
      chain_.messages("gradients of the last layer", last);
    }
    chain_.last.insert(chain_.last.end(), sent_.begin(), sent_.end());
    if (const SentMessage tied = messages_.tied(rank_); tied.bytes > 0)
      chain_.message("gradients of the embedding", tied, 0, 0, 0);
    const double updated = l_.zero > 0 ? state_share(l_, held_) : held_.all();
    chain_.compute("optimiser", step_.optimizer.value(), 0, (l_.offload_optimizer ? 2 : 14) * updated);
  }

  const ParallelJob& job_;
  const ParallelLayout& l_;
  int rank_;
  StageOrder order_;
  MessageList messages_;
  MessagesOfLayer layer_;
  std::vector<int> chunk_layers_;
  RankParameters held_;
  ParallelStep step_;
  std::map<int, int> owner_; // of each stage
  int layers_ = 0;           // of this rank
  bool parted_ = false;      // gradients of weights are a pass of their own
  SentMessages gradients_, weights_;
  double slower_forward_ = 0, slower_backward_ = 0; // once a step
  double owed_ = 0;                                 // seconds of messages that are yet to be put into the next one
  std::vector<ChunkTimes> unsent_; // times of passes without what ZeRO-2 and 3 send in them; empty: they send nothing
  std::size_t last_forward_ = 0, first_backward_ = 0;
  std::set<int> begun_;              // chunks
  std::vector<std::uint32_t> ready_; // weights of each layer
  std::size_t next_ready_ = 0;
  std::vector<std::uint32_t> sent_; // the last gradients
  Chain chain_;
};

struct Neighbours {
  int size = 1, stride = 1;
};

/// Among dp x cp (of experts also tp, see experts_over_tp()) a group has `size` ranks, `stride` apart, in each block of
/// size x stride.
Neighbours among_replicas(const ParallelLayout& l, TraceGroup group)
{
  const int of_tp = l.experts_over_tp() ? l.tp : 1;
  const int shard = l.shard_ranks(), experts = std::max(1, shard * of_tp / l.ep);
  switch (group) {
  case TraceGroup::context:
    return {l.cp, 1};
  case TraceGroup::expert:
    return {l.ep, 1};
  case TraceGroup::data:
    return {shard, 1};
  case TraceGroup::copies:
    return {l.replicas() / shard, shard};
  case TraceGroup::expert_data:
    return {experts, l.ep};
  case TraceGroup::expert_copies:
    return {l.expert_places() / l.ep / experts, std::max(shard * of_tp, l.ep)};
  case TraceGroup::tensor:
  case TraceGroup::ends:
    break;
  }
  return {};
}

} // namespace

std::vector<TraceNode> rank_trace(const ParallelJob& job, int stage)
{
  if (stage_order(job.layout) == StageOrder::both_ways)
    throw InputError{"stages that two ranks hold ('" + job.layout.schedule +
                     "') are not exported yet: take another schedule"};
  return RankTrace{job, stage}.make();
}

std::vector<std::vector<int>> ranks_of_groups(const ParallelLayout& l, TraceGroup group)
{
  std::vector<std::vector<int>> groups;
  const auto add = [&](int count, const std::function<int(int)>& rank) {
    if (count < 2)
      return;
    std::vector<int>& made = groups.emplace_back();
    for (int i = 0; i < count; ++i)
      made.push_back(rank(i));
  };
  const int copies = l.replicas();
  if (group == TraceGroup::ends) {
    for (int copy = 0; copy < copies && l.pp > 1; ++copy)
      for (int tp = 0; tp < l.tp; ++tp)
        add(2, [&](int i) { return global_rank(l, i * (l.pp - 1), copy, tp); });
    return groups;
  }
  const auto [size, stride] = among_replicas(l, group);
  const bool of_experts =
      group == TraceGroup::expert || group == TraceGroup::expert_data || group == TraceGroup::expert_copies;
  for (int pp = 0; pp < l.pp; ++pp) {
    if (of_experts && l.experts_over_tp()) {
      for (int first = 0; first < l.expert_places(); ++first)
        if (first % (size * stride) < stride)
          add(size, [&](int i) { return pp * l.expert_places() + first + i * stride; });
      continue;
    }
    if (group == TraceGroup::tensor)
      for (int copy = 0; copy < copies; ++copy)
        add(l.tp, [&](int i) { return global_rank(l, pp, copy, i); });
    for (int tp = 0; tp < l.tp && group != TraceGroup::tensor; ++tp) {
      for (int first = 0; first < copies; ++first)
        if (first % (size * stride) < stride)
          add(size, [&](int i) { return global_rank(l, pp, first + i * stride, tp); });
    }
  }
  return groups;
}

} // namespace trainyard
