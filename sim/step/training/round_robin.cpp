// SPDX-License-Identifier: Apache-2.0
#include "sim/step/training/variable_placement.hpp"

namespace trainyard {
namespace {

/// Whole variables, dealt out to the servers in creation order: the default of TensorFlow's replica_device_setter, and
/// so of tf_cnn_benchmarks with variable_update=distributed_replicated.
class RoundRobin final : public VariablePlacement
{
public:
  std::vector<VariablePart> place(std::span<const Bytes> variables, int servers) const override
  {
    std::vector<VariablePart> parts;
    for (const Bytes bytes : variables) {
      const int index = static_cast<int>(parts.size());
      parts.push_back({index, index % servers, bytes});
    }
    return parts;
  }

  bool places_untrained() const override { return true; }
};

TY_REGISTER(VariablePlacement, RoundRobin, "round_robin",
            "whole variables in creation order, one server after the other");

} // namespace
} // namespace trainyard
