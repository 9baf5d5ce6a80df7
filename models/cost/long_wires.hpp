// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "models/core/units.hpp"

#include <array>
#include <functional>
#include <memory>
#include <vector>

namespace trainyard {

/// The wires between the machines of a collective, where some may be longer than a hop of the library's table.
///
/// A hop in that table was measured on a local network, whose wires are in it. Links of a wide area take longer, and no
/// message is there before: a hop takes what the table says, or its wires where these take longer. All functions
/// return what the wires add to hops of this length.
class LongWires
{
public:
  /// Time of the wires from one machine to another, by their place in the order of the ranks.
  using Between = std::function<Seconds(int from, int to)>;

  /// Null: no hop of the library is shorter than these wires.
  static std::shared_ptr<const LongWires> among(int machines, const Between& between);

  /// Once round a ring over @p machines: the slowest part of the data passes all edges but one.
  Seconds around_ring(Seconds hop, int machines) const;
  /// From a leaf to the root of the library's trees, the slower of both.
  Seconds up_trees(Seconds hop, int machines) const;
  /// Steps of 1, 2, 4, … machines in one direction (PAT). All together they are less than once round the ring, and none
  /// is longer than the longest wires.
  Seconds in_steps(Seconds hop, int machines) const;
  /// Between the two machines that are farthest from each other.
  Seconds longest(Seconds hop) const;

private:
  std::vector<Seconds> edges_;                // of the ring; the last one goes back to the first machine
  std::array<std::vector<Seconds>, 2> above_; // from a machine to the one above it in each tree
  Seconds longest_;
};

/// Machine above machine @p at in the first of the library's trees over @p machines; -1 above the root (NCCL,
/// src/graph/trees.cc, ncclGetBtree).
int above_in_tree(int at, int machines);

/// The same in the second tree: the first one in reverse order where there is an even number of machines, else shifted
/// by one (ncclGetDtree).
int above_in_second_tree(int at, int machines);

} // namespace trainyard
