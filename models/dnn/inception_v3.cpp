// SPDX-License-Identifier: Apache-2.0
// Inception v3: parallel branches of convolutions that are concatenated. Szegedy et al., arXiv:1512.00567; layer widths
// as in the reference code.
#include "models/dnn/builder.hpp"

namespace trainyard {
namespace {

using Window = DnnBuilder::Window;
constexpr Window square(int kernel, int stride = 1, int pad = 0)
{
  return {kernel, kernel, stride, pad, pad};
}
constexpr Window wide_3{1, 3, 1, 0, 1}, tall_3{3, 1, 1, 1, 0}, wide_7{1, 7, 1, 0, 3}, tall_7{7, 1, 1, 3, 0};

class Tower
{
public:
  Tower(DnnBuilder& net, std::string prefix, int from) : net_{net}, prefix_{std::move(prefix)}, at_{from} {}
  Tower& convolution(const std::string& name, int channels, Window window)
  {
    at_ = net_.convolution_block(prefix_ + name, at_, channels, window);
    return *this;
  }
  Tower& pool(Window window)
  {
    at_ = net_.pool(prefix_ + "avg", at_, window);
    return *this;
  }
  int end() const { return at_; }

private:
  DnnBuilder& net_;
  std::string prefix_;
  int at_;
};

int block_a(DnnBuilder& net, const std::string& name, int from, int pooled)
{
  const auto tower = [&] { return Tower{net, name + ".", from}; };
  return net.concatenate(name,
                         {tower().convolution("1x1", 64, square(1)).end(),
                          tower().convolution("5x5_1", 48, square(1)).convolution("5x5_2", 64, square(5, 1, 2)).end(),
                          tower()
                              .convolution("3x3dbl_1", 64, square(1))
                              .convolution("3x3dbl_2", 96, square(3, 1, 1))
                              .convolution("3x3dbl_3", 96, square(3, 1, 1))
                              .end(),
                          tower().pool(square(3, 1, 1)).convolution("pool", pooled, square(1)).end()});
}

int block_b(DnnBuilder& net, const std::string& name, int from)
{
  const auto tower = [&] { return Tower{net, name + ".", from}; };
  return net.concatenate(name, {tower().convolution("3x3", 384, square(3, 2)).end(),
                                tower()
                                    .convolution("dbl1", 64, square(1))
                                    .convolution("dbl2", 96, square(3, 1, 1))
                                    .convolution("dbl3", 96, square(3, 2))
                                    .end(),
                                net.pool(name + ".max", from, square(3, 2))});
}

int block_c(DnnBuilder& net, const std::string& name, int from, int width)
{
  const auto tower = [&] { return Tower{net, name + ".", from}; };
  return net.concatenate(name, {tower().convolution("1x1", 192, square(1)).end(),
                                tower()
                                    .convolution("7_1", width, square(1))
                                    .convolution("7_2", width, wide_7)
                                    .convolution("7_3", 192, tall_7)
                                    .end(),
                                tower()
                                    .convolution("d1", width, square(1))
                                    .convolution("d2", width, tall_7)
                                    .convolution("d3", width, wide_7)
                                    .convolution("d4", width, tall_7)
                                    .convolution("d5", 192, wide_7)
                                    .end(),
                                tower().pool(square(3, 1, 1)).convolution("pool", 192, square(1)).end()});
}

int block_d(DnnBuilder& net, const std::string& name, int from)
{
  const auto tower = [&] { return Tower{net, name + ".", from}; };
  return net.concatenate(name,
                         {tower().convolution("3x3_1", 192, square(1)).convolution("3x3_2", 320, square(3, 2)).end(),
                          tower()
                              .convolution("7x7x3_1", 192, square(1))
                              .convolution("7x7x3_2", 192, wide_7)
                              .convolution("7x7x3_3", 192, tall_7)
                              .convolution("7x7x3_4", 192, square(3, 2))
                              .end(),
                          net.pool(name + ".max", from, square(3, 2))});
}

int block_e(DnnBuilder& net, const std::string& name, int from)
{
  const auto tower = [&](int at) { return Tower{net, name + ".", at}; };
  const int one = tower(from).convolution("1x1", 320, square(1)).end();
  const int three = tower(from).convolution("3x3_1", 384, square(1)).end();
  const int three_wide = tower(three).convolution("3x3_2a", 384, wide_3).end();
  const int three_tall = tower(three).convolution("3x3_2b", 384, tall_3).end();
  const int twice =
      tower(from).convolution("3x3dbl_1", 448, square(1)).convolution("3x3dbl_2", 384, square(3, 1, 1)).end();
  const int twice_wide = tower(twice).convolution("3x3dbl_3a", 384, wide_3).end();
  const int twice_tall = tower(twice).convolution("3x3dbl_3b", 384, tall_3).end();
  const int pooled = tower(from).pool(square(3, 1, 1)).convolution("pool", 192, square(1)).end();
  return net.concatenate(name, {one, three_wide, three_tall, twice_wide, twice_tall, pooled});
}

Dnn inception_v3(const std::string& name, bool auxiliary)
{
  DnnBuilder net{
      name, "Inception v3", "Szegedy et al., Rethinking the Inception architecture, arXiv:1512.00567", {3, 299, 299}};
  int at = Tower{net, "", -1}
               .convolution("1a", 32, square(3, 2))
               .convolution("2a", 32, square(3))
               .convolution("2b", 64, square(3, 1, 1))
               .end();
  at = net.pool("pool1", at, square(3, 2));
  at = Tower{net, "", at}.convolution("3b", 80, square(1)).convolution("4a", 192, square(3)).end();
  at = net.pool("pool2", at, square(3, 2));
  at = block_a(net, "5b", at, 32);
  at = block_a(net, "5c", at, 64);
  at = block_a(net, "5d", at, 64);
  at = block_b(net, "6a", at);
  at = block_c(net, "6b", at, 128);
  at = block_c(net, "6c", at, 160);
  at = block_c(net, "6d", at, 160);
  at = block_c(net, "6e", at, 192);
  if (auxiliary) {
    const int pooled = net.pool("aux.pool", at, square(5, 3));
    net.linear(
        "aux.fc",
        net.global_pool(
            "aux.avgpool",
            Tower{net, "aux.", pooled}.convolution("conv0", 128, square(1)).convolution("conv1", 768, square(5)).end()),
        1000);
  }
  at = block_d(net, "7a", at);
  at = block_e(net, "7b", at);
  at = block_e(net, "7c", at);
  net.linear("fc", net.global_pool("avgpool", at), 1000);
  return net.finish("image 3x299x299");
}

class InceptionV3 final : public DnnSource
{
public:
  Dnn build(const DnnOptions&) const override { return inception_v3("inception_v3", false); }
};

class InceptionV3Aux final : public DnnSource
{
public:
  Dnn build(const DnnOptions&) const override { return inception_v3("inception_v3_aux", true); }
};

/// Batch norm without scale, so one tensor less beside each convolution: where whole tensors are dealt out to parameter
/// servers, that decides which of them share one.
class InceptionV3Slim final : public DnnSource
{
public:
  Dnn build(const DnnOptions&) const override
  {
    Dnn dnn = inception_v3("inception_v3_slim", false);
    for (Layer& layer : dnn.layers)
      if (layer.type == "batch_norm")
        layer.parameters.erase(layer.parameters.begin());
    return dnn;
  }
};

TY_REGISTER(DnnSource, InceptionV3Slim, "inception_v3_slim",
            "Inception v3 of tf_cnn_benchmarks and TF-Slim: batch norm without scale, 23.8 M parameters");
TY_REGISTER(DnnSource, InceptionV3, "inception_v3",
            "Inception v3 without auxiliary head, 23.8 M parameters (Szegedy et al. 2015)");
TY_REGISTER(DnnSource, InceptionV3Aux, "inception_v3_aux",
            "Inception v3 with auxiliary head, 27.2 M parameters (Szegedy et al. 2015)");

} // namespace
} // namespace trainyard
