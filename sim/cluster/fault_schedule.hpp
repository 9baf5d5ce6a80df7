// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "models/cluster/node_shape.hpp"
#include "models/core/diagnostics.hpp"
#include "models/core/random.hpp"
#include "models/orchestration/fault.hpp"
#include "sim/cluster/clock.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace trainyard {

/// One failure with its repair; what it means is in whole numbers, resolved against the cluster.
struct FaultEvent {
  Instant at{0};
  Instant until = end_of_time; // repaired
  FaultKind kind = FaultKind::node;
  int index = -1;       // node, rack, switch, manager, or of a GPU: node
  int gpu = -1;         // of a GPU failure
  double remaining = 0; // of a link
  std::string task;     // of a process
  std::string name;     // in words: "rack 3"
  bool random = false;
  int cause = -1; // index of the node failure that caused this one
};

/// What can fail in a cluster: machines, their racks and switches.
struct FaultDomains {
  std::vector<std::string> nodes;
  std::vector<std::string> groups; // of the nodes
  std::vector<int> gpus;           // of the nodes
  std::vector<int> racks;          // of the nodes
  std::vector<std::string> switches;
  std::vector<std::vector<int>> switch_nodes;
  int managers = 0;
  std::vector<std::string> tasks; // names of processes that can be listed; empty = unknown
};

/// Failures of a run in order of time: the listed ones, and those that are drawn on demand, each member from a stream
/// of its own that depends on the seed and its place in the file only: of a machine the number of its group and its
/// number in it. Orchestrators that are compared get the same failures.
class FaultSchedule
{
public:
  FaultSchedule() = default;
  /// @p list must have passed check_faults.
  FaultSchedule(const std::vector<FaultSpec>& list, const std::vector<RandomFaultSpec>& random,
                const FaultDomains& domains, std::uint64_t seed);

  /// Time of the next failure; nothing where none is left.
  std::optional<Instant> next() const;
  FaultEvent take();
  bool random() const { return !members_.empty(); }
  /// Mean time between failures of one process; 0 = processes do not fail by chance.
  Seconds process_mtbf() const { return process_mtbf_; }
  std::uint64_t seed() const { return seed_; }
  const FaultDomains& domains() const { return domains_; }

private:
  struct Member {
    RandomFaultSpec rule;
    FaultEvent event; // the next one
    RandomStream draw{0};
  };
  void draw_next(Member& member, Instant from) const;

  std::vector<FaultEvent> listed_; // in order
  std::size_t next_listed_ = 0;
  std::vector<Member> members_;
  std::vector<std::pair<Instant, std::size_t>> heap_; // next failures of members, earliest on top
  std::vector<FaultEvent> spread_;                    // caused by a node's failure, to be returned next
  FaultDomains domains_;
  std::map<int, std::vector<int>> nodes_of_rack_;
  Seconds process_mtbf_;
  std::uint64_t seed_ = 1;
};

/// Machines that an event takes down or cuts off.
std::vector<int> machines_of(const FaultEvent& event, const FaultDomains& domains);

/// Turns a listed failure into an event; the words that say what is wrong where its target does not exist.
std::optional<std::string> resolve(const FaultSpec& fault, const FaultDomains& domains, FaultEvent& event);

/// All errors of listed failures: targets that do not exist, failures of the same thing at the same time, a machine
/// that fails while its rack is down. Each with the place that the FaultSpec carries.
void check_faults(const std::vector<FaultSpec>& list, const std::vector<RandomFaultSpec>& random,
                  const FaultDomains& domains, const std::string& file, Diagnostics& diagnostics);

} // namespace trainyard
