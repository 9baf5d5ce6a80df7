// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "sim/cluster/resources.hpp"

#include <cstdint>

namespace trainyard {

/// Order in which an orchestrator tries nodes for a task: smallest rank first, ties to the first node. A function of
/// what is given.
class TaskPlacement
{
public:
  virtual ~TaskPlacement() = default;
  /// @p tasks: on the node now, of all services.
  virtual std::int64_t rank(const NodePool& nodes, int node, int tasks) const = 0;
  /// Whether a node with fewer tasks of the same service comes first, whatever its rank.
  virtual bool spreads_services() const { return false; }
};

} // namespace trainyard
