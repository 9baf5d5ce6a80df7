// SPDX-License-Identifier: Apache-2.0
#include "models/cluster/build.hpp"
#include "models/cluster/network_search.hpp"
#include "models/core/random.hpp"

#include "tests/cluster/cluster_support.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <set>
#include <stdexcept>

namespace trainyard {
namespace {

using ::testing::ElementsAre;
using ::testing::Pair;

/// Names of the vertices of a route, "a b c".
std::string walk(const Cluster& cluster, const std::vector<LinkId>& route)
{
  if (route.empty())
    return "";
  std::string text = cluster.vertex(cluster.link(route.front()).from).name;
  for (const LinkId link : route)
    text += " " + cluster.vertex(cluster.link(link).to).name;
  return text;
}

int switches_on(const Cluster& cluster, const std::vector<LinkId>& route)
{
  int result = 0;
  for (const LinkId link : route)
    result += cluster.vertex(cluster.link(link).to).kind == VertexKind::network_switch;
  return result;
}

/// Contiguous from end to end, no vertex twice, no transit through storage, foreign nodes, or GPUs (but for one NVLink
/// neighbour).
void expect_lawful(const Cluster& cluster, VertexId from, VertexId to, const std::vector<LinkId>& route)
{
  ASSERT_FALSE(route.empty());
  EXPECT_EQ(cluster.link(route.front()).from, from);
  EXPECT_EQ(cluster.link(route.back()).to, to);
  std::set<VertexId> seen{from};
  int gpus = 0;
  for (std::size_t i = 0; i < route.size(); ++i) {
    const Link& link = cluster.link(route[i]);
    EXPECT_TRUE(seen.insert(link.to).second) << "twice: " << walk(cluster, route);
    if (i + 1 == route.size())
      break;
    EXPECT_EQ(cluster.link(route[i + 1]).from, link.to);
    const Vertex& passed = cluster.vertex(link.to);
    if (passed.kind == VertexKind::gpu) {
      ++gpus;
      EXPECT_EQ(link.kind, LinkKind::nvlink);
      EXPECT_EQ(cluster.link(route[i + 1]).kind, LinkKind::nvlink);
      EXPECT_EQ(route.size(), 2U);
    }
    if (passed.node.index >= 0) {
      EXPECT_TRUE(passed.node == cluster.vertex(from).node || passed.node == cluster.vertex(to).node)
          << walk(cluster, route);
    }
  }
  EXPECT_LE(gpus, 1);
}

TEST(Routes, StarGoesOverTheOneSwitch)
{
  const Cluster cluster = build_cluster(cluster_of(3, 0, "host_only"));
  EXPECT_EQ(walk(cluster, cluster.route(cluster.nodes()[0].host, cluster.nodes()[2].host)),
            "worker-0/cpu-0 worker-0/nic-0 switch worker-2/nic-0 worker-2/cpu-0");
  EXPECT_TRUE(cluster.route(cluster.nodes()[0].host, cluster.nodes()[0].host).empty());
}

TEST(Routes, FatTreeHopsAreOneThreeOrFiveSwitches)
{
  // k = 4: nodes 0 and 1 share an edge switch, 0 and 2 a pod, 0 and 4 only the core.
  const Cluster cluster = build_cluster(cluster_of(16, 0, "host_only", "fat_tree"));
  const auto hops = [&](std::size_t to) {
    return switches_on(cluster, cluster.route(cluster.nodes()[0].nics[0], cluster.nodes()[to].nics[0]));
  };
  EXPECT_EQ(hops(1), 1);
  EXPECT_EQ(hops(2), 3);
  EXPECT_EQ(hops(4), 5);
  EXPECT_EQ(hops(15), 5);
}

TEST(Routes, FlowsSpreadOverAllFourCoresOfAFatTree)
{
  const Cluster cluster = build_cluster(cluster_of(16, 0, "host_only", "fat_tree"));
  std::map<std::string, int> cores;
  for (std::uint64_t flow = 0; flow < 1000; ++flow)
    for (const LinkId link : cluster.route(cluster.nodes()[0].nics[0], cluster.nodes()[15].nics[0], flow)) {
      const std::string& name = cluster.vertex(cluster.link(link).to).name;
      if (name.starts_with("core-"))
        ++cores[name];
    }
  ASSERT_EQ(cores.size(), 4U);
  for (const auto& [name, flows] : cores)
    EXPECT_NEAR(flows, 250, 5 * 13.7) << name; // five standard deviations of a fair draw: sqrt(1000 / 4 * 3 / 4)
}

TEST(Routes, AdaptiveRoutesFillAllSpinesEvenly)
{
  ClusterSpec spec = cluster_of(16, 0, "host_only", "leaf_spine");
  spec.network.settings.set("leaf_ports", 8);
  const Cluster cluster = build_cluster(spec); // two leaves, eight spines
  std::vector<double> load(cluster.links().size(), 0);
  for (std::size_t i = 0; i < 8; ++i)
    for (const LinkId link : cluster.route(cluster.nodes()[i].nics[0], cluster.nodes()[8 + i].nics[0], {.load = &load}))
      load[static_cast<std::size_t>(link.index)] += 1;
  for (const double each : load)
    EXPECT_LE(each, 1);
}

TEST(EvenRoutes, EachChoiceOfAFatTreeFallsEvenly)
{
  // k = 4: two aggregation switches in a pod, two cores over each. Node 0 to node 2, of the same pod: one half by each
  // aggregation switch; to node 4: one half up to each, one quarter to each of four cores and down from it, one half
  // down from each aggregation switch of the other pod; all of it on the wires of the two nodes.
  const Cluster cluster = build_cluster(cluster_of(16, 0, "host_only", "fat_tree"));
  const auto counted = [&](std::size_t to) {
    std::map<double, int> links; // by share
    for (const auto& [link, share] : EvenRoutes{cluster}.shares(cluster.nodes()[0].host, cluster.nodes()[to].host))
      ++links[share];
    return links;
  };
  EXPECT_THAT(counted(1), ElementsAre(Pair(1.0, 4)));
  EXPECT_THAT(counted(2), ElementsAre(Pair(0.5, 4), Pair(1.0, 4)));
  EXPECT_THAT(counted(4), ElementsAre(Pair(0.25, 8), Pair(0.5, 4), Pair(1.0, 4)));
  const auto chosen = [&](std::size_t to) {
    return hash_chooses(cluster, cluster.nodes()[0].host, cluster.nodes()[to].host);
  };
  EXPECT_FALSE(chosen(0));
  EXPECT_FALSE(chosen(1)); // below the same edge switch
  EXPECT_TRUE(chosen(2));
  EXPECT_TRUE(chosen(4));
  EXPECT_FALSE(chosen(1)); // of the way asked for, not of the one before
}

TEST(EvenRoutesProperty, RoutesOfManyFlowsFillTheLinksLikeTheShares)
{
  // 4,000 flows: five standard deviations of a share are at most 5 x 0.5 / sqrt(4000) = 0.04.
  for (const auto& [topology, count] : {std::pair{"leaf_spine", 40}, {"fat_tree", 16}, {"torus", 27}, {"rail", 8}}) {
    const Cluster cluster = build_cluster(cluster_of(count, 0, "host_only", topology));
    RandomStream random{7};
    for (int pair = 0; pair < 5; ++pair) {
      const auto end = [&] { return cluster.nodes()[random.below(cluster.nodes().size())].host; };
      const VertexId from = end();
      const VertexId to = end();
      if (from == to)
        continue;
      std::map<LinkId, double> counted;
      for (std::uint64_t flow = 0; flow < 4000; ++flow)
        for (const LinkId link : cluster.route(from, to, flow))
          counted[link] += 1.0 / 4000;
      const auto shares = EvenRoutes{cluster}.shares(from, to);
      EXPECT_EQ(shares.size(), counted.size()) << topology;
      for (const auto& [link, share] : shares)
        EXPECT_NEAR(share, counted[link], 0.04) << topology << " " << cluster.link(link).name;
    }
  }
}

TEST(Routes, TorusHopsAreTheManhattanDistanceAroundTheRings)
{
  ClusterSpec spec = cluster_of(5 * 4 * 3, 0, "host_only", "torus");
  spec.network.settings.set("dimensions", "5x4x3");
  const Cluster cluster = build_cluster(spec);
  const std::vector<int> lengths{5, 4, 3};
  for (std::size_t a = 0; a < cluster.nodes().size(); a += 7)
    for (std::size_t b = 0; b < cluster.nodes().size(); ++b) {
      if (a == b)
        continue;
      int expected = 1; // routers passed = hops between them + 1
      for (std::size_t axis = 0; axis < 3; ++axis) {
        const int apart = std::abs(cluster.nodes()[a].position[axis] - cluster.nodes()[b].position[axis]);
        expected += std::min(apart, lengths[axis] - apart);
      }
      EXPECT_EQ(switches_on(cluster, cluster.route(cluster.nodes()[a].nics[0], cluster.nodes()[b].nics[0])), expected);
    }
}

TEST(Routes, DragonflyPassesAtMostFourRoutersAndNoThirdGroup)
{
  const Cluster cluster = build_cluster(cluster_of(72, 0, "host_only", "dragonfly"));
  for (std::size_t a = 0; a < 72; a += 5)
    for (std::size_t b = 0; b < 72; ++b) {
      if (a == b)
        continue;
      const auto route = cluster.route(cluster.nodes()[a].nics[0], cluster.nodes()[b].nics[0]);
      EXPECT_LE(switches_on(cluster, route), 4);
      std::set<std::string> groups;
      for (const LinkId link : route)
        if (const Vertex& to = cluster.vertex(cluster.link(link).to); to.kind == VertexKind::network_switch)
          groups.insert(to.name.substr(0, to.name.find('/')));
      EXPECT_LE(groups.size(), 2U);
    }
}

TEST(Routes, InsideADgxOneNvlinkComesFirstThenAThirdGpuForOtherEndsThePcieTree)
{
  ClusterSpec spec = cluster_of(2, 8, "nvlink_cube_mesh");
  spec.node_types.at("machine").nics = 4;
  const Cluster cluster = build_cluster(spec);
  const Node& node = cluster.nodes()[0];
  EXPECT_EQ(walk(cluster, cluster.route(node.gpus[0], node.gpus[3])), "worker-0/gpu-0 worker-0/gpu-3");
  // 0 and 5 have no link: over 4 (2 + 1 links) or 1 (1 + 2).
  const auto detour = cluster.route(node.gpus[0], node.gpus[5], {.forwarders = &node.gpus});
  EXPECT_EQ(detour.size(), 2U);
  EXPECT_EQ(cluster.link(detour[0]).kind, LinkKind::nvlink);
  // Nobody in between takes part: PCIe from socket to socket.
  const std::vector<VertexId> both{node.gpus[0], node.gpus[5]};
  EXPECT_EQ(walk(cluster, cluster.route(node.gpus[0], node.gpus[5], {.forwarders = &both})),
            "worker-0/gpu-0 worker-0/pcie-0 worker-0/cpu-0 worker-0/cpu-1 worker-0/pcie-2 worker-0/gpu-5");
  // Whoever asked before: each ring has its own way.
  EXPECT_EQ(cluster.route(node.gpus[0], node.gpus[5], {.forwarders = &node.gpus}), detour);
  const std::vector<VertexId> over_one{node.gpus[0], node.gpus[1], node.gpus[5]};
  EXPECT_EQ(walk(cluster, cluster.route(node.gpus[0], node.gpus[5], {.forwarders = &over_one})),
            "worker-0/gpu-0 worker-0/gpu-1 worker-0/gpu-5");
  const std::vector<VertexId> over_four{node.gpus[0], node.gpus[4], node.gpus[5]}; // as many, and another way
  EXPECT_EQ(walk(cluster, cluster.route(node.gpus[0], node.gpus[5], {.forwarders = &over_four})),
            "worker-0/gpu-0 worker-0/gpu-4 worker-0/gpu-5");
  EXPECT_EQ(walk(cluster, cluster.route(node.gpus[5], node.host)),
            "worker-0/gpu-5 worker-0/pcie-2 worker-0/cpu-1 worker-0/cpu-0");
  // GPUs 4 and 5 are beside NIC 2.
  EXPECT_EQ(walk(cluster, cluster.route(node.gpus[5], cluster.nodes()[1].gpus[0])),
            "worker-0/gpu-5 worker-0/pcie-2 worker-0/nic-2 switch worker-1/nic-0 worker-1/pcie-0 worker-1/gpu-0");
}

TEST(Routes, BetweenSocketsGpusHaveTheLinkForPeersAndHostsTheirOwn)
{
  const Cluster cluster = build_cluster(cluster_of(2, 4, "pcie_tree"));
  const Node& node = cluster.nodes()[0];
  const auto kinds = [&](VertexId from, VertexId to) {
    std::vector<LinkKind> result;
    for (const LinkId link : cluster.route(from, to))
      result.push_back(cluster.link(link).kind);
    return result;
  };
  using enum LinkKind;
  EXPECT_EQ(kinds(node.gpus[0], node.gpus[3]), (std::vector{pcie, pcie, socket_peers, pcie, pcie}));
  EXPECT_EQ(kinds(node.gpus[3], node.host), (std::vector{pcie, pcie, host_memory}));
  // The only network card is at the first socket.
  const std::vector<LinkKind> far = kinds(node.gpus[3], cluster.nodes()[1].gpus[0]);
  EXPECT_EQ(std::ranges::count(far, socket_peers), 1);
  EXPECT_EQ(std::ranges::count(far, host_memory), 0);
}

TEST(Routes, PciePeersUnderOneSwitchDoNotMeetTheCpu)
{
  const Cluster cluster = build_cluster(cluster_of(1, 4, "pcie_tree"));
  const Node& node = cluster.nodes()[0];
  EXPECT_EQ(walk(cluster, cluster.route(node.gpus[0], node.gpus[1])), "worker-0/gpu-0 worker-0/pcie-0 worker-0/gpu-1");
  EXPECT_EQ(walk(cluster, cluster.route(node.gpus[1], node.gpus[2])),
            "worker-0/gpu-1 worker-0/pcie-0 worker-0/cpu-0 worker-0/cpu-1 worker-0/pcie-1 worker-0/gpu-2");
}

TEST(Routes, RailsStayRailsAndMeetAtTheSpine)
{
  ClusterSpec spec = cluster_of(4, 8, "nvswitch", "rail");
  spec.node_types.at("machine").nics = 8;
  const Cluster cluster = build_cluster(spec);
  for (std::size_t i = 0; i < 8; ++i) {
    const auto route = cluster.route(cluster.nodes()[0].gpus[i], cluster.nodes()[3].gpus[i]);
    const std::string number = std::to_string(i);
    EXPECT_THAT(walk(cluster, route),
                testing::HasSubstr("worker-0/nic-" + number + " rail-" + number + " worker-3/nic-" + number));
  }
  EXPECT_EQ(switches_on(cluster, cluster.route(cluster.nodes()[0].gpus[0], cluster.nodes()[3].gpus[7])),
            3); // rail, spine, rail
}

TEST(Routes, WithoutSpinesOtherRailsAreReachedInsideTheNode)
{
  ClusterSpec spec = cluster_of(4, 8, "nvswitch", "rail");
  spec.node_types.at("machine").nics = 8;
  spec.network.settings.set("spine", 0);
  const Cluster cluster = build_cluster(spec);
  const auto route = cluster.route(cluster.nodes()[0].gpus[0], cluster.nodes()[3].gpus[7]);
  EXPECT_EQ(switches_on(cluster, route), 1);
  expect_lawful(cluster, cluster.nodes()[0].gpus[0], cluster.nodes()[3].gpus[7], route);
}

TEST(Routes, BrokenLinksAreAvoidedOrTheRouteIsRefused)
{
  ClusterSpec spec = cluster_of(16, 0, "host_only", "leaf_spine");
  spec.network.settings.set("leaf_ports", 8);
  spec.network.settings.set("spines", 2);
  const Cluster cluster = build_cluster(spec);
  std::vector<bool> down(cluster.links().size(), false);
  for (std::size_t i = 0; i < down.size(); ++i)
    down[i] = cluster.links()[i].name == "leaf-0 > spine-0";
  for (std::uint64_t flow = 0; flow < 20; ++flow)
    EXPECT_THAT(walk(cluster, cluster.route(cluster.nodes()[0].nics[0], cluster.nodes()[15].nics[0],
                                            {.flow = flow, .down = &down})),
                testing::HasSubstr("leaf-0 spine-1 leaf-1"));
  for (std::size_t i = 0; i < down.size(); ++i)
    down[i] = down[i] || cluster.links()[i].name == "leaf-0 > spine-1";
  EXPECT_THROW(cluster.route(cluster.nodes()[0].nics[0], cluster.nodes()[15].nics[0], {.down = &down}),
               std::invalid_argument);
}

TEST(Routes, BareVerticesAndDirectLinksWork)
{
  Cluster cluster;
  const VertexId a = cluster.add_vertex({VertexKind::host, "a", {}});
  const VertexId b = cluster.add_vertex({VertexKind::host, "b", {}});
  const VertexId middle = cluster.add_vertex({VertexKind::network_switch, "middle", {}});
  const VertexId alone = cluster.add_vertex({VertexKind::gpu, "alone", {}});
  cluster.add_link("a-middle", LinkKind::ethernet, a, middle, 1_GBps, 1_us);
  cluster.add_link("b-middle", LinkKind::ethernet, b, middle, 1_GBps, 1_us);
  EXPECT_EQ(walk(cluster, cluster.route(a, b)), "a middle b");
  EXPECT_THROW(cluster.route(a, alone), std::invalid_argument);
  cluster.add_link("a-b", LinkKind::ethernet, a, b, 1_GBps, 1_us);
  EXPECT_EQ(walk(cluster, cluster.route(a, b)), "a b");
}

TEST(RoutesProperty, WhatIsKnownOfMachinesThatAreAlikeIsWhatASearchFinds)
{
  // With a list of broken links, here of none, every machine is searched by itself.
  for (const char* intra : {"nvswitch", "nvlink_cube_mesh", "nvlink_pairs", "pcie_tree", "pcie_switch", "full_mesh"}) {
    ClusterSpec spec = cluster_of(3, 8, intra, "leaf_spine");
    spec.node_types["machine"].nics = 4;
    spec.node_types["small"] = spec.node_types["machine"]; // two of another kind, and one like no other
    spec.node_types["small"].gpus = 2;
    spec.node_types["small"].nics = 1;
    spec.node_types["small"].intra = "pcie_tree";
    spec.node_types["single"] = spec.node_types["small"];
    spec.node_types["single"].gpus = 1;
    spec.nodes.push_back({"small", "small", 2, 0});
    spec.nodes.push_back({"single", "single", 1, 0});
    const Cluster cluster = build_cluster(spec);
    std::vector<VertexId> ends;
    std::vector<VertexId> searched;
    for (const Node& node : cluster.nodes()) {
      ends.push_back(node.host);
      for (const VertexId gpu : node.gpus) {
        ends.push_back(gpu);
        searched.push_back(cluster.nic_of(gpu)); // no route was asked for yet: nothing is known
      }
    }
    const std::vector<bool> none(cluster.links().size());
    for (const VertexId from : ends)
      for (const VertexId to : ends)
        ASSERT_EQ(cluster.route(from, to, RouteChoice{.flow = 3}),
                  cluster.route(from, to, RouteChoice{.flow = 3, .down = &none}))
            << intra << ": " << cluster.vertex(from).name << " to " << cluster.vertex(to).name;
    std::size_t number = 0;
    for (const Node& node : cluster.nodes())
      for (const VertexId gpu : node.gpus)
        EXPECT_EQ(cluster.nic_of(gpu), searched[number++]) << intra << ": " << cluster.vertex(gpu).name;
  }
}

/// Every network with every node layout: all pairs have a lawful route, as long there as back. What is kept of the ends
/// of earlier routes changes none, nor that the way back is taken from the way there: with a list of links that are
/// down, here none, nothing is kept.
TEST(RoutesProperty, EveryPairHasALawfulRouteOfTheSameLengthBothWays)
{
  for (const std::string& topology : Registry<NetworkLayout>::instance().names()) {
    if (topology == "graph")
      continue;
    for (const std::string& intra : Registry<NodeLayout>::instance().names()) {
      ClusterSpec spec = cluster_of(7, intra == "host_only" ? 0 : 8, intra, topology);
      spec.node_types.at("machine").nics = 2;
      if (topology == "leaf_spine")
        spec.network.settings.set("leaf_ports", 4);
      const Cluster cluster = build_cluster(spec);
      const std::vector<bool> none_down(cluster.links().size(), false);
      std::vector<VertexId> ends;
      for (const Node& node : cluster.nodes()) {
        ends.push_back(node.host);
        ends.insert(ends.end(), node.gpus.begin(), node.gpus.end());
      }
      for (std::size_t i = 0; i < ends.size(); ++i)
        for (std::size_t k = i + 1; k < ends.size(); k += 3) {
          const auto there = cluster.route(ends[i], ends[k], i);
          const auto back = cluster.route(ends[k], ends[i], k);
          expect_lawful(cluster, ends[i], ends[k], there);
          expect_lawful(cluster, ends[k], ends[i], back);
          EXPECT_EQ(there.size(), back.size()) << topology << " " << intra << ": " << walk(cluster, there);
          EXPECT_EQ(there, cluster.route(ends[i], ends[k], {.flow = i, .down = &none_down}));
          EXPECT_EQ(back, cluster.route(ends[k], ends[i], {.flow = k, .down = &none_down}));
        }
    }
  }
}

} // namespace
} // namespace trainyard
