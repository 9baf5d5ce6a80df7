// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "models/scenario/scenario.hpp"
#include "models/scenario/sections/rendezvous.hpp"
#include "sim/results/results.hpp"
#include "sim/sources/jobs/timeline.hpp"
#include "sim/step/prepared.hpp"

#include <span>
#include <string>
#include <vector>

namespace trainyard {

/// What happens between a job's placement and its first step: its tasks are created, join, and find each other
/// (`rendezvous:` of the scenario).
///
/// Of jobs that use the same tasks only the first pays for them; the others find them waiting.
class StartUps
{
public:
  StartUps(const Scenario& scenario, std::span<const PreparedJob> jobs);

  Seconds hold(std::size_t job) const { return hold_[job]; }
  bool fails(std::size_t job) const { return !failure_[job].empty(); }
  const std::string& failure(std::size_t job) const { return failure_[job]; }
  /// Adds the events of a job's start: deployed, joined, training starts or never starts, waits in join().
  void tell(std::size_t job, std::span<const TimelineOutcome> outcomes, const std::string& point,
            std::vector<EventRow>& events) const;

private:
  std::span<const PreparedJob> jobs_;
  std::vector<const RendezvousSpec*> group_; // by job; null: nothing is said
  std::vector<bool> creates_;                // the first of its group
  std::vector<Seconds> hold_;
  std::vector<std::string> failure_;
};

} // namespace trainyard
