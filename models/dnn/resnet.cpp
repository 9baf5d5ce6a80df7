// SPDX-License-Identifier: Apache-2.0
// ResNet: blocks of convolutions beside an identity path. He et al., arXiv:1512.03385. Version 1.5 has the stride of a
// bottleneck in its 3x3 convolution, version 1 in the first 1x1 one.
#include "models/dnn/builder.hpp"

#include <array>

namespace trainyard {
namespace {

int shortcut(DnnBuilder& net, const std::string& name, int from, int channels, int stride)
{
  if (stride == 1 && net.shape(from).channels == channels)
    return from;
  return net.batch_norm(name + ".downsample.bn",
                        net.convolution(name + ".downsample", from, channels, DnnBuilder::square(1, stride), false));
}

int basic_block(DnnBuilder& net, const std::string& name, int from, int width, int stride)
{
  int at = net.convolution_block(name + ".conv1", from, width, DnnBuilder::square(3, stride, 1));
  at = net.batch_norm(name + ".conv2.bn",
                      net.convolution(name + ".conv2", at, width, DnnBuilder::square(3, 1, 1), false));
  return net.activation(name + ".relu", net.add(name + ".add", at, shortcut(net, name, from, width, stride)));
}

int bottleneck(DnnBuilder& net, const std::string& name, int from, int stage, int stride, const ResNetShape& shape)
{
  const int outputs = 256 << stage, width = (shape.group_width * shape.groups) << stage;
  int at = net.convolution_block(name + ".conv1", from, width, DnnBuilder::square(1, shape.stride_in_3x3 ? 1 : stride));
  const int dilation = shape.dilations.at(static_cast<std::size_t>(stage));
  DnnBuilder::Window window = DnnBuilder::square(3, shape.stride_in_3x3 ? stride : 1, dilation);
  window.dilation = dilation;
  at = net.convolution(name + ".conv2", at, width, window, false, shape.groups);
  at = net.activation(name + ".conv2.relu", net.batch_norm(name + ".conv2.bn", at));
  at = net.batch_norm(name + ".conv3.bn", net.convolution(name + ".conv3", at, outputs, DnnBuilder::square(1), false));
  return net.activation(name + ".relu", net.add(name + ".add", at, shortcut(net, name, from, outputs, stride)));
}

Dnn resnet(const std::string& name, const ResNetShape& shape,
           const char* source = "He et al., Deep residual learning, arXiv:1512.03385, table 1")
{
  DnnBuilder net{name, "residual network", source, {3, 224, 224}};
  net.linear("fc", net.global_pool("avgpool", resnet_stages(net, shape).back()), 1000);
  return net.finish("image 3x224x224");
}

class ResNet18 final : public DnnSource
{
public:
  Dnn build(const DnnOptions&) const override { return resnet("resnet18", {{2, 2, 2, 2}, false}); }
};

class ResNet50 final : public DnnSource
{
public:
  Dnn build(const DnnOptions&) const override { return resnet("resnet50", {{3, 4, 6, 3}}); }
};

class ResNet50V1 final : public DnnSource
{
public:
  Dnn build(const DnnOptions&) const override { return resnet("resnet50_v1", {{3, 4, 6, 3}, true, false}); }
};

class ResNet101 final : public DnnSource
{
public:
  Dnn build(const DnnOptions&) const override { return resnet("resnet101", {{3, 4, 23, 3}}); }
};

class ResNet152 final : public DnnSource
{
public:
  Dnn build(const DnnOptions&) const override { return resnet("resnet152", {{3, 8, 36, 3}}); }
};

/// The ResNet-18 for 32x32 images: first convolution 3x3 without stride, no pooling, 10 classes.
class ResNet18Cifar final : public DnnSource
{
public:
  Dnn build(const DnnOptions&) const override
  {
    DnnBuilder net{"resnet18_cifar",
                   "residual network for 32x32 images",
                   "He et al., arXiv:1512.03385; variant of kuangliu/pytorch-cifar",
                   {3, 32, 32}};
    int at = net.convolution_block("conv1", -1, 64, DnnBuilder::square(3, 1, 1));
    for (int stage = 0; stage < 4; ++stage)
      for (int block = 0; block < 2; ++block)
        at = basic_block(net, "layer" + std::to_string(stage + 1) + "." + std::to_string(block), at, 64 << stage,
                         stage > 0 && block == 0 ? 2 : 1);
    net.linear("linear", net.global_pool("avgpool", at), 10);
    return net.finish("image 3x32x32");
  }
};

TY_REGISTER(DnnSource, ResNet18, "resnet18", "ResNet-18, 11.7 M parameters (He et al. 2015)");
TY_REGISTER(DnnSource, ResNet18Cifar, "resnet18_cifar", "ResNet-18 for CIFAR-10, 11.2 M parameters");
TY_REGISTER(DnnSource, ResNet50, "resnet50", "ResNet-50 v1.5, 25.6 M parameters, 8.2 GFLOP forward (He et al. 2015)");
TY_REGISTER(DnnSource, ResNet50V1, "resnet50_v1",
            "ResNet-50 v1: stride in the first 1x1 convolution, 7.7 GFLOP forward");
TY_REGISTER(DnnSource, ResNet101, "resnet101", "ResNet-101 v1.5, 44.5 M parameters (He et al. 2015)");
TY_REGISTER(DnnSource, ResNet152, "resnet152", "ResNet-152 v1.5, 60.2 M parameters (He et al. 2015)");

constexpr const char* resnext_source = "Xie et al., arXiv:1611.05431, table 1";
constexpr const char* wide_source = "Zagoruyko and Komodakis, arXiv:1605.07146; torchvision, wide_resnet50_2";

[[maybe_unused]] const bool registered_residual = add_networks({
    {"resnet34", "ResNet-34, 21.8 M parameters (He et al. 2015)",
     [](const DnnOptions&) {
       return resnet("resnet34", {{3, 4, 6, 3}, false});
     }},
    {"resnext50_32x4d", "ResNeXt-50 of 32 groups of 4, 25.0 M parameters (Xie et al. 2016)",
     [](const DnnOptions&) {
       return resnet("", {.blocks = {3, 4, 6, 3}, .groups = 32, .group_width = 4}, resnext_source);
     }},
    {"resnext101_32x4d", "ResNeXt-101 of 32 groups of 4, 44.2 M parameters (Xie et al. 2016)",
     [](const DnnOptions&) {
       return resnet("", {.blocks = {3, 4, 23, 3}, .groups = 32, .group_width = 4}, resnext_source);
     }},
    {"resnext101_32x8d", "ResNeXt-101 of 32 groups of 8, 88.8 M parameters (Xie et al. 2016)",
     [](const DnnOptions&) {
       return resnet("", {.blocks = {3, 4, 23, 3}, .groups = 32, .group_width = 8}, resnext_source);
     }},
    {"wide_resnet50_2", "ResNet-50 with bottlenecks of twice the width, 68.9 M parameters",
     [](const DnnOptions&) {
       return resnet("", {.blocks = {3, 4, 6, 3}, .group_width = 128}, wide_source);
     }},
    {"wide_resnet101_2", "ResNet-101 with bottlenecks of twice the width, 126.9 M parameters",
     [](const DnnOptions&) {
       return resnet("", {.blocks = {3, 4, 23, 3}, .group_width = 128}, wide_source);
     }},
});

} // namespace

std::array<int, 4> resnet_stages(DnnBuilder& net, const ResNetShape& shape)
{
  int at = net.convolution_block("conv1", -1, 64, DnnBuilder::square(7, 2, 3));
  at = net.pool("maxpool", at, DnnBuilder::square(3, 2, 1));
  std::array<int, 4> ends{};
  for (std::size_t stage = 0; stage < shape.blocks.size(); ++stage) {
    for (int block = 0; block < shape.blocks.at(stage); ++block) {
      const std::string name = "layer" + std::to_string(stage + 1) + "." + std::to_string(block);
      const int stride = block == 0 ? shape.strides.at(stage) : 1, number = static_cast<int>(stage);
      at = shape.bottlenecks ? bottleneck(net, name, at, number, stride, shape)
                             : basic_block(net, name, at, 64 << number, stride);
    }
    ends.at(stage) = at;
  }
  return ends;
}

} // namespace trainyard
