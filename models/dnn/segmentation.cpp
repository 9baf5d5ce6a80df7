// SPDX-License-Identifier: Apache-2.0
// Networks that say something of each position of an image or volume.
#include "models/dnn/builder.hpp"

namespace trainyard {
namespace {

using Window = DnnBuilder::Window;

Window dilated(int kernel, int stride, int dilation)
{
  Window window = DnnBuilder::square(kernel, stride, kernel / 2 * dilation);
  window.dilation = dilation;
  return window;
}

int normalised(DnnBuilder& net, const std::string& name, int from)
{
  return net.batch_norm(name + ".bn", from);
}

int active(DnnBuilder& net, const std::string& name, int from)
{
  return net.activation(name + ".relu", from);
}

// Xception (Chollet, arXiv:1610.02357) as DeepLabV3+ changed it: a convolution of each channel by itself, then 1x1.

int separable(DnnBuilder& net, const std::string& name, int from, int channels, int stride = 1, int dilation = 1)
{
  const int inputs = net.shape(from).channels;
  const int each = net.convolution(name + ".depthwise", from, inputs, dilated(3, stride, dilation), false, inputs);
  return net.convolution(name + ".pointwise", each, channels, DnnBuilder::padded(1), false);
}

/// Some separable convolutions beside an identity path; @p widths of each, and one more without norm where it halves
/// the sides or is the last.
int xception_block(DnnBuilder& net, const std::string& name, int from, const std::vector<int>& widths, int stride,
                   bool one_more, bool ends_active = true)
{
  int at = from;
  for (std::size_t i = 0; i < widths.size(); ++i) {
    const std::string part = name + ".sep" + std::to_string(i);
    at = normalised(net, part, separable(net, part, at, widths[i]));
    if (i + 1 < widths.size())
      at = active(net, part, at);
  }
  if (stride > 1 || one_more)
    at = separable(net, name + ".last", at, widths.back(), stride);
  int skip = from;
  if (stride > 1 || net.shape(from).channels != widths.back())
    skip = normalised(net, name + ".skip",
                      net.convolution(name + ".skip", from, widths.back(), DnnBuilder::padded(1, stride), false));
  at = net.add(name + ".add", at, skip);
  return ends_active ? active(net, name, at) : at;
}

struct Backbone {
  int low = 0; // at a quarter of the sides
  int high = 0;
};

Backbone xception(DnnBuilder& net)
{
  int at = net.convolution_block("conv1", -1, 32, DnnBuilder::padded(3, 2));
  at = net.convolution_block("conv2", at, 64, DnnBuilder::padded(3));
  Backbone made;
  made.low = xception_block(net, "block1", at, {128, 128}, 2, false, false);
  at = xception_block(net, "block2", active(net, "block1", made.low), {256, 256}, 2, false);
  at = xception_block(net, "block3", at, {728, 728}, 2, false);
  for (int i = 4; i < 20; ++i)
    at = xception_block(net, "block" + std::to_string(i), at, {728, 728, 728}, 1, false);
  at = xception_block(net, "block20", at, {728, 1024}, 1, true, false);
  for (const auto& [name, channels] : {std::pair{"conv3", 1536}, std::pair{"conv4", 1536}, std::pair{"conv5", 2048}})
    at = active(net, name, normalised(net, name, separable(net, name, at, channels, 1, 2)));
  made.high = at;
  return made;
}

/// What a position sees around it, near and far: four convolutions with holes and the mean of the image.
int pooled_pyramid(DnnBuilder& net, int from)
{
  std::vector<int> parts;
  for (const int rate : {1, 6, 12, 18})
    parts.push_back(net.convolution_block("aspp" + std::to_string(rate), from, 256,
                                          rate == 1 ? DnnBuilder::padded(1) : dilated(3, 1, rate)));
  const int mean = net.batch_norm("aspp.mean.bn", net.convolution("aspp.mean", net.global_pool("aspp.pool", from), 256,
                                                                  DnnBuilder::padded(1), false));
  parts.push_back(net.upsample("aspp.tile", active(net, "aspp.mean", mean), net.shape(from)));
  return net.convolution_block("aspp.join", net.concatenate("aspp", parts), 256, DnnBuilder::padded(1));
}

/// MLPerf HPC's DeepCAM: 16 channels of a climate model, weather events of 3 classes; transposed convolutions.
Dnn deepcam(const DnnOptions&)
{
  DnnBuilder net{"",
                 "DeepLabV3+ on Xception, 16 channels, 3 classes",
                 "Kurth et al., arXiv:1810.01993; mlcommons/hpc, deepcam, deeplab_xception.py",
                 {16, 768, 1152}};
  const Backbone backbone = xception(net);
  int at = pooled_pyramid(net, backbone.high);
  const int low = net.convolution_block("low", backbone.low, 48, DnnBuilder::padded(1));
  const auto up = [&](const std::string& name, int from, int channels) { // its output is padded by one
    const DnnBuilder::Shape in = net.shape(from);
    const int made = net.deconvolution(name, from, channels, DnnBuilder::square(3, 2, 1), false);
    return net.reshape(made, {channels, 2 * in.height, 2 * in.width});
  };
  for (const char* name : {"up1", "up2"})
    at = active(net, name, normalised(net, name, up(name, at, 256)));
  at = net.convolution_block("conv6", net.concatenate("join", {at, low}), 256, DnnBuilder::padded(3));
  at = net.convolution("conv8", net.convolution_block("conv7", at, 256, DnnBuilder::padded(3)), 256,
                       DnnBuilder::padded(1), true);
  at = active(net, "up3", normalised(net, "up3", up("up3", at, 256)));
  up("up4", at, 3);
  return net.finish("image 16x768x1152");
}

/// As in torchvision: the last two stages of the ResNet with holes instead of strides. With @p plus a decoder that
/// reads the first stage.
Dnn deeplab(const ResNetShape& backbone, bool plus, const char* source)
{
  DnnBuilder net{
      "", plus ? "DeepLabV3+ on a ResNet, 21 classes" : "DeepLabV3 on a ResNet, 21 classes", source, {3, 520, 520}};
  ResNetShape shape = backbone;
  shape.strides = {1, 2, 1, 1};
  shape.dilations = {1, 1, 2, 4};
  const std::array<int, 4> stages = resnet_stages(net, shape);
  std::vector<int> parts;
  for (const int rate : {1, 12, 24, 36})
    parts.push_back(net.convolution_block("aspp" + std::to_string(rate), stages[3], 256,
                                          rate == 1 ? DnnBuilder::padded(1) : dilated(3, 1, rate)));
  int at = net.convolution_block("aspp.mean", net.global_pool("aspp.pool", stages[3]), 256, DnnBuilder::padded(1));
  parts.push_back(net.upsample("aspp.tile", at, net.shape(stages[3])));
  at = net.convolution_block("aspp.join", net.concatenate("aspp", parts), 256, DnnBuilder::padded(1));
  if (plus) {
    const int low = net.convolution_block("low", stages[0], 48, DnnBuilder::padded(1));
    at = net.concatenate("join", {net.upsample("up", at, net.shape(stages[0])), low});
    at = net.convolution_block("decoder1", at, 256, DnnBuilder::padded(3));
  }
  at = net.convolution_block(plus ? "decoder2" : "head", at, 256, DnnBuilder::padded(3));
  net.upsample("out", net.convolution("classes", at, 21, DnnBuilder::padded(1), true), {21, 520, 520});
  return net.finish("image 3x520x520");
}

// U-Net of volumes, MLPerf Training's: instance norm, which has a scale and an offset for each channel.

Dnn unet3d(const DnnOptions&)
{
  DnnBuilder net{"",
                 "U-Net of volumes, 3 classes",
                 "Cicek et al., arXiv:1606.06650; MLPerf Training, mlcommons/training, image_segmentation/pytorch",
                 {1, 128, 128, 128}};
  const auto block = [&](const std::string& name, int from, int channels, int stride) {
    return net.convolution_block(name, from, channels, DnnBuilder::cube(3, stride, 1));
  };
  constexpr std::array widths{32, 64, 128, 256, 320, 320};
  std::vector<int> levels;
  for (std::size_t i = 0; i < widths.size(); ++i) {
    const std::string name = "down" + std::to_string(i);
    levels.push_back(block(name + ".2", block(name + ".1", i == 0 ? -1 : levels.back(), widths.at(i), i == 0 ? 1 : 2),
                           widths.at(i), 1));
  }
  int at = levels.back();
  for (std::size_t i = widths.size() - 1; i-- > 0;) {
    const std::string name = "up" + std::to_string(i);
    at = net.deconvolution(name, at, widths.at(i), DnnBuilder::cube(2, 2), true);
    at = block(name + ".1", net.concatenate(name + ".join", {at, levels[i]}), widths.at(i), 1);
    at = block(name + ".2", at, widths.at(i), 1);
  }
  net.convolution("classes", at, 3, DnnBuilder::cube(1), true);
  return net.finish("volume 1x128x128x128");
}

/// MLPerf HPC's CosmoFlow: 4 channels of a volume of the universe, 4 numbers. 3x3x3, with which its weights are the
/// published number.
Dnn cosmoflow(const DnnOptions&)
{
  DnnBuilder net{"",
                 "5 convolutions of volumes and 3 linear layers",
                 "Mathuriya et al., arXiv:1808.04728; Farrell et al., arXiv:2110.11466; mlcommons/hpc, cosmoflow",
                 {4, 128, 128, 128}};
  int at = -1;
  for (int i = 0; i < 5; ++i) {
    const std::string name = "conv" + std::to_string(i + 1);
    at = active(net, name, net.convolution(name, at, 32 << i, DnnBuilder::cube(3, 1, 1), true));
    at = net.pool("pool" + std::to_string(i + 1), at, DnnBuilder::cube(2, 2));
  }
  at = active(net, "fc2", net.linear("fc2", active(net, "fc1", net.linear("fc1", at, 128)), 64));
  net.linear("fc3", at, 4);
  return net.finish("volume 4x128x128x128");
}

// HRNet: branches of several sizes beside each other, which read all others now and then.

int basic_block(DnnBuilder& net, const std::string& name, int at)
{
  const int width = net.shape(at).channels;
  const int made = net.convolution_block(name + ".conv1", at, width, DnnBuilder::padded(3));
  return active(net, name,
                net.add(name + ".add",
                        normalised(net, name + ".conv2",
                                   net.convolution(name + ".conv2", made, width, DnnBuilder::padded(3), false)),
                        at));
}

int wide_block(DnnBuilder& net, const std::string& name, int from, int width)
{
  int at = net.convolution_block(name + ".conv1", from, width, DnnBuilder::padded(1));
  at = net.convolution_block(name + ".conv2", at, width, DnnBuilder::padded(3));
  at = normalised(net, name + ".conv3", net.convolution(name + ".conv3", at, 4 * width, DnnBuilder::padded(1), false));
  const int skip = net.shape(from).channels == 4 * width
                       ? from
                       : normalised(net, name + ".skip",
                                    net.convolution(name + ".skip", from, 4 * width, DnnBuilder::padded(1), false));
  return active(net, name, net.add(name + ".add", at, skip));
}

std::vector<int> hrnet_module(DnnBuilder& net, const std::string& name, std::vector<int> branches)
{
  for (std::size_t b = 0; b < branches.size(); ++b)
    for (int i = 0; i < 4; ++i)
      branches[b] = basic_block(net, name + ".branch" + std::to_string(b) + "." + std::to_string(i), branches[b]);
  std::vector<int> fused;
  for (std::size_t to = 0; to < branches.size(); ++to) {
    int sum = -1;
    for (std::size_t from = 0; from < branches.size(); ++from) {
      const std::string part = name + ".fuse" + std::to_string(to) + std::to_string(from);
      const DnnBuilder::Shape wanted = net.shape(branches[to]);
      int at = branches[from];
      if (from > to) {
        at = normalised(net, part, net.convolution(part, at, wanted.channels, DnnBuilder::padded(1), false));
        at = net.upsample(part + ".up", at, wanted);
      }
      for (std::size_t step = from; step < to; ++step) {
        const std::string down = part + ".down" + std::to_string(step);
        const bool last = step + 1 == to;
        at = normalised(net, down,
                        net.convolution(down, at, last ? wanted.channels : net.shape(at).channels,
                                        DnnBuilder::padded(3, 2), false));
        if (!last)
          at = active(net, down, at);
      }
      sum = sum < 0 ? at : net.add(part + ".add", sum, at);
    }
    fused.push_back(active(net, name + ".out" + std::to_string(to), sum));
  }
  return fused;
}

std::vector<int> hrnet_body(DnnBuilder& net, int width)
{
  int at = net.convolution_block("conv1", -1, 64, DnnBuilder::padded(3, 2));
  at = net.convolution_block("conv2", at, 64, DnnBuilder::padded(3, 2));
  for (int i = 0; i < 4; ++i)
    at = wide_block(net, "layer1." + std::to_string(i), at, 64);
  std::vector<int> branches{net.convolution_block("transition1.0", at, width, DnnBuilder::padded(3)),
                            net.convolution_block("transition1.1", at, 2 * width, DnnBuilder::padded(3, 2))};
  int stage = 2;
  for (const int modules : {1, 4, 3}) {
    for (int i = 0; i < modules; ++i)
      branches = hrnet_module(net, "stage" + std::to_string(stage) + "." + std::to_string(i), std::move(branches));
    if (stage < 4)
      branches.push_back(net.convolution_block("transition" + std::to_string(stage), branches.back(), width << stage,
                                               DnnBuilder::padded(3, 2)));
    ++stage;
  }
  return branches;
}

constexpr const char* hrnet_source = "Wang et al., arXiv:1908.07919; HRNet/HRNet-Image-Classification";

Dnn hrnet(int width)
{
  DnnBuilder net{"", "branches of four sizes, 1,000 classes", hrnet_source, {3, 224, 224}};
  const std::vector<int> branches = hrnet_body(net, width);
  int at = wide_block(net, "head0", branches[0], 32);
  for (int i = 1; i < 4; ++i) {
    const std::string name = "head" + std::to_string(i);
    const int wide = wide_block(net, name, branches[static_cast<std::size_t>(i)], 32 << i);
    at = net.convolution(name + ".down", at, 128 << i, DnnBuilder::padded(3, 2), true);
    at = net.add(name + ".add", wide, active(net, name + ".down", normalised(net, name + ".down", at)));
  }
  at = active(net, "last", normalised(net, "last", net.convolution("last", at, 2048, DnnBuilder::padded(1), true)));
  net.linear("fc", net.global_pool("avgpool", at), 1000);
  return net.finish("image 3x224x224");
}

/// For Cityscapes: 19 classes, images of 1024x2048, of which parts of 512x1024 train.
Dnn hrnet_segmentation(const DnnOptions&)
{
  DnnBuilder net{"",
                 "branches of four sizes, 19 classes of each position",
                 "Wang et al., arXiv:1908.07919, table 3",
                 {3, 512, 1024}};
  std::vector<int> branches = hrnet_body(net, 48);
  for (std::size_t i = 1; i < branches.size(); ++i)
    branches[i] = net.upsample("up" + std::to_string(i), branches[i], net.shape(branches[0]));
  int at = net.concatenate("join", branches);
  at = net.convolution("last1", at, net.shape(at).channels, DnnBuilder::padded(1), true);
  net.convolution("classes", active(net, "last1", normalised(net, "last1", at)), 19, DnnBuilder::padded(1), true);
  return net.finish("image 3x512x1024");
}

constexpr const char* deeplab_source =
    "Chen et al., arXiv:1706.05587; torchvision, deeplabv3 without its auxiliary head";
constexpr const char* plus_source = "Chen et al., arXiv:1802.02611, on a ResNet with output stride 8";

[[maybe_unused]] const bool registered_segmentation = add_networks({
    {"deepcam", "DeepCAM of MLPerf HPC, 56.5 M parameters, 16x768x1152 (Kurth et al. 2018)", &deepcam},
    {"deeplabv3_resnet50", "DeepLabV3 on ResNet-50, images of 520x520 (Chen et al. 2017)",
     [](const DnnOptions&) {
       return deeplab({{3, 4, 6, 3}}, false, deeplab_source);
     }},
    {"deeplabv3_resnet101", "DeepLabV3 on ResNet-101, images of 520x520 (Chen et al. 2017)",
     [](const DnnOptions&) {
       return deeplab({{3, 4, 23, 3}}, false, deeplab_source);
     }},
    {"deeplabv3plus_resnet50", "DeepLabV3+ on ResNet-50, images of 520x520 (Chen et al. 2018)",
     [](const DnnOptions&) {
       return deeplab({{3, 4, 6, 3}}, true, plus_source);
     }},
    {"deeplabv3plus_resnet101", "DeepLabV3+ on ResNet-101, images of 520x520 (Chen et al. 2018)",
     [](const DnnOptions&) {
       return deeplab({{3, 4, 23, 3}}, true, plus_source);
     }},
    {"unet3d", "U-Net 3D of MLPerf, volumes of 128x128x128 (Cicek et al. 2016)", &unet3d},
    {"cosmoflow", "CosmoFlow of MLPerf HPC, 8.9 M parameters, volumes of 128x128x128 (Mathuriya et al. 2018)",
     &cosmoflow},
    {"hrnet_w18", "HRNet-W18, 21.3 M parameters (Wang et al. 2019)", [](const DnnOptions&) { return hrnet(18); }},
    {"hrnet_w32", "HRNet-W32, 41.2 M parameters (Wang et al. 2019)", [](const DnnOptions&) { return hrnet(32); }},
    {"hrnet_w48", "HRNet-W48, 77.5 M parameters (Wang et al. 2019)", [](const DnnOptions&) { return hrnet(48); }},
    {"hrnet_w48_segmentation", "HRNetV2-W48 for Cityscapes, 65.8 M parameters (Wang et al. 2019)", &hrnet_segmentation},
});

} // namespace
} // namespace trainyard
