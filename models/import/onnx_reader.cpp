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

using Shape = std::vector<double>;

double product(const Shape& shape, std::size_t from = 0)
{
  double result = 1;
  for (std::size_t i = from; i < shape.size(); ++i)
    result *= std::max(shape[i], 1.0);
  return result;
}

class OnnxReader
{
public:
  OnnxReader(onnx::ModelProto& model, KernelSpeedsOf speeds) : model_{model}, speeds_{speeds} {}

  OnnxDnn read(const std::string& file)
  {
    onnx::GraphProto& graph = *model_.mutable_graph();
    for (const onnx::TensorProto& tensor : graph.initializer()) {
      Shape shape;
      for (const std::int64_t size : tensor.dims())
        shape.push_back(std::clamp(static_cast<double>(size), 0.0, 1e12));
      weights_[tensor.name()] = shape;
    }
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

  /// One sample: the first dimension of every input is 1, other open dimensions too.
  void fix_batch(onnx::GraphProto& graph)
  {
    bool open = false;
    for (onnx::ValueInfoProto& input : *graph.mutable_input()) {
      if (weights_.contains(input.name()) || !input.type().has_tensor_type())
        continue;
      auto* shape = input.mutable_type()->mutable_tensor_type()->mutable_shape();
      for (int i = 0; i < shape->dim_size(); ++i) {
        auto* dimension = shape->mutable_dim(i);
        if (i == 0 && dimension->has_dim_value() && dimension->dim_value() > 1)
          result_.notes.push_back(fmt::format("the batch of {} in the file is divided out", dimension->dim_value()));
        if (i > 0 && !dimension->has_dim_value())
          open = true;
        if (i == 0 || !dimension->has_dim_value())
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
      return found->second;
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
        if (!statistics && product(weight->second) > 0 && !used_.contains(name))
          layer.parameters.push_back({name, product(weight->second)});
        used_.insert(name);
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
    Layer layer{.name = node.name().empty() ? fmt::format("{}_{}", type, result_.dnn.layers.size())
                                            : node.name().substr(0, 120),
                .type = type};
    const Shape out = node.output_size() > 0 ? shape(node.output(0)) : Shape{};
    const double out_elements = out.empty() ? 0 : product(out);
    if (out.empty() && type != "Constant")
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
    const int index = static_cast<int>(result_.dnn.layers.size());
    for (const std::string& name : node.output())
      producers_[name] = index;
    result_.dnn.layers.push_back(std::move(layer));
  }

  onnx::ModelProto& model_;
  KernelSpeedsOf speeds_;
  OnnxDnn result_;
  std::map<std::string, Shape> weights_;
  std::map<std::string, Shape> shapes_;
  std::map<std::string, int> producers_;
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
