// SPDX-License-Identifier: Apache-2.0
#include "models/cluster/build.hpp"

#include "tests/cluster/cluster_support.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <string>
#include <tuple>
#include <vector>

namespace trainyard {
namespace {

using testing::HasSubstr;

int count(const Cluster& cluster, VertexKind kind)
{
  return static_cast<int>(std::ranges::count(cluster.vertices(), kind, &Vertex::kind));
}

/// Links between two switches, each pair of directions once.
int switch_links(const Cluster& cluster)
{
  int result = 0;
  for (const Link& link : cluster.links())
    result += cluster.vertex(link.from).kind == VertexKind::network_switch &&
              cluster.vertex(link.to).kind == VertexKind::network_switch;
  return result / 2;
}

std::string errors_of(const ClusterSpec& spec)
{
  try {
    build_cluster(spec);
  } catch (const InputError& error) {
    std::string text;
    for (const Diagnostic& diagnostic : error.diagnostics())
      text += diagnostic.message + "\n";
    return text;
  }
  return "";
}

TEST(BuildCluster, NamesNodesInOrderAndTheirParts)
{
  const Cluster cluster = build_cluster(cluster_of(2, 4, "pcie_tree"));
  ASSERT_EQ(cluster.nodes().size(), 2U);
  EXPECT_EQ(cluster.nodes()[1].name, "worker-1");
  EXPECT_EQ(cluster.vertex(cluster.nodes()[1].gpus[3]).name, "worker-1/gpu-3");
  EXPECT_EQ(cluster.vertex(cluster.nodes()[1].host).name, "worker-1/cpu-0");
  EXPECT_EQ(cluster.vertex(cluster.nodes()[0].nics[0]).name, "worker-0/nic-0");
  EXPECT_EQ(cluster.vertex(cluster.nodes()[1].host).node.index, 1);
  EXPECT_EQ(cluster.gpus(), 8);
}

TEST(BuildCluster, CubeMeshHasSixLinksPerV100AndFourPerP100)
{
  for (const auto& [generation, degree, rate] : {std::tuple{2, 6, 25e9}, std::tuple{1, 4, 20e9}}) {
    ClusterSpec spec = cluster_of(1, 8, "nvlink_cube_mesh");
    spec.node_types.at("machine").intra_settings.set("generation", generation);
    const Cluster cluster = build_cluster(spec);
    for (const VertexId gpu : cluster.nodes()[0].gpus) {
      std::map<int, int> bundles;
      int links = 0;
      for (const LinkId out : cluster.outgoing(gpu))
        if (cluster.link(out).kind == LinkKind::nvlink) {
          links += cluster.link(out).width;
          ++bundles[cluster.link(out).width];
          EXPECT_DOUBLE_EQ(cluster.link(out).bandwidth.value(), rate * cluster.link(out).width);
        }
      EXPECT_EQ(links, degree) << cluster.vertex(gpu).name;
      if (generation == 2) {
        EXPECT_EQ(bundles, (std::map<int, int>{{1, 2}, {2, 2}})); // 2 + 2 + 1 + 1
      }
    }
  }
}

TEST(BuildCluster, DgxOneHasTwoGpusAndANicBelowEachOfFourSwitches)
{
  ClusterSpec spec = cluster_of(1, 8, "nvlink_cube_mesh");
  spec.node_types.at("machine").nics = 4;
  const Cluster cluster = build_cluster(spec);
  EXPECT_EQ(count(cluster, VertexKind::host), 2);
  EXPECT_EQ(count(cluster, VertexKind::pcie_switch), 4);
  for (const Vertex& vertex : cluster.vertices()) {
    if (vertex.kind != VertexKind::pcie_switch)
      continue;
    const auto index = static_cast<int>(&vertex - cluster.vertices().data());
    std::map<VertexKind, int> below;
    for (const LinkId out : cluster.outgoing(VertexId{index}))
      ++below[cluster.vertex(cluster.link(out).to).kind];
    EXPECT_EQ(below[VertexKind::gpu], 2);
    EXPECT_EQ(below[VertexKind::nic], 1);
    EXPECT_EQ(below[VertexKind::host], 1);
  }
}

// Four GPUs below two switches, two below each. Without peer access GPU 0 sends to GPU 1 by way of their CPU, and so
// does GPU 1 to the other socket: two flows of a ring share the link between switch and CPU, and each has half of it.
TEST(BuildCluster, WithoutPeerAccessAllThatGpusExchangePassesACpu)
{
  for (const bool access : {true, false}) {
    const Cluster cluster = build_cluster(cluster_of(1, 4, access ? "pcie_tree" : "pcie_no_peers"));
    const Node& node = cluster.node(NodeId{0});
    const auto cpus_on = [&](VertexId from, VertexId to) {
      return std::ranges::count_if(cluster.route(from, to), [&](LinkId link) {
        return cluster.vertex(cluster.link(link).to).kind == VertexKind::host;
      });
    };
    EXPECT_EQ(cpus_on(node.gpus[0], node.gpus[1]), access ? 0 : 1);
    EXPECT_EQ(cpus_on(node.gpus[1], node.gpus[2]), 2);
    const std::vector<LinkId> up = cluster.route(node.gpus[0], node.host);
    EXPECT_DOUBLE_EQ(cluster.link(up.front()).bandwidth.value(), access ? 15.75e9 : 15.75e9 / 2);
  }
}

// Two GPUs below a switch, as `nvidia-smi topo -m` prints most servers of eight PCIe cards (PIX once in a row, then PHB
// or NODE and SYS): four switches share nothing, and each of eight GPUs has half of a PCIe 3 link. Who writes one
// switch for each socket has four below it, and a quarter.
TEST(BuildCluster, WithoutPeerAccessTwoGpusAreBelowASwitch)
{
  const auto up = [](int gpus, int per_socket) {
    ClusterSpec spec = cluster_of(1, gpus, "pcie_no_peers");
    if (per_socket > 0)
      spec.node_types.at("machine").intra_settings.set("switches_per_socket", per_socket);
    const Cluster cluster = build_cluster(spec);
    EXPECT_EQ(count(cluster, VertexKind::pcie_switch), per_socket > 0 ? 2 * per_socket : std::max(2, gpus / 2)) << gpus;
    const Node& node = cluster.node(NodeId{0});
    return cluster.link(cluster.route(node.gpus[0], node.host).front()).bandwidth.value();
  };
  EXPECT_DOUBLE_EQ(up(8, 0), 15.75e9 / 2);
  EXPECT_DOUBLE_EQ(up(8, 1), 15.75e9 / 4);
  EXPECT_DOUBLE_EQ(up(16, 0), 15.75e9 / 2);
  EXPECT_DOUBLE_EQ(up(4, 0), 15.75e9 / 2);
  EXPECT_DOUBLE_EQ(up(2, 0), 15.75e9);
}

TEST(BuildCluster, FatTreeOfFourPortsHas20SwitchesAnd32LinksBetweenThem)
{
  // k = 4: k^3/4 = 16 hosts, 8 edge + 8 aggregation + 4 core switches; k^3/4 links edge-aggregation and as many to the
  // core.
  const Cluster cluster = build_cluster(cluster_of(16, 0, "host_only", "fat_tree"));
  EXPECT_EQ(count(cluster, VertexKind::network_switch), 20);
  EXPECT_EQ(switch_links(cluster), 32);
  for (std::size_t i = 0; i < cluster.vertices().size(); ++i)
    if (cluster.vertices()[i].kind == VertexKind::network_switch) {
      EXPECT_EQ(cluster.outgoing(VertexId{static_cast<int>(i)}).size(), 4U) << cluster.vertices()[i].name;
    }
  EXPECT_EQ(cluster.nodes()[15].position, (std::vector<int>{3, 1, 1}));
  EXPECT_EQ(cluster.nodes()[15].rack, 7);
}

TEST(BuildCluster, TorusHasOneLinkPerNodeAndAxisLongerThanTwo)
{
  ClusterSpec spec = cluster_of(4 * 3 * 2, 0, "host_only", "torus");
  spec.network.settings.set("dimensions", "4x3x2");
  const Cluster cluster = build_cluster(spec);
  EXPECT_EQ(count(cluster, VertexKind::network_switch), 24);
  EXPECT_EQ(switch_links(cluster), 24 + 24 + 12); // the axis of two has one link per pair
  EXPECT_EQ(cluster.nodes()[23].position, (std::vector<int>{3, 2, 1}));
}

TEST(BuildCluster, DragonflyJoinsEveryPairOfGroupsOnce)
{
  // p = h = 2, a = 4: 9 groups of 8 hosts; 6 local links in a group, 36 pairs of groups.
  ClusterSpec spec = cluster_of(72, 0, "host_only", "dragonfly");
  const Cluster cluster = build_cluster(spec);
  EXPECT_EQ(count(cluster, VertexKind::network_switch), 36);
  EXPECT_EQ(switch_links(cluster), 9 * 6 + 36);
  for (std::size_t i = 0; i < cluster.vertices().size(); ++i)
    if (cluster.vertices()[i].kind == VertexKind::network_switch) {
      EXPECT_EQ(cluster.outgoing(VertexId{static_cast<int>(i)}).size(), 2U + 3U + 2U);
    }
}

TEST(BuildCluster, LeafSpineUplinksCarryTheOversubscribedShare)
{
  // 8 nodes of 1.25 GB/s below a leaf, 4:1: 2 spines, uplinks of 8 * 1.25 / 4 / 2 GB/s.
  ClusterSpec spec = cluster_of(32, 0, "host_only", "leaf_spine");
  spec.network.settings.set("leaf_ports", 8);
  spec.network.settings.set("oversubscription", 4);
  const Cluster cluster = build_cluster(spec);
  EXPECT_EQ(count(cluster, VertexKind::network_switch), 4 + 2);
  EXPECT_EQ(switch_links(cluster), 8);
  for (const Link& link : cluster.links())
    if (cluster.vertex(link.from).node.index < 0 && cluster.vertex(link.to).node.index < 0) {
      EXPECT_DOUBLE_EQ(link.bandwidth.value(), 1.25e9);
    }
  EXPECT_EQ(cluster.nodes()[9].rack, 1);
}

TEST(BuildCluster, RailPlugsNicIOfEveryNodeIntoRailI)
{
  ClusterSpec spec = cluster_of(4, 8, "nvswitch", "rail");
  spec.node_types.at("machine").nics = 8;
  const Cluster cluster = build_cluster(spec);
  for (const Node& node : cluster.nodes())
    for (std::size_t i = 0; i < 8; ++i) {
      std::string plugged;
      for (const LinkId out : cluster.outgoing(node.nics[i]))
        if (cluster.vertex(cluster.link(out).to).kind == VertexKind::network_switch)
          plugged += cluster.vertex(cluster.link(out).to).name;
      EXPECT_EQ(plugged, "rail-" + std::to_string(i));
    }
}

TEST(BuildCluster, RacksOfTheGroupsDecideTheLeaves)
{
  ClusterSpec spec = cluster_of(6, 0, "host_only", "leaf_spine");
  spec.nodes[0].per_rack = 4;
  const Cluster cluster = build_cluster(spec);
  EXPECT_EQ(cluster.nodes()[3].rack, 0);
  EXPECT_EQ(cluster.nodes()[4].rack, 1);
  const auto domains = failure_domains(cluster);
  ASSERT_EQ(domains.size(), 4U); // two racks, two leaves
  EXPECT_EQ(domains[0].nodes.size(), 4U);
  EXPECT_EQ(domains[3].name, "leaf-1");
  EXPECT_EQ(domains[3].nodes, (std::vector<NodeId>{NodeId{4}, NodeId{5}}));
}

TEST(BuildCluster, AllFaultsAreToldInOnePass)
{
  ClusterSpec spec = cluster_of(4, 3, "nvlink_pair");
  spec.nodes.push_back({"other", "machin", 0, 0});
  spec.network.topology = "fattree";
  const std::string errors = errors_of(spec);
  EXPECT_THAT(
      errors,
      HasSubstr("cluster.node_types.machine.intra: unknown layout 'nvlink_pair'; did you mean 'nvlink_pairs'?"));
  EXPECT_THAT(errors, HasSubstr("cluster.nodes.1.type: unknown node type 'machin'; did you mean 'machine'?"));
  EXPECT_THAT(errors, HasSubstr("cluster.nodes.1.count: must be at least 1"));
  EXPECT_THAT(errors, HasSubstr("cluster.network.topology: unknown layout 'fattree'; did you mean 'fat_tree'?"));
}

TEST(BuildCluster, TooManyNodesForTheTemplateAreAnError)
{
  ClusterSpec spec = cluster_of(17, 0, "host_only", "fat_tree");
  spec.network.settings.set("k", 4);
  // 4 ports: 2 x 2 x 4 = 16 nodes; 6 ports: 3 x 3 x 6 = 54.
  EXPECT_THAT(errors_of(spec), HasSubstr("ports for 16 nodes with 1 NICs each, not for 17; k: 6 is enough"));
  spec.network = {.topology = "torus", .link = "10GbE"};
  spec.network.settings.set("dimensions", "4x4");
  EXPECT_THAT(errors_of(spec), HasSubstr("the torus has 16 places for 17 nodes"));
  spec.network.settings.set("dimensions", "4xfour");
  EXPECT_THAT(errors_of(spec), HasSubstr("one to eight whole numbers"));
}

TEST(BuildCluster, FatTreeGrowsToItsNodesWhereSomePortsOfTheEdgeStayFree)
{
  // Nodes of three NICs: with 4 ports an edge switch (2 down) has no room for one; with 6 (3 down) for one, 1 x 3 x 6 =
  // 18 nodes; with 8 (4 down) for one, 1 x 4 x 8 = 32; with 10 for one, 50; with 12 for two, 2 x 6 x 12 = 144.
  ClusterSpec spec = cluster_of(51, 0, "host_only", "fat_tree");
  spec.node_types["machine"].nics = 3;
  const Cluster cluster = build_cluster(spec);
  EXPECT_EQ(cluster.nodes().size(), 51U);
  EXPECT_EQ(cluster.nodes()[2].position, (std::vector<int>{0, 1, 0})); // the second edge switch: two nodes on the first
  spec.network.settings.set("k", 10);
  EXPECT_THAT(errors_of(spec), HasSubstr("ports for 50 nodes with 3 NICs each, not for 51; k: 12 is enough"));
}

TEST(BuildCluster, ZeroLatencyIsZeroAndNoLatencyIsThatOfTheLink)
{
  ClusterSpec spec = cluster_of(2, 0, "host_only");
  const auto latency = [&spec] {
    const Cluster cluster = build_cluster(spec);
    return cluster.link(cluster.outgoing(cluster.nodes()[0].nics[0]).back()).latency.value();
  };
  EXPECT_DOUBLE_EQ(latency(), 1e-6); // 10GbE in the catalogue
  spec.network.latency = Seconds{0};
  EXPECT_DOUBLE_EQ(latency(), 0);
  spec.network.link.clear();
  spec.network.bandwidth = 1.25_GBps;
  EXPECT_DOUBLE_EQ(latency(), 0);
  spec.network.latency.reset();
  EXPECT_DOUBLE_EQ(latency(), 5e-6); // Ethernet that nobody has named
}

TEST(BuildCluster, ASampleHasThePlacesAndLinksThatItsMachinesHaveAmongAll)
{
  for (const std::string topology : {"star", "rail", "leaf_spine", "fat_tree"}) {
    ClusterSpec spec = cluster_of(200, 8, "nvswitch", topology);
    spec.node_types["machine"].nics = 8;
    spec.network.link = "IB-NDR";
    const Cluster whole = build_cluster(spec);
    spec.sample = {0, 1, 30, 31, 32, 33, 198, 199};
    const Cluster sample = build_cluster(spec);
    ASSERT_EQ(sample.nodes().size(), spec.sample.size()) << topology;
    const auto found = [&](std::size_t i) -> const Node& {
      return whole.nodes()[static_cast<std::size_t>(spec.sample[i])];
    };
    for (std::size_t i = 0; i < spec.sample.size(); ++i) {
      EXPECT_EQ(sample.nodes()[i].name, found(i).name) << topology;
      EXPECT_EQ(sample.nodes()[i].position, found(i).position) << topology;
      for (std::size_t k = 0; k < spec.sample.size(); ++k) {
        if (i == k)
          continue;
        // Of GPU 3 to GPU 3 there: the same hops over links of the same rate and latency, named alike.
        const auto hops = [](const Cluster& cluster, const Node& from, const Node& to) {
          std::vector<std::tuple<std::string, double, double>> list;
          for (const LinkId id : cluster.route(from.gpus[3], to.gpus[3])) {
            const Link& link = cluster.link(id);
            list.emplace_back(link.name, link.data_rate().value(), link.latency.value());
          }
          return list;
        };
        EXPECT_EQ(hops(sample, sample.nodes()[i], sample.nodes()[k]), hops(whole, found(i), found(k))) << topology;
      }
    }
  }
}

ClusterSpec free_graph()
{
  ClusterSpec spec = cluster_of(3, 0, "host_only", "graph");
  spec.network.switches = {"left", "right"};
  spec.network.wires = {{"worker-0", "left"}, {"worker-1", "left"}, {"worker-2", "right"}, {"left", "right", "100GbE"}};
  return spec;
}

TEST(BuildCluster, FreeGraphIsBuiltAsListed)
{
  const Cluster cluster = build_cluster(free_graph());
  EXPECT_EQ(switch_links(cluster), 1);
  EXPECT_DOUBLE_EQ(cluster.links().back().bandwidth.value(), 12.5e9);
}

TEST(BuildCluster, FreeGraphTellsAMachineWithoutAWire)
{
  for (const std::size_t wire : {0U, 1U, 2U}) { // also the last machine
    ClusterSpec spec = free_graph();
    spec.network.wires.erase(spec.network.wires.begin() + static_cast<std::ptrdiff_t>(wire));
    EXPECT_THAT(errors_of(spec),
                HasSubstr("'worker-" + std::to_string(wire) + "' has no wire; link it to a switch or to another node"));
  }
}

TEST(BuildCluster, FreeGraphTellsThatTheLastMachineReachesOnlyOneOther)
{
  ClusterSpec spec = free_graph();
  spec.network.wires[2] = {"worker-2", "worker-1"}; // nodes do not forward
  EXPECT_THAT(errors_of(spec), HasSubstr("no route from 'worker-0' to 'worker-2'"));
  EXPECT_THAT(errors_of(spec), Not(HasSubstr("no route from 'worker-1' to 'worker-2'")));
}

TEST(BuildCluster, FreeGraphTellsGapsDuplicatesLoopsAndUnknownNames)
{
  ClusterSpec spec = free_graph();
  spec.network.wires.pop_back();
  EXPECT_THAT(errors_of(spec), HasSubstr("no route from 'worker-0' to 'worker-2'"));
  EXPECT_THAT(errors_of(spec), HasSubstr("no route from 'worker-1' to 'worker-2'"));

  spec = free_graph();
  spec.network.switches.push_back("left");
  spec.network.switches.push_back("worker-1");
  spec.network.wires.push_back({"left", "left"});
  spec.network.wires.push_back({"right", "left"});
  spec.network.wires.push_back({"rihgt", "left"});
  const std::string errors = errors_of(spec);
  EXPECT_THAT(errors, HasSubstr("cluster.network.switches.2: the name 'left' is taken already"));
  EXPECT_THAT(errors, HasSubstr("cluster.network.switches.3: the name 'worker-1' is taken already"));
  EXPECT_THAT(errors, HasSubstr("cluster.network.wires.4: 'left' is linked to itself"));
  EXPECT_THAT(errors, HasSubstr("cluster.network.wires.5: a second link between"));
  EXPECT_THAT(
      errors,
      HasSubstr("cluster.network.wires.6.from: no switch, node or NIC is named 'rihgt'; did you mean 'right'?"));
}

TEST(BuildCluster, UnknownOrImpossibleSettingsAreErrors)
{
  ClusterSpec spec = cluster_of(4, 0, "host_only", "leaf_spine");
  spec.network.settings.set("oversubscripton", 2);
  EXPECT_THAT(errors_of(spec), HasSubstr("'leaf_spine' has no such setting; did you mean 'oversubscription'?"));
  spec = cluster_of(4, 0, "host_only", "leaf_spine");
  spec.network.settings.set("oversubscription", -2);
  EXPECT_THAT(errors_of(spec), HasSubstr("cluster.network.oversubscription: out of range"));
  spec = cluster_of(1, 9, "nvlink_cube_mesh");
  EXPECT_THAT(errors_of(spec), HasSubstr("layout 'nvlink_cube_mesh' has 2 to 8 GPUs, not 9"));
}

} // namespace
} // namespace trainyard
