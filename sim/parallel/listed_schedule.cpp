// SPDX-License-Identifier: Apache-2.0

#include "sim/parallel/pipeline.hpp"
#include "sim/parallel/step.hpp"

#include <algorithm>

namespace trainyard {
namespace {

/// The order that a scenario lists, for one number of ranks, chunks and micro-batches.
class ListedSchedule final : public PipelineSchedule
{
public:
  explicit ListedSchedule(std::shared_ptr<const TaskLists> lists) : lists_{std::move(lists)} {}

  std::string fault(int ranks, int, int) const override
  {
    return lists_->size() == static_cast<std::size_t>(ranks) ? "" : "the schedule has a list for each stage";
  }
  TaskLists tasks(int, int, int) const override { return *lists_; }
  double bubble(int ranks, int chunks, int micro_batches, double forward, double backward,
                double weights) const override
  {
    return measured_bubble(*this, ranks, chunks, micro_batches, forward, backward, weights);
  }
  int in_flight(int, int, int, int rank) const override
  {
    const std::vector<PipelineTask>& list = lists_->at(static_cast<std::size_t>(rank));
    const bool parted = std::ranges::any_of(list, [](const PipelineTask& task) { return task.pass == Pass::weights; });
    int held = 0, most = 0;
    for (const PipelineTask& task : list)
      if (task.pass == Pass::forward)
        most = std::max(most, ++held);
      else if (task.pass == (parted ? Pass::weights : Pass::backward))
        --held;
    return most;
  }

private:
  std::shared_ptr<const TaskLists> lists_;
};

} // namespace

std::unique_ptr<PipelineSchedule> schedule_for(const ParallelLayout& layout)
{
  if (layout.own_schedule != nullptr)
    return std::make_unique<ListedSchedule>(layout.own_schedule);
  return Registry<PipelineSchedule>::instance().create(schedule_of(layout));
}

} // namespace trainyard
