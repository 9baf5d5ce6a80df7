// SPDX-License-Identifier: Apache-2.0
#include "models/import/compose_parts.hpp"

#include "models/import/training_command.hpp"
#include "models/import/yaml_documents.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <iterator>
#include <set>

namespace trainyard {
namespace {

constexpr std::string_view role_flags[]{"job-name", "role", "task-type", "job", "type"};
constexpr std::string_view cluster_flags[]{"cluster-spec"};
constexpr std::string_view sync_flags[]{"sync-replicas", "issync", "sync"};

/// Keys of the Compose Specification (spec.md, deploy.md) and of the file formats of version 2 and 3.
constexpr KeyFate service_keys[]{
    {"image command entrypoint container_name labels environment restart scale cpus mem_limit mem_reservation runtime "
     "gpus ports expose deploy",
     used_key},
    {"networks network_mode hostname domainname dns dns_search dns_opt extra_hosts links external_links mac_address "
     "cgroup cgroup_parent attach",
     "names and networks of containers take no time"},
    {"volumes volumes_from volume_driver tmpfs configs secrets storage_opt models",
     "sizes of files are not in it, so loading takes no time"},
    {"devices device_cgroup_rules", "labels, 'gpus' and 'deploy' say how many GPUs a container has"},
    {"depends_on", "all services are started at once"},
    {"profiles", "all services are started, whatever their profile"},
    {"extends", "settings of the other service are not read: write them here"},
    {"env_file", "variables of other files are not put into the command"},
    {"healthcheck", "containers are ready when they have started"},
    {"build develop pull_policy", "building and pulling images takes no time"},
    {"post_start pre_stop stop_signal stop_grace_period",
     "orchestrator: container_stop says how long tasks take to end"},
    {"cpu_count cpu_percent cpu_shares cpu_period cpu_quota cpu_rt_runtime cpu_rt_period cpuset blkio_config",
     "'cpus' says how many cores a container has"},
    {"shm_size ulimits ipc pid pids_limit sysctls uts memswap_limit mem_swappiness oom_kill_disable oom_score_adj "
     "isolation",
     "it is about processes inside of the container"},
    {"user userns_mode group_add privileged cap_add cap_drop security_opt credential_spec read_only use_api_socket",
     "it is about rights, not resources"},
    {"working_dir init tty stdin_open logging log_driver log_opt platform annotations label_file provider",
     "it takes no time"}};
/// Of `deploy`, and of the maps in it.
constexpr KeyFate deploy_keys[]{
    {"mode replicas update_config restart_policy placement resources parallelism delay order failure_action condition "
     "max_attempts window constraints preferences max_replicas_per_node limits reservations cpus memory "
     "generic_resources devices",
     used_key},
    {"rollback_config monitor max_failure_ratio", "updates do not fail here"},
    {"pids", "it is about processes inside of the container"},
    {"endpoint_mode", "names and networks of containers take no time"},
    {"labels", "it takes no time"}};
constexpr KeyFate top_keys[]{
    {"version services labels", used_key},
    {"networks", "names and networks of containers take no time"},
    {"volumes configs secrets models", "sizes of files are not in it, so loading takes no time"},
    {"include", "the other file is not read: give it too"},
    {"name", "the scenario has a name of its own (--name)"}};

/// Labels and environment: a map, or a list of "key=value".
std::map<std::string, std::pair<std::string, int>> pairs(const DocumentNode* node)
{
  std::map<std::string, std::pair<std::string, int>> result;
  if (node == nullptr)
    return result;
  for (const DocumentNode::Entry& entry : node->entries)
    result[entry.key] = {entry.value.text, entry.line};
  for (const DocumentNode& item : node->items) {
    const std::size_t equals = item.text.find('=');
    result[item.text.substr(0, equals)] = {equals == std::string::npos ? "" : item.text.substr(equals + 1), item.line};
  }
  return result;
}

ClusterSpecText parse_cluster_spec(const std::string& text)
{
  ClusterSpecText spec{text, {}};
  std::string role, word;
  const auto add = [&] {
    if (!word.empty() && !role.empty())
      spec.hosts[role].push_back(word);
    word.clear();
  };
  for (const char c : text) {
    if (c == '|') {
      role = word;
      word.clear();
    } else if (c == ';' || c == ',') {
      add();
    } else if (std::isspace(static_cast<unsigned char>(c)) == 0) {
      word += c;
    }
  }
  add();
  return spec;
}

std::vector<std::string> split_commas(const std::string& text)
{
  std::vector<std::string> list;
  std::string word;
  for (const char c : text + ",")
    if (c == ',') {
      if (!word.empty())
        list.push_back(std::move(word));
      word.clear();
    } else if (c != ' ') {
      word += c;
    }
  return list;
}

/// {"cluster": {"worker": ["a:2222"], "ps": […]}, "task": {"type": "worker", "index": 0}} of TensorFlow.
std::vector<Document> tf_config(const ComposeService& service)
{
  ImportReport unused;
  const auto found = service.environment.find("TF_CONFIG");
  return found == service.environment.end() ? std::vector<Document>{}
                                            : read_yaml_documents(found->second.first, "TF_CONFIG", unused);
}

std::string role_of(const ComposeService& service)
{
  std::string role = flag_value(flags_of(service.command), role_flags);
  for (const Document& config : tf_config(service))
    if (role.empty())
      role = text_at(config.root, {"task", "type"});
  return role_named(role);
}

/// The hosts of each role: a cluster_spec, TF_CONFIG, or flags whose values are lists of the file's services (@p
/// names).
std::map<std::string, std::vector<std::string>> hosts_of(const ComposeService& service,
                                                         const std::set<std::string>& names)
{
  std::map<std::string, std::vector<std::string>> hosts;
  for (const Document& config : tf_config(service))
    for (const DocumentNode::Entry& role : entries_at(config.root, {"cluster"}))
      for (const DocumentNode& host : role.value.items)
        hosts[role_named(role.key).empty() ? role.key : role_named(role.key)].push_back(host.text);
  for (const CommandFlag& flag : flags_of(service.command)) {
    const std::string role = role_named(flag.name);
    const std::vector<std::string> list = split_commas(flag.value);
    const auto is_known = [&](const std::string& host) { return names.contains(host.substr(0, host.find(':'))); };
    if (!role.empty() && !list.empty() && (flag.name.ends_with("-hosts") || std::ranges::all_of(list, is_known)))
      hosts[role].insert(hosts[role].end(), list.begin(), list.end());
  }
  return hosts;
}

ClusterSpecText cluster_of(const ComposeService& service, const std::set<std::string>& names)
{
  if (const std::string text = flag_value(flags_of(service.command), cluster_flags); !text.empty())
    return parse_cluster_spec(text);
  ClusterSpecText spec;
  spec.hosts = hosts_of(service, names);
  if (!spec.hosts.contains("worker"))
    return {};
  std::string servers = fmt::format("{}", fmt::join(spec.hosts["ps"], ";"));
  spec.text = fmt::format("worker|{}{}", fmt::join(spec.hosts["worker"], ";"), servers.empty() ? "" : ",ps|" + servers);
  return spec;
}

/// The variable that numbers the GPUs of a container; the end where none does.
auto visibility_of(const ComposeService& service)
{
  for (const char* name : {"NVIDIA_VISIBLE_DEVICES", "CUDA_VISIBLE_DEVICES"})
    if (const auto found = service.environment.find(name);
        found != service.environment.end() && visible_devices(found->second.first) > 0)
      return found;
  return service.environment.end();
}

/// GPUs of a container that may use all of its machine: those that its environment or its launcher numbers, else one.
int gpus_of_all(const ComposeService& service, const char* why, const ImportPlace& place, ImportReport& report)
{
  if (const auto found = visibility_of(service); found != service.environment.end()) {
    const int gpus = std::min(64, visible_devices(found->second.first));
    report.understood({place.file, found->second.second}, "{} per task ({})", counted(gpus, "GPU"), found->first);
    return gpus;
  }
  constexpr std::array<std::string_view, 2> ranks{"nproc-per-node", "num-gpus"};
  const std::string said = flag_value(flags_of(service.command, 0, service.variables), ranks);
  if (const int gpus = std::min(64, as_index(said).value_or(0)); gpus > 0) {
    report.understood(place, "{} per task, as many as ranks", counted(gpus, "GPU"));
    return gpus;
  }
  report.assumed({"service {} takes one GPU", service.name}, why, place);
  return 1;
}

/// Whether a service may use all GPUs of its machine.
bool takes_all(const DocumentNode& service)
{
  const auto all = [](const DocumentNode& request) { return text_at(request, {"count"}) == "all"; };
  const DocumentNode* gpus = at(service, {"gpus"});
  if (gpus == nullptr && text_at(service, {"runtime"}) == "nvidia")
    return true;
  return (gpus != nullptr && (gpus->items.empty() || std::ranges::any_of(gpus->items, all))) ||
         std::ranges::any_of(items_at(service, {"deploy", "resources", "limits", "devices"}), all) ||
         std::ranges::any_of(items_at(service, {"deploy", "resources", "reservations", "devices"}), all);
}

bool truthy(const std::string& text)
{
  return text == "true" || text == "True" || text == "1" || text == "yes";
}

/// The command of a container that starts ranks of a training, without what differs among those of one training;
/// empty: it starts none.
std::string launch_of(const ComposeService& service)
{
  const std::string whole = fmt::format("{}", fmt::join(service.command, " "));
  if (!starts_training(whole + " "))
    return {};
  std::string common;
  bool own = false; // the value of a flag stands in the next word
  for (const std::string& word : service.command) {
    std::string flag = word.substr(0, word.find('='));
    std::ranges::replace(flag, '_', '-');
    const bool is_own = flag == "--node-rank" || flag == "--machine-rank" || flag == "--master-addr" ||
                        flag == "--rdzv-endpoint" || flag == "--main-process-ip";
    if (!is_own && !std::exchange(own, false))
      common += word + " ";
    own = is_own && word.find('=') == std::string::npos;
  }
  return common;
}

std::string common_start(const std::vector<std::string>& names)
{
  std::string start = names.empty() ? "" : names.front();
  for (const std::string& name : names)
    while (!name.starts_with(start))
      start.pop_back();
  while (!start.empty() && std::isalnum(static_cast<unsigned char>(start.back())) == 0)
    start.pop_back();
  return start;
}

} // namespace

const std::span<const KeyFate> compose_service_keys{service_keys}, compose_deploy_keys{deploy_keys},
    compose_top_keys{top_keys};

int device_count(const DocumentNode& request, const ComposeService& service, const ImportPlace& place,
                 ImportReport& report)
{
  const std::string count = text_at(request, {"count"});
  int gpus = 1;
  if (const DocumentNode* ids = at(request, {"device_ids"}); ids != nullptr)
    gpus = static_cast<int>(std::min<std::size_t>(ids->items.size(), 64));
  else if (count == "all")
    return gpus_of_all(service, "'all' depends on the machine", place, report);
  else if (!count.empty())
    gpus = count_of(count, 64, 1, "GPUs", place, report);
  report.understood(counted(gpus, "GPU") + " per task (devices)", place);
  return gpus;
}

bool is_compose(const InputFile& file)
{
  const std::size_t start = file.head().find_first_not_of(" \t\r\n");
  const bool json = start != std::string_view::npos && file.head()[start] == '{';
  return json ? (file.has("\"services\": {") || file.has("\"services\":{")) &&
                    (file.has("\"image\"") || file.has("\"build\""))
              : file.head().starts_with("services:") || file.has("\nservices:");
}

bool has_deploy(std::string_view head)
{
  if (head.find("\"deploy\":") != std::string_view::npos) // JSON
    return true;
  for (std::size_t at = head.find("deploy:"); at != std::string_view::npos; at = head.find("deploy:", at + 1)) {
    const std::size_t start = head.find_last_of('\n', at);
    if (start != std::string_view::npos && at > start + 1 &&
        head.substr(start + 1, at - start - 1).find_first_not_of(' ') == std::string_view::npos)
      return true;
  }
  return false;
}

double compose_bytes(const std::string& text)
{
  std::size_t digits = 0;
  while (digits < text.size() && (std::isdigit(static_cast<unsigned char>(text[digits])) != 0 || text[digits] == '.'))
    ++digits;
  const double number = number_of(text.substr(0, digits), 0);
  const char unit =
      digits < text.size() ? static_cast<char>(std::tolower(static_cast<unsigned char>(text[digits]))) : 'b';
  const double size = unit == 'k'   ? 1024.0
                      : unit == 'm' ? 1048576.0
                      : unit == 'g' ? 1073741824.0
                      : unit == 't' ? 1099511627776.0
                                    : 1.0;
  return number * size;
}

double compose_seconds(const std::string& text)
{
  double total = 0;
  bool any = false;
  for (std::size_t at = 0; at < text.size();) {
    std::size_t end = at;
    while (end < text.size() && (std::isdigit(static_cast<unsigned char>(text[end])) != 0 || text[end] == '.'))
      ++end;
    const double number = number_of(std::string_view{text}.substr(at, end - at), -1);
    std::size_t unit_end = end;
    while (unit_end < text.size() && std::isalpha(static_cast<unsigned char>(text[unit_end])) != 0)
      ++unit_end;
    const std::string unit = text.substr(end, unit_end - end);
    const double size = unit == "h"    ? 3600
                        : unit == "m"  ? 60
                        : unit == "s"  ? 1
                        : unit == "ms" ? 1e-3
                        : unit == "us" ? 1e-6
                        : unit == "ns" ? 1e-9
                                       : -1;
    if (number < 0 || size < 0)
      return -1;
    total += number * size;
    any = true;
    at = unit_end;
  }
  return any ? total : -1;
}

int reschedule_of(const ComposeService& service)
{
  const auto found = service.labels.find("com.docker.swarm.reschedule-policies");
  if (found == service.labels.end())
    return -1;
  return found->second.first.find("on-node-failure") != std::string::npos ? 1 : 0;
}

ComposeReader::ComposeReader(const Document& document, const InputFile& file, ImportContext& context)
    : document_{document}, file_{file}, context_{context}
{
}

void ComposeReader::tell(const DocumentNode::Entry& entry, std::span<const KeyFate> fates, const std::string& of) const
{
  if (const std::string_view why = fate_of(entry.key, fates, "is no key of compose files that is known here");
      why != used_key)
    context_.report.ignored(entry.key + of, why, place(entry.line));
}

std::vector<ComposeService> ComposeReader::services()
{
  std::vector<ComposeService> list;
  const DocumentNode* services = document_.root.find("services");
  if (services == nullptr || services->kind != DocumentNode::Kind::map) {
    context_.report.error(place(document_.root.line), "the compose file has no 'services'");
    return list;
  }
  for (const DocumentNode::Entry& entry : services->entries) {
    ComposeService service;
    service.name = service.container = entry.key;
    service.node = &entry.value;
    service.line = entry.line;
    if (entry.value.kind != DocumentNode::Kind::map) {
      context_.report.error(place(entry.line), "service '{}' is not a map of settings", entry.key);
      continue;
    }
    read_service(entry, service);
    list.push_back(std::move(service));
  }
  return list;
}

void ComposeReader::read_restart(const std::string& text, const ImportPlace& where, ComposeService& service)
{
  ImportReport& report = context_.report;
  service.restart = text == "always" || text == "unless-stopped" ? "always"
                    : text.starts_with("on-failure")             ? "on_failure"
                                                                 : "never";
  if (const std::size_t colon = text.find(':'); colon != std::string::npos)
    service.attempts = static_cast<int>(std::clamp(number_of(text.substr(colon + 1), 0), 0.0, 1e6));
  report.understood(where, "restart: {}", text);
}

/// Ports of the host are the service's; those of the containers' own network are added to @p inside.
void ComposeReader::read_ports(const DocumentNode& list, ComposeService& service, InsidePorts& inside)
{
  ImportReport& report = context_.report;
  for (const DocumentNode& item : list.items) {
    const std::string published = item.kind == DocumentNode::Kind::map ? text_at(item, {"published"}) : std::string{};
    const std::size_t colon = item.text.rfind(':');
    std::string host = item.kind == DocumentNode::Kind::map ? published
                       : colon == std::string::npos         ? std::string{}
                                                            : item.text.substr(0, colon);
    if (const std::size_t address = host.rfind(':'); address != std::string::npos)
      host.erase(0, address + 1);
    const double number = number_of(host, 0);
    if (number >= 1 && number <= 65535 && number == std::floor(number)) {
      service.host_ports.push_back(static_cast<int>(number));
      report.understood(place(item.line), "port {} of the host", host);
    } else {
      inside.emplace_back(
          item.kind == DocumentNode::Kind::map ? text_at(item, {"target"}) : item.text.substr(colon + 1), item.line);
    }
  }
}

/// What the containers of the file are called in their network.
std::set<std::string> ComposeReader::host_names() const
{
  std::set<std::string> names;
  if (const DocumentNode* services = document_.root.find("services"); services != nullptr)
    for (const DocumentNode::Entry& service : services->entries) {
      names.insert(service.key);
      names.insert(text_at(service.value, {"container_name"}));
    }
  return names;
}

/// Ports inside that no training uses.
void ComposeReader::ignore_ports(const InsidePorts& inside, const ComposeService& service)
{
  ImportReport& report = context_.report;
  std::set<std::string> joined; // ports at which the tasks of a training cluster find each other
  for (const auto& [role, hosts] : cluster_of(service, host_names()).hosts)
    for (const std::string& host : hosts)
      joined.insert(host.substr(host.rfind(':') + 1));
  for (const auto& [port, line] : inside)
    if (!joined.contains(port))
      report.ignored({"port {} inside the containers' network", port},
                     "it cannot conflict with another port, and no training uses it", place(line));
}

/// Labels that are known, and those that are ignored.
void ComposeReader::read_labels(ComposeService& service)
{
  ImportReport& report = context_.report;
  for (const auto& [label, value] : service.labels) {
    const ImportPlace where = place(value.second);
    if (label == "aliyun.gpu") {
      service.gpus = count_of(value.first, 64, 0, "GPUs", where, report);
      report.understood(where, "{} per task (label aliyun.gpu)", counted(service.gpus, "GPU"));
    } else if (label == "com.docker.swarm.reschedule-policies") {
      report.understood(where, "reschedule policy {}", value.first);
    } else if (label == "aliyun.remove_containers") {
      report.understood(where, "finished containers: {} (they hold no GPU, CPU or memory)", value.first);
    } else {
      report.ignored("label " + label, "not modelled", where);
    }
  }
}

/// What all versions say of the GPUs of a service.
void ComposeReader::read_gpus(const DocumentNode& node, ComposeService& service)
{
  ImportReport& report = context_.report;
  if (const DocumentNode* gpus = at(node, {"gpus"}); gpus != nullptr) { // "all", or requests for devices
    service.gpus = gpus->items.empty()
                       ? gpus_of_all(service, "'all' depends on the machine", place(line_at(node, {"gpus"})), report)
                       : 0;
    for (const DocumentNode& item : gpus->items)
      service.gpus += device_count(item, service, place(item.line), report);
  } else if (text_at(node, {"runtime"}) == "nvidia" && service.gpus == 0) {
    service.gpus =
        gpus_of_all(service, "'runtime: nvidia' does not say how many", place(line_at(node, {"runtime"})), report);
  }
}

void ComposeReader::read_service(const DocumentNode::Entry& entry, ComposeService& service)
{
  ImportReport& report = context_.report;
  InsidePorts inside;
  for (const DocumentNode::Entry& key : entry.value.entries) {
    const ImportPlace where = place(key.line);
    const std::string& name = key.key;
    if (name == "image") {
      service.image = key.value.text;
      report.ignored("image", "its size is not in the file, so pulling takes no time", where);
    } else if (name == "command" || name == "entrypoint") {
      std::vector<std::string> more =
          key.value.kind == DocumentNode::Kind::scalar ? command_words(key.value.text) : std::vector<std::string>{};
      for (const DocumentNode& item : key.value.items)
        more.push_back(item.text);
      service.command.insert(service.command.end(), more.begin(), more.end());
    } else if (name == "container_name") {
      service.container = key.value.text;
    } else if (name == "labels") {
      service.labels = pairs(&key.value);
    } else if (name == "environment") {
      service.environment = pairs(&key.value);
    } else if (name == "restart") {
      read_restart(key.value.text, where, service);
    } else if (name == "scale") {
      service.replicas = count_of(key.value.text, 100'000, 1, "replicas", where, report);
    } else if (name == "cpus") {
      service.cpus = std::clamp(number_of(key.value.text, 0), 0.0, 1e5);
    } else if (name == "mem_limit" || name == "mem_reservation") {
      service.memory_bytes = std::max(service.memory_bytes, compose_bytes(key.value.text));
    } else if (name == "ports") {
      read_ports(key.value, service, inside);
    } else if (name == "expose") {
      for (const DocumentNode& item : key.value.items)
        inside.emplace_back(item.text, item.line);
    } else if (name == "deploy" || name == "gpus" || (name == "runtime" && key.value.text == "nvidia")) {
      continue; // of stacks: read by their importer; GPUs: by read_gpus
    } else if (name == "runtime") {
      report.ignored(name, "containers of all runtimes take as long; 'runtime' of a service has others", where);
    } else {
      tell(key, service_keys);
    }
  }
  ignore_ports(inside, service);
  read_labels(service);
  std::map<std::string, std::pair<std::string, int>> variables = service.environment;
  variables.erase("TF_CONFIG");
  const std::string command = fmt::format("{}", fmt::join(service.command, " "));
  if (const auto counts = visibility_of(service); counts != service.environment.end() && takes_all(entry.value))
    variables.erase(counts->first); // told with the GPUs
  service.variables = variables_in(command, variables, file_.name(), report);
  read_gpus(entry.value, service);
}

std::vector<ComposeService> ComposeReader::take_training(const std::vector<ComposeService>& services,
                                                         bool heals_by_default)
{
  std::vector<ComposeService> rest;
  std::vector<std::pair<ClusterSpecText, std::vector<const ComposeService*>>> clusters;
  const std::set<std::string> all_names = host_names();
  for (const ComposeService& service : services) {
    const ClusterSpecText spec = cluster_of(service, all_names);
    if (spec.hosts.empty())
      continue;
    // The same cluster when hosts overlap: a different text is an error of the file, reported below.
    const auto same = std::ranges::find_if(clusters, [&](const auto& cluster) {
      for (const auto& [role, hosts] : spec.hosts)
        for (const std::string& host : hosts)
          for (const auto& [other_role, others] : cluster.first.hosts)
            if (std::ranges::find(others, host) != others.end())
              return true;
      return false;
    });
    if (same == clusters.end()) {
      clusters.push_back({spec, {&service}});
    } else {
      if (same->first.text != spec.text)
        context_.report.error(place(service.line), "the cluster_spec of service '{}' differs from that of '{}'",
                              service.name, same->second.front()->name);
      same->second.push_back(&service);
    }
  }
  std::set<const ComposeService*> taken;
  for (const auto& [spec, members] : clusters) {
    std::vector<std::string> names;
    for (const ComposeService* member : members) {
      names.push_back(member->container);
      taken.insert(member);
    }
    const std::string start = common_start(names);
    add_training(start.empty() ? "train" : start, spec, members, heals_by_default);
  }
  if (clusters.empty()) { // services that are called worker and ps
    std::vector<const ComposeService*> members;
    bool workers = false, servers = false;
    for (const ComposeService& service : services) {
      const std::string role = launch_of(service).empty() ? role_named(service.name) : "";
      const bool worker = role == "worker", server = role == "ps" && words_of_name(service.name).back() != "server";
      workers = workers || worker;
      servers = servers || server;
      if (worker || server)
        members.push_back(&service);
    }
    if (workers && (servers || std::ranges::any_of(members, [](const ComposeService* one) { return one->gpus > 0; }))) {
      context_.report.assumed("services called worker and ps are one training job", "the file gives no cluster_spec",
                              place(members.front()->line));
      add_training("train", {}, members, heals_by_default);
      taken.insert(members.begin(), members.end());
    }
  }
  std::map<std::string, std::vector<const ComposeService*>> launches; // by what their containers have in common
  for (const ComposeService& service : services)
    if (const std::string launch = launch_of(service); !launch.empty() && !taken.contains(&service))
      launches[launch].push_back(&service);
  for (const auto& [launch, members] : launches) {
    std::vector<std::string> names;
    for (const ComposeService* member : members)
      names.push_back(member->name);
    const std::string start = common_start(names);
    add_training(start.empty() ? "train" : start, {}, members, heals_by_default, true);
    taken.insert(members.begin(), members.end());
  }
  for (const ComposeService& service : services)
    if (!taken.contains(&service))
      rest.push_back(service);
  return rest;
}

/// Whether the cluster_spec lists as many tasks of each role as the file has.
void ComposeReader::check_spec(const ClusterSpecText& spec, int workers, int servers, const ImportPlace& where)
{
  ImportReport& report = context_.report;
  for (const auto& [role, hosts] : spec.hosts) {
    const int there = role == "ps" ? servers : role == "worker" ? workers : -1;
    if (there >= 0 && there != static_cast<int>(hosts.size()))
      report.error(where, "the cluster_spec lists {} tasks of role '{}', the file has {}", hosts.size(), role, there);
    if (there < 0)
      report.ignored({"role '{}' of the cluster_spec", role}, "it computes nothing", where);
  }
}

void ComposeReader::add_training(const std::string& cluster, const ClusterSpecText& spec,
                                 const std::vector<const ComposeService*>& members, bool heals_by_default,
                                 bool launched)
{
  ImportReport& report = context_.report;
  DraftJob job{.name = cluster};
  DraftService service{.name = cluster, .kind = "training", .coupling = "sync", .job = cluster};
  DraftTasks workers{.role = "worker", .replicas = 0}, servers{.role = "ps", .replicas = 0};
  std::string texts;
  std::set<int> reschedules;
  const ComposeService* first = members.front();
  bool first_is_server = true;
  for (const ComposeService* member : members) {
    const std::string role = role_of(*member);
    const bool server = !launched && (role.empty() ? role_named(member->name) : role) != "worker";
    if (!server && first_is_server) // what trains says how
      first = member, first_is_server = false;
    DraftTasks& tasks = server ? servers : workers;
    tasks.replicas += member->replicas;
    tasks.gpus = std::max(tasks.gpus, member->gpus);
    tasks.cpu = std::max(tasks.cpu, member->cpus);
    tasks.memory_bytes = std::max(tasks.memory_bytes, member->memory_bytes);
    for (int i = 0; i < member->replicas && !spec.hosts.empty(); ++i)
      tasks.names.push_back(member->replicas == 1 ? member->container : fmt::format("{}-{}", member->container, i));
    tasks.note += (tasks.note.empty() ? to_text(place(member->line)) : fmt::format(", {}", member->line));
    reschedules.insert(reschedule_of(*member));
    if (service.restart.empty())
      service.restart = member->restart;
    else if (service.restart != member->restart)
      report.assumed({"all tasks of {} restart as those of {} do", cluster, first->name}, "their restart rules differ",
                     place(member->line));
    texts += member->image + " ";
    note_framework(member->image, place(member->line), context_);
    for (const std::string& word : member->command)
      texts += word + " ";
  }
  if (workers.replicas == 0) {
    report.error(place(first->line), "training cluster '{}' has no worker among the services", cluster);
    return;
  }
  check_spec(spec, workers.replicas, servers.replicas, place(first->line));
  job.workers = workers.replicas * std::max(1, workers.gpus);
  job.on_cpu = workers.gpus == 0;
  job.servers = servers.replicas;
  job.note = to_text(place(first->line));
  std::set<std::string> ports;
  for (const auto& [role, hosts] : spec.hosts)
    for (const std::string& host : hosts)
      if (const std::size_t colon = host.rfind(':'); colon != std::string::npos)
        ports.insert(host.substr(colon + 1));
  for (const ComposeService* member : members)
    report.understood(place(member->line), "job {}: {} with {}, {}{}", cluster, counted(workers.replicas, "worker"),
                      job.on_cpu ? "CPUs" : counted(workers.gpus, "GPU"), counted(servers.replicas, "parameter server"),
                      ports.empty() ? std::string{} : fmt::format(", port {}", fmt::join(ports, ", ")));
  std::vector<CommandFlag> flags;
  const auto add_flags = [&](const ComposeService& member) {
    const bool says = at(member.node, {"command"}) != nullptr;
    std::ranges::copy(
        flags_of(member.command, says ? line_at(*member.node, {"command"}) : member.line, member.variables),
        std::back_inserter(flags));
  };
  add_flags(*first); // what trains comes first
  for (const ComposeService* member : members)
    if (member != first)
      add_flags(*member);
  const std::string sync = flag_value(flags, sync_flags);
  if (sync.empty() && !launched)
    report.assumed("synchronous updates", "no flag says otherwise",
                   place(at(first->node, {"command"}) != nullptr ? line_at(*first->node, {"command"}) : first->line));
  if (servers.replicas > 0) {
    job.training = fmt::format("update_rule: {}", sync.empty() || truthy(sync) ? "sync" : "async");
    service.coupling = sync.empty() || truthy(sync) ? "sync" : "async";
    job.training += ", " + processes_of_containers(workers.gpus);
  }
  read_training_command(flags, texts, {workers.replicas, workers.gpus}, place(first->line), context_, job);
  if (reschedules.size() > 1)
    report.assumed({"all tasks of {} are rescheduled when their node fails", cluster},
                   "only some of them have the policy", place(first->line));
  service.reschedule = reschedules.contains(1) ? 1 : heals_by_default ? -1 : 0;
  if (service.restart.empty())
    service.restart = heals_by_default ? "" : "never";
  if (service.restart == "always") {
    service.restart = "on_failure";
    report.assumed({"training {} is not begun again when it has ended", cluster},
                   "restart: always is there for its servers, which never end", place(first->line));
  }
  for (const ComposeService* member : members)
    service.attempts = std::max(service.attempts, member->attempts);
  service.cluster_spec = spec.text;
  service.note = job.note;
  if (servers.replicas > 0)
    service.tasks.push_back(servers);
  service.tasks.push_back(workers);
  context_.draft.jobs.push_back(std::move(job));
  context_.draft.services.push_back(std::move(service));
}

} // namespace trainyard
