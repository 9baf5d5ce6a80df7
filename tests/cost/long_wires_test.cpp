// SPDX-License-Identifier: Apache-2.0
#include "models/cost/long_wires.hpp"

#include "models/cost/nccl_choice.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <vector>

namespace trainyard {
namespace {

/// Machines of which all are as far from each other.
std::shared_ptr<const LongWires> far_apart(int machines, Seconds way)
{
  return LongWires::among(machines, [way](int, int) { return way; });
}

TEST(LibraryTrees, AreThoseOfTheLibrary)
{
  // 0 - 4 - (2 - (1, 3), 6 - (5, 7)); the second one counts from the other end.
  const std::vector<int> above{-1, 2, 4, 2, 0, 6, 4, 6};
  for (int at = 0; at < 8; ++at) {
    EXPECT_EQ(above_in_tree(at, 8), above.at(static_cast<std::size_t>(at)));
    const int mirrored = above.at(static_cast<std::size_t>(7 - at));
    EXPECT_EQ(above_in_second_tree(at, 8), mirrored < 0 ? -1 : 7 - mirrored);
  }
  // Three: 0 - 2 - 1, and shifted by one 1 - 0 - 2.
  EXPECT_EQ(above_in_tree(1, 3), 2);
  EXPECT_EQ(above_in_tree(2, 3), 0);
  EXPECT_EQ(above_in_second_tree(1, 3), -1);
  EXPECT_EQ(above_in_second_tree(0, 3), 1);
  EXPECT_EQ(above_in_second_tree(2, 3), 0);
}

TEST(LongWiresOf, ALocalNetworkAreNone)
{
  EXPECT_EQ(far_apart(8, 2_us), nullptr);
  EXPECT_EQ(far_apart(1, 1_s), nullptr);
  EXPECT_NE(far_apart(2, 10_us), nullptr);
}

TEST(LongWiresOf, ALineOfMachinesAreItsEdges)
{
  // Four machines in a line, 10 ms between neighbours, hops of 1 ms. The ring: 3 edges of 9 ms and one of 29 back;
  // without one of 9 that is 47. Trees 0 - 2 - (1, 3), and from the other end: 9 + 19. Farthest: 29.
  const auto line =
      LongWires::among(4, [](int from, int to) { return 10_ms * static_cast<double>(std::abs(from - to)); });
  EXPECT_NEAR(line->around_ring(1_ms, 4).value(), 0.047, 1e-12);
  EXPECT_NEAR(line->up_trees(1_ms, 4).value(), 0.028, 1e-12);
  EXPECT_NEAR(line->longest(1_ms).value(), 0.029, 1e-12);
}

TEST(LongWiresOf, ASampleStandForAllMachines)
{
  // 4 of 16 machines: 15 edges; 4 levels instead of 2.
  const auto wires = far_apart(4, 10_ms);
  EXPECT_NEAR(wires->around_ring({}, 16).value(), 0.15, 1e-12);
  EXPECT_NEAR(wires->up_trees({}, 16).value(), 0.04, 1e-12);
}

TEST(ChooseGather, WiresOfParallelTreesDoNotShrink)
{
  // 8 + 4 x 2.8 + 2 x 14/3.5 = 27.2 us, of which 2 steps of 4 us; the wires are 2 x 40 ms.
  CollectiveShape shape{.ranks = 4, .nodes = 4, .bus_bandwidth = 50_GBps};
  shape.wires = far_apart(4, 40_ms);
  const CollectiveChoice choice = choose_gather(newer_tuning(), shape, 1_MB);
  EXPECT_EQ(choice.algorithm, "parallel_trees");
  EXPECT_NEAR(choice.latency.value(), 80e-3 + 19.2e-6, 1e-9);
}

TEST(ChooseCollective, TakesWithLongWiresWhatItTakesWithoutThem)
{
  for (const Seconds told : {Seconds{}, 35_us}) {
    CollectiveTuning tuning = newer_tuning();
    tuning.plugin_latency = told;
    const CollectiveShape local{.ranks = 32, .nodes = 32, .bus_bandwidth = 12.5_GBps, .node_bandwidth = 12.5_GBps};
    CollectiveShape wide = local;
    wide.wires = far_apart(32, 20_ms);
    for (double bytes = 8; bytes < 1e9; bytes *= 4) {
      const CollectiveChoice near = choose_collective(tuning, local, Bytes{bytes});
      const CollectiveChoice far = choose_collective(tuning, wide, Bytes{bytes});
      EXPECT_EQ(near.algorithm + near.protocol, far.algorithm + far.protocol) << bytes;
      EXPECT_GE((far.latency - near.latency).value(), 10 * 0.0199); // 2 x 5 levels
    }
  }
}

TEST(ChooseCollective, AProtocolsWiresCountBeyondItsOwnHop)
{
  // Four machines 9 us apart, 8 B by a tree of LL (2.7): 4.4 + 4 x 5 = 24.4 us, with the wires 4.4 + 4 x 9. A stated
  // hop has its wires.
  CollectiveShape shape{.ranks = 4, .nodes = 4, .bus_bandwidth = 1_GBps};
  shape.wires = far_apart(4, 9_us);
  const auto latency = [&](const Settings& settings) {
    return choose_collective(collective_tuning(settings), shape, 8_B).latency.value();
  };
  Settings stated;
  stated.set("network_hop_latency_ll", 5e-6);
  EXPECT_NEAR(latency({}), 40.4e-6, 1e-12);
  EXPECT_NEAR(latency(stated), 24.4e-6, 1e-12);
}

} // namespace
} // namespace trainyard
