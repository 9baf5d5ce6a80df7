// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "sim/step/training/training_mode.hpp"

#include <vector>

namespace trainyard {

/// Where the batches of one worker (or of a class of equal workers) come from: read from disk or storage, preprocessed
/// by the CPU, kept in a buffer of `prefetch_steps` batches.
///
/// The disk and the cores of a node are shared by its workers, a shared storage by all workers of the job.
class InputPipeline
{
public:
  /// Adds its lanes to @p program. @p mates: workers of the node that share disk and cores; @p all: workers that share
  /// the storage.
  InputPipeline(StepProgram& program, const TrainingContext& context, int worker, int mates, int all);

  /// Operations that bring the batch of @p step; returns what the forward pass waits for: @p start alone where samples
  /// are in memory.
  std::vector<OperationId> take(StepProgram& program, int step, std::vector<OperationId> start);

private:
  OperationId add(StepProgram& program, const char* name, Seconds duration, std::vector<OperationId> after,
                  std::vector<LaneId> lanes, int step) const;

  int worker_ = 0;
  Seconds read_;
  Seconds preprocess_;
  int prefetch_ = 1;
  LaneId reader_;
  LaneId cores_;
  std::vector<OperationId> taken_; // by step: the batch has left the buffer
};

} // namespace trainyard
