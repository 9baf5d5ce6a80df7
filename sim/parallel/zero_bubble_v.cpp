// SPDX-License-Identifier: Apache-2.0
// Every GPU holds two chunks: one on the way down, one on the way back, so that the last GPU turns round without a
// message and the first GPU sees both the begin of a forward pass and the end of its backward pass. Gradients of
// weights fill the gaps.
#include "sim/parallel/pipeline.hpp"

#include <array>
#include <fmt/format.h>

namespace trainyard {
namespace {

/// With equal times of F, B and W each GPU works without a gap from its first task to its last, and holds the
/// activations that 1F1B's first one holds (ZB-V; Qi et al., arXiv:2401.10241, section 6, arXiv:2405.15362, figure 3).
class ZeroBubbleV final : public PipelineSchedule
{
public:
  std::string fault(int ranks, int chunks, int micro_batches) const override
  {
    if (chunks != 2)
      return fmt::format("zbv has two chunks of layers on each GPU: write vp: 2, not {}", chunks);
    return micro_batches >= 2 * ranks - 1
               ? ""
               : fmt::format("zbv fills its pipeline from 2 pp - 1 = {} micro-batches on; there are {}", 2 * ranks - 1,
                             micro_batches);
  }

  TaskLists tasks(int ranks, int, int micro_batches) const override
  {
    TaskLists lists(static_cast<std::size_t>(ranks));
    for (int rank = 0; rank < ranks; ++rank)
      lists[static_cast<std::size_t>(rank)] = of_rank(ranks, rank, micro_batches);
    return lists;
  }

  /// Equal times: (p - 1) F / 2, the way of the first micro-batch down. For others there is no formula.
  double bubble(int ranks, int chunks, int micro_batches, double forward, double backward,
                double weights) const override
  {
    return measured_bubble(*this, ranks, chunks, micro_batches, forward, backward, weights);
  }

  int in_flight(int ranks, int, int, int) const override { return 2 * ranks; }

  StageOrder order() const override { return StageOrder::v; }

private:
  static std::vector<PipelineTask> of_rank(int ranks, int rank, int micro_batches)
  {
    std::vector<PipelineTask> list;
    list.reserve(static_cast<std::size_t>(6 * micro_batches));
    using Count = std::array<int, 2>; // of each chunk
    Count forward{}, backward{}, weights{};
    const auto add = [&](Pass pass, Count& done, int chunk) {
      list.push_back({pass, chunk, done.at(static_cast<std::size_t>(chunk))++});
    };
    const auto go = [&](int chunk) { // forward, while there is one
      if (forward.at(static_cast<std::size_t>(chunk)) < micro_batches)
        add(Pass::forward, forward, chunk);
    };
    const auto back = [&](int chunk) {
      add(Pass::backward, backward, chunk);
      add(Pass::weights, weights, chunk);
    };
    // Warm-up: until this rank's second chunk gets the first micro-batch back; then both chunks in turn.
    for (int i = 0; i < 2 * (ranks - rank) - 1; ++i)
      go(0);
    for (int i = 0; i < rank; ++i) {
      go(1);
      go(0);
    }
    for (int i = 0; i < ranks - rank; ++i) {
      go(1);
      back(1);
    }
    while (forward[1] < micro_batches) {
      go(0);
      back(0);
      go(1);
      back(1);
    }
    // Cool-down: what other ranks wait for first, gradients of weights behind it.
    for (int i = 0; i < rank; ++i) {
      add(Pass::backward, backward, 0);
      add(Pass::backward, backward, 1);
    }
    for (int i = 0; i < ranks - rank; ++i) {
      add(Pass::backward, backward, 0);
      add(Pass::weights, weights, 0);
    }
    while (weights[1] < micro_batches)
      add(Pass::weights, weights, 1);
    while (weights[0] < micro_batches)
      add(Pass::weights, weights, 0);
    return list;
  }
};

TY_REGISTER(PipelineSchedule, ZeroBubbleV, "zbv",
            "two chunks of each GPU in the shape of a V, no gaps (zero bubble V)");

} // namespace
} // namespace trainyard
