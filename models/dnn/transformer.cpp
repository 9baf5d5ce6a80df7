// SPDX-License-Identifier: Apache-2.0
// Transformers: an embedding, equal layers of attention and a feed-forward network, and an output projection to the
// vocabulary.
#include "models/dnn/transformer.hpp"

#include "models/dnn/builder.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

namespace trainyard {
namespace {

class Maker
{
public:
  Maker(const Transformer& d, int sequence)
      : d_{d}, s_{static_cast<double>(sequence)}, h_{static_cast<double>(d.hidden)}, q_{d.query_width()}
  {
  }

  Dnn make(const std::string& source)
  {
    dnn_.name = d_.name;
    dnn_.description = "transformer, " + std::to_string(d_.layers) + " layers of width " + std::to_string(d_.hidden);
    dnn_.source = source;
    dnn_.sample = "sequence of " + std::to_string(static_cast<int>(s_)) + " tokens";
    dnn_.input_bytes = s_ * 4;
    embeddings();
    for (int i = 0; i < d_.layers; ++i)
      block("layer." + std::to_string(i), d_.is_dense(i));
    if (!d_.encoder)
      norm("norm");
    head();
    return std::move(dnn_);
  }

private:
  bool bias() const { return d_.biases; }
  bool dropout() const { return bias(); }

  int last() const { return static_cast<int>(dnn_.layers.size()) - 1; }

  /// Adds a layer that reads the one before, or those it names itself; returns its index.
  int append(Layer layer)
  {
    if (layer.inputs.empty() && !dnn_.layers.empty())
      layer.inputs = {last()};
    dnn_.layers.push_back(std::move(layer));
    return last();
  }

  void embeddings()
  {
    Layer layer{
        .name = "embeddings", .type = "embedding", .activation_elements = s_ * h_, .memory_elements = 2 * s_ * h_};
    layer.parameters.push_back({"embeddings.word", d_.vocabulary * h_});
    if (d_.learnt_positions)
      layer.parameters.push_back({"embeddings.position", positions() * h_});
    if (d_.encoder)
      layer.parameters.push_back({"embeddings.token_type", 2 * h_});
    if (d_.model_vectors > 0)
      layer.parameters.push_back({"embeddings.vectors", d_.model_vectors});
    append(std::move(layer));
    if (d_.encoder)
      norm("embeddings.norm");
  }

  /// Learnt positions: as many as published, even if the training sequences are shorter.
  double positions() const { return d_.sequence; }

  void norm(const std::string& name)
  {
    Layer layer{.name = name, .type = "layer_norm", .activation_elements = s_ * h_, .memory_elements = 3 * s_ * h_};
    if (d_.norm_vectors() > 0)
      layer.parameters.push_back({name + ".weight", h_});
    if (d_.norm_vectors() > 1)
      layer.parameters.push_back({name + ".bias", h_});
    append(std::move(layer));
  }

  /// @p from is the layer it reads, -1 the one before.
  int linear(const std::string& name, double inputs, double outputs, double tokens, int from = -1, int copies = 1,
             bool has_parameters = true, bool may_have_bias = true)
  {
    Layer layer{.name = name,
                .type = "linear",
                .forward = Flops{2 * inputs * outputs * tokens},
                .activation_elements = tokens * outputs,
                .memory_elements = tokens * (inputs + outputs),
                .product = {.rows = tokens, .rows_in = tokens, .columns = outputs, .columns_in = inputs}};
    if (from >= 0)
      layer.inputs = {from};
    for (int copy = 0; has_parameters && copy < copies; ++copy) {
      const std::string suffix = copies > 1 ? "." + std::to_string(copy) : "";
      layer.parameters.push_back({name + suffix + ".weight", inputs * outputs});
      if (bias() && may_have_bias)
        layer.parameters.push_back({name + suffix + ".bias", outputs});
    }
    return append(std::move(layer));
  }

  void elementwise(const std::string& name, const std::string& type, double elements, double passes,
                   std::vector<int> inputs = {})
  {
    append({.name = name,
            .type = type,
            .activation_elements = elements,
            .memory_elements = passes * elements,
            .inputs = std::move(inputs)});
  }

  /// Sum with the identity path; BERT and GPT drop elements of the branch before it, with a mask of one byte each.
  void add(const std::string& name, int identity)
  {
    elementwise(name, "add", s_ * h_, 3, {identity, last()});
    if (dropout()) {
      dnn_.layers.back().saved_bytes = s_ * h_;
      dnn_.layers.back().dropout = true;
    }
  }

  /// Adds a bias or scale to the layer that was appended last.
  void vector_of(const std::string& name, double elements)
  {
    dnn_.layers.back().parameters.push_back({name, elements});
  }

  /// Queries, keys and values of a layer.
  std::vector<int> projections(const std::string& name, int input)
  {
    const double kv = d_.kv_width();
    if (!d_.latent()) {
      const auto one = [&](const char* part, double width, bool normalised) {
        const int made = linear(name + part, h_, width, s_, input, 1, true, d_.attention_biases);
        if (d_.qkv_biases && !bias())
          vector_of(name + part + ".bias", width);
        if (d_.head_norms && normalised)
          vector_of(name + part + ".norm", d_.width_of_head());
        return made;
      };
      const int query = one(".query", q_, true);
      const int key = one(".key", kv, true);
      return {query, key, one(".value", kv, false)};
    }
    int from = input;
    if (d_.query_rank > 0) {
      from = linear(name + ".query_latent", h_, d_.query_rank, s_, input);
      vector_of(name + ".query_latent.norm", d_.query_rank);
    }
    const int query = linear(name + ".query", d_.query_rank > 0 ? d_.query_rank : h_, q_, s_, from);
    const int latent = linear(name + ".kv_latent", h_, 1.0 * d_.kv_rank + d_.rope_width, s_, input);
    vector_of(name + ".kv_latent.norm", d_.kv_rank);
    return {query, linear(name + ".key_value", d_.kv_rank, q_ - 1.0 * d_.rope_width * d_.heads + d_.values_width(), s_,
                          latent)};
  }

  void block(const std::string& name, bool dense)
  {
    int identity = last();
    if (!d_.encoder)
      norm(name + ".norm1");
    const int input = last();
    attention(name + ".attention", projections(name, input));
    linear(name + ".output", d_.output_width(), h_, s_, -1, 1, true, d_.attention_biases);
    if (d_.layer_vectors > 0)
      vector_of(name + ".vectors", d_.layer_vectors);
    add(name + ".add1", identity);
    identity = last();
    if (!d_.one_norm)
      norm(name + (d_.encoder ? ".norm1" : ".norm2"));
    if (d_.encoder)
      identity = last();
    const int read = d_.one_norm ? input : last();
    if (dense)
      network(name, "", d_.dense_ffn, s_, read, 1);
    else
      feed_forward(name, read);
    add(name + ".add2", identity);
    if (d_.encoder)
      norm(name + ".norm2");
  }

  /// Scores and weighted sum: 2 multiply-adds per pair of tokens and channel. BERT and GPT write the score matrix (6
  /// passes: product, softmax, product) and keep it twice, after the softmax and after dropout, with the mask; Llama
  /// and similar models use an attention that keeps only one number per row (Touvron et al., arXiv:2302.13971,
  /// section 2.4).
  void attention(const std::string& name, std::vector<int> inputs)
  {
    Layer layer{.name = name,
                .type = "attention",
                .forward = Flops{2 * s_ * s_ * (q_ + d_.output_width())},
                .activation_elements = s_ * d_.output_width(),
                .memory_elements = 4 * s_ * q_,
                .product = {.rows = s_,
                            .rows_in = s_,
                            .columns = s_,
                            .columns_in = static_cast<double>(d_.width_of_head()),
                            .products = static_cast<double>(d_.heads),
                            .weights = false,
                            .causal = !d_.encoder},
                .dropout = dropout(),
                .inputs = std::move(inputs)};
    const double scores = d_.heads * s_ * s_;
    if (dropout()) {
      layer.memory_elements += 6 * scores;
      layer.saved_elements = 2 * scores;
      layer.saved_bytes = scores;
    } else {
      layer.saved_elements = d_.heads * s_;
    }
    append(std::move(layer));
  }

  void feed_forward(const std::string& name, int input)
  {
    const double tokens = s_ * d_.active_experts;
    if (d_.experts > 1) {
      Layer router{.name = name + ".router",
                   .type = "linear",
                   .forward = Flops{2 * h_ * d_.experts * s_},
                   .activation_elements = s_ * d_.experts,
                   .inputs = {input}};
      router.memory_elements = s_ * (h_ + d_.experts);
      router.parameters.push_back({name + ".router.weight", h_ * d_.experts});
      input = append(std::move(router));
    }
    network(name, "", d_.ffn, tokens, input, d_.experts);
    if (d_.shared_ffn == 0)
      return;
    const int routed = last();
    network(name, ".shared", d_.shared_ffn, s_, input, 1);
    elementwise(name + ".sum", "add", s_ * h_, 3, {routed, last()});
  }

  void network(const std::string& name, const std::string& part, int width, double tokens, int input, int copies)
  {
    const std::string base = name + part;
    std::vector<int> read;
    if (d_.gated)
      read.push_back(linear(base + ".gate", h_, width, tokens, input, copies));
    read.push_back(linear(base + ".up", h_, width, tokens, input, copies));
    elementwise(base + ".activation", d_.gated ? "gated" : "gelu", tokens * width, d_.gated ? 3 : 2, std::move(read));
    linear(base + ".down", width, h_, tokens, last(), copies);
  }

  void head()
  {
    const int output = last();
    if (d_.encoder)
      linear("pooler", h_, h_, 1, output);
    // A projection tied to the word embedding: flop, but no parameters of its own.
    linear("vocabulary", h_, d_.vocabulary, s_, output, 1, !d_.tied);
    if (!d_.tied && bias())
      dnn_.layers.back().parameters.pop_back(); // no model has a bias here
    elementwise("softmax", "softmax", s_ * d_.vocabulary, 4);
  }

  const Transformer& d_;
  double s_;
  double h_;
  double q_; // of all heads together
  Dnn dnn_;
};

Transformer bert(const char* name, int layers, int hidden, int heads)
{
  return {.name = name,
          .source = "Devlin et al., arXiv:1810.04805",
          .layers = layers,
          .hidden = hidden,
          .ffn = 4 * hidden,
          .heads = heads,
          .kv_heads = heads,
          .vocabulary = 30522,
          .sequence = 512,
          .encoder = true};
}

Transformer gpt(const char* name, const char* source, int layers, int hidden, int heads, int vocabulary, int sequence)
{
  return {.name = name,
          .source = source,
          .layers = layers,
          .hidden = hidden,
          .ffn = 4 * hidden,
          .heads = heads,
          .kv_heads = heads,
          .vocabulary = vocabulary,
          .sequence = sequence};
}

struct Sizes {
  int layers, hidden, ffn, heads, kv_heads, vocabulary, sequence;
  int experts = 1;
  int active_experts = 1;
};

Transformer llama(const char* name, const char* source, const Sizes& sizes)
{
  return {.name = name,
          .source = source,
          .layers = sizes.layers,
          .hidden = sizes.hidden,
          .ffn = sizes.ffn,
          .heads = sizes.heads,
          .kv_heads = sizes.kv_heads,
          .vocabulary = sizes.vocabulary,
          .sequence = sizes.sequence,
          .experts = sizes.experts,
          .active_experts = sizes.active_experts,
          .biases = false,
          .gated = true,
          .tied = false,
          .learnt_positions = false};
}

constexpr const char* gpt2_source = "Radford et al., Language models are unsupervised multitask learners, 2019";
constexpr const char* gpt3_source = "Brown et al., arXiv:2005.14165";
// Vocabulary 51,200 and sequence 2,048: section 6 of the paper.
constexpr const char* megatron_source = "Korthikanti et al., arXiv:2205.05198, table 3";
constexpr const char* narayanan_source = "Narayanan et al., arXiv:2104.04473, table 1";
constexpr const char* llama2_source = "Touvron et al., arXiv:2307.09288";
constexpr const char* llama3_source = "Llama team, arXiv:2407.21783";
constexpr const char* mixtral_source = "Jiang et al., arXiv:2401.04088";
constexpr const char* mistral_source = "Jiang et al., arXiv:2310.06825, table 1";
constexpr const char* mixtral22_source = "Mistral AI, Mixtral-8x22B-v0.1, config.json, 2024";
constexpr const char* qwen2_source = "Yang et al., arXiv:2407.10671, table 1";
constexpr const char* qwen3_source = "Qwen team, arXiv:2505.09388, tables 1 and 2";
constexpr const char* neox_source = "Black et al., arXiv:2204.06745, section 2.1";
constexpr const char* llama1_source = "Touvron et al., arXiv:2302.13971, table 2";

/// Qwen2: biases of queries, keys and values.
Transformer qwen2(const char* name, const Sizes& sizes, bool tied = false)
{
  Transformer made = llama(name, qwen2_source, sizes);
  made.qkv_biases = true;
  made.tied = tied;
  return made;
}

/// Qwen3: heads of 128 whatever the width, queries and keys normalised.
Transformer qwen3(const char* name, const Sizes& sizes, bool tied = false)
{
  Transformer made = llama(name, qwen3_source, sizes);
  made.head_width = 128;
  made.head_norms = true;
  made.tied = tied;
  return made;
}

/// GPT-NeoX: rotary positions, output projection of its own, biases.
Transformer gpt_neox()
{
  Transformer made = gpt("gpt_neox_20b", neox_source, 44, 6144, 64, 50432, 2048);
  made.tied = false;
  made.learnt_positions = false;
  return made;
}

/// DeepSeek's family: latent attention, shared experts, first layers without experts.
Transformer deepseek(const char* name, const char* source, const Sizes& sizes, int shared, int dense_layers,
                     int dense_ffn, int query_rank, int groups, int active_groups)
{
  Transformer made = llama(name, source, sizes);
  made.head_width = 192;
  made.kv_rank = 512;
  made.query_rank = query_rank;
  made.rope_width = 64;
  made.value_width = 128;
  made.shared_ffn = shared * sizes.ffn;
  made.dense_layers = dense_layers;
  made.dense_ffn = dense_ffn;
  made.expert_groups = groups;
  made.active_groups = active_groups;
  return made;
}

/// How a model differs from Llama.
struct Differences {
  int head_width = 0;
  bool tied = false;
  bool qkv_biases = false;
  bool head_norms = false;
  bool plain_norms = false;
  bool gated = true;
  double layer_vectors = 0;
  int shared_ffn = 0;
  int dense_layers = 0;
  int dense_ffn = 0;
  int expert_step = 1;
};

Transformer llama_like(const char* name, const char* source, const Sizes& sizes, const Differences& differences)
{
  Transformer made = llama(name, source, sizes);
  made.head_width = differences.head_width;
  made.tied = differences.tied;
  made.qkv_biases = differences.qkv_biases;
  made.head_norms = differences.head_norms;
  made.plain_norms = differences.plain_norms;
  made.gated = differences.gated;
  made.layer_vectors = differences.layer_vectors;
  made.shared_ffn = differences.shared_ffn;
  made.dense_layers = differences.dense_layers;
  made.dense_ffn = differences.dense_ffn;
  made.expert_step = differences.expert_step;
  return made;
}

/// How a model differs from GPT-2.
struct GptDifferences {
  bool tied = true;
  bool learnt_positions = true;
  bool one_norm = false;
  bool attention_biases = true;
  double model_vectors = 0;
};

Transformer gpt_like(const char* name, const char* source, const Sizes& sizes, const GptDifferences& differences)
{
  Transformer made = llama(name, source, sizes);
  made.biases = true;
  made.gated = false;
  made.tied = differences.tied;
  made.learnt_positions = differences.learnt_positions;
  made.one_norm = differences.one_norm;
  made.attention_biases = differences.attention_biases;
  made.model_vectors = differences.model_vectors;
  return made;
}

/// RoBERTa: 514 positions for 512 tokens, one type of token.
Transformer roberta(const char* name, const char* source, int layers, int hidden, int heads, int vocabulary)
{
  Transformer made = bert(name, layers, hidden, heads);
  made.source = source;
  made.vocabulary = vocabulary;
  made.model_vectors = hidden;
  return made;
}

constexpr const char* qwen25_source = "Qwen team, arXiv:2412.15115, table 1";
constexpr const char* llama32_source = "Meta, Llama-3.2, config.json, 2024";
constexpr const char* gemma_source = "Gemma team, arXiv:2403.08295, table 1";
constexpr const char* gemma2_source = "Gemma team, arXiv:2408.00118, table 1; windows of attention are not counted";
constexpr const char* gemma3_source = "Gemma team, arXiv:2503.19786; google/gemma-3, config.json: the part for text; "
                                      "windows of attention are not counted";
constexpr const char* phi1_source = "Li et al., arXiv:2309.05463; microsoft/phi-1_5, config.json";
constexpr const char* phi2_source = "Microsoft, phi-2, config.json, 2023";
constexpr const char* phi3_source = "Abdin et al., arXiv:2404.14219, section 2";
constexpr const char* phi4_source = "Abdin et al., arXiv:2412.08905; microsoft/phi-4, config.json";
constexpr const char* gpt_oss_source = "OpenAI, gpt-oss model card, arXiv:2508.10925, table 1; windows of attention "
                                       "are not counted";
constexpr const char* llama4_source = "Meta, Llama-4, config.json, 2025: the part for text";
constexpr const char* maverick_source = "Meta, Llama-4-Maverick, config.json, 2025: the part for text";
constexpr const char* glm4_source = "GLM team, arXiv:2406.12793; THUDM/glm-4-9b, config.json";
constexpr const char* glm45_source = "GLM-4.5 team, arXiv:2508.06471, table 1, without the layer for later tokens";
constexpr const char* kimi_source = "Kimi team, arXiv:2507.20534, table 2";
constexpr const char* olmo_source = "Groeneveld et al., arXiv:2402.00838, table 1";
constexpr const char* olmo2_source = "OLMo team, arXiv:2501.00656, table 3";
constexpr const char* olmoe_source = "Muennighoff et al., arXiv:2409.02060, table 1";
constexpr const char* opt_source = "Zhang et al., arXiv:2205.01068, table 1";
constexpr const char* bloom_source = "BigScience, arXiv:2211.05100, table 3";
constexpr const char* pythia_source = "Biderman et al., arXiv:2304.01373, table 1";
constexpr const char* gptj_source = "Wang and Komatsuzaki, GPT-J-6B, 2021; EleutherAI/gpt-j-6b, config.json";
constexpr const char* mpt_source = "MosaicML, mpt, config.json, 2023";
constexpr const char* yi_source = "01.AI, arXiv:2403.04652, table 1";
constexpr const char* nemo_source = "Mistral AI, Mistral-Nemo-Base-2407, config.json, 2024";
constexpr const char* small_source = "Mistral AI, Mistral-Small-24B-Base-2501, config.json, 2025";
constexpr const char* large_source = "Mistral AI, Mistral-Large-Instruct-2407, config.json, 2024";
constexpr const char* dbrx_source = "Databricks, dbrx-base, config.json, 2024";
constexpr const char* grok_source = "xAI, grok-1, run.py, 2024";
constexpr const char* nemotron_source = "Parmar et al., arXiv:2402.16819, table 1";
constexpr const char* nemotron340_source = "NVIDIA, arXiv:2406.11704, table 1";

const std::array catalogue{
    bert("bert_base", 12, 768, 12),
    bert("bert_large", 24, 1024, 16),
    gpt("gpt2_small", gpt2_source, 12, 768, 12, 50257, 1024),
    gpt("gpt2_medium", gpt2_source, 24, 1024, 16, 50257, 1024),
    gpt("gpt2_large", gpt2_source, 36, 1280, 20, 50257, 1024),
    gpt("gpt2_xl", gpt2_source, 48, 1600, 25, 50257, 1024),
    gpt("gpt3_125m", gpt3_source, 12, 768, 12, 50257, 2048),
    gpt("gpt3_350m", gpt3_source, 24, 1024, 16, 50257, 2048),
    gpt("gpt3_760m", gpt3_source, 24, 1536, 16, 50257, 2048),
    gpt("gpt3_1.3b", gpt3_source, 24, 2048, 16, 50257, 2048),
    gpt("gpt3_2.7b", gpt3_source, 32, 2560, 32, 50257, 2048),
    gpt("gpt3_6.7b", gpt3_source, 32, 4096, 32, 50257, 2048),
    gpt("gpt3_13b", gpt3_source, 40, 5120, 40, 50257, 2048),
    gpt("gpt3_175b", gpt3_source, 96, 12288, 96, 50257, 2048),
    gpt_neox(),
    gpt("megatron_1.7b", narayanan_source, 24, 2304, 24, 51200, 2048),
    gpt("megatron_3.6b", narayanan_source, 30, 3072, 32, 51200, 2048),
    gpt("megatron_7.5b", narayanan_source, 36, 4096, 32, 51200, 2048),
    gpt("megatron_18b", narayanan_source, 40, 6144, 48, 51200, 2048),
    gpt("megatron_39b", narayanan_source, 48, 8192, 64, 51200, 2048),
    gpt("megatron_76b", narayanan_source, 60, 10240, 80, 51200, 2048),
    gpt("megatron_145b", narayanan_source, 80, 12288, 96, 51200, 2048),
    gpt("megatron_310b", narayanan_source, 96, 16384, 128, 51200, 2048),
    gpt("megatron_22b", megatron_source, 48, 6144, 64, 51200, 2048),
    gpt("megatron_175b", megatron_source, 96, 12288, 96, 51200, 2048),
    gpt("megatron_530b", megatron_source, 105, 20480, 128, 51200, 2048),
    gpt("megatron_1t", megatron_source, 128, 25600, 160, 51200, 2048),
    llama("llama_7b", llama1_source, {32, 4096, 11008, 32, 32, 32000, 2048}),
    llama("llama_13b", llama1_source, {40, 5120, 13824, 40, 40, 32000, 2048}),
    llama("llama_33b", llama1_source, {60, 6656, 17920, 52, 52, 32000, 2048}),
    llama("llama_65b", llama1_source, {80, 8192, 22016, 64, 64, 32000, 2048}),
    llama("llama2_7b", llama2_source, {32, 4096, 11008, 32, 32, 32000, 4096}),
    llama("llama2_13b", llama2_source, {40, 5120, 13824, 40, 40, 32000, 4096}),
    llama("llama2_70b", llama2_source, {80, 8192, 28672, 64, 8, 32000, 4096}),
    llama("llama3_8b", llama3_source, {32, 4096, 14336, 32, 8, 128256, 8192}),
    llama("llama3_70b", llama3_source, {80, 8192, 28672, 64, 8, 128256, 8192}),
    llama("llama3.1_405b", llama3_source, {126, 16384, 53248, 128, 8, 128256, 8192}),
    llama("mistral_7b", mistral_source, {32, 4096, 14336, 32, 8, 32000, 8192}),
    llama("mixtral_8x7b", mixtral_source, {32, 4096, 14336, 32, 8, 32000, 4096, 8, 2}),
    llama("mixtral_8x22b", mixtral22_source, {56, 6144, 16384, 48, 8, 32000, 4096, 8, 2}),
    qwen2("qwen2_0.5b", {24, 896, 4864, 14, 2, 151936, 4096}, true),
    qwen2("qwen2_1.5b", {28, 1536, 8960, 12, 2, 151936, 4096}, true),
    qwen2("qwen2_7b", {28, 3584, 18944, 28, 4, 152064, 4096}),
    qwen2("qwen2_72b", {80, 8192, 29568, 64, 8, 152064, 4096}),
    qwen3("qwen3_8b", {36, 4096, 12288, 32, 8, 151936, 4096}),
    qwen3("qwen3_14b", {40, 5120, 17408, 40, 8, 151936, 4096}),
    qwen3("qwen3_32b", {64, 5120, 25600, 64, 8, 151936, 4096}),
    qwen3("qwen3_30b_a3b", {48, 2048, 768, 32, 4, 151936, 4096, 128, 8}),
    qwen3("qwen3_235b_a22b", {94, 4096, 1536, 64, 4, 151936, 4096, 128, 8}),
    deepseek("deepseek_v2_lite", "DeepSeek-AI, arXiv:2405.04434, appendix B",
             {27, 2048, 1408, 16, 16, 102400, 4096, 64, 6}, 2, 1, 10944, 0, 1, 1),
    deepseek("deepseek_v2", "DeepSeek-AI, arXiv:2405.04434, section 3.1.2",
             {60, 5120, 1536, 128, 128, 102400, 4096, 160, 6}, 2, 1, 12288, 1536, 8, 3),
    deepseek("deepseek_v3", "DeepSeek-AI, arXiv:2412.19437, section 4.2",
             {61, 7168, 2048, 128, 128, 129280, 4096, 256, 8}, 1, 3, 18432, 1536, 8, 4),
    deepseek("kimi_k2", kimi_source, {61, 7168, 2048, 64, 64, 163840, 4096, 384, 8}, 1, 1, 18432, 1536, 1, 1),
    roberta("roberta_base", "Liu et al., arXiv:1907.11692", 12, 768, 12, 50265),
    roberta("roberta_large", "Liu et al., arXiv:1907.11692", 24, 1024, 16, 50265),
    roberta("xlm_roberta_base", "Conneau et al., arXiv:1911.02116", 12, 768, 12, 250002),
    roberta("xlm_roberta_large", "Conneau et al., arXiv:1911.02116", 24, 1024, 16, 250002),
    gpt_like("gpt_j_6b", gptj_source, {28, 4096, 16384, 16, 16, 50400, 2048},
             {.tied = false,
              .learnt_positions = false,
              .one_norm = true,
              .attention_biases = false,
              .model_vectors = 50400}),
    gpt_like("phi_1.5", phi1_source, {24, 2048, 8192, 32, 32, 51200, 2048},
             {.tied = false, .learnt_positions = false, .one_norm = true, .model_vectors = 51200}),
    gpt_like("phi_2", phi2_source, {32, 2560, 10240, 32, 32, 51200, 2048},
             {.tied = false, .learnt_positions = false, .one_norm = true, .model_vectors = 51200}),
    gpt_like("opt_125m", opt_source, {12, 768, 3072, 12, 12, 50272, 2048}, {.model_vectors = 2 * 768}),
    gpt_like("opt_1.3b", opt_source, {24, 2048, 8192, 32, 32, 50272, 2048}, {.model_vectors = 2 * 2048}),
    gpt_like("opt_2.7b", opt_source, {32, 2560, 10240, 32, 32, 50272, 2048}, {.model_vectors = 2 * 2560}),
    gpt_like("opt_6.7b", opt_source, {32, 4096, 16384, 32, 32, 50272, 2048}, {.model_vectors = 2 * 4096}),
    gpt_like("opt_13b", opt_source, {40, 5120, 20480, 40, 40, 50272, 2048}, {.model_vectors = 2 * 5120}),
    gpt_like("opt_30b", opt_source, {48, 7168, 28672, 56, 56, 50272, 2048}, {.model_vectors = 2 * 7168}),
    gpt_like("opt_66b", opt_source, {64, 9216, 36864, 72, 72, 50272, 2048}, {.model_vectors = 2 * 9216}),
    gpt_like("opt_175b", opt_source, {96, 12288, 49152, 96, 96, 50272, 2048}, {.model_vectors = 2 * 12288}),
    gpt_like("bloom_560m", bloom_source, {24, 1024, 4096, 16, 16, 250880, 2048},
             {.learnt_positions = false, .model_vectors = 2 * 1024}),
    gpt_like("bloom_7b1", bloom_source, {30, 4096, 16384, 32, 32, 250880, 2048},
             {.learnt_positions = false, .model_vectors = 2 * 4096}),
    gpt_like("bloom_176b", bloom_source, {70, 14336, 57344, 112, 112, 250880, 2048},
             {.learnt_positions = false, .model_vectors = 2 * 14336}),
    gpt_like("pythia_160m", pythia_source, {12, 768, 3072, 12, 12, 50304, 2048},
             {.tied = false, .learnt_positions = false}),
    gpt_like("pythia_1.4b", pythia_source, {24, 2048, 8192, 16, 16, 50304, 2048},
             {.tied = false, .learnt_positions = false}),
    gpt_like("pythia_6.9b", pythia_source, {32, 4096, 16384, 32, 32, 50432, 2048},
             {.tied = false, .learnt_positions = false}),
    gpt_like("pythia_12b", pythia_source, {36, 5120, 20480, 40, 40, 50688, 2048},
             {.tied = false, .learnt_positions = false}),
    llama_like("mpt_7b", mpt_source, {32, 4096, 16384, 32, 32, 50432, 2048}, {.tied = true, .gated = false}),
    llama_like("mpt_30b", mpt_source, {48, 7168, 28672, 64, 64, 50432, 8192}, {.tied = true, .gated = false}),
    llama_like("nemotron4_15b", nemotron_source, {32, 6144, 24576, 48, 8, 256000, 4096}, {.gated = false}),
    llama_like("nemotron4_340b", nemotron340_source, {96, 18432, 73728, 96, 8, 256000, 4096}, {.gated = false}),
    llama_like("llama3.2_1b", llama32_source, {16, 2048, 8192, 32, 8, 128256, 8192}, {.tied = true}),
    llama_like("llama3.2_3b", llama32_source, {28, 3072, 8192, 24, 8, 128256, 8192}, {.tied = true}),
    llama_like("llama4_scout", llama4_source, {48, 5120, 8192, 40, 8, 202048, 8192, 16, 1}, {.shared_ffn = 8192}),
    llama_like("llama4_maverick", maverick_source, {48, 5120, 8192, 40, 8, 202048, 8192, 128, 1},
               {.shared_ffn = 8192, .dense_ffn = 16384, .expert_step = 2}),
    llama("codellama_34b", "Roziere et al., arXiv:2308.12950", {48, 8192, 22016, 64, 8, 32000, 4096}),
    llama("tinyllama_1.1b", "Zhang et al., arXiv:2401.02385, table 1", {22, 2048, 5632, 32, 4, 32000, 2048}),
    llama("internlm_7b", "InternLM team, internlm-7b, config.json, 2023", {32, 4096, 11008, 32, 32, 103168, 2048}),
    llama("yi_6b", yi_source, {32, 4096, 11008, 32, 4, 64000, 4096}),
    llama("yi_34b", yi_source, {60, 7168, 20480, 56, 8, 64000, 4096}),
    llama_like("mistral_nemo_12b", nemo_source, {40, 5120, 14336, 32, 8, 131072, 8192}, {.head_width = 128}),
    llama_like("mistral_small_24b", small_source, {40, 5120, 32768, 32, 8, 131072, 8192}, {.head_width = 128}),
    llama("mistral_large_123b", large_source, {88, 12288, 28672, 96, 8, 32768, 8192}),
    llama("dbrx", dbrx_source, {40, 6144, 10752, 48, 8, 100352, 4096, 16, 4}),
    llama_like("grok_1", grok_source, {64, 6144, 32768, 48, 8, 131072, 8192, 8, 2}, {.head_width = 128, .tied = true}),
    llama("deepseek_7b", "DeepSeek-AI, arXiv:2401.02954, table 2", {30, 4096, 11008, 32, 32, 102400, 4096}),
    llama("deepseek_67b", "DeepSeek-AI, arXiv:2401.02954, table 2", {95, 8192, 22016, 64, 8, 102400, 4096}),
    llama_like("deepseek_moe_16b", "Dai et al., arXiv:2401.06066; config.json",
               {28, 2048, 1408, 16, 16, 102400, 4096, 64, 6},
               {.shared_ffn = 2 * 1408, .dense_layers = 1, .dense_ffn = 10944}),
    llama_like("qwen2.5_3b", qwen25_source, {36, 2048, 11008, 16, 2, 151936, 4096}, {.tied = true, .qkv_biases = true}),
    llama_like("qwen2.5_14b", qwen25_source, {48, 5120, 13824, 40, 8, 152064, 4096}, {.qkv_biases = true}),
    llama_like("qwen2.5_32b", qwen25_source, {64, 5120, 27648, 40, 8, 152064, 4096}, {.qkv_biases = true}),
    qwen3("qwen3_0.6b", {28, 1024, 3072, 16, 8, 151936, 4096}, true),
    qwen3("qwen3_1.7b", {28, 2048, 6144, 16, 8, 151936, 4096}, true),
    qwen3("qwen3_4b", {36, 2560, 9728, 32, 8, 151936, 4096}, true),
    llama_like("gemma_2b", gemma_source, {18, 2048, 16384, 8, 1, 256000, 8192}, {.head_width = 256, .tied = true}),
    llama_like("gemma_7b", gemma_source, {28, 3072, 24576, 16, 16, 256000, 8192}, {.head_width = 256, .tied = true}),
    // two more normalisations in each layer
    llama_like("gemma2_2b", gemma2_source, {26, 2304, 9216, 8, 4, 256000, 8192},
               {.head_width = 256, .tied = true, .layer_vectors = 2 * 2304}),
    llama_like("gemma2_9b", gemma2_source, {42, 3584, 14336, 16, 8, 256000, 8192},
               {.head_width = 256, .tied = true, .layer_vectors = 2 * 3584}),
    llama_like("gemma2_27b", gemma2_source, {46, 4608, 36864, 32, 16, 256000, 8192},
               {.head_width = 128, .tied = true, .layer_vectors = 2 * 4608}),
    llama_like("gemma3_1b", gemma3_source, {26, 1152, 6912, 4, 1, 262144, 8192},
               {.head_width = 256, .tied = true, .head_norms = true, .layer_vectors = 2 * 1152}),
    llama_like("gemma3_4b", gemma3_source, {34, 2560, 10240, 8, 4, 262208, 8192},
               {.head_width = 256, .tied = true, .head_norms = true, .layer_vectors = 2 * 2560}),
    llama_like("gemma3_12b", gemma3_source, {48, 3840, 15360, 16, 8, 262208, 8192},
               {.head_width = 256, .tied = true, .head_norms = true, .layer_vectors = 2 * 3840}),
    llama_like("gemma3_27b", gemma3_source, {62, 5376, 21504, 32, 16, 262208, 8192},
               {.head_width = 128, .tied = true, .head_norms = true, .layer_vectors = 2 * 5376}),
    llama("phi_3_mini", phi3_source, {32, 3072, 8192, 32, 32, 32064, 4096}),
    llama("phi_3_medium", phi3_source, {40, 5120, 17920, 40, 10, 32064, 4096}),
    llama("phi_4", phi4_source, {40, 5120, 17920, 40, 10, 100352, 4096}),
    // biases of queries, keys and values, of the output, the router and the experts; a sink for each head
    llama_like("gpt_oss_20b", gpt_oss_source, {24, 2880, 2880, 64, 8, 201088, 4096, 32, 4},
               {.head_width = 64, .qkv_biases = true, .layer_vectors = 2880 + 64 + 32 + 32 * 3 * 2880}),
    llama_like("gpt_oss_120b", gpt_oss_source, {36, 2880, 2880, 64, 8, 201088, 4096, 128, 4},
               {.head_width = 64, .qkv_biases = true, .layer_vectors = 2880 + 64 + 128 + 128 * 3 * 2880}),
    llama_like("glm4_9b", glm4_source, {40, 4096, 13696, 32, 2, 151552, 8192}, {.qkv_biases = true}),
    llama_like("glm4.5", glm45_source, {92, 5120, 1536, 96, 8, 151552, 4096, 160, 8},
               {.head_width = 128,
                .qkv_biases = true,
                .head_norms = true,
                .shared_ffn = 1536,
                .dense_layers = 3,
                .dense_ffn = 12288}),
    llama_like("glm4.5_air", glm45_source, {46, 4096, 1408, 96, 8, 151552, 4096, 128, 8},
               {.head_width = 128, .qkv_biases = true, .shared_ffn = 1408, .dense_layers = 1, .dense_ffn = 10944}),
    llama_like("olmo_1b", olmo_source, {16, 2048, 8192, 16, 16, 50304, 2048}, {.tied = true, .plain_norms = true}),
    llama_like("olmo_7b", olmo_source, {32, 4096, 11008, 32, 32, 50304, 2048}, {.plain_norms = true}),
    // queries and keys are normalised over all heads
    llama_like("olmo2_1b", olmo2_source, {16, 2048, 8192, 16, 16, 100352, 4096}, {.layer_vectors = 2 * 2048}),
    llama_like("olmo2_7b", olmo2_source, {32, 4096, 11008, 32, 32, 100352, 4096}, {.layer_vectors = 2 * 4096}),
    llama_like("olmo2_13b", olmo2_source, {40, 5120, 13824, 40, 40, 100352, 4096}, {.layer_vectors = 2 * 5120}),
    llama_like("olmo2_32b", olmo2_source, {64, 5120, 27648, 40, 8, 100352, 4096}, {.layer_vectors = 5120 + 1024}),
    llama_like("olmoe_7b", olmoe_source, {16, 2048, 1024, 16, 16, 50304, 4096, 64, 8}, {.layer_vectors = 2 * 2048}),
};

class PublishedTransformer final : public DnnSource
{
public:
  explicit PublishedTransformer(const Transformer& published) : published_{published} {}
  Dnn build(const DnnOptions& options) const override
  {
    return Maker{published_, options.sequence_length > 0 ? options.sequence_length : published_.sequence}.make(
        published_.source);
  }

private:
  const Transformer& published_;
};

bool register_all()
{
  for (const Transformer& one : catalogue)
    Registry<DnnSource>::instance().add(
        {.name = one.name,
         .description = fmt::format("{} layers of width {} ({})", one.layers, one.hidden, one.source),
         .parameters = {},
         .create = [&one](const Settings&) { return std::make_unique<PublishedTransformer>(one); }});
  return true;
}

[[maybe_unused]] const bool registered_transformers = register_all();

/// One whose dimensions the scenario gives (`model: {name: transformer, layers: …}`); GPT-2 small where it gives none.
class OwnTransformer final : public DnnSource
{
public:
  Dnn build(const DnnOptions& options) const override
  {
    const Transformer own = options.transformer != nullptr ? *options.transformer : catalogue[2];
    Dnn dnn =
        Maker{own, options.sequence_length > 0 ? options.sequence_length : own.sequence}.make("dimensions as given");
    if (options.transformer == nullptr)
      dnn.name = "transformer";
    return dnn;
  }
};

TY_REGISTER(DnnSource, OwnTransformer, "transformer",
            "a transformer whose dimensions the scenario gives: layers, hidden, heads…");

} // namespace

Transformer Transformer::without_experts() const
{
  Transformer dense = *this;
  dense.experts = dense.active_experts = 1;
  dense.shared_ffn = dense.dense_layers = 0;
  dense.expert_step = 1;
  dense.ffn = dense_ffn;
  return dense;
}

int Transformer::dense_among(int first, int count) const
{
  const auto up_to = [&](int layer) { // of the layers before it
    return layer <= dense_layers ? layer : layer - (layer - dense_layers) / expert_step;
  };
  return up_to(first + count) - up_to(first);
}

double Transformer::attention_matrices() const
{
  if (!latent())
    return hidden * (2 * query_width() + 2 * kv_width());
  const double queries =
      query_rank > 0 ? 1.0 * hidden * query_rank + query_rank * query_width() : hidden * query_width();
  return queries + 1.0 * hidden * (kv_rank + rope_width) +
         kv_rank * (query_width() - 1.0 * rope_width * heads + values_width()) + output_width() * hidden;
}

double Transformer::attention_parameters() const
{
  double vectors = 1.0 * norm_vectors() * hidden;
  if (biases && attention_biases)
    vectors += query_width() + 2 * kv_width() + hidden;
  else if (qkv_biases)
    vectors += query_width() + 2 * kv_width();
  if (head_norms)
    vectors += 2.0 * width_of_head();
  if (latent())
    vectors += query_rank + kv_rank; // normalised
  return attention_matrices() + vectors + layer_vectors;
}

double Transformer::expert_parameters() const
{
  const double matrices = (gated ? 3.0 : 2.0) * hidden * ffn;
  return matrices + (biases ? (gated ? 2.0 : 1.0) * ffn + hidden : 0);
}

double Transformer::layer_parameters() const
{
  const double router = experts > 1 ? 1.0 * hidden * experts : 0;
  const double shared = (gated ? 3.0 : 2.0) * hidden * shared_ffn;
  return attention_parameters() + (one_norm ? 0.0 : norm_vectors()) * hidden + router + shared +
         experts * expert_parameters();
}

double Transformer::dense_layer_parameters() const
{
  return attention_parameters() + 1.0 * norm_vectors() * hidden + (gated ? 3.0 : 2.0) * hidden * dense_ffn;
}

double Transformer::embedding_parameters() const
{
  return 1.0 * vocabulary * hidden + (learnt_positions ? 1.0 * sequence * hidden : 0) + model_vectors;
}

double Transformer::parameters() const
{
  const double last_norm = 1.0 * norm_vectors() * hidden;
  const double of_encoder = encoder ? 2.0 * hidden + (1.0 * hidden * hidden + hidden) : 0; // token types, pooler
  const int dense = dense_among(0, layers);
  return embedding_parameters() + of_encoder + (layers - dense) * layer_parameters() +
         dense * dense_layer_parameters() + last_norm + (tied ? 0 : 1.0 * vocabulary * hidden);
}

double Transformer::active_parameters() const
{
  return parameters() - 1.0 * expert_layers() * (experts - active_experts) * expert_parameters();
}

double Transformer::forward_flop_per_token(int tokens) const
{
  const double attention = 2 * attention_matrices() + 2.0 * tokens * (query_width() + output_width());
  const double router = experts > 1 ? 2.0 * hidden * experts : 0;
  const double of_width = 2.0 * (gated ? 3.0 : 2.0) * hidden;
  const int dense = dense_among(0, layers);
  return layers * attention + (layers - dense) * (router + of_width * (1.0 * ffn * active_experts + shared_ffn)) +
         dense * of_width * dense_ffn + 2.0 * hidden * vocabulary;
}

std::span<const Transformer> transformer_catalogue()
{
  return catalogue;
}

const Transformer* find_transformer(const std::string& name)
{
  const auto found = std::ranges::find(catalogue, name, &Transformer::name);
  return found == catalogue.end() ? nullptr : &*found;
}

std::vector<std::string> transformer_faults(const Transformer& t)
{
  std::vector<std::string> faults;
  if (t.head_width == 0 && t.hidden % t.heads != 0)
    faults.push_back(
        fmt::format("hidden = {} is no multiple of heads = {}; give head_width, or other sizes", t.hidden, t.heads));
  if (t.heads % t.kv_heads != 0)
    faults.push_back(fmt::format("heads = {} is no multiple of kv_heads = {}", t.heads, t.kv_heads));
  if (t.active_experts > t.experts)
    faults.push_back(fmt::format("active_experts = {} is more than experts = {}", t.active_experts, t.experts));
  if (t.dense_layers > t.layers || t.expert_step > t.layers ||
      (t.has_dense_layers() && (t.dense_ffn < 1 || t.experts < 2)))
    faults.push_back(fmt::format("dense_layers = {}, expert_step = {} of {} layers need experts in the others, and "
                                 "dense_ffn",
                                 t.dense_layers, t.expert_step, t.layers));
  if (t.latent() && (t.value_width < 1 || t.rope_width >= t.width_of_head() || t.kv_heads != t.heads))
    faults.emplace_back(
        "latent attention (kv_rank) needs value_width, rope_width below head_width, and as many heads of "
        "keys as of queries");
  return faults;
}

} // namespace trainyard
