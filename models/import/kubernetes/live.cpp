// SPDX-License-Identifier: Apache-2.0
// Pods of a running cluster, as `kubectl get nodes,pods -A -o json` prints them: those on a node hold what they ask
// for, the others wait. Sources: Kubernetes API reference, Pod v1 (spec.nodeName, status.phase, status.startTime,
// spec.activeDeadlineSeconds); "Taints and Tolerations"; "Assigning Pods to Nodes".
#include "models/core/quantity_text.hpp"
#include "models/import/kubernetes/kind.hpp"

#include <algorithm>
#include <fmt/format.h>

namespace trainyard {
namespace {

using NodeLabels = std::map<std::string, std::string>;

/// One expression of a node selector term.
bool expression_holds(const DocumentNode& rule, const NodeLabels& labels)
{
  const std::string how = text_at(rule, {"operator"});
  const auto label = labels.find(text_at(rule, {"key"}));
  const std::vector<DocumentNode>& values = items_at(rule, {"values"});
  const bool there = label != labels.end();
  const bool listed =
      there && std::ranges::any_of(values, [&](const DocumentNode& value) { return value.text == label->second; });
  if (how == "In")
    return listed;
  if (how == "NotIn")
    return !listed;
  if (how == "Exists" || how == "DoesNotExist")
    return there == (how == "Exists");
  if (!there || values.empty())
    return false;
  const double mine = number_of(label->second, 0), limit = number_of(values.front().text, 0);
  return how == "Gt" ? mine > limit : how == "Lt" && mine < limit;
}

/// All expressions of a term; a term without any matches no node.
bool term_holds(const DocumentNode& term, const KubernetesNode& node)
{
  bool any = false;
  const NodeLabels fields = {{"metadata.name", node.name}};
  for (const auto& [key, values] : {std::pair{"matchExpressions", &node.labels}, std::pair{"matchFields", &fields}})
    for (const DocumentNode& rule : items_at(term, {key})) {
      any = true;
      if (!expression_holds(rule, *values))
        return false;
    }
  return any;
}

bool tolerates(const DocumentNode* tolerations, const std::string& key, const std::string& value,
               const std::string& effect)
{
  return std::ranges::any_of(items_at(tolerations, {}), [&](const DocumentNode& one) {
    const std::string wanted = text_at(one, {"key"}), only = text_at(one, {"effect"});
    const bool exists = text_at(one, {"operator"}) == "Exists";
    return (only.empty() || only == effect) && (wanted.empty() ? exists : wanted == key) &&
           (exists || text_at(one, {"value"}) == value);
  });
}

} // namespace

std::string untolerated_taint(const KubernetesFlavor& flavor, const DocumentNode* spec)
{
  const DocumentNode* own = at(spec, {"tolerations"});
  for (const DocumentNode& taint : items_at(flavor.taints, {})) {
    const std::string key = text_at(taint, {"key"}), value = text_at(taint, {"value"}),
                      effect = text_at(taint, {"effect"});
    if (effect != "PreferNoSchedule" && !tolerates(own, key, value, effect) &&
        !tolerates(flavor.tolerations, key, value, effect))
      return fmt::format("{}={}:{}", key, value, effect);
  }
  return "";
}

namespace {

/// What the entries of a pod say that many others say too is left out: only what decides where it may go, and errors.
void pass_on(const ImportReport& pod, ImportReport& report, const ImportPlace& place)
{
  for (const ImportEntry& entry : pod.assumed())
    report.assumed(entry.what, entry.why, place);
  for (const ImportEntry& entry : pod.ignored())
    for (const char* start : {"resource ", "affinity between pods", "topologySpreadConstraints", "initContainers"})
      if (entry.what.starts_with(start))
        report.ignored(entry.what, entry.why, place);
  for (const Diagnostic& fault : pod.faults.sorted())
    report.faults.add(fault);
}

/// Names under which a pod's owner may be known.
std::vector<std::string> owner_names(const KubernetesObject& object)
{
  std::vector<std::string> names;
  for (const char* label :
       {"jobset.sigs.k8s.io/jobset-name", "training.kubeflow.org/job-name", "ray.io/cluster", "volcano.sh/job-name",
        "batch.kubernetes.io/job-name", "job-name", "kueue.x-k8s.io/pod-group-name"})
    if (const std::string name = object.label(label); !name.empty())
      names.push_back(name);
  for (const DocumentNode& owner : items_at(object.root, {"metadata", "ownerReferences"}))
    names.push_back(text_at(owner, {"name"}));
  names.push_back(object.name); // Kueue's Workload of a single pod is owned by it
  return names;
}

/// Whether the pod runs as long as nobody stops it.
bool is_kept(const KubernetesObject& object)
{
  if (at(object.spec, {"activeDeadlineSeconds"}) != nullptr)
    return false;
  const std::vector<DocumentNode>& owners = items_at(object.root, {"metadata", "ownerReferences"});
  if (owners.empty()) {
    const std::string restart = text_at(object.spec, {"restartPolicy"});
    return restart.empty() || restart == "Always";
  }
  return std::ranges::any_of(owners, [](const DocumentNode& owner) {
    const std::string kind = text_at(owner, {"kind"});
    return kind == "ReplicaSet" || kind == "DaemonSet" || kind == "StatefulSet" || kind == "ReplicationController" ||
           kind == "Node"; // a static pod of the node itself
  });
}

/// The group that a waiting pod starts with; empty: none.
std::string group_name(const KubernetesObject& object)
{
  for (const char* key : {"scheduling.k8s.io/group-name", "scheduling.volcano.sh/group-name"})
    if (const std::string name = text_at(object.root, {"metadata", "annotations", key}); !name.empty())
      return name;
  return object.label("kueue.x-k8s.io/pod-group-name");
}

/// How long a pod that began at @p start runs in all.
double run_time(const PodNeeds& needs, double start, const KubernetesObject& object)
{
  const double ran = std::max(0.0, object.state.now - start);
  if (needs.seconds > 0) {
    object.report.understood("pods that run until their activeDeadlineSeconds, or the end of their sleep",
                             object.place);
    return std::max(needs.seconds, ran + 1);
  }
  const double assumed = assumed_seconds(object.context.options);
  const std::string text = to_text(assumed, QuantityKind::duration);
  if (ran < assumed) {
    object.report.assumed({"pods that run end {} after their start", text},
                          "Kubernetes does not know how long they run; --assume-duration TIME chooses another",
                          object.place);
    return assumed;
  }
  object.report.assumed({"pods that have run for longer than {} go on for as long from now", text},
                        "Kubernetes does not know how long they run; --assume-duration TIME chooses another",
                        object.place);
  return ran + assumed;
}

/// What the pod's Workload or Job says of it.
void ask_owner(const KubernetesObject& object, KubernetesJob& job, PodNeeds& needs, bool& is_counted)
{
  for (const std::string& name : owner_names(object)) {
    const auto found = object.state.owners.find(job.space + "/" + name);
    if (found == object.state.owners.end())
      continue;
    KubernetesOwner& owner = found->second;
    ++owner.pods;
    if (job.local_queue.empty())
      job.local_queue = owner.local_queue;
    if (job.cluster_queue.empty())
      job.cluster_queue = owner.cluster_queue;
    if (owner.seconds > 0)
      needs.seconds = needs.seconds > 0 ? std::min(needs.seconds, owner.seconds) : owner.seconds;
    if (owner.is_workload)
      job.priority = owner.priority;
    is_counted = is_counted || (owner.is_workload && !owner.runs);
  }
}

void hold(const KubernetesObject& object, const PodNeeds& needs, const std::string& node)
{
  KubernetesState::Kept& kept = object.state.kept[node];
  ++kept.pods;
  kept.cpu += needs.cpu;
  kept.memory_bytes += needs.memory_bytes;
  kept.gpus += needs.gpu_share > 0 ? needs.gpu_share : needs.gpus;
}

} // namespace

bool node_admits(const KubernetesNode& node, const DocumentNode* spec, const DocumentNode* more)
{
  return lists_accelerators(node, spec) && node_takes(node, spec, more);
}

bool node_takes(const KubernetesNode& node, const DocumentNode* spec, const DocumentNode* more)
{
  if (!node.ready)
    return false;
  if (const std::string name = text_at(spec, {"nodeName"}); !name.empty() && name != node.name)
    return false;
  const DocumentNode* tolerations = at(spec, {"tolerations"});
  const auto tolerated = [&](const std::string& key, const std::string& value, const std::string& effect) {
    return tolerates(tolerations, key, value, effect) || tolerates(more, key, value, effect);
  };
  if (node.cordoned && !tolerated("node.kubernetes.io/unschedulable", "", "NoSchedule"))
    return false;
  for (const DocumentNode& taint : items_at(node.taints, {}))
    if (const std::string effect = text_at(taint, {"effect"});
        effect != "PreferNoSchedule" && !tolerated(text_at(taint, {"key"}), text_at(taint, {"value"}), effect))
      return false;
  for (const DocumentNode::Entry& wanted : entries_at(spec, {"nodeSelector"}))
    if (const auto label = node.labels.find(wanted.key);
        label == node.labels.end() || label->second != wanted.value.text)
      return false;
  const DocumentNode* terms = required_terms(spec);
  return terms == nullptr ||
         std::ranges::any_of(terms->items, [&](const DocumentNode& term) { return term_holds(term, node); });
}

void read_live_pod(KubernetesObject& object)
{
  ImportReport& report = object.report;
  KubernetesState& state = object.state;
  const std::string phase = text_at(object.root, {"status", "phase"});
  if (phase == "Succeeded" || phase == "Failed") {
    report.ignored("pods that have ended", "they hold nothing", object.place);
    return;
  }
  if (at(object.root, {"metadata", "deletionTimestamp"}) != nullptr) {
    report.ignored("pods that are being deleted", "what they hold is free in a moment", object.place);
    return;
  }
  ImportReport own;
  ImportContext context{object.context.draft, own, object.context.catalogue, object.context.options};
  const KubernetesObject pod{object.root, object.spec,  object.kind, object.group,
                             object.name, object.place, context,     state};
  const DocumentNode* spec = object.spec;
  PodNeeds needs = pod_needs(pod, spec, at(object.root, {"metadata"}));
  pass_on(own, report, object.place);
  KubernetesJob job = job_of(object);
  bool is_counted = false; // by its Workload, which waits
  ask_owner(object, job, needs, is_counted);
  job.node = text_at(spec, {"nodeName"});
  if (!job.node.empty()) {
    if (is_kept(object)) {
      hold(object, needs, job.node);
      return;
    }
    job.runs = true;
    const double begun = time_at(&object.root, {"status", "startTime"});
    constexpr double longest = 10 * 365 * 86400.0;
    job.job.submit_s = std::max(begun > 0 ? begun : job.created > 0 ? job.created : state.now, state.now - longest);
    job.job.duration_s = run_time(needs, job.job.submit_s, object);
    make_gang(job, {{needs, 1}}, object.context);
    report.understood("pods that run hold what they ask for on their node", object.place);
    state.jobs.push_back(std::move(job));
    return;
  }
  if (is_counted) {
    report.understood("pods that wait with their Kueue Workload", object.place);
    return;
  }
  for (const DocumentNode& gate : items_at(spec, {"schedulingGates"}))
    if (const std::string name = text_at(gate, {"name"}); name != "kueue.x-k8s.io/admission") {
      report.ignored("pods that wait for the scheduling gate " + name, "when it opens is not known", object.place);
      return;
    }
  report.understood("pods that wait", object.place);
  if (const std::string name = group_name(object); !name.empty()) {
    KubernetesGroup& group = state.groups[job.space + "/" + name];
    if (group.name.empty())
      group.name = name;
    if (group.waiting.empty())
      group.job = job;
    group.waiting.emplace_back(needs, 1);
    return;
  }
  make_gang(job, {{needs, 1}}, object.context);
  state.jobs.push_back(std::move(job));
}

} // namespace trainyard
