// SPDX-License-Identifier: Apache-2.0
#include "sim/cluster/placement_policy.hpp"

#include <algorithm>

namespace trainyard {
namespace {

struct Best {
  int node = -1;
  NodeScore score;
};

using Allowed = std::function<bool(int)>;

/// From machine @p first on.
Best best_node(const NodePool& nodes, const TaskRequest& task, const ScoreNode& score, const Allowed& allowed,
               std::span<const TaskShare> taken, bool distinct, int first)
{
  Best best;
  if (task.gpus > 0 && task.gpu_milli == 1000)
    first = std::max(first, nodes.first_with_gpus());
  for (int node = first; node < nodes.size(); ++node) {
    if (!nodes.fits(node, task) || (allowed && !allowed(node)))
      continue;
    if (distinct && std::ranges::find(taken, node, &TaskShare::node) != taken.end())
      continue;
    if (!score)
      return {node, {}};
    const std::optional<NodeScore> here = score(nodes, node, task);
    if (here && (best.node < 0 || here->score > best.score.score))
      best = {node, *here};
  }
  return best;
}

/// Largest number of whole GPUs of a gang, at most @p missing, that any one machine from @p first on can take.
int largest_piece(const NodePool& nodes, const ResourceRequest& request, int missing, const Allowed& allowed, int first)
{
  int largest = 0;
  missing = std::min(missing, nodes.most_gpus());
  for (int node = std::max(first, nodes.first_with_gpus()); node < nodes.size() && largest < missing; ++node) {
    const NodeState& state = nodes.state(node);
    if (!nodes.is_open(node) || state.whole_free <= largest || !nodes.admits(node, request.task.demands) ||
        (allowed && !allowed(node)))
      continue;
    if (request.task.gpu_type >= 0 && nodes.shape(node).gpu_type != request.task.gpu_type)
      continue;
    for (int gpus = std::min(state.whole_free, missing); gpus > largest; --gpus) {
      if (request.task.cpu_milli * gpus <= state.free_cpu * request.task.gpus &&
          request.task.memory_mib * gpus <= state.free_memory * request.task.gpus)
        largest = gpus;
    }
  }
  return largest;
}

/// The part of a freely split gang that @p gpus of its GPUs stand for; rounded up.
TaskRequest piece_of(const TaskRequest& whole, int gpus)
{
  TaskRequest piece = whole;
  piece.gpus = gpus;
  piece.cpu_milli = (whole.cpu_milli * gpus + whole.gpus - 1) / whole.gpus;
  piece.memory_mib = (whole.memory_mib * gpus + whole.gpus - 1) / whole.gpus;
  return piece;
}

} // namespace

TaskShare share_at(const NodePool& nodes, int node, const TaskRequest& task, std::uint32_t gpu_mask)
{
  return {.node = node,
          .gpu_mask = gpu_mask != 0 || task.gpus == 0 ? gpu_mask : nodes.lowest_gpus(node, task),
          .gpu_milli = task.gpu_milli,
          .cpu_milli = task.cpu_milli,
          .memory_mib = task.memory_mib};
}

std::optional<Allocation> place_by_score(NodePool& nodes, const ResourceRequest& request, Split split,
                                         const ScoreNode& score)
{
  return place_by_score_within(nodes, request, split, score, {});
}

std::optional<Allocation> place_by_score_within(NodePool& nodes, const ResourceRequest& request, Split split,
                                                const ScoreNode& score, const Allowed& allowed)
{
  if (request.task_list == 0 && request.task.gpu_milli == 1000 && request.gpus() > nodes.whole_free())
    return std::nullopt;
  Allocation allocation{.gpus = request.gpus(), .gpu_type = std::max(0, request.task.gpu_type), .shares = {}};
  const bool free_split = request.tasks == 0 && request.task.gpus > 1;
  int missing = free_split ? request.task.gpus : std::max(1, request.tasks);
  bool whole = true;
  const bool pieces = free_split && split == Split::largest;
  int step = pieces ? missing : 1, cut = 0;
  TaskRequest task = request.task;
  allocation.shares.reserve(
      static_cast<std::size_t>(missing) / static_cast<std::size_t>(std::max(1, nodes.most_gpus())) + 1);
  int first = 0;         // without a score: no machine before it holds a piece of this size
  std::size_t taken = 0; // shares that the pool knows of
  const auto take_all = [&] {
    for (; taken < allocation.shares.size(); ++taken)
      nodes.take(allocation.shares[taken]);
  };
  const auto from_the_start = [&] {
    take_all();
    first = 0;
  };
  while (missing > 0) {
    if (pieces) {
      const int most = std::min(missing, step); // pieces only get smaller
      if (most < step || score)
        from_the_start();
      if (step > 1) // of single GPUs any machine is the best
        step = largest_piece(nodes, request, most, allowed, first);
      if (step < most && first > 0) {
        from_the_start();
        step = largest_piece(nodes, request, most, allowed, first);
      }
      if (step == 0) {
        whole = false;
        break;
      }
    }
    if (free_split && step != cut)
      task = piece_of(request.task, cut = step);
    const Best best = best_node(nodes, task, score, allowed, allocation.shares, request.distinct_nodes, first);
    if (best.node < 0) {
      whole = false;
      break;
    }
    first = score ? 0 : best.node;
    allocation.shares.push_back(share_at(nodes, best.node, task, best.score.gpu_mask));
    missing -= step;
    if (pieces && !score && nodes.state(best.node).whole_free == step)
      ++first; // nothing is left there
    else if (missing > 0)
      take_all(); // so that the next task sees it
  }
  while (taken > 0)
    nodes.give(allocation.shares[--taken]);
  if (!whole)
    return std::nullopt;
  if (request.task.gpu_type < 0 && !allocation.shares.empty())
    allocation.gpu_type = nodes.shape(allocation.shares.front().node).gpu_type;
  return allocation;
}

} // namespace trainyard
