// SPDX-License-Identifier: Apache-2.0
// Networks that read one sequence and write another: transformers of an encoder and a decoder, recurrent translators,
// speech; and Transformer-XL, whose tokens also see those before their segment.
#include "models/dnn/builder.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace trainyard {
namespace {

constexpr int sentence = 32; // tokens of a sentence of WMT with some padding: assumed

struct EncoderDecoder {
  const char* source;
  int layers; // of each
  int hidden;
  int ffn;
  int heads;
  int head_width;
  int vocabulary;
  int read;    // tokens
  int written; // tokens; of other lengths the same share
  bool biases = true;
  bool gated = false;
  bool tied = true;
  int positions = 0;           // learnt, of encoder and decoder each
  int relative = 0;            // learnt distances of each head, of encoder and decoder each (T5)
  bool embedding_norm = false; // behind the embeddings (BART)
  bool last_norm = false;      // behind the last layer (T5)
  const char* activation = "activation";
};

class EncoderDecoderMaker
{
public:
  EncoderDecoderMaker(const EncoderDecoder& d, int read, int written)
      : d_{d}, net_{"",
                    fmt::format("transformer, {} layers of width {} that read and {} that write", d.layers, d.hidden,
                                d.layers),
                    d.source,
                    {1, read + written, 1}},
        read_{read}, written_{written}
  {
  }

  Dnn make()
  {
    int at = embed("encoder", read_, false);
    for (int i = 0; i < d_.layers; ++i) {
      const std::string name = fmt::format("encoder.{}", i);
      at = attend(name + ".self", at, at, false);
      at = feed_forward(name, at);
    }
    const int memory = d_.last_norm ? norm("encoder.norm", at) : at;
    at = embed("decoder", written_, true);
    for (int i = 0; i < d_.layers; ++i) {
      const std::string name = fmt::format("decoder.{}", i);
      at = attend(name + ".self", at, at, true);
      at = attend(name + ".cross", at, memory, false);
      at = feed_forward(name, at);
    }
    if (d_.last_norm)
      at = norm("decoder.norm", at);
    at = net_.token_linear("vocabulary", at, d_.vocabulary, false);
    if (d_.tied)
      net_.share_parameters(at);
    net_.layer({.name = "softmax", .type = "softmax", .memory_elements = 4 * net_.shape(at).elements(), .inputs = {at}},
               net_.shape(at));
    return net_.finish(fmt::format("{} tokens read, {} written", read_, written_));
  }

private:
  int embed(const std::string& name, int tokens, bool shared)
  {
    int at = net_.embedding(name + ".words", -1, d_.vocabulary, d_.hidden, tokens);
    if (shared)
      net_.share_parameters(at);
    if (d_.positions > 0)
      at = net_.add(name + ".sum", at, net_.embedding(name + ".positions", -1, d_.positions, d_.hidden, tokens));
    if (d_.relative > 0) {
      const int distances = net_.embedding(name + ".distances", -1, d_.relative, d_.heads, 1);
      static_cast<void>(distances); // added to the scores
    }
    return d_.embedding_norm ? norm(name + ".norm", at) : at;
  }

  int norm(const std::string& name, int from) { return net_.layer_norm(name, from, d_.biases ? 2 : 1); }

  /// Before the branch or behind the sum: one norm a part either way.
  int attend(const std::string& name, int from, int memory, bool causal)
  {
    const int width = d_.heads * d_.head_width, read = norm(name + ".norm", from);
    const int seen = from == memory ? read : memory;
    const auto project = [&](const char* part, int of) { return net_.token_linear(name + part, of, width, d_.biases); };
    const int query = project(".query", read), key = project(".key", seen), value = project(".value", seen);
    const int made =
        net_.attention(name, query, key, value, {.heads = d_.heads, .width = d_.head_width, .causal = causal});
    return net_.drop(net_.add(name + ".add", from, net_.token_linear(name + ".output", made, d_.hidden, d_.biases)));
  }

  int feed_forward(const std::string& name, int from)
  {
    const int read = norm(name + ".norm", from);
    std::vector<int> up;
    for (const char* part : {".up", ".gate"})
      if (up.empty() || d_.gated)
        up.push_back(net_.token_linear(name + part, read, d_.ffn, d_.biases));
    const double elements = net_.shape(up[0]).elements();
    const int active = net_.layer({.name = name + ".activation",
                                   .type = d_.gated ? "gated" : d_.activation,
                                   .memory_elements = (d_.gated ? 3 : 2) * elements,
                                   .inputs = up},
                                  net_.shape(up[0]));
    return net_.drop(net_.add(name + ".add", from, net_.token_linear(name + ".down", active, d_.hidden, d_.biases)));
  }

  const EncoderDecoder& d_;
  DnnBuilder net_;
  int read_;
  int written_;
};

Dnn encoder_decoder(const EncoderDecoder& dimensions, const DnnOptions& options)
{
  const int read = options.sequence_length > 0 ? options.sequence_length : dimensions.read;
  const int written = static_cast<int>(static_cast<double>(read) * dimensions.written / dimensions.read + 0.5);
  return EncoderDecoderMaker{dimensions, read, std::max(1, written)}.make();
}

EncoderDecoder translator(int hidden, int heads)
{
  return {.source = "Vaswani et al., arXiv:1706.03762, table 3; 37,000 words; length of sentences assumed",
          .layers = 6,
          .hidden = hidden,
          .ffn = 4 * hidden,
          .heads = heads,
          .head_width = 64,
          .vocabulary = 37000,
          .read = sentence,
          .written = sentence};
}

/// 512 tokens read and 114 written: the spans that were masked (section 3.1.4).
EncoderDecoder t5(int layers, int hidden, int ffn, int heads, int head_width, bool later = false)
{
  return {.source = later ? "Raffel et al., arXiv:1910.10683; google/t5-v1_1, config.json"
                          : "Raffel et al., arXiv:1910.10683, section 3.7",
          .layers = layers,
          .hidden = hidden,
          .ffn = ffn,
          .heads = heads,
          .head_width = head_width,
          .vocabulary = 32128,
          .read = 512,
          .written = 114,
          .biases = false,
          .gated = later,
          .tied = !later,
          .relative = 32,
          .last_norm = true};
}

EncoderDecoder bart(int layers, int hidden, int heads)
{
  return {.source = "Lewis et al., arXiv:1910.13461, section 2; facebook/bart, config.json",
          .layers = layers,
          .hidden = hidden,
          .ffn = 4 * hidden,
          .heads = heads,
          .head_width = 64,
          .vocabulary = 50265,
          .read = 512,
          .written = 512,
          .positions = 1026,
          .embedding_norm = true,
          .activation = "gelu"};
}

// Transformer-XL. Words have fewer numbers the rarer they are; the output projection is the same matrices.

struct TransformerXl {
  int layers, hidden, heads, tokens;
  bool narrow; // rare words: a quarter, a sixteenth, a 64th of the width
};

Dnn transformer_xl(const TransformerXl& d, const DnnOptions& options)
{
  const int tokens = options.sequence_length > 0 ? options.sequence_length : d.tokens;
  constexpr double words = 267735; // of WikiText-103
  constexpr std::array cuts{0.0, 19997.0, 39997.0, 199997.0, words};
  DnnBuilder net{
      "",
      fmt::format("transformer with a memory as long as its segment, {} layers of width {}", d.layers, d.hidden),
      "Dai et al., arXiv:1901.02860; NVIDIA DeepLearningExamples, PyTorch/LanguageModeling/Transformer-XL",
      {1, tokens, 1}};
  const double width = d.hidden;
  Layer table{.name = "words", .type = "embedding", .memory_elements = 2 * tokens * width};
  Layer head{.name = "vocabulary", .type = "linear"};
  for (int part = 0; part < 4; ++part) {
    const auto at = static_cast<std::size_t>(part);
    const double rows = cuts.at(at + 1) - cuts.at(at), own = d.narrow ? width / (1 << (2 * part)) : width;
    table.parameters.push_back({fmt::format("words.{}", part), rows * own});
    if (d.narrow)
      table.parameters.push_back({fmt::format("words.{}.projection", part), own * width});
    head.parameters.push_back({fmt::format("vocabulary.{}.bias", part), rows});
  }
  if (d.narrow)
    head.parameters.push_back({"vocabulary.projection", width * width});
  head.parameters.push_back({"vocabulary.clusters", 3 * width + 3});
  int at = net.drop(net.layer(std::move(table), {d.hidden, tokens, 1}));
  Layer before{.name = "memory", .type = "view"};
  const int memory = net.layer(std::move(before), {d.hidden, tokens, 1}); // of the segment before, not trained
  for (int i = 0; i < d.layers; ++i) {
    const std::string name = fmt::format("layer.{}", i);
    const int both = net.layer(
        {.name = name + ".seen", .type = "concatenate", .memory_elements = 4 * tokens * width, .inputs = {memory, at}},
        {d.hidden, 2 * tokens, 1});
    const int query = net.token_linear(name + ".query", at, d.hidden, false);
    const int key = net.token_linear(name + ".key", both, d.hidden, false);
    const int value = net.token_linear(name + ".value", both, d.hidden, false);
    net.token_linear(name + ".positions", both, d.hidden, false); // one set for all samples; counted for each
    const int made = net.attention(name + ".attention", query, key, value,
                                   {.heads = d.heads, .width = d.hidden / d.heads, .causal = true, .products = 3});
    at = net.layer_norm(name + ".norm1", net.drop(net.add(name + ".add1", at,
                                                          net.token_linear(name + ".output", made, d.hidden, false))));
    const int up = net.activation(name + ".relu", net.token_linear(name + ".up", at, 4 * d.hidden));
    at = net.layer_norm(name + ".norm2",
                        net.drop(net.add(name + ".add2", at, net.token_linear(name + ".down", up, d.hidden))));
  }
  // Frequent words and three clusters for each token (adaptive softmax, Grave et al., arXiv:1609.04309); the words of
  // the clusters only for the few tokens that are theirs: not counted.
  const double outputs = cuts[1] + 3;
  head.forward = Flops{2 * width * outputs * tokens};
  head.memory_elements = tokens * (width + outputs);
  head.product = {.rows = 1.0 * tokens, .rows_in = 1.0 * tokens, .columns = outputs, .columns_in = width};
  head.parameters.push_back({"positions.biases", 2 * width});
  head.inputs = {at};
  at = net.layer(std::move(head), {static_cast<int>(outputs), tokens, 1});
  net.layer({.name = "softmax", .type = "softmax", .memory_elements = 4 * outputs * tokens, .inputs = {at}},
            net.shape(at));
  return net.finish(fmt::format("segment of {} tokens", tokens));
}

/// GNMT version 2: four recurrent layers that read, the first in both directions, and four that write; attention feeds
/// each of these.
Dnn gnmt(const DnnOptions& options)
{
  const int tokens = options.sequence_length > 0 ? options.sequence_length : sentence;
  constexpr int hidden = 1024, words = 32320;
  DnnBuilder net{"",
                 "translator of 8 LSTM layers of width 1024",
                 "Wu et al., arXiv:1609.08144; NVIDIA DeepLearningExamples, PyTorch/Translation/GNMT; length of "
                 "sentences assumed",
                 {1, 2 * tokens, 1}};
  const auto residual = [&](const std::string& name, int from, int read) {
    return net.drop(net.add(name + ".add", from, net.recurrent(name, read, hidden)));
  };
  int at = net.recurrent("encoder.0", net.embedding("words", -1, words, hidden, tokens), hidden, 2);
  at = net.recurrent("encoder.1", at, hidden);
  at = residual("encoder.2", at, at);
  const int memory = residual("encoder.3", at, at);
  at = net.embedding("decoder.words", -1, words, hidden, tokens);
  net.share_parameters(at);
  at = net.recurrent("decoder.0", at, hidden);
  const int query = net.token_linear("attention.query", at, hidden, false);
  const int key = net.token_linear("attention.key", memory, hidden, false);
  // Bahdanau's (arXiv:1409.0473): a vector times tanh(query + key) for each pair of tokens, then a weighted sum.
  const double pairs = 1.0 * tokens * tokens * hidden;
  Layer scores{.name = "attention",
               .type = "attention",
               .forward = Flops{4 * pairs},
               .memory_elements = 3 * pairs,
               .saved_elements = pairs,
               .inputs = {query, key, memory}};
  scores.parameters = {{"attention.vector", hidden}, {"attention.scale", 1}, {"attention.bias", hidden}};
  const int context = net.layer(std::move(scores), {hidden, tokens, 1});
  for (int i = 1; i < 4; ++i) {
    const std::string name = fmt::format("decoder.{}", i);
    const int read = net.concatenate(name + ".read", {at, context});
    at = i == 1 ? net.recurrent(name, read, hidden) : residual(name, at, read);
  }
  at = net.token_linear("vocabulary", at, words);
  net.layer({.name = "softmax", .type = "softmax", .memory_elements = 4 * net.shape(at).elements(), .inputs = {at}},
            net.shape(at));
  return net.finish(fmt::format("{0} tokens read, {0} written", tokens));
}

/// RNN-T of MLPerf Training: features of 10 ms, three of which are one frame; a word piece for each 20 of them.
Dnn rnnt(const DnnOptions& options)
{
  const int features = options.sequence_length > 0 ? options.sequence_length : 1230;
  const int frames = std::max(2, features / 3), pieces = std::max(1, features / 20);
  constexpr int hidden = 1024, predicted = 512, outputs = 1024;
  DnnBuilder net{
      "",
      "7 LSTM layers and a joint network for each pair of frame and word piece",
      "Graves, arXiv:1211.3711; mlcommons/training, rnn_speech_recognition; 12.3 s of LibriSpeech and a word "
      "piece every 0.2 s assumed",
      {240, frames, 1}};
  int at = net.recurrent("encoder.0", -1, hidden);
  at = net.recurrent("encoder.1", at, hidden);
  at = net.layer({.name = "encoder.stack", .type = "view", .inputs = {at}}, {2 * hidden, frames / 2, 1});
  for (int i = 2; i < 5; ++i)
    at = net.recurrent(fmt::format("encoder.{}", i), at, hidden);
  const int heard = net.token_linear("joint.encoder", at, predicted);
  at = net.embedding("prediction.words", -1, outputs - 1, predicted, pieces);
  for (int i = 0; i < 2; ++i)
    at = net.recurrent(fmt::format("prediction.{}", i), at, predicted);
  const int said = net.token_linear("joint.prediction", at, predicted);
  const DnnBuilder::Shape pairs{predicted, frames / 2, pieces + 1};
  at = net.layer({.name = "joint.sum", .type = "add", .memory_elements = 2 * pairs.elements(), .inputs = {heard, said}},
                 pairs);
  at = net.token_linear("joint.output", net.activation("joint.relu", at), outputs);
  net.layer({.name = "loss", .type = "softmax", .memory_elements = 4 * net.shape(at).elements(), .inputs = {at}},
            net.shape(at));
  return net.finish(fmt::format("speech of {} features", features));
}

[[maybe_unused]] const bool registered_sequences = add_networks({
    {"transformer_base", "encoder and decoder of Vaswani et al., 2017, 6 layers of 512",
     [](const DnnOptions& o) { return encoder_decoder(translator(512, 8), o); }},
    {"transformer_big", "encoder and decoder of Vaswani et al., 2017, 6 layers of 1024",
     [](const DnnOptions& o) { return encoder_decoder(translator(1024, 16), o); }},
    {"t5_small", "T5, 60.5 M parameters (Raffel et al. 2019)",
     [](const DnnOptions& o) { return encoder_decoder(t5(6, 512, 2048, 8, 64), o); }},
    {"t5_base", "T5, 223 M parameters (Raffel et al. 2019)",
     [](const DnnOptions& o) { return encoder_decoder(t5(12, 768, 3072, 12, 64), o); }},
    {"t5_large", "T5, 738 M parameters (Raffel et al. 2019)",
     [](const DnnOptions& o) { return encoder_decoder(t5(24, 1024, 4096, 16, 64), o); }},
    {"t5_3b", "T5, 2.9 G parameters (Raffel et al. 2019)",
     [](const DnnOptions& o) { return encoder_decoder(t5(24, 1024, 16384, 32, 128), o); }},
    {"t5_11b", "T5, 11.3 G parameters (Raffel et al. 2019)",
     [](const DnnOptions& o) { return encoder_decoder(t5(24, 1024, 65536, 128, 128), o); }},
    {"t5_v1.1_base", "T5 1.1 and Flan-T5, 248 M parameters",
     [](const DnnOptions& o) { return encoder_decoder(t5(12, 768, 2048, 12, 64, true), o); }},
    {"t5_v1.1_large", "T5 1.1 and Flan-T5, 783 M parameters",
     [](const DnnOptions& o) { return encoder_decoder(t5(24, 1024, 2816, 16, 64, true), o); }},
    {"t5_v1.1_xl", "T5 1.1 and Flan-T5, 2.8 G parameters",
     [](const DnnOptions& o) { return encoder_decoder(t5(24, 2048, 5120, 32, 64, true), o); }},
    {"t5_v1.1_xxl", "T5 1.1 and Flan-T5, 11.1 G parameters",
     [](const DnnOptions& o) { return encoder_decoder(t5(24, 4096, 10240, 64, 64, true), o); }},
    {"bart_base", "BART, 139 M parameters (Lewis et al. 2019)",
     [](const DnnOptions& o) { return encoder_decoder(bart(6, 768, 12), o); }},
    {"bart_large", "BART, 406 M parameters (Lewis et al. 2019)",
     [](const DnnOptions& o) { return encoder_decoder(bart(12, 1024, 16), o); }},
    {"transformer_xl_base", "Transformer-XL of NVIDIA's examples, 192 M parameters (Dai et al. 2019)",
     [](const DnnOptions& o) {
       return transformer_xl({16, 512, 8, 192, false}, o);
     }},
    {"transformer_xl_large", "Transformer-XL, 285 M parameters (Dai et al. 2019)",
     [](const DnnOptions& o) {
       return transformer_xl({18, 1024, 16, 384, true}, o);
     }},
    {"gnmt", "GNMT, 8 LSTM layers, 160.7 M parameters (Wu et al. 2016)", &gnmt},
    {"rnnt", "RNN-T of MLPerf, 49.0 M parameters", &rnnt},
});

} // namespace
} // namespace trainyard
