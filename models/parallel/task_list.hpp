// SPDX-License-Identifier: Apache-2.0
// A schedule that the user writes down, task by task.
#pragma once
#include "models/parallel/schedule.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace trainyard {

/// "F3": forward pass of micro-batch 3; B: backward pass, W: gradients of weights. "1F3": of the rank's chunk 1.
/// Nothing: the text is none of these.
std::optional<PipelineTask> read_task(std::string_view text);
std::string to_text(const PipelineTask& task, bool with_chunk);

/// What is wrong with a task, or (task = -1) with the list of a rank as a whole.
struct TaskFault {
  int rank = 0;
  int task = -1;
  std::string message;
};

/// Everything that keeps the lists from doing a step of @p micro_batches through @p chunks chunks of each rank: numbers
/// out of range, tasks that are missing or there twice, a backward pass before its forward pass, gradients of weights
/// before their backward pass or of some micro-batches only, and, where all this is right, ranks that wait for each
/// other for ever.
std::vector<TaskFault> task_faults(const TaskLists& lists, int chunks, int micro_batches);

} // namespace trainyard
