// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <span>
#include <string>
#include <vector>

namespace trainyard {

/// A transformer by the fields that a config.json of Hugging Face has. Every size is at least 1.
struct Transformer {
  std::string name;
  std::string source;
  int layers = 12;
  int hidden = 768;
  int ffn = 3072; // width of the feed-forward network (of one expert); config.json: intermediate_size
  int heads = 12;
  int kv_heads = 12; // of keys and values; fewer than heads: grouped-query attention (arXiv:2305.13245)
  int vocabulary = 50257;
  int sequence = 1024; // published length
  int experts = 1;
  int active_experts = 1; // of them, that each token passes
  /// Experts lie in so many groups, and a token goes to those of `active_groups` of them (DeepSeek-V2, section 2.2.2:
  /// device-limited routing).
  int expert_groups = 1;
  int active_groups = 1;
  int head_width = 0;   // 0: hidden / heads
  int shared_ffn = 0;   // width of the feed-forward network that every token passes beside its experts
                        // (DeepSeekMoE, arXiv:2401.06066)
  int dense_layers = 0; // so many layers, the first, have no experts
  int expert_step = 1;  // of those behind them each n-th has experts, the n-th first
  int dense_ffn = 0;    // width of the feed-forward network of layers without experts
  /// Latent attention (DeepSeek-V2, arXiv:2405.04434), where kv_rank > 0: keys and values come from kv_rank numbers of
  /// a token, and rope_width more that carry its position and are the same for all heads.
  int kv_rank = 0;
  int query_rank = 0; // the same of queries; 0: directly from the token
  int rope_width = 0; // part of head_width
  int value_width = 0;

  bool encoder = false;         // BERT: post-norm, token types, pooler
  bool biases = true;           // linear layers and normalisations have them, and dropout is used (BERT, GPT)
  bool gated = false;           // SwiGLU: three matrices in the feed-forward network (arXiv:2002.05202)
  bool tied = true;             // the output projection is the word embedding
  bool learnt_positions = true; // else rotary or none: no parameters
  bool qkv_biases = false;      // of queries, keys and values alone (Qwen2)
  bool head_norms = false;      // queries and keys are normalised head by head (Qwen3)
  bool attention_biases = true; // with `biases`, the projections of attention have them (GPT-J: none)
  bool one_norm = false;        // attention and feed-forward network read the same normalised input (GPT-J, Phi-2)
  bool plain_norms = false;     // normalisations have no parameters (OLMo)
  double layer_vectors = 0;     // elements of further biases, norms and scales of a layer
  double model_vectors = 0;     // the same outside of the layers

  int width_of_head() const { return head_width > 0 ? head_width : hidden / heads; }
  double query_width() const { return static_cast<double>(width_of_head()) * heads; }
  double kv_width() const { return static_cast<double>(width_of_head()) * kv_heads; }
  bool latent() const { return kv_rank > 0; }
  /// Of all heads on one token, as attention reads them.
  double key_width() const { return latent() ? query_width() : kv_width(); }
  double values_width() const { return latent() ? 1.0 * value_width * heads : kv_width(); }
  /// What attention writes.
  double output_width() const { return latent() ? values_width() : query_width(); }
  /// Whether it is RMSNorm, which PyTorch's models write line by line; else LayerNorm, one kernel in PyTorch too.
  /// Nobody says which; models with gates and without biases have RMSNorm (Llama).
  bool rms_norm() const { return gated && !biases; }
  int norm_vectors() const { return plain_norms ? 0 : biases ? 2 : 1; }
  int expert_layers() const { return experts > 1 ? layers - dense_among(0, layers) : 0; }
  bool has_dense_layers() const { return dense_layers > 0 || expert_step > 1; }
  bool is_dense(int layer) const { return layer < dense_layers || (layer - dense_layers + 1) % expert_step != 0; }
  /// How many of @p count layers from @p first on have no experts, in a model whose others have them.
  int dense_among(int first, int count) const;

  /// The model with all its layers like those without experts.
  Transformer without_experts() const;
  /// Elements of the matrices of the attention of one layer.
  double attention_matrices() const;
  /// Parameters of the attention of one layer, with the normalisation before it.
  double attention_parameters() const;
  /// Parameters of one expert (of the feed-forward network where there is one).
  double expert_parameters() const;
  /// Parameters of one layer: attention, router, all experts, normalisations.
  double layer_parameters() const;
  /// The same of one without experts.
  double dense_layer_parameters() const;
  /// Word embedding, learnt positions, model_vectors.
  double embedding_parameters() const;
  /// All of them; the output projection counts where it is not tied.
  double parameters() const;
  /// Those that one token passes: `active_experts` of the experts.
  double active_parameters() const;
  /// Flop of the matrix products of one token in the forward pass (1 multiply-add = 2 flop), at @p sequence tokens,
  /// without regard to the causal mask: the count that "model flop utilisation" is defined by (Chowdhery et al.,
  /// arXiv:2204.02311, appendix B; Narayanan et al., arXiv:2104.04473, eq. 3).
  double forward_flop_per_token(int tokens) const;
};

/// The published transformers, in the order of their table.
std::span<const Transformer> transformer_catalogue();

/// One of them by name; null: there is none.
const Transformer* find_transformer(const std::string& name);

/// What is wrong with the dimensions, in words; empty: nothing.
std::vector<std::string> transformer_faults(const Transformer& transformer);

} // namespace trainyard
