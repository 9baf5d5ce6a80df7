// SPDX-License-Identifier: Apache-2.0
// Kueue: quotas of cluster queues, and levels of the topology (kueue.x-k8s.io).
#include "models/import/kubernetes/kind.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace trainyard {
namespace {

class ClusterQueueKind final : public KubernetesKind
{
public:
  void read(KubernetesObject& object) const override
  {
    ImportReport& report = object.context.report;
    double cpu = 0, memory = 0, gpus = 0;
    if (const DocumentNode* groups = at(object.root, {"spec", "resourceGroups"}); groups != nullptr)
      for (const DocumentNode& group : groups->items)
        if (const DocumentNode* flavors = at(group, {"flavors"}); flavors != nullptr)
          for (const DocumentNode& flavor : flavors->items)
            if (const DocumentNode* resources = at(flavor, {"resources"}); resources != nullptr)
              for (const DocumentNode& resource : resources->items) {
                const std::string name = text_at(resource, {"name"});
                const double quota = kubernetes_quantity(text_at(resource, {"nominalQuota"}));
                const ImportPlace place = object.at_line(resource.line);
                if (quota < 0) {
                  report.error(place, fmt::format("the quota of '{}' is not a quantity", name));
                  continue;
                }
                object.state.quotas[object.name][name] += quota;
                report.understood(fmt::format("quota of {}: {} {}", object.name,
                                              name == "memory" ? bytes_text(quota) : fmt::format("{:g}", quota), name),
                                  place);
                (name == "cpu" ? cpu : name == "memory" ? memory : gpus) += quota;
                for (const char* limit : {"borrowingLimit", "lendingLimit"})
                  if (at(resource, {limit}) != nullptr)
                    report.ignored(limit, "queues do not borrow in this import",
                                   object.at_line(line_at(resource, {limit})));
              }
    if (const DocumentNode* cohort = at(object.root, {"spec", "cohort"}); cohort != nullptr)
      report.ignored("cohort " + cohort->text, "queues do not borrow in this import", object.at_line(cohort->line));
    // Without nodes only the quota is known: one machine of that size.
    if (object.context.draft.machines.empty() && (cpu > 0 || gpus > 0)) {
      DraftMachines machine{.name = "quota", .note = to_text(object.place)};
      machine.cpu_cores = std::clamp(std::floor(cpu), 1.0, 1e5);
      machine.memory_bytes = memory;
      machine.gpus = static_cast<int>(std::clamp(gpus, 0.0, 64.0));
      if (machine.gpus > 0)
        machine.gpu = object.context.unknown_gpu(object.place, "a quota does not name the GPU type");
      object.context.draft.machines.push_back(machine);
      report.assumed("one machine that holds the quota", "no Node is in the files", object.place);
    }
    object.ignore_others(at(object.root, {"spec"}), {"resourceGroups", "cohort"});
  }
};
TY_REGISTER(KubernetesKind, ClusterQueueKind, "kueue.x-k8s.io/ClusterQueue", "Kueue: quotas");

class LocalQueueKind final : public KubernetesKind
{
public:
  void read(KubernetesObject& object) const override
  {
    object.state.queues[object.name] = text_at(object.root, {"spec", "clusterQueue"});
    object.context.report.understood(fmt::format("queue {} of {}", object.name, object.state.queues[object.name]),
                                     object.place);
  }
};
TY_REGISTER(KubernetesKind, LocalQueueKind, "kueue.x-k8s.io/LocalQueue", "Kueue: queues of a namespace");

class FlavorKind final : public KubernetesKind
{
public:
  void read(KubernetesObject& object) const override
  {
    object.context.report.understood(fmt::format("resource flavor {}", object.name), object.place);
    if (const DocumentNode* labels = at(object.root, {"spec", "nodeLabels"}); labels != nullptr)
      for (const DocumentNode::Entry& label : labels->entries)
        object.context.report.ignored("label of flavors " + label.key, "flavors are not told apart",
                                      object.at_line(label.line));
  }
};
TY_REGISTER(KubernetesKind, FlavorKind, "kueue.x-k8s.io/ResourceFlavor", "Kueue: kinds of resources, listed");

class TopologyKind final : public KubernetesKind
{
public:
  void read(KubernetesObject& object) const override
  {
    if (const DocumentNode* levels = at(object.root, {"spec", "levels"}); levels != nullptr)
      for (const DocumentNode& level : levels->items) {
        const std::string label = text_at(level, {"nodeLabel"});
        object.state.topology_levels.push_back(label);
        object.context.report.understood(
            fmt::format("topology level {}: {}", object.state.topology_levels.size(), label),
            object.at_line(level.line));
      }
  }
};
TY_REGISTER(KubernetesKind, TopologyKind, "kueue.x-k8s.io/Topology", "Kueue: levels of the topology, by node labels");

class CohortKind final : public KubernetesKind
{
public:
  void read(KubernetesObject& object) const override
  {
    object.context.report.ignored("Cohort " + object.name, "queues do not borrow in this import", object.place);
  }
};
TY_REGISTER(KubernetesKind, CohortKind, "kueue.x-k8s.io/Cohort", "Kueue: borrowing, listed");

} // namespace
} // namespace trainyard
