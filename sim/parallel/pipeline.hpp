// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "models/parallel/layout.hpp"
#include "models/parallel/schedule.hpp"

#include <memory>
#include <span>
#include <vector>

namespace trainyard {

/// Times of one micro-batch in one chunk of layers, in seconds.
struct ChunkTimes {
  double forward = 0;
  double backward = 0; // of activations
  double weights = 0;  // of weights; done with `backward` where the schedule does not part them

  /// Tokens on their way to experts and back, and the kernels of the passes; the backward pass with its weights.
  struct Experts {
    double forward_tokens = 0;
    double backward_tokens = 0;
    double forward_kernels = 0;
    double backward_kernels = 0;
    double share = 0; // of the multiprocessors, that tokens hold
  };
  Experts experts = {};

  /// What tokens hide where this chunk's forward pass runs together with the backward pass of @p back (DualPipe): each
  /// behind the kernels of the other.
  double saved_beside(const ChunkTimes& back) const;
};

struct PipelineSpan {
  PipelineTask task;
  double begin = 0;
  double end = 0;
};

/// Of one chunk on one rank: its first forward pass, and the last pass that leaves gradients of weights.
struct ChunkEnds {
  double begin = -1, computed = 0;
  double last_begin = 0, end = 0;
};

/// A step of the pipeline, task by task.
struct PipelineRun {
  double time = 0;                              // until the last rank is done
  std::vector<double> busy;                     // of each rank
  std::vector<double> saved;                    // of each rank, by passes that run together
  std::vector<int> in_flight;                   // chunks whose activations each rank held at most
  std::vector<double> ends;                     // of each rank
  std::vector<ChunkEnds> chunks;                // by rank + chunk x ranks
  bool parted = false;                          // gradients of weights are tasks of their own
  std::vector<std::vector<PipelineSpan>> ranks; // empty unless asked for
};

/// Runs the lists exactly: a rank does its tasks in order, each when what it needs is there: a forward pass that of the
/// stage before, a backward pass that of the stage behind and its own forward pass, gradients of weights their backward
/// pass. @p chunks: by stage. @p handoff: seconds from the end of a pass until a neighbour on another rank has the
/// message; of several that a rank sends, to either side, one follows the other. Throws std::logic_error where ranks
/// wait for each other for ever.
PipelineRun run_pipeline(const TaskLists& lists, std::span<const ChunkTimes> chunks, double handoff,
                         bool keep_spans = false, StageOrder order = StageOrder::round);

/// The same with equal stages and without messages: the share of the ideal time that ranks wait. @p forward, @p
/// backward and @p weights as in PipelineSchedule::bubble.
double measured_bubble(const PipelineSchedule& schedule, int ranks, int chunks, int micro_batches, double forward,
                       double backward, double weights);

/// The schedule that a layout asks for: the user's own list, a registered one by name, else 1f1b, or interleaved with
/// virtual stages.
std::unique_ptr<PipelineSchedule> schedule_for(const ParallelLayout& layout);

} // namespace trainyard
