// SPDX-License-Identifier: Apache-2.0
// The YAML file of a training with MaxText. Keys and defaults: MaxText/configs/base.yml.
#include "models/core/text.hpp"
#include "models/import/launch_keys.hpp"
#include "models/import/parallel_draft.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace trainyard {
namespace {

constexpr std::array maxtext_fates{
    KeyFate{"ici_autoregressive_parallelism dcn_autoregressive_parallelism quantize_* "
            "quantization_local_shard_count kv_quant* use_iota_embed scan_layers scan_* param_scan_axis "
            "inhomogeneous_layer_cycle_interval optimizer_memory_host_offload parameter_memory_host_offload "
            "decoder_layer_input* mlpwi* mlpwo* query_proj key_proj value_proj qkv_proj out_proj context "
            "megablox sparse_matmul capacity_factor matmul_precision shard_mode num_layers_per_pipeline_stage "
            "num_pipeline_* pipeline_* attention attention_type sliding_window_size dropout_rate fused_qkv fused_mlp "
            "grad_dtype weight_dtype mu_dtype opt_type allow_split_physical_axes custom_mesh logical_axis_rules "
            "mesh_axes data_sharding xla_* compile_* libtpu_init_args gradient_clipping_threshold",
            "not modelled: weights, gradients and states are divided as by FSDP, kernels are fused"},
    KeyFate{"run_name base_output_directory dataset_* hf_* grain_* tokenizer* enable_* load_* save_* checkpoint* "
            "async_* steps log_* profile* skip_* upload_* learning_rate* warmup_* cosine_* adam_* adamw_* "
            "normalization_layer_epsilon rope_* logits_dot_in_fp32 data_shuffle_seed init_weights_seed eval_* "
            "expansion_factor_real_data metrics_* gcs_* goodput* use_vertex* vertex_* tensorboard* jax_* "
            "max_prefill* prompt packing reuse_example_batch monitor_* stack_trace* logits_dot* cast_logits* "
            "normalize_embedding_logits final_logits_soft_cap attn_logits_soft_cap trainable_position_size "
            "base_config model_call_mode decoder_block per_device_batch* num_slices",
            harmless_key},
};

class MaxText final : public Importer
{
public:
  bool recognises(const InputFile& file) const override
  {
    return file.has("per_device_batch_size:") || (file.has("base_emb_dim:") && file.has("base_num_decoder_layers:")) ||
           file.has("ici_fsdp_parallelism:");
  }
  std::string description() const override { return "MaxText configuration"; }
  std::vector<KeyTable> keys() const override { return {{"per_device_batch_size: 1\nKEY: 7\n", maxtext_fates}}; }

  void read(const InputFile& file, ImportContext& context) const override
  {
    for (const Document& document : read_yaml_documents(file.text(), file.name(), context.report)) {
      LaunchKeys keys{file.name(), context, LaunchKeys::Kind::yaml};
      keys.add_yaml(document.root);
      read_one(keys, file, context);
    }
  }

private:
  static void read_one(LaunchKeys& keys, const InputFile& file, ImportContext& context)
  {
    ParallelDraft d;
    d.place = {file.name(), 0};
    d.name = "maxtext";
    const auto both = [&](const char* inside, const char* between) { // in a machine or slice, and among them
      return static_cast<int>(std::min(1e6, 1.0 * keys.number(inside, 1) * keys.number(between, 1)));
    };
    d.tp = both("ici_tensor_parallelism", "dcn_tensor_parallelism");
    d.pp = both("ici_pipeline_parallelism", "dcn_pipeline_parallelism");
    d.cp = both("ici_context_parallelism", "dcn_context_parallelism");
    if (const int sequence = both("ici_sequence_parallelism", "dcn_sequence_parallelism"); d.cp == 1)
      d.cp = sequence;
    d.ep = both("ici_expert_parallelism", "dcn_expert_parallelism");
    const int sharded = both("ici_fsdp_parallelism", "dcn_fsdp_parallelism");
    const int copies = both("ici_data_parallelism", "dcn_data_parallelism");
    const bool rest = keys.word("ici_fsdp_parallelism") == "-1" || keys.word("dcn_fsdp_parallelism") == "-1";
    d.zero = sharded > 1 || rest ? 3 : 0;
    if (!rest && keys.word("ici_data_parallelism") != "-1" && keys.word("dcn_data_parallelism") != "-1")
      d.dp = static_cast<int>(std::min(1e6, 1.0 * sharded * copies * std::max(1, d.ep)));
    if (sharded > 1 && copies > 1)
      d.shard_within = sharded;
    d.sequence_parallel = d.tp > 1;
    d.fused_elementwise = "true"; // of XLA
    const std::string batch = keys.word("per_device_batch_size");
    const double each = as_number<double>(batch).value_or(12);
    const int ranks = d.tp * std::max(1, std::min(d.pp, 1000)) * d.cp; // devices of a replica
    d.micro_batch = static_cast<int>(std::clamp(std::round(each * std::min(ranks, 100'000)), 1.0, 1e5));
    if (ranks > 1)
      context.report.assumed({"micro-batch {}", d.micro_batch},
                             {"per_device_batch_size {} x {} devices of a replica", each, ranks}, d.place);
    d.accumulation = keys.number("gradient_accumulation_steps", 1);
    d.sequence = keys.number("max_target_length", 2048);
    const std::string again = keys.word("remat_policy");
    d.recomputation = again.empty() || again == "full" ? "full" : "";
    if (!again.empty() && again != "full")
      context.report.assumed("nothing is computed again", {"the policy '{}' keeps some products", again}, d.place);
    const std::string quantization = keys.word("quantization");
    d.precision = quantization.find("fp8") != std::string::npos || quantization == "int8" ? "fp8" : "bf16";
    keys.word("dtype");
    static const std::map<std::string, std::string> known{{"llama2-7b", "llama2_7b"},
                                                          {"llama2-13b", "llama2_13b"},
                                                          {"llama2-70b", "llama2_70b"},
                                                          {"llama3-8b", "llama3_8b"},
                                                          {"llama3-70b", "llama3_70b"},
                                                          {"llama3.1-8b", "llama3_8b"},
                                                          {"llama3.1-70b", "llama3_70b"},
                                                          {"llama3.1-405b", "llama3.1_405b"},
                                                          {"llama3-405b", "llama3.1_405b"},
                                                          {"mistral-7b", "mistral_7b"},
                                                          {"mixtral-8x7b", "mixtral_8x7b"},
                                                          {"mixtral-8x22b", "mixtral_8x22b"},
                                                          {"deepseek2-16b", "deepseek_v2_lite"},
                                                          {"deepseek3-671b", "deepseek_v3"},
                                                          {"qwen3-8b", "qwen3_8b"},
                                                          {"qwen3-14b", "qwen3_14b"},
                                                          {"qwen3-32b", "qwen3_32b"},
                                                          {"qwen3-30b-a3b", "qwen3_30b_a3b"},
                                                          {"qwen3-235b-a22b", "qwen3_235b_a22b"}};
    const std::string name = keys.word("model_name");
    if (const auto found = known.find(name); found != known.end())
      d.model = found->second;
    else if (name.empty() || name == "default")
      d.own = model(keys, d);
    else if (context.options.model.empty())
      context.report.warning(d.place, "the catalogue has no {}", name);
    if (keys.word("hardware") == "tpu" && context.options.gpu.empty())
      d.gpu = tpu_of(keys.word("compile_topology") + " " + keys.word("run_name"), d.place, context);
    keys.tell_rest(maxtext_fates);
    add_parallel_job(std::move(d), context);
  }

  /// "v5e-256": the generation that a word names; none is an error.
  static std::string tpu_of(const std::string& words, const ImportPlace& place, ImportContext& context)
  {
    for (const char* generation : {"v3", "v4", "v5e", "v5p", "v6e"})
      if (words.find(generation) != std::string::npos) {
        context.report.assumed({"devices are TPU-{}", generation}, "compile_topology or run_name says so", place);
        return std::string{"TPU-"} + generation;
      }
    context.report.error(place,
                         "hardware: tpu, and no word of which: give --gpu TPU-v5e, or another of simrun list gpus");
    return "TPU-v5e";
  }

  /// Widths are those of the file times powers of two (global_parameter_scale).
  static std::optional<Transformer> model(LaunchKeys& keys, const ParallelDraft& d)
  {
    Transformer t;
    t.hidden = keys.number("base_emb_dim", 2048);
    t.heads = keys.number("base_num_query_heads", 16);
    t.kv_heads = keys.number("base_num_kv_heads", t.heads);
    t.ffn = keys.number({"base_moe_mlp_dim", "base_mlp_dim"}, 7168);
    t.layers = keys.number("base_num_decoder_layers", 16);
    t.head_width = keys.number("head_dim", 128);
    t.vocabulary = keys.number("vocab_size", 32000);
    t.experts = keys.number("num_experts", 1);
    t.active_experts = std::min(t.experts, keys.number("num_experts_per_tok", 1));
    const std::string units = keys.word("mlp_activations");
    t.gated = units.empty() || units.find("linear") != std::string::npos;
    t.tied = keys.flag("logits_via_embedding");
    t.biases = t.learnt_positions = false;
    t.sequence = std::max(1, d.sequence);
    return t;
  }
};

TY_REGISTER(Importer, MaxText, "maxtext", "YAML of MaxText: model, mesh, batch, recomputation");

} // namespace
} // namespace trainyard
