// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "models/core/units.hpp"

#include <optional>
#include <string>
#include <vector>

namespace trainyard {

/// What can break.
enum class FaultKind {
  process,        // one task's process ends with an error
  gpu,            // one GPU of a node
  node,           // a machine stops
  rack,           // all machines of a rack
  network_switch, // all machines plugged into it are cut off
  link,           // one machine is cut off, or its link is slow
  storage,        // the shared storage of checkpoints and input
  manager,        // one machine that decides
  daemon_config,  // a wrong configuration file: the container daemon does not start, its machine leaves the cluster
  daemon_restart, // the container daemon is restarted; its containers stop and come back
  object_store    // uploads and downloads fail
};

/// "node", "switch", "daemon_config"…: as files and the command line write it.
std::string to_text(FaultKind kind);
std::vector<std::string> fault_kind_names();
std::optional<FaultKind> fault_kind(const std::string& name);

/// One failure and its repair.
struct FaultSpec {
  FaultKind kind = FaultKind::node;
  std::string target; // node, "node/3" (GPU), rack number, switch, task, manager number; empty where there is one only
  Seconds at;
  std::optional<Seconds> lasts; // absent = forever (processes: at once)
  double remaining = 0;         // links: share of the bandwidth that is left; 0 = down
  bool random = false;          // drawn, not listed
  int line = 0;
  int column = 0;
};

/// Failures that are drawn: each member of a kind fails after times from a distribution, and is repaired after times
/// from another one.
struct RandomFaultSpec {
  FaultKind kind = FaultKind::node;
  Seconds mtbf;                             // mean time between the failures of one member: repair to failure
  std::string distribution = "exponential"; // exponential, weibull
  double shape = 1;                         // weibull: below 1 = early failures
  Seconds mttr;                             // mean time to repair; 0 = at once
  std::string repair = "fixed";             // fixed, exponential, log_normal
  double repair_sigma = 0.5;                // log_normal: deviation of the logarithm
  double spreads = 0;                       // probability that a failing node makes each other node of its rack fail
  std::string group;                        // only nodes of this group
};

/// Reads "rack:3@02:00+6h", "node:worker-1@600s", "gpu:node-2/0@1h", "process:train/worker-0@5min", "storage@1h+10min":
/// what ':' which '@' when '+' how long. The time is a duration or a clock time "hh:mm[:ss]" after the start. Returns
/// the words that say what is wrong, or nothing.
std::optional<std::string> parse_fault(const std::string& text, FaultSpec& fault);

/// "rack 3", "GPU 0 of node-2", "storage".
std::string describe(const FaultSpec& fault);

} // namespace trainyard
