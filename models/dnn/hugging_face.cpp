// SPDX-License-Identifier: Apache-2.0
// config.json, the file beside the weights of a model on Hugging Face. Field names and defaults: the configuration
// classes of the library transformers (configuration_llama.py and its siblings).
#include "models/dnn/hugging_face.hpp"

#include "models/core/closest.hpp"
#include "models/core/diagnostics.hpp"
#include "models/core/input_file.hpp"
#include "models/core/json.hpp"
#include "models/core/key_fates.hpp"
#include "models/core/text.hpp"
#include "models/dnn/builder.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <set>
#include <stdexcept>

namespace trainyard {
namespace {

constexpr int longest_assumed = 8192; // tokens; contexts that are longer are reached by extensions after the training

/// Which fields carry the dimensions, and which parts a layer has.
enum class Family { llama, gpt2, gpt_neox, deepseek, falcon, phi };

/// Norms of a layer: one before each block; another behind each; one for both blocks, which read the same; none with
/// parameters.
enum class Norms { two, four, one, none };

/// An architecture that the dimensions of Transformer express.
struct Architecture {
  const char* type; // model_type
  Family family = Family::llama;
  const char* experts = nullptr; // field with their number
  const char* expert_ffn = "";   // field with their width
  bool qkv_biases = false;
  bool head_norms = false;
  bool tied = false;        // what counts where the file does not say
  bool output_bias = false; // attention_bias is one of the output too
  Norms norms = Norms::two;
  bool norm_biases = false;
  bool wide_norms = false; // queries and keys are normalised over all heads together
  bool gated = true;
  bool biases = false; // of all linear layers and norms
};

constexpr std::array architectures{
    Architecture{.type = "llama", .output_bias = true},
    Architecture{"mistral"},
    Architecture{"mixtral", Family::llama, "num_local_experts", "intermediate_size"},
    Architecture{.type = "qwen2", .qkv_biases = true},
    Architecture{"qwen2_moe", Family::llama, "num_experts", "moe_intermediate_size", true},
    Architecture{.type = "qwen3", .head_norms = true, .output_bias = true},
    Architecture{"qwen3_moe", Family::llama, "num_experts", "moe_intermediate_size", false, true, false, true},
    Architecture{.type = "gpt2", .family = Family::gpt2, .tied = true, .gated = false, .biases = true},
    Architecture{.type = "gpt_neox", .family = Family::gpt_neox, .gated = false, .biases = true},
    Architecture{"deepseek", Family::llama, "n_routed_experts", "moe_intermediate_size"},
    Architecture{"deepseek_v2", Family::deepseek, "n_routed_experts", "moe_intermediate_size"},
    Architecture{"deepseek_v3", Family::deepseek, "n_routed_experts", "moe_intermediate_size"},
    Architecture{"deepseek_v32", Family::deepseek, "n_routed_experts", "moe_intermediate_size"},
    Architecture{"kimi_k2", Family::deepseek, "n_routed_experts", "moe_intermediate_size"},
    Architecture{"glm_moe_dsa", Family::deepseek, "n_routed_experts", "moe_intermediate_size"},
    Architecture{"ministral3"},
    Architecture{"llama4_text", Family::llama, "num_local_experts", "intermediate_size"},
    Architecture{.type = "gemma", .tied = true},
    Architecture{.type = "gemma2", .tied = true, .norms = Norms::four},
    Architecture{.type = "gemma3_text", .head_norms = true, .tied = true, .norms = Norms::four},
    Architecture{
        .type = "gpt_oss", .experts = "num_local_experts", .expert_ffn = "intermediate_size", .output_bias = true},
    Architecture{"glm"},
    Architecture{.type = "glm4", .norms = Norms::four},
    Architecture{"glm4_moe", Family::llama, "n_routed_experts", "moe_intermediate_size"},
    Architecture{"phi3"},
    Architecture{
        .type = "phi", .family = Family::phi, .norms = Norms::one, .norm_biases = true, .gated = false, .biases = true},
    Architecture{.type = "phimoe",
                 .experts = "num_local_experts",
                 .expert_ffn = "intermediate_size",
                 .output_bias = true,
                 .norm_biases = true},
    Architecture{.type = "falcon", .family = Family::falcon, .tied = true, .norm_biases = true, .gated = false},
    Architecture{.type = "olmo", .output_bias = true, .norms = Norms::none},
    Architecture{.type = "olmo2", .output_bias = true, .wide_norms = true},
    Architecture{.type = "olmo3", .output_bias = true, .wide_norms = true},
    Architecture{.type = "olmoe",
                 .experts = "num_experts",
                 .expert_ffn = "intermediate_size",
                 .output_bias = true,
                 .wide_norms = true},
    Architecture{.type = "nemotron", .output_bias = true, .norm_biases = true, .gated = false},
    Architecture{.type = "cohere", .tied = true, .output_bias = true, .norms = Norms::one},
    Architecture{.type = "cohere2", .tied = true, .output_bias = true, .norms = Norms::one},
    Architecture{.type = "granite", .output_bias = true},
    Architecture{.type = "smollm3", .tied = true, .output_bias = true},
    Architecture{.type = "seed_oss", .qkv_biases = true},
    Architecture{.type = "starcoder2", .tied = true, .norm_biases = true, .gated = false, .biases = true},
    Architecture{
        .type = "minimax_m2", .experts = "num_local_experts", .expert_ffn = "intermediate_size", .wide_norms = true},
};

/// Architectures with layers of another kind.
constexpr std::string_view hybrids = "nemotron_h falcon_h1 falcon_mamba mamba mamba2 jamba bamba zamba zamba2 "
                                     "granitemoehybrid qwen3_next kimi_linear minimax minimax_text_01 rwkv "
                                     "recurrent_gemma nemotron-nas lfm2 lfm2_moe plamo2";

/// Fields that say nothing of the dimensions, and those whose part is left out.
constexpr std::string_view without_weight =
    "architectures model_type torch_dtype dtype transformers_version transformers.js_config _name_or_path auto_map "
    "bos_token_id eos_token_id pad_token_id unk_token_id sep_token_id decoder_start_token_id use_cache "
    "initializer_range initializer_factor initializer_cutoff_factor rms_norm_eps layer_norm_eps layer_norm_epsilon "
    "norm_eps norm_epsilon rope_theta rope_scaling rope_parameters rope_local_base_freq rope_interleave "
    "original_max_position_embeddings max_position_embeddings hidden_act hidden_activation activation_function "
    "activation attention_dropout hidden_dropout hidden_dropout_prob attention_probs_dropout_prob resid_pdrop "
    "embd_pdrop attn_pdrop resid_dropout residual_dropout embedding_dropout classifier_dropout summary_* "
    "pretraining_tp partial_rotary_factor rotary_pct rotary_emb_base use_parallel_residual scale_attn_weights "
    "scale_attn_by_inverse_layer_idx reorder_and_upcast_attn task_specific_params gradient_checkpointing tokenizer_* "
    "problem_type id2label label2id num_labels query_pre_attn_scalar final_logit_softcapping attn_logit_softcapping "
    "cache_implementation logit_scale embedding_multiplier attention_multiplier residual_multiplier logits_scaling "
    "router_aux_loss_coef router_jitter_noise output_router_logits scoring_func topk_method norm_topk_prob "
    "routed_scaling_factor seq_aux aux_loss_alpha ep_size is_decoder is_encoder_decoder add_cross_attention "
    "max_window_layers use_sliding_window layer_types sliding_window_pattern _sliding_window_pattern no_rope_layers "
    "no_rope_layer_interval attn_temperature_tuning attn_scale floor_scale clip_qkv alibi apply_residual* "
    "attention_softmax_in_fp32 use_bidirectional_attention for_llm_compressor initial_context_length swiglu_limit "
    "input_jitter_noise experts_per_token router_bias scale_embeddings use_qk_norm mscale* ffn_bias return_dict "
    "output_* "
    "time_step_* chunk_size_feed_forward _attn_implementation* _experts_implementation use_grouped_mm boi_token_index "
    "eoi_token_index image_token_index mm_tokens_per_image block_auto_adjust_ff_dim n_ctx n_positions "
    "head_dim num_key_value_heads rotary layer_norm_type use_norm_bias residual_in_fp32 qk_head_dim "
    "attention_out_bias use_stable_embedding name text_config vision_config max_model_len pruned_heads";
constexpr KeyFate dropped[]{
    {"sliding_window attention_chunk_size", "attention is counted over the whole sequence"},
    {"quantization_config quantization compression_config", "the scenario's precision counts"},
    {"num_nextn_predict_layers num_mtp_modules use_mtp mtp_*", "layers that predict later tokens"},
    {"index_*", "attention reads every token, and what chooses some of them is left out"},
};

std::vector<std::string> known_types()
{
  std::vector<std::string> names;
  names.reserve(architectures.size());
  for (const Architecture& one : architectures)
    names.emplace_back(one.type);
  return names;
}

class ConfigReader
{
public:
  ConfigReader(Json json, std::string file) : json_{std::move(json)}, file_{std::move(file)} {}

  TransformerFile read()
  {
    if (const Json* text = json_.find("text_config"); text != nullptr && text->kind == Json::Kind::object) {
      json_ = Json{*text};
      made_.ignored.emplace_back("what is not in text_config: only the model of text is trained");
    }
    const Architecture* architecture = find_architecture();
    if (architecture == nullptr) {
      faults_.throw_if_errors();
      return {};
    }
    Transformer& t = made_.transformer;
    t.source = file_;
    t.biases = architecture->biases && flag("use_bias", true);
    t.gated = architecture->gated;
    t.learnt_positions = architecture->family == Family::gpt2;
    t.qkv_biases = (architecture->qkv_biases || flag("attention_bias", type_ == "gpt_oss")) && !t.biases;
    t.head_norms = architecture->head_norms || (type_ == "glm4_moe" && flag("use_qk_norm", false));
    t.tied = flag("tie_word_embeddings", architecture->tied);
    const bool gemma3 = type_ == "gemma3_text"; // its files leave out what is as in the class
    t.vocabulary = gemma3 ? size("vocab_size", 262208) : size("vocab_size");
    if (architecture->family == Family::gpt2) {
      t.hidden = size("n_embd");
      t.layers = size("n_layer");
      t.heads = size("n_head");
      t.kv_heads = t.heads;
      t.ffn = size("n_inner", 4 * std::min(t.hidden, 100'000'000));
      t.sequence = size("n_positions", size("n_ctx", 1024));
      made_.sequence_from = "its positions are learnt, so many";
    } else {
      t.hidden = size("hidden_size");
      t.layers = size("num_hidden_layers");
      t.heads = gemma3 ? size("num_attention_heads", 8) : size("num_attention_heads");
      t.kv_heads = size("num_key_value_heads", gemma3 ? 4 : t.heads);
      if (architecture->family == Family::gpt_neox)
        t.kv_heads = t.heads;
      t.head_width = size("head_dim", gemma3 ? 256 : 0);
      t.ffn = architecture->family == Family::falcon ? size("ffn_hidden_size", 4 * std::min(t.hidden, 100'000'000))
                                                     : size("intermediate_size");
      sequence();
    }
    if (architecture->experts != nullptr)
      experts(*architecture);
    if (architecture->family == Family::deepseek)
      latent_attention();
    Norms norms = architecture->norms;
    if (architecture->family == Family::falcon)
      norms = falcon();
    vectors(*architecture, norms);
    tell_left_out();
    if (!faults_.has_errors())
      for (const std::string& fault : transformer_faults(t))
        faults_.error({file_, json_.line, json_.column}, fault);
    faults_.throw_if_errors();
    return std::move(made_);
  }

private:
  const Architecture* find_architecture()
  {
    const Json* type = json_.find("model_type");
    if (json_.kind != Json::Kind::object || type == nullptr || type->kind != Json::Kind::text) {
      faults_.error({file_, json_.line, json_.column},
                    "no config.json of a transformer: the field 'model_type' (a text) is missing");
      return nullptr;
    }
    type_ = type->string;
    read_.insert("model_type");
    const auto found = std::ranges::find_if(architectures, [&](const Architecture& one) { return type_ == one.type; });
    if (found != architectures.end())
      return &*found;
    if (const KeyFate hybrid{hybrids, "hybrid"}; fate_of(type_, {&hybrid, 1}) == hybrid.why) {
      faults_.error({file_, type->line, type->column},
                    fmt::format("'{}' has layers that are neither attention nor a feed-forward network (Mamba, linear "
                                "attention, layers of unlike sizes); they cannot be expressed",
                                clean(type_)));
      return nullptr;
    }
    faults_.error(
        {file_, type->line, type->column},
        fmt::format("the architecture '{}' is not known{}; known are {}. Give its dimensions in the scenario: "
                    "model: {{name: transformer, layers: …, hidden: …}}",
                    clean(type->string), did_you_mean(type->string, known_types()), fmt::join(known_types(), ", ")));
    return nullptr;
  }

  static std::string clean(const std::string& text)
  {
    std::string result = text.substr(0, 60);
    std::ranges::replace_if(
        result, [](unsigned char c) { return c < 0x20; }, '?');
    return result;
  }

  /// A field that is there and not null.
  const Json* field(const char* name)
  {
    read_.insert(name);
    const Json* found = json_.find(name);
    return found == nullptr || found->kind == Json::Kind::null ? nullptr : found;
  }

  int whole(const Json& value, const char* name, int least)
  {
    if (value.kind == Json::Kind::number && value.value >= least && value.value <= 1e9 &&
        value.value == std::floor(value.value))
      return static_cast<int>(value.value);
    faults_.error({file_, value.line, value.column},
                  fmt::format("'{}' must be a whole number of at least {}", name, least));
    return std::max(1, least);
  }

  /// A field that must be there.
  int size(const char* name)
  {
    if (const Json* found = field(name); found != nullptr)
      return whole(*found, name, 1);
    faults_.error({file_, json_.line, json_.column}, fmt::format("the field '{}' is missing", name));
    return 1;
  }

  int size(const char* name, int otherwise)
  {
    const Json* found = field(name);
    return found == nullptr ? otherwise : whole(*found, name, 1);
  }

  int count(const char* name, int otherwise)
  {
    const Json* found = field(name);
    return found == nullptr ? otherwise : whole(*found, name, 0);
  }

  bool flag(const char* name, bool otherwise)
  {
    const Json* found = field(name);
    if (found == nullptr)
      return otherwise;
    if (found->kind != Json::Kind::boolean)
      faults_.error({file_, found->line, found->column}, fmt::format("'{}' must be true or false", name));
    return found->flag;
  }

  /// Pre-training length: that before an extension of the context, where the file tells it.
  void sequence()
  {
    int longest = size("max_position_embeddings", longest_assumed);
    constexpr const char* key = "original_max_position_embeddings";
    const auto take = [&](const Json* object) {
      if (const Json* original = object == nullptr ? nullptr : object->find(key);
          original != nullptr && original->kind != Json::Kind::null)
        longest = whole(*original, key, 1);
    };
    for (const char* name : {"rope_scaling", "rope_parameters"}) // the library's version 5 renamed it
      if (const Json* scaling = field(name); scaling != nullptr) {
        take(scaling);
        for (const auto& [kind, inner] : scaling->members) // of each kind of layers
          take(&inner);
      }
    if (field(key) != nullptr)
      take(&json_);
    made_.transformer.sequence = std::min(longest, longest_assumed);
    made_.sequence_from =
        longest > longest_assumed
            ? fmt::format("the file only says that contexts have up to {} tokens; give sequence_length", longest)
            : "the length of its positions";
  }

  void experts(const Architecture& architecture)
  {
    Transformer& t = made_.transformer;
    t.experts = size(architecture.experts);
    t.active_experts = field("num_experts_per_tok") == nullptr && field("experts_per_token") != nullptr
                           ? size("experts_per_token")
                           : size("num_experts_per_tok");
    const int dense = size("intermediate_size_mlp", t.ffn);
    t.ffn = size(architecture.expert_ffn);
    if (type_ == "llama4_text")
      t.shared_ffn = t.ffn;
    else if (architecture.family == Family::deepseek || field("n_shared_experts") != nullptr)
      t.shared_ffn = static_cast<int>(std::min(1e9, 1.0 * count("n_shared_experts", 0) * t.ffn));
    else
      t.shared_ffn = count("shared_expert_intermediate_size", 0);
    t.expert_groups = std::max(1, count("n_group", 1));
    t.active_groups = std::clamp(count("topk_group", t.expert_groups), 1, t.expert_groups);
    t.dense_layers = count("first_k_dense_replace", 0);
    for (const char* every : {"moe_layer_freq", "decoder_sparse_step", "interleave_moe_layer_step"})
      if (const Json* step = field(every); step != nullptr && step->kind == Json::Kind::number)
        t.expert_step = whole(*step, every, 1);
      else if (step != nullptr)
        faults_.error({file_, step->line, step->column},
                      fmt::format("'{}' that lists layers one by one cannot be expressed", every));
    if (t.has_dense_layers())
      t.dense_ffn = dense;
    if (const Json* only = field("mlp_only_layers"); only != nullptr && !only->items.empty())
      faults_.error({file_, only->line, only->column},
                    "'mlp_only_layers' (single layers without experts) cannot be expressed");
  }

  void latent_attention()
  {
    Transformer& t = made_.transformer;
    t.kv_heads = t.heads;
    t.kv_rank = size("kv_lora_rank");
    t.query_rank = count("q_lora_rank", 0);
    t.rope_width = size("qk_rope_head_dim");
    t.head_width = static_cast<int>(std::min(1e9, 1.0 * size("qk_nope_head_dim") + t.rope_width));
    t.value_width = size("v_head_dim");
  }

  /// Heads of keys, and norms, by the switches of its class (modeling_falcon.py, FalconDecoderLayer).
  Norms falcon()
  {
    Transformer& t = made_.transformer;
    const bool second = flag("new_decoder_architecture", false), parallel = flag("parallel_attn", true);
    const bool shared = flag("multi_query", true);
    t.kv_heads = second ? size("num_kv_heads", t.heads) : shared ? 1 : t.heads;
    t.biases = flag("bias", false);
    const int of_parallel = size("num_ln_in_parallel_attn", second ? 2 : 1);
    return parallel && of_parallel == 1 ? Norms::one : Norms::two;
  }

  /// Biases, norms and scales that the other dimensions do not count.
  void vectors(const Architecture& architecture, Norms norms)
  {
    Transformer& t = made_.transformer;
    const double wide = t.hidden, in_norm = t.biases || architecture.norm_biases ? 2 : 1;
    t.one_norm = norms == Norms::one;
    t.plain_norms = norms == Norms::none;
    const double of_layer = norms == Norms::four ? 4 : norms == Norms::one ? 1 : 2;
    if (!t.plain_norms) {
      t.layer_vectors = ((in_norm * of_layer) - (t.one_norm ? 1.0 : 2.0) * t.norm_vectors()) * wide;
      t.model_vectors = (in_norm - t.norm_vectors()) * wide; // the last norm
    }
    if (architecture.family == Family::phi || (type_ == "phimoe" && flag("lm_head_bias", false)))
      t.model_vectors += t.vocabulary; // bias of the output
    if (architecture.wide_norms)
      t.layer_vectors += t.query_width() + t.kv_width();
    if (architecture.output_bias && t.qkv_biases)
      t.layer_vectors += wide;
    if (flag("mlp_bias", false))
      t.layer_vectors += (t.gated ? 2.0 : 1.0) * t.ffn + wide;
    if (type_ == "gpt_oss") // sinks of attention; router and experts have biases
      t.layer_vectors += t.heads + t.experts * (1 + 2.0 * t.ffn + wide);
  }

  /// Every field is read, says nothing of the dimensions, or is told.
  void tell_left_out()
  {
    const KeyFate harmless{without_weight, harmless_key};
    for (const auto& [name, member] : json_.members)
      if (const bool off = member.kind == Json::Kind::null ||
                           (member.kind == Json::Kind::number && member.value == 0) ||
                           (member.kind == Json::Kind::boolean && !member.flag);
          !read_.contains(name) && !off && fate_of(name, {&harmless, 1}) == unknown_key)
        made_.ignored.push_back(fmt::format("{}: {}", clean(name), fate_of(name, dropped)));
  }

  Json json_;
  std::string type_;
  std::set<std::string, std::less<>> read_;
  std::string file_;
  Diagnostics faults_;
  TransformerFile made_;
};

class HuggingFaceConfig final : public DnnFile
{
public:
  Dnn read(const std::string& path) const override
  {
    try {
      const Transformer transformer = read_hugging_face_file(path).transformer;
      return build_dnn("transformer", {.transformer = &transformer});
    } catch (const InputError& error) {
      throw std::invalid_argument{format(error.diagnostics().front())};
    }
  }
};

TY_REGISTER(DnnFile, HuggingFaceConfig, ".json", "config.json of a transformer (Hugging Face)");

} // namespace

TransformerFile read_hugging_face(std::string_view text, const std::string& file)
{
  const Json json = parse_json(text, file);
  return ConfigReader{json, file}.read();
}

TransformerFile read_hugging_face_file(const std::string& path)
{
  TransformerFile made = read_hugging_face(InputFile{std::filesystem::path{path}, {.whole = 4U << 20U}}.text(), path);
  made.transformer.name = path;
  return made;
}

} // namespace trainyard
