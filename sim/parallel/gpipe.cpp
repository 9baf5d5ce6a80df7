// SPDX-License-Identifier: Apache-2.0
#include "models/parallel/schedule.hpp"

namespace trainyard {
namespace {

/// All forward passes, then all backward passes in the same order: every activation is kept (Huang et al.,
/// arXiv:1811.06965).
class GPipe final : public PipelineSchedule
{
public:
  std::string fault(int, int chunks, int) const override
  {
    return chunks > 1 ? "gpipe has no virtual stages; use the schedule interleaved" : "";
  }

  TaskLists tasks(int ranks, int, int micro_batches) const override
  {
    std::vector<PipelineTask> list;
    list.reserve(static_cast<std::size_t>(2 * micro_batches));
    for (const Pass pass : {Pass::forward, Pass::backward})
      for (int i = 0; i < micro_batches; ++i)
        list.push_back({pass, 0, i});
    return TaskLists(static_cast<std::size_t>(ranks), list);
  }

  double bubble(int ranks, int, int micro_batches, double, double, double) const override
  {
    return (ranks - 1.0) / micro_batches;
  }

  int in_flight(int, int, int micro_batches, int) const override { return micro_batches; }
};

TY_REGISTER(PipelineSchedule, GPipe, "gpipe", "all forward passes, then all backward passes");

} // namespace
} // namespace trainyard
