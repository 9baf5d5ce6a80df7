// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "sim/step/engine/step_program.hpp"

#include <algorithm>

namespace trainyard {

/// Whether workers fetch variables as soon as those are updated: what a step pulls is for the step after it.
inline bool pulls_ahead(const StepProgram& program)
{
  return std::ranges::any_of(program.operations, [&](const Operation& operation) {
    return operation.role == Role::pull && std::ranges::any_of(operation.after, [&](OperationId before) {
             const Operation& waited = program.operations[static_cast<std::size_t>(before.index)];
             return waited.role == Role::update && waited.step == operation.step;
           });
  });
}

} // namespace trainyard
