// SPDX-License-Identifier: Apache-2.0
#include "models/dnn/network.hpp"

#include <algorithm>

namespace trainyard {

double Dnn::parameter_elements() const
{
  double sum = 0;
  for (const Layer& layer : layers)
    for (const ParameterTensor& tensor : layer.parameters)
      sum += tensor.elements;
  return sum;
}

Flops Dnn::forward_flop() const
{
  Flops sum;
  for (const Layer& layer : layers)
    sum += layer.forward;
  return sum;
}

bool Dnn::timed() const
{
  return std::ranges::any_of(
      layers, [](const Layer& layer) { return layer.forward_time > Seconds{} || layer.backward_time > Seconds{}; });
}

int Dnn::parameter_tensors() const
{
  std::size_t count = 0;
  for (const Layer& layer : layers)
    count += layer.parameters.size();
  return static_cast<int>(count);
}

} // namespace trainyard
