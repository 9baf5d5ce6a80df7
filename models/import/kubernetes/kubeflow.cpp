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
    if (entry.key == name) {
      Role role{&entry.value, replicas_of(object, &entry.value, {"replicas"}, 1), entry.line,
                template_needs(object, &entry.value)};
      role.needs.role = lower_case(name);
      return role;
    }
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

/// The run policy, which older versions have in the spec itself.
const DocumentNode* policy_of(const KubernetesObject& object)
{
  const DocumentNode* policy = at(object.spec, {"runPolicy"});
  return policy != nullptr ? policy : object.spec;
}

/// What it says of the workers before they are added: limit and priority.
void read_limit(const KubernetesObject& object, PodNeeds& workers)
{
  const DocumentNode* policy = policy_of(object);
  if (const double most = number_of(text_at(policy, {"activeDeadlineSeconds"}), 0); most > 0 && object.state.queued)
    workers.seconds = std::min(most, workers.seconds > 0 ? workers.seconds : 1e9);
  if (const DocumentNode* scheduling = at(policy, {"schedulingPolicy"}); scheduling != nullptr)
    workers.priority = priority_of_class(object, *scheduling, "priorityClass").value_or(workers.priority);
}

/// What it says of the training that was added: restarts, gang, queue; and all keys that nothing is made of.
void read_policy(const KubernetesObject& object, int pods, std::initializer_list<const char*> roles)
{
  const DocumentNode* policy = policy_of(object);
  tell_limit(object, policy);
  tell_suspension(object, policy);
  if (const DocumentNode* limit = at(policy, {"backoffLimit"}); limit != nullptr) {
    const int attempts = replicas_of(object, policy, {"backoffLimit"}, 0);
    object.report.understood(object.at_line(limit->line), "at most {}", counted(attempts, "restart"));
    if (DraftService* service = service_of(object); service != nullptr) {
      service->attempts = attempts;
      service->restart = attempts == 0 ? "never" : service->restart;
    }
  }
  if (const DocumentNode* scheduling = at(policy, {"schedulingPolicy"}); scheduling != nullptr) {
    if (const DocumentNode* least = at(scheduling, {"minAvailable"}); least != nullptr)
      tell_gang(object, replicas_of(object, scheduling, {"minAvailable"}, pods), pods, least->line);
    if (const std::string queue = text_at(scheduling, {"queue"}); !queue.empty())
      join_queue(object, queue, line_at(*scheduling, {"queue"}));
    object.tell_keys(scheduling, "scheduling policy");
  }
  if (policy != object.spec)
    object.tell_keys(policy, "run policy");
  object.tell_keys(object.spec, "training job");
  for (const DocumentNode::Entry& entry : entries_at(object.spec, {}))
    if (entry.key.ends_with("ReplicaSpecs"))
      for (const DocumentNode::Entry& role : entry.value.entries) {
        object.tell_keys(&role.value, "role");
        if (std::ranges::find(roles, role.key) == roles.end())
          object.report.ignored({"{} of {}", role.key, entry.key}, "is no role of " + object.kind,
                                object.at_line(role.line));
      }
}

/// The pods of a training are equal: a first one that asks for other GPUs than its workers has as many as they. In a
/// queue each counts as it is.
void compare_gpus(const KubernetesObject& object, const Role& first, const Role& workers)
{
  if (workers.node != nullptr && first.needs.gpus != workers.needs.gpus && !object.state.queued)
    object.report.assumed({"the master has {}, too", counted(workers.needs.gpus, "GPU")},
                          {"it asks for {}, and the pods of a training are equal here", first.needs.gpus},
                          object.at_line(first.line));
}

class TfJobKind final : public KubernetesKind
{
public:
  void read(KubernetesObject& object) const override
  {
    const Role servers = role_of(object, "tfReplicaSpecs", "PS");
    Role workers = role_of(object, "tfReplicaSpecs", "Worker");
    PodKinds kinds{{servers.needs, servers.replicas}, {workers.needs, workers.replicas}};
    for (const char* chief : {"Chief", "Master"})
      if (const Role more = role_of(object, "tfReplicaSpecs", chief); more.node != nullptr) {
        object.report.understood(std::string{chief} + " trains as a worker", object.at_line(more.line));
        compare_gpus(object, more, workers);
        kinds.emplace_back(more.needs, more.replicas);
        workers.replicas += more.replicas;
        if (workers.node == nullptr) {
          workers.node = more.node;
          workers.needs = more.needs;
          workers.line = more.line;
        }
      }
    if (const DocumentNode* evaluator = at(object.spec, {"tfReplicaSpecs", "Evaluator"}); evaluator != nullptr)
      object.report.ignored("Evaluator", "it does not train", object.at_line(evaluator->line));
    read_limit(object, workers.needs);
    for (auto& [needs, count] : kinds)
      read_limit(object, needs);
    add_training(object, object.name, workers.replicas, workers.needs, workers.line, servers.replicas, servers.needs,
                 servers.line, restart_of(object, workers), false, kinds.size() > 2 ? kinds : PodKinds{});
    read_policy(object, workers.replicas + servers.replicas, {"PS", "Worker", "Chief", "Master", "Evaluator"});
  }
};
TY_REGISTER(KubernetesKind, TfJobKind, "kubeflow.org/TFJob", "TensorFlow: parameter servers and workers");

/// What the master says of its workers: rank 0's command is that of all, and their GPUs are alike.
void add_master(const KubernetesObject& object, const Role& master, PodNeeds& workers)
{
  if (workers.gpu_type.empty())
    workers.gpu_type = master.needs.gpu_type;
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
    else if (master.node != nullptr) {
      compare_gpus(object, master, workers);
      add_master(object, master, workers.needs);
    }
    read_limit(object, workers.needs);
    PodKinds kinds{{master.needs, master.replicas}, {workers.needs, workers.replicas}};
    read_limit(object, kinds.front().first);
    add_training(object, object.name, master.replicas + workers.replicas, workers.needs, line, 0, {}, 0,
                 restart_of(object, workers), false, master.node != nullptr ? kinds : PodKinds{});
    if (object.kind == "PyTorchJob")
      set_framework("pytorch", "", "kind " + object.kind, object.place, object.context);
    read_policy(object, master.replicas + workers.replicas, {"Master", "Worker"});
    const DocumentNode* spec = object.spec;
    if (const DocumentNode* ranks = at(spec, {"nprocPerNode"}); ranks != nullptr) // a number, or auto, cpu, gpu
      compare_ranks(object, static_cast<int>(std::clamp(number_of(ranks->text, 0), 0.0, 1024.0)), workers.needs.gpus,
                    "processes", object.at_line(ranks->line));
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
    const bool trains = text_at(object.spec, {"runLauncherAsWorker"}) == "true";
    if (launcher.node != nullptr)
      object.report.understood(object.at_line(launcher.line), "{}: it starts the ranks and {}",
                               counted(launcher.replicas, "launcher"),
                               trains ? "trains as a worker" : "computes nothing");
    read_limit(object, workers.needs);
    PodKinds kinds;
    if (launcher.node != nullptr) {
      kinds = {{launcher.needs, launcher.replicas}, {workers.needs, workers.replicas}};
      read_limit(object, kinds.front().first);
    }
    if (launcher.node != nullptr && trains) {
      compare_gpus(object, launcher, workers);
      workers.replicas += launcher.replicas;
    }
    object.report.understood(object.at_line(line_at(object.root, {"spec", "slotsPerWorker"})), "{} a worker",
                             counted(slots, "rank"));
    compare_ranks(object, slots > 1 ? slots : 0, workers.needs.gpus, "slots", object.place);
    const std::size_t before = object.context.draft.jobs.size();
    add_training(object, object.name, workers.replicas, workers.needs, workers.line, 0, {}, 0,
                 restart_of(object, workers), true, kinds);
    if (object.context.draft.jobs.size() > before && workers.needs.gpus == 0)
      object.context.draft.jobs.back().workers = std::min(workers.replicas * slots, 1'000'000);
    read_policy(object, workers.replicas, {"Launcher", "Worker"});
  }
};
TY_REGISTER(KubernetesKind, MpiJobKind, "kubeflow.org/MPIJob", "MPI: launcher and workers, a gang");

} // namespace
} // namespace trainyard
