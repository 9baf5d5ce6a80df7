// SPDX-License-Identifier: Apache-2.0
#include "models/import/kubernetes/kind.hpp"

#include "models/core/quantity_text.hpp"
#include "models/import/training_command.hpp"
#include "models/job/traces/trace_importer.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <fmt/format.h>
#include <functional>
#include <set>

namespace trainyard {
const DocumentNode* required_terms(const DocumentNode* spec)
{
  return at(spec, {"affinity", "nodeAffinity", "requiredDuringSchedulingIgnoredDuringExecution", "nodeSelectorTerms"});
}

namespace {

constexpr double longest_run = 1e9; // seconds

constexpr const char* product_labels[] = {"nvidia.com/gpu.product",
                                          "amd.com/gpu.product-name",
                                          "beta.amd.com/gpu.product-name",
                                          "alibabacloud.com/gpu-card-model",
                                          "cloud.google.com/gke-accelerator",
                                          "cloud.google.com/gke-tpu-accelerator",
                                          "accelerator",
                                          "gpu.nvidia.com/model",
                                          "gpu-type"};

void add_container(const KubernetesObject& object, const DocumentNode& container, PodNeeds& needs)
{
  std::map<std::string, std::pair<double, int>> wants;
  for (const char* side : {"requests", "limits"}) // limits stand for requests that are not given
    for (const DocumentNode::Entry& entry : entries_at(container, {"resources", side})) {
      const double value = kubernetes_quantity(entry.value.text);
      if (value < 0)
        object.report.error(object.at_line(entry.line), "'{}' is not a quantity", entry.value.text);
      else
        wants.try_emplace(entry.key, value, entry.line);
    }
  for (const auto& [resource, want] : wants) {
    const auto& [value, line] = want;
    const ImportPlace place = object.at_line(line);
    if (resource == "cpu") {
      needs.cpu += std::min(value, 1e5);
      object.report.understood(place, "{:g} CPU cores", value);
    } else if (resource == "memory") {
      needs.memory_bytes += std::min(value, 1e15);
      object.report.understood(place, "{} of memory", bytes_text(value));
    } else if (is_accelerator(resource)) {
      needs.accelerators.try_emplace(resource, 0, line).first->second.first += value;
    } else {
      object.report.ignored("resource " + resource, "only GPUs, CPU and memory are counted", place);
    }
  }
  for (const DocumentNode& port : items_at(container, {"ports"})) {
    const double number = number_of(text_at(port, {"hostPort"}), 0);
    if (number >= 1 && number <= 65535) {
      needs.host_ports.push_back(static_cast<int>(number));
      object.report.understood(object.at_line(port.line), "port {} of the host", number);
    } else {
      object.report.ignored("port inside the pod", "it cannot conflict with another port", object.at_line(port.line));
    }
  }
  needs.text += text_at(container, {"image"}) + " ";
  for (const char* list : {"command", "args"})
    for (const DocumentNode& word : items_at(container, {list})) {
      needs.text += word.text + " ";
      if (needs.command_line == 0)
        needs.command_line = word.line;
    }
  std::map<std::string, std::pair<std::string, int>> variables;
  for (const DocumentNode& variable : items_at(container, {"env"}))
    variables[text_at(variable, {"name"})] = {text_at(variable, {"value"}), variable.line};
  needs.variables.merge(variables_in(needs.text, variables, object.place.file, object.report));
  if (const DocumentNode* image = at(container, {"image"}); image != nullptr) {
    object.report.ignored("image", "its size is not in the file, so pulling takes no time",
                          object.at_line(image->line));
    note_framework(image->text, object.at_line(image->line), object.context);
  }
  object.tell_keys(&container, "container");
}

void add_constraints(const KubernetesObject& object, const DocumentNode& spec, PodNeeds& needs)
{
  const auto constrain = [&](const std::string& key, const std::string& value, bool equal, int line) {
    if (is_product_label(key) && equal) {
      needs.gpu_type = object.context.gpu(product_of(key, value), object.at_line(line));
      object.report.understood(object.at_line(line), "GPUs of type {}", value);
      return;
    }
    needs.constraints.push_back(fmt::format("{} {} {}", key, equal ? "==" : "!=", value));
    object.report.understood(object.at_line(line), "node with {} {} {}", key, equal ? "=" : "!=", value);
  };
  for (const DocumentNode::Entry& entry : entries_at(spec, {"nodeSelector"}))
    constrain(entry.key, entry.value.text, true, entry.line);
  const DocumentNode* alternatives = required_terms(&spec);
  const std::vector<DocumentNode>& terms = items_at(alternatives, {});
  const bool known = !object.state.nodes.empty(); // then narrow_to_nodes looks at all of them
  if (terms.size() > 1 && !known)
    object.report.ignored("alternatives of node affinity", "only the first is used",
                          object.at_line(alternatives->line));
  if (!terms.empty() && (terms.size() == 1 || !known))
    for (const DocumentNode& rule : items_at(terms.front(), {"matchExpressions"})) {
      const std::vector<DocumentNode>& values = items_at(rule, {"values"});
      const std::string how = text_at(rule, {"operator"});
      if (!values.empty() && (how == "NotIn" || (how == "In" && values.size() == 1)))
        for (const DocumentNode& value : values)
          constrain(text_at(rule, {"key"}), value.text, how == "In", rule.line);
      else if (known)
        object.report.understood("node affinity: " + text_at(rule, {"key"}) + " " + how, object.at_line(rule.line));
      else
        object.report.ignored("node affinity with " + how, "only In with one value and NotIn are modelled",
                              object.at_line(rule.line));
    }
  if (const DocumentNode* some =
          at(spec, {"affinity", "nodeAffinity", "preferredDuringSchedulingIgnoredDuringExecution"});
      some != nullptr)
    object.report.ignored("preferences of node affinity", "only what is required decides where pods go",
                          object.at_line(some->line));
  if (const DocumentNode* node = at(spec, {"tolerations"}); node != nullptr)
    object.report.understood("tolerations of taints", object.at_line(node->line));
  object.tell_keys(&spec, "pod");
  if (at(spec, {"affinity", "podAffinity"}) != nullptr || at(spec, {"affinity", "podAntiAffinity"}) != nullptr)
    object.report.ignored("affinity between pods", "not modelled", object.at_line(line_at(spec, {"affinity"})));
}

/// Whether the constraints as they are written let the pod go to the machine, as the scenario will read them.
bool meets(const DraftMachines& machine, const PodNeeds& needs)
{
  return std::ranges::all_of(needs.constraints, [&](const std::string& text) {
    const bool equal = text.find(" == ") != std::string::npos;
    const std::size_t middle = text.find(equal ? " == " : " != ");
    const auto label = machine.labels.find(text.substr(0, middle));
    const std::string value = text.substr(middle + 4);
    return label != machine.labels.end() ? (label->second == value) == equal : !equal;
  });
}

/// The nodes of the files that take the pod, by all their labels, names and taints: where labels that the scenario has
/// do not say it, they get one of their own.
void narrow_to_nodes(const KubernetesObject& object, const DocumentNode* spec, PodNeeds& needs)
{
  KubernetesState& state = object.state;
  std::vector<DraftMachines>& machines = object.context.draft.machines;
  if (state.queued || state.nodes.empty() || machines.size() != state.nodes.size())
    return;
  std::vector<bool> open;
  bool same = true;
  for (std::size_t i = 0; i < machines.size(); ++i) {
    open.push_back(node_takes(state.nodes[i], spec));
    same = same && open[i] == (meets(machines[i], needs) &&
                               (needs.gpu_type.empty() || machines[i].gpus == 0 || machines[i].gpu == needs.gpu_type));
  }
  if (same)
    return;
  if (std::ranges::find(open, true) == open.end())
    object.report.ignored("pods of " + object.name,
                          "never start: no node has the labels that they ask for and only taints that they "
                          "tolerate",
                          object.place);
  const auto found = std::ranges::find(state.pools, open);
  const std::string label = fmt::format("pool-{}", found - state.pools.begin() + 1);
  if (found == state.pools.end()) {
    state.pools.push_back(open);
    for (std::size_t i = 0; i < open.size(); ++i)
      if (open[i])
        machines[i].labels[label] = "open";
  }
  needs.constraints = {label + " == open"};
}

} // namespace

std::string KubernetesObject::label(const std::string& key) const
{
  return text_at(root, {"metadata", "labels", key});
}

std::string KubernetesObject::team() const
{
  for (const char* key : {"kueue.x-k8s.io/queue-name", "scheduling.volcano.sh/queue-name"})
    if (const std::string queue = label(key); !queue.empty())
      return queue;
  const std::string space = text_at(root, {"metadata", "namespace"});
  return space == "default" ? std::string{} : space;
}

std::string KubernetesObject::owner() const
{
  const std::vector<DocumentNode>& owners = items_at(root, {"metadata", "ownerReferences"});
  return owners.empty() ? name : text_at(owners.front(), {"name"});
}

bool is_product_label(std::string_view key)
{
  return std::ranges::find(product_labels, key) != std::end(product_labels);
}

double time_at(const DocumentNode* node, std::initializer_list<std::string_view> keys)
{
  const std::string text = text_at(node, keys);
  return text.size() < 10 || text[4] != '-' ? 0 : cell_time(text).value_or(0);
}

double assumed_seconds(const ImportOptions& options)
{
  return options.duration_s > 0 ? options.duration_s : 3600;
}

double kubernetes_quantity(const std::string& text)
{
  std::size_t digits = 0;
  while (digits < text.size() && (std::isdigit(static_cast<unsigned char>(text[digits])) != 0 || text[digits] == '.'))
    ++digits;
  const double number = number_of(text.substr(0, digits), -1);
  const std::string unit = text.substr(digits);
  static const std::map<std::string, double> units = {{"", 1},
                                                      {"m", 1e-3},
                                                      {"k", 1e3},
                                                      {"K", 1e3},
                                                      {"M", 1e6},
                                                      {"G", 1e9},
                                                      {"T", 1e12},
                                                      {"P", 1e15},
                                                      {"Ki", 1024.0},
                                                      {"Mi", 1048576.0},
                                                      {"Gi", 1073741824.0},
                                                      {"Ti", 1099511627776.0},
                                                      {"Pi", 1.125899906842624e15}};
  const auto found = units.find(unit);
  return number < 0 || found == units.end() ? -1 : number * found->second;
}

std::optional<double> priority_of_class(const KubernetesObject& object, const DocumentNode& spec, std::string_view key)
{
  const std::string name = text_at(spec, {key});
  if (name.empty())
    return std::nullopt;
  const ImportPlace place = object.at_line(line_at(spec, {key}));
  if (const auto found = object.state.priorities.find(name); found != object.state.priorities.end()) {
    object.report.understood(place, "priority {:g} (class {})", found->second.first, name);
    return std::clamp(found->second.first, -1e9, 1e9);
  }
  object.report.assumed({"priority class {} has priority 0", name}, "it is in none of the files", place);
  return 0;
}

PodNeeds pod_needs(const KubernetesObject& object, const DocumentNode* spec, const DocumentNode* metadata)
{
  PodNeeds needs;
  for (const DocumentNode& container : items_at(spec, {"containers"}))
    add_container(object, container, needs);
  needs.spec = spec;
  needs.seconds = needs.sleeps_s = std::min(sleep_seconds(object, spec), longest_run);
  if (const double most = number_of(text_at(spec, {"activeDeadlineSeconds"}), 0); most > 0)
    needs.seconds = std::min(most, needs.seconds > 0 ? needs.seconds : longest_run);
  if (spec != nullptr && spec->kind == DocumentNode::Kind::map) {
    add_constraints(object, *spec, needs);
    narrow_to_nodes(object, spec, needs);
    add_accelerators(object, needs);
    const std::string restart = text_at(spec, {"restartPolicy"});
    needs.restart = restart == "Always"      ? "always"
                    : restart == "OnFailure" ? "on_failure"
                    : restart == "Never"     ? "never"
                                             : "";
    if (const std::string value = text_at(spec, {"priority"}); !value.empty()) { // what the class was when it came
      needs.priority = std::clamp(number_of(value, 0), -1e9, 1e9);
    } else {
      needs.priority = priority_of_class(object, *spec).value_or(object.state.default_priority);
    }
  }
  for (const DocumentNode::Entry& entry : entries_at(metadata, {"annotations"})) {
    const ImportPlace place = object.at_line(entry.line);
    if (entry.key == "alibabacloud.com/gpu-milli") {
      const double milli = number_of(entry.value.text, 0);
      if (milli > 0 && milli < 1000) {
        needs.gpu_share = milli / 1000;
        needs.gpus = std::max(needs.gpus, 1);
        object.report.understood(place, "{:g} of a GPU", needs.gpu_share);
      }
    } else if (entry.key == "alibabacloud.com/gpu-count") {
      needs.gpus = count_of(entry.value.text, 64, 0, "GPUs", place, object.report);
      object.report.understood(counted(needs.gpus, "GPU"), place);
    } else if (entry.key == "kueue.x-k8s.io/podset-required-topology" ||
               entry.key == "kueue.x-k8s.io/podset-preferred-topology") {
      if (entry.key.ends_with("preferred-topology") || !object.state.queued)
        object.report.ignored({"placement of all pods in one {}", entry.value.text},
                              object.state.queued ? "pods go elsewhere where they do not fit, and nothing "
                                                    "here prefers a level"
                                                  : "no job of the files is in a queue of Kueue",
                              place);
      else
        needs.domain = entry.value.text;
    } else {
      object.report.ignored("annotation " + entry.key, "not modelled", place);
    }
  }
  if (needs.gpus > 1 && needs.gpu_share > 0)
    needs.gpu_share = 0;
  return needs;
}

PodNeeds template_needs(const KubernetesObject& object, const DocumentNode* owner)
{
  return pod_needs(object, at(owner, {"template", "spec"}), at(owner, {"template", "metadata"}));
}

namespace {

DraftTasks tasks_of(const std::string& role, int replicas, const PodNeeds& needs)
{
  DraftTasks tasks{.role = role, .replicas = replicas};
  tasks.gpus = needs.gpu_share > 0 ? 0 : needs.gpus;
  tasks.gpu_share = needs.gpu_share;
  tasks.gpu_type = needs.gpu_type;
  tasks.cpu = needs.cpu;
  tasks.memory_bytes = needs.memory_bytes;
  tasks.host_ports = needs.host_ports;
  tasks.constraints = needs.constraints;
  return tasks;
}

/// A job of @p pods equal pods with a part of a GPU each. Only a job of one GPU can have a part of it.
void set_share(DraftQueueJob& job, const PodNeeds& needs, int pods, ImportReport& report, const ImportPlace& place)
{
  if (needs.gpu_share <= 0)
    return;
  job.gpu_milli = std::max(1, thousandths(needs.gpu_share));
  job.gpus = job.tasks = 1;
  if (pods == 1)
    return;
  job.copies = pods;
  report.assumed({"the {} pods of {} start one by one", pods, job.name},
                 "each has a part of a GPU, and a job of several GPUs has whole ones", place);
}

} // namespace

void add_training(const KubernetesObject& object, const std::string& name, int workers, const PodNeeds& worker,
                  int worker_line, int servers, const PodNeeds& server, int server_line, const std::string& restart,
                  bool mpi, const PodKinds& kinds)
{
  ImportContext& context = object.context;
  if (workers <= 0) {
    context.report.error(object.place, "job '{}' has no workers", name);
    return;
  }
  DraftJob job{.name = name, .workers = std::min(workers, 1'000'000) * std::max(1, worker.gpus)};
  job.on_cpu = worker.gpus == 0;
  job.servers = servers;
  job.team = object.team();
  job.priority = worker.priority;
  job.note = to_text(object.place);
  if (servers > 0) {
    context.report.assumed("synchronous updates", "the file does not say", object.place);
    job.training = processes_of_containers(worker.gpus);
  }
  const int text_line = worker.text_line > 0 ? worker.text_line : worker_line;
  const std::vector<std::string> words = command_words(worker.text);
  const std::vector<CommandFlag> flags = flags_of(words, text_line, worker.variables);
  read_training_command(flags, worker.text, {workers, worker.gpus}, object.at_line(text_line), context, job);
  DraftService service{.name = name, .kind = mpi ? "mpi" : "training", .team = job.team};
  service.priority = worker.priority;
  service.coupling = mpi ? "mpi" : "sync";
  service.job = name;
  service.restart = restart;
  if (servers > 0) {
    service.tasks.push_back(tasks_of("ps", servers, server));
    service.tasks.back().note = to_text(object.at_line(server_line));
  }
  service.tasks.push_back(tasks_of("worker", workers, worker));
  service.tasks.back().note = to_text(object.at_line(worker_line));
  service.note = job.note;
  double all = 0; // GPUs
  bool alike = true;
  for (const auto& [needs, count] : kinds) {
    all += 1.0 * needs.gpus * count;
    alike = alike && (count == 0 || needs.gpus == worker.gpus);
  }
  context.report.understood(object.place, "job {} ({}): {}{}, {}", name, object.kind, counted(workers, "worker"),
                            servers > 0 ? ", " + counted(servers, "parameter server") : "",
                            job.on_cpu                      ? "no GPU"
                            : object.state.queued && !alike ? fmt::format("{:g} GPUs in all", all)
                                                            : counted(worker.gpus, "GPU") + " each");
  if (object.state.queued) {
    KubernetesJob queued = job_of(object);
    queued.job.name = name;
    make_gang(queued, kinds.empty() ? PodKinds{{worker, workers}, {server, servers}} : kinds, context);
    object.state.jobs.push_back(std::move(queued));
  }
  context.draft.jobs.push_back(std::move(job));
  context.draft.services.push_back(std::move(service));
}

void tell_limit(const KubernetesObject& object, const DocumentNode* policy)
{
  if (const DocumentNode* most = at(policy, {"activeDeadlineSeconds"}); most != nullptr && !object.state.queued)
    object.report.ignored("activeDeadlineSeconds " + most->text,
                          "a training takes as long as its steps, and only jobs of a queue have limits",
                          object.at_line(most->line));
}

void tell_gang(const KubernetesObject& object, int least, int pods, int line)
{
  object.report.understood(object.at_line(line), "gang: starts when {} of {} pods can start (minAvailable)", least,
                           pods);
  if (least < pods)
    object.report.assumed("the whole gang starts at once", {"minAvailable {} would start with fewer pods", least},
                          object.place);
}

DraftService* service_of(const KubernetesObject& object)
{
  std::vector<DraftService>& all = object.context.draft.services;
  return all.empty() || all.back().name != object.name ? nullptr : &all.back();
}

void join_queue(const KubernetesObject& object, const std::string& queue, int line)
{
  DraftService* service = service_of(object);
  if (service == nullptr || object.context.draft.jobs.empty())
    return;
  object.context.draft.jobs.back().team = service->team = queue;
  object.report.understood("queue " + queue, object.at_line(line));
}

void tell_suspension(const KubernetesObject& object, const DocumentNode* spec)
{
  if (text_at(spec, {"suspend"}) == "true")
    object.report.assumed({"job {} is not suspended", object.name},
                          "Kueue or somebody resumes it, and no file says when",
                          object.at_line(line_at(*spec, {"suspend"})));
}

void add_pods(const KubernetesObject& object, const std::string& name, int replicas, const PodNeeds& needs,
              bool for_ever, double seconds, const std::string& restart)
{
  ImportContext& context = object.context;
  DraftService service{.name = name, .kind = for_ever ? "service" : "generic", .team = object.team()};
  service.priority = needs.priority;
  service.tasks = {tasks_of("", replicas, needs)};
  service.restart = restart;
  service.note = to_text(object.place);
  if (!for_ever && seconds <= 0) {
    seconds = assumed_seconds(context.options);
    context.report.assumed({"{} runs for {}", name, to_text(seconds, QuantityKind::duration)},
                           "the file gives no run time; --assume-duration TIME chooses another", object.place);
  } else if (!for_ever) {
    context.report.understood(object.place, "{} runs for {}", name, seconds_text(seconds));
  }
  if (needs.command_line > 0 && needs.sleeps_s <= 0)
    context.report.ignored("command of " + name,
                           for_ever ? "its pods only hold what they ask for"
                                    : "its pods hold what they ask for as long as they run, whatever they compute",
                           object.at_line(needs.command_line));
  service.work_s = for_ever ? 0 : seconds;
  DraftQueueJob job{.name = name,
                    .duration_s = for_ever ? 86400 : seconds,
                    .gpus = needs.gpus * replicas,
                    .tasks = std::max(1, replicas)};
  set_share(job, needs, replicas, context.report, object.place);
  job.cpu_milli = static_cast<int>(needs.cpu * 1000);
  job.memory_mib = static_cast<int>(std::min(needs.memory_bytes / 1048576, 2e9));
  job.priority = needs.priority;
  job.team = object.team();
  job.gpu_type = needs.gpu_type;
  job.note = service.note;
  if (object.state.queued) {
    KubernetesJob queued = job_of(object);
    queued.spec = needs.spec;
    queued.domain = needs.domain;
    queued.job = job;
    if (queued.local_queue.empty() && queued.cluster_queue.empty() && replicas > 1 && job.copies == 1) { // no gang
      queued.job.copies = replicas;
      queued.job.gpus = needs.gpus;
      queued.job.tasks = 1;
    }
    queued.job.team.clear();
    queued.job.priority = queued.priority.value_or(needs.priority);
    if (for_ever) {
      queued.job.duration_s = needs.seconds > 0 ? needs.seconds : assumed_seconds(context.options);
      context.report.assumed({"{} runs for {}", name, to_text(queued.job.duration_s, QuantityKind::duration)},
                             "it would run until it is deleted; --assume-duration TIME chooses another", object.place);
    }
    object.state.jobs.push_back(std::move(queued));
  }
  context.draft.services.push_back(std::move(service));
  context.draft.queue_jobs.push_back(std::move(job));
}

namespace {

/// The WorkloadPriorityClass of a job; without it, the priority of its pods counts.
void read_workload_priority(const KubernetesObject& object, KubernetesJob& job)
{
  const DocumentNode* label = at(object.root, {"metadata", "labels", "kueue.x-k8s.io/priority-class"});
  if (label == nullptr)
    return;
  const ImportPlace place = object.at_line(label->line);
  const auto found = object.state.workload_priorities.find(label->text);
  if (found == object.state.workload_priorities.end()) {
    object.report.assumed({"jobs of the workload priority class {} have the priority of their pods", label->text},
                          "it is in none of the files", place);
    return;
  }
  job.priority = std::clamp(found->second, -1e9, 1e9);
  object.report.understood(place, "priority {:g} (workload priority class {})", *job.priority, label->text);
}

} // namespace

KubernetesJob job_of(const KubernetesObject& object)
{
  KubernetesJob job{.space = object.space(), .created = time_at(&object.root, {"metadata", "creationTimestamp"})};
  job.job.name = object.name;
  job.job.note = to_text(object.place);
  job.place = object.place;
  job.cluster_queue = object.label("kueue.x-k8s.io/cluster-queue-name");
  job.local_queue = object.label("kueue.x-k8s.io/queue-name");
  if (job.local_queue.empty())
    job.local_queue = object.label("kueue.x-k8s.io/local-queue-name");
  for (const char* list : {"annotations", "labels"})
    if (job.volcano_queue.empty())
      job.volcano_queue = text_at(object.root, {"metadata", list, "scheduling.volcano.sh/queue-name"});
  if (job.volcano_queue.empty() && text_at(object.spec, {"schedulerName"}) == "volcano")
    job.volcano_queue = "default";
  read_workload_priority(object, job);
  return job;
}

namespace {

/// The kinds of pods that ask for anything, those that ask for the same as one. @p by_role: only of the same role.
PodKinds told_apart(const PodKinds& pods, bool by_role)
{
  const auto same = [&](const PodNeeds& one, const PodNeeds& other) {
    return one.gpus == other.gpus && one.gpu_share == other.gpu_share && one.cpu == other.cpu &&
           one.memory_bytes == other.memory_bytes && one.gpu_type == other.gpu_type &&
           (!by_role || one.role == other.role);
  };
  const auto asks = [](const auto& kind) {
    return kind.first.gpus > 0 || kind.first.cpu > 0 || kind.first.memory_bytes > 0;
  };
  PodKinds kinds;
  for (const auto& [needs, count] : pods) {
    const auto known =
        std::ranges::find_if(kinds, [&, &other = needs](const auto& kind) { return same(kind.first, other); });
    if (known != kinds.end())
      known->second += count;
    else if (count > 0)
      kinds.emplace_back(needs, count);
  }
  if (std::ranges::any_of(kinds, asks))
    std::erase_if(kinds, std::not_fn(asks));
  return kinds;
}

int cpu_milli(const PodNeeds& needs)
{
  return static_cast<int>(std::min(needs.cpu * 1000, 1e9));
}

int memory_mib(const PodNeeds& needs)
{
  return static_cast<int>(std::min(needs.memory_bytes / 1048576, 1e9));
}

} // namespace

void make_gang(KubernetesJob& gang, const PodKinds& pods, ImportContext& context)
{
  const PodKinds kinds = told_apart(pods, !gang.local_queue.empty() || !gang.cluster_queue.empty());
  if (kinds.empty())
    return;
  const PodNeeds& main = std::ranges::max_element(kinds, {}, [](const auto& kind) {
                           return std::pair{kind.first.gpus, kind.second};
                         })->first;
  const bool equal = kinds.size() == 1;
  double gpus = 0;
  for (const auto& [needs, count] : kinds) {
    gpus += static_cast<double>(needs.gpus) * count;
    gang.job.duration_s = std::max(gang.job.duration_s, needs.seconds);
    if (equal)
      continue;
    gang.job.task_list.push_back({.role = needs.role,
                                  .count = count,
                                  .gpus = needs.gpus,
                                  .cpu_milli = cpu_milli(needs),
                                  .memory_mib = memory_mib(needs),
                                  .gpu_type = needs.gpu_type});
    gang.task_specs.push_back(needs.spec);
  }
  if (gang.job.duration_s <= 0) {
    gang.job.duration_s = assumed_seconds(context.options);
    context.report.assumed({"jobs that wait run for {}", to_text(gang.job.duration_s, QuantityKind::duration)},
                           "no file says how long they run; --assume-duration TIME chooses another", gang.place);
  }
  gang.spec = main.spec;
  gang.domain = main.domain;
  gang.job.gpus = static_cast<int>(std::min(gpus, 1e6));
  gang.job.priority = std::clamp(gang.priority.value_or(main.priority), -1e9, 1e9);
  if (equal) {
    gang.job.tasks = std::min(kinds.front().second, 1'000'000);
    gang.job.cpu_milli = cpu_milli(main);
    gang.job.memory_mib = memory_mib(main);
    gang.job.gpu_type = main.gpu_type;
    set_share(gang.job, main, gang.job.tasks, context.report, gang.place);
  } else if (std::ranges::any_of(kinds, [](const auto& kind) { return kind.first.gpu_share > 0; })) {
    context.report.assumed({"{} takes whole GPUs", gang.job.name},
                           "its pods ask for different parts of GPUs, and the tasks of a list have whole ones",
                           gang.place);
  }
}

double sleep_seconds(const KubernetesObject& object, const DocumentNode* spec)
{
  const std::vector<DocumentNode>& containers = items_at(spec, {"containers"});
  const ImportPlace place = object.at_line(spec == nullptr ? 0 : line_at(*spec, {"containers"}));
  double longest = 0;
  bool known = !containers.empty(), sleeps = false, silent = false;
  for (const DocumentNode& container : containers) {
    std::vector<std::string> words;
    for (const char* list : {"command", "args"})
      for (const DocumentNode& word : items_at(container, {list}))
        words.push_back(word.text);
    if (words.empty()) {
      silent = true;
      continue;
    }
    const double seconds = sleep_in_command(words);
    known = known && seconds > 0;
    longest = std::max(longest, seconds);
    sleeps = sleeps || std::ranges::any_of(words, [](const std::string& word) {
               return word.find("sleep ") != std::string::npos || word == "sleep";
             });
  }
  if (sleeps && !known)
    object.report.ignored("sleep in a command",
                          "its containers do more than wait, or wait for a time that the "
                          "file does not say",
                          place);
  if (known && silent && longest > 0)
    object.report.assumed("containers without a command end when the others do",
                          "what their images run is not in the file", place);
  return known ? longest : 0;
}

int replicas_of(const KubernetesObject& object, const DocumentNode* node, std::initializer_list<std::string_view> keys,
                int fallback)
{
  const DocumentNode* value = at(node, keys);
  if (value == nullptr || value->kind == DocumentNode::Kind::null)
    return fallback;
  const double number = number_of(value->text, -1);
  if (number >= 0 && number == std::floor(number))
    return static_cast<int>(std::min(number, 1e6));
  object.report.error(object.at_line(value->line), "{}: '{}' is not a whole number{}", *(keys.end() - 1), value->text,
                      value->text.find_first_of("${") != std::string::npos || value->kind != DocumentNode::Kind::scalar
                          ? "; fill in the template first"
                          : "");
  return fallback;
}

} // namespace trainyard
