// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "models/core/registry.hpp"

#include <string>
#include <vector>

namespace trainyard {

/// What a rank does in a pipeline: the forward pass of a chunk, its backward pass, and, where a schedule parts them,
/// the gradients of its weights alone (`backward` then means those of its activations only). `whole`: both gradients as
/// one pass, in a schedule that parts others; its result is there when all of it is done.
enum class Pass { forward, backward, weights, whole };

struct PipelineTask {
  Pass pass = Pass::forward;
  int chunk = 0; // of the rank, from 0; `stage_at` says which stage it is
  int micro_batch = 0;
  bool with_next = false; // runs together with the task behind it: one begin, one end

  bool operator==(const PipelineTask&) const = default;
};

/// The tasks of every rank, each in the order in which it does them.
using TaskLists = std::vector<std::vector<PipelineTask>>;

/// Which stages a rank holds.
enum class StageOrder {
  round,    // chunk c of rank r of p: stage c p + r
  v,        // two chunks: stages r and 2 p - 1 - r, so that rank 0 has the first and the last (arXiv:2405.15362)
  both_ways // stages r and p - 1 - r: each stage is held twice, half of the micro-batches go down, half up
            // (arXiv:2412.19437)
};

/// Chunks of a rank, with @p chunks virtual stages.
constexpr int chunks_of_rank(StageOrder order, int chunks)
{
  return order == StageOrder::both_ways ? 2 : chunks;
}

/// Place of a chunk in the order of the forward pass.
constexpr int stage_at(StageOrder order, int ranks, int rank, int chunk)
{
  if (order == StageOrder::round || chunk == 0)
    return chunk * ranks + rank;
  return (order == StageOrder::v ? 2 * ranks : ranks) - 1 - rank;
}

/// An order of work in a pipeline; one registered class per file.
class PipelineSchedule
{
public:
  virtual ~PipelineSchedule() = default;
  /// Why it cannot run so many ranks, chunks of a rank and micro-batches (all >= 1); empty: it can.
  virtual std::string fault(int ranks, int chunks, int micro_batches) const = 0;
  virtual TaskLists tasks(int ranks, int chunks, int micro_batches) const = 0;
  /// Share of the ideal time in which a rank waits, with equal stages, without time for messages. @p forward,
  /// @p backward (of activations) and @p weights: times of one micro-batch in all chunks of a rank that it passes.
  virtual double bubble(int ranks, int chunks, int micro_batches, double forward, double backward,
                        double weights) const = 0;
  /// Micro-batches x chunks whose activations a rank holds at most.
  virtual int in_flight(int ranks, int chunks, int micro_batches, int rank) const = 0;
  virtual StageOrder order() const { return StageOrder::round; }
};

} // namespace trainyard
