// SPDX-License-Identifier: Apache-2.0
#include "models/parallel/rank_memory.hpp"

#include "models/parallel/expert_work.hpp"

#include <algorithm>
#include <utility>
#include <vector>

namespace trainyard {
namespace {

double tokens_of(const ParallelLayout& layout, const Transformer& t)
{
  return 1.0 * (layout.sequence > 0 ? layout.sequence : t.sequence) / layout.cp * layout.micro_batch;
}

/// Everything that a layer keeps where nothing is computed again, but for the inside of attention.
double kept_outside_attention(const ParallelLayout& l, const Transformer& t)
{
  const double tokens = tokens_of(l, t);
  const double routed = routed_rows(t, l, tokens);
  const double shared = l.sequence_parallel ? l.tp : 1; // inputs of norms and linear layers, dropout masks
  const double masks = l.drops(t) ? 2 * tokens * t.hidden : 0;
  const double of_input = l.stores("linear_inputs") ? rounded_bytes(l) : 2;      // of a linear layer
  const double experts_input = t.experts > 1 ? of_input * routed * t.hidden : 0; // sorted by expert
  const bool experts_again = t.experts > 1 && l.computes_again("moe");
  const double taken = tensor_passes(l, t).gathers(); // results of norms: each gather's own where it is kept
  const double normalised = l.computes_again("layernorm") ? 0 : taken * of_input * tokens * t.hidden;
  const double gathered = l.messages_by() == "megatron" ? normalised / shared : normalised; // as products took it
  // PyTorch's RMSNorm line by line keeps its input in fp32 and the normalised one, and SwiGLU the result of its SiLU.
  const FusedKinds fused = l.fuses();
  const double of_norms = fused.norm || fused.norm_of_fp32 || !t.rms_norm() ? 0 : 2 * (4 + 2) * tokens * t.hidden;
  const double of_silu = fused.activation || !t.gated ? 0 : 2;
  const double common =
      (4 * tokens * t.hidden + of_norms + masks + (experts_again ? 0 : experts_input)) / shared + gathered;
  // Of latent attention the compressed vectors too, before and after their normalisation, whole on every rank.
  const double latent =
      t.latent() ? (2 + of_input) * tokens * (t.query_rank + t.kv_rank) + 2 * tokens * t.rope_width : 0;
  const bool projected_again = t.latent() && l.computes_again("mla_up_proj");
  const double projected = projected_again ? 0 : t.query_width() + t.key_width() + t.values_width();
  // Attention needs its output in 16 bit, so that of the rounded one there is a copy.
  const double of_output = l.stores("attention_output") ? 1.5 : l.stores("linear_inputs") ? 2 + of_input : 2;
  const double normalised_heads = t.head_norms ? t.query_width() + t.kv_width() : 0; // as they come in
  const double attention = tokens * (2 * (projected + normalised_heads) + of_output * t.output_width());
  const double of_activation = (l.stores("activation_inputs") ? rounded_bytes(l) : 2) * (t.gated ? 2 : 1);
  const bool none = experts_again || (t.experts == 1 && l.computes_again("mlp"));
  double feed_forward =
      none ? 0 : routed * t.ffn * (of_activation + of_silu + (l.computes_again("activation") ? 0 : of_input));
  feed_forward /= t.experts > 1 ? l.expert_share() : l.tp;
  if (!experts_again && !l.computes_again("shared_experts"))
    feed_forward += tokens * t.shared_ffn * (of_activation + of_input) / l.tp;
  return common + latent + attention / l.tp + feed_forward;
}

/// With every_second: inputs of the two norms and of attention's first product, queries, values, attention's output,
/// the gate (or the only projection up), and the result of the last product.
double kept_of_every_second(const ParallelLayout& l, const Transformer& t)
{
  const double tokens = tokens_of(l, t);
  const double routed = routed_rows(t, l, tokens);
  return tokens * 4 * t.hidden + tokens * (4 * t.query_width() + 2 * t.kv_width()) / l.tp +
         routed * 2 * t.ffn / (t.experts > 1 ? l.expert_share() : l.tp);
}

/// Keys and values of the whole sequence, while a layer is computed; in the backward pass with their gradients, in
/// 16 bit. PyTorch gathers them repeated for all heads, and no gradients.
double gathered_keys(const ParallelLayout& l, const Transformer& t)
{
  if (l.cp == 1 || l.exchange() != KeyValueExchange::all_gather)
    return 0;
  const double whole = tokens_of(l, t) * l.cp;
  return l.ring_of_pytorch() ? 4 * whole * t.output_width() / l.tp
                             : 8 * whole * t.kv_width() / std::min(l.tp, t.kv_heads);
}

/// With ZeRO-3, what of its weights and gradients a rank holds whole.
struct Whole {
  double weights = 0, gradients = 0; // parameters
  Bytes beside;                      // logits, or a layer that is computed again
};

/// The unit that is computed and one more, which is gathered ahead, or scattered after it. The peak is at the loss,
/// with the output projection, or in the last layer, where the projection's gradients are on their way.
///
/// One unit of both ends stays gathered for the whole step, and its gradients are scattered after the embedding's
/// (PyTorch does not reshard the root after its forward pass: torch/distributed/fsdp/_runtime_utils.py,
/// _post_forward_reshard; torch/distributed/fsdp/_fully_shard/_fully_shard.py, reshard_after_forward). So it is where
/// both are one matrix.
Whole held_whole(const ParallelLayout& l, const Transformer& t, Bytes of_loss, Bytes of_layer)
{
  double layer = layer_parameters(l, t).all();
  if (t.has_dense_layers())
    layer = std::max(layer, layer_parameters(l, t.without_experts()).all());
  const auto [embedding, output] = end_parameters(l, t);
  const bool root = l.edges_together() || t.tied;
  const double stays = root ? embedding + output : 0;
  const double projection = t.tied ? embedding + output : output; // with its gradients
  const Whole loss{root ? stays + layer : output + layer, projection, of_loss};
  const Whole last_layer{stays + 2 * layer, layer + (root ? projection + layer : std::max(layer, projection)),
                         of_layer};
  const auto bytes = [&](const Whole& whole) {
    return 2 * whole.weights + l.gradient_bytes * whole.gradients + whole.beside.value();
  };
  return bytes(loss) > bytes(last_layer) ? loss : last_layer;
}

/// Frozen or not, as the products read them, of what the rank holds: layers, and the ends in 16 bit.
double weight_bytes_of(const ParallelLayout& l, const Transformer& t, const RankParameters& held,
                       const std::vector<int>& stages)
{
  const double of_layers = l.kept.lora.rank > 0 ? l.kept.lora.weight_bytes() : 2;
  if (of_layers == 2)
    return 2 * held.all();
  const auto [embedding, output] = end_parameters(l, t);
  const double ends = (std::ranges::find(stages, 0) != stages.end() ? embedding : 0) +
                      (std::ranges::find(stages, l.chunks() - 1) != stages.end() ? output : 0);
  return of_layers * (held.all() - ends) + 2 * ends;
}

/// Kinds of groups with a communicator of their own.
int communicators(const ParallelLayout& l)
{
  return (l.tp > 1) + (l.pp > 1) + (l.cp > 1) + (l.ep > 1) + (l.dp > 1) + (l.shard_within > 0);
}

/// Bytes of a logit at the loss.
double bytes_of_logit(const ParallelLayout& l, const Transformer& t)
{
  const bool of_pytorch = l.of_eager_pytorch() || l.weights_by_layer() || l.fuses() == FusedKinds{false};
  const std::string logits = !l.kept.logits.empty() ? l.kept.logits : t.encoder ? "masked" : "all";
  return logit_bytes(logits, 2, of_pytorch ? pytorch_logit_bytes : 4);
}

double kept_inside_attention(const ParallelLayout& l, const Transformer& t)
{
  const double sequence = l.sequence > 0 ? l.sequence : t.sequence;
  const double rows = tokens_of(l, t) * t.heads / l.tp;
  return l.fused_attention() ? 4 * rows : rows * sequence * (l.drops(t) ? 5 : 2);
}

} // namespace

double state_share(const ParallelLayout& l, const RankParameters& held)
{
  const double equal = held.dense / l.shard_ranks() + held.experts / expert_replicas(l, l.shard_ranks());
  return l.has_owners() ? std::max(equal, held.largest) : equal;
}

double rounded_bytes(const ParallelLayout& l)
{
  return l.precision == "nvfp4" ? 0.5 + 1.0 / 16 : l.precision == "mxfp8" ? 1 + 1.0 / 32 : 1;
}

RankParameters layer_parameters(const ParallelLayout& layout, const Transformer& t)
{
  const double norms = 2.0 * t.norm_vectors() * t.hidden; // whole on every rank
  const double router = t.experts > 1 ? 1.0 * t.hidden * t.experts : 0;
  const double feed_forward = t.experts * t.expert_parameters();
  const double matrices = t.layer_parameters() - norms - router - feed_forward;
  if (t.experts == 1)
    return {.dense = (matrices + feed_forward) / layout.tp + norms};
  return {.dense = matrices / layout.tp + norms + router, .experts = feed_forward / layout.expert_ranks() / layout.ep};
}

EndParameters end_parameters(const ParallelLayout& layout, const Transformer& t)
{
  const double words = 1.0 * t.vocabulary * t.hidden;
  return {.embedding = words / layout.embedding_ranks() + (t.embedding_parameters() - words),
          .output = (t.tied ? 0 : words / layout.tp) + t.norm_vectors() * t.hidden};
}

RankParameters rank_parameters(const ParallelLayout& layout, const Transformer& t, int rank)
{
  const std::vector<int> chunks = layers_of_chunks(layout, t);
  const std::vector<int> stages = stages_of_rank(layout, rank);
  const bool first = std::ranges::find(stages, 0) != stages.end();
  const bool last = std::ranges::find(stages, layout.chunks() - 1) != stages.end();
  int layers = 0, dense = 0; // dense: of them, those without experts
  for (const int stage : stages)
    if (const auto at = static_cast<std::size_t>(stage); at < chunks.size()) {
      layers += chunks[at];
      dense += dense_layers_of(chunks, t, at);
    }
  if (last)
    layers += layout.mtp_layers;
  RankParameters held;
  for (const auto& [one, count] :
       {std::pair{layer_parameters(layout, t), layers - dense}, {layer_parameters(layout, t.without_experts()), dense}})
    if (count > 0) {
      held.dense += count * one.dense;
      held.experts += count * one.experts;
    }
  const int attention = t.latent() ? 5 : 2; // queries, keys and values are one; with latent attention down and up
  const int of_block = t.gated ? 3 : 2;
  held.dense_matrices = layers * attention + (t.experts > 1 ? dense : layers) * of_block;
  if (t.experts > 1) {
    const int here = std::max(1, t.experts / layout.ep);
    held.dense_matrices += (layers - dense) * (1 + (t.shared_ffn > 0 ? of_block : 0));
    held.expert_matrices = (layers - dense) * here * of_block;
  }
  const double widest = dense > 0 ? std::max(t.ffn, t.without_experts().ffn) : t.ffn;
  const double heads = t.latent() ? t.query_width() : t.query_width() + 2 * t.kv_width(); // in one matrix
  held.largest = 1.0 * t.hidden * std::max(widest, heads) / layout.tp;
  const double words = 1.0 * t.vocabulary * t.hidden / layout.tp;
  if (first || last) {
    held.largest = std::max(held.largest, words);
    held.dense_matrices += first && last && !t.tied ? 2 : 1;
  }
  if (last && layout.mtp_layers > 0) {
    const double projection = 2.0 * t.hidden * t.hidden / layout.tp + 3.0 * t.norm_vectors() * t.hidden;
    held.dense += layout.mtp_layers * projection + (first ? 0 : words);
  }
  if (first)
    held.dense +=
        words * layout.tp / layout.embedding_ranks() + (t.embedding_parameters() - 1.0 * t.vocabulary * t.hidden);
  if (last) {
    held.dense += t.norm_vectors() * t.hidden;
    if (!t.tied || !first)
      held.dense += words;
  }
  return held;
}

int expert_replicas(const ParallelLayout& layout, int replicas)
{
  if (layout.experts_over_tp())
    return std::max(1, replicas * layout.tp / layout.ep);
  return std::max(1, replicas / layout.ep) * std::max(1, layout.tp / layout.expert_ranks());
}

double share_of_layer(const ParallelLayout& layout, const Transformer& t, int rank, bool first)
{
  const std::vector<int> chunks = layers_of_chunks(layout, t);
  const std::vector<int> stages = stages_of_rank(layout, rank);
  int layers = 0;
  for (const int stage : stages)
    layers += chunks[static_cast<std::size_t>(stage)];
  if (layers <= 1)
    return 1;
  const bool embedding = std::ranges::find(stages, 0) != stages.end();
  const double words = embedding ? 1.0 * t.vocabulary * t.hidden / layout.embedding_ranks() : 0;
  const double held = rank_parameters(layout, t, rank).all();
  const double other = (held - words) / layers / held; // an output projection that is not tied goes with the layers
  return first ? 1 - (layers - 1) * other : other;
}

Bytes layer_activations(const ParallelLayout& layout, const Transformer& t)
{
  if (layout.recomputation == Recomputation::full) // its input; divided over tp with sequence parallelism
    return Bytes{2 * tokens_of(layout, t) * t.hidden / (layout.sequence_parallel ? layout.tp : 1)};
  if (layout.recomputation == Recomputation::every_second)
    return Bytes{kept_of_every_second(layout, t) + kept_inside_attention(layout, t)};
  double kept = kept_outside_attention(layout, t);
  if (layout.recomputation == Recomputation::none || layout.fused_attention())
    kept += kept_inside_attention(layout, t);
  return Bytes{kept};
}

RankMemory rank_memory(const ParallelLayout& layout, const Transformer& t, int rank, int chunks_in_flight)
{
  const RankParameters held = rank_parameters(layout, t, rank);
  const std::vector<int> stages = stages_of_rank(layout, rank);
  const auto divided = [&](int from, double bytes) {
    return Bytes{bytes * (layout.zero < from ? held.all() : state_share(layout, held))};
  };
  RankMemory memory;
  memory.stage = rank;
  const double trained = layout.kept.lora.share;
  if (!layout.offload_optimizer)
    memory.optimizer = divided(1, trained * layout.state_bytes());
  const bool sharded_gradients = layout.by_layer() && (layout.sends_each() || layout.micro_batches() == 1);
  memory.gradients = layout.adds_up_gradients() ? Bytes{4 * trained * held.all()}
                                                : divided(sharded_gradients ? 2 : 3, trained * layout.gradient_bytes);
  if (layout.kept.update_in_backward)
    memory.gradients = std::min(
        memory.gradients, Bytes{layout.gradient_bytes * std::max(held.largest, layer_parameters(layout, t).all())});
  // DeepSpeed sends gradients to the host as they appear, in 16 bit: a bucket of them is on the GPU
  // (reduce_bucket_size).
  if (layout.offload_optimizer && layout.zero >= 2 && layout.sends_each())
    memory.gradients = std::min(memory.gradients, Bytes{2 * std::max(5e8, held.largest)});
  // With ZeRO-3 the master copy is the only one.
  if (layout.zero < 3 || layout.offload_optimizer || !layout.master_weights || layout.kept.lora.rank > 0)
    memory.weights = divided(3, weight_bytes_of(layout, t, held, stages) / held.all());
  const std::vector<int> chunks = layers_of_chunks(layout, t);
  const Bytes of_layer = layer_activations(layout, t);
  const Bytes of_dense = t.has_dense_layers() ? layer_activations(layout, t.without_experts()) : Bytes{};
  Bytes of_chunk = chunks.empty() ? of_layer : Bytes{};
  for (const int stage : stages)
    if (const auto at = static_cast<std::size_t>(stage); at < chunks.size()) {
      const int own = chunks[at], dense = dense_layers_of(chunks, t, at);
      const int later = stage + 1 == layout.chunks() ? layout.mtp_layers : 0;
      of_chunk = std::max(of_chunk, of_layer * (1.0 * (own - dense + later)) + of_dense * (1.0 * dense));
    }
  const double tokens = tokens_of(layout, t);
  memory.activations = of_chunk * (1.0 * chunks_in_flight);
  if (std::ranges::find(stages, 0) != stages.end() && layout.drops(t)) // dropout of the embedding
    memory.activations += Bytes{tokens * t.hidden / (layout.sequence_parallel ? layout.tp : 1)} * layout.pp;
  if (layout.recomputation == Recomputation::full || layout.recomputation == Recomputation::every_second)
    memory.transient = Bytes{kept_outside_attention(layout, t) + kept_inside_attention(layout, t)};
  else if (layout.recomputation == Recomputation::selective && !layout.fused_attention())
    memory.transient = Bytes{kept_inside_attention(layout, t)};
  if (!layout.recomputed.empty()) { // what they left out of a layer is there while it is computed again
    ParallelLayout all = layout;
    all.recomputed.clear();
    memory.transient += Bytes{kept_outside_attention(all, t) - kept_outside_attention(layout, t)};
  }
  memory.transient += Bytes{gathered_keys(layout, t)};
  Bytes of_loss; // logits are gone when the first layer is computed again; input of norm and projection
  if (std::ranges::find(stages, layout.chunks() - 1) != stages.end()) {
    of_loss = Bytes{tokens * (4 * t.hidden / (layout.sequence_parallel ? layout.tp : 1.0) +
                              bytes_of_logit(layout, t) * t.vocabulary / (layout.loss_parallel ? layout.tp : 1.0))};
  }
  // FSDP gives a rank alone copies in 16 bit; frozen weights are that already.
  if (layout.zero == 3 && (layout.shard_ranks() > 1 || layout.kept.lora.rank == 0)) {
    const Whole whole = held_whole(layout, t, of_loss, memory.transient);
    memory.weights += Bytes{2 * whole.weights};
    memory.gradients += Bytes{layout.gradient_bytes * trained * whole.gradients};
    memory.transient = whole.beside;
  } else {
    memory.transient = std::max(memory.transient, of_loss);
  }
  memory.buffers = (memory.activations + memory.transient) * lost_share;
  memory.context = Bytes{context_bytes + communicator_bytes * communicators(layout)};
  return memory;
}

} // namespace trainyard
