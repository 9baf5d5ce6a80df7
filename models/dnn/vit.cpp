// SPDX-License-Identifier: Apache-2.0
// Vision transformers: patches of the image as tokens beside a class token, pre-norm blocks, one linear layer on the
// class token. Dosovitskiy et al., arXiv:2010.11929, table 1; tensors as in torchvision, without dropout.
#include "models/dnn/builder.hpp"

#include <array>

namespace trainyard {
namespace {

struct VitSizes {
  const char* name;
  int patch;
  int layers;
  int hidden;
  int ffn;
  int heads;
};

constexpr std::array vit_table{
    VitSizes{"vit_b_16", 16, 12, 768, 3072, 12},
    VitSizes{"vit_l_16", 16, 24, 1024, 4096, 16},
    VitSizes{"vit_h_14", 14, 32, 1280, 5120, 16},
};
constexpr int vit_image = 224, vit_classes = 1000;

/// Layers over all tokens of an image.
class VitMaker
{
public:
  explicit VitMaker(const VitSizes& sizes)
      : net_{sizes.name,
             "vision transformer, " + std::to_string(sizes.layers) + " layers of width " + std::to_string(sizes.hidden),
             "Dosovitskiy et al., arXiv:2010.11929, table 1",
             {3, vit_image, vit_image}},
        size_{sizes}, tokens_{(vit_image / sizes.patch) * (vit_image / sizes.patch) + 1}
  {
  }

  Dnn make()
  {
    int at = embeddings();
    for (int i = 0; i < size_.layers; ++i)
      at = block("layer." + std::to_string(i), at);
    at = norm("norm", at, {1, 1});
    // The head reads the class token, one of the positions.
    at = net_.layer({.name = "class", .type = "pool", .memory_elements = 2.0 * size_.hidden, .inputs = {at}},
                    {size_.hidden, 1, 1});
    net_.linear("head", at, vit_classes);
    return net_.finish("image 3x224x224");
  }

private:
  DnnBuilder::Shape shape(int channels) const { return {channels, tokens_, 1}; }
  double elements(int channels) const { return static_cast<double>(channels) * tokens_; }

  int embeddings()
  {
    const int patches =
        net_.convolution("patches", -1, size_.hidden, DnnBuilder::square(size_.patch, size_.patch), true);
    Layer layer{
        .name = "embeddings", .type = "embedding", .memory_elements = 3 * elements(size_.hidden), .inputs = {patches}};
    layer.parameters = {{"embeddings.class", 1.0 * size_.hidden}, {"embeddings.position", elements(size_.hidden)}};
    return net_.layer(std::move(layer), shape(size_.hidden));
  }

  /// @p copied: as Copies::forward and backward, in arrays of the layer's size.
  int norm(const std::string& name, int from, std::array<double, 2> copied)
  {
    Layer layer{.name = name, .type = "layer_norm", .memory_elements = 3 * elements(size_.hidden), .inputs = {from}};
    layer.copies = {.forward = copied[0] * elements(size_.hidden), .backward = copied[1] * elements(size_.hidden)};
    layer.parameters = {{name + ".weight", 1.0 * size_.hidden}, {name + ".bias", 1.0 * size_.hidden}};
    return net_.layer(std::move(layer), shape(size_.hidden));
  }

  int linear(const std::string& name, int from, int inputs, int outputs)
  {
    const double weights = 1.0 * inputs * outputs;
    Layer layer{.name = name,
                .type = "linear",
                .forward = Flops{2 * weights * tokens_},
                .memory_elements = elements(inputs) + elements(outputs),
                .product = {.rows = 1.0 * tokens_,
                            .rows_in = 1.0 * tokens_,
                            .columns = 1.0 * outputs,
                            .columns_in = 1.0 * inputs},
                .inputs = {from}};
    layer.parameters = {{name + ".weight", weights}, {name + ".bias", 1.0 * outputs}};
    return net_.layer(std::move(layer), shape(outputs));
  }

  /// Fused, as torch's scaled_dot_product_attention: one number per row and head is kept.
  ///
  /// torch.nn.MultiheadAttention, which torchvision uses, turns samples and tokens around (nn/functional.py,
  /// multi_head_attention_forward). Copied by an index: the input, queries, keys and values with their bias and once
  /// more when they are taken apart, the output; back, the gradients of the output and of the three. The backward pass
  /// of taking apart fills an array of all three for each of them, copies its part into it and adds the three up.
  int attention(const std::string& name, int from)
  {
    Layer layer{.name = name,
                .type = "attention",
                .forward = Flops{4.0 * tokens_ * elements(size_.hidden)},
                .memory_elements = 4 * elements(size_.hidden),
                .product = {.rows = 1.0 * tokens_,
                            .rows_in = 1.0 * tokens_,
                            .columns = 1.0 * tokens_,
                            .columns_in = 1.0 * size_.hidden / size_.heads,
                            .products = 1.0 * size_.heads,
                            .weights = false},
                .copies = {.forward = (1 + 3 + 3 + 1) * elements(size_.hidden),
                           .backward = (1 + 3) * elements(size_.hidden),
                           .moved = (3 * (3 + 2) + 2 * 3 * 3) * elements(size_.hidden)},
                .saved_elements = elements(size_.heads),
                .inputs = {from}};
    return net_.layer(std::move(layer), shape(size_.hidden));
  }

  int block(const std::string& name, int identity)
  {
    // Sums with the attention's output lie as it does; norms copy them there and back, the first its gradient too.
    int at = linear(name + ".qkv", norm(name + ".norm1", identity, {1, 2}), size_.hidden, 3 * size_.hidden);
    at = linear(name + ".output", attention(name + ".attention", at), size_.hidden, size_.hidden);
    identity = net_.add(name + ".add1", identity, at);
    at = linear(name + ".up", norm(name + ".norm2", identity, {1, 1}), size_.hidden, size_.ffn);
    at = net_.layer(
        {.name = name + ".activation", .type = "gelu", .memory_elements = 2 * elements(size_.ffn), .inputs = {at}},
        shape(size_.ffn));
    return net_.add(name + ".add2", identity, linear(name + ".down", at, size_.ffn, size_.hidden));
  }

  DnnBuilder net_;
  VitSizes size_;
  int tokens_;
};

template <int row>
class Vit final : public DnnSource
{
public:
  Dnn build(const DnnOptions&) const override { return VitMaker{vit_table.at(row)}.make(); }
};

using VitB16 = Vit<0>;
using VitL16 = Vit<1>;
using VitH14 = Vit<2>;
TY_REGISTER(DnnSource, VitB16, "vit_b_16", "ViT-B/16, 86.6 M parameters (Dosovitskiy et al. 2020)");
TY_REGISTER(DnnSource, VitL16, "vit_l_16", "ViT-L/16, 304.3 M parameters (Dosovitskiy et al. 2020)");
TY_REGISTER(DnnSource, VitH14, "vit_h_14", "ViT-H/14, 632.0 M parameters (Dosovitskiy et al. 2020)");

} // namespace
} // namespace trainyard
