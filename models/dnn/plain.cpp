// SPDX-License-Identifier: Apache-2.0
// Networks of one kind of work: only matrix multiplication, and samples of images with almost no parameters.
#include "models/dnn/builder.hpp"

#include <algorithm>
#include <cmath>
#include <string>

namespace trainyard {
namespace {

/// Square matrices one after the other, `elements` values together: nothing but matrix multiplication, so that a step
/// takes the time that the computing rate says.
class Matrices final : public DnnSource
{
public:
  Dnn build(const DnnOptions& options) const override
  {
    constexpr int layers = 16;
    const double elements = options.elements > 0 ? options.elements : 16e6;
    const int width = std::max(1, static_cast<int>(std::lround(std::sqrt(elements / layers))));
    DnnBuilder net{"matrices", "16 square matrices, multiplied one after the other", "definition", {width, 1, 1}};
    int at = -1;
    for (int i = 0; i < layers; ++i)
      at = net.linear("matrix" + std::to_string(i), at, width, false);
    Dnn dnn = net.finish("row");
    for (Layer& layer : dnn.layers)
      layer.product = {}; // at the rate itself, however few the samples are
    return dnn;
  }
};

/// Images of 3 x 224 x 224, few parameters: the cost of only feeding samples.
class TinyImages final : public DnnSource
{
public:
  Dnn build(const DnnOptions& options) const override
  {
    DnnBuilder net{
        "tiny_images", "a network of few parameters that reads images of 3x224x224", "definition", {3, 224, 224}};
    Layer layer{.name = "network", .type = "linear", .forward = Flops{1e9}, .memory_elements = 3.0 * 224 * 224};
    layer.parameters.push_back({"network.weight", options.elements > 0 ? options.elements : 1000});
    net.layer(std::move(layer), {1, 1, 1});
    return net.finish("image 3x224x224");
  }
};

TY_REGISTER(DnnSource, Matrices, "matrices",
            "synthetic: 16 square matrices of `elements` values in total, computing only");
TY_REGISTER(DnnSource, TinyImages, "tiny_images",
            "synthetic: images of 3x224x224 and `elements` parameters, input only");

} // namespace
} // namespace trainyard
