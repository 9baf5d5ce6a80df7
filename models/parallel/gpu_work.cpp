// SPDX-License-Identifier: Apache-2.0
#include "models/parallel/gpu_work.hpp"

#include "models/cost/attention_rates.hpp"
#include "models/cost/layer_traffic.hpp"
#include "models/cost/nccl_choice.hpp"
#include "models/hardware/measured_rates.hpp"
#include "models/parallel/elementwise_work.hpp"
#include "models/parallel/expert_work.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <vector>

namespace trainyard {
namespace {

constexpr double half = 2; // bytes of an activation

constexpr double seconds_to_fill_a_tile = 0.8e-6;

/// @p written: bytes for each number of the result, which a tile writes at its end.
double product_time(const MatrixSize& size, const MatrixEngine& engine, double written)
{
  if (engine.multiprocessors <= 0)
    return matrix_time(size, engine);
  constexpr double tile = 128 * 128;
  const double of_one = engine.flop_per_s / engine.multiprocessors;
  const double idle = seconds_to_fill_a_tile + written * tile * engine.multiprocessors / engine.memory_bytes_per_s;
  return matrix_time({size.rows, size.columns, size.depth + idle * of_one / (2 * tile), size.products}, engine);
}

double quantised_bytes(const ParallelLayout& layout)
{
  if (layout.precision == "fp8")
    return layout.scaling == "current" ? 6 : 4;
  return layout.precision == "mxfp8" ? 4.7 : layout.precision == "nvfp4" ? 6.9 : 0;
}

/// Megatron-LM's fused softmax takes sequences of up to 4,096 whose micro-batch x heads is a multiple of four
/// (megatron/core/fusions/fused_softmax.py, is_kernel_available); else it is five operators: to fp32, scale, mask,
/// softmax, back.
bool fused_softmax(double batch, double heads, double sequence)
{
  return sequence > 16 && sequence <= 4096 && std::fmod(batch * heads, 4) == 0;
}

/// Adds up the kernels of one layer.
class Kernels
{
public:
  Kernels(const ParallelLayout& layout, const GpuRates& rates, const Transformer& transformer)
      : layout_{layout}, rates_{rates}
  {
    const int sequence = layout.sequence > 0 ? layout.sequence : transformer.sequence;
    sequence_ = sequence;
    tokens_ = 1.0 * sequence / layout.cp * layout.micro_batch;
  }

  double tokens() const { return tokens_; }
  double sequence() const { return sequence_; }
  /// Tokens that a rank normalises: its share of the group with sequence parallelism.
  double norm_tokens() const { return layout_.sequence_parallel ? tokens_ / layout_.tp : tokens_; }

  KernelTime bytes(double count, double launches = 1) const
  {
    return {count / rates_.memory + launches * rates_.gap, launches};
  }

  /// Element-wise kernels over @p numbers, started @p times.
  KernelTime pass(const ElementwisePass& over, double numbers, double times = 1) const
  {
    return bytes(over.bytes * numbers, over.kernels * times);
  }

  /// A linear layer of @p products experts: forward, gradient of its input, gradient of its weights, which adds to
  /// gradients that stay in memory. @return its forward pass.
  KernelTime linear(LayerWork& work, double rows, double inputs, double outputs, double products = 1,
                    bool apart = false) const
  {
    if (apart) { // one call after the other
      LayerWork one;
      const KernelTime forward = linear(one, rows, inputs, outputs).times(products);
      work.forward += forward;
      work.backward += one.backward.times(products);
      work.weights += one.weights.times(products);
      return forward;
    }
    MatrixEngine engine = rates_.linear;
    if (products > 1)
      engine.flop_per_s *= rates_.grouped;
    const double weights = inputs * outputs * products;
    const auto product = [&](double m, double n, double k, double moved, double written) {
      return KernelTime{
          std::max(product_time({m, n, k, products}, engine, written), moved / engine.memory_bytes_per_s) + rates_.gap,
          1};
    };
    const double moved = half * (rows * products * (inputs + outputs) + weights);
    const double added = !layout_.by_layer() && layout_.gradient_bytes == 4 ? 8 : half; // read and written in fp32
    KernelTime forward = product(rows, outputs, inputs, moved, half);
    work.backward += product(rows, inputs, outputs, moved, half);
    if (const LowRank& lora = layout_.kept.lora; lora.rank == 0) {
      work.weights += product(inputs, outputs, rows, moved + (added - half) * weights, added);
    } else { // the weight is frozen; the small matrices beside it are not
      const double narrow = half * (rows * products * (inputs + outputs + 2 * lora.rank));
      const auto both = [&] {
        KernelTime time = product(rows, lora.rank, inputs, narrow / 2, half);
        time += product(rows, outputs, lora.rank, narrow / 2, half);
        return time;
      };
      if (!lora.attention)
        for (KernelTime* pass : {&forward, &work.backward, &work.weights})
          *pass += both();
      if (lora.bits < 16) // made 16-bit for each product
        for (KernelTime* pass : {&forward, &work.backward})
          *pass += bytes((half + lora.weight_bytes()) * weights);
    }
    if (rates_.quantised_bytes > 0) { // inputs and gradients of outputs; weights once a step
      forward += bytes(rates_.quantised_bytes * rows * products * inputs);
      work.backward += bytes(rates_.quantised_bytes * rows * products * outputs);
    }
    work.forward += forward;
    return forward;
  }

  /// Scores, softmax, weighted sum.
  void attention(LayerWork& work, const Transformer& t) const
  {
    const double heads = 1.0 * t.heads / layout_.tp;
    const double width = t.width_of_head();
    const double batch = layout_.micro_batch;
    const double rows = sequence_ / layout_.cp;
    KernelTime core;
    if (layout_.fused_attention()) {
      const double both = width + t.output_width() / t.heads; // of queries and keys, of values
      const double flop = 2 * rows * sequence_ * heads * both * batch / (t.encoder ? 1 : 2);
      const double random =
          layout_.drops(t) ? rates_.dropout * rows * sequence_ * heads * batch / (t.encoder ? 1 : 2) : 0;
      work.attention = flop / rates_.attention_forward + random;
      work.attention_backward = attention_backward_products * flop / rates_.attention_backward + random;
      // Gathered keys: a call for each of the two pieces of the sequence that a rank has. merge_pieces() counts what
      // PyTorch starts for each piece of a ring.
      const bool gathered =
          layout_.cp > 1 && !layout_.by_pieces() && layout_.exchange() == KeyValueExchange::all_gather;
      const double calls = gathered ? 2 : 1;
      core = {work.attention, calls};
      work.backward += {work.attention_backward, 2 * calls};
      if (layout_.by_pieces())
        merge_pieces(work, core, t);
      if (t.biases && !layout_.transformer_engine())
        work.backward += join_gradients(t);
    } else {
      const double scores = batch * heads * rows * sequence_;
      const MatrixSize up{rows, sequence_, width, batch * heads};
      const MatrixSize down{rows, width, sequence_, batch * heads};
      const auto product = [&](const MatrixSize& size, double moved) { // thin: memory-bound, writing included
        return KernelTime{std::max(product_time(size, rates_.matrix, 0), moved / rates_.memory) + rates_.gap, 1};
      };
      const double thin = half * batch * heads * (rows + sequence_) * width;
      const bool fused = fused_softmax(batch, heads, sequence_);
      core += product(up, thin + half * scores);
      core += fused ? bytes(2 * half * scores) : bytes(37 * scores, 5); // 2+4, 4+4, 4+1+4 (mask), 4+4, 4+2 B
      if (layout_.drops(t))
        core += bytes((2 * half + 1) * scores); // dropout with its mask
      core += product(down, thin + half * scores);
      core += bytes(2 * half * batch * heads * rows * width); // into the order of tokens
      for (int i = 0; i < 2; ++i) {
        work.backward += product(up, thin + half * scores);
        work.backward += product(down, thin + half * scores);
      }
      work.backward += fused ? bytes(3 * half * scores) : bytes(37 * scores, 5);
      if (layout_.drops(t))
        work.backward += bytes((2 * half + 1) * scores);
      work.backward += join_gradients(t);
      work.backward += bytes(2 * half * batch * rows * heads * width); // that of the output gets the order of heads
    }
    core.launches += 2; // views and copies into the order of heads
    work.core = core;
    work.forward += core;
  }

private:
  /// Gradients of queries, keys and values become one matrix.
  KernelTime join_gradients(const Transformer& t) const
  {
    return bytes(2 * half * tokens_ * (t.query_width() + 2 * t.kv_width()) / layout_.tp);
  }

  /// Attention over cp pieces of keys and values, one after the other. Each further one adds to the output, and in the
  /// backward pass to the gradients of queries, keys and values: 4 B read, 2 B added, 4 B written.
  ///
  /// PyTorch does it operator by operator, with keys and values repeated for all heads
  /// (torch/distributed/tensor/experimental/_attention.py). Forward: to fp32 (6 B), difference (12 B), times a weight
  /// (8 B), sum (12 B), the next keys and values put together (8 B). Backward: sum of the queries' gradients (10 B);
  /// of both others half is added (10 B) and put together with the other half (16 B); both are put together for the
  /// next rank (16 B), and so are keys and values (8 B). This is the last rank, which others wait for: it takes half of
  /// the keys each time, and the first ranks half of the queries.
  ///
  /// torch.compile makes one kernel of what follows each other and drops what nobody reads. Forward: the sum (10 B),
  /// and once keys and values put together (8 B). Backward: the queries' gradients (10 B), both others added and put
  /// together (4 B read, 2 B for half of them, 4 B written), and keys and values once more.
  void merge_pieces(LayerWork& work, KernelTime& core, const Transformer& t) const
  {
    const double pieces = layout_.cp - 1;
    const double outputs = tokens_ * t.output_width() / layout_.tp;
    if (layout_.ring_merge == "eager") {
      core += bytes(46 * outputs * pieces, 12 * pieces);
      work.backward += bytes(60 * outputs * pieces, 14 * pieces);
      return;
    }
    if (layout_.ring_merge == "compiled") {
      core += bytes((10 * pieces + 8) * outputs, pieces + 1);
      work.backward += bytes((28 * pieces + 8) * outputs, 2 * pieces + 1);
      return;
    }
    const double others = tokens_ * (t.key_width() + t.values_width()) / layout_.tp;
    core += bytes(10 * outputs * pieces, pieces);
    work.backward += bytes(10 * (tokens_ * t.query_width() / layout_.tp + others) * pieces, 3 * pieces);
  }

  const ParallelLayout& layout_;
  const GpuRates& rates_;
  double tokens_ = 0;
  double sequence_ = 0;
};

/// The norm: LayerNorm, where there are biases, is one kernel in PyTorch too.
ElementwiseWork rms_norm_of(const Transformer& t, const ParallelLayout& layout)
{
  const FusedKinds fused = layout.fuses();
  if (fused.norm || !t.rms_norm())
    return rms_norm_work(true);
  return fused.norm_of_fp32 ? rms_norm_of_fp32_work() : rms_norm_work(false);
}

} // namespace

GpuRates gpu_rates(const Gpu& gpu, const ParallelLayout& layout, const Transformer& transformer,
                   Seconds host_per_operator)
{
  const MeasuredRates& measured = gpu.measured ? *gpu.measured : measured_rates(gpu.name);
  const auto ceiling = [&](const std::string& precision) {
    const auto peak = gpu.peak.find(precision);
    if (peak == gpu.peak.end())
      throw std::invalid_argument{fmt::format("the {} does not compute in {}", gpu.name, precision)};
    const auto reached = measured.products.find(precision);
    return (reached != measured.products.end() ? reached->second : peak->second * gpu.efficiency(precision)).value();
  };
  GpuRates rates;
  rates.memory = (gpu.memory_bandwidth * gpu.memory_efficiency).value();
  rates.matrix = {ceiling(layout.precision == "fp16" ? "fp16" : "bf16"), rates.memory, gpu.multiprocessors};
  rates.linear = rates.matrix;
  if (layout.low_precision())
    rates.linear.flop_per_s = ceiling(layout.precision);
  const double tokens = 1.0 * (layout.sequence > 0 ? layout.sequence : transformer.sequence) /
                        (layout.by_pieces() ? layout.cp : 1); // how many keys a call passes over
  const AttentionRates attention =
      fused_attention_rates(gpu, layout.attention, tokens, transformer.width_of_head(), rates.matrix.flop_per_s);
  rates.attention_forward = attention.forward;
  rates.attention_backward = attention.backward;
  rates.dropout = attention.dropout;
  // GPUs stay as fast as they are, and each waits for the others at every collective: the slowest of all sets the pace.
  // It is slow where its power limits its clock, in products and attention, not where the memory is the limit.
  const double slowest = layout.spread == "gpus" ? 1 + spread_of_equal_gpus * expected_maximum(layout.gpus()) : 1;
  for (double* rate : {&rates.attention_forward, &rates.attention_backward})
    *rate /= slowest;
  for (MatrixEngine* engine : {&rates.matrix, &rates.linear})
    engine->flop_per_s *= layout.product_efficiency / slowest;
  rates.gap = (host_per_operator > Seconds{} ? measured.kernel_gap : measured.graph_gap).value();
  rates.grouped = measured.grouped;
  if (gpu.multiprocessors > 0)
    rates.collective_share = 1.0 * measured.collective_channels / gpu.multiprocessors;
  rates.quantised_bytes = quantised_bytes(layout);
  rates.host_per_operator = host_per_operator;
  return rates;
}

LayerWork layer_work(const Transformer& t, const ParallelLayout& layout, const GpuRates& rates)
{
  const Kernels kernels{layout, rates, t};
  LayerWork work;
  const double tokens = kernels.tokens();
  const double h = t.hidden;
  const double plain = half * kernels.norm_tokens() * h; // bytes of one activation between the blocks
  // LayerNorm backward reads its input and a gradient and writes one; outside Transformer Engine a kernel more reads
  // both for the gradients of weight and bias. Then the gradient of the identity path is added: two read, one written.
  const FusedKinds fused = layout.fuses();
  const bool drops = layout.drops(t);
  const ElementwiseWork rms_norm = rms_norm_of(t, layout);
  const auto norm = [&] {
    work.forward += kernels.pass(rms_norm.forward, plain / half);
    if (t.biases) {
      work.backward += kernels.bytes(3 * plain);
      if (!layout.transformer_engine()) // of the same operator
        work.backward.seconds += kernels.bytes(2 * plain).seconds;
    } else
      work.backward += kernels.pass(rms_norm.backward, plain / half);
  };
  const auto add = [&] { // sum with the identity path, with dropout (and a mask of 1 B) where the model has it
    if (drops && !fused.dropout)
      work.forward += kernels.bytes(5.5 * plain, 2);
    else
      work.forward += kernels.bytes((drops ? 3.5 : 3) * plain);
    const bool apart = t.biases || fused != FusedKinds{true}; // by autograd; else the kernel of the norm adds, too
    work.backward += kernels.bytes((drops ? 2.5 : 0) * plain + (apart ? 3 : 1) * plain);
  };
  const auto part = [&](bool again, const auto& compute) {
    const KernelTime before = work.forward;
    compute();
    if (again)
      work.modules += work.forward - before;
  };
  part(layout.computes_again("layernorm"), norm);
  if (t.latent()) { // the small products are whole on every rank
    const KernelTime before = work.forward;
    if (t.query_rank > 0)
      kernels.linear(work, tokens, h, t.query_rank);
    kernels.linear(work, tokens, h, 1.0 * t.kv_rank + t.rope_width);
    part(layout.computes_again("mla_up_proj"), [&] {
      kernels.linear(work, tokens, t.query_rank > 0 ? t.query_rank : h, t.query_width() / layout.tp);
      kernels.linear(work, tokens, t.kv_rank,
                     (t.query_width() - 1.0 * t.rope_width * t.heads + t.values_width()) / layout.tp);
    });
    work.kept += work.forward - before;
  } else {
    const double qkv = (t.query_width() + 2 * t.kv_width()) / layout.tp;
    const KernelTime queries = kernels.linear(work, tokens, h, qkv);
    // Of queries, keys, values, output, gate, up, down the second, fourth and sixth are computed again.
    work.kept += queries.times(1 - t.kv_width() / layout.tp / qkv);
  }
  if (t.head_norms) { // of queries and keys, each an RMSNorm over every head
    const double normalised = tokens * (t.query_width() + t.kv_width()) / layout.tp;
    work.forward += kernels.pass(rms_norm.forward, normalised, 2);
    work.backward += kernels.pass(rms_norm.backward, normalised, 2);
  }
  if (!t.learnt_positions) // rotary embedding of queries and keys
    part(t.latent() && layout.computes_again("mla_up_proj"), [&] {
      const double rotated = tokens * (t.query_width() + t.kv_width()) / layout.tp;
      const ElementwiseWork rotary = rotary_work(fused.rotary || !t.gated);
      work.forward += kernels.pass(rotary.forward, rotated);
      work.backward += kernels.pass(rotary.backward, rotated);
    });
  kernels.attention(work, t);
  work.kept += work.core;
  kernels.linear(work, tokens, t.output_width() / layout.tp, h);
  add();
  part(layout.computes_again("layernorm"), norm);
  const double ffn = 1.0 * t.ffn / (t.experts > 1 ? layout.expert_ranks() : layout.tp);
  const ElementwiseWork activation =
      t.gated ? swiglu_work(fused.activation) : ElementwiseWork{.forward = {4, 1}, .backward = {6, 1}};
  KernelTime before_down;
  const bool whole = layout.computes_again(t.experts > 1 ? "moe" : "mlp");
  work.layer = true;
  work.feed_forward_again = whole;
  part(whole, [&] {
    ExpertOperators experts{.rows = tokens};
    double local_experts = 1;
    if (t.experts > 1) {
      local_experts = 1.0 * t.experts / layout.ep;
      experts = expert_operators(t, layout, layout.expert_ranks() < layout.tp ? kernels.norm_tokens() : tokens,
                                 local_experts);
      kernels.linear(work, kernels.norm_tokens(), h, t.experts);
      work.forward += kernels.bytes(experts.forward.bytes, experts.forward.kernels);
      work.backward += kernels.bytes(experts.backward.bytes, experts.backward.kernels);
      work.waiting = experts.waits;
    }
    const double routed = experts.rows * local_experts;
    if (t.shared_ffn > 0)
      part(!whole && layout.computes_again("shared_experts"), [&] {
        const double shared = 1.0 * t.shared_ffn / layout.tp;
        kernels.linear(work, tokens, h, (t.gated ? 2 : 1) * shared);
        work.forward += kernels.pass(activation.forward, tokens * shared);
        work.backward += kernels.pass(activation.backward, tokens * shared);
        kernels.linear(work, tokens, shared, h);
      });
    const KernelTime up = kernels.linear(work, experts.rows, h, (t.gated ? 2 : 1) * ffn, local_experts, experts.apart);
    part(!whole && layout.computes_again("activation"), [&] {
      work.forward += kernels.pass(activation.forward, routed * ffn, experts.activation);
      work.backward += kernels.pass(activation.backward, routed * ffn, experts.activation);
    });
    before_down = work.forward;
    const KernelTime down = kernels.linear(work, experts.rows, ffn, h, local_experts, experts.apart);
    work.kept += up.times(t.gated ? 0.5 : 1);
    work.kept += down;
  });
  add();
  // Gradients of the biases of the four products, started by the same node of autograd's engine as these.
  if (t.biases && t.experts == 1 && !layout.transformer_engine()) {
    const double columns = (t.query_width() + 2 * t.kv_width()) / layout.tp + (t.gated ? 2 : 1) * ffn;
    work.backward.seconds += kernels.bytes(half * (tokens * columns + 2 * kernels.norm_tokens() * h), 4).seconds;
  }
  work.last = work.forward - before_down;
  return work;
}

LayerWork embedding_work(const Transformer& t, const ParallelLayout& layout, const GpuRates& rates)
{
  const Kernels kernels{layout, rates, t};
  const double plain = half * kernels.tokens() * t.hidden;
  LayerWork work{.once = true};
  // Look-up; sum with the positions (two read, one written); dropout with a mask of 1 B.
  const double passes = 2 + (t.learnt_positions ? 3 : 0) + (layout.drops(t) ? 2.5 : 0);
  work.forward = kernels.bytes(passes * plain, 6);
  // Rows are added where the tokens say, into a gradient of the whole table, which is added to that of the step.
  const double table = 1.0 * t.vocabulary * t.hidden / layout.embedding_ranks();
  work.weights = kernels.bytes(4 * plain + (half + half + 2 * layout.gradient_bytes) * table, 4);
  work.waiting = 20; // the batch is read and handed round, masks and positions are made
  return work;
}

LayerWork output_work(const Transformer& t, const ParallelLayout& layout, const GpuRates& rates)
{
  const Kernels kernels{layout, rates, t};
  LayerWork work{.once = true};
  const ElementwiseWork norm = rms_norm_of(t, layout);
  work.forward += kernels.pass(norm.forward, kernels.norm_tokens() * t.hidden);
  work.backward += kernels.pass(norm.backward, kernels.norm_tokens() * t.hidden);
  GpuRates sixteen = rates; // as most recipes leave it
  if (!layout.low_precision_output) {
    sixteen.linear = rates.matrix;
    sixteen.quantised_bytes = 0;
  }
  const Kernels output{layout, sixteen, t};
  const double columns = 1.0 * t.vocabulary / layout.tp;
  output.linear(work, kernels.tokens(), t.hidden, columns);
  const double logits = kernels.tokens() * (layout.loss_parallel ? columns : 1.0 * t.vocabulary);
  // PyTorch's where nothing is fused, and with zero: 3; flat parameters are taken for Megatron-FSDP, with
  // Megatron-LM's.
  if (layout.fuses() == FusedKinds{false} || (layout.zero == 3 && !layout.flat_parameters)) {
    work.forward += kernels.bytes((cast_bytes + cross_entropy_bytes.forward) * logits, 4);
    work.backward += kernels.bytes((cast_bytes + cross_entropy_bytes.backward) * logits, 4);
  } else {
    // Logits become fp32 (6 B), their maximum is subtracted (4 + 8 B), exponentials and their sum (8 + 4 B), the
    // quotient (8 B); the gradient is made in place (8 B) and rounded (6 B). Megatron-LM's vocabulary-parallel cross
    // entropy.
    work.forward += kernels.bytes(38 * logits, 8);
    work.backward += kernels.bytes(14 * logits, 4);
  }
  work.waiting = 30; // the loss is averaged over replicas and read
  return work;
}

LayerWork prediction_work(const Transformer& t, const ParallelLayout& layout, const GpuRates& rates)
{
  const Kernels kernels{layout, rates, t};
  const double numbers = kernels.norm_tokens() * t.hidden;
  const ElementwiseWork norm = rms_norm_of(t, layout);
  LayerWork work;
  for (int i = 0; i < 2; ++i) {
    work.forward += kernels.pass(norm.forward, numbers);
    work.backward += kernels.pass(norm.backward, numbers);
  }
  work.forward += kernels.bytes(4 * half * numbers); // both are put side by side
  work.backward += kernels.bytes(4 * half * numbers);
  kernels.linear(work, kernels.tokens(), 2.0 * t.hidden, 1.0 * t.hidden / layout.tp);
  return work;
}

ShardCopies shard_copies(const ParallelLayout& layout, double parameters, const GpuRates& rates)
{
  if (layout.zero < 3 || layout.replicas() == 1 || layout.flat_parameters)
    return {};
  return {.weights = 2 * half * parameters / rates.memory + rates.gap,
          .gradients = (half + layout.gradient_bytes) * parameters / rates.memory + rates.gap};
}

KernelTime optimizer_work(double parameters, const GpuRates& rates, const ParallelLayout& layout)
{
  // Norm of the gradients (4 B), then gradient (4 B), master copy and two moments (4 and 8 B) read, the last two
  // written, the 16-bit copy (2 B), gradients set to zero (4 B). Without a master copy that of 16 bit is read, too.
  const double states = 2 * layout.state_bytes() + (layout.master_weights ? 2 : 4);
  return {(layout.offload_optimizer ? 8 : 12 + states) * parameters / rates.memory, 20};
}

double model_flop_per_sequence(const Transformer& transformer, int sequence, int mtp_layers)
{
  const int tokens = sequence > 0 ? sequence : transformer.sequence;
  double flop = transformer.forward_flop_per_token(tokens);
  if (mtp_layers > 0) {
    Transformer longer = transformer;
    ++longer.layers;
    flop += mtp_layers * (longer.forward_flop_per_token(tokens) - flop +
                          2.0 * transformer.hidden * (2.0 * transformer.hidden + transformer.vocabulary));
  }
  return 3.0 * tokens * flop;
}

} // namespace trainyard
