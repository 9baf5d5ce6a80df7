// SPDX-License-Identifier: Apache-2.0
// YAML of trainings with Megatron-Core: NeMo (examples/nlp/language_modeling/conf/megatron_gpt_config.yaml),
// Megatron-Bridge, and Megatron-LM's own --yaml-cfg. Names are those of its configuration classes
// (megatron/core/transformer/transformer_config.py, megatron/core/model_parallel_config.py).
#include "models/core/text.hpp"
#include "models/import/launch_keys.hpp"
#include "models/import/parallel_draft.hpp"

#include <algorithm>
#include <array>

namespace trainyard {
namespace {

constexpr std::array nemo_fates{
    KeyFate{
        "window_size rampup_batch_size attention_dropout* moe_expert_capacity_factor moe_token_dispatcher_type "
        "moe_grouped_gemm moe_permute_fusion gradient_as_bucket_view fp8_* tp_comm_* ub_* "
        "bias_activation_fusion bias_dropout_add_fusion masked_softmax_fusion gradient_accumulation_fusion "
        "defer_embedding_wgrad_compute overlap_p2p_comm batch_p2p_comm nccl_communicator_config_path cpu_offloading* "
        "activations_checkpoint_num_layers activations_checkpoint_method recompute_num_layers recompute_method "
        "num_micro_batches_with_partial_activation_checkpoints activations_checkpoint_layers_per_pipeline "
        "use_cpu_initialization fp32_residual_connection attention_softmax_in_fp32 apply_query_key_layer_scaling "
        "enable_cuda_graph external_cuda_graph use_emha deterministic_mode bucket_cap_mb align_param_gather "
        "average_in_collective transformer_engine apply_rope_fusion cross_entropy_loss_fusion "
        "distribute_saved_activations delay_grad_reduce contiguous_grad_bucket grad_allreduce_chunk_size_mb "
        "grad_div_ar_fusion async_grad_allreduce overlap_param_gather_with_optimizer_step",
        "not modelled: kernels and messages are those of Megatron-Core as they come"},
    KeyFate{
        "lr min_lr lr_* weight_decay betas beta1 beta2 eps adam_* sched name warmup_steps constant_steps seed data_* "
        "data_prefix splits_string train_* num_workers dataloader_type index_mapping_dir skip_warmup eod_mask_loss "
        "max_epochs max_steps max_time log_* logger val_check_interval limit_* enable_* num_sanity_val_steps "
        "benchmark gradient_clip_val accelerator strategy use_distributed_sampler checkpoint_* save_* "
        "resume_* restore_from_path exp_dir project dir explicit_log_dir create_* wandb_* tokenizer* library "
        "type model merge_file vocab_file delimiter sentencepiece_legacy init_method_std use_scaled_init_method "
        "layernorm_epsilon normalization rotary_* seq_len_interpolation_factor clip_grad native_amp_* hysteresis "
        "gradient_as* onnx_safe persist_layer_norm headscale grad_scaler sync_batch_comm nsys_profile ranks "
        "start_step end_step gen_shape monitor mode always_save* filename every_n* max_position_embeddings "
        "hidden_act eval_* exit_* load* save* tensorboard* reset_* optimizer_* dataset* split path random_seed "
        "interval mock_data pin_memory megatron_amp_O2 mcore_gpt persistent_workers accumulate_grad_batches",
        harmless_key},
};

class Nemo final : public Importer
{
public:
  bool recognises(const InputFile& file) const override
  {
    return (file.has("tensor_model_parallel_size:") || file.has("megatron_amp_O2:")) && !file.has("--tensor") &&
           !file.has("apiVersion:");
  }
  std::string description() const override { return "YAML of a training with Megatron-Core (NeMo)"; }
  std::vector<KeyTable> keys() const override { return {{"tensor_model_parallel_size: 1\nKEY: 7\n", nemo_fates}}; }

  void read(const InputFile& file, ImportContext& context) const override
  {
    for (const Document& document : read_yaml_documents(file.text(), file.name(), context.report)) {
      LaunchKeys keys{file.name(), context, LaunchKeys::Kind::yaml};
      add_parts(document.root, "", keys);
      keys.add_yaml(document.root);
      read_one(keys, file, context);
    }
  }

private:
  /// What is called as other settings are, in the maps of the optimiser and of the tokenizer, wherever these stand.
  static void add_parts(const DocumentNode& node, const std::string& path, LaunchKeys& keys)
  {
    for (const DocumentNode::Entry& entry : node.entries) {
      const std::string below = path.empty() ? entry.key : path + "." + entry.key;
      const bool optimizer = entry.key == "optim" || entry.key == "optimizer", tokenizer = entry.key == "tokenizer";
      for (const DocumentNode::Entry& part : entry.value.entries)
        if ((optimizer && part.key == "name") || (tokenizer && (part.key == "type" || part.key == "model"))) {
          const LaunchKeys::Key key{clean_text(below + "." + part.key).substr(0, 80),
                                    clean_text(part.value.text).substr(0, 200), part.line};
          keys.add((optimizer ? "optim." : "tokenizer.") + part.key, key);
          keys.add(part.key, key); // before others of this name
        }
      add_parts(entry.value, below, keys);
    }
  }

  /// One of these; empty where it is not there.
  static std::string part(LaunchKeys& keys, const std::string& of, const std::string& name)
  {
    std::string said = keys.word(of + "." + name);
    if (!said.empty())
      keys.find(name);
    return said;
  }

  static void read_one(LaunchKeys& keys, const InputFile& file, ImportContext& context)
  {
    ParallelDraft d;
    d.place = {file.name(), 0};
    d.name = "nemo";
    d.per_node = keys.number({"devices", "gpus_per_node", "num_gpus_per_node"}, 0);
    const int nodes = keys.number({"num_nodes", "nodes"}, 0);
    d.gpus = static_cast<int>(std::min(1e6, 1.0 * d.per_node * nodes));
    d.tp = keys.number("tensor_model_parallel_size", 1);
    d.pp = keys.number("pipeline_model_parallel_size", 1);
    d.vp = keys.number("virtual_pipeline_model_parallel_size", 1);
    d.cp = keys.number("context_parallel_size", 1);
    d.ep = keys.number("expert_model_parallel_size", 1);
    if (d.vp == 1 && d.pp > 1)
      d.schedule = "1f1b";
    d.expert_tp = keys.number("expert_tensor_parallel_size", 0);
    d.sequence_parallel = keys.flag("sequence_parallel");
    d.micro_batch = keys.number("micro_batch_size", 1);
    d.global_batch = keys.number("global_batch_size", 0);
    d.sequence = keys.number({"encoder_seq_length", "seq_length", "sequence_length"}, 0);
    std::string optimizer = keys.word({"optimizer", "optim"});
    if (const std::string name = part(keys, "optim", "name"); !name.empty())
      optimizer = name;
    if (keys.flag("use_distributed_optimizer", optimizer.find("distributed") != std::string::npos))
      d.zero = 1;
    if (keys.flag({"fsdp", "use_megatron_fsdp", "use_torch_fsdp2"})) {
      d.zero = 3;
      d.flat_parameters = true;
    }
    d.overlap_gradients = keys.flag({"overlap_grad_sync", "overlap_grad_reduce"}) || d.zero == 3;
    keys.flag({"overlap_param_sync", "overlap_param_gather"});
    if (const std::string type = keys.word({"grad_sync_dtype", "grad_reduce_dtype"}); type == "bf16" || type == "16")
      d.gradient_bytes = 2;
    else if (const bool wide = keys.flag("grad_reduce_in_fp32"); keys.flag("grad_reduce_in_bf16") && !wide)
      d.gradient_bytes = 2;
    d.overlap_tensor = keys.flag({"ub_tp_comm_overlap", "tp_comm_overlap"}) ? "all" : "";
    const std::string again = keys.word({"activations_checkpoint_granularity", "recompute_granularity"});
    d.recomputation = again == "full" ? "full" : again == "selective" ? "selective" : "";
    const std::string precision = keys.word({"precision", "mixed_precision"});
    const bool fp8 = keys.flag("fp8") || keys.flag("fp8_hybrid") || precision.find("fp8") != std::string::npos;
    const bool bf16 = keys.flag("bf16"), fp16 = keys.flag("fp16"); // of Megatron-LM's file
    const bool half = precision.empty() ? fp16 && !bf16 : precision.starts_with("16") || precision.starts_with("fp16");
    d.precision = fp8 ? "fp8" : half ? "fp16" : "bf16";
    if (precision.empty() && half && !keys.flag("accumulate_allreduce_grads_in_fp32")) // as its arguments.py
      d.gradient_bytes = 2;
    if (precision.empty() && !bf16 && !fp16)
      context.report.assumed("products in bf16", "the file names no precision", d.place);
    d.mtp_layers = keys.number("mtp_num_layers", 0);
    if (const std::string dropout = keys.word("hidden_dropout"); !dropout.empty())
      d.dropout = as_number<double>(dropout).value_or(0) > 0;
    d.own = model(keys, d, context.report);
    keys.tell_rest(nemo_fates);
    add_parallel_job(std::move(d), context);
  }

  static std::optional<Transformer> model(LaunchKeys& keys, const ParallelDraft& d, ImportReport& report)
  {
    Transformer t;
    t.layers = keys.number("num_layers", 0);
    t.hidden = keys.number("hidden_size", 0);
    t.heads = keys.number("num_attention_heads", 0);
    t.kv_heads = keys.number("num_query_groups", t.heads);
    t.head_width = keys.number("kv_channels", 0);
    const std::string unit = keys.word({"activation", "activation_func"});
    const bool gate = keys.flag({"gated_linear_unit", "swiglu"});
    t.gated = gate || unit.find("glu") != std::string::npos;
    t.ffn = keys.number("ffn_hidden_size", 4 * std::min(std::max(1, t.hidden), 100'000'000));
    t.experts = keys.number("num_moe_experts", 1);
    t.active_experts = t.experts > 1 ? std::min(t.experts, keys.number("moe_router_topk", 2)) : 1;
    if (const int of_expert = keys.number("moe_ffn_hidden_size", 0); of_expert > 0 && t.experts > 1)
      t.ffn = of_expert;
    t.shared_ffn = keys.number("moe_shared_expert_intermediate_size", 0);
    const bool apart = keys.flag("untie_embeddings_and_output_weights"); // of Megatron-LM's file
    t.tied = keys.flag("share_embeddings_and_output_weights", !apart);
    t.biases = keys.flag({"bias", "add_bias_linear"}, true);
    t.qkv_biases = keys.flag("add_qkv_bias") && !t.biases;
    t.head_norms = keys.flag("qk_layernorm");
    const std::string positions = keys.word("position_embedding_type");
    t.learnt_positions = positions.empty() || positions == "learned_absolute";
    VocabularySays words;
    words.multiple = keys.number("make_vocab_size_divisible_by", 128);
    words.whole = keys.number("padded_vocab_size", 0);
    words.words = keys.number({"vocab_size", "override_vocab_size"}, 0);
    if (words.whole == 0 && words.words == 0)
      words.tokenizers = {part(keys, "tokenizer", "type"), part(keys, "tokenizer", "model"),
                          keys.word("tokenizer_type"), keys.word("tokenizer_model")};
    std::erase(words.tokenizers, "");
    if (t.layers == 0 || t.hidden == 0 || t.heads == 0)
      return std::nullopt;
    t.sequence = std::max(1, d.sequence);
    t.vocabulary = padded_vocabulary(words, d.tp, d.place, report);
    return t;
  }
};

TY_REGISTER(Importer, Nemo, "nemo", "YAML of NeMo, Megatron-Bridge and Megatron-LM: model, layout, batch, precision");

} // namespace
} // namespace trainyard
