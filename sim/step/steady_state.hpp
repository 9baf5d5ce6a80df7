// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "models/cluster/cluster.hpp"
#include "models/core/units.hpp"
#include "models/scenario/scenario.hpp"
#include "sim/step/engine/executor.hpp"
#include "sim/step/training/training_mode.hpp"

#include <map>
#include <optional>
#include <span>
#include <vector>

namespace trainyard {

/// A job ready to be stepped: its training mode and everything the mode looks at. Both are kept by the caller.
struct SteppedJob {
  const TrainingMode* mode = nullptr;
  const TrainingContext* context = nullptr;
  bool random = false;    // jitter or no barrier: the mean of many steps counts, not the first repetition
  int settling_steps = 0; // left out at the start, where they are more than the warm-up
  bool wanders = false;   // workers without a barrier: where they are in their steps, relative to each other, is chance
  bool divided = false;   // a transformer divided among GPUs: its steps are long, and others step on beside it
  int period = 1;         // steps that go alike again: whole periods count (TrainingMode::period)
  int first_steps = 0;    // simulated in the first round after those left out, where they are more than the least; a
                          // caller who can guess saves rounds
};

/// When simulating further steps stops.
struct SteadyStateOptions {
  int warm_up_steps = 1;
  double relative_half_width = 0.01; // of the confidence interval of the mean step time, for random jobs
  double repeat_tolerance = 1e-6;    // two steps in a row that differ by less are a repetition
  int most_steps = 2048;             // of one job; beyond, the estimate says that it did not converge
  double confidence = 0.95;          // of the interval that the estimate gives; when to stop is decided at 0.95 always
  int start_draws = 1;               // where a job wanders: simulations with other random starts, whose mean counts
};

/// What is known of a job beforehand; both arguments are kept by the caller.
SteppedJob stepped_job(const TrainingMode& mode, const TrainingContext& context);
/// The same for a run of this executor, where it steps @p alone or beside others.
SteppedJob stepped_job(const TrainingMode& mode, TrainingContext& context, const Executor& executor, bool alone);

/// Steps at the start of a job that its estimate leaves out; whole periods begin after them.
int steps_left_out(const SteppedJob& job, const SteadyStateOptions& options);

/// As a run of a scenario simulates them: a few steps where nothing is random, several places where jobs wander.
SteadyStateOptions options_of_a_run(std::span<const SteppedJob> jobs, int warm_up_steps);
/// The same with the intervals that @p run asks for; fewer steps where the executor draws.
SteadyStateOptions options_of_a_run(std::span<const SteppedJob> jobs, const RunSpec& run, const Executor& executor);

/// How fast a job steps while nothing changes around it.
struct StepEstimate {
  Seconds step_time; // global batch / throughput
  /// Of the interval at the confidence of the options, as a ratio: from step_time e^-x to step_time e^x, where x is
  /// this as a share of it. 0 where the steps repeat exactly.
  Seconds half_width;
  double samples_per_second = 0;
  int steps_simulated = 0;
  bool converged = true;
  std::vector<double> worker_rates; // steps per second of each worker; one entry for synchronous jobs
  double mean_staleness = 0;        // updates by others between a worker's pull and its push; 0 for synchronous jobs
  double largest_staleness = 0;
  StepProgram program; // what was run
  StepTrace trace;
  Seconds window_end; // of the last whole step in the trace, for breakdown and timeline
};

/// Ends of a job's steps in a trace, in s, per worker (-1 for a synchronous job), ascending.
using StepEnds = std::map<int, std::vector<double>>;
StepEnds step_ends(const StepProgram& program, const StepTrace& trace);

/// How many steps a worker has ended by a time, the running one in part. @p ends: ascending; the first step began at
/// @p begin.
double steps_done(const std::vector<double>& ends, double begin, double time);

/// The mean of rates (samples/s) from random places takes the place of the rate from one. Its interval is that of one
/// run: real workers keep a place or lock into one, they do not go through all of them. So it is a prediction interval,
/// s sqrt(1 + 1/n) wide where the mean itself is known to s / sqrt(n), of the logarithms: a rate is above zero, and
/// that of a step's time is the same.
void take_mean(StepEstimate& estimate, const std::vector<double>& rates, double confidence);

/// What programs of jobs that ran together say about each of them, over the time in which all of them ran.
std::vector<StepEstimate> estimates_of(std::span<const SteppedJob> jobs, const SteadyStateOptions& options,
                                       std::vector<StepProgram> programs, std::vector<StepTrace> traces);

/// Simulates the jobs together, contending for links, until each of them repeats (or its confidence interval is narrow
/// enough).
///
/// The estimate of each job is taken from the time during which all of them are running. Throws what the executor
/// throws.
std::vector<StepEstimate> steady_state(const Cluster& cluster, std::span<const SteppedJob> jobs,
                                       const Executor& executor, const SteadyStateOptions& options);

/// Workers without a barrier, once it does not matter any more where they began.
struct LongRun {
  double rate = 0;                  // steps/s, mean of the workers
  double half_width = 0;            // of its 95 % interval, as a share of it
  std::vector<double> worker_rates; // steps/s, by number of the worker
  double mean_staleness = 0;        // steps that others ended between a worker's last pull and its step's end
  double largest_staleness = 0;
  int steps = 0;       // simulated, of a worker on average
  StepProgram program; // some of them
  StepTrace trace;
};

/// Lets the workers step until the mean of their rates is known to @p relative_half_width, or as long as can be had.
/// Nothing where the executor or the steps do not allow it. @p warm_up: steps that do not count, at least.
std::optional<LongRun> long_run(const Cluster& cluster, const TrainingMode& mode, const TrainingContext& context,
                                const Executor& executor, int warm_up, double relative_half_width);

/// The mean of a series whose beginning does not count, and the half width of its 95 % interval.
struct SettledMean {
  std::size_t first = 0; // value that counts; a third does not
  double mean = 0;
  double half_width = 0; // infinite where too few values are left
};

/// @p first: so many values do not count at least.
SettledMean settled_mean(const std::vector<double>& values, std::size_t first);

// Jobs beside each other, from any places in their steps. For jobs whose workers step together and do not depend on
// chance.

/// How many steps each job makes so that all stay beside the one with the longest for so many of its steps, whichever
/// begins up to one step late. @p step_times: of the jobs alone.
std::vector<int> steps_beside(std::span<const Seconds> step_times, double longest_steps);

/// Steps per second of each program while all of them run: from the time at which the last has begun until the first
/// has ended. @p traces: in which no step is missing that ends until then, nor the next one of each program.
std::vector<double> rates_beside(std::span<const ProgramRun> runs, std::span<const StepTrace> traces);

} // namespace trainyard
