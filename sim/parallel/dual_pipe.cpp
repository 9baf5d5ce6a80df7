// SPDX-License-Identifier: Apache-2.0
// Micro-batches enter the pipeline at both ends: half of them go from the first GPU to the last, half the other way.
// Every GPU therefore holds two stages, and each stage is held twice. In the middle a forward pass of one direction
// runs together with a backward pass of the other, and each hides the messages of the other.
#include "models/parallel/schedule.hpp"

#include <algorithm>
#include <array>
#include <fmt/format.h>

namespace trainyard {
namespace {

/// DualPipe (DeepSeek-AI, arXiv:2412.19437, section 3.2.1 and table 2).
class DualPipe final : public PipelineSchedule
{
public:
  std::string fault(int ranks, int chunks, int micro_batches) const override
  {
    if (chunks != 1)
      return "dualpipe has no virtual stages: leave vp out";
    if (ranks % 2 != 0)
      return fmt::format("dualpipe needs an even number of stages, not {}", ranks);
    if (micro_batches % 2 != 0 || micro_batches < 2 * ranks)
      return fmt::format("dualpipe needs an even number of at least 2 pp = {} micro-batches, not {}", 2 * ranks,
                         micro_batches);
    return "";
  }

  TaskLists tasks(int ranks, int, int micro_batches) const override
  {
    TaskLists lists;
    lists.reserve(static_cast<std::size_t>(ranks));
    for (int rank = 0; rank < ranks; ++rank)
      lists.push_back(OneRank{ranks, rank, micro_batches}.tasks());
    return lists;
  }

  /// (p/2 - 1) (F&B + B - 3 W), where B is the whole backward pass and F&B a forward and a whole backward pass
  /// together: without messages F + B.
  double bubble(int ranks, int, int micro_batches, double forward, double backward, double weights) const override
  {
    return (ranks / 2 - 1) * std::max(0.0, forward + 2 * backward - weights) /
           (micro_batches * (forward + backward + weights));
  }

  int in_flight(int ranks, int, int, int) const override { return ranks + 1; }

  StageOrder order() const override { return StageOrder::both_ways; }

private:
  /// The tasks of one rank. A rank sees two directions: `near` is that of the micro-batches that enter at its own half
  /// of the pipeline, and so reach it first.
  class OneRank
  {
  public:
    OneRank(int ranks, int rank, int micro_batches)
        : ranks_{ranks}, from_end_{std::min(rank, ranks - 1 - rank)}, half_{micro_batches / 2}, upper_{rank >=
                                                                                                       ranks / 2}
    {
      list_.reserve(static_cast<std::size_t>(3 * micro_batches));
    }

    std::vector<PipelineTask> tasks()
    {
      const int inner = ranks_ / 2 - 1 - from_end_; // ranks between this one and the middle
      for (int i = 0; i < 2 * inner; ++i)
        forward(near);
      for (int i = 0; i <= from_end_; ++i) {
        forward(near);
        forward(far);
      }
      for (int i = 0; i < inner; ++i) {
        parted(far);
        weights();
        forward(far);
      }
      for (int i = 0; i < half_ - ranks_ + from_end_ + 1; ++i) {
        together(near, far);
        together(far, near);
      }
      for (int i = 0; i < inner; ++i) {
        whole(far);
        together(far, near);
      }
      // The last passes that others wait for; from the middle on, weights wait for the end.
      const int last = 2 * (from_end_ + 1);
      for (int i = 0; i < last; ++i) {
        const Direction direction = i % 2 == 0 ? far : near;
        if (i < from_end_ + 1)
          whole(direction);
        else
          parted(direction);
      }
      for (int i = 0; i < inner; ++i) {
        weights();
        parted(near);
      }
      while (!waiting_.empty())
        weights();
      return std::move(list_);
    }

  private:
    enum Direction : std::size_t { near = 0, far = 1 };

    PipelineTask task(Pass pass, Direction direction, int number) const
    {
      const int chunk = (direction == near) == upper_ ? 1 : 0;
      return {pass, chunk, chunk * half_ + number};
    }
    void forward(Direction direction) { list_.push_back(task(Pass::forward, direction, forwards_.at(direction)++)); }
    void whole(Direction direction) { list_.push_back(task(Pass::whole, direction, backwards_.at(direction)++)); }
    void together(Direction ahead, Direction back)
    {
      forward(ahead);
      list_.back().with_next = true;
      whole(back);
    }
    void parted(Direction direction)
    {
      const int number = backwards_.at(direction)++;
      list_.push_back(task(Pass::backward, direction, number));
      waiting_.push_back(task(Pass::weights, direction, number));
    }
    void weights()
    {
      list_.push_back(waiting_.front());
      waiting_.erase(waiting_.begin());
    }

    int ranks_, from_end_, half_;
    bool upper_;
    std::array<int, 2> forwards_{}, backwards_{};
    std::vector<PipelineTask> list_, waiting_;
  };
};

TY_REGISTER(PipelineSchedule, DualPipe, "dualpipe",
            "micro-batches from both ends, forward and backward passes together; weights held twice");

} // namespace
} // namespace trainyard
