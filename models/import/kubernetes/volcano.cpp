// SPDX-License-Identifier: Apache-2.0
// Volcano: jobs as gangs of tasks with policies, queues, and HyperNodes (volcano.sh).
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
    ImportReport& report = object.context.report;
    const DocumentNode* spec = at(object.root, {"spec"});
    const DocumentNode* tasks = at(spec, {"tasks"});
    if (tasks == nullptr || tasks->items.empty()) {
      report.error(object.place, fmt::format("job '{}' has no tasks", object.name));
      return;
    }
    int total = 0, servers = 0, workers = 0, server_line = 0, worker_line = 0;
    PodNeeds server, worker;
    bool mpi = false;
    for (const DocumentNode& task : tasks->items) {
      const std::string name = text_at(task, {"name"});
      const int replicas = replicas_of(&task, {"replicas"}, 1);
      total += replicas;
      const PodNeeds needs = pod_needs(object, at(task, {"template", "spec"}), at(task, {"template", "metadata"}));
      mpi = mpi || needs.text.find("mpiexec") != std::string::npos || needs.text.find("mpirun") != std::string::npos;
      report.understood(fmt::format("task {}: {}", name, counted(replicas, "replica")), object.at_line(task.line));
      const bool starts = name.find("master") != std::string::npos || name.find("launcher") != std::string::npos;
      if (name == "ps" || name.find("server") != std::string::npos) {
        servers += replicas;
        server = needs;
        server_line = task.line;
      } else if (starts && tasks->items.size() > 1 && (needs.gpus == 0)) {
        report.understood(fmt::format("task {} starts the ranks and computes nothing", name),
                          object.at_line(task.line));
      } else {
        workers += replicas;
        worker = needs;
        worker_line = task.line;
      }
      policies(object, &task);
    }
    const int least = replicas_of(spec, {"minAvailable"}, total);
    report.understood(fmt::format("gang: starts when {} of {} pods can start (minAvailable)", least, total),
                      object.at_line(line_at(*spec, {"minAvailable"})));
    if (least < total)
      report.assumed("the whole gang starts at once", fmt::format("minAvailable {} would start with fewer pods", least),
                     object.place);
    const bool restarts = policies(object, spec);
    add_training(object, object.name, workers, worker, worker_line, servers, server, server_line,
                 restarts ? "on_failure" : worker.restart, mpi && servers == 0);
    if (const std::string queue = text_at(spec, {"queue"}); !queue.empty() && !object.context.draft.jobs.empty()) {
      object.context.draft.jobs.back().team = object.context.draft.services.back().team = queue;
      report.understood("queue " + queue, object.at_line(line_at(*spec, {"queue"})));
    }
    if (const DocumentNode* plugins = at(spec, {"plugins"}); plugins != nullptr)
      for (const DocumentNode::Entry& plugin : plugins->entries)
        report.ignored("plug-in " + plugin.key, "it prepares pods, which takes no time here",
                       object.at_line(plugin.line));
    if (const DocumentNode* retries = at(spec, {"maxRetry"});
        retries != nullptr && !object.context.draft.services.empty())
      object.context.draft.services.back().attempts = replicas_of(spec, {"maxRetry"}, 0);
    object.ignore_others(spec, {"tasks", "minAvailable", "plugins", "policies", "queue", "schedulerName", "maxRetry"});
  }

private:
  /// Whether a lost pod restarts the job.
  static bool policies(const KubernetesObject& object, const DocumentNode* node)
  {
    bool restarts = false;
    if (const DocumentNode* list = at(node, {"policies"}); list != nullptr)
      for (const DocumentNode& policy : list->items) {
        const std::string event = text_at(policy, {"event"}), action = text_at(policy, {"action"});
        const ImportPlace place = object.at_line(policy.line);
        if (action == "RestartJob" || action == "RestartTask" || action == "RestartPod") {
          object.context.report.understood(fmt::format("{} leads to {}", event, action), place);
          restarts = true;
        } else if (action == "CompleteJob") {
          object.context.report.understood(
              fmt::format("{} leads to CompleteJob: the job ends when its tasks end", event), place);
        } else {
          object.context.report.ignored(fmt::format("policy {} on {}", action, event), "not modelled", place);
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
    const DocumentNode* spec = at(object.root, {"spec"});
    KubernetesState::HyperNode hyper{
        .name = object.name, .tier = replicas_of(spec, {"tier"}, 1), .place = object.place};
    int members = 0;
    if (const DocumentNode* list = at(spec, {"members"}); list != nullptr)
      for (const DocumentNode& member : list->items) {
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
          object.context.report.ignored("member of " + object.name, "neither name, pattern nor labels of nodes",
                                        object.at_line(member.line));
      }
    object.context.report.understood(
        fmt::format("HyperNode {}: tier {}, {}", object.name, hyper.tier, counted(members, "member")), object.place);
    object.state.hypernodes.push_back(std::move(hyper));
  }
};
TY_REGISTER(KubernetesKind, HyperNodeKind, "topology.volcano.sh/HyperNode",
            "Volcano: switches and the nodes below them");

class VolcanoQueueKind final : public KubernetesKind
{
public:
  void read(KubernetesObject& object) const override
  {
    object.context.report.understood(fmt::format("queue {}", object.name), object.place);
    object.context.report.ignored("weight and capability of queues",
                                  "quotas are those of the section scheduling (policy drf)", object.place);
  }
};
TY_REGISTER(KubernetesKind, VolcanoQueueKind, "scheduling.volcano.sh/Queue", "Volcano: queues, listed");

} // namespace
} // namespace trainyard
