// SPDX-License-Identifier: Apache-2.0
#include "models/cost/layer_traffic.hpp"

#include <algorithm>
#include <set>

namespace trainyard {
namespace {

constexpr double fp32_bytes = 4;
/// Elements that one multiprocessor adds up in a second. On an H100: cuDNN's batch norm (bn_fw_tr_1C11, bn_bw_1C11) 3.3
/// to 5.0 G with 64 channels, 5.3 G with more; gradients of biases 3.4 to 5.1 G.
constexpr double summed_per_s = 4.5e9;
/// Elements that one multiprocessor reads by an index of their own. On an H100: pools of 2 x 2 and 3 x 3 2.4 to 3.0 G
/// there and a third less back, sums with a bias 2.6 G.
constexpr double indexed_per_s = 2.6e9;
constexpr double pool_backward = 1.5;
/// Bytes that a thread of a convolution's kernel reads at once.
constexpr double read_at_once = 16;
/// cuDNN has a kernel for the first layer of ResNets in 16 bit: 7x7, stride 2, to 64 channels
/// (xmma_fprop_image_first_layer).
bool has_kernel_of_its_own(const MatrixProduct& product, double element)
{
  return element < fp32_bytes && product.window == 49 && product.columns == 64 && 4 * product.rows == product.rows_in;
}

double parameters_of(const Layer& layer, double samples)
{
  double sum = 0;
  for (const ParameterTensor& tensor : layer.parameters)
    sum += tensor.elements_read(samples);
  return sum;
}

/// Elements of gradients that are zero because no sample looks their rows up, and are written all the same.
double zeros_of(const Layer& layer, double samples)
{
  double sum = 0;
  for (const ParameterTensor& tensor : layer.parameters)
    sum += tensor.gradient_elements(samples) - tensor.elements_read(samples);
  return sum;
}

/// One number for each column of a matrix product, beside its weights.
bool has_bias(const Layer& layer)
{
  const double columns = layer.product.columns * layer.product.products;
  return layer.product.weights && layer.product.rows > 0 &&
         std::ranges::any_of(layer.parameters,
                             [&](const ParameterTensor& tensor) { return tensor.elements == columns; });
}

/// Memory passes of the backward against one of the forward; @p passes: of a layer that is one kernel for each of them.
double backward_passes(const Layer& layer, double passes)
{
  if (layer.type == "activation" || layer.type == "gelu")
    return 1.5;
  if (layer.type == "batch_norm")
    return 5.0 / 3;
  if (layer.type == "pool")
    return 2;
  return passes;
}

} // namespace

NetworkTraffic::NetworkTraffic(const Dnn& dnn, const Gpu& gpu, const StepSettings& settings, bool matrix_units)
    : settings_{settings}, memory_{gpu.memory_bandwidth * gpu.memory_efficiency},
      element_{value_bytes(settings.precision)}, multiprocessors_{gpu.multiprocessors}, matrix_units_{matrix_units},
      turns_{matrix_units && !settings.kernels.channels_last}, casts_{settings.kernels.autocast &&
                                                                      settings.precision == "amp" && matrix_units},
      sums_fp32_{casts_ && std::ranges::any_of(dnn.layers, [](const Layer& one) { return one.type == "layer_norm"; })}
{
  std::set<int> read;
  for (const Layer& layer : dnn.layers)
    if (layer.type == "linear" && !layer.inputs.empty() && !read.insert(layer.inputs.front()).second)
      further_.emplace(&layer, dnn.layers.at(static_cast<std::size_t>(layer.inputs.front())).type == "layer_norm");
}

Seconds NetworkTraffic::time_of(double bytes, double elements, double rate) const
{
  return multiprocessors_ > 0 ? std::max(time_of(bytes), Seconds{elements / (rate * multiprocessors_)})
                              : time_of(bytes);
}

LayerTraffic NetworkTraffic::of(const Layer& layer, bool first) const
{
  double elements = layer.memory_elements;
  if (layer.type == "attention" && settings_.kernels.fused_attention) // all that it writes beyond one pass are scores
    elements = std::min(elements, 4 * layer.activation_elements);
  double bytes = elements * settings_.batch * element_;
  if (casts_ && layer.type == "layer_norm")
    bytes *= fp32_bytes / element_;
  else if (sums_fp32_ && layer.type == "add") // of three arrays the branch's alone has 16 bit
    bytes *= (2 * fp32_bytes + element_) / (3 * element_);
  LayerTraffic traffic;
  if (layer.type == "softmax" && !settings_.plain_kernels) {
    const double logits = layer.activation_elements * settings_.batch;
    const double cast = element_ < fp32_bytes ? cast_bytes : 0;
    traffic.forward = time_of((cast + cross_entropy_bytes.forward) * logits);
    traffic.backward = time_of((cast + cross_entropy_bytes.backward) * logits);
    return traffic;
  }
  traffic.forward = time_of(bytes + parameters_of(layer, settings_.batch) * element_);
  if (!settings_.kernels.channels_last && layer.type == "batch_norm" && !layer.parameters.empty() &&
      multiprocessors_ > 0)
    traffic.forward =
        std::max(traffic.forward, Seconds{elements * settings_.batch / summed_per_s /
                                          std::min<double>(layer.parameters.front().elements, multiprocessors_)});
  const MatrixProduct& p = layer.product;
  if (matrix_units_ && layer.type == "convolution" && p.products == 1 && p.columns_in * element_ < read_at_once &&
      p.rows > 0 && !has_kernel_of_its_own(p, element_))
    traffic.forward =
        std::max(traffic.forward, time_of(0, p.rows * p.window * p.columns_in * settings_.batch, indexed_per_s));
  const double passes = (first ? 0 : 1) + (layer.parameters.empty() ? 0 : 1);
  traffic.backward = traffic.forward * (settings_.plain_kernels ? passes : backward_passes(layer, passes));
  if (settings_.plain_kernels) // libraries of processors do these in the loops of the products
    return traffic;
  if (settings_.kernels.index_kernels && layer.type == "pool") {
    const double read = layer.activation_elements * layer.product.window * settings_.batch;
    traffic.forward = std::max(traffic.forward, time_of(0, read, indexed_per_s));
    traffic.backward = std::max(traffic.backward, time_of(0, read, indexed_per_s) * pool_backward);
  }
  return beside(layer, traffic, passes);
}

LayerTraffic NetworkTraffic::beside(const Layer& layer, LayerTraffic traffic, double passes) const
{
  if (const double zeros = zeros_of(layer, settings_.batch); zeros > 0)
    traffic.beside_backward += time_of(zeros * element_);
  const double outputs = layer.activation_elements * settings_.batch;
  const bool bias = has_bias(layer);
  if (settings_.kernels.index_kernels) {
    const double forward = layer.copies.forward * settings_.batch, backward = layer.copies.backward * settings_.batch;
    traffic.beside_forward += time_of(2 * forward * element_, forward, indexed_per_s);
    traffic.beside_backward += time_of(2 * backward * element_, backward, indexed_per_s) +
                               time_of(layer.copies.moved * settings_.batch * element_);
  }
  if (bias)
    traffic.beside_backward += time_of(outputs * element_, outputs, summed_per_s);
  if (layer.type == "convolution") {
    const MatrixProduct& p = layer.product;
    if (bias)
      traffic.beside_forward +=
          time_of(2 * outputs * element_, settings_.kernels.index_kernels ? outputs : 0, indexed_per_s);
    if (turns_ && (p.window > 1 || p.rows != p.rows_in)) {
      const Seconds turned = time_of(2 * layer.memory_elements * settings_.batch * element_);
      traffic.beside_forward += turned;
      traffic.beside_backward += turned * passes;
    }
  }
  if (casts_ && layer.product.weights && layer.product.rows > 0) {
    const Seconds cast = time_of(parameters_of(layer, settings_.batch) * cast_bytes);
    traffic.beside_forward += cast;
    traffic.beside_backward += cast;
  } else if (casts_ && layer.type == "layer_norm") {
    const Seconds cast = time_of(outputs * cast_bytes);
    traffic.beside_forward += cast;
    traffic.beside_backward += cast;
  } else if (sums_fp32_ && layer.type == "add") {
    traffic.beside_backward += time_of(outputs * cast_bytes);
  }
  if (layer.dropout && layer.type == "add") {
    const Seconds dropped = time_of(outputs * (2 * element_ + 1));
    traffic.beside_forward += dropped;
    traffic.beside_backward += dropped;
  }
  add_further_reader(layer, traffic);
  return traffic;
}

void NetworkTraffic::add_further_reader(const Layer& layer, LayerTraffic& traffic) const
{
  const auto further = further_.find(&layer);
  if (further == further_.end())
    return;
  const double inputs = layer.product.rows_in * layer.product.columns_in * settings_.batch;
  const bool fp32 = casts_ && further->second;
  if (fp32) {
    traffic.beside_forward += time_of(inputs * cast_bytes);
    traffic.beside_backward += time_of(inputs * cast_bytes);
  }
  traffic.beside_backward += time_of(3 * inputs * (fp32 ? fp32_bytes : element_));
}

} // namespace trainyard
