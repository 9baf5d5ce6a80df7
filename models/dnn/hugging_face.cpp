// SPDX-License-Identifier: Apache-2.0
// config.json, the file beside the weights of a model on Hugging Face. Field names and defaults: the configuration
// classes of the library transformers (configuration_llama.py and its siblings).
#include "models/dnn/hugging_face.hpp"

#include "models/core/closest.hpp"
#include "models/core/diagnostics.hpp"
#include "models/core/input_file.hpp"
#include "models/core/json.hpp"
#include "models/core/text.hpp"
#include "models/dnn/builder.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <stdexcept>

namespace trainyard {
namespace {

constexpr int longest_assumed = 8192; // tokens; contexts that are longer are reached by extensions after the training

enum class Family { llama, gpt2, gpt_neox, deepseek };

/// An architecture that the dimensions of Transformer express.
struct Architecture {
  const char* type; // model_type
  Family family;
  const char* experts = nullptr; // field with their number
  const char* expert_ffn = "";   // field with their width
  bool qkv_biases = false;
  bool head_norms = false;
  bool tied = false; // what counts where the file does not say
};

constexpr std::array architectures{
    Architecture{"llama", Family::llama},
    Architecture{"mistral", Family::llama},
    Architecture{"mixtral", Family::llama, "num_local_experts", "intermediate_size"},
    Architecture{"qwen2", Family::llama, nullptr, "", true},
    Architecture{"qwen2_moe", Family::llama, "num_experts", "moe_intermediate_size", true},
    Architecture{"qwen3", Family::llama, nullptr, "", false, true},
    Architecture{"qwen3_moe", Family::llama, "num_experts", "moe_intermediate_size", false, true},
    Architecture{"gpt2", Family::gpt2, nullptr, "", false, false, true},
    Architecture{"gpt_neox", Family::gpt_neox},
    Architecture{"deepseek", Family::llama, "n_routed_experts", "moe_intermediate_size"},
    Architecture{"deepseek_v2", Family::deepseek, "n_routed_experts", "moe_intermediate_size"},
    Architecture{"deepseek_v3", Family::deepseek, "n_routed_experts", "moe_intermediate_size"},
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
  ConfigReader(const Json& json, std::string file) : json_{json}, file_{std::move(file)} {}

  TransformerFile read()
  {
    const Architecture* architecture = find_architecture();
    if (architecture == nullptr) {
      faults_.throw_if_errors();
      return {};
    }
    Transformer& t = made_.transformer;
    t.source = file_;
    t.biases = architecture->family == Family::gpt2 || architecture->family == Family::gpt_neox;
    t.gated = !t.biases;
    t.learnt_positions = architecture->family == Family::gpt2;
    t.qkv_biases = architecture->qkv_biases || flag("attention_bias", false);
    t.head_norms = architecture->head_norms;
    t.tied = flag("tie_word_embeddings", architecture->tied);
    t.vocabulary = size("vocab_size");
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
      t.heads = size("num_attention_heads");
      t.kv_heads = size("num_key_value_heads", t.heads);
      if (architecture->family == Family::gpt_neox)
        t.kv_heads = t.heads;
      t.head_width = size("head_dim", 0);
      t.ffn = size("intermediate_size");
      sequence();
    }
    if (architecture->experts != nullptr)
      experts(*architecture);
    if (architecture->family == Family::deepseek)
      latent_attention();
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
    const auto found =
        std::ranges::find_if(architectures, [&](const Architecture& one) { return type->string == one.type; });
    if (found != architectures.end())
      return &*found;
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
  const Json* field(const char* name) const
  {
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
    if (const Json* scaling = field("rope_scaling"); scaling != nullptr)
      if (const Json* original = scaling->find("original_max_position_embeddings"); original != nullptr)
        longest = whole(*original, "original_max_position_embeddings", 1);
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
    t.active_experts = size("num_experts_per_tok");
    const int dense = t.ffn;
    t.ffn = size(architecture.expert_ffn);
    if (architecture.family == Family::deepseek || field("n_shared_experts") != nullptr)
      t.shared_ffn = static_cast<int>(std::min(1e9, 1.0 * count("n_shared_experts", 0) * t.ffn));
    else
      t.shared_ffn = count("shared_expert_intermediate_size", 0);
    t.expert_groups = std::max(1, count("n_group", 1));
    t.active_groups = std::clamp(count("topk_group", t.expert_groups), 1, t.expert_groups);
    t.dense_layers = count("first_k_dense_replace", 0);
    if (t.dense_layers > 0)
      t.dense_ffn = dense;
    for (const char* every : {"moe_layer_freq", "decoder_sparse_step"})
      if (const Json* step = field(every); step != nullptr && whole(*step, every, 1) != 1)
        faults_.error({file_, step->line, step->column},
                      fmt::format("'{}' above 1 (layers with and without experts in turn) cannot be expressed", every));
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

  void tell_left_out()
  {
    for (const auto& [name, what] : {std::pair{"sliding_window", "attention is counted over the whole sequence"},
                                     std::pair{"quantization_config", "the scenario's precision counts"},
                                     std::pair{"num_nextn_predict_layers", "layers that predict later tokens"}})
      if (const Json* found = field(name);
          found != nullptr && !(found->kind == Json::Kind::number && found->value == 0))
        made_.ignored.push_back(fmt::format("{}: {}", name, what));
  }

  const Json& json_;
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
