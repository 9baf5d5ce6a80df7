// SPDX-License-Identifier: Apache-2.0
#include "models/cluster/bisection.hpp"

#include <boost/graph/adjacency_list.hpp>
#include <boost/graph/push_relabel_max_flow.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <stdexcept>

namespace trainyard {
namespace {

using Traits = boost::adjacency_list_traits<boost::vecS, boost::vecS, boost::directedS>;
using FlowGraph = boost::adjacency_list<
    boost::vecS, boost::vecS, boost::directedS, boost::no_property,
    boost::property<boost::edge_capacity_t, long long,
                    boost::property<boost::edge_residual_capacity_t, long long,
                                    boost::property<boost::edge_reverse_t, Traits::edge_descriptor>>>>;

/// Adds one direction of a link, in bytes per second, and the empty arc against it that the algorithm sends flow back
/// on.
void add_arc(FlowGraph& graph, std::size_t from, std::size_t to, BytesPerSecond bandwidth)
{
  const auto forward = boost::add_edge(from, to, graph).first;
  const auto backward = boost::add_edge(to, from, graph).first;
  boost::put(boost::edge_capacity, graph, forward, std::llround(bandwidth.value()));
  boost::put(boost::edge_capacity, graph, backward, 0LL);
  boost::put(boost::edge_reverse, graph, forward, backward);
  boost::put(boost::edge_reverse, graph, backward, forward);
}

} // namespace

BytesPerSecond max_flow(const Cluster& cluster, const std::vector<NodeId>& left, const std::vector<NodeId>& right)
{
  enum class Side { none, first, second };
  std::vector<Side> side(cluster.nodes().size(), Side::none);
  for (const NodeId node : left)
    side[static_cast<std::size_t>(node.index)] = Side::first;
  for (const NodeId node : right) {
    if (side[static_cast<std::size_t>(node.index)] == Side::first)
      throw std::invalid_argument{"node " + cluster.node(node).name + " is on both sides of the cut"};
    side[static_cast<std::size_t>(node.index)] = Side::second;
  }
  // All nodes of a side become one vertex; nodes of neither side are left out (they do not forward).
  constexpr std::size_t source = 0;
  constexpr std::size_t sink = 1;
  constexpr std::size_t nowhere = std::numeric_limits<std::size_t>::max();
  std::vector<std::size_t> place(cluster.vertices().size(), nowhere);
  std::size_t count = 2;
  for (std::size_t v = 0; v < place.size(); ++v) {
    const int node = cluster.vertices()[v].node.index;
    if (node < 0)
      place[v] = count++;
    else if (side[static_cast<std::size_t>(node)] != Side::none)
      place[v] = side[static_cast<std::size_t>(node)] == Side::first ? source : sink;
  }
  FlowGraph graph{count};
  for (const Link& link : cluster.links()) {
    const std::size_t from = place[static_cast<std::size_t>(link.from.index)];
    const std::size_t to = place[static_cast<std::size_t>(link.to.index)];
    // Nothing flows back into the source or out of the sink.
    if (from != nowhere && to != nowhere && from != to && to != source && from != sink)
      add_arc(graph, from, to, link.bandwidth);
  }
  return BytesPerSecond{static_cast<double>(boost::push_relabel_max_flow(graph, source, sink))};
}

Bisection bisection(const Cluster& cluster)
{
  std::vector<NodeId> order(cluster.nodes().size());
  for (std::size_t i = 0; i < order.size(); ++i)
    order[i] = NodeId{static_cast<int>(i)};
  std::size_t axes = 0;
  for (const Node& node : cluster.nodes())
    axes = std::max(axes, node.position.size());

  Bisection best{BytesPerSecond{std::numeric_limits<double>::infinity()}, {}};
  for (std::size_t axis = 0; axis <= axes; ++axis) {
    std::vector<NodeId> sorted = order;
    if (axis < axes)
      std::ranges::stable_sort(sorted, {}, [&](NodeId node) {
        const auto& position = cluster.node(node).position;
        return axis < position.size() ? position[axis] : 0;
      });
    const auto middle = sorted.begin() + static_cast<std::ptrdiff_t>((sorted.size() + 1) / 2);
    const std::vector<NodeId> left{sorted.begin(), middle};
    const std::vector<NodeId> right{middle, sorted.end()};
    if (right.empty())
      return {BytesPerSecond{0}, left};
    if (const BytesPerSecond flow = max_flow(cluster, left, right); flow < best.bandwidth)
      best = {flow, left};
  }
  return best;
}

} // namespace trainyard
