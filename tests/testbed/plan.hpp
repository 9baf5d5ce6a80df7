// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <string>
#include <vector>

namespace trainyard::testbed {

/// One gradient or variable part and the server that keeps it.
struct Tensor {
  std::size_t bytes = 0;
  int server = 0;
};

struct Layer {
  double forward = 0; // seconds
  double backward = 0;
  std::vector<int> tensors; // indices
};

/// What every process of a job knows: printed by testbed_plan from the same models that simrun uses, read by
/// testbed_trainer.
struct Plan {
  std::vector<Layer> layers;
  std::vector<Tensor> tensors;
  double update = 0; // seconds

  /// Of a step, without waiting.
  double computing() const;
};

Plan read_plan(const std::string& file);

} // namespace trainyard::testbed
