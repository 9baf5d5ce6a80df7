// SPDX-License-Identifier: Apache-2.0
// The clusters on which layouts are looked for: scenarios, --cluster, or the machines that a GPU is sold in.
#include "models/cluster/build.hpp"
#include "models/core/diagnostics.hpp"
#include "models/core/quantity_text.hpp"
#include "models/core/text.hpp"
#include "models/dnn/builder.hpp"
#include "models/import/draft.hpp"
#include "models/scenario/calibrated.hpp"
#include "models/scenario/read_scenario.hpp"
#include "sim/app/layout_input.hpp"
#include "sim/app/study_input.hpp"
#include "sim/app/terminal.hpp"
#include "sim/sources/parallel/parallel_job.hpp"
#include "sim/step/training/divided.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <numeric>
#include <optional>
#include <set>

namespace trainyard::app {
namespace {

constexpr std::uint64_t most_sequences = 100'000'000; // of a step, and tokens of a sequence
constexpr const char* usual_network = "100GbE";       // of a GPU whose machines are not known

/// Where nobody says it: a multiple of the GPUs, because every number of replicas that they allow divides it.
int usual_batch(const std::vector<int>& counts)
{
  long long common = 1;
  for (const int gpus : counts)
    common = std::min<long long>(std::lcm(common, gpus), most_gpus_asked + 1LL);
  if (common > most_gpus_asked) // of counts that have little in common
    common = std::ranges::max(counts);
  return static_cast<int>((std::max(common, 256LL) + common - 1) / common * common);
}

bool is_model(const std::string& word)
{
  if (find_transformer(word) != nullptr || is_dnn_file(word))
    return true;
  const auto shipped = shipped_scenarios();
  return !std::filesystem::exists(word) && !word.ends_with(".yaml") &&
         std::ranges::find(shipped, word, [](const auto& one) { return one.first; }) == shipped.end();
}

/// Only the cluster of a scenario, and the transformer of the options as its job.
void set_model(const Arguments& arguments, const std::string& model, bool from_file, Document& document)
{
  static const std::set<std::string> kept{"trainyard",  "name", "cluster",     "framework",
                                          "transports", "era",  "calibration", "measured_rates"};
  static const std::set<std::string> own{"question", "answer"}; // of a file they ask for something else
  std::erase_if(document.root.entries, [&](const DocumentNode::Entry& entry) {
    return !kept.contains(entry.key) && (from_file || !own.contains(entry.key));
  });
  const std::string file = is_dnn_file(model) ? std::filesystem::absolute(model).string() : model;
  set_path(document, "jobs",
           fmt::format("[{{name: job, precision: {}, model: {{name: {}}}, training: {{parallel: {{dp: 1, micro_batch: "
                       "1, global_batch: 1, fused_elementwise: true}}}}}}]",
                       arguments.value("--precision", "bf16"), yaml_text(file)));
}

/// The scenario's transformer as its only job, on whatever machines there are: the first, or that of --job.
void keep_transformer(const std::string& scenario, const std::string& wanted, Document& document)
{
  DocumentNode* jobs = document.root.find("jobs");
  const auto divided = [&](const DocumentNode& job) {
    const DocumentNode* name = job.find("name");
    return find_path(job, "training.parallel") != nullptr &&
           (wanted.empty() || (name != nullptr && name->text == wanted));
  };
  const auto found =
      jobs == nullptr ? std::vector<DocumentNode>::iterator{} : std::ranges::find_if(jobs->items, divided);
  if (jobs == nullptr || found == jobs->items.end())
    throw InputError{fmt::format("'{}' divides no transformer (training.parallel){}; name one beside it: --model "
                                 "llama3_70b, or for layouts its name alone",
                                 scenario, wanted.empty() ? "" : fmt::format(" in a job '{}'", wanted))};
  DocumentNode job = std::move(*found);
  std::erase_if(job.entries,
                [](const DocumentNode::Entry& entry) { return entry.key == "copies" || entry.key == "nodes"; });
  jobs->items = {std::move(job)};
}

/// Of a scenario that nobody has seen only the words of a fault count.
Scenario read_with_job(const LayoutCluster& cluster, const Document& document, const Catalogue& catalogue)
{
  Diagnostics diagnostics;
  Scenario scenario = read_scenario(document, registered_parts(), catalogue, diagnostics);
  if (diagnostics.has_errors() && !cluster.from_file)
    throw InputError{diagnostics.sorted().front().message};
  diagnostics.throw_if_errors();
  return scenario;
}

/// Gives the cluster its job, as the options say, and looks how many GPUs it has.
void finish(const Arguments& arguments, const std::string& model, const Catalogue& catalogue, LayoutCluster& cluster)
{
  Document& document = cluster.document;
  if (model.empty())
    keep_transformer(cluster.name, arguments.value("--job"), document);
  else
    set_model(arguments, model, cluster.from_file, document);
  const auto text_at = [&](const char* path) {
    const DocumentNode* node = find_path(document.root, path);
    return node == nullptr ? std::string{} : to_flow_yaml(*node);
  };
  if (arguments.has("--precision"))
    set_path(document, "jobs.0.precision", arguments.value("--precision"));
  if (arguments.has("--sequence")) {
    if (find_path(document.root, "jobs.0.model.name") == nullptr)
      set_path(document, "jobs.0.model", fmt::format("{{name: {}}}", text_at("jobs.0.model")));
    set_path(document, "jobs.0.model.sequence_length",
             std::to_string(arguments.whole_number("--sequence", 0, 1, most_sequences)));
  }
  const std::string machines = text_at("cluster.nodes.0.count");
  set_options(arguments, document);
  cluster.grows = cluster.grows && text_at("cluster.nodes.0.count") == machines;
  if (std::erase_if(document.root.entries, [](const DocumentNode::Entry& entry) { return entry.key == "sweep"; }) > 0)
    print_note(fmt::format("{}: its sweep is left out; --set changes values", cluster.name), arguments);
  if (cluster.grows)
    return;
  const Scenario scenario = read_with_job(cluster, document, catalogue);
  Diagnostics diagnostics;
  const Cluster built = build_cluster(scenario.cluster, catalogue.links, diagnostics);
  diagnostics.throw_if_errors();
  const auto order = machines_in_order(built, scenario.jobs.front().precision, 1, catalogue);
  if (order.empty())
    throw InputError{fmt::format("'{}' has no GPUs", cluster.name)};
  cluster.gpus = order.front().gpus;
}

/// "machines of 8 H100-SXM5, network IB-NDR"; of a cluster that was described, with its cards and topology.
std::string machine_words(const ClusterSpec& spec, const ParallelJob& job, bool described)
{
  const auto group = std::ranges::find(spec.nodes, job.groups.front(), &NodeGroupSpec::name);
  const NodeTypeSpec& type = spec.node_types.at(group->type);
  const NetworkSpec& network = spec.network;
  std::string text = fmt::format(
      "machines of {} {}, network {}", described ? type.gpus : std::max(1, job.gpu.board.gpus), job.gpu.name,
      network.bandwidth.value() > 0 ? to_text(network.bandwidth.value(), QuantityKind::bandwidth) : network.link);
  if (described)
    text += fmt::format(" ({}, {} a machine)", network.topology,
                        counted(static_cast<std::size_t>(std::max(type.nics, 0)), "card"));
  return text;
}

/// A growing cluster gets as many machines as @p gpus GPUs need, at most @p most; those that only the GPU names are no
/// larger than needed. @return how many are needed.
int set_machines(const LayoutCluster& cluster, int gpus, int most, Document& document)
{
  const int each = cluster.name.empty() ? std::min(cluster.gpus_of_machine, gpus) : cluster.gpus_of_machine;
  const int machines = (gpus + each - 1) / each;
  set_path(document, "cluster.node_types.worker.gpus", std::to_string(each));
  set_path(document, "cluster.nodes.0.count", std::to_string(std::min(machines, most)));
  return machines;
}

LayoutCandidate layout_candidate(const Arguments& arguments, const LayoutQuestion& asked, const LayoutCluster& cluster,
                                 const PointEvaluator& evaluator, int gpus, int batch)
{
  Document document = cluster.document;
  // Two of the machines that are on one switch show what all have.
  const int machines = cluster.grows ? set_machines(cluster, gpus, 2, document) : 0;
  Scenario scenario = read_with_job(cluster, document, evaluator.catalogue());
  const Catalogue measured = calibrated(evaluator.catalogue(), scenario);
  scenario.jobs.resize(1);
  JobSpec& job = scenario.jobs.front();
  ParallelLayout layout = *job.training.parallel;
  layout.global_batch = static_cast<int>(arguments.whole_number(
      "--global-batch", static_cast<std::uint64_t>(asked.model.empty() ? layout.global_batch : batch), 1,
      most_sequences));
  layout.tp = layout.pp = layout.vp = layout.cp = layout.ep = 1;
  layout.dp = static_cast<int>(std::min<long long>(gpus, gpus_of(scenario.cluster)));
  job.training.parallel = std::make_shared<const ParallelLayout>(layout);
  for (const auto& [name, type] : scenario.cluster.node_types)
    if (const auto gpu = measured.gpus.find(type.gpu);
        gpu != measured.gpus.end() && !gpu->second.peak.contains(layout.precision))
      throw InputError{fmt::format("the {} does not compute in {}; give --precision {}", type.gpu, layout.precision,
                                   gpu->second.peak.contains("bf16") ? "bf16" : "fp16")};
  Diagnostics diagnostics;
  LayoutCandidate made{.job = parallel_job(scenario, job, measured, diagnostics), .gpus = gpus};
  if (diagnostics.has_errors())
    throw InputError{diagnostics.sorted().front().message};
  ClusterSpec priced = evaluator.priced(scenario.cluster);
  if (machines > 0)
    priced.nodes.front().count = machines;
  ParallelJob all = made.job;
  all.layout.dp = gpus;
  if (const std::optional<DollarsPerHour> price = price_of(priced, all))
    made.dollars_per_hour = price->value();
  made.price_note = evaluator.price_note(scenario);
  made.limits = layout_limits(arguments.value("--parallel"));
  made.cluster = cluster.name;
  made.cluster_at = static_cast<std::size_t>(&cluster - asked.clusters.data());
  made.installed = cluster.grows ? gpus : cluster.gpus;
  made.machines = machine_words(scenario.cluster, made.job, !cluster.name.empty());
  if (const double above = oversubscription(scenario, made.job, measured); above > 1.01)
    made.machines += fmt::format(
        "; its cards send {:.3g} times what the switches carry, and the closed form does not count that", above);
  return made;
}

/// What --cluster says, with the transformer of the scenario where no model is named.
LayoutCluster described_cluster(const std::string& text, const std::string& name, const LayoutQuestion& asked,
                                const Catalogue& catalogue)
{
  const ClusterShorthand cluster = cluster_shorthand(text, catalogue);
  LayoutCluster made{.name = name, .grows = text.find('@') == std::string::npos, .gpus_of_machine = cluster.gpus};
  Diagnostics faults;
  made.document = parse_document("trainyard: 1\nname: layouts\nquestion: how fast does this layout train?\n"
                                 "answer: 'a step takes {step_time}, {tokens_per_second} tokens'\n",
                                 "the scenario of these options", faults);
  set_path(made.document, "cluster", cluster_node(cluster));
  if (!asked.model.empty())
    return made;
  Document scenario = asked.clusters.front().document;
  set_path(scenario, "cluster", *made.document.root.find("cluster"));
  made.document = std::move(scenario);
  made.from_file = true;
  return made;
}

} // namespace

std::string LayoutQuestion::name() const
{
  return !model.empty() ? model : clusters.front().name;
}

std::vector<Option> layout_input_options()
{
  return {
      {"--gpu", "", "NAMES",
       "kind of GPU (default H100-SXM5), in the machine that it is usually sold in; several side by side: "
       "H100-SXM5,A100-SXM4-80GB",
       "list gpus,"},
      {"--global-batch", "", "N",
       "sequences of one optimiser step (default: that of the scenario; else the smallest multiple of the GPUs from "
       "256 on)"},
      {"--sequence", "", "TOKENS", "tokens of a sequence (default: that of the scenario, else the published length)"},
      {"--job", "", "NAME", "which job of a scenario with several transformers (default: the first that is divided)"},
      {"--parallel", "", "LISTS",
       "values that a layout may have: 'tp=2,4,8 pp=1,2,4 ep=8' (also vp, dp, cp, zero, micro_batch, recomputation)"}};
}

Option cluster_option()
{
  return {
      "--cluster",
      "",
      "MACHINES",
      "cluster: 'h100x8@4,eth=100Gbit/s,nics=4' is 4 machines with 8 GPUs and 4 network cards each, ',nic=400Gbit/s' "
      "the rate of a card, if it is not the network's, 'h100x8@4:98$/h' the price of a machine; 'p4d.24xlarge@4' are "
      "machines of a cloud; for layouts: without @4 as many machines as --gpus takes; several side by side",
      "",
      false,
      true};
}

LayoutQuestion layout_question(const Arguments& arguments, const Catalogue& catalogue)
{
  LayoutQuestion asked;
  asked.model = arguments.value("--model");
  std::vector<std::string> scenarios = arguments.all("SCENARIO");
  for (const char* list : {"SCENARIOS", "MODEL"})
    for (const std::string& word : arguments.all(list))
      if (std::string{list} != "MODEL" || !is_model(word))
        scenarios.push_back(word);
      else if (asked.model.empty())
        asked.model = word;
      else
        throw InputError{fmt::format("'{}' and '{}': one transformer at a time", asked.model, word)};
  if (asked.model.empty() && scenarios.empty())
    throw InputError{"name a transformer (simrun list models, or a config.json), or a scenario that divides one"};
  for (const std::string& name : scenarios) {
    ScenarioInput input = study_scenario(name, arguments, {"--fail", "--mtbf", "--yes"});
    asked.clusters.push_back({.name = input.name, .document = std::move(input.document), .from_file = true});
  }
  std::vector<std::string> described = arguments.all("--cluster");
  const std::size_t usual_from = described.size();
  if (asked.clusters.empty() && described.empty())
    for (const std::string& type : gpu_types(arguments, catalogue)) {
      const Board& board = catalogue.gpus.at(type).board;
      described.push_back(fmt::format("{}x{}{}", type, std::max(1, board.gpus),
                                      board.nic.empty() ? std::string{",net="} + usual_network : ""));
    }
  else if (arguments.has("--gpu"))
    throw InputError{"--gpu takes the machines that the GPU is usually sold in; a cluster is named already"};
  for (std::size_t i = 0; i < described.size(); ++i)
    asked.clusters.push_back(described_cluster(described[i], i < usual_from ? described[i] : "", asked, catalogue));
  for (LayoutCluster& cluster : asked.clusters)
    finish(arguments, asked.model, catalogue, cluster);
  return asked;
}

std::vector<LayoutCandidate> layout_candidates(const Arguments& arguments, const LayoutQuestion& asked,
                                               const PointEvaluator& evaluator)
{
  const std::vector<int> wanted = arguments.has("--gpus") ? gpu_counts(arguments.value("--gpus")) : std::vector<int>{};
  std::vector<std::pair<const LayoutCluster*, int>> designs;
  std::vector<int> counts;
  for (const LayoutCluster& cluster : asked.clusters) {
    if (wanted.empty() && cluster.grows)
      throw InputError{"--gpus is missing: how many GPUs? --cluster 'h100x8@4' and scenarios say it themselves"};
    for (const int gpus : wanted.empty() ? std::vector<int>{cluster.gpus} : wanted) {
      if (!cluster.grows && gpus > cluster.gpus)
        throw InputError{fmt::format("'{}' has {} GPUs of one kind in machines that are alike, and --gpus asks for {}: "
                                     "give fewer, or more machines (--set nodes=N, or --cluster without @N)",
                                     cluster.name, cluster.gpus, gpus)};
      designs.emplace_back(&cluster, gpus);
      counts.push_back(gpus);
    }
  }
  std::vector<LayoutCandidate> candidates;
  for (const auto& [cluster, gpus] : designs) {
    candidates.push_back(layout_candidate(arguments, asked, *cluster, evaluator, gpus, usual_batch(counts)));
    const Transformer &first = candidates.front().job.transformer, &mine = candidates.back().job.transformer;
    if (first.name != mine.name || first.layers != mine.layers || first.hidden != mine.hidden)
      throw InputError{fmt::format("the scenarios divide different transformers, {} and {}: what is fastest says "
                                   "nothing of their clusters; name one for all beside them",
                                   first.name, mine.name)};
  }
  return candidates;
}

std::string layout_flow(const ParallelLayout& l)
{
  std::string text = fmt::format(
      "tp: {}, pp: {}, vp: {}, dp: {}, cp: {}, ep: {}, zero: {}, micro_batch: {}, global_batch: {}, recomputation: {}",
      l.tp, l.pp, l.vp, l.dp, l.cp, l.ep, l.zero, l.micro_batch, l.global_batch, to_text(l.recomputation));
  if (!l.layers_per_stage.empty())
    text += fmt::format(", layers_per_stage: [{}]", fmt::join(l.layers_per_stage, ", "));
  if (!l.recomputed.empty())
    text += fmt::format(", recompute_modules: [{}]", fmt::join(l.recomputed, ", "));
  return text + (l.sequence_parallel ? ", sequence_parallel: true" : "");
}

std::string layout_scenario(const LayoutQuestion& asked, const LayoutCandidate& candidate, const ParallelLayout& layout)
{
  const LayoutCluster& cluster = asked.clusters[candidate.cluster_at];
  Document document = cluster.document;
  if (cluster.grows || !cluster.from_file) // its price is that of the machines that the layout is on
    set_machines(cluster, candidate.gpus, most_gpus_asked, document);
  static const std::set<std::string> searched{"tp",
                                              "pp",
                                              "vp",
                                              "dp",
                                              "cp",
                                              "ep",
                                              "zero",
                                              "micro_batch",
                                              "recomputation",
                                              "global_batch",
                                              "layers_per_stage",
                                              "recompute_modules",
                                              "sequence_parallel"};
  std::string flow = layout_flow(layout);
  for (const DocumentNode::Entry& entry : find_path(document.root, "jobs.0.training.parallel")->entries)
    if (!searched.contains(entry.key))
      flow += fmt::format(", {}: {}", entry.key, to_flow_yaml(entry.value));
  set_path(document, "jobs.0.training.parallel", "{" + flow + "}");
  set_path(document, "run.fidelity", "closed_form"); // as it was found
  std::erase_if(document.root.find("jobs")->items.front().entries,
                [](const DocumentNode::Entry& entry) { return entry.key == "workers"; }); // the layout says them
  return scenario_text(document);
}

// Lists of values in the options of commands that look for layouts: --parallel, --gpus, --gpu.
namespace {

std::vector<std::string> parts_of_list(const std::string& text, char separator)
{
  std::vector<std::string> parts;
  for (std::size_t start = 0; start <= text.size();) {
    const std::size_t end = std::min(text.find(separator, start), text.size());
    if (end > start)
      parts.push_back(text.substr(start, end - start));
    start = end + 1;
  }
  return parts;
}

/// One of a list of whole numbers, or of ZeRO, or of words of recomputation.
void set_limit(LayoutLimits& limits, const std::string& key, const std::vector<std::string>& values)
{
  const std::map<std::string, std::vector<int>*> numbers{
      {"tp", &limits.tp}, {"pp", &limits.pp}, {"vp", &limits.vp},     {"dp", &limits.dp},
      {"cp", &limits.cp}, {"ep", &limits.ep}, {"zero", &limits.zero}, {"micro_batch", &limits.micro_batch}};
  if (key == "recomputation") {
    for (const std::string& value : values) {
      const std::vector<Recomputation> kinds{Recomputation::none, Recomputation::selective, Recomputation::full};
      const auto kind =
          std::ranges::find(kinds, value, [](Recomputation recomputation) { return to_text(recomputation); });
      if (kind == kinds.end())
        throw InputError{fmt::format("--parallel: recomputation is none, selective or full, not '{}'", value)};
      limits.recomputation.push_back(*kind);
    }
    return;
  }
  const auto found = numbers.find(key);
  if (found == numbers.end()) {
    std::vector<std::string> known{"recomputation"};
    for (const auto& [name, list] : numbers)
      known.push_back(name);
    throw InputError{
        fmt::format("--parallel: '{}' is unknown{}; write for example 'tp=2,4,8 pp=1,2,4 ep=8'; keys are {}", key,
                    did_you_mean(key, known), fmt::join(known, ", "))};
  }
  for (const std::string& value : values) {
    const std::optional<int> number = as_index(value);
    const bool right = number && (key == "zero" ? *number <= 3 : *number >= 1 && *number <= 1'000'000);
    if (!right)
      throw InputError{fmt::format("--parallel: {} must be {}, not '{}'", key,
                                   key == "zero" ? "0, 1, 2 or 3" : "a whole number of at least 1", value)};
    found->second->push_back(number.value_or(1));
  }
}

std::vector<std::pair<std::string, std::vector<std::string>>> parallel_lists(const std::string& text)
{
  std::vector<std::pair<std::string, std::vector<std::string>>> lists;
  for (const std::string& part : parts_of_list(text, ' ')) {
    const std::size_t equals = part.find('=');
    std::vector<std::string> values =
        equals == std::string::npos ? std::vector<std::string>{} : parts_of_list(part.substr(equals + 1), ',');
    if (values.empty())
      throw InputError{fmt::format("--parallel: '{}' is not KEY=VALUES; write for example 'tp=2,4,8 pp=1,2,4'", part)};
    lists.emplace_back(part.substr(0, equals), std::move(values));
  }
  return lists;
}

} // namespace

LayoutLimits layout_limits(const std::string& text)
{
  LayoutLimits limits;
  for (const auto& [key, values] : parallel_lists(text))
    set_limit(limits, key, values);
  return limits;
}

std::vector<std::pair<std::string, LayoutLimits>> layout_choices(const std::string& text)
{
  constexpr std::size_t most = 1000;
  std::vector<std::pair<std::string, LayoutLimits>> choices{{"", {}}};
  for (const auto& [key, values] : parallel_lists(text)) {
    std::vector<std::pair<std::string, LayoutLimits>> longer;
    longer.reserve(choices.size() * values.size());
    for (const auto& [name, limits] : choices)
      for (const std::string& value : values) {
        LayoutLimits next = limits;
        set_limit(next, key, {value});
        longer.emplace_back(name + (name.empty() ? "" : " ") + key + "=" + value, std::move(next));
      }
    if (longer.size() > most)
      throw InputError{
          fmt::format("--parallel: more than {} combinations; give fewer values, or search with simrun layouts", most)};
    choices = std::move(longer);
  }
  return choices;
}

std::vector<int> gpu_counts(const std::string& text)
{
  const auto count = [&](const std::string& part) {
    const std::optional<int> value = as_index(part);
    if (!value || *value < 1 || *value > most_gpus_asked)
      throw InputError{fmt::format("--gpus: '{}' is no number of GPUs from 1 to {}; write 512, or 256,512 or 64..1024",
                                   part, most_gpus_asked)};
    return *value;
  };
  std::vector<int> counts;
  for (const std::string& part : parts_of_list(text, ',')) {
    const std::size_t dots = part.find("..");
    if (dots == std::string::npos) {
      counts.push_back(count(part));
      continue;
    }
    const int first = count(part.substr(0, dots)), last = count(part.substr(dots + 2));
    for (long long value = first; value <= last; value *= 2)
      counts.push_back(static_cast<int>(value));
  }
  if (counts.empty())
    throw InputError{"--gpus needs a number of GPUs: 512, or 256,512 or 64..1024"};
  return counts;
}

std::vector<std::string> gpu_types(const Arguments& arguments, const Catalogue& catalogue)
{
  std::vector<std::string> types;
  for (const std::string& name : parts_of_list(arguments.value("--gpu", "H100-SXM5"), ','))
    types.push_back(gpu_by_short_name(name, catalogue));
  return types;
}

} // namespace trainyard::app
