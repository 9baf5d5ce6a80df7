// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "models/core/random.hpp"
#include "models/core/registry.hpp"
#include "sim/cluster/resources.hpp"

#include <cstdint>
#include <functional>
#include <optional>

namespace trainyard {

/// The order in which an orchestrator tries nodes for a task of a service: smallest rank first, ties to the first node.
/// A function of what is given.
class TaskOrder
{
public:
  virtual ~TaskOrder() = default;
  /// @p tasks: on the node now, of all services.
  virtual std::int64_t rank(const NodePool& nodes, int node, int tasks) const = 0;
  /// Whether a node with fewer tasks of the same service comes first, whatever its rank.
  virtual bool spreads_services() const { return false; }
};

/// Chooses machines and GPUs for a gang. A function of the free resources, the request and its own random stream.
class PlacementPolicy
{
public:
  virtual ~PlacementPolicy() = default;

  /// Once, before the first placement.
  virtual void begin(const NodePool& nodes, const Workload& workload, const Random& random)
  {
    static_cast<void>(nodes);
    static_cast<void>(workload);
    static_cast<void>(random);
  }
  /// Shares for the whole gang, or nothing. @p nodes may be used to try out, and must be left as it was found.
  virtual std::optional<Allocation> place(NodePool& nodes, const ResourceRequest& request) = 0;
  /// For the tasks of services, which come one by one; nullptr where only gangs of a queue are placed like this.
  virtual const TaskOrder* task_order() const { return nullptr; }
};

/// How good a machine is for a task, and which of its GPUs it would get (0: the lowest that fit). Higher is better.
struct NodeScore {
  double score = 0;
  std::uint32_t gpu_mask = 0;
};

/// How a gang that may be split freely is cut: into the largest pieces that fit, or into single GPUs.
enum class Split { largest, single_gpus };

/// Scores one machine for one task; called only where the task fits. std::nullopt refuses the machine. Empty: the first
/// that fits.
using ScoreNode = std::function<std::optional<NodeScore>(const NodePool&, int node, const TaskRequest&)>;

/// Filter and score: every task of the gang goes to the machine that fits and scores highest, ties to the lowest index;
/// whole gang or nothing.
///
/// @p distinct: `chosen` machines are refused for later tasks (also where the request asks for it).
std::optional<Allocation> place_by_score(NodePool& nodes, const ResourceRequest& request, Split split,
                                         const ScoreNode& score);

/// The same over a subset of the machines (one rack, one switch): @p allowed says which; empty = all.
std::optional<Allocation> place_by_score_within(NodePool& nodes, const ResourceRequest& request, Split split,
                                                const ScoreNode& score, const std::function<bool(int node)>& allowed);

/// Shares of @p task at @p node on the GPUs of @p gpu_mask (0: the lowest that fit).
TaskShare share_at(const NodePool& nodes, int node, const TaskRequest& task, std::uint32_t gpu_mask = 0);

} // namespace trainyard
