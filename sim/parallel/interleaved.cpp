// SPDX-License-Identifier: Apache-2.0
#include "models/parallel/schedule.hpp"

#include <algorithm>
#include <fmt/format.h>

namespace trainyard {
namespace {

/// 1F1B over several chunks of layers on each rank: the bubble shrinks by their number, messages grow by it (Narayanan
/// et al., arXiv:2104.04473, section 2.2).
class Interleaved final : public PipelineSchedule
{
public:
  std::string fault(int ranks, int, int micro_batches) const override
  {
    return micro_batches % ranks == 0
               ? ""
               : fmt::format("interleaved needs a multiple of {} micro-batches, not {}", ranks, micro_batches);
  }

  TaskLists tasks(int ranks, int chunks, int micro_batches) const override
  {
    const int total = micro_batches * chunks;
    // The k-th pass of a rank: groups of `ranks` micro-batches go through all its chunks.
    const auto task = [&](Pass pass, int k) {
      const int in_group = k % (ranks * chunks);
      const int chunk = in_group / ranks;
      return PipelineTask{pass, pass == Pass::forward ? chunk : chunks - 1 - chunk,
                          k / (ranks * chunks) * ranks + in_group % ranks};
    };
    TaskLists lists(static_cast<std::size_t>(ranks));
    for (int rank = 0; rank < ranks; ++rank) {
      std::vector<PipelineTask>& list = lists[static_cast<std::size_t>(rank)];
      list.reserve(static_cast<std::size_t>(2 * total));
      const int warm_up = in_flight(ranks, chunks, micro_batches, rank) - 1;
      for (int k = 0; k < warm_up; ++k)
        list.push_back(task(Pass::forward, k));
      for (int k = 0; k < total; ++k) {
        if (warm_up + k < total)
          list.push_back(task(Pass::forward, warm_up + k));
        list.push_back(task(Pass::backward, k));
      }
    }
    return lists;
  }

  double bubble(int ranks, int chunks, int micro_batches, double, double, double) const override
  {
    return (ranks - 1.0) / (1.0 * chunks * micro_batches);
  }

  int in_flight(int ranks, int chunks, int micro_batches, int rank) const override
  {
    const int total = micro_batches * chunks;
    if (micro_batches == ranks)
      return total; // as Megatron-LM does
    return std::min(total, 2 * (ranks - rank - 1) + (chunks - 1) * ranks + 1);
  }
};

TY_REGISTER(PipelineSchedule, Interleaved, "interleaved", "1F1B over several chunks of layers on each GPU");

} // namespace
} // namespace trainyard
