// SPDX-License-Identifier: Apache-2.0
#include "sim/parallel/pipeline.hpp"

#include <algorithm>
#include <stdexcept>

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

} // namespace

PipelineRun run_pipeline(const TaskLists& lists, std::span<const ChunkTimes> chunks, double handoff, bool keep_spans,
                         StageOrder order)
{
  const std::size_t ranks = lists.size();
  const std::size_t stages = chunks.size();
  int micro_batches = 0;
  bool parted = false;
  for (const std::vector<PipelineTask>& list : lists)
    for (const PipelineTask& task : list) {
      micro_batches = std::max(micro_batches, task.micro_batch + 1);
      parted = parted || task.pass == Pass::weights;
    }
  Ends ends{stages, static_cast<std::size_t>(micro_batches)};
  PipelineRun run;
  run.busy.assign(ranks, 0);
  run.saved.assign(ranks, 0);
  run.in_flight.assign(ranks, 0);
  if (keep_spans)
    run.ranks.resize(ranks);
  std::vector<std::size_t> next(ranks, 0);
  std::vector<double> free(ranks, 0);
  std::vector<int> held(ranks, 0);
  const auto stage_of = [&](std::size_t rank, const PipelineTask& task) {
    return static_cast<std::size_t>(stage_at(order, static_cast<int>(ranks), static_cast<int>(rank), task.chunk));
  };
  // Stages `before` and `before + 1` are on one rank where a V turns round.
  const auto way = [&](std::size_t before) { return order == StageOrder::v && before + 1 == ranks ? 0.0 : handoff; };
  // The earliest begin; `not_yet` where something it needs has no end.
  const auto ready = [&](const PipelineTask& task, std::size_t stage) {
    double begin = 0;
    const auto after = [&](Pass pass, std::size_t of, double message) {
      const double end = ends.of(pass, of, task.micro_batch);
      begin = end < 0 || begin < 0 ? not_yet : std::max(begin, end + message);
    };
    if (task.pass == Pass::forward) {
      if (stage > 0)
        after(Pass::forward, stage - 1, way(stage - 1));
    } else if (task.pass == Pass::weights) {
      after(Pass::backward, stage, 0);
    } else {
      after(Pass::forward, stage, 0);
      if (stage + 1 < stages)
        after(Pass::backward, stage + 1, way(stage));
    }
    return begin;
  };
  const auto time_of = [&](const PipelineTask& task, const ChunkTimes& times) {
    switch (task.pass) {
    case Pass::forward:
      return times.forward;
    case Pass::weights:
      return times.weights;
    case Pass::backward:
      return times.backward + (parted ? 0 : times.weights);
    case Pass::whole:
      break;
    }
    return times.backward + times.weights;
  };
  for (bool moved = true; moved;) {
    moved = false;
    for (std::size_t rank = 0; rank < ranks; ++rank)
      while (next[rank] < lists[rank].size()) {
        // This task and those that run together with it.
        const std::size_t first = next[rank];
        std::size_t behind = first + 1;
        while (lists[rank][behind - 1].with_next && behind < lists[rank].size())
          ++behind;
        double begin = free[rank], time = 0, saved = behind - first > 1 ? chunks.front().saved : 0;
        for (std::size_t i = first; i < behind && begin >= 0; ++i) {
          const PipelineTask& task = lists[rank][i];
          const std::size_t stage = stage_of(rank, task);
          const double earliest = ready(task, stage);
          begin = earliest < 0 ? not_yet : std::max(begin, earliest);
          time += time_of(task, chunks[stage]);
          saved = std::min(saved, chunks[stage].saved);
        }
        if (begin < 0)
          break;
        double at = begin;
        free[rank] = begin + time - saved;
        run.busy[rank] += time - saved;
        run.saved[rank] += saved;
        for (std::size_t i = first; i < behind; ++i) {
          const PipelineTask& task = lists[rank][i];
          const std::size_t stage = stage_of(rank, task);
          if (task.pass != Pass::weights)
            ends.of(task.pass, stage, task.micro_batch) = free[rank];
          if (task.pass == Pass::forward)
            run.in_flight[rank] = std::max(run.in_flight[rank], ++held[rank]);
          else if (task.pass == Pass::whole || task.pass == (parted ? Pass::weights : Pass::backward))
            --held[rank];
          if (keep_spans) {
            const double end = i + 1 == behind ? free[rank] : std::min(free[rank], at + time_of(task, chunks[stage]));
            run.ranks[rank].push_back({task, at, end});
            at = end;
          }
        }
        next[rank] = behind;
        moved = true;
      }
  }
  for (std::size_t rank = 0; rank < ranks; ++rank) {
    if (next[rank] < lists[rank].size())
      throw std::logic_error{"the tasks of a pipeline wait for each other for ever"};
    run.time = std::max(run.time, free[rank]);
  }
  return run;
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
