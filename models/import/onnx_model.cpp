// SPDX-License-Identifier: Apache-2.0
#include "models/core/child.hpp"
#include "models/core/diagnostics.hpp"
#include "models/core/loaded_part.hpp"
#include "models/core/packed.hpp"
#include "models/dnn/builder.hpp"
#include "models/import/importer.hpp"
#include "models/import/onnx_reader.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <fstream>
#include <map>
#include <set>
#include <stdexcept>

namespace trainyard {

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(RowTable, rows, lookups, distinct, dense)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(ParameterTensor, name, elements, table)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(MatrixProduct, rows, rows_in, columns, columns_in, window, products, weights, causal)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Copies, forward, backward, moved)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Layer, name, type, forward, activation_elements, memory_elements, kernel_speed,
                                   weight_kernel_speed, product, copies, saved_elements, saved_bytes, dropout,
                                   forward_time, backward_time, parameters, inputs)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Dnn, name, description, sample, input_bytes, layers, source)

namespace {

#if TRAINYARD_ONNX

/// The function of the part "import".
auto onnx_reader()
{
  static const auto reader = part_function<decltype(trainyard_read_onnx)>("import", "trainyard_read_onnx");
  return reader;
}

OnnxDnn read_onnx(const std::string& text, const std::string& file)
{
  OnnxDnn result;
  onnx_reader()(text, file, kernel_speeds, result);
  try {
    static_cast<void>(topological_order(result.dnn));
  } catch (const std::invalid_argument& error) {
    throw std::invalid_argument{fmt::format("'{}': {}", file, error.what())};
  }
  return result;
}

#else

void onnx_reader() {}

OnnxDnn read_onnx(const std::string&, const std::string& file)
{
  throw std::invalid_argument{
      fmt::format("'{}': this program was built without libonnx-dev, which ONNX models need", file)};
}

#endif

class OnnxFile final : public DnnFile
{
public:
  Dnn read(const std::string& path) const override
  {
    try {
      static_cast<void>(onnx_reader()); // loaded here, not in each child
      return unpacked<Dnn>(read_in_child({path}, [&] {
        return packed(read_onnx(InputFile{std::filesystem::path{path}, {.whole = 2047ULL << 20U}}.text(), path).dnn);
      }));
    } catch (const InputError& error) {
      throw std::invalid_argument{error.diagnostics().front().message};
    }
  }
};
TY_REGISTER(DnnFile, OnnxFile, ".onnx", "ONNX model: layers with flop, parameters and activations");

/// ONNX models become the network of a job; the scenario names the file.
class OnnxImporter final : public Importer
{
public:
  bool recognises(const InputFile& file) const override
  {
    // ModelProto begins with ir_version (field 1, a small number), and names its producer or graph soon after.
    const std::string_view head = file.head();
    return file.path().extension() == ".onnx" || (head.size() > 16 && head[0] == 0x08 && head[1] > 0 && head[1] < 20 &&
                                                  (head[2] == 0x12 || head[2] == 0x3a || head[2] == 0x1a));
  }
  std::string description() const override { return "ONNX model"; }

  void read(const InputFile& file, ImportContext& context) const override
  {
    const ImportPlace place{file.name(), 0};
    refuse_weights(file);
    OnnxDnn onnx;
    try {
      onnx = read_onnx(file.text(), file.name());
    } catch (const std::invalid_argument& error) {
      context.report.error(place, error.what());
      return;
    }
    const Dnn& dnn = onnx.dnn;
    double activations_of = 0;
    for (const Layer& layer : dnn.layers)
      activations_of += layer.activation_elements;
    context.report.understood(place,
                              "{}: {} layers, {:.4g} M parameters in {} tensors, {:.4g} Gflop forward and "
                              "{:.4g} M activations per sample",
                              dnn.name, dnn.layers.size(), dnn.parameter_elements() / 1e6, dnn.parameter_tensors(),
                              dnn.forward_flop().value() / 1e9, activations_of / 1e6);
    if (onnx.batch > 1)
      context.report.understood(place, "the batch of {} in the file is divided out", onnx.batch);
    for (std::size_t i = 0; i < onnx.notes.size(); ++i)
      i == 0 ? context.report.understood(onnx.notes[i], place)
             : context.report.assumed(onnx.notes[i], "the file does not give it", place);
    for (const auto& [type, count] : onnx.without_rule)
      context.report.ignored({"flop of operator {} ({}x)", type, count},
                             "there is no flop rule for it; it counts as memory traffic", place);
    context.report.assumed("the backward pass costs twice the forward pass", "an ONNX file has only the forward pass",
                           place);
    DraftJob job{.name = "train", .workers = 1, .note = to_text(place)};
    const std::string name = name_for_scenario(file, context.options);
    if (!name.ends_with(".onnx"))
      context.report.error(place,
                           "a scenario recognises ONNX models by the ending .onnx; rename the file (and unpack it)");
    job.model = yaml_text(name);
    context.draft.jobs.push_back(std::move(job));
    context.draft.ask("how fast does this network train?");
  }

private:
  /// The weights make a file large, and only their shapes are needed.
  static void refuse_weights(const InputFile& file)
  {
    std::error_code error;
    const auto size = std::filesystem::file_size(file.path(), error);
    if (!error && size > InputLimits{}.whole)
      throw InputError{fmt::format(
          "'{}': is larger than {} MiB, and only the shapes of its weights are needed; save it with external data and "
          "import the small file: onnx.save(onnx.load('{}'), 'small.onnx', save_as_external_data=True)",
          file.name(), InputLimits{}.whole >> 20U, file.path().filename().string())};
  }
};
TY_REGISTER(Importer, OnnxImporter, "onnx", "ONNX models: layers, flop, parameters and activations");

} // namespace
} // namespace trainyard
