// SPDX-License-Identifier: Apache-2.0
// The training operators of Kubeflow: TFJob, PyTorchJob, MPIJob (kubeflow.org/v1 and v2beta1).
#include "models/import/compose_parts.hpp"
#include "models/import/kubernetes/kind.hpp"

#include <algorithm>
#include <fmt/format.h>

namespace trainyard {
namespace {

struct Role {
  const DocumentNode* node = nullptr;
  int replicas = 0;
  int line = 0;
  PodNeeds needs;
};

Role role_of(const KubernetesObject& object, const char* specs, const char* name)
{
  Role role;
  role.node = at(object.root, {"spec", specs, name});
  if (role.node == nullptr)
    return role;
  for (const DocumentNode::Entry& entry : at(object.root, {"spec", specs})->entries)
    if (entry.key == name)
      role.line = entry.line;
  role.replicas = replicas_of(role.node, {"replicas"}, 1);
  role.needs = pod_needs(object, at(role.node, {"template", "spec"}), at(role.node, {"template", "metadata"}));
  return role;
}

std::string restart_of(const KubernetesObject& object, const Role& role)
{
  const std::string text = text_at(role.node, {"restartPolicy"});
  if (!text.empty())
    object.context.report.understood("restartPolicy " + text, object.at_line(line_at(*role.node, {"restartPolicy"})));
  return text == "Always"                            ? "always"
         : text == "OnFailure" || text == "ExitCode" ? "on_failure"
         : text == "Never"                           ? "never"
                                                     : "";
}

/// Ranks and GPUs of a worker that do not match: one rank for each GPU is what is simulated.
void compare_ranks(const KubernetesObject& object, int ranks, int gpus, const char* what, const ImportPlace& place)
{
  if (ranks > 0 && gpus > 0 && ranks != gpus)
    object.context.report.assumed("one rank per GPU",
                                  fmt::format("{} {} and {} GPUs a worker differ", ranks, what, gpus), place);
}

void read_policy(const KubernetesObject& object)
{
  for (const auto& path : {std::vector<std::string_view>{"spec", "runPolicy"}, std::vector<std::string_view>{"spec"}})
    if (const DocumentNode* node =
            path.size() == 2 ? at(object.root, {"spec", "runPolicy"}) : at(object.root, {"spec"});
        node != nullptr) {
      if (const DocumentNode* clean = at(node, {"cleanPodPolicy"}); clean != nullptr)
        object.context.report.ignored("cleanPodPolicy " + clean->text, "ended pods hold no GPU",
                                      object.at_line(clean->line));
      for (const char* key : {"ttlSecondsAfterFinished", "activeDeadlineSeconds", "suspend", "schedulingPolicy"})
        if (const DocumentNode* other = at(node, {key}); other != nullptr)
          object.context.report.ignored(key, "not modelled", object.at_line(other->line));
    }
}

class TfJobKind final : public KubernetesKind
{
public:
  void read(KubernetesObject& object) const override
  {
    const Role servers = role_of(object, "tfReplicaSpecs", "PS");
    Role workers = role_of(object, "tfReplicaSpecs", "Worker");
    for (const char* chief : {"Chief", "Master"})
      if (const Role more = role_of(object, "tfReplicaSpecs", chief); more.node != nullptr) {
        object.context.report.understood(std::string{chief} + " trains as a worker", object.at_line(more.line));
        workers.replicas += more.replicas;
        if (workers.node == nullptr) {
          workers.node = more.node;
          workers.needs = more.needs;
          workers.line = more.line;
        }
      }
    if (const DocumentNode* evaluator = at(object.root, {"spec", "tfReplicaSpecs", "Evaluator"}); evaluator != nullptr)
      object.context.report.ignored("Evaluator", "it does not train", object.at_line(evaluator->line));
    add_training(object, object.name, workers.replicas, workers.needs, workers.line, servers.replicas, servers.needs,
                 servers.line, restart_of(object, workers), false);
    read_policy(object);
    object.ignore_others(at(object.root, {"spec"}),
                         {"tfReplicaSpecs", "runPolicy", "cleanPodPolicy", "ttlSecondsAfterFinished",
                          "activeDeadlineSeconds", "suspend", "schedulingPolicy"});
  }
};
TY_REGISTER(KubernetesKind, TfJobKind, "kubeflow.org/TFJob", "TensorFlow: parameter servers and workers");

class PyTorchJobKind final : public KubernetesKind
{
public:
  void read(KubernetesObject& object) const override
  {
    const Role master = role_of(object, "pytorchReplicaSpecs", "Master");
    Role workers = role_of(object, "pytorchReplicaSpecs", "Worker");
    const int line = workers.node != nullptr ? workers.line : master.line;
    if (master.node != nullptr)
      object.context.report.understood(fmt::format("{} (it trains as rank 0), {}", counted(master.replicas, "master"),
                                                   counted(workers.replicas, "worker")),
                                       object.at_line(master.line));
    if (workers.node == nullptr)
      workers = master, workers.replicas = 0;
    const std::string restart = restart_of(object, workers);
    add_training(object, object.name, master.replicas + workers.replicas, workers.needs, line, 0, {}, 0, restart,
                 false);
    read_policy(object);
    const DocumentNode* spec = at(object.root, {"spec"});
    if (const DocumentNode* ranks = at(spec, {"nprocPerNode"}); ranks != nullptr) // a number, or auto, cpu, gpu
      compare_ranks(object, static_cast<int>(std::clamp(number_of(ranks->text, 0), 0.0, 1024.0)), workers.needs.gpus,
                    "processes", object.at_line(ranks->line));
    if (const DocumentNode* elastic = at(spec, {"elasticPolicy"}); elastic != nullptr)
      object.context.report.ignored("elasticPolicy",
                                    "the job keeps the workers that it asks for; min_gpus and max_gpus of a job of a "
                                    "queue make it elastic",
                                    object.at_line(elastic->line));
    object.ignore_others(spec, {"pytorchReplicaSpecs", "nprocPerNode", "elasticPolicy", "runPolicy", "cleanPodPolicy",
                                "ttlSecondsAfterFinished", "activeDeadlineSeconds", "suspend", "schedulingPolicy"});
  }
};
TY_REGISTER(KubernetesKind, PyTorchJobKind, "kubeflow.org/PyTorchJob", "PyTorch: master and workers, all-reduce");

class MpiJobKind final : public KubernetesKind
{
public:
  void read(KubernetesObject& object) const override
  {
    const Role launcher = role_of(object, "mpiReplicaSpecs", "Launcher");
    Role workers = role_of(object, "mpiReplicaSpecs", "Worker");
    if (launcher.node != nullptr) { // its mpirun starts what the workers run; theirs is a server that waits for it
      const bool names = !model_named_in(launcher.needs.text).empty();
      workers.needs.text = names ? launcher.needs.text : launcher.needs.text + workers.needs.text;
      workers.needs.text_line = launcher.line;
      workers.needs.seconds = launcher.needs.seconds;
    }
    const int slots = std::clamp(replicas_of(at(object.root, {"spec"}), {"slotsPerWorker"}, 1), 1, 1024);
    if (launcher.node != nullptr)
      object.context.report.understood(
          fmt::format("{}: it starts the ranks and computes nothing", counted(launcher.replicas, "launcher")),
          object.at_line(launcher.line));
    object.context.report.understood(fmt::format("{} a worker", counted(slots, "rank")),
                                     object.at_line(line_at(object.root, {"spec", "slotsPerWorker"})));
    compare_ranks(object, slots > 1 ? slots : 0, workers.needs.gpus, "slots", object.place);
    const std::size_t before = object.context.draft.jobs.size();
    add_training(object, object.name, workers.replicas, workers.needs, workers.line, 0, {}, 0,
                 restart_of(object, workers), true);
    if (object.context.draft.jobs.size() > before && workers.needs.gpus == 0)
      object.context.draft.jobs.back().workers = std::min(workers.replicas * slots, 1'000'000);
    read_policy(object);
    object.ignore_others(at(object.root, {"spec"}),
                         {"mpiReplicaSpecs", "slotsPerWorker", "runPolicy", "cleanPodPolicy", "ttlSecondsAfterFinished",
                          "activeDeadlineSeconds", "suspend", "schedulingPolicy"});
  }
};
TY_REGISTER(KubernetesKind, MpiJobKind, "kubeflow.org/MPIJob", "MPI: launcher and workers, a gang");

} // namespace
} // namespace trainyard
