// SPDX-License-Identifier: Apache-2.0
#include "sim/step/training/fusion.hpp"

namespace trainyard {
namespace {

/// One buffer for all gradients, sent after the backward pass: no overlap.
class SingleBuffer final : public Fusion
{
public:
  std::vector<Bucket> buckets(std::span<const Gradient> gradients, const CollectiveEstimate&) const override
  {
    if (gradients.empty())
      return {};
    Bytes bytes;
    for (const Gradient& gradient : gradients)
      bytes += gradient.bytes;
    return {{bytes, gradients.size() - 1, gradients.back().ready}};
  }
};

TY_REGISTER(Fusion, SingleBuffer, "single", "all gradients in one message after the backward pass");

} // namespace
} // namespace trainyard
