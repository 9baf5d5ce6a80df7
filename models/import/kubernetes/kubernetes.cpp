// SPDX-License-Identifier: Apache-2.0
#include "models/core/closest.hpp"
#include "models/core/pattern.hpp"
#include "models/import/kubernetes/kind.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <stdexcept>

namespace trainyard {
namespace {

/// Manifests, document by document; each kind has its own class (kind.hpp). Unknown kinds are listed as ignored.
class Kubernetes final : public Importer
{
public:
  bool recognises(const InputFile& file) const override
  {
    const std::string_view head = file.head();
    const auto line = [&](const std::string& key) {
      return head.starts_with(key) || head.find("\n" + key) != std::string_view::npos;
    };
    return (line("kind:") && (line("apiVersion:") || line("version: ") || line("metadata:"))) ||
           (line("apiVersion:") && line("items:")) || // kubectl get -o yaml
           (head.find_first_not_of(" \t\r\n") != std::string_view::npos &&
            head[head.find_first_not_of(" \t\r\n")] == '{' && file.has("\"apiVersion\"") && file.has("\"kind\""));
  }
  std::string description() const override { return "Kubernetes manifests"; }
  std::vector<KeyTable> keys() const override { return manifest_keys(); }

  void read(const InputFile& file, ImportContext& context) const override
  {
    const std::string text = file.text();
    if (const int line = helm_line(text); line > 0) {
      context.report.error(
          {file.name(), line},
          "this is a Helm template; write its manifests with 'helm template NAME CHART > manifests.yaml' "
          "and import these");
      return;
    }
    documents_.emplace_back(file.name(), read_yaml_documents(text, file.name(), context.report));
  }

  /// Objects are read in an order in which each finds what it refers to.
  void finish(ImportContext& context) const override
  {
    KubernetesState state;
    std::vector<Item> items;
    for (const auto& [file, documents] : documents_)
      for (const Document& document : documents)
        add_items(document.root, file, items);
    look_over(items, state);
    std::ranges::stable_sort(items, {}, [](const Item& one) { return rank_of(one.kind); });
    for (const Item& item : items)
      read_object(item, context, state);
    wire(context, state);
    if (state.queued) {
      finish_queue(context, state);
      return;
    }
    if (!state.kueue.cluster_queues.empty()) {
      context.report.ignored("quotas of Kueue", "no job in the files is in one of its queues");
      add_quota_machine(context, state);
    }
    if (state.closed && context.draft.machines.empty())
      context.report.error({documents_.front().first, 0}, "no node of the files takes pods");
    if (!context.draft.services.empty()) {
      context.draft.orchestrator = "kubernetes";
      context.draft.orchestrator_note = "the files are Kubernetes manifests";
    }
    context.draft.ask("do the pods of these manifests fit, and how fast do their jobs train?");
  }

private:
  struct Item {
    const DocumentNode* root = nullptr;
    std::string file;
    std::string kind;
    std::string version; // apiVersion
  };

  /// An object, or those of a list: of a List each says what it is, of a PodList the list does.
  static void add_items(const DocumentNode& root, const std::string& file, std::vector<Item>& items)
  {
    const std::string kind = text_at(root, {"kind"}), version = text_at(root, {"apiVersion"});
    const DocumentNode* inside = at(root, {"items"});
    if (inside == nullptr || !kind.ends_with("List")) {
      if (kind != "List")
        items.push_back({&root, file, kind, version});
      return;
    }
    for (const DocumentNode& item : inside->items) {
      const bool says = at(item, {"kind"}) != nullptr;
      items.push_back({&item, file, says ? text_at(item, {"kind"}) : kind.substr(0, kind.size() - 4),
                       says ? text_at(item, {"apiVersion"}) : version});
    }
  }

  /// Whether the files are of a running cluster, and whether their jobs wait in queues.
  static void look_over(const std::vector<Item>& items, KubernetesState& state)
  {
    bool cluster_queues = false, in_kueue = false, volcano_queues = false, in_volcano = false;
    for (const Item& item : items) {
      const DocumentNode& root = *item.root;
      state.live =
          state.live || (item.kind == "Pod" && at(root, {"status", "phase"}) != nullptr) || item.kind == "Workload";
      cluster_queues = cluster_queues || item.kind == "ClusterQueue";
      in_kueue = in_kueue || at(root, {"metadata", "labels", "kueue.x-k8s.io/queue-name"}) != nullptr;
      const bool of_volcano = item.version.find("volcano.sh/") != std::string::npos;
      volcano_queues = volcano_queues || (of_volcano && item.kind == "Queue");
      in_volcano = in_volcano || (of_volcano && (item.kind == "Job" || item.kind == "PodGroup"));
      state.now = std::max(
          {state.now, time_at(&root, {"metadata", "creationTimestamp"}), time_at(&root, {"status", "startTime"})});
      for (const DocumentNode& condition : items_at(root, {"status", "conditions"}))
        for (const char* key : {"lastHeartbeatTime", "lastTransitionTime", "lastProbeTime"})
          state.now = std::max(state.now, time_at(&condition, {key}));
    }
    state.queued = state.live || (cluster_queues && in_kueue) || (volcano_queues && in_volcano);
  }

  /// The first line with an action of Go's templates, as charts have them; 0: none. "{{ $labels.pod }}" in quotes may
  /// be of alerts, and "{{workflow.name}}" of Argo.
  static int helm_line(const std::string& text)
  {
    static const Pattern action{
        R"(^\s*\{\{-?\s|\{\{-?\s*(\.Values|\.Release|\.Chart|\.Capabilities|include |template |toYaml ))"};
    int number = 0;
    for (std::size_t at = 0; at < text.size(); ++number) {
      const std::size_t end = std::min(text.find('\n', at), text.size());
      const std::string line = text.substr(at, end - at);
      if (line.find("{{") < line.find('#') && action.in(line))
        return number + 1;
      at = end + 1;
    }
    return 0;
  }

  static int rank_of(const std::string& kind)
  {
    return kind == "PriorityClass" || kind == "WorkloadPriorityClass" || kind == "Topology" || kind == "LocalQueue" ||
                   kind == "ClusterQueue" || kind.ends_with("TrainingRuntime")
               ? 0
           : kind == "Node"                           ? 1
           : kind == "Workload" || kind == "PodGroup" ? 2
           : kind == "Pod"                            ? 4
                                                      : 3;
  }

  static void read_object(const Item& item, ImportContext& context, KubernetesState& state)
  {
    const DocumentNode& root = *item.root;
    const ImportPlace place{item.file, root.line};
    const std::string& kind = item.kind;
    std::string version = item.version;
    if (version.empty() && !text_at(root, {"version"}).empty()) {
      version = text_at(root, {"version"});
      context.report.assumed("'version' is apiVersion", "Kubernetes knows no key 'version'",
                             {item.file, line_at(root, {"version"})});
    }
    if (kind.empty()) {
      context.report.ignored("a document without 'kind'", "it is not a Kubernetes object", place);
      return;
    }
    const std::size_t slash = version.find('/');
    const std::string group = slash == std::string::npos ? "" : version.substr(0, slash);
    const auto& registry = Registry<KubernetesKind>::instance();
    const std::string key = group + "/" + kind;
    const auto* entry = registry.find(key);
    if (entry == nullptr) {
      context.report.ignored({"{} {}", kind, version},
                             "this kind of object is not modelled" + did_you_mean(key, registry.names()), place);
      return;
    }
    std::string name = text_at(root, {"metadata", "name"});
    if (name.empty())
      name = text_at(root, {"name"});
    if (name.empty())
      name = text_at(root, {"metadata", "generateName"});
    KubernetesObject object{root, at(root, {"spec"}), kind, group, name.empty() ? kind : name, place, context, state};
    if (state.live && makes_pods(kind) && object.is_live() && !waits_for_pods(object))
      return;
    entry->create({})->read(object);
    object.tell_metadata();
  }

  static bool makes_pods(const std::string& kind)
  {
    return kind.ends_with("Job") || kind == "JobSet" || kind.starts_with("Ray") || kind == "Deployment" ||
           kind == "StatefulSet" || kind == "ReplicaSet" || kind == "DaemonSet";
  }

  /// What makes pods counts by its pods; false, and said so, except for a job of Volcano that has none yet.
  static bool waits_for_pods(KubernetesObject& object)
  {
    KubernetesState& state = object.state;
    if (object.group == "batch.volcano.sh") {
      const bool has_pods = std::ranges::any_of(std::initializer_list<const char*>{"pending", "running", "succeeded"},
                                                [&](const char* key) {
                                                  return number_of(text_at(object.root, {"status", key}), 0) > 0;
                                                });
      if (!has_pods && text_at(object.root, {"status", "state", "phase"}) == "Pending")
        return true;
    }
    if (const double most = number_of(text_at(object.spec, {"activeDeadlineSeconds"}), 0); most > 0) {
      KubernetesOwner& owner = state.owners[object.space() + "/" + object.name];
      owner.seconds = std::min(most, owner.seconds > 0 ? owner.seconds : 1e9);
    }
    object.report.understood(object.place, "objects of kind {}: they count by their pods and Workloads", object.kind);
    return false;
  }

  /// Without nodes only the quota is known: one machine of that size.
  static void add_quota_machine(ImportContext& context, const KubernetesState& state)
  {
    double cpu = 0, memory = 0, gpus = 0;
    std::string accelerator;
    for (const auto& [queue, quotas] : state.quotas)
      for (const auto& [resource, quota] : quotas) {
        if (is_accelerator(resource))
          accelerator = resource;
        (resource == "cpu" ? cpu : resource == "memory" ? memory : gpus) += quota;
      }
    if (!context.draft.machines.empty() || (cpu <= 0 && gpus <= 0))
      return;
    DraftMachines machine{.name = "quota"};
    machine.cpu_cores = std::clamp(std::floor(cpu), 1.0, 1e5);
    machine.memory_bytes = memory;
    machine.gpus = static_cast<int>(std::clamp(gpus, 0.0, 32.0)); // of one machine in a queue
    if (machine.gpus > 0 && !accelerator.empty())
      machine.gpu = usual_gpu(context, accelerator, {});
    if (machine.gpus > 0 && machine.gpu.empty())
      machine.gpu = context.unknown_gpu({}, "a quota does not name the GPU type");
    context.draft.machines.push_back(machine);
    context.report.assumed("one machine that holds the quota", "no Node is in the files");
  }

  /// HyperNodes become switches, and topology labels of nodes racks.
  static void wire(ImportContext& context, const KubernetesState& state)
  {
    Draft& draft = context.draft;
    if (state.hypernodes.empty()) {
      by_labels(context, state);
      return;
    }
    std::map<std::string, std::size_t> machine;
    for (std::size_t i = 0; i < draft.machines.size(); ++i)
      machine.emplace(draft.machines[i].name, i);
    const bool given = !machine.empty();
    for (const auto& hyper : state.hypernodes) {
      draft.network.switches.push_back(hyper.name);
      const auto attach = [&](const std::string& name) {
        const auto [found, fresh] = machine.try_emplace(name, draft.machines.size());
        if (fresh) {
          draft.machines.push_back({.name = name, .note = to_text(hyper.place), .host = true});
          draft.machines.back().gpu = context.unknown_gpu({}, "HyperNodes do not list the GPUs of their nodes");
          draft.machines.back().gpus = 8;
          context.report.assumed("nodes have 8 GPUs", "no manifest describes them");
        }
        draft.machines[found->second].parent = hyper.name;
      };
      for (const std::string& node : hyper.nodes)
        attach(node);
      for (const auto& [label, value] : hyper.labels)
        for (DraftMachines& node : draft.machines)
          if (const auto found = node.labels.find(label); found != node.labels.end() && found->second == value)
            node.parent = hyper.name;
      for (const std::string& pattern : hyper.patterns) {
        int count = 0;
        try {
          const Pattern expression{pattern};
          for (DraftMachines& node : draft.machines)
            if (expression.in(node.name)) {
              node.parent = hyper.name;
              ++count;
            }
        } catch (const std::invalid_argument& fault) {
          context.report.error(hyper.place, "'{}' is not a regular expression: {}", pattern, fault.what());
          continue;
        }
        if (count > 0 || given)
          continue;
        const std::vector<std::string> names = names_of(pattern);
        for (const std::string& name : names)
          attach(name);
        if (names.empty())
          context.report.ignored("pattern " + pattern, "no Node in the files matches it", hyper.place);
        else
          context.report.assumed({"nodes {}", fmt::format("{} to {}", names.front(), names.back())},
                                 {"no Node is in the files; these match {}", pattern}, hyper.place);
      }
      for (const std::string& child : hyper.hypernodes) {
        if (std::ranges::find(state.hypernodes, child, &KubernetesState::HyperNode::name) == state.hypernodes.end())
          context.report.warning(hyper.place, "HyperNode '{}' lists '{}', which is not in the files", hyper.name,
                                 child);
        else
          draft.network.wires.push_back({.from = child, .to = hyper.name, .count = 0, .note = to_text(hyper.place)});
      }
    }
    draft.network.note = "HyperNodes";
  }

  /// "^node-[23]$" gives node-2, node-3: one class of single characters in plain text, nothing else.
  static std::vector<std::string> names_of(const std::string& pattern)
  {
    std::string before, inside, after;
    int part = 0;
    for (const char c : pattern) {
      if (c == '^' || c == '$')
        continue;
      if (c == '[' && part == 0)
        part = 1;
      else if (c == ']' && part == 1)
        part = 2;
      else if (std::string_view{"().*+?{}|\\["}.find(c) != std::string_view::npos)
        return {};
      else
        (part == 0 ? before : part == 1 ? inside : after) += c;
    }
    std::vector<std::string> names;
    for (std::size_t i = 0; i < inside.size(); ++i) {
      char last = inside[i];
      if (i + 2 < inside.size() && inside[i + 1] == '-')
        last = inside[i + 2];
      for (int c = inside[i]; c <= last; ++c)
        names.push_back(before + static_cast<char>(c) + after);
      if (last != inside[i])
        i += 2;
    }
    return names;
  }

  static void by_labels(ImportContext& context, const KubernetesState& state)
  {
    Draft& draft = context.draft;
    std::vector<std::string> levels;
    for (const std::string& level : state.topology_levels)
      if (level != "kubernetes.io/hostname")
        levels.push_back(level);
    if (levels.empty())
      levels = {"topology.kubernetes.io/rack", "cloud.provider.com/topology-rack"};
    std::map<std::string, std::string> parents; // switch -> the one above
    bool any = false;
    for (DraftMachines& node : draft.machines) {
      std::string above;
      for (const std::string& level : levels)
        if (const auto found = node.labels.find(level); found != node.labels.end()) {
          const std::string name = level.substr(level.rfind('-') + 1) + "-" + found->second;
          parents.try_emplace(name, above);
          above = name;
          any = true;
        }
      node.parent = above;
    }
    if (!any)
      return;
    for (const auto& [name, above] : parents) {
      draft.network.switches.push_back(name);
      if (!above.empty())
        draft.network.wires.push_back({.from = name, .to = above, .count = 0});
    }
    context.report.assumed("nodes with the same topology label are connected to one switch",
                           "labels give the place of nodes, not their wiring");
  }

  mutable std::vector<std::pair<std::string, std::vector<Document>>> documents_;
};

TY_REGISTER(
    Importer, Kubernetes, "kubernetes",
    "manifests, or the present state by kubectl get -o json: Node, Pod, Job, CronJob, TFJob, PyTorchJob, MPIJob, "
    "JobSet, Volcano, Kueue");

} // namespace
} // namespace trainyard
