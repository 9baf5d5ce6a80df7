// SPDX-License-Identifier: Apache-2.0
#include "models/cost/long_wires.hpp"

#include <algorithm>
#include <cmath>

namespace trainyard {
namespace {

constexpr Seconds shortest_hop = 4_us; // of the library's tables: LL128, and a step of PAT

Seconds beyond(Seconds wires, Seconds hop)
{
  return std::max(Seconds{}, wires - hop);
}

double levels(int machines)
{
  return std::ceil(std::log2(std::max(machines, 1)));
}

} // namespace

int above_in_tree(int at, int machines)
{
  if (at == 0)
    return -1;
  const int lowest = at & -at;
  const int up = (at ^ lowest) | (lowest << 1);
  return up >= machines ? at ^ lowest : up;
}

int above_in_second_tree(int at, int machines)
{
  const bool reversed = machines % 2 == 0;
  const int place = reversed ? machines - 1 - at : (at - 1 + machines) % machines;
  const int up = above_in_tree(place, machines);
  if (up < 0)
    return up;
  return reversed ? machines - 1 - up : (up + 1) % machines;
}

std::shared_ptr<const LongWires> LongWires::among(int machines, const Between& between)
{
  if (machines < 2)
    return nullptr;
  // In a network that is a tree, what is farthest from any machine is an end of the longest way of all.
  LongWires wires;
  int farthest = 0;
  for (const bool from_first : {true, false}) {
    const int from = farthest;
    for (int to = 0; to < machines; ++to)
      if (const Seconds way = to == from ? Seconds{} : between(from, to); way > wires.longest_) {
        wires.longest_ = way;
        farthest = to;
      }
    if (from_first && wires.longest_ * 2.0 <= shortest_hop) // then no two are farther from each other
      return nullptr;
  }
  if (wires.longest_ <= shortest_hop)
    return nullptr;
  for (int at = 0; at < machines; ++at) {
    wires.edges_.push_back(between(at, (at + 1) % machines));
    for (const bool second : {false, true}) {
      const int up = second ? above_in_second_tree(at, machines) : above_in_tree(at, machines);
      wires.above_.at(second ? 1 : 0).push_back(up < 0 ? Seconds{} : between(at, up));
      wires.longest_ = std::max(wires.longest_, wires.above_.at(second ? 1 : 0).back());
    }
    wires.longest_ = std::max(wires.longest_, wires.edges_.back());
  }
  return std::make_shared<const LongWires>(std::move(wires));
}

Seconds LongWires::around_ring(Seconds hop, int machines) const
{
  Seconds all, least = beyond(longest_, hop);
  for (const Seconds edge : edges_) {
    all += beyond(edge, hop);
    least = std::min(least, beyond(edge, hop));
  }
  return all * (static_cast<double>(machines) / static_cast<double>(edges_.size())) - least;
}

Seconds LongWires::up_trees(Seconds hop, int machines) const
{
  const auto known = static_cast<int>(edges_.size());
  Seconds slowest;
  for (const bool second : {false, true})
    for (int leaf = 0; leaf < known; ++leaf) {
      Seconds way;
      for (int at = leaf; at >= 0; at = second ? above_in_second_tree(at, known) : above_in_tree(at, known))
        way += beyond(above_.at(second ? 1 : 0)[static_cast<std::size_t>(at)], hop);
      slowest = std::max(slowest, way);
    }
  return slowest * (levels(machines) / levels(known));
}

Seconds LongWires::in_steps(Seconds hop, int machines) const
{
  return std::min(longest(hop) * levels(machines), around_ring(hop, machines));
}

Seconds LongWires::longest(Seconds hop) const
{
  return beyond(longest_, hop);
}

} // namespace trainyard
