// SPDX-License-Identifier: Apache-2.0
// Networks that are only a profile of tensors, with `elements` parameters in total: they show the effect of tensor
// sizes on an exchange, and a testbed can run the same.
#include "models/dnn/builder.hpp"

#include <vector>

namespace trainyard {
namespace {

/// Layers of equal work; layer i has the share shares[i] / sum of all parameters.
Dnn profile_of(const std::string& name, const std::string& description, const std::vector<double>& shares,
               double elements)
{
  double sum = 0;
  for (const double share : shares)
    sum += share;
  DnnBuilder net{name, description, "definition", {1, 1, 1}};
  for (std::size_t i = 0; i < shares.size(); ++i) {
    Layer layer{.name = "layer" + std::to_string(i), .type = "linear", .forward = Flops{1e9}, .memory_elements = 1};
    if (shares[i] > 0) {
      const auto whole = static_cast<double>(static_cast<long long>(elements * shares[i] / sum));
      layer.parameters.push_back({layer.name + ".weight", whole < 1 ? 1 : whole});
    }
    net.layer(std::move(layer), {1, 1, 1});
  }
  return net.finish("sample");
}

double total(const DnnOptions& options)
{
  return options.elements > 0 ? options.elements : 1e6;
}

class EvenTensors final : public DnnSource
{
public:
  Dnn build(const DnnOptions& options) const override
  {
    return profile_of("even_tensors", "12 tensors of equal size", std::vector<double>(12, 1.0), total(options));
  }
};

class DominantTensor final : public DnnSource
{
public:
  Dnn build(const DnnOptions& options) const override
  {
    return profile_of("dominant_tensor", "10 tensors; one has 70 % of all values, like fc6 of VGG-16",
                      {0.2, 0.6, 1.2, 2, 3, 4, 5, 70, 12, 2}, total(options));
  }
};

class ManyTensors final : public DnnSource
{
public:
  Dnn build(const DnnOptions& options) const override
  {
    std::vector<double>
        shares; // every other tensor is tiny, as the scales of batch norm; the rest doubles four times on its way
    for (int i = 0; i < 60; ++i)
      shares.push_back(i % 2 == 1 ? 0.005 : static_cast<double>(1 << (i / 12)));
    return profile_of("many_tensors", "60 tensors, half of them tiny, later ones larger, like ResNet-50", shares,
                      total(options));
  }
};

TY_REGISTER(DnnSource, EvenTensors, "even_tensors", "synthetic: 12 equal tensors of `elements` values in total");
TY_REGISTER(DnnSource, DominantTensor, "dominant_tensor", "synthetic: 10 tensors, one with 70 % of `elements` values");
TY_REGISTER(DnnSource, ManyTensors, "many_tensors",
            "synthetic: 60 tensors, half of them tiny, of `elements` values in total");

} // namespace
} // namespace trainyard
