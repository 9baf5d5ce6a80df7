// SPDX-License-Identifier: Apache-2.0
// The training operators of Kubeflow: TFJob, PyTorchJob, MPIJob (kubeflow.org/v1 and v2beta1).
#include "models/import/kubernetes/kind.hpp"
#include "models/import/training_command.hpp"

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
  for (const DocumentNode::Entry& entry : entries_at(object.spec, {specs}))
    if (entry.key == name)
      return {&entry.value, replicas_of(object, &entry.value, {"replicas"}, 1), entry.line,
              template_needs(object, &entry.value)};
  return {};
}

std::string restart_of(const KubernetesObject& object, const Role& role)
{
  const std::string text = text_at(role.node, {"restartPolicy"});
  if (!text.empty())
    object.report.understood("restartPolicy " + text, object.at_line(line_at(*role.node, {"restartPolicy"})));
  return text == "Always"                            ? "always"
         : text == "OnFailure" || text == "ExitCode" ? "on_failure"
         : text == "Never"                           ? "never"
                                                     : "";
}

/// Ranks and GPUs of a worker that do not match: one rank for each GPU is what is simulated.
void compare_ranks(const KubernetesObject& object, int ranks, int gpus, const char* what, const ImportPlace& place)
{
  if (ranks > 0 && gpus > 0 && ranks != gpus)
    object.report.assumed("one rank per GPU", {"{} {} and {} GPUs a worker differ", ranks, what, gpus}, place);
}

void read_policy(const KubernetesObject& object)
{
  for (const auto& path : {std::vector<std::string_view>{"spec", "runPolicy"}, std::vector<std::string_view>{"spec"}})
    if (const DocumentNode* node = path.size() == 2 ? at(object.spec, {"runPolicy"}) : object.spec; node != nullptr) {
      if (const DocumentNode* clean = at(node, {"cleanPodPolicy"}); clean != nullptr)
        object.report.ignored("cleanPodPolicy " + clean->text, "ended pods hold no GPU", object.at_line(clean->line));
      for (const char* key : {"ttlSecondsAfterFinished", "activeDeadlineSeconds", "suspend", "schedulingPolicy"})
        if (const DocumentNode* other = at(node, {key}); other != nullptr)
          object.report.ignored(key, "not modelled", object.at_line(other->line));
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
        object.report.understood(std::string{chief} + " trains as a worker", object.at_line(more.line));
        workers.replicas += more.replicas;
        if (workers.node == nullptr) {
          workers.node = more.node;
          workers.needs = more.needs;
          workers.line = more.line;
        }
      }
    if (const DocumentNode* evaluator = at(object.spec, {"tfReplicaSpecs", "Evaluator"}); evaluator != nullptr)
      object.report.ignored("Evaluator", "it does not train", object.at_line(evaluator->line));
    add_training(object, object.name, workers.replicas, workers.needs, workers.line, servers.replicas, servers.needs,
                 servers.line, restart_of(object, workers), false);
    read_policy(object);
    object.ignore_others(object.spec, "tfReplicaSpecs runPolicy cleanPodPolicy ttlSecondsAfterFinished "
                                      "activeDeadlineSeconds suspend schedulingPolicy");
  }
};
TY_REGISTER(KubernetesKind, TfJobKind, "kubeflow.org/TFJob", "TensorFlow: parameter servers and workers");

/// What the master says of its workers: rank 0's command is that of all, and their GPUs are alike.
void add_master(const KubernetesObject& object, const Role& master, PodNeeds& workers)
{
  if (workers.gpu_type.empty())
    workers.gpu_type = master.needs.gpu_type;
  if (master.needs.gpus != workers.gpus)
    object.report.assumed({"the master has {}, too", counted(workers.gpus, "GPU")},
                          {"it asks for {}, and the pods of a training are equal here", master.needs.gpus},
                          object.at_line(master.line));
  if (master.needs.text == workers.text)
    return;
  if (workers.text.find("--") != std::string::npos)
    object.report.assumed("where commands differ, that of the master counts", "rank 0 starts what all run",
                          object.at_line(master.line));
  workers.text = master.needs.text + workers.text;
}

/// Masters and workers that train alike: PyTorchJob, PaddleJob, JAXJob.
class PyTorchJobKind : public KubernetesKind
{
public:
  void read(KubernetesObject& object) const override
  {
    const char* specs = object.kind == "PaddleJob" ? "paddleReplicaSpecs"
                        : object.kind == "JAXJob"  ? "jaxReplicaSpecs"
                                                   : "pytorchReplicaSpecs";
    const Role master = role_of(object, specs, "Master");
    Role workers = role_of(object, specs, "Worker");
    const int line = workers.node != nullptr ? workers.line : master.line;
    if (master.node != nullptr)
      object.report.understood(object.at_line(master.line), "{} (it trains as rank 0), {}",
                               counted(master.replicas, "master"), counted(workers.replicas, "worker"));
    if (workers.node == nullptr)
      workers = master, workers.replicas = 0;
    else if (master.node != nullptr)
      add_master(object, master, workers.needs);
    const std::string restart = restart_of(object, workers);
    add_training(object, object.name, master.replicas + workers.replicas, workers.needs, line, 0, {}, 0, restart,
                 false);
    if (object.kind == "PyTorchJob")
      set_framework("pytorch", "", "kind " + object.kind, object.place, object.context);
    read_policy(object);
    const DocumentNode* spec = object.spec;
    if (const DocumentNode* ranks = at(spec, {"nprocPerNode"}); ranks != nullptr) // a number, or auto, cpu, gpu
      compare_ranks(object, static_cast<int>(std::clamp(number_of(ranks->text, 0), 0.0, 1024.0)), workers.needs.gpus,
                    "processes", object.at_line(ranks->line));
    if (const DocumentNode* elastic = at(spec, {"elasticPolicy"}); elastic != nullptr)
      object.report.ignored("elasticPolicy",
                            "the job keeps the workers that it asks for; min_gpus and max_gpus of a job of a "
                            "queue make it elastic",
                            object.at_line(elastic->line));
    object.ignore_others(spec, std::string{specs} +
                                   " nprocPerNode elasticPolicy runPolicy cleanPodPolicy "
                                   "ttlSecondsAfterFinished activeDeadlineSeconds suspend schedulingPolicy");
  }
};
TY_REGISTER(KubernetesKind, PyTorchJobKind, "kubeflow.org/PyTorchJob", "PyTorch: master and workers, all-reduce");

class PaddleJobKind final : public PyTorchJobKind
{
};
class JaxJobKind final : public PyTorchJobKind
{
};
TY_REGISTER(KubernetesKind, PaddleJobKind, "kubeflow.org/PaddleJob", "PaddlePaddle: master and workers, all-reduce");
TY_REGISTER(KubernetesKind, JaxJobKind, "kubeflow.org/JAXJob", "JAX: workers, all-reduce");

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
    const int slots = std::clamp(replicas_of(object, object.spec, {"slotsPerWorker"}, 1), 1, 1024);
    if (launcher.node != nullptr)
      object.report.understood(object.at_line(launcher.line), "{}: it starts the ranks and computes nothing",
                               counted(launcher.replicas, "launcher"));
    object.report.understood(object.at_line(line_at(object.root, {"spec", "slotsPerWorker"})), "{} a worker",
                             counted(slots, "rank"));
    compare_ranks(object, slots > 1 ? slots : 0, workers.needs.gpus, "slots", object.place);
    const std::size_t before = object.context.draft.jobs.size();
    add_training(object, object.name, workers.replicas, workers.needs, workers.line, 0, {}, 0,
                 restart_of(object, workers), true);
    if (object.context.draft.jobs.size() > before && workers.needs.gpus == 0)
      object.context.draft.jobs.back().workers = std::min(workers.replicas * slots, 1'000'000);
    read_policy(object);
    object.ignore_others(object.spec, "mpiReplicaSpecs slotsPerWorker runPolicy cleanPodPolicy ttlSecondsAfterFinished "
                                      "activeDeadlineSeconds suspend schedulingPolicy");
  }
};
TY_REGISTER(KubernetesKind, MpiJobKind, "kubeflow.org/MPIJob", "MPI: launcher and workers, a gang");

} // namespace
} // namespace trainyard
