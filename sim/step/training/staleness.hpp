// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "sim/step/engine/executor.hpp"

#include <vector>

namespace trainyard {

/// What one worker's gradients had missed when they were applied.
struct Staleness {
  int worker = 0;
  int steps = 0;   // that were counted
  double mean = 0; // updates by other workers between a step's first pull and its own update
  int worst = 0;
};

/// Staleness of each worker of an asynchronous or bounded program, from its step marks, by worker.
///
/// Counted over the time in which all workers are active: a step whose end is later than the last mark of any other
/// worker is left out. Empty for a synchronous program, where all workers read one version and staleness is 0.
std::vector<Staleness> staleness(const StepProgram& program, const StepTrace& trace);

/// Worker steps per second while all workers are active: the sum over workers of (marks - 1) / (last - first mark).
double worker_steps_per_second(const StepProgram& program, const StepTrace& trace);

} // namespace trainyard
