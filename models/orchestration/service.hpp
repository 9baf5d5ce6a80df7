// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "models/core/units.hpp"

#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace trainyard {

/// A condition on nodes, as Swarm and Kubernetes write it: "node.role == worker", "disk != hdd".
struct PlacementConstraint {
  std::string key; // node, group, role, rack, gpu, or a label
  bool equal = true;
  std::string value;

  auto operator<=>(const PlacementConstraint&) const = default;
};

/// Equal tasks of a service: all workers, all parameter servers.
struct TaskGroupSpec {
  std::string role; // "worker", "ps"; empty where there is one group only
  int replicas = 1;
  int gpus = 0;
  int gpu_milli = 1000; // of each GPU; below 1000 only with gpus = 1
  std::string gpu_type; // name in the catalogue; empty = any
  double gpu_use =
      0; // without a request (gpus = 0): share of the first GPU's time that its process takes at full speed
  std::int64_t gpu_memory_mib = 0; // … and of its memory
  std::int64_t cpu_milli = 0;
  std::int64_t memory_mib = 0;
  bool holds_state = true; // its loss also loses the work since the last checkpoint
  std::vector<int> host_ports;
  std::vector<PlacementConstraint> constraints;
  int most_per_node = 0; // 0 = any number
};

/// How tasks of a service depend on each other.
enum class Coupling : std::uint8_t {
  independent,  // each task has its own work and checkpoint
  sync,         // all must run; a lost task stops the others
  async,        // the others go on; without its parameter servers none does
  elastic,      // the others continue with fewer, after they have formed the group again
  mpi,          // one rank's end ends the job
  sync_replicas // tokens of TensorFlow's SyncReplicasOptimizer: absent workers are not waited for
};

struct CheckpointSpec {
  Seconds interval;          // computing between two checkpoints; 0 = none are written
  Seconds save;              // work stops meanwhile
  Seconds load;              // before work goes on after a loss
  bool object_store = false; // kept there instead of on the shared storage
};

struct ImageSpec {
  std::string name;
  Bytes size;
};

/// A wanted change of the number of replicas of a group.
struct ScaleSpec {
  Seconds at;
  int group = 0;
  int replicas = 1;
};

/// A rolling update: every task is replaced.
struct UpdateSpec {
  Seconds at;
  std::optional<int> parallelism;
  std::optional<Seconds> delay;
  std::string order; // empty = the orchestrator's
};

/// Work that is handed to a job whose tasks wait for it (parameter servers and workers created in advance).
struct ClientSpec {
  Seconds at;
  Seconds work;
};

/// Requests that replicas answer.
struct ServingSpec {
  std::vector<std::pair<Seconds, double>> rate; // from this time on, requests per second
  double capacity = 0;                          // requests per second and replica; 0 = this service answers none
  bool scales = false;                          // replicas = ceil(rate / (capacity × target))
  double target = 1;                            // share of the capacity that the scaling aims at
  int least = 1;
  int most = 1'000'000;
  Seconds scale_delay; // from a change of the rate to the order of replicas
};

/// A service as its owner wants it: groups of tasks that the orchestrator keeps running.
struct ServiceSpec {
  std::string name;
  std::string team;
  std::string kind = "service"; // registered nowhere: service, training, mpi, serving, notebook, load, generic
  double priority = 0;
  std::vector<TaskGroupSpec> groups;
  Coupling coupling = Coupling::independent;
  Seconds arrival;
  Seconds work; // of a job at full speed; 0 = runs forever
  std::vector<ClientSpec> clients;
  bool graph = false; // its tasks are those of the scenario's graph
  CheckpointSpec checkpoint;
  std::string restart; // never, on_failure, always; empty = the orchestrator's
  std::optional<Seconds> restart_delay;
  int restart_attempts = 0; // 0 = without end
  std::optional<bool> reschedule;
  bool standalone = false; // single containers: nobody keeps them running
  ImageSpec image;
  std::string runtime = "container";
  double compute_factor = 1;          // of the runtime
  Seconds runtime_start;              // of the runtime
  double communication_share = 0;     // of a step, at full speed
  std::optional<double> network_cost; // communication takes (1 + this) times as long; by the containers' network
  Bytes disk;                         // that a container writes and leaves behind
  bool keeps_containers = true; // ended containers keep their record and disk (aliyun.remove_containers: remove-none)
  std::map<std::string, double> gpu_speed; // computing on this type of GPU, relative to speed 1
  double used_share = 1;                   // of the held GPU time: notebooks
  double scaling_exponent = 1;             // speed with n of w workers = (n / w)^exponent
  int least_workers = 1;                   // elastic
  Seconds reform;                          // elastic: pause when workers leave or join
  int backup_workers = 0;                  // sync_replicas: gradients that an update does not wait for
  Seconds recovery_wait{30};               // sync_replicas: a worker looks this often for the chief's variables
  double nic_load = 0;                     // share of the NIC of its nodes that it takes
  BytesPerSecond input;                    // that one worker reads from the shared storage at full speed; 0 = none
  std::string framework;                   // that must be installed on its machines where it runs bare
  double cpu_slowdown = 0; // effect on others on its nodes: their computing takes (1 + this) times as long
  std::string job;         // entry of `jobs:` that says how it trains
  std::vector<ScaleSpec> scaling;
  std::vector<UpdateSpec> updates;
  ServingSpec serving;
  int line = 0; // in the scenario

  int replicas() const
  {
    int sum = 0;
    for (const TaskGroupSpec& group : groups)
      sum += group.replicas;
    return sum;
  }
  bool ends() const { return work > Seconds{0}; }
};

/// "train/worker-3", "train-3" where there is one group only.
inline std::string task_name(const ServiceSpec& service, const TaskGroupSpec& group, int index)
{
  if (service.groups.size() == 1 && group.role.empty())
    return service.name + "-" + std::to_string(index);
  return service.name + "/" + group.role + "-" + std::to_string(index);
}

/// `services:` of a scenario: what the orchestrator keeps running, including training jobs.
struct ServicesSection {
  std::vector<ServiceSpec> services;
};

/// `storage:` of a scenario: what all machines read their input from.
struct StorageSection {
  BytesPerSecond bandwidth; // all readers together; 0 = no limit
};

} // namespace trainyard
