// SPDX-License-Identifier: Apache-2.0
#include "sim/step/training/fusion.hpp"

namespace trainyard {
namespace {

/// Wait-free backpropagation without fusion: every tensor is sent alone as soon as its gradient is there (Zhang et al.,
/// "Poseidon", 2017).
class NoFusion final : public Fusion
{
public:
  std::vector<Bucket> buckets(std::span<const Gradient> gradients, const CollectiveEstimate&) const override
  {
    std::vector<Bucket> result;
    for (std::size_t index = 0; index < gradients.size(); ++index)
      result.push_back({gradients[index].bytes, index, gradients[index].ready});
    return result;
  }
};

TY_REGISTER(Fusion, NoFusion, "none", "every gradient tensor is a message of its own");

} // namespace
} // namespace trainyard
