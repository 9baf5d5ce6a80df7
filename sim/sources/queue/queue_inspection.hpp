// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "sim/sources/queue/scheduling.hpp"
#include "sim/sources/scenario_runner.hpp"

#include <functional>
#include <string>
#include <vector>

namespace trainyard {

/// Looks at a simulation that is paused at an instant of simulated time. The state, one line of JSON, is put together
/// where it is asked for. Returns false to end early.
using InstantVisit = std::function<bool(Instant now, bool ended, const std::function<std::string()>& state)>;

/// Runs a queue as simulate_queue does, and lets @p visit look at it after every instant: what is to come, who runs
/// where and who waits for what, and what the policy decided. The state is a JSON object in one line (`simrun inspect`
/// says which keys).
///
/// The queue does not know that it is watched: the policy and the source of outside events are wrapped, and pass
/// everything on.
void inspect_queue(const Workload& workload, const ClusterShape& shape, QueuePolicy& policy, PlacementPolicy* placement,
                   const SchedulingOptions& options, const std::string& label, const InstantVisit& visit);

/// What is known of a queue without running it: what machines would hold all of its jobs, and whose jobs they are.
struct QueueOutlook {
  Remedy remedy;
  std::vector<std::string> teams;
};
QueueOutlook outlook_of(const CheckedPoint& point, const Catalogue& catalogue);

/// The queue policies that a scenario compares, by their labels; empty where it has no queue.
std::vector<std::string> queue_policies(const Scenario& scenario);

/// The queue of a point of a scenario, under one of its policies (empty: the first) and its first placement. Throws
/// InputError for a policy that it has not, and for what a run would refuse.
void inspect_queue(const CheckedPoint& point, const std::string& policy, const InstantVisit& visit);

} // namespace trainyard
