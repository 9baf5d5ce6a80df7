// SPDX-License-Identifier: Apache-2.0
#include "models/dnn/network.hpp"

#include <algorithm>
#include <cmath>

namespace trainyard {
namespace {

/// Expected number of distinct ones among @p draws from @p rows with equal chance.
double expected_distinct(double rows, double draws)
{
  return draws > 0 ? -rows * std::expm1(draws * std::log1p(-1 / std::max(rows, 1.0))) : 0;
}

/// From how many rows with equal chance @p draws would give @p distinct ones; @p rows at most.
double equal_chance_rows(double rows, double draws, double distinct)
{
  double low = 1, high = rows;
  for (int iteration = 0; iteration < 100; ++iteration) {
    const double middle = std::sqrt(low * high);
    (expected_distinct(middle, draws) < distinct ? low : high) = middle;
  }
  return high;
}

template <class Function>
double sum_of_tensors(const Dnn& dnn, Function of_tensor)
{
  double sum = 0;
  for (const Layer& layer : dnn.layers)
    for (const ParameterTensor& tensor : layer.parameters)
      sum += of_tensor(tensor);
  return sum;
}

} // namespace

double RowTable::distinct_rows(double samples, double workers) const
{
  const double draws = lookups * samples;
  return expected_distinct(distinct > 0 ? equal_chance_rows(rows, draws, distinct) : rows, draws * workers);
}

double ParameterTensor::elements_read(double samples) const
{
  return table.rows > 0 ? table.distinct_rows(samples) * row_elements() : elements;
}

double Dnn::parameter_elements() const
{
  return sum_of_tensors(*this, [](const ParameterTensor& tensor) { return tensor.elements; });
}

double Dnn::gradient_elements(double samples) const
{
  return sum_of_tensors(*this, [&](const ParameterTensor& tensor) { return tensor.gradient_elements(samples); });
}

bool Dnn::sparse() const
{
  return std::ranges::any_of(
      layers, [](const Layer& layer) { return std::ranges::any_of(layer.parameters, &ParameterTensor::sparse); });
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
