// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "sim/step/engine/step_program.hpp"

#include <span>

namespace trainyard {

/// Copies the last step of a program until each worker has its number of steps, @p steps of them: faster than to make
/// each anew. False, and nothing is added, where the step before it is not like it: the same operations, which wait for
/// the same ones of as many steps before, or where something waits for a worker that makes fewer steps.
bool repeat_last_step(StepProgram& program, std::span<const int> steps);

} // namespace trainyard
