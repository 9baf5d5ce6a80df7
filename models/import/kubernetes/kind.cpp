// SPDX-License-Identifier: Apache-2.0
#include "models/import/kubernetes/kind.hpp"

#include "models/core/quantity_text.hpp"
#include "models/import/compose_parts.hpp"
#include "models/import/shell_script.hpp"
#include "models/job/traces/trace_importer.hpp"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <fmt/format.h>
#include <set>

namespace trainyard {
namespace {

constexpr double longest_run = 1e9; // seconds

constexpr const char* product_labels[] = {"nvidia.com/gpu.product",
                                          "amd.com/gpu.product-name",
                                          "beta.amd.com/gpu.product-name",
                                          "alibabacloud.com/gpu-card-model",
                                          "cloud.google.com/gke-accelerator",
                                          "accelerator",
                                          "gpu.nvidia.com/model",
                                          "gpu-type"};

void add_container(const KubernetesObject& object, const DocumentNode& container, PodNeeds& needs)
{
  std::map<std::string, std::pair<double, int>> wants;
  for (const char* side : {"requests", "limits"}) // limits stand for requests that are not given
    if (const DocumentNode* part = at(container, {"resources", side}); part != nullptr)
      for (const DocumentNode::Entry& entry : part->entries) {
        const double value = kubernetes_quantity(entry.value.text);
        if (value < 0)
          object.context.report.error(object.at_line(entry.line),
                                      fmt::format("'{}' is not a quantity", entry.value.text));
        else
          wants.try_emplace(entry.key, value, entry.line);
      }
  for (const auto& [resource, want] : wants) {
    const auto& [value, line] = want;
    const ImportPlace place = object.at_line(line);
    if (resource == "cpu") {
      needs.cpu += std::min(value, 1e5);
      object.context.report.understood(fmt::format("{:g} CPU cores", value), place);
    } else if (resource == "memory") {
      needs.memory_bytes += std::min(value, 1e15);
      object.context.report.understood(fmt::format("{} of memory", bytes_text(value)), place);
    } else if (is_accelerator(resource)) {
      needs.accelerators.try_emplace(resource, 0, line).first->second.first += value;
    } else {
      object.context.report.ignored("resource " + resource, "only GPUs, CPU and memory are counted", place);
    }
  }
  if (const DocumentNode* ports = at(container, {"ports"}); ports != nullptr)
    for (const DocumentNode& port : ports->items) {
      const double number = number_of(text_at(port, {"hostPort"}), 0);
      if (number >= 1 && number <= 65535) {
        needs.host_ports.push_back(static_cast<int>(number));
        object.context.report.understood(fmt::format("port {} of the host", number), object.at_line(port.line));
      } else {
        object.context.report.ignored("port inside the pod", "it cannot conflict with another port",
                                      object.at_line(port.line));
      }
    }
  needs.text += text_at(container, {"image"}) + " ";
  for (const char* list : {"command", "args"})
    if (const DocumentNode* words = at(container, {list}); words != nullptr)
      for (const DocumentNode& word : words->items)
        needs.text += word.text.substr(0, 400) + " ";
  if (const DocumentNode* image = at(container, {"image"}); image != nullptr)
    object.context.report.ignored("image", "its size is not in the file, so pulling takes no time",
                                  object.at_line(image->line));
  static const std::set<std::string> known = {"name", "image", "command", "args", "resources", "ports"};
  for (const DocumentNode::Entry& entry : container.entries)
    if (!known.contains(entry.key))
      object.context.report.ignored(entry.key, "not modelled", object.at_line(entry.line));
}

void add_constraints(const KubernetesObject& object, const DocumentNode& spec, PodNeeds& needs)
{
  const auto constrain = [&](const std::string& key, const std::string& value, bool equal, int line) {
    if (is_product_label(key) && equal) {
      needs.gpu_type = object.context.gpu(value, object.at_line(line));
      object.context.report.understood(fmt::format("GPUs of type {}", value), object.at_line(line));
      return;
    }
    needs.constraints.push_back(fmt::format("{} {} {}", key, equal ? "==" : "!=", value));
    object.context.report.understood(fmt::format("node with {} {} {}", key, equal ? "=" : "!=", value),
                                     object.at_line(line));
  };
  if (const DocumentNode* selector = at(spec, {"nodeSelector"}); selector != nullptr)
    for (const DocumentNode::Entry& entry : selector->entries)
      constrain(entry.key, entry.value.text, true, entry.line);
  const DocumentNode* terms =
      at(spec, {"affinity", "nodeAffinity", "requiredDuringSchedulingIgnoredDuringExecution", "nodeSelectorTerms"});
  if (terms != nullptr) {
    if (terms->items.size() > 1)
      object.context.report.ignored("alternatives of node affinity", "only the first is used",
                                    object.at_line(terms->line));
    if (!terms->items.empty())
      if (const DocumentNode* rules = at(terms->items.front(), {"matchExpressions"}); rules != nullptr)
        for (const DocumentNode& rule : rules->items) {
          const DocumentNode* values = at(rule, {"values"});
          const std::string how = text_at(rule, {"operator"});
          if (values != nullptr && !values->items.empty() &&
              (how == "NotIn" || (how == "In" && values->items.size() == 1)))
            for (const DocumentNode& value : values->items)
              constrain(text_at(rule, {"key"}), value.text, how == "In", rule.line);
          else
            object.context.report.ignored("node affinity with " + how, "only In with one value and NotIn are modelled",
                                          object.at_line(rule.line));
        }
  }
  if (const DocumentNode* node = at(spec, {"tolerations"}); node != nullptr && !object.state.queued)
    object.context.report.ignored("tolerations", "not modelled", object.at_line(node->line));
  for (const char* other :
       {"topologySpreadConstraints", "volumes", "schedulingGates", "initContainers", "securityContext"})
    if (const DocumentNode* node = at(spec, {other}); node != nullptr)
      object.context.report.ignored(other, "not modelled", object.at_line(node->line));
  if (at(spec, {"affinity", "podAffinity"}) != nullptr || at(spec, {"affinity", "podAntiAffinity"}) != nullptr)
    object.context.report.ignored("affinity between pods", "not modelled", object.at_line(line_at(spec, {"affinity"})));
}

} // namespace

void KubernetesObject::ignore_others(const DocumentNode* map, std::initializer_list<std::string_view> known,
                                     const std::string& prefix) const
{
  if (map == nullptr)
    return;
  for (const DocumentNode::Entry& entry : map->entries)
    if (std::ranges::find(known, entry.key) == known.end())
      context.report.ignored(prefix + entry.key, "not modelled", at_line(entry.line));
}

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

std::optional<double> priority_of_class(const KubernetesObject& object, const DocumentNode& spec)
{
  const std::string name = text_at(spec, {"priorityClassName"});
  if (name.empty())
    return std::nullopt;
  const ImportPlace place = object.at_line(line_at(spec, {"priorityClassName"}));
  if (const auto found = object.state.priorities.find(name); found != object.state.priorities.end()) {
    object.context.report.understood(fmt::format("priority {:g} (class {})", found->second.first, name), place);
    return std::clamp(found->second.first, -1e9, 1e9);
  }
  object.context.report.assumed(fmt::format("priority class {} has priority 0", name), "it is in none of the files",
                                place);
  return 0;
}

PodNeeds pod_needs(const KubernetesObject& object, const DocumentNode* spec, const DocumentNode* metadata)
{
  PodNeeds needs;
  if (const DocumentNode* containers = at(spec, {"containers"}); containers != nullptr)
    for (const DocumentNode& container : containers->items)
      add_container(object, container, needs);
  needs.spec = spec;
  needs.seconds = std::min(sleep_seconds(object, spec), longest_run);
  if (const double most = number_of(text_at(spec, {"activeDeadlineSeconds"}), 0); most > 0)
    needs.seconds = std::min(most, needs.seconds > 0 ? needs.seconds : longest_run);
  if (spec != nullptr && spec->kind == DocumentNode::Kind::map) {
    add_constraints(object, *spec, needs);
    add_accelerators(object, needs);
    const std::string restart = text_at(spec, {"restartPolicy"});
    needs.restart = restart == "Always"      ? "always"
                    : restart == "OnFailure" ? "on_failure"
                    : restart == "Never"     ? "never"
                                             : "";
    if (const std::string value = text_at(spec, {"priority"}); !value.empty()) { // what the class was when it came
      needs.priority = std::clamp(number_of(value, 0), -1e9, 1e9);
    } else {
      needs.priority = priority_of_class(object, *spec).value_or(0);
    }
  }
  if (const DocumentNode* annotations = at(metadata, {"annotations"}); annotations != nullptr)
    for (const DocumentNode::Entry& entry : annotations->entries) {
      const ImportPlace place = object.at_line(entry.line);
      if (entry.key == "alibabacloud.com/gpu-milli") {
        const double milli = number_of(entry.value.text, 0);
        if (milli > 0 && milli < 1000) {
          needs.gpu_share = milli / 1000;
          needs.gpus = std::max(needs.gpus, 1);
          object.context.report.understood(fmt::format("{:g} of a GPU", needs.gpu_share), place);
        }
      } else if (entry.key == "alibabacloud.com/gpu-count") {
        needs.gpus = count_of(entry.value.text, 64, 0, "GPUs", place, object.context.report);
        object.context.report.understood(counted(needs.gpus, "GPU"), place);
      } else if (entry.key == "kueue.x-k8s.io/podset-required-topology" ||
                 entry.key == "kueue.x-k8s.io/podset-preferred-topology") {
        object.context.report.understood(
            fmt::format("all pods {} one {}", entry.key.find("required") != std::string::npos ? "in" : "if possible in",
                        entry.value.text.substr(entry.value.text.rfind('-') + 1)),
            place);
        object.context.report.ignored("placement in one topology level", "the orchestrator places pods one by one",
                                      place);
      } else {
        object.context.report.ignored("annotation " + entry.key, "not modelled", place);
      }
    }
  if (needs.gpus > 1 && needs.gpu_share > 0)
    needs.gpu_share = 0;
  return needs;
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

/// A job of @p pods equal pods with a part of a GPU each; 0 pods: they are not equal. Only a job of one GPU can have a
/// part of it.
void set_share(DraftQueueJob& job, const PodNeeds& needs, int pods, ImportReport& report, const ImportPlace& place)
{
  if (needs.gpu_share <= 0)
    return;
  if (pods < 1) {
    report.assumed(fmt::format("{} takes whole GPUs", job.name),
                   "its pods ask for different parts of GPUs, and the tasks of a job are equal", place);
    return;
  }
  job.gpu_milli = std::max(1, thousandths(needs.gpu_share));
  job.gpus = job.tasks = 1;
  if (pods == 1)
    return;
  job.copies = pods;
  report.assumed(fmt::format("the {} pods of {} start one by one", pods, job.name),
                 "each has a part of a GPU, and a job of several GPUs has whole ones", place);
}

/// The batch that a command line gives: "--batch-size=64", "--batch_size 64"; 0 where it gives none.
int batch_named_in(const std::string& text)
{
  static const std::set<std::string_view> names = {"--batch-size", "--batch_size", "--train_batch_size",
                                                   "--per_device_train_batch_size"};
  const std::vector<std::string_view> words = blank_separated(text);
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::size_t equals = words[i].find('=');
    if (!names.contains(words[i].substr(0, equals)))
      continue;
    const std::string_view value = equals != std::string_view::npos ? words[i].substr(equals + 1)
                                   : i + 1 < words.size()           ? words[i + 1]
                                                                    : std::string_view{};
    if (const std::optional<int> batch = cell_whole(value); batch && *batch >= 1 && *batch <= 1'000'000)
      return *batch;
  }
  return 0;
}

} // namespace

void add_training(const KubernetesObject& object, const std::string& name, int workers, const PodNeeds& worker,
                  int worker_line, int servers, const PodNeeds& server, int server_line, const std::string& restart,
                  bool mpi)
{
  ImportContext& context = object.context;
  if (workers <= 0) {
    context.report.error(object.place, fmt::format("job '{}' has no workers", name));
    return;
  }
  DraftJob job{.name = name, .workers = std::min(workers, 1'000'000) * std::max(1, worker.gpus)};
  job.on_cpu = worker.gpus == 0;
  job.servers = servers;
  job.team = object.team();
  job.priority = worker.priority;
  job.note = to_text(object.place);
  if (servers > 0)
    context.report.assumed("synchronous updates", "the file does not say", object.place);
  const int text_line = worker.text_line > 0 ? worker.text_line : worker_line;
  if (const std::string model = model_named_in(worker.text); !model.empty() && context.options.model.empty()) {
    job.model = model;
    context.report.assumed(fmt::format("job {} trains {}", name, model), "the image or command line names it",
                           object.at_line(text_line));
  }
  if (const int batch = batch_named_in(worker.text); batch > 0) {
    job.batch_per_gpu = batch;
    context.report.assumed(fmt::format("job {} has a batch of {} per {}", name, batch, job.on_cpu ? "worker" : "GPU"),
                           "the command line names it", object.at_line(text_line));
  }
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
  context.report.understood(fmt::format("job {} ({}): {}{}, {}", name, object.kind, counted(workers, "worker"),
                                        servers > 0 ? ", " + counted(servers, "parameter server") : "",
                                        job.on_cpu ? "no GPU" : counted(worker.gpus, "GPU") + " each"),
                            object.place);
  if (object.state.queued) {
    KubernetesJob queued = job_of(object);
    queued.job.name = name;
    make_gang(queued, {{worker, workers}, {server, servers}}, context);
    object.state.jobs.push_back(std::move(queued));
  }
  context.draft.jobs.push_back(std::move(job));
  context.draft.services.push_back(std::move(service));
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
    context.report.assumed(fmt::format("{} runs for {}", name, to_text(seconds, QuantityKind::duration)),
                           "the file gives no run time; --assume-duration TIME chooses another", object.place);
  } else if (!for_ever) {
    context.report.understood(fmt::format("{} runs for {}", name, seconds_text(seconds)), object.place);
  }
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
    queued.job = job;
    queued.job.team.clear();
    queued.job.priority = queued.priority.value_or(needs.priority);
    if (for_ever) {
      queued.job.duration_s = needs.seconds > 0 ? needs.seconds : assumed_seconds(context.options);
      context.report.assumed(
          fmt::format("{} runs for {}", name, to_text(queued.job.duration_s, QuantityKind::duration)),
          "it would run until it is deleted; --assume-duration TIME chooses another", object.place);
    }
    object.state.jobs.push_back(std::move(queued));
  }
  context.draft.services.push_back(std::move(service));
  context.draft.queue_jobs.push_back(std::move(job));
}

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
  if (job.volcano_queue.empty() && text_at(object.root, {"spec", "schedulerName"}) == "volcano")
    job.volcano_queue = "default";
  if (const std::string name = object.label("kueue.x-k8s.io/priority-class"); !name.empty())
    if (const auto found = object.state.workload_priorities.find(name); found != object.state.workload_priorities.end())
      job.priority = std::clamp(found->second, -1e9, 1e9);
  return job;
}

void make_gang(KubernetesJob& gang, const PodKinds& pods, ImportContext& context)
{
  const auto same = [](const PodNeeds& one, const PodNeeds& other) {
    return one.gpus == other.gpus && one.gpu_share == other.gpu_share && one.cpu == other.cpu &&
           one.memory_bytes == other.memory_bytes;
  };
  const auto most = std::ranges::max_element(pods, {}, [](const auto& kind) {
    return std::pair{kind.second > 0 ? kind.first.gpus : -1, kind.second};
  });
  if (most == pods.end() || most->second <= 0)
    return;
  const PodNeeds& main = most->first;
  double gpus = 0, tasks = 0;
  bool equal = true;
  for (const auto& [needs, count] : pods) {
    gpus += static_cast<double>(needs.gpus) * count;
    if (same(needs, main))
      tasks += count;
    else if (needs.gpus > 0)
      equal = false;
    else if (count > 0)
      context.report.ignored("CPU and memory of pods without GPUs in a gang",
                             "the tasks of a job of the queue are equal", gang.place);
    gang.job.duration_s = std::max(gang.job.duration_s, needs.seconds);
  }
  if (!equal)
    context.report.assumed(fmt::format("{} takes its GPUs on any machines, without CPU and memory", gang.job.name),
                           "its pods ask for different numbers of GPUs, and the tasks of a job are equal", gang.place);
  if (gang.job.duration_s <= 0) {
    gang.job.duration_s = assumed_seconds(context.options);
    context.report.assumed(
        fmt::format("jobs that wait run for {}", to_text(gang.job.duration_s, QuantityKind::duration)),
        "no file says how long they run; --assume-duration TIME chooses another", gang.place);
  }
  gang.spec = main.spec;
  gang.job.gpus = static_cast<int>(std::min(gpus, 1e6));
  gang.job.tasks = equal ? static_cast<int>(std::min(tasks, 1e6)) : 0;
  set_share(gang.job, main, equal ? gang.job.tasks : 0, context.report, gang.place);
  gang.job.cpu_milli = equal ? static_cast<int>(std::min(main.cpu * 1000, 2e9)) : 0;
  gang.job.memory_mib = equal ? static_cast<int>(std::min(main.memory_bytes / 1048576, 2e9)) : 0;
  gang.job.gpu_type = main.gpu_type;
  gang.job.priority = std::clamp(gang.priority.value_or(main.priority), -1e9, 1e9);
}

double sleep_seconds(const KubernetesObject& object, const DocumentNode* spec)
{
  const DocumentNode* containers = at(spec, {"containers"});
  if (containers == nullptr)
    return 0;
  double longest = 0;
  bool known = true, sleeps = false, silent = false;
  for (const DocumentNode& container : containers->items) {
    std::vector<std::string> words;
    for (const char* list : {"command", "args"})
      if (const DocumentNode* node = at(container, {list}); node != nullptr)
        for (const DocumentNode& word : node->items)
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
    object.context.report.ignored("sleep in a command",
                                  "its containers do more than wait, or wait for a time that the "
                                  "file does not say",
                                  object.at_line(containers->line));
  if (known && silent && longest > 0)
    object.context.report.assumed("containers without a command end when the others do",
                                  "what their images run is not in the file", object.at_line(containers->line));
  return known ? longest : 0;
}

int replicas_of(const DocumentNode* node, std::initializer_list<std::string_view> keys, int fallback)
{
  const std::string text = text_at(node, keys);
  return text.empty() ? fallback : static_cast<int>(std::clamp(number_of(text, fallback), 0.0, 1e6));
}

} // namespace trainyard
