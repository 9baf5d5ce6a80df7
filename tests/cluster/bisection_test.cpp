// SPDX-License-Identifier: Apache-2.0
#include "models/cluster/build.hpp"

#include "tests/cluster/cluster_support.hpp"

#include <boost/graph/adjacency_list.hpp>
#include <boost/graph/push_relabel_max_flow.hpp>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <vector>

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

/// Nodes cut in two halves, and what can flow from the first half to the second.
struct Bisection {
  BytesPerSecond bandwidth;
  std::vector<NodeId> left; // the other nodes are right
};

/// Greatest rate that the NICs of @p left can send to the NICs of @p right together (one direction, line rates, any
/// routes): maximum flow over the switches. Where nodes have no NIC their hosts' links count. Throws
/// std::invalid_argument when a node is on both sides.
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

/// The narrowest of the balanced cuts along each coordinate of the nodes' positions (racks, pods, axes of a torus,
/// groups), and of the node order; for an odd number of nodes the left side has one more.
///
/// Finding the narrowest of all balanced cuts is NP-hard, so this is an upper bound; for the templates it is the
/// textbook's cut.
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

constexpr double link = 1.25e9; // 10GbE, one direction

double links_across(const ClusterSpec& spec)
{
  return bisection(build_cluster(spec)).bandwidth.value() / link;
}

TEST(Bisection, StarIsHalfTheNics)
{
  EXPECT_DOUBLE_EQ(links_across(cluster_of(8, 0, "host_only")), 4);
  EXPECT_DOUBLE_EQ(links_across(cluster_of(9, 0, "host_only")), 4); // five send, four receive
}

TEST(Bisection, FatTreeOfKPortsHasKCubedOverEightLinks)
{
  for (const int k : {4, 8}) // whole pods in each half
    EXPECT_DOUBLE_EQ(links_across(cluster_of(k * k * k / 4, 0, "host_only", "fat_tree")), k * k * k / 8) << k;
}

TEST(Bisection, ThinnedFatTreeIsCutByItsOversubscription)
{
  // Four pods of four hosts, each edge switch (4 down) with 2 up: 2:1 at the edge; top switches join all pods.
  ClusterSpec spec = cluster_of(16, 0, "host_only", "fat_tree");
  spec.network.settings.set("down", "4 4");
  spec.network.settings.set("up", "1 2");
  EXPECT_DOUBLE_EQ(links_across(spec), 8 / 2.0);
}

TEST(Bisection, LeafSpineIsHalfTheNicsOverTheOversubscription)
{
  for (const double oversubscription : {1.0, 2.0, 4.0}) {
    ClusterSpec spec = cluster_of(32, 0, "host_only", "leaf_spine");
    spec.network.settings.set("leaf_ports", 8);
    spec.network.settings.set("oversubscription", oversubscription);
    EXPECT_DOUBLE_EQ(links_across(spec), 16 / oversubscription);
  }
}

TEST(Bisection, TorusIsTwoLinksPerLineAcrossItsLongestAxis)
{
  // An even k-ary n-cube has 2 k^(n-1) links each way across the middle (Dally and Towles, 5.2).
  const std::vector<std::tuple<std::string, int, double>> cases{
      {"4x4", 16, 2 * 4}, {"8x8", 64, 2 * 8}, {"4x4x4", 64, 2 * 16}, {"8x4", 32, 2 * 4}, {"8x4x2", 64, 2 * 8}};
  for (const auto& [dimensions, nodes, expected] : cases) {
    ClusterSpec spec = cluster_of(nodes, 0, "host_only", "torus");
    spec.network.settings.set("dimensions", dimensions);
    EXPECT_DOUBLE_EQ(links_across(spec), expected) << dimensions;
  }
}

TEST(Bisection, DragonflyIsTheGlobalLinksBetweenTwoHalvesOfTheGroups)
{
  // a = 4, h = 2, 8 groups, one link per pair: 4 x 4 links across; p = 2 gives 32 NICs a half, so the links are the
  // neck.
  ClusterSpec spec = cluster_of(64, 0, "host_only", "dragonfly");
  spec.network.settings.set("ports", 2);
  spec.network.settings.set("groups", 8);
  EXPECT_DOUBLE_EQ(links_across(spec), 16);
}

TEST(Bisection, RailOptimisedWithSpinesDoesNotBlock)
{
  ClusterSpec spec = cluster_of(8, 4, "nvswitch", "rail");
  spec.node_types.at("machine").nics = 4;
  spec.network.settings.set("unit", 4);
  EXPECT_DOUBLE_EQ(links_across(spec), 4 * 4);
  spec.network.settings.set("oversubscription", 2);
  EXPECT_DOUBLE_EQ(links_across(spec), 4 * 4 / 2.0);
}

TEST(MaxFlow, CountsOnlyTheGivenNodesAndRefusesNodesOnBothSides)
{
  const Cluster cluster = build_cluster(cluster_of(5, 0, "host_only"));
  EXPECT_DOUBLE_EQ(max_flow(cluster, {NodeId{0}}, {NodeId{1}, NodeId{2}}).value(), link);
  EXPECT_DOUBLE_EQ(max_flow(cluster, {NodeId{0}, NodeId{3}, NodeId{4}}, {NodeId{1}, NodeId{2}}).value(), 2 * link);
  EXPECT_THROW(max_flow(cluster, {NodeId{0}}, {NodeId{0}}), std::invalid_argument);
}

} // namespace
} // namespace trainyard
