// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "models/core/registry.hpp"
#include "models/core/units.hpp"

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace trainyard {

/// What an orchestrator does between a service and its machines. All orchestrators share one engine: a profile consists
/// only of these values, so that equal values give equal results under any name.
struct OrchestratorRules {
  int managers = 0;                 // machines that decide; 0 = somebody decides by hand, and nothing can be lost
  bool heals = false;               // brings services back to their desired state
  Seconds node_detection;           // from the loss of a node until it counts as lost
  Seconds eviction_delay;           // from then until its tasks are replaced
  Seconds process_detection;        // from the end of a process until it is noticed
  std::string restart = "never";    // never, on_failure, always: tasks that do not say otherwise
  Seconds restart_delay;            // before a task is started again
  double restart_backoff = 1;       // the delay grows by this factor from restart to restart…
  Seconds longest_restart_delay;    // …up to this
  bool restarts_locally = false;    // the node itself restarts a container, in place and without a manager
  bool reschedules = false;         // tasks of a lost node go to other nodes
  std::string placement = "spread"; // a registered PlacementPolicy with a task_order()
  double placements_per_second = 0; // most that the control plane handles; 0 = no limit
  Seconds container_start;          // from a complete image to a running process
  Seconds container_stop;
  Seconds redeploy;                        // of another framework on one machine, for tasks without containers
  bool gang = false;                       // all tasks of a job start together or none
  bool preempts = false;                   // tasks of higher priority evict others
  bool counts_gpus = true;                 // GPUs can be asked for
  int most_gpus_per_task = 0;              // 0 = any number
  bool selects_gpu_type = true;            // a type of GPU can be asked for
  bool shares_gpus = false;                // parts of a GPU can be asked for
  std::string gpu_resource = "gpu";        // what a GPU is called in requests
  bool avoids_gpu_nodes = false;           // tasks without GPU go to nodes without GPU first
  int update_parallelism = 1;              // tasks that a rolling update replaces at once
  Seconds update_delay;                    // between two batches of an update
  std::string update_order = "stop_first"; // stop_first, start_first
  bool tracks_processes = true;            // tracks all processes of a job, and ends them with it
  Seconds orphan_cleanup;                  // untracked processes that remain are killed after this time; 0 = never

  bool operator==(const OrchestratorRules&) const = default;
};

/// The rules as parameters: kinds, ranges and meanings, for catalogue files, scenarios and lists.
const std::vector<Parameter>& orchestrator_parameters();

/// Rules from values; what is absent keeps the value of @p base.
OrchestratorRules rules_of(const Settings& settings, const OrchestratorRules& base = {});

/// The value of one of these parameters, as a file would have it: "5 s", "spread". Throws std::logic_error for any
/// other name.
std::string rule_text(const OrchestratorRules& rules, std::string_view parameter);

/// One value of a profile and where it comes from.
struct SourcedValue {
  std::string text; // as the file writes it
  std::string source;
};

/// A real system as the catalogue describes it (models/orchestration/catalogue/orchestrators): one YAML file.
struct Orchestrator {
  std::string name;
  std::string description;
  std::string like; // another profile whose values it takes over
  OrchestratorRules rules;
  std::map<std::string, SourcedValue> sources; // by parameter, own and taken over
  /// Values that hold from a version on, oldest first: (version, values).
  std::vector<std::pair<std::string, Settings>> versions;
};

/// Whether version @p a comes before @p b: numbers between dots, "1.10" after "1.9".
bool version_before(const std::string& a, const std::string& b);

/// The rules of a profile at a version; empty = the newest.
OrchestratorRules rules_at(const Orchestrator& orchestrator, const std::string& version);

/// How a process runs: bare, in a container, in a virtual machine.
struct Runtime {
  std::string name;
  std::string description;
  double compute_factor = 1; // computing takes this many times as long
  Seconds start;             // on top of the orchestrator's container_start
  std::string source;
};

/// What a scenario says about single machines or groups of them.
struct NodeTraits {
  std::optional<Seconds> joins; // later than the start
  std::string role;             // manager, worker, both; empty = worker
  std::map<std::string, std::string> labels;
  bool gpu_runtime = true;          // containers get GPUs (nvidia-docker, --default-runtime=nvidia)
  std::vector<std::string> gpu_ids; // --node-generic-resource gpu=<first 12 characters of the UUID>
  std::string framework;            // version installed on the machine itself
  std::vector<std::string> images;  // that are there already
};

/// `orchestrator:` of a scenario.
struct OrchestratorSection {
  std::string name = "none";
  std::string version; // empty = newest
  OrchestratorRules rules;
  BytesPerSecond registry;                       // of image pulls, all nodes together; 0 = no limit
  BytesPerSecond node_pull;                      // of one node; 0 = no limit
  std::map<std::string, std::string> team_nodes; // team -> group of nodes that it has to itself
  DollarsPerHour licence;                        // of one node, beside its price
  std::map<std::string, NodeTraits> nodes;       // by node or group
  std::map<std::string, std::string> given;      // parameters that the scenario itself sets, as written
  int line = 0;
};

} // namespace trainyard
