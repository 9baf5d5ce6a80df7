// SPDX-License-Identifier: Apache-2.0
#include "tests/testbed/plan.hpp"

#include <fstream>
#include <stdexcept>

namespace trainyard::testbed {

double Plan::computing() const
{
  double sum = update;
  for (const Layer& layer : layers)
    sum += layer.forward + layer.backward;
  return sum;
}

Plan read_plan(const std::string& file)
{
  std::ifstream in{file};
  Plan plan;
  for (std::string word; in >> word;) {
    if (word == "update") {
      in >> plan.update;
    } else if (word == "layer") {
      Layer layer;
      in >> layer.forward >> layer.backward;
      plan.layers.push_back(layer);
    } else if (word == "tensor") {
      Tensor tensor;
      in >> tensor.bytes >> tensor.server;
      if (plan.layers.empty())
        throw std::runtime_error{"'" + file + "': a tensor before the first layer"};
      plan.layers.back().tensors.push_back(static_cast<int>(plan.tensors.size()));
      plan.tensors.push_back(tensor);
    } else {
      throw std::runtime_error{"'" + file + "': unknown word '" + word + "'"};
    }
  }
  if (plan.layers.empty())
    throw std::runtime_error{"'" + file + "' is not a plan"};
  return plan;
}

} // namespace trainyard::testbed
