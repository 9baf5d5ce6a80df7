// SPDX-License-Identifier: Apache-2.0
// Networks that find objects in images: convolutions on the maps of a backbone say where something is and what.
#include "models/dnn/builder.hpp"

#include <array>
#include <span>

namespace trainyard {
namespace {

/// Batch norm of a backbone whose statistics and scales do not change: one multiply-add, nothing to learn.
Dnn frozen_norms(Dnn dnn)
{
  for (Layer& layer : dnn.layers)
    if (layer.type == "batch_norm") {
      layer.type = "scale";
      layer.memory_elements *= 2.0 / 3;
      layer.parameters.clear();
    }
  return dnn;
}

// SSD: a place and a class for each of some boxes at each position of six maps.

struct SsdExtra {
  int narrow, wide, stride, pad;
};

void ssd_heads(DnnBuilder& net, const std::vector<int>& maps, int classes)
{
  constexpr std::array boxes{4, 6, 6, 6, 4, 4};
  for (std::size_t i = 0; i < maps.size(); ++i) {
    const std::string name = "head" + std::to_string(i);
    net.convolution(name + ".place", maps[i], 4 * boxes.at(i), DnnBuilder::padded(3), true);
    net.convolution(name + ".class", maps[i], classes * boxes.at(i), DnnBuilder::padded(3), true);
  }
}

/// The maps behind the backbone; with @p norms batch norm follows each convolution, which then has no bias.
std::vector<int> ssd_maps(DnnBuilder& net, int at, const std::vector<SsdExtra>& extras, bool norms)
{
  std::vector<int> maps{at};
  for (const SsdExtra& extra : extras) {
    const std::string name = "extra" + std::to_string(maps.size());
    const auto block = [&](const std::string& part, int from, int channels, DnnBuilder::Window window) {
      return norms ? net.convolution_block(name + part, from, channels, window)
                   : net.activation(name + part + ".relu", net.convolution(name + part, from, channels, window, true));
    };
    at = block(".wide", block(".narrow", at, extra.narrow, DnnBuilder::padded(1)), extra.wide,
               DnnBuilder::square(3, extra.stride, extra.pad));
    maps.push_back(at);
  }
  return maps;
}

/// On the first three stages of a ResNet, the third without stride: maps of 38x38 to 1x1.
Dnn ssd_resnet(const ResNetShape& backbone, const char* source, bool norms)
{
  DnnBuilder net{"", "single-shot detector on a ResNet, images of 300x300, 80 classes and none", source, {3, 300, 300}};
  ResNetShape shape = backbone;
  shape.blocks[3] = 0;
  shape.strides[2] = 1;
  const int at = resnet_stages(net, shape)[2];
  ssd_heads(net,
            ssd_maps(net, at,
                     {{256, 512, 2, 1}, {256, 512, 2, 1}, {128, 256, 2, 1}, {128, 256, 1, 0}, {128, 256, 1, 0}}, norms),
            81);
  return net.finish("image 3x300x300");
}

Dnn ssd300_vgg16(const DnnOptions&)
{
  DnnBuilder net{"",
                 "single-shot detector on VGG-16, images of 300x300, 90 classes and none",
                 "Liu et al., arXiv:1512.02325; torchvision, ssd300_vgg16",
                 {3, 300, 300}};
  int at = -1, number = 0;
  const auto convolve = [&](int channels, DnnBuilder::Window window) {
    const std::string name = "conv" + std::to_string(++number);
    at = net.activation(name + ".relu", net.convolution(name, at, channels, window, true));
  };
  int fourth = 0;
  for (const auto& [channels, layers, rounded] :
       {std::array{64, 2, 0}, std::array{128, 2, 0}, std::array{256, 3, 1}, std::array{512, 3, 0}}) {
    for (int i = 0; i < layers; ++i)
      convolve(channels, DnnBuilder::padded(3));
    fourth = at;
    // sides of 75 become 38: the pool rounds up
    at = net.pool("pool" + std::to_string(number), at, DnnBuilder::square(2, 2, rounded));
  }
  for (int i = 0; i < 3; ++i)
    convolve(512, DnnBuilder::padded(3));
  at = net.pool("pool5", at, DnnBuilder::padded(3));
  DnnBuilder::Window wide = DnnBuilder::square(3, 1, 6);
  wide.dilation = 6;
  convolve(1024, wide);
  convolve(1024, DnnBuilder::padded(1));
  Layer scale{
      .name = "scale", .type = "product", .memory_elements = 3 * net.shape(fourth).elements(), .inputs = {fourth}};
  scale.parameters.push_back({"scale.weight", 512});
  std::vector<int> maps{net.layer(std::move(scale), net.shape(fourth))};
  for (const int map :
       ssd_maps(net, at, {{256, 512, 2, 1}, {128, 256, 2, 1}, {128, 256, 1, 0}, {128, 256, 1, 0}}, false))
    maps.push_back(map);
  ssd_heads(net, maps, 91);
  return net.finish("image 3x300x300");
}

// Feature pyramids (Lin et al., arXiv:1612.03144): each stage's map has 256 channels and what the next, upsampled,
// adds.

std::vector<int> pyramid(DnnBuilder& net, std::span<const int> stages)
{
  std::vector<int> inner, maps;
  for (const int stage : stages)
    inner.push_back(
        net.convolution("fpn.inner" + std::to_string(inner.size()), stage, 256, DnnBuilder::padded(1), true));
  for (std::size_t i = inner.size() - 1; i-- > 0;)
    inner[i] = net.add("fpn.add" + std::to_string(i), inner[i],
                       net.upsample("fpn.up" + std::to_string(i), inner[i + 1], net.shape(inner[i])));
  for (const int one : inner)
    maps.push_back(net.convolution("fpn.map" + std::to_string(maps.size()), one, 256, DnnBuilder::padded(3), true));
  return maps;
}

/// Four convolutions on each map and one to @p outputs; the maps share their weights.
void shared_head(DnnBuilder& net, const std::string& name, const std::vector<int>& maps, int outputs, int layers = 4,
                 DnnBuilder::Window last = DnnBuilder::square(3, 1, 1))
{
  for (std::size_t map = 0; map < maps.size(); ++map) {
    int at = maps[map];
    const auto convolve = [&](const std::string& part, int channels, DnnBuilder::Window window) {
      at = net.convolution(name + std::to_string(map) + part, at, channels, window, true);
      if (map > 0)
        net.share_parameters(at);
    };
    for (int i = 0; i < layers; ++i) {
      convolve(".conv" + std::to_string(i), 256, DnnBuilder::padded(3));
      at = net.activation(name + std::to_string(map) + ".relu" + std::to_string(i), at);
    }
    convolve(".out", outputs, last);
  }
}

Dnn retinanet(const ResNetShape& backbone, int classes, const char* source)
{
  DnnBuilder net{"",
                 "detector on a ResNet with a feature pyramid, images of 800x800, " + std::to_string(classes) +
                     " classes",
                 source,
                 {3, 800, 800}};
  const std::array<int, 4> stages = resnet_stages(net, backbone);
  std::vector<int> maps = pyramid(net, std::span{stages}.subspan(1));
  maps.push_back(net.convolution("fpn.p6", maps.back(), 256, DnnBuilder::padded(3, 2), true));
  maps.push_back(
      net.convolution("fpn.p7", net.activation("fpn.relu", maps.back()), 256, DnnBuilder::padded(3, 2), true));
  shared_head(net, "class", maps, 9 * classes);
  shared_head(net, "place", maps, 9 * 4);
  return frozen_norms(net.finish("image 3x800x800"));
}

/// @p proposals of an image that are looked at closer, of which @p masked are objects whose shape is learnt.
Dnn rcnn(int proposals, int masked, const char* source)
{
  // Sides are brought to at least 800, so that the usual 640x480 becomes 1067x800, which is padded.
  DnnBuilder net{
      "", "detector of two stages on ResNet-50 with a feature pyramid, 90 classes and none", source, {3, 800, 1088}};
  const std::array<int, 4> stages = resnet_stages(net, {{3, 4, 6, 3}});
  std::vector<int> maps = pyramid(net, stages);
  const std::vector<int> read = maps;
  maps.push_back(net.pool("fpn.pool", maps.back(), DnnBuilder::square(1, 2)));
  // Three boxes at each position: a score and a place each.
  shared_head(net, "proposals", maps, 3 * (1 + 4), 1, DnnBuilder::padded(1));
  /// Cut out of the maps, sides of @p side, one position of the width for each region.
  const auto cut = [&](const std::string& name, int regions, int side) {
    const DnnBuilder::Shape shape{256, side, side, regions};
    return net.layer({.name = name, .type = "cut", .memory_elements = 5 * shape.elements(), .inputs = read}, shape);
  };
  const int boxes = cut("box.cut", proposals, 7);
  // a layer reads all 7x7 positions of a region: channels, and one position each
  int at = net.layer({.name = "box.flat", .type = "view", .inputs = {boxes}}, {256 * 7 * 7, proposals, 1});
  at = net.activation("box.relu1", net.token_linear("box.fc1", at, 1024));
  at = net.activation("box.relu2", net.token_linear("box.fc2", at, 1024));
  net.token_linear("box.class", at, 91);
  net.token_linear("box.place", at, 4 * 91);
  if (masked > 0) {
    at = cut("mask.cut", masked, 14);
    DnnBuilder::Window flat = DnnBuilder::padded(3); // one region after the other
    for (int i = 0; i < 4; ++i) {
      const std::string name = "mask.conv" + std::to_string(i);
      at = net.activation(name + ".relu", net.convolution(name, at, 256, flat, true));
    }
    at = net.activation("mask.relu", net.deconvolution("mask.up", at, 256, DnnBuilder::square(2, 2), true));
    net.convolution("mask.out", at, 91, DnnBuilder::padded(1), true);
  }
  return frozen_norms(net.finish("image 3x800x1088"));
}

constexpr const char* retinanet_source = "Lin et al., arXiv:1708.02002; torchvision, retinanet_resnet50_fpn";
constexpr const char* mlperf_retinanet_source =
    "Lin et al., arXiv:1708.02002; MLPerf Training v2, mlcommons/training, single_stage_detector";
constexpr const char* mask_source =
    "He et al., arXiv:1703.06870; torchvision, maskrcnn_resnet50_fpn: 512 proposals, 128 masks";
constexpr const char* faster_source =
    "Ren et al., arXiv:1506.01497; torchvision, fasterrcnn_resnet50_fpn: 512 proposals";
constexpr const char* ssd34_source =
    "Liu et al., arXiv:1512.02325; MLPerf Training v0.5 to v1.1, single_stage_detector";
constexpr const char* ssd50_source = "Liu et al., arXiv:1512.02325; NVIDIA DeepLearningExamples, PyTorch/Detection/SSD";

[[maybe_unused]] const bool registered_detectors = add_networks({
    {"ssd300_vgg16", "SSD on VGG-16, 35.6 M parameters (Liu et al. 2015)", &ssd300_vgg16},
    {"ssd300_resnet34", "SSD of MLPerf on ResNet-34, 300x300 (Liu et al. 2015)",
     [](const DnnOptions&) {
       return ssd_resnet({{3, 4, 6, 3}, false}, ssd34_source, false);
     }},
    {"ssd300_resnet50", "SSD of NVIDIA's examples on ResNet-50, 300x300 (Liu et al. 2015)",
     [](const DnnOptions&) {
       return ssd_resnet({{3, 4, 6, 3}}, ssd50_source, true);
     }},
    {"retinanet_resnet50", "RetinaNet, 34.0 M parameters, images of 800x800 (Lin et al. 2017)",
     [](const DnnOptions&) {
       return retinanet({{3, 4, 6, 3}}, 91, retinanet_source);
     }},
    {"retinanet_resnext50", "RetinaNet of MLPerf on ResNeXt-50, 264 classes, images of 800x800 (Lin et al. 2017)",
     [](const DnnOptions&) {
       return retinanet({.blocks = {3, 4, 6, 3}, .groups = 32, .group_width = 4}, 264, mlperf_retinanet_source);
     }},
    {"faster_rcnn", "Faster R-CNN on ResNet-50, 41.8 M parameters (Ren et al. 2015)",
     [](const DnnOptions&) { return rcnn(512, 0, faster_source); }},
    {"mask_rcnn", "Mask R-CNN on ResNet-50, 44.4 M parameters (He et al. 2017)",
     [](const DnnOptions&) { return rcnn(512, 128, mask_source); }},
});

} // namespace
} // namespace trainyard
