// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "models/core/units.hpp"

#include <functional>
#include <span>
#include <string>
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

/// Which jobs can start now: given the running ones and the waiting ones in order of arrival, the waiting ones that get
/// a place (and take it).
using StartRule =
    std::function<std::vector<std::size_t>(std::span<const std::size_t> running, std::span<const std::size_t> waiting)>;
/// Steps per second of each running job, in the same order, from now until the next change of who runs. It may correct
/// the steps that a running job has yet to do (by number of the job).
using SpeedRule =
    std::function<std::vector<double>(std::span<const std::size_t> running, std::span<double> remaining, Seconds now)>;
/// Called when a job has ended, to give its place back.
using EndRule = std::function<void(std::size_t job)>;

/// Replays the jobs: between two changes (arrival, end) every running job is carried forward at constant speed.
///
/// At one instant ends come before arrivals, arrivals before starts; equal times in job order. Throws std::logic_error
/// when jobs wait, none runs and none can be started: the caller has to refuse such jobs before.
std::vector<TimelineOutcome> replay(std::span<const TimelineJob> jobs, const StartRule& start, const SpeedRule& speed,
                                    const EndRule& end);

} // namespace trainyard
