// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "models/core/diagnostics.hpp"
#include "models/core/units.hpp"
#include "models/job/workload.hpp"
#include "sim/cluster/fault_schedule.hpp"
#include "sim/sources/queue/scheduling.hpp"

#include <map>
#include <optional>
#include <queue>
#include <string>
#include <tuple>
#include <vector>

namespace trainyard {

/// A failure that happened under a queue, and whom it hit.
struct QueueFailure {
  std::string name; // in words: "rack 3"
  Instant at;
  std::optional<Instant> repaired;
  std::vector<int> nodes; // machines that were down meanwhile; none where a process failed
  std::vector<JobId> hit; // jobs that ran there
};

/// Failures of machines under a queue: a lost node, rack or switch takes its machines away until it is repaired; a
/// broken GPU takes its whole machine, which is drained for the repair; a listed process ends its job. The queue
/// computes what jobs lose.
class QueueFaults final : public ClusterEvents
{
public:
  /// @p schedule was checked with check_queue_faults.
  explicit QueueFaults(FaultSchedule schedule);

  std::optional<Instant> next() const override;
  void fire(ClusterControl& control) override;
  int failures() const { return failures_; }
  /// In order of time.
  const std::vector<QueueFailure>& log() const { return log_; }

private:
  void change(ClusterControl& control, const FaultEvent& event, bool up);
  /// Writes a failure down; the jobs still run.
  void note(const ClusterView& view, const FaultEvent& event, const std::vector<int>& nodes);

  struct Repair {
    Instant at;
    int number;
    bool operator>(const Repair& other) const { return std::tuple{at, number} > std::tuple{other.at, other.number}; }
  };
  FaultSchedule schedule_;
  std::priority_queue<Repair, std::vector<Repair>, std::greater<>> repairs_;
  std::map<int, FaultEvent> broken_; // by number
  std::map<int, int> down_;          // failures by node
  std::vector<QueueFailure> log_;
  int failures_ = 0;
};

/// As check_faults, and what a queue cannot have: slow links, storage, managers, drawn failures of processes. @p
/// machines: the queue knows machines, not only GPUs.
void check_queue_faults(const std::vector<FaultSpec>& list, const std::vector<RandomFaultSpec>& random,
                        const FaultDomains& domains, bool machines, const std::string& file, Diagnostics& diagnostics);

} // namespace trainyard
