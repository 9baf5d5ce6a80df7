// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "models/core/registry.hpp"
#include "models/dnn/network.hpp"
#include "models/dnn/transformer.hpp"

#include <array>
#include <initializer_list>
#include <string>
#include <vector>

namespace trainyard {

/// What a user may say about a network besides its name.
struct DnnOptions {
  int sequence_length = 0;                  // of transformers; 0 = the published one
  double elements = 0;                      // of the model one_tensor
  const Transformer* transformer = nullptr; // its dimensions, instead of a registered network
  std::string layers = {};                  // CSV: the network is this table of layers, whatever its name
};

/// A network from a table of layers with a header line: name, parameters (elements of each tensor), forward and
/// backward (times for the job's batch) or flop (forward, per sample), activations; of a table of rows also rows,
/// lookups (of a sample) and distinct_rows (of a batch, where measured). Throws std::invalid_argument naming the layer.
Dnn dnn_of_layers(const std::string& csv, const std::string& name);

/// A network of the catalogue; one registered class per name, built from the architecture as published.
class DnnSource
{
public:
  virtual ~DnnSource() = default;
  virtual Dnn build(const DnnOptions& options) const = 0;
};

/// A kind of file that describes a network; registered under the ending of its name (".onnx").
class DnnFile
{
public:
  virtual ~DnnFile() = default;
  /// Throws std::invalid_argument naming the file and what is wrong with it.
  virtual Dnn read(const std::string& path) const = 0;
};

/// Whether @p name is the name of such a file, by its ending.
bool is_dnn_file(const std::string& name);

/// Builds a registered network, or reads one from a file. Throws std::invalid_argument with a suggestion for an unknown
/// name.
Dnn build_dnn(const std::string& name, const DnnOptions& options = {});

/// How much faster or slower than a matrix product of as many flop the usual fp32 kernels of a convolution are.
struct KernelSpeeds {
  double forward = 1; // and the gradient of the input
  double weights = 1; // gradient of the weights
};

/// 3x3 of stride 1: Winograd's algorithm needs 2.25 times fewer multiplications in tiles of 2x2 (Lavin and Gray,
/// arXiv:1509.09308); 1.7 and, for the gradient of the weights, 1.5 are what is assumed to be left of it after its
/// transforms. 5x5: larger tiles or FFT, 1.2 (assumed). 1x1: a matrix product of fewer columns, 0.9 (assumed); windows
/// of one row or column are slow in every library, 0.5: chosen on the Inception rows of MXNet's single-GPU table.
KernelSpeeds kernel_speeds(int height, int width, int stride, int channels_in);

/// Layer indices in an order in which each comes after its inputs (Boost.Graph). Throws std::invalid_argument naming a
/// layer on a cycle.
std::vector<int> topological_order(const Dnn& dnn);

/// Puts layers one after the other and infers shapes, parameters, flop and memory traffic per sample.
///
/// Convention of the catalogue: 1 multiply-add = 2 flop, counted for convolutions, linear layers and attention;
/// element-wise work counts as memory traffic only (elements read + written by the forward pass): batch norm 3 n (two
/// reads for the statistics and the result, one write), activation 2 n, sum of two 3 n, softmax 4 n.
class DnnBuilder
{
public:
  struct Shape {
    int channels = 0;
    int height = 1;
    int width = 1;
    int depth = 1; // of volumes
    double positions() const { return static_cast<double>(height) * width * depth; }
    double elements() const { return channels * positions(); }
  };
  struct Window {
    int height = 1;
    int width = 1;
    int stride = 1;
    int pad_height = 0;
    int pad_width = 0;
    int depth = 1;
    int pad_depth = 0;
    int dilation = 1;
  };
  static Window cube(int kernel, int stride = 1, int pad = 0)
  {
    return {kernel, kernel, stride, pad, pad, kernel, pad};
  }
  static Window square(int kernel, int stride = 1, int pad = 0) { return {kernel, kernel, stride, pad, pad}; }
  /// Padded so that a stride of 1 keeps the size of the map.
  static Window padded(int kernel, int stride = 1) { return square(kernel, stride, kernel / 2); }

  DnnBuilder(std::string name, std::string description, std::string source, Shape input);

  /// Each returns the index of the new layer; @p from is a layer index, -1 the network's input.
  int convolution(const std::string& name, int from, int channels, Window window, bool bias, int groups = 1);
  int batch_norm(const std::string& name, int from);
  int activation(const std::string& name, int from);
  int pool(const std::string& name, int from, Window window);
  int global_pool(const std::string& name, int from);
  int linear(const std::string& name, int from, int outputs, bool bias = true);
  int add(const std::string& name, int a, int b);
  int concatenate(const std::string& name, std::vector<int> from);
  int layer(Layer layer, Shape shape);
  /// A convolution backwards: each input position is spread over a window, without overlap where its size is the
  /// stride.
  int deconvolution(const std::string& name, int from, int channels, Window window, bool bias);
  /// Larger in height, width and depth, by interpolation.
  int upsample(const std::string& name, int from, Shape shape);
  /// A linear layer over the channels of each position: height is the number of tokens or frames.
  int token_linear(const std::string& name, int from, int outputs, bool bias = true);
  int layer_norm(const std::string& name, int from, int vectors = 2);
  /// Rows of a table, one for each of @p tokens; the gradient is made as large as the table.
  int embedding(const std::string& name, int from, double rows, int width, int tokens);
  /// Recurrent layers over frames (height): @p gates products of input and state for each (LSTM 4, GRU 3), with two
  /// biases (cuDNN). Kernels keep the recurrent weights on the chip. Two directions are concatenated.
  int recurrent(const std::string& name, int from, int hidden, int directions = 1, int gates = 4);
  struct Attention {
    int heads = 1;
    int width = 64;      // of a head
    bool causal = false; // a token sees only those before it
    bool dropout = true; // of the scores, which are written (Layer::saved_elements)
    int products = 2;    // scores and weighted sum; relative positions add one (Transformer-XL)
  };
  /// Scores and weighted sum of @p query over the positions of @p keys, both already projected.
  int attention(const std::string& name, int query, int keys, int values, const Attention& attention);
  /// Takes a layer's parameters away: it uses those of another one.
  void share_parameters(int layer);
  /// Drops elements of a layer's output, with a mask of one byte each; returns @p layer.
  int drop(int layer);
  /// Gives a layer's output another shape, as padding and cropping do.
  int reshape(int layer, Shape shape);
  /// convolution without bias, batch norm, activation
  int convolution_block(const std::string& name, int from, int channels, Window window);

  const Shape& shape(int layer) const;
  Dnn finish(std::string sample);

private:
  Dnn dnn_;
  Shape input_;
  std::vector<Shape> shapes_;
};

/// A network of the catalogue that is one function.
struct NamedNetwork {
  const char* name;
  const char* description;
  Dnn (*build)(const DnnOptions&);
};

/// Registers them; returns true.
bool add_networks(std::initializer_list<NamedNetwork> networks);

/// What a residual network of four stages is made of.
struct ResNetShape {
  std::array<int, 4> blocks;
  bool bottlenecks = true;
  bool stride_in_3x3 = true;
  int groups = 1;       // of the 3x3 convolution of a bottleneck (ResNeXt)
  int group_width = 64; // its channels in the first stage: group_width x groups
  std::array<int, 4> strides{1, 2, 2, 2};
  std::array<int, 4> dilations{1, 1, 1, 1};
};

/// First convolution, pooling and stages; returns the last layer of each stage.
std::array<int, 4> resnet_stages(DnnBuilder& net, const ResNetShape& shape);

} // namespace trainyard
