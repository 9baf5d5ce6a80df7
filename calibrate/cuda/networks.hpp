// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <string>
#include <vector>

namespace trainyard::calibrate::gpu {

/// A convolution of one image; padding keeps or halves the size as the networks do.
struct ConvolutionShape {
  int channels = 0; // in
  int height = 0;
  int width = 0;
  int filters = 0; // channels out
  int kernel_height = 1;
  int kernel_width = 1;
  int stride = 1;
  int pad_height = 0;
  int pad_width = 0;

  int out_height() const { return (height + 2 * pad_height - kernel_height) / stride + 1; }
  int out_width() const { return (width + 2 * pad_width - kernel_width) / stride + 1; }
  double flop() const { return 2.0 * out_height() * out_width() * filters * channels * kernel_height * kernel_width; }
  double input_elements() const { return static_cast<double>(channels) * height * width; }
  double output_elements() const { return static_cast<double>(filters) * out_height() * out_width(); }
  double weights() const { return static_cast<double>(filters) * channels * kernel_height * kernel_width; }
  /// "c64h56w56k64r3s3t1"
  std::string name() const;
  bool operator==(const ConvolutionShape&) const = default;
};

/// One operation of a forward pass, enough to time it and its backward pass.
struct NetworkLayer {
  enum class Kind { convolution, batch_norm, activation, pool, add, linear };
  Kind kind = Kind::activation;
  std::string name;
  ConvolutionShape convolution;
  int inputs = 0; // of a linear layer
  int outputs = 0;
  double elements = 0; // of a memory-bound layer, per image: its output, of a pool its input
};

/// vgg16 or resnet50 (version 1.5), layer by layer for one image of 3 x 224 x 224. Simonyan and Zisserman 2014; He et
/// al. 2015.
std::vector<NetworkLayer> network_layers(const std::string& network);

/// Distinct convolutions of AlexNet, VGG-16, ResNet-50 and Inception v3.
std::vector<ConvolutionShape> catalogue_convolutions();

/// The shape that a name stands for; throws std::invalid_argument.
ConvolutionShape convolution_of(const std::string& name);

} // namespace trainyard::calibrate::gpu
