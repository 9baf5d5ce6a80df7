// SPDX-License-Identifier: Apache-2.0
// The core group: Node, Pod, PriorityClass, Namespace and what is only listed.
#include "models/import/kubernetes/kind.hpp"

#include <algorithm>
#include <fmt/format.h>

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
    DraftMachines machine{.name = object.name, .host = true};
    double milli = 0;
    if (resources == nullptr)
      context.report.assumed(fmt::format("node {} has 16 CPU cores and no GPU", object.name),
                             "its manifest has no status", object.place);
    else
      for (const DocumentNode::Entry& entry : resources->entries) {
        const double value = kubernetes_quantity(entry.value.text);
        const ImportPlace place = object.at_line(entry.line);
        if (value < 0)
          context.report.error(place, fmt::format("'{}' is not a quantity", entry.value.text));
        else if (entry.key == "cpu")
          machine.cpu_cores = std::min(value, 1e5);
        else if (entry.key == "memory")
          machine.memory_bytes = std::min(value, 1e15);
        else if (entry.key == "alibabacloud.com/gpu-milli")
          milli = value;
        else if (entry.key.ends_with("/gpu") || entry.key.ends_with("nvidia-gpu") ||
                 entry.key == "alibabacloud.com/gpu-count")
          machine.gpus = static_cast<int>(std::clamp(value, 0.0, 64.0));
        else
          context.report.ignored("resource " + entry.key, "only GPUs, CPU and memory are counted", place);
      }
    if (machine.gpus == 0 && milli > 0)
      machine.gpus = static_cast<int>(std::clamp(milli / 1000, 0.0, 64.0));
    std::string product;
    int product_line = object.place.line;
    double memory_mib = 0;
    if (const DocumentNode* labels = at(object.root, {"metadata", "labels"}); labels != nullptr)
      for (const DocumentNode::Entry& entry : labels->entries) {
        if (entry.key == "nvidia.com/gpu.product" || entry.key == "alibabacloud.com/gpu-card-model" ||
            entry.key == "accelerator" || entry.key == "cloud.google.com/gke-accelerator") {
          product = entry.value.text;
          product_line = entry.line;
        } else if (entry.key == "nvidia.com/gpu.memory") {
          memory_mib = number_of(entry.value.text, 0);
        } else if (entry.key.starts_with("node-role.kubernetes.io/")) {
          const std::string role = entry.key.substr(24);
          if (role == "worker")
            machine.role = "worker";
          context.report.ignored("label " + entry.key,
                                 role == "worker" ? "all nodes take pods"
                                                  : "the node still takes pods unless it is tainted",
                                 object.at_line(entry.line));
        } else if (entry.key.starts_with("beta.kubernetes.io/") || entry.key == "kubernetes.io/arch" ||
                   entry.key == "kubernetes.io/os") {
          context.report.ignored("label " + entry.key, "it is the same for all nodes", object.at_line(entry.line));
        } else if (entry.key != "kubernetes.io/hostname" && entry.key != "node-ip") {
          machine.labels[entry.key] = entry.value.text;
          context.report.understood("label " + entry.key, object.at_line(entry.line));
        }
      }
    if (machine.gpus > 0)
      machine.gpu = product.empty() ? context.unknown_gpu(object.place, "no label names the node's GPUs")
                                    : context.gpu(product, object.at_line(product_line), memory_mib * 1048576);
    machine.intra = machine.gpus > 0 && machine.gpu.find("SXM") == std::string::npos ? "pcie_tree" : "";
    context.report.understood(fmt::format("node {}: {}{} CPU cores, {}{}", object.name,
                                          machine.gpus > 0 ? fmt::format("{} x {}, ", machine.gpus, machine.gpu) : "",
                                          machine.cpu_cores, bytes_text(machine.memory_bytes),
                                          milli > 0 ? fmt::format(", {:g} milli-GPU", milli) : ""),
                              object.place);
    if (at(object.root, {"spec", "taints"}) != nullptr)
      context.report.ignored("taints", "all pods tolerate them",
                             object.at_line(line_at(object.root, {"spec", "taints"})));
    if (text_at(object.root, {"spec", "unschedulable"}) == "true") {
      context.report.ignored("node " + object.name, "it is unschedulable", object.place);
      return;
    }
    machine.note = object.place.file;
    context.draft.machines.push_back(std::move(machine));
  }
};
TY_REGISTER(KubernetesKind, NodeKind, "/Node", "machines: allocatable, labels of GPUs and topology");

class PodKind final : public KubernetesKind
{
public:
  void read(KubernetesObject& object) const override
  {
    const DocumentNode* spec = at(object.root, {"spec"});
    const PodNeeds needs = pod_needs(object, spec, at(object.root, {"metadata"}));
    const bool for_ever = needs.restart.empty() || needs.restart == "always";
    const double seconds = sleep_seconds(spec);
    object.context.report.understood(
        fmt::format("pod {}: {}", object.name,
                    needs.gpu_share > 0 ? fmt::format("{:g} of a GPU", needs.gpu_share) : counted(needs.gpus, "GPU")),
        object.place);
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
    object.context.report.understood(fmt::format("priority class {}: {:g}", object.name, value), object.place);
  }
};
TY_REGISTER(KubernetesKind, PriorityClassKind, "scheduling.k8s.io/PriorityClass", "priorities by name");

} // namespace
} // namespace trainyard
