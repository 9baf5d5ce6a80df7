#include "models/cost/roofline.hpp"

#include <algorithm>
#include <stdexcept>

namespace trainyard {
namespace {

bool is_16_bit(const std::string& precision)
{
  return precision == "amp" || precision == "fp16" || precision == "bf16";
}

FlopsPerSecond peak_rate(const Gpu& gpu, const std::string& precision)
{
  std::vector<std::string> order{precision};
  if (precision == "amp")
    order = {"fp16", "bf16", "fp32"};
  else if (precision == "tf32" || is_16_bit(precision))
    order.emplace_back("fp32"); // a chip without the unit computes at its fp32 rate
  for (const std::string& name : order)
    if (const auto found = gpu.peak.find(name); found != gpu.peak.end() && found->second > FlopsPerSecond{})
      return found->second;
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
  const FlopsPerSecond compute = peak_rate(gpu, settings.precision) * gpu.compute_efficiency;
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
    times.forward.push_back(std::max(flop / compute, bytes / memory) + gpu.kernel_launch);
    times.backward.push_back(std::max(flop * 2 / compute, bytes * passes / memory) + gpu.kernel_launch * passes);
  }
  times.update = Bytes{dnn.parameter_elements() * 4 * settings.optimizer_reads_writes} / memory;
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
