// SPDX-License-Identifier: Apache-2.0
// Networks that classify images, and faces. Where the paper leaves a detail open, the one of the implementation that
// is named counts: its parameters are what tests compare with.
#include "models/dnn/builder.hpp"

#include <algorithm>
#include <cmath>

namespace trainyard {
namespace {

using Window = DnnBuilder::Window;

/// Multiplies @p from with the factors @p by, one for each of its channels.
int scale(DnnBuilder& net, const std::string& name, int from, int by)
{
  return net.layer(
      {.name = name, .type = "product", .memory_elements = 2 * net.shape(from).elements(), .inputs = {from, by}},
      net.shape(from));
}

int classify(DnnBuilder& net, int from)
{
  return net.linear("fc", net.global_pool("avgpool", from), 1000);
}

// GoogLeNet, as in torchvision: batch norm behind each convolution, 3x3 where the paper has 5x5.

Dnn googlenet(const DnnOptions&)
{
  DnnBuilder net{
      "", "GoogLeNet, 9 modules of 4 branches", "Szegedy et al., arXiv:1409.4842, table 1; torchvision", {3, 224, 224}};
  int at =
      net.pool("maxpool1", net.convolution_block("conv1", -1, 64, DnnBuilder::padded(7, 2)), DnnBuilder::padded(3, 2));
  at = net.convolution_block("conv3", net.convolution_block("conv2", at, 64, DnnBuilder::padded(1)), 192,
                             DnnBuilder::padded(3));
  at = net.pool("maxpool2", at, DnnBuilder::padded(3, 2));
  struct Module {
    const char* name;
    int one, before_three, three, before_five, five, pooled;
  };
  for (const Module& m : {Module{"3a", 64, 96, 128, 16, 32, 32}, Module{"3b", 128, 128, 192, 32, 96, 64},
                          Module{"4a", 192, 96, 208, 16, 48, 64}, Module{"4b", 160, 112, 224, 24, 64, 64},
                          Module{"4c", 128, 128, 256, 24, 64, 64}, Module{"4d", 112, 144, 288, 32, 64, 64},
                          Module{"4e", 256, 160, 320, 32, 128, 128}, Module{"5a", 256, 160, 320, 32, 128, 128},
                          Module{"5b", 384, 192, 384, 48, 128, 128}}) {
    const std::string name = m.name;
    if (name == "4a" || name == "5a")
      at = net.pool("maxpool" + name, at, name == "4a" ? DnnBuilder::padded(3, 2) : DnnBuilder::square(2, 2));
    const auto block = [&](const char* part, int from, int channels, int kernel) {
      return net.convolution_block(name + part, from, channels, DnnBuilder::padded(kernel));
    };
    at = net.concatenate(name, {block(".1", at, m.one, 1), block(".3", block(".3r", at, m.before_three, 1), m.three, 3),
                                block(".5", block(".5r", at, m.before_five, 1), m.five, 3),
                                block(".p", net.pool(name + ".max", at, DnnBuilder::padded(3)), m.pooled, 1)});
  }
  classify(net, at);
  return net.finish("image 3x224x224");
}

// DenseNet: a layer reads all layers of its block before it.

Dnn densenet(int first, int growth, const std::array<int, 4>& blocks)
{
  DnnBuilder net{"", "densely connected network", "Huang et al., arXiv:1608.06993, table 1", {3, 224, 224}};
  const auto normalised = [&](const std::string& name, int from) {
    return net.activation(name + ".relu", net.batch_norm(name + ".bn", from));
  };
  int at =
      net.pool("pool0", net.convolution_block("conv0", -1, first, DnnBuilder::padded(7, 2)), DnnBuilder::padded(3, 2));
  for (std::size_t block = 0; block < blocks.size(); ++block) {
    const std::string base = "block" + std::to_string(block + 1);
    for (int i = 0; i < blocks.at(block); ++i) {
      const std::string name = base + "." + std::to_string(i);
      int made =
          net.convolution(name + ".conv1", normalised(name + ".1", at), 4 * growth, DnnBuilder::padded(1), false);
      made = net.convolution(name + ".conv2", normalised(name + ".2", made), growth, DnnBuilder::padded(3), false);
      at = net.concatenate(name, {at, made});
    }
    if (block + 1 < blocks.size())
      at = net.pool(base + ".pool",
                    net.convolution(base + ".half", normalised(base + ".end", at), net.shape(at).channels / 2,
                                    DnnBuilder::padded(1), false),
                    DnnBuilder::square(2, 2));
  }
  classify(net, normalised("end", at));
  return net.finish("image 3x224x224");
}

// Inverted residuals: a convolution of each channel by itself between a wider and a narrower 1x1.

struct Stage {
  int expand, kernel, stride, channels, layers;
  bool fused = false;   // one 3x3 instead of 1x1 and the convolution of each channel
  bool squeezed = true; // channels are weighted by what their means say (Hu et al., arXiv:1709.01507)
};

int inverted_residual(DnnBuilder& net, const std::string& name, int from, const Stage& stage, int stride)
{
  const int inputs = net.shape(from).channels, wide = inputs * stage.expand;
  int at = from;
  if (stage.fused && stage.expand == 1) {
    at = net.convolution_block(name + ".conv", at, stage.channels, DnnBuilder::padded(stage.kernel, stride));
  } else {
    if (stage.fused)
      at = net.convolution_block(name + ".expand", at, wide, DnnBuilder::padded(stage.kernel, stride));
    else if (stage.expand > 1)
      at = net.convolution_block(name + ".expand", at, wide, DnnBuilder::padded(1));
    if (!stage.fused) {
      at = net.convolution(name + ".depthwise", at, wide, DnnBuilder::padded(stage.kernel, stride), false, wide);
      at = net.activation(name + ".depthwise.act", net.batch_norm(name + ".depthwise.bn", at));
      if (stage.squeezed) {
        int weights = net.convolution(name + ".squeeze", net.global_pool(name + ".mean", at), std::max(1, inputs / 4),
                                      DnnBuilder::padded(1), true);
        weights = net.convolution(name + ".excite", net.activation(name + ".squeeze.act", weights), wide,
                                  DnnBuilder::padded(1), true);
        at = scale(net, name + ".scale", at, net.activation(name + ".sigmoid", weights));
      }
    }
    at = net.batch_norm(name + ".project.bn",
                        net.convolution(name + ".project", at, stage.channels, DnnBuilder::padded(1), false));
  }
  return stride == 1 && inputs == stage.channels ? net.add(name + ".add", at, from) : at;
}

Dnn inverted_residuals(const std::string& description, const std::string& source, int image, int first, int last,
                       const std::vector<Stage>& stages)
{
  DnnBuilder net{"", description, source, {3, image, image}};
  int at = net.convolution_block("stem", -1, first, DnnBuilder::padded(3, 2));
  for (std::size_t s = 0; s < stages.size(); ++s)
    for (int i = 0; i < stages[s].layers; ++i)
      at = inverted_residual(net, "stage" + std::to_string(s + 1) + "." + std::to_string(i), at, stages[s],
                             i == 0 ? stages[s].stride : 1);
  classify(net, net.convolution_block("head", at, last, DnnBuilder::padded(1)));
  return net.finish("image 3x" + std::to_string(image) + "x" + std::to_string(image));
}

/// EfficientNet-B0 with more channels and layers; channels are multiples of eight, no more than a tenth fewer.
Dnn efficientnet(double width, double depth, int image)
{
  const auto channels = [&](double count) {
    const double wanted = count * width;
    const int rounded = std::max(8, static_cast<int>(wanted + 4) / 8 * 8);
    return rounded < 0.9 * wanted ? rounded + 8 : rounded;
  };
  std::vector<Stage> stages{{1, 3, 1, 16, 1},  {6, 3, 2, 24, 2},  {6, 5, 2, 40, 2}, {6, 3, 2, 80, 3},
                            {6, 5, 1, 112, 3}, {6, 5, 2, 192, 4}, {6, 3, 1, 320, 1}};
  for (Stage& stage : stages) {
    stage.channels = channels(stage.channels);
    stage.layers = static_cast<int>(std::ceil(stage.layers * depth));
  }
  return inverted_residuals("inverted residuals", "Tan and Le, arXiv:1905.11946, table 1; torchvision", image,
                            channels(32), 4 * channels(320), stages);
}

Dnn efficientnet_v2(int image, const std::vector<Stage>& stages)
{
  return inverted_residuals("inverted residuals, the first ones fused",
                            "Tan and Le, arXiv:2104.00298, table 4; torchvision", image, stages.front().channels, 1280,
                            stages);
}

// Faces: 112 x 112, a vector for each; a last layer of as many outputs as there are persons.

constexpr int ms1m_persons = 85742; // MS1MV2, Deng et al., arXiv:1801.07698, table 1

/// A rectifier with a slope of its own for each channel.
int prelu(DnnBuilder& net, const std::string& name, int from)
{
  Layer layer{.name = name, .type = "activation", .memory_elements = 2 * net.shape(from).elements(), .inputs = {from}};
  layer.parameters.push_back({name + ".slopes", 1.0 * net.shape(from).channels});
  return net.layer(std::move(layer), net.shape(from));
}

Dnn face_resnet100(const DnnOptions&)
{
  DnnBuilder net{"",
                 "residual network of 100 layers for faces, 85,742 persons",
                 "Deng et al., ArcFace, arXiv:1801.07698; insightface, arcface_torch, iresnet100",
                 {3, 112, 112}};
  const auto convolved = [&](const std::string& name, int from, int channels, Window window) {
    return net.batch_norm(name + ".bn", net.convolution(name, from, channels, window, false));
  };
  int at = prelu(net, "prelu", convolved("conv1", -1, 64, DnnBuilder::padded(3)));
  constexpr std::array blocks{3, 13, 30, 3};
  for (std::size_t stage = 0; stage < blocks.size(); ++stage)
    for (int i = 0; i < blocks.at(stage); ++i) {
      const std::string name = "layer" + std::to_string(stage + 1) + "." + std::to_string(i);
      const int width = 64 << stage, stride = i == 0 ? 2 : 1;
      int branch = convolved(name + ".conv1", net.batch_norm(name + ".bn0", at), width, DnnBuilder::padded(3));
      branch = convolved(name + ".conv2", prelu(net, name + ".prelu", branch), width, DnnBuilder::padded(3, stride));
      at = net.add(name + ".add", branch,
                   i == 0 ? convolved(name + ".down", at, width, DnnBuilder::padded(1, stride)) : at);
    }
  net.linear("persons", net.batch_norm("features", net.linear("fc", net.batch_norm("bn2", at), 512)), ms1m_persons,
             false);
  return net.finish("face 3x112x112");
}

Dnn mobilefacenet(const DnnOptions&)
{
  DnnBuilder net{
      "", "inverted residuals for faces, 85,742 persons", "Chen et al., arXiv:1804.07573, table 1", {3, 112, 112}};
  const auto depthwise = [&](const std::string& name, int from, Window window) {
    const int channels = net.shape(from).channels;
    return net.batch_norm(name + ".bn", net.convolution(name, from, channels, window, false, channels));
  };
  const auto convolved = [&](const std::string& name, int from, int channels, Window window) {
    return net.batch_norm(name + ".bn", net.convolution(name, from, channels, window, false));
  };
  int at = prelu(net, "conv1.prelu", convolved("conv1", -1, 64, DnnBuilder::padded(3, 2)));
  at = prelu(net, "conv2.prelu", depthwise("conv2", at, DnnBuilder::padded(3)));
  const auto stages = std::to_array<Stage>(
      {{2, 3, 2, 64, 5}, {4, 3, 2, 128, 1}, {2, 3, 1, 128, 6}, {4, 3, 2, 128, 1}, {2, 3, 1, 128, 2}});
  for (std::size_t s = 0; s < stages.size(); ++s)
    for (int i = 0; i < stages.at(s).layers; ++i) {
      const Stage& stage = stages.at(s);
      const std::string name = "stage" + std::to_string(s + 1) + "." + std::to_string(i);
      const int wide = net.shape(at).channels * stage.expand, stride = i == 0 ? stage.stride : 1, identity = at;
      at = prelu(net, name + ".expand.prelu", convolved(name + ".expand", at, wide, DnnBuilder::padded(1)));
      at = prelu(net, name + ".depthwise.prelu", depthwise(name + ".depthwise", at, DnnBuilder::padded(3, stride)));
      at = convolved(name + ".project", at, stage.channels, DnnBuilder::padded(1));
      if (stride == 1 && net.shape(identity).channels == stage.channels)
        at = net.add(name + ".add", at, identity);
    }
  at = prelu(net, "conv3.prelu", convolved("conv3", at, 512, DnnBuilder::padded(1)));
  at = depthwise("global", at, DnnBuilder::square(7));
  net.linear("persons", convolved("vector", at, 128, DnnBuilder::padded(1)), ms1m_persons, false);
  return net.finish("face 3x112x112");
}

[[maybe_unused]] const bool registered_images = add_networks({
    {"googlenet", "GoogLeNet without auxiliary heads, 6.6 M parameters (Szegedy et al. 2014)", &googlenet},
    {"densenet121", "DenseNet-121, 8.0 M parameters (Huang et al. 2016)",
     [](const DnnOptions&) {
       return densenet(64, 32, {6, 12, 24, 16});
     }},
    {"densenet161", "DenseNet-161, 28.7 M parameters (Huang et al. 2016)",
     [](const DnnOptions&) {
       return densenet(96, 48, {6, 12, 36, 24});
     }},
    {"densenet169", "DenseNet-169, 14.1 M parameters (Huang et al. 2016)",
     [](const DnnOptions&) {
       return densenet(64, 32, {6, 12, 32, 32});
     }},
    {"densenet201", "DenseNet-201, 20.0 M parameters (Huang et al. 2016)",
     [](const DnnOptions&) {
       return densenet(64, 32, {6, 12, 48, 32});
     }},
    {"mobilenet_v2", "MobileNetV2, 3.5 M parameters (Sandler et al. 2018)",
     [](const DnnOptions&) {
       return inverted_residuals("inverted residuals", "Sandler et al., arXiv:1801.04381, table 2", 224, 32, 1280,
                                 {{1, 3, 1, 16, 1, false, false},
                                  {6, 3, 2, 24, 2, false, false},
                                  {6, 3, 2, 32, 3, false, false},
                                  {6, 3, 2, 64, 4, false, false},
                                  {6, 3, 1, 96, 3, false, false},
                                  {6, 3, 2, 160, 3, false, false},
                                  {6, 3, 1, 320, 1, false, false}});
     }},
    {"efficientnet_b0", "EfficientNet-B0, 5.3 M parameters, images of 224x224 (Tan and Le 2019)",
     [](const DnnOptions&) { return efficientnet(1, 1, 224); }},
    {"efficientnet_b1", "EfficientNet-B1, 7.8 M parameters, images of 240x240 (Tan and Le 2019)",
     [](const DnnOptions&) { return efficientnet(1, 1.1, 240); }},
    {"efficientnet_b4", "EfficientNet-B4, 19.3 M parameters, images of 380x380 (Tan and Le 2019)",
     [](const DnnOptions&) { return efficientnet(1.4, 1.8, 380); }},
    {"efficientnet_b7", "EfficientNet-B7, 66.3 M parameters, images of 600x600 (Tan and Le 2019)",
     [](const DnnOptions&) { return efficientnet(2, 3.1, 600); }},
    {"efficientnet_v2_s", "EfficientNetV2-S, 21.5 M parameters, images of 384x384 (Tan and Le 2021)",
     [](const DnnOptions&) {
       return efficientnet_v2(384, {{1, 3, 1, 24, 2, true},
                                    {4, 3, 2, 48, 4, true},
                                    {4, 3, 2, 64, 4, true},
                                    {4, 3, 2, 128, 6},
                                    {6, 3, 1, 160, 9},
                                    {6, 3, 2, 256, 15}});
     }},
    {"efficientnet_v2_m", "EfficientNetV2-M, 54.1 M parameters, images of 480x480 (Tan and Le 2021)",
     [](const DnnOptions&) {
       return efficientnet_v2(480, {{1, 3, 1, 24, 3, true},
                                    {4, 3, 2, 48, 5, true},
                                    {4, 3, 2, 80, 5, true},
                                    {4, 3, 2, 160, 7},
                                    {6, 3, 1, 176, 14},
                                    {6, 3, 2, 304, 18},
                                    {6, 3, 1, 512, 5}});
     }},
    {"efficientnet_v2_l", "EfficientNetV2-L, 118.5 M parameters, images of 480x480 (Tan and Le 2021)",
     [](const DnnOptions&) {
       return efficientnet_v2(480, {{1, 3, 1, 32, 4, true},
                                    {4, 3, 2, 64, 7, true},
                                    {4, 3, 2, 96, 7, true},
                                    {4, 3, 2, 192, 10},
                                    {6, 3, 1, 224, 19},
                                    {6, 3, 2, 384, 25},
                                    {6, 3, 1, 640, 7}});
     }},
    {"face_resnet100", "ResNet-100 for faces, 65.2 M parameters and a last layer of 43.9 M (Deng et al. 2018)",
     &face_resnet100},
    {"mobilefacenet", "MobileFaceNet, 1.0 M parameters and a last layer of 11.0 M (Chen et al. 2018)", &mobilefacenet},
});

} // namespace
} // namespace trainyard
