// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "sim/step/engine/executor.hpp"

#include <span>
#include <vector>

namespace trainyard {

/// The rest of a program: what is done takes no time, and of what is under way the rest is left. @p shares: done of
/// each operation, 0..1.
StepProgram rest_of(const StepProgram& program, std::span<const double> shares);

/// The same run later, or earlier.
void shift(StepTrace& trace, Seconds by);

/// How much of each operation is done at a time of its trace, in s.
std::vector<double> shares_at(const StepTrace& trace, double time);

} // namespace trainyard
