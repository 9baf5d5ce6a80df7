// SPDX-License-Identifier: Apache-2.0
// Volcano: jobs as gangs of tasks with policies, pod groups, queues, and HyperNodes (volcano.sh). Source of names:
// volcano-sh/apis, pkg/apis/scheduling/v1beta1/types.go (062ae57), labels.go (04ee883).
#include "models/import/compose_parts.hpp"
#include "models/import/kubernetes/kind.hpp"

#include <algorithm>
#include <fmt/format.h>

namespace trainyard {
namespace {

class VolcanoJobKind final : public KubernetesKind
{
public:
  void read(KubernetesObject& object) const override
  {
    ImportReport& report = object.report;
    const DocumentNode* spec = object.spec;
    const std::vector<DocumentNode>& tasks = items_at(spec, {"tasks"});
    if (tasks.empty()) {
      report.error(object.place, "job '{}' has no tasks", object.name);
      return;
    }
    int total = 0, servers = 0, workers = 0, server_line = 0, worker_line = 0;
    PodNeeds server, worker;
    PodKinds kinds;
    kinds.reserve(tasks.size());
    bool mpi = false;
    std::string launch; // what starts the ranks
    int launch_line = 0;
    for (const DocumentNode& task : tasks) {
      const std::string name = text_at(task, {"name"});
      const int replicas = replicas_of(object, &task, {"replicas"}, 1);
      total += replicas;
      PodNeeds needs = template_needs(object, &task);
      needs.role = name;
      kinds.emplace_back(needs, replicas);
      mpi = mpi || needs.text.find("mpiexec") != std::string::npos || needs.text.find("mpirun") != std::string::npos;
      report.understood(object.at_line(task.line), "task {}: {}", name, counted(replicas, "replica"));
      const bool starts = name.find("master") != std::string::npos || name.find("launcher") != std::string::npos;
      if (name == "ps" || name.find("server") != std::string::npos) {
        servers += replicas;
        server = needs;
        server_line = task.line;
      } else if (starts && tasks.size() > 1 && (needs.gpus == 0)) {
        report.understood(object.at_line(task.line), "task {} starts the ranks and computes nothing", name);
        launch += needs.text;
        launch_line = task.line;
      } else {
        if (workers > 0 && needs.gpus != worker.gpus && !object.state.queued)
          report.assumed({"all workers of {} have {}", object.name, counted(std::max(needs.gpus, worker.gpus), "GPU")},
                         {"task {} asks for {}, and the workers of a training are equal", name, needs.gpus},
                         object.at_line(task.line));
        if (workers == 0 || needs.gpus >= worker.gpus) {
          worker = needs;
          worker_line = task.line;
        }
        workers += replicas;
      }
      if (const int few = replicas_of(object, &task, {"minAvailable"}, replicas); few < replicas)
        report.assumed("the whole gang starts at once",
                       {"minAvailable {} of task {} would start with fewer", few, name}, object.at_line(task.line));
      policies(object, &task);
      object.tell_keys(&task, "task");
    }
    worker.text += launch;
    worker.text_line = launch_line;
    const int least = replicas_of(object, spec, {"minAvailable"}, total), line = line_at(*spec, {"minAvailable"});
    const bool parts = object.state.queued && tasks.size() == 1 && least > 0 && least < total && worker.gpu_share == 0;
    if (!parts)
      tell_gang(object, least, total, line);
    const DocumentNode* estimate = at(spec, {"runningEstimate"});
    if (estimate != nullptr)
      report.understood("runningEstimate, where the job is in a queue", object.at_line(estimate->line));
    const std::optional<double> priority = priority_of_class(object, *spec); // Volcano's, before the pods' own
    for (auto& [needs, count] : kinds) {
      if (estimate != nullptr && needs.seconds <= 0)
        needs.seconds = std::max(0.0, compose_seconds(estimate->text));
      needs.priority = priority.value_or(needs.priority);
    }
    worker.priority = priority.value_or(worker.priority);
    server.priority = priority.value_or(server.priority);
    const bool restarts = policies(object, spec);
    const std::size_t jobs_before = object.state.jobs.size();
    add_training(object, object.name, workers, worker, worker_line, servers, server, server_line,
                 restarts ? "on_failure" : worker.restart, mpi && servers == 0, kinds);
    if (object.state.jobs.size() > jobs_before) {
      const std::string queue = text_at(spec, {"queue"});
      object.state.jobs.back().volcano_queue = queue.empty() ? "default" : queue;
      if (parts)
        part_gang(object, least, total, line);
    }
    if (const std::string queue = text_at(spec, {"queue"}); !queue.empty())
      join_queue(object, queue, line_at(*spec, {"queue"}));
    for (const DocumentNode::Entry& plugin : entries_at(spec, {"plugins"}))
      report.ignored("plug-in " + plugin.key, "it prepares pods, which takes no time here",
                     object.at_line(plugin.line));
    if (DraftService* service = service_of(object); service != nullptr && at(spec, {"maxRetry"}) != nullptr)
      service->attempts = replicas_of(object, spec, {"maxRetry"}, 0);
    object.tell_keys(spec, "job of Volcano");
  }

private:
  /// Equal pods of which some are enough to start: the others are jobs of one pod.
  static void part_gang(const KubernetesObject& object, int least, int pods, int line)
  {
    KubernetesJob& gang = object.state.jobs.back();
    KubernetesJob other = gang;
    const int each = gang.job.gpus / pods;
    other.job.name += "-more";
    other.job.gpus = each;
    other.job.tasks = 1;
    other.job.copies = pods - least;
    gang.job.gpus = each * least;
    gang.job.tasks = least;
    object.report.assumed(
        {"the gang of {} has {}; the other {} are jobs of one pod each", object.name, counted(least, "pod"),
         pods - least},
        {"minAvailable {} starts with fewer pods, and each runs as long as it would beside all", least},
        object.at_line(line));
    object.state.jobs.push_back(std::move(other));
  }

  /// Whether a lost pod restarts the job.
  static bool policies(const KubernetesObject& object, const DocumentNode* node)
  {
    bool restarts = false;
    for (const DocumentNode& policy : items_at(node, {"policies"})) {
      const std::string event = text_at(policy, {"event"}), action = text_at(policy, {"action"});
      const ImportPlace place = object.at_line(policy.line);
      if (action == "RestartJob" || action == "RestartTask" || action == "RestartPod") {
        object.report.understood(place, "{} leads to {}", event, action);
        restarts = true;
      } else if (action == "CompleteJob") {
        object.report.understood(place, "{} leads to CompleteJob: the job ends when its tasks end", event);
      } else {
        object.report.ignored({"policy {} on {}", action, event}, "not modelled", place);
      }
    }
    return restarts;
  }
};
TY_REGISTER(KubernetesKind, VolcanoJobKind, "batch.volcano.sh/Job", "Volcano: gang of tasks, policies on events");

class HyperNodeKind final : public KubernetesKind
{
public:
  void read(KubernetesObject& object) const override
  {
    const DocumentNode* spec = object.spec;
    KubernetesState::HyperNode hyper{
        .name = object.name, .tier = replicas_of(object, spec, {"tier"}, 1), .place = object.place};
    int members = 0;
    for (const DocumentNode& member : items_at(spec, {"members"})) {
      ++members;
      std::string type = text_at(member, {"type"});
      const std::string exact = text_at(member, {"selector", "exactMatch", "name"});
      const std::string pattern = text_at(member, {"selector", "regexMatch", "pattern"});
      std::string name = exact;
      if (name.empty() && pattern.empty())
        name = text_at(member, {"name"}); // an early form
      if (type.empty())
        type = hyper.tier <= 1 ? "Node" : "HyperNode";
      const DocumentNode* labels = at(member, {"selector", "labelMatch", "matchLabels"});
      if (!name.empty())
        (type == "Node" ? hyper.nodes : hyper.hypernodes).push_back(name);
      else if (!pattern.empty() && type == "Node")
        hyper.patterns.push_back(pattern);
      else if (labels != nullptr)
        for (const DocumentNode::Entry& label : labels->entries)
          hyper.labels.emplace_back(label.key, label.value.text);
      else
        object.report.ignored("member of " + object.name, "neither name, pattern nor labels of nodes",
                              object.at_line(member.line));
    }
    object.report.understood(object.place, "HyperNode {}: tier {}, {}", object.name, hyper.tier,
                             counted(members, "member"));
    object.state.hypernodes.push_back(std::move(hyper));
  }
};
TY_REGISTER(KubernetesKind, HyperNodeKind, "topology.volcano.sh/HyperNode",
            "Volcano: switches and the nodes below them");

class VolcanoQueueKind final : public KubernetesKind
{
private:
  /// What a queue may hold, or keeps.
  static VolcanoQueue::Amounts amounts_in(const KubernetesObject& object, const char* what,
                                          const DocumentNode* resources)
  {
    VolcanoQueue::Amounts all{.gpus = gpus_in(resources)};
    if (resources == nullptr)
      return all;
    for (const DocumentNode::Entry& entry : resources->entries) {
      const bool cores = entry.key == "cpu", bytes = entry.key == "memory";
      if (const double value = kubernetes_quantity(entry.value.text); value < 0)
        object.report.error(object.at_line(entry.line), "'{}' is not a quantity", entry.value.text);
      else if (cores || bytes)
        (cores ? all.cores : all.bytes) = std::min(value, cores ? 1e6 : 1e18);
      else if (!is_gpu_resource(entry.key))
        object.report.ignored({"{} of {}", what, entry.key}, "jobs of a scenario ask for GPUs, CPU and memory alone",
                              object.at_line(entry.line));
    }
    return all;
  }

public:
  void read(KubernetesObject& object) const override
  {
    ImportReport& report = object.report;
    report.understood(object.place, "queue {}", object.name);
    if (!object.state.queued) {
      report.ignored("weight and capability of queues", "no job in the files is in one of Volcano's queues",
                     object.place);
      return;
    }
    const DocumentNode* spec = object.spec;
    VolcanoQueue queue{.name = object.name};
    queue.weight = std::clamp(number_of(text_at(spec, {"weight"}), 1), 1.0, 65535.0);
    queue.capability = amounts_in(object, "capability", at(spec, {"capability"}));
    for (double* amount : {&queue.capability.cores, &queue.capability.bytes})
      if (*amount == 0) // of these two, Volcano takes none as no limit
        *amount = -1;
    queue.guarantee = amounts_in(object, "guarantee", at(spec, {"guarantee", "resource"}));
    queue.deserved = amounts_in(object, "deserved", at(spec, {"deserved"}));
    if (text_at(spec, {"reclaimable"}) == "false")
      report.ignored("reclaimable: false", "the action reclaim is off in the scenario", object.place);
    if (const std::string state = text_at(object.root, {"status", "state"}); state == "Closed" || state == "Closing")
      object.state.held.insert(object.name);
    if (const std::string parent = text_at(spec, {"parent"}); !parent.empty() && parent != "root")
      report.ignored("parent of queues", "the policy volcano has one level of queues",
                     object.at_line(line_at(*spec, {"parent"})));
    std::erase_if(object.state.volcano_queues, [&](const auto& other) { return other.name == queue.name; });
    object.state.volcano_queues.push_back(std::move(queue));
    object.tell_keys(spec, "queue of Volcano");
  }
};
TY_REGISTER(KubernetesKind, VolcanoQueueKind, "scheduling.volcano.sh/Queue",
            "Volcano: queues with weight, capability, deserved and guarantee");

class PodGroupKind final : public KubernetesKind
{
public:
  void read(KubernetesObject& object) const override
  {
    const DocumentNode* spec = object.spec;
    KubernetesGroup& group = object.state.groups[object.space() + "/" + object.name];
    group.known = true;
    group.name = object.owner();
    group.queue = text_at(spec, {"queue"});
    group.least = replicas_of(object, spec, {"minMember"}, 1);
    const DocumentNode* least = at(spec, {"minResources"});
    group.least_gpus = std::max(0.0, gpus_in(least));
    group.least_cores = std::max(0.0, kubernetes_quantity(text_at(least, {"cpu"})));
    group.least_bytes = std::max(0.0, kubernetes_quantity(text_at(least, {"memory"})));
    const std::string phase = text_at(object.root, {"status", "phase"});
    group.waits = phase.empty() || phase == "Pending" || phase == "Inqueue";
    group.job = job_of(object);
    if (const auto found = object.state.priorities.find(text_at(spec, {"priorityClassName"}));
        found != object.state.priorities.end())
      group.job.priority = found->second.first;
    object.report.understood(object.place, "pod group {}: starts with {}", object.name, counted(group.least, "pod"));
    object.tell_keys(spec, "pod group");
  }
};
TY_REGISTER(KubernetesKind, PodGroupKind, "scheduling.volcano.sh/PodGroup", "Volcano: pods that start together");

} // namespace
} // namespace trainyard
