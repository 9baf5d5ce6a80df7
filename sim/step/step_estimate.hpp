// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "sim/step/steady_state.hpp"

#include <cstddef>
#include <vector>

namespace trainyard {

constexpr std::size_t batches = 10; // parts of a run whose means are taken as independent

struct MeanWithInterval {
  double mean = 0;
  double half_width = 0; // of its 95 % interval
};

/// @p steps or a few more, so that whole periods begin after them; the first period ends with the first step.
int whole_periods(int steps, int period);

/// Mean of rates and the half width of its 95 % interval, as a share of the mean.
MeanWithInterval mean_of(const std::vector<double>& rates);

/// How much wider than at 95 % an interval is at another confidence.
double widening(double confidence, std::size_t degrees);

/// The operations of a program that its speed and its staleness are read off, a few among many: the same in every draw.
struct Marks {
  struct End {
    int worker = 0;
    std::size_t operation = 0;
  };
  struct Exchange {
    int worker = 0, step = 0;
    bool pulls = false; // or a server updates
    std::size_t operation = 0;
  };
  std::vector<End> ends;           // of steps
  std::vector<Exchange> exchanges; // of workers that step by themselves
};

Marks marks_of(const StepProgram& program);
StepEnds step_ends(const Marks& marks, const StepTrace& trace);

/// Reads one job's estimate off the part of the trace that all jobs share, which ends at `shared_end`. @p all: the ends
/// of its steps.
StepEstimate read_estimate(const SteppedJob& job, const SteadyStateOptions& options, StepProgram program,
                           StepTrace trace, const StepEnds& all, double shared_end);

/// Staleness of an asynchronous job: updates that reach the servers between the end of a worker's pulls and the end of
/// its own update. Of workers that fetch variables as soon as those are updated (pulls_ahead()): from the pulls of the
/// step before. Counts the updates of the time in which all workers are at work.
void measure_staleness(StepEstimate& estimate, const Marks& marks);

} // namespace trainyard
