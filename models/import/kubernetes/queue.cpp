// SPDX-License-Identifier: Apache-2.0
// The queue of a scenario from what the objects say: jobs that run on their nodes and jobs that wait, the machines each
// may go to, and the rules of Kueue, Volcano or kube-scheduler.
#include "models/core/quantity_text.hpp"
#include "models/import/batch_draft.hpp"
#include "models/import/kubernetes/kind.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <limits>
#include <optional>

namespace trainyard {
namespace {

constexpr double plenty = 1e6;                 // GPUs: a quota that is never used up
constexpr const char* unmanaged = "unmanaged"; // cluster queue and flavor of jobs that Kueue does not hold back

using NodeSet = std::vector<bool>; // by machine of the draft

const DraftMachines* machine_named(const Draft& draft, const std::string& name)
{
  const auto found = std::ranges::find(draft.machines, name, &DraftMachines::name);
  return found == draft.machines.end() ? nullptr : &*found;
}

/// The label of a machine of the scenario: a group of one is called NAME-0.
std::string host_label(const std::string& machine)
{
  return "kubernetes.io/hostname=" + machine + "-0";
}

/// Groups of pods whose last members have been read.
void close_groups(ImportContext& context, KubernetesState& state)
{
  for (auto& [name, group] : state.groups) {
    KubernetesJob job = group.job;
    job.job.name = group.name;
    if (!group.queue.empty())
      job.volcano_queue = group.queue;
    else if (group.known && job.volcano_queue.empty())
      job.volcano_queue = "default";
    if (group.waiting.empty()) { // its pods are not there before their turn comes
      const bool is_there = std::ranges::any_of(state.jobs, [&](const KubernetesJob& other) {
        return other.space == job.space && other.job.name == group.name;
      });
      if (!group.known || !group.waits || is_there || group.least <= 0)
        continue;
      PodNeeds needs;
      needs.gpus = static_cast<int>(group.least_gpus / group.least);
      needs.cpu = group.least_cores / group.least;
      needs.memory_bytes = group.least_bytes / group.least;
      make_gang(job, {{needs, group.least}}, context);
    } else {
      make_gang(job, group.waiting, context);
      if (group.known && group.least > 0 && group.least < static_cast<int>(group.waiting.size()))
        context.report.assumed("the whole gang starts at once", "a pod group could start with fewer (minMember)",
                               job.place);
    }
    state.jobs.push_back(std::move(job));
  }
}

/// Why such equal tasks never start on these machines, even if nobody else is there; empty: they do.
std::string obstacle(const DraftQueueJob& job, const Draft& draft, const NodeSet& open)
{
  double places = 0, gpus = 0;
  const int tasks = std::max(1, job.tasks), per_task = job.gpus / tasks;
  bool any = false;
  for (std::size_t i = 0; i < draft.machines.size(); ++i) {
    if (!open[i])
      continue;
    any = true;
    const DraftMachines& machine = draft.machines[i];
    gpus += 1.0 * machine.count * machine.gpus;
    double here = 1e9;
    if (per_task > 0)
      here = std::floor(1.0 * machine.gpus / per_task);
    if (job.cpu_milli > 0 && machine.cpu_cores > 0)
      here = std::min(here, std::floor(machine.cpu_cores * 1000 / job.cpu_milli));
    if (job.memory_mib > 0 && machine.memory_bytes > 0)
      here = std::min(here, std::floor(machine.memory_bytes / 1048576 / job.memory_mib));
    places += machine.count * here;
  }
  if (!any)
    return "no node has the resources and labels that it asks for and only taints that it tolerates";
  if (job.gpus > 0 && job.tasks == 0)
    return gpus >= job.gpus ? "" : fmt::format("the nodes that it may go to have {:g} GPUs", gpus);
  return places >= tasks ? ""
                         : fmt::format("the nodes that it may go to hold {:g} of its {} even when they are empty",
                                       places, counted(tasks, "pod"));
}

/// The tasks of a job that are equal, as a job: all, or an entry of its list.
DraftQueueJob kind_of(const DraftQueueJob& job, std::size_t kind)
{
  if (job.task_list.empty())
    return job;
  const DraftTaskGroup& group = job.task_list[kind];
  DraftQueueJob alone{.name = job.name, .gpus = group.count * group.gpus, .tasks = group.count};
  alone.cpu_milli = group.cpu_milli;
  alone.memory_mib = group.memory_mib;
  return alone;
}

class Queue
{
public:
  Queue(ImportContext& context, KubernetesState& state) : context_{context}, draft_{context.draft}, state_{state} {}

  void finish()
  {
    close_groups(context_, state_);
    take_what_is_kept(context_, state_);
    say_who_is_missing();
    for (const KubernetesFlavor& flavor : state_.flavors)
      convert_slices(flavor);
    add_quota_machines(context_, state_);
    choose_policy();
    place_jobs();
    name_jobs();
    write_jobs();
    write_rules();
    draft_.services.clear();
    draft_.jobs.clear();
    if (draft_.queue_jobs.empty())
      context_.report.ignored("the queue", "no job of the files runs or could ever start");
    if (state_.live)
      draft_.question = "when do the pods that wait on this cluster start?";
    else
      draft_.question = "when do these jobs start under the quotas of their queues?";
  }

private:
  enum class Rules { kube_scheduler, kueue, volcano };

  void say_who_is_missing()
  {
    for (const auto& [name, owner] : state_.owners)
      if (owner.is_workload && owner.runs && owner.pods == 0)
        context_.report.ignored("workload " + name, "it runs, but none of its pods is in the files: it holds nothing");
  }

  void choose_policy()
  {
    const bool kueue = std::ranges::any_of(
        state_.jobs, [&](const KubernetesJob& job) { return !job.cluster_queue.empty() || !job.local_queue.empty(); });
    const bool volcano =
        std::ranges::any_of(state_.jobs, [](const KubernetesJob& job) { return !job.volcano_queue.empty(); });
    rules_ = kueue && !state_.kueue.cluster_queues.empty() ? Rules::kueue
             : volcano                                     ? Rules::volcano
                                                           : Rules::kube_scheduler;
    if (rules_ == Rules::kueue && volcano)
      context_.report.ignored("queues of Volcano", "the files have quotas of Kueue too; a scenario has one policy");
    if (kueue && state_.kueue.cluster_queues.empty())
      context_.report.assumed("jobs wait for machines alone, not for quota",
                              "no ClusterQueue is in the files; give: kubectl get "
                              "clusterqueues,cohorts,resourceflavors,localqueues,workloads -A -o yaml");
  }

  /// The cluster queue or queue of a job; empty where its jobs never start, which is said.
  std::string queue_of(const KubernetesJob& job)
  {
    if (rules_ == Rules::volcano) {
      if (job.volcano_queue.empty())
        context_.report.assumed("jobs without a queue of Volcano are in its queue default",
                                "a scenario has one policy for all jobs", job.place);
      return job.volcano_queue.empty() ? "default" : job.volcano_queue;
    }
    if (rules_ != Rules::kueue)
      return job.space;
    std::string name = job.cluster_queue;
    if (const auto found = state_.queues.find(job.space + "/" + job.local_queue);
        name.empty() && found != state_.queues.end())
      name = found->second;
    const bool asks = !job.cluster_queue.empty() || !job.local_queue.empty();
    if (std::ranges::find(state_.kueue.cluster_queues, name, &KueueClusterQueue::name) !=
        state_.kueue.cluster_queues.end())
      return name;
    if (!asks || job.runs) {
      if (asks)
        context_.report.ignored("quota of job " + job.job.name, "its queue is not in the files", job.place);
      else
        context_.report.understood("jobs without a queue of Kueue need no quota", job.place);
      needs_unmanaged_ = true;
      return unmanaged;
    }
    context_.report.ignored("job " + job.job.name,
                            {"never starts: the files have no cluster queue for its queue '{}'",
                             job.local_queue.empty() ? job.cluster_queue : job.local_queue},
                            job.place);
    return "";
  }

  NodeSet open_to(const DocumentNode* spec, const std::string& queue) const
  {
    NodeSet open(draft_.machines.size(), true);
    for (std::size_t i = 0; i < open.size(); ++i) {
      const auto node = std::ranges::find(state_.nodes, draft_.machines[i].name, &KubernetesNode::name);
      if (!refusal(spec, queue, node == state_.nodes.end() ? nullptr : &*node, draft_.machines[i].name).empty()) {
        open[i] = false;
        continue;
      }
      if (node == state_.nodes.end())
        continue;
      open[i] = node_admits(*node, spec);
      for (const KubernetesFlavor& flavor : open[i] ? std::vector<KubernetesFlavor>{} : state_.flavors)
        if (flavor.tolerations != nullptr && uses(queue, flavor.name)) // Kueue adds them to the pods of the flavor
          open[i] = open[i] || (is_of(*node, flavor) && node_admits(*node, spec, flavor.tolerations));
    }
    return open;
  }

  /// The taint of a flavor that keeps a job of the queue from a machine: all flavors that it has of the queue have one
  /// that the pods do not tolerate. Empty: none does. Without nodes the machines are called after their flavors.
  std::string refusal(const DocumentNode* spec, const std::string& queue, const KubernetesNode* node,
                      const std::string& machine) const
  {
    std::string first;
    for (const KubernetesFlavor& flavor : state_.flavors) {
      if (!uses(queue, flavor.name) || (node != nullptr ? !is_of(*node, flavor) : machine != flavor.name))
        continue;
      const std::string taint = untolerated_taint(flavor, spec);
      if (taint.empty())
        return "";
      first = fmt::format("its pods do not tolerate {} of flavor {}", taint, flavor.name);
    }
    return first;
  }

  /// A taint that keeps it from a machine, where one does from each.
  std::string refusal_of_all(const DocumentNode* spec, const std::string& queue) const
  {
    std::string last;
    for (const DraftMachines& machine : draft_.machines) {
      const auto node = std::ranges::find(state_.nodes, machine.name, &KubernetesNode::name);
      last = refusal(spec, queue, node == state_.nodes.end() ? nullptr : &*node, machine.name);
      if (last.empty())
        break;
    }
    return last;
  }

  bool uses(const std::string& queue, const std::string& flavor) const
  {
    const auto found = std::ranges::find(state_.kueue.cluster_queues, queue, &KueueClusterQueue::name);
    return rules_ == Rules::kueue && found != state_.kueue.cluster_queues.end() &&
           std::ranges::find(found->quotas, flavor, &KueueQuota::flavor) != found->quotas.end();
  }

  static bool is_of(const KubernetesNode& node, const KubernetesFlavor& flavor)
  {
    return std::ranges::all_of(flavor.labels, [&](const auto& label) {
      const auto found = node.labels.find(label.first);
      return found != node.labels.end() && found->second == label.second;
    });
  }

  /// Gives each job its machines and its team, and leaves out those that can never start.
  void place_jobs()
  {
    std::vector<KubernetesJob> kept;
    for (KubernetesJob& job : state_.jobs) {
      const std::string queue = queue_of(job);
      if (queue.empty() || !may_start(job, queue))
        continue;
      job.job.team = queue;
      join_pod_sets(job);
      if (!state_.nodes.empty()) { // the labels of nodes say it exactly
        job.job.gpu_type.clear();
        for (DraftTaskGroup& group : job.job.task_list)
          group.gpu_type.clear();
      }
      kept.push_back(std::move(job));
    }
    state_.jobs = std::move(kept);
    if (rules_ == Rules::kueue)
      check_declared();
  }

  /// Equal pod sets are one where their queue has a single flavor for them, which all get.
  void join_pod_sets(KubernetesJob& job) const
  {
    std::vector<DraftTaskGroup>& list = job.job.task_list;
    const auto queue = std::ranges::find(state_.kueue.cluster_queues, job.job.team, &KueueClusterQueue::name);
    const auto same = [&](const DraftTaskGroup& group) {
      const DraftTaskGroup& first = list.front();
      return group.gpus == first.gpus && group.cpu_milli == first.cpu_milli && group.memory_mib == first.memory_mib &&
             group.gpu_type == first.gpu_type && group.node_selector == first.node_selector;
    };
    if (list.empty() || !std::ranges::all_of(list, same) ||
        (rules_ == Rules::kueue && queue != state_.kueue.cluster_queues.end() && queue->quotas.size() > 1))
      return;
    for (const DraftTaskGroup& group : list)
      job.job.tasks += group.count;
    job.job.cpu_milli = list.front().cpu_milli;
    job.job.memory_mib = list.front().memory_mib;
    job.job.gpu_type = list.front().gpu_type;
    job.job.node_selector = list.front().node_selector;
    list.clear();
  }

  /// What the job asks for and its cluster queue has no quota of, so that Kueue would not admit it; null: nothing.
  const char* undeclared(const KubernetesJob& job) const
  {
    const auto queue = std::ranges::find(state_.kueue.cluster_queues, job.job.team, &KueueClusterQueue::name);
    if (queue == state_.kueue.cluster_queues.end())
      return nullptr;
    const auto covers = [&](KueueResource resource) {
      return std::ranges::any_of(queue->quotas, [&](const KueueQuota& quota) { return quota.covers(resource); });
    };
    if (!covers(KueueResource::cpu) && !covers(KueueResource::memory) && !covers(KueueResource::pods))
      return nullptr; // the scenario limits GPUs alone
    const auto asks = [&](int DraftQueueJob::*of_all, int DraftTaskGroup::*of_some) {
      return job.job.*of_all > 0 ||
             std::ranges::any_of(job.job.task_list, [&](const DraftTaskGroup& group) { return group.*of_some > 0; });
    };
    using Job = DraftQueueJob;
    using Some = DraftTaskGroup;
    return job.job.gpus > 0 && !covers(KueueResource::gpu)                               ? "GPUs"
           : asks(&Job::cpu_milli, &Some::cpu_milli) && !covers(KueueResource::cpu)      ? "CPU"
           : asks(&Job::memory_mib, &Some::memory_mib) && !covers(KueueResource::memory) ? "memory"
                                                                                         : nullptr;
  }

  /// Kueue's configuration is not in the files; a job that runs although its queue lacks a quota tells what it says.
  void check_declared()
  {
    for (const KubernetesJob& job : state_.jobs)
      if (const char* what = job.runs ? undeclared(job) : nullptr; what != nullptr) {
        state_.kueue.undeclared = KueueUndeclared::ignore;
        context_.report.assumed("resources without a quota are not limited (quotaCheckStrategy: IgnoreUndeclared)",
                                {"job {} runs although its cluster queue has no quota of {}", job.job.name, what},
                                job.place);
        return;
      }
    for (const KubernetesJob& job : state_.jobs)
      if (const char* what = undeclared(job); what != nullptr)
        context_.report.assumed(
            {"job {} never starts: its cluster queue has no quota of {}", job.job.name, what},
            "so does Kueue unless its configuration says quotaCheckStrategy: IgnoreUndeclared; then "
            "write kueue: {quota_check_strategy: IgnoreUndeclared}",
            job.place);
  }

  /// Gives the job, or each kind of its tasks, the machines that it may go to; whether it may start there.
  bool may_start(KubernetesJob& job, const std::string& queue)
  {
    if (!job.node.empty()) {
      const DraftMachines* machine = machine_named(draft_, job.node);
      if (machine == nullptr) {
        context_.report.ignored("pods on nodes that are not in the files", "they hold none of the nodes given",
                                job.place);
        return false;
      }
      job.job.node_selector = {host_label(job.node)};
    } else if (!job.runs && state_.held.contains(queue)) {
      context_.draft.jobs_left_out = true;
      context_.report.ignored("job " + job.job.name, {"never starts: its queue '{}' is held", queue}, job.place);
      return false;
    }
    const std::size_t kinds = std::max<std::size_t>(1, job.job.task_list.size());
    std::vector<std::vector<std::string>> selectors(kinds);
    for (std::size_t kind = 0; kind < kinds && !draft_.machines.empty(); ++kind) { // else they are made for the jobs
      const DocumentNode* spec = job.task_specs.empty() ? job.spec : job.task_specs[kind];
      NodeSet open(draft_.machines.size(), true);
      for (std::size_t i = 0; i < open.size() && !job.node.empty(); ++i)
        open[i] = draft_.machines[i].name == job.node;
      if (job.node.empty() && !job.runs)
        open = open_to(spec, queue);
      std::string why = obstacle(kind_of(job.job, kind), draft_, open);
      if (const std::string taint = refusal_of_all(spec, queue); !why.empty() && !taint.empty())
        why = taint;
      if (!why.empty()) {
        context_.draft.jobs_left_out = true;
        context_.report.ignored("job " + job.job.name, (job.runs ? "its place is not there: " : "never fits: ") + why,
                                job.place);
        return false;
      }
      if (!job.domain.empty() && job.node.empty() && spec == job.spec)
        choose_domain(job, kind_of(job.job, kind), open);
      if (job.node.empty() && std::ranges::find(open, false) != open.end())
        selectors[kind] = {"pool=" + pool_of(open)};
    }
    for (std::size_t kind = 0; kind < kinds && job.node.empty(); ++kind)
      (job.job.task_list.empty() ? job.job.node_selector : job.job.task_list[kind].node_selector) = selectors[kind];
    return true;
  }

  /// Kueue admits a job whose pods need one domain of the topology only into a domain that holds them all. Of several
  /// the one that holds least of it by earlier jobs is taken, and of these the smallest that fits (its BestFit).
  /// Where none does, it is left with the nodes of the largest, and waits for ever.
  void choose_domain(const KubernetesJob& job, const DraftQueueJob& tasks, NodeSet& open)
  {
    std::map<std::string, NodeSet> domains; // by value of the label
    for (std::size_t i = 0; i < open.size(); ++i) {
      const auto node = std::ranges::find(state_.nodes, draft_.machines[i].name, &KubernetesNode::name);
      if (!open[i] || node == state_.nodes.end())
        continue;
      if (const auto label = node->labels.find(job.domain); label != node->labels.end())
        domains.try_emplace(label->second, open.size(), false).first->second[i] = true;
    }
    std::string best, largest, why = "no node has this label";
    std::pair<double, double> least{plenty, plenty};
    double most = -1;
    for (const auto& [value, nodes] : domains) {
      double gpus = 0;
      for (std::size_t i = 0; i < nodes.size(); ++i)
        gpus += nodes[i] ? 1.0 * draft_.machines[i].count * draft_.machines[i].gpus : 0;
      if (const std::string obstacle_here = obstacle(tasks, draft_, nodes); !obstacle_here.empty()) {
        if (gpus > most) {
          most = gpus;
          largest = value;
          why = fmt::format("{}: {}", value, obstacle_here);
        }
        continue;
      }
      if (const std::pair size{given_[job.domain + "=" + value], gpus}; best.empty() || size < least) {
        best = value;
        least = size;
      }
    }
    if (best.empty()) {
      context_.report.assumed({"job {} is never admitted", job.job.name},
                              {"all its pods need one {}, and none holds them ({})", job.domain, why}, job.place);
      open = largest.empty() ? NodeSet(open.size(), false) : domains.at(largest);
      return;
    }
    given_[job.domain + "=" + best] += tasks.gpus;
    open = domains.at(best);
    const auto fit = std::ranges::count_if(
        domains, [&](const auto& domain) { return obstacle(tasks, draft_, domain.second).empty(); });
    const std::string where = fmt::format("all pods of {} run in {} {}", job.job.name, job.domain, best);
    if (fit > 1)
      context_.report.assumed(where, "a job of a scenario has its machines before it starts; others fit too",
                              job.place);
    else
      context_.report.understood(where, job.place);
  }

  /// The name of a set of machines.
  std::string pool_of(const NodeSet& open)
  {
    const auto found = std::ranges::find(pools_, open);
    const auto number = found - pools_.begin();
    if (found == pools_.end())
      pools_.push_back(open);
    return std::to_string(number + 1);
  }

  void name_jobs()
  {
    std::map<std::string, int> times;
    for (const KubernetesJob& job : state_.jobs)
      ++times[job.job.name];
    UniqueNames names;
    for (KubernetesJob& job : state_.jobs)
      job.job.name = names.of(times[job.job.name] > 1 ? job.space + "/" + job.job.name : job.job.name);
  }

  /// Time 0 is the first start; what waits is submitted now, first who has waited longest.
  void write_jobs()
  {
    double first = state_.now;
    int waiting = 0;
    for (const KubernetesJob& job : state_.jobs)
      if (job.runs)
        first = std::min(first, job.job.submit_s);
      else
        ++waiting;
    std::ranges::stable_sort(state_.jobs, {}, [&](const KubernetesJob& job) {
      return job.runs ? std::pair{job.job.submit_s, 0.0} : std::pair{state_.now, job.created > 0 ? job.created : 1e300};
    });
    draft_.queue_jobs.clear();
    for (KubernetesJob& job : state_.jobs) {
      job.job.submit_s = job.runs ? job.job.submit_s - first : state_.live ? state_.now - first : job.job.submit_s;
      draft_.queue_jobs.push_back(job.job);
    }
    if (!state_.live)
      return;
    const std::string now = to_text(state_.now - first, QuantityKind::duration);
    context_.report.assumed({"the lists are of time {}, when all that waits is submitted", now},
                            "it is the newest time in the files; time 0 is the first start");
    draft_.remarks.push_back(fmt::format("Now is {}. `simrun explain job NAME DIR` says how long from now a job that "
                                         "waits goes on waiting ({} such {}).",
                                         now, waiting, waiting == 1 ? "job" : "jobs"));
  }

  void write_rules()
  {
    std::string marks;
    for (std::size_t i = 0; i < draft_.machines.size(); ++i) {
      std::vector<std::string> labels;
      for (std::size_t pool = 0; pool < pools_.size(); ++pool)
        if (pools_[pool][i])
          labels.push_back(fmt::format("pool={}", pool + 1));
      if (!labels.empty())
        marks += fmt::format("\n    - {{nodes: {}, labels: [{}]}}", yaml_text(draft_.machines[i].name),
                             fmt::join(labels, ", "));
    }
    for (std::size_t pool = 0; pool < pools_.size(); ++pool)
      context_.report.understood(fmt::format("pool {}: {}, by selectors, affinity and taints", pool + 1,
                                             counted(std::ranges::count(pools_[pool], true), "node")));
    if (rules_ == Rules::kueue)
      write_kueue();
    draft_.scheduling.emplace_back("policy", rules_ == Rules::kueue     ? "{name: kueue}"
                                             : rules_ == Rules::volcano ? volcano_flow()
                                                                        : "{name: priority}");
    draft_.scheduling.emplace_back("placement", "kubernetes");
    if (!marks.empty())
      draft_.scheduling.emplace_back("nodes", marks);
  }

  std::string volcano_flow() const
  {
    std::vector<std::pair<std::string, std::string>> settings;
    for (const char* name : {"weights", "capabilities", "guarantees", "deserved", "cpu_capabilities", "cpu_guarantees",
                             "cpu_deserved", "memory_capabilities", "memory_guarantees", "memory_deserved"})
      settings.emplace_back(name, "");
    for (const VolcanoQueue& queue : state_.volcano_queues) {
      const bool has_jobs =
          std::ranges::find(draft_.queue_jobs, queue.name, &DraftQueueJob::team) != draft_.queue_jobs.end();
      const VolcanoQueue::Amounts& kept = queue.guarantee;
      if (!has_jobs) {
        context_.report.ignored("queue " + queue.name, kept.gpus > 0 || kept.cores > 0 || kept.bytes > 0
                                                           ? "it has no jobs; its guarantee is not kept for it"
                                                           : "it has no jobs");
        continue;
      }
      const auto add = [&](std::size_t setting, const std::string& value) {
        std::string& text = settings[setting].second;
        text += fmt::format("{}{}={}", text.empty() ? "" : " ", queue.name, value);
      };
      add(0, fmt::format("{:g}", queue.weight));
      // Of what is kept and deserved, none is the same as not said.
      const VolcanoQueue::Amounts& most = queue.capability;
      const VolcanoQueue::Amounts& due = queue.deserved;
      const auto add_kind = [&](std::size_t first, double capability, double guarantee, double deserved,
                                const auto& text) {
        if (capability >= 0)
          add(first, text(capability));
        if (guarantee > 0)
          add(first + 1, text(guarantee));
        if (deserved > 0)
          add(first + 2, text(deserved));
      };
      const auto number = [](double value) { return fmt::format("{:g}", value); };
      add_kind(1, most.gpus, kept.gpus, due.gpus, number);
      add_kind(4, most.cores, kept.cores, due.cores, number);
      add_kind(7, most.bytes, kept.bytes, due.bytes, [](double value) { return bytes_flow(value, ""); });
    }
    if (!settings[3].second.empty() || !settings[6].second.empty() || !settings[9].second.empty())
      context_.report.assumed("Volcano's plugin capacity shares out, not proportion",
                              "queues say what they deserve, and its configuration is not in the files");
    std::string text = "{name: volcano";
    for (const auto& [key, value] : settings)
      if (!value.empty())
        text += fmt::format(", {}: {}", key, yaml_text(value));
    context_.report.assumed("Volcano's actions preempt and reclaim are off",
                            "its configuration is not in the files; policy: {name: volcano, preempt: true, reclaim: "
                            "true} switches them on");
    return text + "}";
  }

  void write_kueue()
  {
    KueueRules& rules = state_.kueue;
    std::set<std::string> wanted; // flavors
    for (const KueueClusterQueue& queue : rules.cluster_queues)
      for (const KueueQuota& quota : queue.quotas)
        wanted.insert(quota.flavor);
    for (const KueueCohort& cohort : rules.cohorts)
      for (const KueueQuota& quota : cohort.quotas)
        wanted.insert(quota.flavor);
    for (const std::string& name : wanted)
      rules.flavors.push_back(flavor_named(name));
    close_cohorts(rules);
    for (KueueClusterQueue& queue : rules.cluster_queues)
      if (queue.quotas.empty()) {
        if (rules.flavors.empty())
          needs_unmanaged_ = true;
        queue.quotas.push_back({.flavor = rules.flavors.empty() ? unmanaged : rules.flavors.front().name});
        context_.report.assumed({"cluster queue {} has no GPUs", queue.name},
                                "it has no quotas of GPUs, CPU, memory or pods");
      }
    if (needs_unmanaged_) {
      rules.flavors.push_back({.name = unmanaged});
      rules.cluster_queues.push_back({.name = unmanaged, .quotas = {{.flavor = unmanaged, .nominal = plenty}}});
    }
    draft_.kueue = rules;
  }

  /// A quota of nvidia.com/gpu where the flavor's nodes list slices under this name (strategy "single").
  void convert_slices(const KubernetesFlavor& flavor)
  {
    std::optional<MigProfile> slice;
    std::string gpu;
    for (const KubernetesNode& node : state_.nodes) {
      if (!is_of(node, flavor) || !node.resources.contains("nvidia.com/gpu"))
        continue;
      if (gpu.empty() || node.slice == slice) {
        slice = node.slice;
        gpu = node.gpu;
        continue;
      }
      context_.report.assumed({"the quotas of flavor {} are those of whole GPUs", flavor.name},
                              "some of its nodes list MIG slices as nvidia.com/gpu, others do not or have other slices",
                              flavor.place);
      return;
    }
    const auto known = context_.catalogue.gpus.find(gpu);
    if (!slice || known == context_.catalogue.gpus.end())
      return;
    const double share = mig_quota_share(*slice, mig_gpu(gpu, known->second.memory.value(), *slice));
    bool any = false;
    const auto convert = [&](std::vector<KueueQuota>& quotas) {
      for (KueueQuota& quota : quotas)
        if (quota.flavor == flavor.name && quota.nominal >= 0) {
          any = true;
          for (double* value : {&quota.nominal, &quota.borrowing_limit, &quota.lending_limit})
            *value *= share;
        }
    };
    for (KueueClusterQueue& queue : state_.kueue.cluster_queues)
      convert(queue.quotas);
    for (KueueCohort& cohort : state_.kueue.cohorts)
      convert(cohort.quotas);
    if (any)
      context_.report.assumed({"a GPU in the quotas of flavor {} is {:g} of a whole one", flavor.name, share},
                              {"its nodes list slices {} as nvidia.com/gpu", to_text(*slice)}, flavor.place);
  }

  /// The nodes of a flavor; without any, its quotas are zero.
  KueueFlavor flavor_named(const std::string& name)
  {
    KueueFlavor result{.name = name};
    const auto found = std::ranges::find(state_.flavors, name, &KubernetesFlavor::name);
    if (found == state_.flavors.end()) {
      context_.report.assumed({"flavor {} is of any node", name}, "no ResourceFlavor of this name is in the "
                                                                  "files");
      return result;
    }
    if (state_.nodes.empty()) { // machines were made for the quotas, one group for each flavor
      if (machine_named(draft_, name) != nullptr && draft_.machines.size() > 1)
        result.nodes = {name};
      return result;
    }
    for (const KubernetesNode& node : state_.nodes)
      if (is_of(node, *found) && machine_named(draft_, node.name) != nullptr)
        result.nodes.push_back(node.name);
    if (result.nodes.empty()) {
      context_.report.assumed({"the quotas of flavor {} are 0", name}, "no node has its labels", found->place);
      clear_quotas(name);
    }
    if (result.nodes.size() == draft_.machines.size())
      result.nodes.clear();
    return result;
  }

  void clear_quotas(const std::string& flavor)
  {
    const auto clear = [&](std::vector<KueueQuota>& quotas) {
      for (KueueQuota& quota : quotas)
        if (quota.flavor == flavor)
          for (double* nominal : {&quota.nominal, &quota.cpu.nominal, &quota.memory.nominal, &quota.pods.nominal})
            *nominal = std::min(*nominal, 0.0); // negative: there is none
    };
    for (KueueClusterQueue& queue : state_.kueue.cluster_queues)
      clear(queue.quotas);
    for (KueueCohort& cohort : state_.kueue.cohorts)
      clear(cohort.quotas);
  }

  /// Where one cohort is listed, all are; limits are for those that share.
  void close_cohorts(KueueRules& rules)
  {
    const auto drop_limits = [&](std::vector<KueueQuota>& quotas) {
      constexpr double no_limit = std::numeric_limits<double>::infinity();
      for (KueueQuota& quota : quotas) {
        quota.borrowing_limit = quota.lending_limit = no_limit;
        for (KueueAmount* amount : {&quota.cpu, &quota.memory, &quota.pods})
          amount->borrowing_limit = amount->lending_limit = no_limit;
      }
    };
    std::set<std::string> named;
    for (KueueClusterQueue& queue : rules.cluster_queues)
      if (queue.cohort.empty())
        drop_limits(queue.quotas);
      else
        named.insert(queue.cohort);
    for (KueueCohort& cohort : rules.cohorts)
      if (cohort.parent.empty())
        drop_limits(cohort.quotas);
      else
        named.insert(cohort.parent);
    if (rules.cohorts.empty())
      return;
    for (const std::string& name : named)
      if (std::ranges::find(rules.cohorts, name, &KueueCohort::name) == rules.cohorts.end())
        rules.cohorts.push_back({.name = name});
  }

  ImportContext& context_;
  Draft& draft_;
  KubernetesState& state_;
  Rules rules_ = Rules::kube_scheduler;
  bool needs_unmanaged_ = false;
  std::vector<NodeSet> pools_;
  std::map<std::string, double> given_; // GPUs of jobs that need one domain of the topology, by its label=value
};

} // namespace

void finish_queue(ImportContext& context, KubernetesState& state)
{
  Queue{context, state}.finish();
}

} // namespace trainyard
