// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "models/core/units.hpp"
#include "models/orchestration/orchestrator.hpp"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace trainyard {

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
