// SPDX-License-Identifier: Apache-2.0
#include "sim/parallel/pipeline.hpp"

#include "models/parallel/gpu_work.hpp"
#include "sim/parallel/step.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace trainyard {
namespace {

constexpr double not_yet = -1;

/// When each pass of each stage and micro-batch ends, and when its neighbour has the message; `not_yet` before.
class Ends
{
public:
  Ends(std::size_t stages, std::size_t micro_batches)
      : micro_batches_{micro_batches}, forward_(stages * micro_batches, Times{}), backward_(forward_)
  {
  }

  struct Times {
    double end = not_yet, arrived = not_yet;
  };
  Times& of(Pass pass, std::size_t stage, int micro_batch)
  {
    return (pass == Pass::forward ? forward_
                                  : backward_)[stage * micro_batches_ + static_cast<std::size_t>(micro_batch)];
  }

private:
  std::size_t micro_batches_;
  std::vector<Times> forward_, backward_;
};

std::size_t micro_batches_of(const TaskLists& lists)
{
  int most = 0;
  for (const std::vector<PipelineTask>& list : lists)
    for (const PipelineTask& task : list)
      most = std::max(most, task.micro_batch + 1);
  return static_cast<std::size_t>(most);
}

std::size_t chunks_of_lists(const TaskLists& lists)
{
  int most = 0;
  for (const std::vector<PipelineTask>& list : lists)
    for (const PipelineTask& task : list)
      most = std::max(most, task.chunk + 1);
  return static_cast<std::size_t>(most);
}

/// Some list has the gradients of weights as tasks of their own.
bool parts_weights(const TaskLists& lists)
{
  return std::ranges::any_of(lists, [](const std::vector<PipelineTask>& list) {
    return std::ranges::any_of(list, [](const PipelineTask& task) { return task.pass == Pass::weights; });
  });
}

/// Each rank does its list in order; a task begins when its rank is free and what it needs has come.
class Replay
{
public:
  Replay(const TaskLists& lists, std::span<const ChunkTimes> chunks, double handoff, bool keep_spans, StageOrder order)
      : lists_{lists}, chunks_{chunks}, handoff_{handoff}, order_{order}, parted_{parts_weights(lists)},
        ends_{chunks.size(), micro_batches_of(lists)}, next_(lists.size(), 0), free_(lists.size(), 0),
        sending_(lists.size(), 0), held_(lists.size(), 0)
  {
    run_.busy.assign(lists.size(), 0);
    run_.saved.assign(lists.size(), 0);
    run_.in_flight.assign(lists.size(), 0);
    run_.chunks.assign(chunks_of_lists(lists) * lists.size(), {});
    run_.parted = parted_;
    if (keep_spans)
      run_.ranks.resize(lists.size());
  }

  PipelineRun run()
  {
    for (bool moved = true; moved;) {
      moved = false;
      for (std::size_t rank = 0; rank < lists_.size(); ++rank)
        while (next_[rank] < lists_[rank].size() && step(rank))
          moved = true;
    }
    for (std::size_t rank = 0; rank < lists_.size(); ++rank) {
      if (next_[rank] < lists_[rank].size())
        throw std::logic_error{"the tasks of a pipeline wait for each other for ever"};
      run_.time = std::max(run_.time, free_[rank]);
    }
    run_.ends = free_;
    return std::move(run_);
  }

private:
  std::size_t stage_of(std::size_t rank, const PipelineTask& task) const
  {
    return static_cast<std::size_t>(
        stage_at(order_, static_cast<int>(lists_.size()), static_cast<int>(rank), task.chunk));
  }

  /// When the neighbour has the message of a task that ended at @p end. A rank sends one after the other. Stages
  /// `before` and `before + 1` are on one rank where a V turns round.
  double arrival(std::size_t rank, std::size_t before, double end)
  {
    if (handoff_ <= 0 || (order_ == StageOrder::v && before + 1 == lists_.size()))
      return end;
    sending_[rank] = std::max(sending_[rank], end) + handoff_;
    return sending_[rank];
  }

  /// The earliest begin; `not_yet` where something it needs has no end.
  double ready(const PipelineTask& task, std::size_t stage)
  {
    double begin = 0;
    const auto after = [&](Pass pass, std::size_t of, double Ends::Times::*when) {
      const double at = ends_.of(pass, of, task.micro_batch).*when;
      begin = at < 0 || begin < 0 ? not_yet : std::max(begin, at);
    };
    if (task.pass == Pass::forward) {
      if (stage > 0)
        after(Pass::forward, stage - 1, &Ends::Times::arrived);
    } else if (task.pass == Pass::weights) {
      after(Pass::backward, stage, &Ends::Times::end);
    } else {
      after(Pass::forward, stage, &Ends::Times::end);
      if (stage + 1 < chunks_.size())
        after(Pass::backward, stage + 1, &Ends::Times::arrived);
    }
    return begin;
  }

  double time_of(const PipelineTask& task, const ChunkTimes& times) const
  {
    switch (task.pass) {
    case Pass::forward:
      return times.forward;
    case Pass::weights:
      return times.weights;
    case Pass::backward:
      return times.backward + (parted_ ? 0 : times.weights);
    case Pass::whole:
      break;
    }
    return times.backward + times.weights;
  }

  /// The rank's next task and those that run together with it; false where they cannot begin yet.
  bool step(std::size_t rank)
  {
    const std::size_t first = next_[rank];
    std::size_t behind = first + 1;
    while (lists_[rank][behind - 1].with_next && behind < lists_[rank].size())
      ++behind;
    double begin = free_[rank], time = 0;
    const ChunkTimes *ahead = nullptr, *back = nullptr; // those that run together
    for (std::size_t i = first; i < behind && begin >= 0; ++i) {
      const PipelineTask& task = lists_[rank][i];
      const std::size_t stage = stage_of(rank, task);
      const double earliest = ready(task, stage);
      begin = earliest < 0 ? not_yet : std::max(begin, earliest);
      time += time_of(task, chunks_[stage]);
      (task.pass == Pass::forward ? ahead : back) = &chunks_[stage];
    }
    if (begin < 0)
      return false;
    const double saved = ahead != nullptr && back != nullptr ? ahead->saved_beside(*back) : 0;
    free_[rank] = begin + time - saved;
    run_.busy[rank] += time - saved;
    run_.saved[rank] += saved;
    note_ends(rank, first, behind, begin);
    next_[rank] = behind;
    return true;
  }

  void note_end(std::size_t rank, const PipelineTask& task, std::size_t stage)
  {
    const bool forward = task.pass == Pass::forward;
    Ends::Times& times = ends_.of(task.pass, stage, task.micro_batch);
    times.end = free_[rank];
    if (forward ? stage + 1 < chunks_.size() : stage > 0)
      times.arrived = arrival(rank, forward ? stage : stage - 1, times.end);
  }

  void note_ends(std::size_t rank, std::size_t first, std::size_t behind, double begin)
  {
    double at = begin;
    for (std::size_t i = first; i < behind; ++i) {
      const PipelineTask& task = lists_[rank][i];
      const std::size_t stage = stage_of(rank, task);
      if (task.pass != Pass::weights)
        note_end(rank, task, stage);
      ChunkEnds& chunk = run_.chunks[rank + static_cast<std::size_t>(task.chunk) * lists_.size()];
      if (task.pass == Pass::forward) {
        run_.in_flight[rank] = std::max(run_.in_flight[rank], ++held_[rank]);
        if (chunk.begin < 0)
          chunk.begin = begin, chunk.computed = free_[rank];
      } else if (task.pass == Pass::whole || task.pass == (parted_ ? Pass::weights : Pass::backward)) {
        --held_[rank];
        chunk.last_begin = begin;
        chunk.end = free_[rank];
      }
      if (!run_.ranks.empty()) {
        const double end = i + 1 == behind ? free_[rank] : std::min(free_[rank], at + time_of(task, chunks_[stage]));
        run_.ranks[rank].push_back({task, at, end});
        at = end;
      }
    }
  }

  const TaskLists& lists_;
  std::span<const ChunkTimes> chunks_;
  double handoff_;
  StageOrder order_;
  bool parted_;
  Ends ends_;
  PipelineRun run_;
  std::vector<std::size_t> next_; // of each rank's list
  std::vector<double> free_;      // from when on
  std::vector<double> sending_;   // until when each rank sends
  std::vector<int> held_;         // micro-batches
};

} // namespace

double ChunkTimes::saved_beside(const ChunkTimes& back) const
{
  return hidden_messages(experts.share, experts.forward_tokens, back.experts.backward_kernels) +
         hidden_messages(experts.share, back.experts.backward_tokens, experts.forward_kernels);
}

PipelineRun run_pipeline(const TaskLists& lists, std::span<const ChunkTimes> chunks, double handoff, bool keep_spans,
                         StageOrder order)
{
  return Replay{lists, chunks, handoff, keep_spans, order}.run();
}

double measured_bubble(const PipelineSchedule& schedule, int ranks, int chunks, int micro_batches, double forward,
                       double backward, double weights)
{
  const bool twice = schedule.order() == StageOrder::both_ways;
  const double share = twice ? 1 : 1.0 / chunks;
  const std::vector<ChunkTimes> times(static_cast<std::size_t>(ranks * chunks),
                                      {share * forward, share * backward, share * weights});
  const double time =
      run_pipeline(schedule.tasks(ranks, chunks, micro_batches), times, 0, false, schedule.order()).time;
  return time / (micro_batches * (forward + backward + weights)) - 1;
}

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
