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

int output_size(int input, int kernel, int stride, int pad, int dilation = 1)
{
  return (input + 2 * pad - dilation * (kernel - 1) - 1) / stride + 1;
}

DnnBuilder::Shape behind(const DnnBuilder::Shape& in, int channels, const DnnBuilder::Window& w)
{
  return {channels, output_size(in.height, w.height, w.stride, w.pad_height, w.dilation),
          output_size(in.width, w.width, w.stride, w.pad_width, w.dilation),
          output_size(in.depth, w.depth, w.depth > 1 ? w.stride : 1, w.pad_depth, w.dilation)};
}

double size(const DnnBuilder::Window& window)
{
  return static_cast<double>(window.height) * window.width * window.depth;
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
  const Shape out = behind(in, channels, window);
  const double weights = static_cast<double>(channels) * in.channels / groups * size(window);
  Layer result{
      .name = name, .type = "convolution", .forward = Flops{2 * weights * out.positions()}, .inputs = inputs_of(from)};
  result.memory_elements = in.elements() + out.elements();
  result.product = {.rows = out.positions(),
                    .rows_in = in.positions(),
                    .columns = static_cast<double>(channels) / groups,
                    .columns_in = static_cast<double>(in.channels) / groups,
                    .window = size(window),
                    .products = static_cast<double>(groups)};
  if (groups == 1 && window.depth == 1 && window.dilation == 1) { // Winograd's kernels have no other windows
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
  const Shape out = behind(in, in.channels, window);
  return layer({.name = name,
                .type = "pool",
                .memory_elements = in.elements() + out.elements(),
                .product = {.window = size(window)},
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

int DnnBuilder::deconvolution(const std::string& name, int from, int channels, Window window, bool bias)
{
  const Shape in = shape(from);
  const auto larger = [&](int input, int kernel, int pad) { return (input - 1) * window.stride - 2 * pad + kernel; };
  const Shape out{channels, larger(in.height, window.height, window.pad_height),
                  larger(in.width, window.width, window.pad_width),
                  window.depth > 1 ? larger(in.depth, window.depth, window.pad_depth) : in.depth};
  const double weights = static_cast<double>(channels) * in.channels * size(window);
  Layer result{.name = name,
               .type = "convolution",
               .forward = Flops{2 * weights * in.positions()},
               .memory_elements = in.elements() + out.elements(),
               .product = {.rows = in.positions(),
                           .rows_in = out.positions(),
                           .columns = channels * size(window),
                           .columns_in = static_cast<double>(in.channels)},
               .inputs = inputs_of(from)};
  result.parameters.push_back({name + ".weight", weights});
  if (bias)
    result.parameters.push_back({name + ".bias", static_cast<double>(channels)});
  return layer(std::move(result), out);
}

int DnnBuilder::upsample(const std::string& name, int from, Shape to)
{
  to.channels = shape(from).channels;
  return layer({.name = name,
                .type = "upsample",
                .memory_elements = shape(from).elements() + to.elements(),
                .inputs = inputs_of(from)},
               to);
}

int DnnBuilder::token_linear(const std::string& name, int from, int outputs, bool bias)
{
  const Shape in = shape(from);
  const double inputs = in.channels, tokens = in.positions();
  Layer result{
      .name = name,
      .type = "linear",
      .forward = Flops{2 * inputs * outputs * tokens},
      .memory_elements = tokens * (inputs + outputs),
      .product = {.rows = tokens, .rows_in = tokens, .columns = static_cast<double>(outputs), .columns_in = inputs},
      .inputs = inputs_of(from)};
  result.parameters.push_back({name + ".weight", inputs * outputs});
  if (bias)
    result.parameters.push_back({name + ".bias", static_cast<double>(outputs)});
  return layer(std::move(result), {outputs, in.height, in.width, in.depth});
}

int DnnBuilder::layer_norm(const std::string& name, int from, int vectors)
{
  const Shape in = shape(from);
  Layer result{.name = name, .type = "layer_norm", .memory_elements = 3 * in.elements(), .inputs = inputs_of(from)};
  for (const char* part : {".weight", ".bias"})
    if (vectors-- > 0)
      result.parameters.push_back({name + part, static_cast<double>(in.channels)});
  return layer(std::move(result), in);
}

int DnnBuilder::embedding(const std::string& name, int from, double rows, int width, int tokens)
{
  Layer result{.name = name, .type = "embedding", .memory_elements = 2.0 * tokens * width, .inputs = inputs_of(from)};
  result.parameters.push_back({name + ".weight", rows * width});
  return layer(std::move(result), {width, tokens, 1});
}

int DnnBuilder::recurrent(const std::string& name, int from, int hidden, int directions, int gates)
{
  const Shape in = shape(from);
  const double inputs = in.channels, frames = in.positions(), state = hidden;
  Layer result{.name = name,
               .type = "recurrent",
               .forward = Flops{2.0 * directions * gates * state * (inputs + state) * frames},
               .memory_elements = frames * (inputs + 2.0 * directions * (gates + 1) * state),
               .saved_elements = directions * (gates + 1) * state * frames, // gates and the state of the cell
               .inputs = inputs_of(from)};
  for (int direction = 0; direction < directions; ++direction) {
    const std::string base = directions > 1 ? name + (direction == 0 ? ".forward" : ".backward") : name;
    result.parameters.push_back({base + ".input", gates * state * inputs});
    result.parameters.push_back({base + ".recurrent", gates * state * state});
    result.parameters.push_back({base + ".bias_input", gates * state});
    result.parameters.push_back({base + ".bias_recurrent", gates * state});
  }
  return layer(std::move(result), {directions * hidden, in.height, in.width, in.depth});
}

int DnnBuilder::attention(const std::string& name, int query, int keys, int values, const Attention& a)
{
  const double tokens = shape(query).positions(), seen = shape(keys).positions();
  const double width = static_cast<double>(a.heads) * a.width, scores = a.heads * tokens * seen;
  Layer result{.name = name,
               .type = "attention",
               .forward = Flops{2 * a.products * tokens * seen * width},
               .memory_elements = 2 * (tokens + seen) * width,
               .product = {.rows = tokens,
                           .rows_in = tokens,
                           .columns = seen,
                           .columns_in = static_cast<double>(a.width),
                           .products = static_cast<double>(a.heads),
                           .weights = false,
                           .causal = a.causal},
               .saved_elements = a.heads * tokens,
               .dropout = a.dropout,
               .inputs = {query, keys, values}};
  if (a.dropout) { // as a transformer's (transformer.cpp)
    result.memory_elements += 6 * scores;
    result.saved_elements = 2 * scores;
    result.saved_bytes = scores;
  }
  return layer(std::move(result), {a.heads * a.width, shape(query).height, shape(query).width, shape(query).depth});
}

void DnnBuilder::share_parameters(int layer)
{
  dnn_.layers.at(static_cast<std::size_t>(layer)).parameters.clear();
}

int DnnBuilder::drop(int layer)
{
  Layer& dropped = dnn_.layers.at(static_cast<std::size_t>(layer));
  dropped.dropout = true;
  dropped.saved_bytes = shape(layer).elements();
  return layer;
}

int DnnBuilder::reshape(int layer, Shape shape)
{
  dnn_.layers.at(static_cast<std::size_t>(layer)).activation_elements = shape.elements();
  shapes_.at(static_cast<std::size_t>(layer)) = shape;
  return layer;
}

namespace {

class FromFunction final : public DnnSource
{
public:
  explicit FromFunction(const NamedNetwork& network) : network_{network} {}
  Dnn build(const DnnOptions& options) const override
  {
    Dnn made = network_.build(options);
    made.name = network_.name;
    return made;
  }

private:
  NamedNetwork network_;
};

} // namespace

bool add_networks(std::initializer_list<NamedNetwork> networks)
{
  for (const NamedNetwork& network : networks)
    Registry<DnnSource>::instance().add(
        {.name = network.name,
         .description = network.description,
         .parameters = {},
         .create = [network](const Settings&) { return std::make_unique<FromFunction>(network); }});
  return true;
}

Dnn DnnBuilder::finish(std::string sample)
{
  dnn_.sample = std::move(sample);
  return std::move(dnn_);
}

} // namespace trainyard
