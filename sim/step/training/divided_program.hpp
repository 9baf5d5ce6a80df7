// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "sim/step/training/training_mode.hpp"

#include "sim/parallel/step.hpp"

namespace trainyard {

/// Name of computing while the operation before it is under way.
inline constexpr const char* beside_name = "beside";
/// By how much messages lengthen it, whose multiprocessors they hold.
inline constexpr const char* taken_name = "multiprocessors";

/// Steps of a divided transformer as tasks and messages; see divided.hpp.
StepProgram divided_program(const TrainingContext& context, const ParallelJob& job, const Transport& library,
                            int first_step, int steps);

} // namespace trainyard
