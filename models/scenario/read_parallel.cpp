// SPDX-License-Identifier: Apache-2.0
#include "models/scenario/reading.hpp"

#include "models/core/closest.hpp"
#include "models/core/text.hpp"
#include "models/cost/optimizer_kind.hpp"
#include "models/parallel/layout.hpp"
#include "models/parallel/task_list.hpp"

#include <fmt/format.h>

namespace trainyard {
namespace {

/// What `parallel` says; dp = 0: it follows from the number of GPUs.
struct SaidLayout : ParallelLayout {
  SaidLayout() { dp = 0; }
  const DocumentNode* listed = nullptr; // the tasks of each stage, where `schedule` lists them
};

constexpr const char* order_of_work = "order of work in the pipeline";

schema::Json schedule_schema(const Parts& parts)
{
  const schema::Json tasks = {{"type", "string"},
                              {"pattern", "^ *[0-9]*[FBW][0-9]+( +[0-9]*[FBW][0-9]+)* *$"},
                              {"description", "tasks of a stage in order: F0 F1 B0 B1"}};
  schema::Json name = schema::name_of(schema::names(parts, "pipeline_schedule"), order_of_work);
  return {
      {"description", order_of_work},
      {"anyOf",
       {std::move(name),
        schema::list_of(tasks, "the tasks of each stage: F forward pass, B backward pass, W gradients of weights, each "
                               "with its micro-batch, and with the chunk of the GPU in front where vp > 1: 1F0")}}};
}

/// A name, or a list of tasks for each stage, whose faults need the other keys and are told later.
void schedule_field(Fields& keys, SaidLayout& layout)
{
  keys.custom(
      "schedule", [&] { return schedule_schema(keys.parts()); },
      [&](const DocumentNode& node) {
        if (node.kind == DocumentNode::Kind::list)
          layout.listed = &node;
        else
          layout.schedule = keys.reader().choice("schedule", "", schema::names(keys.parts(), "pipeline_schedule"));
      },
      {.otherwise = "1f1b; interleaved with vp > 1"});
}

/// The tasks of each stage; every fault at its place. Nothing: there are faults.
std::shared_ptr<const TaskLists> listed_schedule(Fields& keys, const SaidLayout& layout)
{
  bool sound = true;
  const auto error = [&](const DocumentNode& node, const std::string& message) {
    keys.error_at(node, message);
    sound = false;
  };
  auto lists = std::make_shared<TaskLists>();
  std::vector<std::vector<const DocumentNode*>> places;
  lists->reserve(layout.listed->items.size());
  places.reserve(layout.listed->items.size());
  for (const DocumentNode& stage : layout.listed->items) {
    std::vector<PipelineTask>& list = lists->emplace_back();
    std::vector<const DocumentNode*>& of_list = places.emplace_back();
    const auto read = [&](const DocumentNode& node) {
      for (std::size_t start = 0; start < node.text.size();) {
        const std::size_t end = std::min(node.text.find(' ', start), node.text.size());
        const std::string word = node.text.substr(start, end - start);
        start = end + 1;
        if (word.empty())
          continue;
        const std::optional<PipelineTask> task = read_task(word);
        if (!task) {
          error(node, fmt::format("'{}' is no task; write F0, B0 or W0 with the number of the micro-batch, and the "
                                  "chunk in front where vp > 1: 1F0",
                                  word));
          continue;
        }
        list.push_back(*task);
        of_list.push_back(&node);
      }
    };
    if (stage.kind == DocumentNode::Kind::scalar)
      read(stage);
    else if (stage.kind == DocumentNode::Kind::list)
      for (const DocumentNode& item : stage.items) {
        if (item.kind == DocumentNode::Kind::scalar)
          read(item);
        else
          error(item, "write the tasks of a stage as F0 F1 B0 B1");
      }
    else
      error(stage, "write the tasks of a stage as F0 F1 B0 B1");
  }
  if (lists->size() != static_cast<std::size_t>(layout.pp))
    error(*layout.listed,
          fmt::format("a list for each of the pp = {} stages is needed; there are {}", layout.pp, lists->size()));
  if (!sound || layout.dp < 1 || layout.global_batch % (layout.dp * layout.micro_batch) != 0)
    return nullptr;
  for (const TaskFault& fault : task_faults(*lists, layout.vp, layout.micro_batches())) {
    const auto rank = static_cast<std::size_t>(fault.rank);
    error(fault.task < 0 ? layout.listed->items[rank] : *places[rank][static_cast<std::size_t>(fault.task)],
          fault.message);
  }
  return sound ? lists : nullptr;
}

/// true, false, or a list of the kinds that are fused.
void fused_field(Fields& keys, SaidLayout& layout)
{
  std::vector<std::string> kinds;
  kinds.reserve(std::size(fused_kinds));
  for (const auto& [kind, member] : fused_kinds)
    kinds.emplace_back(kind);
  const char* meaning = "element-wise operators between two products are one kernel, as Megatron-LM, Transformer "
                        "Engine and torch.compile make them; false: RMSNorm, rotary embedding and SwiGLU operator by "
                        "operator; a list: these kinds are fused and the others are not (norm_of_fp32: but for a cast "
                        "of its input; activation: SwiGLU; dropout: with the sum after it)";
  keys.custom(
      "fused_elementwise",
      {{"description", meaning},
       {"anyOf",
        {{{"const", true}, {"description", "all kinds are fused"}},
         {{"const", false}, {"description", "no kind is fused"}},
         schema::list_of(schema::name_of(kinds, "kind of element-wise operators"), "the kinds that are fused")}}},
      [&](const DocumentNode& node) {
        if (node.kind != DocumentNode::Kind::list) {
          layout.fused_elementwise = keys.reader().flag("fused_elementwise", true);
          return;
        }
        FusedKinds fused{false};
        for (const DocumentNode& item : node.items) {
          const auto* const found = std::ranges::find(fused_kinds, item.text, [](const auto& k) { return k.first; });
          if (item.kind != DocumentNode::Kind::scalar || found == fused_kinds.end())
            keys.error_at(item, fmt::format("unknown kind '{}' of element-wise operators{}; known are {}", item.text,
                                            did_you_mean(item.text, kinds), fmt::join(kinds, ", ")));
          else
            fused.*found->second = true;
        }
        if (fused.norm && fused.norm_of_fp32)
          keys.error("fused_elementwise", "norm and norm_of_fp32 exclude each other: name one of them");
        layout.fused_elementwise = fused;
      },
      {.otherwise =
           "false with zero: 3 or lora (FSDP, DeepSpeed and PEFT around a model in eager PyTorch), else true"});
}

/// Keys of other programs: Megatron's tensor_model_parallel_size, torchtitan's tensor_parallel_degree…
void tell_other_words(Fields& keys)
{
  for (const auto& [word, key] :
       {std::pair{"tensor", "tp"}, {"pipeline", "pp"}, {"data", "dp"}, {"context", "cp"}, {"expert", "ep"}})
    for (const char* end : {"", "_parallel", "_parallel_size", "_model_parallel_size", "_parallel_degree"})
      keys.instead_of(std::string{word} + end, fmt::format("'{}'", key));
}

void layout_fields(Fields& keys, SaidLayout& layout)
{
  constexpr double most = 1e6;
  const auto ranks = [&](const char* key, int& value, const char* meaning) {
    keys.integer(key, value, meaning, {.least = 1, .most = most});
  };
  ranks("tp", layout.tp, "tensor parallel: GPUs that share every matrix; neighbours in a machine");
  ranks("pp", layout.pp, "pipeline stages");
  ranks("vp", layout.vp, "virtual stages: chunks of layers on each GPU, for the interleaved schedule");
  keys.integer("dp", layout.dp, "replicas",
               {.least = 1, .most = most, .otherwise = "workers / (tp x pp x cp), else 1"});
  ranks("cp", layout.cp, "context parallel: GPUs that share every sequence");
  ranks("ep", layout.ep, "expert parallel: replicas that share the experts; with expert_tp: 1 the ranks of tp first");
  keys.flag("sequence_parallel", layout.sequence_parallel,
            "norms and dropout are divided over the tensor-parallel group (Korthikanti et al. 2022)");
  keys.integer("zero", layout.zero,
               "what replicas divide among themselves: 1 optimiser states, 2 and gradients, 3 and weights (FSDP)",
               {.least = 0, .most = 3});
  keys.integer("shard_within", layout.shard_within,
               "with zero, neighbouring replicas that divide; such groups hold copies, and add up their shares of the "
               "gradients (FSDP's HYBRID_SHARD: the GPUs of a machine)",
               {.least = 1, .most = most, .otherwise = "all replicas divide"});
  keys.flag("whole_tensors", layout.whole_tensors,
            "with zero: 1, each tensor's states lie on one rank: gradients are added up on all ranks, and each owner "
            "broadcasts its tensors after the update (PyTorch's ZeroRedundancyOptimizer, InternLM, FairScale's OSS); "
            "false: every rank has an equal part of all tensors");
  keys.flag("offload_optimizer", layout.offload_optimizer,
            "optimiser states lie in host memory and are updated there; gradients and weights go over PCIe while the "
            "GPU waits");
  keys.quantity("host_bandwidth", layout.host_bandwidth,
                "with offload_optimizer, rate of a machine's memory in its update; by default four fifths of two "
                "sockets with eight channels of DDR4-3200",
                {.example = "330 GB/s", .least = 1e9});
  ranks("micro_batch", layout.micro_batch, "sequences of one forward pass");
  keys.integer("global_batch", layout.global_batch, "sequences of one optimiser step",
               {.least = 1, .most = 1e8, .required = true});
  keys.flag("keep_batch", layout.keep_batch,
            "with more or fewer replicas than the layout has (in a queue, or after failures) the global batch stays, "
            "and they accumulate over fewer or more micro-batches; false: the batch grows with the replicas");
  keys.flag("decrease_batch", layout.decrease_batch,
            "with keep_batch: where the replicas' micro-batches do not divide the global batch it is decreased until "
            "they do (Megatron-LM's --decrease-batch-size-if-needed); false: so many replicas cannot train");
  if (layout.decrease_batch && !layout.keep_batch)
    keys.error("decrease_batch", "'decrease_batch' has no effect without keep_batch: true; add it");
  keys.choice("recomputation", layout.recomputation,
              {{"none", Recomputation::none},
               {"selective", Recomputation::selective},
               {"every_second", Recomputation::every_second},
               {"full", Recomputation::full}},
              "what the backward pass computes again: nothing; the inside of attention; all but attention and every "
              "second product (torchtitan's selective); whole layers");
  keys.texts("recompute_modules", layout.recomputed,
             "parts of every layer that the backward pass computes again: layernorm, activation (of the feed-forward "
             "network or the experts), mla_up_proj (latent attention's queries, keys and values), mlp, moe (all of the "
             "experts, with their messages), shared_experts (Megatron-Core's --recompute-modules)");
  keys.flag("early_stop", layout.early_stop,
            "layers are computed again without their last product, whose result nothing needs (PyTorch from 2.1 on)");
  keys.integer("mtp_layers", layout.mtp_layers,
               "layers behind the last that are trained to predict later tokens (multi-token prediction of "
               "DeepSeek-V3, --mtp-num-layers), each with an output projection of its own, on the last stage",
               {.least = 0, .most = 100});
  schedule_field(keys, layout);
  keys.custom("layers_per_stage",
              schema::list_of(schema::whole("layers of a stage"),
                              "layers of each stage in the order of the forward pass, pp x vp of them"),
              [&](const DocumentNode& node) {
                bool right = true;
                for (const DocumentNode& item : node.items) {
                  const std::optional<int> layers = as_index(item.text);
                  if (item.kind != DocumentNode::Kind::scalar || !layers || *layers < 0) {
                    keys.error_at(item, "a stage has a whole number of layers, 0 or more");
                    right = false;
                  }
                  layout.layers_per_stage.push_back(layers.value_or(1));
                }
                if (!right)
                  layout.layers_per_stage.clear();
                if (node.items.empty())
                  keys.error("layers_per_stage", "write the layers of each stage: [10, 11, 11, 10]");
              },
              {.otherwise = "equal, or one less on the first and the last"});
  keys.choice("attention", layout.attention, {"flash", "flash2", "flash1", "unfused"},
              "flash: the fused kernel made for the GPU; flash2: FlashAttention-2, which reaches less on GPUs since "
              "2022; flash1: FlashAttention of 2022 and its Triton version; unfused: keeps the score matrix");
  keys.choice("ring_merge", layout.ring_merge, {"fused", "eager", "compiled"},
              "with cp, how results of the pieces of a sequence are added up: a kernel each (Transformer Engine), "
              "operator by operator (PyTorch, torchtitan), or so under torch.compile, which waits for every message");
  KeyValueExchange exchange = KeyValueExchange::p2p;
  if (keys.choice("context_exchange", exchange,
                  {{"p2p", KeyValueExchange::p2p},
                   {"all_gather", KeyValueExchange::all_gather},
                   {"a2a", KeyValueExchange::a2a}},
                  "with cp, how ranks see each other's keys and values: p2p, pieces go round a ring beside the "
                  "attention to the piece before; all_gather, all of them before the attention (Llama 3); a2a, each "
                  "rank gets the whole sequence of its share of the heads (Ulysses). Megatron-Core's cp_comm_type; "
                  "torchtitan's context_parallel_rotate_method, whose alltoall is p2p",
                  {.otherwise = "p2p; all_gather with ring_merge eager or compiled (PyTorch)"}))
    layout.context_exchange = exchange;
  keys.flag("overlap_gradients", layout.overlap_gradients, "gradients and weights travel beside the computation");
  keys.flag("flat_parameters", layout.flat_parameters,
            "with zero: 3, weights are used where they are gathered (FSDP1, Megatron-FSDP); false: each layer's are "
            "copied out of the buffer of its collective, and gradients into one (PyTorch's fully_shard, DeepSpeed)");
  bool together = false;
  if (keys.flag("root_unit", together,
                "with zero: 3, or 2 without stages, embedding, last normalisation and output projection are one unit, "
                "gathered before the first layer of each micro-batch and scattered after it (layers alone were "
                "wrapped); false: embedding and output are units of their own (torchtitan)",
                {.otherwise = "false; true with flat_parameters (FSDP1's wrapping policies)"}))
    layout.root_unit = together;
  std::string sync = "each";
  if (keys.choice("gradient_sync", sync, {"each", "last"},
                  "with zero: 2 or 3, which micro-batches send gradients: each, or the last, until which each rank "
                  "adds up whole gradients in fp32 (FSDP's no_sync, set_requires_gradient_sync(False))",
                  {.otherwise = "each; last with pp > 1 (PyTorch's pipelines), and with sharding: megatron"}))
    layout.gradient_sync = sync;
  std::string sharding = "deepspeed";
  if (keys.choice("sharding", sharding, {"deepspeed", "fsdp", "megatron"},
                  "whose way of zero: 2: deepspeed, weights are whole, and each micro-batch sends its gradients; fsdp "
                  "(SHARD_GRAD_OP), each micro-batch gathers weights too; megatron (and Alpa), gradients are added up, "
                  "and sent after the last micro-batch",
                  {.otherwise = "deepspeed; megatron with tp > 1; fsdp with flat_parameters, root_unit or messages of "
                                "PyTorch's DTensor"}))
    layout.sharding = sharding;
  keys.flag("loss_parallel", layout.loss_parallel,
            "with tp, each rank computes the loss on its share of the vocabulary; false: logits are gathered, and each "
            "computes all of it (ColwiseParallel with output_layouts=Replicate())");
  keys.flag("embedding_parallel", layout.embedding_parallel,
            "with tp, the word embedding is divided; false: each rank holds all of it");
  keys.flag("prefetch_weights", layout.prefetch_weights,
            "with zero: 3, the next layer's weights travel beside the backward pass of this one (FSDP's BACKWARD_PRE); "
            "false: after it (BACKWARD_POST)");
  keys.choice("scaling", layout.scaling, {"delayed", "current"},
              "of fp8: by the largest values of earlier steps, or of the tensor itself, which is then read once more");
  if (std::vector<std::string> stored; keys.texts(
          "low_precision_storage", stored,
          "with precision fp8, mxfp8 or nvfp4, what the backward pass finds in fewer than 16 bit: linear_inputs, "
          "rounded as for the product (Transformer Engine); activation_inputs, of the activation function "
          "(Megatron-Core's activation-func-fp8-input-store); attention_output, in 12 bit (DeepSeek-V3: all three)",
          {}, {.otherwise = "[linear_inputs]; with zero: 3 (FSDP, torchao) nothing"}))
    layout.low_precision_storage = stored;
  keys.flag("low_precision_output", layout.low_precision_output,
            "the output projection too is multiplied in the job's precision (fp8_output_proj of Megatron-Core); false: "
            "in 16 bit");
  std::string by = "megatron";
  if (keys.choice(
          "tensor_messages", by, {"megatron", "dtensor", "dtensor_each"},
          "with sequence_parallel, who gathers and scatters: Megatron-LM, which gathers inputs once more for gradients "
          "of weights; PyTorch's DTensor, which keeps them and copies what it gathers and scatters; the same with a "
          "gather for each matrix (ColwiseParallel with input_layouts, without PrepareModuleInput)",
          {.otherwise = "megatron; with zero: 3 and no flat_parameters dtensor"}))
    layout.tensor_messages = by;
  std::string overlap = "backward";
  if (keys.choice(
          "overlap_tensor", overlap, {"none", "backward", "all"},
          "tensor-parallel messages that travel beside products: none; those of the backward pass beside products of "
          "weight gradients; all, cut into four pieces, beside their own products",
          {.otherwise = "backward; none where tensor_messages are PyTorch's, or with zero: 3 and no flat_parameters"}))
    layout.overlap_tensor = overlap;
  keys.number("product_efficiency", layout.product_efficiency,
              "share of the GPU's measured ceiling that matrix products reach over a whole step",
              {.least = 0.05, .most = 2});
  keys.choice("spread", layout.spread, {"gpus", "none"},
              "how much the GPUs differ in products and attention: as GPUs of one kind do (gpus: by 1.5 %, Sinha et "
              "al., SC 2022), so that all wait for the slowest, or not at all (none)");
  std::string experts = "fused";
  if (keys.choice("expert_kernels", experts, {"fused", "grouped", "padded", "loop"},
                  "by whose kernels tokens reach their experts: fused, Megatron-Core's permutation and grouped "
                  "products; grouped, PyTorch's operators around grouped products (torchtitan); padded, each expert "
                  "gets as many rows as the busiest one, in one batch of products; loop, one expert after the other, "
                  "for each of which the host waits (Hugging Face)",
                  {.otherwise = "fused; grouped with zero: 3 and no flat_parameters"}))
    layout.expert_kernels = experts;
  keys.number("expert_imbalance", layout.expert_imbalance,
              "tokens of the busiest expert, as a multiple of the mean: what padded rows count, and with ep the GPU "
              "that the others wait for",
              {.least = 1, .most = 1e6});
  keys.integer("expert_tp", layout.expert_tp,
               "GPUs of the tensor-parallel group that share an expert's matrices: tp, or 1, where each rank takes the "
               "tokens that it holds between the blocks (its share with sequence_parallel, else all of them), and ep "
               "goes over the ranks of tp first (Megatron-Core's --expert-tensor-parallel-size), but with "
               "expert_kernels: padded over replicas alone (KempnerForge)",
               {.least = 1, .most = most, .otherwise = "tp"});
  keys.flag("overlap_experts", layout.overlap_experts,
            "tokens travel to their experts beside the computation of another micro-batch");
  keys.flag("low_precision_dispatch", layout.low_precision_dispatch,
            "with precision fp8, mxfp8 or nvfp4, tokens travel to their experts rounded as for the product; what comes "
            "back is in 16 bit (DeepSeek-V3, DeepEP)");
  fused_field(keys, layout);
  bool dropout = true;
  if (keys.flag("dropout", dropout,
                "values are left out at random, in attention and before each sum with the identity path; MLPerf's "
                "GPT-3 and most recipes of today train without",
                {.otherwise = "true for models with biases (GPT, BERT), else false"}))
    layout.dropout = dropout;
  keys.number("gradient_bytes", layout.gradient_bytes, "bytes of a gradient as it is kept and sent: 4 (fp32) or 2",
              {.least = 1, .most = 8});
  keys.number("moment_bytes", layout.moment_bytes,
              "bytes of Adam's mean and variance of a parameter together: 8 (fp32), 4 (16 bit) or 2",
              {.least = 0, .most = 16});
  keys.flag("master_weights", layout.master_weights,
            "the optimiser keeps weights in fp32 beside those in 16 bit; else it updates those");
}

/// Whether the products of the sizes are numbers that a cluster and a step can have; each that is not is an error.
bool within_reach(Fields& keys, const ParallelLayout& l)
{
  constexpr double most_gpus = 1e6, most_sequences = 1e8; // as of workers and of global_batch
  const double gpus = 1.0 * l.tp * l.pp * l.cp * std::max(l.dp, 1), sequences = 1.0 * std::max(l.dp, 1) * l.micro_batch;
  const double chunks = 1.0 * l.pp * l.vp;
  if (gpus > most_gpus)
    keys.error(fmt::format("tp x pp x cp x dp = {} x {} x {} x {} = {:.0f} GPUs; at most {:.0f} are possible", l.tp,
                           l.pp, l.cp, std::max(l.dp, 1), gpus, most_gpus));
  if (chunks > most_gpus)
    keys.error(fmt::format("pp x vp = {} x {} = {:.0f} chunks of layers; at most {:.0f} are possible", l.pp, l.vp,
                           chunks, most_gpus));
  if (sequences > most_sequences)
    keys.error(fmt::format("dp x micro_batch = {} x {} = {:.0f} sequences; at most {:.0f} are possible in a step",
                           std::max(l.dp, 1), l.micro_batch, sequences, most_sequences));
  return gpus <= most_gpus && chunks <= most_gpus && sequences <= most_sequences;
}

/// Puts faults beside their keys, the nearest layouts beside the last.
void tell_faults(Fields& keys, const ParallelLayout& layout, const Transformer& transformer, int gpus)
{
  const std::vector<LayoutFault> faults = layout_faults(layout, transformer, gpus);
  for (std::size_t i = 0; i < faults.size(); ++i) {
    std::string message = faults[i].message;
    if (i + 1 == faults.size()) {
      const std::vector<ParallelLayout> nearest = nearest_layouts(layout, transformer, gpus);
      for (std::size_t n = 0; n < nearest.size(); ++n)
        message += fmt::format("{}{}", n == 0 ? "\nlayouts that work, nearest first: " : "; ", to_text(nearest[n]));
    }
    if (keys.has(faults[i].key))
      keys.error(faults[i].key, message);
    else
      keys.error(message);
  }
}

/// Share of the model's parameters that small matrices beside those of a layer have: rank x (inputs + outputs) each.
double lora_share(const Transformer& t, const LowRank& lora)
{
  const auto beside = [&](double inputs, double outputs) { return lora.rank * (inputs + outputs); };
  double of_layer = beside(t.hidden, t.query_width()) + beside(t.hidden, t.values_width());
  if (!lora.attention)
    of_layer += beside(t.hidden, t.key_width()) + beside(t.output_width(), t.hidden) +
                t.experts * (t.gated ? 3 : 2) * beside(t.hidden, t.ffn);
  return std::min(1.0, t.layers * of_layer / t.parameters());
}

} // namespace

void transformer_fields(Fields& keys, JobSpec& job)
{
  Transformer own;
  bool said = false;
  const auto size = [&](const char* key, int& value, const char* meaning, const FieldRange& range) {
    said = keys.integer(key, value, meaning, range) || said;
  };
  const FieldRange any{.least = 1, .most = 1e7};
  size("layers", own.layers, "with name: transformer, layers (num_hidden_layers)", any);
  size("hidden", own.hidden, "width (hidden_size)", any);
  size("heads", own.heads, "heads of attention (num_attention_heads)", any);
  own.kv_heads = own.heads;
  size("kv_heads", own.kv_heads, "heads of keys and values (num_key_value_heads)",
       {.least = 1, .most = 1e7, .otherwise = "heads"});
  own.ffn = 4 * own.hidden;
  size("ffn", own.ffn, "width of the feed-forward network (intermediate_size)",
       {.least = 1, .most = 1e8, .otherwise = "4 x hidden"});
  size("head_width", own.head_width, "width of a head (head_dim)",
       {.least = 1, .most = 1e6, .otherwise = "hidden / heads"});
  size("vocabulary", own.vocabulary, "words (vocab_size)", any);
  size("experts", own.experts, "experts of a layer (num_local_experts)", any);
  size("active_experts", own.active_experts, "experts that a token passes (num_experts_per_tok)", any);
  size("expert_groups", own.expert_groups, "groups in which the experts lie (n_group)", any);
  own.active_groups = own.expert_groups;
  size("active_groups", own.active_groups, "groups whose experts a token may pass (topk_group)",
       {.least = 1, .most = 1e7, .otherwise = "all of them"});
  const FieldRange none{.least = 0, .most = 1e7};
  size("shared_ffn", own.shared_ffn, "width of the network that every token passes beside its experts", none);
  size("dense_layers", own.dense_layers, "layers without experts, the first (first_k_dense_replace)", none);
  size("expert_step", own.expert_step,
       "of the layers behind them each n-th has experts (decoder_sparse_step, interleave_moe_layer_step)", any);
  size("dense_ffn", own.dense_ffn, "width of the feed-forward network of layers without experts", none);
  size("kv_rank", own.kv_rank, "latent attention: numbers of a token from which keys and values come (kv_lora_rank)",
       none);
  size("query_rank", own.query_rank, "the same of queries; 0: directly from the token (q_lora_rank)", none);
  size("rope_width", own.rope_width, "with kv_rank, the part of head_width that carries positions (qk_rope_head_dim)",
       none);
  size("value_width", own.value_width, "with kv_rank, width of a head's values (v_head_dim)", none);
  const auto flag = [&](const char* key, bool& value, const char* meaning) {
    said = keys.flag(key, value, meaning) || said;
  };
  flag("gated", own.gated, "gated feed-forward network (SwiGLU): three matrices");
  flag("biases", own.biases, "linear layers and norms have biases, and dropout is used, as in GPT");
  flag("tied", own.tied, "output projection and embedding are one matrix (tie_word_embeddings)");
  flag("learnt_positions", own.learnt_positions, "positions are learnt; else rotary or none");
  flag("qkv_biases", own.qkv_biases, "queries, keys and values have biases (Qwen2)");
  flag("head_norms", own.head_norms, "queries and keys are normalised head by head (Qwen3)");
  if (!keys.reading())
    return;
  if (job.model != "transformer") {
    if (said)
      keys.error("name", fmt::format("dimensions are for name: transformer; '{}' has its own", job.model));
    return;
  }
  if (job.sequence_length > 0)
    own.sequence = job.sequence_length;
  own.name = "transformer";
  own.source = "the scenario";
  const std::vector<std::string> faults = transformer_faults(own);
  for (const std::string& fault : faults)
    keys.error("name", fault);
  if (faults.empty())
    job.transformer = std::make_shared<const Transformer>(std::move(own));
}

void read_parallel(Fields& training, JobSpec& job, const KeptParts& kept, bool workers_said, bool bf16)
{
  if (training.reading() && !training.has("parallel"))
    return;
  if (training.reading() && training.node() != nullptr)
    for (const DocumentNode::Entry& entry : training.node()->entries)
      if (entry.key != "parallel" && training.has(entry.key))
        training.error(entry.key, fmt::format("'{}' has no effect beside 'parallel'; remove it", entry.key));
  SaidLayout layout;
  training.object("parallel", "how one transformer is divided among GPUs, instead of a mode", [&](Fields& keys) {
    layout_fields(keys, layout);
    if (keys.reading() && keys.node() != nullptr)
      tell_other_words(keys);
    if (!keys.reading() || !within_reach(keys, layout))
      return;
    const Transformer* transformer = job.transformer ? job.transformer.get() : find_transformer(job.model);
    if (transformer == nullptr && job.model_refused)
      return;
    if (transformer == nullptr) {
      keys.error(fmt::format("'parallel' divides transformers, and '{}' is none that is known by its dimensions; name "
                             "one of the catalogue or a config.json, or give model: {{name: transformer, layers: …}}",
                             job.model));
      return;
    }
    // Autocast multiplies in 16 bit; its gradients are fp32, which is the default here.
    layout.precision = job.precision != "amp" ? job.precision : bf16 ? "bf16" : "fp16";
    if (layout.precision != "bf16" && layout.precision != "fp16" && !layout.low_precision())
      keys.error(
          fmt::format("with 'parallel', precision is amp, bf16, fp16, fp8, mxfp8 or nvfp4, not {}", job.precision));
    const OptimizerKind& kind = optimizer_kind(job.optimizer);
    if (!keys.has("moment_bytes"))
      layout.moment_bytes = kind.state_bytes;
    if (!keys.has("master_weights"))
      layout.master_weights = kind.master;
    layout.kept = kept;
    layout.kept.paged = kind.paged && !layout.offload_optimizer;
    if (layout.kept.lora.rank > 0)
      layout.kept.lora.share = lora_share(*transformer, layout.kept.lora);
    if (!keys.has("gradient_bytes") && !kind.master)
      layout.gradient_bytes = 2;
    layout.sequence = job.sequence_length;
    const int of_replica = layout.tp * layout.pp * layout.cp;
    layout.dp_assumed = layout.dp == 0 && !workers_said;
    if (layout.dp == 0)
      layout.dp = workers_said ? std::max(1, job.workers / of_replica) : 1;
    if (!workers_said)
      job.workers = layout.gpus();
    if (layout.whole_tensors && layout.zero != 1)
      keys.error("whole_tensors", "'whole_tensors' is for zero: 1; remove it, or write zero: 1");
    if (keys.has("host_bandwidth") && !layout.offload_optimizer)
      keys.error("host_bandwidth", "'host_bandwidth' has no effect without offload_optimizer: true; remove it");
    if (layout.listed != nullptr)
      layout.own_schedule = listed_schedule(keys, layout);
    tell_faults(keys, layout, *transformer, job.workers);
    job.training.mode = "parallel";
    job.training.parallel = std::make_shared<const ParallelLayout>(layout);
  });
}

} // namespace trainyard
