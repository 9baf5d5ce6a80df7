// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "sim/sources/jobs/steady_groups.hpp"

#include <functional>
#include <map>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace trainyard {

/// How far running jobs get until the next change of who runs.
///
/// Jobs of many steps go at the steady speed of their group. A job of few steps would be wrong by up to a step at every
/// arrival and end beside it: it is run in the engine, step by step from its start on, together with all that it meets.
/// A job of many steps that it meets takes part from its last step boundary on (as far as its speed says), until the
/// last job of few steps has ended.
///
/// What ends is known from such a run, which is simulated anew only where another job joins it. A run that has become
/// long goes on from the last step boundary of each of its jobs instead of from their starts. Where one job alone would
/// have too many operations in it, because it is large or its steps are much shorter than those of the others, all go
/// at steady speed.
class DirectRuns
{
public:
  /// Told of a job of few steps that shared links with others, when it ends: its own steps. Their times count from
  /// its start.
  using Ended = std::function<void(std::size_t job, StepEstimate)>;

  /// All are kept by the caller.
  DirectRuns(const Cluster& cluster, const Executor& executor, SteadyGroups& groups, StepCheck check, Ended ended);
  ~DirectRuns();

  /// The job makes its first step, @p steps > 0 in all.
  void join(std::size_t job, double steps);
  /// Steps per second of the running jobs, by which each gets to where it is at the next change. @p remaining: steps
  /// that each job has to do yet, by number of the job; corrected to what a run has found.
  std::vector<double> speeds(std::span<const std::size_t> running, std::span<double> remaining, Seconds now);
  /// The job has ended.
  void leave(std::size_t job);
  /// It runs step by step now.
  bool runs(std::size_t job) const { return run_of_.contains(job); }

private:
  struct Run;

  bool few(std::size_t job) const;
  void add(Run& run, std::size_t job, double remaining, double now) const;
  void shorten(Run& run, double now) const;
  /// False: there is too much to do.
  bool simulate(Run& run);

  const Cluster& cluster_;
  const Executor& executor_;
  SteadyGroups& groups_;
  StepCheck check_;
  Ended ended_;
  std::set<std::size_t> too_large_;                         // jobs of few steps that go at steady speed all the same
  std::map<std::size_t, double> steps_;                     // of each job, in all
  std::map<std::size_t, double> speed_;                     // at which it went last, steps/s
  std::map<std::size_t, std::shared_ptr<Run>> run_of_;      // of the jobs that run step by step
  std::map<std::pair<int, int>, std::vector<double>> lone_; // ends of the steps of a job alone, by shape and steps
};

} // namespace trainyard
