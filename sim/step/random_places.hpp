// SPDX-License-Identifier: Apache-2.0
// Jobs beside each other, from any places in their steps. For jobs whose workers step together and do not depend on
// chance.
#pragma once
#include "sim/step/engine/executor.hpp"

#include <span>
#include <vector>

namespace trainyard {

/// How many steps each job makes so that all stay beside the one with the longest for so many of its steps, whichever
/// begins up to one step late. @p step_times: of the jobs alone.
std::vector<int> steps_beside(std::span<const Seconds> step_times, double longest_steps);

/// Steps per second of each program while all of them run: from the time at which the last has begun until the first
/// has ended. @p traces: in which no step is missing that ends until then, nor the next one of each program.
std::vector<double> rates_beside(std::span<const ProgramRun> runs, std::span<const StepTrace> traces);

} // namespace trainyard
