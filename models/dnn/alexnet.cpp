// SPDX-License-Identifier: Apache-2.0
// AlexNet: the two-GPU network of 2012 without its groups, as benchmarks of the time used it, and the slimmer one of
// 2014.
#include "models/dnn/builder.hpp"

namespace trainyard {
namespace {

struct Widths {
  int conv1, conv2, conv3, conv4, conv5;
};

Dnn alexnet(const std::string& name, const std::string& source, int input, int first_pad, const Widths& widths,
            int groups = 1)
{
  DnnBuilder net{name, "AlexNet, 5 convolutions and 3 linear layers", source, {3, input, input}};
  const auto square = [](int kernel, int stride = 1, int pad = 0) { return DnnBuilder::square(kernel, stride, pad); };
  int at = net.activation("relu1", net.convolution("conv1", -1, widths.conv1, square(11, 4, first_pad), true));
  at = net.pool("pool1", at, square(3, 2));
  at = net.activation("relu2", net.convolution("conv2", at, widths.conv2, square(5, 1, 2), true, groups));
  at = net.pool("pool2", at, square(3, 2));
  at = net.activation("relu3", net.convolution("conv3", at, widths.conv3, square(3, 1, 1), true));
  at = net.activation("relu4", net.convolution("conv4", at, widths.conv4, square(3, 1, 1), true, groups));
  at = net.activation("relu5", net.convolution("conv5", at, widths.conv5, square(3, 1, 1), true, groups));
  at = net.pool("pool5", at, square(3, 2));
  at = net.activation("relu6", net.linear("fc6", at, 4096));
  at = net.activation("relu7", net.linear("fc7", at, 4096));
  net.linear("fc8", at, 1000);
  return net.finish("image 3x" + std::to_string(input) + "x" + std::to_string(input));
}

class AlexNet final : public DnnSource
{
public:
  Dnn build(const DnnOptions&) const override
  {
    return alexnet("alexnet", "Krizhevsky, One weird trick, arXiv:1404.5997 (2014)", 224, 2, {64, 192, 384, 256, 256});
  }
};

class AlexNet2012 final : public DnnSource
{
public:
  Dnn build(const DnnOptions&) const override
  {
    return alexnet("alexnet_2012", "Krizhevsky, Sutskever, Hinton, NIPS 2012, without groups", 227, 0,
                   {96, 256, 384, 384, 256});
  }
};

/// As trained in 2012: the second, fourth and fifth convolution see only the half of the channels that lies on their
/// GPU.
class AlexNet2012Groups2 final : public DnnSource
{
public:
  Dnn build(const DnnOptions&) const override
  {
    return alexnet("alexnet_2012_groups2", "Krizhevsky, Sutskever, Hinton, NIPS 2012", 227, 0, {96, 256, 384, 384, 256},
                   2);
  }
};

TY_REGISTER(DnnSource, AlexNet, "alexnet", "AlexNet as in common model zoos, 61.1 M parameters (Krizhevsky 2014)");
TY_REGISTER(DnnSource, AlexNet2012, "alexnet_2012", "AlexNet of 2012 without groups, 62.4 M parameters");
TY_REGISTER(DnnSource, AlexNet2012Groups2, "alexnet_2012_groups2",
            "AlexNet of 2012 with its two groups, 61.0 M parameters");

} // namespace
} // namespace trainyard
