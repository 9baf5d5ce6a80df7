// SPDX-License-Identifier: Apache-2.0
// Not a network: one layer that represents any work; the training mode `generic` says how much of it a step is.
#include "models/dnn/builder.hpp"

namespace trainyard {
namespace {

class Generic final : public DnnSource
{
public:
  Dnn build(const DnnOptions&) const override
  {
    Dnn dnn;
    dnn.name = "generic";
    dnn.description = "any work: the training mode generic says what a step computes, moves and exchanges";
    dnn.sample = "unit of work";
    dnn.source = "definition";
    Layer work{.name = "work", .type = "linear", .forward = Flops{1}, .memory_elements = 1};
    work.parameters.push_back({"state", 1});
    dnn.layers.push_back(std::move(work));
    return dnn;
  }
};

TY_REGISTER(DnnSource, Generic, "generic",
            "any work: with training mode generic, which says what a step computes, moves and exchanges");

} // namespace
} // namespace trainyard
