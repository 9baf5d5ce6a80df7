// SPDX-License-Identifier: Apache-2.0
#include "models/cost/nccl_choice.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace trainyard {
namespace {

/// A GPU that computes in a precision, which tells its generation.
Gpu with_units(const std::string& precision)
{
  Gpu gpu;
  gpu.peak = {{precision, FlopsPerSecond{1e14}}};
  if (precision == "nvfp4")
    gpu.peak["fp8"] = FlopsPerSecond{1e14};
  return gpu;
}

constexpr double MiB = 1 << 20;

TEST(RingLatency, CountsEachHopAsOftenAsAChunkCrossesIt)
{
  // NCCL 2.7 tuning.cc, PCIe inside the node. 8 ranks on 2 nodes: 14 hops, 2 of them between nodes.
  // 8.4 + 12 x 5.7 + 2 x 9.6 = 96.0 us; above 8/16 x 64 KiB the hops and the base count 1.9 times:
  // 182.4 us.
  const CollectiveShape shape{.ranks = 8, .nodes = 2, .bus_bandwidth = 5_GBps};
  EXPECT_NEAR(ring_latency({}, shape, 1024_B).value(), 96.0e-6, 1e-12);
  EXPECT_NEAR(ring_latency({}, shape, 1_MB).value(), 182.4e-6, 1e-12);
}

TEST(RingLatency, OneNodeHasNoPlateauAndOneRankCostsNothing)
{
  EXPECT_NEAR(ring_latency({}, {.ranks = 4, .nvlink = true, .bus_bandwidth = 80_GBps}, 100_MB).value(),
              (8.4 + 6 * 3.4) * 1e-6, 1e-12);
  EXPECT_EQ(ring_latency({}, {.ranks = 1}, 100_MB), Seconds{});
}

TEST(ChooseCollective, TakesATreeForSmallAndARingForLargeMessages)
{
  const CollectiveShape shape{.ranks = 32, .nodes = 4, .nvlink = true, .bus_bandwidth = 90_GBps};
  const CollectiveChoice small = choose_collective({}, shape, 1024_B);
  EXPECT_EQ(small.algorithm, "tree");
  EXPECT_EQ(small.protocol, "LL");
  // 4.4 + 2 x (7 x 1 + 2 x 5) = 38.4 us, where the tuner counts 0.5 x 1.8 for each of the 14 hops inside; 1024 B = 64 B
  // x 2^4, factor 0.9: 1024 B / (80 GB/s / 3.8 / 2) x (1/0.9 - 1) more.
  EXPECT_NEAR(small.latency.value(), 38.4e-6 + 1024 / (80e9 / 3.8 / 2) / 9, 1e-12);
  // LL: 1/3.8 of 0.9 of 90 GB/s would be 21.3 GB/s; on more than two nodes it stops at 20.4. A tree moves 2 x payload,
  // a ring 31/16.
  EXPECT_NEAR(small.efficiency, 20.4 / 90 * 31 / 32, 1e-12);
  const CollectiveChoice large = choose_collective({}, shape, 1_GB);
  EXPECT_EQ(large.algorithm, "ring");
  EXPECT_EQ(large.protocol, "simple");
  EXPECT_DOUBLE_EQ(large.efficiency, 1);
}

TEST(ChooseTree, TakesTreesWhereTheTunerWouldTakeRings)
{
  // The same 1 GB: trees stop at 80 GB/s as the library counts it, so 40 GB/s of payload, on the bus of 90 GB/s.
  // 2 x (7 x 28 + 2 x 50) = 592 us, and from 256 MiB on no filling.
  const CollectiveShape shape{.ranks = 32, .nodes = 4, .nvlink = true, .bus_bandwidth = 90_GBps};
  const CollectiveChoice tree = choose_tree({}, shape, 1_GB);
  EXPECT_EQ(tree.algorithm, "tree");
  EXPECT_EQ(tree.protocol, "simple");
  EXPECT_NEAR(tree.efficiency, 40.0 / 90 * 31 / 16, 1e-12);
  CollectiveTuning old;
  old.low_latency = false; // NCCL before 2.4
  EXPECT_EQ(choose_tree(old, shape, 1_GB).algorithm, "ring");
}

TEST(ChooseRing, LeavesTheProtocolToTheTuner)
{
  // NCCL 2.7, four GPUs on NVLink, six hops; 1 KiB by the tuner: LL 3.6 + 6 x 0.5 = 6.6 us, LL128 10 + 6 x 1.9 = 21.4
  // us, simple 8.4 + 6 x 3.4 = 28.8 us. A hop with LL takes 1 us: 9.6.
  const CollectiveShape shape{.ranks = 4, .nvlink = true, .bus_bandwidth = 80_GBps};
  const CollectiveChoice small = choose_ring({}, shape, 1024_B);
  EXPECT_EQ(small.protocol, "LL");
  EXPECT_NEAR(small.latency.value(), 9.6e-6, 1e-12);
  EXPECT_NEAR(small.counted.value(), 6.6e-6 + 1024 * 1.5 / 20e9, 1e-12);
  EXPECT_NEAR(small.efficiency, 0.25, 1e-12);
  // 1 MB moves 1.5 MB on each edge: LL 6.6 + 75, LL128 21.4 + 20.4, simple 28.8 + 18.8 us.
  EXPECT_EQ(choose_ring({}, shape, 1_MB).protocol, "LL128");
  EXPECT_NEAR(choose_ring({}, shape, 1_MB).efficiency, 0.92, 1e-12);
  EXPECT_EQ(choose_ring({}, shape, 1_GB).protocol, "simple");
  // A tree would be faster between many nodes (see above).
  EXPECT_EQ(choose_ring({}, {.ranks = 32, .nodes = 4, .nvlink = true, .bus_bandwidth = 90_GBps}, 1024_B).algorithm,
            "ring");
  CollectiveTuning old;
  old.low_latency = false; // NCCL before 2.4
  EXPECT_NEAR(choose_ring(old, shape, 1024_B).latency.value(), 28.8e-6, 1e-12);
}

TEST(PassedOver, IsWhatTheTunersTableHides)
{
  // As above, with hops of LL that take 50 us: the tuner counts 6.6 us and takes it, 3.6 + 6 x 50 = 303.6 us. A chain
  // with LL128 takes 4.4 + 6 x 1.2 = 11.6 us.
  const CollectiveShape shape{.ranks = 4, .nvlink = true, .bus_bandwidth = 80_GBps};
  EXPECT_FALSE(passed_over({}, shape, 1_GB).has_value());
  CollectiveTuning slow;
  slow.nvlink_hop_ll_taken = 50_us;
  EXPECT_EQ(choose_collective(slow, shape, 64_B).protocol, "LL");
  const auto better = passed_over(slow, shape, 64_B);
  ASSERT_TRUE(better.has_value());
  EXPECT_EQ(better->algorithm + " " + better->protocol, "tree LL128");
  EXPECT_NEAR(collective_time(*better, shape, 64_B).value(), 11.6e-6, 0.1e-6);
}

TEST(ChannelsUsed, AreFewerForSmallPayloads)
{
  // A thread has at least 64 bytes with the simple protocol, 512 threads a channel: 32 KiB each. With LL 8 bytes for
  // each rank of a ring: 32 KiB for 8 ranks.
  EXPECT_EQ(channels_used({.protocol = "simple"}, 8, 24, Bytes{512 * 1024.0}), 16);
  EXPECT_EQ(channels_used({.protocol = "simple"}, 8, 24, 1_GB), 24);
  EXPECT_EQ(channels_used({.protocol = "LL"}, 8, 24, Bytes{65536.0}), 2);
  EXPECT_EQ(channels_used({.protocol = "LL"}, 8, 24, 128_B), 1);
  EXPECT_EQ(channels_used({.algorithm = "nvls", .channels = 16}, 8, 24, 128_B), 16);
}

TEST(RcclTuning, HasStartUpsOfItsOwn)
{
  // RCCL, src/graph/tuning.cc: 12 us and 0.8 us a hop with LL. In a machine of eight, two steps for up to 64 KiB.
  Gpu amd;
  amd.description = "AMD MI300X";
  const CollectiveTuning tuning = collective_tuning({}, true, &amd);
  const CollectiveShape eight{.ranks = 8, .nvlink = true, .bus_bandwidth = 300_GBps};
  const CollectiveChoice small = choose_collective(tuning, eight, 1024_B);
  EXPECT_EQ(small.algorithm, "all_pairs");
  EXPECT_NEAR(small.latency.value(), 13.6e-6, 1e-12);
  const CollectiveShape four{.ranks = 4, .nvlink = true, .bus_bandwidth = 300_GBps};
  EXPECT_NEAR(choose_ring(tuning, four, 1024_B).latency.value(), (12 + 6 * 0.8) * 1e-6, 1e-12);
}

TEST(ChooseCollective, RingsAndTreesHaveTheSameFlows)
{
  // One flow reaches 1 GB/s, links more. A ring over n ranks moves 2(n-1)/n x payload: 100 MB over 12 take at most 183
  // ms and 2 x 11 hops. Trees take 100 MB x 2/0.9 = 222 ms, on any number of nodes.
  for (const int nodes : {2, 3, 4, 12}) {
    const CollectiveShape shape{.ranks = 12, .nodes = nodes, .bus_bandwidth = 1_GBps, .by_flows = true};
    const CollectiveChoice choice = choose_collective({}, shape, 100_MB);
    EXPECT_EQ(choice.algorithm, "ring") << nodes;
    EXPECT_DOUBLE_EQ(choice.efficiency, 1) << nodes;
    EXPECT_NEAR(collective_time(choice, shape, 100_MB).value(), 0.1 * 22 / 12, 3e-3) << nodes;
  }
  // A small one takes fewer hops through trees.
  const CollectiveShape many{.ranks = 16, .nodes = 16, .bus_bandwidth = 1_GBps, .by_flows = true};
  EXPECT_EQ(choose_collective({}, many, 1024_B).algorithm, "tree");
}

TEST(ChooseCollective, TheLowLatencyProtocolStopsByTheKindOfGpu)
{
  // Eight GPUs of a node, 64 kB by a ring with LL. Before 2.26 a quarter of the ring's bandwidth: 50 GB/s on Volta,
  // which stops at 39, and 58.75 on Ampere (87.7). Since then half: 180 GB/s on Hopper (141), 350 on Blackwell (282).
  // NCCL, src/graph/tuning.cc, llMaxBws.
  const auto reached_GBps = [](CollectiveTuning tuning, const Gpu& gpu, int nodes, BytesPerSecond bus) {
    tune_for(tuning, gpu);
    const CollectiveShape shape{.ranks = 8 * nodes, .nodes = nodes, .nvlink = true, .bus_bandwidth = bus};
    const CollectiveChoice choice = choose_collective(tuning, shape, Bytes{64e3});
    EXPECT_EQ(choice.protocol, "LL");
    return choice.efficiency * bus.value() / 1e9;
  };
  EXPECT_NEAR(reached_GBps({}, with_units("fp16"), 1, 200_GBps), 39, 1e-9);
  EXPECT_NEAR(reached_GBps({}, with_units("bf16"), 1, 235_GBps), 58.75, 1e-9);
  EXPECT_NEAR(reached_GBps(newer_tuning(), with_units("fp8"), 1, 360_GBps), 141, 1e-9);
  EXPECT_NEAR(reached_GBps(newer_tuning(), with_units("nvfp4"), 1, 700_GBps), 282, 1e-9);
}

TEST(ChooseCollective, ChannelsOfTreesStopByTheKindOfGpuToo)
{
  // 2.26 on two nodes with NDR cards, eight GPUs each: 16 channels of 41.4 GB/s on Hopper, of 23.6 on Ampere, of 18.5
  // on Volta (perChMaxTreeBws): half of it is payload, in 16 ranks 30/16 of that on the bus.
  const CollectiveShape shape{
      .ranks = 16, .nodes = 2, .nvlink = true, .bus_bandwidth = 400_GBps, .inside_bandwidth = 800_GBps, .channels = 8};
  for (const auto& [unit, channel] : {std::pair{"fp8", 41.4}, {"bf16", 23.6}, {"fp16", 18.5}}) {
    CollectiveTuning tuning = newer_tuning();
    tune_for(tuning, with_units(unit));
    const CollectiveChoice choice = choose_collective(tuning, shape, 8_GB);
    const double trees = 16 * channel / 2 * 30 / 16;
    EXPECT_NEAR(choice.efficiency * 400, std::max(trees, 400.0), 1e-6) << unit; // or a ring
  }
}

TEST(ChooseCollective, BlackwellReachesTwiceAsMuchInAChannelOfTrees)
{
  // Two machines of eight B200 with NDR cards: 2 x 8 channels, trees at 0.92 x 800 GB/s; Hopper's channels stop at 41.4
  // GB/s each (NCCL, tuning.cc, perChMaxTreeBws), 662 GB/s, Blackwell's at twice that. A tree sends half of it as
  // payload, in 16 ranks 30/16 of that on the bus.
  const CollectiveShape shape{
      .ranks = 16, .nodes = 2, .nvlink = true, .bus_bandwidth = 400_GBps, .inside_bandwidth = 800_GBps, .channels = 8};
  CollectiveTuning tuning = newer_tuning();
  const CollectiveChoice hopper = choose_collective(tuning, shape, 8_GB);
  EXPECT_EQ(hopper.algorithm, "tree");
  EXPECT_NEAR(hopper.efficiency * 400, 16 * 41.4 / 2 * 30 / 16, 1e-6);
  tune_for(tuning, with_units("nvfp4"));
  EXPECT_NEAR(choose_collective(tuning, shape, 8_GB).efficiency * 400, 0.92 * 800 / 2 * 30 / 16, 1e-6);
}

TEST(ChooseCollective, InfiniBandSwitchesAddUpWhatEachNodeSendsOnce)
{
  // Four machines of 8 A100, cards of 200 Gbit/s (24 GB/s each), 240 GB/s of NVLinks: rings use 7 of 8 edges inside,
  // 240 x 8/7 for all of them. Chains in the machines carry the payload up and down: 0.9 x min(NICs, 240 / 2) by NCCL's
  // tuner. With four cards 86 GB/s of payload, with eight 108,
  // which NVLink limits: "~80" and "~110 GB/s" in NCCL issue 320.
  CollectiveTuning tuning;
  tuning.network_reduction = true;
  CollectiveShape shape{.ranks = 32,
                        .nodes = 4,
                        .nvlink = true,
                        .bus_bandwidth = 96_GBps,
                        .inside_bandwidth = 240_GBps * (8.0 / 7),
                        .channels = 4};
  const auto payload_GBps = [&](const CollectiveChoice& choice) {
    return choice.efficiency * shape.bus_bandwidth.value() / 1e9 * 32 / 62;
  };
  const CollectiveChoice four = choose_collective(tuning, shape, 1_GB);
  EXPECT_EQ(four.algorithm, "collnet");
  EXPECT_NEAR(payload_GBps(four), 0.9 * 96, 1e-9);
  EXPECT_NEAR(four.traffic, 32.0 / 62, 1e-12); // each direction of a card carries its part of the payload once
  EXPECT_NEAR(four.latency.value(), (2 * 7 * 4.0 + 10.7) * 1e-6, 1e-12);
  CollectiveTuning slow = tuning; // by 20.4 us
  slow.network_hop = 30_us;
  EXPECT_NEAR(choose_collective(slow, shape, 1_GB).latency.value(), (2 * 7 * 4.0 + 10.7 + 20.4) * 1e-6, 1e-12);
  shape.bus_bandwidth = 192_GBps;
  const CollectiveChoice eight = choose_collective(tuning, shape, 1_GB);
  EXPECT_EQ(eight.algorithm, "collnet");
  EXPECT_NEAR(payload_GBps(eight), 0.9 * 120, 1e-9);
  // One machine has no network; without the plug-in nothing adds up.
  shape.nodes = 1;
  EXPECT_NE(choose_collective(tuning, shape, 1_GB).algorithm, "collnet");
  shape.nodes = 4;
  EXPECT_NE(choose_collective({}, shape, 1_GB).algorithm, "collnet");
}

TEST(ChooseCollective, BothKindsOfSwitchesAddUpFromHopperOn)
{
  // 8 machines of 8 H100 with eight NDR cards: NVSwitches pass 280 GB/s of payload on, the cards 384, GPUs 360. A ring
  // has 360 x 64/126 = 183, trees over NVSwitches 384/2 = 192, chains 360/2 = 180. Of a small payload the tuner counts
  // 25 + 18 us; on two machines trees have 6.8 + 2 x (7 x 0.6 x 1.8 + 5) = 32 us.
  CollectiveTuning tuning = newer_tuning();
  tuning.network_reduction = true;
  CollectiveShape shape{.ranks = 64,
                        .nodes = 8,
                        .nvlink = true,
                        .bus_bandwidth = 360_GBps,
                        .inside_bandwidth = 411_GBps,
                        .channels = 8,
                        .switch_bandwidth = 280_GBps,
                        .node_bandwidth = 384_GBps};
  const CollectiveChoice large = choose_collective(tuning, shape, 8_GB);
  EXPECT_EQ(large.algorithm, "nvls_collnet");
  EXPECT_NEAR(large.efficiency * 360 * 64 / 126, 280, 1e-9);
  EXPECT_EQ(choose_collective(tuning, shape, 1024_B).algorithm, "nvls_collnet");
  CollectiveTuning slow = tuning; // by 20 us, once: into the switches of the network and back
  slow.network_hop = 34_us;
  EXPECT_NEAR((choose_collective(slow, shape, 8_GB).latency - large.latency).value(), 20e-6, 1e-12);
  shape.ranks = 16;
  shape.nodes = 2;
  EXPECT_EQ(choose_collective(tuning, shape, 1024_B).algorithm, "tree");
}

TEST(ChooseCollective, TreesBetweenTwoNodesSendEveryByteOnce)
{
  // 16 GPUs on two nodes, NVLink inside, one NIC of 10 GB/s each. The tuner counts trees at twice the line, 0.9 of it,
  // half of that as payload: 9 GB/s, more than a ring's 10 x 16/30 = 5.3 GB/s. As a ring counts it that is 9 x 30/16 =
  // 16.9 GB/s on the bus of a 10 GB/s line; each direction carries the payload once, a ring would put 30/16 there.
  CollectiveShape shape{
      .ranks = 16, .nodes = 2, .nvlink = true, .bus_bandwidth = 10_GBps, .inside_bandwidth = 100_GBps};
  const CollectiveChoice tree = choose_collective({}, shape, 1_GB);
  EXPECT_EQ(tree.algorithm, "tree");
  EXPECT_EQ(tree.protocol, "simple");
  EXPECT_NEAR(tree.efficiency * 10, 16.875, 1e-9);
  EXPECT_NEAR(tree.traffic, 16.0 / 30, 1e-12);
  // Hosts that carry 11 GB/s inside: 11 x 0.9 / 2 = 4.95 GB/s, less than the ring.
  shape.nvlink = false;
  shape.inside_bandwidth = 11_GBps;
  EXPECT_EQ(choose_collective({}, shape, 1_GB).algorithm, "ring");
  // One rank per node: a ring's n/(2(n-1)) is 1, trees reach 0.9.
  shape.ranks = 2;
  shape.inside_bandwidth = BytesPerSecond{};
  EXPECT_EQ(choose_collective({}, shape, 1_GB).algorithm, "ring");
}

TEST(ChooseTree, FillsItsPipelineWithOneChunkForEachHopUpAndDown)
{
  // 2.26, one H100 in each of two machines over 46 GB/s: one ring counts as two channels of 41.4 GB/s, so the payload
  // goes at min(2 x 46 x 0.92, 2 x 41.4) / 2 = 41.4 GB/s. A chunk of 512 KiB takes 512 KiB / (2 x 41.4 / 2 GB/s)
  // = 12.66 us for a hop: one up, one down. With the start-up of trees and two hops 8.4 + 2 x 14 + 2 x 12.66 = 61.7 us.
  CollectiveShape shape{.ranks = 2, .nodes = 2, .bus_bandwidth = 46_GBps, .inside_bandwidth = 1000_GBps};
  const CollectiveChoice tree = choose_tree(newer_tuning(), shape, 32_MB);
  EXPECT_EQ(tree.protocol, "simple");
  EXPECT_NEAR(tree.latency.value(), 8.4e-6 + 28e-6 + 2 * 524288 / 41.4e9, 1e-12);
  // 512 KiB are two chunks of 256 KiB, one a channel.
  EXPECT_NEAR(choose_tree(newer_tuning(), shape, Bytes{524288}).latency.value(), 8.4e-6 + 28e-6 + 524288 / 41.4e9,
              1e-12);
  // nccl-tests issue 232 prints 4.194 MB in 154.4 us, 8.389 MB in 231.4 us and 33.55 MB in 812.3 us for such machines:
  // the first and the last within a tenth, that between them within 15 %.
  const auto time_of = [&](Bytes payload) {
    return collective_time(choose_tree(newer_tuning(), shape, payload), shape, payload).value();
  };
  EXPECT_NEAR(time_of(4.194304_MB), 154.4e-6, 0.1 * 154.4e-6);
  EXPECT_NEAR(time_of(8.388608_MB), 231.4e-6, 0.15 * 231.4e-6);
  EXPECT_NEAR(time_of(33.554432_MB), 812.3e-6, 0.1 * 812.3e-6);
}

TEST(ChooseCollective, TreesStopAtTheRateOfTheirChannels)
{
  // 2.26, Hopper: 41.4 GB/s per channel on two nodes. One ring of 40 GB/s: its trees run at 80 x 0.92 = 73.6 GB/s; a
  // channel of 80 GB/s is cut into two, which reach 82.8. Without NVLink no LL128: 36.8 GB/s of payload.
  CollectiveShape shape{.ranks = 16, .nodes = 2, .bus_bandwidth = 40_GBps, .inside_bandwidth = 400_GBps};
  EXPECT_NEAR(choose_collective(newer_tuning(), shape, 1_GB).efficiency * 40, 36.8 * 30 / 16, 1e-9);
  // A ring of 24 GB/s is one channel: 44.2 GB/s, cut to 41.4.
  shape.bus_bandwidth = 24_GBps;
  EXPECT_NEAR(choose_collective(newer_tuning(), shape, 1_GB).efficiency * 24, 41.4 / 2 * 30 / 16, 1e-9);
}

TEST(SwitchLoop, IsCutWhereThePayloadFillsFewLoops)
{
  // 16 channels x 8 GPUs = 128 places. One node, chunks of 128 KiB: 1 GiB is 64 loops of 16 MiB, not fewer; 64 MiB is
  // 4, so 64 KiB a chunk, and then 8 of 8 MiB, not fewer; 1 MiB goes down to 16 KiB a chunk, 2 MiB.
  CollectiveShape shape{.ranks = 8, .nodes = 1};
  CollectiveTuning tuning = newer_tuning();
  EXPECT_EQ(switch_loop(tuning, shape, Bytes{1024.0 * MiB}), Bytes{16 * MiB});
  EXPECT_EQ(switch_loop(tuning, shape, Bytes{64 * MiB}), Bytes{8 * MiB});
  EXPECT_EQ(switch_loop(tuning, shape, Bytes{1 * MiB}), Bytes{2 * MiB});
  // Blackwell: 24 channels x 8 GPUs = 192 places in one node, 32 x 8 = 256 of 64 KiB in each of eight.
  CollectiveTuning blackwell = newer_tuning();
  tune_for(blackwell, with_units("nvfp4"));
  EXPECT_EQ(switch_loop(blackwell, shape, Bytes{2048.0 * MiB}), Bytes{24 * MiB});
  EXPECT_EQ(switch_loop(blackwell, {.ranks = 64, .nodes = 8}, Bytes{1024.0 * MiB}), Bytes{16 * MiB});
  // A rack of 72: 32 of them add up, in 24 x 32 = 768 places. 8 GiB are 85 loops of 96 MiB; 4 GiB 43, so 64 KiB.
  const CollectiveShape rack{.ranks = 72, .nodes = 1};
  EXPECT_EQ(switch_loop(blackwell, rack, Bytes{8192.0 * MiB}), Bytes{96 * MiB});
  EXPECT_EQ(switch_loop(blackwell, rack, Bytes{4096.0 * MiB}), Bytes{48 * MiB});
  // Eight nodes: 64 KiB from the start.
  shape = {.ranks = 64, .nodes = 8};
  EXPECT_EQ(switch_loop(tuning, shape, Bytes{1024.0 * MiB}), Bytes{8 * MiB});
  // Two nodes with chunks of 512 KiB: 2 GiB is 32 loops of 64 MiB; 1 GiB 16, so 256 KiB; 4 MiB less than one of 64 KiB.
  shape = {.ranks = 16, .nodes = 2};
  tuning.switch_chunk = Bytes{0.5 * MiB};
  EXPECT_EQ(switch_loop(tuning, shape, Bytes{2048.0 * MiB}), Bytes{64 * MiB});
  EXPECT_EQ(switch_loop(tuning, shape, Bytes{1024.0 * MiB}), Bytes{32 * MiB});
  EXPECT_EQ(switch_loop(tuning, shape, Bytes{4 * MiB}), Bytes{4 * MiB});
}

TEST(SwitchFilling, CountsTheStagesThatALoopPassesOneAfterAnother)
{
  // One node: scatter, add up and give back, gather. 64 MiB in loops of 8 MiB at 280 GB/s: 2 x 29.96 us.
  const CollectiveTuning tuning = newer_tuning();
  CollectiveShape shape{.ranks = 8, .nodes = 1, .switch_bandwidth = 280_GBps};
  EXPECT_NEAR(switch_filling(tuning, shape, Bytes{64 * MiB}, 280_GBps).value(), 2 * 8 * MiB / 280e9, 1e-12);
  // A payload below one loop passes whole: 1 MiB.
  EXPECT_NEAR(switch_filling(tuning, shape, Bytes{1 * MiB}, 280_GBps).value(), 2 * 1 * MiB / 280e9, 1e-12);
  // Eight nodes at 184 GB/s: 4 x 8 MiB / 280 + 8 MiB / 368 - 8 MiB / 184 = 119.8 + 22.8 - 45.6 = 97.0 us.
  shape = {.ranks = 64, .nodes = 8, .switch_bandwidth = 280_GBps, .node_bandwidth = 368_GBps};
  EXPECT_NEAR(switch_filling(tuning, shape, 1_GB, 184_GBps).value(), 97.0e-6, 0.1e-6);
}

TEST(SwitchReduction, NeedsMoreThanTwoGpus)
{
  EXPECT_EQ(switch_reduction_rate(450_GBps, 0.85, 2), BytesPerSecond{});
  EXPECT_NEAR(switch_reduction_rate(450_GBps, 0.8, 3).value(), 270e9, 1); // 450 x 0.8 x 3/4
  EXPECT_NEAR(switch_reduction_rate(900_GBps, 0.75, 72).value(), 675e9 * 32 / 33, 1);
}

TEST(ChooseCollective, ATunerThatIsToldALatencyStaysWithLowLatencyProtocolsForLonger)
{
  // Two nodes of 8 H100, 16 MiB. The tuner alone: NVSwitches 25 + 2 x 20.9 + S/280 GB/s = 126.7 us; trees of
  // LL128 14 + 14 x 1.25 + 2 x 8 + S/(0.9 x 146.8 GB/s) = 174.5 us, where 8 channels of 36.7 GB/s each count half.
  const CollectiveShape shape{.ranks = 16,
                              .nodes = 2,
                              .nvlink = true,
                              .bus_bandwidth = 368_GBps,
                              .inside_bandwidth = 400_GBps,
                              .channels = 8,
                              .switch_bandwidth = 280_GBps,
                              .node_bandwidth = 368_GBps};
  CollectiveTuning tuning = newer_tuning();
  EXPECT_EQ(choose_collective(tuning, shape, Bytes{16 * MiB}).algorithm, "nvls_tree");
  // Told 75 us: 2 x 2 x 75 more for the switches, 426.7 us, 2 x 75 for LL128, 324.5 us; a ring of LL128 takes
  // 14 + 28 x 1.9 + 2 x 79 + S/156.6 GB/s = 332.3 us.
  tuning.plugin_latency = 75_us;
  const CollectiveChoice told = choose_collective(tuning, shape, Bytes{16 * MiB});
  EXPECT_EQ(told.algorithm, "tree");
  EXPECT_EQ(told.protocol, "LL128");
  EXPECT_NEAR(told.efficiency * 368, 146.8 * 1.875, 1e-9);
  // What it takes is not what the tuner was told: 47.5 us and the filling, S/36.6 GB/s x (1/0.9 - 1) = 50.9 us.
  EXPECT_NEAR(told.latency.value(), 47.5e-6 + 16 * MiB / 36.6e9 / 9, 1e-9);
  // From 64 MiB on the switches all the same.
  EXPECT_EQ(choose_collective(tuning, shape, Bytes{64 * MiB}).algorithm, "nvls_tree");
}

TEST(CollectiveTime, IsLatencyPlusTwiceThePayloadThroughTheBus)
{
  // 2 x 3/4 x 100 MB / 10 GB/s = 15 ms.
  const CollectiveChoice choice{.latency = 1_ms};
  EXPECT_NEAR(collective_time(choice, {.ranks = 4, .bus_bandwidth = 10_GBps}, 100_MB).value(), 16e-3, 1e-12);
}

TEST(CollectiveTuning, ASlowNetworkIsSlowForShortMessagesToo)
{
  Settings settings;
  settings.set("network_hop_latency", 96e-6);
  const CollectiveTuning tuning = collective_tuning(settings);
  EXPECT_NEAR(tuning.network_hop.value(), 96e-6, 1e-12);
  EXPECT_NEAR(tuning.network_hop_ll.value(), 91.4e-6, 1e-12);
  // A tree of the simple protocol over two nodes passes the network twice: 2 x 86.4 us more.
  CollectiveTuning listed, slow = tuning;
  listed.only_simple = slow.only_simple = true;
  const CollectiveShape shape{.ranks = 2, .nodes = 2, .bus_bandwidth = 10_GBps};
  EXPECT_NEAR((choose_tree(slow, shape, 8_B).latency - choose_tree(listed, shape, 8_B).latency).value(), 172.8e-6,
              1e-12);
}

TEST(CollectiveTuning, NewerGpusComeWithANewerLibraryUnlessTheScenarioSaysWhichOne)
{
  // 16 ranks on 2 nodes, 8 B by a tree of LL: 6.8 + 2 x (7 x 0.6 x 1.8 + 1 x 5) = 31.92 us with the constants
  // of 2.26. With those of 2.7 the tuner counts 7 x 0.5 x 1.8 inside, but a hop of LL takes 1 us: 4.4 + 2 x (7 + 5) =
  // 28.4 us.
  const CollectiveShape shape{.ranks = 16, .nodes = 2, .nvlink = true, .bus_bandwidth = 300_GBps};
  const auto latency = [&](const Settings& settings, bool newer) {
    return choose_collective(collective_tuning(settings, newer), shape, 8_B).latency.value();
  };
  Settings old;
  old.set("library_version", "2.7");
  Settings recent;
  recent.set("library_version", "2.26");
  EXPECT_NEAR(latency({}, false), 28.4e-6, 1e-12);
  EXPECT_NEAR(latency({}, true), 31.92e-6, 1e-12);
  EXPECT_NEAR(latency(old, true), 28.4e-6, 1e-12);
  EXPECT_NEAR(latency(recent, false), 31.92e-6, 1e-12);
  // A ring of 2 x 15 hops, 2 of them between the nodes, from 64 KiB on 1.4 times: 1.4 x (8.4 + 28 x 3.4 + 2 x 14).
  EXPECT_NEAR(ring_latency(collective_tuning({}, true), shape, 1_GB).value(), (1.4 * (8.4 + 28 * 3.4 + 2 * 14)) * 1e-6,
              1e-12);
}

TEST(RingLatency, NoHopIsFasterThanAProcessorHandsItsStepToANic)
{
  // 16 ranks on two nodes: 2 x 15 hops, two of them between. NCCL 2.26: 8.4 + 28 x 3.4 + 2 x 14 = 131.6 us beside
  // Intel's processors (3 x 1 us is less than 3.4), 8.4 + 28 x 6 + 2 x 14 = 204.4 us beside AMD's (3 x 2 us).
  const CollectiveShape shape{.ranks = 16, .nodes = 2, .nvlink = true, .bus_bandwidth = 300_GBps};
  CollectiveTuning tuning = newer_tuning();
  EXPECT_NEAR(ring_latency(tuning, shape, 8_B).value(), 131.6e-6, 1e-12);
  tuning.network_post = 2_us;
  EXPECT_NEAR(ring_latency(tuning, shape, 8_B).value(), 204.4e-6, 1e-12);
}

TEST(ChooseGather, PassesEachPartRoundTheRingOnce)
{
  // NCCL 2.26, 512 GPUs in 64 machines: 511 hops, 63 of them between machines. 8 B by LL: 6.6 + 448 x 0.6 x 1.8 +
  // 63 x 5 = 805.4 us. 1 GB by the simple protocol: 8.4 + 448 x 3.4 + 63 x 14 = 2,413.6 us, without the plateau of
  // all-reduces, and 511/512 x 1 GB / 370 GB/s.
  const CollectiveShape shape{.ranks = 512, .nodes = 64, .nvlink = true, .bus_bandwidth = 370_GBps};
  const CollectiveChoice small = choose_gather(newer_tuning(), shape, 8_B);
  EXPECT_EQ(small.protocol, "LL");
  EXPECT_NEAR(small.latency.value(), 805.44e-6, 1e-9);
  const CollectiveChoice large = choose_gather(newer_tuning(), shape, 1_GB);
  EXPECT_EQ(large.protocol, "simple");
  EXPECT_NEAR(large.latency.value(), 2413.6e-6, 1e-9);
  EXPECT_NEAR(gather_time(large, shape, 1_GB).value(), 2413.6e-6 + 511.0 / 512 / 370, 1e-9);
}

TEST(ChooseGather, TakesParallelTreesWithOneGpuPerNode)
{
  // 512 machines: 8 + 512 x 2.8 + 9 x 14 / 3.5 = 1,477.6 us and 100 MB / (0.75 x 50 GB/s). A ring has 511 hops of
  // 14 us, by LL of 5 us. 1 GB: 1.5 + 26.7 = 28.2 ms, by the ring 7.2 + 20.0 = 27.1 ms.
  const CollectiveShape shape{.ranks = 512, .nodes = 512, .bus_bandwidth = 50_GBps};
  const CollectiveChoice trees = choose_gather(newer_tuning(), shape, 100_MB);
  EXPECT_EQ(trees.algorithm, "parallel_trees");
  EXPECT_NEAR(gather_time(trees, shape, 100_MB).value(), 1477.6e-6 + 0.1 / 37.5, 1e-9);
  EXPECT_EQ(choose_gather(newer_tuning(), shape, 1_GB).algorithm, "ring");
  EXPECT_EQ(choose_gather({}, shape, 100_MB).algorithm, "ring"); // NCCL 2.7
  EXPECT_EQ(choose_gather(newer_tuning(), {.ranks = 512, .nodes = 256, .bus_bandwidth = 50_GBps}, 8_B).algorithm,
            "ring");
}

TEST(ExchangeStartUp, HandsEachNodeOneMessageOfAllItsGpus)
{
  // 4,096 GPUs, 512 machines. A NIC gets 511 messages, one for each other machine: 8.4 + 14 + 511 x 3 us =
  // 1,555.4 us for 8 B. 4.096 GB: a message of 8 GPUs takes 8 MB / (50 GB/s) = 160 us, longer than handing it over.
  const CollectiveShape shape{
      .ranks = 4096, .nodes = 512, .nvlink = true, .bus_bandwidth = 370_GBps, .node_bandwidth = 400_GBps};
  EXPECT_NEAR(exchange_start_up(newer_tuning(), shape, 8_B).value(), 1555.4e-6, 1e-8);
  EXPECT_NEAR(exchange_start_up(newer_tuning(), shape, Bytes{4.096e9}).value(), 22.4e-6, 1e-9);
  // NCCL 2.7 has a message for each GPU: 8.4 + 9.6 + 4,088 x 3 us.
  EXPECT_NEAR(exchange_start_up({}, shape, 8_B).value(), 12282e-6, 1e-8);
  EXPECT_NEAR(exchange_start_up({}, {.ranks = 8, .nvlink = true, .bus_bandwidth = 370_GBps}, 8_B).value(), 11.8e-6,
              1e-9);
}

TEST(ChooseCollective, TakesTheSimpleProtocolAloneWhereDataComeOutOfOrder)
{
  // NCCL 2.26, 64 GPUs in 8 machines, a tree: 8.4 + 2 x 7 x 4 + 2 x 3 x 14 = 148.4 us; by LL 6.8 + 14 x 0.6 x
  // 1.8 + 6 x 5 = 51.9 us.
  const CollectiveShape shape{.ranks = 64, .nodes = 8, .nvlink = true, .bus_bandwidth = 40_GBps};
  Settings settings;
  settings.set("library_version", std::string{"2.26"});
  EXPECT_NEAR(choose_collective(collective_tuning(settings), shape, 8_B).latency.value(), 51.92e-6, 1e-8);
  settings.set("protocols", std::string{"simple"});
  const CollectiveChoice choice = choose_collective(collective_tuning(settings), shape, 8_B);
  EXPECT_EQ(choice.protocol, "simple");
  EXPECT_NEAR(choice.latency.value(), 148.4e-6, 1e-8);
}

TEST(ExpectedMaximum, MatchesTheOrderStatisticsOfTheNormal)
{
  EXPECT_EQ(expected_maximum(1), 0);
  EXPECT_NEAR(expected_maximum(2), 0.5642, 0.03); // 1/sqrt(pi)
  EXPECT_NEAR(expected_maximum(4), 1.0294, 0.03);
  EXPECT_NEAR(expected_maximum(8), 1.4236, 0.02);
  EXPECT_NEAR(expected_maximum(32), 2.0697, 0.02);
}

} // namespace
} // namespace trainyard
