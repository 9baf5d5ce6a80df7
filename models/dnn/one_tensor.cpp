// SPDX-License-Identifier: Apache-2.0
// One tensor of a given number of elements and almost no computation: for scenarios that measure only a collective.
#include "models/dnn/builder.hpp"

namespace trainyard {
namespace {

class OneTensor final : public DnnSource
{
public:
  Dnn build(const DnnOptions& options) const override
  {
    DnnBuilder net{"one_tensor", "one tensor, to measure only communication", "definition", {1, 1, 1}};
    Layer layer{.name = "tensor", .type = "linear", .forward = Flops{1}, .memory_elements = 1};
    layer.parameters.push_back({"tensor", options.elements > 0 ? options.elements : 1e6});
    net.layer(std::move(layer), {1, 1, 1});
    return net.finish("sample");
  }
};

TY_REGISTER(DnnSource, OneTensor, "one_tensor", "one tensor of `elements` values: only a collective");

} // namespace
} // namespace trainyard
