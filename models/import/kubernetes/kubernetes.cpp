// SPDX-License-Identifier: Apache-2.0
#include "models/core/closest.hpp"
#include "models/import/kubernetes/kind.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <regex>

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
    return line("kind:") && (line("apiVersion:") || line("version: ") || line("metadata:"));
  }
  std::string description() const override { return "Kubernetes manifests"; }

  void read(const InputFile& file, ImportContext& context) const override
  {
    static_cast<void>(context);
    documents_.emplace_back(file.name(), read_yaml_documents(file.text(), file.name(), context.report));
  }

  /// Objects are read in an order in which each finds what it refers to.
  void finish(ImportContext& context) const override
  {
    KubernetesState state;
    std::vector<std::pair<int, std::pair<const DocumentNode*, std::string>>> objects; // rank, object, file
    for (const auto& [file, documents] : documents_)
      for (const Document& document : documents) {
        if (text_at(document.root, {"kind"}) == "List") {
          if (const DocumentNode* items = at(document.root, {"items"}); items != nullptr)
            for (const DocumentNode& item : items->items)
              objects.push_back({rank_of(item), {&item, file}});
        } else {
          objects.push_back({rank_of(document.root), {&document.root, file}});
        }
      }
    std::ranges::stable_sort(objects, {}, [](const auto& one) { return one.first; });
    for (const auto& [rank, object] : objects)
      read_object(*object.first, object.second, context, state);
    wire(context, state);
    if (!context.draft.services.empty()) {
      context.draft.orchestrator = "kubernetes";
      context.draft.orchestrator_note = "the files are Kubernetes manifests";
    }
    if (context.draft.question.empty())
      context.draft.question = "do the pods of these manifests fit, and how fast do their jobs train?";
  }

private:
  static int rank_of(const DocumentNode& root)
  {
    const std::string kind = text_at(root, {"kind"});
    return kind == "PriorityClass" || kind == "Topology" || kind == "LocalQueue" || kind == "ClusterQueue" ? 0
           : kind == "Node"                                                                                ? 1
                                                                                                           : 2;
  }

  static void read_object(const DocumentNode& root, const std::string& file, ImportContext& context,
                          KubernetesState& state)
  {
    const ImportPlace place{file, root.line};
    const std::string kind = text_at(root, {"kind"});
    std::string version = text_at(root, {"apiVersion"});
    if (version.empty() && !text_at(root, {"version"}).empty()) {
      version = text_at(root, {"version"});
      context.report.assumed("'version' is apiVersion", "Kubernetes knows no key 'version'",
                             {file, line_at(root, {"version"})});
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
      context.report.ignored(fmt::format("{} {}", kind, version),
                             "this kind of object is not modelled" + did_you_mean(key, registry.names()), place);
      return;
    }
    std::string name = text_at(root, {"metadata", "name"});
    if (name.empty())
      name = text_at(root, {"name"});
    if (name.empty())
      name = text_at(root, {"metadata", "generateName"});
    KubernetesObject object{root, kind, group, name.empty() ? kind : name, place, context, state};
    entry->create({})->read(object);
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
          const std::regex expression{pattern};
          for (DraftMachines& node : draft.machines)
            if (node.name.size() < 300 && std::regex_search(node.name, expression)) {
              node.parent = hyper.name;
              ++count;
            }
        } catch (const std::regex_error&) {
          context.report.error(hyper.place, fmt::format("'{}' is not a regular expression", pattern));
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
          context.report.assumed(fmt::format("nodes {}", fmt::format("{} to {}", names.front(), names.back())),
                                 fmt::format("no Node is in the files; these match {}", pattern), hyper.place);
      }
      for (const std::string& child : hyper.hypernodes) {
        if (std::ranges::find(state.hypernodes, child, &KubernetesState::HyperNode::name) == state.hypernodes.end())
          context.report.warning(
              hyper.place, fmt::format("HyperNode '{}' lists '{}', which is not in the files", hyper.name, child));
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

TY_REGISTER(Importer, Kubernetes, "kubernetes",
            "manifests: Node, Pod, Job, CronJob, TFJob, PyTorchJob, MPIJob, JobSet, Volcano, Kueue");

} // namespace
} // namespace trainyard
