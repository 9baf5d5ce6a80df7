// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "models/cluster/node_shape.hpp"
#include "models/hardware/catalogue.hpp"
#include "models/orchestration/orchestrator.hpp"
#include "models/orchestration/service.hpp"
#include "models/scenario/scenario.hpp"
#include "sim/cluster/fault_schedule.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace trainyard {

/// The scenario's orchestrator; without one, nobody: machines run by hand.
const OrchestratorSection& orchestrator_of(const Scenario& scenario);

/// The most replicas that a group of a service ever has.
int most_replicas(const ServiceSpec& service, std::size_t group);

/// What one machine is, beyond its resources.
struct MachineTraits {
  std::string group;
  std::map<std::string, std::string> labels;
  bool takes_tasks = true; // false: manager only
  bool manages = false;    // manager or both roles
  bool gpu_runtime = true; // containers get its GPUs
  Instant joins{0};        // later machines join then
  std::vector<std::string> images;
  std::string framework;            // installed on the machine itself
  std::int64_t gpu_memory_mib = 0;  // of one of its GPUs; 0 = unknown, no limit
  std::vector<std::string> gpu_ids; // names of its GPUs as generic resources; empty = by number
};

/// A scenario's machines as an orchestrator sees them, and what of them can fail together.
struct MachineView {
  ClusterShape shape; // CPU and memory without limit where the scenario says none
  FaultDomains domains;
  std::vector<MachineTraits> traits;
  std::optional<DollarsPerHour> price;  // all machines, licences included; absent: a machine has no price
  std::vector<std::string> assumptions; // about the machines that no file states or measures, one sentence each
};

/// Throws InputError where the cluster cannot be built (the checks would have said so).
MachineView machine_view(const Scenario& scenario, const Catalogue& catalogue);

} // namespace trainyard
