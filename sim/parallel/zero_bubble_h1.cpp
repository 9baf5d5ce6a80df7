// SPDX-License-Identifier: Apache-2.0
#include "models/parallel/schedule.hpp"

#include <algorithm>

namespace trainyard {
namespace {

/// 1F1B whose backward pass is parted: gradients of activations go on to the stage before at once, gradients of weights
/// fill the gaps. Memory as that of 1F1B's first rank (ZB-H1; Qi et al., arXiv:2401.10241, section 2).
///
/// ZB1P is the name for what the paper's search finds within the memory of 1F1B. Its bubble, (p-1)(F + B - W) with B
/// without W, is that of ZB-H1 (arXiv:2412.19437, table 2, writes it with B whole: (p-1)(F + B - 2W)); the search may
/// save a little more where stages are unequal.
class ZeroBubbleH1 final : public PipelineSchedule
{
public:
  std::string fault(int, int chunks, int) const override
  {
    return chunks > 1 ? "zb_h1 (zb1p) has no virtual stages; use the schedule interleaved or zbv" : "";
  }

  TaskLists tasks(int ranks, int, int micro_batches) const override
  {
    TaskLists lists(static_cast<std::size_t>(ranks));
    for (int rank = 0; rank < ranks; ++rank) {
      std::vector<PipelineTask>& list = lists[static_cast<std::size_t>(rank)];
      list.reserve(static_cast<std::size_t>(3 * micro_batches));
      const int warm_up = std::min(micro_batches, ranks - rank) - 1;
      for (int i = 0; i < warm_up; ++i)
        list.push_back({Pass::forward, 0, i});
      int weights = 0;
      for (int i = 0; i < micro_batches; ++i) {
        if (warm_up + i < micro_batches)
          list.push_back({Pass::forward, 0, warm_up + i});
        list.push_back({Pass::backward, 0, i});
        if (i >= rank)
          list.push_back({Pass::weights, 0, weights++});
      }
      while (weights < micro_batches)
        list.push_back({Pass::weights, 0, weights++});
    }
    return lists;
  }

  double bubble(int ranks, int, int micro_batches, double forward, double backward, double weights) const override
  {
    return (ranks - 1.0) * std::max(0.0, forward + backward - weights) /
           (micro_batches * (forward + backward + weights));
  }

  int in_flight(int ranks, int, int micro_batches, int) const override { return std::min(micro_batches, ranks); }
};

TY_REGISTER(PipelineSchedule, ZeroBubbleH1, "zb_h1", "1F1B with gradients of weights in the gaps (zero bubble H1)");

[[maybe_unused]] const bool registered_zb1p = Registry<PipelineSchedule>::instance().add(
    registry_entry<PipelineSchedule, ZeroBubbleH1>("zb1p", "the same order as zb_h1, under its other name"));

} // namespace
} // namespace trainyard
