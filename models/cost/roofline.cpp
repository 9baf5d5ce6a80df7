// SPDX-License-Identifier: Apache-2.0
#include "models/cost/roofline.hpp"

#include "models/cost/layer_traffic.hpp"
#include "models/cost/matrix_time.hpp"

#include <algorithm>
#include <stdexcept>

namespace trainyard {
namespace {

bool is_16_bit(const std::string& precision)
{
  return precision == "amp" || precision == "fp16" || precision == "bf16";
}

/// The precision whose units the chip computes with; empty: it has none for this.
std::string computed_in(const Gpu& gpu, const std::string& precision)
{
  std::vector<std::string> order{precision};
  if (precision == "amp")
    order = {"fp16", "bf16", "fp32"};
  else if (precision == "tf32" || is_16_bit(precision))
    order.emplace_back("fp32"); // a chip without the unit computes at its fp32 rate
  for (const std::string& name : order)
    if (const auto found = gpu.peak.find(name); found != gpu.peak.end() && found->second > FlopsPerSecond{})
      return name;
  return {};
}

/// Seconds that the matrix products of a layer take at a batch: forward, gradient of the input, gradient of the
/// weights.
struct ProductTimes {
  double forward = 0;
  double input = 0;
  double weights = 0;
};

ProductTimes product_times(const Layer& layer, double batch, const MatrixEngine& engine)
{
  const MatrixProduct& p = layer.product;
  const double whole = layer.forward.value() * batch / engine.flop_per_s;
  if (p.rows <= 0 || p.rows_in <= 0 || p.columns <= 0 || p.columns_in <= 0 || engine.multiprocessors <= 0)
    return {whole, whole, whole};
  if (!p.weights) { // attention: as many products as samples and heads
    const MatrixSize size{p.rows, p.columns, p.columns_in, p.products * batch};
    const double time = whole * matrix_time(size, engine) * engine.flop_per_s /
                        (2 * size.rows * size.columns * size.depth * size.products);
    return {time, time, time};
  }
  // The flop of a layer may count more than these products do (experts, several directions): all take longer by the
  // same share.
  const double counted = 2 * p.rows * batch * p.columns * p.columns_in * p.window * p.products / engine.flop_per_s;
  const double share = counted > 0 ? whole / counted : 0;
  const double outputs_per_input = p.columns * p.window * p.rows / p.rows_in;
  return {share * matrix_time({p.rows * batch, p.columns, p.columns_in * p.window, p.products}, engine),
          share * matrix_time({p.rows_in * batch, p.columns_in, outputs_per_input, p.products}, engine),
          share * matrix_time({p.columns, p.columns_in * p.window, p.rows * batch, p.products}, engine)};
}

void stretch(LayerTimes& times, double factor)
{
  for (Seconds& time : times.forward)
    time *= factor;
  for (Seconds& time : times.backward)
    time *= factor;
  times.update *= factor;
}

/// Whether nothing reads the gradient of the layer's input: it is the first, and its samples are given.
bool reads_given_samples(const Layer& layer)
{
  return layer.inputs.empty() && layer.product.rows > 0;
}

} // namespace

Seconds LayerTimes::total() const
{
  Seconds sum = update;
  for (const Seconds time : forward)
    sum += time;
  for (const Seconds time : backward)
    sum += time;
  return sum;
}

FlopsPerSecond product_rate(const Gpu& gpu, const std::string& precision)
{
  const std::string unit = computed_in(gpu, precision);
  return unit.empty() ? FlopsPerSecond{} : gpu.peak.at(unit) * gpu.efficiency(unit);
}

LayerTimes roofline_times(const Dnn& dnn, const Gpu& gpu, const StepSettings& settings)
{
  const std::string unit = computed_in(gpu, settings.precision);
  const FlopsPerSecond compute = product_rate(gpu, settings.precision);
  if (compute <= FlopsPerSecond{})
    throw std::invalid_argument{"GPU '" + gpu.name + "' has no rate for precision '" + settings.precision + "'"};
  const BytesPerSecond memory = gpu.memory_bandwidth * gpu.memory_efficiency;
  const MatrixEngine engine{compute.value(), memory.value(), settings.plain_kernels ? 0 : gpu.multiprocessors};
  const NetworkTraffic network{dnn, gpu, settings, unit != "fp32"};
  const bool casts = settings.kernels.autocast && settings.precision == "amp" && unit != "fp32";
  double weights = 0; // tensors that autocast casts
  const auto found = gpu.convolution_share.find(unit);
  const double convolution_share = found == gpu.convolution_share.end() ? 1 : found->second;
  LayerTimes times;
  for (const Layer& layer : dnn.layers) {
    const bool first = reads_given_samples(layer);
    const LayerTraffic traffic = network.of(layer, first);
    const ProductTimes products = product_times(layer, settings.batch, engine);
    // Matrix units have no Winograd algorithm: a convolution there is at best a matrix product.
    const auto usual = [&](double speed) {
      return settings.plain_kernels ? 1 : unit == "fp32" ? speed : std::min(speed, 1.0);
    };
    const double share = layer.type == "convolution" ? convolution_share : 1;
    const double speed = usual(layer.kernel_speed) * share;
    const double weight_speed = usual(layer.weight_kernel_speed) * share;
    const double passes = (first ? 0 : 1) + (layer.parameters.empty() ? 0 : 1);
    if (casts && layer.product.rows > 0 && layer.product.weights)
      weights += static_cast<double>(layer.parameters.size());
    times.forward.push_back(std::max(Seconds{products.forward / speed}, traffic.forward) + traffic.beside_forward +
                            gpu.kernel_launch);
    const Seconds computed{(first ? 0 : products.input / speed) + products.weights / weight_speed};
    times.backward.push_back(std::max(computed, traffic.backward) + traffic.beside_backward +
                             gpu.kernel_launch * passes);
  }
  // The host issues the operators ahead of the GPU; where it cannot keep up, the GPU waits for it throughout.
  const double operators = 3 * static_cast<double>(dnn.layers.size()) + dnn.parameter_tensors() + 2 * weights;
  const Seconds issued = settings.host_per_operator * operators;
  // A scale on the loss, which autocast needs in fp16, is taken off the gradients: one read, one write.
  times.update = Bytes{dnn.parameter_elements() * 4 * (settings.optimizer_reads_writes + (casts ? 2 : 0))} / memory;
  times.issued = issued;
  times.computed = times.total();
  if (issued > times.computed && times.computed > Seconds{})
    stretch(times, issued / times.computed);
  return times;
}

LayerTimes scaled_to(LayerTimes times, Seconds measured_step)
{
  stretch(times, measured_step / times.total());
  times.issued = times.computed = Seconds{};
  return times;
}

double value_bytes(const std::string& precision)
{
  return is_16_bit(precision) ? 2 : 4;
}

double gradient_element_bytes(const std::string& precision)
{
  return precision == "amp" ? 4 : value_bytes(precision);
}

} // namespace trainyard
