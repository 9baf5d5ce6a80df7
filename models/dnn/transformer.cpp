// SPDX-License-Identifier: Apache-2.0
// Transformers: an embedding, equal layers of attention and a feed-forward network, and an output projection to the
// vocabulary.
#include "models/dnn/builder.hpp"

#include <utility>
#include <vector>

namespace trainyard {
namespace {

enum class Family { bert, gpt, llama };

struct Dimensions {
  const char* name;
  Family family;
  int layers, hidden, ffn, heads, kv_heads, vocabulary, sequence;
  int experts = 1;
  int active_experts = 1;
};

class Maker
{
public:
  Maker(const Dimensions& d, int sequence) : d_{d}, s_{static_cast<double>(sequence)}, h_{static_cast<double>(d.hidden)}
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
      block("layer." + std::to_string(i));
    if (d_.family != Family::bert)
      norm("norm");
    head();
    return std::move(dnn_);
  }

private:
  bool bias() const { return d_.family != Family::llama; }
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
    if (d_.family != Family::llama)
      layer.parameters.push_back({"embeddings.position", positions() * h_});
    if (d_.family == Family::bert)
      layer.parameters.push_back({"embeddings.token_type", 2 * h_});
    append(std::move(layer));
    if (d_.family == Family::bert)
      norm("embeddings.norm");
  }

  /// Learnt positions: as many as published, even if the training sequences are shorter.
  double positions() const { return d_.sequence; }

  void norm(const std::string& name)
  {
    Layer layer{.name = name, .type = "layer_norm", .activation_elements = s_ * h_, .memory_elements = 3 * s_ * h_};
    layer.parameters.push_back({name + ".weight", h_});
    if (bias())
      layer.parameters.push_back({name + ".bias", h_});
    append(std::move(layer));
  }

  /// @p from is the layer it reads, -1 the one before.
  int linear(const std::string& name, double inputs, double outputs, double tokens, int from = -1, int copies = 1,
             bool has_parameters = true)
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
      if (bias())
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
    if (dropout())
      dnn_.layers.back().saved_bytes = s_ * h_;
  }

  void block(const std::string& name)
  {
    const double kv = h_ * d_.kv_heads / d_.heads;
    int identity = last();
    if (d_.family != Family::bert)
      norm(name + ".norm1");
    const int input = last();
    const int query = linear(name + ".query", h_, h_, s_, input);
    const int key = linear(name + ".key", h_, kv, s_, input);
    const int value = linear(name + ".value", h_, kv, s_, input);
    attention(name + ".attention", {query, key, value});
    linear(name + ".output", h_, h_, s_);
    add(name + ".add1", identity);
    identity = last();
    norm(name + (d_.family == Family::bert ? ".norm1" : ".norm2"));
    if (d_.family == Family::bert)
      identity = last();
    feed_forward(name);
    add(name + ".add2", identity);
    if (d_.family == Family::bert)
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
                .forward = Flops{4 * s_ * s_ * h_},
                .activation_elements = s_ * h_,
                .memory_elements = 4 * s_ * h_,
                .product = {.rows = s_,
                            .rows_in = s_,
                            .columns = s_,
                            .columns_in = h_ / d_.heads,
                            .products = static_cast<double>(d_.heads),
                            .weights = false},
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

  void feed_forward(const std::string& name)
  {
    const double tokens = s_ * d_.active_experts;
    if (d_.experts > 1) {
      Layer router{.name = name + ".router",
                   .type = "linear",
                   .forward = Flops{2 * h_ * d_.experts * s_},
                   .activation_elements = s_ * d_.experts};
      router.memory_elements = s_ * (h_ + d_.experts);
      router.parameters.push_back({name + ".router.weight", h_ * d_.experts});
      append(std::move(router));
    }
    const int input = last();
    std::vector<int> read;
    if (d_.family == Family::llama)
      read.push_back(linear(name + ".gate", h_, d_.ffn, tokens, input, d_.experts));
    read.push_back(linear(name + ".up", h_, d_.ffn, tokens, input, d_.experts));
    const bool gated = d_.family == Family::llama;
    elementwise(name + ".activation", gated ? "gated" : "gelu", tokens * d_.ffn, gated ? 3 : 2, std::move(read));
    linear(name + ".down", d_.ffn, h_, tokens, last(), d_.experts);
  }

  void head()
  {
    const int output = last();
    if (d_.family == Family::bert)
      linear("pooler", h_, h_, 1, output);
    // BERT and GPT tie the projection to the word embedding: flop, but no parameters of its own.
    linear("vocabulary", h_, d_.vocabulary, s_, output, 1, d_.family == Family::llama);
    elementwise("softmax", "softmax", s_ * d_.vocabulary, 4);
  }

  const Dimensions& d_;
  double s_;
  double h_;
  Dnn dnn_;
};

// Dimensions and sources: catalogue of published architectures (BERT arXiv:1810.04805; GPT-2 2019; GPT-3
// arXiv:2005.14165; Llama 2 arXiv:2307.09288; Llama 3 arXiv:2407.21783; Mixtral arXiv:2401.04088).
constexpr Dimensions table[] = {
    {"bert_base", Family::bert, 12, 768, 3072, 12, 12, 30522, 512},
    {"bert_large", Family::bert, 24, 1024, 4096, 16, 16, 30522, 512},
    {"gpt2_small", Family::gpt, 12, 768, 3072, 12, 12, 50257, 1024},
    {"gpt2_medium", Family::gpt, 24, 1024, 4096, 16, 16, 50257, 1024},
    {"gpt2_large", Family::gpt, 36, 1280, 5120, 20, 20, 50257, 1024},
    {"gpt2_xl", Family::gpt, 48, 1600, 6400, 25, 25, 50257, 1024},
    {"gpt3_125m", Family::gpt, 12, 768, 3072, 12, 12, 50257, 2048},
    {"gpt3_350m", Family::gpt, 24, 1024, 4096, 16, 16, 50257, 2048},
    {"gpt3_1.3b", Family::gpt, 24, 2048, 8192, 16, 16, 50257, 2048},
    {"gpt3_2.7b", Family::gpt, 32, 2560, 10240, 32, 32, 50257, 2048},
    {"gpt3_6.7b", Family::gpt, 32, 4096, 16384, 32, 32, 50257, 2048},
    {"gpt3_13b", Family::gpt, 40, 5120, 20480, 40, 40, 50257, 2048},
    {"gpt3_175b", Family::gpt, 96, 12288, 49152, 96, 96, 50257, 2048},
    {"llama2_7b", Family::llama, 32, 4096, 11008, 32, 32, 32000, 4096},
    {"llama2_13b", Family::llama, 40, 5120, 13824, 40, 40, 32000, 4096},
    {"llama2_70b", Family::llama, 80, 8192, 28672, 64, 8, 32000, 4096},
    {"llama3_8b", Family::llama, 32, 4096, 14336, 32, 8, 128256, 8192},
    {"llama3_70b", Family::llama, 80, 8192, 28672, 64, 8, 128256, 8192},
    {"llama3.1_405b", Family::llama, 126, 16384, 53248, 128, 8, 128256, 8192},
    {"mixtral_8x7b", Family::llama, 32, 4096, 14336, 32, 8, 32000, 4096, 8, 2},
};

const char* source_of(const Dimensions& dimensions)
{
  const std::string name = dimensions.name;
  return name.starts_with("bert")     ? "Devlin et al., arXiv:1810.04805"
         : name.starts_with("gpt2")   ? "Radford et al., Language models are unsupervised multitask learners, 2019"
         : name.starts_with("gpt3")   ? "Brown et al., arXiv:2005.14165"
         : name.starts_with("llama2") ? "Touvron et al., arXiv:2307.09288"
         : name.starts_with("llama3") ? "Llama team, arXiv:2407.21783"
                                      : "Jiang et al., arXiv:2401.04088";
}

template <std::size_t row>
class Transformer final : public DnnSource
{
public:
  Dnn build(const DnnOptions& options) const override
  {
    return Maker{table[row], options.sequence_length > 0 ? options.sequence_length : table[row].sequence}.make(
        source_of(table[row]));
  }
};

template <std::size_t... rows>
bool register_all(std::index_sequence<rows...>)
{
  (Registry<DnnSource>::instance().add(registry_entry<DnnSource, Transformer<rows>>(
       table[rows].name, std::to_string(table[rows].layers) + " layers of width " + std::to_string(table[rows].hidden) +
                             " (" + source_of(table[rows]) + ")")),
   ...);
  return true;
}

[[maybe_unused]] const bool registered_transformers = register_all(std::make_index_sequence<std::size(table)>{});

} // namespace
} // namespace trainyard
