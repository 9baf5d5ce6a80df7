// SPDX-License-Identifier: Apache-2.0
#include "models/parallel/task_list.hpp"

#include "models/core/text.hpp"

#include <fmt/format.h>
#include <set>
#include <tuple>

namespace trainyard {
namespace {

char letter(Pass pass)
{
  return pass == Pass::forward ? 'F' : pass == Pass::weights ? 'W' : 'B';
}

class ListChecker
{
public:
  ListChecker(const TaskLists& lists, int chunks, int micro_batches)
      : lists_{lists}, chunks_{chunks}, micro_batches_{micro_batches}
  {
    for (const std::vector<PipelineTask>& list : lists)
      for (const PipelineTask& task : list)
        parted_ = parted_ || task.pass == Pass::weights;
  }

  std::vector<TaskFault> faults()
  {
    for (std::size_t rank = 0; rank < lists_.size(); ++rank)
      check_rank(static_cast<int>(rank), lists_[rank]);
    if (faults_.empty())
      run();
    return std::move(faults_);
  }

private:
  using Key = std::tuple<Pass, int, int>; // pass, chunk or stage, micro-batch

  std::string text(const PipelineTask& task) const { return to_text(task, chunks_ > 1); }

  void check_rank(int rank, const std::vector<PipelineTask>& list)
  {
    std::set<Key> done;
    const auto fault = [&](std::size_t task, std::string message) {
      faults_.push_back({rank, static_cast<int>(task), std::move(message)});
    };
    for (std::size_t i = 0; i < list.size(); ++i) {
      const PipelineTask& task = list[i];
      if (task.chunk >= chunks_)
        fault(i,
              fmt::format("{}: the rank has {} (vp), numbered from 0", to_text(task, true), counted(chunks_, "chunk")));
      else if (task.micro_batch >= micro_batches_)
        fault(i, fmt::format("{}: a step has {} micro-batches, numbered from 0 (global_batch / (dp x micro_batch))",
                             text(task), micro_batches_));
      else if (!done.emplace(task.pass, task.chunk, task.micro_batch).second)
        fault(i, fmt::format("{} is there twice", text(task)));
      else if (task.pass != Pass::forward) {
        PipelineTask before = task;
        before.pass = task.pass == Pass::weights ? Pass::backward : Pass::forward;
        if (!done.contains({before.pass, before.chunk, before.micro_batch}))
          fault(i, fmt::format("{} needs {}, which is not before it in this list", text(task), text(before)));
      }
    }
    std::string missing;
    int count = 0;
    for (const Pass pass : {Pass::forward, Pass::backward, Pass::weights})
      for (int chunk = 0; chunk < chunks_ && (pass != Pass::weights || parted_); ++chunk)
        for (int i = 0; i < micro_batches_; ++i)
          if (!done.contains({pass, chunk, i}) && ++count <= most_named)
            missing += (missing.empty() ? "" : ", ") + text({pass, chunk, i});
    if (count > most_named)
      missing += fmt::format(" and {} more", count - most_named);
    if (count > 0)
      faults_.push_back({rank, -1,
                         fmt::format("rank {} lacks {}{}", rank, missing,
                                     parted_ ? " (where one task is W, every backward pass has its W)" : "")});
  }

  /// Does the tasks without regard to time.
  void run()
  {
    const int ranks = static_cast<int>(lists_.size());
    std::set<Key> done;
    std::vector<std::size_t> next(lists_.size(), 0);
    const auto needed = [&](int rank, const PipelineTask& task) -> std::optional<Key> { // of other ranks, not yet done
      const int stage = stage_at(StageOrder::round, ranks, rank, task.chunk);
      if (task.pass == Pass::forward && stage > 0)
        return Key{Pass::forward, stage - 1, task.micro_batch};
      if (task.pass == Pass::backward && stage + 1 < ranks * chunks_)
        return Key{Pass::backward, stage + 1, task.micro_batch};
      return std::nullopt;
    };
    for (bool moved = true; moved;) {
      moved = false;
      for (int rank = 0; rank < ranks; ++rank) {
        const std::vector<PipelineTask>& list = lists_[static_cast<std::size_t>(rank)];
        for (std::size_t& at = next[static_cast<std::size_t>(rank)]; at < list.size(); ++at) {
          const std::optional<Key> key = needed(rank, list[at]);
          if (key && !done.contains(*key))
            break;
          done.emplace(list[at].pass, stage_at(StageOrder::round, ranks, rank, list[at].chunk), list[at].micro_batch);
          moved = true;
        }
      }
    }
    for (int rank = 0; rank < ranks; ++rank) {
      const std::vector<PipelineTask>& list = lists_[static_cast<std::size_t>(rank)];
      const std::size_t at = next[static_cast<std::size_t>(rank)];
      if (at == list.size())
        continue;
      if (const std::optional<Key> key = needed(rank, list[at])) {
        const auto [pass, stage, micro_batch] = *key;
        faults_.push_back({rank, static_cast<int>(at),
                           fmt::format("the ranks wait for each other for ever: rank {} stands at {} and waits for {} "
                                       "of rank {}",
                                       rank, text(list[at]), text({pass, stage / ranks, micro_batch}), stage % ranks)});
      }
    }
  }

  static constexpr int most_named = 6;

  const TaskLists& lists_;
  int chunks_, micro_batches_;
  bool parted_ = false;
  std::vector<TaskFault> faults_;
};

} // namespace

std::optional<PipelineTask> read_task(std::string_view text)
{
  const std::size_t at = text.find_first_of("FBW");
  if (at == std::string_view::npos || at > 4 || text.size() - at > 9)
    return std::nullopt;
  const std::optional<int> chunk = at == 0 ? 0 : as_index(text.substr(0, at));
  const std::optional<int> micro_batch = as_index(text.substr(at + 1));
  if (!chunk || !micro_batch)
    return std::nullopt;
  PipelineTask task;
  task.pass = text[at] == 'F' ? Pass::forward : text[at] == 'B' ? Pass::backward : Pass::weights;
  task.chunk = *chunk;
  task.micro_batch = *micro_batch;
  return task;
}

std::string to_text(const PipelineTask& task, bool with_chunk)
{
  return fmt::format("{}{}{}", with_chunk ? std::to_string(task.chunk) : "", letter(task.pass), task.micro_batch);
}

std::vector<TaskFault> task_faults(const TaskLists& lists, int chunks, int micro_batches)
{
  return ListChecker{lists, chunks, micro_batches}.faults();
}

} // namespace trainyard
