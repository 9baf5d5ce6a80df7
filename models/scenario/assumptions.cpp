// SPDX-License-Identifier: Apache-2.0
// What is assumed where a scenario says little. Frameworks and eras are in the catalogue; this file says which of them
// counts.
#include "models/scenario/assumptions.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <set>

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

/// The newest profile of a product that its version has reached; null: the catalogue does not know the product.
const Framework* profile_of(const Catalogue& catalogue, const std::string& product, const std::string& version)
{
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

bool several_workers(const JobSpec& job)
{
  return job.workers > 1 || job.training.settings.has("servers");
}

bool matters(const Assumption& assumption, const FilledDefault& filled, const Scenario& scenario)
{
  if (assumption.scope == Assumption::Scope::always)
    return true;
  if (filled.path.starts_with("jobs.")) {
    const std::string index = part(filled.path, 1);
    std::size_t job = 0;
    std::from_chars(index.data(), index.data() + index.size(), job);
    return job < scenario.jobs.size() && several_workers(scenario.jobs[job]);
  }
  if (std::ranges::none_of(scenario.jobs, several_workers))
    return false;
  if (assumption.scope == Assumption::Scope::several_nodes)
    return nodes_of(scenario) > 1;
  const std::string name = part(filled.path, 2);
  const auto type = scenario.cluster.node_types.find(name);
  return type != scenario.cluster.node_types.end() && type->second.gpus > 1 &&
         std::ranges::any_of(scenario.cluster.nodes, [&](const NodeGroupSpec& group) { return group.type == name; });
}

} // namespace

bool has_matrix_units(const Gpu& gpu)
{
  const auto half = gpu.peak.find("fp16"), single = gpu.peak.find("fp32");
  return half != gpu.peak.end() && single != gpu.peak.end() && half->second >= single->second * 3.0;
}

bool is_current(const Gpu& gpu)
{
  return gpu.peak.contains("bf16");
}

AssumedFramework assume_framework(const Catalogue& catalogue, const FrameworkWords& words,
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

std::string default_precision(const AssumedFramework& assumed, const Catalogue& catalogue,
                              const std::vector<std::string>& gpus)
{
  const bool matrix_units = !gpus.empty() && std::ranges::all_of(gpus, [&](const std::string& name) {
    const auto gpu = catalogue.gpus.find(name);
    return gpu != catalogue.gpus.end() && has_matrix_units(gpu->second);
  });
  return matrix_units && !assumed.framework.precision.empty() ? assumed.framework.precision : "fp32";
}

const std::vector<Assumption>& assumptions()
{
  using Scope = Assumption::Scope;
  static const std::vector<Assumption> table = {
      {"framework", "{}", "the default of `precision` and `host_per_operator`"},
      {"jobs.*.host_per_operator", "{} of the host per operator",
       "no step is shorter than the host needs to start its operators"},
      {"jobs.*.precision", "precision {}", "peak rate of the GPU, memory, bytes of the gradients"},
      {"jobs.*.batch_per_gpu", "batch {} per GPU", "share of communication and of the host in a step, memory"},
      {"jobs.*.training.mode", "mode {}", "what is exchanged, and by whom", Scope::several_gpus},
      {"jobs.*.training.collective", "collective {}", "bytes and rounds of an exchange", Scope::several_gpus},
      {"jobs.*.training.transport", "transport {}", "what a message costs, and what a server process can serve",
       Scope::several_gpus},
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
  };
  return table;
}

std::vector<std::string> assumed(const Scenario& scenario)
{
  std::vector<std::string> words;
  if (scenario.jobs.empty())
    return words;
  for (const Assumption& assumption : assumptions())
    for (const FilledDefault& filled : scenario.defaults)
      if (fits(assumption.path, filled.path) && matters(assumption, filled, scenario)) {
        std::string text = fmt::format(fmt::runtime(assumption.words), filled.value);
        if (std::ranges::find(words, text) == words.end())
          words.push_back(std::move(text));
      }
  return words;
}

std::string assumed_line(const std::vector<std::string>& assumed)
{
  return fmt::format("{}", fmt::join(assumed, "; "));
}

std::vector<AbsurdDefault> absurd_defaults(const Scenario& scenario, const Catalogue& catalogue)
{
  std::vector<AbsurdDefault> found;
  std::set<std::string> current;
  for (const NodeGroupSpec& group : scenario.cluster.nodes)
    if (const auto type = scenario.cluster.node_types.find(group.type); type != scenario.cluster.node_types.end())
      if (const auto gpu = catalogue.gpus.find(type->second.gpu);
          gpu != catalogue.gpus.end() && is_current(gpu->second))
        current.insert(gpu->first);
  const auto link = std::ranges::find(scenario.defaults, "cluster.network.link", &FilledDefault::path);
  if (link == scenario.defaults.end() || current.empty() || nodes_of(scenario) < 2 ||
      std::ranges::none_of(scenario.jobs, several_workers))
    return found;
  if (const auto type = catalogue.links.find(link->value);
      type != catalogue.links.end() && type->second.bandwidth < 25_GBps / 8.0)
    found.push_back(
        {"cluster",
         fmt::format("the network is {}, because the scenario names none; machines with {} usually have a faster one: "
                     "set 'cluster.network.link', for example IB-NDR or 100GbE",
                     link->value, fmt::join(current, ", "))});
  return found;
}

} // namespace trainyard
