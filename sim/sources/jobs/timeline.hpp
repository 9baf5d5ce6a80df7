// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "models/core/units.hpp"
#include "models/job/rendezvous.hpp"
#include "models/scenario/scenario.hpp"
#include "sim/results/results.hpp"
#include "sim/step/prepared.hpp"

#include <functional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace trainyard {

/// A job on the cluster's clock: it arrives, waits for a placement, steps at a speed that depends on the other jobs,
/// and ends.
struct TimelineJob {
  Seconds arrival;
  double steps = 0;   // to do; > 0
  Seconds hold;       // between its place and its first step: its tasks are created and find each other
  bool fails = false; // at the end of that time, without a step
};

struct TimelineOutcome {
  Seconds start; // it gets its place
  Seconds began; // its first step
  Seconds finish;
  bool failed = false; // it gave its place back without a step
};

/// Which jobs can start now: given the waiting ones in order of arrival, those that get a place (and take it).
using StartRule = std::function<std::vector<std::size_t>(std::span<const std::size_t> waiting)>;
/// How jobs get on.
class Running
{
public:
  virtual ~Running() = default;
  /// These make their first step now; @p running: how many run then, with them.
  virtual void begin(std::span<const std::size_t> begun, std::size_t running, Seconds now) = 0;
  /// Lets time pass until @p until, or until the first end; returns when that is, and who has ended.
  virtual std::pair<Seconds, std::vector<std::size_t>> advance(Seconds until) = 0;
  /// The job gives its place back; it may have failed without a step.
  virtual void end(std::size_t job) = 0;
};

/// Replays the jobs.
///
/// At one instant ends come before arrivals, arrivals before starts; equal times in job order. Throws std::logic_error
/// when jobs wait, none runs and none can be started: the caller has to refuse such jobs before.
std::vector<TimelineOutcome> replay(std::span<const TimelineJob> jobs, const StartRule& start, Running& jobs_at_work);

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
