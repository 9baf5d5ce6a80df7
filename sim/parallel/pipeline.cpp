// SPDX-License-Identifier: Apache-2.0
#include "sim/parallel/pipeline.hpp"

#include "models/parallel/gpu_work.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace trainyard {
namespace {

constexpr double not_yet = -1;

/// When each pass of each stage and micro-batch ends; `not_yet` before it has.
class Ends
{
public:
  Ends(std::size_t stages, std::size_t micro_batches)
      : micro_batches_{micro_batches}, forward_(stages * micro_batches, not_yet), backward_(forward_)
  {
  }

  double& of(Pass pass, std::size_t stage, int micro_batch)
  {
    return (pass == Pass::forward ? forward_
                                  : backward_)[stage * micro_batches_ + static_cast<std::size_t>(micro_batch)];
  }

private:
  std::size_t micro_batches_;
  std::vector<double> forward_, backward_;
};

std::size_t micro_batches_of(const TaskLists& lists)
{
  int most = 0;
  for (const std::vector<PipelineTask>& list : lists)
    for (const PipelineTask& task : list)
      most = std::max(most, task.micro_batch + 1);
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
        held_(lists.size(), 0)
  {
    run_.busy.assign(lists.size(), 0);
    run_.saved.assign(lists.size(), 0);
    run_.in_flight.assign(lists.size(), 0);
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
    return std::move(run_);
  }

private:
  std::size_t stage_of(std::size_t rank, const PipelineTask& task) const
  {
    return static_cast<std::size_t>(
        stage_at(order_, static_cast<int>(lists_.size()), static_cast<int>(rank), task.chunk));
  }

  /// Of a message. Stages `before` and `before + 1` are on one rank where a V turns round.
  double way(std::size_t before) const
  {
    return order_ == StageOrder::v && before + 1 == lists_.size() ? 0.0 : handoff_;
  }

  /// The earliest begin; `not_yet` where something it needs has no end.
  double ready(const PipelineTask& task, std::size_t stage)
  {
    double begin = 0;
    const auto after = [&](Pass pass, std::size_t of, double message) {
      const double end = ends_.of(pass, of, task.micro_batch);
      begin = end < 0 || begin < 0 ? not_yet : std::max(begin, end + message);
    };
    if (task.pass == Pass::forward) {
      if (stage > 0)
        after(Pass::forward, stage - 1, way(stage - 1));
    } else if (task.pass == Pass::weights) {
      after(Pass::backward, stage, 0);
    } else {
      after(Pass::forward, stage, 0);
      if (stage + 1 < chunks_.size())
        after(Pass::backward, stage + 1, way(stage));
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

  void note_ends(std::size_t rank, std::size_t first, std::size_t behind, double begin)
  {
    double at = begin;
    for (std::size_t i = first; i < behind; ++i) {
      const PipelineTask& task = lists_[rank][i];
      const std::size_t stage = stage_of(rank, task);
      if (task.pass != Pass::weights)
        ends_.of(task.pass, stage, task.micro_batch) = free_[rank];
      if (task.pass == Pass::forward)
        run_.in_flight[rank] = std::max(run_.in_flight[rank], ++held_[rank]);
      else if (task.pass == Pass::whole || task.pass == (parted_ ? Pass::weights : Pass::backward))
        --held_[rank];
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

} // namespace trainyard
