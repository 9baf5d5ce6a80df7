// SPDX-License-Identifier: Apache-2.0
#include "models/core/diagnostics.hpp"
#include "models/core/loaded_part.hpp"
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
namespace {

#if TRAINYARD_ONNX

OnnxDnn read_onnx(const std::string& text, const std::string& file)
{
  static const auto reader = part_function<decltype(trainyard_read_onnx)>("import", "trainyard_read_onnx");
  OnnxDnn result;
  reader(text, file, kernel_speeds, result);
  try {
    static_cast<void>(topological_order(result.dnn));
  } catch (const std::invalid_argument& error) {
    throw std::invalid_argument{fmt::format("'{}': {}", file, error.what())};
  }
  return result;
}

#else

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
      return read_onnx(InputFile{std::filesystem::path{path}, {.whole = 2047ULL << 20U}}.text(), path).dnn;
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
    context.report.understood(fmt::format("{}: {} layers, {:.4g} M parameters in {} tensors, {:.4g} Gflop forward and "
                                          "{:.4g} M activations per sample",
                                          dnn.name, dnn.layers.size(), dnn.parameter_elements() / 1e6,
                                          dnn.parameter_tensors(), dnn.forward_flop().value() / 1e9,
                                          activations_of / 1e6),
                              place);
    for (std::size_t i = 0; i < onnx.notes.size(); ++i)
      i == 0 ? context.report.understood(onnx.notes[i], place)
             : context.report.assumed(onnx.notes[i], "the file does not give it", place);
    for (const auto& [type, count] : onnx.without_rule)
      context.report.ignored(fmt::format("flop of operator {} ({}x)", type, count),
                             "there is no flop rule for it; it counts as memory traffic", place);
    context.report.assumed("the backward pass costs twice the forward pass", "an ONNX file has only the forward pass",
                           place);
    DraftJob job{.name = "train", .workers = 1, .note = to_text(place)};
    std::error_code error;
    std::string name = file.name();
    if (!context.options.folder.empty() && std::filesystem::exists(file.path(), error)) {
      const auto relative = std::filesystem::proximate(file.path(), context.options.folder, error);
      name = !error && !relative.native().starts_with("..")
                 ? relative.string()
                 : std::filesystem::absolute(file.path(), error).lexically_normal().string();
    }
    if (!name.ends_with(".onnx"))
      context.report.error(place,
                           "a scenario recognises ONNX models by the ending .onnx; rename the file (and unpack it)");
    job.model = yaml_text(name);
    context.draft.jobs.push_back(std::move(job));
    if (context.draft.question.empty())
      context.draft.question = "how fast does this network train?";
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
