// SPDX-License-Identifier: Apache-2.0
// What is assumed where a scenario says little. Frameworks and eras are in the catalogue; this file says which of them
// counts.
#include "models/scenario/assumptions.hpp"

#include "models/core/text.hpp"
#include "models/dnn/builder.hpp"
#include "models/parallel/layout.hpp"
#include "models/scenario/schema.hpp"

#include "models/scenario/schema_parts.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <charconv>
#include <set>
#include <unordered_map>
#include <unordered_set>

namespace trainyard {
namespace {

/// "1.13" before "2.0": number by number.
std::vector<int> version_numbers(std::string_view text)
{
  std::vector<int> numbers;
  const char* at = text.data();
  const char* const end = at + text.size();
  while (at < end) {
    int number = 0;
    const auto [stop, status] = std::from_chars(at, end, number);
    if (status != std::errc{})
      break;
    numbers.push_back(number);
    at = stop < end && *stop == '.' ? stop + 1 : end;
  }
  return numbers;
}

/// As the catalogue calls it: "PyTorch", "torch" and "tf" in other capitals and by their packages.
std::string product_meant(const std::string& written)
{
  const std::string name = lower_case(written);
  for (const auto& [other, product] : {std::pair{"torch", "pytorch"}, std::pair{"tf", "tensorflow"},
                                       std::pair{"tensorflow2", "tensorflow"}, std::pair{"apache mxnet", "mxnet"}})
    if (name == other)
      return product;
  return name;
}

/// The newest profile of a product that its version has reached; null: the catalogue does not know the product.
const Framework* profile_of(const Catalogue& catalogue, const std::string& written, const std::string& version)
{
  const std::string product = product_meant(written);
  const Framework* found = nullptr;
  for (const auto& [name, framework] : catalogue.frameworks)
    if (framework.product == product &&
        (version.empty() || version_numbers(framework.from) <= version_numbers(version)) &&
        (found == nullptr || version_numbers(found->from) < version_numbers(framework.from)))
      found = &framework;
  return found;
}

/// Whether @p path has the form of @p pattern, where * is any one part.
bool fits(std::string_view pattern, std::string_view path)
{
  while (!pattern.empty() && !path.empty()) {
    const std::size_t dot = pattern.find('.'), other = path.find('.');
    const std::string_view part = pattern.substr(0, dot);
    if (part != "*" && part != path.substr(0, other))
      return false;
    pattern = dot == std::string_view::npos ? std::string_view{} : pattern.substr(dot + 1);
    path = other == std::string_view::npos ? std::string_view{} : path.substr(other + 1);
  }
  return pattern.empty() && path.empty();
}

/// Part @p index of a path: "jobs.0.precision" has "jobs", "0", "precision".
std::string part(const std::string& path, int index)
{
  std::size_t begin = 0;
  for (; index > 0 && begin != std::string::npos; --index)
    begin = path.find('.', begin) + 1;
  return path.substr(begin, path.find('.', begin) - begin);
}

int nodes_of(const Scenario& scenario)
{
  int nodes = 0;
  for (const NodeGroupSpec& group : scenario.cluster.nodes)
    nodes += group.count;
  return nodes;
}

/// The schema of a key: "jobs.*.training.mode", where * is an item of a list or a name that the user chooses. Null
/// where there is none.
const nlohmann::ordered_json* schema_at(const nlohmann::ordered_json& schema, std::string_view path)
{
  const nlohmann::ordered_json* at = &schema;
  while (!path.empty()) {
    const std::size_t dot = path.find('.');
    const std::string part{path.substr(0, dot)};
    path = dot == std::string_view::npos ? std::string_view{} : path.substr(dot + 1);
    if (at->contains("anyOf")) // a name, or a map with settings
      at = &at->at("anyOf").back();
    const char* several = at->contains("items") ? "items" : "additionalProperties";
    if (part == "*" && at->contains(several))
      at = &(*at)[several];
    else if (at->contains("properties") && (*at)["properties"].contains(part))
      at = &(*at)["properties"][part];
    else
      return nullptr;
  }
  return at;
}

bool sends_tasks(const Scenario& scenario)
{
  return scenario.sections.contains("workload") || scenario.sections.contains("services");
}

bool several_workers(const JobSpec& job)
{
  return job.workers > 1 || job.training.settings.has("servers");
}

/// The job that a path begins with: "jobs.0.precision". Null where it names none.
const JobSpec* job_of(const std::string& path, const Scenario& scenario)
{
  std::size_t job = scenario.jobs.size();
  if (const std::string index = part(path, 1); path.starts_with("jobs."))
    std::from_chars(index.data(), index.data() + index.size(), job);
  return job < scenario.jobs.size() ? &scenario.jobs[job] : nullptr;
}

/// Whether the layers of a table say their times.
bool timed_layers(const JobSpec& job)
{
  if (job.layers.empty() && !job.model.ends_with(".csv"))
    return false;
  try {
    return build_dnn(job.model, {.layers = job.layers}).timed();
  } catch (const std::invalid_argument&) { // told where the job is prepared
    return false;
  }
}

/// Whether steps are taken to differ as those of equal GPUs: no job's time is given, and nothing says how they differ.
/// Without a barrier they always do, unless jitter says how.
bool spread_of_gpus(const JobSpec& job, const Scenario& scenario)
{
  const std::string rule = job.training.settings.text("update_rule", "sync");
  if (rule == "async" || rule == "bounded")
    return job.jitter.distribution == "none";
  return !job.single_gpu_step && !timed_layers(job) && job.stragglers.empty() && job.jitter.distribution == "none" &&
         job.training.settings.text("device", "gpu") == "gpu" &&
         std::ranges::any_of(scenario.cluster.node_types, [](const auto& type) { return type.second.gpus > 0; });
}

/// Whether more than one worker has a place of its own.
bool has_room(const Scenario& scenario)
{
  return nodes_of(scenario) > 1 || std::ranges::any_of(scenario.cluster.nodes, [&](const NodeGroupSpec& group) {
           const auto type = scenario.cluster.node_types.find(group.type);
           return type != scenario.cluster.node_types.end() && type->second.gpus > 1;
         });
}

bool matters(const Assumption& assumption, const FilledDefault& filled, const Scenario& scenario)
{
  const JobSpec* owner = job_of(filled.path, scenario);
  if (assumption.path == "jobs.*.training.parallel.spread") // where there is a slowest one
    return owner != nullptr && owner->training.parallel != nullptr && owner->training.parallel->gpus() > 1;
  // The layout of a divided transformer says how many sequences there are, and what is exchanged.
  if (owner != nullptr && owner->training.parallel != nullptr &&
      (assumption.path == "jobs.*.batch_per_gpu" || assumption.path.starts_with("jobs.*.training.")))
    return false;
  if (assumption.path == "jobs.*.workers") // said where the cluster has room for more
    return owner != nullptr && owner->training.parallel == nullptr && !sends_tasks(scenario) && has_room(scenario);
  if (assumption.path == "jobs.*.training.spread" && owner != nullptr && !spread_of_gpus(*owner, scenario))
    return false;
  if (filled.path.starts_with("transports.") && std::ranges::none_of(scenario.jobs, [&](const JobSpec& job) {
        return "transports." + (job.training.parallel != nullptr ? "nccl" : job.training.transport) == filled.path;
      }))
    return false; // no job uses what the network's name brings
  if (assumption.scope == Assumption::Scope::always || assumption.scope == Assumption::Scope::map_given)
    return true;
  if (assumption.scope == Assumption::Scope::tasks)
    return sends_tasks(scenario);
  // Jobs of a queue and of services have the workers that a trace or a service gives them.
  const auto several = [&](const JobSpec& job) { return several_workers(job) || sends_tasks(scenario); };
  if (filled.path.starts_with("jobs."))
    return owner != nullptr && several(*owner);
  if (std::ranges::none_of(scenario.jobs, several))
    return false;
  if (assumption.scope == Assumption::Scope::several_nodes)
    return nodes_of(scenario) > 1;
  const std::string name = part(filled.path, 2);
  const auto type = scenario.cluster.node_types.find(name);
  return type != scenario.cluster.node_types.end() && type->second.gpus > 1 &&
         std::ranges::any_of(scenario.cluster.nodes, [&](const NodeGroupSpec& group) { return group.type == name; });
}

/// The part of the file that a path's first key belongs to: the one that brings the work.
std::string_view work_of(std::string_view first)
{
  return first == "scheduling" ? "workload" : first == "orchestrator" ? "services" : first;
}

/// Calls @p visit(path) for every place below @p node where the key at the end of @p pattern could stand and does not.
/// @p node: null where the file does not have it.
template <class Visit>
void each_absent(const DocumentNode* node, std::string_view pattern, const std::string& path,
                 const Assumption& assumption, const Visit& visit)
{
  const std::size_t dot = pattern.find('.');
  const std::string key{pattern.substr(0, dot)};
  const auto join = [&](const std::string& name) { return path.empty() ? name : path + "." + name; };
  const bool map = node != nullptr && node->kind == DocumentNode::Kind::map;
  if (path == "transports") { // those that networks bring variants of
    for (const char* name : {"nccl", "mpi"})
      visit(join(name));
    return;
  }
  if (dot == std::string_view::npos) {
    const bool given =
        map && (node->find(key) != nullptr || (!assumption.also.empty() && node->find(assumption.also) != nullptr));
    if (!given && (map || assumption.scope != Assumption::Scope::map_given))
      visit(join(key));
    return;
  }
  const std::string_view rest = pattern.substr(dot + 1);
  if (key != "*")
    return each_absent(map ? node->find(key) : nullptr, rest, join(key), assumption, visit);
  if (map && path == "cluster.node_types")
    for (const DocumentNode::Entry& entry : node->entries)
      each_absent(&entry.value, rest, join(entry.key), assumption, visit);
  else if (map) // one item stands for a list of one
    each_absent(node, rest, join("0"), assumption, visit);
  else if (node != nullptr)
    for (std::size_t i = 0; i < node->items.size(); ++i)
      each_absent(&node->items[i], rest, join(std::to_string(i)), assumption, visit);
}

} // namespace

bool has_matrix_units(const Gpu& gpu)
{
  if (is_current(gpu)) // bf16 is a format of matrix units: GeForce and A10G reach only twice the fp32 rate with them
    return true;
  const auto half = gpu.peak.find("fp16"), single = gpu.peak.find("fp32");
  return half != gpu.peak.end() && single != gpu.peak.end() && half->second >= single->second * 3.0;
}

bool is_current(const Gpu& gpu)
{
  return gpu.peak.contains("bf16");
}

namespace {

AssumedFramework framework_by_words(const Catalogue& catalogue, const FrameworkWords& words,
                                    const std::vector<std::string>& gpus)
{
  AssumedFramework assumed;
  assumed.cuda_graphs = words.cuda_graphs;
  if (const Framework* profile = profile_of(catalogue, words.product, words.version); profile != nullptr) {
    assumed.framework = *profile;
    assumed.why = fmt::format("framework: {}{}{}", words.product, words.version.empty() ? "" : " ", words.version);
    assumed.said = true;
    return assumed;
  }
  const auto of_era = [&](const Era& era) {
    if (const auto found = catalogue.frameworks.find(era.framework); found != catalogue.frameworks.end())
      assumed.framework = found->second;
  };
  if (const auto era = catalogue.eras.find(words.era); era != catalogue.eras.end()) {
    of_era(era->second);
    assumed.why = "era: " + words.era;
    return assumed;
  }
  const auto current = std::ranges::find_if(gpus, [&](const std::string& name) {
    const auto gpu = catalogue.gpus.find(name);
    return gpu != catalogue.gpus.end() && is_current(gpu->second);
  });
  if (catalogue.eras.empty())
    return assumed;
  of_era(current != gpus.end() ? catalogue.eras.rbegin()->second : catalogue.eras.begin()->second);
  assumed.why = current != gpus.end() ? *current + " is sold since 2020"
                : gpus.empty()        ? "no GPU is named"
                                      : fmt::format("{} is older than 2020", gpus.front());
  return assumed;
}

} // namespace

AssumedFramework assume_framework(const Catalogue& catalogue, const FrameworkWords& words,
                                  const std::vector<std::string>& gpus)
{
  AssumedFramework assumed = framework_by_words(catalogue, words, gpus);
  if (words.channels_last)
    assumed.framework.kernels.channels_last = *words.channels_last;
  return assumed;
}

std::string default_precision(const AssumedFramework& assumed, const Catalogue& catalogue,
                              const std::vector<std::string>& gpus)
{
  const bool matrix_units = !gpus.empty() && std::ranges::all_of(gpus, [&](const std::string& name) {
    const auto gpu = catalogue.gpus.find(name);
    return gpu != catalogue.gpus.end() && has_matrix_units(gpu->second);
  });
  return matrix_units && !assumed.framework.precision.empty() ? assumed.framework.precision : "fp32";
}

// Long, but a table: one declaration a line.
const std::vector<Assumption>& assumptions()
{
  using Scope = Assumption::Scope;
  constexpr std::string_view of_profile = "that of the profile (`simrun list orchestrators`)";
  static const std::vector<Assumption> table = {
      {"framework", "{}", "the default of `precision` and `host_per_operator`", Scope::always,
       "that of `era`, else that of the GPUs' time (tables below)"},
      {"framework.channels_last", "channels_last: {} for images",
       "with `false`, images are turned around for every convolution on matrix units"},
      {"jobs.*.host_per_operator", "{} of the host per operator",
       "no step is shorter than the host needs to start its operators"},
      {"jobs.*.precision", "precision {}", "peak rate of the GPU, memory, bytes of the gradients"},
      {"jobs.*.batch_per_gpu", "batch {} per GPU", "share of communication and of the host in a step, memory"},
      {"jobs.*.workers", "{} worker", "how many GPUs train"},
      {"jobs.*.training.mode", "mode {}", "what is exchanged, and by whom", Scope::several_gpus},
      {"jobs.*.training.collective", "collective {}", "bytes and rounds of an exchange", Scope::several_gpus},
      {"jobs.*.training.transport", "transport {}", "what a message costs, and what a server process can serve",
       Scope::several_gpus},
      {"jobs.*.training.spread", "steps of workers differ by 1.5 % (spread)",
       "how long all wait for the slowest, or how workers without a barrier meet", Scope::several_gpus,
       "by 1.5 %, as equal GPUs do"},
      {"jobs.*.training.parallel.spread", "steps of workers differ by 1.5 % (spread)",
       "how long all wait for the slowest", Scope::map_given, "by 1.5 %, as equal GPUs do"},
      {"cluster.node_types.*.intra", "wiring {}", "bandwidth between the GPUs of a machine", Scope::several_gpus},
      {"cluster.node_types.*.generation", "NVLink generation {}", "bandwidth between the GPUs of a machine",
       Scope::several_gpus},
      {"cluster.node_types.*.pcie", "{}", "bandwidth of GPUs and network cards inside a machine", Scope::several_gpus},
      {"cluster.node_types.*.nics", "network cards per machine: {}", "bandwidth between machines",
       Scope::several_nodes},
      {"cluster.node_types.*.nic_bandwidth", "network cards of {}", "bandwidth between machines", Scope::several_nodes},
      {"cluster.network.topology", "topology {}", "bandwidth between machines", Scope::several_nodes},
      {"cluster.network.routing", "{} paths between switches", "whether flows between switches collide",
       Scope::several_nodes},
      {"cluster.network.link", "network {}", "bandwidth between machines", Scope::several_nodes},
      {"transports.*", "{}, as the network's name says", "rate, start-up and algorithms of collectives",
       Scope::several_nodes, "that of the catalogue, or a variant that the network's name brings"},
      {"cluster.node_types.*.cpu_cores", "{} CPU cores per machine", "how many tasks that ask for CPU fit",
       Scope::tasks},
      {"cluster.node_types.*.memory", "memory of a machine {}", "how many tasks that ask for memory fit", Scope::tasks},
      {"cluster.node_types.*.price", "no price of machines", "what a run costs", Scope::tasks},

      {"workload.trace.processors_per_gpu", "{} processor per GPU", "GPUs of every job of an SWF trace",
       Scope::map_given},
      {"workload.generate.jobs", "{} jobs", "load of the queue", Scope::map_given},
      {"workload.generate.arrivals", "arrivals {}", "how many jobs come at once", Scope::map_given},
      {"workload.generate.mean_interarrival", "{} between submissions", "load of the queue", Scope::map_given},
      {"workload.generate.median_duration", "median run time {}", "load of the queue", Scope::map_given},
      {"workload.generate.duration_sigma", "standard deviation {} of the run times' logarithm",
       "how many jobs are long", Scope::map_given},
      {"workload.generate.gpus", "GPUs of a job {}", "load of the queue", Scope::map_given,
       "1, 2, 4 or 8, most of them 1"},
      {"workload.estimate_badness", "estimates: {}", "what policies that plan know of the run times"},
      {"scheduling.policy", "policy {}", "which job starts next", Scope::always, {}, "policies"},
      {"scheduling.placement", "placement {}", "which machines a job gets", Scope::always, {}, "placements"},
      {"scheduling.speed", "run times as given, wherever a job runs", "whether place and neighbours slow a job down"},
      {"scheduling.cluster", "{}", "whether tasks need GPUs of one machine, and its CPUs and memory"},
      {"scheduling.start_cost", "start cost {}", "time on the GPUs without progress"},
      {"scheduling.checkpoint_cost", "cost of a checkpoint {}", "time lost by checkpoints and preemptions"},
      {"scheduling.restart_cost", "cost of a restart {}", "time lost by preemptions and failures"},
      {"scheduling.checkpoint_interval", "checkpoints {}", "work lost by failures", Scope::always, "none"},
      {"scheduling.kill_at_estimate", "jobs run on past their estimates", "when jobs with short estimates end"},
      {"scheduling.gpu_sharing.by", "gpu_share by {}", "how jobs on one GPU slow each other down", Scope::map_given},
      {"scheduling.gpu_sharing.switch_loss", "loss by switching {}", "speed of jobs on one GPU", Scope::map_given},
      {"scheduling.gpu_sharing.out_of_memory_after", "out of GPU memory after {}", "time lost by jobs that die",
       Scope::map_given},

      {"orchestrator", "orchestrator {}", "whether anything that fails is replaced", Scope::always, "none"},
      {"orchestrator.placement", "tasks placed by {}", "which machines tasks get", Scope::always, of_profile},
      {"orchestrator.node_detection", "a lost machine noticed after {}", "time to recover", Scope::always, of_profile},
      {"orchestrator.eviction_delay", "its tasks replaced {} later", "time to recover", Scope::always, of_profile},
      {"orchestrator.process_detection", "a dead process noticed after {}", "time to recover", Scope::always,
       of_profile},
      {"orchestrator.restart", "restart {}", "which tasks are started again", Scope::always, of_profile},
      {"orchestrator.restart_delay", "restart delay {}", "time to recover", Scope::always, of_profile},
      {"orchestrator.container_start", "containers start in {}", "time to start and to recover", Scope::always,
       of_profile},
      {"orchestrator.container_stop", "containers stop in {}", "time of updates and moves", Scope::always, of_profile},
      {"orchestrator.placements_per_second", "{} placements per second", "time to start many tasks", Scope::always,
       of_profile},
      {"orchestrator.registry_bandwidth", "image pulls {}", "time to start the first container", Scope::always,
       "without limit"},
      {"services.*.image", "images {}", "time to start the first container", Scope::always, "are there already"},
      {"services.*.runtime", "runtime {}", "time to start, speed of computing", Scope::always, "container"},
      {"services.*.checkpoint.interval", "checkpoints {}", "work lost by failures", Scope::always, "none"},
      {"services.*.checkpoint.save", "saving takes {}", "time lost by checkpoints", Scope::map_given, "0 s"},
      {"services.*.checkpoint.load", "loading takes {}", "time to recover", Scope::map_given, "0 s"},
      {"services.*.communication_share", "share of communication {}", "what slow networks cost", Scope::always, "0"},
      {"services.*.network_cost", "loss by the container network {}", "speed of communication", Scope::always, "0"},

      {"task_environment.duplicates", "duplicates {}", "what a need does while the last one waits"},
      {"task_environment.planner", "planner {}", "which training starts next"},
      {"task_environment.placement", "trainings placed by {}", "which machines a training gets"},
      {"task_environment.models.*.trigger", "trigger {}", "when models need retraining"},
      {"task_environment.models.*.period", "period {}", "load of the cluster, age of the data"},
      {"task_environment.models.*.variation", "variation of training times {}", "waiting"},
      {"task_environment.models.*.data", "data to upload {}", "time from the need to the training"},
      {"task_environment.models.*.checkpoint_interval", "checkpoints {}", "work lost by failures", Scope::always,
       "none"},
      {"task_environment.upload.bandwidth", "upload {}", "time from the need to the training"},
      {"task_environment.upload.corruption", "corrupted parts {}", "time from the need to the training"},
      {"task_environment.upload.confirm.period", "arrival of the data checked every {}",
       "time from the need to the training"},
      {"task_environment.submission", "submission {}", "what a lost answer of the queue costs"},
      {"task_environment.status.period", "end of trainings checked every {}", "time from the training to the download"},
      {"task_environment.messages.latency", "messages take {}", "time from the need to the deployed model"},
      {"task_environment.messages.loss", "lost messages {}", "time from the need to the deployed model"},
      {"task_environment.save.bandwidth", "saving of the model {}", "time from the training to the download"},
      {"task_environment.download.bandwidth", "download {}", "time to the deployed model"},
      {"task_environment.deploy.stop_and_start", "replicas restart in {}", "time to the deployed model"},
      {"task_environment.mean_time_to_failure", "trainings {}", "work lost by failures", Scope::always, "do not fail"},
  };
  return table;
}

std::optional<std::string> taken_value(const Assumption& assumption, const nlohmann::ordered_json& schema)
{
  const nlohmann::ordered_json* property = schema_at(schema, assumption.path);
  if (property == nullptr)
    return std::nullopt;
  if (!assumption.taken.empty())
    return std::string{assumption.taken};
  const std::string text = schema::default_text(*property);
  return text.empty() ? "none" : text;
}

void fill_assumed(const Document& document, SchemaByKey& schemas, Scenario& scenario)
{
  std::unordered_set<std::string> known;
  std::unordered_set<std::string_view> keys;
  for (const Assumption& assumption : assumptions())
    keys.insert(FilledDefaults::last_key(assumption.path));
  scenario.defaults.each_of([&](std::string_view key) { return keys.contains(key); },
                            [&](const FilledDefault& filled) { known.insert(filled.path); });
  for (const Assumption& assumption : assumptions()) {
    const std::string first = part(std::string{assumption.path}, 0);
    if (first == "cluster" ? assumption.scope != Assumption::Scope::tasks || !sends_tasks(scenario)
                           : !scenario.sections.contains(std::string{work_of(first)}))
      continue;
    each_absent(&document.root, assumption.path, {}, assumption, [&](const std::string& path) {
      if (known.contains(path))
        return;
      if (const std::optional<std::string> taken = taken_value(assumption, schemas.with(first)); taken) {
        scenario.defaults.push_back({path, *taken, "schema"});
        known.insert(path);
      }
    });
  }
}

namespace {

/// How many machine types with machines an assumption about machine types could be about.
std::size_t types_that_could(const Assumption& assumption, const Scenario& scenario)
{
  std::set<std::string> types;
  for (const NodeGroupSpec& group : scenario.cluster.nodes)
    if (const auto type = scenario.cluster.node_types.find(group.type);
        type != scenario.cluster.node_types.end() &&
        (assumption.scope != Assumption::Scope::several_gpus || type->second.gpus > 1))
      types.insert(group.type);
  return types.size();
}

/// Values that are words, with those around them.
constexpr Sentence<> in_words_of_its_own[]{{"assumed.any_placements", "any number of placements per second"},
                                           {"assumed.images_there", "images are there already"},
                                           {"assumed.pulls_without_limit", "image pulls without limit"},
                                           {"assumed.no_checkpoints", "checkpoints none"},
                                           {"assumed.container", "runtime container"},
                                           {"assumed.no_orchestrator", "orchestrator none"},
                                           {"assumed.no_failures", "trainings do not fail"},
                                           {"assumed.only_faults", "trainings fail only as 'faults' says"},
                                           {"assumed.estimates_given", "estimates: those of the jobs"},
                                           {"assumed.estimates_right", "estimates: the run times"},
                                           {"assumed.no_cpu_and_memory", "jobs ask for no CPU and memory"}};

/// The id "assumed.jobs.precision" of "jobs.*.precision".
Message in_words(const Assumption& assumption, const std::string& value)
{
  for (const Sentence<>& whole : in_words_of_its_own)
    if (Message said = whole(); said.text == fmt::format(fmt::runtime(assumption.words), value))
      return said;
  std::string id = "assumed." + std::string{assumption.path}, text{assumption.words};
  for (std::size_t star = id.find("*."); star != std::string::npos; star = id.find("*."))
    id.erase(star, 2);
  const std::size_t place = text.find("{}");
  if (place == std::string::npos)
    return {.id = id, .text = text};
  return sentences::filled(id, text.replace(place, 2, "{value}"), {Figure{std::nan(""), value}});
}

} // namespace

Messages assumed(const Scenario& scenario, std::span<const FilledDefault> seen)
{
  static constexpr Sentence<Message, std::string> of_types_only{"assumed.of_types", "{what} ({types})"};
  std::unordered_map<std::string_view, std::vector<FilledDefault>> by_key; // many jobs fill in the same
  for (const Assumption& assumption : assumptions())
    by_key[FilledDefaults::last_key(assumption.path)];
  scenario.defaults.each_of(
      [&](std::string_view key) { return by_key.contains(key); },
      [&](const FilledDefault& filled) { by_key.at(FilledDefaults::last_key(filled.path)).push_back(filled); });
  std::unordered_map<std::string_view, std::size_t> place; // of the first one in `seen`
  for (std::size_t i = 0; i < seen.size(); ++i)
    place.try_emplace(seen[i].path, i);
  const auto place_of = [&](std::string_view path) {
    const auto found = place.find(path);
    return found == place.end() ? seen.size() : found->second;
  };
  Messages words;
  for (const Assumption& assumption : assumptions()) {
    std::vector<std::pair<Message, std::vector<std::string>>> of_types; // machine types that have these words
    for (const FilledDefault& filled : by_key.at(FilledDefaults::last_key(assumption.path))) {
      if (!fits(assumption.path, filled.path) || !matters(assumption, filled, scenario))
        continue;
      const std::size_t known = std::min(place_of(filled.path), place_of(assumption.path));
      const std::string& value = known == seen.size() ? filled.value : seen[known].value;
      if (value.empty())
        continue;
      Message text = in_words(assumption, value);
      if (filled.path.starts_with("cluster.node_types.")) {
        auto same = std::ranges::find(of_types, text, [](const auto& one) { return one.first; });
        if (same == of_types.end())
          same = of_types.insert(of_types.end(), {text, {}});
        if (const std::string type = part(filled.path, 2); std::ranges::find(same->second, type) == same->second.end())
          same->second.push_back(type);
      } else {
        add_once(words, std::move(text));
      }
    }
    for (auto& [text, types] : of_types)
      add_once(words, types.size() < types_that_could(assumption, scenario)
                          ? of_types_only(text, fmt::format("{}", fmt::join(types, ", ")))
                          : std::move(text));
  }
  return words;
}

namespace {

constexpr Sentence<std::int64_t, std::int64_t, std::string, std::int64_t> trays_apart{
    "absurd.trays_apart", "here only the network joins the {machines} machines; NVLink joins {gpus} {gpu} in {trays} "
                          "trays: write 'gpus: {gpus}' for the trays of a rack together"};
constexpr Sentence<std::string, std::int64_t, std::string, std::int64_t, std::string> unlike_board{
    "absurd.unlike_board", "machines with {gpu} have {usual} of them (a card with several dies is one), wired as "
                           "{wiring}; {gpus} are taken as {taken}: set 'gpus' or 'intra'"};
constexpr Sentence<std::string, std::string, std::string> no_units{
    "absurd.no_units", "{gpu} has no units for {precision}, so that job '{job}' computes at the rate of fp32"};
constexpr Sentence<std::string, std::string> slow_network{
    "absurd.slow_network", "the network is {link}, because the scenario names none; machines with {gpu} usually have a "
                           "faster one: set 'cluster.network.link', for example IB-NDR or 100GbE"};

/// Machines that have fewer GPUs than the NVLinks of their GPUs join, where there are several of them: trays of a rack.
/// And machines with more GPUs than the ones they are sold in, which are then a PCIe tree.
void unlike_boards(const Scenario& scenario, const Catalogue& catalogue, std::vector<AbsurdDefault>& found)
{
  for (const auto& [name, type] : scenario.cluster.node_types) {
    const auto gpu = catalogue.gpus.find(type.gpu);
    int machines = 0;
    for (const NodeGroupSpec& group : scenario.cluster.nodes)
      machines += group.type == name ? group.count : 0;
    if (gpu == catalogue.gpus.end() || machines == 0)
      continue;
    const Board& board = gpu->second.board;
    const std::string path = "cluster.node_types." + name;
    const bool alone = !sends_tasks(scenario) && !scenario.sections.contains("task_environment"); // others count trays
    if (alone && board.trays > 1 && 2 * type.gpus <= board.gpus && machines > 1) // else each is most of a rack
      found.push_back({path, trays_apart(machines, board.gpus, type.gpu, board.trays)});
    const bool assumed_wiring = scenario.defaults.find(path + ".intra") != nullptr;
    if (assumed_wiring && board.gpus > 0 && type.gpus > board.gpus && type.intra != board.intra)
      found.push_back({path, unlike_board(type.gpu, board.gpus, board.intra, type.gpus, type.intra)});
  }
}

/// A precision that the file says and that no GPU here has units for: the job computes at the rate of fp32.
void missing_units(const Scenario& scenario, const Catalogue& catalogue, std::vector<AbsurdDefault>& found)
{
  std::set<std::string> gpus;
  for (const NodeGroupSpec& group : scenario.cluster.nodes)
    if (const auto type = scenario.cluster.node_types.find(group.type);
        type != scenario.cluster.node_types.end() && catalogue.gpus.contains(type->second.gpu))
      gpus.insert(type->second.gpu);
  if (gpus.empty())
    return;
  std::unordered_set<std::string> filled; // paths of the precisions that the file does not say
  scenario.defaults.each_of([](std::string_view key) { return key == "precision"; },
                            [&](const FilledDefault& note) { filled.insert(note.path); });
  for (const JobSpec& job : scenario.jobs) {
    const std::string path = job.path + ".precision";
    if (job.precision == "fp32" || job.training.parallel != nullptr || job.single_gpu_step ||
        job.training.settings.text("device", "gpu") == "cpu" || filled.contains(path))
      continue;
    const auto computes = [&](const std::string& name) {
      const auto& peak = catalogue.gpus.at(name).peak;
      return job.precision == "amp" ? peak.contains("fp16") || peak.contains("bf16") : peak.contains(job.precision);
    };
    if (std::ranges::none_of(gpus, computes))
      found.push_back({path, no_units(fmt::format("{}", fmt::join(gpus, ", ")), job.precision, job.name)});
  }
}

} // namespace

std::vector<AbsurdDefault> absurd_defaults(const Scenario& scenario, const Catalogue& catalogue)
{
  std::vector<AbsurdDefault> found;
  unlike_boards(scenario, catalogue, found);
  missing_units(scenario, catalogue, found);
  std::set<std::string> current;
  for (const NodeGroupSpec& group : scenario.cluster.nodes)
    if (const auto type = scenario.cluster.node_types.find(group.type); type != scenario.cluster.node_types.end())
      if (const auto gpu = catalogue.gpus.find(type->second.gpu);
          gpu != catalogue.gpus.end() && is_current(gpu->second))
        current.insert(gpu->first);
  const std::string* const link = scenario.defaults.find("cluster.network.link");
  if (link == nullptr || current.empty() || nodes_of(scenario) < 2 ||
      std::ranges::none_of(scenario.jobs, several_workers))
    return found;
  if (const auto type = catalogue.links.find(*link);
      type != catalogue.links.end() && type->second.bandwidth < 25_GBps / 8.0)
    found.push_back({"cluster", slow_network(*link, fmt::format("{}", fmt::join(current, ", ")))});
  return found;
}

} // namespace trainyard
