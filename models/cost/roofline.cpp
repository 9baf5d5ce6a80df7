#include "models/cost/roofline.hpp"

#include <algorithm>
#include <stdexcept>

namespace trainyard {
namespace {

bool is_16_bit(const std::string& precision)
{
  return precision == "amp" || precision == "fp16" || precision == "bf16";
}

/// The precision whose units the chip computes with.
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
  throw std::invalid_argument{"GPU '" + gpu.name + "' has no rate for precision '" + precision + "'"};
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

LayerTimes roofline_times(const Dnn& dnn, const Gpu& gpu, const StepSettings& settings)
{
  const std::string unit = computed_in(gpu, settings.precision);
  const FlopsPerSecond compute = gpu.peak.at(unit) * gpu.efficiency(unit);
  const BytesPerSecond memory = gpu.memory_bandwidth * gpu.memory_efficiency;
  const double element = is_16_bit(settings.precision) ? 2 : 4;
  LayerTimes times;
  for (const Layer& layer : dnn.layers) {
    double parameters = 0;
    for (const ParameterTensor& tensor : layer.parameters)
      parameters += tensor.elements;
    const Flops flop = layer.forward * settings.batch;
    const Bytes bytes{(layer.memory_elements * settings.batch + parameters) * element};
    const double passes = parameters > 0 ? 2 : 1;
    // Matrix units know no Winograd: there a convolution is at best a matrix product.
    const auto usual = [&](double speed) { return settings.plain_kernels ? 1 : unit == "fp32" ? speed : std::min(speed, 1.0); };
    const double speed = usual(layer.kernel_speed);
    const double weight_speed = usual(layer.weight_kernel_speed);
    times.forward.push_back(std::max(flop / compute / speed, bytes / memory) + gpu.kernel_launch);
    times.backward.push_back(std::max(flop / compute / speed + flop / compute / weight_speed, bytes * passes / memory) +
                             gpu.kernel_launch * passes);
  }
  // The host issues the operators ahead of the GPU; where it cannot keep up, the GPU waits for it throughout.
  const double operators = 3 * static_cast<double>(dnn.layers.size()) + dnn.parameter_tensors();
  const Seconds issued = settings.host_per_operator * operators;
  times.update = Bytes{dnn.parameter_elements() * 4 * settings.optimizer_reads_writes} / memory;
  if (const Seconds computed = times.total(); issued > computed && computed > Seconds{})
    return scaled_to(std::move(times), issued);
  return times;
}

LayerTimes scaled_to(LayerTimes times, Seconds measured_step)
{
  const double factor = measured_step / times.total();
  for (Seconds& time : times.forward)
    time *= factor;
  for (Seconds& time : times.backward)
    time *= factor;
  times.update *= factor;
  return times;
}

double gradient_element_bytes(const std::string& precision)
{
  return is_16_bit(precision) ? 2 : 4;
}

} // namespace trainyard
