// SPDX-License-Identifier: Apache-2.0
// The key `model` of a job: a name, a file, or a map with a name and what it leaves open, or with layers.
#include "models/scenario/read_model.hpp"

#include "models/dnn/builder.hpp"
#include "models/dnn/hugging_face.hpp"
#include "models/scenario/read_parallel.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <utility>

namespace trainyard {
namespace {

/// After a fault: some network, so that the rest of the file can be checked.
void stand_in(JobSpec& job)
{
  job.model = "resnet50";
  job.model_refused = true;
}

/// A registered network.
void take_model_name(Fields& keys, JobSpec& job, const char* key)
{
  job.model = keys.reader().choice(key, "", schema::names(keys.parts(), "model"));
  if (job.model.empty())
    stand_in(job);
}

/// A network in a file, in the folder of the scenario or in the working folder.
std::string model_file(Fields& keys, const Reading& reading, const std::string& key, const std::string& name)
{
  std::error_code error;
  for (const std::filesystem::path& folder :
       {std::filesystem::path{reading.document.file}.parent_path(), std::filesystem::path{}})
    if (std::filesystem::is_regular_file(folder / name, error))
      return (folder / name).string();
  keys.error(key, fmt::format("there is no file '{}' in the folder of the scenario or in the working folder", name));
  return "";
}

/// The network of a file; of a config.json its dimensions too, so that it can be divided.
void take_model_file(Fields& keys, JobSpec& job, Reading& reading, const std::string& key, const std::string& name)
{
  job.model = model_file(keys, reading, key, name);
  if (job.model.empty())
    return stand_in(job);
  if (!job.model.ends_with(".json"))
    return;
  try {
    TransformerFile file = read_hugging_face_file(job.model);
    if (job.sequence_length == 0)
      reading.filled(fmt::format("jobs.{}.model.sequence_length", reading.scenario.jobs.size()),
                     std::to_string(file.transformer.sequence), file.sequence_from);
    for (const std::string& ignored : file.ignored)
      reading.filled(fmt::format("jobs.{}.model", reading.scenario.jobs.size()), ignored, "left out of " + name);
    job.transformer = std::make_shared<const Transformer>(std::move(file.transformer));
  } catch (const InputError& error) {
    for (const Diagnostic& fault : error.diagnostics())
      keys.error(key, fmt::format("{}:{}: {}", fault.where.file, fault.where.line, fault.message));
    stand_in(job);
  }
}

/// A layer of a model that the scenario lists: the cells of its row (dnn_of_layers).
struct ListedLayer {
  std::string name, forward, backward, flop, activations, rows, lookups, distinct_rows;
  std::vector<std::string> parameters;
};

void layer_fields(Fields& keys, ListedLayer& layer)
{
  keys.text("name", layer.name, "name of the layer", {.otherwise = "layer 0, layer 1…"});
  keys.texts("parameters", layer.parameters, "elements of each parameter tensor", "elements", {.otherwise = "none"});
  keys.text("forward", layer.forward, "time of the forward pass for the job's batch, as 3 ms",
            {.otherwise = "by flop"});
  keys.text("backward", layer.backward, "time of the backward pass for the job's batch", {.otherwise = "by flop"});
  keys.text("flop", layer.flop, "operations of the forward pass per sample", {.otherwise = "given by times"});
  keys.text("activations", layer.activations, "elements of the output per sample", {.otherwise = "0"});
  keys.text("rows", layer.rows, "the tensor is a table of so many rows (an embedding), of which a step touches some",
            {.otherwise = "no table: a step touches every element"});
  keys.text("lookups", layer.lookups, "rows that one sample looks up", {.otherwise = "none"});
  keys.text("distinct_rows", layer.distinct_rows, "rows that a worker's batch touches, each counted once, as measured",
            {.otherwise = "as if all rows had an equal chance"});
}

/// A layer has times or flop, and all layers have the same.
void check_costs(Fields& keys, const std::vector<ListedLayer>& layers)
{
  const bool timed = layers.front().flop.empty();
  for (std::size_t i = 0; i < layers.size(); ++i)
    if (const ListedLayer& layer = layers[i];
        layer.flop.empty() != timed || layer.forward.empty() == timed || layer.backward.empty() == timed) {
      keys.error(
          "layers",
          fmt::format(
              "layer {}: {}; give each layer 'forward' and 'backward' (times for the job's batch, as '3 ms'), or "
              "each 'flop' (of the forward pass, per sample)",
              i + 1,
              !layer.flop.empty() && !(layer.forward.empty() && layer.backward.empty())
                  ? "it has flop and times, and only one of them can count"
              : layer.flop.empty() && layer.forward.empty() && layer.backward.empty() ? "it has neither flop nor times"
              : layer.flop.empty() != timed ? "the first layer has other figures"
                                            : "a time is missing"));
      return;
    }
}

/// The table that dnn_of_layers() reads. Layers have times if the first one has.
std::string table_of(const std::vector<ListedLayer>& layers)
{
  const bool timed = layers.front().flop.empty();
  const bool tables = std::ranges::any_of(
      layers, [](const ListedLayer& layer) { return !(layer.rows + layer.lookups + layer.distinct_rows).empty(); });
  std::string csv = fmt::format("name,parameters,{},activations{}\n", timed ? "forward,backward" : "flop",
                                tables ? ",rows,lookups,distinct_rows" : "");
  for (const ListedLayer& layer : layers) {
    std::string name = layer.name;
    std::ranges::replace(name, ',', ' ');
    csv += fmt::format("{},{},{},{}{}\n", name, fmt::join(layer.parameters, " "),
                       timed ? layer.forward + "," + layer.backward : layer.flop, layer.activations,
                       tables ? fmt::format(",{},{},{}", layer.rows, layer.lookups, layer.distinct_rows) : "");
  }
  return csv;
}

/// Keys of `model` where it is a map.
void model_fields(Fields& keys, JobSpec& job, Reading* reading)
{
  job.model.clear(); // a map without a name has none
  std::vector<ListedLayer> layers;
  const DocumentNode* given = keys.node() == nullptr ? nullptr : find_path(*keys.node(), "layers");
  if (given == nullptr || given->kind == DocumentNode::Kind::list) // of a transformer it is their number
    keys.list<ListedLayer>("layers", layers, "a layer", "layers of a network of your own, in forward order",
                           layer_fields, {.otherwise = "those of the named network"});
  if (given != nullptr && given->kind == DocumentNode::Kind::list && given->items.empty()) {
    keys.text("name", job.model, "name of the network");
    keys.error("layers", "the list has no layers; write at least one, as {name: a, parameters: [1000], flop: 1e9}");
    stand_in(job);
    return;
  }
  if (!layers.empty()) {
    job.model = "layers";
    keys.text("name", job.model, "name of the network");
    check_costs(keys, layers);
    job.layers = table_of(layers);
    return;
  }
  std::string file;
  keys.custom(
      "name",
      [&]() -> schema::Json {
        return {{"description", "network to train"},
                {"anyOf",
                 {schema::name_of(schema::names(keys.parts(), "model"), "network to train"),
                  {{"type", "string"}, {"pattern", "[.](json|onnx|csv)$"}, {"description", "file of a network"}}}}};
      },
      [&](const DocumentNode& node) {
        if (node.kind == DocumentNode::Kind::scalar && is_dnn_file(node.text))
          file = node.text;
        else
          take_model_name(keys, job, "name");
      },
      {.required = keys.properties() == nullptr});
  if (job.model.empty())
    stand_in(job);
  keys.integer("sequence_length", job.sequence_length, "tokens per sample of a transformer",
               {.least = 1, .most = 1e6, .otherwise = "the published length"});
  keys.number("elements", job.model_elements, "number of parameters of a synthetic network",
              {.least = 1, .most = 1e13, .otherwise = "those of the network"});
  transformer_fields(keys, job);
  if (!file.empty() && reading != nullptr)
    take_model_file(keys, job, *reading, "name", file);
}

schema::Json model_schema(const Fields& keys)
{
  return {
      {"description", "network to train: a name, a name with options, a config.json of Hugging Face, an ONNX file or a "
                      "CSV file of layers"},
      {"anyOf",
       {schema::name_of(schema::names(keys.parts(), "model"), "network to train"),
        schema_of<JobSpec>(keys.parts(), keys.catalogue(), "network with options",
                           [](Fields& options, JobSpec& job) { model_fields(options, job, nullptr); }),
        {{"type", "string"},
         {"pattern", "[.]json$"},
         {"x-ending", ".json"},
         {"description", "config.json of a transformer, as it lies beside its weights on Hugging Face"}},
        {{"type", "string"}, {"pattern", "[.]onnx$"}, {"x-ending", ".onnx"}, {"description", "ONNX file of a network"}},
        {{"type", "string"},
         {"pattern", "[.]csv$"},
         {"x-ending", ".csv"},
         {"description", "CSV file with a row per layer: name, parameters (elements of each tensor), forward and "
                         "backward (times for the job's batch) or flop (forward, per sample), activations; of "
                         "tables rows, lookups, distinct_rows"}}}}};
}

} // namespace

void read_model(Fields& keys, JobSpec& job, Reading* reading)
{
  const auto read = [&](const DocumentNode& node) {
    if (node.kind == DocumentNode::Kind::map) {
      Fields options{keys.parts(), keys.catalogue(), reading->document, &node, "'model'", reading->diagnostics};
      model_fields(options, job, reading);
      options.finish();
    } else if (node.kind == DocumentNode::Kind::scalar && is_dnn_file(node.text)) {
      take_model_file(keys, job, *reading, "model", node.text);
    } else {
      take_model_name(keys, job, "model");
    }
  };
  if (reading != nullptr && !keys.has("model")) {
    keys.error("model", fmt::format("job '{}' needs 'model'; `simrun list models` shows all", job.name));
    job.model_refused = true;
  }
  keys.custom("model", [&] { return model_schema(keys); }, read, {.required = reading == nullptr});
}

} // namespace trainyard
