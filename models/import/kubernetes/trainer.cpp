// SPDX-License-Identifier: Apache-2.0
// Kubeflow Trainer (TrainJob and its runtimes, trainer.kubeflow.org) and KubeRay (RayJob, RayCluster, RayService).
// Sources: kubeflow/trainer, pkg/apis/trainer/v1alpha1/trainjob_types.go and trainingruntime_types.go;
// ray-project/kuberay, ray-operator/apis/ray/v1/raycluster_types.go and rayjob_types.go.
#include "models/import/kubernetes/kind.hpp"
#include "models/import/training_command.hpp"

#include <algorithm>
#include <fmt/format.h>

namespace trainyard {
namespace {

DocumentNode::Entry entry(const char* key, DocumentNode value)
{
  return {key, value.line, value.column, std::move(value)};
}

DocumentNode map_of(std::vector<DocumentNode::Entry> entries)
{
  DocumentNode node{.kind = DocumentNode::Kind::map, .line = entries.empty() ? 0 : entries.front().line};
  node.entries = std::move(entries);
  return node;
}

DocumentNode list_of(DocumentNode item)
{
  DocumentNode node{.kind = DocumentNode::Kind::list, .line = item.line};
  node.items.push_back(std::move(item));
  return node;
}

class RuntimeKind : public KubernetesKind
{
public:
  void read(KubernetesObject& object) const override
  {
    object.state.runtimes[object.name] = object.spec;
    object.report.understood(object.place, "runtime {} of TrainJobs", object.name);
    object.tell_keys(object.spec, "runtime");
  }
};
class ClusterRuntimeKind final : public RuntimeKind
{
};
TY_REGISTER(KubernetesKind, RuntimeKind, "trainer.kubeflow.org/TrainingRuntime", "what TrainJobs refer to");
TY_REGISTER(KubernetesKind, ClusterRuntimeKind, "trainer.kubeflow.org/ClusterTrainingRuntime",
            "what TrainJobs refer to");

/// numNodes pods; a trainer's own values stand before those of its runtime.
class TrainJobKind final : public KubernetesKind
{
public:
  void read(KubernetesObject& object) const override
  {
    ImportReport& report = object.report;
    const DocumentNode* spec = object.spec;
    const DocumentNode* trainer = at(spec, {"trainer"});
    const std::string name = text_at(spec, {"runtimeRef", "name"});
    const auto found = object.state.runtimes.find(name);
    const DocumentNode* runtime = found == object.state.runtimes.end() ? nullptr : found->second;
    if (runtime == nullptr && !name.empty())
      report.ignored(
          {"runtime {}", name},
          "it is not in the files; give it too: kubectl get clustertrainingruntimes,trainingruntimes -o yaml",
          object.at_line(line_at(*spec, {"runtimeRef"})));
    const DocumentNode* policy = at(runtime, {"mlPolicy"});
    const int nodes = replicas_of(object, trainer, {"numNodes"}, replicas_of(object, policy, {"numNodes"}, 1));
    const std::string given = text_at(trainer, {"numProcPerNode"});
    std::string ranks = given;
    for (const char* how : {"torch", "mpi"})
      if (ranks.empty())
        ranks = text_at(policy, {how, "numProcPerNode"});
    if (at(policy, {"torch"}) != nullptr || name.starts_with("torch")) // Kubeflow's runtimes: torch-distributed…
      set_framework("pytorch", "", "runtime", object.place, object.context);
    PodNeeds needs = needs_of(object, trainer, runtime);
    if (const int count = static_cast<int>(std::clamp(number_of(ranks, 0), 0.0, 64.0));
        needs.gpus == 0 && count > 0 && !says_resources(trainer)) {
      needs.gpus = count;
      report.assumed({"{} a node", counted(count, "GPU")},
                     "one for each process (numProcPerNode); neither the job nor a runtime of the files says what a "
                     "node has",
                     object.place);
    } else if (count > 0 && needs.gpus > 0 && count != needs.gpus) {
      report.assumed("one rank per GPU", {"{} processes and {} GPUs a node differ", count, needs.gpus}, object.place);
    }
    add_training(object, object.name, nodes, needs, line_at(object.root, {"spec", "trainer"}), 0, {}, 0, "on_failure",
                 at(policy, {"mpi"}) != nullptr);
    tell_suspension(object, spec);
    object.tell_keys(spec, "TrainJob");
    object.tell_keys(trainer, "trainer");
  }

private:
  static bool says_resources(const DocumentNode* trainer) { return at(trainer, {"resourcesPerNode"}) != nullptr; }

  /// The container of the runtime's JobSet that trains, with what the job says of it.
  static PodNeeds needs_of(const KubernetesObject& object, const DocumentNode* trainer, const DocumentNode* runtime)
  {
    DocumentNode pod = map_of({}), container = map_of({});
    const std::vector<DocumentNode>& jobs = items_at(runtime, {"template", "spec", "replicatedJobs"});
    for (const DocumentNode& job : jobs)
      if (const DocumentNode* spec = at(job, {"template", "spec", "template", "spec"});
          spec != nullptr && (jobs.size() == 1 || text_at(job, {"name"}) == "node"))
        pod = *spec;
    if (const std::vector<DocumentNode>& all = items_at(pod, {"containers"}); !all.empty())
      container = all.front();
    for (const auto& [key, own] :
         {std::pair{"image", "image"}, std::pair{"command", "command"}, std::pair{"args", "args"},
          std::pair{"env", "env"}, std::pair{"resourcesPerNode", "resources"}})
      if (const DocumentNode* value = at(trainer, {key}); value != nullptr) {
        std::erase_if(container.entries, [&, name = own](const auto& one) { return one.key == name; });
        container.entries.push_back(entry(own, *value));
      }
    std::erase_if(pod.entries, [](const auto& one) { return one.key == "containers"; });
    pod.entries.push_back(entry("containers", list_of(container)));
    object.state.made.push_back(std::move(pod));
    return pod_needs(object, &object.state.made.back(), nullptr);
  }
};
TY_REGISTER(KubernetesKind, TrainJobKind, "trainer.kubeflow.org/TrainJob",
            "Kubeflow Trainer: equal nodes of a runtime");

/// The groups of workers of a Ray cluster, and its head.
struct RayGroups {
  int workers = 0;
  PodNeeds worker;
  int line = 0;
  bool head = false;
  PodKinds kinds; // all pods, each as it is

  RayGroups(const KubernetesObject& object, const DocumentNode* cluster)
  {
    ImportReport& report = object.report;
    const DocumentNode* first = at(cluster, {"headGroupSpec"});
    if (first != nullptr) {
      worker = template_needs(object, first);
      worker.role = "head";
      kinds.emplace_back(worker, 1);
      line = first->line;
      head = worker.gpus > 0;
      object.tell_keys(first, "head group");
      report.understood(head ? "head of the Ray cluster: it trains too"
                             : "head of the Ray cluster: it has no GPU and computes nothing",
                        object.at_line(line));
      workers = head ? 1 : 0;
    }
    object.tell_keys(cluster, "Ray cluster");
    for (const DocumentNode& group : items_at(cluster, {"workerGroupSpecs"})) {
      object.tell_keys(&group, "worker group");
      if (text_at(group, {"suspend"}) == "true") {
        report.ignored("worker group " + text_at(group, {"groupName"}), "it is suspended: it has no pods",
                       object.at_line(line_at(group, {"suspend"})));
        continue;
      }
      PodNeeds needs = template_needs(object, &group);
      needs.role = text_at(group, {"groupName"});
      const int least = replicas_of(object, &group, {"minReplicas"}, 0);
      const int hosts = std::max(1, replicas_of(object, &group, {"numOfHosts"}, 1));
      const int count = replicas_of(object, &group, {"replicas"}, least) * hosts;
      report.understood(object.at_line(group.line), "worker group {}: {}, {}", text_at(group, {"groupName"}),
                        counted(count, "pod"), needs.gpus > 0 ? counted(needs.gpus, "GPU") + " each" : "no GPU");
      if (at(group, {"maxReplicas"}) != nullptr)
        report.ignored("maxReplicas of worker groups", "the cluster keeps its size", object.at_line(group.line));
      kinds.emplace_back(needs, count);
      if (const bool each_counts = object.state.queued && object.kind == "RayJob";
          workers > 0 && needs.gpus != worker.gpus && !each_counts) {
        const bool more = needs.gpus > worker.gpus;
        report.assumed({"{} of Ray are left out", counted(more ? workers : count, "pod")},
                       "the workers of a training are equal; those with most GPUs train", object.at_line(group.line));
        if (!more)
          continue;
        workers = 0;
      }
      workers += count;
      worker = needs;
      line = group.line;
    }
  }
};

class RayJobKind final : public KubernetesKind
{
public:
  void read(KubernetesObject& object) const override
  {
    const DocumentNode* spec = object.spec;
    const DocumentNode* cluster = at(spec, {"rayClusterSpec"});
    if (cluster == nullptr) {
      object.report.ignored("job " + object.name, "it runs on a Ray cluster that is not in it (clusterSelector)",
                            object.place);
      return;
    }
    RayGroups groups{object, cluster};
    groups.worker.text = text_at(spec, {"entrypoint"}) + " " + groups.worker.text;
    if (const double most = number_of(text_at(spec, {"activeDeadlineSeconds"}), 0); most > 0) {
      groups.worker.seconds = most;
      for (auto& [needs, count] : groups.kinds)
        needs.seconds = most;
    }
    const int attempts = replicas_of(object, spec, {"backoffLimit"}, 0); // KubeRay's default: no further try
    add_training(object, object.name, groups.workers, groups.worker, groups.line, 0, {}, 0,
                 attempts > 0 ? "on_failure" : "never", false, groups.kinds);
    if (DraftService* service = service_of(object); service != nullptr)
      service->attempts = attempts;
    object.report.understood(object.place, "at most {}", counted(attempts, "restart"));
    tell_limit(object, spec);
    tell_suspension(object, spec);
    object.tell_keys(spec, "RayJob");
  }
};
TY_REGISTER(KubernetesKind, RayJobKind, "ray.io/RayJob", "KubeRay: a training on a Ray cluster of its own");

/// Pods that are kept; what runs on them is not in the file.
class RayClusterKind : public KubernetesKind
{
public:
  void read(KubernetesObject& object) const override
  {
    const bool serves = object.kind == "RayService";
    const DocumentNode* spec = object.spec;
    const DocumentNode* cluster = serves ? at(spec, {"rayClusterConfig"}) : spec;
    const RayGroups groups{object, cluster};
    if (groups.workers == 0) {
      object.report.error(object.place, "the Ray cluster '{}' has no workers", object.name);
      return;
    }
    add_pods(object, object.name, groups.workers, groups.worker, true, 0, "always");
    object.report.ignored("what runs on the Ray cluster " + object.name, "it is not in the file", object.place);
    tell_suspension(object, cluster);
    if (serves)
      object.tell_keys(spec, "RayService");
  }
};
class RayServiceKind final : public RayClusterKind
{
};
TY_REGISTER(KubernetesKind, RayClusterKind, "ray.io/RayCluster", "KubeRay: workers that are kept running");
TY_REGISTER(KubernetesKind, RayServiceKind, "ray.io/RayService", "KubeRay: workers that serve");

} // namespace
} // namespace trainyard
