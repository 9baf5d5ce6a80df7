// SPDX-License-Identifier: Apache-2.0
// The core group: Node, Pod, PriorityClass, Namespace and what is only listed.
#include "models/import/kubernetes/kind.hpp"

#include "models/scenario/other_names.hpp"
#include "models/scenario/short_forms.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <utility>

namespace trainyard {
namespace {

class NodeKind final : public KubernetesKind
{
public:
  void read(KubernetesObject& object) const override
  {
    ImportContext& context = object.context;
    const DocumentNode* resources = at(object.root, {"status", "allocatable"});
    if (resources == nullptr)
      resources = at(object.root, {"status", "capacity"});
    KubernetesNode node{.name = object.name, .taints = at(object.spec, {"taints"})};
    DraftMachines machine{.name = object.name, .host = !object.state.queued}; // pods of a queue name their node
    double milli = 0;
    MigSlices slices;
    if (resources == nullptr)
      context.report.assumed({"node {} has 16 CPU cores and no GPU", object.name}, "its manifest has no status",
                             object.place);
    else
      for (const DocumentNode::Entry& entry : resources->entries) {
        const double value = kubernetes_quantity(entry.value.text);
        const ImportPlace place = object.at_line(entry.line);
        if (value > 0 && is_accelerator(entry.key))
          node.resources.insert(entry.key);
        if (value < 0)
          context.report.error(place, "'{}' is not a quantity", entry.value.text);
        else if (entry.key == "cpu")
          machine.cpu_cores = std::min(value, 1e5);
        else if (entry.key == "memory")
          machine.memory_bytes = std::min(value, 1e15);
        else if (entry.key == "alibabacloud.com/gpu-milli")
          milli = value;
        else if (is_gpu_resource(entry.key) || entry.key.ends_with("/gpu") || entry.key.ends_with("nvidia-gpu") ||
                 entry.key == "alibabacloud.com/gpu-count")
          machine.gpus =
              std::max(machine.gpus, static_cast<int>(std::clamp(chips_of(entry.key, value), 0.0, most_slices)));
        else if (const auto profile = mig_profile(entry.key); profile && is_accelerator(entry.key))
          slices.emplace_back(*profile, static_cast<int>(std::clamp(value, 0.0, most_slices)));
        else
          context.report.ignored("resource " + entry.key, "only GPUs, CPU and memory are counted", place);
      }
    if (machine.gpus == 0 && slices.empty())
      machine.gpus = static_cast<int>(std::clamp(milli / 1000, 0.0, most_slices));
    set_gpus(object, node, machine, std::move(slices));
    context.report.understood(object.place, "node {}: {}{} CPU cores, {}{}", object.name,
                              machine.gpus > 0 ? fmt::format("{} x {}, ", machine.gpus, machine.gpu) : "",
                              machine.cpu_cores, bytes_text(machine.memory_bytes),
                              milli > 0 ? fmt::format(", {:g} milli-GPU", milli) : "");
    read_rules(object, node);
    if (!object.state.queued && (node.cordoned || !node.ready)) {
      object.state.closed = true;
      return;
    }
    machine.note = object.place.file;
    std::erase_if(object.state.nodes, [&](const auto& other) { return other.name == node.name; });
    if (object.state.queued) // a later list of the same node replaces the earlier
      std::erase_if(context.draft.machines, [&](const auto& other) { return other.name == machine.name; });
    object.state.nodes.push_back(std::move(node));
    context.draft.machines.push_back(std::move(machine));
  }

private:
  static constexpr double most_slices = 448; // of a node: 64 GPUs of seven each

  /// The GPUs of a node by its labels; they may be cut into slices.
  static void set_gpus(const KubernetesObject& object, KubernetesNode& node, DraftMachines& machine, MigSlices slices)
  {
    Product product = read_labels(object, node, machine);
    node.slice = mig_profile(product.partition.empty() ? product.name : product.partition);
    if (node.slice) { // the strategy "single"
      slices.emplace_back(*node.slice, std::exchange(machine.gpus, 0));
      product.name = without_mig_profile(product.name);
      product.memory_mib = 0; // that of a slice
    }
    std::erase_if(slices, [](const auto& some) { return some.second == 0; });
    if (product.memory_mib == 0 && !slices.empty())
      product.memory_mib = mig_memory(slices.front().first) / 1048576;
    machine.gpus = std::min(machine.gpus, 64);
    if ((machine.gpus > 0 || !slices.empty()) && product.name.empty())
      for (const std::string& resource : node.resources)
        if (machine.gpu.empty())
          machine.gpu = usual_gpu(object.context, resource, object.place);
    if ((machine.gpus > 0 || !slices.empty()) && machine.gpu.empty())
      machine.gpu = product.name.empty()
                        ? object.context.unknown_gpu(object.place, "no label names the node's GPUs")
                        : object.context.gpu(product.name, object.at_line(product.line), product.memory_mib * 1048576);
    node.gpu = machine.gpu;
    add_sliced(object, machine, slices);
  }

  /// GPUs that are cut into slices of MIG.
  static void add_sliced(const KubernetesObject& object, DraftMachines& machine, const MigSlices& slices)
  {
    if (slices.empty())
      return;
    const MigGpu whole =
        mig_gpu(machine.gpu, object.context.catalogue.gpus.at(machine.gpu).memory.value(), slices.front().first);
    const int gpus = mig_gpus(slices, whole);
    machine.gpus = std::min(machine.gpus + gpus, 64);
    std::vector<std::string> texts;
    for (const auto& [profile, count] : slices)
      texts.push_back(fmt::format("{} x {}", count, to_text(profile)));
    object.report.assumed(
        {"the MIG slices of node {} are cut from {}", object.name, counted(gpus, "GPU")},
        {"they are {}, and a GPU has {} compute slices and {} of memory; a pod may take its part from any "
         "GPU of this type, however that is cut",
         fmt::join(texts, ", "), whole.compute, whole.memory},
        object.place);
  }

  /// The GPU that labels name.
  struct Product {
    std::string name;
    int line = 0;
    double memory_mib = 0;
    std::string partition; // of GKE: the profile of all its slices
  };

  static Product read_labels(const KubernetesObject& object, KubernetesNode& node, DraftMachines& machine)
  {
    ImportReport& report = object.report;
    Product product{.line = object.place.line};
    const DocumentNode* labels = at(object.root, {"metadata", "labels"});
    if (labels == nullptr)
      return product;
    for (const DocumentNode::Entry& entry : labels->entries) {
      node.labels[entry.key] = entry.value.text;
      if (entry.key == "nvidia.com/gpu.product" || entry.key == "alibabacloud.com/gpu-card-model" ||
          entry.key == "accelerator" || entry.key == "cloud.google.com/gke-accelerator" ||
          entry.key == "cloud.google.com/gke-tpu-accelerator" || entry.key.ends_with("amd.com/gpu.product-name")) {
        product.name = product_of(entry.key, entry.value.text);
        product.line = entry.line;
      } else if (entry.key == "cloud.google.com/gke-gpu-partition-size") {
        product.partition = entry.value.text;
      } else if (entry.key == "nvidia.com/gpu.memory") {
        product.memory_mib = number_of(entry.value.text, 0);
      } else if (entry.key == "nvidia.com/gpu.replicas" && number_of(entry.value.text, 1) > 1) {
        report.assumed("each replica of a GPU that is shared counts as a GPU of its own",
                       "the device plugin lists the node's GPUs so", object.at_line(entry.line));
      } else if (object.state.queued) {
        machine.labels[entry.key] = entry.value.text; // selectors of pods look at all of them
      } else if (entry.key.starts_with("node-role.kubernetes.io/")) {
        const std::string role = entry.key.substr(24);
        if (role == "worker")
          machine.role = "worker";
        report.ignored("label " + entry.key,
                       role == "worker" ? "all nodes take pods" : "the node still takes pods unless it is tainted",
                       object.at_line(entry.line));
      } else if (entry.key.starts_with("beta.kubernetes.io/") || entry.key == "kubernetes.io/arch" ||
                 entry.key == "kubernetes.io/os") {
        report.ignored("label " + entry.key, "it is the same for all nodes", object.at_line(entry.line));
      } else if (entry.key != "kubernetes.io/hostname" && entry.key != "node-ip") {
        machine.labels[entry.key] = entry.value.text;
        report.understood("label " + entry.key, object.at_line(entry.line));
      }
    }
    if (object.state.queued)
      report.understood("labels of nodes, for selectors and affinity", object.at_line(labels->line));
    const auto type = node.labels.find("node.kubernetes.io/instance-type");
    if (type == node.labels.end() || machine_meant(type->second).empty())
      return product;
    const ClusterShorthand sold = cluster_shorthand(type->second, object.context.catalogue);
    if (product.name.empty())
      product.name = sold.gpu;
    machine.nics = std::max(1, sold.nics);
    if (std::string& link = object.context.draft.network.link; link.empty() && object.context.options.link.empty()) {
      link = sold.network;
      report.assumed({"links are {}, {} of a machine", link, machine.nics}, type->second + " has them", object.place);
    }
    return product;
  }

  /// Whom the node takes.
  static void read_rules(const KubernetesObject& object, KubernetesNode& node)
  {
    ImportReport& report = object.report;
    if (node.taints != nullptr)
      for (const DocumentNode& taint : node.taints->items) {
        const std::string text =
            fmt::format("{}={}:{}", text_at(taint, {"key"}), text_at(taint, {"value"}), text_at(taint, {"effect"}));
        if (text.ends_with(":PreferNoSchedule"))
          report.ignored("taint " + text, "it only makes the node less liked", object.at_line(taint.line));
        else
          report.understood("taint " + text, object.at_line(taint.line));
      }
    node.cordoned = text_at(object.spec, {"unschedulable"}) == "true";
    if (node.cordoned)
      report.understood(object.place, "node {} is cordoned: it takes no new pods", node.name);
    for (const DocumentNode& condition : items_at(object.root, {"status", "conditions"})) {
      const std::string type = text_at(condition, {"type"}), status = text_at(condition, {"status"});
      const bool ready = type == "Ready", bad = ready ? status != "True" : status == "True";
      if (!bad)
        continue;
      if (ready || type == "NetworkUnavailable") {
        node.ready = false;
        report.understood(object.at_line(condition.line), "node {} takes no pods: {} is {}", node.name, type, status);
      } else {
        report.ignored({"{} of node {}", type, node.name},
                       "it keeps pods without requests away, and pods here ask for what they use",
                       object.at_line(condition.line));
      }
    }
  }
};
TY_REGISTER(KubernetesKind, NodeKind, "/Node", "machines: allocatable, labels of GPUs and topology");

class PodKind final : public KubernetesKind
{
public:
  void read(KubernetesObject& object) const override
  {
    if (object.state.live && at(object.root, {"status", "phase"}) != nullptr) {
      read_live_pod(object);
      return;
    }
    const DocumentNode* spec = object.spec;
    const PodNeeds needs = pod_needs(object, spec, at(object.root, {"metadata"}));
    const bool for_ever = needs.restart.empty() || needs.restart == "always";
    const double seconds = needs.seconds;
    object.report.understood(object.place, "pod {}: {}", object.name,
                             needs.gpu_share > 0 ? fmt::format("{:g} of a GPU", needs.gpu_share)
                                                 : counted(needs.gpus, "GPU"));
    add_pods(object, object.name, 1, needs, for_ever && seconds <= 0, seconds, for_ever ? "always" : needs.restart);
  }
};
TY_REGISTER(KubernetesKind, PodKind, "/Pod", "one pod: requests, shares of a GPU, node selectors, host ports");

class PriorityClassKind final : public KubernetesKind
{
public:
  void read(KubernetesObject& object) const override
  {
    const double value = number_of(text_at(object.root, {"value"}), 0);
    object.state.priorities[object.name] = {value, object.place};
    object.report.understood(object.place, "priority class {}: {:g}", object.name, value);
    if (text_at(object.root, {"globalDefault"}) == "true")
      object.state.default_priority = std::clamp(value, -1e9, 1e9);
    object.tell_keys(&object.root, "priority class");
  }
};
TY_REGISTER(KubernetesKind, PriorityClassKind, "scheduling.k8s.io/PriorityClass", "priorities by name");

} // namespace
} // namespace trainyard
