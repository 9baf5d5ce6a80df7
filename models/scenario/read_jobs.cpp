// SPDX-License-Identifier: Apache-2.0
#include "models/core/closest.hpp"
#include "models/core/text.hpp"
#include "models/cost/optimizer_kind.hpp"
#include "models/dnn/builder.hpp"
#include "models/dnn/hugging_face.hpp"
#include "models/parallel/layout.hpp"
#include "models/scenario/other_names.hpp"
#include "models/scenario/reading.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>
#include <tuple>
#include <utility>

namespace trainyard {
namespace {

// The key `model` of a job: a name, a file, or a map with a name and what it leaves open, or with layers.

/// After a fault: some network, so that the rest of the file can be checked.
void stand_in(JobSpec& job)
{
  job.model = "resnet50";
  job.model_refused = true;
}

/// A registered network, by its name or by what people write for it.
void take_model_name(Fields& keys, JobSpec& job, const char* key, Reading* reading)
{
  const DocumentNode* written = keys.reader().node(key);
  if (written != nullptr && written->kind == DocumentNode::Kind::scalar && reading != nullptr) {
    const Location place = reading->document.at(*written);
    if (const MeantEntry meant = model_meant(written->text); !meant.name.empty()) {
      if (const std::string told = meant_text(written->text, meant); !told.empty())
        reading->diagnostics.note(place, told, reading->document.line_text(place.line));
      job.model = meant.name;
      return;
    }
    if (!suggests_more(reading->diagnostics)) {
      keys.error(key, fmt::format("unknown model '{}'", written->text.substr(0, 60)));
      return stand_in(job);
    }
    const bool number = written->text.find_first_not_of("0123456789.") == std::string::npos; // a version
    if (!number && did_you_mean(written->text, schema::names(keys.parts(), "model")).empty()) {
      keys.error(key, fmt::format("unknown model '{}'; simrun list models shows all", written->text.substr(0, 60)));
      reading->diagnostics.note(place, model_description_lines(written->text));
      stand_in(job);
      return;
    }
  }
  job.model = keys.reader().choice(key, "", schema::names(keys.parts(), "model"));
  if (job.model.empty())
    stand_in(job);
}

/// The network of a file; of a config.json its dimensions too, so that it can be divided.
void take_model_file(Fields& keys, JobSpec& job, Reading& reading, const std::string& key, const std::string& name)
{
  job.model = found_file(keys, key, name);
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
      keys.error("layers", fmt::format("layer {}: {}; give each layer 'forward' and 'backward' (times for the job's "
                                       "batch, as '3 ms'), or each 'flop' (of the forward pass, per sample)",
                                       i + 1,
                                       !layer.flop.empty() && !(layer.forward.empty() && layer.backward.empty())
                                           ? "it has flop and times, and only one of them can count"
                                       : layer.flop.empty() && layer.forward.empty() && layer.backward.empty()
                                           ? "it has neither flop nor times"
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
          take_model_name(keys, job, "name", reading);
      },
      {.required = keys.properties() == nullptr});
  if (job.model.empty() && file.empty())
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
         {"description",
          "CSV file with a row per layer: name, parameters (elements of each tensor), forward and backward (times for "
          "the job's batch) or flop (forward, per sample), activations; of tables rows, lookups, distinct_rows"}}}}};
}

/// Reads `model` of a job into @p job; faults are errors of @p keys. @p reading: null while the schema is made.
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
      take_model_name(keys, job, "model", reading);
    }
  };
  if (reading != nullptr && !keys.has("model")) {
    keys.error("model", fmt::format("job '{}' needs 'model'; `simrun list models` shows all", job.name));
    job.model_refused = true;
  }
  keys.custom("model", [&] { return model_schema(keys); }, read, {.required = reading == nullptr});
}

/// Once, if a job depends on it and the scenario does not name it.
void name_framework(Reading& reading)
{
  if (!reading.framework.said && reading.scenario.defaults.find("framework") == nullptr)
    reading.filled("framework", reading.framework.framework.description, reading.framework.why);
}

/// Whether framework and GPU decide how the job computes: they do not for operations of a library and on CPUs.
bool frameworks_count(const Fields& keys, const JobSpec& job)
{
  const auto said = [&](const char* key, const std::string& fallback) {
    const DocumentNode* found = keys.node() == nullptr ? nullptr : find_path(*keys.node(), key);
    return found != nullptr && found->kind == DocumentNode::Kind::scalar ? found->text : fallback;
  };
  const std::string mode = said("training.mode", "all_reduce");
  return mode != "one_collective" && mode != "generic" && job.model != "generic" && job.model != "one_tensor" &&
         said("training.device", "gpu") == "gpu";
}

/// Whether the job divides one transformer among GPUs.
bool is_divided(const Fields& keys)
{
  return keys.node() != nullptr && find_path(*keys.node(), "training.parallel") != nullptr;
}

/// How images lie in memory, where matrix units convolve them.
void name_layout(const Fields& keys, const JobSpec& job, Reading& reading, const std::string& source)
{
  const bool images = !is_divided(keys) && job.transformer == nullptr && find_transformer(job.model) == nullptr;
  if (images && job.precision != "fp32" && reading.scenario.defaults.find("framework.channels_last") == nullptr &&
      find_path(reading.document.root, "framework.channels_last") == nullptr)
    reading.filled("framework.channels_last", job.kernels.channels_last ? "true" : "false", source);
}

/// Keys whose defaults depend on the framework.
void framework_fields(Fields& keys, JobSpec& job, const std::string& path, Reading* reading)
{
  const bool trains = reading != nullptr && frameworks_count(keys, job);
  if (reading != nullptr) {
    const AssumedFramework& framework = reading->framework;
    job.precision = !trains            ? "fp32"
                    : is_divided(keys) ? "bf16"
                                       : default_precision(framework, reading->catalogue, reading->gpus);
    job.host_per_operator = framework.cuda_graphs ? Seconds{} : framework.framework.host_per_operator;
    job.kernels = framework.framework.kernels;
    job.memory_policy = framework.framework.product == "tensorflow" ? "all" : "allow_growth";
  }
  const Seconds host = job.host_per_operator;
  keys.choice("precision", job.precision, {"fp32", "tf32", "amp", "fp16", "bf16", "fp8", "mxfp8", "nvfp4"},
              "number format of the computation; fp8, mxfp8 and nvfp4 only with training.parallel",
              {.otherwise = "by framework and GPU, see docs/assumed.md"});
  keys.quantity("host_per_operator", job.host_per_operator, "time that the host needs to start one operator",
                {.example = "10 us", .otherwise = "by framework and GPU, see docs/assumed.md"});
  if (reading == nullptr)
    return;
  const std::string source = fmt::format("{} ({})", reading->framework.framework.name, reading->framework.why);
  if (!keys.has("precision"))
    reading->filled(path + ".precision", job.precision, trains ? source : std::string{});
  if (!trains || reading->gpus.empty())
    return;
  if (!keys.has("host_per_operator") && !keys.has("single_gpu_step")) {
    reading->filled(path + ".host_per_operator", to_text(host), source);
    name_framework(*reading);
    name_layout(keys, job, *reading, source);
  } else if (!keys.has("precision")) {
    name_framework(*reading);
  }
}

void straggler_fields(Fields& keys, StragglerSpec& straggler, const JobSpec& job)
{
  keys.integer("worker", straggler.worker, "number of the worker, from 0", {.least = 0, .required = true});
  keys.number("slow_down", straggler.slow_down, "factor by which compute takes longer", {.least = 0.01, .most = 1e6});
  if (keys.reading() && straggler.worker >= job.workers)
    keys.error("worker", fmt::format("the job has workers 0 to {}", job.workers - 1));
}

void jitter_fields(Fields& keys, JitterSpec& jitter)
{
  keys.choice("distribution", jitter.distribution, {"none", "normal", "log_normal", "gamma", "exponential_tail"},
              "distribution, with mean 1");
  keys.number("coefficient_of_variation", jitter.coefficient_of_variation, "standard deviation divided by the mean",
              {.most = 10});
}

void input_fields(Fields& keys, InputSpec& input)
{
  keys.choice("source", input.source, {"synthetic", "disk", "storage"}, "source of the samples");
  keys.quantity("bytes_per_sample", input.bytes_per_sample, "bytes to read per sample", {.example = "110 kB"});
  keys.quantity("bandwidth", input.bandwidth, "bandwidth of each node's disk, or of the shared storage",
                {.example = "1 GB/s", .otherwise = "no limit"});
  keys.quantity("preprocess_per_sample", input.preprocess_per_sample, "time of one CPU core per sample",
                {.example = "5 ms"});
  keys.integer("cpu_cores", input.cpu_cores, "cores that preprocess samples",
               {.least = 0, .most = 1e5, .otherwise = "all cores of the node"});
  keys.integer("prefetch_steps", input.prefetch_steps, "number of steps that are read ahead",
               {.least = 0, .most = 1000});
}

ModeParameters parameters_of(const Parts& parts, const Part& mode, const DocumentNode* node)
{
  ModeParameters all{mode.parameters, {}};
  for (const Part& part : parts.at("training"))
    all.other.insert(all.other.end(), part.parameters.begin(), part.parameters.end());
  for (std::size_t i = 0; i < all.own.size(); ++i) {
    const auto kind = parts.find(all.own[i].name);
    if (all.own[i].kind != "name" || kind == parts.end())
      continue;
    const DocumentNode* said = node == nullptr ? nullptr : node->find(kind->first);
    const std::string chosen = said != nullptr ? said->text : all.own[i].default_value;
    for (const Part& part : kind->second) {
      all.other.insert(all.other.end(), part.parameters.begin(), part.parameters.end());
      if (part.name == chosen)
        all.own.insert(all.own.end(), part.parameters.begin(), part.parameters.end());
    }
  }
  std::erase_if(all.other, [](const Parameter& parameter) { return parameter.name == "device"; }); // every mode has it
  return all;
}

/// The same, made once for jobs that name the same.
const ModeParameters& parameters_of(Reading& reading, const Part& mode, const DocumentNode* node)
{
  std::string names = mode.name;
  if (node != nullptr)
    for (const DocumentNode::Entry& entry : node->entries)
      if (reading.parts.contains(entry.key))
        names += fmt::format("\n{}={}", entry.key, entry.value.text);
  const auto [known, fresh] = reading.mode_parameters.try_emplace(names);
  if (fresh)
    known->second = parameters_of(reading.parts, mode, node);
  return known->second;
}

/// What the framework that the scenario names does by itself in the job's mode.
const std::map<std::string, std::string>& own_ways(const Reading& reading, const JobSpec& job)
{
  static const std::map<std::string, std::string> none;
  const auto& ways = reading.framework.framework.training;
  const auto found = reading.framework.said ? ways.find(job.training.mode) : ways.end();
  return found != ways.end() ? found->second : none;
}

/// What the map says of the mode's parameters. Maps of the same text are read once: of jobs there may be thousands.
Reading::Training read_training(Reading& reading, Fields& keys, const JobSpec& job, const ModeParameters& parameters)
{
  Reading::SaidOfTraining said{job.training.mode, {}};
  bool plain = true; // its keys are the mode's, with scalars
  if (keys.node() != nullptr)
    for (const auto& [key, line, column, value] : keys.node()->entries) {
      said.second.emplace_back(key, value.text, value.quoted);
      plain = plain && value.kind == DocumentNode::Kind::scalar &&
              (key == "mode" || std::ranges::find(parameters.own, key, &Parameter::name) != parameters.own.end());
    }
  if (const auto known = reading.trainings.find(said);
      plain && keys.node() != nullptr && known != reading.trainings.end()) {
    for (const DocumentNode::Entry& entry : keys.node()->entries)
      keys.has(entry.key);
    return known->second;
  }
  const std::size_t told = reading.diagnostics.size();
  auto [settings, filled] = reading.settings(keys.reader(), keys.node(), parameters.own, parameters.other,
                                             "mode " + job.training.mode, own_ways(reading, job));
  Reading::Training training{std::move(settings), std::make_shared<const FilledDefaults::Notes>(std::move(filled))};
  if (plain && keys.node() != nullptr && reading.diagnostics.size() == told)
    reading.trainings.emplace(std::move(said), training);
  return training;
}

/// What frameworks call their ways to train, and what it is here.
constexpr std::array<std::pair<std::string_view, std::string_view>, 8> modes_elsewhere{{
    {"ddp", "mode: all_reduce, which is what DistributedDataParallel does"},
    {"dp", "mode: multi_tower (one process) or mode: all_reduce (one per GPU)"},
    {"horovod", "mode: all_reduce, with fusion: horovod"},
    {"fsdp", "training: {parallel: {zero: 3}}: parameters, gradients and optimiser states are sharded among GPUs"},
    {"fsdp2", "training: {parallel: {zero: 3}}: parameters, gradients and optimiser states are sharded among GPUs"},
    {"zero", "training: {parallel: {zero: 1}}, or 2 or 3"},
    {"deepspeed", "training: {parallel: {zero: 1}}, or 2 or 3"},
    {"mirrored", "mode: in_graph, or mode: all_reduce with a process per GPU"},
}};

void training_fields(Fields& keys, JobSpec& job, const std::string& path, Reading* reading)
{
  const DocumentNode* said = keys.node() == nullptr ? nullptr : keys.node()->find("mode");
  const auto known_elsewhere = std::ranges::find(modes_elsewhere, said == nullptr ? "" : lower_case(said->text),
                                                 &std::pair<std::string_view, std::string_view>::first);
  if (known_elsewhere != modes_elsewhere.end() && keys.has("mode"))
    keys.error("mode", fmt::format("unknown mode '{}'; write {}", said->text, known_elsewhere->second));
  else
    keys.choice("mode", job.training.mode, schema::names(keys.parts(), "training"), "how the job trains");
  keys.instead_of("architecture", "'mode'");
  for (const char* rule : {"sync", "async"})
    keys.instead_of(rule, fmt::format("'update_rule: {}'", rule));
  std::string device = "gpu", placement = "auto";
  const Part* mode = find_part(keys.parts(), "training", job.training.mode);
  if (reading != nullptr && mode != nullptr) {
    const ModeParameters& parameters = parameters_of(*reading, *mode, keys.node());
    if (keys.node() != nullptr && keys.node()->find("shared_host_slow_down") != nullptr &&
        keys.has("shared_host_slow_down"))
      keys.error("shared_host_slow_down",
                 "'shared_host_slow_down' meant two things: for parameter servers write 'shared_host_factor' (1.07: "
                 "computing takes 1.07 times as long), for all_reduce 'slow_down_per_neighbour' (0.07: 7 % more for "
                 "each further GPU of the node)");
    auto [settings, filled] = read_training(*reading, keys, job, parameters);
    job.training.settings = std::move(settings);
    reading->filled_together(path + ".training", std::move(filled));
    const auto transport = std::ranges::find(mode->parameters, "transport", &Parameter::name);
    job.training.transport =
        job.training.settings.text("transport", transport == mode->parameters.end() ? "" : transport->default_value);
  }
  if (keys.choice("device", device, {"gpu", "cpu"}, "what the workers compute on"))
    job.training.settings.set("device", device);
  if (keys.choice("server_placement", placement, {"auto", "dedicated", "colocated"}, "where parameter servers run"))
    job.training.settings.set("server_placement", placement);
  std::vector<std::string> machines;
  if (reading != nullptr && keys.has("server_nodes") && mode != nullptr &&
      std::ranges::find(mode->parameters, "servers", &Parameter::name) == mode->parameters.end())
    keys.error("server_nodes",
               fmt::format("mode '{}' has no parameter servers; leave 'server_nodes' out", job.training.mode));
  if (keys.texts("server_nodes", machines,
                 "machines of the parameter servers, in their order; begun again where there are more servers", "node",
                 {.otherwise = "server_placement decides"}) &&
      !machines.empty()) {
    job.training.settings.set("server_nodes", fmt::format("{}", fmt::join(machines, ",")));
    if (!job.training.settings.has("servers"))
      job.training.settings.set("servers", static_cast<double>(machines.size()));
  }
  if (keys.properties() != nullptr)
    schema::add_settings(*keys.properties(), keys.parts(),
                         {"training", "update_rule", "variable_placement", "collective", "fusion"}, keys.catalogue());
}

void name_field(Fields& keys, JobSpec& job)
{
  keys.text("name", job.name, "name of the job", {.otherwise = "job-0, job-1…"});
}

void arrival_field(Fields& keys, JobSpec& job)
{
  keys.quantity("arrival", job.arrival, "time of submission", {.example = "10 min"});
}

void steps_field(Fields& keys, JobSpec& job)
{
  keys.number("steps", job.steps, "number of steps to train", {.least = 1, .most = 1e12});
}

void nodes_field(Fields& keys, JobSpec& job)
{
  keys.texts("nodes", job.nodes, "nodes on which the workers run", {},
             {.otherwise = "the fastest GPUs that hold the job first; in a queue the placement policy decides"});
}

/// What thousands of jobs of one kind differ in; no other key depends on it.
bool is_own(const std::string& key)
{
  return key == "name" || key == "arrival" || key == "steps" || key == "nodes";
}

void append_said(std::string& text, const DocumentNode& node)
{
  const auto add = [&text](std::size_t number, char end) {
    const fmt::format_int digits{number};
    text.append(digits.data(), digits.size()) += end;
  };
  add(static_cast<std::size_t>(node.kind), node.quoted ? '"' : '.');
  add(node.text.size(), ':');
  text += node.text;
  for (const DocumentNode& item : node.items)
    append_said(text, item);
  for (const DocumentNode::Entry& entry : node.entries) {
    add(entry.key.size(), '=');
    text += entry.key;
    append_said(text, entry.value);
  }
  text += ';';
}

/// What the file says of a job but for what is its own; nothing where the job has to be read by itself.
std::string said_of_kind(const Fields& keys)
{
  std::string text;
  if (keys.node() != nullptr && keys.node()->kind == DocumentNode::Kind::map && !is_divided(keys))
    for (const DocumentNode::Entry& entry : keys.node()->entries)
      if (!is_own(entry.key)) {
        text += fmt::format("{}=", entry.key.size()) + entry.key;
        append_said(text, entry.value);
      }
  return text;
}

/// No key is misspelt, which is told when the job has been read.
bool knows_all(Fields& keys)
{
  const std::vector<std::string> known = keys.reader().known();
  return std::ranges::all_of(keys.node()->entries, [&](const DocumentNode::Entry& entry) {
    return std::ranges::binary_search(known, entry.key);
  });
}

/// As an earlier job of which nothing had to be told.
void take_known(Fields& keys, JobSpec& job, const std::string& path, const Reading::KnownJob& known, Reading& reading)
{
  const std::string name = job.name;
  job = known.job;
  job.path = path;
  job.name = name;
  for (const DocumentNode::Entry& entry : keys.node()->entries)
    keys.has(entry.key);
  for (const auto& field : {name_field, arrival_field, steps_field, nodes_field})
    field(keys, job);
  reading.scenario.defaults.share(path, known.filled);
}

/// What of a step stays in memory.
void kept_fields(Fields& keys, KeptParts& kept, bool divided)
{
  keys.flag("optimizer_in_backward", kept.update_in_backward,
            "each layer's gradients are used and freed in the backward pass (torchtune's optimizer_in_bwd)");
  keys.choice("logits", kept.logits, logits_kinds(),
              "logits of a language model that are in memory at the loss: all; masked, of 15 % of the tokens (BERT); "
              "pieces, an eighth at a time (torchtune's chunked cross entropy); one_kernel, each with its gradient in "
              "16 bit (cross entropy of flash-attn and Apex); fused, none (Liger kernels, Cut Cross Entropy); none, "
              "there is no projection to words",
              {.otherwise = "all; masked of encoders"});
  std::string again = "none";
  if (!divided && keys.choice("recomputation", again, {"none", "full"},
                              "what the backward pass computes again instead of keeping it: nothing, or all inside of "
                              "each block (gradient checkpointing)"))
    kept.computed_again = again == "full";
  if (divided && keys.has("recomputation"))
    keys.error("recomputation", "with training.parallel, write recomputation there: {parallel: {recomputation: full}}");
  keys.object("lora", "with training.parallel: small matrices are trained beside frozen weights (LoRA, QLoRA)",
              [&](Fields& lora) {
                lora.integer("rank", kept.lora.rank, "inner width of the small matrices",
                             {.least = 1, .most = 65536, .required = true});
                std::string beside = "all";
                if (lora.choice("beside", beside, {"all", "attention"},
                                "they are beside every matrix of a layer, or beside queries and values alone"))
                  kept.lora.attention = beside == "attention";
                lora.number("bits", kept.lora.bits, "of a frozen weight: 16, 8, or 4 (QLoRA's NF4)",
                            {.least = 2, .most = 16});
              });
  if (keys.reading() && kept.lora.rank > 0 && !divided)
    keys.error("lora",
               "'lora' is computed with training.parallel; write training: {parallel: {dp: …, global_batch: …}}");
}

/// Whether all GPUs of the scenario compute in bf16; else amp is fp16.
bool computes_bf16(const Reading& reading)
{
  return std::ranges::all_of(reading.gpus, [&](const std::string& name) {
    const auto gpu = reading.catalogue.gpus.find(name);
    return gpu == reading.catalogue.gpus.end() || gpu->second.peak.contains("bf16");
  });
}

void all_fields(Fields& keys, JobSpec& job, const std::string& path, Reading* reading)
{
  name_field(keys, job);
  keys.text("user", job.user, "user who submits the job");
  keys.text("team", job.team, "team whose quota the job uses");
  keys.integer("copies", job.copies, "number of equal jobs, named name-0, name-1…", {.least = 1, .most = 1e6});
  read_model(keys, job, reading);
  framework_fields(keys, job, path, reading);
  double batch = job.batch_per_gpu;
  keys.number("batch_per_gpu", batch,
              "samples per GPU and step; with a fraction (a global batch that the GPUs do not divide) the slowest GPU "
              "has the next whole number",
              {.least = 1e-3, .most = 1e6});
  job.batch_per_gpu = static_cast<int>(std::ceil(batch));
  for (const char* word : {"global_batch", "global_batch_size", "batch", "batch_size", "train_batch_size"})
    keys.instead_of(word, "'batch_per_gpu', the samples of each GPU, or for a divided transformer 'training: "
                          "{parallel: {global_batch: …}}'");
  for (const char* word : {"gpus", "num_gpus", "gpu_count", "world_size", "replicas"})
    keys.instead_of(word, "'workers', the number of GPUs");
  for (const char* word : {"per_device_batch_size", "per_device_train_batch_size", "micro_batch_size"})
    keys.instead_of(word, "'batch_per_gpu'");
  keys.instead_of("dtype", "'precision'");
  keys.instead_of("gradient_accumulation_steps", "'accumulation_steps'");
  const bool divided = is_divided(keys);
  if (divided && keys.has("batch_per_gpu"))
    keys.error("batch_per_gpu",
               "with training.parallel, micro_batch and global_batch say how many sequences there are; remove it");
  else if (reading != nullptr && !divided && !keys.has("batch_per_gpu"))
    reading->filled(path + ".batch_per_gpu", std::to_string(job.batch_per_gpu));
  keys.integer("workers", job.workers, "number of GPUs", {.least = 1, .most = 1e6});
  if (reading != nullptr && !divided && !keys.has("workers"))
    reading->filled(path + ".workers", std::to_string(job.workers));
  keys.integer("accumulation_steps", job.accumulation_steps, "micro-steps per update", {.least = 1, .most = 1e6});
  job.optimizer = divided ? "adam" : job.optimizer;
  keys.choice(
      "optimizer", job.optimizer, optimizer_names(),
      "rule that updates the parameters (with training.parallel adam by default); adam_bf16, adam_8bit and adafactor "
      "update 16-bit weights without a copy in fp32, and states of paged_… go to the host where they do not fit");
  KeptParts kept;
  kept_fields(keys, kept, divided);
  keys.quantity("single_gpu_step", job.single_gpu_step, "measured time of a step on one GPU; overrides the roofline",
                {.example = "145 ms", .least = 1e-9, .otherwise = "the roofline"});
  std::string measured_step_is = "step";
  keys.choice("measured_step_is", measured_step_is, {"step", "micro_step", "whole_batch"},
              "what single_gpu_step holds: step, batch_per_gpu and an update; micro_step, batch_per_gpu without one; "
              "whole_batch, all accumulation_steps and one update");
  int measured_on = 1;
  keys.integer("measured_on_gpus", measured_on,
               "GPUs on which single_gpu_step was measured, packed as here; what they exchange is in it then",
               {.least = 1, .most = 1e6});
  for (const auto& [key, says_more] :
       {std::pair{"measured_step_is", measured_step_is != "step"}, {"measured_on_gpus", measured_on != 1}})
    if (says_more && !keys.has("single_gpu_step"))
      keys.error(key, fmt::format("'{}' says what single_gpu_step is; give single_gpu_step, or leave it out", key));
  arrival_field(keys, job);
  steps_field(keys, job);
  keys.number("priority", job.priority, "priority; the larger number goes first",
              {.least = -std::numeric_limits<double>::infinity()});
  keys.choice("memory_policy", job.memory_policy, {"all", "allow_growth", "fraction"},
              "how much of the GPU's memory a process takes", {.otherwise = "all with TensorFlow, else allow_growth"});
  keys.number("memory_fraction", job.memory_fraction, "share of the GPU's memory, for memory_policy: fraction",
              {.least = 0.01, .most = 1});
  nodes_field(keys, job);
  keys.list<StragglerSpec>("stragglers", job.stragglers, "a slow worker", "slow workers",
                           [&](Fields& straggler, StragglerSpec& spec) { straggler_fields(straggler, spec, job); },
                           {.what = "a straggler"});
  keys.object("jitter", "random variation of compute times",
              [&](Fields& jitter) { jitter_fields(jitter, job.jitter); });
  keys.object("input", "where samples come from", [&](Fields& input) { input_fields(input, job.input); });
  if (reading != nullptr && !keys.has("training"))
    reading->filled(path + ".training.mode", job.training.mode);
  keys.object("training", "how the job trains; only the settings of the chosen mode have an effect",
              [&](Fields& training) {
                if (!divided)
                  training_fields(training, job, path, reading);
                read_parallel(training, job, kept, keys.has("workers"), reading == nullptr || computes_bf16(*reading));
              });
  if (measured_step_is != "step")
    job.training.settings.set("measured_step_is", measured_step_is);
  if (measured_on > 1)
    job.training.settings.set("measured_on_gpus", measured_on);
  if (kept.update_in_backward && job.accumulation_steps > 1)
    keys.error("optimizer_in_backward", "'optimizer_in_backward' uses and frees gradients in each backward pass, and "
                                        "accumulation_steps adds them up; leave one of them out");
  keep(job.training.settings, kept);
  if (batch < job.batch_per_gpu)
    job.training.settings.set(share_of_batch, batch / job.batch_per_gpu);
  if (reading != nullptr && reading->framework.framework.product == "tensorflow" &&
      reading->framework.framework.from < "2")
    job.training.settings.set("kept.composed", 1.0);
  if (reading != nullptr && !reading->framework.said && !divided)
    job.training.settings.set(policy_of_another_framework,
                              keys.has("memory_policy") ? job.memory_policy : "allow_growth");
  if (reading != nullptr && job.training.parallel != nullptr &&
      find_path(*keys.node(), "training.parallel.spread") == nullptr)
    reading->filled(path + ".training.parallel.spread", job.training.parallel->spread);
  if (divided)
    for (const char* key : {"copies", "accumulation_steps", "single_gpu_step", "measured_step_is", "measured_on_gpus",
                            "priority", "memory_policy", "memory_fraction", "stragglers", "jitter", "input"})
      if (keys.has(key))
        keys.error(key, fmt::format("'{}' is not combined with training.parallel yet; remove it", key));
  if (reading != nullptr && !divided &&
      (job.precision == "fp8" || job.precision == "mxfp8" || job.precision == "nvfp4"))
    keys.error("precision", job.precision + " is computed with training.parallel only; use bf16 or amp");
}

} // namespace

void job_fields(Fields& keys, JobSpec& job, Reading* reading)
{
  const std::size_t index = reading == nullptr ? 0 : reading->scenario.jobs.size();
  const std::string path = fmt::format("jobs.{}", index);
  job.path = path;
  job.name = fmt::format("job-{}", index);
  if (reading == nullptr)
    return all_fields(keys, job, path, nullptr);
  std::string said = said_of_kind(keys);
  if (const auto known = reading->known_jobs.find(said); known != reading->known_jobs.end()) {
    take_known(keys, job, path, known->second, *reading);
  } else {
    const std::size_t told = reading->diagnostics.size();
    reading->path_of_job = path + ".";
    reading->filled_of_job.clear();
    all_fields(keys, job, path, reading);
    reading->path_of_job.clear();
    // Copies of ever more kinds would cost memory; files with so many seldom repeat them.
    if (constexpr std::size_t most_kinds = 1000; !said.empty() && reading->known_jobs.size() < most_kinds &&
                                                 reading->diagnostics.size() == told && knows_all(keys)) {
      Reading::KnownJob known_job{job,
                                  std::make_shared<const FilledDefaults::Notes>(std::move(reading->filled_of_job))};
      const JobSpec none;
      std::tie(known_job.job.arrival, known_job.job.steps, known_job.job.nodes) =
          std::tie(none.arrival, none.steps, none.nodes);
      reading->known_jobs.emplace(std::move(said), std::move(known_job));
    }
  }
  if (!reading->job_names.insert(job.name).second)
    keys.error("name", fmt::format("two jobs have the name '{}'", job.name));
}

} // namespace trainyard
