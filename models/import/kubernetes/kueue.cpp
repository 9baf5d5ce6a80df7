// SPDX-License-Identifier: Apache-2.0
// Kueue: flavors, cohorts, cluster queues, local queues, workloads, and levels of the topology (kueue.x-k8s.io).
// Sources: kubernetes-sigs/kueue, apis/kueue/v1beta1 (1531d55) and v1beta2 (013c8f2): clusterqueue_types.go,
// cohort_types.go (0a8a38c), resourceflavor_types.go (2fff9df), workload_types.go (02237e7).
#include "models/core/text.hpp"
#include "models/import/kubernetes/kind.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <limits>
#include <optional>

namespace trainyard {
namespace {

/// A quota's amount; nothing where the file gives none. Errors go to the report.
std::optional<double> quota_amount(const KubernetesObject& object, const DocumentNode& resource, const char* key)
{
  const DocumentNode* node = at(resource, {key});
  if (node == nullptr)
    return std::nullopt;
  const double value = kubernetes_quantity(node->text);
  if (value >= 0)
    return value;
  object.report.error(object.at_line(node->line), "'{}' is not a quantity", node->text);
  return std::nullopt;
}

/// A resource of Kubernetes; nothing where no job of a scenario asks for it.
std::optional<KueueResource> resource_named(const std::string& name)
{
  return is_accelerator(name) ? std::optional{KueueResource::gpu}
         : name == "cpu"      ? std::optional{KueueResource::cpu}
         : name == "memory"   ? std::optional{KueueResource::memory}
         : name == "pods"     ? std::optional{KueueResource::pods}
                              : std::nullopt;
}

/// GPUs of two vendors in one flavor add up; a limit is the sum of both, or none.
void add_amount(KueueQuota& quota, KueueResource resource, const KueueAmount& amount)
{
  KueueAmount sum = quota.of(resource);
  if (sum.nominal < 0)
    sum = amount;
  else
    sum = {sum.nominal + amount.nominal, sum.borrowing_limit + amount.borrowing_limit,
           sum.lending_limit + amount.lending_limit};
  switch (resource) {
  case KueueResource::gpu:
    quota.nominal = sum.nominal;
    quota.borrowing_limit = sum.borrowing_limit;
    quota.lending_limit = sum.lending_limit;
    break;
  case KueueResource::cpu:
    quota.cpu = sum;
    break;
  case KueueResource::memory:
    quota.memory = sum;
    break;
  case KueueResource::pods:
    quota.pods = sum;
    break;
  }
}

/// The quota of one resource of a flavor; all of it is in the report.
void read_resource(const KubernetesObject& object, const DocumentNode& node, KueueQuota& quota)
{
  ImportReport& report = object.report;
  const std::string name = text_at(node, {"name"});
  const ImportPlace place = object.at_line(node.line);
  const std::optional<double> nominal = quota_amount(object, node, "nominalQuota");
  if (!nominal) {
    report.error(place, "the quota of '{}' has no amount: give nominalQuota", name);
    return;
  }
  object.state.quotas[object.name][name] += *nominal;
  if (is_accelerator(name))
    object.state.flavor_resources.try_emplace(quota.flavor, name);
  report.understood(place, "quota of {}: {} {}", object.name,
                    name == "memory" ? bytes_text(*nominal) : fmt::format("{:g}", *nominal), name);
  const std::optional<KueueResource> resource = resource_named(name);
  if (!resource) {
    report.ignored({"quota of {}", name}, "jobs of a scenario ask for GPUs, CPU and memory alone", place);
    return;
  }
  const double most = *resource == KueueResource::memory ? 1e18 : 1e6;
  KueueAmount amount{.nominal = std::min(*nominal, most)};
  amount.borrowing_limit = quota_amount(object, node, "borrowingLimit").value_or(2 * most);
  amount.lending_limit = quota_amount(object, node, "lendingLimit").value_or(2 * most);
  for (double* limit : {&amount.borrowing_limit, &amount.lending_limit})
    if (*limit > most)
      *limit = std::numeric_limits<double>::infinity();
  if (const auto profile = mig_profile(name); profile && *resource == KueueResource::gpu) {
    const double share = mig_quota_share(*profile, mig_gpu("", 0, *profile));
    for (double* value : {&amount.nominal, &amount.borrowing_limit, &amount.lending_limit})
      *value *= share;
    report.assumed({"a quota of {} is one of {:g} GPUs each", name, share},
                   "slices count as the parts of GPUs that they are, and profiles are not told apart", place);
  }
  add_amount(quota, *resource, amount);
}

/// Quotas by flavor, of a ClusterQueue or a Cohort.
std::vector<KueueQuota> read_quotas(const KubernetesObject& object)
{
  std::vector<KueueQuota> quotas;
  for (const DocumentNode& group : items_at(object.spec, {"resourceGroups"}))
    for (const DocumentNode& flavor : items_at(group, {"flavors"})) {
      KueueQuota quota{.flavor = text_at(flavor, {"name"}), .nominal = -1};
      for (const DocumentNode& resource : items_at(flavor, {"resources"}))
        read_resource(object, resource, quota);
      const auto clashes = [&](const KueueQuota& other) {
        return other.flavor == quota.flavor ||
               (other.covered() != quota.covered() && (other.covered() & quota.covered()) != 0);
      };
      if (std::ranges::any_of(quotas, clashes)) // GPUs of two vendors in two groups, or what Kueue would refuse
        object.report.ignored({"quotas of flavor {} in {}", quota.flavor, object.name},
                              "another flavor or group has quotas of some of its resources already, and GPUs "
                              "are not told apart by vendor",
                              object.at_line(flavor.line));
      else if (quota.covered() != 0)
        quotas.push_back(quota);
    }
  return quotas;
}

double weight_of(const KubernetesObject& object)
{
  const DocumentNode* weight = at(object.spec, {"fairSharing", "weight"});
  if (weight == nullptr)
    return 1;
  object.report.assumed("fair sharing is off",
                        "it is set in Kueue's configuration; where it is on, write policy: {name: kueue, "
                        "fair_sharing: true}",
                        object.at_line(weight->line));
  return std::clamp(kubernetes_quantity(weight->text), 0.0, 1e6);
}

/// The cohort above, under the names that the versions of the API have for it.
std::string first_text(const KubernetesObject& object, std::initializer_list<std::string_view> keys)
{
  for (const std::string_view key : keys)
    if (std::string text = text_at(object.spec, {key}); !text.empty())
      return text;
  return "";
}

class ClusterQueueKind final : public KubernetesKind
{
public:
  void read(KubernetesObject& object) const override
  {
    ImportReport& report = object.report;
    KueueClusterQueue queue{.name = object.name, .cohort = first_text(object, {"cohortName", "cohort"})};
    queue.quotas = read_quotas(object);
    if (!queue.cohort.empty())
      report.understood(object.place, "cluster queue {} is in cohort {}", queue.name, queue.cohort);
    queue.strict_fifo = text_at(object.spec, {"queueingStrategy"}) == "StrictFIFO";
    read_preemption(object, queue);
    const DocumentNode* tries = at(object.spec, {"flavorFungibility"});
    queue.try_next_before_borrowing = text_at(tries, {"whenCanBorrow"}) == "TryNextFlavor";
    if (const std::string text = text_at(tries, {"whenCanPreempt"}); !text.empty()) // Preempt, MayStopSearch
      queue.try_next_before_preempting = text == "TryNextFlavor";
    if (text_at(tries, {"preference"}) == "PreemptionOverBorrowing")
      report.ignored("preference PreemptionOverBorrowing", "the policy kueue rather borrows than stops jobs",
                     object.at_line(line_at(*tries, {"preference"})));
    queue.weight = weight_of(object);
    if (const std::string stop = text_at(object.spec, {"stopPolicy"}); stop.starts_with("Hold")) {
      object.state.held.insert(queue.name);
      report.understood(object.place, "cluster queue {} starts nothing (stopPolicy {})", queue.name, stop);
      if (stop == "HoldAndDrain")
        report.ignored("stopPolicy HoldAndDrain", "jobs that run go on", object.place);
    }
    std::erase_if(object.state.kueue.cluster_queues, [&](const auto& other) { return other.name == queue.name; });
    object.state.kueue.cluster_queues.push_back(std::move(queue));
    object.tell_keys(object.spec, "cluster queue");
  }

private:
  static KueuePreemption preemption(const std::string& text)
  {
    return text == "Any"                         ? KueuePreemption::any
           : text == "LowerPriority"             ? KueuePreemption::lower_priority
           : text == "LowerOrNewerEqualPriority" ? KueuePreemption::lower_or_newer_equal_priority
                                                 : KueuePreemption::never;
  }

  static void read_preemption(const KubernetesObject& object, KueueClusterQueue& queue)
  {
    const DocumentNode* rules = at(object.spec, {"preemption"});
    queue.within_cluster_queue = preemption(text_at(rules, {"withinClusterQueue"}));
    queue.reclaim_within_cohort = preemption(text_at(rules, {"reclaimWithinCohort"}));
    queue.borrow_within_cohort = text_at(rules, {"borrowWithinCohort", "policy"}) == "LowerPriority" &&
                                 queue.reclaim_within_cohort != KueuePreemption::never;
    const DocumentNode* most = at(rules, {"borrowWithinCohort", "maxPriorityThreshold"});
    if (queue.borrow_within_cohort && most != nullptr)
      queue.max_priority_threshold = std::clamp(number_of(most->text, 0), -1e9, 1e9);
  }
};
TY_REGISTER(KubernetesKind, ClusterQueueKind, "kueue.x-k8s.io/ClusterQueue", "Kueue: quotas, preemption, cohort");

class CohortKind final : public KubernetesKind
{
public:
  void read(KubernetesObject& object) const override
  {
    KueueCohort cohort{.name = object.name, .parent = first_text(object, {"parentName", "parent"})};
    cohort.quotas = read_quotas(object);
    cohort.weight = weight_of(object);
    object.report.understood(object.place, "cohort {}{}", cohort.name,
                             cohort.parent.empty() ? "" : " below " + cohort.parent);
    std::erase_if(object.state.kueue.cohorts, [&](const auto& other) { return other.name == cohort.name; });
    object.state.kueue.cohorts.push_back(std::move(cohort));
    object.tell_keys(object.spec, "cohort");
  }
};
TY_REGISTER(KubernetesKind, CohortKind, "kueue.x-k8s.io/Cohort", "Kueue: cohorts with a parent or quotas");

class LocalQueueKind final : public KubernetesKind
{
public:
  void read(KubernetesObject& object) const override
  {
    const std::string queue = text_at(object.spec, {"clusterQueue"});
    object.state.queues[object.space() + "/" + object.name] = queue;
    object.report.understood(object.place, "queue {} of {}", object.name, queue);
    if (text_at(object.spec, {"stopPolicy"}).starts_with("Hold"))
      object.report.ignored("stopPolicy of LocalQueues", "their jobs may start", object.place);
    object.tell_keys(object.spec, "local queue");
  }
};
TY_REGISTER(KubernetesKind, LocalQueueKind, "kueue.x-k8s.io/LocalQueue", "Kueue: queues of a namespace");

class FlavorKind final : public KubernetesKind
{
public:
  void read(KubernetesObject& object) const override
  {
    KubernetesFlavor flavor{.name = object.name, .place = object.place};
    object.report.understood(object.place, "resource flavor {}", object.name);
    for (const DocumentNode::Entry& label : entries_at(object.spec, {"nodeLabels"})) {
      flavor.labels.emplace_back(label.key, label.value.text);
      if (!object.state.queued)
        object.report.ignored("label of flavors " + label.key, "flavors are not told apart",
                              object.at_line(label.line));
    }
    flavor.tolerations = at(object.spec, {"tolerations"});
    flavor.taints = at(object.spec, {"nodeTaints"});
    for (const DocumentNode& taint : items_at(flavor.taints, {}))
      if (object.state.queued)
        object.report.understood(object.at_line(taint.line), "taint of flavor {}: its pods tolerate {}={}", object.name,
                                 text_at(taint, {"key"}), text_at(taint, {"value"}));
      else
        object.report.ignored("taint of flavors " + text_at(taint, {"key"}), "flavors are not told apart",
                              object.at_line(taint.line));
    std::erase_if(object.state.flavors, [&](const auto& other) { return other.name == flavor.name; });
    object.state.flavors.push_back(std::move(flavor));
    object.tell_keys(object.spec, "flavor");
  }
};
TY_REGISTER(KubernetesKind, FlavorKind, "kueue.x-k8s.io/ResourceFlavor", "Kueue: kinds of nodes, by their labels");

class WorkloadPriorityKind final : public KubernetesKind
{
public:
  void read(KubernetesObject& object) const override
  {
    const double value = number_of(text_at(object.root, {"value"}), 0);
    object.state.workload_priorities[object.name] = value;
    object.report.understood(object.place, "workload priority class {}: {:g}", object.name, value);
  }
};
TY_REGISTER(KubernetesKind, WorkloadPriorityKind, "kueue.x-k8s.io/WorkloadPriorityClass",
            "Kueue: priorities of jobs by name");

class WorkloadKind final : public KubernetesKind
{
public:
  void read(KubernetesObject& object) const override
  {
    const DocumentNode* spec = object.spec;
    const std::string owner = object.owner();
    KubernetesOwner known{.is_workload = true};
    known.local_queue = text_at(spec, {"queueName"});
    known.cluster_queue = text_at(object.root, {"status", "admission", "clusterQueue"});
    known.seconds = std::clamp(number_of(text_at(spec, {"maximumExecutionTimeSeconds"}), 0), 0.0, 1e9);
    known.priority = number_of(text_at(spec, {"priority"}), 0);
    known.runs = !known.cluster_queue.empty() && !holds(object, "Finished");
    object.state.owners[object.space() + "/" + owner] = known;
    if (holds(object, "Finished")) {
      object.report.ignored("workloads that have ended", "they hold nothing", object.place);
      return;
    }
    if (known.runs) {
      object.report.understood("workloads that run: their pods hold their nodes", object.place);
      return;
    }
    if (text_at(spec, {"active"}) == "false") {
      object.report.ignored("workload " + object.name, "it is not active", object.place);
      return;
    }
    KubernetesJob job = job_of(object);
    job.job.name = owner;
    job.local_queue = known.local_queue;
    PodKinds pods;
    for (const DocumentNode& set : items_at(spec, {"podSets"})) {
      pods.emplace_back(template_needs(object, &set), replicas_of(object, &set, {"count"}, 1));
      pods.back().first.role = text_at(set, {"name"});
      if (const std::string domain = text_at(set, {"topologyRequest", "required"}); !domain.empty())
        pods.back().first.domain = domain;
      else if (at(set, {"topologyRequest"}) != nullptr)
        object.report.ignored("topologyRequest",
                              "pods go elsewhere where they do not fit, and nothing here prefers a level",
                              object.at_line(line_at(set, {"topologyRequest"})));
      object.tell_keys(&set, "pod set");
    }
    object.tell_keys(spec, "workload");
    job.job.duration_s = known.seconds;
    job.priority = known.priority;
    make_gang(job, pods, object.context);
    object.report.understood("workloads that wait for quota", object.place);
    object.state.jobs.push_back(std::move(job));
  }

private:
  static bool holds(const KubernetesObject& object, const char* type)
  {
    return std::ranges::any_of(items_at(object.root, {"status", "conditions"}), [&](const DocumentNode& one) {
      return text_at(one, {"type"}) == type && lower_case(text_at(one, {"status"})) == "true";
    });
  }
};
TY_REGISTER(KubernetesKind, WorkloadKind, "kueue.x-k8s.io/Workload", "Kueue: jobs that wait for quota or have it");

class TopologyKind final : public KubernetesKind
{
public:
  void read(KubernetesObject& object) const override
  {
    for (const DocumentNode& level : items_at(object.spec, {"levels"})) {
      const std::string label = text_at(level, {"nodeLabel"});
      object.state.topology_levels.push_back(label);
      object.report.understood(object.at_line(level.line), "topology level {}: {}", object.state.topology_levels.size(),
                               label);
    }
  }
};
TY_REGISTER(KubernetesKind, TopologyKind, "kueue.x-k8s.io/Topology", "Kueue: levels of the topology, by node labels");

} // namespace
} // namespace trainyard
