// SPDX-License-Identifier: Apache-2.0
#include "models/cost/roofline.hpp"

#include "models/cost/attention_rates.hpp"
#include "models/cost/layer_traffic.hpp"
#include "models/cost/matrix_time.hpp"
#include "models/cost/memory.hpp"

#include <algorithm>
#include <cmath>
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

/// Attention in fp32: PyTorch's memory-efficient kernel replaces each product by three in tf32 (DefaultGemmType in
/// csrc's mem_eff_attention/gemm_kernel_utils.h: OpMultiplyAddFastF32). In 16 bit it reaches 0.3 of an A100's peak,
/// both passes together (Dao, arXiv:2307.08691, figure 4, the lines of xformers; from memory), by instructions that
/// reach 0.63 of the peak from Hopper on (Luo et al., arXiv:2402.13499; from memory).
constexpr double products_of_fp32 = 3, memory_efficient_share = 0.3, old_instructions = 0.63;

constexpr double hopper = 9;

/// 0: it has another kernel.
double fp32_attention_rate(const Gpu& gpu, const StepSettings& settings)
{
  const auto tf32 = gpu.peak.find("tf32");
  if (!settings.kernels.fused_attention || is_16_bit(settings.precision) || tf32 == gpu.peak.end())
    return 0;
  return tf32->second.value() / products_of_fp32 * memory_efficient_share *
         (gpu.compute_capability >= hopper ? old_instructions : 1);
}

/// Against a matrix product of as many flop.
struct ConvolutionSpeeds {
  double forward = 1;
  double input = 1;
  double weights = 1;
};

/// In fp32. The layer's own speeds are those of kernels that NVIDIA wrote by hand for each architecture up to Ampere
/// (maxwell_scudnn_winograd, ampere_scudnn_winograd in profiles). Their machine code runs on no later architecture, and
/// cuDNN has none for Hopper. What it chooses there instead was measured by simcal on an H100 (fp32 curves gpu_conv of
/// results/calibration/H100-SXM5.json: time of the product by the model over time measured, all of a kind). Taken for
/// all later GPUs, too: no other was measured.
ConvolutionSpeeds fp32_speeds(const Layer& layer, const Gpu& gpu)
{
  if (layer.type != "convolution" || gpu.compute_capability < hopper)
    return {layer.kernel_speed, layer.kernel_speed, layer.weight_kernel_speed};
  if (layer.product.window == 1)
    return {0.57, 0.42, 0.32};
  if (layer.kernel_speed > 1) // 3x3 and 5x5: FFT, and Winograd's algorithm in several kernels
    return {0.7, 1.0, 1.15};
  return {0.6, 0.5, 0.5};
}

/// Seconds that the matrix products of a layer take at a batch: forward, gradient of the input, gradient of the
/// weights.
struct ProductTimes {
  double forward = 0;
  double input = 0;
  double weights = 0;
};

/// A matrix product whose rows do not begin at multiples of 16 bytes loads numbers one or two at a time. A projection
/// to a vocabulary of such a size takes three times as long on current GPUs, where cuBLAS falls back to kernels of
/// CUTLASS (Netflix Technology Blog, "Scaling LLM Post-Training at Netflix", 2026), which have the old instructions;
/// before Hopper all kernels have these.
constexpr double unaligned_slowdown = 3, aligned_bytes = 16;

/// Of the layer's products against those of aligned arrays.
double alignment_slowdown(const Layer& layer, const Gpu& gpu, const std::string& unit, double element)
{
  const auto aligned = [&](double elements) { return std::fmod(elements * element, aligned_bytes) == 0; };
  if (layer.type != "linear" || unit == "fp32" || (aligned(layer.product.columns) && aligned(layer.product.columns_in)))
    return 1;
  return gpu.compute_capability >= hopper ? unaligned_slowdown : unaligned_slowdown * old_instructions;
}

/// The time of fused attention in 16 bit; it is its own kernel.
ProductTimes fused_attention_times(const Layer& layer, const Gpu& gpu, double batch, double products)
{
  const MatrixProduct& p = layer.product;
  const AttentionRates rates = fused_attention_rates(gpu, "flash", p.rows, p.columns_in, products);
  const double seen = p.causal ? 0.5 : 1;
  const double flop = layer.forward.value() * batch * seen;
  const double random = layer.dropout ? rates.dropout * p.rows * p.columns * p.products * batch * seen : 0;
  return {flop / rates.forward + random, attention_backward_products * flop / rates.backward + random, 0};
}

/// @p attention_rate: of attention's products, flop per second; 0: that of the engine.
ProductTimes product_times(const Layer& layer, double batch, const MatrixEngine& engine, double attention_rate)
{
  const MatrixProduct& p = layer.product;
  const double whole = layer.forward.value() * batch / engine.flop_per_s;
  if (p.rows <= 0 || p.rows_in <= 0 || p.columns <= 0 || p.columns_in <= 0 || engine.multiprocessors <= 0)
    return {whole, whole, whole};
  if (!p.weights) { // attention: as many products as samples and heads
    const MatrixSize size{p.rows, p.columns, p.columns_in, p.products * batch};
    double time = whole * matrix_time(size, engine) * engine.flop_per_s /
                  (2 * size.rows * size.columns * size.depth * size.products);
    if (attention_rate > 0)
      time *= engine.flop_per_s / attention_rate;
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
  const double element = value_bytes(settings.precision);
  const double attention_rate = fp32_attention_rate(gpu, settings);
  LayerTimes times;
  for (const Layer& layer : dnn.layers) {
    const bool first = reads_given_samples(layer);
    const LayerTraffic traffic = network.of(layer, first);
    const bool fused = layer.type == "attention" && layer.product.rows > 0 && settings.kernels.fused_attention &&
                       is_16_bit(settings.precision) && unit != "fp32";
    const ProductTimes products = fused ? fused_attention_times(layer, gpu, settings.batch, compute.value())
                                        : product_times(layer, settings.batch, engine, attention_rate);
    // Matrix units have no Winograd algorithm: a convolution there is at best a matrix product.
    const auto usual = [&](double of_fp32) {
      return settings.plain_kernels ? 1 : unit == "fp32" ? of_fp32 : std::min(of_fp32, 1.0);
    };
    const double share = layer.type == "convolution" ? convolution_share : 1;
    const ConvolutionSpeeds fp32 =
        unit == "fp32" ? fp32_speeds(layer, gpu)
                       : ConvolutionSpeeds{layer.kernel_speed, layer.kernel_speed, layer.weight_kernel_speed};
    const double slow = settings.plain_kernels ? 1 : alignment_slowdown(layer, gpu, unit, element);
    const ConvolutionSpeeds speed{share * usual(fp32.forward), share * usual(fp32.input), share * usual(fp32.weights)};
    const double passes = (first ? 0 : 1) + (layer.parameters.empty() ? 0 : 1);
    if (casts && layer.product.rows > 0 && layer.product.weights)
      weights += static_cast<double>(layer.parameters.size());
    times.forward.push_back(std::max(Seconds{slow * products.forward / speed.forward}, traffic.forward) +
                            traffic.beside_forward + gpu.kernel_launch);
    const Seconds computed{slow * ((first ? 0 : products.input / speed.input) + products.weights / speed.weights)};
    times.backward.push_back(std::max(computed, traffic.backward) + traffic.beside_backward +
                             gpu.kernel_launch * passes + (settings.computed_again ? times.forward.back() : Seconds{}));
  }
  // The host issues the operators ahead of the GPU; where it cannot keep up, the GPU waits for it throughout.
  const double operators = (settings.computed_again ? 4 : 3) * static_cast<double>(dnn.layers.size()) +
                           dnn.parameter_tensors() + 2 * weights;
  const Seconds issued = settings.host_per_operator * operators;
  // A scale on the loss, which autocast needs in fp16, is taken off the gradients: one read, one write.
  times.update =
      Bytes{dnn.gradient_elements(settings.batch) * 4 * (settings.optimizer_reads_writes + (casts ? 2 : 0))} / memory;
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

double optimizer_reads_writes(const std::string& name)
{
  return 3 + 2 * state_values(name);
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
