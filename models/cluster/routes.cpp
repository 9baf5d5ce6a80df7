#include "models/cluster/cluster.hpp"

#include <algorithm>
#include <limits>
#include <queue>
#include <stdexcept>

namespace trainyard {
namespace {

/// splitmix64 finaliser: spreads flow numbers over equal-cost choices.
std::uint64_t scatter(std::uint64_t z)
{
  z = (z ^ (z >> 30U)) * 0xBF58476D1CE4E5B9U;
  z = (z ^ (z >> 27U)) * 0x94D049BB133111EBU;
  return z ^ (z >> 31U);
}

} // namespace

std::vector<LinkId> Cluster::route(VertexId from, VertexId to, std::uint64_t flow) const
{
  if (from == to)
    return {};
  // Breadth first from the target, then walk down the distances; GPUs and hosts of other nodes do not forward.
  constexpr int unreached = std::numeric_limits<int>::max();
  std::vector<int> distance(vertices_.size(), unreached);
  std::queue<VertexId> open;
  distance[static_cast<std::size_t>(to.index)] = 0;
  open.push(to);
  while (!open.empty()) {
    const VertexId current = open.front();
    open.pop();
    const int here = distance[static_cast<std::size_t>(current.index)];
    for (const LinkId out : outgoing(current)) {
      const VertexId next = link(out).to;
      int& there = distance[static_cast<std::size_t>(next.index)];
      if (there == unreached) {
        there = here + 1;
        open.push(next);
      }
    }
  }
  if (distance[static_cast<std::size_t>(from.index)] == unreached)
    throw std::invalid_argument{"no route from " + vertex(from).name + " to " + vertex(to).name};

  std::vector<LinkId> path;
  VertexId current = from;
  while (current != to) {
    std::vector<LinkId> choices;
    for (const LinkId out : outgoing(current))
      if (distance[static_cast<std::size_t>(link(out).to.index)] == distance[static_cast<std::size_t>(current.index)] - 1)
        choices.push_back(out);
    const std::uint64_t pick = scatter(flow + 0x9E3779B97F4A7C15U * (path.size() + 1)) % choices.size();
    path.push_back(choices[pick]);
    current = link(choices[pick]).to;
  }
  return path;
}

} // namespace trainyard
