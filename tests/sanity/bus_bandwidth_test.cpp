// SPDX-License-Identifier: Apache-2.0
// All-reduce of machines that a scenario only names: GPU, number, network. Bands come from published nccl-tests or from
// what must hold whatever the numbers are.
#include "sim/run/simulate.hpp"

#include "models/core/data_folder.hpp"
#include "models/hardware/catalogue.hpp"
#include "models/scenario/document.hpp"
#include "tests/support/checked_points.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <string>
#include <vector>

namespace trainyard {
namespace {

/// Bus bandwidth in GB/s as nccl-tests counts it: 2 (n-1)/n x payload / time. @p network: the keys of
/// `cluster.network`.
double bus_bandwidth(const std::string& gpu, int gpus, int nodes, const std::string& network, double bytes,
                     int seed = 1, const std::string& transport = "nccl")
{
  const int ranks = gpus * nodes;
  const std::string text =
      fmt::format("trainyard: 1\n"
                  "cluster:\n"
                  "  node_types: {{m: {{gpu: {}, gpus: {}}}}}\n"
                  "  nodes: [{{name: m, type: m, count: {}}}]\n"
                  "  network: {{{}}}\n"
                  "jobs: [{{name: j, model: {{name: one_tensor, elements: {}}}, workers: {}, batch_per_gpu: 1,\n"
                  "        precision: fp32, training: {{mode: one_collective, transport: {}}}}}]\n"
                  "run: {{fidelity: fluid, seed: {}}}\n",
                  gpu, gpus, nodes, network, bytes / 4, ranks, transport, seed);
  const std::vector<CheckedPoint> points = tests::checked_points(text, "machines.yaml");
  const Results results = simulate(points);
  return 2.0 * (ranks - 1) / ranks * bytes / results.jobs.at(0).step_s.mean / 1e9;
}

constexpr double GiB = 1 << 30;

// nccl-tests on a V100 of 16 GB: 6 GiB to send and 6 to receive fit; gradients and the states of an optimiser, which a
// training of as many parameters keeps, would not. 10 GiB twice do not fit either.
TEST(BusBandwidth, OneCollectiveHoldsItsPayloadTwiceAndNothingElse)
{
  EXPECT_NEAR(bus_bandwidth("V100-SXM2-16GB", 8, 1, "topology: star", 6 * GiB), 136, 0.1 * 136); // as below
  EXPECT_THROW(bus_bandwidth("V100-SXM2-16GB", 8, 1, "topology: star", 10 * GiB), InputError);
}

struct Published {
  const char* gpu;
  double GBps; // one machine of eight GPUs, 1 GiB and more
};

class OneMachine : public testing::TestWithParam<Published>
{
};

TEST_P(OneMachine, ReachesWhatNcclTestsReach)
{
  // V100: DGX-1, NCCL measurements of 1 GiB; A100: the same table (tests/data/catalogue/nccl_summary.csv). H100, H200,
  // B200: 8 GiB and more with reduction in the switches, ml-engineering and dgxc-benchmarking
  // (tests/data/catalogue/network_catalogue.csv).
  EXPECT_NEAR(bus_bandwidth(GetParam().gpu, 8, 1, "topology: star", 4 * GiB) / GetParam().GBps, 1, 0.07);
}

INSTANTIATE_TEST_SUITE_P(Boards, OneMachine,
                         testing::Values(Published{"V100-SXM2-16GB", 134.5}, Published{"A100-SXM4-40GB", 229},
                                         Published{"H100-SXM5", 480}, Published{"H200-SXM", 473},
                                         Published{"B200-SXM", 838}),
                         [](const auto& test) { return std::string{test.param.gpu}.substr(0, 4); });

TEST(Machines, BlackwellFillsItsSwitchesWithMoreChannels)
{
  // 24 channels x 8 GPUs x 128 KiB: two loops of 24 MiB fill and empty the pipeline (16 channels on Hopper). 18 links
  // of 40.1 GB/s, 0.74 of them with reduction, 9/8 of the payload (NCCL 2.26, src/graph/topo.h and tuning.cc); a hop of
  // 25 us.
  const double rate = 18 * 40.1e9 * 0.74 * 8 / 9;
  const double seconds = 25e-6 + (2 * GiB + 2 * 24 * 1048576.0) / rate;
  EXPECT_NEAR(bus_bandwidth("B200-SXM", 8, 1, "topology: star", 2 * GiB) * seconds / (1.75 * 2 * GiB / 1e9), 1, 0.002);
}

TEST(Machines, PcieCarriesWhatNcclCountsOn)
{
  // NCCL 2.26, src/graph/topo.h: 12 GB/s of 16 lanes of PCIe 3; from socket to socket 6 GB/s up to Broadwell, 10 with
  // Skylake. A ring through all GPUs of two sockets passes from one to the other once in each direction.
  EXPECT_NEAR(bus_bandwidth("M40, intra: pcie_switch", 8, 1, "topology: star", GiB), 12, 0.1);
  EXPECT_NEAR(bus_bandwidth("M40", 8, 1, "topology: star", GiB), 6, 0.1);
  EXPECT_NEAR(bus_bandwidth("T4", 4, 1, "topology: star", GiB), 10, 0.1);
  EXPECT_NEAR(bus_bandwidth("T4, peer_bandwidth: 4 GB/s", 4, 1, "topology: star", GiB), 4, 0.1);
}

TEST(Machines, EightFullyJoinedGpusUseAllSevenLinks)
{
  // Seven rings that share no link, 48 GB/s each (ROCm blog "Understanding RCCL Bandwidth and xGMI Performance on AMD
  // Instinct MI300X", 2025); between two of them one link.
  EXPECT_NEAR(bus_bandwidth("MI300X", 8, 1, "topology: star", GiB), 7 * 48, 5); // start-up included
  EXPECT_NEAR(bus_bandwidth("MI300X", 2, 1, "topology: star", GiB), 48, 1);
}

TEST(Machines, ShortMessagesTakeWhatNcclTestsMeasure)
{
  // Two and four machines of eight H100 and eight InfiniBand cards, 1 KiB: 29.75 and 39.79 us (nccl-tests issue 309,
  // NCCL 2.26.2). Collectives that follow one another do not wait for their launch.
  const double KiB = 1024;
  EXPECT_NEAR(30.0 / 16 * KiB / 1e9 / bus_bandwidth("H100-SXM5", 8, 2, "topology: rail", KiB), 29.75e-6, 3e-6);
  EXPECT_NEAR(62.0 / 32 * KiB / 1e9 / bus_bandwidth("H100-SXM5", 8, 4, "topology: rail", KiB), 39.79e-6, 3e-6);
}

TEST(Machines, EightOfEightH100ReachWhatNcclTestsReach)
{
  // 64 GPUs with eight NICs of 400 Gbit/s to a machine, 0.5 to 8 GiB: 356 to 387 GB/s (nccl-tests of
  // coreweave/nccl-tests, README).
  EXPECT_NEAR(bus_bandwidth("H100-SXM5", 8, 8, "topology: rail", 8 * GiB), 387, 0.04 * 387);
  EXPECT_NEAR(bus_bandwidth("H100-SXM5", 8, 8, "topology: rail", 0.5 * GiB), 356, 0.04 * 356);
}

TEST(Machines, InfiniBandLeavesNcclMoreThanEthernet)
{
  // Packets of 4 KiB have 26 B of headers: 0.994 of the line; then the slot of the card is the limit, 12 GB/s of PCIe 3
  // and 24 of PCIe 4 (NCCL, src/graph/topo.h). Measured: 12.2 GB/s with one EDR card and 48 with the four of a DGX-1
  // ("as good as you can get", NVIDIA/nccl-tests issue 29), 192 with the eight HDR cards of a DGX A100 (NVIDIA/nccl
  // issue 812). RoCE with frames of 1,500 B has 1,024 B in 1,106.
  EXPECT_NEAR(bus_bandwidth("V100-PCIe-16GB", 1, 4, "topology: star, link: IB-EDR", 4 * GiB), 12.2, 0.03 * 12.2);
  EXPECT_NEAR(bus_bandwidth("V100-SXM2-16GB, nics: 4", 8, 4, "topology: star, link: IB-EDR", 4 * GiB), 48, 0.02 * 48);
  EXPECT_NEAR(bus_bandwidth("A100-SXM4-40GB", 8, 4, "topology: star", 8 * GiB), 192, 0.02 * 192);
  EXPECT_NEAR(bus_bandwidth("A100-PCIe-40GB", 1, 4, "topology: star, link: IB-EDR", 4 * GiB), 12.5 * 0.994, 0.06);
  EXPECT_NEAR(bus_bandwidth("A100-PCIe-40GB", 1, 4, "topology: star, link: 100GbE", 4 * GiB), 12.5 * 0.92, 0.06);
}

TEST(Machines, TwoOfThemAreLimitedByTheirSwitchesOnly)
{
  // Two machines with 3,200 Gbit/s each: 466 to 487 GB/s from 4 GiB on (awsome-distributed-training, nccl-tests). One
  // ring is limited to the NICs' 400 GB/s; trees between two machines send every byte once.
  EXPECT_NEAR(bus_bandwidth("H100-SXM5", 8, 2, "topology: star", 16 * GiB) / 487, 1, 0.1);
}

TEST(Machines, InfiniBandSwitchesThatAddUpHelpOverSeveralMachines)
{
  // Algorithm bandwidth of DGX A100 with SHARP: some 80 GB/s with four HDR cards, 110 with eight, where NVLink is the
  // limit (NVIDIA/nccl issue 320, of 2020: NCCL 2.7); 192/2 without.
  const auto payload_GBps = [](const std::string& gpu, const std::string& setting) {
    return bus_bandwidth(gpu, 8, 8, "topology: star", 8 * GiB, 1, "nccl, library_version: 2.7, " + setting) * 64 / 126;
  };
  EXPECT_NEAR(payload_GBps("A100-SXM4-40GB", "network_reduction: true"), 110, 0.05 * 110);
  EXPECT_NEAR(payload_GBps("A100-SXM4-40GB, nics: 4", "network_reduction: true"), 80, 0.1 * 80);
  EXPECT_NEAR(payload_GBps("A100-SXM4-40GB", "network_reduction: false"), 96 * 64.0 / 63, 0.03 * 96);
  EXPECT_THROW(
      bus_bandwidth("A100-SXM4-40GB", 8, 8, "topology: star, link: 200GbE", GiB, 1, "nccl, network_reduction: true"),
      InputError); // no such switches of Ethernet
}

class Generation : public testing::TestWithParam<const char*>
{
};

TEST_P(Generation, RailsAndNonBlockingTreesAreAsFastAsOneSwitch)
{
  for (const int nodes : {2, 3, 5, 8, 64})
    for (const double bytes : {4e6, 256e6, 4 * GiB}) {
      const double star = bus_bandwidth(GetParam(), 8, nodes, "topology: star", bytes);
      for (const char* topology : {"rail", "fat_tree", "leaf_spine"})
        EXPECT_NEAR(
            bus_bandwidth(GetParam(), 8, nodes, fmt::format("topology: {}, routing: adaptive", topology), bytes) / star,
            1, 0.02)
            << topology << " of " << nodes << ", " << bytes << " B";
      for (const char* topology : {"torus", "dragonfly"})
        EXPECT_LE(bus_bandwidth(GetParam(), 8, nodes, fmt::format("topology: {}", topology), bytes) / star, 1.02)
            << topology << " of " << nodes << ", " << bytes << " B";
    }
}

INSTANTIATE_TEST_SUITE_P(Boards, Generation, testing::Values("A100-SXM4-80GB", "H100-SXM5", "B200-SXM"),
                         [](const auto& test) { return std::string{test.param}.substr(0, 4); });

TEST(Networks, OneStreamOfTcpIsLimitedByTheCoreThatCopiesIt)
{
  // A core fills 40 Gbit/s, not 100 (Cai et al., SIGCOMM 2021), and adds up half of what passes at 4.2 GB/s: Gloo
  // passes 2 x 7/8 x S through one socket of 3.1 GB/s a pair, after a copy of S from each GPU and before one back, 26
  // GB/s each with 16 lanes of PCIe 4: S (1.75/3.1 + 2/26).
  const double slow = bus_bandwidth("A100-PCIe-40GB", 1, 8, "topology: star, link: 100GbE", GiB, 1, "gloo");
  EXPECT_NEAR(slow, 1.75 / (1.75 / 3.1 + 2.0 / 26), 0.05 * slow);
  EXPECT_NEAR(bus_bandwidth("A100-PCIe-40GB", 1, 8, "topology: star, link: 400GbE", GiB, 1, "gloo") / slow, 1, 1e-3);
  EXPECT_GT(bus_bandwidth("A100-PCIe-40GB", 1, 8, "topology: star, link: 100GbE", GiB), 11); // RDMA
}

TEST(Networks, RingsStayOnTheirRails)
{
  // Rails are not joined at all: whatever crossed them would have no way. An odd number of machines closes its rings
  // too.
  for (const int nodes : {2, 3, 5, 8})
    EXPECT_GT(bus_bandwidth("H100-SXM5", 8, nodes, "topology: rail, spine: false", 4 * GiB), 330) << nodes;
}

TEST(Networks, MoreOversubscriptionIsNeverFaster)
{
  for (const char* link : {"IB-NDR", "400GbE"})
    for (const int seed : {1, 2, 3}) {
      double before = 1e9;
      for (const int oversubscription : {1, 2, 4, 8, 16}) {
        const double now = bus_bandwidth(
            "H100-SXM5", 8, 16,
            fmt::format("topology: leaf_spine, link: {}, oversubscription: {}", link, oversubscription), GiB, seed);
        EXPECT_LE(now, before * 1.001) << link << " " << oversubscription << ":1, seed " << seed;
        before = now;
      }
    }
}

TEST(Networks, HashedPathsDependOnTheSeedAndNeverBeatAdaptiveOnes)
{
  const double adaptive = bus_bandwidth(
      "H100-SXM5", 8, 16, "topology: leaf_spine, link: 400GbE, oversubscription: 4, routing: adaptive", GiB);
  std::vector<double> hashed;
  for (const int seed : {1, 2, 7}) // most seeds let three flows meet, the seventh two at most
    hashed.push_back(
        bus_bandwidth("H100-SXM5", 8, 16, "topology: leaf_spine, link: 400GbE, oversubscription: 4", GiB, seed));
  EXPECT_LE(*std::ranges::max_element(hashed), adaptive * 1.001);
  EXPECT_LT(*std::ranges::min_element(hashed), 0.9 * *std::ranges::max_element(hashed));
}

TEST(Machines, LargerMessagesAreNeverSlowerPerByte)
{
  for (const char* gpu : {"V100-SXM2-16GB", "A100-SXM4-80GB", "H100-SXM5", "B200-SXM"})
    for (const int nodes : {1, 2, 8}) {
      double before = 0;
      for (const double bytes : {1e6, 4e6, 16e6, 64e6, 256e6, 1e9, 4e9}) {
        const double now = bus_bandwidth(gpu, 8, nodes, "topology: star", bytes);
        EXPECT_GE(now, before * 0.999) << gpu << " x " << nodes << ", " << bytes << " B";
        before = now;
      }
    }
}

TEST(Machines, EveryGpuOfTheCatalogueRunsByItsNameAlone)
{
  // Bus bandwidth of a ring is at most what one GPU's links carry in one direction; reduction in the switches reaches 2
  // (n-1)/(n+1) of it. From below: half of the links' rate (NVLink); one NIC or PCIe link of the slowest kind, 1 GB/s.
  const Catalogue catalogue = load_catalogue(data_folder());
  const std::map<int, double> nvlink_GBps{{1, 20}, {2, 25}, {3, 25}, {4, 25}, {5, 50}};
  for (const auto& [name, gpu] : catalogue.gpus) {
    const Board& board = gpu.board;
    // Of a machine; a mesh has a link to each other GPU.
    const int gpus = board.intra == "full_mesh" || board.gpus == 1 ? board.gpus : 8;
    const double given = board.nvlink_bandwidth.value() / 1e9;    // of a link, where the board says it
    const double bytes = gpu.memory < Bytes{4e9} ? GiB / 8 : GiB; // memory on the chip
    const double links = board.intra.starts_with("pcie") ? 0
                         : board.intra == "full_mesh"
                             ? (gpus - 1) * (given > 0 ? given : 64)
                             : (given > 0 ? given : nvlink_GBps.at(board.nvlink_generation)) * board.nvlinks;
    const double pcie = catalogue.links.at(board.pcie).bandwidth.value() / 1e9;
    const double eight = bus_bandwidth(name, gpus, 8, "topology: star", bytes);
    if (gpus > 1) {
      const double one = bus_bandwidth(name, gpus, 1, "topology: star", bytes);
      EXPECT_LT(one, links > 0 ? 1.3 * links : pcie) << name;
      EXPECT_GT(one, links > 0 ? 0.5 * links : 1) << name;
    }
    const double nics =
        board.nics > 0 ? 1.0 * gpus * board.nics / board.gpus * catalogue.links.at(board.nic).bandwidth.value() / 1e9
                       : 1.25;
    EXPECT_LT(eight, nics) << name;
    EXPECT_GT(eight, 0.7 * (links > 0 ? std::min(nics, links) : nics)) << name;
  }
}

TEST(Machines, AnNvl72RackIsOneMachine)
{
  // 72 GPUs behind one layer of NVSwitches: 835 to 839 GB/s from 4 GiB on (coreweave/nccl-tests, README); nothing else
  // limits it here, so the band is as wide as the library's own estimate is away.
  const double reached = bus_bandwidth("GB200", 72, 1, "topology: star", 8 * GiB);
  EXPECT_GT(reached, 838 * 0.9);
  EXPECT_LT(reached, 838 * 1.3);
}

// 1 kB among 64 H100 with InfiniBand, by NCCL's tuning (2.26): bytes take less than a microsecond.
double start_up_us(const std::string& operation, int gpus = 8)
{
  const std::vector<CheckedPoint> points = tests::checked_points(
      fmt::format("trainyard: 1\n"
                  "cluster:\n"
                  "  node_types: {{m: {{gpu: H100-SXM5, gpus: {0}, nics: {0}}}}}\n"
                  "  nodes: [{{name: m, type: m, count: {1}}}]\n"
                  "  network: {{topology: star, link: IB-NDR}}\n"
                  "jobs: [{{name: j, model: {{name: one_tensor, elements: 250}}, workers: 64, batch_per_gpu: 1,\n"
                  "        precision: fp32, training: {{mode: one_collective, operation: {2}}}}}]\n"
                  "run: {{fidelity: closed_form}}\n",
                  gpus, 64 / gpus, operation),
      "machines.yaml");
  return simulate(points).jobs.at(0).step_s.mean * 1e6;
}

TEST(StartUp, IsThatOfTheOperation)
{
  EXPECT_NEAR(start_up_us("all_reduce"), 6.8 + 2 * (7 * 0.6 * 1.8 + 3 * 5), 1); // tree, LL
  const double ring = 6.6 + 56 * 0.6 * 1.8 + 7 * 5;                             // LL, once round: 102 us
  EXPECT_NEAR(start_up_us("all_gather"), ring, 1);
  EXPECT_NEAR(start_up_us("reduce_scatter"), ring, 1);
  EXPECT_NEAR(start_up_us("broadcast"), ring, 1);
  EXPECT_NEAR(start_up_us("all_to_all"), 8.4 + 14 + 7 * 3, 1); // a message to each other machine: 43 us
}

/// Step of an all-to-all of 8 GB for each GPU.
double all_to_all_s(const std::string& machine, int gpus, const std::string& more, const std::string& fidelity)
{
  const std::vector<CheckedPoint> points = tests::checked_points(
      fmt::format(
          "trainyard: 1\n"
          "cluster:\n"
          "  node_types: {{m: {{{}, gpus: 8, nics: 8}}}}\n"
          "  nodes: [{{name: m, type: m, count: {}}}]\n"
          "  network: {{topology: star, link: IB-NDR}}\n"
          "jobs: [{{name: j, model: {{name: one_tensor, elements: 2000000000}}, workers: {}, batch_per_gpu: 1,\n"
          "        precision: fp32, training: {{mode: one_collective, operation: all_to_all{}}}}}]\n"
          "run: {{fidelity: {}}}\n",
          machine, gpus / 8, gpus, more, fidelity),
      "machines.yaml");
  return simulate(points).jobs.at(0).step_s.mean;
}

// NCCL's all-to-all is one group of sends and receives to all peers (ncclAlltoAll; src/enqueue.cc has eight of them at
// work in a channel, and channels of their own for other machines), so that every link works all the time.
TEST(AllToAll, SendsToAllPeersAtOnce)
{
  for (const std::string fidelity : {"closed_form", "fluid", "flow"}) {
    SCOPED_TRACE(fidelity);
    // Each MI300X has a link of 48 GB/s (of 64, ROCm blog on xGMI) to each of seven others, for an eighth of its bytes.
    const double mesh = 8e9 / 8 / 48e9;
    EXPECT_NEAR(all_to_all_s("gpu: MI300X", 8, "", fidelity), mesh, 0.01 * mesh);
    // Of two machines each GPU sends half of its bytes over its card of 50 GB/s, meanwhile the rest over NVLink.
    const double half = 8e9 / 2 / 50e9;
    EXPECT_NEAR(all_to_all_s("gpu: H100-SXM5", 16, "", fidelity), half, 0.1 * half);
    // Behind switches the links of the GPU decide, in rounds and at once: 7/8 of the bytes at 450 GB/s less what
    // NVLink's packets need.
    const double inside = all_to_all_s("gpu: H100-SXM5", 8, "", fidelity);
    EXPECT_GT(inside, 7.0 / 8 * 8e9 / 450e9);
    EXPECT_NEAR(inside, all_to_all_s("gpu: H100-SXM5", 8, ", library_version: '2.7'", fidelity), 1e-3 * inside);
  }
}

/// What is exposed of an all-reduce of 1 kB among 64 H100, after the computing.
double exposed_us(const std::string& collective)
{
  const std::vector<CheckedPoint> points = tests::checked_points(
      fmt::format("trainyard: 1\n"
                  "cluster:\n"
                  "  node_types: {{m: {{gpu: H100-SXM5, gpus: 8, nics: 8}}}}\n"
                  "  nodes: [{{name: m, type: m, count: 8}}]\n"
                  "  network: {{topology: star, link: IB-NDR}}\n"
                  "jobs: [{{name: j, model: {{name: one_tensor, elements: 250}}, workers: 64, batch_per_gpu: 1,\n"
                  "        single_gpu_step: 1 ms, precision: fp32, training: {{mode: all_reduce, spread: none, fusion: "
                  "single,\n"
                  "        overlap: false, latency_model: nccl, collective: {}}}}}]\n"
                  "run: {{fidelity: closed_form}}\n",
                  collective),
      "machines.yaml");
  return simulate(points).jobs.at(0).exposed_communication.value() * 1e6;
}

// Rings of 8 inside machines and of 8 across them, as three calls of 8.4 us: 7 + 7 hops of 3.4 us and 14 of 14 us. One
// ring of all has 112 and 14, by the protocol that the library takes; it does not have these algorithms.
TEST(StartUp, OfRingsInRowsAndColumnsCountsTheirRounds)
{
  for (const char* collective : {"torus", "hierarchical"})
    EXPECT_NEAR(exposed_us(collective), 3 * 8.4 + 14 * 3.4 + 14 * 14, 0.1) << collective;
  EXPECT_NEAR(exposed_us("ring, protocols: simple"), 8.4 + 112 * 3.4 + 14 * 14, 0.1);
  EXPECT_NEAR(exposed_us("ring"), 6.6 + 112 * 0.6 * 1.8 + 14 * 5, 0.1); // by LL, 1.8: flag writes
}

TEST(StartUp, ParallelTreesGatherAndScatterOnly)
{
  EXPECT_NEAR(start_up_us("all_gather", 1), 8 + 64 * 2.8 + 6 * 14 / 3.5, 1); // 211 us
  EXPECT_NEAR(start_up_us("broadcast", 1), 6.6 + 63 * 5, 1);                 // a ring by LL: 322 us
}

} // namespace
} // namespace trainyard
