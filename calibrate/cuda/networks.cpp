// SPDX-License-Identifier: Apache-2.0
#include "calibrate/cuda/networks.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <stdexcept>

namespace trainyard::calibrate::gpu {
namespace {

using Kind = NetworkLayer::Kind;

class Writer
{
public:
  Writer(int channels, int size) : channels_{channels}, height_{size}, width_{size} {}

  void convolution(const std::string& name, int filters, int kernel, int stride, int pad)
  {
    const ConvolutionShape shape{channels_, height_, width_, filters, kernel, kernel, stride, pad, pad};
    layers_.push_back({Kind::convolution, name, shape, 0, 0, shape.output_elements()});
    channels_ = filters;
    height_ = shape.out_height();
    width_ = shape.out_width();
  }
  void memory(Kind kind, const std::string& name)
  {
    layers_.push_back({kind, name, {}, 0, 0, static_cast<double>(channels_) * height_ * width_});
  }
  void pool(const std::string& name, int kernel, int stride, int pad)
  {
    memory(Kind::pool, name);
    height_ = (height_ + 2 * pad - kernel) / stride + 1;
    width_ = (width_ + 2 * pad - kernel) / stride + 1;
  }
  void linear(const std::string& name, int outputs)
  {
    layers_.push_back({Kind::linear, name, {}, channels_ * height_ * width_, outputs, static_cast<double>(outputs)});
    channels_ = outputs;
    height_ = width_ = 1;
  }

  int channels() const { return channels_; }
  int size() const { return height_; }
  void rewind(int channels, int size)
  {
    channels_ = channels;
    height_ = width_ = size;
  }
  std::vector<NetworkLayer> layers() { return std::move(layers_); }

private:
  int channels_;
  int height_;
  int width_;
  std::vector<NetworkLayer> layers_;
};

std::vector<NetworkLayer> vgg16()
{
  Writer net{3, 224};
  constexpr std::array counts{2, 2, 3, 3, 3};
  constexpr std::array filters{64, 128, 256, 512, 512};
  for (std::size_t block = 0; block < counts.size(); ++block) {
    for (int i = 0; i < counts[block]; ++i) {
      const std::string name = std::to_string(block + 1) + "_" + std::to_string(i + 1);
      net.convolution("conv" + name, filters[block], 3, 1, 1);
      net.memory(Kind::activation, "relu" + name);
    }
    net.pool("pool" + std::to_string(block + 1), 2, 2, 0);
  }
  for (const auto& [name, outputs] : {std::pair{"fc6", 4096}, {"fc7", 4096}, {"fc8", 1000}}) {
    net.linear(name, outputs);
    if (outputs == 4096)
      net.memory(Kind::activation, std::string{"relu_"} + name);
  }
  return net.layers();
}

std::vector<NetworkLayer> resnet50()
{
  Writer net{3, 224};
  const auto block = [&](const std::string& name, int filters, int kernel, int stride, int pad, bool relu) {
    net.convolution(name, filters, kernel, stride, pad);
    net.memory(Kind::batch_norm, name + ".bn");
    if (relu)
      net.memory(Kind::activation, name + ".relu");
  };
  block("conv1", 64, 7, 2, 3, true);
  net.pool("maxpool", 3, 2, 1);
  constexpr std::array counts{3, 4, 6, 3};
  for (std::size_t stage = 0; stage < counts.size(); ++stage)
    for (int i = 0; i < counts[stage]; ++i) {
      const std::string name = "layer" + std::to_string(stage + 1) + "." + std::to_string(i);
      const int width = 64 << stage, stride = stage > 0 && i == 0 ? 2 : 1;
      const int channels = net.channels(), size = net.size();
      if (channels != 4 * width) {
        block(name + ".downsample", 4 * width, 1, stride, 0, false);
        net.rewind(channels, size);
      }
      block(name + ".conv1", width, 1, 1, 0, true);
      block(name + ".conv2", width, 3, stride, 1, true);
      block(name + ".conv3", 4 * width, 1, 1, 0, false);
      net.memory(Kind::add, name + ".add");
      net.memory(Kind::activation, name + ".relu");
    }
  net.pool("avgpool", 7, 7, 0);
  net.linear("fc", 1000);
  return net.layers();
}

/// Inception v3's modules, as the paper's table 1 and the published implementation give them.
std::vector<ConvolutionShape> inception_v3()
{
  std::vector<ConvolutionShape> list{
      {3, 299, 299, 32, 3, 3, 2, 0, 0}, {32, 149, 149, 32, 3, 3, 1, 0, 0}, {32, 147, 147, 64, 3, 3, 1, 1, 1},
      {64, 73, 73, 80, 1, 1, 1, 0, 0},  {80, 73, 73, 192, 3, 3, 1, 0, 0},  {48, 35, 35, 64, 5, 5, 1, 2, 2},
      {64, 35, 35, 96, 3, 3, 1, 1, 1},  {96, 35, 35, 96, 3, 3, 1, 1, 1},   {288, 35, 35, 384, 3, 3, 2, 0, 0},
      {96, 35, 35, 96, 3, 3, 2, 0, 0},  {192, 17, 17, 320, 3, 3, 2, 0, 0}, {192, 17, 17, 192, 3, 3, 2, 0, 0},
      {448, 8, 8, 384, 3, 3, 1, 1, 1},  {384, 8, 8, 384, 1, 3, 1, 0, 1},   {384, 8, 8, 384, 3, 1, 1, 1, 0}};
  for (const int in : {192, 256, 288})
    for (const int out : {64, 48})
      list.push_back({in, 35, 35, out, 1, 1, 1, 0, 0});
  for (const int width : {128, 160, 192}) {
    list.push_back({768, 17, 17, width, 1, 1, 1, 0, 0});
    list.push_back({width, 17, 17, width, 1, 7, 1, 0, 3});
    list.push_back({width, 17, 17, width, 7, 1, 1, 3, 0});
  }
  for (const int in : {1280, 2048})
    for (const int out : {320, 384, 448, 192})
      list.push_back({in, 8, 8, out, 1, 1, 1, 0, 0});
  return list;
}

std::vector<ConvolutionShape> alexnet()
{
  return {{3, 224, 224, 64, 11, 11, 4, 2, 2},
          {64, 27, 27, 192, 5, 5, 1, 2, 2},
          {192, 13, 13, 384, 3, 3, 1, 1, 1},
          {384, 13, 13, 256, 3, 3, 1, 1, 1},
          {256, 13, 13, 256, 3, 3, 1, 1, 1}};
}

} // namespace

std::string ConvolutionShape::name() const
{
  std::string text;
  for (const auto& [letter, value] : {std::pair{'c', channels},
                                      {'h', height},
                                      {'w', width},
                                      {'k', filters},
                                      {'r', kernel_height},
                                      {'s', kernel_width},
                                      {'t', stride},
                                      {'p', pad_height},
                                      {'q', pad_width}})
    text += letter + std::to_string(value);
  return text;
}

ConvolutionShape convolution_of(const std::string& name)
{
  ConvolutionShape s;
  if (std::sscanf(name.c_str(), "c%dh%dw%dk%dr%ds%dt%dp%dq%d", &s.channels, &s.height, &s.width, &s.filters,
                  &s.kernel_height, &s.kernel_width, &s.stride, &s.pad_height, &s.pad_width) != 9)
    throw std::invalid_argument{"'" + name + "' is not a convolution"};
  return s;
}

std::vector<NetworkLayer> network_layers(const std::string& network)
{
  if (network == "vgg16")
    return vgg16();
  if (network == "resnet50")
    return resnet50();
  throw std::invalid_argument{"unknown network '" + network + "'; known: vgg16, resnet50"};
}

std::vector<ConvolutionShape> catalogue_convolutions()
{
  std::vector<ConvolutionShape> list = alexnet();
  for (const char* network : {"vgg16", "resnet50"})
    for (const NetworkLayer& layer : network_layers(network))
      if (layer.kind == Kind::convolution)
        list.push_back(layer.convolution);
  for (const ConvolutionShape& shape : inception_v3())
    list.push_back(shape);
  std::vector<ConvolutionShape> distinct;
  for (const ConvolutionShape& shape : list)
    if (std::ranges::find(distinct, shape) == distinct.end())
      distinct.push_back(shape);
  return distinct;
}

} // namespace trainyard::calibrate::gpu
