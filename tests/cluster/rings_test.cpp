// SPDX-License-Identifier: Apache-2.0
#include "models/cluster/build.hpp"
#include "models/cluster/distance.hpp"
#include "models/cluster/rings.hpp"

#include "tests/cluster/cluster_support.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

namespace trainyard {
namespace {

using Ranks = std::vector<VertexId>;

Ranks first_gpus(const Node& node, std::size_t count)
{
  return {node.gpus.begin(), node.gpus.begin() + static_cast<std::ptrdiff_t>(count)};
}

Ranks all_gpus(const Cluster& cluster)
{
  Ranks ranks;
  for (const Node& node : cluster.nodes())
    ranks.insert(ranks.end(), node.gpus.begin(), node.gpus.end());
  return ranks;
}

bool same_set(Ranks a, Ranks b)
{
  std::ranges::sort(a);
  std::ranges::sort(b);
  return a == b;
}

/// Deals the ranks out in a bad order.
Ranks shuffled(const Ranks& ranks)
{
  Ranks result;
  for (std::size_t i = 0; i < ranks.size(); ++i)
    result.push_back(ranks[(i * 7) % ranks.size()]); // 7 has no common divisor with the sizes used
  return result;
}

/// Bandwidth of one ring at line rate: the slowest link, shared where the ring crosses it several times in one
/// direction.
double ring_bandwidth(const Cluster& cluster, const Ranks& order, const Ranks& ranks)
{
  std::map<LinkId, int> load;
  for (std::size_t i = 0; i < order.size(); ++i)
    for (const LinkId link : cluster.route(order[i], order[(i + 1) % order.size()], {.forwarders = &ranks}))
      ++load[link];
  double result = 1e300;
  for (const auto& [link, times] : load)
    result = std::min(result, cluster.link(link).bandwidth.value() / times);
  return result;
}

TEST(Rings, DgxOneV100HasTheKnownRingsForTwoToEightGpus)
{
  // Links of the mesh among the first n GPUs. 2: one link. 3: the triangle both ways. 4: GPUs 0 and 1 have four links,
  // two cycles both ways. 5: GPU 4 has links to GPU 0 only, so every ring passes GPU 0 twice; two links, two rings. 6:
  // only one link 4-5, one cycle both ways. 7: GPUs 4 and 6 keep four links. 8: six links each, three cycles both ways.
  // Measured with NCCL on such a machine (bus bandwidth, GB/s): 22.6, 45.2, 85.8, 37.1, 45.9, 87.6, 136.1.
  const std::vector<std::size_t> expected{1, 2, 4, 2, 2, 4, 6};
  const std::vector<double> measured_GBps{22.6, 45.2, 85.8, 37.1, 45.9, 87.6, 136.1};
  const Cluster cluster = build_cluster(cluster_of(1, 8, "nvlink_cube_mesh"));
  for (std::size_t n = 2; n <= 8; ++n) {
    const Ranks ranks = first_gpus(cluster.nodes()[0], n);
    const Rings result = rings(cluster, ranks);
    EXPECT_EQ(result.orders.size(), expected[n - 2]) << n << " GPUs";
    EXPECT_DOUBLE_EQ(result.bandwidth.value(), 25e9 * static_cast<double>(expected[n - 2])) << n << " GPUs";
    const double reached = measured_GBps[n - 2] * 1e9 / result.bandwidth.value();
    EXPECT_GT(reached, 0.7) << n << " GPUs";
    EXPECT_LT(reached, 1) << n << " GPUs";
    for (const Ranks& order : result.orders) {
      EXPECT_TRUE(same_set(order, ranks));
      EXPECT_EQ(order.front(), ranks.front());
    }
  }
}

TEST(Rings, DgxOneP100HasFourRings)
{
  ClusterSpec spec = cluster_of(1, 8, "nvlink_cube_mesh");
  spec.node_types.at("machine").intra_settings.set("generation", 1);
  const Cluster cluster = build_cluster(spec);
  const Rings result = rings(cluster, cluster.nodes()[0].gpus);
  EXPECT_EQ(result.orders.size(), 4U); // four links each: two cycles both ways
  EXPECT_NEAR(result.bandwidth.value() * 0.92, 4 * 18e9,
              1); // what NCCL counts on for a link of generation 1, after its own 0.92
}

TEST(Rings, WhereAllAreJoinedEachLinkCarriesARingEachWay)
{
  // A complete directed graph falls into n-1 Hamiltonian cycles but for n = 4 and 6 (Tillson, 1980); of four there are
  // only one cycle both ways, of six two.
  const std::vector<std::size_t> expected{1, 2, 2, 4, 4, 6, 7};
  const Cluster cluster = build_cluster(cluster_of(1, 8, "full_mesh"));
  for (std::size_t n = 2; n <= 8; ++n) {
    const Ranks ranks = first_gpus(cluster.nodes()[0], n);
    const Rings result = rings(cluster, ranks);
    EXPECT_EQ(result.orders.size(), expected[n - 2]) << n << " GPUs";
    std::set<LinkId> used;
    for (const Ranks& order : result.orders) {
      EXPECT_TRUE(same_set(order, ranks));
      for (std::size_t i = 0; i < n; ++i)
        for (const LinkId link : cluster.route(order[i], order[(i + 1) % n]))
          EXPECT_TRUE(used.insert(link).second || n == 2) << n << " GPUs";
    }
  }
}

TEST(Rings, ThroughFullyJoinedNodesEightRingsUseEachLinkOnce)
{
  // 8 x 7 hops within a node over its 56 directed links; a card for each GPU, which one ring leaves by and one enters.
  ClusterSpec spec = cluster_of(3, 8, "full_mesh");
  spec.node_types["machine"].nics = 8;
  const Cluster cluster = build_cluster(spec);
  const Rings result = rings(cluster, all_gpus(cluster));
  ASSERT_EQ(result.orders.size(), 8U);
  std::map<LinkId, int> load;
  for (const Ranks& order : result.orders)
    for (std::size_t i = 0; i < order.size(); ++i)
      for (const LinkId link : cluster.route(order[i], order[(i + 1) % order.size()]))
        ++load[link];
  for (const auto& [link, rings] : load) {
    const Link& way = cluster.link(link);
    const bool single = joins_gpus(way.kind) || cluster.vertex(way.from).kind == VertexKind::nic;
    EXPECT_TRUE(!single || rings == 1) << way.name << " has " << rings;
  }
}

TEST(Rings, GpusWithoutCommonNvlinkFallBackToPcie)
{
  const Cluster cluster = build_cluster(cluster_of(1, 8, "nvlink_cube_mesh"));
  const Node& node = cluster.nodes()[0];
  const Rings result = rings(cluster, {node.gpus[0], node.gpus[5]});
  EXPECT_EQ(result.orders.size(), 1U);
  EXPECT_NEAR(result.bandwidth.value() * 0.92, 6e9, 1); // between sockets; below PCIe 3's 12 (NCCL's constants)
}

TEST(Rings, NvswitchTakesEverythingInOneRing)
{
  const Cluster cluster = build_cluster(cluster_of(1, 8, "nvswitch"));
  const Rings result = rings(cluster, cluster.nodes()[0].gpus);
  EXPECT_EQ(result.orders.size(), 1U);
  EXPECT_NEAR(result.bandwidth.value() * 0.92, 12 * 20e9, 1); // twelve links of generation 3
}

TEST(Rings, OneRingPerRailAndEveryNicCarriesOneIn)
{
  ClusterSpec spec = cluster_of(4, 8, "nvswitch", "rail");
  spec.node_types.at("machine").nics = 8;
  const Cluster cluster = build_cluster(spec);
  const Ranks ranks = all_gpus(cluster);
  const Rings result = rings(cluster, ranks);
  EXPECT_EQ(result.orders.size(), 8U);
  EXPECT_DOUBLE_EQ(result.bandwidth.value(), 8 * 1.25e9);
  for (const Ranks& order : result.orders) {
    EXPECT_TRUE(same_set(order, ranks));
    for (std::size_t i = 0; i < order.size(); ++i)
      for (const LinkId link : cluster.route(order[i], order[(i + 1) % order.size()]))
        EXPECT_FALSE(cluster.vertex(cluster.link(link).to).name.starts_with("spine")) << "a ring left its rail";
  }
}

// The last of four machines has lost cards: as many rings as it has left, each by a card of its own.
TEST(Rings, AMachineWithFewerCardsThanTheOthersUsesAllThatItHas)
{
  for (const int left : {4, 5, 6, 7, 8}) {
    ClusterSpec spec = cluster_of(3, 8, "nvswitch");
    spec.node_types.at("machine").nics = 8;
    spec.node_types["worse"] = spec.node_types.at("machine");
    spec.node_types.at("worse").name = "worse";
    spec.node_types.at("worse").nics = left;
    spec.nodes.push_back({"worse", "worse", 1, 0});
    const Cluster cluster = build_cluster(spec);
    EXPECT_DOUBLE_EQ(rings(cluster, all_gpus(cluster)).bandwidth.value(), left * 1.25e9) << left;
  }
}

TEST(Rings, OrderInANodeIsAsGoodAsTheBestOfAllOrders)
{
  for (const std::string intra : {"nvlink_cube_mesh", "nvlink_pairs", "pcie_tree", "pcie_switch", "nvswitch"}) {
    const Cluster cluster = build_cluster(cluster_of(1, 8, intra));
    for (std::size_t n = 3; n <= 7; ++n) {
      const Ranks ranks = first_gpus(cluster.nodes()[0], n);
      Ranks trial = ranks;
      double best = 0;
      do
        best = std::max(best, ring_bandwidth(cluster, trial, ranks));
      while (std::next_permutation(trial.begin() + 1, trial.end()));
      const Ranks order = ring_order(cluster, ranks);
      EXPECT_TRUE(same_set(order, ranks));
      EXPECT_DOUBLE_EQ(ring_bandwidth(cluster, order, ranks), best) << intra << ", " << n << " GPUs";
    }
  }
}

TEST(Rings, TreesAreCrossedOncePerNodeAndRack)
{
  ClusterSpec spec = cluster_of(12, 4, "pcie_tree", "leaf_spine");
  spec.network.settings.set("leaf_ports", 4);
  const Cluster cluster = build_cluster(spec); // three racks of four nodes of four GPUs
  const Ranks ranks = shuffled(all_gpus(cluster));
  ASSERT_EQ(std::set<VertexId>(ranks.begin(), ranks.end()).size(), 48U);
  const Ranks order = ring_order(cluster, ranks);
  EXPECT_TRUE(same_set(order, ranks));
  EXPECT_EQ(order.front(), ranks.front());
  int between_nodes = 0;
  int between_racks = 0;
  for (std::size_t i = 0; i < order.size(); ++i) {
    const Node& here = cluster.node(cluster.vertex(order[i]).node);
    const Node& next = cluster.node(cluster.vertex(order[(i + 1) % order.size()]).node);
    between_nodes += here.name != next.name;
    between_racks += here.rack != next.rack;
  }
  EXPECT_EQ(between_nodes, 12);
  EXPECT_EQ(between_racks, 3);
}

TEST(Rings, OnAnEvenTorusEveryStepIsOneHop)
{
  ClusterSpec spec = cluster_of(4 * 4 * 2, 1, "pcie_switch", "torus");
  spec.network.settings.set("dimensions", "4x4x2");
  const Cluster cluster = build_cluster(spec);
  const Ranks order = ring_order(cluster, shuffled(all_gpus(cluster)));
  std::size_t hops = 0;
  for (std::size_t i = 0; i < order.size(); ++i)
    hops += cluster.route(order[i], order[(i + 1) % order.size()]).size();
  // gpu > switch > nic > router > router > nic > switch > gpu: 7 links.
  EXPECT_EQ(hops, 7 * order.size());
}

TEST(Rings, InsideAMachineTheyRunOverNvlinkAlsoWhereNeighboursByNumberHaveNone)
{
  // Two machines of eight V100 (GPUs 3 and 4 have no NVLink between them) with one card of 10 GbE each: one ring, whose
  // links inside are NVLinks of 25 GB/s and the way of one GPU to the card is not among them.
  ClusterSpec spec = cluster_of(2, 8, "nvlink_cube_mesh");
  spec.node_types.at("machine").nics = 1;
  const Cluster cluster = build_cluster(spec);
  const Rings found = rings(cluster, all_gpus(cluster));
  ASSERT_EQ(found.orders.size(), 1U);
  double slowest = 1e18; // among the NVLinks that two GPUs of a machine have
  for (const Link& link : cluster.links())
    if (link.kind == LinkKind::nvlink)
      slowest = std::min(slowest, link.data_rate().value());
  EXPECT_GE(found.inside.value(), slowest);
  EXPECT_LT(found.bandwidth.value(), slowest);
}

TEST(Distance, SpeaksTheWordsOfNvidiaSmi)
{
  ClusterSpec spec = cluster_of(2, 8, "nvlink_cube_mesh");
  spec.node_types.at("machine").nics = 4;
  const Cluster cluster = build_cluster(spec);
  const Node& node = cluster.nodes()[0];
  const auto text = [&](VertexId a, VertexId b) { return to_text(distance(cluster, a, b)); };
  // The table that `nvidia-smi topo -m` prints on a machine with eight V100 in a hybrid cube mesh.
  const std::vector<std::string> row{"X", "NV1", "NV1", "NV2", "NV2", "SYS", "SYS", "SYS"};
  for (std::size_t i = 0; i < 8; ++i)
    EXPECT_EQ(text(node.gpus[0], node.gpus[i]), row[i]);
  EXPECT_EQ(text(node.gpus[0], node.nics[0]), "PIX");
  EXPECT_EQ(text(node.gpus[0], node.nics[1]), "PHB");
  EXPECT_EQ(text(node.gpus[0], node.nics[2]), "SYS");
  EXPECT_EQ(text(node.gpus[0], cluster.nodes()[1].gpus[0]), "NET");
  const Cluster switched = build_cluster(cluster_of(1, 8, "nvswitch"));
  EXPECT_EQ(to_text(distance(switched, switched.nodes()[0].gpus[0], switched.nodes()[0].gpus[7])), "NV12");
}

} // namespace
} // namespace trainyard
