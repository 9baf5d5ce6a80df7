// SPDX-License-Identifier: Apache-2.0
#include "models/dnn/hugging_face.hpp"
#include "models/parallel/layout.hpp"
#include "models/scenario/read_model.hpp"
#include "models/scenario/read_parallel.hpp"
#include "models/scenario/reading.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <tuple>
#include <utility>

namespace trainyard {
namespace {

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

void training_fields(Fields& keys, JobSpec& job, const std::string& path, Reading* reading)
{
  keys.choice("mode", job.training.mode, schema::names(keys.parts(), "training"), "how the job trains");
  if (keys.node() != nullptr && keys.node()->find("architecture") != nullptr && keys.has("architecture"))
    keys.error_at_key("architecture", "unknown key 'architecture'; write 'mode'");
  for (const char* rule : {"sync", "async"})
    if (keys.node() != nullptr && keys.node()->find(rule) != nullptr && keys.has(rule))
      keys.error_at_key(rule, fmt::format("unknown key '{0}'; write 'update_rule: {0}'", rule));
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
                 "machines of the parameter servers, in their order; begun again where there "
                 "are more servers",
                 "node", {.otherwise = "server_placement decides"}) &&
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

void all_fields(Fields& keys, JobSpec& job, const std::string& path, Reading* reading)
{
  name_field(keys, job);
  keys.text("user", job.user, "user who submits the job");
  keys.text("team", job.team, "team whose quota the job uses");
  keys.integer("copies", job.copies, "number of equal jobs, named name-0, name-1…", {.least = 1, .most = 1e6});
  read_model(keys, job, reading);
  framework_fields(keys, job, path, reading);
  keys.integer("batch_per_gpu", job.batch_per_gpu, "samples per GPU and step", {.least = 1, .most = 1e6});
  if (keys.reading() && keys.node() != nullptr && keys.node()->find("global_batch") != nullptr &&
      keys.has("global_batch"))
    keys.error_at_key("global_batch", "unknown key 'global_batch'; write 'batch_per_gpu', the samples of each GPU, or "
                                      "for a divided transformer 'training: {parallel: {global_batch: …}}'");
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
  keys.choice("optimizer", job.optimizer, {"sgd", "sgd_momentum", "adam"}, "rule that updates the parameters");
  keys.quantity("single_gpu_step", job.single_gpu_step, "measured time of a step on one GPU; overrides the roofline",
                {.example = "145 ms", .least = 1e-9, .otherwise = "the roofline"});
  arrival_field(keys, job);
  steps_field(keys, job);
  keys.number("priority", job.priority, "priority; the larger number goes first",
              {.least = -std::numeric_limits<double>::infinity()});
  keys.choice("memory_policy", job.memory_policy, {"all", "allow_growth", "fraction"},
              "how much of the GPU's memory a process takes");
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
                read_parallel(training, job, keys.has("workers"));
              });
  if (reading != nullptr && job.training.parallel != nullptr &&
      find_path(*keys.node(), "training.parallel.spread") == nullptr)
    reading->filled(path + ".training.parallel.spread", job.training.parallel->spread);
  if (divided)
    for (const char* key : {"copies", "accumulation_steps", "single_gpu_step", "priority", "memory_policy",
                            "memory_fraction", "stragglers", "jitter", "input"})
      if (keys.has(key))
        keys.error(key, fmt::format("'{}' is not combined with training.parallel yet; remove it", key));
  if (divided && keys.has("optimizer") && job.optimizer != "adam")
    keys.error("optimizer", "training.parallel computes Adam; write optimizer: adam, or leave it out");
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
