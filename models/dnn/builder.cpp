// SPDX-License-Identifier: Apache-2.0
#include "models/dnn/builder.hpp"

#include <boost/graph/adjacency_list.hpp>
#include <boost/graph/topological_sort.hpp>

#include <iterator>
#include <stdexcept>
#include <utility>

namespace trainyard {

namespace {

const Registry<DnnFile>::Entry* file_kind(const std::string& name)
{
  for (const auto& [ending, entry] : Registry<DnnFile>::instance().entries())
    if (name.size() > ending.size() && name.ends_with(ending))
      return &entry;
  return nullptr;
}

} // namespace

bool is_dnn_file(const std::string& name)
{
  return file_kind(name) != nullptr;
}

Dnn build_dnn(const std::string& name, const DnnOptions& options)
{
  if (!options.layers.empty())
    return dnn_of_layers(options.layers, name);
  if (options.transformer != nullptr)
    return Registry<DnnSource>::instance().create("transformer")->build(options);
  if (const auto* kind = file_kind(name); kind != nullptr)
    return kind->create({})->read(name);
  const auto& registry = Registry<DnnSource>::instance();
  if (registry.find(name) == nullptr)
    throw std::invalid_argument{"unknown model '" + name + "'" + did_you_mean(name, registry.names())};
  return registry.create(name)->build(options);
}

std::vector<int> topological_order(const Dnn& dnn)
{
  using Graph = boost::adjacency_list<boost::vecS, boost::vecS, boost::directedS>;
  Graph graph(dnn.layers.size());
  for (std::size_t i = 0; i < dnn.layers.size(); ++i)
    for (const int input : dnn.layers[i].inputs) {
      if (input < 0 || static_cast<std::size_t>(input) >= dnn.layers.size())
        throw std::invalid_argument{"layer '" + dnn.layers[i].name + "' reads a layer that does not exist"};
      boost::add_edge(static_cast<std::size_t>(input), i, graph);
    }
  std::vector<std::size_t> reverse;
  try {
    boost::topological_sort(graph, std::back_inserter(reverse));
  } catch (const boost::not_a_dag&) {
    throw std::invalid_argument{"the layers of '" + dnn.name + "' depend on each other in a cycle"};
  }
  return {reverse.rbegin(), reverse.rend()};
}

DnnBuilder::DnnBuilder(std::string name, std::string description, std::string source, Shape input) : input_{input}
{
  dnn_.name = std::move(name);
  dnn_.description = std::move(description);
  dnn_.source = std::move(source);
  dnn_.input_bytes = input.elements() * 4;
}

const DnnBuilder::Shape& DnnBuilder::shape(int layer) const
{
  return layer < 0 ? input_ : shapes_.at(static_cast<std::size_t>(layer));
}

int DnnBuilder::layer(Layer layer, Shape shape)
{
  layer.activation_elements = shape.elements();
  dnn_.layers.push_back(std::move(layer));
  shapes_.push_back(shape);
  return static_cast<int>(shapes_.size()) - 1;
}

namespace {

std::vector<int> inputs_of(int from)
{
  return from < 0 ? std::vector<int>{} : std::vector{from};
}

int output_size(int input, int kernel, int stride, int pad)
{
  return (input + 2 * pad - kernel) / stride + 1;
}

} // namespace

KernelSpeeds kernel_speeds(int height, int width, int stride, int channels_in)
{
  const bool unit = stride == 1 && channels_in >= 16;
  if (height == 3 && width == 3 && unit)
    return {1.7, 1.5};
  if (height == 5 && width == 5 && unit)
    return {1.2, 1.2};
  if (height == 1 && width == 1)
    return {0.9, 0.9};
  if (height == 1 || width == 1)
    return {0.5, 0.5};
  return {};
}

int DnnBuilder::convolution(const std::string& name, int from, int channels, Window window, bool bias, int groups)
{
  const Shape in = shape(from);
  const Shape out{channels, output_size(in.height, window.height, window.stride, window.pad_height),
                  output_size(in.width, window.width, window.stride, window.pad_width)};
  const double weights = static_cast<double>(channels) * in.channels / groups * window.height * window.width;
  Layer result{.name = name,
               .type = "convolution",
               .forward = Flops{2 * weights * out.height * out.width},
               .inputs = inputs_of(from)};
  result.memory_elements = in.elements() + out.elements();
  result.product = {.rows = static_cast<double>(out.height) * out.width,
                    .rows_in = static_cast<double>(in.height) * in.width,
                    .columns = static_cast<double>(channels) / groups,
                    .columns_in = static_cast<double>(in.channels) / groups,
                    .window = static_cast<double>(window.height) * window.width,
                    .products = static_cast<double>(groups)};
  if (groups == 1) {
    const KernelSpeeds speeds = kernel_speeds(window.height, window.width, window.stride, in.channels);
    result.kernel_speed = speeds.forward;
    result.weight_kernel_speed = speeds.weights;
  }
  result.parameters.push_back({name + ".weight", weights});
  if (bias)
    result.parameters.push_back({name + ".bias", static_cast<double>(channels)});
  return layer(std::move(result), out);
}

int DnnBuilder::batch_norm(const std::string& name, int from)
{
  const Shape in = shape(from);
  Layer result{.name = name, .type = "batch_norm", .memory_elements = 3 * in.elements(), .inputs = inputs_of(from)};
  result.parameters = {{name + ".weight", static_cast<double>(in.channels)},
                       {name + ".bias", static_cast<double>(in.channels)}};
  return layer(std::move(result), in);
}

int DnnBuilder::activation(const std::string& name, int from)
{
  const Shape in = shape(from);
  return layer({.name = name, .type = "activation", .memory_elements = 2 * in.elements(), .inputs = inputs_of(from)},
               in);
}

int DnnBuilder::pool(const std::string& name, int from, Window window)
{
  const Shape in = shape(from);
  const Shape out{in.channels, output_size(in.height, window.height, window.stride, window.pad_height),
                  output_size(in.width, window.width, window.stride, window.pad_width)};
  return layer({.name = name,
                .type = "pool",
                .memory_elements = in.elements() + out.elements(),
                .product = {.window = static_cast<double>(window.height) * window.width},
                .inputs = inputs_of(from)},
               out);
}

int DnnBuilder::global_pool(const std::string& name, int from)
{
  const Shape in = shape(from);
  return layer(
      {.name = name, .type = "pool", .memory_elements = in.elements() + in.channels, .inputs = inputs_of(from)},
      {in.channels, 1, 1});
}

int DnnBuilder::linear(const std::string& name, int from, int outputs, bool bias)
{
  const double inputs = shape(from).elements();
  Layer result{.name = name,
               .type = "linear",
               .forward = Flops{2 * inputs * outputs},
               .memory_elements = inputs + outputs,
               .product = {.rows = 1, .rows_in = 1, .columns = static_cast<double>(outputs), .columns_in = inputs},
               .inputs = inputs_of(from)};
  result.parameters.push_back({name + ".weight", inputs * outputs});
  if (bias)
    result.parameters.push_back({name + ".bias", static_cast<double>(outputs)});
  return layer(std::move(result), {outputs, 1, 1});
}

int DnnBuilder::add(const std::string& name, int a, int b)
{
  const Shape in = shape(a);
  return layer({.name = name, .type = "add", .memory_elements = 3 * in.elements(), .inputs = {a, b}}, in);
}

int DnnBuilder::concatenate(const std::string& name, std::vector<int> from)
{
  Shape out = shape(from.front());
  out.channels = 0;
  for (const int part : from)
    out.channels += shape(part).channels;
  return layer({.name = name, .type = "concatenate", .memory_elements = 2 * out.elements(), .inputs = std::move(from)},
               out);
}

int DnnBuilder::convolution_block(const std::string& name, int from, int channels, Window window)
{
  const int normalised = batch_norm(name + ".bn", convolution(name, from, channels, window, false));
  return activation(name + ".relu", normalised);
}

Dnn DnnBuilder::finish(std::string sample)
{
  dnn_.sample = std::move(sample);
  return std::move(dnn_);
}

} // namespace trainyard
