// SPDX-License-Identifier: Apache-2.0
#include "sim/step/training/variable_placement.hpp"

#include <algorithm>

namespace trainyard {
namespace {

/// Whole variables in creation order, each to the server with the fewest bytes so far (ties: lowest number).
///
/// Source: tf.contrib.training.GreedyLoadBalancingStrategy with byte_size_load_fn, TensorFlow 1.x documentation; what
/// tf_cnn_benchmarks does with variable_update=parameter_server (variable_mgr.py, VariableMgrDistributedFetchFromPS).
class Greedy final : public VariablePlacement
{
public:
  std::vector<VariablePart> place(std::span<const Bytes> variables, int servers) const override
  {
    std::vector<Bytes> load(static_cast<std::size_t>(servers));
    std::vector<VariablePart> parts;
    for (const Bytes bytes : variables) {
      const auto least = std::ranges::min_element(load);
      *least += bytes;
      parts.push_back({static_cast<int>(parts.size()), static_cast<int>(least - load.begin()), bytes});
    }
    return parts;
  }

  bool places_untrained() const override { return true; }
};

TY_REGISTER(VariablePlacement, Greedy, "greedy", "whole variables, each to the server with the fewest bytes");

} // namespace
} // namespace trainyard
