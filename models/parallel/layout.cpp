// SPDX-License-Identifier: Apache-2.0
#include "models/parallel/layout.hpp"

#include "models/core/text.hpp"
#include "models/parallel/task_list.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <tuple>

namespace trainyard {
namespace {

/// Divisors of @p n near @p wanted, in order; "4 or 8".
std::string divisors_around(int n, int wanted)
{
  int below = 0, above = 0;
  for (int d = 1; d <= n; ++d)
    if (n % d == 0) {
      if (d <= wanted)
        below = d;
      else if (above == 0)
        above = d;
    }
  return above == 0 ? std::to_string(below) : fmt::format("{} or {}", below, above);
}

/// "3, 13 x 4, 2 x 3"
std::string runs_text(const std::vector<int>& values)
{
  std::string text;
  for (auto from = values.begin(); from != values.end();) {
    const auto to = std::find_if(from, values.end(), [&](int value) { return value != *from; });
    text += text.empty() ? "" : ", ";
    text += to - from == 1 ? std::to_string(*from) : fmt::format("{} x {}", to - from, *from);
    from = to;
  }
  return text;
}

double factor_between(int a, int b)
{
  return std::abs(std::log2(static_cast<double>(a) / b));
}

/// All that is wrong with a layout: each member looks at one subject.
class FaultFinder
{
public:
  FaultFinder(const ParallelLayout& layout, const Transformer& transformer) : layout_{layout}, transformer_{transformer}
  {
  }

  std::vector<LayoutFault> all(int gpus)
  {
    tensor_parallel();
    stages();
    gpus_of_the_job(gpus);
    batch_and_schedule();
    expert_groups();
    pieces_of_a_sequence();
    number_formats();
    context_exchange();
    expert_kernels();
    layer_by_layer();
    vocabulary();
    sequence_parallel();
    recomputation();
    sharding();
    update_in_backward();
    return std::move(faults_);
  }

private:
  void fault(const char* key, std::string message) { faults_.push_back({key, std::move(message)}); }

  /// Tokens of one sequence.
  int sequence() const { return layout_.sequence > 0 ? layout_.sequence : transformer_.sequence; }

  /// Heads and widths that tp divides.
  void tensor_parallel()
  {
    if (transformer_.heads % layout_.tp != 0)
      fault("tp", fmt::format("tp = {} does not divide the {} heads; try {}", layout_.tp, transformer_.heads,
                              divisors_around(transformer_.heads, layout_.tp)));
    else if (transformer_.kv_heads % layout_.tp != 0 && layout_.tp % transformer_.kv_heads != 0)
      fault("tp", fmt::format("tp = {} and the {} heads of keys and values: one must divide the other", layout_.tp,
                              transformer_.kv_heads));
    else if (transformer_.ffn % layout_.tp != 0)
      fault("tp", fmt::format("tp = {} does not divide the feed-forward width {}", layout_.tp, transformer_.ffn));
  }

  /// Layers that pp x vp stages divide.
  void stages()
  {
    if (layout_.vp > 1 && layout_.pp == 1)
      fault("vp", fmt::format("vp = {} needs several stages (pp)", layout_.vp));
    if (layers_of_chunks(layout_, transformer_).empty() && !layout_.layers_per_stage.empty()) {
      fault(
          "layers_per_stage",
          fmt::format("layers_per_stage has {} numbers that add up to {}; the layout has pp x vp = {} stages, and the "
                      "model {} layers, each stage at least 1, or 0 beside embedding or output{}",
                      layout_.layers_per_stage.size(),
                      std::accumulate(layout_.layers_per_stage.begin(), layout_.layers_per_stage.end(), 0LL),
                      layout_.chunks(), transformer_.layers,
                      layout_.chunks() > transformer_.layers
                          ? std::string{}
                          : fmt::format("; as even as can be: [{}]",
                                        fmt::join(even_stages(layout_.chunks(), transformer_.layers), ", "))));
    } else if (layers_of_chunks(layout_, transformer_).empty())
      uneven_stages();
  }

  /// No stage has its equal share: which pp would do, and which uneven stages.
  void uneven_stages()
  {
    std::vector<int> good;
    for (int chunks = layout_.vp; chunks <= transformer_.layers + 2; chunks += layout_.vp) {
      ParallelLayout other = layout_;
      other.pp = chunks / layout_.vp;
      if (!layers_of_chunks(other, transformer_).empty())
        good.push_back(other.pp);
    }
    std::ranges::sort(good, {}, [&](int pp) { return factor_between(pp, layout_.pp); });
    const std::string stages =
        layout_.vp > 1 ? fmt::format("pp x vp = {}", layout_.chunks()) : fmt::format("pp = {}", layout_.pp);
    const std::string uneven = layout_.chunks() <= transformer_.layers && layout_.chunks() <= 32
                                   ? fmt::format(", or layers_per_stage: [{}]",
                                                 fmt::join(even_stages(layout_.chunks(), transformer_.layers), ", "))
                                   : "";
    fault("pp",
          fmt::format("{} does not divide the {} layers (nor {} with embedding and output as a layer each){}{}", stages,
                      transformer_.layers, transformer_.layers + 2,
                      good.empty() ? std::string{"; choose another vp"} : fmt::format("; try pp = {}", good.front()),
                      uneven));
  }

  /// Dimensions that multiply to the GPUs of the job, where these are given (not 0).
  void gpus_of_the_job(int gpus)
  {
    if (gpus > 0 && layout_.gpus() != gpus)
      fault("dp", fmt::format("tp x pp x cp x dp = {} x {} x {} x {} = {} GPUs, but the job has {}", layout_.tp,
                              layout_.pp, layout_.cp, layout_.dp, layout_.gpus(), gpus));
  }

  /// Micro-batches that the replicas and the schedule ask for.
  void batch_and_schedule()
  {
    if (const long long unit = 1LL * layout_.dp * layout_.micro_batch; layout_.global_batch % unit != 0) {
      const long long below = layout_.global_batch / unit * unit;
      fault("global_batch", fmt::format("global_batch = {} is no multiple of dp x micro_batch = {} x {} = {}; try {}{}",
                                        layout_.global_batch, layout_.dp, layout_.micro_batch, unit,
                                        below > 0 ? fmt::format("{} or ", below) : std::string{}, below + unit));
    } else if (layout_.own_schedule != nullptr) {
      if (layout_.own_schedule->size() != static_cast<std::size_t>(layout_.pp))
        fault("schedule", fmt::format("a list for each of the pp = {} stages is needed; there are {}", layout_.pp,
                                      layout_.own_schedule->size()));
      else if (const std::vector<TaskFault> wrong =
                   task_faults(*layout_.own_schedule, layout_.vp, layout_.micro_batches());
               !wrong.empty())
        fault("schedule", wrong.front().message);
    } else if (const auto* entry = Registry<PipelineSchedule>::instance().find(layout_.schedule);
               entry != nullptr && layout_.schedule != "interleaved") {
      if (const std::string wrong = entry->create({})->fault(layout_.pp, layout_.vp, layout_.micro_batches());
          !wrong.empty())
        fault("schedule", wrong);
    } else if (layout_.vp > 1 && layout_.micro_batches() % layout_.pp != 0)
      fault("global_batch", fmt::format("the interleaved schedule (vp = {}) needs a multiple of pp = {} micro-batches; "
                                        "there are {}: choose another global_batch or micro_batch",
                                        layout_.vp, layout_.pp, layout_.micro_batches()));
  }

  /// Experts and replicas that ep divides.
  void expert_groups()
  {
    if (transformer_.experts % layout_.ep != 0)
      fault("ep", fmt::format("ep = {} does not divide the {} experts; try {}", layout_.ep, transformer_.experts,
                              divisors_around(transformer_.experts, layout_.ep)));
    if (layout_.expert_places() % layout_.ep != 0)
      fault("ep", fmt::format("experts are divided over the {}: ep = {} does not divide {} = {}; try {}",
                              layout_.experts_over_tp() ? "ranks of a stage" : "replicas", layout_.ep,
                              layout_.experts_over_tp() ? "dp x cp x tp" : "dp x cp", layout_.expert_places(),
                              divisors_around(layout_.expert_places(), layout_.ep)));
  }

  /// Tokens that cp divides.
  void pieces_of_a_sequence()
  {
    if (layout_.cp > 1 && sequence() % (2 * layout_.cp) != 0)
      fault("cp",
            fmt::format("2 x cp = {} does not divide the sequence of {} tokens (each rank takes a piece from both "
                        "ends, so that the causal mask costs all the same)",
                        2 * layout_.cp, sequence()));
  }

  /// What is kept or sent in fewer than 16 bit.
  void number_formats()
  {
    if (layout_.low_precision_storage) {
      for (const std::string& part : *layout_.low_precision_storage)
        if (std::ranges::find(stored_parts, part) == stored_parts.end())
          fault("low_precision_storage",
                fmt::format("unknown part '{}'; known are {}", part, fmt::join(stored_parts, ", ")));
      if (!layout_.low_precision())
        fault("low_precision_storage",
              fmt::format("low_precision_storage has no effect with precision {}; it needs fp8, mxfp8 or nvfp4",
                          layout_.precision));
    }
    if (layout_.low_precision_dispatch && (!layout_.low_precision() || layout_.ep == 1))
      fault("low_precision_dispatch",
            "low_precision_dispatch has no effect without ep > 1 and precision fp8, mxfp8 or nvfp4; remove it");
  }

  /// How ranks of cp see each other's keys and values.
  void context_exchange()
  {
    if (layout_.context_exchange && layout_.cp == 1)
      fault("context_exchange", "context_exchange has no effect without cp > 1; remove it");
    if (layout_.exchange() == KeyValueExchange::a2a && layout_.cp > 1) {
      if (layout_.ring_of_pytorch())
        fault("ring_merge", "with context_exchange: a2a there are no pieces to add up; remove ring_merge");
      if (const int heads = std::max(1, transformer_.kv_heads / layout_.tp); heads % layout_.cp != 0)
        fault("cp",
              fmt::format("context_exchange: a2a divides the heads of keys and values: cp = {} does not divide the "
                          "{} of a rank; try cp = {}, or context_exchange: all_gather",
                          layout_.cp, heads, divisors_around(heads, layout_.cp)));
    }
  }

  /// What says how experts are computed.
  void expert_kernels()
  {
    const std::pair<const char*, bool> said[] = {{"expert_kernels", layout_.expert_kernels.has_value()},
                                                 {"expert_imbalance", layout_.expert_imbalance != 1},
                                                 {"expert_tp", layout_.expert_tp > 0}};
    for (const auto& [key, given] : said)
      if (given && transformer_.experts <= 1)
        fault(key, fmt::format("{} has no effect: {} has no experts; remove it", key, transformer_.name));
    if (const double most = 1.0 * transformer_.experts / transformer_.active_experts;
        transformer_.experts > 1 && layout_.expert_imbalance > most)
      fault("expert_imbalance",
            fmt::format(
                "expert_imbalance = {:g}: the busiest of {} experts gets at most every token, {} / {} = {:g} times "
                "the mean",
                layout_.expert_imbalance, transformer_.experts, transformer_.experts, transformer_.active_experts,
                most));
    if (transformer_.experts > 1 && layout_.expert_imbalance != 1 && layout_.ep == 1 &&
        layout_.experts_by() != "padded")
      fault(
          "expert_imbalance",
          "expert_imbalance has no effect without ep > 1 or expert_kernels: padded: one GPU takes all tokens, however "
          "they are spread; remove it");
    if (transformer_.experts > 1 && layout_.experts_over_tp() && layout_.ep > 1 && !layout_.sequence_parallel)
      fault("expert_tp", fmt::format("with expert_tp: 1 the tp = {} ranks of a group would send the same tokens to the "
                                     "experts that ep = {} spreads; write sequence_parallel: true",
                                     layout_.tp, layout_.ep));
    if (layout_.expert_tp > 1 && layout_.expert_tp != layout_.tp)
      fault("expert_tp", fmt::format("expert_tp = {} is neither 1 nor tp = {}; other divisions are not modelled",
                                     layout_.expert_tp, layout_.tp));
  }

  /// What needs weights that travel layer by layer.
  void layer_by_layer()
  {
    if (layout_.root_unit && !layout_.weights_by_layer())
      fault("root_unit", "root_unit has no effect where weights do not travel layer by layer (zero: 3, or zero: 2 with "
                         "pp = 1 and sharding: fsdp); remove it");
    if (layout_.sharding && layout_.zero != 2)
      fault("sharding",
            fmt::format("sharding says whose way of zero: 2 it is, and zero is {}; remove it", layout_.zero));
    if (layout_.gradient_sync && layout_.zero < 2)
      fault("gradient_sync",
            fmt::format("gradient_sync has no effect with zero: {}: gradients travel once a step; remove it, or write "
                        "zero: 2 or 3",
                        layout_.zero));
  }

  /// Embedding and output projection over tp.
  void vocabulary()
  {
    for (const auto& [key, said] : {std::pair{"loss_parallel", !layout_.loss_parallel},
                                    std::pair{"embedding_parallel", !layout_.embedding_parallel}})
      if (said && layout_.tp == 1)
        fault(key, fmt::format("{} has no effect without tp > 1; remove it", key));
    if (transformer_.tied && layout_.tp > 1 && !layout_.embedding_parallel)
      fault("embedding_parallel", fmt::format("the output projection of {} has the weights of the embedding, and is "
                                              "divided over tp: remove embedding_parallel: false",
                                              transformer_.name));
  }

  /// Norms and dropout over tp.
  void sequence_parallel()
  {
    if (layout_.tensor_messages && !layout_.sequence_parallel)
      fault("tensor_messages", "tensor_messages has no effect without sequence_parallel: true; remove it");
    if (layout_.sequence_parallel && layout_.tp == 1)
      fault("sequence_parallel", "sequence_parallel divides over the tensor-parallel group; it needs tp > 1");
    else if (layout_.sequence_parallel && sequence() / layout_.cp % layout_.tp != 0)
      fault("sequence_parallel",
            fmt::format("tp = {} does not divide the {} tokens of a rank", layout_.tp, sequence() / layout_.cp));
  }

  /// What is computed again.
  void recomputation()
  {
    for (const std::string& part : layout_.recomputed)
      if (std::ranges::find(recompute_modules, part) == recompute_modules.end())
        fault("recompute_modules",
              fmt::format("unknown part '{}' of a layer; known are {}", part, fmt::join(recompute_modules, ", ")));
    const std::pair<const char*, bool> missing[] = {
        {"moe", transformer_.experts == 1},
        {"shared_experts", transformer_.shared_ffn == 0},
        {"mla_up_proj", !transformer_.latent()},
        {"mlp", transformer_.experts > 1 && !transformer_.has_dense_layers()}};
    for (const auto& [part, none] : missing)
      if (none && layout_.computes_again(part))
        fault("recompute_modules",
              fmt::format("'{}' has no effect: {} has no such part; leave it out", part, transformer_.name));
    if (!layout_.recomputed.empty() && layout_.recomputation != Recomputation::none &&
        layout_.recomputation != Recomputation::selective)
      fault("recompute_modules", fmt::format("recomputation: {} computes more again already; use none or selective",
                                             to_text(layout_.recomputation)));
  }

  /// What replicas divide among them.
  void sharding()
  {
    if (layout_.shard_within > 0 && layout_.zero == 0)
      fault("shard_within", "shard_within says among how many replicas zero divides; it needs zero: 1, 2 or 3");
    else if (layout_.shard_within > 0 && layout_.replicas() % layout_.shard_within != 0)
      fault("shard_within", fmt::format("shard_within = {} does not divide dp x cp = {}; try {}", layout_.shard_within,
                                        layout_.replicas(), divisors_around(layout_.replicas(), layout_.shard_within)));
    else if (const int shard = layout_.shard_within * (layout_.experts_over_tp() ? layout_.tp : 1);
             layout_.shard_within > 0 && shard % layout_.ep != 0 && layout_.ep % shard != 0)
      fault("shard_within",
            fmt::format("shard_within{} = {} and ep = {}: one must divide the other, so that the ranks that "
                        "hold the same experts can divide them",
                        layout_.experts_over_tp() ? " x tp" : "", shard, layout_.ep));
  }

  /// Gradients that are freed while they are still added up.
  void update_in_backward()
  {
    if (const ParallelLayout& l = layout_; l.kept.update_in_backward && l.global_batch > 1LL * l.dp * l.micro_batch)
      fault("global_batch", "optimizer_in_backward uses and frees gradients in each backward pass, and several "
                            "micro-batches add them up: write global_batch = dp x micro_batch, or leave it out");
  }

  const ParallelLayout& layout_;
  const Transformer& transformer_;
  std::vector<LayoutFault> faults_;
};

} // namespace

std::string to_text(Recomputation recomputation)
{
  switch (recomputation) {
  case Recomputation::none:
    return "none";
  case Recomputation::selective:
    return "selective";
  case Recomputation::every_second:
    return "every_second";
  case Recomputation::full:
    break;
  }
  return "full";
}

TensorPasses tensor_passes(const ParallelLayout& l, const Transformer& t)
{
  const bool apart = t.experts > 1 && l.expert_ranks() < l.tp;
  const int blocks = apart ? 1 : 2;
  if (l.messages_by() == "megatron")
    return {.feed_forward = apart ? 0 : 1, .blocks = blocks};
  const bool each = l.messages_by() == "dtensor_each";
  return {.attention = each ? 3 : 1,
          .feed_forward = apart             ? 0
                          : each && t.gated ? 2
                                            : 1,
          .blocks = blocks,
          .gathers_again = false,
          .copies = true};
}

std::string to_text(const ParallelLayout& l)
{
  std::string text = fmt::format("TP{} PP{}", l.tp, l.pp);
  if (l.vp > 1)
    text += fmt::format(" VP{}", l.vp);
  text += fmt::format(" DP{}", l.dp);
  if (l.cp > 1)
    text += fmt::format(" CP{}", l.cp);
  if (l.ep > 1)
    text += fmt::format(" EP{}", l.ep);
  if (l.sequence_parallel)
    text += " SP";
  if (l.zero > 0)
    text += fmt::format(" ZeRO-{}{}", l.zero, l.has_owners() ? " of whole tensors" : "");
  if (l.shard_within > 0 && l.shard_within < l.replicas())
    text += fmt::format(" within {}", l.shard_within);
  if (l.offload_optimizer)
    text += " offload";
  text += fmt::format(", micro-batch {}", l.micro_batch);
  if (l.recomputation != Recomputation::none)
    text += fmt::format(", {} recomputation", to_text(l.recomputation));
  if (!l.recomputed.empty())
    text += fmt::format(", {} again", fmt::join(l.recomputed, ", "));
  if (l.mtp_layers > 0)
    text += fmt::format(", {} for later tokens", counted(l.mtp_layers, "layer"));
  if (l.own_schedule != nullptr || !l.schedule.empty())
    text += fmt::format(", {}", l.own_schedule != nullptr ? "schedule of its own" : l.schedule);
  if (!l.layers_per_stage.empty())
    text += ", stages of " + runs_text(l.layers_per_stage);
  return text;
}

int dense_layers_of(const std::vector<int>& layers, const Transformer& t, std::size_t stage)
{
  const int before = std::accumulate(layers.begin(), layers.begin() + static_cast<std::ptrdiff_t>(stage), 0);
  return t.dense_among(before, layers[stage]);
}

std::vector<int> even_stages(int stages, int layers)
{
  if (stages < 1 || stages > layers)
    return {};
  std::vector<int> counts(static_cast<std::size_t>(stages), layers / stages);
  const int more = layers % stages;
  const auto first = counts.begin() + (stages - more) / 2;
  std::for_each(first, first + more, [](int& count) { ++count; });
  return counts;
}

StageOrder stage_order(const ParallelLayout& layout)
{
  if (layout.schedule.empty() || layout.own_schedule != nullptr)
    return StageOrder::round;
  const auto* entry = Registry<PipelineSchedule>::instance().find(layout.schedule);
  return entry == nullptr ? StageOrder::round : entry->create({})->order();
}

std::vector<int> stages_of_rank(const ParallelLayout& layout, int rank)
{
  const StageOrder order = stage_order(layout);
  std::vector<int> stages(static_cast<std::size_t>(chunks_of_rank(order, layout.vp)));
  for (std::size_t chunk = 0; chunk < stages.size(); ++chunk)
    stages[chunk] = stage_at(order, layout.pp, rank, static_cast<int>(chunk));
  return stages;
}

std::vector<int> layers_of_chunks(const ParallelLayout& layout, const Transformer& transformer)
{
  const int chunks = layout.chunks();
  if (!layout.layers_per_stage.empty()) {
    const std::vector<int>& given = layout.layers_per_stage;
    bool right = given.size() == static_cast<std::size_t>(chunks) &&
                 std::accumulate(given.begin(), given.end(), 0LL) == transformer.layers;
    for (std::size_t stage = 0; stage < given.size(); ++stage) {
      const bool end = chunks > 1 && (stage == 0 || stage + 1 == given.size());
      right = right && given[stage] >= (end ? 0 : 1);
    }
    return right ? given : std::vector<int>{};
  }
  if (chunks < 1)
    return {};
  std::vector<int> layers(static_cast<std::size_t>(chunks), transformer.layers / chunks);
  if (transformer.layers % chunks == 0)
    return layers;
  if ((transformer.layers + 2) % chunks != 0 || chunks < 2)
    return {};
  std::ranges::fill(layers, (transformer.layers + 2) / chunks);
  --layers.front();
  --layers.back();
  return layers;
}

ParallelLayout with_replicas(ParallelLayout layout, int dp)
{
  if (!layout.keep_batch)
    layout.global_batch = layout.global_batch / layout.dp * dp;
  layout.dp = dp;
  if (layout.keep_batch && layout.decrease_batch) {
    const bool rounds = layout.vp > 1 && (layout.schedule.empty() || layout.schedule == "interleaved");
    const long long unit = 1LL * dp * layout.micro_batch * (rounds ? layout.pp : 1);
    if (layout.global_batch >= unit)
      layout.global_batch -= static_cast<int>(layout.global_batch % unit);
  }
  return layout;
}

std::vector<int> elastic_sizes(const ParallelLayout& layout, const Transformer& transformer, int least, int most)
{
  const int replica = layout.tp * layout.pp * layout.cp;
  std::vector<int> sizes;
  for (int dp = std::max(1, (least + replica - 1) / replica); dp * replica <= most; ++dp)
    if (layout_faults(with_replicas(layout, dp), transformer, 0).empty())
      sizes.push_back(dp * replica);
  return sizes;
}

std::vector<LayoutFault> layout_faults(const ParallelLayout& layout, const Transformer& transformer, int gpus)
{
  return FaultFinder{layout, transformer}.all(gpus);
}

namespace {

/// Settings that have no effect in this layout are as if nobody had said them.
void forget_idle(ParallelLayout& l)
{
  if (l.tp == 1) {
    l.sequence_parallel = false;
    l.loss_parallel = l.embedding_parallel = true;
  }
  if (l.expert_tp > 1) // all of tp
    l.expert_tp = 0;
  if (!l.sequence_parallel)
    l.tensor_messages.reset();
  if (l.cp == 1)
    l.context_exchange.reset();
  if (l.ep == 1) {
    l.low_precision_dispatch = false;
    if (l.experts_by() != "padded")
      l.expert_imbalance = 1;
  }
  if (!l.weights_by_layer())
    l.root_unit.reset();
}

} // namespace

std::vector<ParallelLayout> nearest_layouts(const ParallelLayout& wanted, const Transformer& transformer, int gpus,
                                            std::size_t most)
{
  std::vector<std::pair<double, ParallelLayout>> found;
  const auto around = [](int value) {
    std::vector<int> values{value};
    for (int v = 1; v <= 64; v *= 2)
      if (v != value)
        values.push_back(v);
    for (const int v : {3, 5, 6, 7, 10, 12, 14, 20})
      if (v != value)
        values.push_back(v);
    return values;
  };
  const int total = gpus > 0 ? gpus : wanted.gpus();
  for (const int tp : around(wanted.tp)) {
    if (transformer.heads % tp != 0 || total % tp != 0)
      continue;
    for (const int pp : around(wanted.pp)) {
      if (total % (tp * pp) != 0)
        continue;
      for (const int vp : pp == 1 ? std::vector<int>{1} : around(wanted.vp))
        for (const int cp : wanted.cp == 1 ? std::vector<int>{1} : around(wanted.cp))
          for (const int ep : wanted.ep == 1 ? std::vector<int>{1} : around(wanted.ep))
            for (const int micro : around(wanted.micro_batch)) {
              if (total % (tp * pp * cp) != 0)
                continue;
              ParallelLayout layout = wanted;
              layout.own_schedule = nullptr;
              layout.layers_per_stage.clear();
              layout.tp = tp;
              layout.pp = pp;
              layout.vp = vp;
              layout.cp = cp;
              layout.ep = ep;
              layout.micro_batch = micro;
              layout.dp = total / (tp * pp * cp);
              forget_idle(layout);
              if (layout.global_batch < layout.dp * micro)
                continue;
              const double distance = factor_between(tp, wanted.tp) + factor_between(pp, wanted.pp) +
                                      factor_between(vp, wanted.vp) + factor_between(cp, wanted.cp) +
                                      factor_between(ep, wanted.ep) + factor_between(micro, wanted.micro_batch);
              if (layout_faults(layout, transformer, gpus).empty())
                found.emplace_back(distance, layout);
            }
    }
  }
  std::ranges::stable_sort(found, {}, [](const auto& one) { return one.first; });
  std::vector<ParallelLayout> nearest;
  for (std::size_t i = 0; i < std::min(most, found.size()); ++i)
    nearest.push_back(found[i].second);
  return nearest;
}

} // namespace trainyard
