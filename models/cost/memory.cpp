// SPDX-License-Identifier: Apache-2.0
#include "models/cost/memory.hpp"

#include "models/core/closest.hpp"
#include "models/cost/roofline.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <stdexcept>
#include <string_view>
#include <vector>

namespace trainyard {
namespace {

/// Does the gradient of such a layer need what the layer read?
bool keeps_input(std::string_view type)
{
  constexpr std::array types{"convolution", "linear",    "batch_norm", "layer_norm", "pool",
                             "attention",   "recurrent", "gelu",       "gated",      "product"};
  return std::ranges::find(types, type) != types.end();
}

/// Does the gradient of such a layer need what the layer wrote?
bool keeps_output(std::string_view type)
{
  return type == "activation" || type == "softmax";
}

/// The two gradients that the backward pass of one layer holds at once: of its output and of its largest input.
double largest_gradients(const Dnn& dnn)
{
  double largest = 0;
  for (const Layer& layer : dnn.layers) {
    double input = 0;
    for (const int from : layer.inputs)
      input = std::max(input, dnn.layers.at(static_cast<std::size_t>(from)).activation_elements);
    largest = std::max(largest, layer.activation_elements + input);
  }
  return largest;
}

Bytes share_of(const Gpu& gpu, const MemorySettings& settings)
{
  if (settings.policy == "all")
    return gpu.memory * reserved_share;
  if (settings.policy == "fraction")
    return gpu.memory * settings.fraction;
  const std::vector<std::string> names{"all", "allow_growth", "fraction"};
  if (settings.policy != "allow_growth")
    throw std::invalid_argument{"unknown memory policy '" + settings.policy + "'" +
                                did_you_mean(settings.policy, names)};
  return gpu.memory;
}

std::string verdict_of(const MemoryFit& fit)
{
  const auto gigabytes = [](Bytes bytes) { return bytes.value() / 1e9; };
  std::string text = fmt::format("needs {:.2f} GB of {:.2f} GB", gigabytes(fit.needed), gigabytes(fit.available));
  if (fit.available < fit.installed)
    text += fmt::format(" ({:.2f} of {:.2f} GB)", fit.available / fit.installed, gigabytes(fit.installed));
  text += fmt::format(": parameters {:.2f}", gigabytes(fit.parameters));
  const auto add = [&](const char* name, Bytes bytes) {
    if (bytes > Bytes{})
      text += fmt::format(", {} {:.2f}", name, gigabytes(bytes));
  };
  add("fp32 copy", fit.master);
  add("averaged copies", fit.averaged);
  add("gradients", fit.gradients);
  add("optimiser", fit.optimizer_state);
  add("activations", fit.activations);
  add("gradients of activations", fit.transient);
  add("workspace", fit.workspace);
  add("context", fit.context);
  if (fit.largest_batch > 0)
    return text + fmt::format("; try batch_per_gpu <= {}", fit.largest_batch);
  return text + "; not even one sample fits: try a GPU with more memory or a smaller model";
}

/// Whether a product takes this tensor of an embedding as its matrix: an output projection that is tied to it has none
/// of its own.
bool is_projection(const Dnn& dnn, const ParameterTensor& tensor)
{
  return std::ranges::any_of(dnn.layers, [&](const Layer& layer) {
    return layer.type == "linear" && layer.parameters.empty() &&
           layer.product.columns * layer.product.columns_in == tensor.elements;
  });
}

/// Elements that have no form in 16 bit beside the fp32 one: autocast leaves tables, words and positions as they are,
/// because looking up rows is none of the operators that it casts for (PyTorch, aten/src/ATen/autocast_mode.h,
/// AT_FORALL_LOWER_PRECISION_FP).
double uncast_elements(const Dnn& dnn, const MemorySettings& settings)
{
  if (settings.precision != "amp")
    return 0;
  double elements = 0;
  for (const Layer& layer : dnn.layers)
    for (const ParameterTensor& tensor : layer.parameters)
      if (tensor.table.rows > 0 || (layer.type == "embedding" && !is_projection(dnn, tensor)))
        elements += settings.rows_from_servers ? tensor.gradient_elements(settings.batch) : tensor.elements;
  return elements;
}

} // namespace

double state_values(const std::string& optimizer)
{
  const std::vector<std::string> names{"sgd", "sgd_momentum", "momentum", "adam"};
  constexpr std::array values{0.0, 1.0, 1.0, 2.0};
  const auto found = std::ranges::find(names, optimizer);
  if (found == names.end())
    throw std::invalid_argument{"unknown optimizer '" + optimizer + "'" + did_you_mean(optimizer, names)};
  return values.at(static_cast<std::size_t>(found - names.begin()));
}

KeptParameters kept_parameters(double elements, double element_bytes, const std::string& optimizer)
{
  constexpr double fp32 = 4;
  return {.values = Bytes{elements * element_bytes},
          .master = Bytes{element_bytes < fp32 ? elements * fp32 : 0},
          .states = Bytes{elements * fp32 * state_values(optimizer)}};
}

double kept_activation_bytes(const Dnn& dnn, double element_bytes)
{
  std::vector<bool> kept(dnn.layers.size(), false);
  bool network_input = false;
  for (std::size_t i = 0; i < dnn.layers.size(); ++i) {
    const Layer& layer = dnn.layers[i];
    if (keeps_output(layer.type))
      kept[i] = true;
    if (!keeps_input(layer.type))
      continue;
    network_input = network_input || layer.inputs.empty();
    for (const int from : layer.inputs)
      kept.at(static_cast<std::size_t>(from)) = true;
  }
  double bytes = network_input ? dnn.input_bytes / 4 * element_bytes : 0;
  for (std::size_t i = 0; i < dnn.layers.size(); ++i)
    bytes += ((kept[i] ? dnn.layers[i].activation_elements : 0) + dnn.layers[i].saved_elements) * element_bytes +
             dnn.layers[i].saved_bytes;
  return bytes;
}

MemoryFit memory_fit(const Dnn& dnn, const Gpu& gpu, const MemorySettings& settings)
{
  const double element = value_bytes(settings.precision);
  const double changed = dnn.gradient_elements(settings.batch);
  const double parameters = settings.rows_from_servers ? changed : dnn.parameter_elements();
  const Bytes kept{kept_activation_bytes(dnn, element) * settings.activation_factor};
  const Bytes passing{largest_gradients(dnn) * element};

  MemoryFit fit;
  const double of_gradient = gradient_element_bytes(settings.precision); // and of a parameter of the model
  const double uncast = uncast_elements(dnn, settings);
  const KeptParameters cast = kept_parameters(parameters - uncast, element, settings.optimizer);
  const KeptParameters looked_up = kept_parameters(uncast, of_gradient, settings.optimizer);
  fit.parameters = cast.values + looked_up.values;
  fit.master = cast.master;
  fit.averaged = Bytes{parameters * of_gradient * settings.averaged_values};
  fit.gradients = Bytes{changed * of_gradient};
  fit.optimizer_state = cast.states + looked_up.states;
  fit.activations = kept * settings.batch;
  fit.transient = passing * settings.batch;
  fit.workspace = settings.workspace;
  fit.context = settings.context;
  const Bytes fixed =
      fit.parameters + fit.master + fit.averaged + fit.gradients + fit.optimizer_state + fit.workspace + fit.context;
  fit.needed = fixed + fit.activations + fit.transient;
  fit.installed = gpu.memory;
  fit.available = share_of(gpu, settings);
  fit.reserved = settings.policy == "allow_growth" ? fit.needed : fit.available;
  fit.fits = fit.needed <= fit.available;
  const Bytes per_sample = kept + passing;
  if (fixed < fit.available && per_sample > Bytes{})
    fit.largest_batch = static_cast<int>(std::min(1e9, std::floor((fit.available - fixed) / per_sample)));
  if (!fit.fits)
    fit.verdict = verdict_of(fit);
  return fit;
}

} // namespace trainyard
