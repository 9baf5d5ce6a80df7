// SPDX-License-Identifier: Apache-2.0
// In the part "import" (models/core/loaded_part.hpp): only this file and chakra_reader.cpp know ONNX and protobuf.
#include "models/import/onnx_reader.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/io/zero_copy_stream_impl_lite.h>
#include <onnx/onnx_pb.h>
#include <onnx/shape_inference/implementation.h>
#include <set>
#include <stdexcept>
#include <utility>

namespace trainyard {
namespace {

/// Bits of the operator table: what its output costs. Sources of the shapes: ONNX, docs/Operators.md.
const std::set<std::string> activations = {"Relu",       "LeakyRelu", "Sigmoid",     "Tanh", "Clip",     "Elu",
                                           "Gelu",       "HardSwish", "HardSigmoid", "Erf",  "Softplus", "PRelu",
                                           "Selu",       "Mish",      "Sqrt",        "Exp",  "Log",      "Neg",
                                           "Reciprocal", "Abs",       "Dropout",     "Cast", "Pow"};
const std::set<std::string> sums = {"Add", "Sub", "Mul", "Div", "Sum", "Max", "Min"};
const std::set<std::string> pools = {"MaxPool", "AveragePool", "GlobalAveragePool", "GlobalMaxPool",
                                     "LpPool",  "ReduceMean",  "ReduceSum",         "ReduceMax"};
const std::set<std::string> norms = {"BatchNormalization", "InstanceNormalization", "LayerNormalization", "LRN",
                                     "LpNormalization",    "GroupNormalization"};
const std::set<std::string> free_of_cost = {
    "Reshape", "Flatten",  "Identity", "Squeeze",    "Unsqueeze", "Shape", "Constant", "ConstantOfShape",
    "Range",   "Gather",   "Slice",    "Transpose",  "Concat",    "Split", "Expand",   "Pad",
    "Resize",  "Upsample", "Softmax",  "LogSoftmax", "Where",     "Equal", "Tile"};

/// Attributes that count something. The inference of shapes divides by some of them without a look.
const std::set<std::string> counts = {"strides",      "dilations",   "kernel_shape", "group",     "num_groups",
                                      "num_heads",    "q_num_heads", "kv_num_heads", "blocksize", "num_outputs",
                                      "pooled_shape", "hidden_size", "size",         "block_size"};

/// Throws std::invalid_argument naming the operator whose attribute counts nothing, also inside bodies of
/// loops and in functions.
void check_counts(const google::protobuf::RepeatedPtrField<onnx::NodeProto>& nodes, const std::string& file)
{
  for (const onnx::NodeProto& node : nodes)
    for (const onnx::AttributeProto& attribute : node.attribute()) {
      if (attribute.has_g())
        check_counts(attribute.g().node(), file);
      for (const onnx::GraphProto& body : attribute.graphs())
        check_counts(body.node(), file);
      if (!counts.contains(attribute.name()))
        continue;
      std::vector<std::int64_t> values{attribute.ints().begin(), attribute.ints().end()};
      if (attribute.has_i())
        values.push_back(attribute.i());
      for (const std::int64_t value : values)
        if (value < 1 || value > 0x7fffffff)
          throw std::invalid_argument{fmt::format("'{}': operator '{}' ({}): {} {}; it must be 1 or more", file,
                                                  node.name().substr(0, 120), node.op_type().substr(0, 60),
                                                  attribute.name(), value)};
    }
}

using Shape = std::vector<double>;

double product(const Shape& shape, std::size_t from = 0)
{
  double result = 1;
  for (std::size_t i = from; i < shape.size(); ++i)
    result *= std::max(shape[i], 1.0);
  return result;
}

/// Operators with a window over their input, and which of their inputs its weights are.
const std::map<std::string, int> windows = {
    {"Conv", 1}, {"ConvInteger", 1}, {"ConvTranspose", 1}, {"DeformConv", 1}, {"QLinearConv", 3}};

/// A tensor of the file. Only numbers that gradients can change are parameters: no indices, sizes or masks.
struct Weight {
  Shape shape;
  bool trained = true;
  std::string tensor = {}; // that it is another form of; empty: itself
};

using Weights = std::map<std::string, Weight>;

Weight weight_of(const onnx::TensorProto& tensor)
{
  Weight weight;
  for (const std::int64_t size : tensor.dims())
    weight.shape.push_back(std::clamp(static_cast<double>(size), 0.0, 1e12));
  const auto type = tensor.data_type();
  weight.trained = type == onnx::TensorProto::UNDEFINED || type == onnx::TensorProto::FLOAT ||
                   type == onnx::TensorProto::FLOAT16 || type == onnx::TensorProto::BFLOAT16 ||
                   type == onnx::TensorProto::DOUBLE || weight.shape.size() > 1; // those of 8 bit are rounded weights
  if (type == onnx::TensorProto::INT64 || type == onnx::TensorProto::INT32 || type == onnx::TensorProto::BOOL)
    weight.trained = false;
  return weight;
}

/// Operators that give their first input another form or number format.
const std::set<std::string> forms = {"Identity", "Cast",      "Transpose", "Reshape",
                                     "Squeeze",  "Unsqueeze", "Flatten",   "DequantizeLinear"};

/// Initializers, the tensors of Constant nodes, and other forms of both.
void add_weights(const onnx::GraphProto& graph, Weights& weights)
{
  for (const onnx::TensorProto& tensor : graph.initializer())
    weights[tensor.name()] = weight_of(tensor);
  for (const onnx::NodeProto& node : graph.node()) {
    if (node.output_size() == 0)
      continue;
    if (node.op_type() == "Constant") {
      Weight& weight = weights[node.output(0)] = {{}, false};
      for (const onnx::AttributeProto& attribute : node.attribute())
        if (attribute.has_t())
          weight = weight_of(attribute.t());
        else if (attribute.name() == "value_floats")
          weight = {{static_cast<double>(attribute.floats_size())}, true};
        else if (attribute.name() == "value_ints")
          weight = {{static_cast<double>(attribute.ints_size())}, false};
      weight.trained = weight.trained && product(weight.shape) > 1; // else the number of a formula
    } else if (forms.contains(node.op_type()) && node.input_size() > 0 && weights.contains(node.input(0))) {
      Weight form = weights[node.input(0)];
      if (form.tensor.empty())
        form.tensor = node.input(0);
      weights[node.output(0)] = std::move(form);
    }
  }
}

/// Writes down the window of each convolution, also in bodies of loops and in functions. Without it the inference of
/// shapes takes the sizes of @p weights and reads past their end where they have other dimensions than the input.
void give_windows(google::protobuf::RepeatedPtrField<onnx::NodeProto>& nodes, const Weights& weights,
                  const std::string& file)
{
  for (onnx::NodeProto& node : nodes) {
    for (onnx::AttributeProto& attribute : *node.mutable_attribute()) {
      std::vector<onnx::GraphProto*> bodies{attribute.mutable_graphs()->pointer_begin(),
                                            attribute.mutable_graphs()->pointer_end()};
      if (attribute.has_g())
        bodies.push_back(attribute.mutable_g());
      for (onnx::GraphProto* body : bodies) {
        Weights inside = weights;
        add_weights(*body, inside);
        give_windows(*body->mutable_node(), inside, file);
      }
    }
    const auto window = windows.find(node.op_type());
    if (window == windows.end() || node.input_size() <= window->second)
      continue;
    const auto fault = [&](const std::string& what) {
      return std::invalid_argument{
          fmt::format("'{}': operator '{}' ({}): {}", file, node.name().substr(0, 120), node.op_type(), what)};
    };
    const auto found = weights.find(node.input(window->second));
    if (found != weights.end() && found->second.shape.size() < 3)
      throw fault(fmt::format("weights of {} dimensions; a window needs 3 or more", found->second.shape.size()));
    if (std::ranges::any_of(node.attribute(), [](const auto& given) { return given.name() == "kernel_shape"; }))
      continue;
    if (found == weights.end())
      throw fault("neither a kernel_shape nor weights in the file say how large its window is; export the model with "
                  "kernel_shape, or with its functions inlined (onnx.inliner)");
    onnx::AttributeProto& sides = *node.add_attribute();
    sides.set_name("kernel_shape");
    sides.set_type(onnx::AttributeProto::INTS);
    for (std::size_t i = 2; i < found->second.shape.size(); ++i)
      sides.add_ints(static_cast<std::int64_t>(found->second.shape[i]));
  }
}

class OnnxReader
{
public:
  OnnxReader(onnx::ModelProto& model, KernelSpeedsOf speeds) : model_{model}, speeds_{speeds} {}

  OnnxDnn read(const std::string& file)
  {
    onnx::GraphProto& graph = *model_.mutable_graph();
    check_counts(graph.node(), file);
    for (const onnx::FunctionProto& function : model_.functions())
      check_counts(function.node(), file);
    add_weights(graph, weights_);
    give_windows(*graph.mutable_node(), weights_, file);
    for (onnx::FunctionProto& function : *model_.mutable_functions())
      give_windows(*function.mutable_node(), {}, file);
    fix_batch(graph);
    try {
      onnx::shape_inference::InferShapes(model_);
    } catch (const std::exception& error) {
      result_.notes.push_back(
          fmt::format("shapes could not be inferred throughout: {}", std::string{error.what()}.substr(0, 160)));
    }
    for (const auto* list : {&graph.input(), &graph.value_info(), &graph.output()})
      for (const onnx::ValueInfoProto& value : *list)
        if (value.type().has_tensor_type())
          shapes_[value.name()] = shape_of(value.type().tensor_type().shape());
    for (auto& [name, weight] : weights_)
      if (const auto inferred = shapes_.find(name); !weight.tensor.empty() && inferred != shapes_.end())
        weight.shape = inferred->second;
    Dnn& dnn = result_.dnn;
    dnn.name = graph.name().empty() ? "onnx" : graph.name().substr(0, 80);
    dnn.description = fmt::format("ONNX model by {}",
                                  model_.producer_name().empty() ? "unknown" : model_.producer_name().substr(0, 60));
    dnn.source = file;
    dnn.sample = "sample";
    for (const onnx::ValueInfoProto& input : graph.input())
      if (!weights_.contains(input.name())) {
        const Shape shape = shapes_[input.name()];
        dnn.input_bytes += 4 * product(shape, 1);
        std::vector<std::string> sizes;
        for (std::size_t i = 1; i < shape.size(); ++i)
          sizes.push_back(fmt::format("{:g}", shape[i]));
        if (!sizes.empty())
          dnn.sample = fmt::format("input {}", fmt::join(sizes, "x"));
      }
    int unknown_shapes = 0;
    for (const onnx::NodeProto& node : graph.node())
      add(node, unknown_shapes);
    if (unknown_shapes > 0)
      result_.notes.push_back(fmt::format("{} operators without a known output shape are not counted", unknown_shapes));
    return std::move(result_);
  }

private:
  static Shape shape_of(const onnx::TensorShapeProto& proto)
  {
    Shape shape;
    for (const auto& dimension : proto.dim())
      shape.push_back(dimension.has_dim_value() ? std::clamp(static_cast<double>(dimension.dim_value()), 0.0, 1e12)
                                                : 1.0);
    return shape;
  }

  /// Whether an output has it too, whole or times something (tokens of all samples), or is one number (a loss).
  static bool is_batch(const onnx::GraphProto& graph, std::int64_t size)
  {
    return std::ranges::any_of(graph.output(), [&](const onnx::ValueInfoProto& output) {
      const onnx::TensorShapeProto& shape = output.type().tensor_type().shape();
      return shape.dim_size() == 0 || !shape.dim(0).has_dim_value() || shape.dim(0).dim_value() % size == 0;
    });
  }

  /// Open dimensions are 1, so also an open batch. A batch of the file stays while shapes are inferred, as its other
  /// shapes have it too; what an operator costs is divided by it.
  void fix_batch(onnx::GraphProto& graph)
  {
    bool open = false, first = true;
    for (onnx::ValueInfoProto& input : *graph.mutable_input()) {
      if (weights_.contains(input.name()) || !input.type().has_tensor_type())
        continue;
      auto* shape = input.mutable_type()->mutable_tensor_type()->mutable_shape();
      for (int i = 0; i < shape->dim_size(); ++i) {
        auto* dimension = shape->mutable_dim(i);
        if (i == 0 && first && dimension->has_dim_value() && dimension->dim_value() > 1 &&
            is_batch(graph, dimension->dim_value())) {
          result_.batch = static_cast<int>(std::min<std::int64_t>(dimension->dim_value(), 1'000'000'000));
          batch_ = result_.batch;
        }
        first = false;
        if (i > 0 && !dimension->has_dim_value())
          open = true;
        if (!dimension->has_dim_value())
          dimension->set_dim_value(1);
      }
    }
    if (open)
      result_.notes.emplace_back("unknown dimensions other than the batch are set to 1: export the model with the "
                                 "sequence length or image size that you train");
  }

  Shape shape(const std::string& name) const
  {
    if (const auto found = weights_.find(name); found != weights_.end())
      return found->second.shape;
    const auto found = shapes_.find(name);
    return found == shapes_.end() ? Shape{} : found->second;
  }

  /// The matrix product behind a convolution and the speed of its usual kernels.
  void describe_kernels(const onnx::NodeProto& node, const Shape& weights, const Shape& in, const Shape& out,
                        Layer& layer) const
  {
    if (weights.size() != 4 || in.size() != 4 || out.size() != 4)
      return;
    int groups = 1;
    int stride = 1;
    for (const onnx::AttributeProto& attribute : node.attribute()) {
      if (attribute.name() == "group" && attribute.i() > 0)
        groups = static_cast<int>(attribute.i());
      if (attribute.name() == "strides" && attribute.ints_size() > 0)
        stride = static_cast<int>(attribute.ints(0));
    }
    layer.product = {.rows = product(out, 2),
                     .rows_in = product(in, 2),
                     .columns = static_cast<double>(weights[0]) / groups,
                     .columns_in = static_cast<double>(weights[1]),
                     .window = product(weights, 2),
                     .products = static_cast<double>(groups)};
    if (groups > 1)
      return;
    const KernelSpeeds speeds =
        speeds_(static_cast<int>(weights[2]), static_cast<int>(weights[3]), stride, static_cast<int>(weights[1]));
    layer.kernel_speed = speeds.forward;
    layer.weight_kernel_speed = speeds.weights;
  }

  /// Parameters and producers among the inputs of an operator; returns the elements of the other inputs.
  double connect(const onnx::NodeProto& node, Layer& layer)
  {
    const std::string& type = node.op_type();
    double in_elements = 0;
    for (const std::string& name : node.input()) {
      if (const auto weight = weights_.find(name); weight != weights_.end()) {
        // Running mean and variance of batch norm are not parameters: nothing trains them by gradients.
        const bool statistics =
            type == "BatchNormalization" && node.input_size() == 5 && (name == node.input(3) || name == node.input(4));
        const std::string& tensor = weight->second.tensor.empty() ? name : weight->second.tensor;
        if (!statistics && weight->second.trained && product(weight->second.shape) > 0 && !used_.contains(tensor))
          layer.parameters.push_back({tensor, product(weight->second.shape)});
        used_.insert(tensor);
      } else {
        in_elements += product(shape(name));
        if (const auto producer = producers_.find(name);
            producer != producers_.end() && std::ranges::find(layer.inputs, producer->second) == layer.inputs.end())
          layer.inputs.push_back(producer->second);
      }
    }
    return in_elements;
  }

  /// Of an input, empty where it is left out.
  Shape input_shape(const onnx::NodeProto& node, int index)
  {
    return node.input_size() > index ? shape(node.input(index)) : Shape{};
  }

  void convolve(const onnx::NodeProto& node, double in_elements, const Shape& out, Layer& layer)
  {
    const std::string& type = node.op_type();
    const double out_elements = layer.activation_elements;
    layer.type = "convolution";
    const Shape weights = input_shape(node, 1); // out, in / groups, kernel
    const double per_output = weights.size() > 1 ? product(weights, 1) : 0;
    layer.forward = Flops{2 * per_output * (type == "Conv" ? out_elements : in_elements)};
    layer.memory_elements = in_elements + out_elements;
    if (type == "Conv")
      describe_kernels(node, weights, input_shape(node, 0), out, layer);
  }

  void multiply(const onnx::NodeProto& node, double in_elements, const Shape& out, Layer& layer)
  {
    const std::string& type = node.op_type();
    const double out_elements = layer.activation_elements;
    layer.type = "linear";
    const Shape a = input_shape(node, 0), b = input_shape(node, 1);
    double inner = a.empty() ? 0 : a.back();
    if (type == "Gemm")
      for (const onnx::AttributeProto& attribute : node.attribute())
        if (attribute.name() == "transA" && attribute.i() != 0 && a.size() > 1)
          inner = a[a.size() - 2];
    if (inner == 0 && b.size() > 1)
      inner = b[b.size() - 2];
    layer.forward = Flops{2 * inner * out_elements};
    layer.memory_elements = in_elements + out_elements;
    if (!out.empty() && !layer.parameters.empty() && inner > 0)
      layer.product = {.rows = out_elements / out.back(),
                       .rows_in = out_elements / out.back(),
                       .columns = static_cast<double>(out.back()),
                       .columns_in = inner};
  }

  void add(const onnx::NodeProto& node, int& unknown_shapes)
  {
    const std::string& type = node.op_type();
    if (node.output_size() > 0 && weights_.contains(node.output(0))) // a weight, not computed for each sample
      return;
    if (type == "ConstantOfShape" && node.input_size() > 0 && weights_.contains(node.input(0)))
      return fill(node);
    Layer layer{.name = node.name().empty() ? fmt::format("{}_{}", type, result_.dnn.layers.size())
                                            : node.name().substr(0, 120),
                .type = type};
    const Shape out = node.output_size() > 0 ? shape(node.output(0)) : Shape{};
    const double out_elements = out.empty() ? 0 : product(out);
    if (out.empty())
      ++unknown_shapes;
    const double in_elements = connect(node, layer);
    layer.activation_elements = out_elements;
    if (type == "Conv" || type == "ConvTranspose") {
      convolve(node, in_elements, out, layer);
    } else if (type == "Gemm" || type == "MatMul") {
      multiply(node, in_elements, out, layer);
    } else if (norms.contains(type)) {
      layer.type = "batch_norm";
      layer.memory_elements = 3 * in_elements;
    } else if (activations.contains(type)) {
      layer.type = "activation";
      layer.memory_elements = 2 * in_elements;
    } else if (sums.contains(type)) {
      layer.type = "add";
      layer.memory_elements = in_elements + out_elements;
    } else if (pools.contains(type)) {
      layer.type = "pool";
      layer.memory_elements = in_elements + out_elements;
      for (const onnx::AttributeProto& attribute : node.attribute())
        if (attribute.name() == "kernel_shape")
          for (const std::int64_t side : attribute.ints())
            layer.product.window *= static_cast<double>(side);
    } else if (free_of_cost.contains(type)) {
      const bool moves = type == "Concat" || type == "Transpose" || type == "Gather" || type.ends_with("Softmax") ||
                         type == "Pad" || type == "Resize" || type == "Upsample" || type == "Slice" || type == "Split";
      layer.memory_elements = moves ? (type.ends_with("Softmax") ? 4 : 2) * out_elements : 0;
      if (type == "Gather" && !layer.parameters.empty())
        layer.type = "embedding";
    } else {
      ++result_.without_rule[type];
      layer.memory_elements = in_elements + out_elements;
    }
    layer.forward = layer.forward / batch_;
    for (double* of_batch : {&layer.activation_elements, &layer.memory_elements})
      *of_batch /= batch_;
    if (layer.type == "linear") // of a convolution they are those of one sample
      for (double* of_batch : {&layer.product.rows, &layer.product.rows_in})
        *of_batch /= batch_;
    const int index = static_cast<int>(result_.dnn.layers.size());
    for (const std::string& name : node.output())
      producers_[name] = index;
    result_.dnn.layers.push_back(std::move(layer));
  }

  /// A tensor of one value: a weight where a product or a table reads it (files whose weights were taken out).
  void fill(const onnx::NodeProto& node)
  {
    static const std::set<std::string> read_weights = {"Conv", "ConvTranspose", "Gemm", "MatMul", "Gather"};
    Weight weight{shape(node.output(0)), false};
    for (const onnx::NodeProto& reader : model_.graph().node())
      weight.trained = weight.trained || (read_weights.contains(reader.op_type()) &&
                                          std::ranges::find(reader.input(), node.output(0)) != reader.input().end());
    weights_[node.output(0)] = std::move(weight);
  }

  onnx::ModelProto& model_;
  KernelSpeedsOf speeds_;
  OnnxDnn result_;
  Weights weights_;
  std::map<std::string, Shape> shapes_;
  std::map<std::string, int> producers_;
  double batch_ = 1;
  std::set<std::string> used_; // weights that two operators share count once
};

OnnxDnn read_onnx(const std::string& text, const std::string& file, KernelSpeedsOf speeds)
{
  onnx::ModelProto model;
  google::protobuf::io::ArrayInputStream array{text.data(),
                                               static_cast<int>(std::min<std::size_t>(text.size(), 0x7fffffff))};
  google::protobuf::io::CodedInputStream in{&array};
  in.SetTotalBytesLimit(0x7fffffff);
  if (!model.ParseFromCodedStream(&in) || !model.has_graph() || model.graph().node_size() == 0)
    throw std::invalid_argument{fmt::format("'{}' is not an ONNX model, or it is damaged", file)};
  OnnxDnn result = OnnxReader{model, speeds}.read(file);
  result.notes.insert(result.notes.begin(),
                      fmt::format("opset {}", model.opset_import_size() > 0 ? model.opset_import(0).version() : 0));
  return result;
}

} // namespace
} // namespace trainyard

void trainyard_read_onnx(const std::string& text, const std::string& file, trainyard::KernelSpeedsOf speeds,
                         trainyard::OnnxDnn& result)
{
  result = trainyard::read_onnx(text, file, speeds);
}
