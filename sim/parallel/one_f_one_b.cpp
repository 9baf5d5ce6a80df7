// SPDX-License-Identifier: Apache-2.0
#include "models/parallel/schedule.hpp"

#include <algorithm>

namespace trainyard {
namespace {

/// After a warm-up, one forward and one backward pass in turn: rank r of p holds at most p - r micro-batches (PipeDream
/// Flush, Narayanan et al., arXiv:2006.09503).
class OneForwardOneBackward final : public PipelineSchedule
{
public:
  std::string fault(int, int chunks, int) const override
  {
    return chunks > 1 ? "1f1b has no virtual stages; use the schedule interleaved" : "";
  }

  TaskLists tasks(int ranks, int, int micro_batches) const override
  {
    TaskLists lists(static_cast<std::size_t>(ranks));
    for (int rank = 0; rank < ranks; ++rank) {
      std::vector<PipelineTask>& list = lists[static_cast<std::size_t>(rank)];
      list.reserve(static_cast<std::size_t>(2 * micro_batches));
      const int warm_up = in_flight(ranks, 1, micro_batches, rank) - 1;
      for (int i = 0; i < warm_up; ++i)
        list.push_back({Pass::forward, 0, i});
      for (int i = 0; i < micro_batches; ++i) {
        if (warm_up + i < micro_batches)
          list.push_back({Pass::forward, 0, warm_up + i});
        list.push_back({Pass::backward, 0, i});
      }
    }
    return lists;
  }

  double bubble(int ranks, int, int micro_batches, double, double, double) const override
  {
    return (ranks - 1.0) / micro_batches;
  }

  int in_flight(int ranks, int, int micro_batches, int rank) const override
  {
    return std::min(micro_batches, ranks - rank);
  }
};

TY_REGISTER(PipelineSchedule, OneForwardOneBackward, "1f1b", "one forward and one backward pass in turn");

} // namespace
} // namespace trainyard
