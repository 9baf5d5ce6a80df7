// SPDX-License-Identifier: Apache-2.0
// VGG: five blocks of 3x3 convolutions, each closed by a pooling layer, and three linear layers. Simonyan and
// Zisserman, arXiv:1409.1556.
#include "models/dnn/builder.hpp"

#include <array>

namespace trainyard {
namespace {

template <int depth>
class Vgg final : public DnnSource
{
public:
  Dnn build(const DnnOptions&) const override
  {
    constexpr std::array<int, 5> convolutions = depth == 11   ? std::array{1, 1, 2, 2, 2}
                                                : depth == 13 ? std::array{2, 2, 2, 2, 2}
                                                : depth == 16 ? std::array{2, 2, 3, 3, 3}
                                                              : std::array{2, 2, 4, 4, 4};
    constexpr std::array channels{64, 128, 256, 512, 512};
    DnnBuilder net{"vgg" + std::to_string(depth),
                   "VGG-" + std::to_string(depth),
                   "Simonyan and Zisserman, arXiv:1409.1556, table 1",
                   {3, 224, 224}};
    int at = -1;
    for (std::size_t block = 0; block < channels.size(); ++block) {
      for (int i = 0; i < convolutions[block]; ++i) {
        const std::string name = std::to_string(block + 1) + "_" + std::to_string(i + 1);
        at = net.activation("relu" + name,
                            net.convolution("conv" + name, at, channels[block], DnnBuilder::square(3, 1, 1), true));
      }
      at = net.pool("pool" + std::to_string(block + 1), at, DnnBuilder::square(2, 2));
    }
    at = net.activation("relu6", net.linear("fc6", at, 4096));
    at = net.activation("relu7", net.linear("fc7", at, 4096));
    net.linear("fc8", at, 1000);
    return net.finish("image 3x224x224");
  }
};

/// The CIFAR-10 variant that PaddlePaddle's cluster benchmark of 2018 trains: batch norm everywhere, linear layers of
/// 512.
class Vgg16Cifar10 final : public DnnSource
{
public:
  Dnn build(const DnnOptions&) const override
  {
    constexpr std::array<int, 5> convolutions{2, 2, 3, 3, 3};
    constexpr std::array channels{64, 128, 256, 512, 512};
    DnnBuilder net{"vgg16_cifar10",
                   "VGG-16 with batch norm for 32x32 images",
                   "PaddlePaddle, benchmark/cluster/vgg16/vgg16_fluid.py",
                   {3, 32, 32}};
    int at = -1;
    for (std::size_t block = 0; block < channels.size(); ++block) {
      for (int i = 0; i < convolutions[block]; ++i) {
        const std::string name = std::to_string(block + 1) + "_" + std::to_string(i + 1);
        at = net.batch_norm("bn" + name,
                            net.convolution("conv" + name, at, channels[block], DnnBuilder::square(3, 1, 1), true));
        at = net.activation("relu" + name, at);
      }
      at = net.pool("pool" + std::to_string(block + 1), at, DnnBuilder::square(2, 2));
    }
    at = net.activation("relu6", net.batch_norm("bn6", net.linear("fc1", at, 512)));
    at = net.linear("fc2", at, 512);
    net.linear("predict", at, 10);
    return net.finish("image 3x32x32");
  }
};

using Vgg11 = Vgg<11>;
using Vgg13 = Vgg<13>;
using Vgg16 = Vgg<16>;
using Vgg19 = Vgg<19>;
TY_REGISTER(DnnSource, Vgg11, "vgg11", "VGG-11, 132.9 M parameters (Simonyan and Zisserman 2014)");
TY_REGISTER(DnnSource, Vgg13, "vgg13", "VGG-13, 133.0 M parameters (Simonyan and Zisserman 2014)");
TY_REGISTER(DnnSource, Vgg16, "vgg16", "VGG-16, 138.4 M parameters, 74 % of them in fc6 (Simonyan and Zisserman 2014)");
TY_REGISTER(DnnSource, Vgg16Cifar10, "vgg16_cifar10",
            "VGG-16 with batch norm for CIFAR-10, 15.3 M parameters (PaddlePaddle's cluster benchmark)");
TY_REGISTER(DnnSource, Vgg19, "vgg19", "VGG-19, 143.7 M parameters (Simonyan and Zisserman 2014)");

} // namespace
} // namespace trainyard
