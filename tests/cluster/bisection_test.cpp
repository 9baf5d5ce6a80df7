// SPDX-License-Identifier: Apache-2.0
#include "models/cluster/bisection.hpp"
#include "models/cluster/build.hpp"

#include "tests/cluster/cluster_support.hpp"

#include <gtest/gtest.h>

#include <stdexcept>

namespace trainyard {
namespace {

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
