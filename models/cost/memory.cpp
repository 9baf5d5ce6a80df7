// SPDX-License-Identifier: Apache-2.0
#include "models/cost/memory.hpp"

#include "models/core/closest.hpp"
#include "models/cost/optimizer_kind.hpp"
#include "models/cost/roofline.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <stdexcept>
#include <string_view>
#include <vector>

namespace trainyard {
namespace {

/// Classes of a softmax from which on they are words.
constexpr double many_classes = 10'000;

/// Whether a layer makes logits over words, or their softmax: the loss keeps these, and its gradient is theirs.
bool is_logits(const Dnn& dnn, std::size_t at)
{
  const bool softmax = dnn.layers[at].type == "softmax";
  const std::size_t reader = softmax ? at : at + 1;
  if (reader >= dnn.layers.size() || dnn.layers[reader].type != "softmax" || dnn.layers[reader].inputs.size() != 1)
    return false;
  const auto logits = static_cast<std::size_t>(dnn.layers[reader].inputs.front());
  return (softmax || logits == at) && dnn.layers[logits].type == "linear" &&
         dnn.layers[logits].product.columns > many_classes;
}

LayerFate fate_of(const std::string& type)
{
  const auto found = std::ranges::find(layer_fates(), std::string_view{type}, &LayerFate::type);
  return found == layer_fates().end() ? LayerFate{type.c_str(), false, true} : *found;
}

/// Elements that a layer keeps beside inputs and output where it is composed of elementary operations, as in TensorFlow
/// 1: GELU the argument and the value of its error function (google-research/bert, modeling.py), layer normalisation
/// the scale of each element (tf.nn.batch_normalization), dropout the quotient and a mask of full width (tf.nn.dropout:
/// x / keep_prob * floor(keep_prob + uniform)).
double kept_of_composed(const Layer& layer)
{
  const double inside = layer.type == "gelu" ? 2 : layer.type == "layer_norm" ? 1 : 0;
  return inside * layer.activation_elements + layer.saved_elements + 2 * layer.saved_bytes;
}

/// What each layer keeps, and at the end the network's input.
std::vector<double> kept_by_layer(const Dnn& dnn, double element_bytes, const ActivationHabits& habits)
{
  std::vector<double> bytes(dnn.layers.size() + 1, 0); // of each kept output
  const auto keep = [&](std::size_t at, double of_element) { bytes[at] = std::max(bytes[at], of_element); };
  for (std::size_t i = 0; i < dnn.layers.size(); ++i) {
    const Layer& layer = dnn.layers[i];
    const LayerFate fate = fate_of(layer.type);
    if (fate.output)
      keep(i, element_bytes);
    if (!fate.input)
      continue;
    if (layer.inputs.empty())
      bytes.back() = dnn.input_bytes / 4 * element_bytes;
    for (const int from : layer.inputs)
      keep(static_cast<std::size_t>(from),
           habits.autocast && layer.type == "layer_norm" ? std::max(4.0, element_bytes) : element_bytes);
  }
  for (std::size_t i = 0; i < dnn.layers.size(); ++i) {
    const Layer& layer = dnn.layers[i];
    const bool scores = layer.type == "attention" && habits.fused_attention && layer.product.rows > 0;
    bytes[i] *= is_logits(dnn, i) ? 0 : layer.activation_elements;
    bytes[i] += scores            ? 4 * layer.product.rows * layer.product.products
                : habits.composed ? kept_of_composed(layer) * element_bytes
                                  : layer.saved_elements * element_bytes + layer.saved_bytes;
    // 0.5 x (1 + tanh(c (x + 0.044715 x^3))) keeps the half, the tanh and its sum with 1; autocast takes the power in
    // fp32, and all that follows.
    if (layer.type == "gelu" && habits.composed_gelu && !habits.composed)
      bytes[i] += 3 * layer.activation_elements * (habits.autocast ? 4 : element_bytes);
    // Autocast runs softmax in fp32 (PyTorch, "CUDA Ops that can autocast to float32"): of the two score matrices that
    // are kept where there is dropout, the first is its output.
    if (layer.type == "attention" && layer.saved_bytes > 0 && !scores && habits.autocast)
      bytes[i] += layer.saved_elements / 2 * std::max(0.0, 4 - element_bytes);
  }
  return bytes;
}

/// The block of a transformer that a layer is in, by its name ("layer.7.norm1"); -1: none.
int block_of(const std::string& name)
{
  int block = -1;
  for (const std::string_view prefix : {"layer.", "block."})
    if (name.starts_with(prefix))
      std::from_chars(name.data() + prefix.size(), name.data() + name.size(), block);
  return block;
}

/// The two gradients that the backward pass of one layer holds at once: of its output and of its largest input.
double largest_gradients(const Dnn& dnn)
{
  double largest = 0;
  for (std::size_t i = 0; i < dnn.layers.size(); ++i) {
    const Layer& layer = dnn.layers[i];
    if (is_logits(dnn, i))
      continue;
    double input = 0;
    for (const int from : layer.inputs)
      input = std::max(input, dnn.layers.at(static_cast<std::size_t>(from)).activation_elements);
    largest = std::max(largest, layer.activation_elements + input);
  }
  return largest;
}

/// Logits of one sample at the loss.
double logits_bytes(const Dnn& dnn, double element_bytes, const std::string& logits)
{
  double elements = 0;
  for (std::size_t i = 0; i < dnn.layers.size(); ++i)
    if (dnn.layers[i].type == "softmax" && is_logits(dnn, i))
      elements += dnn.layers[i].activation_elements;
  return elements *
         logit_bytes(logits, element_bytes, element_bytes < 4 ? pytorch_logit_bytes : pytorch_fp32_logit_bytes);
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

/// @p open: the largest batch that is not refused.
std::string verdict_of(const MemoryFit& fit, int open)
{
  const std::string text = memory_terms(fit);
  if (fit.largest_batch > 0)
    return text + fmt::format("; try batch_per_gpu <= {}", fit.largest_batch) +
           (open > fit.largest_batch ? fmt::format(" (up to {} may fit)", open) : "");
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

/// Of one layer.
double largest_parameters(const Dnn& dnn)
{
  double largest = 0;
  for (const Layer& layer : dnn.layers) {
    double elements = 0;
    for (const ParameterTensor& tensor : layer.parameters)
      elements += tensor.elements;
    largest = std::max(largest, elements);
  }
  return largest;
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

std::string memory_terms(const MemoryFit& fit)
{
  const auto gigabytes = [](Bytes bytes) { return bytes.value() / 1e9; };
  std::string text = fmt::format("needs {:.2f} GB of {:.2f} GB", gigabytes(fit.needed), gigabytes(fit.available));
  if (fit.available < fit.installed)
    text += fmt::format(" ({:.2f} of {:.2f} GB)", fit.available / fit.installed, gigabytes(fit.installed));
  text += fmt::format(": parameters {:.2f}", gigabytes(fit.parameters));
  for (const auto& [name, bytes] : {std::pair{"fp32 copy", fit.master},
                                    {"averaged copies", fit.averaged},
                                    {"gradients", fit.gradients},
                                    {"optimiser", fit.optimizer_state},
                                    {"activations", fit.activations},
                                    {"logits or gradients of activations", fit.transient},
                                    {"workspace", fit.workspace},
                                    {"lost to pieces", fit.lost},
                                    {"context", fit.context}})
    if (bytes > Bytes{})
      text += fmt::format(", {} {:.2f}", name, gigabytes(bytes));
  return text;
}

const std::vector<LayerFate>& layer_fates()
{
  static const std::vector<LayerFate> fates{
      {.type = "convolution", .input = true},
      {.type = "linear", .input = true},
      {.type = "batch_norm", .input = true},
      {.type = "layer_norm", .input = true},
      {.type = "pool", .input = true},
      {.type = "attention", .input = true},
      {.type = "recurrent", .input = true},
      {.type = "gelu", .input = true},
      {.type = "gated", .input = true},
      {.type = "product", .input = true},
      {.type = "activation", .output = true}, // ReLU, in place
      {.type = "softmax", .output = true},
      {.type = "layer", .output = true}, // a row of a list: what is inside is not known
      {.type = "add"},                   // their gradients need no values
      {.type = "concatenate"},
      {.type = "upsample"},
      {.type = "view"},
      {.type = "cut"},       // regions of an image: their places are few
      {.type = "scale"},     // frozen normalisation
      {.type = "embedding"}, // the rows' numbers are few
  };
  return fates;
}

double state_values(const std::string& optimizer)
{
  return optimizer_kind(optimizer).state_bytes / 4;
}

KeptParameters kept_parameters(double elements, double element_bytes, const std::string& optimizer, bool cast)
{
  constexpr double fp32 = 4;
  const OptimizerKind& kind = optimizer_kind(optimizer);
  return {.values = Bytes{elements * element_bytes},
          .master = Bytes{element_bytes < fp32 && (kind.master || cast) ? elements * fp32 : 0},
          .states = Bytes{elements * kind.state_bytes}};
}

double kept_activation_bytes(const Dnn& dnn, double element_bytes, const ActivationHabits& habits)
{
  double sum = 0;
  for (const double bytes : kept_by_layer(dnn, element_bytes, habits))
    sum += bytes;
  return sum;
}

CheckpointedBytes checkpointed_bytes(const Dnn& dnn, double element_bytes, const ActivationHabits& habits)
{
  const std::vector<double> kept = kept_by_layer(dnn, element_bytes, habits);
  const std::size_t layers = dnn.layers.size();
  const bool blocks = std::ranges::any_of(dnn.layers, [](const Layer& layer) { return block_of(layer.name) >= 0; });
  const auto part = static_cast<std::size_t>(std::ceil(std::sqrt(static_cast<double>(layers))));
  CheckpointedBytes all{.kept = kept.back()};
  double block = 0;
  for (std::size_t i = 0; i < layers; ++i) {
    const auto of = [&](std::size_t at) {
      return at >= layers ? -2 : blocks ? block_of(dnn.layers[at].name) : static_cast<int>(at / part);
    };
    if (of(i) == -1) {
      all.kept += kept[i];
      continue;
    }
    block += kept[i];
    if (of(i + 1) == of(i))
      continue;
    all.kept += is_logits(dnn, i) ? 0 : dnn.layers[i].activation_elements * element_bytes; // the next one's input
    all.block = std::max(all.block, block);
    block = 0;
  }
  return all;
}

MemoryFit memory_fit(const Dnn& dnn, const Gpu& gpu, const MemorySettings& settings)
{
  const double element = value_bytes(settings.precision);
  const double changed = dnn.gradient_elements(settings.batch);
  const double parameters = settings.rows_from_servers ? changed : dnn.parameter_elements();
  const ActivationHabits habits{.fused_attention = settings.kernels.fused_attention,
                                .autocast = settings.kernels.autocast && settings.precision == "amp",
                                .composed = settings.composed,
                                .composed_gelu = settings.kernels.composed_tanh_gelu && settings.tanh_gelu};
  const CheckpointedBytes again =
      settings.kept.computed_again ? checkpointed_bytes(dnn, element, habits) : CheckpointedBytes{};
  const Bytes kept{settings.kept.computed_again ? again.kept : kept_activation_bytes(dnn, element, habits)};
  const Bytes passing{
      std::max(largest_gradients(dnn) * element + again.block, logits_bytes(dnn, element, settings.kept.logits))};

  MemoryFit fit;
  const double of_gradient = gradient_element_bytes(settings.precision); // and of a parameter of the model
  const double uncast = uncast_elements(dnn, settings);
  const KeptParameters cast =
      kept_parameters(parameters - uncast, element, settings.optimizer, settings.precision == "amp");
  const KeptParameters looked_up = kept_parameters(uncast, of_gradient, settings.optimizer);
  fit.parameters = cast.values + looked_up.values;
  fit.master = cast.master;
  fit.averaged = Bytes{parameters * of_gradient * settings.averaged_values};
  fit.gradients = Bytes{(settings.kept.update_in_backward ? largest_parameters(dnn) : changed) * of_gradient};
  fit.optimizer_state = cast.states + looked_up.states;
  fit.activations = kept * settings.batch;
  fit.transient = passing * settings.batch;
  fit.workspace = settings.workspace;
  fit.context = settings.context + Bytes{communicator_bytes * settings.communicators};
  fit.lost = (fit.activations + fit.transient) * lost_share;
  Bytes fixed =
      fit.parameters + fit.master + fit.averaged + fit.gradients + fit.optimizer_state + fit.workspace + fit.context;
  fit.needed = fixed + fit.activations + fit.transient + fit.lost;
  fit.installed = gpu.memory;
  fit.available = share_of(gpu, settings);
  if (optimizer_kind(settings.optimizer).paged) {
    fixed -= fit.optimizer_state; // all of them can go
    fit.paged = paged_out(fit.optimizer_state, fit.needed, fit.available);
    fit.optimizer_state -= fit.paged;
    fit.needed -= fit.paged;
  }
  fit.reserved = settings.policy == "allow_growth" ? fit.needed : fit.available;
  fit.fits = fit.needed <= fit.available;
  const Bytes per_sample = (kept + passing) * (1 + lost_share);
  const auto largest = [&](Bytes room) {
    return fixed < room && per_sample > Bytes{}
               ? static_cast<int>(std::min(1e9, std::floor((room - fixed) / per_sample)))
               : 0;
  };
  fit.largest_batch = largest(fit.available);
  if (!fit.fits)
    fit.verdict = verdict_of(fit, largest(fit.available / lowest_peak));
  return fit;
}

} // namespace trainyard
